//! A drive: the firmware in the event-driven body.

mod audience;
mod border;
mod software;
mod state;
mod still;
mod turns;

use std::any::Any;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use board::Board;
use contract::{AutomatedTraffic, Configuration, Lpn, Start};
use firmware::ftl::precondition::{Precondition, Preconditioned};
use firmware::ftl::victim::Chooser;
use firmware::Inspection;
use machine::{
    BoardFirmware, Host, ImageError, Observer, Registers, Stopped, Unobserved, Usage, Wake, NEVER,
};
use nand::{Array, Astray, FaultsOfPage, Payload, Unsuitable};

use crate::body::{Body, Seat};
use crate::media::{Chips, Filled, Media};
use crate::memory::Untouched;
use crate::options::Options;

pub use self::audience::Audience;
pub use self::software::Software;
pub use self::still::Still;
pub use self::turns::Until;
use self::turns::TURNS_APART;

/// A drive in virtual time; `H` is its host, `O` who observes it, and `F` its firmware. The firmware of boards runs where nobody
/// observes the drive ([`Unobserved`]) and where it is [watched](machine::Watched).
pub struct Drive<H, O = Unobserved, F = BoardFirmware> {
    firmware: F,
    body: Body<O>,
    /// Turns after which the condition of a run is looked at, though the host was told nothing.
    turns_apart: u32,
    /// The kind of the host that sits in the body.
    kind: PhantomData<fn() -> H>,
}

impl<H, O, F> Drive<H, O, F> {
    fn made(firmware: F, body: Body<O>) -> Self {
        Drive { firmware, body, turns_apart: TURNS_APART, kind: PhantomData }
    }

    /// States after how many turns of the main loop the condition of a run is looked at, though the host was told nothing. It
    /// changes nothing of what the drive does.
    pub fn look_after_turns(&mut self, turns: u32) {
        self.turns_apart = turns;
    }
}

impl<H: Host> Drive<H> {
    /// Powers a new drive on.
    ///
    /// # Errors
    /// When the board's flash cannot hold this payload, or has too many bad blocks.
    pub fn new(board: &Board, options: Options, host: H) -> Result<Self, Unsuitable> {
        Drive::observed(board, options, (host, Unobserved))
    }
}

impl<H: Host, O: Observer, F: Software<O>> Drive<H, O, F> {
    /// Powers a new drive on, which the observer watches from then on.
    ///
    /// # Errors
    /// When the board's flash cannot hold this payload.
    pub fn observed(board: &Board, options: Options, ends: (H, O)) -> Result<Self, Unsuitable> {
        let Media(array) = Media::new(board, options)?;
        Drive::on(board, (options, array, Start::New), ends)
    }

    /// Powers a drive on whose chips are those of one before, which the observer watches from then on.
    ///
    /// # Errors
    /// When the board's flash cannot hold this payload.
    pub fn powered(
        board: &Board,
        (options, chips): (Options, Media),
        ends: (H, O),
    ) -> Result<Self, Unsuitable> {
        Drive::on(board, (options, chips.0, Start::Again), ends)
    }

    fn on(
        board: &Board,
        (options, array, start): (Options, Array<Filled>, Start),
        (host, observer): (H, O),
    ) -> Result<Self, Unsuitable> {
        let mut body = Body::new(board, (options, array), (Box::new(host), observer));
        let config = offered(board, options.payload);
        let firmware = F::power_on(board, (&config, start), &mut body)?;
        Ok(Drive::made(firmware, body))
    }

    /// Cuts the power now. A board with a capacitor saves what it can until that is used up. What chips were doing then
    /// is cut off, and all memory but theirs forgets.
    pub fn cut_power(mut self) -> (Media, H, O) {
        self.firmware.lose_power(&mut self.body);
        let Body { array, host, observer, .. } = self.body;
        (Media(array), taken(host), observer)
    }

    /// Runs the firmware until the condition holds. It is looked at after each turn of the main loop in which the host was told
    /// something, and now and then besides.
    pub fn run(&mut self, until: impl FnMut(&H) -> bool) -> Stopped {
        self.run_to(NEVER, until)
    }

    /// As [`Drive::run`], but also stops after the first turn that ends at `due_ps` or later. Where
    /// it stops changes nothing in what the drive does: idle turns are skipped up to that time and
    /// then beyond it, and the sum is the same.
    pub fn run_to(&mut self, due_ps: u64, mut until: impl FnMut(&H) -> bool) -> Stopped {
        let apart = self.turns_apart;
        self.run_until(due_ps, Until::Host(&mut |host| until(host.of()), apart))
    }

