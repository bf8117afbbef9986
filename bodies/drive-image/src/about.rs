//! What the head of an image says of its drive.

use std::path::Path;

use board::Board;
use serde::{Deserialize, Serialize};

use crate::error::ImageError;
use crate::layout::Shape;

/// What stands for user data in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Payload {
    /// A stamp of address and version in each logical block.
    Stamp,
    /// Every byte.
    Full,
}

impl Payload {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Payload::Stamp => "stamp",
            Payload::Full => "full",
        }
    }
}

/// What the head of an image says of its drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The drive.
    pub board: Board,
    /// Decides the chips: how fast each is, which blocks are bad from the factory.
    pub seed: u64,
    /// Number in serial number and UUID.
    pub serial: u32,
    /// What stands for user data.
    pub payload: Payload,
    /// Bytes of a logical block that a stamp stands for.
    pub block_bytes: u32,
    /// Numbers of blocks, pages and bytes.
    pub shape: Shape,
}

/// The text of the head. TOML has no numbers of 64 bits without sign.
#[derive(Serialize, Deserialize)]
struct Text {
    seed: String,
    serial: u32,
    payload: Payload,
    block_bytes: u32,
    board: String,
    values: String,
    shape: Shape,
}

impl About {
    /// The text of the head.
    pub(crate) fn to_text(&self) -> String {
        let text = Text {
            seed: self.seed.to_string(),
            serial: self.serial,
            payload: self.payload,
            block_bytes: self.block_bytes,
            board: self.board.name.clone(),
            values: self.board.to_toml(),
            shape: self.shape,
        };
        toml::to_string(&text).expect("numbers and strings")
    }

    /// From the text of the head of a file.
    pub(crate) fn of_text(path: &Path, text: &str) -> Result<Self, ImageError> {
        let strange =
            |found: String| ImageError::new(path, "head", (found, "what this release writes"));
        let text: Text =
            toml::from_str(text).map_err(|error| strange(error.message().to_owned()))?;
        let Text { seed, serial, payload, block_bytes, board, values, shape } = text;
        let seed = seed.parse().map_err(|_| strange(format!("seed {seed:?}")))?;
        let board = Board::parse(&format!("{board}.toml"), &values)
            .map_err(|error| strange(error.to_string()))?;
        Ok(About { board, seed, serial, payload, block_bytes, shape })
    }

    /// Whether a file is the image of such a drive: all values of its board, and the payload.
    ///
    /// # Errors
    /// The first key that differs.
    pub fn must_be(
        &self,
        path: &Path,
        (board, payload): (&Board, Payload),
    ) -> Result<(), ImageError> {
        for (key, found) in self.board.values() {
            let expected = board.value(key).unwrap_or("nothing");
            if found != expected {
                return Err(ImageError::new(path, key, (found, expected)));
            }
        }
        if self.payload != payload {
            let (found, expected) = (self.payload.name(), payload.name());
            return Err(ImageError::new(path, "payload", (found, expected)));
        }
        Ok(())
    }
}
