//! A turn on the bus: what the chip makes of it, and what comes back.

use contract::packet::{Operation, Outcome, Request};
use contract::Instant;

use crate::bus::Turn;
use crate::channel::Channel;
use crate::chips::Chips;
use crate::completions::{Ended, Source};
use crate::decoder::Arrival;
use crate::former::{Chosen, Ending, Former};
use crate::lun::{Lun, Scene};
use crate::operation::{is_raw, is_status, moves_page, reads_page};
use crate::plan::Form;
use crate::setup::BusStep;

/// A time that never comes.
const NEVER: u64 = u64::MAX;
/// Cycles from the first clock that sees a ready chip to the choice of its step.
const WAY_BACK: u64 = 3;

impl Channel {
    /// The bus takes a step. How it will end, and when the next one may be chosen.
    pub(crate) fn run<C: Chips>(
        &mut self,
        now: u64,
        chosen: Chosen,
        chips: &mut C,
    ) -> (Ending, u64) {
        let Chosen { way, plan, entry } = chosen;
        let Form::Bus { operation, raw, next_plane, verdict } = plan.form else {
            unreachable!("only steps of the bus go there")
        };
        let request = &entry.request;
        let bytes = if moves_page(operation) {
            self.setup.code.bus_bytes(request, raw || is_raw(operation))
        } else {
            0
        };
        if let Some(asking) = &mut self.asking {
            asking.pass(way, request.row, operation);
        }
        let turn = self.bus.turn(now, operation, bytes);
        let over = turn.over;
        self.busy_ps += (over - now) * self.setup.period_ps;
        self.last = Some(BusStep {
            at: self.time(now),
            over: self.time(over + 1),
            operation,
            next_plane,
            way: self.chip(way),
            row: request.row,
            ticket: entry.ticket,
        });
        self.tell_chip(operation, request, turn, chips);
        let value = self.answer(operation, chosen, turn, chips);
        let halts = self.setup.policy.halt_on_failure && plan.closes && verdict.fails(value);
        (Ending { value, timed_out: false, halts }, over + 1)
    }

    /// What the chip does of a step.
    fn tell_chip<C: Chips>(
        &mut self,
        operation: Operation,
        request: &Request,
        turn: Turn,
        chips: &mut C,
    ) {
        use Operation::*;
        let way = request.way;
        let lun = self.lun_of(operation, request);
        if let (Some(lun), false) = (lun, matches!(operation, ReadStatus | ReadTransfer)) {
            self.selected[usize::from(way)] = lun;
        }
        if is_status(operation) || reads_page(operation) || operation == FeaturesTransfer {
            return;
        }
        let at = Instant::from_ps(turn.told * self.setup.period_ps / 4);
        let luns = usize::from(self.setup.luns);
        let first = usize::from(way) * luns;
        let which = lun.map_or(first..first + luns, |lun| {
            let at = first + usize::from(lun).min(luns - 1);
            at..at + 1
        });
        let chip = self.chip(way);
        for lun in &mut self.luns[which] {
            let mut scene = Scene {
                chips,
                times: &self.setup.times,
                planes: self.setup.policy.planes,
                way: chip,
                at,
            };
            lun.confirm(operation, request, &mut scene);
        }
        if let Some(confirm) = turn.confirm {
            self.turn_busy(way, confirm, at);
        }
    }

    /// A command has made a way busy.
    fn turn_busy(&mut self, way: u8, confirm: u64, at: Instant) {
        let luns = usize::from(self.setup.luns);
        let first = usize::from(way) * luns;
        let luns = &self.luns[first..first + luns];
        let ready = luns.iter().map(Lun::ready_at).max().unwrap_or(Instant::ZERO).as_ps();
        let mut until = self.bus.ready_after(confirm);
        let is_shown = self.asking.is_none();
        if is_shown && ready > at.as_ps().saturating_add(self.setup.busy_shown_ps) {
            until = until.max(self.seen_ready(ready));
        }
        self.turning_busy = Some((confirm + 1, way, until));
    }

    /// The cycle in which a way counts as ready whose pin rises at this time. Pins are looked at at
    /// both levels of the clock.
    fn seen_ready(&self, ready_ps: u64) -> u64 {
        if ready_ps == u64::MAX {
            return NEVER;
        }
        let half = self.setup.period_ps / 2;
        let clock = ready_ps.saturating_sub(half).div_ceil(self.setup.period_ps);
        clock + WAY_BACK
    }

    /// The LUN that a step is about; none if it is all of them.
    fn lun_of(&self, operation: Operation, request: &Request) -> Option<u8> {
        use Operation::*;
        let planes = self.setup.policy.planes;
        match operation {
            ReadStatus | ReadCacheSequential | ReadCacheLast | ReadTransfer | ChangeReadColumn
            | ProgramConfirm | ChangeWriteColumn => match request.operation {
                Read => Some(planes.lun(request.row) as u8),
                _ => Some(self.selected[usize::from(request.way)]),
            },
            GetFeaturesLun | SetFeaturesLun | FeaturesLunTrigger => {
                Some((request.column >> 8) as u8)
            }
            OdtConfigure => Some((request.column >> 8) as u8),
            Reset | SynchronousReset | VolumeSelect | ReadMode | ParameterPageTrigger
            | UniqueIdTrigger | FeaturesTrigger | SetFeatures | FeaturesTransfer | ReadId => None,
            _ => Some(planes.lun(request.row) as u8),
        }
    }

