//! Drives that points have in common: brought into their state once.

use std::sync::{Arc, Mutex, OnceLock};

use host::{Preconditioning, Prepared};

/// What two points have in common whose drives are the same when their jobs begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// SHA-256 of the board's values.
    pub board: String,
    /// The state.
    pub precondition: Preconditioning,
    /// What the chips are drawn from, and the order of random writes.
    pub seed: u64,
}

/// A drive that is there once somebody has made it, or why there is none.
type Slot = Arc<OnceLock<Result<Prepared, String>>>;

/// The drives that were asked for last.
pub(crate) struct Shared {
    most: usize,
    /// The last one asked for stands last.
    slots: Mutex<Vec<(Key, Slot)>>,
}

impl Shared {
    /// Keeps so many at most.
    pub fn new(most: usize) -> Shared {
        Shared { most, slots: Mutex::new(Vec::new()) }
    }

    /// The drive of a key, which `make` makes if it is not there. Who asks meanwhile waits for it.
    pub fn drive(&self, key: &Key, make: impl FnOnce() -> Result<Prepared, String>) -> Slot {
        let slot = self.slot(key);
        slot.get_or_init(make);
        slot
    }

    fn slot(&self, key: &Key) -> Slot {
        // A thread that panicked in here left all as it was.
        let mut slots = self.slots.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let slot = match slots.iter().position(|(own, _)| own == key) {
            Some(nth) => slots.remove(nth).1,
            None => {
                if slots.len() == self.most {
                    slots.remove(0);
                }
                Slot::default()
            }
        };
        slots.push((key.clone(), slot.clone()));
        slot
    }
}

/// Whether making a drive in this state costs more than copying it: where something is overwritten for it, if only a small drive.
pub(crate) fn is_shared(state: Preconditioning) -> bool {
    matches!(state, Preconditioning::Steady | Preconditioning::SteadyRun)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::definition::Sweep;
    use crate::journal::{Journal, Origin, Row};
    use crate::point::Runner;

    const SWEEP: &str = r#"
board = "small"
precondition = "steady"
seeds = 2
[options]
rw = "randrw"
bs = "4k"
size = "2m"
number_ios = 300
[grid]
iodepth = [1, 4]
"ftl.victim" = ["greedy", "cost-benefit"]
"#;

    fn sweep() -> (tempfile::TempDir, Sweep) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.toml");
        std::fs::write(&path, SWEEP).expect("a file");
        let sweep = Sweep::read(&path).expect("a sweep");
        (folder, sweep)
    }

    /// Rows of a sweep on two threads are those of points that have a drive of their own each.
    #[test]
    fn rows_are_the_same_with_drives_in_common() {
        let (folder, sweep) = sweep();
        let mut journal = Journal::open(folder.path(), &sweep, &Origin::new(&sweep, "1", "c"))
            .expect("a journal");
        let points = sweep.points_of(None);
        let what = crate::What { sweep: &sweep, points: &points, threads: 2, stop: &|| false };
        crate::run(&what, &mut journal, &mut |_| ()).expect("rows");
        for number in 0..sweep.points() {
            let alone = Shared::new(1);
            let outcome = Runner::new(&sweep, &alone).run(&sweep.point(number));
            let row = Row::new(number, outcome);
            assert_eq!(row.error, None);
            assert_eq!(journal.rows().nth(number as usize), Some(&row), "point {number}");
        }
    }

    #[test]
    fn a_drive_is_made_once_for_all_who_ask() {
        let (shared, made) = (Shared::new(2), AtomicU32::new(0));
        let ask = |seed| {
            let key = Key { board: String::new(), precondition: Preconditioning::Steady, seed };
            let slot = shared.drive(&key, || {
                made.fetch_add(1, Ordering::Relaxed);
                Err(format!("no drive {seed}"))
            });
            let drive = slot.get().expect("it was asked for");
            assert_eq!(drive.as_ref().err(), Some(&format!("no drive {seed}")));
            made.load(Ordering::Relaxed)
        };
        assert_eq!([ask(1), ask(1), ask(2), ask(1)], [1, 1, 2, 2]);
        // The third drives out the second, which was asked for longest ago.
        assert_eq!([ask(3), ask(1), ask(2)], [3, 3, 4]);
    }
}
