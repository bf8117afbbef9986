//! Operations: what a slice, a collection or a flush is made of. The FTL plans them, the scheduler does
//! them, and both know each other by them only.
//!
//! They live in one [`pool`], and wait in the queues of one [`station`]. What has ended, and ways that halt
//! because an operation failed, stand there until the FTL takes them.

pub mod pool;
pub mod station;

use contract::{BufferId, CommandTag, Lpn, Needs};

pub use pool::{Chain, Fifo, OpId, Pool};
pub use station::Station;

use crate::nvme::backend::IoOutcome;

/// A physical page: the way by die index (`way * channels + channel`), and the row in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Die index.
    pub die: u32,
    /// Row in the way.
    pub row: u32,
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// As it should.
    Well,
    /// Not done.
    Failed(IoOutcome),
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Host memory to buffer entry.
    FromHost,
    /// Buffer entry to host memory.
    ToHost,
    /// Control page, in the direction that the command asked for.
    ControlFromHost,
    /// As above, to the host.
    ControlToHost,
    /// Flash page to buffer entry: trigger and transfer.
    Read,
    /// Buffer entry to flash page.
    Program,
    /// Block of the page.
    Erase,
    /// Zeroes to buffer entry.
    Zero,
    /// Compare entry holds the host's bytes; check them against the buffer entry.
    Compare,
}

impl Kind {
    /// Whether it goes to a way's queue.
    pub const fn is_flash(self) -> bool {
        matches!(self, Kind::Read | Kind::Program | Kind::Erase)
    }
}

/// What the end of an operation means to somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A step towards something else.
    Step,
    /// One of the operations that its command waits for.
    Counts,
}

/// Bytes of a mapping unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub offset: u32,
    /// Bytes.
    pub length: u32,
}

/// What a page holds that data from the host are about to replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Former {
    /// What the entry holds: it is the page's already.
    Kept,
    /// Nothing. The entry holds another page's data, which nobody may see, as in the cases below.
    Zeroes,
    /// Data that are lost.
    Lost,
    /// Data in flash at `page`, whose block was erased so often when the operation was planned.
    InFlash {
        /// Where.
        page: Page,
        /// Erases of its block.
        erases: u32,
    },
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What it does.
    pub kind: Kind,
    /// Entry it reads or fills.
    pub entry: BufferId,
    /// Flash page, for flash operations.
    pub page: Page,
    /// Logical page.
    pub lpn: Lpn,
    /// Bytes of the entry, for the others.
    pub span: Span,
    /// Byte in the command's data, for DMA.
    pub host_offset: u32,
    /// Command on whose behalf it is done; `None` for collection.
    pub command: Option<CommandTag>,
    /// Whether the command waits for it.
    pub meaning: Meaning,
    /// Flush epoch of a program of host data.
    pub epoch: Option<u32>,
    /// Reads that failed so far.
    pub retries: u32,
    /// It was issued before.
    pub begun: bool,
    /// What its entry gets when the host's data do not arrive.
    pub former: Former,
    /// What a program writes are lost data, and the spare area is to say so.
    pub lost: bool,
    /// Bytes of its command's whole data, for DMA.
    pub command_bytes: u32,
    /// It can only fail: its page is lost. It keeps its place in the way's queue all the same.
    pub doomed: bool,
}

impl Operation {
    /// What it needs, apart from the processor.
    pub fn needs(&self) -> Needs {
        match self.kind {
            Kind::Read | Kind::Program | Kind::Erase => Needs::Die(self.page.die),
            Kind::FromHost | Kind::ToHost | Kind::ControlFromHost | Kind::ControlToHost => {
                Needs::DmaEngine
            }
            Kind::Zero | Kind::Compare => Needs::Processor,
        }
    }

    /// A step on `entry` for `lpn`.
    pub fn new(kind: Kind, entry: BufferId, lpn: Lpn) -> Self {
        Operation {
            kind,
            entry,
            page: Page { die: 0, row: 0 },
            lpn,
            span: Span { offset: 0, length: 0 },
            host_offset: 0,
            command: None,
            meaning: Meaning::Step,
            epoch: None,
            retries: 0,
            begun: false,
            former: Former::Kept,
            lost: false,
            command_bytes: 0,
            doomed: false,
        }
    }
}
