//! The command `linux`.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use board::Board;
use host::{Control, ImageFile, PayloadForm, Preconditioning, RunError};
use linux::{End, Fault, Scheduling, Setup, Told, World};
use machine::Polling;
use recipe::{board_origin, number_of, Drive, Failure, Said};
use report::{JobSource, Provenance, RunResult};

use crate::arguments::{LinuxArguments, SchedulingKind};
use crate::program::{COMMIT, VERSION};
use crate::progress::ProgressLine;
use crate::reports::{Others, Reports};
use crate::{boards, signals, tell};

/// The drive as Linux names it.
const DEVICE: &str = "/dev/nvme0n1";
/// Runs a job file that lies beside the script. Only this clock of fio's follows virtual time.
const FIO_SCRIPT: &str = "exec fio --output-format=normal /host/job.fio\n";

/// Boots Linux on a drive, runs what was asked for, and writes the drive's reports.
///
/// # Errors
/// When the input cannot be used, Linux cannot go on, or its script failed.
pub fn boot(arguments: &LinuxArguments) -> Result<(), Failure> {
    let said = Said {
        image: arguments.image.as_deref(),
        board: arguments.board.as_deref(),
        overrides: &arguments.overrides,
        precondition: arguments.precondition.map(Into::into),
        serial: None,
    };
    let Drive { name, mut board, .. } = said.drive()?;
    boards::warn_of_unused(&board);
    let world = World::in_folder(&arguments.world).map_err(Failure::Input)?;
    let what = What::asked(arguments)?;
    let serial = match &arguments.image {
        Some(image) => number_of(image, "a path for a drive image")?,
        None => board.firmware.serial,
    };
    board.firmware.serial = serial;
    let others = Others { image: arguments.image.as_deref(), ..Others::default() };
    let reports = Reports::new(&arguments.reports, others)?;
    let setup = Setup {
        board: &board,
        name: &what.name,
        seed: arguments.seed,
        precondition: said.precondition.unwrap_or(Preconditioning::None),
        image: arguments.image.as_deref().map(|path| ImageFile { path, serial }),
        world: &world,
        told: Told {
            script: &what.script,
            files: &what.files,
            memory_mib: arguments.memory,
            seed: arguments.seed,
            charges: arguments.cpu,
            log_level: arguments.log_level as u8,
        },
        scheduling: match arguments.scheduling {
            SchedulingKind::Shared => Scheduling::Shared,
            SchedulingKind::Messages => Scheduling::Messages,
        },
        patience: Duration::from_secs(arguments.patience.into()),
    };
    let console = console(arguments.console.as_deref())?;
    let sampler = reports.sampler(arguments.monitor_interval)?;
    let mut line = ProgressLine::on_terminal();
    let mut prepare = |preconditioned| line.prepare(preconditioned);
    let control = Control { stop: signals::stop()?, preparing: Some(&mut prepare) };
    let outcome = linux::run(&setup, console, sampler, control).map_err(failure)?;
    drop(line);
    let provenance = Some(provenance(arguments, (&name, &board)));
    reports.write(&RunResult { provenance, ..outcome.report })?;
    match (outcome.end, outcome.status) {
        (End::Stopped, _) => Err(Failure::Stopped("linux: a signal ended it".to_owned())),
        (End::Fault(reason), _) => Err(Failure::Drive(format!("linux: {reason}"))),
        (End::PoweredOff, Some(0)) => Ok(()),
        (End::PoweredOff, status) => {
            let status =
                status.map_or("no status".to_owned(), |status| format!("exit code {status}"));
            Err(Failure::Drive(format!("linux: {}: found {status}, expected 0", what.name)))
        }
    }
}

/// What Linux is to run.
struct What {
    /// What stands for it in reports.
    name: String,
    script: String,
    files: Vec<(String, Vec<u8>)>,
}

impl What {
    fn asked(arguments: &LinuxArguments) -> Result<Self, Failure> {
        let read = |path: &Path, expected: &str| {
            foreign::text(path, foreign::OF_HAND)
                .map_err(|error| Failure::file(path, &error, expected))
        };
        if let Some(path) = &arguments.script {
            let script = read(path, "a shell script")?;
            return Ok(What { name: path.display().to_string(), script, files: Vec::new() });
        }
        if let Some(path) = &arguments.job {
            let job = read(path, "a fio job file")?;
            tell("firmament: linux: fio runs with clocksource=clock_gettime, whose clock is the drive's");
            let job = format!("[global]\nclocksource=clock_gettime\nfilename={DEVICE}\n{job}\n");
            let files = vec![("job.fio".to_owned(), job.into_bytes())];
            return Ok(What {
                name: path.display().to_string(),
                script: FIO_SCRIPT.to_owned(),
                files,
            });
        }
        let Some(command) = &arguments.command else {
            let expected = "one of --script, --command and --job";
            return Err(Failure::unexpected("command line", "nothing for Linux to run", expected));
        };
        Ok(What { name: "command".to_owned(), script: format!("{command}\n"), files: Vec::new() })
    }
}

/// Where Linux prints.
fn console(path: Option<&Path>) -> Result<File, Failure> {
    match path {
        Some(path) => {
            File::create(path).map_err(|error| Failure::file(path, &error, "a file to write"))
        }
        None => {
            let own = io::stdout().as_fd().try_clone_to_owned();
            own.map(File::from)
                .map_err(|error| Failure::unexpected("standard output", error, "to share it"))
        }
    }
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
fn provenance(arguments: &LinuxArguments, (name, board): (&str, &Board)) -> Provenance {
    let state = arguments.precondition.map_or(Preconditioning::None, Into::into);
    Provenance {
        body: None,
        processor: None,
        version: VERSION.to_owned(),
        commit: COMMIT.to_owned(),
        board: board_origin(name, board, &arguments.overrides),
        jobs: JobSource::Guest,
        seed: arguments.seed,
        precondition: state.name().to_owned(),
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
    }
}
