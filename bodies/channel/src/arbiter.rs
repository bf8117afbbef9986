//! Chooses the way whose step goes to the bus, as `rtl/flash/channel_arbiter.sv`.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::order_book::OrderBook;
use crate::plan::{Plan, Rank};
use crate::policy::{Classes, Execution, Policy};

/// Steps without data go before those with data, within both the urgent ones first.
const CLASSES: usize = 4;

/// A bit a way of what the arbiter has to know of steps.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Ranks {
    pub needs_ready: u64,
    pub data: u64,
    pub urgent: u64,
    pub high: u64,
    pub starts: u64,
    pub later: u64,
}

impl Ranks {
    pub fn set(&mut self, way: u8, rank: Rank) {
        let put = |mask: &mut u64, bit: bool| {
            *mask = *mask & !(1 << way) | u64::from(bit) << way;
        };
        put(&mut self.needs_ready, rank.needs_ready);
        put(&mut self.data, rank.data);
        put(&mut self.urgent, rank.urgent);
        put(&mut self.high, rank.high);
        put(&mut self.starts, rank.starts);
        put(&mut self.later, rank.later);
    }
}

/// What the arbiter sees in a cycle, a bit a way.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Ways that have a next step, and whose chip is as the step needs it.
    pub works: u64,
    /// Ways whose step is about to change.
    pub held: u64,
    pub ranks: Ranks,
}

/// The registers of the arbiter: a choice is made of what was true two cycles ago, and looked at
/// again when it is taken.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Arbiter {
    policy: Policy,
    pub book: OrderBook,
    occupied: u64,
    low: u64,
    can: u64,
    allowed: u64,
    held: u64,
    next: u64,
    next_class: usize,
    /// Classes that had a step when the next choice was made.
    next_waiting: [bool; CLASSES],
    /// Ways behind the one that was chosen last, by class.
    turn: [u64; CLASSES],
    /// How often a class that had a step was passed over.
    passed: [u8; CLASSES],
    /// How many urgent operations began while one of low priority was next in its order.
    book_passed: u8,
}

impl Arbiter {
    pub fn new(policy: &Policy, ways: u8, orders: usize) -> Self {
        Self {
            policy: *policy,
            book: OrderBook::new(ways, orders),
            occupied: 0,
            low: 0,
            can: 0,
            allowed: 0,
            held: u64::MAX,
            next: 0,
            next_class: 0,
            next_waiting: [false; CLASSES],
            turn: [u64::MAX; CLASSES],
            passed: [0; CLASSES],
            book_passed: 0,
        }
    }

    /// Ways that have an operation.
    pub fn occupied(&self) -> u64 {
        self.occupied
    }

    /// Whether a choice is about to be made.
    pub fn has_next(&self) -> bool {
        self.next != 0
    }

    /// The way whose step is taken in this cycle, if the bus is free.
    pub fn choice(&self, seen: Seen) -> Option<u8> {
        let choice = self.next & seen.works & !self.held & !seen.held;
        (choice != 0).then_some(choice.trailing_zeros() as u8)
    }

    /// The end of a cycle in which nothing or this step was chosen. Whether something changed.
    pub fn advance(&mut self, seen: Seen, chosen: Option<(u8, Plan)>) -> bool {
        let allowed = self.allowed_now(seen.ranks);
        let may = self.can & self.allowed;
        let ranks = seen.ranks;
        let of_class = [
            may & !ranks.data & ranks.urgent,
            may & !ranks.data & !ranks.urgent,
            may & ranks.data & ranks.urgent,
            may & ranks.data & !ranks.urgent,
        ];
        let waiting = of_class.map(|ways| ways != 0);
        let class = self.first_class(waiting);
        let candidates = of_class[class];
        let preferred = candidates & self.turn[class];
        let next = lowest(if preferred != 0 { preferred } else { candidates });
        if let Some((way, plan)) = chosen {
            self.take(way, plan);
        }
        let can = seen.works & !seen.held;
        let before = (self.can, self.allowed, self.held, self.next, self.next_class);
        (self.can, self.allowed, self.held) = (can, allowed, seen.held);
        (self.next, self.next_class, self.next_waiting) = (next, class, waiting);
        before != (can, allowed, seen.held, next, class) || chosen.is_some()
    }

