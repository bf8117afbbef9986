//! Latencies counted by steps: a doubling of latency has eight, so that a percentile lies within an eighth of what it is.

use serde::{Deserialize, Serialize};

/// Steps of a doubling, as a power of two.
const STEP_BITS: u32 = 3;
/// Latencies below this have a step together, about 65 ns; as a binary logarithm in picoseconds.
const LEAST_BITS: u32 = 16;
/// Steps of latency, up to about 281 s.
const STEPS: usize = 256;

/// How many latencies each step has. A file has step and count of those that are not zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<(usize, u32)>", try_from = "Vec<(usize, u32)>")]
pub struct LatencySteps([u32; STEPS]);

impl Default for LatencySteps {
    fn default() -> Self {
        LatencySteps([0; STEPS])
    }
}

impl LatencySteps {
    /// The step of a latency.
    #[inline(always)]
    pub fn step_of(latency_ps: u64) -> usize {
        let value = (latency_ps >> (LEAST_BITS - STEP_BITS)).max(1 << STEP_BITS);
        let doublings = 63 - STEP_BITS - value.leading_zeros();
        let within = (value >> doublings) as usize - (1 << STEP_BITS);
        (((doublings as usize) << STEP_BITS) + within).min(STEPS - 1)
    }

    /// Where a step begins, in picoseconds.
    pub fn edge_ps(step: usize) -> u64 {
        let (doublings, within) = (step >> STEP_BITS, (step % (1 << STEP_BITS)) as u64);
        ((1 << STEP_BITS) + within) << (doublings as u32 + LEAST_BITS - STEP_BITS)
    }

    /// Counts a latency.
    #[inline(always)]
    pub fn count(&mut self, latency_ps: u64) {
        let count = &mut self.0[Self::step_of(latency_ps)];
        *count = count.saturating_add(1);
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: &LatencySteps) {
        for (own, more) in self.0.iter_mut().zip(other.0) {
            *own = own.saturating_add(more);
        }
    }

    /// What was counted since an earlier moment.
    pub fn since(&self, earlier: &LatencySteps) -> LatencySteps {
        LatencySteps(std::array::from_fn(|step| self.0[step].saturating_sub(earlier.0[step])))
    }

    /// Whether nothing was counted.
    pub fn is_nothing(&self) -> bool {
        self.counted().next().is_none()
    }

    /// The steps with latencies, rising: step, and how many.
    pub fn counted(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.0.iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }

    /// Latency in picoseconds that `percentile` (0 to 100) of all do not exceed; `None` where nothing was counted.
    pub fn percentile_ps(&self, percentile: f64) -> Option<u64> {
        let all: u64 = self.counted().map(|(_, count)| u64::from(count)).sum();
        let rank = ((percentile / 100.0 * all as f64).ceil() as u64).max(1);
        let mut below = 0;
        for (step, count) in self.counted() {
            let count = u64::from(count);
            if below + count >= rank {
                let (from, to) = (Self::edge_ps(step), Self::edge_ps(step + 1));
                let share = (rank - below) as f64 / count as f64;
                return Some(from + ((to - from) as f64 * share) as u64);
            }
            below += count;
        }
        None
    }
}

impl From<LatencySteps> for Vec<(usize, u32)> {
    fn from(steps: LatencySteps) -> Self {
        steps.counted().collect()
    }
}

impl TryFrom<Vec<(usize, u32)>> for LatencySteps {
    type Error = String;

    fn try_from(counts: Vec<(usize, u32)>) -> Result<Self, String> {
        let mut steps = LatencySteps::default();
        for (step, count) in counts {
            let own = steps.0.get_mut(step);
            *own.ok_or_else(|| format!("latencies in step {step}, expected below {STEPS}"))? =
                count;
        }
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_each_other_without_a_gap() {
        let (step_of, edge_ps) = (LatencySteps::step_of, LatencySteps::edge_ps);
        for step in 1..STEPS {
            assert_eq!(step_of(edge_ps(step)), step);
            assert_eq!(step_of(edge_ps(step) - 1), step - 1);
        }
        assert_eq!((step_of(0), step_of(u64::MAX)), (0, STEPS - 1));
    }

    #[test]
    fn what_was_counted_since_is_what_came_later() {
        let mut steps = LatencySteps::default();
        steps.count(1 << 20);
        let earlier = steps.clone();
        steps.count(1 << 20);
        steps.count(1 << 30);
        let since = steps.since(&earlier);
        assert_eq!(since.counted().map(|(_, count)| count).collect::<Vec<_>>(), [1, 1]);
        let mut sum = earlier;
        sum.add(&since);
        assert_eq!(sum, steps);
    }

    #[test]
    fn a_step_that_is_not_there_is_refused() {
        let found = LatencySteps::try_from(vec![(STEPS, 1)]);
        assert_eq!(found, Err("latencies in step 256, expected below 256".to_owned()));
    }
}
