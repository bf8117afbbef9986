//! What has become of a block since its cells were made.

use board::Cells as Keys;
use borsh::{BorshDeserialize, BorshSerialize};

const PS_PER_HOUR: u64 = 3_600_000_000_000_000;
/// Binary digits of a logarithm behind the point.
const LOG_BITS: u32 = 16;
const MILLION: i64 = 1_000_000;
/// More cycles than these change nothing: the standard deviation is far beyond all levels.
const MOST_CYCLES: u32 = 10_000_000;
/// No voltage rises by more, in microvolts.
const MOST_RAISED: i64 = 1_000_000_000;

/// What has become of a block at the moment of a read, and how it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Condition {
    /// Program/erase cycles.
    pub cycles: u32,
    /// For how long it has held data, in picoseconds.
    pub held_ps: u64,
    /// Reads since its erase.
    pub reads: u32,
    /// The read level.
    pub level: u8,
}

/// How voltages follow from that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drift {
    /// Millionths that a cycle adds to standard deviations.
    widening: i64,
    /// Millionths that a level loses with each doubling of the hours.
    retention: i64,
    /// Microvolts that a million reads raise erased cells by.
    disturb_uv: i64,
    /// Microvolts that references fall by from level to level.
    step_uv: i64,
}

impl Drift {
    pub fn new(keys: &Keys) -> Self {
        Self {
            widening: i64::from(keys.widening_permille_per_kilocycle),
            retention: i64::from(keys.retention_per_million),
            disturb_uv: i64::from(keys.disturb_mv_per_million_reads) * 1000,
            step_uv: i64::from(keys.read_step_mv) * 1000,
        }
    }

    /// Whether time or reads change anything.
    pub fn ages(&self) -> bool {
        self.retention > 0 || self.disturb_uv > 0
    }

    /// The mean of a level that was at `height` above erased cells, the highest level being at `top`; in microvolts.
    pub fn mean(&self, (height, top): (i64, i64), condition: Condition) -> i64 {
        let doublings = i64::from(log2_of_hours(condition.held_ps));
        let lost = (height * self.retention / MILLION * doublings) >> LOG_BITS;
        let raised = self.disturb_uv * i64::from(condition.reads) / MILLION;
        let raised = raised.min(MOST_RAISED);
        height - lost + raised * (top - height) / top
    }

    /// A standard deviation that was `sigma` before all cycles.
    pub fn sigma(&self, sigma: i64, condition: Condition) -> i64 {
        sigma + sigma * (self.widening * i64::from(condition.cycles.min(MOST_CYCLES))) / MILLION
    }

    /// What references are lower by than at level 0, in microvolts.
    pub fn lowered(&self, condition: Condition) -> i64 {
        self.step_uv * i64::from(condition.level)
    }
}

/// The binary logarithm of one hour more than so long, with [`LOG_BITS`] behind the point.
fn log2_of_hours(held_ps: u64) -> u32 {
    // 1 to 2 with 62 bits behind the point, squared for each digit of the fraction.
    let hours = u128::from(held_ps) + u128::from(PS_PER_HOUR);
    let whole = (hours / u128::from(PS_PER_HOUR)).ilog2();
    let mut rest = ((hours << (62 - whole)) / u128::from(PS_PER_HOUR)) as u64;
    let mut log = whole;
    for _ in 0..LOG_BITS {
        let square = ((u128::from(rest) * u128::from(rest)) >> 62) as u64;
        let carries = square >> 63;
        log = (log << 1) | carries as u32;
        rest = square >> carries;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIFT: Drift =
        Drift { widening: 100, retention: 2000, disturb_uv: 100_000, step_uv: 40_000 };

    #[test]
    fn logarithms_are_those_of_floating_point() {
        for hours in [0.0, 0.001, 0.5, 1.0, 3.0, 99.5, 1000.0, 5000.0] {
            let held_ps = (hours * PS_PER_HOUR as f64) as u64;
            let found = f64::from(log2_of_hours(held_ps)) / f64::from(1 << LOG_BITS);
            let exact = (1.0 + hours).log2();
            assert!((found - exact).abs() < 2e-5, "{hours} hours: {found}, not {exact}");
        }
    }

    #[test]
    fn high_levels_lose_most_and_low_ones_are_disturbed_most() {
        let held = Condition { held_ps: 7 * PS_PER_HOUR, ..Condition::default() };
        let levels = [0, 1_000_000, 3_000_000];
        // 2,000 millionths for each of three doublings.
        assert_eq!(
            levels.map(|height| height - DRIFT.mean((height, 3_000_000), held)),
            [0, 6000, 18_000]
        );
        let read = Condition { reads: 500_000, ..Condition::default() };
        assert_eq!(
            levels.map(|height| DRIFT.mean((height, 3_000_000), read) - height),
            [50_000, 33_333, 0]
        );
    }

    #[test]
    fn cycles_widen_and_read_levels_lower() {
        let worn = Condition { cycles: 5000, level: 3, ..Condition::default() };
        assert_eq!(DRIFT.sigma(120_000, worn), 180_000);
        assert_eq!(DRIFT.lowered(worn), 120_000);
    }
}
