//! Commands under way, by tag, and the commands whose pages are not all planned, first in, first out.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use contract::{CommandTag, Completer, Lpn};
use nvme::open_channel::MOST_ADDRESSES;

use crate::nvme::backend::IoOutcome;

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Kind {
    Read,
    Write,
    Copy,
    Reset,
    /// Of zones alone.
    Finish,
    Flush,
}

/// Which blocks a command is about.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Blocks {
    /// The first, if they follow each other; else they stand in the list of the command's tag.
    first: Option<u32>,
    /// How many there are.
    pub count: u32,
}

impl Blocks {
    pub fn none() -> Self {
        Blocks { first: Some(0), count: 0 }
    }

    pub fn range(first: u32, count: u32) -> Self {
        Blocks { first: Some(first), count }
    }

    pub fn list(count: u32) -> Self {
        Blocks { first: None, count }
    }
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Command {
    kind: Kind,
    blocks: Blocks,
    completer: Completer,
    /// Blocks, from the first on, all of which are planned; and a bit for each planned one of a list.
    next: u32,
    planned: u64,
    /// What it waits for: operations, and one until all are planned.
    pending: u32,
    outcome: IoOutcome,
    /// A bit for each address of a list that it was not done for.
    failed: u64,
}

/// The numbers of a command's blocks, and of the blocks to which a copy goes.
type Lists = [[Lpn; MOST_ADDRESSES]; 2];

/// Commands under way, each in the slot of its tag, and which of them wait or are done.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Commands {
    table: Vec<Command>,
    lists: Vec<Lists>,
    waiting: VecDeque<CommandTag>,
    /// The first of them waits since an earlier turn.
    held: bool,
    done: VecDeque<(CommandTag, IoOutcome)>,
    under_way: u32,
}

/// Blocks of a page that a command is about, by their places in its list or range.
pub type Places = ([u8; contract::Metadata::MOST_BLOCKS], usize);

impl Commands {
    /// Room for `count` tags.
    pub fn new(count: u32) -> Self {
        let blank = Command {
            kind: Kind::Flush,
            blocks: Blocks::none(),
            completer: Completer::Firmware,
            next: 0,
            planned: 0,
            pending: 0,
            outcome: IoOutcome::Success,
            failed: 0,
        };
        Commands {
            table: vec![blank; count as usize],
            lists: vec![[[Lpn(0); MOST_ADDRESSES]; 2]; count as usize],
            waiting: VecDeque::with_capacity(count as usize),
            held: false,
            done: VecDeque::with_capacity(count as usize),
            under_way: 0,
        }
    }

    fn of(&self, tag: CommandTag) -> &Command {
        &self.table[usize::from(tag.0)]
    }

    fn of_mut(&mut self, tag: CommandTag) -> &mut Command {
        &mut self.table[usize::from(tag.0)]
    }

    /// Takes a command in.
    pub fn submit(
        &mut self,
        tag: CommandTag,
        (kind, blocks): (Kind, Blocks),
        completer: Completer,
    ) {
        *self.of_mut(tag) = Command {
            kind,
            blocks,
            completer,
            next: 0,
            planned: 0,
            pending: 1,
            outcome: IoOutcome::Success,
            failed: 0,
        };
        self.under_way += 1;
    }

    /// The lists of a tag, to be filled in.
    pub fn lists_mut(&mut self, tag: CommandTag) -> &mut Lists {
        &mut self.lists[usize::from(tag.0)]
    }

    /// A command waits for its pages to be planned.
    pub fn queue(&mut self, tag: CommandTag) {
        self.waiting.push_back(tag);
    }

    /// Commands that were submitted and whose end was not taken yet.
    pub fn under_way(&self) -> u32 {
        self.under_way
    }

    /// The command to plan next, and whether it waited for others since an earlier turn.
    pub fn front(&self) -> Option<(CommandTag, Kind, bool)> {
        let &tag = self.waiting.front()?;
        Some((tag, self.of(tag).kind, self.held))
    }

    /// Planning is over for this turn.
    pub fn rest(&mut self) {
        self.held = !self.waiting.is_empty();
    }

    /// The first command is planned to its end; it ends once nothing that it waits for is left.
    pub fn pop(&mut self) {
        self.held = false;
        if let Some(tag) = self.waiting.pop_front() {
            self.end(tag);
        }
    }

