//! A run: a drive, a guest on it, and what came of both.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use board::Board;
use cpu_time::ProcessTime;
use host::monitoring;
use host::{
    prepare, Control, ImageFile, Origin, PayloadForm, Preconditioning, Prepared, RunError,
    Snapshot, Stop,
};
use machine::{Machine, Payload, Polling, Stopped, Watched, NEVER};
use monitor::Sampler;
use pci::{report_of, Onlookers, Subject};
use report::{RunResult, Speed};
use sim::{Drive, Kept, KeptState, Media, Options};

use crate::accounts::WalkedCall;
use crate::end::End;
use crate::further::{Further, Wanted};
use crate::guest::Guest;
use crate::kernel::Kernel;
use crate::measures::Measures;
use crate::pinned::Pinned;
use crate::process::{Process, Told, World};
use crate::time_link::{Clock, Scheduling};
use crate::watch::{CommandTrace, SharedTrace};

/// Picoseconds of a nanosecond.
const NS_PS: u64 = 1000;
/// The time of day when the first guest boots, in nanoseconds since 1970: a round number of seconds, and the same in each run.
const FIRST_BOOT_NS: u64 = 1_700_000_000_000_000_000;
/// How long a drive is without power that lost it, or that a snapshot keeps, in nanoseconds of the guest's time of day.
const OFF_NS: u64 = 1_000_000_000;

/// The time of day of a boot, by the drive's own time and how often the drive was without power in this run.
fn booted_ns(drive_ps: u64, offs: u64) -> u64 {
    FIRST_BOOT_NS + drive_ps / NS_PS + offs * OFF_NS
}

/// Why a guest ends that waits for what never comes.
const STANDSTILL: &str = "time stands still: found Linux waiting for ever and the drive with nothing to do, expected one of \
                          them to go on";

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
    /// The drive that it begins with, whose data are bytes; none for a new one, or for that of the image.
    pub from: Option<&'a Prepared>,
    /// Whether the drive is kept as the last guest leaves it.
    pub keeps: bool,
    /// What the guest is made of.
    pub world: &'a World,
    /// What the guest is told.
    pub told: Told<'a>,
    /// How the guest tells when it wants to run.
    pub scheduling: Scheduling,
    /// Wall time for which the guest may run without a word.
    pub patience: Duration,
    /// A power loss on the way.
    pub cut: Option<Cut<'a>>,
    /// Drives of the guest beside the first. Each is new and in the same state; with them, no power is lost.
    pub further: &'a [Board],
}

/// A power loss in the middle of a guest's script, and what comes after it.
#[derive(Clone, Copy, Debug)]
pub struct Cut<'a> {
    /// The power goes with the first turn of the drive's firmware that ends at this virtual time or later, in picoseconds since the first
    /// guest's boot.
    pub at_ps: u64,
    /// What a second guest runs, once the drive has power again.
    pub script: &'a str,
}

/// Where a run writes, and who watches it, beside the meter of its report.
pub struct Asked<'a> {
    /// What guests print goes there.
    pub console: File,
    /// Samples what the drive does.
    pub sampler: Option<Sampler>,
    /// Writes down the guest's commands.
    pub trace: Option<CommandTrace>,
    /// Anybody else.
    pub observer: Option<&'a mut dyn machine::Observer>,
    /// Whether each system call is kept.
    pub keeps_calls: bool,
}

impl fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("trace", &self.trace).finish_non_exhaustive()
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The drive's report of the guest's commands; of those before the power loss, if there was one.
    pub report: RunResult,
    /// The system calls of the guest that the report is of, if they were to be kept.
    pub calls: Vec<WalkedCall>,
    /// Why the last guest ran no more.
    pub end: End,
    /// What its script ended with; none where the guest came not so far.
    pub status: Option<u8>,
    /// The drive as the last guest left it, if it was to be kept and the guest powered off.
    pub kept: Option<Prepared>,
}

