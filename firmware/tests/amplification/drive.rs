//! The map, the blocks and the collection of the firmware, with flash that takes no time.

use contract::{
    Automation, BadBlocks, CachePolicy, Chosen, Completer, Configuration, DoorbellBuffers,
    Geometry, Grain, Lpn, Medium, StreamPolicy, VictimPolicy, WearPolicy,
};
use firmware::ftl::blocks::Stream;
use firmware::ftl::moves::{Move, Moves};
use firmware::ftl::precondition::Overwrites;
use firmware::ftl::translate::Translator;

use crate::models::Load;

/// Sizes of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub ways: u32,
    pub blocks_per_way: u32,
    pub planes: u32,
    /// Mapping units of a page.
    pub units: u32,
    /// Every this many blocks one is bad; none if 0.
    pub bad: u32,
    /// Logical pages by those that can hold data.
    pub ratio: f64,
}

/// What a drive collects, and where that goes.
#[derive(Clone, Copy, Debug)]
pub struct Policies {
    pub victim: (VictimPolicy, u32),
    pub streams: Chosen<StreamPolicy>,
    pub wear: Chosen<WearPolicy>,
    pub free_pages_kept: u32,
}

impl Policies {
    /// These victims, and nothing else.
    pub fn of(policy: VictimPolicy, choices: u32) -> Self {
        let (streams, wear) = (StreamPolicy::Together.with([]), WearPolicy::Unlevelled.with([]));
        Policies { victim: (policy, choices), streams, wear, free_pages_kept: 0 }
    }
}

/// Pages of a superblock.
pub const BLOCK: u32 = 32;

/// Counts pages that are programmed for moves.
pub struct Count(pub u64);

impl Moves for Count {
    fn idle_ways(&self, _: usize) -> u64 {
        u64::MAX
    }
    fn victim(&mut self) {}
    fn opened(&mut self, _: (u32, Stream), _: u32, _: u64) {}
    fn copy(&mut self, _: u32, moved: &[Move]) {
        self.0 += moved.chunk_by(|a, b| a.to.page == b.to.page).count() as u64;
    }
    fn erase(&mut self, _: u32, _: u32) {}
}

/// A drive that is written to.
pub struct Drive {
    translator: Translator,
    /// Mapping units of the drive, and of a page.
    logical_pages: u32,
    units: u32,
    /// Those that wait until they fill a page.
    waiting: Vec<Lpn>,
    /// Logical pages by those that can hold data.
    pub ratio: f64,
}

impl Drive {
    /// One that collects these victims, and nothing else, on demand.
    pub fn new(shape: Shape, (policy, choices): (VictimPolicy, u32)) -> Self {
        Drive::of(shape, Policies::of(policy, choices))
    }

    pub fn of(shape: Shape, policies: Policies) -> Self {
        let geometry = Geometry {
            channels: 1,
            ways: shape.ways,
            blocks_per_way: shape.blocks_per_way,
            pages_per_block: BLOCK / shape.planes,
            page_bytes: 4096 * shape.units,
        };
        let bad = |_, block| shape.bad > 0 && block % shape.bad == 3;
        let config =
            |logical_pages| configuration(logical_pages, (geometry, shape.planes), policies);
        // When a collection begins, one superblock of each way is free.
        let empty = Translator::new(&config(1), bad);
        let superblocks: u32 = (0..shape.ways).map(|die| empty.blocks().free_count(die) - 1).sum();
        let physical = superblocks * BLOCK;
        // And as many pages again where collection is done as new data come.
        let apart = match policies.streams.policy {
            StreamPolicy::Together => 0,
            _ => BLOCK * shape.ways,
        };
        let logical_pages = (f64::from(physical) * shape.ratio) as u32;
        Drive {
            translator: Translator::new(&config(logical_pages), bad),
            logical_pages: logical_pages * shape.units,
            units: shape.units,
            waiting: Vec::new(),
            ratio: f64::from(logical_pages) / f64::from(physical - apart),
        }
    }

