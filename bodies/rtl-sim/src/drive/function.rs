//! The drive in hardware as a PCI function for a virtual machine.
//!
//! The guest's accesses to BAR 0 are accesses at the controller's pins, the controller's accesses are those of the guest's
//! memory, and its messages are the guest's interrupts. Time is that of the controller's clock, which runs while
//! anything is to be done, as fast as it can be simulated: a guest waits longer than it would for the drive itself.

use super::guest::GuestEnd;
use super::shape::Plan;
use super::{BoardFirmware, Processor, RtlDrive, Software};
use board::Board;
use cpu_time::ProcessTime;
use host::monitoring;
use host::Snapshot;
use machine::{BusMaster, Inspected, Polling};
use nvme::register::{offset, Doorbell};
use pci::{report_of, BarLayout, Bus, Function, Identity, Link, Onlookers, Pause, Subject};
use report::RunResult;
use std::time::Instant;

/// Turns of the firmware between two looks at the guest's messages.
const TURNS_A_RUN: u32 = 256;
/// Turns after which a reset that is not done is left to go on beside the guest.
const TURNS_A_RESET: u32 = 1 << 16;

/// A drive in hardware, for guests; `F` is its firmware, if that runs beside the hardware.
pub struct RtlFunction<F = BoardFirmware> {
    drive: RtlDrive<'static, GuestEnd, F>,
    layout: BarLayout,
    board: Board,
    name: String,
    seed: u64,
    before: Snapshot,
    started: (Instant, ProcessTime),
    onlookers: Onlookers,
}

impl<F: Software<'static, GuestEnd>> RtlFunction<F> {
    /// Powers a new drive on. `name` stands for a job file in reports.
    ///
    /// # Errors
    /// A line, when there is no hardware of that board, or no program for its processor.
    pub fn new(
        board: &Board,
        processor: Processor,
        (seed, name): (u64, &str),
    ) -> Result<Self, String> {
        let config = Plan::new(board, processor)?.parts.config;
        let mut drive = RtlDrive::powered(board, (processor, Polling::Skip), seed)?;
        let guest = GuestEnd::new(config.vectors, (config.io_queues, config.command_slots));
        *drive.guest() = guest;
        let mut onlookers = Onlookers::default();
        let subject = monitoring::Subject { board, job_file: name, seed };
        let meter = drive.guest().meter.clone();
        onlookers.start(subject, &drive, &meter.borrow());
        Ok(Self {
            layout: BarLayout::new(&config),
            board: board.clone(),
            name: name.to_owned(),
            seed,
            before: Snapshot::of(&drive),
            started: (Instant::now(), ProcessTime::now()),
            onlookers,
            drive,
        })
    }

    /// Cycles of the controller's clock since reset.
    pub fn cycles(&self) -> u64 {
        self.drive.cycles()
    }

    /// What the guest's load has made of the drive by now.
    pub fn report(&mut self) -> RunResult {
        let now_ps = self.drive.around().now_ps();
        let meter = self.drive.guest().meter.clone();
        let subject = Subject {
            board: &self.board,
            name: &self.name,
            seed: self.seed,
            before: &self.before,
            started: &self.started,
            onlookers: &self.onlookers,
            now_ps,
        };
        let report = report_of(&self.drive, &meter.borrow(), &subject);
        report
    }

    /// Lets the firmware and the hardware go on. False once nothing is to be done.
    fn turns(&mut self, most: u32) -> bool {
        for _ in 0..most {
            if self.drive.is_quiet() {
                return false;
            }
            self.drive.turn();
        }
        let block_bytes = self.drive.inspect().block_bytes();
        let now_ps = self.drive.around().now_ps();
        let meter = self.drive.guest().meter.clone();
        meter.borrow_mut().block_bytes = block_bytes;
        self.onlookers.look(&self.drive, now_ps, &meter.borrow());
        true
    }

    fn write32(&mut self, at: u64, value: u32) {
        let now_ps = self.drive.around().now_ps();
        let guest = self.drive.guest();
        let doorbells = offset::DOORBELLS..self.layout.registers_end;
        if doorbells.contains(&at) {
            let queue = ((at - offset::DOORBELLS) / 8) as u16;
            if at == Doorbell::SubmissionTail(queue).offset(0) {
                guest.rung(now_ps, queue, value);
            }
        } else if at == offset::AQA {
            guest.made_queue(0, (value & 0xfff) + 1);
        } else if at == offset::CC && value & 1 == 0 {
            guest.reset();
        }
        self.drive.write_register(at, value);
    }
}

impl<'o, F: Software<'o, GuestEnd>> RtlDrive<'o, GuestEnd, F> {
    fn guest(&mut self) -> &mut GuestEnd {
        self.seat().card.host.memory_mut()
    }
}

impl<F: Software<'static, GuestEnd>> Function for RtlFunction<F> {
    fn layout(&self) -> BarLayout {
        self.layout
    }

    fn identity(&self) -> Identity {
        Identity::of(self.board.firmware.command_set)
    }

    fn link(&self) -> Link {
        Link::carrying(self.board.host.link)
    }

    fn bus(&mut self) -> &mut Bus {
        &mut self.drive.guest().bus
    }

    fn set_bus_master(&mut self, master: BusMaster) {
        let guest = self.drive.guest();
        guest.master = master;
        guest.bus.interrupts.set_bus_master(master);
    }

    fn read(&mut self, offset: u64, into: &mut [u8]) {
        let mut word = None;
        for (byte, at) in into.iter_mut().zip(offset..) {
            let (place, value) = match word {
                Some((place, value)) if place == at & !3 => (place, value),
                _ => (at & !3, self.drive.read_register(at & !3)),
            };
            word = Some((place, value));
            *byte = value.to_le_bytes()[(at & 3) as usize];
        }
    }

    fn write(&mut self, offset: u64, from: &[u8]) {
        // Registers are written in whole words (NVMe 1.4 section 3.1).
        if offset % 4 != 0 || from.len() % 4 != 0 {
            return;
        }
        for (word, at) in from.chunks_exact(4).zip((offset..).step_by(4)) {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(word);
            self.write32(at, u32::from_le_bytes(bytes));
        }
    }

    fn reset(&mut self) {
        self.drive.guest().reset();
        self.drive.reset_function();
        self.turns(TURNS_A_RESET);
        // The reset has taken the vectors' addresses with it. A client keeps its own table of them.
        self.drive.set_up_messages();
    }

    fn run(&mut self) -> Pause {
        match self.turns(TURNS_A_RUN) {
            true => Pause::None,
            false => Pause::UntilMessage,
        }
    }
}
