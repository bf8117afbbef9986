//! A flash channel: its bus, its controller, and what its chips are doing.
//!
//! When a request is handed over, all of its times are worked out at once: when the bus takes it,
//! when the chip is ready, when the data are decoded. The status register then only compares times.

use board::{Bandwidth, Board};
use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::CodeWords;
use contract::{ChannelStatus, Duration, FlashOperation, FlashOutcome};
use machine::{ChannelUsage, NEVER};
use nand::FOREVER;

use crate::congestion::Congestion;
use crate::controller::{RESET, RESET_ERASE, RESET_PROGRAM};
use crate::processor::LookCosts;

/// Ways that a channel can have.
const WAYS: usize = 64;

const SUCCESS: FlashOutcome = FlashOutcome::Success { corrected_bits: 0, most_bits: 0 };

/// Bus times of a request by kind, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct BusTimes {
    /// Read trigger.
    pub trigger: u64,
    /// Read transfer of a flash page, data included.
    transfer: u64,
    /// Program of a flash page, data included.
    pub program: u64,
    /// Erase of a block: command and address, without the chip's own time.
    pub erase: u64,
    /// Status check.
    pub status: u64,
    /// From its end on the bus until its answer is there.
    pub status_latency: u64,
    /// Reset of a chip: a command alone.
    pub reset: u64,
    /// tFEAT, for which a chip is busy behind a change of its read level.
    pub feature: Duration,
    /// For how long a chip is busy with a flash page that waits for others, to be programmed with them.
    pub between: Duration,
    /// For how long a chip is busy until it has stopped what it does, and with going on with it.
    pub suspend: u64,
    pub resume: u64,
    /// What goes ahead of a transfer that waits for the bus.
    pub mode: u64,
    /// From when a chip begins to be busy, or from an answer that says busy, to the next answer to a status; 0 where R/B# tells.
    asked: u64,
    page_bytes: u32,
    /// What a transfer takes beyond its data, and what data take on their way.
    transfer_overhead: u64,
    bus: Bandwidth,
    code: CodeWords,
}

impl BusTimes {
    /// As the board says.
    pub fn new(board: &Board) -> Self {
        let c = &board.channel;
        let page_bytes = board.firmware.flash_page_bytes();
        let page = c.bus.time_of(board.bus_bytes(page_bytes));
        BusTimes {
            trigger: c.trigger_overhead.as_ps(),
            transfer: (c.transfer_overhead + page).as_ps(),
            program: (c.program_overhead + page).as_ps(),
            erase: c.erase_overhead.as_ps(),
            status: c.status_check.as_ps(),
            status_latency: c.status_latency.as_ps(),
            reset: c.erase_overhead.as_ps(),
            feature: board.flash.t_feature,
            between: board.flash.t_plane_busy,
            suspend: board.flash.t_suspend.as_ps(),
            resume: board.flash.t_resume.as_ps(),
            mode: c.mode_turn.as_ps(),
            asked: if c.status_poll == Duration::ZERO {
                0
            } else {
                (c.status_poll + c.status_check).as_ps()
            },
            page_bytes,
            transfer_overhead: c.transfer_overhead.as_ps(),
            bus: c.bus,
            code: board.ecc.code_words(),
        }
    }

    /// When the controller sees that a chip is ready which is busy from `end` until `until`, if it has to ask; none where R/B# tells.
    pub fn seen(&self, end: u64, until: u64) -> Option<u64> {
        (self.asked != 0)
            .then(|| end + until.saturating_sub(end).div_ceil(self.asked).max(1) * self.asked)
    }

    /// Read transfer of so many bytes of a page, these included.
    pub fn transfer(&self, length: u32) -> u64 {
        if length == self.page_bytes {
            return self.transfer;
        }
        self.transfer_overhead + self.bus.time_of(self.code.coded_bytes(length).into()).as_ps()
    }
}

