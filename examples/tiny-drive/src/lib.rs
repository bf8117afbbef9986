//! A drive in virtual time with a firmware that is not the boards', as that of `examples/tiny-firmware`: fio jobs run on it, and each
//! read is checked.

mod program;
mod serve;

pub use program::program;

use board::Board;
use contract::{BadBlocks, CommandSet, Grain, Medium};
use host::job::JobFile;
use host::{FioHost, Known, Powered, RunError, RunRequest, Watchers};
use machine::{Payload, Polling, Unobserved};
use report::RunResult;
use sim::{Drive, Options, Software};

/// Checks whether the firmware is made for a board.
///
/// # Errors
/// A line with the key that is not as it has to be.
pub fn check(board: &Board) -> Result<(), String> {
    let config = &board.firmware;
    let has_blocks = config.medium == Medium::Flash && config.command_set == CommandSet::Block;
    let at_once = config.programming.flash_pages * config.programming.passes;
    let rules = [
        (has_blocks, "medium and commands", "flash, and logical blocks"),
        (config.grain == Grain::Phases, "channel.scheduler", "firmware"),
        (at_once == 1, "flash.program", "page"),
        (config.units_per_page() == 1, "ftl.mapping_unit_bytes", "a flash page"),
        (config.bad_blocks == BadBlocks::Table, "ftl.bad_blocks", "table"),
        (config.reserve.is_none(), "power_loss.capacitor_millijoules", "0"),
    ];
    match rules.into_iter().find(|(is_kept, ..)| !is_kept) {
        None => Ok(()),
        Some((_, key, expected)) => {
            let found = "what this firmware cannot run";
            Err(format!("board {}: {key}: found {found}, expected {expected}", board.name))
        }
    }
}

/// Runs jobs on a new drive of a board that [`check`] lets pass; `F` is its firmware.
///
/// # Errors
/// When board and jobs do not go together, or the drive fails or returns wrong data.
pub fn run<F: Software<Unobserved>>(
    board: &Board,
    jobs: &JobFile,
    job_file: &str,
) -> Result<RunResult, RunError> {
    let config = &board.firmware;
    let block_bytes = config.block_formats[usize::from(config.block_format)];
    let payload = Payload::Stamps { block_bytes };
    let options = Options { payload, seed: 1, polling: Polling::Skip };
    let drive: Drive<FioHost, Unobserved, F> =
        Drive::observed(board, options, (FioHost::new(), Unobserved)).map_err(RunError::Board)?;
    let request = RunRequest {
        seed: options.seed,
        polling: options.polling,
        ..RunRequest::new(board, jobs, job_file)
    };
    let powered = Powered { drive, payload, known: Known::State };
    host::run_powered(request, powered, Watchers::default(), &mut |_| {})
}
