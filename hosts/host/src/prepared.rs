//! A drive between runs: brought into its state once, for many runs, or left by one and kept for another.

use std::fmt;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use board::Board;
use contract::state::expect;
use machine::{BusMaster, Host, Payload, Polling, Stopped, Unobserved, Watched};
use report::RunResult;
use sim::{Audience, Clones, Drive, Options, Still};

use crate::contained::{contained, Source};
use crate::control::{check_kept, Control};
use crate::drive_state::{PayloadForm, Preconditioning};
use crate::error::RunError;
use crate::fio_host::FioHost;
use crate::nobody::Nobody;
use crate::oracle::{Before, Past};
use crate::power_on::{Known, PowerOn, Powered};
use crate::request::{Progress, RunRequest};
use crate::run::{run_and_keep, run_powered, Left, Watchers};
use crate::snapshot::{self, About, Snapshot};

/// Virtual time in which a drive that was shut down comes to rest: a minute.
const REST_PS: u64 = 60_000_000_000_000;

/// The latest time of a drive in a snapshot, two thirds of virtual time.
const LAST_PS: u64 = u64::MAX / 3 * 2;
/// Bytes of the smallest logical block.
const LEAST_BLOCK_BYTES: u64 = 512;

/// A drive in memory between runs. Each run has a copy of it, so that no run knows of another; or one goes on with the drive
/// itself. Copies have in common what none of them has written to.
pub struct Prepared {
    powered: Powered<Still>,
    origin: Origin,
    /// Whether nothing is under way in it.
    at_rest: bool,
    /// The snapshot that it was read from. Its state may have been made by hand.
    file: Option<Arc<Path>>,
}

/// What a drive was when it was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Decided its chips, and what was random in its state.
    pub seed: u64,
    /// What stands for user data.
    pub payload: PayloadForm,
    /// The state that it was brought into.
    pub precondition: Preconditioning,
}

impl Prepared {
    /// The drive of a request, new. What it says of jobs does not matter.
    ///
    /// # Errors
    /// When the board's flash cannot be modelled, or preconditioning was ended.
    ///
    /// # Panics
    /// If the drive is in an image: what that holds is one drive's.
    pub fn new(request: RunRequest<'_>, control: &mut Control<'_>) -> Result<Self, RunError> {
        let origin = Origin::of(&request);
        let ends = (Nobody::default(), Unobserved);
        let Powered { mut drive, payload, known } = request.power().power_on_for(ends, control)?;
        drive.set_clones(Clones::Sharing);
        if request.victims.is_some() {
            drive.choose_victims(None);
        }
        let powered = Powered { drive: Still::of(drive), payload, known };
        Ok(Prepared { powered, origin, at_rest: true, file: None })
    }

    /// The drive of a snapshot. Its state is checked: [`Drive::take_state`] says how far. Runs of it are errors if the drive
    /// then does what no drive does, because its state was made by hand.
    ///
    /// # Errors
    /// When it cannot be read, or is none of a drive of its board at rest.
    pub fn read(snapshot: &mut Snapshot, polling: Polling) -> Result<Self, RunError> {
        let file = snapshot.path().to_owned();
        contained(Some(Source::Snapshot(&file)), || Prepared::read_drive(snapshot, polling))
    }

    fn read_drive(snapshot: &mut Snapshot, polling: Polling) -> Result<Self, RunError> {
        let About { board, seed, payload, precondition, time_ps } = snapshot.about().clone();
        let state = Preconditioning::of_name(&precondition);
        let origin = Origin {
            seed,
            payload: match payload {
                snapshot::Payload::Stamp => PayloadForm::Stamps,
                snapshot::Payload::Full => PayloadForm::Bytes,
            },
            precondition: state.ok_or_else(|| {
                let names = Preconditioning::ALL.map(Preconditioning::name).join(", ");
                let what = (precondition, &*format!("one of {names}"));
                snapshot::SnapshotError::new(snapshot.path(), "precondition", what)
            })?,
        };
        let power = PowerOn {
            board: &board,
            seed,
            payload: origin.payload,
            precondition: Preconditioning::None,
            image: None,
            polling,
            victims: None,
        };
        let ends = (Nobody::default(), Unobserved);
        let Powered { mut drive, payload, .. } =
            power.power_on_for(ends, &mut Control::default())?;
        let most = most_state_bytes(&drive, &board);
        let past = snapshot.state(|from| {
            let mut from = from.take(most);
            drive.take_state(&mut from)?;
            expect(drive.now() == time_ps && time_ps <= LAST_PS, "a drive of another time")?;
            Past::take(most_blocks(&board), &mut from)
        })?;
        drive.set_clones(Clones::Sharing);
        let known = Known::Past(Arc::new(past));
        let powered = Powered { drive: Still::of(drive), payload, known };
        let file = Some(snapshot.path().into());
        Ok(Prepared { powered, origin, at_rest: true, file })
    }

