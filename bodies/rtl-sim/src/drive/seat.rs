//! The processor's seat beside a controller: the firmware runs on the computer that simulates, and its time is
//! charged as that of the board's processor.

use super::by_itself::{Begun, ByItself, Steps};
use super::host_side::HostEnd;
use super::parts::Parts;
use super::quiet::Quiet;
use super::watcher::Watcher;
use crate::nvme::Card;
use crate::{ChipBus, Model, Peek};
use board::Board;
use contract::{Module, Pass, Work};
use driver::{Bus, Note};
use host::Ring;
use machine::{Wake, NEVER};
use std::collections::VecDeque;

const MODULES: usize = Module::ALL.len();

/// The registers of `host_registers` that CSTS is made of (NVMe 1.4 section 3.1.6): RDY, CFS, SHST.
#[derive(Debug)]
pub struct Status([(Peek, u32); 3]);

impl Status {
    /// Of a controller.
    pub fn of(model: &Model) -> Self {
        let at = |(end, bit)| (Peek::named(model, end), bit);
        Self(
            [
                (".u_front.u_registers.ready_q", 0),
                (".u_front.u_registers.fatal_q", 1),
                (".u_front.u_registers.shutdown_q", 2),
            ]
            .map(at),
        )
    }

    fn csts(&self, model: &Model) -> u32 {
        self.0.iter().map(|(peek, bit)| (peek.value(model) as u32) << bit).sum()
    }
}

/// A card, its processor and its host, all in the time of the controller's clock.
pub struct Seat<'o, E> {
    /// The controller and what hangs on it.
    pub card: Card<E>,
    /// How the last turn of the firmware ended.
    pub pass: Pass,
    /// The last cycle in which anything happened that the host or the firmware could see.
    pub busy_at: u64,
    /// What is known of times in which nothing changes, where they are left out.
    pub quiet: Option<Quiet>,
    /// What tells of commands that the hardware runs by itself, where it does.
    pub by_itself: Option<ByItself>,
    /// Who watches, if anybody does.
    pub watcher: Option<Watcher<'o>>,
    /// Where the controller's status stands, if the host asks for it while it acts.
    pub status: Option<Status>,
    period_ps: u64,
    work_ps: [u64; Work::ALL.len()],
    /// Time of work that is not over.
    debt_ps: u64,
    pub(super) parts: Parts,
    /// Time of the firmware's modules, and of turns that found nothing.
    pub(super) module_ps: [u64; MODULES],
    pub(super) idle_module_ps: [u64; MODULES],
    pub(super) idle_ps: u64,
    pub(super) interrupts: u64,
    /// The module that the processor works for, since when.
    module: Module,
    since_ps: u64,
    /// When the turn began, and what modules had spent by then.
    pass_start_ps: u64,
    spent_at_start: [u64; MODULES],
    /// When the host wants to act.
    wake_ps: u64,
    doorbell_ps: u64,
    interrupt_ps: u64,
    /// Doorbells and messages on their way, with the time at which they arrive.
    rings: VecDeque<(u64, Ring)>,
    messages: VecDeque<(u64, u16)>,
}

