//! NVM command manager: cuts commands into slices of one mapping unit.
//!
//! Commands stand in two queues until they are cut. Those that move data are short, and go first in,
//! first out. Those that touch mapping units without data can be as long as the drive: they have a
//! queue of their own and take turns there.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use contract::{CommandTag, Completer, Lpn, Span};

use crate::nvme::backend::{Durability, IoCommand, IoKind, IoOutcome};

/// The part of a command that lies in one mapping unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
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
    /// Bytes of the command behind it.
    pub rest: u32,
    /// Durability of a write, or of what is read.
    pub durability: Durability,
    /// Placement handle of what is written.
    pub handle: u8,
}

impl Slice {
    /// Whether what follows it is going to be read as it is.
    pub fn wants_more(&self) -> bool {
        self.kind == IoKind::Read && self.durability != Durability::Durable
    }
}

/// Where a command stands until it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Commands that move data.
    Data = 0,
    /// Commands that move none, and may touch any number of mapping units or buffer entries.
    Bulk = 1,
}

impl Lane {
    /// How many there are.
    pub const COUNT: usize = 2;

    /// Both, in the order in which a turn cuts them.
    pub const ALL: [Lane; Lane::COUNT] = [Lane::Data, Lane::Bulk];

    const fn of(kind: IoKind) -> Lane {
        match kind {
            IoKind::Read | IoKind::Write | IoKind::Compare => Lane::Data,
            IoKind::WriteZeroes | IoKind::Deallocate | IoKind::Flush | IoKind::Verify => Lane::Bulk,
        }
    }
}

/// Slices and operations that a turn makes of the commands of each [`Lane`]. The last slice may go
/// beyond it, by the operations of a collection at most. A read or write of a page is two to four, so
/// the first is a command of half a megabyte. The second is 5 us of Cosmos+'s processor: small beside
/// a read, and large beside a turn's other work, so that a bulk command is not starved either.
pub const SLICES_A_TURN: [u32; Lane::COUNT] = [128, 16];

/// Which commands of a lane wait since an earlier turn because others had to get on first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Held {
    /// No command waits since an earlier turn.
    None,
    /// All but the front command, which is being cut.
    BehindFront,
    /// Every command, the front one included.
    All,
}

/// Why the cutting stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Nothing is left, or the turn's budget is used up.
    Budget,
    /// The pool has no room for a slice's operations.
    Full,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Waiting {
    queue: VecDeque<CommandTag>,
    held: Held,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Command {
    kind: IoKind,
    durability: Durability,
    handle: u8,
    completer: Completer,
    /// Bytes of the namespace still to be cut, `next..end`; of a flush, the buffer entry to look at
    /// next.
    next: u64,
    end: u64,
    /// A slice was cut.
    begun: bool,
    host_offset: u32,
    length: u32,
    /// Operations that it waits for, plus one until all slices are cut.
    pending: u32,
    outcome: IoOutcome,
    /// Its next slice has waited for a part of the map.
    waits_for_map: bool,
}

/// Commands under way, by tag, and the commands that are not yet cut to the end.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Commands {
    table: Vec<Command>,
    lanes: [Waiting; Lane::COUNT],
    done: VecDeque<(CommandTag, IoOutcome)>,
    unit_bytes: u32,
    under_way: u32,
}

impl Commands {
    /// Room for `count` tags.
    pub fn new(count: u32, unit_bytes: u32) -> Self {
        let blank = Command {
            kind: IoKind::Flush,
            durability: Durability::Cached,
            handle: 0,
            completer: Completer::Firmware,
            next: 0,
            end: 0,
            begun: false,
            host_offset: 0,
            length: 0,
            pending: 0,
            outcome: IoOutcome::Success,
            waits_for_map: false,
        };
        Commands {
            table: alloc::vec![blank; count as usize],
            lanes: core::array::from_fn(|_| Waiting {
                queue: VecDeque::with_capacity(count as usize),
                held: Held::None,
            }),
            done: VecDeque::with_capacity(count as usize),
            unit_bytes,
            under_way: 0,
        }
    }

    /// Takes a command in.
    pub fn submit(&mut self, command: IoCommand, completer: Completer, block_bytes: u32) {
        let next = command.start * u64::from(block_bytes);
        let length = u64::from(command.blocks) * u64::from(block_bytes);
        self.table[usize::from(command.tag.0)] = Command {
            kind: command.kind,
            durability: command.durability,
            handle: command.handle,
            completer,
            next,
            end: next + length,
            begun: false,
            host_offset: 0,
            // Deallocated ranges can be longer, but have no data.
            length: length.min(u64::from(u32::MAX)) as u32,
            pending: 1,
            outcome: IoOutcome::Success,
            waits_for_map: false,
        };
        self.lanes[Lane::of(command.kind) as usize].queue.push_back(command.tag);
        self.under_way += 1;
    }

