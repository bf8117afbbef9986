//! Why a board's flash cannot be modelled.

use std::fmt;

use drive_image::ImageError;
use ecc::{BchError, PageError};

use crate::Stamp;

/// Why a board, legal in itself, cannot be modelled with a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// No code corrects so many bits of such a chunk.
    Code {
        /// Name of the board.
        board: String,
        /// What the code lacks.
        reason: BchError,
    },
    /// Data, the logical page number and parity do not fit in a page.
    Page {
        /// Name of the board.
        board: String,
        /// What does not fit.
        reason: PageError,
    },
    /// A page is not a whole number of logical blocks, or a block cannot carry a stamp.
    Block {
        /// Name of the board.
        board: String,
        /// Bytes of a logical block that the payload asks for.
        block_bytes: u32,
        /// Bytes of a page of the board (`geometry.page_bytes`).
        page_bytes: u32,
    },
    /// There are more logical blocks than stamps have LBAs for.
    Lbas {
        /// Name of the board.
        board: String,
        /// Logical blocks of the namespace.
        found: u64,
    },
    /// Wrong bits follow from what is stored, which nobody knows: stamps that are not scrambled.
    UnknownBits {
        /// Name of the board.
        board: String,
    },
    /// The image of a drive cannot be used.
    Image(ImageError),
    /// Too many blocks are bad from the factory for the namespace.
    FactoryBad {
        /// Name of the board.
        board: String,
        /// Pages that the good blocks hold, spares and reserves apart.
        found: u64,
        /// Logical pages of the namespace.
        needed: u64,
    },
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image(error) => error.fmt(f),
            Self::Code { board, reason } => write!(f, "{board}: ecc: {reason}"),
            Self::Page { board, reason } => write!(f, "{board}: flash: {reason}"),
            Self::Block { board, block_bytes, page_bytes } => write!(
                f,
                "{board}: namespace.block_bytes: found {block_bytes}, expected 16 or more that \
                 divide geometry.page_bytes of {page_bytes}"
            ),
            Self::Lbas { board, found } => write!(
                f,
                "{board}: namespace: found {found} logical blocks, expected at most {}",
                Stamp::LBA_END
            ),
            Self::UnknownBits { board } => write!(
                f,
                "{board}: ecc.scrambler: found off, expected on, or real bytes (--payload=full), as \
                 errors.model is cells and stamps do not tell which bits are stored"
            ),
            Self::FactoryBad { board, found, needed } => write!(
                f,
                "{board}: errors.factory_bad_blocks_per_million: found blocks for {found} pages \
                 with this seed, expected {needed} pages or more"
            ),
        }
    }
}

impl std::error::Error for Unsuitable {}

impl From<ImageError> for Unsuitable {
    fn from(error: ImageError) -> Self {
        Unsuitable::Image(error)
    }
}
