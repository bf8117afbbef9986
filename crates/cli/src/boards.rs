//! The commands `boards` and `board`.

use std::io::{self, Write};

use board::Board;

use crate::arguments::BoardArguments;
use crate::failure::Failure;
use crate::output::print;

/// Prints the built-in boards, the default first, each with its description.
pub fn list() -> Result<(), Failure> {
    let boards = board::names()
        .into_iter()
        .map(|name| resolve(name, &[]))
        .collect::<Result<Vec<Board>, Failure>>()?;
    print(|out| write_list(&boards, out))
}

/// Prints one board, resolved.
pub fn show(arguments: &BoardArguments) -> Result<(), Failure> {
    let board = resolve(&arguments.name, &arguments.overrides)?;
    print(|out| out.write_all(board.to_toml().as_bytes()))
}

/// The board of this name or path, with `overrides` laid over it.
pub fn resolve(name: &str, overrides: &[(String, String)]) -> Result<Board, Failure> {
    Board::resolve(name, overrides).map_err(|error| Failure::Input(error.to_string()))
}

fn write_list(boards: &[Board], out: &mut impl Write) -> io::Result<()> {
    let width = boards.iter().map(|board| board.name.len()).max().unwrap_or(0);
    for Board { name, description, .. } in boards {
        writeln!(out, "{name:width$}  {description}")?;
    }
    Ok(())
}
