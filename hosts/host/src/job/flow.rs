//! Jobs that share tokens by weight (`flow`): none runs ahead of its share of what the others do.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;

/// The part of a job in its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowShare {
    /// Which flow (`flow_id`).
    pub id: u32,
    /// Its weight, not zero (`flow`). As in fio, weights are summed modulo 2^32, and a negative one is what is left of that.
    pub weight: u32,
    /// How long a job that is ahead waits, once nothing of it is in flight; 0 to go on as soon as the
    /// others have caught up (`flow_sleep`).
    pub sleep_ps: u64,
}

/// The tokens that the jobs of a flow have taken, and their weights. The jobs of a run act one after
/// another, so the order of accesses is theirs.
#[derive(Debug)]
pub struct Flow {
    /// As in fio, 1 more than what jobs that run have taken, so that nothing is divided by zero.
    taken: AtomicU64,
    weight: AtomicU32,
}

impl Default for Flow {
    fn default() -> Self {
        Flow { taken: AtomicU64::new(1), weight: AtomicU32::new(0) }
    }
}

/// Whether a job is in its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Outside,
    Inside,
    Left,
}

/// A job in its flow.
#[derive(Clone, Debug)]
pub(super) struct FlowMember {
    share: FlowShare,
    flow: Arc<Flow>,
    taken: u64,
    standing: Standing,
    /// Whether a token was taken for the next request.
    holds_token: bool,
    /// Whether the job is ahead, and waits until nothing of it is in flight before it sleeps.
    drains: bool,
    until_ps: u64,
}

/// What a flow says to a job that wants to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    /// A request may go.
    Go,
    /// None before another job of the flow has done something.
    Held,
    /// None before those in flight have completed.
    Drain,
    /// None before this time.
    Until(u64),
}

impl FlowMember {
    /// A job that has not begun, alone in a flow.
    pub(super) fn new(share: FlowShare) -> Self {
        FlowMember {
            share,
            flow: Arc::default(),
            taken: 0,
            standing: Standing::Outside,
            holds_token: false,
            drains: false,
            until_ps: 0,
        }
    }

    /// Joins others, before it begins.
    pub(super) fn share_with(&mut self, flow: Arc<Flow>) {
        self.flow = flow;
    }

    /// Asks for a token for the next request.
    pub(super) fn ask(&mut self, now_ps: u64, in_flight: u32) -> Grant {
        if self.holds_token {
            return Grant::Go;
        }
        if now_ps < self.until_ps {
            return Grant::Until(self.until_ps);
        }
        if !self.drains && !self.is_ahead() {
            self.take();
            self.holds_token = true;
            return Grant::Go;
        }
        match (self.share.sleep_ps, in_flight) {
            (0, _) => Grant::Held,
            (_, 1..) => {
                self.drains = true;
                Grant::Drain
            }
            (sleep_ps, 0) => {
                self.drains = false;
                self.until_ps = now_ps.saturating_add(sleep_ps);
                Grant::Until(self.until_ps)
            }
        }
    }

    /// A request was issued.
    pub(super) fn issued(&mut self) {
        if !std::mem::take(&mut self.holds_token) {
            self.take();
        }
    }

    /// Leaves the flow with what it has taken.
    pub(super) fn leave(&mut self) {
        if self.standing == Standing::Inside {
            self.flow.taken.fetch_sub(self.taken, Ordering::Relaxed);
            self.flow.weight.fetch_sub(self.share.weight, Ordering::Relaxed);
        }
        self.standing = Standing::Left;
    }

    /// Whether its share of the tokens is above its share of the weights.
    fn is_ahead(&mut self) -> bool {
        self.enter();
        let taken = u128::from(self.flow.taken.load(Ordering::Relaxed));
        let weight = u128::from(self.flow.weight.load(Ordering::Relaxed));
        u128::from(self.taken) * weight > u128::from(self.share.weight) * taken
    }

    fn take(&mut self) {
        self.enter();
        self.taken += 1;
        self.flow.taken.fetch_add(1, Ordering::Relaxed);
    }

    fn enter(&mut self) {
        if self.standing == Standing::Outside {
            self.standing = Standing::Inside;
            self.flow.weight.fetch_add(self.share.weight, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each member of a flow is granted a request when all ask again and again, the first `rounds` times.
    fn granted(weights: &[i32], rounds: usize) -> Vec<u64> {
        let flow = Arc::<Flow>::default();
        let member = |weight: &i32| {
            let mut member =
                FlowMember::new(FlowShare { id: 0, weight: *weight as u32, sleep_ps: 0 });
            member.share_with(Arc::clone(&flow));
            member.enter();
            member
        };
        let mut members: Vec<FlowMember> = weights.iter().map(member).collect();
        for _ in 0..rounds {
            for member in &mut members {
                if member.ask(0, 0) == Grant::Go {
                    member.issued();
                }
            }
        }
        members.iter().map(|member| member.taken).collect()
    }

    #[test]
    fn requests_are_in_proportion_to_weights() {
        let counts = granted(&[1, 3], 1000);
        assert!(counts[1] == 1000 && counts[0].abs_diff(333) < 3, "{counts:?}");
    }

    /// What fio 3.33 does with jobs of its null engine that have a pause after each request.
    #[test]
    fn a_negative_weight_wraps_as_in_fio() {
        // The sum of -1, 1 and 3 is 3: nobody has more than a third, so nobody waits.
        assert_eq!(granted(&[-1, 1, 3], 1000), [1000, 1000, 1000]);
        // That of -9, 1 and 3 is just below 2^32, and the shares of the others are nothing.
        assert_eq!(granted(&[-9, 1, 3], 1000), [1000, 1, 1]);
        // A sum of 0 holds nobody.
        assert_eq!(granted(&[-4, 4], 1000), [1000, 1000]);
        assert_eq!(granted(&[-1000], 1000), [1000]);
    }
}
