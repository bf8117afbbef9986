//! The drive as a PCI function: it runs in wall time, or as fast as it can.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{fence, Ordering};
use std::time::{Duration, Instant};

use board::Board;
use contract::DoorbellBuffers;
use cpu_time::ProcessTime;
use host::monitoring;
use host::{check_blocks, prepare, Control, ImageFile, Preconditioning, RunError, Snapshot};
use machine::{BoardFirmware, BusMaster, ImageError, Payload, Polling, Stopped, Watched, NEVER};
use monitor::Sampler;
use nvme::register::{offset, ControllerStatus, Doorbell};
use report::{Pacing, RunResult};
use sim::{Drive, Kept, KeptState, Media, Options, Software};

use crate::clock::{duration, Clock, Pace};
use crate::config_space::Identity;
use crate::function::{Bus, Function, Pause};
use crate::guest::Guest;
use crate::layout::BarLayout;
use crate::link::Link;
use crate::meter::{Meter, Metered};
use crate::metered_report::{report_of, Subject};
use crate::onlookers::Onlookers;

/// Turns of the firmware between two looks at the socket.
const TURNS_A_RUN: u32 = 2048;
/// Turns after which a reset that is not done is left to go on beside the guest.
const TURNS_A_RESET: u32 = 1 << 20;
/// What waits no longer than this is waited for without sleeping: a sleep ends tens of microseconds
/// late.
const SPIN_PS: u64 = 60_000_000;
/// So long after the last doorbell the guest's memory is looked at without sleeping: a guest that is about
/// to ring again need not wake anybody.
const LOOK: Duration = Duration::from_micros(50);
/// Most I/O queues whose doorbells fit into one page.
const MOST_BUFFERED_QUEUES: u32 = 511;
/// A turn that is longer than this is not reckoned with.
const LONGEST_TURN_PS: u64 = 20_000_000;
/// A long turn is reckoned with less and less: by this part each time.
const TURN_FADES: u64 = 16;

/// How a guest rings doorbells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doorbells {
    /// In its own memory, and by a message where nobody looks there, if its driver can.
    Memory,
    /// By a message each.
    Messages,
}

/// A drive to serve.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The drive.
    pub board: &'a Board,
    /// What stands in for a job file in reports.
    pub name: &'a str,
    /// Seed of every random stream.
    pub seed: u64,
    /// State of the drive at the start. A drive in an image has it when the image is made.
    pub precondition: Preconditioning,
    /// The image that the drive is in, made if it is not there; none if it is in memory.
    pub image: Option<ImageFile<'a>>,
    /// How virtual time goes by.
    pub pace: Pace,
    /// How the guest rings doorbells.
    pub doorbells: Doorbells,
}

/// The drive with its guest; `F` is its firmware.
pub struct NvmeFunction<F = BoardFirmware> {
    drive: Drive<Guest, Watched<'static>, F>,
    meter: Rc<RefCell<Meter>>,
    board: Rc<Board>,
    name: String,
    seed: u64,
    pace: Pace,
    onlookers: Onlookers,
    before: Snapshot,
    started: (Instant, ProcessTime),
    /// How far beyond its aim a run has to be expected to go: as far as those before it.
    turn_ps: u64,
    /// Doorbells found in the guest's memory; empty between looks.
    rung: Vec<(u64, u32)>,
    last_rung: Instant,
}

