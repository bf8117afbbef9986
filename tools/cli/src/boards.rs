//! The commands `boards` and `board`.

use std::io::{self, Write};

use board::{Board, Ceiling, Limit};
use contract::Medium;
use recipe::{resolve, unused_values, Failure};

use crate::arguments::BoardArguments;
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
    let name =
        arguments.name.as_deref().expect("a board is named where nothing else is to be done");
    let board = resolve(name, &arguments.overrides)?;
    print(|out| {
        write_summary(&board, out)?;
        out.write_all(board.to_toml().as_bytes())
    })
}

/// Tells of the values that a simulated drive makes no use of.
pub fn warn_of_unused(board: &Board) {
    if let Some(line) = unused_values(board) {
        crate::tell(&format!("firmament: warning: {line}"));
    }
}

/// What follows from the board's values, as comments of TOML: what is printed stays a board file.
fn write_summary(board: &Board, out: &mut impl Write) -> io::Result<()> {
    let capacity = board.capacity();
    let geometry = board.firmware.geometry;
    writeln!(out, "# What follows from the values below. MB are 10^6 bytes, GB 10^9.")?;
    if board.firmware.medium == Medium::Memory {
        let (bytes, channels) = (capacity.flash_bytes as f64 / 1e9, geometry.channels);
        writeln!(out, "# memory: {bytes:.1} GB in {channels} channels, all of it for the host")?;
        return write_ceilings(board, out);
    }
    writeln!(
        out,
        "# flash: {:.1} GB = {} channels x {} ways x {} blocks x {} pages x {} B",
        capacity.flash_bytes as f64 / 1e9,
        geometry.channels,
        geometry.ways,
        geometry.blocks_per_way,
        geometry.pages_per_block,
        geometry.page_bytes
    )?;
    let fold = board.flash.fold;
    if fold.planes() > 1 {
        writeln!(
            out,
            "# planes: {} act together, so a block is one of each plane, and a page {} flash pages of each",
            fold.planes(),
            fold.pages()
        )?;
    }
    writeln!(
        out,
        "# capacity: {:.1} GB for the host, {} blocks of {} B; over-provisioning {:.1} %, spare blocks included",
        capacity.host_bytes as f64 / 1e9,
        capacity.host_bytes / u64::from(board.block_bytes()),
        board.block_bytes(),
        capacity.overprovisioning_percent()
    )?;
    write_ceilings(board, out)
}

fn write_ceilings(board: &Board, out: &mut impl Write) -> io::Result<()> {
    for ceiling in board.ceilings() {
        let lowest = ceiling.lowest();
        let Ceiling { what, unit, limits } = &ceiling;
        writeln!(out, "# ceiling of {what}: {:.1} {unit}, by the {}", lowest.amount, lowest.part)?;
        for Limit { part, amount, arithmetic } in limits {
            writeln!(out, "#   {part:<22} {amount:>10.1}  = {arithmetic}")?;
        }
    }
    writeln!(out)
}

fn write_list(boards: &[Board], out: &mut impl Write) -> io::Result<()> {
    let width = boards.iter().map(|board| board.name.len()).max().unwrap_or(0);
    for Board { name, description, .. } in boards {
        writeln!(out, "{name:width$}  {description}")?;
    }
    Ok(())
}