impl<E: HostEnd> Seat<'_, E> {
    /// A seat beside a card whose host has no jobs yet.
    pub fn new(card: Card<E>, board: &Board, period_ps: u64) -> Self {
        let doorbell_ps = board.host.doorbell_latency.as_ps();
        let interrupt_ps = board.host.interrupt_latency.as_ps();
        let cycle = |cycles: u64| cycles * 1_000_000 / board.processor.clock_mhz;
        Self {
            card,
            pass: Pass::Busy,
            busy_at: 0,
            quiet: None,
            by_itself: None,
            watcher: None,
            status: None,
            period_ps,
            work_ps: board.processor.work_cycles.map(cycle),
            debt_ps: 0,
            parts: Parts::new([doorbell_ps, interrupt_ps], board.firmware.geometry.channels),
            module_ps: [0; MODULES],
            idle_module_ps: [0; MODULES],
            idle_ps: 0,
            interrupts: 0,
            module: Module::ALL[0],
            since_ps: 0,
            pass_start_ps: 0,
            spent_at_start: [0; MODULES],
            wake_ps: NEVER,
            doorbell_ps,
            interrupt_ps,
            rings: VecDeque::new(),
            messages: VecDeque::new(),
        }
    }

    /// The same, whose processor takes the time that it takes: nothing is charged.
    pub fn uncharged(self) -> Self {
        Self { work_ps: [0; Work::ALL.len()], ..self }
    }

    /// Cycles since reset, those among them that the model has yet to run.
    pub fn cycles(&self) -> u64 {
        self.card.cycles() + self.ahead()
    }

    /// Cycles that the model has yet to run.
    pub fn ahead(&self) -> u64 {
        self.quiet.as_ref().map_or(0, Quiet::ahead)
    }

    /// Picoseconds since reset.
    pub fn now_ps(&self) -> u64 {
        self.cycles() * self.period_ps
    }

    /// Has the model run what it lacks.
    #[inline]
    pub fn catch_up(&mut self) {
        if let Some(quiet) = self.quiet.as_mut().filter(|quiet| quiet.lasts()) {
            quiet.end(&mut self.card);
        }
    }

    /// The first cycle in which something comes from outside, if the controller is at rest as far as its ports tell.
    fn next_from_outside(&self) -> Option<u64> {
        let is_at_rest = self.card.is_idle()
            && self.card.bar.is_idle()
            && self.card.under_way().accesses == 0
            && !self.card.chips.iter().any(ChipBus::in_use);
        let rung = self.rings.front().map_or(NEVER, |&(at, _)| at);
        let told = self.messages.front().map_or(NEVER, |&(at, _)| at);
        let chips = self.card.chips.iter().map(|chips| chips.wake().as_ps()).min();
        let next = self.wake_ps.min(rung).min(told).min(chips.unwrap_or(NEVER));
        // What is due at the end of a cycle comes in that cycle.
        is_at_rest.then(|| next.div_ceil(self.period_ps).saturating_sub(1))
    }

    /// When the host wants to act without being interrupted; [`NEVER`] if it does not.
    pub fn wake_ps(&self) -> u64 {
        self.wake_ps
    }

    /// Lets the host act.
    pub fn wake(&mut self, wake: Wake) {
        self.catch_up();
        let (now, doorbell_ps) = (self.now_ps(), self.doorbell_ps);
        let Self { card, rings, status, .. } = self;
        if let Some(status) = status {
            let csts = status.csts(card.model());
            card.host.memory_mut().show_status(csts);
        }
        let ring = |ring| rings.push_back((now + doorbell_ps, ring));
        self.wake_ps = card.host.memory_mut().act(now, wake, ring);
        self.busy_at = self.cycles();
    }

    /// Whether doorbells or messages are on their way, chips are busy, or the controller has accesses under way.
    pub fn is_busy(&self) -> bool {
        let under_way = self.card.under_way();
        let on_the_way = !self.rings.is_empty() || !self.messages.is_empty();
        let chips = self.card.chips.iter().any(ChipBus::is_busy);
        on_the_way || chips || under_way.accesses > under_way.silent || !self.card.bar.is_idle()
    }

    /// One cycle, and what it brings the host.
    pub fn cycle(&mut self) {
        self.catch_up();
        self.card.cycle();
        let now = self.now_ps();
        self.follow(now);
        let messages = self.card.host.memory_mut().messages();
        if !messages.is_empty() {
            let arrives = now + self.interrupt_ps;
            self.interrupts += messages.len() as u64;
            self.messages.extend(messages.drain(..).map(|vector| (arrives, vector)));
        }
        while self.messages.front().is_some_and(|&(at, _)| at <= now) {
            if let Some((_, vector)) = self.messages.pop_front() {
                self.wake(Wake::Interrupt(vector));
            }
        }
        if self.wake_ps <= now {
            self.wake(Wake::Timer);
        }
        while self.rings.front().is_some_and(|&(at, _)| at <= now) {
            if let Some((_, Ring { offset, value })) = self.rings.pop_front() {
                self.write_bar(offset, value);
            }
        }
        if let Some(watcher) = &mut self.watcher {
            watcher.cycle(now, &mut self.card);
        }
    }

    /// Follows the commands that the hardware runs by itself. The host needs the times of each before it sees the
    /// completion.
    fn follow(&mut self, now: u64) {
        let Some(by_itself) = &mut self.by_itself else { return };
        let Steps { begun, completed } = by_itself.look(now, self.card.model());
        if let Some(tag) = completed {
            self.watcher.iter_mut().for_each(|watcher| watcher.ran_by_itself(now, tag));
            let note = Note::Completed(tag);
            let done = self.parts.take(now, note);
            self.card.host.memory_mut().noted(now, &note, done.as_ref());
        }
        if let Some(Begun { command, bytes, arrived_ps }) = begun {
            self.busy_at = self.cycles();
            self.watcher
                .iter_mut()
                .for_each(|watcher| watcher.runs_by_itself(now, &command, bytes));
            self.parts.runs_by_itself(arrived_ps, &command);
            self.card.host.memory_mut().noted(now, &Note::Taken(command), None);
        }
    }

    /// The host's write to a register or a doorbell arrives.
    pub fn write_bar(&mut self, offset: u64, value: u32) {
        self.card.bar.write(offset, value);
        let now = self.now_ps();
        self.watcher.iter_mut().for_each(|watcher| watcher.written(now, offset, value));
    }

    /// Lets the time of the processor's work pass.
    fn pay(&mut self) {
        let mut due = self.debt_ps / self.period_ps;
        self.debt_ps %= self.period_ps;
        if let Some(quiet) = &mut self.quiet {
            due -= quiet.pass(self.card.cycles(), due);
        }
        (0..due).for_each(|_| self.cycle());
    }

    /// Charges the time since the last time to the module that had the processor.
    fn charge(&mut self) {
        let now = self.now_ps();
        self.module_ps[self.module as usize] += now - self.since_ps;
        let span = (std::mem::replace(&mut self.since_ps, now), now);
        self.watcher.iter_mut().for_each(|watcher| watcher.worked(self.module, span));
    }
}

