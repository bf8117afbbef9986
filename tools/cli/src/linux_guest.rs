//! The command `linux`.

use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use ::timeline::{ProgramCall, Recorder};
use board::Board;
use foreign::input;
use host::{Control, ImageFile, PayloadForm, Preconditioning, Prepared, RunError};
use linux::{
    Asked, Charges, CommandTrace, Cut, End, Fault, Outcome, Scheduling, Setup, Told, WalkedCall,
    World,
};
use machine::{Observer, Polling, TimeSpan};
use recipe::{board_origin, number_of, Body, Drive, Failure, Said};
use report::{JobSource, Provenance, RunResult, SnapshotOrigin};

use crate::arguments::{BodyKind, LinuxArguments, SchedulingKind};
use crate::output::Destination;
use crate::program::{COMMIT, VERSION};
use crate::progress::ProgressLine;
use crate::reports::{Others, Reports};
use crate::timeline_around::write_timeline;
use crate::{boards, body, signals, tell};

/// The drive as Linux names it.
const DEVICE: &str = "/dev/nvme0n1";
/// Most drives beside the first (Linux 6.12, `arch/um/drivers/virt-pci.c`, `MAX_DEVICES`).
const MOST_FURTHER: usize = 7;
/// Runs a job file that lies beside the script. Only this clock of fio's follows virtual time.
const FIO_SCRIPT: &str = "exec fio --output-format=normal /host/job.fio\n";

/// Boots Linux on a drive, runs what was asked for, and writes the drive's reports.
///
/// # Errors
/// When the input cannot be used, Linux cannot go on, or its script failed.
pub fn boot(arguments: &LinuxArguments) -> Result<(), Failure> {
    body::check_booted(arguments)?;
    let Begun { name, board, from } = drive(arguments)?;
    let further = further(arguments, &board)?;
    let world = World::in_folder(&arguments.world).map_err(Failure::Input)?;
    arguments.root.as_deref().map_or(Ok(()), linux::check_root).map_err(Failure::Input)?;
    let what = What::asked(arguments)?;
    let written = [&arguments.trace, &arguments.console].into_iter().flatten();
    let others = Others {
        image: arguments.image.as_deref(),
        timeline: arguments.timeline.as_deref(),
        save: arguments.save.as_deref(),
        from: arguments.from.as_deref(),
        logs: written.map(|path| path.display().to_string()).collect(),
        ..Others::default()
    };
    let reports = Reports::new(&arguments.reports, others)?;
    let mut recorder = reports.timeline().map(|_| {
        let geometry = &board.firmware.geometry;
        Recorder::new(arguments.timeline_window, geometry.channels, geometry.ways)
    });
    let asked = Asked {
        console: console(arguments.console.as_deref())?,
        sampler: reports.sampler(arguments.monitor_interval)?,
        trace: trace(arguments.trace.as_deref())?,
        keeps_calls: recorder.is_some(),
        observer: recorder.as_mut().map(|recorder| recorder as &mut dyn Observer),
    };
    let mut line = ProgressLine::on_terminal();
    let mut prepare = |preconditioned| line.prepare(preconditioned);
    let control = Control { stop: signals::stop()?, preparing: Some(&mut prepare) };
    let (origin, from) = from.unzip();
    let setup =
        Setup { from: from.as_ref(), further: &further, ..setup(arguments, &board, &world, &what) };
    let mut outcome = booted(arguments.body, &setup, asked, control)?;
    drop(line);
    let new = || state(arguments);
    let precondition = from.as_ref().map_or_else(new, |drive| drive.origin().precondition);
    let provenance = Some(Provenance {
        from: origin,
        precondition: precondition.name().to_owned(),
        ..provenance(arguments, &name, &board)
    });
    let names = arguments.drives.iter().zip(&further);
    for (report, (name, board)) in outcome.report.further.iter_mut().zip(names) {
        let origin = board_origin(name, board, &[]);
        report.provenance = provenance.clone().map(|own| Provenance { board: origin, ..own });
    }
    reports.write(&RunResult { provenance, ..outcome.report })?;
    if let Some(recorder) = &mut recorder {
        recorder.set_calls(outcome.calls.into_iter().map(shown).collect());
    }
    write_timeline(&reports, recorder.as_ref())?;
    if let (Some(file), Some(drive)) = (reports.save(), &outcome.kept) {
        recipe::check_at_rest(drive)?;
        file.write_bytes(|out| drive.write(&board, out))?;
    }
    verdict(outcome.end, outcome.status, &what.name)
}

/// Boots Linux on a drive of this body.
fn booted<'a>(
    body: BodyKind,
    setup: &Setup<'_>,
    asked: Asked<'a>,
    control: Control<'a>,
) -> Result<Outcome, Failure> {
    match body {
        BodyKind::Sim => linux::run(setup, asked, control).map_err(failure),
        #[cfg(feature = "rtl")]
        BodyKind::Rtl => body::boot_in_hardware(setup, asked, control.stop).map_err(failure),
        #[cfg(not(feature = "rtl"))]
        BodyKind::Rtl => Err(body::no_hardware()),
    }
}

