//! Error correction and scrambling of the flash data path, as golden models.
//!
//! The simulator runs them directly; the tests of the hardware compare against them. A page being
//! written passes [`PageCodec::encode`] and then [`Scrambler::apply`]; a page being read passes
//! [`PageCodec::erased`] (on the raw bytes), [`Scrambler::apply`] and [`PageCodec::decode`]
//! (Cosmos+ section 3.2).
//!
//! # Bit order
//!
//! A code word travels most significant bit first, byte 0 first, data before parity. The bit that
//! travels first is the coefficient of the highest power of the code polynomial. *Bit index* `k`
//! counts in this order: bit `k` of a chunk is `bytes[k / 8] & (0x80 >> (k % 8))`, and parity
//! follows the data without a gap. A chunk shorter than the code is a code word whose leading data
//! bits are zero and are neither sent nor stored.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod bch;
pub mod gf;
pub mod page;
pub mod scrambler;

pub use bch::{Bch, BchError, BchParams, Decoded, Scratch};
pub use page::{PageCodec, PageError, PageLayout, PagePayload, PagePayloadMut, PageReport};
pub use scrambler::{Scrambler, ScramblerError, ScramblerParams};
