//! A shared bus as a ledger of time slots.
//!
//! Transfers are booked when they start, some far ahead (a flash page arrives over 90 us), some for
//! now (a host DMA). A queue would let the late ones hold up the early ones. The ledger divides time
//! into slots and books each transfer into the first slots from its start that have time left, so
//! that the bus never carries more than it can, and nobody waits for what comes later.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::state::expect;

/// Width of a slot in picoseconds.
const SLOT: u64 = 2_000_000;
/// Slots that bookings are expected to reach ahead, 2 ms; more are made room for. A power of two.
const AHEAD: usize = 1024;

/// Slots in the past that are kept until they are forgotten together, which takes fewer instructions than each by itself.
const KEPT: u64 = 128;

/// Slots at most, half a minute: of a drive whose state is false, memory would be asked for without end.
const MOST_AHEAD: usize = 1 << 24;

/// Bookings of one bus.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Ledger {
    /// Index of the first slot that is remembered.
    first: u64,
    /// When the first slot is past that may be booked.
    past: u64,
    /// Time booked in it and those after it: slot `n` is at `n` modulo their number, a power of two.
    slots: Vec<u64>,
    booked: u64,
}

impl Ledger {
    /// A bus that is free.
    pub fn new() -> Self {
        Ledger { first: 0, past: SLOT, slots: vec![0; AHEAD], booked: 0 }
    }

    /// Books, at time `now`, `length` of the bus's time from `start` on and returns when the last
    /// of it is over. All in picoseconds. Nothing is booked before `now` any more.
    #[inline]
    pub fn book(&mut self, now: u64, start: u64, length: u64) -> u64 {
        self.booked += length;
        if now >= self.past {
            let first = now / SLOT;
            self.past = (first + 1) * SLOT;
            if first - self.first >= KEPT {
                self.forget_before(first);
            }
        }
        let start = start.max(self.past - SLOT);
        let (mut at, mut earliest) = (start / SLOT, start % SLOT);
        let mut left = length;
        loop {
            let Some(booked) = self.slot(at) else {
                self.grow();
                continue;
            };
            let free = (SLOT - *booked).min(SLOT - earliest);
            if free >= left {
                *booked += left;
                // Bookings fill a slot from its start, or from where this one may begin.
                return at * SLOT + (*booked).max(earliest + left);
            }
            *booked += free;
            (left, at, earliest) = (left - free, at + 1, 0);
        }
    }

    /// The time booked in a slot that is remembered, or would be; `None` if it is too far ahead.
    #[inline(always)]
    fn slot(&mut self, at: u64) -> Option<&mut u64> {
        if at - self.first >= self.slots.len() as u64 {
            return None;
        }
        let mask = self.slots.len() - 1;
        Some(&mut self.slots[at as usize & mask])
    }

    #[cold]
    fn forget_before(&mut self, first: u64) {
        let mask = self.slots.len() - 1;
        if first - self.first > mask as u64 {
            self.slots.fill(0);
        } else {
            let (from, to) = (self.first as usize & mask, first as usize & mask);
            if from <= to {
                self.slots[from..to].fill(0);
            } else {
                self.slots[from..].fill(0);
                self.slots[..to].fill(0);
            }
        }
        self.first = first;
    }

    /// Makes room for twice as many slots.
    ///
    /// # Panics
    /// If there were more than [`MOST_AHEAD`].
    #[cold]
    fn grow(&mut self) {
        let (old, count) = (self.slots.len() as u64, self.slots.len() * 2);
        assert!(count <= MOST_AHEAD, "a bus is booked for more than half a minute ahead");
        let mut slots = vec![0; count];
        for nth in self.first..self.first + old {
            slots[nth as usize & (count - 1)] = self.slots[nth as usize & (count / 2 - 1)];
        }
        self.slots = slots;
    }

    /// Whether bookings that were read from a snapshot may be those of a bus.
    ///
    /// # Errors
    /// When they may not.
    pub fn sound(&self) -> borsh::io::Result<()> {
        let slots = self.slots.len();
        let sized = slots.is_power_of_two() && (AHEAD..=MOST_AHEAD).contains(&slots);
        expect(sized, "bookings of a bus without end")?;
        let ahead = (self.past / SLOT).checked_sub(self.first);
        let timely = self.past.is_multiple_of(SLOT)
            && ahead.is_some_and(|slots| (1..=KEPT).contains(&slots));
        expect(timely, "a bus in another time")?;
        expect(self.slots.iter().all(|&booked| booked <= SLOT), "a bus that is booked twice")
    }

    /// Time booked so far, in picoseconds.
    pub fn booked(&self) -> u64 {
        self.booked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_free_bus_takes_no_longer_than_the_transfer() {
        let mut bus = Ledger::new();
        assert_eq!(bus.book(5_000_000, 5_500_000, 4_000_000), 9_500_000);
    }

    #[test]
    fn a_booking_ahead_does_not_hold_up_one_for_now() {
        let mut bus = Ledger::new();
        bus.book(0, 100_000_000, 4_000_000);
        assert_eq!(bus.book(10_000_000, 10_000_000, 1_000_000), 11_000_000);
    }

    /// The first slots from `start` on that have time left, of all that there ever were.
    fn booked_in_plain(slots: &mut BTreeMap<u64, u64>, start: u64, length: u64) -> u64 {
        let (mut at, mut earliest, mut left) = (start / SLOT, start % SLOT, length);
        loop {
            let booked = slots.entry(at).or_default();
            let free = (SLOT - *booked).min(SLOT - earliest).min(left);
            (*booked, left) = (*booked + free, left - free);
            if left == 0 {
                return at * SLOT + (*booked).max(earliest + free);
            }
            (at, earliest) = (at + 1, 0);
        }
    }

    #[test]
    fn what_is_past_is_forgotten_and_nothing_else_however_far_time_goes_on() {
        let (mut bus, mut slots, mut state) = (Ledger::new(), BTreeMap::new(), 7_u64);
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut now = 0;
        for step in 0..20_000 {
            // Mostly a few slots, now and then about as many as are remembered, or more.
            now += draw([3, 3, 3, 300, 3, 3, 1500][step % 7] * SLOT);
            let (start, length) = (now + draw(900 * SLOT), draw(9 * SLOT));
            let start = if draw(2) == 0 { now / SLOT * SLOT } else { start };
            let expected = booked_in_plain(&mut slots, start, length);
            assert_eq!(bus.book(now, start, length), expected, "step {step}");
        }
    }

    #[test]
    fn the_bus_is_never_overbooked() {
        let mut bus = Ledger::new();
        let last = (0..2000).map(|_| bus.book(0, 0, 3_000_000)).max();
        assert_eq!(last, Some(6_000_000_000));
        assert_eq!(bus.booked(), 6_000_000_000);
        // Later, after a pause, what is past is forgotten.
        assert_eq!(bus.book(7_000_000_000, 7_000_000_000, 1_000_000), 7_001_000_000);
    }
}
