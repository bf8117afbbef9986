//! What an observer of the body is told.
//!
//! Every method does nothing unless the observer says otherwise, so a drive that nobody observes
//! ([`Unobserved`]) has no trace of this in its code. All others are [`Watched`]. An observer cannot change a run: it is told
//! of times that are settled.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{
    CommandTag, DmaDirection, DmaProgress, FlashOperation, FlashRequest, HostCommand, Module, Pass,
};

/// A span of virtual time, in picoseconds since power-on. The end does not belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct TimeSpan {
    /// Its first moment.
    pub start: u64,
    /// The moment at which it is over.
    pub end: u64,
}

/// A phase of a flash operation that holds a channel's bus or keeps a chip busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashPhase {
    /// The phase.
    pub operation: FlashOperation,
    /// Channel of the bus or of the chip, from 0.
    pub channel: u8,
    /// Way of the channel.
    pub way: u8,
    /// Row of the chip: block and page.
    pub row: u32,
    /// Command on whose behalf it is, if any.
    pub command: Option<CommandTag>,
    /// When.
    pub span: TimeSpan,
}

impl FlashPhase {
    /// The phase that `request` asks for, from `start` to `end`.
    #[inline]
    pub fn new(request: &FlashRequest, (start, end): (u64, u64)) -> Self {
        let FlashRequest { operation, location, command, .. } = *request;
        let span = TimeSpan { start, end };
        let (channel, way, row) = (location.channel, location.way, location.row);
        FlashPhase { operation, channel, way, row, command, span }
    }
}

/// Data that move over the host link for one DMA request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaTransfer {
    /// Command that the data belong to.
    pub command: CommandTag,
    /// Which way.
    pub direction: DmaDirection,
    /// Bytes that move.
    pub bytes: u32,
    /// When they move. The end is seen by the firmware after a further latency.
    pub span: TimeSpan,
}

/// A step in the life of host commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandStep<'a> {
    /// A submission queue's doorbell reached the controller: entries up to `tail` are submitted.
    Rung {
        /// Submission queue.
        queue: u16,
        /// Its new tail.
        tail: u32,
    },
    /// An entry was fetched.
    Fetched {
        /// The slot that the command has from now on.
        tag: CommandTag,
        /// Submission queue.
        queue: u16,
        /// The queue's head behind the entry.
        head: u32,
    },
    /// The firmware reads the command from the host command queue, or the host interface runs it.
    Taken(&'a HostCommand),
    /// The firmware hands the completion over. It does not for a command that the host interface runs.
    Completed(CommandTag),
    /// The completion is in host memory; the tag is free.
    Posted(CommandTag),
}

/// What the firmware learns of a command at the registers, or does for it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirmwareStep<'a> {
    /// It has read a command.
    Taken(&'a HostCommand),
    /// It begins to issue a DMA request of a command. Those of a direction end in their order.
    DmaIssued(CommandTag, DmaDirection),
    /// It has read how many DMA requests have ended since reset.
    DmaEnded(DmaProgress),
    /// It begins to hand a request to a flash channel, of a command or of none, with a tag that is its own on the way.
    FlashIssued(Option<CommandTag>, FlashTag),
    /// It has read the answer.
    FlashEnded(FlashTag),
    /// It begins to post a completion.
    Completed(CommandTag),
}

/// A request of a flash channel: channel, way, and its tag there; 0 where the firmware schedules.
pub type FlashTag = (u8, u8, u8);

/// Somebody who watches a body. Times are picoseconds of virtual time since power-on.
///
/// What is told of one bus, one way, one direction of DMA or the processor comes in order of time and
/// does not overlap. It is told when it is settled, which may be before it begins. What a chip does may end earlier than was
/// told, if the chip is told to suspend it: [`Observer::chip_stops`].
pub trait Observer {
    /// The host's first job starts at `now`.
    #[inline]
    fn jobs_begin(&mut self, now: u64) {
        let _ = now;
    }