    /// Bytes of a command's data, and who completes it once they have moved.
    pub fn data(&self, tag: CommandTag, block_bytes: u32) -> (u32, Completer) {
        let command = self.of(tag);
        (command.blocks.count * block_bytes, command.completer)
    }

    /// The number of a command's nth block: for a copy where it goes to.
    pub fn target(&self, tag: CommandTag, nth: u32) -> Lpn {
        let Command { kind, blocks, .. } = *self.of(tag);
        match blocks.first {
            Some(first) => Lpn(first + nth),
            None => self.lists[usize::from(tag.0)][usize::from(kind == Kind::Copy)][nth as usize],
        }
    }

    /// Where the nth block of a copy comes from.
    pub fn source(&self, tag: CommandTag, nth: u32) -> Lpn {
        self.lists[usize::from(tag.0)][0][nth as usize]
    }

    /// The first block of a command that is not planned.
    pub fn next(&self, tag: CommandTag) -> Option<u32> {
        let command = self.of(tag);
        (command.next < command.blocks.count).then_some(command.next)
    }

    /// Logical blocks of a command that are not planned yet and lie in the same page as its next block, none of them twice.
    /// There are `units` in a page.
    pub fn next_page(&self, tag: CommandTag, units: u32) -> Places {
        let command = self.of(tag);
        let (mut places, mut seen) = (([0; contract::Metadata::MOST_BLOCKS], 0), 0_u32);
        let page = self.target(tag, command.next).0 / units;
        let end = match command.blocks.first {
            // Those of a range are planned in its order.
            Some(_) => command.blocks.count.min(command.next + units),
            None => command.blocks.count,
        };
        for nth in command.next..end {
            let Lpn(number) = self.target(tag, nth);
            let is_planned = command.blocks.first.is_none() && command.planned >> nth & 1 == 1;
            if is_planned || number / units != page || seen >> (number % units) & 1 == 1 {
                continue;
            }
            seen |= 1 << (number % units);
            places.0[places.1] = (nth - command.next) as u8;
            places.1 += 1;
        }
        places
    }

    /// Blocks of a command are planned.
    pub fn note_planned(&mut self, tag: CommandTag, (offsets, count): &Places) {
        let command = self.of_mut(tag);
        if command.blocks.first.is_some() {
            command.next += *count as u32;
            return;
        }
        for &offset in &offsets[..*count] {
            command.planned |= 1 << (command.next + u32::from(offset));
        }
        while command.next < command.blocks.count && command.planned >> command.next & 1 == 1 {
            command.next += 1;
        }
    }

    /// One more operation that the command waits for.
    pub fn expect(&mut self, tag: CommandTag) {
        self.of_mut(tag).pending += 1;
    }

    /// One of the things that a command waits for is there.
    pub fn end(&mut self, tag: CommandTag) {
        let command = self.of_mut(tag);
        command.pending -= 1;
        if command.pending == 0 {
            let outcome = command.outcome;
            self.done.push_back((tag, outcome));
        }
    }

    /// Something went wrong for the command; the first thing stays.
    pub fn fail(&mut self, tag: CommandTag, outcome: IoOutcome) {
        let command = self.of_mut(tag);
        if command.outcome == IoOutcome::Success {
            command.outcome = outcome;
        }
    }

    /// Whether a command waits for all that was written before it.
    pub fn is_flush(&self, tag: CommandTag) -> bool {
        self.of(tag).kind == Kind::Flush
    }

    /// Marks the blocks of a command as failed that are among the given ones.
    #[cold]
    pub fn fail_blocks(
        &mut self,
        tag: CommandTag,
        outcome: IoOutcome,
        among: impl Fn(Lpn) -> bool,
    ) {
        self.fail(tag, outcome);
        let Blocks { first, count } = self.of(tag).blocks;
        if first.is_some() {
            return;
        }
        let concerned = (0..count).filter(|&nth| {
            let is_source = self.of(tag).kind == Kind::Copy && among(self.source(tag, nth));
            is_source || among(self.target(tag, nth))
        });
        let failed: u64 = concerned.map(|nth| 1 << nth).sum();
        self.of_mut(tag).failed |= failed;
    }

    /// A bit for each address that a command was not done for.
    pub fn failed(&self, tag: CommandTag) -> u64 {
        self.of(tag).failed
    }

    /// Takes the next finished command.
    pub fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        let done = self.done.pop_front()?;
        self.under_way -= 1;
        Some(done)
    }
}
