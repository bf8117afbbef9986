//! The same jobs on both bodies of a board: in hardware, and in virtual time.

use super::RtlDrive;
use board::Board;
use host::job::parse_file;
use host::{run, run_powered, PayloadForm, Powered, Preconditioning, RunRequest, Watchers};
use report::RunResult;
use sim::{KeptState, Payload, Polling};

/// What came of the same jobs.
pub struct Both {
    /// In hardware.
    pub hardware: RunResult,
    /// In virtual time.
    pub simulated: RunResult,
}

/// Runs a job file on a new drive in hardware, and on one in virtual time.
///
/// # Errors
/// A line, when there is no such hardware, or jobs and drive do not go together.
pub fn both(board: &Board, jobs: &str, seed: u64) -> Result<Both, String> {
    let jobs = parse_file("jobs", jobs).map_err(|error| error.to_string())?;
    let request = RunRequest {
        board,
        jobs: &jobs,
        job_file: "jobs",
        seed,
        payload: PayloadForm::Bytes,
        precondition: Preconditioning::None,
        image: None,
        polling: Polling::Skip,
    };
    let formats = board.firmware.block_formats;
    let block_bytes = formats[usize::from(board.firmware.block_format)];
    let powered = Powered {
        drive: RtlDrive::new(board, seed)?,
        payload: Payload::Bytes { block_bytes, seed },
        state: KeptState::New,
    };
    let line = |error: host::RunError| error.to_string();
    let hardware = run_powered(request, powered, Watchers::default(), &mut |_| {}).map_err(line)?;
    let simulated = run(request, &mut |_| {}).map_err(line)?;
    Ok(Both { hardware, simulated })
}