    /// The processor works for a module of the firmware.
    #[inline]
    fn work(&mut self, module: Module, span: TimeSpan) {
        let _ = (module, span);
    }

    /// A turn of the main loop is over, and was of this kind.
    #[inline]
    fn pass(&mut self, pass: Pass) {
        let _ = pass;
    }

    /// A channel's bus carries a request.
    #[inline]
    fn bus(&mut self, phase: FlashPhase) {
        let _ = phase;
    }

    /// A chip reads its array, programs or erases, by itself.
    #[inline]
    fn chip(&mut self, phase: FlashPhase) {
        let _ = phase;
    }

    /// A chip stops at `at` with what it was told last to do by itself, before the end that was told. What is left of it
    /// is told when it goes on.
    #[inline]
    fn chip_stops(&mut self, channel: u8, way: u8, at: u64) {
        let _ = (channel, way, at);
    }

    /// A chip's page is ready, and waits until the bus takes it.
    #[inline]
    fn ready(&mut self, phase: FlashPhase) {
        let _ = phase;
    }

    /// Data move between host and buffer.
    #[inline]
    fn dma(&mut self, transfer: DmaTransfer) {
        let _ = transfer;
    }

    /// A command takes a step at `now`.
    #[inline]
    fn command(&mut self, now: u64, step: CommandStep<'_>) {
        let _ = (now, step);
    }

    /// An operation of a command goes on at `now` that has waited for its buffer entry: what came before it, for another
    /// command or for the drive itself, has ended. `chip` is the channel and way that it was done on; none if it needed no chip.
    #[inline]
    fn entry_freed(&mut self, now: u64, tag: CommandTag, chip: Option<(u8, u8)>) {
        let _ = (now, tag, chip);
    }

    /// The host interface runs a command by itself: from when it has its entry until it gives its completion, which may be
    /// told before.
    #[inline]
    fn by_itself(&mut self, command: &HostCommand, span: TimeSpan) {
        let _ = (command, span);
    }

    /// The firmware takes a step at `now`. Not told of commands that run without it.
    #[inline]
    fn firmware(&mut self, now: u64, step: FirmwareStep<'_>) {
        let _ = (now, step);
    }
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// Somebody who watches a drive, whoever it is: drives that are watched are compiled once for all of them.
pub type Watched<'o> = Box<dyn Observer + 'o>;

/// Whoever is behind a pointer to an observer is told in its place.
macro_rules! tells_another {
    ($pointer:ty) => {
        impl Observer for $pointer {
            fn jobs_begin(&mut self, now: u64) {
                (**self).jobs_begin(now);
            }

            fn work(&mut self, module: Module, span: TimeSpan) {
                (**self).work(module, span);
            }

            fn pass(&mut self, pass: Pass) {
                (**self).pass(pass);
            }

            fn bus(&mut self, phase: FlashPhase) {
                (**self).bus(phase);
            }

            fn chip(&mut self, phase: FlashPhase) {
                (**self).chip(phase);
            }

            fn chip_stops(&mut self, channel: u8, way: u8, at: u64) {
                (**self).chip_stops(channel, way, at);
            }

            fn ready(&mut self, phase: FlashPhase) {
                (**self).ready(phase);
            }

            fn dma(&mut self, transfer: DmaTransfer) {
                (**self).dma(transfer);
            }

            fn command(&mut self, now: u64, step: CommandStep<'_>) {
                (**self).command(now, step);
            }

            fn entry_freed(&mut self, now: u64, tag: CommandTag, chip: Option<(u8, u8)>) {
                (**self).entry_freed(now, tag, chip);
            }

            fn by_itself(&mut self, command: &HostCommand, span: TimeSpan) {
                (**self).by_itself(command, span);
            }

            fn firmware(&mut self, now: u64, step: FirmwareStep<'_>) {
                (**self).firmware(now, step);
            }
        }
    };
}

tells_another!(&mut (dyn Observer + '_));
tells_another!(Watched<'_>);