impl<E: HostEnd> Bus for Seat<'_, E> {
    fn read(&mut self, address: u32) -> u32 {
        self.pay();
        let start = self.card.cycles();
        if let Some(value) = self.quiet.as_mut().and_then(|quiet| quiet.read(start, address)) {
            return value;
        }
        self.catch_up();
        let start = self.card.cycles();
        self.card.begin_read(address);
        loop {
            self.cycle();
            if let Some(value) = self.card.has_read(address, start) {
                let cycles = self.card.cycles() - start;
                self.quiet.iter_mut().for_each(|quiet| quiet.has_read(address, value, cycles));
                return value;
            }
        }
    }

    fn write(&mut self, address: u32, value: u32) {
        self.pay();
        self.catch_up();
        let start = self.card.cycles();
        self.card.begin_write(address, value);
        loop {
            self.cycle();
            if self.card.has_written(address, start) {
                let at = self.card.cycles();
                self.quiet.iter_mut().for_each(|quiet| quiet.has_written(at));
                return;
            }
        }
    }

    fn load(&mut self, address: u64, into: &mut [u8]) {
        into.copy_from_slice(&self.card.load(address, into.len()));
    }

    fn store(&mut self, address: u64, bytes: &[u8]) {
        self.card.store(address, bytes);
    }

    fn work(&mut self, work: Work, times: u32) {
        self.pay();
        self.charge();
        self.module = work.module();
        self.debt_ps += self.work_ps[work as usize] * u64::from(times);
    }

    fn note(&mut self, note: Note) {
        self.pay();
        let now = self.now_ps();
        self.watcher.iter_mut().for_each(|watcher| watcher.noted(now, &note));
        let done = self.parts.take(now, note);
        self.card.host.memory_mut().noted(now, &note, done.as_ref());
    }

    fn end_pass(&mut self, pass: Pass) {
        self.pay();
        self.charge();
        self.watcher.iter_mut().for_each(|watcher| watcher.passed(pass));
        let now = self.now_ps();
        if pass == Pass::Idle {
            self.idle_ps += now - self.pass_start_ps;
            for nth in 0..MODULES {
                let spent = self.module_ps[nth] - self.spent_at_start[nth];
                self.idle_module_ps[nth] += spent;
                self.module_ps[nth] -= spent;
            }
        } else {
            self.busy_at = self.cycles();
        }
        let next = self.next_from_outside();
        self.quiet.iter_mut().for_each(|quiet| quiet.end_pass(&self.card, pass, next));
        self.spent_at_start = self.module_ps;
        self.pass_start_ps = now;
        self.pass = pass;
    }
}
