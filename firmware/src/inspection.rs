//! What reports and tests may know of a drive's firmware.

use alloc::vec::Vec;

use crate::chunks::Chunks;
use crate::ftl::blocks::BlockState;
use crate::ftl::handles::OfHandle;
use crate::ftl::log::LogCounters;
use crate::ftl::translate::{Collected, CollectedFor, Translator};
use crate::ftl::{Counters, Ftl};
use crate::operations::station::Met;
use crate::operations::Station;
use crate::told::Told;
use crate::zones::Zones;

/// A look into a firmware, whatever its scheduler and its medium.
#[derive(Clone, Copy, Debug)]
pub struct Inspection<'a> {
    /// Of a drive with flash.
    pub(crate) flash: Option<(&'a Ftl, &'a Station)>,
    /// Of one whose host places its data in chunks.
    pub(crate) chunks: Option<(&'a Chunks, &'a Station)>,
    /// Of one of zones.
    pub(crate) zones: Option<(&'a Zones, &'a Station)>,
    /// Of one whose firmware is out of reach: what it told, and of each block.
    pub(crate) told: Option<(Told, &'a [Option<u32>])>,
    /// It tells nothing: what is told here is what its hardware has counted.
    pub(crate) is_silent: bool,
    pub(crate) page_bytes: u32,
    pub(crate) block_bytes: u32,
}

impl<'a> Inspection<'a> {
    /// Of a firmware into whose memory nobody can look: what it told of itself, and [`Inspection::block_erases`] of each
    /// block. What it does not tell is its epoch.
    pub const fn from_outside(
        told: (Told, &'a [Option<u32>]),
        page_bytes: u32,
        block_bytes: u32,
    ) -> Self {
        Inspection { told: Some(told), ..Inspection::of_none(page_bytes, block_bytes) }
    }

    /// Of another firmware than this one, which tells nothing of itself, in a drive whose chips have moved so many pages,
    /// read and programmed.
    pub fn of_another((reads, programs): (u64, u64), page_bytes: u32, block_bytes: u32) -> Self {
        let counters = Counters { reads, programs, ..Counters::default() };
        let told = Told { counters, ..Told::default() };
        let from_outside = Inspection::from_outside((told, &[]), page_bytes, block_bytes);
        Inspection { is_silent: true, ..from_outside }
    }

    /// Whether all of this is known. Of a firmware that tells nothing it is the pages read and programmed alone.
    pub const fn is_complete(&self) -> bool {
        !self.is_silent
    }

    /// Of a firmware of which no more is known.
    pub(crate) const fn of_none(page_bytes: u32, block_bytes: u32) -> Self {
        Inspection {
            flash: None,
            chunks: None,
            zones: None,
            told: None,
            is_silent: false,
            page_bytes,
            block_bytes,
        }
    }

    /// What the firmware has to tell those.
    pub fn told(&self) -> Told {
        Told {
            counters: self.counters(),
            log: self.log(),
            collected: self.collected(),
            dirty_entries: self.dirty_entries().into(),
            pages_to_program: self.pages_to_program().into(),
        }
    }

    /// Counters since power-on. Without flash, nothing is counted.
    pub fn counters(&self) -> Counters {
        let (counters, refreshes, station) = match (self.flash, self.chunks) {
            (Some((ftl, station)), _) => (ftl.counters, ftl.translator.refresh.done, station),
            (None, Some((chunks, station))) => (chunks.counters(), 0, station),
            (None, None) => match self.zones {
                Some((zones, station)) => (zones.counters(), 0, station),
                None => return self.told.map_or(Counters::default(), |(told, _)| told.counters),
            },
        };
        let Met { corrected_bits, read_retries, chip_resets, .. } = station.met;
        Counters { corrected_bits, read_retries, chip_resets, refreshes, ..counters }
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
        let told = self.told.map_or(0, |(told, _)| told.dirty_entries as u32);
        let told = self.zones.map_or(told, |(zones, _)| zones.held_entries());
        self.flash.map_or(told, |(ftl, _)| ftl.buffer.dirty())
    }

    /// Pages of host data that flash has still to take: those that dirty entries fill, and programs under way.
    pub fn pages_to_program(&self) -> u32 {
        let told = self.told.map_or(0, |(told, _)| told.pages_to_program as u32);
        let told = self.zones.map_or(told, |(zones, _)| zones.pages_to_program());
        self.flash.map_or(told, |(ftl, _)| ftl.pages_to_program())
    }

    /// What the log did since power-on, where there is one.
    pub fn log(&self) -> LogCounters {
        let told = self.told.map_or(LogCounters::default(), |(told, _)| told.log);
        self.flash.map_or(told, |(ftl, _)| ftl.log_counters())
    }

    /// How often the drive has found its map, as its pages tell; 0 without a log.
    pub fn epoch(&self) -> u32 {
        self.flash.map_or(0, |(_, station)| station.epoch)
    }

    /// What collection did since power-on.
    pub fn collected(&self) -> Collected {
        let told = self.told.map_or(Collected::default(), |(told, _)| told.collected);
        self.flash.map_or(told, |(ftl, _)| ftl.translator.collected())
    }

    /// What came of the data of each placement handle since power-on, and last of what collection had moved before; nothing from outside, and
    /// where the host does not place its data.
    pub fn handles(&self) -> Vec<OfHandle> {
        let handles = self.flash.and_then(|(ftl, _)| ftl.translator.handles());
        handles.map_or(Vec::new(), |handles| {
            let (of, of_moved) = handles.told();
            of.iter().chain(core::iter::once(of_moved)).copied().collect()
        })
    }

    /// Bytes of a mapping unit.
    pub fn unit_bytes(&self) -> u64 {
        let units = self.flash.map_or(1, |(ftl, _)| ftl.translator.blocks().units_per_page());
        self.page_bytes() / u64::from(units)
    }

    /// What was collected for another reason than room since power-on; nothing from outside.
    pub fn collected_for(&self) -> CollectedFor {
        self.flash.map_or(CollectedFor::default(), |(ftl, _)| ftl.translator.collected_for)
    }

    /// Blocks that new data and collection may still open, the reserve of each way included; 0 from outside, and without
    /// flash.
    pub fn free_blocks(&self) -> u64 {
        let Some((ftl, _)) = self.flash else { return 0 };
        let blocks = ftl.translator.blocks();
        let dies = ftl.translator.geometry().dies();
        let free: u64 = (0..dies).map(|die| u64::from(blocks.free_count(die))).sum();
        free * u64::from(blocks.planes())
    }

    /// Blocks of a die; 1 from outside, and without flash.
    pub fn blocks_per_die(&self) -> u32 {
        self.flash.map_or(1, |(ftl, _)| ftl.translator.geometry().blocks_per_way)
    }

    /// Blocks of the drive with what is in them, dies one after the other; none from outside, and without flash.
    pub fn block_states(self) -> impl Iterator<Item = BlockState> + Clone + 'a {
        let blocks = self.flash.map(|(ftl, _)| ftl.translator.blocks());
        blocks.into_iter().flat_map(|blocks| (0..blocks.count()).map(move |nth| blocks.state(nth)))
    }

