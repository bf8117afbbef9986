//! Operations: what a slice, a collection or a flush is made of. The FTL plans them, the scheduler does
//! them, and both know each other by them only.
//!
//! They live in one [`pool`], and wait in the queues of one [`station`]. What has ended, and ways that halt
//! because an operation failed, stand there until the FTL takes them.

mod apart;
mod control;
mod halted;
pub mod moved;
pub mod pool;
pub mod station;
mod suspended;

use contract::{BufferId, CommandTag, Completer, Lpn, Needs, Span};

pub use control::ControlTransfer;
pub use pool::{Chain, Fifo, OpId, Pool};
pub use station::{Met, Station};

use crate::nvme::backend::IoOutcome;

/// A physical page: the way by die index (`way * channels + channel`), and the row in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Page {
    /// Die index.
    pub die: u32,
    /// Row in the way.
    pub row: u32,
}

/// Where a mapping unit is: its page, and which of the page's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Place {
    /// The physical page that holds the unit.
    pub page: Page,
    /// The unit of it, from 0.
    pub unit: u8,
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Ended {
    /// As it should.
    Well,
    /// Not done.
    Failed(IoOutcome),
}

/// For whom an operation is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Owner {
    /// The drive itself.
    Drive,
    /// A command, as a step towards something else.
    Step(CommandTag),
    /// A command that waits for it.
    Counts(CommandTag),
}

impl Owner {
    /// The command that the operation is done for; none where the drive does it for itself.
    pub const fn command(self) -> Option<CommandTag> {
        match self {
            Owner::Drive => None,
            Owner::Step(tag) | Owner::Counts(tag) => Some(tag),
        }
    }
}

/// An operation on the flash. It stands in the queue of its way from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Flash {
    /// The page; any page of the block for an erase.
    pub page: Page,
    /// The task that is done there.
    pub task: Task,
    /// How far it has come.
    pub stage: Stage,
    /// How far it has come with the flash pages that it moves, where the firmware schedules.
    pub turns: Turns,
    /// It can only fail: its page is lost. It keeps its place in the way's queue all the same.
    pub doomed: bool,
}

/// How far an operation has come that moves flash pages one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Turns {
    /// Flash pages that it is done with.
    pub done: u8,
    /// One of these flash pages could not be read.
    pub spoilt: bool,
}

/// How far an operation on the flash has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Stage {
    /// It was not handed to the hardware yet.
    New,
    /// It was, and may have come back without being done.
    Begun,
    /// It was, and the hardware told that it failed. Its block is to be replaced.
    Failed,
}

/// A number of 64 bits that fits where numbers of 32 bits do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Sequence([u32; 2]);

impl Sequence {
    /// From the number.
    pub const fn new(number: u64) -> Self {
        Sequence([number as u32, (number >> 32) as u32])
    }

    /// The number.
    pub const fn get(self) -> u64 {
        (self.0[1] as u64) << 32 | self.0[0] as u64
    }
}

/// Least tries again of a page that recovery cannot read.
const PROBE_RETRIES: u32 = 8;

/// The task of an operation on a flash page or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Task {
    /// Flash page, or a part of it, to buffer entries: trigger and transfer.
    Read {
        /// The entry of its first mapping unit; those of others are [`Joined`].
        entry: BufferId,
        /// What of the page is read, each unit of it to the same place in its entry.
        part: Span,
        /// The logical page that is to be there.
        lpn: Lpn,
        /// How often it failed so far.
        retries: u8,
        /// Which unit of the page goes to the entry.
        unit: u8,
        /// That unit turned out to be lost, though others of the operation did not.
        lost: bool,
    },
    /// Buffer entries to flash page.
    Program {
        /// The entry of the first mapping unit; those of others are [`Joined`].
        entry: BufferId,
        /// The logical page.
        lpn: Lpn,
        /// The flush epoch of host data; none for a page that collection moves.
        epoch: Option<u32>,
        /// The data that are written are lost, and the spare area is to say so.
        lost: bool,
        /// When it was planned.
        sequence: Sequence,
    },
    /// The block.
    Erase,
    /// Flash page to an entry for pages of the log, whatever it holds.
    Probe {
        /// Entry of the buffer memory that gets the page.
        entry: BufferId,
        /// How often it failed so far.
        retries: u8,
    },
    /// The first page of a block, of which nothing but the factory's mark is wanted, to an entry of the data buffer.
    Mark {
        /// Entry of the buffer memory that gets the page.
        entry: BufferId,
        /// How often it failed so far.
        retries: u8,
    },
    /// Entry for pages of the log to flash page.
    Log {
        /// Entry of the buffer memory that holds the page.
        entry: BufferId,
        /// Place of the page in the log.
        position: Sequence,
    },
    /// The block, which is one of the log's.
    Wipe,
}

