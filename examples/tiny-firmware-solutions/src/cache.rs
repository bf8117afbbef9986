//! Exercise 2, a cache: written data stay in their entry of the data buffer, and their command ends.

use crate::io::{Job, Stage};
use crate::Store;
use alloc::collections::VecDeque;
use contract::{CachePolicy, CommandTag, Hardware};
use firmware::nvme::backend::{Durability, IoOutcome};

/// What is known of the cache. Its pages are jobs at [`Stage::Cached`].
pub struct Cache {
    pub policy: CachePolicy,
    /// Pages that may wait in it. The other jobs are for reads, and for pages that are being programmed.
    most: usize,
    uses: u64,
    /// Flushes that are not over, the oldest first, and how many have come.
    flushes: VecDeque<CommandTag>,
    came: u64,
    /// Data of complete writes were lost: no flush succeeds any more.
    pub has_lost: bool,
}

impl Cache {
    pub fn new(policy: CachePolicy, jobs: usize) -> Self {
        let flushes = VecDeque::new();
        Cache { policy, most: jobs / 2, uses: 0, flushes, came: 0, has_lost: false }
    }

    /// A number for each use of an entry: the lower one was earlier.
    pub fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }
}

impl Store {
    /// The data of a write are in the buffer. Their command ends, unless they have to be on flash before.
    pub fn written(&mut self, hw: &mut impl Hardware, nth: usize) {
        let flushes = self.cache.came;
        self.job(nth).dirty.get_or_insert(flushes);
        let tag = self.job(nth).slice.expect("a write of a command").tag;
        let is_durable = self.command(tag).io.durability == Durability::Durable;
        if is_durable || self.cache.policy == CachePolicy::WriteThrough {
            return self.place(hw, nth);
        }
        self.end_slice(nth, IoOutcome::Success);
        self.keep_or_free(hw, nth);
    }

    /// A job has no slice any more. Its entry stays in the cache if it has data that are not on flash.
    pub fn keep_or_free(&mut self, hw: &mut impl Hardware, nth: usize) {
        let Some(flushes) = self.job(nth).dirty else {
            self.jobs[nth] = None;
            return;
        };
        // A flush waits for it.
        if flushes < self.cache.came {
            return self.place(hw, nth);
        }
        self.job(nth).stage = Stage::Cached;
        let cached = self.jobs.iter().enumerate().filter_map(|(nth, job)| {
            job.filter(|job| job.stage == Stage::Cached).map(|job| (job.used, nth))
        });
        let (count, oldest) = cached.fold((0, None), |(count, oldest), one| {
            (count + 1, Some(oldest.map_or(one, |other| one.min(other))))
        });
        if let Some((_, oldest)) = oldest.filter(|_| count > self.cache.most) {
            self.place(hw, oldest);
        }
    }

    /// Programs all that is in the cache. The flush ends when what was written before it is on flash.
    pub fn start_flush(&mut self, hw: &mut impl Hardware, tag: CommandTag) {
        self.cache.came += 1;
        self.cache.flushes.push_back(tag);
        for nth in 0..self.jobs.len() {
            if self.jobs[nth].is_some_and(|job: Job| job.stage == Stage::Cached) {
                self.place(hw, nth);
            }
        }
    }

    /// Ends the flushes before which nothing was written that is not on flash yet.
    pub fn end_flushes(&mut self) -> bool {
        let before = self.cache.flushes.len();
        let dirty = self.jobs.iter().flatten().filter_map(|job| job.dirty).min();
        while let Some(&tag) = self.cache.flushes.front() {
            let earlier = self.cache.came - self.cache.flushes.len() as u64;
            if dirty.is_some_and(|flushes| flushes <= earlier) {
                break;
            }
            self.cache.flushes.pop_front();
            let lost = self.cache.has_lost;
            self.done
                .push_back((tag, if lost { IoOutcome::WriteFault } else { IoOutcome::Success }));
        }
        self.cache.flushes.len() != before
    }
}
