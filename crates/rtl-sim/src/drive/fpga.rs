//! The controller as it stands on an FPGA board (`rtl/fpga/ssd_fpga.sv`): what its program memory starts with, and its chips.

use super::shape::{Limits, Parts};
use board::Board;
use contract::{Duration, Medium};
use driver::boot::{place, Boot};
use nand::onfi::Chip;
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
        let end = parts.setup.layout.end;
        if end > TABLES {
            return Err(format!(
                "{}: ftl.buffer_kib: found {end} bytes for entries, expected {TABLES} at most",
                board.name
            ));
        }
        Ok(Self { parts })
    }

    /// What program memory starts with, for `$readmemh`.
    ///
    /// # Errors
    /// A line, when there is no program.
    pub fn program(&self) -> Result<String, String> {
        let elf = FPGA_PROGRAM.map_err(|line| format!("program: {line}"))?;
        let Parts { config, setup, .. } = &self.parts;
        let boot = Boot { config: config.clone(), setup: *setup };
        image(elf, place::PROGRAM, (place::BOOT, &boot.emit()))
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
