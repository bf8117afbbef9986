//! A channel: all its parts, cycle by cycle, and the cycles in which nothing happens left out.

use contract::packet::{Answer, Operation, Outcome, Priority, Request, Response};
use contract::{Instant, WayOrder};

use crate::arbiter::{Arbiter, Seen};
use crate::board::Board;
use crate::bus::{Bus, BusTiming, CodeWords};
use crate::chips::{ChipTimes, Chips};
use crate::completions::{Completions, Ended, Source};
use crate::decoder::{Decoder, DecoderTiming};
use crate::former::{Chosen, Ending, Former};
use crate::halts::Halts;
use crate::intake::{self, Intake, Refusal, Taken};
use crate::lun::Lun;
use crate::operation::{acts, is_status, reads_page, resets};
use crate::plan::Form;
use crate::policy::{Classes, Policy};
use crate::queues::{Queue, Queues};
use crate::reorder::{Completion, ReorderBuffer};
use crate::shared_enable::{Polls, SharedEnable};
use crate::timer::WayTimer;
use crate::visit::{self, Visit};

/// A time that never comes.
const NEVER: u64 = u64::MAX;
/// What ways may be told before the channel has seen it.
const ORDERS: usize = 64;
/// Cycles that the arbiter takes to settle.
const SETTLE: u64 = 3;

/// What a channel is made of.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The number of the channel, which its completions carry.
    pub channel: u8,
    /// Ways, at most 64.
    pub ways: u8,
    /// LUNs of a chip, which do one thing at a time.
    pub luns: u8,
    /// LUNs of a chip that overlap instead; there are `ways` chips all the same.
    pub shared_enable: Option<SharedEnable>,
    /// Requests that a queue holds; each way has two.
    pub queue_depth: usize,
    /// Requests whose order can be written down, in the models that keep one.
    pub order_depth: usize,
    /// Requests that may wait for their queue.
    pub window: usize,
    /// A cycle of the clock, in picoseconds.
    pub period_ps: u64,
    /// The policies.
    pub policy: Policy,
    /// The bus.
    pub bus: BusTiming,
    /// tWB, in picoseconds: until then a chip that was told to be busy does not say so.
    pub busy_shown_ps: u64,
    /// Code words.
    pub code: CodeWords,
    /// The decoder.
    pub decoder: DecoderTiming,
    /// Times of the chips beside those of their cells.
    pub times: ChipTimes,
}

/// A turn on the bus, as it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusStep {
    /// When the bus took it.
    pub at: Instant,
    /// When it had left the bus.
    pub over: Instant,
    /// The operation, a step.
    pub operation: Operation,
    /// JEDEC's 81h for 80h, on planes behind the first one.
    pub next_plane: bool,
    /// The way.
    pub way: u8,
    /// The row of its request.
    pub row: u32,
    /// The number that the request was given with.
    pub ticket: u32,
}

/// One flash channel controller.
///
/// Requests go in by [`Channel::submit`], as the hardware's channel takes them; [`Channel::poll`] lets it
/// work, and completions come out of the drive's [`ReorderBuffer`].
#[derive(Debug)]
pub struct Channel {
    pub(crate) setup: Setup,
    pub(crate) intake: Intake,
    pub(crate) queues: Queues,
    pub(crate) board: Board,
    pub(crate) visit: Visit,
    pub(crate) arbiter: Arbiter,
    pub(crate) timer: WayTimer,
    pub(crate) former: Former,
    pub(crate) bus: Bus,
    pub(crate) decoder: Decoder,
    pub(crate) luns: Vec<Lun>,
    /// The LUN of each way that was addressed last.
    pub(crate) selected: Vec<u8>,
    /// Ways that are ready, a bit each; when each of the others will be, and the first of those times.
    pub(crate) ready: u64,
    pub(crate) ready_at: Vec<u64>,
    pub(crate) next_ready: u64,
    /// A way that a command makes busy, from a cycle on, until another.
    pub(crate) turning_busy: Option<(u64, u8, u64)>,
    /// The arbiter has not settled before this cycle.
    pub(crate) settling: u64,
    /// The last completion is on its way to the reorder buffer until then.
    pub(crate) completing: u64,
    pub(crate) completions: Completions,
    /// Where the last completion came from.
    pub(crate) last_source: Source,
    pub(crate) halts: Halts,
    /// What ways are told, and in which cycle; the first one last.
    pub(crate) orders: Vec<(u64, u8, WayOrder)>,
    /// Ways with a silent request that did not end well, a bit each: their next status tells.
    pub(crate) void: u64,
    /// The way whose low request goes before its urgent ones, as it was last, a bit.
    pub(crate) low_turn: u64,
    pub(crate) busy_ps: u64,
    pub(crate) last: Option<BusStep>,
    pub(crate) polls: Option<Polls>,
}

