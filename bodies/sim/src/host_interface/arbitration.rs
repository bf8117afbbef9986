//! Which submission queue to fetch from (NVMe 1.4 section 4.13): round robin, or weighted round
//! robin with urgent priority class.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::QueueWeights;

/// A set of queues with a turn, quick to search at 65,536 queues.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
struct QueueSet {
    words: Vec<u64>,
    /// A bit a word that is not empty.
    summary: Vec<u64>,
    count: u32,
    turn: u32,
}

impl QueueSet {
    fn new(queues: u32) -> Self {
        let words = (queues as usize + 1).div_ceil(64);
        QueueSet { words: vec![0; words], summary: vec![0; words.div_ceil(64)], count: 0, turn: 0 }
    }

    fn insert(&mut self, queue: u16) {
        let word = usize::from(queue) / 64;
        self.count += u32::from(self.words[word] >> (queue % 64) & 1 == 0);
        self.words[word] |= 1 << (queue % 64);
        self.summary[word / 64] |= 1 << (word % 64);
    }

    fn remove(&mut self, queue: u16) {
        let word = usize::from(queue) / 64;
        let present = u32::from(self.words[word] >> (queue % 64) & 1 != 0);
        self.count = self.count.checked_sub(present).expect("as many as bits are set");
        self.words[word] &= !(1 << (queue % 64));
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    fn clear(&mut self) {
        self.words.fill(0);
        self.summary.fill(0);
        (self.count, self.turn) = (0, 0);
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first queue at or after the turn, or the first of all.
    #[inline]
    fn next(&self) -> Option<u16> {
        self.first_from(self.turn).or_else(|| self.first_from(0))
    }

    fn first_from(&self, from: u32) -> Option<u16> {
        let word = from as usize / 64;
        let here = self.words.get(word)? >> (from % 64) << (from % 64);
        if here != 0 {
            return Some((word as u32 * 64 + here.trailing_zeros()) as u16);
        }
        let after = word + 1;
        let mut group = after / 64;
        let mut bits = *self.summary.get(group)? & u64::MAX.checked_shl(after as u32 % 64)?;
        while bits == 0 {
            group += 1;
            bits = *self.summary.get(group)?;
        }
        let word = group * 64 + bits.trailing_zeros() as usize;
        Some((word as u32 * 64 + self.words[word].trailing_zeros()) as u16)
    }
}

/// Classes that share by weight: high, medium, low.
const WEIGHTED: usize = 3;

/// The arbiter. Under round robin all queues, the admin queue too, are in one class.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Arbiter {
    weighted: bool,
    /// Urgent (or all queues), high, medium, low.
    classes: [QueueSet; 1 + WEIGHTED],
    admin: bool,
    weights: QueueWeights,
    /// Commands that each weighted class may still fetch in this round.
    credits: [u32; WEIGHTED],
    /// Commands left of the burst of each class's present queue.
    bursts: [u32; 1 + WEIGHTED],
}

impl Arbiter {
    pub(super) fn new(io_queues: u32) -> Self {
        Arbiter {
            weighted: false,
            classes: std::array::from_fn(|_| QueueSet::new(io_queues)),
            admin: false,
            weights: QueueWeights::default(),
            credits: [0; WEIGHTED],
            bursts: [0; 1 + WEIGHTED],
        }
    }

    pub(super) fn start(&mut self, weighted: bool) {
        self.clear();
        self.weighted = weighted;
    }

    pub(super) fn clear(&mut self) {
        self.classes.iter_mut().for_each(QueueSet::clear);
        self.admin = false;
        self.weights = QueueWeights::default();
        (self.credits, self.bursts) = ([0; WEIGHTED], [0; 1 + WEIGHTED]);
    }

    pub(super) fn set_weights(&mut self, weights: QueueWeights) {
        self.weights = weights;
        (self.credits, self.bursts) = ([0; WEIGHTED], [0; 1 + WEIGHTED]);
    }

    /// A queue has entries to fetch.
    pub(super) fn insert(&mut self, queue: u16, priority: u8) {
        match (self.weighted, queue) {
            (true, 0) => self.admin = true,
            (true, _) => self.classes[usize::from(priority & 3)].insert(queue),
            (false, _) => self.classes[0].insert(queue),
        }
    }

