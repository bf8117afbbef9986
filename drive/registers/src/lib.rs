//! Registers of the controller in hardware: where they are, and what their bits mean.
//!
//! A body in hardware and its tests use them. The firmware does not: it knows calls of
//! [`contract::Hardware`], and what those are made of is the body's.
#![no_std]

pub mod controller;
pub mod flash;
pub mod host;
pub mod map;

pub use contract::bits::Field;

/// A register of 32 bits: where it is, and what can be done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name in the SystemRDL source.
    pub name: &'static str,
    /// Byte offset in the block.
    pub offset: u32,
    /// Value after reset, in the bits below.
    pub reset: u32,
    /// Bits that never change.
    pub constant: u32,
    /// Bits that software writes and reads back.
    pub storage: u32,
    /// Bits that hardware sets, and a written one clears.
    pub sticky: u32,
}
