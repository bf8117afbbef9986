//! The same jobs on both bodies of a board: in hardware, and in virtual time.

use super::{Processor, RtlDrive};
use board::Board;
use host::job::{parse_file, JobFile};
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
    let hardware = in_hardware(RtlDrive::new(board, (Processor::Beside, Polling::Skip), seed)?, board, jobs, seed)?;
    let jobs = parse_file("jobs", jobs).map_err(|error| error.to_string())?;
    let simulated = run(request(board, &jobs, seed), &mut |_| {}).map_err(line)?;
    Ok(Both { hardware, simulated })
}

/// Runs a job file on a drive in hardware that is new and of that board and seed.
///
/// # Errors
/// A line, when jobs and drive do not go together.
pub fn in_hardware(
    drive: RtlDrive,
    board: &Board,
    jobs: &str,
    seed: u64,
) -> Result<RunResult, String> {
    let jobs = parse_file("jobs", jobs).map_err(|error| error.to_string())?;
    let formats = board.firmware.block_formats;
    let block_bytes = formats[usize::from(board.firmware.block_format)];
    let payload = Payload::Bytes { block_bytes, seed };
    let powered = Powered { drive, payload, state: KeptState::New };
    let request = request(board, &jobs, seed);
    run_powered(request, powered, Watchers::default(), &mut |_| {}).map_err(line)
}

fn request<'a>(board: &'a Board, jobs: &'a JobFile, seed: u64) -> RunRequest<'a> {
    RunRequest {
        board,
        jobs,
        job_file: "jobs",
        seed,
        payload: PayloadForm::Bytes,
        precondition: Preconditioning::None,
        image: None,
        polling: Polling::Skip,
    }
}

fn line(error: host::RunError) -> String {
    error.to_string()
}
