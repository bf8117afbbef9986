//! A cycle of a channel: what all its parts do in it.

use contract::packet::Outcome;

use crate::arbiter::Seen;
use crate::channel::{Channel, NEVER};
use crate::chips::Chips;
use crate::completions::{Ended, Source};
use crate::former::{Chosen, Former};
use crate::halts::Halts;
use crate::intake::{self, Refusal, Taken};
use crate::plan::Form;
use crate::queues::Queue;
use crate::reorder::ReorderBuffer;
use crate::visit;

/// Cycles that the arbiter takes to settle.
const SETTLE: u64 = 3;

impl Channel {
    /// A cycle: what is decided in it follows from what was so at its beginning.
    pub(crate) fn tick<C: Chips>(&mut self, now: u64, chips: &mut C, order: &mut ReorderBuffer) {
        self.settle_ready(now);
        let is_empty = matches!(self.former, Former::Empty);
        let seen = self.seen(now);
        let expired = self.timer.expired();
        let needing = self.board.valid & seen.ranks.needs_ready & !self.ready;
        let waiting = self.board.stuck | needing;
        let choice = if self.former.accepts(now) { self.arbiter.choice(seen) } else { None };
        let chosen = choice.map(|way| self.fetch(way));
        let low_waits = self.queues.filled(false);
        let reading = chosen.is_some() || self.visit.peeks(now);
        let taken = self.take_in(now, reading, order);
        let mut changed = self.advance_visit(now, choice, expired);
        changed |= self.advance_former(now, chips, chosen.is_some());
        changed |= self.change_halts(now);
        if chosen.is_none() && needing != 0 && !self.arbiter.has_next() {
            self.ask(now, needing);
        }
        if chosen.is_none() && is_empty && !self.arbiter.has_next() {
            self.ask_way(now);
        }
        if let Some(asking) = &mut self.asking {
            asking.looked(now);
        }
        changed |= self.push(now, taken);
        if self.arbiter.book.skip() {
            self.intake.wake(now + 1);
            changed = true;
        }
        if let Some(chosen) = chosen {
            self.begin(now, chosen, low_waits);
        }
        changed |= self.arbiter.advance(seen, chosen.map(|chosen| (chosen.way, chosen.plan)));
        self.timer.advance(now, waiting, choice);
        let late = self.timer.expired();
        let low_turn = self.arbiter.low_turn();
        let due = late | (low_turn ^ std::mem::replace(&mut self.low_turn, low_turn));
        self.board.due |= due;
        changed |= due != 0;
        changed |= self.halts.advance();
        if self.board.due != 0 {
            self.visit.wake(now + 1);
        }
        self.schedule(now, changed);
        if self.halts.changed | self.halts.aborted != 0 {
            self.settling = now + 1;
        }
        self.complete(now, order);
    }

    /// Ways get ready or busy at the beginning of a cycle.
    fn settle_ready(&mut self, now: u64) {
        if let Some((from, way, until)) = self.turning_busy {
            if from <= now {
                self.ready &= !(1 << way);
                if let Some(asking) = &mut self.asking {
                    asking.wait(way, until);
                } else {
                    self.ready_at[usize::from(way)] = until;
                    self.next_ready = self.next_ready.min(until);
                }
                self.wait_together(way, until, now);
                self.turning_busy = None;
                self.settling = self.settling.min(now);
            }
        }
        if self.next_ready > now {
            return;
        }
        self.next_ready = NEVER;
        for (way, at) in self.ready_at.iter_mut().enumerate() {
            if *at <= now {
                self.ready |= 1 << way;
                *at = NEVER;
            }
            self.next_ready = self.next_ready.min(*at);
        }
        self.settling = self.settling.min(now);
    }

    fn seen(&self, now: u64) -> Seen {
        let ranks = self.board.ranks;
        Seen {
            works: self.board.valid & (self.ready | !ranks.needs_ready),
            held: self.visit.storing(now) | self.board.held() | self.halts.changed,
            ranks,
        }
    }

    /// The step of a way and its request.
    pub(crate) fn fetch(&self, way: u8) -> Chosen {
        let plan = self.board.plan(way);
        let queue = Queue { way, urgent: plan.urgent };
        let entry = *self.queues.peek(queue, plan.offset).expect("the request is in its queue");
        Chosen { way, plan, entry }
    }

