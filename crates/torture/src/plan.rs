//! A round before it is run, as data: a drive, and all that its host does to it. A seed decides it, a file can
//! hold it, and what is taken out of it leaves a plan that can be run.

use board::{Board, BoardError};
use contract::CommandSet;
use serde::{Deserialize, Serialize};

use crate::draw::Draw;
use crate::faults::{Fault, Faults};
use crate::slots::BLOCK;
use crate::storm::{LONGEST, PAIRS};

/// Logical blocks of a drive.
pub fn logical_blocks(board: &Board) -> u64 {
    let page_bytes = u64::from(board.firmware.geometry.page_bytes);
    u64::from(board.firmware.logical_pages) * page_bytes / BLOCK
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
        /// The queue.
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
    /// Reads.
    Read,
    /// Writes what was never written before.
    Write,
    /// Writes zeroes.
    WriteZeroes,
    /// Deallocates.
    Deallocate,
    /// Flushes.
    Flush,
    /// Compares with what the blocks hold, where that is settled; otherwise flushes. The data differ in the block
    /// of this number, if any.
    Compare(Option<u64>),
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

/// What a plan is drawn from.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// Decides all that is not given.
    pub seed: u64,
    /// The board whose values the drive has, but for `values`.
    pub board: &'a str,
    /// Keys of a board, each with its value.
    pub values: Vec<(String, String)>,
    /// How the drive keeps its data.
    pub data: Data,
    /// What goes wrong.
    pub faults: Faults,
    /// Commands at least.
    pub commands: u32,
    /// Turns of the host between two power losses, where there are any.
    pub turns_between_cuts: u32,
}

impl Plan {
    /// The plan of a draft.
    ///
    /// # Errors
    /// When the board is not there, or refuses its values.
    pub fn draw(draft: Draft<'_>) -> Result<Plan, BoardError> {
        let board = Board::resolve(draft.board, &draft.values)?;
        // What fills a drive of bytes is not what the host compares with.
        let full = draft.seed % 2 == 0 && draft.data == Data::Stamps;
        let start = if full { Start::Full } else { Start::Empty };
        let mut host = Host {
            draw: Draw(draft.seed),
            blocks: logical_blocks(&board),
            faults: draft.faults,
            steps: Vec::new(),
            commands: 0,
        };
        if board.firmware.command_set == CommandSet::OpenChannel {
            return Ok(Plan::of_chunks(draft));
        }
        let astray = draft.faults.has(Fault::Astray);
        let cuts = draft.faults.has(Fault::Power) && !astray && board.firmware.recovery.is_some();
        let mut turns = 0;
        while host.commands < draft.commands {
            if astray && host.draw.once_in(4) {
                host.send_astray();
            }
            host.turn();
            turns += 1;
            if cuts && turns % draft.turns_between_cuts == 0 {
                host.cut_power();
            }
        }
        let steps = host.steps;
        let Draft { board, values, data, .. } = draft;
        Ok(Plan { board: board.to_owned(), values, data, start, steps })
    }

    /// A plan for a host that places its data. Where flash fails the power stays: what a chunk that failed holds is known
    /// to who was told alone.
    fn of_chunks(draft: Draft<'_>) -> Plan {
        let mut draw = Draw(draft.seed);
        let fails = draft.values.iter().any(|(key, _)| key.ends_with("_failures_per_billion"));
        let cuts = draft.faults.has(Fault::Power) && !fails;
        let mut steps = Vec::new();
        let mut left = draft.commands;
        while left > 0 {
            let commands = (1 + draw.below(120) as u32).min(left);
            let depth = draw.one_of(&[1, 3, 4, 8, 16]);
            steps.push(Step::UseChunks { seed: draw.below(1 << 30), commands, depth });
            if cuts && draw.once_in(2) {
                steps.push(Step::Run { ps: draw.below(400_000_000) });
                steps.push(Step::CutPower { again_after_ps: Vec::new() });
            }
            left -= commands;
        }
        let Draft { board, values, .. } = draft;
        Plan { board: board.to_owned(), values, data: Data::Stamps, start: Start::Empty, steps }
    }

