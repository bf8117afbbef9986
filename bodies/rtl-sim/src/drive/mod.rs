//! A drive in hardware: the Verilated controller with chips on its pins, the real firmware at its registers, and at its
//! link a host with fio's jobs, or a virtual machine.
//!
//! Time is that of the controller's clock. The firmware runs on the processor in the controller, or on the computer that
//! simulates; what it does there is charged as the board's processor would need, and its register accesses take what
//! they take on the bus.

mod by_itself;
pub mod compare;
pub mod fpga;
#[cfg(target_os = "linux")]
mod function;
#[cfg(target_os = "linux")]
mod guest;
mod host_side;
mod hosted;
mod inside;
mod over_memory;
pub mod paired;
mod parts;
mod queue_heads;
mod quiet;
mod seat;
mod shape;
mod software;
mod status_polls;
pub mod steps;
mod still;
mod watcher;

use crate::axi::Subordinate;
use crate::nvme::Card;
use crate::{ChipBus, Random};
use board::Board;
use by_itself::ByItself;
use contract::packet::RowFormat;
use contract::{Automation, Medium, Pass};
use driver::boot::Boot;
use driver::Controller;
use firmware::Inspection;
use host_side::{Acting, HostEnd, HostSide};
pub use hosted::Hosted;
use inside::Inside;
pub use inside::{WorkCount, WorkCounts};
use machine::{
    ChannelUsage, Device, EntryWaits, Host, Inspected, Machine, Polling, Stopped, Usage, Wake,
    Watched, NEVER,
};
pub use parts::{PartLog, PartTimes};
pub use quiet::Skipped;
use quiet::{BusyTimeout, Quiet};
use seat::Seat;
pub use shape::period;
use shape::{Parts, Plan};
pub use software::{BoardFirmware, Software};
use software::{Body, Seen};
pub use still::StillHost;
use watcher::Watcher;

#[cfg(target_os = "linux")]
pub use function::RtlFunction;

/// Where the vectors' messages are set up in BAR 0 (PCI Local Bus 3.0, section 6.8.2).
const MSIX_TABLE: u64 = 0x2000;

/// Cycles in which nothing may happen, with all chips ready and nothing on its way, before the drive counts as quiet:
/// longer than anything but a time-out takes between two signs of life.
const QUIET_CYCLES: u64 = 4000;

/// Where the firmware runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// On the computer that simulates; its time is charged as the board says.
    Beside,
    /// On an Ibex core in the controller, in the time that it takes there.
    Ibex,
}

/// The firmware, by where it runs, and what is around it.
enum Runs<'o, E, F> {
    Beside(Box<(F, Body<'o, E>)>),
    Inside(Box<Inside<'o, E>>),
}

/// A drive in hardware, and who watches it; `F` is its firmware, if that runs beside the hardware.
pub struct RtlDrive<'o, E: HostEnd = HostSide, F = BoardFirmware> {
    runs: Runs<'o, E, F>,
    period_ps: u64,
    vectors: u32,
    io_queues: u32,
    medium: Medium,
    rows: RowFormat,
    /// Bytes of a flash page and of a logical block.
    sizes: (u32, u32),
}

impl<'o> RtlDrive<'o> {
    /// Powers a new drive on, with a host for fio's jobs.
    ///
    /// # Errors
    /// A line, when there is no hardware of that board, or no program for its processor.
    pub fn new(
        board: &Board,
        (processor, polling): (Processor, Polling),
        seed: u64,
    ) -> Result<Self, String> {
        Self::powered(board, (processor, polling), seed)
    }
}

impl<'o, F: Software<'o, HostSide>> RtlDrive<'o, HostSide, F> {
    /// Powers a new drive on that runs this firmware, with a host for fio's jobs.
    ///
    /// # Errors
    /// A line, when there is no hardware of that board.
    pub fn running(board: &Board, polling: Polling, seed: u64) -> Result<Self, String> {
        Self::powered(board, (Processor::Beside, polling), seed)
    }
}