/// Data of a command, between host memory and a buffer entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Data {
    /// Entry of the data buffer that the data come from or go to.
    pub entry: BufferId,
    /// Bytes of it.
    pub span: Span,
    /// Byte in the command's data.
    pub host_offset: u32,
    /// Bytes of the command's whole data.
    pub command_bytes: u32,
    /// Who completes the command once they have moved.
    pub completer: Completer,
}

/// A transfer to or from host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Dma {
    /// The control page.
    Control(ControlTransfer),
    /// Buffer entry to host memory.
    ToHost(Data),
    /// Host memory to buffer entry.
    FromHost {
        /// The data that are moved.
        data: Data,
        /// What its entry gets when the data do not arrive, unless that is what it holds.
        replaced: Option<Replaced>,
    },
}

/// A page all of which is about to be replaced, in an entry that holds another page's data, which
/// nobody may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Replaced {
    /// The page.
    pub lpn: Lpn,
    /// What it holds.
    pub former: Former,
}

/// What a page holds that data from the host are about to replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Former {
    /// Nothing.
    Zeroes,
    /// Data that are lost.
    Lost,
    /// Data in flash at `page`, whose block was erased so often when the operation was planned.
    InFlash {
        /// Where.
        page: Page,
        /// Which unit of the page.
        unit: u8,
        /// Erases of its block.
        erases: u32,
    },
}

/// What the processor does with a part of a buffer entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Touch {
    /// Entry of the data buffer that is filled, compared or copied to.
    pub entry: BufferId,
    /// Bytes of it.
    pub span: Span,
    /// What it does.
    pub deed: Deed,
}

/// What the processor does itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Deed {
    /// Fills it with zeroes.
    Zero,
    /// Compares it with the compare entry, which holds the host's bytes.
    Compare,
    /// Copies it from an entry that holds the host's bytes, if they have arrived.
    Copy {
        /// That entry.
        from: BufferId,
    },
    /// Sees that its data are there.
    Look,
}

/// A further mapping unit of the page that an operation on the flash moves. It stands for that operation in the chain
/// of its own entry: the operation does not begin before the chain has come to it, and ends for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Joined {
    /// The operation.
    pub with: OpId,
    /// Entry of the data buffer that this mapping unit comes from or goes to.
    pub entry: BufferId,
    /// The logical page.
    pub lpn: Lpn,
    /// Which unit of the page.
    pub unit: u8,
    /// Its data are lost.
    pub lost: bool,
    /// Collection moves it.
    pub moved: bool,
    /// By how much it was planned before the operation: other than 0 where it is saved when the power went away.
    pub age: u32,
}

/// What an operation does, by what does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Action {
    /// A die.
    Flash(Flash),
    /// The DMA engine.
    Dma(Dma),
    /// The processor.
    Touch(Touch),
    /// A die, as a part of another operation.
    Joined(Joined),
}

/// What a slot of the station holds: a piece of work, and for whom it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Operation {
    /// For whom it is done.
    pub owner: Owner,
    /// What it does.
    pub action: Action,
}

// One for each of thousands of slots, and copied on the way.
const _: () = assert!(size_of::<Operation>() <= 48);

impl Operation {
    /// A read of a part of a page, the first unit of which, at `place`, goes into an entry.
    pub const fn read(
        owner: Owner,
        place: Place,
        (entry, lpn, part): (BufferId, Lpn, Span),
    ) -> Self {
        let Place { page, unit } = place;
        let read = Task::Read { entry, part, lpn, retries: 0, unit, lost: false };
        Operation::flash(owner, page, read)
    }

    /// Something on the flash.
    pub const fn flash(owner: Owner, page: Page, task: Task) -> Self {
        let flash = Flash {
            page,
            task,
            stage: Stage::New,
            turns: Turns { done: 0, spoilt: false },
            doomed: false,
        };
        Operation { owner, action: Action::Flash(flash) }
    }