    /// Writes every page, then so many times as many pages under a load until the drive is in its steady state, and
    /// returns the write amplification of as many again.
    pub fn amplification(&mut self, load: Load, times: u32) -> f64 {
        for lpn in 0..self.logical_pages {
            self.write(lpn);
        }
        let count = times * self.logical_pages;
        let mut next = self.lpns(load);
        for _ in 0..count {
            self.write(next());
        }
        let moved: u64 = (0..count).map(|_| self.write(next())).sum();
        1.0 + moved as f64 / f64::from(count)
    }

    /// Writes every page, then so many times as many under a load; returns the most pages that were moved for one of
    /// these writes.
    pub fn longest(&mut self, load: Load, times: u32) -> u64 {
        for lpn in 0..self.logical_pages {
            self.write(lpn);
        }
        let mut next = self.lpns(load);
        (0..times * self.logical_pages).map(|_| self.write(next())).max().expect("writes")
    }

    /// Logical pages of a load.
    fn lpns(&self, load: Load) -> impl FnMut() -> u32 {
        let hot = (f64::from(self.logical_pages) * load.pages) as u32;
        let mut kinds = Overwrites::new(1_000_000, 1);
        let mut pages = [Overwrites::new(hot, 2), Overwrites::new(self.logical_pages - hot, 3)];
        move || {
            let kind = kinds.next().expect("endless").0;
            let cold = usize::from(f64::from(kind) >= load.writes * 1e6);
            pages[cold].next().expect("endless").0 + hot * cold as u32
        }
    }

    /// Writes a mapping unit, when a page is full of them; returns how many more the drive could have written in what
    /// that has cost it.
    fn write(&mut self, lpn: u32) -> u64 {
        self.waiting.retain(|&waiting| waiting != Lpn(lpn));
        self.waiting.push(Lpn(lpn));
        if self.waiting.len() < self.units as usize {
            return 0;
        }
        let mut count = Count(1);
        let taken = self.translator.place_some(&self.waiting, &mut count, |_, _, _| ());
        let taken = taken.expect("a drive without failures takes every page");
        self.waiting.drain(..taken);
        count.0 * u64::from(self.units) - taken as u64
    }
}

pub fn configuration(
    logical_pages: u32,
    (geometry, joined_planes): (Geometry, u32),
    policies: Policies,
) -> Configuration {
    let victim = match policies.victim {
        (VictimPolicy::DChoices, choices) => VictimPolicy::DChoices.with([choices.into(), 1]),
        (policy, _) => policy.with([1]),
    };
    Configuration {
        serial: 1,
        medium: Medium::Flash,
        command_set: contract::CommandSet::Block,
        zoning: None,
        flash_times: contract::FlashTimes::UNKNOWN,
        automation: Automation::None,
        geometry,
        grain: Grain::Phases,
        joined_planes,
        programming: contract::Programming::SINGLE,
        suspends: 0,
        read_unit_bytes: 4096,
        unit_bytes: 4096,
        logical_pages,
        namespaces: 1,
        block_formats: [4096, 0, 0, 0],
        block_format: 0,
        buffer_entries: 16,
        cache: CachePolicy::WriteThrough,
        policies: contract::Policies {
            victim,
            streams: policies.streams,
            wear: policies.wear,
            ..contract::Policies::PUBLISHED
        },
        command_slots: 8,
        io_queues: 1,
        vectors: 2,
        queue_entries: 16,
        completer: Completer::Firmware,
        doorbell_buffers: DoorbellBuffers::Absent,
        max_transfer_bytes: 65_536,
        dma_requests: 8,
        clean_entries_kept: 0,
        free_pages_kept: policies.free_pages_kept,
        refresh: contract::Refresh::NONE,
        read_retries: 0,
        read_levels: 0,
        spare_blocks_per_way: 0,
        bad_blocks: BadBlocks::Table,
        rated_cycles: 3000,
        recovery: None,
        reserve: None,
    }
}
