//! What holds requests back: rates and thinking pauses, in virtual time.

use super::direction::{Direction, PerDirection};
use super::pacing::{Pacing, Rate, RateProcess, Think, ThinkCount};
use super::random::Prng;
use super::units::PS_PER_SECOND;

/// ln 2 in units of 2^-64.
const LN_2: u64 = 0xb172_17f7_d1cf_79ac;

/// Keeps each direction at or below its rate, measured from the start of the job: a direction that
/// fell behind may catch up, as in fio.
#[derive(Clone, Debug)]
pub(super) struct RateLimit {
    rate: PerDirection<Rate>,
    process: RateProcess,
    /// Mean distance of requests in picoseconds, for a Poisson process.
    mean_ps: PerDirection<u64>,
    random: Prng,
    issued: PerDirection<u64>,
    /// Earliest time of the next request, counted from the start of the job.
    due_ps: PerDirection<u64>,
    /// Pauses that do not count for the rates.
    left_out_ps: u64,
    limited: bool,
}

/// When a request may go, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// The direction whose turn it is.
    pub(super) direction: Direction,
    /// Earliest time, counted from the start of the job.
    pub(super) due_ps: u64,
}

impl RateLimit {
    /// The limit of a job whose shortest requests have `min_bytes`; `random` is for a Poisson process.
    pub(super) fn new(pacing: &Pacing, min_bytes: PerDirection<u64>, random: Prng) -> Self {
        let rate = pacing.rate;
        let limited = [rate.read, rate.write, rate.trim].iter().any(|r| *r != Rate::Unlimited);
        let mean_ps = |direction: Direction| {
            let second = u128::from(PS_PER_SECOND);
            let mean = match *rate.of(direction) {
                Rate::Unlimited => 0,
                Rate::Bytes(bytes) => {
                    second * u128::from(*min_bytes.of(direction)) / u128::from(bytes)
                }
            };
            u64::try_from(mean).unwrap_or(u64::MAX)
        };
        Self {
            rate,
            process: pacing.process,
            mean_ps: PerDirection {
                read: mean_ps(Direction::Read),
                write: mean_ps(Direction::Write),
                trim: mean_ps(Direction::Trim),
            },
            random,
            issued: PerDirection::default(),
            due_ps: PerDirection::default(),
            left_out_ps: 0,
            limited,
        }
    }

    /// When `direction` may go.
    pub(super) fn turn(&self, direction: Direction) -> Turn {
        let due_ps = *self.due_ps.of(direction);
        Turn { direction, due_ps: due_ps.saturating_add(self.left_out_ps) }
    }

    /// Whether `direction`, or `other` in its place, may go: a drawn direction that is ahead of its
    /// rate gives way to the one that is due earlier.
    pub(super) fn turn_of_either(
        &self,
        direction: Direction,
        other: Direction,
        at_ps: u64,
    ) -> Turn {
        let (drawn, instead) = (self.turn(direction), self.turn(other));
        if drawn.due_ps <= at_ps || drawn.due_ps <= instead.due_ps {
            drawn
        } else {
            instead
        }
    }

    /// Moves all that is due by a time that does not count for the rates.
    pub(super) fn leave_out(&mut self, span_ps: u64) {
        self.left_out_ps = self.left_out_ps.saturating_add(span_ps);
    }

    /// Counts a request of `bytes`.
    pub(super) fn issue(&mut self, direction: Direction, bytes: u64) {
        if !self.limited {
            return;
        }
        let Rate::Bytes(per_second) = *self.rate.of(direction) else { return };
        if self.process == RateProcess::Poisson {
            let distance = exponential(*self.mean_ps.of(direction), &mut self.random);
            let due = self.due_ps.of_mut(direction);
            *due = due.saturating_add(distance);
            return;
        }
        let issued = self.issued.of_mut(direction);
        *issued += bytes;
        let due = u128::from(*issued) * u128::from(PS_PER_SECOND);
        let due = due.div_ceil(u128::from(per_second));
        *self.due_ps.of_mut(direction) = u64::try_from(due).unwrap_or(u64::MAX);
    }
}