impl<'o, E: HostEnd, F: Software<'o, E>> RtlDrive<'o, E, F> {
    fn powered(
        board: &Board,
        (processor, polling): (Processor, Polling),
        seed: u64,
    ) -> Result<Self, String> {
        let Plan { top, parts, around } = Plan::new(board, processor)?;
        let mut card = Card::new(top, BUS_BITS, around, &mut Random::new(seed));
        if parts.config.medium == Medium::Flash {
            card.hang_chips(parts.chips(seed), parts.period);
        }
        let Parts { config, period, setup, .. } = parts;
        card.map_memory(setup.layout.end);
        let mut seat = Seat::new(card, board, period.as_ps());
        if config.automation != Automation::None {
            seat.by_itself = Some(ByItself::new(seat.card.model()));
        }
        let runs = match processor {
            Processor::Beside => {
                let timeout = match board.channel.scheduling.busy_timeout.as_ps() {
                    0 => BusyTimeout::None,
                    _ => BusyTimeout::Some,
                };
                seat.quiet = Quiet::new(&seat.card, (polling, config.medium), timeout);
                let mut body = Controller::new(seat, &config, setup);
                Runs::Beside(Box::new((F::power_on(&config, &mut body), body)))
            }
            Processor::Ibex => {
                let boot = Boot { config: config.clone(), setup };
                Runs::Inside(Box::new(Inside::new(seat.uncharged(), &boot)?))
            }
        };
        let sizes =
            (config.flash_page_bytes(), config.block_formats[usize::from(config.block_format)]);
        let mut drive = Self {
            runs,
            period_ps: period.as_ps(),
            vectors: config.vectors,
            io_queues: config.io_queues,
            medium: config.medium,
            rows: setup.format.rows,
            sizes,
        };
        drive.set_up_messages();
        Ok(drive)
    }

    /// Each vector's message goes to its own word.
    fn set_up_messages(&mut self) {
        for vector in 0..self.vectors {
            let address = host_side::MESSAGES + 4 * u64::from(vector);
            let words = [address as u32, (address >> 32) as u32, vector, 0];
            for (at, word) in (MSIX_TABLE + 16 * u64::from(vector)..).step_by(4).zip(words) {
                self.write_register(at, word);
            }
        }
    }

    /// Reads a register of BAR 0.
    fn read_register(&mut self, offset: u64) -> u32 {
        self.seat().catch_up();
        self.seat().card.bar.read(offset);
        self.finish_bar();
        self.seat().card.bar.take().expect("a read that is done has a value")
    }

    /// Writes a register or a doorbell of BAR 0.
    fn write_register(&mut self, offset: u64, value: u32) {
        self.seat().catch_up();
        self.seat().write_bar(offset, value);
        self.finish_bar();
        self.seat().busy_at = self.cycles();
    }

    /// Cycles of the controller's clock since reset.
    pub fn cycles(&self) -> u64 {
        self.around().cycles()
    }

    /// Cycles of them that were not run, since nothing changed in them.
    pub fn skipped(&self) -> Skipped {
        self.around().quiet.as_ref().map_or_else(Skipped::default, Quiet::skipped)
    }

    /// Has an observer told from now on what its pins and ports show. Firmware on the processor inside does not tell of
    /// its commands all that an observer wants to know.
    pub fn watched_by(&mut self, observer: Watched<'o>) {
        let about = (self.rows, self.io_queues);
        let seat = self.seat();
        seat.card.chips.iter_mut().for_each(ChipBus::watch_phases);
        seat.watcher = Some(Watcher::new(observer, seat.card.model(), about));
    }

    /// Has it noted from now on how long each part has each command.
    pub fn log_parts(&mut self) -> PartLog {
        self.seat().parts.log.get_or_insert_default().clone()
    }

    /// What each kind of the firmware's work took on the processor in the controller; none where the firmware runs
    /// beside it.
    pub fn work_counts(&self) -> Option<WorkCounts> {
        match &self.runs {
            Runs::Beside(_) => None,
            Runs::Inside(inside) => Some(inside.counts()),
        }
    }

    fn around(&self) -> &Seat<'o, E> {
        match &self.runs {
            Runs::Beside(beside) => &beside.1.host.bus,
            Runs::Inside(inside) => &inside.seat,
        }
    }

    fn seat(&mut self) -> &mut Seat<'o, E> {
        match &mut self.runs {
            Runs::Beside(beside) => beside.1.bus(),
            Runs::Inside(inside) => &mut inside.seat,
        }
    }

    fn turn(&mut self) -> Pass {
        match &mut self.runs {
            Runs::Beside(beside) => {
                let (firmware, body) = &mut **beside;
                firmware.pass(body);
            }
            Runs::Inside(inside) => inside.turn(),
        }
        let seat = self.seat();
        if seat.is_busy() {
            seat.busy_at = seat.cycles();
        }
        seat.pass
    }

    /// Whether nothing has happened for a while, and nothing will without the host.
    fn is_quiet(&self) -> bool {
        let seat = self.around();
        let is_at_rest = match &self.runs {
            Runs::Beside(_) => true,
            Runs::Inside(inside) => inside.is_at_rest(),
        };
        is_at_rest && seat.wake_ps() == NEVER && seat.cycles() - seat.busy_at > QUIET_CYCLES
    }

    /// Resets the PCI function.
    #[cfg(target_os = "linux")]
    fn reset_function(&mut self) {
        self.seat().catch_up();
        self.seat().card.reset_function();
        self.seat().busy_at = self.cycles();
    }

    /// What the channels have done; of a drive over memory, its channels are what others have flash channels for.
    fn channel_usage(&self) -> Vec<ChannelUsage> {
        let seat = self.around();
        let flash = |(nth, chips): (usize, &ChipBus)| {
            let (bus, ways) = chips.activity(seat.ahead());
            let [pages_read, pages_programmed] = seat.parts.pages(nth);
            let ways_ps: Vec<u64> = ways.into_iter().map(|busy| busy.as_ps()).collect();
            let (bus_ps, booked_ways_ps) = (bus.as_ps(), ways_ps.clone());
            let booked_bus_ps = bus_ps;
            ChannelUsage {
                bus_ps,
                ways_ps,
                booked_bus_ps,
                booked_ways_ps,
                pages_read,
                pages_programmed,
            }
        };
        let memory = |own| ChannelUsage {
            booked_bus_ps: self.moved(own),
            ways_ps: vec![0],
            ..ChannelUsage::default()
        };
        match self.medium {
            Medium::Flash => seat.card.chips.iter().enumerate().map(flash).collect(),
            Medium::Memory => seat.card.memories.iter().map(memory).collect(),
        }
    }

    /// Time that a memory channel moved data, in picoseconds.
    fn moved(&self, memory: &Subordinate) -> u64 {
        let (read, written) = memory.moved();
        (read + written) / u64::from(BUS_BITS / 8) * self.period_ps
    }

    fn finish_bar(&mut self) {
        let seat = self.seat();
        while !seat.card.bar.is_idle() {
            seat.cycle();
        }
    }
}