/// Why nothing was run.
#[derive(Debug)]
pub enum Fault {
    /// The drive cannot be powered on.
    Drive(RunError),
    /// The guest's process cannot be started.
    Start(io::Error),
    /// There is no body of that board.
    Body(String),
    /// The monitor's lines cannot be written.
    Monitor(io::Error),
    /// The trace of commands cannot be written.
    Trace(io::Error),
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
            Fault::Body(line) => line.fmt(f),
            Fault::Monitor(error) => {
                write!(f, "monitor: found {error}, expected to write its lines")
            }
            Fault::Trace(error) => {
                write!(f, "trace: found {error}, expected to write its lines")
            }
            Fault::Start(error) => write!(f, "linux: found {error}, expected its process to start"),
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
    asked: Asked<'_>,
    mut control: Control<'_>,
) -> Result<Outcome, Fault> {
    let Begun { guests, guest, watchers, watch, _pinned } =
        Begun::new(setup, asked, control.stop.clone())?;
    let Powered { mut drive, options, board } = power(setup, (guest, watchers), &mut control)?;
    let further = further(setup, &watch.measures, &mut control)?;
    drive.host_mut().attach(further);
    let Lived { end, report, calls } = watch.lifetime(&mut drive, setup, &board)?;
    let mut powered = Powered { drive, options, board };
    let end = match end {
        Some(end) => end,
        None => {
            let (end, after) = after_loss(&guests, powered)?;
            powered = after;
            end
        }
    };
    let status = powered.drive.host_mut().process_mut().status();
    let keeps = setup.keeps && end == End::PoweredOff;
    Ok(Outcome { report, calls, end, status, kept: keeps.then(|| powered.kept(setup)) })
}

/// The same on a new drive of whichever body, which `powered` makes for a guest and whoever watches it. Its power is not lost, and nothing
/// of it is kept.
///
/// # Errors
/// When there is no such drive, or as [`run`].
pub fn run_on<'a, M: Machine<Guest>>(
    setup: &Setup<'_>,
    asked: Asked<'a>,
    stop: Stop,
    powered: impl FnOnce(Guest, Watched<'a>) -> Result<M, String>,
) -> Result<Outcome, Fault> {
    let Begun { guest, watchers, watch, _pinned, .. } = Begun::new(setup, asked, stop)?;
    let mut drive = powered(guest, watchers).map_err(Fault::Body)?;
    let Lived { end, report, calls } = watch.lifetime(&mut drive, setup, setup.board)?;
    let status = drive.host_mut().process_mut().status();
    Ok(Outcome { report, calls, end: end.unwrap_or(End::Stopped), status, kept: None })
}

/// A guest whose process was started, and what is there before its drive has power.
struct Begun<'s, 'a> {
    guests: Guests<'s>,
    guest: Guest,
    watchers: Watched<'a>,
    watch: Watch,
    _pinned: Pinned,
}

/// What is measured of a guest's life, and who is told on the way.
struct Watch {
    measures: Measures,
    sampler: Option<Sampler>,
    trace: SharedTrace,
    /// When the power is lost, or [`NEVER`].
    until_ps: u64,
}

impl<'s, 'a> Begun<'s, 'a> {
    fn new(setup: &'s Setup<'s>, asked: Asked<'a>, stop: Stop) -> Result<Self, Fault> {
        let _pinned = Pinned::here();
        let Asked { console, sampler, trace, observer: other, keeps_calls } = asked;
        let guests = Guests { setup, console, stop };
        let measures = Measures::new(setup.board);
        if keeps_calls {
            measures.accounts.borrow_mut().keep_calls();
        }
        let began_ps = setup.from.map_or(0, Prepared::now_ps);
        let booted_ns = booted_ns(began_ps, setup.from.is_some().into());
        let guest = guests.start(setup.told.script, booted_ns, &measures)?;
        let trace: SharedTrace = Rc::new(RefCell::new(trace));
        let watchers = measures.watchers(trace.clone(), other).watching();
        let until_ps = setup.cut.map_or(NEVER, |cut| began_ps.saturating_add(cut.at_ps));
        let watch = Watch { measures, sampler, trace, until_ps };
        Ok(Begun { guests, guest, watchers, watch, _pinned })
    }
}

