//! The drive that is meant: a board, an image or a snapshot, and what may be said beside them.

use std::path::Path;

use board::Board;
use drive_image::{About, Image};
use host::snapshot::{self, Snapshot};
use host::{PayloadForm, Preconditioning, Prepared};
use machine::Polling;
use report::SnapshotOrigin;

use crate::failure::Failure;

/// The board that is used when none is named.
pub const DEFAULT_BOARD: &str = "cosmos-plus";

/// The board of this name or path, with `overrides` laid over it.
///
/// # Errors
/// When there is none, or a value in it cannot be used.
pub fn resolve(name: &str, overrides: &[(String, String)]) -> Result<Board, Failure> {
    Board::resolve(name, overrides).map_err(|error| Failure::Input(error.to_string()))
}

/// Tells of the values that somebody stated and that a simulated drive makes no use of, in one line. What boards that are built
/// in say of themselves is left out.
pub fn unused_values(board: &Board) -> Option<String> {
    let unused = board.unused_values();
    (!unused.is_empty()).then(|| {
        let keys = unused.join(", ");
        format!(
            "{keys}: found values that change nothing in a simulated drive with this channel.scheduler and \
             storage.medium"
        )
    })
}

/// Looks whether a timeline of a drive can be drawn.
///
/// # Errors
/// If it has several cores, whose time is not told apart.
pub fn check_drawn(board: &Board) -> Result<(), Failure> {
    match board.cores.count {
        0 | 1 => Ok(()),
        _ => {
            let expected = "a board with one core, whose time is drawn";
            Err(Failure::unexpected("--timeline", "several in processor.cores", expected))
        }
    }
}

/// Looks whether a drive that a run has left can be kept.
///
/// # Errors
/// If something is still under way in it.
pub fn check_at_rest(drive: &Prepared) -> Result<(), Failure> {
    if drive.is_at_rest() {
        return Ok(());
    }
    let line = "--save: found work of the drive's own under way a minute after its shutdown, \
                expected a drive at rest: no snapshot is written";
    Err(Failure::Drive(line.to_owned()))
}

/// What somebody says of a drive; `None` where it says nothing.
pub struct Said<'a> {
    /// Path of the image that the drive is in.
    pub image: Option<&'a Path>,
    /// Name or path of the board.
    pub board: Option<&'a str>,
    /// Values that it replaces.
    pub overrides: &'a [(String, String)],
    /// The state of a new drive.
    pub precondition: Option<Preconditioning>,
    /// Number in its serial number and UUID.
    pub serial: Option<u32>,
}

/// The drive that is meant.
pub struct Drive {
    /// Name or path of its board.
    pub name: String,
    /// The board, resolved, with the replaced values in it.
    pub board: Board,
    /// What stands for user data in its image, if there is one already.
    pub payload: Option<PayloadForm>,
}

impl Said<'_> {
    /// The drive that is meant: an image that is there need not be described again.
    ///
    /// # Errors
    /// When the board cannot be used, the file is no image, or a drive that is there is to be
    /// preconditioned.
    pub fn drive(&self) -> Result<Drive, Failure> {
        let Said { image, board, overrides, precondition, serial } = *self;
        let about = image.map(about).transpose()?.flatten();
        if let (Some(path), Some(_), Some(state)) = (image, &about, precondition) {
            let found = format!("{} for {}, which exists", state.name(), path.display());
            return Err(Failure::unexpected("--precondition", found, "it for a new image"));
        }
        if let (Some(About { serial: kept, .. }), Some(serial)) = (&about, serial) {
            if *kept != serial {
                return Err(Failure::unexpected(
                    "--serial",
                    serial,
                    &format!("{kept}, as the image has"),
                ));
            }
        }
        let payload = about.as_ref().map(|about| match about.payload {
            drive_image::Payload::Stamp => PayloadForm::Stamps,
            drive_image::Payload::Full => PayloadForm::Bytes,
        });
        match about {
            Some(About { board: kept, .. }) if board.is_none() => {
                check_overrides(image, &kept, overrides)?;
                Ok(Drive { name: kept.name.clone(), board: kept, payload })
            }
            _ => {
                let name = board.unwrap_or(DEFAULT_BOARD).to_owned();
                let board = resolve(&name, overrides)?;
                Ok(Drive { name, board, payload })
            }
        }
    }
}

