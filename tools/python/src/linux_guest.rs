//! Linux in user mode on a drive, in the drive's virtual time.

use std::fs::File;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use ::linux::{Asked, Charges, End, Scheduling, Setup, Told, World};
use host::{Control, PayloadForm, Preconditioning, Prepared, Stop};
use machine::Polling;
use monitor::{Period, Sampler};
use pyo3::prelude::*;
use recipe::{board_origin, Drive, Failure, Said};
use report::{JobSource, Provenance, RunResult, SnapshotOrigin};

use crate::board::Board;
use crate::failure::raised;
use crate::outcome::Outcome;
use crate::watch::Watch;

/// How often Python's signals are looked for.
const LOOK: Duration = Duration::from_millis(50);
/// How much Linux's kernel says: warnings.
const LOG_LEVEL: u8 = 3;

/// What Python says of a run of Linux: attributes of `firmament._linux.Settings`.
#[derive(FromPyObject)]
pub struct Settings {
    name: String,
    script: String,
    world: PathBuf,
    console: PathBuf,
    share: Option<PathBuf>,
    root: Option<PathBuf>,
    seed: u64,
    precondition: Option<String>,
    from_snapshot: Option<PathBuf>,
    keep: bool,
    monitor: Option<String>,
    cpu: Option<String>,
    memory: u32,
    patience: u64,
}

/// Boots Linux on a drive and runs a script there. Python goes on meanwhile. What came out, and the script's exit code.
#[pyfunction]
pub fn linux(
    py: Python<'_>,
    board: Option<PyRef<'_, Board>>,
    settings: Settings,
) -> PyResult<(Outcome, Option<u8>)> {
    let said = board.map(|board| (board.given().to_owned(), board.overrides().to_vec()));
    let mut watch = Watch::new(None);
    let ran = py.detach(|| {
        let stop = watch.stop();
        // Whoever runs a drive does not look for Python's signals.
        thread::scope(|scope| {
            let runs = scope.spawn(|| settings.run(said.as_ref(), stop));
            while !runs.is_finished() {
                watch.look();
                thread::sleep(LOOK);
            }
            runs.join().expect("faults of a run are returned")
        })
    });
    match watch.raised() {
        Some(error) => Err(error),
        None => ran.map_err(raised),
    }
}

/// A drive that was asked for.
struct Meant {
    drive: Drive,
    from: Option<(SnapshotOrigin, Prepared)>,
    precondition: Preconditioning,
}

impl Settings {
    fn run(
        &self,
        said: Option<&(String, Vec<(String, String)>)>,
        stop: Stop,
    ) -> Result<(Outcome, Option<u8>), Failure> {
        let Meant { drive: Drive { name, board, .. }, from, precondition } = self.drive(said)?;
        self.root.as_deref().map_or(Ok(()), ::linux::check_root).map_err(Failure::Input)?;
        let world = World::in_folder(&self.world).map_err(Failure::Input)?;
        let period = self.period()?;
        let sampler = period.map(|period| Sampler::new(Box::new(std::io::sink()), period));
        let console = File::create(&self.console)
            .map_err(|error| Failure::file(&self.console, &error, "a path that can be written"))?;
        let (origin, from) = from.unzip();
        let setup = Setup {
            board: &board,
            name: &self.name,
            seed: self.seed,
            precondition,
            image: None,
            from: from.as_ref(),
            keeps: self.keep,
            world: &world,
            told: self.told(&board)?,
            scheduling: Scheduling::Shared,
            patience: Duration::from_secs(self.patience),
            cut: None,
            further: &[],
        };
        let asked = Asked { console, sampler, trace: None, observer: None, keeps_calls: false };
        let control = Control { stop, preparing: None };
        let ran = ::linux::run(&setup, asked, control);
        let ran = ran.map_err(|fault| Failure::Input(fault.to_string()))?;
        let overrides = said.map_or(&[][..], |(_, overrides)| overrides);
        let provenance = Provenance {
            body: None,
            processor: None,
            causes: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("FIRMAMENT_COMMIT").to_owned(),
            board: board_origin(&name, &board, overrides),
            jobs: JobSource::Guest,
            seed: self.seed,
            precondition: precondition.name().to_owned(),
            payload: PayloadForm::Bytes.name().to_owned(),
            polling: Polling::Skip.name().to_owned(),
            monitor_interval_ps: period.map(Period::as_ps),
            from: origin,
            image: None,
            until: None,
            seeds: None,
            victim: None,
        };
        match ran.end {
            End::PoweredOff => {}
            End::Stopped => return Err(Failure::Stopped("linux: a signal ended it".to_owned())),
            End::Unable(reason) => return Err(Failure::Input(format!("linux: {reason}"))),
            End::Fault(reason) => return Err(Failure::Drive(format!("linux: {reason}"))),
        }
        let write = |kept: &Prepared| {
            recipe::check_at_rest(kept)?;
            let mut bytes = Vec::new();
            kept.write(&board, &mut bytes).expect("memory takes what is written");
            Ok::<_, Failure>(bytes)
        };
        let snapshot = ran.kept.as_ref().map(write).transpose()?;
        let result = RunResult { provenance: Some(provenance), ..ran.report };
        Ok((Outcome::unwatched(result, snapshot), ran.status))
    }

    /// The drive of the board or of the snapshot.
    fn drive(&self, said: Option<&(String, Vec<(String, String)>)>) -> Result<Meant, Failure> {
        let kind = |name: &str| {
            recipe::kind("precondition", name, Preconditioning::ALL, Preconditioning::name)
        };
        let precondition = self.precondition.as_deref().map(kind).transpose()?;
        let said = Said {
            image: None,
            board: said.map(|(name, _)| name.as_str()),
            overrides: said.map_or(&[], |(_, overrides)| overrides),
            precondition,
            serial: None,
        };
        let Some(path) = &self.from_snapshot else {
            let precondition = precondition.unwrap_or(Preconditioning::None);
            return Ok(Meant { drive: said.drive()?, from: None, precondition });
        };
        let (drive, from) = said.snapshot(path, (None, Polling::Skip))?;
        if drive.payload == Some(PayloadForm::Stamps) {
            let expected = "one of a run with payload \"full\": Linux writes bytes";
            let found = "a snapshot that keeps stamps";
            return Err(Failure::unexpected("from_snapshot", found, expected));
        }
        let precondition = from.1.origin().precondition;
        Ok(Meant { drive, from: Some(from), precondition })
    }

    fn told(&self, board: &::board::Board) -> Result<Told<'_>, Failure> {
        let read = |text: &String| {
            text.parse().map_err(|expected: String| {
                Failure::unexpected("cpu", format!("{text:?}"), &expected)
            })
        };
        let stated: Option<Charges> = self.cpu.as_ref().map(read).transpose()?;
        let charges = stated.unwrap_or(Charges::of(board));
        Ok(Told {
            script: &self.script,
            files: &[],
            share: self.share.as_deref(),
            root: self.root.as_deref(),
            memory_mib: self.memory,
            seed: self.seed,
            charges,
            log_level: LOG_LEVEL,
        })
    }

    fn period(&self) -> Result<Option<Period>, Failure> {
        let read = |text: &String| {
            text.parse().map_err(|expected: String| {
                Failure::unexpected("monitor", format!("{text:?}"), &expected)
            })
        };
        self.monitor.as_ref().map(read).transpose()
    }
}
