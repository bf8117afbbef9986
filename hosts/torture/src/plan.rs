//! A round before it is run, as data: a drive, and all that its host does to it. A seed decides it, a file can
//! hold it, and what is taken out of it leaves a plan that can be run.

use board::Board;
use contract::Medium;
use serde::{Deserialize, Serialize};

use crate::sizes::BLOCK;

/// Logical blocks of a drive.
pub fn logical_blocks(board: &Board) -> u64 {
    let page_bytes = u64::from(board.firmware.geometry.page_bytes);
    u64::from(board.firmware.logical_pages) * page_bytes / BLOCK
}

/// Logical blocks of a mapping unit.
pub fn unit_blocks(board: &Board) -> u64 {
    let bytes = match board.firmware.medium {
        Medium::Flash => board.firmware.unit_bytes,
        Medium::Memory => board.firmware.geometry.page_bytes,
    };
    u64::from(bytes) / BLOCK
}

/// A round: a drive, and what its host does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The board whose values the drive has, but for `values`: a built-in one or a file.
    pub board: String,
    /// Keys of a board, each with its value.
    pub values: Vec<(String, String)>,
    /// How the drive keeps its data.
    pub data: Data,
    /// What the drive holds at first.
    pub start: Start,
    /// What the host does, one after the other.
    pub steps: Vec<Step>,
}

/// How a drive keeps its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Data {
    /// As a stamp for each block. Errors are drawn.
    Stamps,
    /// As bytes, which are scrambled, encoded, spoilt bit by bit, and decoded.
    Bytes,
}

/// What a drive holds at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Nothing.
    Empty,
    /// Data in every block.
    Full,
}

/// A step of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Puts commands on an I/O queue and rings its doorbell once.
    Submit {
        /// The queue, from 1 on.
        queue: u16,
        /// What is put there, as far as there is room.
        commands: Vec<Command>,
    },
    /// Asks for a command of a queue to be aborted.
    Abort {
        /// Identifier of the command's queue, from 1 on.
        queue: u16,
        /// The command's identifier, whether it is in flight or not.
        cid: u16,
    },
    /// Writes a value to a doorbell that no queue of this size can have.
    RingWrongly {
        /// The doorbell's number, from the first of the admin queue's two on.
        doorbell: u16,
        /// What is written.
        value: u32,
    },
    /// Clears CC.EN and brings the controller up again.
    Reset,
    /// Deletes an I/O queue pair with what is in flight there, and creates it again.
    DeleteQueue {
        /// The pair.
        queue: u16,
    },
    /// Switches the volatile write cache, off if it is on.
    SwitchCache,
    /// Formats the namespace, and goes on while that is under way.
    Format,
    /// Waits until the drive is quiet, and goes on with a drive that was read from what this one was written to.
    SaveAndRestore,
    /// Cuts the power, and powers the drive on a long time later.
    Shelve {
        /// How much later.
        hours: u32,
    },
    /// Has the next program of data go astray that a chip is told.
    SendAstray {
        /// The chip, counted over all dies of the drive and on from the first one.
        die: u32,
        /// Where it goes.
        to: Stray,
    },
    /// On a drive whose host places its data: sends vector commands, and checks all chunks behind them.
    UseChunks {
        /// Decides the commands.
        seed: u64,
        /// How many.
        commands: u32,
        /// Commands under way at most.
        depth: usize,
    },
    /// Lets the drive run for so many picoseconds.
    Run {
        /// How long.
        ps: u64,
    },
    /// Lets the drive run until nothing is left to do.
    RunUntilQuiet,
    /// Cuts the power, and powers the drive on.
    CutPower {
        /// How long after each power-on the power is cut again, in picoseconds.
        again_after_ps: Vec<u64>,
    },
}

impl Step {
    /// Whether it needs the admin queue to itself.
    pub fn is_admin(&self) -> bool {
        match self {
            Step::Abort { .. } | Step::DeleteQueue { .. } | Step::SwitchCache => true,
            Step::Format | Step::SaveAndRestore => true,
            Step::Submit { .. } | Step::RingWrongly { .. } | Step::Run { .. } => false,
            Step::RunUntilQuiet | Step::Reset | Step::SendAstray { .. } => false,
            Step::CutPower { .. } | Step::Shelve { .. } | Step::UseChunks { .. } => false,
        }
    }

    /// Whether the power goes away in it.
    pub fn takes_power(&self) -> bool {
        matches!(self, Step::CutPower { .. } | Step::Shelve { .. })
    }
}

/// Where a program goes in place of its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stray {
    /// To no page: it is lost.
    Nowhere,
    /// So many pages further in its block, or back.
    Page(i32),
    /// So many blocks further on its chip.
    Block(u32),
    /// To no page, and it is one of the drive's log.
    Log,
}

/// A command of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// What it does.
    pub act: Act,
    /// Its first logical block.
    pub lba: u64,
    /// Its logical blocks, from 1 to [`LONGEST`].
    pub blocks: u64,
    /// Forced unit access.
    pub fua: bool,
    /// Where its data are.
    pub pointer: Pointer,
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Reads, and has the oracle check what comes.
    Read,
    /// Writes what was never written before.
    Write,
    /// Has the drive write the zeroes (Write Zeroes).
    WriteZeroes,
    /// Gives the blocks up (Dataset Management, AD).
    Deallocate,
    /// Flushes.
    Flush,
    /// Compares with what the blocks hold, where that is settled; otherwise flushes. The data differ in the block
    /// of this number, if any.
    Compare(Option<u64>),
    /// Has the drive read the blocks for itself (Verify).
    Verify,
    /// Reads with an entry that no drive may take.
    Malformed(Malformation),
}

/// What is wrong with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Malformation {
    /// An opcode that there is not.
    Opcode,
    /// A namespace that there is not.
    Namespace,
    /// Blocks behind the last.
    Range,
    /// Blocks whose sum of start and count does not fit 64 bits.
    Overflow,
    /// A fused operation.
    Fused,
    /// A scatter gather list.
    Sgl,
    /// More data than the largest transfer.
    TooLong,
}

/// Where a command's data are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pointer {
    /// Where they should be.
    Sound,
    /// The first page is outside of host memory.
    Outside,
    /// The list is outside of host memory, or the second page where there is no list.
    ListOutside,
    /// An entry in the middle of the list is outside of host memory.
    EntryOutside,
    /// The address is no multiple of 4.
    Misaligned,
}

impl Plan {
    /// Commands of all steps.
    pub fn commands(&self) -> usize {
        let of = |step: &Step| match step {
            Step::Submit { commands, .. } => commands.len(),
            Step::UseChunks { commands, .. } => *commands as usize,
            _ => 0,
        };
        self.steps.iter().map(of).sum()
    }
}