    /// As [`Drive::run_to`], for so many turns of the main loop; [`Stopped::Host`] says that they are over.
    pub fn run_turns(&mut self, due_ps: u64, turns: u32) -> Stopped {
        self.run_until(due_ps, Until::Turns(turns))
    }

    fn run_until(&mut self, due_ps: u64, until: Until<'_>) -> Stopped {
        (self.body.due, self.body.told) = (due_ps, true);
        let stopped = self.firmware.run(&mut self.body, until);
        self.body.due = NEVER;
        stopped
    }

    /// The firmware, for its counters and state.
    pub fn firmware(&self) -> Inspection<'_> {
        self.firmware.inspect(&self.body)
    }
}

impl<H: Host, O: Observer> Drive<H, O> {
    /// Brings a drive that has done nothing yet into a state, at once. Returns the overwrites that
    /// [`Precondition::Steady`] took.
    pub fn precondition(&mut self, state: Precondition) -> u64 {
        match self.precondition_watched(state, &mut |_| ControlFlow::Continue(())) {
            ControlFlow::Continue(overwrites) => overwrites,
            ControlFlow::Break(()) => unreachable!("nobody breaks it off"),
        }
    }

    /// As [`Drive::precondition`]; `watch` is told now and then how far it has come, and may break it
    /// off, which leaves a drive of no use.
    pub fn precondition_watched(
        &mut self,
        state: Precondition,
        watch: &mut dyn FnMut(Preconditioned) -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        let Drive { firmware, body, .. } = self;
        if let BoardFirmware::Memory(_) = firmware {
            // Whatever the order of writes, all is there once.
            if state != Precondition::None {
                body.buffer.set_untouched(Untouched::Fresh);
            }
            return ControlFlow::Continue(0);
        }
        Wanted { state, watch }.brought(firmware, &mut body.array)
    }
}

/// The state that a drive over flash is to be brought into, and who is told how far it has come.
struct Wanted<'w> {
    state: Precondition,
    watch: &'w mut dyn FnMut(Preconditioned) -> ControlFlow<()>,
}

impl Wanted<'_> {
    fn brought(
        self,
        firmware: &mut BoardFirmware,
        array: &mut Array<Filled>,
    ) -> ControlFlow<(), u64> {
        let Wanted { state, watch } = self;
        let (media, watch) = (&mut Chips(array), &mut |at| watch(at));
        match firmware {
            BoardFirmware::Phases(firmware) => firmware.precondition(state, media, watch),
            BoardFirmware::Cores(firmware) => firmware.precondition(state, media, watch),
            BoardFirmware::Operations(firmware) => firmware.precondition(state, media, watch),
            BoardFirmware::Chunks(_)
            | BoardFirmware::ChunkOperations(_)
            | BoardFirmware::Zones(_)
            | BoardFirmware::ZoneOperations(_)
            | BoardFirmware::Memory(_) => {
                assert_eq!(state, Precondition::None, "chunks and zones are for the host to write");
                ControlFlow::Continue(0)
            }
        }
    }
}

impl<H, O> Drive<H, O> {
    /// Has victims of collection be chosen by something outside of the firmware from now on, or by the board's policy, which
    /// begins anew. Firmware that collects nothing asks nobody.
    pub fn choose_victims(&mut self, by: Option<Box<dyn Chooser>>) {
        self.firmware.choose_victims(by);
    }
}

impl<H: Host, O: Observer, F> Drive<H, O, F> {
    /// A drive whose image was just made is as it is to be: what its chips hold by now is the image.
    ///
    /// # Errors
    /// When the image cannot be written.
    pub fn seal_image(&mut self) -> Result<(), ImageError> {
        match self.body.array.image() {
            None => Ok(()),
            Some(image) => {
                image.note_opened();
                image.seal()
            }
        }
    }

    /// Hands all that the image holds by now to the disk.
    ///
    /// # Errors
    /// When the image cannot be written.
    pub fn sync_image(&self) -> Result<(), ImageError> {
        self.body.array.image().map_or(Ok(()), |image| image.sync())
    }

    /// Why what the chips are told is not kept any more, if their image could not be written. The drive
    /// does nothing since.
    pub fn image_fault(&self) -> Option<ImageError> {
        self.body.array.image().and_then(|image| image.fault())
    }

    /// The drive's time in picoseconds.
    pub fn now(&self) -> u64 {
        self.body.now()
    }

    /// The host that the drive is linked to, to be looked at.
    pub fn host(&self) -> &H {
        self.body.host.of()
    }

