//! A firmware for a flash drive in 400 lines, to be read, run and changed: docs/tutorials/a-firmware-of-your-own.md.
//!
//! It maps logical pages to flash pages. It has no cache: a write is complete when its page is programmed. It has no
//! collector: when all flash pages are programmed, writes fail. Its map goes when the power goes. The NVMe manager, which
//! answers admin commands and checks all others, is that of the boards' firmware. What lies below it is here.
#![no_std]
extern crate alloc;

mod flash;
mod io;

use alloc::{collections::VecDeque, vec, vec::Vec};
use contract::{CommandTag, Completer, Configuration, Firmware, Geometry, Hardware};
use contract::{HostEvent, Location, Pass, PhaseChannels, Start, Work};
use firmware::nvme::backend::{
    IoCommand, IoKind, IoOutcome, NoChunks, NoZones, OptionalCommands, Storage,
};
use firmware::{nvme::Manager, operations::ControlTransfer};

/// The firmware of a drive.
pub struct TinyFirmware {
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
    /// Slices that are under way, by their entry of the data buffer.
    jobs: Vec<Option<io::Job>>,
    /// Jobs whose data move, from the host and to it (no job: an answer of the manager), and how many have moved.
    moving: [VecDeque<(CommandTag, Option<usize>)>; 2],
    moved: [u32; 2],
    answered: Option<IoOutcome>,
    geometry: Geometry,
    /// By logical page: its flash page + 1, or 0 if it has no data.
    map: Vec<u32>,
    /// The flash page that is programmed next.
    next: u32,
    /// Bad blocks: by block, then by die.
    bad: Vec<bool>,
    /// By die: jobs that need it. It works for the first.
    queues: Vec<VecDeque<usize>>,
}

/// A command, how many of its blocks were cut into slices, and of how many the slices are not over.
#[derive(Clone, Copy)]
struct Command {
    io: IoCommand,
    cut: u32,
    left: u32,
    outcome: IoOutcome,
}

impl<H: PhaseChannels> Firmware<H> for TinyFirmware {
    fn power_on(config: &Configuration, _start: Start, hw: &mut H) -> Self {
        // The DMA engine takes so many requests of each direction, and one is for answers of the manager.
        let jobs = config.buffer_entries.min(config.dma_requests - 1);
        let geometry = config.geometry;
        let bad = (0..geometry.dies() * geometry.blocks_per_way).map(|nth| {
            let Location { channel, way, .. } = flash::location(geometry, nth % geometry.dies());
            hw.factory_bad(channel, way, nth / geometry.dies())
        });
        let store = Store {
            block_bytes: config.block_formats[usize::from(config.block_format)],
            commands: vec![None; config.command_slots as usize + 1],
            waiting: VecDeque::new(),
            done: VecDeque::new(),
            jobs: vec![None; jobs as usize],
            moving: [VecDeque::new(), VecDeque::new()],
            moved: [0; 2],
            answered: None,
            geometry,
            map: vec![0; config.logical_pages as usize],
            next: 0,
            bad: bad.collect(),
            queues: vec![VecDeque::new(); geometry.dies() as usize],
        };
        TinyFirmware { manager: Manager::new(config), store }
    }

    fn pass(&mut self, hw: &mut H) {
        let TinyFirmware { manager, store } = self;
        hw.work(Work::Loop);
        let mut busy = store.take_moved(hw);
        busy |= store.run_flash(hw);
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

    fn submit(&mut self, _hw: &mut impl Hardware, io: IoCommand) -> Completer {
        let command = Command { io, cut: 0, left: io.blocks, outcome: IoOutcome::Success };
        match io.kind {
            // What is complete is on flash.
            IoKind::Flush => self.done.push_back((io.tag, IoOutcome::Success)),
            _ => self.waiting.push_back(io.tag),
        }
        self.commands[usize::from(io.tag.0)] = Some(command);
        Completer::Firmware
    }

    fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        self.done.pop_front()
    }

    fn is_quiet(&self) -> bool {
        self.waiting.is_empty() && self.jobs.iter().all(Option::is_none) && self.done.is_empty()
    }

    fn format(&mut self, block_bytes: u32) {
        self.block_bytes = block_bytes;
        self.map.fill(0);
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