impl Channel {
    /// A channel whose chips are idle.
    ///
    /// # Panics
    /// If there are no ways, or more than 64.
    pub fn new(setup: Setup) -> Self {
        let policy = setup.policy;
        let shared = setup.shared_enable;
        let ways = setup.ways * shared.map_or(1, |shared| shared.luns);
        assert!((1..=64).contains(&ways), "ways: found {ways}, expected 1 to 64");
        let setup = if shared.is_some() { Setup { luns: 1, ..setup } } else { setup };
        let classes = !policy.execution.keeps_order() || policy.classes == Classes::Kept;
        Self {
            intake: Intake::new(ways, classes, &policy, setup.window),
            queues: Queues::new(ways, setup.queue_depth),
            board: Board::new(ways),
            visit: Visit::new(policy, shared.is_some()),
            arbiter: Arbiter::new(&policy, ways, setup.order_depth),
            timer: WayTimer::new(ways, policy.busy_timeout),
            former: Former::Empty,
            bus: Bus::new(setup.bus),
            decoder: Decoder::new(setup.decoder, setup.code),
            luns: vec![Lun::new(); usize::from(ways) * usize::from(setup.luns)],
            selected: vec![0; usize::from(ways)],
            ready: u64::MAX >> (64 - ways),
            ready_at: vec![NEVER; usize::from(ways)],
            next_ready: NEVER,
            turning_busy: None,
            settling: 0,
            completing: 0,
            completions: Completions::new(),
            last_source: Source::Page,
            halts: Halts::default(),
            orders: Vec::with_capacity(ORDERS),
            void: 0,
            low_turn: 0,
            busy_ps: 0,
            last: None,
            polls: shared.map(|shared| Polls::new(shared, ways)),
            setup,
        }
    }

    /// Requests that may be submitted now.
    pub fn room(&self) -> usize {
        self.intake.room()
    }

    /// Whether the queue of a way takes a request of a row and class now.
    pub fn has_room(&self, way: u8, row: u32, priority: Priority) -> bool {
        let urgent = priority == Priority::High && self.keeps_classes();
        self.queues.has_room(Queue { way: self.unit(way, row), urgent })
    }

    /// Asks for something. `ticket` comes back with the completion.
    ///
    /// # Panics
    /// If there is no room.
    pub fn submit(&mut self, now: Instant, request: Request, ticket: u32) {
        let cycle = now.as_ps().div_ceil(self.setup.period_ps);
        let way = self.unit(request.way, request.row);
        self.intake.push(Request { way, ..request }, ticket, cycle);
    }

    /// Room in the reorder buffer has come, which a request may wait for.
    pub fn wake(&mut self, now: Instant) {
        self.intake.wake(now.as_ps().div_ceil(self.setup.period_ps));
    }

    /// Tells a way something.
    ///
    /// # Panics
    /// If the channel was not polled while much was told.
    pub fn order(&mut self, now: Instant, way: u8, order: WayOrder) {
        assert!(self.orders.len() < ORDERS, "orders are seen");
        let cycle = now.as_ps().div_ceil(self.setup.period_ps);
        self.orders.insert(0, (cycle, way, order));
    }

