//! NVM command manager: cuts commands into slices of one mapping unit, first in, first out.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use contract::{CommandTag, Lpn};

use crate::nvme::backend::{Durability, IoCommand, IoKind, IoOutcome};
use crate::operation::Span;

/// The part of a command that lies in one mapping unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The command.
    pub tag: CommandTag,
    /// What to do.
    pub kind: IoKind,
    /// The mapping unit.
    pub lpn: Lpn,
    /// Bytes of it.
    pub span: Span,
    /// Byte in the command's data.
    pub host_offset: u32,
    /// Durability of a write, or of what is read.
    pub durability: Durability,
}

#[derive(Clone, Copy, Debug)]
struct Command {
    kind: IoKind,
    durability: Durability,
    /// Bytes of the namespace still to be cut: `next..end`.
    next: u64,
    end: u64,
    host_offset: u32,
    length: u32,
    /// Operations that it waits for, plus one until all slices are cut.
    pending: u32,
    outcome: IoOutcome,
}

/// Commands under way, by tag, and those not yet cut to the end.
#[derive(Debug)]
pub struct Commands {
    table: Vec<Command>,
    queue: VecDeque<CommandTag>,
    done: VecDeque<(CommandTag, IoOutcome)>,
    page_bytes: u32,
    under_way: u32,
}

impl Commands {
    /// Room for `count` tags.
    pub fn new(count: u32, page_bytes: u32) -> Self {
        let blank = Command {
            kind: IoKind::Flush,
            durability: Durability::Cached,
            next: 0,
            end: 0,
            host_offset: 0,
            length: 0,
            pending: 0,
            outcome: IoOutcome::Success,
        };
        Commands {
            table: alloc::vec![blank; count as usize],
            queue: VecDeque::with_capacity(count as usize),
            done: VecDeque::with_capacity(count as usize),
            page_bytes,
            under_way: 0,
        }
    }

    /// Takes a command in.
    pub fn submit(&mut self, command: IoCommand, block_bytes: u32) {
        let next = command.start * u64::from(block_bytes);
        let length = u64::from(command.blocks) * u64::from(block_bytes);
        self.table[usize::from(command.tag.0)] = Command {
            kind: command.kind,
            durability: command.durability,
            next,
            end: next + length,
            host_offset: 0,
            // Deallocated ranges can be longer, but have no data.
            length: length.min(u64::from(u32::MAX)) as u32,
            pending: 1,
            outcome: IoOutcome::Success,
        };
        self.queue.push_back(command.tag);
        self.under_way += 1;
    }

    /// Commands that were submitted and whose end was not taken yet.
    pub fn under_way(&self) -> u32 {
        self.under_way
    }

    /// The command to cut next.
    pub fn front(&self) -> Option<(CommandTag, IoKind)> {
        self.queue.front().map(|&tag| (tag, self.table[usize::from(tag.0)].kind))
    }

    /// Cuts the next slice off the front command, which is not a flush.
    pub fn cut(&mut self) -> Option<Slice> {
        let &tag = self.queue.front()?;
        let page_bytes = self.page_bytes;
        let c = &mut self.table[usize::from(tag.0)];
        let unit = u64::from(page_bytes);
        let offset = (c.next % unit) as u32;
        let length = u64::from(page_bytes - offset).min(c.end - c.next) as u32;
        let slice = Slice {
            tag,
            kind: c.kind,
            lpn: Lpn((c.next / unit) as u32),
            span: Span { offset, length },
            host_offset: c.host_offset,
            durability: c.durability,
        };
        c.next += u64::from(length);
        // A range to deallocate can be longer than 32 bits tell, but has no data.
        c.host_offset = c.host_offset.wrapping_add(length);
        Some(slice)
    }

    /// Whether the front command is cut to its end.
    pub fn front_is_cut(&self) -> bool {
        self.queue.front().is_some_and(|tag| {
            let c = &self.table[usize::from(tag.0)];
            c.next >= c.end
        })
    }

    /// Takes the front command off the queue; it ends once nothing it waits for is left.
    pub fn pop(&mut self) {
        if let Some(tag) = self.queue.pop_front() {
            self.finish_one(tag);
        }
    }

    /// Takes the front command off the queue without ending it: something else will.
    pub fn park(&mut self) {
        self.queue.pop_front();
    }

    /// Bytes of a command's data.
    pub fn bytes(&self, tag: CommandTag) -> u32 {
        self.table[usize::from(tag.0)].length
    }

    /// One more operation that the command waits for.
    pub fn expect(&mut self, tag: CommandTag) {
        self.table[usize::from(tag.0)].pending += 1;
    }

    /// One of them is done.
    pub fn finish_one(&mut self, tag: CommandTag) {
        let c = &mut self.table[usize::from(tag.0)];
        c.pending -= 1;
        if c.pending == 0 {
            self.done.push_back((tag, c.outcome));
        }
    }

    /// Something went wrong for the command; the first thing stays.
    pub fn fail(&mut self, tag: CommandTag, outcome: IoOutcome) {
        let c = &mut self.table[usize::from(tag.0)];
        if c.outcome == IoOutcome::Success {
            c.outcome = outcome;
        }
    }

    /// Takes the next finished command.
    pub fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        let done = self.done.pop_front()?;
        self.under_way -= 1;
        Some(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_cut_at_mapping_units() {
        let mut commands = Commands::new(2, 16_384);
        let command = IoCommand {
            tag: CommandTag(1),
            kind: IoKind::Read,
            start: 3,
            blocks: 6,
            durability: Durability::Cached,
        };
        commands.submit(command, 4096);
        let first = commands.cut().expect("a slice");
        assert_eq!((first.lpn, first.span), (Lpn(0), Span { offset: 12_288, length: 4096 }));
        assert!(!commands.front_is_cut());
        let second = commands.cut().expect("a slice");
        assert_eq!((second.lpn, second.span), (Lpn(1), Span { offset: 0, length: 16_384 }));
        assert_eq!(second.host_offset, 4096);
        let third = commands.cut().expect("a slice");
        assert_eq!((third.lpn, third.span), (Lpn(2), Span { offset: 0, length: 4096 }));
        assert!(commands.front_is_cut());
        commands.expect(CommandTag(1));
        commands.pop();
        assert_eq!(commands.next_done(), None);
        commands.fail(CommandTag(1), IoOutcome::UnrecoveredRead);
        commands.finish_one(CommandTag(1));
        assert_eq!(commands.next_done(), Some((CommandTag(1), IoOutcome::UnrecoveredRead)));
    }
}