/// What is at the other ends of a drive: its guest, and who meters it.
type Ends = (Guest, Watched<'static>);

impl NvmeFunction {
    /// Powers the drive on, with real bytes in its pages.
    ///
    /// # Errors
    /// When the board's flash cannot hold them, or preconditioning was ended.
    pub fn new(
        setup: &Setup<'_>,
        sampler: Option<Sampler>,
        mut control: Control<'_>,
    ) -> Result<Self, RunError> {
        let Setup { seed, precondition, image, .. } = *setup;
        if precondition != Preconditioning::None {
            check_blocks(setup.board, "a state at start")?;
        }
        NvmeFunction::powered_by(setup, sampler, |board, options, ends| {
            let (mut drive, state) = match image {
                None => (Drive::observed(board, options, ends)?, KeptState::New),
                Some(ImageFile { path, serial }) => {
                    // Doorbell buffers are nothing that chips know of.
                    let Kept { media, options, serial, state } =
                        Media::in_image(path, (setup.board, options), serial)?;
                    board.firmware.serial = serial;
                    (Drive::powered(board, (options, media), ends)?, state)
                }
            };
            if state == KeptState::New {
                prepare(&mut drive, precondition.state(seed), &mut control)?;
                drive.seal_image().map_err(RunError::Image)?;
            }
            Ok(drive)
        })
    }

    /// Another function with a drive in the same state, which nobody monitors. Its guest is not there yet: it has offered
    /// no memory and rung no doorbell. None where the drive is in an image.
    pub fn copied(&self) -> Option<Self> {
        let meter = Rc::new(RefCell::new(self.meter.borrow().clone()));
        let clock = (self.pace == Pace::Real).then(Clock::default);
        let guest = Guest::new(self.board.firmware.vectors, clock, meter.clone());
        let drive = self.drive.copied(guest, Metered::watching(&meter))?;
        Some(NvmeFunction {
            drive,
            meter,
            board: self.board.clone(),
            name: self.name.clone(),
            seed: self.seed,
            pace: self.pace,
            onlookers: self.onlookers.copied(),
            before: self.before.clone(),
            started: (Instant::now(), ProcessTime::now()),
            turn_ps: 0,
            rung: Vec::new(),
            last_rung: Instant::now(),
        })
    }
}

impl<F: Software<Watched<'static>>> NvmeFunction<F> {
    /// Powers a new drive on that runs this firmware, with real bytes in its pages.
    ///
    /// # Errors
    /// When the board's flash cannot hold them.
    ///
    /// # Panics
    /// If an image or a state at start is asked for, which only the firmware of the boards has.
    pub fn running(setup: &Setup<'_>, sampler: Option<Sampler>) -> Result<Self, RunError> {
        let is_new = setup.precondition == Preconditioning::None && setup.image.is_none();
        assert!(is_new, "a new drive in memory");
        let new = |board: &mut Board, options, ends| Ok(Drive::observed(board, options, ends)?);
        NvmeFunction::powered_by(setup, sampler, new)
    }

    fn powered_by(
        setup: &Setup<'_>,
        sampler: Option<Sampler>,
        power: impl FnOnce(
            &mut Board,
            Options,
            Ends,
        ) -> Result<Drive<Guest, Watched<'static>, F>, RunError>,
    ) -> Result<Self, RunError> {
        let Setup { name, seed, pace, doorbells, .. } = *setup;
        let mut board = setup.board.clone();
        let buffered = board.firmware.io_queues <= MOST_BUFFERED_QUEUES;
        if doorbells == Doorbells::Memory && buffered {
            board.firmware.doorbell_buffers = DoorbellBuffers::Offered;
        }
        let config = &board.firmware;
        let meter = Rc::new(RefCell::new(Meter::new(config.io_queues, config.command_slots)));
        let clock = (pace == Pace::Real).then(Clock::default);
        let guest = Guest::new(config.vectors, clock, meter.clone());
        let block_bytes = config.block_formats[usize::from(config.block_format)];
        let payload = Payload::Bytes { block_bytes, seed };
        let options = Options { payload, seed, polling: Polling::Skip };
        let drive = power(&mut board, options, (guest, Metered::watching(&meter)))?;
        let before = Snapshot::of(&drive);
        let mut function = NvmeFunction {
            drive,
            meter,
            board: Rc::new(board),
            name: name.to_string(),
            seed,
            pace,
            onlookers: Onlookers::new(sampler),
            before,
            started: (Instant::now(), ProcessTime::now()),
            turn_ps: 0,
            rung: Vec::new(),
            last_rung: Instant::now(),
        };
        let subject = monitoring::Subject { board: &function.board, job_file: name, seed };
        function.onlookers.start(subject, &function.drive, &function.meter.borrow());
        Ok(function)
    }

    /// What the guest's load has made of the drive by now.
    pub fn report(&self) -> RunResult {
        let meter = self.meter.borrow();
        let subject = Subject {
            board: &self.board,
            name: &self.name,
            seed: self.seed,
            before: &self.before,
            started: &self.started,
            onlookers: &self.onlookers,
            now_ps: self.drive.now(),
        };
        RunResult {
            pacing: (self.pace == Pace::Real)
                .then(|| Pacing { late: meter.measured(self.drive.now()).late }),
            ..report_of(&self.drive, &meter, &subject)
        }
    }

    /// Hands all that the image of the drive holds by now to the disk.
    ///
    /// # Errors
    /// When the image cannot be written.
    pub fn sync_image(&self) -> Result<(), ImageError> {
        self.drive.sync_image()
    }

    /// Ends the operation monitor, which writes what is left of its last interval.
    ///
    /// # Errors
    /// The first one of writing its lines.
    pub fn end_monitor(&mut self) -> std::io::Result<()> {
        self.onlookers.end(&self.drive, &self.meter.borrow())
    }

    /// Wall time as the drive counts it; its own time where it does not keep to the wall's.
    fn wall_ps(&mut self) -> u64 {
        let now = self.drive.now();
        self.drive.host_mut().clock.as_mut().map_or(now, Clock::now_ps)
    }

    /// Hears doorbells that the guest rang in its memory. False if there were none.
    fn look(&mut self) -> bool {
        if !self.drive.has_doorbell_buffers() {
            return false;
        }
        let NvmeFunction { drive, rung, .. } = self;
        drive.look_at_doorbells(|at, value| rung.push((at, value)));
        if self.rung.is_empty() {
            return false;
        }
        let now = self.wall_ps();
        let mut rung = std::mem::take(&mut self.rung);
        rung.drain(..).for_each(|doorbell| self.drive.host_mut().ring(now, doorbell));
        self.rung = rung;
        self.drive.wake_host();
        self.last_rung = Instant::now();
        true
    }

    /// Before a pause the guest is asked to send messages, unless it has just rung and is likely to ring
    /// again.
    fn before(&mut self, pause: Pause) -> Pause {
        if pause == Pause::None || !self.drive.has_doorbell_buffers() {
            return pause;
        }
        if self.last_rung.elapsed() < LOOK {
            return Pause::None;
        }
        self.drive.ask_for_doorbells();
        // The guest writes its doorbell, then looks whether it was asked for a message. This side asks,
        // then looks for the doorbell. One of the two sees the other, if neither order is turned round.
        fence(Ordering::SeqCst);
        if self.look() {
            Pause::None
        } else {
            pause
        }
    }

    /// Runs for a while, at most to the first turn that ends at `limit_ps` or later.
    fn run_to(&mut self, limit_ps: u64) -> Stopped {
        let due_ps = self.onlookers.due_ps().min(limit_ps);
        let stopped = self.drive.run_turns(due_ps, TURNS_A_RUN);
        let mut meter = self.meter.borrow_mut();
        meter.block_bytes = self.drive.firmware().block_bytes();
        if stopped == Stopped::Due {
            let beyond_ps = self.drive.now().saturating_sub(due_ps).min(LONGEST_TURN_PS);
            self.turn_ps = beyond_ps.max(self.turn_ps - self.turn_ps / TURN_FADES);
        }
        self.onlookers.look(&self.drive, self.drive.now(), &meter);
        stopped
    }

    /// Keeps to the wall clock. A turn is begun when it can be expected not to end in the future.
    fn run_real(&mut self) -> Pause {
        let wall_ps = self.wall_ps();
        let limit_ps = wall_ps.saturating_sub(self.turn_ps);
        let behind = self.drive.next_change() <= limit_ps && self.drive.now() <= limit_ps;
        if behind && self.run_to(limit_ps) == Stopped::Host {
            return Pause::None;
        }
        let next_ps = self.drive.next_change().max(self.drive.now());
        if self.drive.next_change() == NEVER {
            return Pause::UntilMessage;
        }
        let wait_ps = next_ps.saturating_add(self.turn_ps).saturating_sub(self.wall_ps());
        match wait_ps.checked_sub(SPIN_PS) {
            None | Some(0) => Pause::None,
            Some(sleep_ps) => Pause::For(duration(sleep_ps)),
        }
    }
}