    /// Ways that begin no operation, a bit each.
    pub fn halted(&self) -> u64 {
        self.halts.halted
    }

    /// Ways that have an operation, a bit each.
    pub fn occupied(&self) -> u64 {
        self.arbiter.occupied()
    }

    /// Whether nothing is left to do but for what comes from outside.
    pub fn is_idle(&self) -> bool {
        self.intake.is_empty()
            && matches!(self.former, Former::Empty)
            && self.completions.is_empty()
            && self.arbiter.occupied() == 0
            && self.queues.filled(false) | self.queues.filled(true) == 0
    }

    /// Time that the bus was busy so far, in picoseconds.
    pub fn bus_busy_ps(&self) -> u64 {
        self.busy_ps
    }

    /// When something happens next, if nothing comes from outside.
    pub fn poll_at(&self) -> Instant {
        match self.next() {
            NEVER => Instant::NEVER,
            cycle => Instant::from_ps(cycle * self.setup.period_ps),
        }
    }

    /// Works on until `now`. `on_step` is told of each turn on the bus.
    pub fn poll<C: Chips>(
        &mut self,
        now: Instant,
        chips: &mut C,
        order: &mut ReorderBuffer,
        mut on_step: impl FnMut(BusStep),
    ) {
        let limit = now.as_ps() / self.setup.period_ps;
        loop {
            let cycle = self.next();
            if cycle > limit {
                return;
            }
            self.tick(cycle, chips, order);
            if let Some(step) = self.last.take() {
                on_step(step);
            }
        }
    }

    /// What is scheduled for a row of a chip: the chip, or one of its LUNs.
    fn unit(&self, way: u8, row: u32) -> u8 {
        match &self.polls {
            None => way,
            Some(_) if way >= self.setup.ways => u8::MAX,
            Some(polls) => {
                let lun = self.setup.policy.planes.lun(row) as u8;
                way * polls.shared.luns + lun.min(polls.shared.luns - 1)
            }
        }
    }

    /// The chip of a unit.
    pub(crate) fn chip(&self, unit: u8) -> u8 {
        unit / self.polls.as_ref().map_or(1, |polls| polls.shared.luns)
    }

    fn keeps_classes(&self) -> bool {
        let policy = &self.setup.policy;
        !policy.execution.keeps_order() || policy.classes == Classes::Kept
    }

    /// The next cycle in which something may change.
    fn next(&self) -> u64 {
        let turning = self.turning_busy.map_or(NEVER, |(from, ..)| from);
        let parts = [
            self.intake.at,
            self.visit.at,
            self.former.at(),
            self.timer.at(),
            self.next_ready,
            self.orders.last().map_or(NEVER, |(at, ..)| *at),
            turning,
            self.poll_time(),
            self.settling,
            self.completions.first().map_or(NEVER, |(at, _)| at),
        ];
        parts.into_iter().fold(NEVER, u64::min)
    }