/// Bits of the buses of the models.
const BUS_BITS: u32 = 256;

impl<'o, E: Acting, F: Software<'o, E>> Device for RtlDrive<'o, E, F> {
    type Memory = <E::Host as Host>::Memory;

    fn read32(&mut self, offset: u64) -> u32 {
        self.read_register(offset)
    }

    fn write32(&mut self, offset: u64, value: u32) {
        self.write_register(offset, value);
    }

    fn memory(&mut self) -> &mut Self::Memory {
        Host::memory(self.host_mut())
    }

    fn settle(&mut self, limit_ps: u64) {
        let end_ps = self.now_ps().saturating_add(limit_ps);
        self.seat().busy_at = self.cycles();
        while !self.is_quiet() && self.now_ps() < end_ps {
            self.turn();
        }
    }

    fn now_ps(&self) -> u64 {
        self.around().now_ps()
    }
}

impl<'o, E: HostEnd, F: Software<'o, E>> Inspected for RtlDrive<'o, E, F> {
    fn inspect(&self) -> Inspection<'_> {
        match &self.runs {
            Runs::Beside(beside) => {
                let parts = &beside.1.host.bus.parts;
                let channels = 0..beside.1.host.bus.card.chips.len();
                let sum =
                    |(read, programmed): (u64, u64), [r, p]: [u64; 2]| (read + r, programmed + p);
                let pages = channels.map(|nth| parts.pages(nth)).fold((0, 0), sum);
                beside.0.inspect(Seen { pages, page_bytes: self.sizes.0 })
            }
            Runs::Inside(inside) => {
                let (page_bytes, block_bytes) = self.sizes;
                Inspection::from_outside(inside.told(), page_bytes, block_bytes)
            }
        }
    }

    fn usage(&self) -> Usage {
        let seat = self.around();
        Usage {
            now_ps: seat.now_ps(),
            channels: self.channel_usage(),
            module_ps: seat.module_ps,
            idle_module_ps: seat.idle_module_ps,
            idle_ps: seat.idle_ps,
            cores: Vec::new(),
            dram_ps: seat.card.memories.iter().map(|own| self.moved(own)).max().unwrap_or(0),
            interrupts: seat.interrupts,
            commands: seat.parts.commands(),
            ready_ps: seat.parts.ready_ps,
            entry_waits: EntryWaits::default(),
            channel_waits: Vec::new(),
            channel_latencies: Vec::new(),
        }
    }
}

impl<'o, E: Acting, F: Software<'o, E>> Machine<E::Host> for RtlDrive<'o, E, F> {
    fn host(&self) -> &E::Host {
        self.around().card.host.memory().host()
    }

    fn host_mut(&mut self) -> &mut E::Host {
        self.seat().card.host.memory_mut().host_mut()
    }

    fn wake_host(&mut self) {
        self.seat().wake(Wake::Timer);
    }

    fn jobs_begin(&mut self) {
        let now = self.now_ps();
        self.seat().watcher.iter_mut().for_each(|watcher| watcher.jobs_begin(now));
    }

    fn run_to(&mut self, due_ps: u64, mut until: impl FnMut(&E::Host) -> bool) -> Stopped {
        self.seat().busy_at = self.cycles();
        loop {
            self.turn();
            if until(self.host()) {
                return Stopped::Host;
            }
            if self.is_quiet() {
                return Stopped::Quiet;
            }
            if self.now_ps() >= due_ps {
                return Stopped::Due;
            }
        }
    }
}
