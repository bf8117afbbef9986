//! What a plan in a file has to be so that it can be run: a round panics where a promise is broken, and a plan that names what
//! there is not is no broken promise.

use std::fmt;

use board::{Board, BoardError};
use contract::CommandSet;
use machine::{Polling, Unsuitable};
use sim::{Drive, Options};

use crate::bench::Bench;
use crate::placed_host::SLOTS;
use crate::plan::{logical_blocks, Data, Plan, Start, Step};
use crate::sizes::{BLOCK, LONGEST, PAIRS};
use crate::slots::payload;

/// Time of all steps together at most, in picoseconds: half of virtual time.
const MOST_PS: u64 = u64::MAX / 2;
/// Logical blocks of a drive at most. A round reads all of them, and knows what each may hold.
const MOST_BLOCKS: u64 = 1 << 22;
/// Commands at most that a step sends which names their number alone.
const MOST_COMMANDS: u32 = 1_000_000;
/// Submission and completion queues that there are, the admin queue's among them: as many doorbells.
const DOORBELLS: u16 = 2 * (PAIRS.len() as u16 + 1);

/// Why a plan cannot be run. `Display` is one line.
#[derive(Debug)]
pub enum PlanError {
    /// Its board is not there, or refuses its values.
    Board(BoardError),
    /// Its chips are of no use.
    Chips(Unsuitable),
    /// A value is none that a plan can have.
    Value {
        /// Where it is.
        key: String,
        /// What stands there.
        found: String,
        /// What would be right.
        expected: String,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Board(error) => error.fmt(f),
            PlanError::Chips(error) => error.fmt(f),
            PlanError::Value { key, found, expected } => {
                write!(f, "{key}: found {found}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for PlanError {}

impl Plan {
    /// Looks whether it can be run.
    ///
    /// # Errors
    /// The first thing that it names and that there is not.
    pub fn check(&self) -> Result<(), PlanError> {
        let board = Board::resolve(&self.board, &self.values).map_err(PlanError::Board)?;
        self.check_board(&board)?;
        let mut time = 0_u64;
        for (nth, step) in self.steps.iter().enumerate() {
            let wrong = |key: &str, found: u64, expected: String| {
                let key = format!("steps[{nth}].{key}");
                Err(PlanError::Value { key, found: found.to_string(), expected })
            };
            match step {
                Step::Submit { queue, .. } => {
                    if !(1..=PAIRS.len() as u16).contains(queue) {
                        let expected = format!("a queue from 1 to {}", PAIRS.len());
                        return wrong("submit.queue", (*queue).into(), expected);
                    }
                }
                Step::DeleteQueue { queue } => {
                    if !(2..=PAIRS.len() as u16).contains(queue) {
                        let expected = format!("a queue from 2 to {}", PAIRS.len());
                        return wrong("delete-queue.queue", (*queue).into(), expected);
                    }
                }
                Step::RingWrongly { doorbell, value } => check_doorbell(*doorbell, *value)
                    .or_else(|(key, found, expected)| wrong(key, found, expected))?,
                Step::Run { ps } => time = time.saturating_add(*ps),
                Step::CutPower { again_after_ps } => {
                    let all = again_after_ps.iter().fold(0, |sum: u64, ps| sum.saturating_add(*ps));
                    time = time.saturating_add(all);
                    check_power(&board)
                        .or_else(|expected| wrong("cut-power", nth as u64, expected))?;
                }
                Step::UseChunks { commands, depth, .. } => {
                    if !(1..=usize::from(SLOTS)).contains(depth) {
                        let expected = format!("1 to {SLOTS}");
                        return wrong("use-chunks.depth", *depth as u64, expected);
                    }
                    if *commands > MOST_COMMANDS {
                        let expected = format!("at most {MOST_COMMANDS}");
                        return wrong("use-chunks.commands", (*commands).into(), expected);
                    }
                }
                Step::Shelve { .. } => {
                    check_power(&board).or_else(|expected| wrong("shelve", nth as u64, expected))?
                }
                Step::Abort { .. }
                | Step::Format
                | Step::SaveAndRestore
                | Step::SendAstray { .. }
                | Step::Reset
                | Step::SwitchCache
                | Step::RunUntilQuiet => {}
            }
            if time > MOST_PS {
                let expected = format!("at most {MOST_PS} ps of all steps together");
                return wrong("ps", time, expected);
            }
        }
        Ok(())
    }

    /// Looks whether rounds can be run on this board.
    fn check_board(&self, board: &Board) -> Result<(), PlanError> {
        let config = &board.firmware;
        let block_bytes = u64::from(config.block_formats[usize::from(config.block_format)]);
        let blocks = logical_blocks(board);
        let (key, found, expected) = if block_bytes != BLOCK {
            ("board: namespace.block_bytes", block_bytes.to_string(), BLOCK.to_string())
        } else if !(2 * LONGEST..=MOST_BLOCKS).contains(&blocks) {
            let expected = format!("{} to {MOST_BLOCKS}", 2 * LONGEST);
            ("board", format!("{blocks} logical blocks"), expected)
        } else if self.data == Data::Bytes && self.start == Start::Full {
            ("start", "full for data as bytes".to_owned(), "empty".to_owned())
        } else {
            let options = Options { payload: payload(self.data), seed: 1, polling: Polling::Skip };
            let drive = Drive::new(board, options, Bench::host());
            return drive.map(drop).map_err(PlanError::Chips);
        };
        Err(PlanError::Value { key: key.to_owned(), found, expected })
    }
}

/// The power may be cut of drives that find their data again, or keep no map: what is expected of any other.
fn check_power(board: &Board) -> Result<(), String> {
    let places_itself = board.firmware.command_set == CommandSet::Block;
    match places_itself && board.firmware.recovery.is_none() {
        true => Err("a board with recovery.log_entries".to_owned()),
        false => Ok(()),
    }
}

/// A doorbell of no queue, or one of an I/O queue with a value that it cannot have: what is wrong with any other.
fn check_doorbell(doorbell: u16, value: u32) -> Result<(), (&'static str, u64, String)> {
    let largest = PAIRS.iter().map(|pair| pair.0.max(pair.1)).max().unwrap_or(0);
    if doorbell < 2 {
        let expected = "one of an I/O queue, from 2 on".to_owned();
        return Err(("ring-wrongly.doorbell", doorbell.into(), expected));
    }
    if doorbell < DOORBELLS && value < largest {
        let expected = format!("a value that no queue can have, from {largest} on");
        return Err(("ring-wrongly.value", value.into(), expected));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::attempt;

    fn plan(start: &str, steps: &str) -> Plan {
        let text = format!(r#"{{"board":"small","values":[],{start},"steps":[{steps}]}}"#);
        serde_json::from_str(&text).expect("a plan")
    }

    const EMPTY: &str = r#""data":"stamps","start":"empty""#;

    #[test]
    fn what_there_is_not_is_refused() {
        let rows = [
            (r#"{"delete-queue":{"queue":65535}}"#, "steps[0].delete-queue.queue: found 65535"),
            (r#"{"delete-queue":{"queue":1}}"#, "steps[0].delete-queue.queue: found 1"),
            (r#""reset",{"submit":{"queue":0,"commands":[]}}"#, "steps[1].submit.queue: found 0"),
            (r#"{"submit":{"queue":4,"commands":[]}}"#, "steps[0].submit.queue: found 4"),
            (r#"{"ring-wrongly":{"doorbell":1,"value":500}}"#, "ring-wrongly.doorbell: found 1"),
            (r#"{"ring-wrongly":{"doorbell":7,"value":3}}"#, "ring-wrongly.value: found 3"),
            (r#"{"run":{"ps":18446744073709551615}}"#, "steps[0].ps: found 18446744073709551615"),
            (r#"{"cut-power":{"again_after_ps":[]}}"#, "expected a board with recovery"),
            (r#"{"use-chunks":{"seed":1,"commands":9,"depth":0}}"#, "use-chunks.depth: found 0"),
            (r#"{"use-chunks":{"seed":1,"commands":4000000000,"depth":1}}"#, "at most 1000000"),
        ];
        for (steps, said) in rows {
            let error = plan(EMPTY, steps).check().expect_err(steps).to_string();
            assert!(error.contains(said) && !error.contains('\n'), "{steps}: {error}");
        }
        let full = plan(r#""data":"bytes","start":"full""#, "").check();
        assert!(full.is_err_and(|error| error.to_string().starts_with("start: found full")));
    }

    /// Numbers at the ends of their ranges: what passes is run to its end.
    #[test]
    fn what_passes_can_be_run() {
        let command = r#"{"act":{"compare":18446744073709551615},"lba":18446744073709551615,
            "blocks":18446744073709551615,"fua":true,"pointer":"sound"}"#;
        let steps = format!(
            r#"{{"submit":{{"queue":3,"commands":[{command},{command}]}}}},{{"delete-queue":{{"queue":3}}}},
            {{"abort":{{"queue":65535,"cid":65535}}}},{{"abort":{{"queue":0,"cid":0}}}},
            {{"ring-wrongly":{{"doorbell":65535,"value":4294967295}}}},
            {{"ring-wrongly":{{"doorbell":2,"value":4294967295}}}},{{"run":{{"ps":9000000000000000000}}}}"#
        );
        let plan = plan(EMPTY, &steps);
        plan.check().expect("nothing that there is not");
        attempt(&plan).expect("no promise is broken");
    }
}