impl<F: Software<Watched<'static>>> Function for NvmeFunction<F> {
    fn layout(&self) -> BarLayout {
        BarLayout::new(&self.board.firmware)
    }

    fn identity(&self) -> Identity {
        Identity::of(self.board.firmware.command_set)
    }

    fn link(&self) -> Link {
        Link::carrying(self.board.host.link)
    }

    fn bus(&mut self) -> &mut Bus {
        &mut self.drive.host_mut().bus
    }

    fn fault(&self) -> Option<String> {
        self.drive.image_fault().map(|fault| fault.to_string())
    }

    fn set_bus_master(&mut self, master: BusMaster) {
        self.drive.registers(|guest, registers| {
            registers.set_bus_master(master);
            guest.bus.interrupts.set_bus_master(master);
        });
    }

    fn read(&mut self, offset: u64, into: &mut [u8]) {
        for (byte, at) in into.iter_mut().zip(offset..) {
            let word = self.drive.registers(|_, registers| registers.read32(at & !3));
            *byte = word.to_le_bytes()[(at & 3) as usize];
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
        self.drive.registers(|guest, registers| {
            guest.hear(NEVER, registers);
            for at in [offset::CC, offset::AQA, offset::ASQ, offset::ASQ + 4] {
                registers.write32(at, 0);
            }
            registers.write64(offset::ACQ, 0);
            registers.write32(offset::INTMC, u32::MAX);
        });
        self.meter.borrow_mut().reset();
        self.drive.run_turns(NEVER, TURNS_A_RESET);
    }

    fn run(&mut self) -> Pause {
        self.look();
        let pause = match self.pace {
            Pace::Real => self.run_real(),
            Pace::Fast => match self.run_to(NEVER) {
                Stopped::Quiet => Pause::UntilMessage,
                Stopped::Host | Stopped::Due | Stopped::Lost => Pause::None,
            },
        };
        self.before(pause)
    }
}

impl<F: Software<Watched<'static>>> NvmeFunction<F> {
    /// Doorbells are heard when they rang. Other registers are written at once, behind all doorbells.
    fn write32(&mut self, at: u64, value: u32) {
        let io_doorbell = at >= Doorbell::SubmissionTail(1).offset(0);
        if io_doorbell && self.drive.has_doorbell_buffers() {
            // The guest's memory has the same value, or a newer one.
            self.look();
            return;
        }
        if at >= offset::DOORBELLS {
            let now = self.wall_ps();
            self.drive.host_mut().ring(now, (at, value));
            self.drive.wake_host();
            return;
        }
        let running = |status: u32| ControllerStatus::parse(status).ready;
        let stopped = self.drive.registers(|guest, registers| {
            guest.hear(NEVER, registers);
            let before = running(registers.read32(offset::CSTS));
            registers.write32(at, value);
            before && at == offset::CC && value & 1 == 0
        });
        if stopped {
            self.meter.borrow_mut().reset();
        }
    }
}