    /// Writes a snapshot: what [`Prepared::read`] makes of it is this drive. `board` is the drive's.
    ///
    /// # Errors
    /// The errors of the writer.
    ///
    /// # Panics
    /// If something is under way in the drive.
    pub fn write(&self, board: &Board, out: &mut dyn io::Write) -> io::Result<()> {
        assert!(self.at_rest, "a snapshot is one of a quiet drive");
        let new;
        let past = match (&self.powered.known, self.origin.precondition) {
            (Known::Past(past), _) => past.deref(),
            // No run has had the drive: it holds what it was prepared with.
            (_, Preconditioning::None) => {
                new = Past::new(Before::Filled(0), blocks(board));
                &new
            }
            _ => {
                new = Past::new(Before::Filled(blocks(board)), blocks(board));
                &new
            }
        };
        let drive = &self.powered.drive;
        let about = About {
            board: board.clone(),
            seed: self.origin.seed,
            payload: match self.origin.payload {
                PayloadForm::Stamps => snapshot::Payload::Stamp,
                PayloadForm::Bytes => snapshot::Payload::Full,
            },
            precondition: self.origin.precondition.name().to_owned(),
            time_ps: drive.now(),
        };
        snapshot::write(&about, out, |mut out| {
            drive.put_state(&mut out)?;
            past.put(&mut out)
        })
    }

    /// Another drive in the same state for a host of another kind, which writes what it likes and tells nobody; what stands for
    /// user data, and the seed of its chips.
    pub fn for_guest<H: Host, O: Audience>(&self, ends: (H, O)) -> (Drive<H, O>, Options) {
        let Powered { drive, payload, .. } = &self.powered;
        let mut copy = drive.drive(ends.0, ends.1);
        copy.set_clones(Clones::Whole);
        let options = Options { payload: *payload, seed: self.origin.seed, polling: Polling::Skip };
        (copy, options)
    }

    /// A drive that was shut down by a host of another kind, of whose data nobody knows anything. It comes to rest. `board` is the drive's.
    pub fn left_by_guest<H: Host, O: Audience>(
        drive: Drive<H, O>,
        board: &Board,
        payload: Payload,
        origin: Origin,
    ) -> Self {
        let mut drive = drive.with_ends(Nobody::default(), Unobserved);
        // That host took it from the bus at the end. Hosts that have no bus do not put it there again.
        drive.registers(|_, registers| registers.set_bus_master(BusMaster::Enabled));
        let due_ps = drive.now().saturating_add(REST_PS);
        let at_rest = drive.run_to(due_ps, |_| false) == Stopped::Quiet;
        let blocks = board.capacity().host_bytes / u64::from(drive.firmware().block_bytes());
        let known = Known::Past(Arc::new(Past::new(Before::Unknown, blocks)));
        drive.set_clones(Clones::Sharing);
        let powered = Powered { drive: Still::of(drive), payload, known };
        Prepared { powered, origin, at_rest, file: None }
    }

    /// Another drive in the same state.
    pub fn copied(&self) -> Self {
        let Powered { drive, payload, known } = &self.powered;
        let powered = Powered { drive: drive.copied(), payload: *payload, known: known.clone() };
        Prepared { powered, file: self.file.clone(), ..*self }
    }

    /// What the drive was when it was new.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Virtual time of the drive since it was made, in picoseconds.
    pub fn now_ps(&self) -> u64 {
        self.powered.drive.now()
    }

    /// Whether nothing is under way in the drive: it is quiet until a host wants something.
    pub fn is_at_rest(&self) -> bool {
        self.at_rest
    }

