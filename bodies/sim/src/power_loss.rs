//! What is left when the power has gone away: a capacitor, and what it is drained by.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{picojoules, SavingCosts};
use nand::Work;

use crate::memory::Extent;

/// Chips that hang when the power has gone away: a capacitor is good for no more.
pub(crate) const MOST_HUNG: u32 = 1;

/// The capacitor of a board.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(crate) struct Supply {
    costs: SavingCosts,
    /// What it holds, in picojoules.
    capacity_pj: u64,
    /// Data of the host that are on their way, and when they will be in the buffer, in picoseconds.
    arriving: VecDeque<(u64, Extent)>,
    /// When the power went away.
    since: u64,
    /// What transfers to chips and works that are over have taken.
    spent_pj: u64,
    /// Works of dies that are not over, from and until when.
    works: Vec<(u64, u64)>,
    /// Until when it is counted what dies that hang have taken.
    hung_until: u64,
}

impl Supply {
    /// A full capacitor.
    pub fn new(costs: SavingCosts, capacity_pj: u64) -> Self {
        Supply {
            costs,
            capacity_pj,
            arriving: VecDeque::new(),
            since: 0,
            spent_pj: 0,
            works: Vec::new(),
            hung_until: 0,
        }
    }

    /// Data of the host will be in the buffer at a time; it is `now`.
    pub fn arrive(&mut self, now: u64, at: u64, extent: Extent) {
        while self.arriving.front().is_some_and(|&(before, _)| before <= now) {
            self.arriving.pop_front();
        }
        self.arriving.push_back((at, extent));
    }

    /// The power goes away. What had not arrived is in the buffer in part.
    pub fn lose_power(&mut self, now: u64) -> impl Iterator<Item = Extent> + '_ {
        (self.since, self.hung_until) = (now, now);
        let arriving = self.arriving.drain(..);
        arriving.filter(move |&(at, _)| at > now).map(|(_, extent)| extent)
    }

    /// A die was told something.
    pub fn take(&mut self, (work, from, until): (Work, u64, u64)) {
        if matches!(work, Work::Program { .. }) && from >= self.since {
            self.spent_pj += self.costs.transfer_pj;
        }
        self.works.push((from, until));
    }

    /// So many dies hung since this was told last, and draw on it as if they worked.
    pub fn hang(&mut self, now: u64, dies: u32) {
        let time = now.saturating_sub(core::mem::replace(&mut self.hung_until, now));
        self.spent_pj += u64::from(dies) * picojoules(self.costs.die_mw, time);
    }

    /// Until when it lasts, if that is not behind `now`: later works are not known yet.
    pub fn lasts_until(&mut self, now: u64) -> Option<u64> {
        if self.used_pj(now) <= self.capacity_pj {
            let (costs, since) = (self.costs, self.since);
            let spent = &mut self.spent_pj;
            self.works.retain(|&(from, until)| {
                let over = until <= now;
                if over {
                    *spent += picojoules(costs.die_mw, until.saturating_sub(from.max(since)));
                }
                !over
            });
            return None;
        }
        let (mut enough, mut too_long) = (self.since, now);
        while too_long - enough > 1 {
            let middle = enough + (too_long - enough) / 2;
            if self.used_pj(middle) <= self.capacity_pj {
                enough = middle;
            } else {
                too_long = middle;
            }
        }
        Some(enough)
    }

    /// What was used up to a time.
    pub fn used_pj(&self, at: u64) -> u64 {
        let own = picojoules(self.costs.controller_mw, at.saturating_sub(self.since));
        let of_die = |&(from, until): &(u64, u64)| {
            picojoules(self.costs.die_mw, until.min(at).saturating_sub(from.max(self.since)))
        };
        own + self.spent_pj + self.works.iter().map(of_die).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Duration;

    #[test]
    fn it_lasts_until_what_draws_on_it_has_used_it_up() {
        let costs = SavingCosts {
            controller_mw: 1000,
            die_mw: 500,
            transfer_pj: 100,
            program: Duration::ZERO,
            erase: Duration::ZERO,
            transfer: Duration::ZERO,
            begun_per_die: 1,
            hung_ways: 0,
            given_per_way: 2,
        };
        // A milliwatt is a picojoule a nanosecond: 1,000 pJ a nanosecond for the controller.
        let mut supply = Supply::new(costs, 10_000);
        assert_eq!(supply.lose_power(1_000_000).count(), 0);
        supply.take((Work::Erase { block: 0 }, 0, 1_004_000));
        supply.take((Work::Program { row: 0 }, 1_001_000, 1_005_000));
        assert_eq!(supply.used_pj(1_002_000), 2000 + 100 + 1000 + 500);
        assert_eq!(supply.lasts_until(1_004_500), None);
        // 100 for the transfer, 4 x 500 for each of both; then the controller alone.
        assert_eq!(supply.used_pj(1_005_000), 5000 + 100 + 2000 + 2000);
        assert_eq!(supply.lasts_until(1_005_000), None);
        assert_eq!(supply.lasts_until(1_005_900), None);
        assert_eq!(supply.lasts_until(1_006_000), Some(1_005_900));
        // One that hangs draws as one that works.
        let mut supply = Supply::new(costs, 10_000);
        assert_eq!(supply.lose_power(1_000_000).count(), 0);
        supply.hang(1_004_000, 1);
        assert_eq!(supply.used_pj(1_004_000), 4000 + 2000);
    }
}