    fn take_in(&mut self, now: u64, reading: bool, order: &mut ReorderBuffer) -> Taken {
        if self.intake.at > now {
            return Taken::Nothing;
        }
        let ordered = self.setup.policy.execution.keeps_order();
        let book_room = [false, true].map(|urgent| !ordered || self.arbiter.book.has_room(urgent));
        let refusal_ready = self.former.lets_refusals_pass(now) && self.completing <= now;
        let mut around =
            intake::Around { queues: &self.queues, order, book_room, reading, refusal_ready };
        self.intake.advance(now, &mut around)
    }

    fn advance_visit(&mut self, now: u64, choice: Option<u8>, expired: u64) -> bool {
        if let Some(way) = choice {
            self.visit.chosen(way);
        }
        self.visit.changed(self.halts.changed);
        if self.visit.at > now {
            return false;
        }
        let stores = self.visit.storing(now) != 0;
        let mut around = visit::Around {
            board: &mut self.board,
            queues: &mut self.queues,
            expired,
            low_turn: self.arbiter.low_turn(),
            halted: self.halts.halted,
            giving: self.halts.giving,
            fetching: choice.is_some(),
        };
        if self.visit.advance(now, &mut around) {
            self.intake.wake(now + 1);
        }
        stores
    }

    /// What ways may begin has changed, or changes. Whether either.
    fn change_halts(&mut self, now: u64) -> bool {
        let Halts { changed, aborted, .. } = self.halts;
        self.board.change(changed);
        for way in (0..64).filter(|way| aborted >> way & 1 == 1) {
            self.board.abandon(way);
        }
        while let Some((_, way, order)) = self.orders.pop_if(|(at, ..)| *at <= now) {
            self.halts.tell(way, order);
        }
        changed | aborted != 0
    }

    fn push(&mut self, now: u64, taken: Taken) -> bool {
        match taken {
            Taken::Nothing => false,
            Taken::Pushed(queue, entry) => {
                self.queues.push(queue, entry);
                self.board.due |= 1 << queue.way;
                if self.setup.policy.execution.keeps_order() {
                    self.arbiter.book.push(queue.way, queue.urgent);
                }
                true
            }
            Taken::Refused(asked, slot, why) => {
                let outcome = match why {
                    Refusal::Bad => Outcome::Refused,
                    Refusal::Full => Outcome::GivenBack,
                };
                let ended = (outcome, 0);
                let completion = self.completion(&asked.request, asked.ticket, ended);
                self.completing = now + 2;
                let source = Source::Step;
                self.completions.insert(Ended { at: now + 1, source, slot, completion });
                false
            }
        }
    }

    /// A step was chosen.
    fn begin(&mut self, now: u64, chosen: Chosen, low_waits: u64) {
        let Chosen { way, plan, .. } = chosen;
        self.board.take(way);
        if plan.starts {
            // There is room in the order of requests.
            self.intake.wake(now + 1);
            let passed = &mut self.board.passed[usize::from(way)];
            let passes = plan.urgent && low_waits >> way & 1 == 1;
            *passed = if passes { passed.saturating_add(1) } else { 0 };
        }
        self.former = match plan.form {
            Form::Bus { .. } => Former::Offer(chosen, now + 2),
            Form::Fail | Form::Refuse | Form::Return => Former::Close(chosen, now + 2),
        };
    }

    /// When the arbiter has to be looked at again: while it settles, and before the bus is free.
    fn schedule(&mut self, now: u64, changed: bool) {
        let free = self.former.free_at(now);
        self.settling = match free {
            None => NEVER,
            Some(free) if free > now + SETTLE => free - SETTLE,
            Some(free) if free > now => now + 1,
            Some(_) if changed => now + 1,
            Some(_) => NEVER,
        };
    }

    /// Completions go to the reorder buffer, one a cycle: that of the scheduler and that of a page in
    /// turn.
    fn complete(&mut self, now: u64, order: &mut ReorderBuffer) {
        let Some((at, first)) = self.completions.first() else { return };
        if at > now {
            return;
        }
        let mut ended = self.completions.pop();
        if self.completions.first().is_some_and(|(at, _)| at <= now) {
            let turn = if self.last_source == Source::Page { Source::Step } else { Source::Page };
            let mut later = self.completions.pop();
            if first != turn {
                std::mem::swap(&mut ended, &mut later);
            }
            if later.source == Source::Step {
                self.completing += 1;
            }
            self.completions.insert(Ended { at: now + 1, ..later });
        }
        self.last_source = ended.source;
        ended.completion.at = self.time(now);
        order.complete(ended.slot, ended.completion);
        self.intake.wake(now + 1);
    }
}