    /// Blocks of the drive, its dies one after the other; none without flash.
    pub fn blocks(&self) -> u32 {
        let told = self.told.map_or(0, |(_, erases)| erases.len() as u32);
        let told = self.zones.map_or(told, |(zones, _)| zones.blocks().count());
        let own = self.chunks.map_or(told, |(chunks, _)| chunks.table().iter().count() as u32);
        self.flash.map_or(own, |(ftl, _)| ftl.translator.blocks().count())
    }

    /// Erases of a block, if it takes data.
    #[inline]
    pub fn block_erases(&self, block: u32) -> Option<u32> {
        match (self.flash, self.chunks) {
            (Some((ftl, _)), _) => ftl.translator.blocks().erases_in_use(block),
            (None, Some((chunks, _))) => chunks.erases(block),
            (None, None) => match self.zones {
                Some((zones, _)) => zones.blocks().erases_of(block),
                None => self.told.and_then(|(_, erases)| erases[block as usize]),
            },
        }
    }

    /// Erases of blocks so far, with the erases that still wait; 0 without flash, or from outside.
    pub fn planned_erases(&self) -> u64 {
        let own = self.zones.map_or(0, |(zones, _)| zones.blocks().erases());
        let own = self.chunks.map_or(own, |(chunks, _)| chunks.table().erases());
        self.flash.map_or(own, |(ftl, _)| ftl.translator.blocks().erases())
    }

    /// Erases of each block that takes data; none without flash.
    pub fn erase_counts(self) -> impl Iterator<Item = u32> + 'a {
        (0..self.blocks()).filter_map(move |block| self.block_erases(block))
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
