//! A firmware for an SSD that is as small as one can be: a map from logical pages to flash pages, and little else.
//!
//! It knows its drive by the [`contract`] alone, and its host by [`nvme`]. Data go to flash at once, always to new pages. A
//! page whose data were overwritten is never used again: once the flash is full, writes fail.
//!
//! A turn of the main loop is [`Tiny::pass`], and everything happens below it. `admin` brings the controller up, `io` takes
//! commands page by page and moves their data, and `flash` reads and programs pages.
#![no_std]

extern crate alloc;

mod admin;
mod flash;
mod io;

use alloc::{collections::VecDeque, vec, vec::Vec};
use contract::*;
use nvme::{command::Entry, status::Status};

/// Events that a turn takes at most, so that it is short whatever the host sends.
const MOST_EVENTS: usize = 16;

/// How a command was taken: it goes on, or has ended with this in dword 0 of its completion, or is refused.
type Answer = Result<Option<u32>, Status>;

/// The firmware of a drive.
pub struct Tiny {
    config: Configuration,
    /// The host wants the controller to be ready; it is; the host wants it to be shut down.
    is_enabled: bool,
    is_ready: bool,
    shuts_down: bool,
    /// Commands that want the control page, with the ranges that they bring. The first one has it.
    control: VecDeque<(CommandTag, Entry, u16)>,
    /// Commands that move data and have not begun.
    waiting: VecDeque<io::Job>,
    /// Those that have. The data of each pass through the entry of the data buffer that has its number.
    jobs: Vec<Option<io::Job>>,
    /// Whose data are moved from the host, and to it: a job's, or none's for the control page.
    moving: [VecDeque<Option<usize>>; 2],
    /// How many of these moves have ended so far.
    moved: [u32; 2],
    /// The page map: where each logical page is.
    map: Vec<Option<flash::Place>>,
    ways: Vec<flash::Way>,
    /// The way that is written next, and how many pages were written so far.
    next_way: usize,
    sequence: u64,
}

impl<H: PhaseChannels> Firmware<H> for Tiny {
    fn power_on(config: &Configuration, _start: Start, hw: &mut H) -> Self {
        // A request of the DMA engine is left for the control page: so there is room for all that is begun.
        let jobs = config.buffer_entries.min(config.dma_requests - 1) as usize;
        Tiny {
            config: config.clone(),
            is_enabled: false,
            is_ready: false,
            shuts_down: false,
            control: VecDeque::new(),
            waiting: VecDeque::with_capacity(config.command_slots as usize),
            jobs: vec![None; jobs],
            moving: Default::default(),
            moved: [0, 0],
            map: vec![None; config.logical_pages as usize],
            ways: flash::Way::all(config.geometry, hw),
            next_way: 0,
            sequence: 0,
        }
    }

    fn pass(&mut self, hw: &mut H) {
        hw.work(Work::Loop);
        let mut busy = self.take_moved(hw);
        busy |= self.take_events(hw);
        busy |= self.begin_pages(hw);
        busy |= self.work_ways(hw);
        busy |= self.settle(hw);
        hw.end_pass(if busy { Pass::Busy } else { Pass::Idle });
    }

    fn block_bytes(&self) -> u32 {
        self.block()
    }
}

impl Tiny {
    /// Takes what the host has done. True when it has done anything.
    fn take_events(&mut self, hw: &mut impl Hardware) -> bool {
        for nth in 0..MOST_EVENTS {
            match hw.host_event() {
                HostEvent::None => return nth > 0,
                HostEvent::Enable => self.is_enabled = true,
                HostEvent::Disable => self.is_enabled = false,
                HostEvent::Shutdown => self.shuts_down = true,
                HostEvent::DoorbellError(_) | HostEvent::PowerLoss => {}
                HostEvent::Command(HostCommand { tag, queue, entry }) => {
                    hw.work(Work::Decode);
                    let command = (tag, Entry(entry));
                    let answer = match queue {
                        _ if !self.is_enabled => Err(Status::ABORTED_SQ_DELETION),
                        0 => self.admin(hw, command),
                        _ => self.io(hw, command),
                    };
                    match answer {
                        Ok(None) => {}
                        Ok(Some(dword)) => self.complete(hw, tag, (Status::SUCCESS, dword)),
                        Err(status) => self.complete(hw, tag, (status, 0)),
                    }
                }
            }
        }
        true
    }

    fn complete(&self, hw: &mut impl Hardware, tag: CommandTag, (status, dword): (Status, u32)) {
        hw.work(Work::Complete);
        hw.complete(Completion { tag, status: status.bits(), result: dword.into() });
    }
}
