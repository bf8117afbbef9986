//! What the head of a snapshot says of its drive.

use std::path::Path;

use board::Board;
use serde::{Deserialize, Serialize};

use crate::snapshot::error::SnapshotError;
use crate::snapshot::LAYOUT;

/// What stands for user data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Payload {
    /// A stamp of address and version in each logical block.
    Stamp,
    /// Every byte.
    Full,
}

/// What the head of a snapshot says of its drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The drive.
    pub board: Board,
    /// What its chips were drawn from.
    pub seed: u64,
    /// What stands for user data.
    pub payload: Payload,
    /// The state that it was brought into when it was new, as `--precondition` names it.
    pub precondition: String,
    /// Its time since power-on, in picoseconds.
    pub time_ps: u64,
}

/// The text of the head. TOML has no numbers of 64 bits without sign.
#[derive(Serialize, Deserialize)]
struct Text {
    layout: String,
    board: String,
    sha256: String,
    seed: String,
    payload: Payload,
    precondition: String,
    time_ps: String,
    values: String,
}

impl About {
    /// The text of the head.
    pub(crate) fn to_text(&self) -> String {
        let About { board, seed, payload, precondition, time_ps } = self;
        let text = Text {
            layout: LAYOUT.to_owned(),
            board: board.name.clone(),
            sha256: board.sha256(),
            seed: seed.to_string(),
            payload: *payload,
            precondition: precondition.clone(),
            time_ps: time_ps.to_string(),
            values: board.to_toml(),
        };
        toml::to_string(&text).expect("numbers and strings")
    }

    /// From the text of the head of a file.
    pub(crate) fn of_text(path: &Path, text: &str) -> Result<Self, SnapshotError> {
        let strange =
            |found: String| SnapshotError::new(path, "head", (found, "what this version writes"));
        let text: Text =
            toml::from_str(text).map_err(|error| strange(error.message().replace('\n', " ")))?;
        let Text { layout, board, sha256, seed, payload, precondition, time_ps, values } = text;
        if layout != LAYOUT {
            let found = format!("{layout}, of a program with other sources");
            return Err(SnapshotError::new(path, "layout", (found, LAYOUT)));
        }
        let number = |key: &str, digits: &str| {
            digits.parse().map_err(|_| strange(format!("{key} {digits:?}")))
        };
        let (seed, time_ps) = (number("seed", &seed)?, number("time_ps", &time_ps)?);
        let board = Board::parse(&format!("{board}.toml"), &values)
            .map_err(|error| strange(error.to_string()))?;
        if board.sha256() != sha256 {
            let found = format!("values with sha256 {}", board.sha256());
            return Err(SnapshotError::new(path, "board", (found, &sha256)));
        }
        Ok(About { board, seed, payload, precondition, time_ps })
    }

    /// Whether the drive is of this board, in each of its values.
    ///
    /// # Errors
    /// The first key that differs.
    pub fn must_be(&self, path: &Path, board: &Board) -> Result<(), SnapshotError> {
        for (key, found) in self.board.values() {
            let expected = board.value(key).unwrap_or("nothing");
            if found != expected {
                return Err(SnapshotError::new(path, key, (found, expected)));
            }
        }
        Ok(())
    }
}