/// A draw from the exponential distribution, by the negative logarithm of a uniform one, in integers.
fn exponential(mean: u64, random: &mut Prng) -> u64 {
    // A uniform number is bits / 2^64; its logarithm to base 2 has `zeros + 1` before the point.
    let bits = random.bits() | 1;
    let zeros = bits.leading_zeros();
    let mut mantissa = bits << zeros;
    let mut fraction = 0_u64;
    for _ in 0..32 {
        // Squaring doubles the logarithm: one more bit of it comes before the point.
        let square = (u128::from(mantissa) * u128::from(mantissa)) >> 63;
        let carry = (square >> 64) as u64;
        mantissa = (square >> carry) as u64;
        fraction = fraction << 1 | carry;
    }
    let log_2 = (u64::from(zeros + 1) << 32) - fraction;
    let ln = (u128::from(log_2) * u128::from(LN_2)) >> 64;
    u64::try_from((u128::from(mean) * ln) >> 32).unwrap_or(u64::MAX)
}

/// Pauses after every so many completed requests.
#[derive(Clone, Debug)]
pub(super) struct Thinking {
    think: Think,
    /// Requests that count: completed ones, or issued ones.
    counted: u64,
    /// Those that had been counted when the last pause was called for.
    mark: u64,
    /// Whether a request was issued since the last pause.
    issued: bool,
    /// Whether a pause was called for, and the queue drains.
    draining: bool,
    /// End of the last pause; before the first the start of the job.
    until_ps: u64,
    last_completion_ps: u64,
}

/// What a pause asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Nothing; requests may go.
    None,
    /// Requests in flight must complete first.
    Drain,
    /// A pause begins now.
    Begin(u64),
    /// Nothing may go before this time.
    Until(u64),
}

impl Thinking {
    pub(super) fn new(think: Think) -> Self {
        Self {
            think,
            counted: 0,
            mark: 0,
            issued: false,
            draining: false,
            until_ps: 0,
            last_completion_ps: 0,
        }
    }

    /// Counts an issued request.
    pub(super) fn issued(&mut self) {
        self.issued = true;
        self.counted += u64::from(self.think.counts == ThinkCount::Issued);
    }

    /// Counts a completed request.
    pub(super) fn completed(&mut self, now_ps: u64) {
        self.counted += u64::from(self.think.counts == ThinkCount::Completed);
        self.last_completion_ps = now_ps;
    }

    /// Asks for a pause, which starts with the last completion. As in fio, requests that drain before
    /// a pause count towards the next, and between two pauses at least one request is issued.
    pub(super) fn pause(&mut self, start_ps: u64, now_ps: u64, in_flight: u32) -> Pause {
        if self.issued && !self.draining && self.is_due(start_ps, now_ps) {
            self.mark = self.counted;
            self.draining = true;
        }
        if self.draining {
            if in_flight > 0 {
                return Pause::Drain;
            }
            (self.draining, self.issued) = (false, false);
            self.until_ps = self.last_completion_ps.saturating_add(self.think.time_ps);
            return Pause::Begin(self.until_ps);
        }
        if now_ps < self.until_ps {
            Pause::Until(self.until_ps)
        } else {
            Pause::None
        }
    }

    /// Whether the requests or the time between two pauses are over.
    fn is_due(&self, start_ps: u64, now_ps: u64) -> bool {
        let since_ps = now_ps.saturating_sub(self.until_ps.max(start_ps));
        self.counted - self.mark >= self.think.blocks || since_ps >= self.think.every_ps
    }
}

#[cfg(test)]
mod tests {
    use super::super::pacing::PausesInRates;
    use super::*;

    fn limit(read: Rate, write: Rate) -> RateLimit {
        let rate = PerDirection { read, write, trim: Rate::Unlimited };
        let pacing = Pacing {
            rate,
            process: RateProcess::Linear,
            think: None,
            pauses: PausesInRates::Counted,
        };
        RateLimit::new(&pacing, PerDirection::default(), Prng::new(1, 0))
    }

    #[test]
    fn a_poisson_process_has_exponential_distances() {
        const MEAN: u64 = 1_000_000_000;
        const DRAWS: usize = 200_000;
        let mut random = Prng::new(9, 0);
        let draws: Vec<f64> =
            (0..DRAWS).map(|_| exponential(MEAN, &mut random) as f64 / MEAN as f64).collect();
        let mean = draws.iter().sum::<f64>() / DRAWS as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / DRAWS as f64;
        assert!((mean - 1.0).abs() < 0.01, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.02, "variance {variance}");
        // The distribution function at a few places.
        for x in [0.01, 0.1, 0.5, 1.0, 2.0, 5.0] {
            let below = draws.iter().filter(|&&draw| draw < x).count() as f64 / DRAWS as f64;
            let expected = 1.0 - f64::exp(-x);
            assert!((below - expected).abs() < 0.005, "{x}: {below} {expected}");
        }
    }

