//! What a processor in the controller is told of the drive before it starts, as words in its memory.
//!
//! One program serves all shapes: whoever starts the processor puts these words at [`PLACE`].

mod shape;
mod words;

use alloc::vec::Vec;
use contract::Configuration;

use crate::Setup;
use words::Words;

/// First of the words: `BOOT` in ASCII, in the order of bytes in memory.
const MAGIC: u32 = u32::from_le_bytes(*b"BOOT");

/// Words that there is room for, the two of [`Boot::emit`]'s frame among them.
pub const MOST_WORDS: usize = 192;

/// A drive: what its firmware is told, and what its controller is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boot {
    /// For the firmware.
    pub config: Configuration,
    /// For the controller.
    pub setup: Setup,
}

impl Boot {
    /// As words: a mark, how many follow, and they.
    ///
    /// # Panics
    /// If they are more than [`MOST_WORDS`], which depends on the types alone.
    pub fn emit(&self) -> Vec<u32> {
        let mut words = Vec::with_capacity(MOST_WORDS);
        words.extend([MAGIC, 0]);
        self.config.put(&mut words);
        self.setup.put(&mut words);
        assert!(words.len() <= MOST_WORDS, "{} words for the start", words.len());
        words[1] = words.len() as u32 - 2;
        words
    }

    /// What such words say; `None` if they are no such words.
    pub fn parse(words: &[u32]) -> Option<Boot> {
        let [MAGIC, count, words @ ..] = words else { return None };
        let mut words = words.get(..*count as usize)?;
        let boot = Boot { config: Words::take(&mut words)?, setup: Words::take(&mut words)? };
        words.is_empty().then_some(boot)
    }
}

/// Where the words of [`Boot`] are. Source: `firmware/soc/memory.ld`.
pub const PLACE: u32 = registers::map::PROGRAM + 0x100;

#[cfg(test)]
mod tests;