/// One channel.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Channel {
    /// When the bus is free.
    bus_free: u64,
    /// Ends on the bus of the last requests, as many as the controller holds, and where they begin.
    held: Vec<u64>,
    begin: Vec<u64>,
    oldest: usize,
    /// When the controller has room: the oldest of them.
    room: u64,
    /// Ways whose next change is to come.
    pending: u64,
    /// Of those, ways that change by answering rather than by turning ready.
    answering: u64,
    ready: u64,
    responses: u64,
    at: [u64; WAYS],
    /// Earliest change to come of any way, or of the controller's room.
    change: u64,
    answer: [FlashOutcome; WAYS],
    /// Time that the controller had no room, and its value when each way last changed.
    congestion: Congestion,
    congestion_at_change: [u64; WAYS],
    failed: u64,
    /// Ways whose last work was of the array of their chip: a program or an erase.
    pub(crate) of_array: u64,
    /// Ways whose answer is to a page that was read, and is well.
    pub(crate) brought: u64,
    /// By way: what is left of the work that its chip suspends, and whether it will have failed.
    suspended: Vec<Option<(u64, bool)>>,
    /// Ways of which the next status check tells that.
    tells: u64,
    /// By way: what its chip does without end, until it is reset.
    hung: Vec<Option<FlashOperation>>,
    timeout: u64,
    /// From a request until it can have the bus; and from one turn of the bus to the next.
    latency: u64,
    gap: u64,
    bus_busy: u64,
    way_busy: Vec<u64>,
    /// When each way's last work began, and when it is over.
    from: [u64; WAYS],
    until: [u64; WAYS],
    /// Pages transferred from chips, and to them.
    pub(crate) pages: [u64; 2],
}

impl Channel {
    /// A channel of `ways` ways whose controller holds `depth` requests, and waits for `timeout` picoseconds for a chip.
    pub fn new(ways: u32, depth: u32, timeout: u64) -> Self {
        Channel {
            bus_free: 0,
            held: vec![0; depth as usize],
            begin: vec![0; depth as usize],
            oldest: 0,
            room: 0,
            pending: 0,
            answering: 0,
            ready: u64::MAX >> (64 - ways),
            responses: 0,
            at: [NEVER; WAYS],
            change: NEVER,
            answer: [SUCCESS; WAYS],
            congestion: Congestion::default(),
            congestion_at_change: [0; WAYS],
            failed: 0,
            of_array: 0,
            brought: 0,
            suspended: vec![None; ways as usize],
            tells: 0,
            hung: vec![None; ways as usize],
            timeout,
            latency: 0,
            gap: 0,
            bus_busy: 0,
            way_busy: vec![0; ways as usize],
            from: [0; WAYS],
            until: [0; WAYS],
            pages: [0; 2],
        }
    }

    /// The status register as it reads at `now`, if a way turned ready or responded since the last
    /// look, or if the controller has room and somebody is eager.
    #[inline]
    pub fn look(&mut self, now: u64, eager: bool) -> Option<ChannelStatus> {
        let news = self.change <= now && self.update(now);
        if !news && (!eager || self.room > now) {
            return None;
        }
        Some(ChannelStatus { ready: self.ready, responses: self.responses, room: self.free(now) })
    }

    /// Takes all responses out of the window behind a look, those among them that come meanwhile. Each takes the first of
    /// these times, one to a page that was read the second one besides. Returns the register as it reads then.
    pub fn empty_window(
        &mut self,
        status: ChannelStatus,
        [each, brought]: [u64; 2],
        now: &mut u64,
    ) -> ChannelStatus {
        let mut taken = 0;
        while self.responses & !taken != 0 {
            let next = self.responses & !taken;
            let way = next.trailing_zeros();
            taken |= 1 << way;
            *now += each + if self.brought >> way & 1 != 0 { brought } else { 0 };
            self.update(*now);
        }
        ChannelStatus { ready: self.ready, responses: self.responses, ..status }
    }

    /// Requests that the controller has room for. Those that it holds are over in the order in which they came.
    fn free(&self, now: u64) -> u32 {
        let depth = self.held.len();
        let (mut free, mut nth) = (depth, self.oldest);
        loop {
            nth = if nth == 0 { depth - 1 } else { nth - 1 };
            if self.held[nth] <= now || free == 0 {
                return free as u32;
            }
            free -= 1;
        }
    }

    /// The earliest time after the last status read at which the register reads otherwise.
    #[inline]
    pub fn change(&self) -> u64 {
        self.change
    }

