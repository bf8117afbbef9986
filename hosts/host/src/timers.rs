//! When each worker wants to be woken: a tournament tree with the earliest time at its root.

use machine::NEVER;

/// One time a worker.
#[derive(Debug)]
pub struct Timers {
    /// A complete binary tree: node 1 is the root, the leaves stand behind the inner nodes.
    tree: Vec<u64>,
    leaves: usize,
}

impl Timers {
    /// Timers for `count` workers, none set.
    pub fn new(count: usize) -> Self {
        let leaves = count.next_power_of_two();
        Timers { tree: vec![NEVER; 2 * leaves], leaves }
    }

    /// Sets a worker's time; [`NEVER`] for not at all.
    #[inline]
    pub fn set(&mut self, worker: usize, time: u64) {
        let mut node = self.leaves + worker;
        self.tree[node] = time;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
    }

    /// The earliest time.
    #[inline]
    pub fn first(&self) -> u64 {
        self.tree[1]
    }

    /// The worker with the earliest time that is not after `now`; of several, the lowest.
    #[inline]
    pub fn due(&self, now: u64) -> Option<usize> {
        let first = self.first();
        if first > now {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            node = 2 * node + usize::from(self.tree[2 * node] != first);
        }
        Some(node - self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_earliest_and_lowest_is_due(
            count in 1_usize..40,
            settings in prop::collection::vec((0_usize..40, 0_u64..9), 1..80),
        ) {
            let mut timers = Timers::new(count);
            let mut plain = vec![NEVER; count];
            for (worker, time) in settings {
                let time = if time == 8 { NEVER } else { time };
                timers.set(worker % count, time);
                plain[worker % count] = time;
                let first = *plain.iter().min().unwrap();
                prop_assert_eq!(timers.first(), first);
                let due = plain.iter().position(|&time| time == first && time <= 5);
                prop_assert_eq!(timers.due(5), due);
            }
        }
    }
}