    /// The class whose turn it is: who was passed over often enough goes first.
    fn first_class(&self, waiting: [bool; CLASSES]) -> usize {
        let first = |wanted: &dyn Fn(usize) -> bool| (0..CLASSES).find(|class| wanted(*class));
        let aged = |class: usize| waiting[class] && self.policy.is_old(self.passed[class]);
        first(&aged).or_else(|| first(&|class| waiting[class])).unwrap_or(CLASSES - 1)
    }

    /// F-RSVP(l): as many ways as may be are occupied by operations of low priority.
    fn is_low_full(&self) -> bool {
        (self.occupied & self.low).count_ones() >= u32::from(self.policy.low_ways)
    }

    /// Which operations may begin, or complete.
    fn allowed_now(&self, ranks: Ranks) -> u64 {
        if !self.policy.execution.keeps_order() {
            let full = if self.is_low_full() { ranks.starts & !ranks.urgent } else { 0 };
            return !full;
        }
        let begins = match self.policy.execution {
            Execution::Sequential if self.occupied != 0 => 0,
            _ => self.may_begin(ranks.high),
        };
        let completes = match self.policy.execution {
            Execution::InOrderIssue => u64::MAX,
            _ => self.book.completes_next().map_or(0, |way| 1 << way),
        };
        (!ranks.starts | begins) & (!ranks.later | completes)
    }

    /// The way whose operation is next in the order of its class, if that has its turn.
    fn may_begin(&self, high: u64) -> u64 {
        let next = |urgent| self.book.begins_next(urgent).map_or(0, |way| 1 << way);
        match self.policy.classes {
            Classes::Ignored => next(false),
            Classes::Kept if self.has_low_turn() => next(false) & !high,
            Classes::Kept if self.book.begins_next(true).is_some() => next(true) & high,
            Classes::Kept if self.is_low_full() => 0,
            Classes::Kept => next(false) & !high,
        }
    }

    /// The way, a bit, whose request of low priority goes before its urgent ones: where an order is
    /// kept, classes take turns in that.
    pub fn low_turn(&self) -> u64 {
        if self.policy.classes == Classes::Ignored
            || !self.policy.execution.keeps_order()
            || !self.has_low_turn()
        {
            return 0;
        }
        self.book.begins_next(false).map_or(0, |way| 1 << way)
    }

    fn has_low_turn(&self) -> bool {
        self.policy.is_old(self.book_passed)
            && !self.is_low_full()
            && self.book.begins_next(false).is_some()
    }

    fn take(&mut self, way: u8, plan: Plan) {
        let bit = 1 << way;
        let behind = !(bit | (bit - 1));
        self.turn[self.next_class] = behind;
        for class in 0..CLASSES {
            if class == self.next_class {
                self.passed[class] = 0;
            } else if self.next_waiting[class] {
                self.passed[class] = self.passed[class].saturating_add(1);
            }
        }
        if self.policy.execution.keeps_order() {
            if plan.starts {
                let passes = plan.urgent && self.book.begins_next(false).is_some();
                self.book_passed = if passes { self.book_passed.saturating_add(1) } else { 0 };
            }
            self.book.take(way, plan);
        }
        if plan.ends {
            self.occupied &= !bit;
        } else if plan.starts {
            self.occupied |= bit;
        }
        if plan.starts {
            self.low = if plan.urgent { self.low & !bit } else { self.low | bit };
        }
    }
}

fn lowest(ways: u64) -> u64 {
    ways & ways.wrapping_neg()
}
