//! The same jobs on both bodies of a board: in hardware, and in virtual time.

use super::parts::{PartLog, PartTimes, Parts};
use super::{Processor, RtlDrive};
use board::Board;
use contract::{HostCommand, Part};
use driver::Note;
use host::job::{parse_file, JobFile};
use host::{
    run_powered, run_watched, Course, FioHost, Known, PayloadForm, Powered, RunRequest, Watchers,
};
use machine::{FirmwareStep, Machine, Observer, Payload, Polling, TimeSpan};
use nvme::io::opcode;
use report::{Direction, DirectionResult, RunResult};

/// What came of the same jobs.
pub struct Both {
    /// In hardware.
    pub hardware: Ran,
    /// In virtual time.
    pub simulated: Ran,
}

/// What came of jobs on one body.
pub struct Ran {
    /// The report.
    pub result: RunResult,
    /// How long each part of the drive had each command, by the same rule on both bodies.
    pub parts: PartLog,
}

/// What of the last job is compared, in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Bandwidth in MB/s.
    pub bandwidth: f64,
    /// Mean and 99th percentile of completion latencies, in microseconds.
    pub mean: f64,
    /// The latter.
    pub p99: f64,
    /// Median time of a command in each part of the drive, in microseconds, in the order of [`Part::ALL`].
    pub parts: [f64; 3],
}

impl Ran {
    /// The figures of the last job in a direction, if it went there. Commands of that direction are to be of that job alone.
    pub fn figures(&self, direction: Direction) -> Option<Figures> {
        let DirectionResult { bytes, runtime_ps, clat, .. } =
            self.result.jobs.last()?.active(direction)?;
        let wanted = match direction {
            Direction::Read => opcode::READ,
            Direction::Write => opcode::WRITE,
            Direction::Trim => opcode::DATASET_MANAGEMENT,
        };
        let of_job = |times: &&PartTimes| times.queue > 0 && times.opcode == wanted;
        let log = self.parts.borrow();
        let median = |part: usize| {
            let mut times: Vec<u64> =
                log.iter().filter(of_job).map(|times| times.parts_ps[part]).collect();
            times.sort_unstable();
            times.get(times.len() / 2).map_or(0.0, |&ps| ps as f64 / 1e6)
        };
        Some(Figures {
            bandwidth: *bytes as f64 / (*runtime_ps as f64 / 1e6),
            mean: clat.mean_ns() / 1e3,
            p99: clat.percentile_ns(99.0) as f64 / 1e3,
            parts: [0, 1, 2].map(median),
        })
    }
}

impl Figures {
    /// Each with its name and by how much of it the other may differ, in percent.
    pub fn each(&self) -> [(&'static str, f64, f64); 6] {
        let [interface, firmware, storage] = self.parts;
        let [of_interface, of_firmware, of_storage] = Part::ALL.map(Part::name);
        [
            ("MB/s", self.bandwidth, 1.0),
            ("mean", self.mean, 1.0),
            ("p99", self.p99, 1.0),
            (of_interface, interface, 2.0),
            (of_firmware, firmware, 2.0),
            (of_storage, storage, 2.0),
        ]
    }
}

/// Runs a job file on a new drive in hardware, and on one in virtual time.
///
/// # Errors
/// A line, when there is no such hardware, or jobs and drive do not go together.
pub fn both(board: &Board, jobs: &str, seed: u64) -> Result<Both, String> {
    let hardware = hardware(board, jobs, seed)?;
    Ok(Both { hardware, simulated: in_virtual_time(board, jobs, seed)? })
}

/// Runs a job file on a new drive in hardware, with the firmware beside it.
///
/// # Errors
/// As those of [`both`].
pub fn hardware(board: &Board, jobs: &str, seed: u64) -> Result<Ran, String> {
    let mut drive = RtlDrive::new(board, (Processor::Beside, Polling::Skip), seed)?;
    let parts = drive.log_parts();
    Ok(Ran { result: in_hardware(drive, board, jobs, seed)?, parts })
}

/// Runs a job file on a new drive in virtual time.
///
/// # Errors
/// A line, when jobs and drive do not go together.
pub fn in_virtual_time(board: &Board, jobs: &str, seed: u64) -> Result<Ran, String> {
    let mut watched = Watched { parts: Parts::new([0; 2], 0) };
    let parts = watched.parts.log.get_or_insert_default().clone();
    let result = observed_in_virtual_time(board, jobs, (seed, &mut watched))?;
    Ok(Ran { result, parts })
}

/// The same, with an observer.
///
/// # Errors
/// As those of [`in_virtual_time`].
pub fn observed_in_virtual_time(
    board: &Board,
    jobs: &str,
    (seed, observer): (u64, &mut dyn Observer),
) -> Result<RunResult, String> {
    let jobs = parse_file("jobs", jobs).map_err(|error| error.to_string())?;
    let watchers = Watchers { observer: Some(observer), ..Watchers::default() };
    run_watched(request(board, &jobs, seed), watchers, &mut |_| {}).map_err(line)
}

/// Runs a job file on a drive in hardware that is new and of that board and seed.
///
/// # Errors
/// A line, when jobs and drive do not go together.
pub fn in_hardware<M: Machine<FioHost>>(
    drive: M,
    board: &Board,
    jobs: &str,
    seed: u64,
) -> Result<RunResult, String> {
    let jobs = parse_file("jobs", jobs).map_err(|error| error.to_string())?;
    let formats = board.firmware.block_formats;
    let block_bytes = formats[usize::from(board.firmware.block_format)];
    let payload = Payload::Bytes { block_bytes, seed };
    let powered = Powered { drive, payload, known: Known::State };
    let request = request(board, &jobs, seed);
    run_powered(request, powered, Watchers::default(), &mut |_| {}).map_err(line)
}

fn request<'a>(board: &'a Board, jobs: &'a JobFile, seed: u64) -> RunRequest<'a> {
    RunRequest {
        seed,
        payload: PayloadForm::Bytes,
        course: Course::Left,
        ..RunRequest::new(board, jobs, "jobs")
    }
}

fn line(error: host::RunError) -> String {
    error.to_string()
}

/// Tells the parts of a drive in virtual time as those of one in hardware are told: by what the firmware does.
struct Watched {
    parts: Parts,
}

impl Observer for Watched {
    fn by_itself(&mut self, command: &HostCommand, TimeSpan { start, end }: TimeSpan) {
        self.parts.runs_by_itself(start, command);
        self.parts.take(end, Note::Completed(command.tag));
    }

    fn firmware(&mut self, now: u64, step: FirmwareStep<'_>) {
        let note = match step {
            FirmwareStep::Taken(command) => Note::Taken(*command),
            FirmwareStep::DmaIssued(tag, direction) => Note::DmaIssued(tag, direction, 0),
            FirmwareStep::DmaEnded(progress) => Note::DmaEnded(progress),
            FirmwareStep::FlashEnded((channel, way, tag)) => Note::FlashEnded { channel, way, tag },
            FirmwareStep::Completed(tag) => Note::Completed(tag),
            FirmwareStep::FlashIssued(command, tag) => {
                return self.parts.flash_begins(now, command, tag)
            }
        };
        self.parts.take(now, note);
    }
}
