//! A run: a drive, a guest on it, and what came of both.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use board::Board;
use cpu_time::ProcessTime;
use host::monitoring::{header, table};
use host::{prepare, Control, ImageFile, Preconditioning, RunError, Snapshot};
use machine::{Payload, Polling, Stopped, NEVER};
use monitor::Sampler;
use pci::{report_of, Meter, Metered, Subject};
use report::RunResult;
use sim::{Drive, Kept, KeptState, Media, Options};

use crate::guest::{End, Guest};
use crate::process::{Process, Told, World};
use crate::time_link::Scheduling;

/// What is run.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The drive.
    pub board: &'a Board,
    /// What stands in for a job file in reports.
    pub name: &'a str,
    /// Seed of every random stream of the drive.
    pub seed: u64,
    /// State of the drive at the start. A drive in an image has it when the image is made.
    pub precondition: Preconditioning,
    /// The image that the drive is in, made if it is not there; none if it is in memory.
    pub image: Option<ImageFile<'a>>,
    /// What the guest is made of.
    pub world: &'a World,
    /// What the guest is told.
    pub told: Told<'a>,
    /// How the guest tells when it wants to run.
    pub scheduling: Scheduling,
    /// Wall time for which the guest may run without a word.
    pub patience: Duration,
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The drive's report of the guest's commands.
    pub report: RunResult,
    /// Why the guest ran no more.
    pub end: End,
    /// What the script ended with; none where the guest came not so far.
    pub status: Option<u8>,
}

/// Why nothing was run.
#[derive(Debug)]
pub enum Fault {
    /// The drive cannot be powered on.
    Drive(RunError),
    /// The guest's process cannot be started.
    Start(io::Error),
    /// The monitor's lines cannot be written.
    Monitor(io::Error),
}

impl<E: Into<RunError>> From<E> for Fault {
    fn from(error: E) -> Self {
        Fault::Drive(error.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Drive(error) => error.fmt(f),
            Fault::Monitor(error) => {
                write!(f, "monitor: found {error}, expected to write its lines")
            }
            Fault::Start(error) => write!(f, "Linux: found {error}, expected its process to start"),
        }
    }
}

impl std::error::Error for Fault {}

/// Boots the guest and lets it live until it powers off, or a signal ends it.
///
/// # Errors
/// When the board's flash cannot hold bytes, the image cannot be used, the process cannot be started, or preconditioning was ended.
pub fn run(
    setup: &Setup<'_>,
    console: File,
    mut sampler: Option<Sampler>,
    mut control: Control<'_>,
) -> Result<Outcome, Fault> {
    let mut board = setup.board.clone();
    let config = &board.firmware;
    let meter = Rc::new(RefCell::new(Meter::new(config.io_queues, config.command_slots)));
    let block_bytes = config.block_formats[usize::from(config.block_format)];
    let options = Options {
        payload: Payload::Bytes { block_bytes, seed: setup.seed },
        seed: setup.seed,
        polling: Polling::Skip,
    };
    let process = Process::start(setup.world, &setup.told, console).map_err(Fault::Start)?;
    let patience = (setup.scheduling, setup.patience);
    let guest = Guest::new(process, &board, meter.clone(), patience, control.stop.clone());
    let ends = (guest, Metered(meter.clone()));
    let (mut drive, state) = match setup.image {
        None => (Drive::observed(&board, options, ends)?, KeptState::New),
        Some(ImageFile { path, serial }) => {
            let Kept { media, options, serial, state } =
                Media::in_image(path, (setup.board, options), serial)?;
            board.firmware.serial = serial;
            (Drive::powered(&board, (options, media), ends)?, state)
        }
    };
    if state == KeptState::New {
        prepare(&mut drive, setup.precondition.state(setup.seed), &mut control)?;
        drive.seal_image().map_err(RunError::Image)?;
    }
    if let Some(sampler) = &mut sampler {
        let subject =
            host::monitoring::Subject { board: &board, job_file: setup.name, seed: setup.seed };
        let header = header(subject, sampler.period(), drive.now());
        sampler.start(&header, table(&drive, meter.borrow().load()));
    }
    let (before, started) = (Snapshot::of(&drive), (Instant::now(), ProcessTime::now()));
    meter.borrow_mut().block_bytes = drive.firmware().block_bytes();
    let stopped = live(&mut drive, &meter, &mut sampler);
    drive.sync_image().map_err(RunError::Image)?;
    let monitored =
        sampler.as_ref().map_or_else(Vec::new, |sampler| sampler.history().intervals().to_vec());
    if let Some(mut sampler) = sampler {
        sampler.end(&table(&drive, meter.borrow().load()));
        sampler.finish().map_err(Fault::Monitor)?;
    }
    let subject = Subject {
        board: &board,
        name: setup.name,
        seed: setup.seed,
        before: &before,
        started: &started,
    };
    let report = RunResult { monitored, ..report_of(&drive, &meter.borrow(), &subject) };
    let guest = drive.host_mut();
    let end = match (guest.end(), stopped) {
        (Some(end), _) => end.clone(),
        (None, Stopped::Lost) => End::Fault("the image cannot be written".to_owned()),
        (None, _) => End::Fault(
            "time stands still: found Linux waiting for ever and the drive with nothing to do, expected one of them to go on"
                .to_owned(),
        ),
    };
    let status = guest.process_mut().status();
    Ok(Outcome { report, end, status })
}

/// Lets drive and guest live until the guest's end; samples what the drive does on the way.
fn live(
    drive: &mut Drive<Guest, Metered>,
    meter: &RefCell<Meter>,
    sampler: &mut Option<Sampler>,
) -> Stopped {
    drive.wake_host();
    loop {
        let due_ps = sampler.as_ref().map_or(NEVER, Sampler::due_ps);
        let stopped = drive.run_to(due_ps, |guest| guest.end().is_some());
        meter.borrow_mut().block_bytes = drive.firmware().block_bytes();
        if let Some(sampler) = sampler.as_mut().filter(|sampler| sampler.due_ps() <= drive.now()) {
            sampler.sample(&table(drive, meter.borrow().load()));
        }
        if stopped != Stopped::Due {
            return stopped;
        }
    }
}