    /// What comes back with a step: a value, or a page whose request completes later.
    fn answer<C: Chips>(
        &mut self,
        operation: Operation,
        chosen: Chosen,
        turn: Turn,
        chips: &mut C,
    ) -> u32 {
        let Chosen { way, entry, .. } = chosen;
        let request = &entry.request;
        let at = self.time(turn.over);
        if is_status(operation) {
            let enhanced = operation == Operation::ReadStatusEnhanced;
            let planes = self.setup.policy.planes;
            let lun = self.lun_of(operation, request).unwrap_or(0).min(self.setup.luns - 1);
            let plane = enhanced.then(|| planes.plane(request.row));
            let place = usize::from(way) * usize::from(self.setup.luns) + usize::from(lun);
            return self.luns[place].status(at, plane).into();
        }
        if operation == Operation::FeaturesTransfer {
            return chips.feature(self.chip(way), request);
        }
        if reads_page(operation) {
            self.receive(chosen, turn, chips);
        }
        0
    }

    /// A page goes to the buffer.
    fn receive<C: Chips>(&mut self, chosen: Chosen, turn: Turn, chips: &mut C) {
        let Chosen { way, entry, plan } = chosen;
        let Form::Bus { raw, .. } = plan.form else { return };
        let request = &entry.request;
        let page = chips.transfer(self.chip(way), self.time(turn.over), request);
        let at = self.decoder.complete(Arrival {
            request,
            raw,
            dirty_chunks: page.dirty_chunks,
            last_word: turn.last_word,
            word_cycles: self.bus.word_cycles(),
        });
        let Some(slot) = entry.slot else { return };
        let outcome = if page.lost_chunks > 0 { Outcome::Uncorrectable } else { Outcome::Success };
        let mut completion = self.completion(request, entry.ticket, (outcome, 0));
        let response = &mut completion.response;
        response.erased = page.erased;
        response.corrected_bits = page.corrected_bits;
        response.most_bits = page.most_bits;
        response.lost_chunks = page.lost_chunks;
        let source = Source::Page;
        self.completions.insert(Ended { at, source, slot, completion });
    }

    /// A unit is busy: R/B# stays low for all of its chip that wait.
    pub(crate) fn wait_together(&mut self, unit: u8, until: u64, now: u64) {
        let Some(polls) = &mut self.polls else { return };
        polls.wait(unit, now);
        let busy = polls.siblings(unit) & !self.ready;
        for (other, at) in self.ready_at.iter_mut().enumerate() {
            if busy >> other & 1 == 1 {
                *at = (*at).max(until);
            }
        }
    }

    /// When a unit is to be asked for its status, if the bus has nothing else to do.
    pub(crate) fn poll_time(&self) -> u64 {
        if let (Some(asking), Former::Empty) = (&self.asking, &self.former) {
            return asking.at();
        }
        let (Some(polls), Former::Empty) = (&self.polls, &self.former) else { return NEVER };
        let needing = self.board.valid & self.board.ranks.needs_ready & !self.ready;
        polls.at(needing, !self.ready)
    }

    /// Whether a step's way has to be taken out of its status first.
    pub(crate) fn needs_mode(&self, chosen: Chosen) -> bool {
        let Form::Bus { operation, .. } = chosen.plan.form else { return false };
        self.asking.as_ref().is_some_and(|asking| asking.needs_mode(chosen.way, operation))
    }

    /// Asks a unit that waits beside a busy one for its status.
    pub(crate) fn ask(&mut self, now: u64, waiting: u64) {
        let (Some(polls), Former::Empty) = (&mut self.polls, &self.former) else { return };
        let Some(unit) = polls.pick(now, waiting, !self.ready) else { return };
        let turn = self.bus.turn(now, Operation::ReadStatusEnhanced, 0);
        self.busy_ps += (turn.over - now) * self.setup.period_ps;
        let entry = self.fetch(unit).entry;
        self.last = Some(BusStep {
            at: self.time(now),
            over: self.time(turn.over + 1),
            operation: Operation::ReadStatusEnhanced,
            next_plane: false,
            way: self.chip(unit),
            row: entry.request.row,
            ticket: entry.ticket,
        });
        self.former = Former::Poll(unit, turn.over + 1);
    }

    /// The status of a unit has come.
    pub(crate) fn find_ready(&mut self, unit: u8, now: u64) {
        let place = usize::from(unit);
        if self.asking.is_some() {
            self.ready |= u64::from(self.hear_status(unit, now)) << unit;
            return;
        }
        if self.luns[place].ready_at() > self.time(now - 1) {
            if let Some(polls) = &mut self.polls {
                polls.wait(unit, now);
            }
            return;
        }
        self.ready |= 1 << unit;
        self.ready_at[place] = NEVER;
        self.next_ready = self.ready_at.iter().copied().min().unwrap_or(NEVER);
    }
}
