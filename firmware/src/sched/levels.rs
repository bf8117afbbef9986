//! Read levels: at which one each chip reads, and at which one a read is tried again.

use alloc::vec::Vec;
use contract::Configuration;

use crate::operations::Task;

/// The read levels of all chips.
///
/// Where a chip hung, its level may be another than what is here. That harms nothing: the read that meets it is tried
/// again, at a level of its own.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Levels {
    /// Levels beside 0.
    beside: u8,
    /// By die.
    of: Vec<u8>,
}

impl Levels {
    /// Of chips that have just been powered on.
    pub fn new(config: &Configuration) -> Self {
        let dies = config.geometry.dies() as usize;
        Levels { beside: config.read_levels, of: alloc::vec![0; dies] }
    }

    /// The level that a chip is to be set to before a task, if it is not there: another one with each try.
    #[inline]
    pub fn to_set(&self, die: u32, task: &Task) -> Option<u8> {
        if self.beside == 0 {
            return None;
        }
        let level = task.retries()? % (self.beside + 1);
        (self.of[die as usize] != level).then_some(level)
    }

    /// A chip was set to the level of a task.
    pub fn is_set_for(&mut self, die: u32, task: &Task) {
        if let Some(level) = self.to_set(die, task) {
            self.of[die as usize] = level;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvme::tests::mock::configuration;
    use contract::BufferId;

    #[test]
    fn each_try_has_its_level_and_the_first_one_the_usual() {
        let mut levels = Levels::new(&Configuration { read_levels: 2, ..configuration() });
        let probe = |retries| Task::Probe { entry: BufferId(0), retries };
        let mut set = |retries| {
            let level = levels.to_set(1, &probe(retries));
            levels.is_set_for(1, &probe(retries));
            level
        };
        let found: [_; 7] = [0, 1, 1, 2, 3, 0, 2].map(&mut set);
        assert_eq!(found, [None, Some(1), None, Some(2), Some(0), None, Some(2)]);
        assert_eq!((levels.to_set(0, &probe(0)), levels.to_set(1, &Task::Erase)), (None, None));
    }
}
