//! Rates below which a job ends with an error (`rate_min`, `rate_iops_min`).

use super::direction::{Direction, PerDirection};
use super::units::PS_PER_SECOND;

/// As in fio, rates are looked at from two seconds after the start of a job.
const SETTLE_PS: u64 = 2 * PS_PER_SECOND;

/// The rates that a job has to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeastRates {
    /// Direction by direction.
    pub rate: PerDirection<Least>,
    /// Time over which a rate is taken (`rate_cycle`).
    pub cycle_ps: u64,
}

/// The least rate of a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Least {
    /// Any will do.
    #[default]
    Any,
    /// Bytes a second.
    Bytes(u64),
    /// Requests a second.
    Requests(u64),
}

/// What a direction has done.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    bytes: u64,
    requests: u64,
}

/// The rates of a job that runs.
#[derive(Clone, Debug)]
pub(super) struct RateWatch {
    least: LeastRates,
    done: PerDirection<Done>,
    /// What was done when the running cycle began, and when that was.
    marks: PerDirection<Option<(u64, Done)>>,
}

impl RateWatch {
    pub(super) fn new(least: LeastRates) -> Self {
        RateWatch { least, done: PerDirection::default(), marks: PerDirection::default() }
    }

    /// Counts a completed request.
    pub(super) fn completed(&mut self, direction: Direction, bytes: u64) {
        let done = self.done.of_mut(direction);
        done.bytes += bytes;
        done.requests += 1;
    }

    /// What is to be said of a rate that was not reached, at a completion; `start_ps` is the start of the job.
    pub(super) fn check(&mut self, start_ps: u64, now_ps: u64) -> Option<String> {
        if now_ps - start_ps < SETTLE_PS {
            return None;
        }
        let each = [Direction::Read, Direction::Write, Direction::Trim];
        each.into_iter().find_map(|direction| self.check_direction(direction, now_ps))
    }

    fn check_direction(&mut self, direction: Direction, now_ps: u64) -> Option<String> {
        let (least, done) = (*self.least.rate.of(direction), *self.done.of(direction));
        if least == Least::Any || done.requests == 0 {
            return None;
        }
        let mark = self.marks.of_mut(direction);
        if let Some((since_ps, before)) = *mark {
            let spent_ps = now_ps - since_ps;
            if spent_ps < self.least.cycle_ps || spent_ps == 0 {
                return None;
            }
            let a_second = |amount: u64| {
                let rate = u128::from(amount) * u128::from(PS_PER_SECOND) / u128::from(spent_ps);
                u64::try_from(rate).unwrap_or(u64::MAX)
            };
            let bytes = a_second(done.bytes - before.bytes);
            let requests = a_second(done.requests - before.requests);
            match least {
                Least::Bytes(least) if bytes < least => {
                    return Some(format!("rate_min={least} not met: {bytes} bytes a second"));
                }
                Least::Requests(least) if requests < least => {
                    return Some(format!("rate_iops_min={least} not met: {requests} IOPS"));
                }
                _ => {}
            }
        }
        *mark = Some((now_ps, done));
        None
    }
}
