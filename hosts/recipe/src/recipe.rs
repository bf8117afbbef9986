//! Everything that decides what a run gives, and the run.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use board::Board;
use contract::{CommandSet, Medium};
use host::job::JobFile;
use host::{
    Course, ImageFile, PayloadForm, Preconditioning, Prepared, Progress, RunRequest, Victims,
    Watchers,
};
use machine::{Accounts, Polling};
use report::{BoardOrigin, FunctionOrigin, Override, Provenance, RunResult, SnapshotOrigin};
use runs::confidence::Asked as Enough;

use crate::asked::{Asked, AskedVictims};
use crate::body::{Body, Processor};
use crate::drive::{number_of, open_snapshot, Drive, Said};
use crate::failure::Failure;
use crate::jobs;
use crate::kept::Kept;

/// The program that does a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Version of the program, as `--version` tells.
    pub version: &'static str,
    /// The commit that it was built from.
    pub commit: &'static str,
}

/// How a report calls runs that tell no causes.
const NO_CAUSES: &str = "none";

/// What is kept of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing but its result.
    Nothing,
    /// The drive as its run left it, too.
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
    payload: PayloadForm,
    precondition: Preconditioning,
    polling: Polling,
    accounts: Accounts,
    until: Option<Enough>,
    victims: Option<Victims>,
    /// What the drive is made of.
    pub body: Body,
    /// What its firmware runs on.
    pub processor: Processor,
}

impl Recipe {
    /// What somebody asks for.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn asked(asked: Asked<'_>, program: Program) -> Result<Recipe, Failure> {
        asked.check_image()?;
        let Asked { board, overrides, precondition, payload, polling, .. } = asked;
        let image = asked.image.as_deref();
        let said = Said { image, board, overrides, precondition, serial: None };
        let how = (payload, polling);
        let from = asked.from.as_deref().map(|path| said.snapshot(path, how)).transpose()?;
        let (drive, from) = match from {
            None => (said.drive()?, None),
            Some((drive, (origin, from))) => (drive, Some((Some(origin), from))),
        };
        Recipe::made(asked, drive, from, program)
    }

    /// What somebody asks for of a drive that is in memory. What is asked of the drive itself has to be left out.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn on(kept: &Kept, asked: Asked<'_>, program: Program) -> Result<Recipe, Failure> {
        let beside = |what: &str, found: &str| {
            Failure::unexpected(
                what,
                format!("{found} beside a drive in memory"),
                "it for a new drive",
            )
        };
        if let Some(state) = asked.precondition {
            return Err(beside("--precondition", state.name()));
        }
        if let Some(payload) = asked.payload {
            return Err(beside("--payload", payload.name()));
        }
        if asked.from.is_some() {
            return Err(beside("--from", "a snapshot"));
        }
        let asked = Asked { overrides: kept.overrides(), polling: kept.polling(), ..asked };
        let (name, board) = (kept.name().to_owned(), kept.board().clone());
        let drive = Drive { name, board, payload: Some(kept.payload()) };
        let from = (kept.origin(asked.seed), kept.drive());
        Recipe::made(asked, drive, Some(from), program)
    }

    /// What is asked for, of a drive that is known: new, or `from` the origin of one that is there.
    fn made(
        asked: Asked<'_>,
        drive: Drive,
        from: Option<(Option<SnapshotOrigin>, Prepared)>,
        program: Program,
    ) -> Result<Recipe, Failure> {
        let Asked { overrides, jobs, source, seed, seeds, until, .. } = asked;
        let Asked { payload, precondition, image, body, processor, .. } = asked;
        let Asked { polling, accounts, victims, .. } = asked;
        let Drive { name, board, payload: kept } = drive;
        if let Some(asked) = &victims {
            check_victims(asked, (&board, body))?;
        }
        let (usual_payload, usual_state) = match body {
            Body::Sim => (PayloadForm::Stamps, Preconditioning::Sequential),
            Body::Rtl => (PayloadForm::Bytes, Preconditioning::None),
        };
        let usual_state = match board.firmware.command_set {
            CommandSet::Block => usual_state,
            // Where its host places data, only the host can know.
            CommandSet::OpenChannel | CommandSet::Zoned => Preconditioning::None,
        };
        let payload = payload.or(kept).unwrap_or(usual_payload);
        let before = from.as_ref().map(|(_, drive)| drive.origin().precondition);
        let precondition = precondition.or(before).unwrap_or(usual_state);
        let (origin, from) = from.unzip();
        let numbered = |path: PathBuf| {
            let serial = number_of(&path, "a path for a drive image")?;
            Ok::<_, Failure>((path, serial))
        };
        let image = image.map(numbered).transpose()?;
        let provenance = Provenance {
            version: program.version.to_owned(),
            commit: program.commit.to_owned(),
            board: board_origin(&name, &board, overrides),
            jobs: source,
            seed,
            precondition: precondition.name().to_owned(),
            payload: payload.name().to_owned(),
            polling: polling.name().to_owned(),
            monitor_interval_ps: asked.monitor_interval_ps,
            body: (body != Body::Sim).then(|| body.name().to_owned()),
            processor: (processor != Processor::Board).then(|| processor.name().to_owned()),
            causes: (accounts == Accounts::None).then(|| NO_CAUSES.to_owned()),
            image: image.as_ref().map(|(path, _)| path.display().to_string()),
            from: origin.flatten(),
            until: until.as_ref().map(Enough::to_string),
            seeds: seeds.map(NonZeroU32::get),
            victim: victims.as_ref().map(|asked| asked.origin.clone()),
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
            accounts,
            until,
            victims: victims.map(|asked| asked.victims),
            body,
            processor,
        })
    }

    /// What a report tells of, with its jobs. Nothing but the report is read.
    ///
    /// # Errors
    /// When the report cannot be used.
    pub fn reported(
        report: &Provenance,
        jobs: JobFile,
        program: Program,
    ) -> Result<Recipe, Failure> {
        let BoardOrigin { name, toml, sha256, .. } = &report.board;
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
        if let Some(FunctionOrigin { name, .. }) = &report.victim {
            let found = format!("{}, a function in Python", foreign::one_line(name));
            let expected = "a policy of the firmware: a function may know more than its text";
            return Err(Failure::unexpected("victim", found, expected));
        }
        let polling = kind("polling", &report.polling, Polling::ALL, Polling::name)?;
        let from = report.from.as_ref().map(|from| again(from, &board, polling)).transpose()?;
        let (payload, state) = (&report.payload, &report.precondition);
        let body = report.body.as_deref().map(|name| kind("body", name, Body::ALL, Body::name));
        let processor = report.processor.as_deref();
        let processor =
            processor.map(|name| kind("processor", name, Processor::ALL, Processor::name));
        Ok(Recipe {
            board,
            from,
            image: None,
            jobs,
            payload: kind("payload", payload, PayloadForm::ALL, PayloadForm::name)?,
            precondition: kind("precondition", state, Preconditioning::ALL, Preconditioning::name)?,
            polling,
            accounts: match report.causes.as_deref() {
                None => Accounts::Kept,
                Some(NO_CAUSES) => Accounts::None,
                Some(other) => return Err(Failure::unexpected("causes", other, NO_CAUSES)),
            },
            until: report.until.as_deref().map(enough).transpose()?,
            victims: None,
            body: body.unwrap_or(Ok(Body::Sim))?,
            processor: processor.unwrap_or(Ok(Processor::Board))?,
            provenance: Provenance {
                version: program.version.to_owned(),
                commit: program.commit.to_owned(),
                ..report.clone()
            },
        })
    }

    /// Does the run, or another of its kind, on the drive of the recipe, in virtual time.
    ///
    /// # Errors
    /// As those of [`host::run`].
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
                return Ok((host::run_watched(request, watchers, progress)?, None));
            }
        };
        let (result, drive) = ran?;
        Ok((result, Some(drive)))
    }

    /// The run to do.
    pub fn request(&self) -> RunRequest<'_> {
        RunRequest {
            board: &self.board,
            jobs: &self.jobs,
            job_file: jobs::name(&self.provenance.jobs),
            seed: self.provenance.seed,
            payload: self.payload,
            precondition: self.precondition,
            image: self.image.as_ref().map(|(path, serial)| ImageFile { path, serial: *serial }),
            polling: self.polling,
            accounts: self.accounts,
            course: Course::Told,
            victims: self.victims.as_ref(),
            until: self.until.as_ref(),
        }
    }
}