    /// What a look costs beside its first read. Beside the first list of ways it goes through that of ways whose chips work, and
    /// that of ways whose answers are awaited besides, each of which it asks for.
    #[inline]
    pub fn look_cost(&self, costs: LookCosts) -> u64 {
        let works = u64::from(self.pending & !self.answering != 0);
        let awaited = u64::from((self.pending & self.answering).count_ones());
        costs.list * works * (1 + u64::from(awaited > 0)) + costs.awaited * awaited
    }

    /// When the controller has room for a request.
    #[inline]
    pub fn room(&self) -> u64 {
        self.room
    }

    /// The same, whose requests have the bus so many picoseconds after they came, or later, and so long behind the turn before.
    pub fn with_times(self, (latency, gap): (u64, u64)) -> Self {
        Channel { latency, gap, ..self }
    }

    /// Gives a request that comes `now` the bus for `length`, when it is free; returns its start and
    /// end.
    #[inline(always)]
    pub fn take_bus(&mut self, now: u64, length: u64) -> (u64, u64) {
        self.take_bus_behind(now, (now, 0), length)
    }

    /// The same behind another turn, whose request came at `at` and which takes so long.
    #[inline(always)]
    pub fn take_bus_behind(
        &mut self,
        now: u64,
        (at, before): (u64, u64),
        length: u64,
    ) -> (u64, u64) {
        assert!(self.room <= now, "the controller holds no more requests");
        let first = (at + self.latency).max(self.bus_free + self.gap);
        let start = (now + self.latency).max(first + before);
        self.bus_free = start + length;
        self.bus_busy += length;
        self.held[self.oldest] = self.bus_free;
        self.begin[self.oldest] = start;
        self.oldest = if self.oldest + 1 == self.held.len() { 0 } else { self.oldest + 1 };
        self.room = self.held[self.oldest];
        self.congestion.note(now, self.room);
        (start, self.bus_free)
    }

    /// A way is busy from `from` until `until`, then ready; `failed` is what a status check tells.
    pub fn work(&mut self, way: u8, (from, until): (u64, u64), failed: bool) {
        let bit = 1 << way;
        self.failed = self.failed & !bit | u64::from(failed) << way;
        self.of_array &= !bit;
        self.ready &= !bit;
        self.way_busy[usize::from(way)] += until - from;
        self.from[usize::from(way)] = from;
        self.until[usize::from(way)] = until;
        self.expect(way, until);
    }

    /// That a way's last work is over is seen at `at`, no earlier than it is so.
    pub fn is_seen(&mut self, way: u8, at: u64) {
        self.expect(way, at);
    }

    /// How long a way is to be waited for whose chip is busy for so long: not for one that stays so until it is reset,
    /// but only as long as the controller waits.
    #[inline]
    pub fn wait(&mut self, way: u8, (operation, busy): (FlashOperation, Duration)) -> u64 {
        if busy != FOREVER {
            return busy.as_ps();
        }
        self.hung[usize::from(way)] = Some(operation);
        self.timeout
    }

    /// A way's chip is reset. Returns how long that takes.
    pub fn reset(&mut self, way: u8) -> Duration {
        match self.hung[usize::from(way)].take() {
            Some(FlashOperation::Program) => RESET_PROGRAM,
            Some(FlashOperation::Erase) => RESET_ERASE,
            _ => RESET,
        }
    }

    /// A way's chip is told, from `start` to `end` on the bus, to suspend what it does, which takes it so long. True unless that
    /// is over by then.
    pub fn suspend(&mut self, way: u8, (start, end): (u64, u64), takes: u64) -> bool {
        let (nth, bit) = (usize::from(way), 1 << way);
        let until = self.until[nth];
        if self.of_array & bit == 0 || until <= end {
            self.ready &= !bit;
            self.expect(way, until.max(end));
            return false;
        }
        let left = until - end;
        self.way_busy[nth] -= left;
        self.suspended[nth] = Some((left, self.failed & bit != 0));
        self.tells |= bit;
        self.way_busy[nth] -= end - start;
        self.work(way, (start, end + takes), false);
        true
    }

    /// A way's chip goes on with what it suspends, from the end of the command on. Returns until when it works.
    ///
    /// # Panics
    /// If it suspends nothing.
    pub fn resume(&mut self, way: u8, (start, end): (u64, u64), takes: u64) -> u64 {
        let (left, failed) = self.suspended[usize::from(way)].take().expect("a chip suspends it");
        let until = end + takes + left;
        self.work(way, (start, until), failed);
        self.of_array |= 1 << way;
        until
    }