/// A system call as the timeline shows it.
fn shown(walked: WalkedCall) -> ProgramCall {
    let WalkedCall { call, posted_ps } = walked;
    let [start, end] = [call.began_ns, call.ended_ns].map(|ns| ns.saturating_mul(1_000));
    ProgramCall {
        process: call.process,
        program: call.name,
        call: call.call,
        file: call.file,
        span: TimeSpan { start, end: end.max(start) },
        posted_ps,
    }
}

/// The drive that was asked for.
struct Begun {
    name: String,
    board: Board,
    /// The drive of a snapshot, and what reports say of the file.
    from: Option<(SnapshotOrigin, Prepared)>,
}

fn drive(arguments: &LinuxArguments) -> Result<Begun, Failure> {
    let said = Said {
        image: arguments.image.as_deref(),
        board: arguments.board.as_deref(),
        overrides: &arguments.overrides,
        precondition: arguments.precondition.map(Into::into),
        serial: None,
    };
    let (Drive { name, mut board, payload }, from) = match arguments.from.as_deref() {
        None => (said.drive()?, None),
        Some(path) => {
            let (drive, from) = said.snapshot(path, (None, Polling::Skip))?;
            (drive, Some(from))
        }
    };
    if from.is_some() && payload == Some(PayloadForm::Stamps) {
        let expected = "one of a run with --payload=full: Linux writes bytes";
        return Err(Failure::unexpected("--from", "a snapshot that keeps stamps", expected));
    }
    boards::warn_of_unused(&board);
    if let Some(image) = &arguments.image {
        board.firmware.serial = number_of(image, "a path for a drive image")?;
    }
    if arguments.cut_at.is_some() && board.firmware.recovery.is_none() {
        let expected = "a number above 0: without a log a drive does not find its data again";
        return Err(Failure::unexpected("recovery.log_entries", 0, expected));
    }
    if arguments.timeline.is_some() {
        recipe::check_drawn(&board)?;
    }
    Ok(Begun { name, board, from })
}

/// The boards of further drives, each with a serial number of its own, by which Linux tells drives from each other.
fn further(arguments: &LinuxArguments, first: &Board) -> Result<Vec<Board>, Failure> {
    let LinuxArguments { cut_at, image, from, save, .. } = arguments;
    let alone = [("--cut-at", cut_at.is_some()), ("--image", image.is_some())];
    let alone = [alone, [("--from", from.is_some()), ("--save", save.is_some())]].concat();
    if let (Some((option, _)), false) =
        (alone.iter().find(|(_, is_there)| *is_there), arguments.drives.is_empty())
    {
        let expected = "it without --drive: the power of several drives is never cut, and none of them is kept";
        return Err(Failure::unexpected(option, "further drives", expected));
    }
    if arguments.drives.len() > MOST_FURTHER {
        let found = format!("{} further drives", arguments.drives.len());
        let expected = format!("{MOST_FURTHER} at most: Linux's bus has no more places");
        return Err(Failure::unexpected("--drive", found, &expected));
    }
    let boards = arguments.drives.iter().zip(1..).map(|(name, nth)| {
        let mut board = recipe::resolve(name, &[])?;
        boards::warn_of_unused(&board);
        board.firmware.serial = first.firmware.serial.wrapping_add(nth);
        Ok(board)
    });
    boards.collect()
}

fn setup<'a>(
    arguments: &'a LinuxArguments,
    board: &'a Board,
    world: &'a World,
    what: &'a What,
) -> Setup<'a> {
    let serial = board.firmware.serial;
    Setup {
        board,
        name: &what.name,
        seed: arguments.seed,
        precondition: state(arguments),
        image: arguments.image.as_deref().map(|path| ImageFile { path, serial }),
        from: None,
        further: &[],
        keeps: arguments.save.is_some(),
        world,
        told: Told {
            script: &what.script,
            files: &what.files,
            share: arguments.share.as_deref(),
            root: arguments.root.as_deref(),
            memory_mib: arguments.memory,
            seed: arguments.seed,
            charges: arguments.cpu.unwrap_or(Charges::of(board)),
            log_level: arguments.log_level as u8,
        },
        scheduling: match arguments.scheduling {
            SchedulingKind::Shared => Scheduling::Shared,
            SchedulingKind::Messages => Scheduling::Messages,
        },
        patience: Duration::from_secs(arguments.patience.into()),
        cut: what
            .then
            .as_deref()
            .zip(arguments.cut_at)
            .map(|(script, at_ps)| Cut { at_ps, script }),
    }
}

