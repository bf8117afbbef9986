//! Data that nobody reads are read by the *patrol* while commands are under way, so that those whose bits go wrong are found: one page of one
//! superblock at a time, superblock after superblock, since all pages of a block have been there for about as long and are disturbed alike.
//!
//! Blocks in which a program failed are never collected. What they hold goes through the data buffer to where new data go.
//! Pages of the log are read by nobody before the power goes away: when it has been around, the patrol has all snapshots taken
//! anew, which makes all older pages of the log needless.

mod round;

use contract::{Configuration, Instant, Lpn};

use super::blocks::Role;
use super::collect::{next_valid, next_valid_in_failed};
use super::translate::Translator;
use crate::operations::Place;

/// Superblocks that a step of the patrol passes over at most: they hold no data.
const PASSED_OVER: u32 = 16;

/// Reads what nobody else reads.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Patrol {
    /// From one page to the next; zero where there is no patrol.
    interval_ps: u64,
    next_at: Instant,
    /// The superblock whose turn it is: the same of all ways, then the next.
    superblock: u32,
    /// How many of its blocks had their turn after it, as they may have failed and hold data still; the superblock itself
    /// counts as the first.
    step: u32,
    /// Whether it has been around since the log was written anew, and pages that it has read since.
    is_around: bool,
    reads: u64,
    /// A block that failed and whose data are written anew: its way, itself, and the mapping unit to be looked at next.
    failed: Option<(u32, u32, u32)>,
}

impl Patrol {
    /// The patrol of a board.
    pub fn new(config: &Configuration) -> Self {
        let interval_ps = config.refresh.patrol_interval.as_ps();
        let next_at = Instant::from_ps(interval_ps);
        Patrol {
            interval_ps,
            next_at,
            superblock: 0,
            step: 0,
            is_around: false,
            reads: 0,
            failed: None,
        }
    }

    /// The way whose turn it is.
    fn die(&self, translator: &Translator) -> u32 {
        self.superblock % translator.geometry().dies()
    }

    /// The first data of the next superblock that has any, or of the next block that failed and has. None if that is of a
    /// way that is busy, or if there is none soon.
    fn next(
        &mut self,
        translator: &Translator,
        is_busy: impl Fn(u32) -> bool,
    ) -> Option<(Lpn, Place)> {
        let blocks = translator.blocks();
        let (dies, planes) = (translator.geometry().dies(), blocks.planes());
        let all = blocks.superblocks_per_way() * dies;
        for _ in 0..PASSED_OVER.min(all) * (planes + 1) {
            let (die, superblock) = (self.die(translator), self.superblock / dies);
            if is_busy(die) {
                break;
            }
            let step = self.step;
            self.step = (step + 1) % (planes + 1);
            if self.step == 0 {
                self.superblock = (self.superblock + 1) % all;
                self.is_around |= self.superblock == 0;
            }
            let found = match step.checked_sub(1) {
                None => {
                    let role = blocks.of(die, superblock).role;
                    let is_used = matches!(role, Role::Open | Role::Closed);
                    let holds_data = is_used && blocks.valid(die, superblock) > 0;
                    holds_data.then(|| next_valid(translator, die, (superblock, 0)))
                }
                Some(plane) => {
                    let block = superblock * planes + plane;
                    let failed = blocks.role(die, block) == Role::Failed;
                    let next = || next_valid_in_failed(translator, die, (block, 0));
                    failed.then(next).flatten()
                }
            };
            if let Some((lpn, place, _)) = found {
                return Some((lpn, place));
            }
        }
        None
    }
}