    #[test]
    fn the_nth_request_waits_for_all_bytes_before_it() {
        let mut limit = limit(Rate::Bytes(4096 * 3), Rate::Bytes(8192 * 3));
        for n in 1..=7_u64 {
            limit.issue(Direction::Read, 4096);
            limit.issue(Direction::Write, 8192);
            let due = (n * PS_PER_SECOND).div_ceil(3);
            assert_eq!(limit.turn(Direction::Read).due_ps, due);
            assert_eq!(limit.turn(Direction::Write).due_ps, due);
        }
        assert_eq!(limit.turn(Direction::Trim).due_ps, 0);
    }

    #[test]
    fn a_direction_ahead_of_its_rate_gives_way() {
        let mut limit = limit(Rate::Bytes(4096), Rate::Unlimited);
        limit.issue(Direction::Read, 4096);
        let either = |at| limit.turn_of_either(Direction::Read, Direction::Write, at).direction;
        assert_eq!(either(0), Direction::Write);
        assert_eq!(either(PS_PER_SECOND), Direction::Read);
        let write_first = limit.turn_of_either(Direction::Write, Direction::Read, 0);
        assert_eq!(write_first, Turn { direction: Direction::Write, due_ps: 0 });
    }

    fn think(blocks: u64) -> Think {
        Think { time_ps: 100, blocks, every_ps: u64::MAX, counts: ThinkCount::Completed }
    }

    #[test]
    fn a_pause_waits_for_the_queue_and_then_lasts_its_time() {
        let mut thinking = Thinking::new(think(2));
        thinking.issued();
        thinking.completed(10);
        assert_eq!(thinking.pause(0, 10, 3), Pause::None);
        thinking.completed(20);
        assert_eq!(thinking.pause(0, 20, 2), Pause::Drain);
        thinking.completed(25);
        thinking.completed(30);
        assert_eq!(thinking.pause(0, 30, 0), Pause::Begin(130));
        assert_eq!(thinking.pause(0, 129, 0), Pause::Until(130));
        assert_eq!(thinking.pause(0, 130, 0), Pause::None);
        // The two that drained count: after a single request more comes the next pause.
        thinking.issued();
        assert_eq!(thinking.pause(0, 131, 1), Pause::Drain);
        thinking.completed(140);
        assert_eq!(thinking.pause(0, 140, 0), Pause::Begin(240));
        assert_eq!(thinking.pause(0, 240, 0), Pause::None);
        // That request was not counted before the pause was called for, so now it is the first of two.
        thinking.issued();
        assert_eq!(thinking.pause(0, 241, 1), Pause::None);
        thinking.completed(250);
        assert_eq!(thinking.pause(0, 250, 0), Pause::Begin(350));
    }

    #[test]
    fn a_pause_may_count_what_is_issued_or_come_after_a_time() {
        let mut by_issue = Thinking::new(Think { counts: ThinkCount::Issued, ..think(2) });
        by_issue.issued();
        by_issue.completed(5);
        assert_eq!(by_issue.pause(0, 5, 0), Pause::None);
        by_issue.issued();
        assert_eq!(by_issue.pause(0, 6, 1), Pause::Drain);
        let mut by_time = Thinking::new(Think { every_ps: 50, ..think(u64::MAX) });
        by_time.issued();
        by_time.completed(1049);
        assert_eq!(by_time.pause(1000, 1049, 0), Pause::None);
        assert_eq!(by_time.pause(1000, 1050, 0), Pause::Begin(1149));
        by_time.issued();
        assert_eq!(by_time.pause(1000, 1198, 0), Pause::None);
        assert_eq!(by_time.pause(1000, 1199, 1), Pause::Drain);
    }

    #[test]
    fn a_time_that_is_left_out_moves_what_is_due() {
        let mut limit = limit(Rate::Bytes(4096), Rate::Unlimited);
        limit.issue(Direction::Read, 4096);
        limit.leave_out(7);
        assert_eq!(limit.turn(Direction::Read).due_ps, PS_PER_SECOND + 7);
    }
}
