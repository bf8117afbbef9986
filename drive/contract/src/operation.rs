//! What the firmware tells of its operations, so that a body can say what a command waits for.

use crate::CommandTag;

/// An operation of the firmware: a flash operation, a DMA, or work on buffer memory. The number is
/// free for another as soon as it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct OperationId(pub u32);

/// What an operation needs, apart from the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Needs {
    /// A die, by its index `way * channels + channel`.
    Die(u32),
    /// The engine that moves data between host memory and the drive's memory.
    DmaEngine,
    /// Nothing: the processor does it.
    Processor,
}

/// A step in the life of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationStep {
    /// It is planned, on behalf of a command or on the drive's own.
    Planned {
        /// The command that the operation is for; none if the drive does it for itself.
        command: Option<CommandTag>,
        /// What it is to be done on.
        needs: Needs,
    },
    /// No operation on its buffer entry comes before it any more.
    Released {
        /// The operation that ended just now; none if no operation came before it from the start.
        by: Option<OperationId>,
    },
    /// It stands first in its die's queue. An operation that was not handed over yet may have to give way to
    /// another, and be first again.
    First {
        /// Index of the die, `way * channels + channel`.
        die: u32,
    },
    /// The processor turns to it, to do it or to hand it or its next phase to hardware.
    Picked,
    /// It is handed to hardware for the first time.
    Begun,
    /// The processor turns to its answer.
    Answered,
    /// It has ended, and the firmware knows.
    Ended,
}