    /// The host, to be changed while nothing runs.
    pub fn host_mut(&mut self) -> &mut H {
        self.body.host.of_mut()
    }

    /// The host alone; the drive is given up.
    pub fn into_host(self) -> H {
        taken(self.body.host)
    }

    /// Whoever is told of the steps of commands and hardware, to be changed.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.body.observer
    }

    /// Wakes the host now.
    pub fn wake_host(&mut self) {
        self.body.catch_up();
        let now = self.body.now();
        self.body.wake_host(now, Wake::Timer);
    }

    /// Lets the host act on the registers now, once all has happened that happens until now: what it writes
    /// comes after what it wrote before.
    pub fn registers<T>(&mut self, act: impl FnOnce(&mut H, &mut Registers<'_>) -> T) -> T {
        self.body.catch_up();
        let now = self.body.now();
        (self.body.quiet, self.body.promised) = (false, 0);
        let mut registers = Registers::new(&mut self.body.interface, now);
        act(self.body.host.of_mut(), &mut registers)
    }

    /// Whether the host keeps its I/O doorbells in its memory, and somebody has to look there.
    pub fn has_doorbell_buffers(&self) -> bool {
        self.body.interface.has_doorbell_buffers()
    }

    /// Looks at the I/O doorbells that the host keeps in its memory; calls `rung` with offset in BAR 0
    /// and value of each that has changed.
    pub fn look_at_doorbells(&mut self, rung: impl FnMut(u64, u32)) {
        let Body { interface, host, .. } = &mut self.body;
        interface.look_at_doorbells(host.any_memory(), rung);
    }

    /// Asks the host to write doorbell registers too: nobody will look at its memory for a while. What
    /// it wrote just before has to be looked at once more.
    pub fn ask_for_doorbells(&mut self) {
        let Body { interface, host, .. } = &mut self.body;
        interface.ask_for_doorbells(host.any_memory());
    }

    /// The earliest time at which the firmware has something to do, in picoseconds; not later than now
    /// while it is busy, and [`NEVER`] if all waits for the host. Who runs a drive in real time need not
    /// run it before.
    pub fn next_change(&self) -> u64 {
        self.body.change.min(self.body.interface.change())
    }

    /// Chips that hang: they stay busy until they are reset.
    pub fn hung_chips(&self) -> u32 {
        self.body.array.hung(self.body.now())
    }

    /// Has the chip of a die, by index, hang at the next thing that it is told.
    pub fn hang_chip(&mut self, die: u32) {
        self.body.array.hang(die);
    }

    /// Has the next program of a page of data go astray that the chip of a die, by index, is told.
    ///
    /// # Panics
    /// If the chips are in an image, keep no metadata, or program in passes.
    pub fn send_astray(&mut self, die: u32, to: Astray, faults: FaultsOfPage) {
        self.body.array.send_astray(die, to, faults);
    }

    /// Has the next page of the firmware's log be lost that the chip of a die, by index, is told to program.
    ///
    /// # Panics
    /// As [`send_astray`](Self::send_astray).
    pub fn lose_log_page(&mut self, die: u32) {
        self.body.array.lose_log_page(die);
    }

    /// Pages of the log that were lost so.
    pub fn log_pages_lost(&self) -> u64 {
        self.body.array.log_pages_lost()
    }

    /// Mapping units whose data may be lost because a program went astray; some more than once.
    pub fn hit_by_strays(&self) -> &[Lpn] {
        self.body.array.hit_by_strays()
    }

    /// What the host interface ran without firmware since power-on.
    pub fn automated(&self) -> AutomatedTraffic {
        self.body.interface.automated_traffic()
    }

    /// What the hardware has done by now. Reading it takes no virtual time.
    pub fn usage(&self) -> Usage {
        self.body.usage()
    }
}

/// The host that sat here.
fn taken<H: Host>(host: Seat) -> H {
    let host: Box<dyn Any> = host;
    *host.downcast().expect("the host is of the kind that the drive was given")
}

/// The firmware's configuration, with the block formats that the payload can tell apart: a stamp
/// stands for a whole block, and none for part of one.
fn offered(board: &Board, payload: Payload) -> Configuration {
    let mut config = board.firmware.clone();
    if let Payload::Stamps { block_bytes } = payload {
        let in_use = config.block_formats[usize::from(config.block_format)];
        let mut formats = config.block_formats;
        formats.sort_by_key(|&bytes| (bytes < block_bytes, bytes != in_use));
        config.block_formats = formats.map(|bytes| if bytes < block_bytes { 0 } else { bytes });
        config.block_format = 0;
    }
    config
}
