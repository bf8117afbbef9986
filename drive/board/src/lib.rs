//! Board files: one TOML a drive, inherited, overridden and validated.
//!
//! Every number that someone measured lives in a board, with its source. A board file has sections
//! of leaves; a leaf is a plain scalar or `{ value = 99, source = "Cosmos+ Table 5", role =
//! "given" }`, where the role is `given`, `calibrated` or `assumed`. `inherits` lays a file leaf
//! by leaf over another. [`Board::resolve`] turns all of it, once, into a form that holds only
//! what is legal.

mod bandwidth;
mod board;
mod ceilings;
mod cells;
mod counts;
mod derive;
mod digest;
mod error;
mod flash;
mod fold;
mod keys;
mod kind;
mod leaf;
mod load;
mod nearest;
mod numbers;
mod reference;
mod sheet;
mod table;
mod word_lines;

pub use bandwidth::Bandwidth;
pub use board::{
    Arbitration, Automation, Board, BusTiming, Channel, Ecc, Errors, Execution, GuestCpu,
    HostInterface, Interface, Memory, MemoryMedium, Merging, Movers, Processor, Scheduling,
    Scrambler, CHANNEL_WINDOW,
};
pub use ceilings::{Capacity, Ceiling, Limit};
pub use cells::{Cells, ErrorModel};
pub use error::BoardError;
pub use flash::{CellMode, Flash};
pub use fold::{Fold, InPlane};
pub use load::names;
pub use numbers::{nearest_key, numbers, Numbers};
pub use reference::{key_references, KeyReference};
pub use word_lines::{OnWordLine, Pairing, WordLines, MOST_CELL_BITS};