    /// A cycle: what is decided in it follows from what was so at its beginning.
    fn tick<C: Chips>(&mut self, now: u64, chips: &mut C, order: &mut ReorderBuffer) {
        self.settle_ready(now);
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
                self.ready_at[usize::from(way)] = until;
                self.next_ready = self.next_ready.min(until);
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

    /// Whether another step may be chosen from the next cycle on.
    fn advance_former<C: Chips>(&mut self, now: u64, chips: &mut C, next: bool) -> bool {
        match self.former {
            Former::Offer(chosen, at) if at <= now => {
                if self.completing > now {
                    self.former = Former::Offer(chosen, self.completing);
                    return false;
                }
                let (ending, over) = self.run(now, chosen, chips);
                self.former = Former::Bus(chosen, ending, over);
                false
            }
            Former::Bus(chosen, ending, over) if over == now => {
                if !next {
                    self.former = Former::Empty;
                }
                self.end(now, chosen, ending);
                !next
            }
            Former::Poll(unit, over) if over == now => {
                self.former = Former::Empty;
                self.find_ready(unit, now);
                true
            }
            Former::Close(chosen, at) if at <= now => {
                if self.completing > now {
                    self.former = Former::Close(chosen, self.completing);
                    return false;
                }
                self.former = Former::Empty;
                let outcome = match chosen.plan.form {
                    Form::Refuse => Outcome::Refused,
                    Form::Return => Outcome::GivenBack,
                    _ => Outcome::TimedOut,
                };
                if outcome == Outcome::TimedOut {
                    self.spoil(chosen);
                    self.fails(chosen.way);
                }
                self.finish(now, chosen, (outcome, 0));
                true
            }
            _ => false,
        }
    }

    /// A step has left the bus.
    fn end(&mut self, now: u64, chosen: Chosen, ending: Ending) {
        let Chosen { way, plan, .. } = chosen;
        let Form::Bus { operation, verdict, .. } = plan.form else { return };
        if ending.timed_out || (plan.closes && verdict.fails(ending.value)) {
            self.fails(way);
        }
        if !plan.closes {
            if ending.timed_out {
                self.board.abandon(way);
            }
            return;
        }
        if ending.timed_out {
            self.spoil(chosen);
        }
        let told = self.tell(chosen);
        if reads_page(operation) {
            return;
        }
        let failed = verdict.fails(ending.value);
        let outcome = match (ending.timed_out || told, failed) {
            (true, _) => Outcome::TimedOut,
            (false, true) => Outcome::Failed,
            (false, false) => Outcome::Success,
        };
        self.finish(now, chosen, (outcome, ending.value));
    }

    /// Something of a way has failed.
    fn fails(&mut self, way: u8) {
        if self.setup.policy.halt_on_failure {
            self.halts.tell(way, WayOrder::Halt);
        }
    }

    /// A silent request did not end well: its way is void.
    fn spoil(&mut self, chosen: Chosen) {
        let request = &chosen.entry.request;
        if request.answer == Answer::Silent && acts(request.operation) {
            self.void |= 1 << chosen.way;
        }
    }

    /// A step that was its request has ended: whether it has to tell that its way is void. That is over
    /// then, and with a reset.
    fn tell(&mut self, chosen: Chosen) -> bool {
        let request = &chosen.entry.request;
        let asks = is_status(request.operation) && request.answer == Answer::Response;
        let is_void = self.void >> chosen.way & 1 == 1;
        if asks || resets(request.operation) {
            self.void &= !(1 << chosen.way);
        }
        asks && is_void
    }

    /// The request of a step completes.
    fn finish(&mut self, now: u64, chosen: Chosen, ended: (Outcome, u32)) {
        let entry = chosen.entry;
        if let Some(slot) = entry.slot {
            let completion = self.completion(&entry.request, entry.ticket, ended);
            self.completing = now + 2;
            let source = Source::Step;
            self.completions.insert(Ended { at: now + 1, source, slot, completion });
        }
    }

    pub(crate) fn completion(
        &self,
        request: &Request,
        ticket: u32,
        ended: (Outcome, u32),
    ) -> Completion {
        Completion {
            response: Response {
                tag: request.tag,
                way: self.chip(request.way),
                stream: request.stream,
                outcome: ended.0,
                interrupt_pending: false,
                erased: false,
                corrected_bits: 0,
                most_bits: 0,
                lost_chunks: 0,
                value: ended.1,
            },
            interrupt: request.interrupt,
            at: Instant::ZERO,
            channel: self.setup.channel,
            ticket,
        }
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

    pub(crate) fn time(&self, cycle: u64) -> Instant {
        Instant::from_ps(cycle * self.setup.period_ps)
    }
}