fn state(arguments: &LinuxArguments) -> Preconditioning {
    arguments.precondition.map_or(Preconditioning::None, Into::into)
}

/// What the end of Linux and its script's exit code come to.
fn verdict(end: End, status: Option<u8>, name: &str) -> Result<(), Failure> {
    match (end, status) {
        (End::Stopped, _) => Err(Failure::Stopped("linux: a signal ended it".to_owned())),
        (End::Unable(reason), _) => Err(Failure::Input(format!("linux: {reason}"))),
        (End::Fault(reason), _) => Err(Failure::Drive(format!("linux: {reason}"))),
        (End::PoweredOff, Some(0)) => Ok(()),
        (End::PoweredOff, status) => {
            let status =
                status.map_or("no status".to_owned(), |status| format!("exit code {status}"));
            Err(Failure::Drive(format!("linux: {name}: found {status}, expected 0")))
        }
    }
}

/// What Linux is to run.
struct What {
    /// What stands for it in reports.
    name: String,
    script: String,
    files: Vec<(String, Vec<u8>)>,
    /// What it is to run after the power loss.
    then: Option<String>,
}

impl What {
    fn asked(arguments: &LinuxArguments) -> Result<Self, Failure> {
        let read = |path: &Path, expected: &str| {
            input::text(path, input::OF_HAND).map_err(|error| Failure::file(path, &error, expected))
        };
        let then =
            arguments.then.as_deref().map(|path| read(path, "a shell script")).transpose()?;
        if let Some(path) = &arguments.script {
            let (name, script) = (path.display().to_string(), read(path, "a shell script")?);
            return Ok(What { name, script, files: Vec::new(), then });
        }
        if let Some(path) = &arguments.job {
            let job = read(path, "a fio job file")?;
            tell("firmament: linux: fio runs with clocksource=clock_gettime, whose clock is the drive's");
            let files = vec![("job.fio".to_owned(), of_guest(&job).into_bytes())];
            return Ok(What {
                name: path.display().to_string(),
                script: FIO_SCRIPT.to_owned(),
                files,
                then,
            });
        }
        let Some(command) = &arguments.command else {
            let expected = "one of --script, --command and --job";
            return Err(Failure::unexpected("command line", "nothing for Linux to run", expected));
        };
        let script = format!("{command}\n");
        Ok(What { name: "command".to_owned(), script, files: Vec::new(), then })
    }
}

/// A job as the guest runs it: by the clock that follows virtual time, and on the drive, unless it says where.
fn of_guest(job: &str) -> String {
    let says_where = job.lines().any(|line| {
        let option = line.split(['=', ':']).next().unwrap_or("").trim();
        ["filename", "directory"].contains(&option)
    });
    let place = if says_where { String::new() } else { format!("filename={DEVICE}\n") };
    format!("[global]\nclocksource=clock_gettime\n{place}{job}\n")
}

/// Where Linux prints.
fn console(path: Option<&Path>) -> Result<File, Failure> {
    match path {
        Some(path) => Destination::new(path)?.begin(),
        None => {
            let own = io::stdout().as_fd().try_clone_to_owned();
            own.map(File::from)
                .map_err(|error| Failure::unexpected("standard output", error, "to share it"))
        }
    }
}

/// Where the guest's commands are written down.
fn trace(path: Option<&Path>) -> Result<Option<CommandTrace>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let file = Destination::new(path)?;
    let out = BufWriter::with_capacity(1 << 16, file.begin()?);
    CommandTrace::new(Box::new(out)).map(Some).map_err(|error| file.refused(&error))
}

fn failure(fault: Fault) -> Failure {
    match fault {
        Fault::Drive(RunError::Stopped(stopped)) => {
            Failure::Stopped(RunError::Stopped(stopped).to_string())
        }
        fault => Failure::Input(fault.to_string()),
    }
}

/// What was run. It cannot be run again from the report alone: Linux is not in it.
fn provenance(arguments: &LinuxArguments, name: &str, board: &Board) -> Provenance {
    let body = Body::from(arguments.body);
    Provenance {
        body: (body != Body::Sim).then(|| body.name().to_owned()),
        processor: None,
        causes: None,
        version: VERSION.to_owned(),
        commit: COMMIT.to_owned(),
        board: board_origin(name, board, &arguments.overrides),
        jobs: JobSource::Guest,
        seed: arguments.seed,
        precondition: state(arguments).name().to_owned(),
        payload: PayloadForm::Bytes.name().to_owned(),
        polling: Polling::Skip.name().to_owned(),
        monitor_interval_ps: arguments
            .reports
            .monitor
            .is_some()
            .then(|| arguments.monitor_interval.as_ps()),
        from: None,
        image: arguments.image.as_ref().map(|path| path.display().to_string()),
        until: None,
        seeds: None,
        victim: None,
    }
}
