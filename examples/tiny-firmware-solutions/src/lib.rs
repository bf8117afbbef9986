//! For teachers: the firmware of `examples/tiny-firmware` with the exercises of docs/tutorials/a-firmware-of-your-own.md solved.
//!
//! `collect.rs` is the first exercise, `cache.rs` the second, `recover.rs` the third. `lib.rs`, `io.rs` and `flash.rs` are those of the
//! tiny firmware with what the three need of them. It is one way of several. What it leaves out: failed blocks are known until the
//! power goes away, and are then found again; the collector moves one page at a time; recovery reads every page that was programmed.
#![no_std]
extern crate alloc;

mod cache;
mod collect;
mod flash;
mod io;
mod recover;

use alloc::{collections::VecDeque, vec, vec::Vec};
use contract::{CachePolicy, CommandTag, Completer, Configuration, Firmware, Geometry, Hardware};
use contract::{HostEvent, Location, Pass, PhaseChannels, Start, Work};
use firmware::nvme::backend::{
    IoCommand, IoKind, IoOutcome, NoChunks, NoZones, OptionalCommands, Storage,
};
use firmware::{nvme::Manager, operations::ControlTransfer};

/// The firmware of a drive.
pub struct SolvedFirmware {
    manager: Manager,
    store: Store,
}

/// What lies below the NVMe manager.
struct Store {
    block_bytes: u32,
    /// Commands, by tag. Some are over.
    commands: Vec<Option<Command>>,
    /// Those of which not all slices have begun, and those that are done, the oldest first.
    waiting: VecDeque<CommandTag>,
    done: VecDeque<(CommandTag, IoOutcome)>,
    /// Jobs by their entry of the data buffer. The last is the collector's; the others are slices and the pages of the cache.
    jobs: Vec<Option<io::Job>>,
    /// Jobs whose data move, from the host and to it (no job: an answer of the manager), and how many have moved.
    moving: [VecDeque<(CommandTag, Option<usize>)>; 2],
    moved: [u32; 2],
    answered: Option<IoOutcome>,
    geometry: Geometry,
    /// By logical page: its flash page + 1, or 0 if it has no data.
    map: Vec<u32>,
    /// By die: jobs that need it. It works for the first.
    queues: Vec<VecDeque<usize>>,
    blocks: collect::Blocks,
    cache: cache::Cache,
    /// The number of the data that were programmed last: of two flash pages of a logical page, the higher one is the newer.
    version: u64,
    /// What is looked for on the chips before the drive is ready.
    search: Option<recover::Search>,
}

/// A command, how many of its blocks were cut into slices, and of how many the slices are not over.
#[derive(Clone, Copy)]
struct Command {
    io: IoCommand,
    cut: u32,
    left: u32,
    outcome: IoOutcome,
}

impl<H: PhaseChannels> Firmware<H> for SolvedFirmware {
    fn power_on(config: &Configuration, start: Start, hw: &mut H) -> Self {
        // The DMA engine takes so many requests of each direction, and one is for answers of the manager.
        let jobs = config.buffer_entries.min(config.dma_requests - 1) as usize;
        let geometry = config.geometry;
        let bad = (0..geometry.dies() * geometry.blocks_per_way).map(|nth| {
            let Location { channel, way, .. } = flash::location(geometry, nth % geometry.dies());
            hw.factory_bad(channel, way, nth / geometry.dies())
        });
        let pages = config.logical_pages as usize;
        let store = Store {
            block_bytes: config.block_formats[usize::from(config.block_format)],
            commands: vec![None; config.command_slots as usize + 1],
            waiting: VecDeque::new(),
            done: VecDeque::new(),
            jobs: vec![None; jobs],
            moving: [VecDeque::new(), VecDeque::new()],
            moved: [0; 2],
            answered: None,
            geometry,
            map: vec![0; pages],
            queues: vec![VecDeque::new(); geometry.dies() as usize],
            blocks: collect::Blocks::new(geometry, bad),
            cache: cache::Cache::new(config.cache, jobs),
            version: 0,
            search: (start == Start::Again).then(|| recover::Search::new(pages)),
        };
        SolvedFirmware { manager: Manager::new(config), store }
    }

    fn pass(&mut self, hw: &mut H) {
        let SolvedFirmware { manager, store } = self;
        hw.work(Work::Loop);
        let mut busy = store.take_moved(hw);
        busy |= store.run_flash(hw);
        busy |= store.recover(hw);
        busy |= store.collect(hw);
        busy |= store.end_flushes();
        busy |= manager.advance(hw, store);
        let event = hw.host_event();
        busy |= event != HostEvent::None;
        manager.handle(event, hw, store);
        busy |= store.start_slice(hw);
        hw.end_pass(if busy { Pass::Busy } else { Pass::Idle });
    }

    fn block_bytes(&self) -> u32 {
        self.store.block_bytes
    }
}

impl Storage for Store {
    type Chunks = NoChunks;
    type Zones = NoZones;

    fn blocks(&self) -> u64 {
        self.map.len() as u64 * u64::from(self.unit_bytes() / self.block_bytes)
    }

    fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    fn unit_bytes(&self) -> u32 {
        self.geometry.page_bytes
    }

    fn submit(&mut self, hw: &mut impl Hardware, io: IoCommand) -> Completer {
        let command = Command { io, cut: 0, left: io.blocks, outcome: IoOutcome::Success };
        self.commands[usize::from(io.tag.0)] = Some(command);
        match io.kind {
            IoKind::Flush => self.start_flush(hw, io.tag),
            IoKind::Write if self.blocks.are_used_up => {
                self.done.push_back((io.tag, IoOutcome::ReadOnly));
            }
            _ => self.waiting.push_back(io.tag),
        }
        Completer::Firmware
    }

    fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        self.done.pop_front()
    }

    fn is_ready(&self) -> bool {
        self.search.is_none()
    }

    fn is_quiet(&self) -> bool {
        self.waiting.is_empty() && self.jobs.iter().all(Option::is_none) && self.done.is_empty()
    }

    fn set_cache(&mut self, cache: CachePolicy) {
        self.cache.policy = cache;
    }

    fn format(&mut self, block_bytes: u32) {
        self.block_bytes = block_bytes;
        self.forget_all();
    }

    fn optional_commands(&self) -> OptionalCommands {
        OptionalCommands::Absent
    }

    fn start_control(&mut self, hw: &mut impl Hardware, tag: CommandTag, own: ControlTransfer) {
        self.moving[own.direction as usize].push_back((tag, None));
        hw.issue_dma(own.request(tag));
    }

    fn control_done(&mut self) -> Option<IoOutcome> {
        self.answered.take()
    }
}