    /// Commands that were submitted and whose end was not taken yet.
    pub fn under_way(&self) -> u32 {
        self.under_way
    }

    /// Whether a command of a lane is not cut to its end.
    pub fn has(&self, lane: Lane) -> bool {
        !self.lanes[lane as usize].queue.is_empty()
    }

    /// The command of a lane to cut next, and whether it waited for others since an earlier turn.
    pub fn front(&self, lane: Lane) -> Option<(CommandTag, IoKind, bool)> {
        let Waiting { queue, held } = &self.lanes[lane as usize];
        let &tag = queue.front()?;
        Some((tag, self.table[usize::from(tag.0)].kind, *held == Held::All))
    }

    /// A lane's cutting is over for this turn. A bulk command that used its share up goes behind the
    /// others of its lane.
    #[inline]
    pub fn rest(&mut self, lane: Lane, stop: Stop) {
        let Waiting { queue, held } = &mut self.lanes[lane as usize];
        let Some(&front) = queue.front() else {
            *held = Held::None;
            return;
        };
        let begun = self.table[usize::from(front.0)].begun;
        let goes_on = begun && stop == Stop::Budget;
        let shares = lane == Lane::Bulk && queue.len() > 1;
        *held = if goes_on && !shares { Held::BehindFront } else { Held::All };
        if goes_on && shares {
            queue.rotate_left(1);
        }
    }

    /// Cuts the next slice off the front command of a lane, which is not a flush.
    #[inline]
    pub fn cut(&mut self, lane: Lane) -> Option<Slice> {
        let slice = self.next_slice(lane, 0)?;
        let c = &mut self.table[usize::from(slice.tag.0)];
        let length = slice.span.length;
        c.begun = true;
        c.next += u64::from(length);
        // A range to deallocate can be longer than 32 bits tell, but has no data.
        c.host_offset = c.host_offset.wrapping_add(length);
        Some(slice)
    }

    /// Whether the next slice of a command has waited for a part of the map.
    pub fn has_waited_for_map(&self, tag: CommandTag) -> bool {
        self.table[usize::from(tag.0)].waits_for_map
    }

    /// It waits, or waits no more.
    pub fn wait_for_map(&mut self, tag: CommandTag, waits: bool) {
        self.table[usize::from(tag.0)].waits_for_map = waits;
    }

    /// The next slice of the command at some place of a lane, which is not a flush.
    #[inline]
    pub fn next_slice(&self, lane: Lane, nth: usize) -> Option<Slice> {
        let &tag = self.lanes[lane as usize].queue.get(nth)?;
        let c = &self.table[usize::from(tag.0)];
        if c.kind == IoKind::Flush {
            return None;
        }
        let unit = u64::from(self.unit_bytes);
        let offset = (c.next % unit) as u32;
        let length = u64::from(self.unit_bytes - offset).min(c.end - c.next) as u32;
        Some(Slice {
            tag,
            kind: c.kind,
            lpn: Lpn((c.next / unit) as u32),
            span: Span { offset, length },
            host_offset: c.host_offset,
            rest: (c.end - c.next - u64::from(length)).min(u64::from(u32::MAX)) as u32,
            durability: c.durability,
            handle: c.handle,
        })
    }

    /// The buffer entry that a flush looks at next.
    pub fn cursor(&mut self, flush: CommandTag) -> &mut u64 {
        let c = &mut self.table[usize::from(flush.0)];
        c.begun = true;
        &mut c.next
    }

    /// Whether the front command of a lane is cut to its end.
    pub fn front_is_cut(&self, lane: Lane) -> bool {
        self.lanes[lane as usize].queue.front().is_some_and(|tag| {
            let c = &self.table[usize::from(tag.0)];
            c.next >= c.end
        })
    }

    /// Takes the front command off its lane; it ends once nothing it waits for is left.
    #[inline]
    pub fn pop(&mut self, lane: Lane) {
        if let Some(tag) = self.park(lane) {
            self.finish_one(tag);
        }
    }

    /// Takes the front command off its lane without ending it: something else will.
    #[inline]
    pub fn park(&mut self, lane: Lane) -> Option<CommandTag> {
        let Waiting { queue, held } = &mut self.lanes[lane as usize];
        if *held == Held::BehindFront {
            *held = Held::All;
        }
        queue.pop_front()
    }