/// What came of a guest's life.
struct Lived {
    /// None if it was not over.
    end: Option<End>,
    report: RunResult,
    calls: Vec<WalkedCall>,
}

impl Watch {
    /// Lets a guest live on a drive with this board until its end, or until the power is lost, and reports on it.
    fn lifetime<M: Machine<Guest>>(
        self,
        drive: &mut M,
        setup: &Setup<'_>,
        board: &Board,
    ) -> Result<Lived, Fault> {
        let Watch { measures, sampler, trace, until_ps } = self;
        let began_ps = setup.from.map_or(0, Prepared::now_ps);
        let meter = measures.meter.clone();
        let mut onlookers = Onlookers::new(sampler);
        let subject = monitoring::Subject { board, job_file: setup.name, seed: setup.seed };
        onlookers.start(subject, drive, &meter.borrow());
        let (before, started) = (Snapshot::of(drive), (Instant::now(), ProcessTime::now()));
        let end = live(drive, until_ps, &mut onlookers);
        drive.sync_image().map_err(RunError::Image)?;
        let now_ps = drive.now_ps();
        let subject = Subject {
            board,
            name: setup.name,
            seed: setup.seed,
            before: &before,
            started: &started,
            onlookers: &onlookers,
            now_ps,
        };
        let waits = measures.accounts.borrow().report();
        let calls = measures.accounts.borrow_mut().take_calls();
        let report = report_of(drive, &meter.borrow(), &subject);
        onlookers.end(drive, &meter.borrow()).map_err(Fault::Monitor)?;
        let simulated_s = (now_ps - began_ps) as f64 / 1e12;
        let speed = Speed { simulated_s, ..report.speed };
        let guest_processor = Some(setup.told.charges.told(setup.board));
        let further = drive.host_mut().further_reports(now_ps, setup.name, setup.seed);
        let report = RunResult { waits, guest_processor, further, speed, ..report };
        if let Some(trace) = trace.take() {
            trace.finish().map_err(Fault::Trace)?;
        }
        Ok(Lived { end, report, calls })
    }
}

/// A drive with power, and what it needs to be given power again.
struct Powered<'a> {
    drive: Drive<Guest, Watched<'a>>,
    options: Options,
    board: Board,
}

impl Powered<'_> {
    /// The drive between runs.
    fn kept(self, setup: &Setup<'_>) -> Prepared {
        let Powered { drive, options, board } = self;
        let origin = setup.from.map_or(
            Origin {
                seed: setup.seed,
                payload: PayloadForm::Bytes,
                precondition: setup.precondition,
            },
            Prepared::origin,
        );
        Prepared::left_by_guest(drive, &board, options.payload, origin)
    }
}

/// Powers the drive on that was asked for.
fn power<'a>(
    setup: &Setup<'_>,
    ends: (Guest, Watched<'a>),
    control: &mut Control<'_>,
) -> Result<Powered<'a>, Fault> {
    let mut board = setup.board.clone();
    if let Some(from) = setup.from {
        let (drive, options) = from.for_guest(ends);
        return Ok(Powered { drive, options, board });
    }
    let block_bytes = board.firmware.block_formats[usize::from(board.firmware.block_format)];
    let payload = Payload::Bytes { block_bytes, seed: setup.seed };
    let mut options = Options { payload, seed: setup.seed, polling: Polling::Skip };
    let (mut drive, state) = match setup.image {
        None => (Drive::observed(&board, options, ends)?, KeptState::New),
        Some(ImageFile { path, serial }) => {
            let kept = Media::in_image(path, (setup.board, options), serial)?;
            let Kept { media, state, .. } = kept;
            (options, board.firmware.serial) = (kept.options, kept.serial);
            (Drive::powered(&board, (options, media), ends)?, state)
        }
    };
    if state == KeptState::New {
        prepare(&mut drive, setup.precondition.state(setup.seed), control)?;
        drive.seal_image().map_err(RunError::Image)?;
    }
    Ok(Powered { drive, options, board })
}

