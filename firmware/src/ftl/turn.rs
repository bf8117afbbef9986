//! One turn's share of the work: slices of commands, and operations that the processor does itself.
//!
//! A turn of the main loop is bounded in work, so that hardware that is ready and commands that come
//! in never wait for long. Its budget counts slices and the operations that they need, collection
//! included. Commands that move data have one, and those that move none another: a Deallocate of the
//! whole drive goes on for many turns, and the others hardly notice.

use contract::{BufferId, Cause, CommandTag, Hardware, OperationStep, Work};

use super::buffer::Freshness;
use super::flush::Kept;
use super::program::Sake;
use super::slice::{Lane, Stop, SLICES_A_TURN};
use super::{Ftl, Ports};
use crate::nvme::backend::{IoKind, IoOutcome};
use crate::operations::{Action, Deed, Ended, Owner, Station, Touch};
use crate::planted::{is_planted, Bug};

/// Slices that the pool has room for when one of each [`Lane`] is cut. Commands that move data leave
/// one to the others, most of which need no operation: a pool that is full of writes holds up no
/// Deallocate.
const SLICES_KEPT: [u32; Lane::COUNT] = [2, 1];

/// Fills and compares of a turn.
const INSTANT_A_TURN: u32 = 64;

/// Buffer entries that a slice of a flush looks at.
const ENTRIES_A_SLICE: u32 = 64;

impl Ftl {
    /// Works on commands and on operations that need no hardware, as much as a turn may. True when
    /// something was done.
    pub fn advance(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        if self.is_scanning() {
            return self.look_for_marks(ports);
        }
        let mut instant = INSTANT_A_TURN;
        let mut busy = self.advance_log(ports);
        busy |= self.advance_save(ports);
        busy |= self.keep_fresh(ports);
        busy |= self.run_instant(ports, &mut instant);
        busy |= self.cut_commands(ports);
        busy |= self.run_instant(ports, &mut instant);
        while let Some((tag, kept)) = self.flushes.next_done() {
            ports.hw.waited(tag, Cause::Order);
            if kept == Kept::NotAll {
                self.commands.fail(tag, IoOutcome::WriteFault);
            }
            self.commands.finish_one(tag);
            busy = true;
        }
        busy
    }

    fn cut_commands(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let mut busy = false;
        for lane in Lane::ALL {
            let mut budget = SLICES_A_TURN[lane as usize];
            let mut stop = Stop::Budget;
            while budget > 0 && self.commands.has(lane) {
                let room = ports.station.pool.free_count();
                let kind = self.commands.front(lane).map_or(IoKind::Flush, |(_, kind, _)| kind);
                let full = self.log.as_ref().is_some_and(|log| !log.has_room())
                    || !self.has_room_to_save(ports, kind);
                let full = full || !self.has_room_for_changes();
                if full || room < SLICES_KEPT[lane as usize] * self.slice_operations {
                    stop = Stop::Full;
                    break;
                }
                if kind != IoKind::Flush && !self.makes_known(ports, lane) {
                    stop = Stop::Full;
                    break;
                }
                busy = true;
                self.cut_one(ports, lane);
                if ports.station.has_untold() {
                    ports.station.tell_on_the_way(ports.hw);
                }
                budget = budget.saturating_sub(1 + room - ports.station.pool.free_count());
            }
            self.program_wanted(ports);
            self.commands.rest(lane, stop);
        }
        busy
    }

    /// Cuts a slice off the front command of a lane.
    fn cut_one(&mut self, ports: &mut Ports<'_, impl Hardware>, lane: Lane) {
        let Some((tag, kind, waited)) = self.commands.front(lane) else { return };
        if waited {
            ports.hw.waited(tag, Cause::Order);
        }
        ports.hw.attend(Some(tag));
        if kind == IoKind::Flush {
            self.cut_flush(ports, tag);
        } else if let Some(slice) = self.commands.cut(lane) {
            ports.hw.work(Work::Slice);
            self.operate(ports, slice);
            if self.commands.front_is_cut(lane) {
                self.program_wanted(ports);
                self.fetched = 0;
                self.commands.pop(lane);
            }
        }
    }

    /// Continues a flush: programs the next dirty entry, if one is near.
    ///
    /// Entries that turn dirty meanwhile may be programmed or not. Those that were dirty when the flush
    /// came are programmed by it or, for another's sake, in the epoch that it ends.
    fn cut_flush(&mut self, ports: &mut Ports<'_, impl Hardware>, tag: CommandTag) {
        let cached = self.buffer.cached();
        let first = *self.commands.cursor(tag) as u32;
        let last = cached.min(first + ENTRIES_A_SLICE);
        let is_dirty = |&entry: &u32| self.buffer.freshness(BufferId(entry)) == Freshness::Dirty;
        let dirty = (first..last).find(is_dirty);
        *self.commands.cursor(tag) = dirty.map_or(last, |entry| entry + 1).into();
        if let Some(entry) = dirty {
            self.program(ports, &[BufferId(entry)], Sake::Step(tag));
        }
        let done = *self.commands.cursor(tag) >= u64::from(cached);
        if done || self.buffer.dirty() == 0 {
            self.flush_records();
            self.flushes.wait(tag);
            self.commands.park(Lane::Bulk);
        }
    }

    /// Fills and compares, and what was set aside because its entry's data are lost.
    pub(super) fn run_instant(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        budget: &mut u32,
    ) -> bool {
        let mut busy = false;
        while *budget > 0 {
            let Station { pool, instant, .. } = &mut *ports.station;
            let Some(id) = pool.pop(instant) else { break };
            *budget -= 1;
            busy = true;
            id.step(ports.hw, OperationStep::Picked);
            let op = ports.station.pool[id];
            let ended = match op.action {
                Action::Touch(touch) if !self.buffer.uses_lost(&op) => {
                    self.touch_memory(ports.hw, (op.owner, touch))
                }
                _ => Ended::Failed(IoOutcome::UnrecoveredRead),
            };
            self.finish(ports, id, ended);
        }
        busy
    }

    fn touch_memory(&self, hw: &mut impl Hardware, (owner, touch): (Owner, Touch)) -> Ended {
        let Touch { entry, span, deed } = touch;
        if let (Deed::Copy { .. }, Some(tag)) = (deed, owner.command()) {
            // What did not arrive replaces nothing: what is lost there stays lost.
            if let Some(outcome) = self.commands.failure(tag) {
                let is_hidden = is_planted(Bug::AbsentTakenForReplaced);
                return if is_hidden { Ended::Well } else { Ended::Failed(outcome) };
            }
        }
        if deed != Deed::Look {
            hw.work_times(Work::Touch, span.length.div_ceil(4096));
        }
        match deed {
            Deed::Look => {}
            Deed::Zero => hw.zero_buffer(entry, span.offset, span.length),
            Deed::Copy { from } => hw.copy_buffer(from, entry, span.offset, span.length),
            Deed::Compare => {
                let host = self.buffer.compare_entry();
                if !hw.equal_buffers(entry, host, span.offset, span.length) {
                    return Ended::Failed(IoOutcome::CompareFailure);
                }
            }
        }
        Ended::Well
    }
}