    /// Forgets a command, if nothing of it was cut; or if it moves no data, is not cut to its end, and no operation of it is under way.
    pub fn abort(&mut self, tag: CommandTag) -> bool {
        let Command { kind, pending, begun, .. } = self.table[usize::from(tag.0)];
        let lane = Lane::of(kind);
        let Waiting { queue, held } = &mut self.lanes[lane as usize];
        let Some(nth) = queue.iter().position(|&other| other == tag) else { return false };
        // Pages are read ahead for what is left of data that were begun.
        let is_half_moved = begun && lane == Lane::Data;
        if pending > 1 || is_half_moved {
            return false;
        }
        queue.remove(nth);
        if nth == 0 && *held == Held::BehindFront {
            *held = Held::All;
        }
        self.under_way -= 1;
        true
    }

    /// Bytes of a command's data, and who completes it once they have moved.
    pub fn data(&self, tag: CommandTag) -> (u32, Completer) {
        let command = &self.table[usize::from(tag.0)];
        (command.length, command.completer)
    }

    /// One more operation that the command waits for.
    pub fn expect(&mut self, tag: CommandTag) {
        self.table[usize::from(tag.0)].pending += 1;
    }

    /// One of them is done.
    #[inline]
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

    /// What went wrong for a command, if anything did.
    pub fn failure(&self, tag: CommandTag) -> Option<IoOutcome> {
        let outcome = self.table[usize::from(tag.0)].outcome;
        (outcome != IoOutcome::Success).then_some(outcome)
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
    fn what_is_not_cut_to_its_end_can_be_forgotten_but_data_that_move() {
        let mut commands = Commands::new(4, 16_384);
        let submit = |commands: &mut Commands, tag, kind, blocks| {
            let durability = Durability::Cached;
            let tag = CommandTag(tag);
            let command = IoCommand { tag, kind, start: 0, blocks, durability, handle: 0 };
            commands.submit(command, Completer::Firmware, 4096);
        };
        submit(&mut commands, 0, IoKind::Read, 8);
        submit(&mut commands, 1, IoKind::Write, 1);
        submit(&mut commands, 2, IoKind::Deallocate, 1 << 20);
        // A read that was begun goes on, and the other commands wait or do all at once.
        commands.cut(Lane::Data).expect("a slice");
        assert!(!commands.abort(CommandTag(0)), "pages were read ahead for it");
        commands.expect(CommandTag(0));
        commands.cut(Lane::Bulk).expect("a slice");
        commands.rest(Lane::Bulk, Stop::Budget);
        assert_eq!([0, 1, 2].map(|tag| commands.abort(CommandTag(tag))), [false, true, true]);
        assert_eq!([Lane::Data, Lane::Bulk].map(|lane| commands.has(lane)), [true, false]);
        assert_eq!((commands.under_way(), commands.next_done()), (1, None));
        // What came after the command that was being cut has waited for nothing else yet.
        submit(&mut commands, 3, IoKind::Deallocate, 8);
        commands.rest(Lane::Bulk, Stop::Full);
        assert_eq!(commands.front(Lane::Bulk), Some((CommandTag(3), IoKind::Deallocate, true)));
        // The last slice of the read is cut: it ends as it would have.
        commands.cut(Lane::Data).expect("a slice");
        commands.pop(Lane::Data);
        assert!(!commands.abort(CommandTag(0)), "it is no more in its lane");
        commands.finish_one(CommandTag(0));
        assert_eq!(commands.next_done(), Some((CommandTag(0), IoOutcome::Success)));
    }

    #[test]
    fn a_command_is_cut_at_mapping_units() {
        let mut commands = Commands::new(2, 16_384);
        let command = IoCommand {
            tag: CommandTag(1),
            kind: IoKind::Read,
            start: 3,
            blocks: 6,
            durability: Durability::Cached,
            handle: 0,
        };
        assert_eq!(commands.under_way(), 0);
        commands.submit(command, Completer::Firmware, 4096);
        assert_eq!(commands.under_way(), 1);
        let first = commands.cut(Lane::Data).expect("a slice");
        assert_eq!((first.lpn, first.span), (Lpn(0), Span { offset: 12_288, length: 4096 }));
        assert!(!commands.front_is_cut(Lane::Data));
        let second = commands.cut(Lane::Data).expect("a slice");
        assert_eq!((second.lpn, second.span), (Lpn(1), Span { offset: 0, length: 16_384 }));
        assert_eq!(second.host_offset, 4096);
        let third = commands.cut(Lane::Data).expect("a slice");
        assert_eq!((third.lpn, third.span), (Lpn(2), Span { offset: 0, length: 4096 }));
        assert!(commands.front_is_cut(Lane::Data));
        commands.expect(CommandTag(1));
        commands.pop(Lane::Data);
        assert_eq!(commands.next_done(), None);
        commands.fail(CommandTag(1), IoOutcome::UnrecoveredRead);
        commands.finish_one(CommandTag(1));
        assert_eq!(commands.next_done(), Some((CommandTag(1), IoOutcome::UnrecoveredRead)));
    }
}