impl Said<'_> {
    /// The drive of a snapshot, whose board need not be named again, and what a report says of the file.
    ///
    /// # Errors
    /// When the file is no undamaged snapshot, or one of another drive than is said.
    pub fn snapshot(
        &self,
        path: &Path,
        (payload, polling): (Option<PayloadForm>, Polling),
    ) -> Result<(Drive, (SnapshotOrigin, Prepared)), Failure> {
        let Said { board, overrides, precondition, .. } = *self;
        if let Some(state) = precondition {
            let found = format!("{} beside --from", state.name());
            return Err(Failure::unexpected("--precondition", found, "it for a new drive"));
        }
        let mut snapshot = open_snapshot(path)?;
        let about = snapshot.about();
        let kept = match about.payload {
            snapshot::Payload::Stamp => PayloadForm::Stamps,
            snapshot::Payload::Full => PayloadForm::Bytes,
        };
        if let Some(other) = payload.filter(|&payload| payload != kept) {
            let expected = format!("{}, as in {}", kept.name(), path.display());
            let found = other.name();
            return Err(Failure::unexpected("--payload", found, &expected));
        }
        let (name, board) = if board.is_none() {
            check_overrides(Some(path), &about.board, overrides)?;
            (about.board.name.clone(), about.board.clone())
        } else {
            let name = board.unwrap_or(DEFAULT_BOARD).to_owned();
            let board = resolve(&name, overrides)?;
            about.must_be(path, &board).map_err(|error| Failure::Input(error.to_string()))?;
            (name, board)
        };
        let (name_of_file, sha256) = (path.display().to_string(), snapshot.sha256().to_owned());
        let prepared = Prepared::read(&mut snapshot, polling)?;
        let origin = SnapshotOrigin { name: name_of_file, sha256 };
        Ok((Drive { name, board, payload: Some(kept) }, (origin, prepared)))
    }
}

/// Without a board, settings are of the board that a file has, and are to be what that has already.
fn check_overrides(
    path: Option<&Path>,
    kept: &Board,
    overrides: &[(String, String)],
) -> Result<(), Failure> {
    let differs = |(key, value): &&(String, String)| kept.value(key) != Some(value);
    let Some((key, value)) = overrides.iter().find(differs) else { return Ok(()) };
    let of = path.map_or(String::new(), |path| format!(", as {} has it", path.display()));
    let expected = match kept.value(key) {
        Some(value) => format!("{key}={value}{of}"),
        None => "a key of boards".to_owned(),
    };
    Err(Failure::unexpected("--set", format!("{key}={value}"), &expected))
}

/// Opens a snapshot and looks whether it is undamaged.
///
/// # Errors
/// When it is not.
pub fn open_snapshot(path: &Path) -> Result<Snapshot, Failure> {
    Snapshot::open(path).map_err(|error| Failure::Input(error.to_string()))
}

/// What an image says of its drive; `None` if it is to be made.
fn about(path: &Path) -> Result<Option<About>, Failure> {
    Image::about_file(path).map_err(|error| Failure::Input(error.to_string()))
}

/// A number that is the same for the same path, and most likely another for another: FNV-1a of the
/// absolute path.
///
/// # Errors
/// When there is no such path.
pub fn number_of(path: &Path, expected: &str) -> Result<u32, Failure> {
    let absolute =
        std::path::absolute(path).map_err(|error| Failure::file(path, &error, expected))?;
    let bytes = absolute.as_os_str().as_encoded_bytes();
    Ok(bytes
        .iter()
        .fold(0x811c_9dc5, |hash: u32, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_numbers_of_their_own() {
        let number = |path: &str| number_of(Path::new(path), "a path").unwrap();
        assert_eq!(number("/a/drive.sock"), number("/a/drive.sock"));
        assert_ne!(number("/a/drive.sock"), number("/b/drive.sock"));
        assert!(number_of(Path::new(""), "a path").is_err());
    }
}
