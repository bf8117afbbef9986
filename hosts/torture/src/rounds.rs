//! Rounds side by side.

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::Range;
use std::sync::mpsc::Sender;

use runs::pool::{side_by_side, Queue};

use crate::draft::Draft;
use crate::draw::Draw;
use crate::drives::{self, NoDrive};
use crate::faults::Faults;
use crate::outcome::Outcome;
use crate::plan::{Data, Plan};
use crate::shrink::Failing;
use crate::violation::attempt;

/// What rounds have in common.
#[derive(Clone, Debug)]
pub struct Torture {
    /// The board; drives are random if absent.
    pub board: Option<String>,
    /// Commands of a round at least.
    pub commands: u32,
    /// What goes wrong.
    pub faults: Faults,
    /// Turns of the host between two power losses, or commands where it has zones or chunks; drawn for each round if absent.
    pub cut_every: Option<NonZeroU32>,
}

impl Torture {
    /// The round of a seed.
    ///
    /// # Errors
    /// When the board is not there, or no small drive can be made of it.
    pub fn plan(&self, seed: u64) -> Result<Plan, NoDrive> {
        let board = self.board.as_deref();
        let mut draw = Draw(!seed);
        draw.below(1);
        let plan = Plan::draw(Draft {
            seed,
            board: board.unwrap_or(drives::PLAIN),
            values: drives::values(seed, board, self.faults)?,
            data: if draw.once_in(24) { Data::Bytes } else { Data::Stamps },
            faults: self.faults,
            commands: self.commands,
            turns_between_cuts: match self.cut_every {
                Some(turns) => turns.get(),
                None => draw.one_of(&[5, 15, 60, 150]),
            },
            cuts_are_given: self.cut_every.is_some(),
        })?;
        Ok(plan)
    }

    /// Runs the rounds of some seeds on `jobs` threads. Stops at the first violation that it comes upon, and of
    /// those that other threads come upon meanwhile gives the one of the least seed. `ended` is told after each
    /// round how many have ended, and what they came to.
    ///
    /// # Errors
    /// When the board is not there, or no small drive can be made of it.
    pub fn run(
        &self,
        seeds: Range<u64>,
        jobs: NonZeroUsize,
        ended: &mut dyn FnMut(u64, &Outcome),
    ) -> Result<(Outcome, Option<(u64, Failing)>), NoDrive> {
        let queue = Queue::new(seeds);
        let work = |tell: &Sender<_>| {
            while let Some(seed) = queue.take() {
                // The receiver is there until all threads have ended.
                if tell.send((seed, self.round(seed))).is_err() {
                    break;
                }
            }
        };
        let (mut total, mut worst, mut refused, mut count) = (Outcome::default(), None, None, 0);
        side_by_side(jobs.get(), &work, |told| {
            for (seed, round) in told {
                match round {
                    Ok(Ok(outcome)) => {
                        (total, count) = (total.and(outcome), count + 1);
                        ended(count, &total);
                        continue;
                    }
                    Ok(Err(failing)) if worst.as_ref().is_none_or(|&(least, _)| seed < least) => {
                        worst = Some((seed, failing));
                    }
                    Ok(Err(_)) => {}
                    Err(error) => refused = Some(error),
                }
                queue.close();
            }
        });
        refused.map_or(Ok((total, worst)), Err)
    }

    fn round(&self, seed: u64) -> Result<Result<Outcome, Failing>, NoDrive> {
        let plan = self.plan(seed)?;
        Ok(attempt(&plan).map_err(|violation| Failing { plan, violation }))
    }
}
