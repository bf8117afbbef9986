//! Everything that decides what a run gives: from a command line, or from a report.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use board::Board;
use clap::ValueEnum;
use confidence::Asked;
use contract::CommandSet;
use host::job::JobFile;
use host::{ImageFile, PayloadForm, Preconditioning, Prepared, Progress, RunRequest, Watchers};
use report::{BoardOrigin, Override, Provenance, RunResult, SnapshotOrigin};
use sim::Polling;

use crate::arguments::{
    BodyKind, PayloadKind, PollingKind, PreconditionKind, ProcessorKind, RunArguments,
};
use crate::drive_file::{number_of, open_snapshot, Drive, Said};
use crate::failure::Failure;
use crate::inputs::{self, Inputs};
use crate::reports::precondition;
use crate::run::failure;

/// Version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Commit that it was built from; see `build/commit.rs`.
pub const COMMIT: &str = env!("FIRMAMENT_COMMIT");

/// What is kept of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing but its result.
    Nothing,
    /// The drive.
    Drive,
}

/// A run that can be done, now and again.
#[derive(Debug)]
pub struct Recipe {
    /// The drive.
    pub board: Board,
    /// The load.
    pub jobs: JobFile,
    /// What the report says of it.
    pub provenance: Provenance,
    /// The image that the drive is in, and the number in its serial number if it is made.
    image: Option<(PathBuf, u32)>,
    /// The drive of a snapshot.
    pub from: Option<Prepared>,
    payload: PayloadKind,
    precondition: PreconditionKind,
    polling: PollingKind,
    until: Option<Asked>,
    /// What the drive is made of.
    pub body: BodyKind,
    /// What its firmware runs on.
    pub processor: ProcessorKind,
}

impl Recipe {
    /// What a command line asks for.
    ///
    /// # Errors
    /// When its input cannot be used.
    pub fn asked(arguments: &RunArguments, inputs: Inputs) -> Result<Recipe, Failure> {
        let Inputs { board, jobs, source } = inputs;
        let RunArguments {
            seed, payload, precondition, polling, body, processor, ref image, ..
        } = *arguments;
        crate::body::check(arguments)?;
        if let (Some(seeds), Some(_)) = (arguments.seeds, image) {
            let expected = "1, as an image is not what it was before after the first";
            return Err(Failure::unexpected("--seeds", seeds, expected));
        }
        for (key, path) in [("--from", &arguments.from), ("--save", &arguments.save)] {
            if let (Some(path), Some(_)) = (path, image) {
                let expected = "none beside --image, which keeps the drive itself";
                return Err(Failure::unexpected(key, path.display(), expected));
            }
        }
        let said = Said {
            image: image.as_deref(),
            board: board.as_deref(),
            overrides: &arguments.overrides,
            precondition,
            serial: None,
        };
        let how = (payload, self::polling(polling));
        let from = arguments.from.as_deref().map(|path| said.snapshot(path, how)).transpose()?;
        let (drive, from) = match from {
            None => (said.drive()?, None),
            Some((drive, from)) => (drive, Some(from)),
        };
        let Drive { name, board, payload: kept } = drive;
        let (usual_payload, usual_state) = match body {
            BodyKind::Sim => (PayloadKind::Stamp, PreconditionKind::Sequential),
            BodyKind::Rtl => (PayloadKind::Full, PreconditionKind::None),
        };
        let usual_state = match board.firmware.command_set {
            CommandSet::Block => usual_state,
            // Where its host places data, only the host can know.
            CommandSet::OpenChannel => PreconditionKind::None,
        };
        let payload = payload.or(kept).unwrap_or(usual_payload);
        let before = from.as_ref().map(|(_, drive)| kind_of(drive.origin().precondition));
        let precondition = precondition.or(before).unwrap_or(usual_state);
        let (origin, from) = from.unzip();
        let numbered = |path: &PathBuf| {
            let serial = number_of(path, "a path for a drive image")?;
            Ok::<_, Failure>((path.clone(), serial))
        };
        let image = image.as_ref().map(numbered).transpose()?;
        let monitored = arguments.reports.monitor.is_some();
        let provenance = Provenance {
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            board: board_origin(&name, &board, &arguments.overrides),
            jobs: source,
            seed,
            precondition: named(&precondition),
            payload: named(&payload),
            polling: named(&polling),
            monitor_interval_ps: monitored.then(|| arguments.monitor_interval.as_ps()),
            body: (body != BodyKind::Sim).then(|| named(&body)),
            processor: (processor != ProcessorKind::Board).then(|| named(&processor)),
            image: image.as_ref().map(|(path, _)| path.display().to_string()),
            from: origin,
            until: arguments.until.as_ref().map(Asked::to_string),
            seeds: arguments.seeds.map(NonZeroU32::get),
        };
        Ok(Recipe {
            board,
            jobs,
            provenance,
            image,
            from,
            payload,
            precondition,
            polling,
            until: arguments.until.clone(),
            body,
            processor,
        })
    }

