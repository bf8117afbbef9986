//! Why no drive could be drawn.

use std::fmt;

use board::BoardError;

/// Draws of a drive at most, until its values go together.
pub(crate) const TRIES: u32 = 40;

/// Why there is no drive.
#[derive(Debug)]
pub enum NoDrive {
    /// The board is not there, or cannot be used.
    Board(BoardError),
    /// What was drawn never went together.
    Draws {
        /// Name or path of the board that values were drawn for.
        board: String,
        /// What the last draw was refused for.
        last: BoardError,
    },
}

impl From<BoardError> for NoDrive {
    fn from(error: BoardError) -> Self {
        NoDrive::Board(error)
    }
}

impl fmt::Display for NoDrive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoDrive::Board(error) => error.fmt(f),
            NoDrive::Draws { board, last } => {
                write!(f, "torture: {board}: found no small drive of it in {TRIES} draws, the last refused for {last}")
            }
        }
    }
}
