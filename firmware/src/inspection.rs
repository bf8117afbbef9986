//! What reports and tests may know of a drive's firmware.

use crate::ftl::blocks::Blocks;
use crate::ftl::log::LogCounters;
use crate::ftl::translate::{Collected, Translator};
use crate::ftl::{Counters, Ftl};
use crate::operations::station::Met;
use crate::operations::Station;

/// A look into a firmware, whatever its scheduler and its medium.
#[derive(Clone, Copy, Debug)]
pub struct Inspection<'a> {
    /// Of a drive with flash.
    pub(crate) flash: Option<(&'a Ftl, &'a Station)>,
    /// Of one whose firmware is out of reach: what it told.
    pub(crate) told: Option<Told>,
    pub(crate) page_bytes: u32,
    pub(crate) block_bytes: u32,
}

/// What a firmware tells of itself, for those that cannot look into its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// [`Inspection::counters`].
    pub counters: Counters,
    /// [`Inspection::dirty_entries`].
    pub dirty_entries: u32,
    /// [`Inspection::pages_to_program`].
    pub pages_to_program: u32,
}

impl<'a> Inspection<'a> {
    /// Of a firmware into whose memory nobody can look. What it does not tell counts as nothing: its log, what
    /// collection did, and the erases of each block.
    pub const fn from_outside(told: Told, page_bytes: u32, block_bytes: u32) -> Self {
        Inspection { flash: None, told: Some(told), page_bytes, block_bytes }
    }

    /// What the firmware has to tell those.
    pub fn told(&self) -> Told {
        Told {
            counters: self.counters(),
            dirty_entries: self.dirty_entries(),
            pages_to_program: self.pages_to_program(),
        }
    }

    /// Counters since power-on. Without flash, nothing is counted.
    pub fn counters(&self) -> Counters {
        let Some((ftl, station)) = self.flash else {
            return self.told.map_or(Counters::default(), |told| told.counters);
        };
        let Met { corrected_bits, read_retries, chip_resets, .. } = station.met;
        let refreshes = ftl.translator.refresh.done;
        Counters { corrected_bits, read_retries, chip_resets, refreshes, ..ftl.counters }
    }

    /// Bytes of a flash page, or of a mapping unit where there is no flash.
    pub fn page_bytes(&self) -> u64 {
        u64::from(self.page_bytes)
    }

    /// Bytes of a logical block in the format in use.
    pub fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// Entries of the data buffer that are newer than flash.
    pub fn dirty_entries(&self) -> u32 {
        let told = self.told.map_or(0, |told| told.dirty_entries);
        self.flash.map_or(told, |(ftl, _)| ftl.buffer.dirty())
    }

    /// Pages of host data that flash has still to take: those that dirty entries fill, and programs under way.
    pub fn pages_to_program(&self) -> u32 {
        let told = self.told.map_or(0, |told| told.pages_to_program);
        self.flash.map_or(told, |(ftl, _)| ftl.pages_to_program())
    }

    /// What the log did since power-on, where there is one.
    pub fn log(&self) -> LogCounters {
        self.flash.map_or(LogCounters::default(), |(ftl, _)| ftl.log_counters())
    }

    /// How often the drive has found its map, as its pages tell; 0 without a log.
    pub fn epoch(&self) -> u32 {
        self.flash.map_or(0, |(_, station)| station.epoch)
    }

    /// What collection did since power-on.
    pub fn collected(&self) -> Collected {
        self.flash.map_or(Collected::default(), |(ftl, _)| ftl.translator.collected())
    }

    /// Erases of each block that takes data; none without flash.
    pub fn erase_counts(&self) -> impl Iterator<Item = u32> + 'a {
        let blocks = self.flash.map(|(ftl, _)| ftl.translator.blocks());
        blocks.into_iter().flat_map(Blocks::erase_counts)
    }

    /// The address translator's state, for tests that compare drives.
    ///
    /// # Panics
    /// Without flash there is none.
    pub fn translator(&self) -> &'a Translator {
        let (ftl, _) = self.flash.expect("a drive with flash");
        &ftl.translator
    }
}
