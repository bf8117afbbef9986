//! For how long something had no room for more requests.

use borsh::{BorshDeserialize, BorshSerialize};

/// Adds up the times at which there was no room. Requests are told in order of time.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Congestion {
    /// Time without room, up to `until`.
    total: u64,
    /// When there is room again.
    until: u64,
    /// When the last request came.
    noted: u64,
}

impl Congestion {
    /// A request came at `now`, and there is room for another from `room` on.
    #[inline]
    pub fn note(&mut self, now: u64, room: u64) {
        self.total += room.saturating_sub(now.max(self.until));
        self.until = self.until.max(room);
        self.noted = now;
    }

    /// Time without room until `at`; what came before the last request counts as before it.
    #[inline]
    pub fn until(&self, at: u64) -> u64 {
        self.total - self.until.saturating_sub(at.max(self.noted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_room_is_counted_once_and_not_ahead() {
        let mut bus = Congestion::default();
        bus.note(10, 15);
        // Two directions of one engine: the second is full within the time that the first is.
        bus.note(12, 14);
        bus.note(13, 18);
        assert_eq!([13, 14, 16, 18, 40].map(|at| bus.until(at)), [3, 4, 6, 8, 8]);
        bus.note(40, 40);
        bus.note(50, 55);
        assert_eq!([50, 52, 60].map(|at| bus.until(at)), [8, 10, 13]);
        assert_eq!(bus.until(20), 8, "nothing is known of what came before the last request");
    }
}
