//! The drive that `--image` names: which board it is, and what may be said beside it.

use std::path::Path;

use board::Board;
use drive_image::{About, Image};
use host::Prepared;
use report::SnapshotOrigin;
use sim::Polling;
use snapshot::Snapshot;

use crate::arguments::{PayloadKind, PreconditionKind};
use crate::boards;
use crate::failure::Failure;
use crate::inputs::DEFAULT_BOARD;
use crate::run::failure;

/// What the command line says of a drive; `None` where it says nothing.
pub struct Said<'a> {
    /// The image.
    pub image: Option<&'a Path>,
    /// Name or path of the board.
    pub board: Option<&'a str>,
    /// Values that it replaces.
    pub overrides: &'a [(String, String)],
    /// The state of a new drive.
    pub precondition: Option<PreconditionKind>,
    /// Number in its serial number and UUID.
    pub serial: Option<u32>,
}

/// The drive that is meant.
pub struct Drive {
    /// Name or path of its board.
    pub name: String,
    /// The board.
    pub board: Board,
    /// What stands for user data in its image, if there is one already.
    pub payload: Option<PayloadKind>,
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
            let found =
                format!("{} for {}, which exists", super::recipe::named(&state), path.display());
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
            drive_image::Payload::Stamp => PayloadKind::Stamp,
            drive_image::Payload::Full => PayloadKind::Full,
        });
        match about {
            Some(About { board: kept, .. }) if board.is_none() && overrides.is_empty() => {
                Ok(Drive { name: kept.name.clone(), board: kept, payload })
            }
            _ => {
                let name = board.unwrap_or(DEFAULT_BOARD).to_owned();
                let board = boards::resolve(&name, overrides)?;
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
        (payload, polling): (Option<PayloadKind>, Polling),
    ) -> Result<(Drive, (SnapshotOrigin, Prepared)), Failure> {
        let Said { board, overrides, precondition, .. } = *self;
        if let Some(state) = precondition {
            let found = format!("{} beside --from", super::recipe::named(&state));
            return Err(Failure::unexpected("--precondition", found, "it for a new drive"));
        }
        let mut snapshot = open_snapshot(path)?;
        let about = snapshot.about();
        let kept = match about.payload {
            snapshot::Payload::Stamp => PayloadKind::Stamp,
            snapshot::Payload::Full => PayloadKind::Full,
        };
        if let Some(other) = payload.filter(|&payload| payload != kept) {
            let expected = format!("{}, as in {}", super::recipe::named(&kept), path.display());
            let found = super::recipe::named(&other);
            return Err(Failure::unexpected("--payload", found, &expected));
        }
        let (name, board) = if board.is_none() && overrides.is_empty() {
            (about.board.name.clone(), about.board.clone())
        } else {
            let name = board.unwrap_or(DEFAULT_BOARD).to_owned();
            let board = boards::resolve(&name, overrides)?;
            about.must_be(path, &board).map_err(|error| Failure::Input(error.to_string()))?;
            (name, board)
        };
        let (name_of_file, sha256) = (path.display().to_string(), snapshot.sha256().to_owned());
        let prepared = Prepared::read(&mut snapshot, polling).map_err(failure)?;
        let origin = SnapshotOrigin { name: name_of_file, sha256 };
        Ok((Drive { name, board, payload: Some(kept) }, (origin, prepared)))
    }
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