    /// When a way's last work is over.
    pub fn worked_until(&self, way: u8) -> u64 {
        self.until[usize::from(way)]
    }

    /// A way's status check is answered at `at`.
    pub fn check(&mut self, way: u8, at: u64) {
        let outcome = if self.hung[usize::from(way)].is_some() {
            FlashOutcome::TimedOut
        } else if self.tells >> way & 1 != 0 {
            self.tells &= !(1 << way);
            FlashOutcome::Suspended
        } else if self.failed >> way & 1 != 0 {
            FlashOutcome::Failed
        } else {
            SUCCESS
        };
        self.respond(way, at, outcome);
    }

    /// A way answers at `at`.
    pub fn respond(&mut self, way: u8, at: u64, outcome: FlashOutcome) {
        self.ready &= !(1 << way);
        self.answering |= 1 << way;
        self.answer[usize::from(way)] = outcome;
        self.expect(way, at);
    }

    /// Takes the answer that the status register showed.
    pub fn take_response(&mut self, way: u8) -> FlashOutcome {
        assert!(self.responses >> way & 1 != 0, "way {way} has no response");
        self.responses &= !(1 << way);
        self.answer[usize::from(way)]
    }

    /// Whether that answer was to a page that was read, and was well.
    #[inline]
    pub fn takes_brought(&mut self, way: u8) -> bool {
        let brought = self.brought >> way & 1 != 0;
        self.brought &= !(1 << way);
        brought
    }

    /// Time until `now` at which the controller had no room.
    #[inline]
    pub fn congestion(&self, now: u64) -> u64 {
        self.congestion.until(now)
    }

    /// The same, until a way last turned ready or answered.
    #[inline]
    pub fn congestion_at_change(&self, way: usize) -> u64 {
        self.congestion_at_change[way]
    }

    /// What it has done by `now`.
    pub fn usage(&self, now: u64) -> ChannelUsage {
        let [pages_read, pages_programmed] = self.pages;
        ChannelUsage {
            bus_ps: self.bus_used(now),
            ways_ps: self.way_used(now),
            booked_bus_ps: self.bus_busy,
            booked_ways_ps: self.way_busy.clone(),
            pages_read,
            pages_programmed,
        }
    }

    /// Time that the bus was in use, in picoseconds.
    pub fn bus_busy(&self) -> u64 {
        self.bus_busy
    }

    /// Time until `now` that the bus was in use, without what is booked for later.
    pub fn bus_used(&self, now: u64) -> u64 {
        let ahead = |(start, end): (&u64, &u64)| end.saturating_sub(now.max(*start));
        self.bus_busy - self.begin.iter().zip(&self.held).map(ahead).sum::<u64>()
    }

    /// Time until `now` that each way's chip was busy, without what is booked for later.
    pub fn way_used(&self, now: u64) -> Vec<u64> {
        let ahead = |way: usize| self.until[way].saturating_sub(now.max(self.from[way]));
        self.way_busy.iter().enumerate().map(|(way, busy)| busy - ahead(way)).collect()
    }

    fn expect(&mut self, way: u8, at: u64) {
        self.pending |= 1 << way;
        self.at[usize::from(way)] = at;
        self.change = self.change.min(at).min(self.room);
    }

    /// Brings the register up to `now`. True when a way turned ready or responded.
    fn update(&mut self, now: u64) -> bool {
        let waited = self.pending;
        let mut change = if self.room > now { self.room } else { NEVER };
        let mut pending = self.pending;
        while pending != 0 {
            let way = pending.trailing_zeros();
            let bit = 1 << way;
            pending &= pending - 1;
            let at = self.at[way as usize];
            if at <= now {
                self.congestion_at_change[way as usize] = self.congestion.until(at);
                self.pending &= !bit;
                self.ready |= bit;
                self.responses |= self.answering & bit;
                self.answering &= !bit;
            } else {
                change = change.min(at);
            }
        }
        self.change = change;
        self.pending != waited
    }
}

#[cfg(test)]
mod tests;