    /// What it needs, apart from the processor.
    pub fn needs(&self) -> Needs {
        match self.action {
            Action::Flash(Flash { page, .. }) => Needs::Die(page.die),
            Action::Dma(_) => Needs::DmaEngine,
            Action::Touch(_) | Action::Joined(_) => Needs::Processor,
        }
    }

    /// The buffer entry that it reads or fills, if it does.
    pub const fn entry(&self) -> Option<BufferId> {
        match self.action {
            Action::Flash(Flash { task, .. }) => task.entry(),
            Action::Dma(Dma::Control(_)) => None,
            Action::Dma(Dma::ToHost(data) | Dma::FromHost { data, .. }) => Some(data.entry),
            Action::Touch(Touch { entry, .. }) | Action::Joined(Joined { entry, .. }) => {
                Some(entry)
            }
        }
    }

    /// What it does on the flash, if it does.
    #[inline]
    pub const fn on_flash(&self) -> Option<&Flash> {
        match &self.action {
            Action::Flash(flash) => Some(flash),
            Action::Dma(_) | Action::Touch(_) | Action::Joined(_) => None,
        }
    }

    /// Whether it moves the control page.
    pub const fn is_of_control(&self) -> bool {
        matches!(self.action, Action::Dma(Dma::Control(_)))
    }

    /// Whether it does something on the flash, or stands for a unit of one that does.
    pub const fn is_for_flash(&self) -> bool {
        matches!(self.action, Action::Flash(_) | Action::Joined(_))
    }

    /// The same, to be changed.
    #[inline]
    pub fn on_flash_mut(&mut self) -> Option<&mut Flash> {
        match &mut self.action {
            Action::Flash(flash) => Some(flash),
            Action::Dma(_) | Action::Touch(_) | Action::Joined(_) => None,
        }
    }

    /// The entry that it uses beside its own, if it does; `compare` is the one for compares.
    pub const fn second_entry(&self, compare: BufferId) -> Option<BufferId> {
        match self.action {
            Action::Touch(Touch { deed: Deed::Compare, .. }) => Some(compare),
            Action::Touch(Touch { deed: Deed::Copy { from }, .. }) => Some(from),
            _ => None,
        }
    }
}

impl Task {
    /// The entry of the data buffer that it reads or fills, if it does.
    pub const fn entry(&self) -> Option<BufferId> {
        match *self {
            Task::Read { entry, .. } | Task::Program { entry, .. } => Some(entry),
            Task::Erase
            | Task::Probe { .. }
            | Task::Mark { .. }
            | Task::Log { .. }
            | Task::Wipe => None,
        }
    }

    /// Whether it is a read that may be tried again if it fails: `most` times, but for recovery at least
    /// [`PROBE_RETRIES`] times, since what it cannot read is lost.
    pub fn may_be_tried_again(&self, most: u32) -> bool {
        match *self {
            Task::Read { retries, .. } | Task::Mark { retries, .. } => u32::from(retries) < most,
            Task::Probe { retries, .. } => u32::from(retries) < most.max(PROBE_RETRIES),
            _ => false,
        }
    }

    /// How often it was tried before, if it reads.
    pub const fn retries(&self) -> Option<u8> {
        match *self {
            Task::Read { retries, .. }
            | Task::Probe { retries, .. }
            | Task::Mark { retries, .. } => Some(retries),
            _ => None,
        }
    }

    /// It is tried again.
    pub fn try_again(&mut self) {
        if let Task::Read { retries, .. }
        | Task::Probe { retries, .. }
        | Task::Mark { retries, .. } = self
        {
            *retries += 1;
        }
    }

    /// Another flash page is read, which was not tried before.
    pub fn try_next(&mut self) {
        if let Task::Read { retries, .. }
        | Task::Probe { retries, .. }
        | Task::Mark { retries, .. } = self
        {
            *retries = 0;
        }
    }

    /// Whether it reads.
    pub const fn reads(&self) -> bool {
        matches!(self, Task::Read { .. } | Task::Probe { .. } | Task::Mark { .. })
    }

    /// Whether it is done for the log.
    pub const fn is_of_log(&self) -> bool {
        matches!(self, Task::Log { .. } | Task::Wipe)
    }
}
