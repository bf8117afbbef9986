//! One processor of the machine for guest and drive together.
//!
//! Only one of them runs at a time, and each waits for the other thousands of times a second. On one processor the other one is
//! running within two microseconds; on two, a processor has to be woken each time.

use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity, CpuSet};

/// This thread, and processes that it starts from now on, run on the processor on which it is running; until this is dropped.
#[derive(Debug)]
pub struct Pinned {
    before: Option<CpuSet>,
}

impl Pinned {
    /// Stays on the present processor. Where the system refuses, everything goes on as before, only slower.
    pub fn here() -> Self {
        let before = sched_getaffinity(None).ok();
        let mut here = CpuSet::new();
        here.set(sched_getcpu());
        Pinned { before: before.filter(|_| sched_setaffinity(None, &here).is_ok()) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = sched_setaffinity(None, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_stays_where_it_is_and_is_free_again() {
        let free = sched_getaffinity(None).unwrap().count();
        let pinned = Pinned::here();
        assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
        drop(pinned);
        assert_eq!(sched_getaffinity(None).unwrap().count(), free);
    }
}