/// Looks whether the firmware of a board asks somebody for victims.
fn check_victims(
    AskedVictims { origin, .. }: &AskedVictims,
    (board, body): (&Board, Body),
) -> Result<(), Failure> {
    let config = &board.firmware;
    let name = foreign::one_line(&origin.name);
    let refused = |found: &str| {
        let expected = "a board whose firmware collects garbage, in virtual time";
        Err(Failure::unexpected("policy", format!("{name} for {found}"), expected))
    };
    match (config.command_set, config.medium, body) {
        (CommandSet::Block, Medium::Flash, Body::Sim) => Ok(()),
        (CommandSet::OpenChannel, ..) => refused("a drive whose host places its data"),
        (CommandSet::Zoned, ..) => refused("a drive with zones"),
        (_, Medium::Memory, _) => refused("a drive without flash"),
        (.., Body::Rtl) => refused("a drive in hardware"),
    }
}

/// The drive of the snapshot that a report tells of.
fn again(
    SnapshotOrigin { name, sha256 }: &SnapshotOrigin,
    board: &Board,
    polling: Polling,
) -> Result<Prepared, Failure> {
    if sha256.is_empty() {
        let expected = "a snapshot in a file: a drive in memory is gone with its program";
        return Err(Failure::unexpected("from", name, expected));
    }
    let path = Path::new(name);
    let mut snapshot = open_snapshot(path)?;
    if snapshot.sha256() != sha256 {
        let (found, expected) = (snapshot.sha256(), format!("{sha256}, as the report says"));
        return Err(Failure::unexpected(format!("{name}: sha256"), found, &expected));
    }
    snapshot.about().must_be(path, board).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(Prepared::read(&mut snapshot, polling)?)
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

/// The one of this name that a report or a user has for a key.
///
/// # Errors
/// When there is none.
pub fn kind<T: Copy, const N: usize>(
    key: &str,
    found: &str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, Failure> {
    all.into_iter().find(|one| name(*one) == found).ok_or_else(|| {
        let expected = format!("one of {}", all.map(name).join(", "));
        Failure::unexpected(key, format!("{found:?}"), &expected)
    })
}

/// What `--until` says.
///
/// # Errors
/// When it says nothing that can be known.
pub fn enough(text: &str) -> Result<Enough, Failure> {
    text.parse().map_err(|wrong: runs::confidence::Wrong| {
        Failure::unexpected("until", &wrong.found, wrong.expected)
    })
}
