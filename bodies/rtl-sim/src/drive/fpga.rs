//! The controller as it stands on an FPGA board (`rtl/fpga/ssd_fpga.sv`): what its program memory starts with, and its chips.

use super::shape::{Limits, Parts};
use board::Board;
use contract::{BadBlocks, CommandSet, Duration, Grain, Medium, Programming};
use driver::boot::{Boot, PLACE};
use nand::onfi::Chip;
use registers::map;
use soc_program::{image, FPGA_PROGRAM};

/// Source: `rtl/fpga/ssd_fpga.sv`.
const LIMITS: Limits = Limits { queues: 4, largest_queue: 64, tags: 64, media: &[Medium::Flash] };

/// Where tables begin in the data buffer memory (`firmware/soc/memory-fpga.ld`).
const TABLES: u64 = 16 << 20;

/// A drive on an FPGA board.
pub struct FpgaDrive {
    parts: Parts,
}

impl FpgaDrive {
    /// That of a board.
    ///
    /// # Errors
    /// A line, when there is no such hardware.
    pub fn new(board: &Board) -> Result<Self, String> {
        let parts = Parts::new(board, &LIMITS)?;
        suits_the_program(board)?;
        let end = parts.setup.layout.end;
        if end > TABLES {
            return Err(format!(
                "{}: ftl.buffer_kib: found {end} bytes for entries, expected {TABLES} at most",
                board.name
            ));
        }
        Ok(Self { parts })
    }

    /// What program memory starts with, for `$readmemh`: the firmware of `examples/tiny-firmware`, told of the board.
    ///
    /// # Errors
    /// A line, when there is no program.
    pub fn program(&self) -> Result<String, String> {
        let elf = FPGA_PROGRAM.map_err(|line| format!("program: {line}"))?;
        let Parts { config, setup, .. } = &self.parts;
        let boot = Boot { config: config.clone(), setup: *setup };
        image(elf, map::PROGRAM, (PLACE, &boot.emit()))
    }

    /// A cycle of its clock.
    pub fn period(&self) -> Duration {
        self.parts.period
    }

    /// New chips for each channel.
    pub fn chips(&self, seed: u64) -> Vec<Vec<Chip>> {
        self.parts.chips(seed)
    }
}

/// Whether a board is one that the firmware of `examples/tiny-firmware` can run.
fn suits_the_program(board: &Board) -> Result<(), String> {
    let config = &board.firmware;
    let rules = [
        (config.grain == Grain::Phases, "channel.scheduler", "firmware"),
        (config.programming == Programming::SINGLE, "flash.program", "page"),
        (board.channel.status_poll == Duration::ZERO, "channel.status_poll_us", "0"),
        (config.command_set == CommandSet::Block, "nvme.command_set", "block"),
        (config.bad_blocks == BadBlocks::Table, "ftl.bad_blocks", "table"),
        (config.reserve.is_none(), "power_loss.capacitor_millijoules", "0"),
    ];
    match rules.into_iter().find(|(is_kept, ..)| !is_kept) {
        None => Ok(()),
        Some((_, key, expected)) => Err(format!(
            "{}: {key}: found what the program of an FPGA cannot run, expected {expected}",
            board.name
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The number of KiB between two texts of a file of the repository.
    fn kib(path: &str, (before, after): (&str, &str)) -> u32 {
        let text = fs::read_to_string(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR")));
        let text = text.unwrap_or_else(|error| panic!("{path}: {error}"));
        let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{path}: no {before}"));
        let (number, _) = rest.split_once(after).unwrap_or_else(|| panic!("{path}: no {after}"));
        number.trim().parse().unwrap_or_else(|error| panic!("{path}: {number}: {error}"))
    }

    #[test]
    fn the_program_is_laid_out_for_the_memory_that_the_hardware_has() {
        let hardware = kib("rtl/fpga/ssd_fpga.sv", ("ProgramBytes  =", "<< 10"));
        let program = kib(
            "firmware/soc/memory-fpga.ld",
            ("program (rwx) : ORIGIN = 0x80000000, LENGTH =", "K"),
        );
        assert_eq!(hardware, program);
    }

    #[test]
    fn a_board_whose_channels_schedule_is_refused() {
        let by_channels = ("channel.scheduler".to_owned(), "controller".to_owned());
        let board = |settings: &[(String, String)]| {
            Board::resolve("firmament-ulx3s", settings).expect("a board")
        };
        assert!(FpgaDrive::new(&board(&[])).is_ok());
        let refused = FpgaDrive::new(&board(&[by_channels])).err();
        assert!(refused.is_some_and(|line| line.contains("channel.scheduler")));
    }
}
