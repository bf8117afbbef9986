//! A channel: all its parts, and what is asked of it. Cycles in which nothing happens are left out.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::{Priority, Request};
use contract::{Instant, WayOrder};

use crate::arbiter::Arbiter;
use crate::board::Board;
use crate::bus::Bus;
use crate::chips::Chips;
use crate::completions::{Completions, Source};
use crate::decoder::Decoder;
use crate::former::Former;
use crate::halts::Halts;
use crate::intake::Intake;
use crate::lun::Lun;
use crate::policy::Classes;
use crate::queues::{Queue, Queues};
use crate::reorder::ReorderBuffer;
use crate::setup::{BusStep, Setup};
use crate::shared_enable::Polls;
use crate::status_polls::Asking;
use crate::timer::WayTimer;
use crate::visit::Visit;

/// A time that never comes.
pub(crate) const NEVER: u64 = u64::MAX;
/// What ways may be told before the channel has seen it.
const ORDERS: usize = 64;

/// One flash channel controller.
///
/// Requests go in by [`Channel::submit`], as the hardware's channel takes them; [`Channel::poll`] lets it
/// work, and completions come out of the drive's [`ReorderBuffer`].
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
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
    pub(crate) asking: Option<Asking>,
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
            intake: Intake::new((ways, setup.code.metadata_bytes), classes, &policy, setup.window),
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
            asking: setup.status_polls.map(|how| Asking::new(how, ways)),
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

    pub(crate) fn time(&self, cycle: u64) -> Instant {
        Instant::from_ps(cycle * self.setup.period_ps)
    }
}