    /// What a report tells of. Nothing but the report is read.
    ///
    /// # Errors
    /// When the report cannot be used.
    pub fn reported(report: &Provenance) -> Result<Recipe, Failure> {
        let Provenance { board: BoardOrigin { name, toml, sha256, .. }, jobs, .. } = report;
        let board = Board::parse(&format!("{name}.toml"), toml)
            .map_err(|error| Failure::Input(error.to_string()))?;
        if board.sha256() != *sha256 {
            let expected = format!("sha256 {sha256}, as the report says");
            return Err(Failure::unexpected(
                "board",
                format!("sha256 {}", board.sha256()),
                &expected,
            ));
        }
        if let Some(image) = &report.image {
            let expected = "a drive in memory: an image is not what it was before the run";
            return Err(Failure::unexpected("image", image, expected));
        }
        let from = report.from.as_ref().map(|from| again(from, &board, report)).transpose()?;
        Ok(Recipe {
            board,
            from,
            image: None,
            jobs: inputs::jobs(jobs)?,
            payload: kind("payload", &report.payload)?,
            precondition: kind("precondition", &report.precondition)?,
            polling: kind("polling", &report.polling)?,
            until: report.until.as_deref().map(asked).transpose()?,
            body: report.body.as_deref().map_or(Ok(BodyKind::Sim), |body| kind("body", body))?,
            processor: report
                .processor
                .as_deref()
                .map_or(Ok(ProcessorKind::Board), |processor| kind("processor", processor))?,
            provenance: Provenance {
                version: VERSION.to_owned(),
                commit: COMMIT.to_owned(),
                ..report.clone()
            },
        })
    }

    /// Does the run, or another of its kind, on the drive of the recipe.
    ///
    /// # Errors
    /// As those of [`host::run`], and when there is no such hardware.
    pub fn run(
        &self,
        (request, keep): (RunRequest<'_>, Keep),
        watchers: Watchers<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(RunResult, Option<Prepared>), Failure> {
        let ran = match (&self.from, keep) {
            (Some(drive), _) => drive.copied().go_on(request, watchers, progress),
            (None, Keep::Drive) => host::run_kept(request, watchers, progress),
            (None, Keep::Nothing) => {
                let how = (self.body, self.processor);
                return Ok((crate::body::run(how, request, watchers, progress)?, None));
            }
        };
        let (result, drive) = ran.map_err(failure)?;
        Ok((result, Some(drive)))
    }

    /// The run to do.
    pub fn request(&self) -> RunRequest<'_> {
        RunRequest {
            board: &self.board,
            jobs: &self.jobs,
            job_file: inputs::name(&self.provenance.jobs),
            seed: self.provenance.seed,
            payload: match self.payload {
                PayloadKind::Stamp => PayloadForm::Stamps,
                PayloadKind::Full => PayloadForm::Bytes,
            },
            precondition: precondition(self.precondition),
            image: self.image.as_ref().map(|(path, serial)| ImageFile { path, serial: *serial }),
            polling: polling(self.polling),
            until: self.until.as_ref(),
        }
    }
}

/// The drive of the snapshot that a report tells of.
fn again(
    SnapshotOrigin { name, sha256 }: &SnapshotOrigin,
    board: &Board,
    report: &Provenance,
) -> Result<Prepared, Failure> {
    let path = Path::new(name);
    let mut snapshot = open_snapshot(path)?;
    if snapshot.sha256() != sha256 {
        let (found, expected) = (snapshot.sha256(), format!("{sha256}, as the report says"));
        return Err(Failure::unexpected(format!("{name}: sha256"), found, &expected));
    }
    snapshot.about().must_be(path, board).map_err(|error| Failure::Input(error.to_string()))?;
    Prepared::read(&mut snapshot, polling(kind("polling", &report.polling)?)).map_err(failure)
}

/// The kind of a state on the command line.
fn kind_of(state: Preconditioning) -> PreconditionKind {
    let all = PreconditionKind::value_variants().iter().copied();
    let mut same = all.filter(|kind| precondition(*kind) == state);
    same.next().expect("each state has its kind")
}

/// What becomes of idle turns.
pub fn polling(kind: PollingKind) -> Polling {
    match kind {
        PollingKind::Skip => Polling::Skip,
        PollingKind::Exact => Polling::Exact,
    }
}

/// How `board`, resolved from the name or path `given`, came to be.
pub fn board_origin(given: &str, board: &Board, overrides: &[(String, String)]) -> BoardOrigin {
    let plain = Board::resolve(given, &[]).ok();
    let change = |(key, value): &(String, String)| Override {
        key: key.clone(),
        value: value.clone(),
        before: plain.as_ref().and_then(|board| board.value(key)).map(str::to_owned),
    };
    BoardOrigin {
        name: board.name.clone(),
        overrides: overrides.iter().map(change).collect(),
        sha256: board.sha256(),
        toml: board.to_toml(),
    }
}

/// The name of a kind on the command line.
pub fn named(kind: &impl ValueEnum) -> String {
    kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The kind of this name.
fn kind<T: ValueEnum>(key: &str, name: &str) -> Result<T, Failure> {
    T::from_str(name, false).map_err(|_| {
        let names: Vec<_> = T::value_variants().iter().map(named).collect();
        Failure::unexpected(key, format!("{name:?}"), &format!("one of {}", names.join(", ")))
    })
}

/// What a report says of `--until`.
fn asked(text: &str) -> Result<Asked, Failure> {
    text.parse().map_err(|wrong: confidence::Wrong| {
        Failure::unexpected("until", &wrong.found, wrong.expected)
    })
}
