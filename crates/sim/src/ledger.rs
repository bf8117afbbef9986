//! A shared bus as a ledger of time slots.
//!
//! Transfers are booked when they start, some far ahead (a flash page arrives over 90 us), some for
//! now (a host DMA). A queue would let the late ones hold up the early ones. The ledger divides time
//! into slots and books each transfer into the first slots from its start that have time left, so
//! that the bus never carries more than it can, and nobody waits for what comes later.

/// Width of a slot in picoseconds.
const SLOT: u64 = 2_000_000;
/// Slots remembered: bookings reach at most this far ahead of the earliest.
const SLOTS: usize = 1024;

#[derive(Clone, Copy, Debug)]
struct Slot {
    index: u64,
    booked: u64,
}

/// Bookings of one bus.
#[derive(Debug)]
pub struct Ledger {
    slots: Box<[Slot; SLOTS]>,
    booked: u64,
}

impl Ledger {
    /// A bus that is free.
    pub fn new() -> Self {
        Ledger { slots: Box::new([Slot { index: 0, booked: 0 }; SLOTS]), booked: 0 }
    }

    /// Books `length` of the bus's time from `start` on and returns when the last of it is over.
    /// All in picoseconds.
    pub fn book(&mut self, start: u64, length: u64) -> u64 {
        self.booked += length;
        let mut left = length;
        let mut index = start / SLOT;
        let mut earliest = start % SLOT;
        loop {
            let slot = &mut self.slots[index as usize % SLOTS];
            if slot.index != index {
                *slot = Slot { index, booked: 0 };
            }
            let free = (SLOT - slot.booked).min(SLOT - earliest);
            if free >= left {
                slot.booked += left;
                // Bookings fill a slot from its start, or from where this one may begin.
                let end = slot.booked.max(earliest + left);
                return index * SLOT + end;
            }
            slot.booked += free;
            left -= free;
            index += 1;
            earliest = 0;
        }
    }

    /// Time booked so far, in picoseconds.
    pub fn booked(&self) -> u64 {
        self.booked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_bus_takes_no_longer_than_the_transfer() {
        let mut bus = Ledger::new();
        assert_eq!(bus.book(5_500_000, 4_000_000), 9_500_000);
    }

    #[test]
    fn a_booking_ahead_does_not_hold_up_one_for_now() {
        let mut bus = Ledger::new();
        bus.book(100_000_000, 4_000_000);
        assert_eq!(bus.book(10_000_000, 1_000_000), 11_000_000);
    }

    #[test]
    fn the_bus_is_never_overbooked() {
        let mut bus = Ledger::new();
        let last = (0..100).map(|_| bus.book(0, 3_000_000)).max();
        assert_eq!(last, Some(300_000_000));
        assert_eq!(bus.booked(), 300_000_000);
    }
}
