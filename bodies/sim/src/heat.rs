//! The drive's temperature: a body of one heat capacity that work warms and air cools.
//!
//! Nobody has measured these boards; the numbers are assumed, and say no more than that a busy drive is warmer
//! than an idle one, and how soon. Only the SMART log and its events show them.

use borsh::{BorshDeserialize, BorshSerialize};

/// At rest: 40 degrees Celsius.
const IDLE_MILLIKELVIN: u64 = 313_000;
/// How much warmer a drive becomes whose channels are all in use all the time.
const RISE_MILLIKELVIN: u64 = 25_000;
/// Time in which it comes two thirds of the way or so: 3 minutes.
const INERTIA_PS: u64 = 180_000_000_000_000;

/// The temperature as it was when it was last asked for.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Heat {
    millikelvin: u64,
    at_ps: u64,
    busy_ps: u64,
}

impl Heat {
    /// A drive at rest.
    pub fn new() -> Self {
        Heat { millikelvin: IDLE_MILLIKELVIN, at_ps: 0, busy_ps: 0 }
    }

    /// The temperature at `now`, of so many channels that were in use for `busy_ps` since power-on, in sum.
    pub fn kelvin(&mut self, now: u64, busy_ps: u64, channels: u64) -> u16 {
        let passed = u128::from(now.saturating_sub(self.at_ps));
        let used = u128::from(busy_ps.saturating_sub(self.busy_ps));
        let whole = passed * u128::from(channels);
        let rise = (u128::from(RISE_MILLIKELVIN) * used).checked_div(whole).unwrap_or(0);
        let aim = u128::from(IDLE_MILLIKELVIN) + rise.min(RISE_MILLIKELVIN.into());
        // A step of the differential equation that stays between both ends, however long it is.
        let (inertia, present) = (u128::from(INERTIA_PS), u128::from(self.millikelvin));
        self.millikelvin = ((present * inertia + aim * passed) / (inertia + passed)) as u64;
        (self.at_ps, self.busy_ps) = (now, busy_ps);
        (self.millikelvin / 1000) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: u64 = 60_000_000_000_000;

    #[test]
    fn work_warms_and_rest_cools_between_both_ends() {
        let mut heat = Heat::new();
        assert_eq!(heat.kelvin(MINUTE, 0, 4), 313);
        let mut warmer = Vec::new();
        for minute in 1..=30 {
            warmer.push(heat.kelvin((1 + minute) * MINUTE, minute * MINUTE * 4, 4));
        }
        assert!(warmer.is_sorted() && warmer[0] > 313, "{warmer:?}");
        assert_eq!(warmer[29], 337, "within a kelvin of the end");
        let mut cooler = Vec::new();
        for minute in 31..=60 {
            cooler.push(heat.kelvin((1 + minute) * MINUTE, 30 * MINUTE * 4, 4));
        }
        assert!(cooler.iter().rev().is_sorted() && cooler[29] <= 314, "{cooler:?}");
    }

    #[test]
    fn half_the_channels_make_half_the_difference() {
        let mut heat = Heat::new();
        assert_eq!(heat.kelvin(1_000 * MINUTE, 1_000 * MINUTE * 2, 4), 325);
    }
}