    /// Runs jobs on a copy: the result is that of [`crate::run`] with the same request, to the byte, if no run has left the
    /// drive. Board, payload, precondition and polling of the request are those that the drive was made with.
    ///
    /// # Errors
    /// As those of [`crate::run`].
    pub fn run(
        &self,
        request: RunRequest<'_>,
        watchers: Watchers<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<RunResult, RunError> {
        let Powered { drive, payload, known } = &self.powered;
        let mut drive = drive.drive(FioHost::new(), Unobserved);
        if let Some(victims) = request.victims {
            victims.take_over(&mut drive, request.seed);
        }
        let powered = Powered { drive, payload: *payload, known: known.clone() };
        let file = self.file.as_deref().map(Source::Snapshot);
        contained(file, || run_powered(request, powered, watchers, progress))
    }

    /// Runs jobs on the drive itself; gives it back as they left it.
    ///
    /// # Errors
    /// As those of [`crate::run`].
    pub fn go_on(
        self,
        request: RunRequest<'_>,
        watchers: Watchers<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(RunResult, Self), RunError> {
        check_kept(request.board, self.origin.payload)?;
        let file = self.file.clone();
        let ran = contained(file.as_deref().map(Source::Snapshot), || {
            self.go_on_anyhow(request, watchers, progress)
        });
        ran.map(|(result, left)| (result, Prepared { file, ..left }))
    }

    /// [`Prepared::go_on`], whatever comes of it.
    fn go_on_anyhow(
        self,
        request: RunRequest<'_>,
        mut watchers: Watchers<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(RunResult, Self), RunError> {
        let Prepared { powered: Powered { drive, payload, known }, origin, .. } = self;
        match watchers.observer.take() {
            None => {
                let drive = gone_on(drive, &request, Unobserved);
                kept((request, origin), Powered { drive, payload, known }, watchers, progress)
            }
            Some(observer) => {
                let drive = gone_on(drive, &request, Box::new(observer) as Watched<'_>);
                kept((request, origin), Powered { drive, payload, known }, watchers, progress)
            }
        }
    }
}

/// A drive that goes on for a request, with a host and an observer.
fn gone_on<O: Audience>(drive: Still, request: &RunRequest<'_>, observer: O) -> Drive<FioHost, O> {
    let mut drive = drive.into_drive(FioHost::new(), observer);
    drive.set_clones(Clones::Whole);
    if let Some(victims) = request.victims {
        victims.take_over(&mut drive, request.seed);
    }
    drive
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, now_ps) = (&self.origin, &self.powered.drive.now());
        let mut shown = f.debug_struct("Prepared");
        shown.field("origin", origin).field("now_ps", now_ps).finish_non_exhaustive()
    }
}

impl Origin {
    fn of(request: &RunRequest<'_>) -> Self {
        assert!(request.image.is_none(), "a drive in an image is kept there");
        let RunRequest { seed, payload, precondition, .. } = *request;
        Origin { seed, payload, precondition }
    }
}

/// Bytes that the state of a drive may have: what grows with use is contents of pages and what is known of logical blocks, and
/// the other tables grow little beyond those of a new drive.
fn most_state_bytes(new: &Drive<Nobody, Unobserved>, board: &Board) -> u64 {
    let mut written = Counted(0);
    new.put_state(&mut written).expect("counting takes all");
    let pages = board.firmware.geometry.pages();
    let page_bytes = u64::from(board.firmware.geometry.page_bytes);
    let grows = pages.saturating_mul(2 * page_bytes).saturating_add(16 * most_blocks(board));
    written.0.saturating_mul(4).saturating_add(grows).saturating_add(1 << 26)
}

/// Logical blocks of a drive that places its data itself.
fn blocks(board: &Board) -> u64 {
    board.capacity().host_bytes / u64::from(board.block_bytes())
}

/// Logical blocks of a drive at most.
fn most_blocks(board: &Board) -> u64 {
    let config = &board.firmware;
    let pages = config.geometry.pages().max(config.logical_pages.into());
    pages.saturating_mul(u64::from(config.geometry.page_bytes) / LEAST_BLOCK_BYTES)
}

/// Counts what is written.
struct Counted(u64);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// As [`crate::run_watched`]; gives the drive back as the jobs left it.
///
/// # Errors
/// As those of [`crate::run`].
///
/// # Panics
/// If the drive is in an image: what that holds is one drive's.
pub fn run_kept(
    request: RunRequest<'_>,
    mut watchers: Watchers<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(RunResult, Prepared), RunError> {
    check_kept(request.board, request.payload)?;
    let origin = Origin::of(&request);
    match watchers.observer.take() {
        None => {
            let powered = request.power().power_on(Unobserved, &mut watchers.control)?;
            kept((request, origin), powered, watchers, progress)
        }
        Some(observer) => {
            let observer: Watched<'_> = Box::new(observer);
            let powered = request.power().power_on(observer, &mut watchers.control)?;
            kept((request, origin), powered, watchers, progress)
        }
    }
}

/// Runs jobs on a drive that has power, and lets it come to rest.
fn kept<O: Audience>(
    (request, origin): (RunRequest<'_>, Origin),
    powered: Powered<Drive<FioHost, O>>,
    watchers: Watchers<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(RunResult, Prepared), RunError> {
    let (result, left) = run_and_keep(request, powered, watchers, progress)?;
    let Left { mut drive, payload, blocks, oracle } = left;
    let due_ps = drive.now().saturating_add(REST_PS);
    let at_rest = drive.run_to(due_ps, |_| false) == Stopped::Quiet;
    let known = Known::Past(Arc::new(oracle.into_past(blocks)));
    if request.victims.is_some() {
        drive.choose_victims(None);
    }
    let powered = Powered { drive: Still::of(drive), payload, known };
    Ok((result, Prepared { powered, origin, at_rest, file: None }))
}