    /// A queue has none any more. Its turn ends, so that one that is rung again and again does not
    /// keep the others waiting.
    pub(super) fn remove(&mut self, queue: u16) {
        if queue == 0 {
            self.admin = false;
        }
        for (class, burst) in self.classes.iter_mut().zip(&mut self.bursts) {
            class.remove(queue);
            if class.turn == u32::from(queue) && *burst > 0 {
                *burst = 0;
                class.turn += 1;
            }
        }
    }

    /// Whether any queue has entries to fetch.
    pub(super) fn has_waiting(&self) -> bool {
        self.admin || self.classes.iter().any(|class| !class.is_empty())
    }

    /// The queue to fetch the next command from. A fetch follows.
    pub(super) fn next(&mut self) -> Option<u16> {
        if self.admin {
            return Some(0);
        }
        let class = self.class()?;
        if class > 0 {
            self.credits[class - 1] -= 1;
        }
        let set = &mut self.classes[class];
        let queue = set.next()?;
        let left = &mut self.bursts[class];
        if *left == 0 || set.turn != u32::from(queue) {
            *left = match self.weights.burst {
                7.. => u32::MAX,
                burst => 1 << burst,
            };
        }
        *left -= 1;
        set.turn = if *left == 0 { u32::from(queue) + 1 } else { u32::from(queue) };
        Some(queue)
    }

    fn class(&mut self) -> Option<usize> {
        if !self.classes[0].is_empty() {
            return Some(0);
        }
        let waiting = [1, 2, 3].map(|class| !self.classes[class].is_empty());
        if !waiting.contains(&true) {
            return None;
        }
        if (0..WEIGHTED).all(|n| !waiting[n] || self.credits[n] == 0) {
            let w = self.weights;
            self.credits = [w.high, w.medium, w.low].map(|weight| u32::from(weight) + 1);
        }
        (0..WEIGHTED).find(|&n| waiting[n] && self.credits[n] > 0).map(|n| n + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(arbiter: &mut Arbiter, count: usize) -> Vec<u16> {
        (0..count).filter_map(|_| arbiter.next()).collect()
    }

    #[test]
    fn round_robin_takes_turns_over_all_queues() {
        let mut arbiter = Arbiter::new(65_535);
        for queue in [0, 3, 64, 4096, 65_535] {
            arbiter.insert(queue, 0);
        }
        assert_eq!(order(&mut arbiter, 7), [0, 3, 64, 4096, 65_535, 0, 3]);
        arbiter.remove(64);
        assert_eq!(order(&mut arbiter, 3), [4096, 65_535, 0]);
    }

    #[test]
    fn a_burst_stays_with_its_queue() {
        let mut arbiter = Arbiter::new(8);
        arbiter.set_weights(QueueWeights { burst: 1, ..QueueWeights::default() });
        arbiter.insert(1, 0);
        arbiter.insert(2, 0);
        assert_eq!(order(&mut arbiter, 6), [1, 1, 2, 2, 1, 1]);
    }

    #[test]
    fn a_queue_that_runs_empty_and_is_rung_again_waits_for_the_others() {
        for burst in 1..8 {
            let mut arbiter = Arbiter::new(8);
            arbiter.set_weights(QueueWeights { burst, ..QueueWeights::default() });
            arbiter.insert(1, 0);
            arbiter.insert(2, 0);
            assert_eq!(arbiter.next(), Some(1));
            arbiter.remove(1);
            arbiter.insert(1, 0);
            assert_eq!(arbiter.next(), Some(2), "burst {burst}");
        }
    }

    #[test]
    fn weights_share_and_urgent_and_admin_go_first() {
        let mut arbiter = Arbiter::new(8);
        arbiter.start(true);
        arbiter.set_weights(QueueWeights { burst: 0, low: 0, medium: 1, high: 3 });
        for (queue, priority) in [(1, 1), (2, 2), (3, 3)] {
            arbiter.insert(queue, priority);
        }
        let round = order(&mut arbiter, 14);
        assert_eq!(round[..7], [1, 1, 1, 1, 2, 2, 3]);
        assert_eq!(round[..7], round[7..]);
        arbiter.insert(4, 0);
        arbiter.insert(0, 0);
        assert_eq!(arbiter.next(), Some(0));
        arbiter.remove(0);
        assert_eq!(arbiter.next(), Some(4));
    }
}