    /// Whether there is such a board, and it keeps a log if the power goes away.
    pub fn is_sensible(&self) -> bool {
        let is_cut = |step: &Step| matches!(step, Step::CutPower { .. });
        let cuts = self.steps.iter().any(is_cut);
        let board = Board::resolve(&self.board, &self.values);
        let survives = |board: &Board| {
            board.firmware.recovery.is_some()
                || board.firmware.command_set == CommandSet::OpenChannel
        };
        board.is_ok_and(|board| !cuts || survives(&board))
    }

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

/// A host that makes up what it will do.
struct Host {
    draw: Draw,
    /// Logical blocks of the drive.
    blocks: u64,
    faults: Faults,
    steps: Vec<Step>,
    commands: u32,
}

impl Host {
    /// Something that concerns queues or the controller, or some commands; then some time.
    fn turn(&mut self) {
        let kind = self.draw.below(100);
        match kind {
            0 if self.faults.has(Fault::Resets) => self.steps.push(Step::Reset),
            1 if self.faults.has(Fault::Queues) => {
                let queue = 2 + self.draw.below(PAIRS.len() as u64 - 1) as u16;
                self.steps.push(Step::DeleteQueue { queue });
            }
            2 => self.steps.push(Step::SwitchCache),
            3 | 4 if self.faults.has(Fault::Aborts) => {
                let (queue, cid) = (self.queue(), self.draw.below(48) as u16);
                self.steps.push(Step::Abort { queue, cid });
            }
            5 if self.faults.has(Fault::Doorbells) => self.ring_wrongly(),
            _ => self.submit(),
        }
        match self.draw.below(8) {
            0 => self.steps.push(Step::RunUntilQuiet),
            1..=4 => self.steps.push(Step::Run { ps: self.draw.below(400_000_000) }),
            _ => {}
        }
    }

    fn queue(&mut self) -> u16 {
        1 + self.draw.below(PAIRS.len() as u64) as u16
    }

    /// Mostly where the next programs of the chip go, so that they meet.
    fn send_astray(&mut self) {
        let die = self.draw.below(64) as u32;
        let to = match self.draw.below(4) {
            0 => Stray::Block(1 + self.draw.below(40) as u32),
            1 | 2 => Stray::Page(self.draw.one_of(&[1, 1, 2, 5, -1, -2])),
            _ => Stray::Nowhere,
        };
        self.steps.push(Step::SendAstray { die, to });
    }

    fn ring_wrongly(&mut self) {
        let (doorbell, least) = match self.draw.below(3) {
            // Queues that there are, and a tail or head that they cannot have.
            0 => (2 + self.draw.below(2 * PAIRS.len() as u64) as u16, 128),
            // Queues that were never created.
            _ => (2 * (PAIRS.len() as u16 + 1) + self.draw.below(64) as u16, 0),
        };
        let value = (least + self.draw.below(1 << 20)) as u32;
        self.steps.push(Step::RingWrongly { doorbell, value });
    }

    fn submit(&mut self) {
        let queue = self.queue();
        let most = if self.draw.once_in(4) { 24 } else { 4 };
        let count = 1 + self.draw.below(most);
        let commands: Vec<Command> = (0..count).map(|_| self.command()).collect();
        self.commands += commands.len() as u32;
        self.steps.push(Step::Submit { queue, commands });
    }

    fn command(&mut self) -> Command {
        // Mostly a hot part, so that commands meet and blocks with many invalid pages exist.
        let area = match self.draw.below(8) {
            0 => self.blocks,
            1..=4 => self.blocks / 4,
            _ => 64,
        };
        let longest = if self.draw.once_in(3) { LONGEST } else { 5 };
        let blocks = 1 + self.draw.below(longest);
        let lba = self.draw.below(area - blocks);
        let fua = self.draw.once_in(4);
        let act = match self.draw.below(24) {
            0..=8 => Act::Write,
            9..=15 => Act::Read,
            16..=17 => Act::WriteZeroes,
            18..=19 => Act::Deallocate,
            20 => Act::Flush,
            _ => self.compare(blocks),
        };
        let act = match self.faults.has(Fault::Commands) && self.draw.once_in(40) {
            true => Act::Malformed(self.malformation()),
            false => act,
        };
        let pointer = match self.faults.has(Fault::Pointers) && self.draw.once_in(30) {
            true => self.bad_pointer(),
            false => Pointer::Sound,
        };
        Command { act, lba, blocks, fua, pointer }
    }

    /// Half of all compares differ, mostly late in their data.
    fn compare(&mut self, blocks: u64) -> Act {
        let differs = self.draw.once_in(2);
        let first = if self.draw.once_in(3) { 0 } else { blocks - 1 };
        Act::Compare(differs.then(|| first + self.draw.below(blocks - first)))
    }

    fn malformation(&mut self) -> Malformation {
        use Malformation::{Fused, Namespace, Opcode, Overflow, Range, Sgl, TooLong};
        self.draw.one_of(&[Opcode, Namespace, Range, Overflow, Fused, Sgl, TooLong])
    }

    fn bad_pointer(&mut self) -> Pointer {
        use Pointer::{EntryOutside, ListOutside, Misaligned, Outside};
        self.draw.one_of(&[Outside, ListOutside, EntryOutside, Misaligned])
    }

    fn cut_power(&mut self) {
        let mut again_after_ps = Vec::new();
        while self.draw.once_in(3) {
            again_after_ps.push(self.draw.below(8_000_000_000));
        }
        self.steps.push(Step::CutPower { again_after_ps });
    }
}
