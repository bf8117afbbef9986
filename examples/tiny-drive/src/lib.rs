//! The tiny firmware in the bodies of the boards' own one, as a library, so that tests run it as the program does.

#[cfg(target_os = "linux")]
mod serve;

use board::Board;
use contract::{CommandSet, Grain, Medium, Programming};
use host::{FioHost, Known, PayloadForm, Powered, Preconditioning, RunRequest, Watchers};
use report::RunResult;
use sim::{Drive, Options, Payload, Polling, Unobserved};
use tiny_firmware::Tiny;

#[cfg(target_os = "linux")]
pub use serve::serve;

/// What the drive is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Events in virtual time.
    Sim,
    /// The Verilated controller.
    Rtl,
}

/// A board for this firmware, with some keys set.
///
/// # Errors
/// A line, if there is none of that name, or it has what this firmware knows nothing of.
pub fn board(name: &str, overrides: &[(String, String)]) -> Result<Board, String> {
    let board = Board::resolve(name, overrides).map_err(|error| error.to_string())?;
    let config = &board.firmware;
    let needs = [
        ("storage.medium", "flash", config.medium == Medium::Flash),
        ("nvme.command_set", "block", config.command_set == CommandSet::Block),
        ("channel.scheduler", "firmware", config.grain == Grain::Phases),
        ("flash.program", "page", config.programming == Programming::SINGLE),
        ("ftl.mapping_unit_bytes", "that of a page", config.units_per_page() == 1),
        ("processor.cores", "1", board.cores.count == 1),
        ("errors.hangs_per_billion", "0", board.errors.hangs_per_billion == 0),
    ];
    match needs.into_iter().find(|(.., fits)| !fits) {
        None => Ok(board),
        Some((key, expected, _)) => Err(format!(
            "{}: {key}: found another value, expected {expected}, as the tiny firmware knows nothing else",
            board.name
        )),
    }
}

/// Runs a job file, every read of which is checked.
///
/// # Errors
/// A line, when board and jobs do not go together, or the drive fails or returns wrong data.
pub fn run(
    (body, board): (Body, &Board),
    (path, text): (&str, &str),
    seed: u64,
) -> Result<RunResult, String> {
    let jobs = host::job::parse_file(path, text).map_err(|error| error.to_string())?;
    let formats = board.firmware.block_formats;
    let block_bytes = formats[usize::from(board.firmware.block_format)];
    let payload = Payload::Bytes { block_bytes, seed };
    let request = RunRequest {
        board,
        jobs: &jobs,
        job_file: path,
        seed,
        payload: PayloadForm::Bytes,
        precondition: Preconditioning::None,
        image: None,
        polling: Polling::Skip,
        until: None,
    };
    let ran = match body {
        Body::Sim => {
            let options = Options { payload, seed, polling: Polling::Skip };
            let ends = (FioHost::new(), Unobserved);
            let drive = Drive::<_, _, Tiny>::observed(board, options, ends);
            let drive = drive.map_err(|error| error.to_string())?;
            let powered = Powered { drive, payload, known: Known::State };
            host::run_powered(request, powered, Watchers::default(), &mut |_| {})
        }
        #[cfg(feature = "rtl")]
        Body::Rtl => {
            let drive = rtl_sim::drive::RtlDrive::<_, Tiny>::running(board, Polling::Skip, seed)?;
            let powered = Powered { drive, payload, known: Known::State };
            host::run_powered(request, powered, Watchers::default(), &mut |_| {})
        }
        #[cfg(not(feature = "rtl"))]
        Body::Rtl => {
            return Err(
                "--body: found rtl, expected sim: this program was built without --features rtl"
                    .into(),
            )
        }
    };
    ran.map_err(|error| error.to_string())
}