/// Powers the further drives on.
fn further(
    setup: &Setup<'_>,
    first: &Measures,
    control: &mut Control<'_>,
) -> Result<Vec<Further>, Fault> {
    let Setup { seed, precondition, .. } = *setup;
    let each = setup.further.iter().zip(1..).map(|(board, nth)| {
        // What a call waited for may be any drive's.
        let accounts = first.accounts.clone();
        let measures = Measures { accounts, ..Measures::new(board) };
        Further::powered(&Wanted { nth, board, seed, precondition }, measures, control)
    });
    Ok(each.collect::<Result<_, _>>()?)
}

/// Cuts the power of a drive and of its guest; gives it back, and lets another guest live. How it ends, and the drive then.
fn after_loss<'a>(guests: &Guests<'_>, before: Powered<'_>) -> Result<(End, Powered<'a>), Fault> {
    let Powered { drive, options, board } = before;
    let script = guests.setup.cut.map_or("", |cut| cut.script);
    let booted_ns = booted_ns(drive.now(), 1 + u64::from(guests.setup.from.is_some()));
    let (media, guest, _) = drive.cut_power();
    drop(guest);
    let measures = Measures::new(&board);
    let guest = guests.start(script, booted_ns, &measures)?;
    let watchers = measures.watchers(SharedTrace::default(), None).watching();
    let mut drive = Drive::powered(&board, (options, media), (guest, watchers))?;
    let end = live(&mut drive, NEVER, &mut Onlookers::default());
    drive.sync_image().map_err(RunError::Image)?;
    Ok((end.unwrap_or(End::Stopped), Powered { drive, options, board }))
}

/// What all guests of a run have in common.
struct Guests<'a> {
    setup: &'a Setup<'a>,
    console: File,
    stop: Stop,
}

impl Guests<'_> {
    /// Starts the process of a guest that runs this script; its time of day is then `booted_ns`.
    fn start(&self, script: &str, booted_ns: u64, measures: &Measures) -> Result<Guest, Fault> {
        let Setup { board, world, scheduling, patience, further, .. } = *self.setup;
        let told = Told { script, ..self.setup.told.clone() };
        let console = self.console.try_clone().map_err(Fault::Start)?;
        let drives = 1 + further.len();
        let process = Process::start(world, &told, drives, console).map_err(Fault::Start)?;
        let clock = Clock { scheduling, booted_ns, patience };
        let kernel = Kernel::new(process, clock, self.stop.clone());
        Ok(Guest::new(kernel, board, measures.clone()))
    }
}

/// Lets drive and guest live until the guest's end, which is returned, or until `until_ps`. Lets look on the way who is due.
fn live<M: Machine<Guest>>(drive: &mut M, until_ps: u64, onlookers: &mut Onlookers) -> Option<End> {
    let meter = drive.host().meter();
    meter.borrow_mut().block_bytes = drive.inspect().block_bytes();
    drive.jobs_begin();
    drive.wake_host();
    loop {
        let due_ps = onlookers.due_ps().min(until_ps);
        let stopped = drive.run_to(due_ps, |guest| guest.end().is_some());
        meter.borrow_mut().block_bytes = drive.inspect().block_bytes();
        onlookers.look(drive, drive.now_ps(), &meter.borrow());
        match (stopped, drive.host().end()) {
            (_, Some(end)) => return Some(end.clone()),
            (Stopped::Due, None) if drive.now_ps() >= until_ps => return None,
            (Stopped::Due, None) => {}
            (Stopped::Lost, None) => {
                return Some(End::Fault("the image cannot be written".to_owned()))
            }
            (_, None) => return Some(End::Fault(STANDSTILL.to_owned())),
        }
    }
}
