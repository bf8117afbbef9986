//! The controller as it stands on an FPGA board (`rtl/fpga/ssd_fpga.sv`): what its program memory starts with, and its chips.

use super::shape::{Limits, Parts};
use board::Board;
use contract::{Duration, Geometry};
use driver::boot::{place, Boot};
use nand::onfi::Chip;
use soc_program::{image, FPGA_PROGRAM};

/// Source: `rtl/fpga/ssd_fpga.sv`.
const LIMITS: Limits = Limits { queues: 4, largest_queue: 64, tags: 64 };

/// Where tables begin in the data buffer memory (`firmware/soc/memory-fpga.ld`).
const TABLES: u64 = 16 << 20;

/// A drive on an FPGA board.
pub struct FpgaDrive {
    boot: Boot,
    period: Duration,
    chip: nand::onfi::Config,
}

impl FpgaDrive {
    /// That of a board.
    ///
    /// # Errors
    /// A line, when there is no such hardware.
    pub fn new(board: &Board) -> Result<Self, String> {
        let Parts { config, period, chip, setup } = Parts::new(board, &LIMITS)?;
        if setup.layout.end > TABLES {
            return Err(format!(
                "{}: ftl.buffer_kib: found {} bytes for entries, expected {TABLES} at most",
                board.name, setup.layout.end
            ));
        }
        Ok(Self { boot: Boot { config, setup }, period, chip })
    }

    /// What program memory starts with, for `$readmemh`.
    ///
    /// # Errors
    /// A line, when there is no program.
    pub fn program(&self) -> Result<String, String> {
        let elf = FPGA_PROGRAM.map_err(|line| format!("program: {line}"))?;
        image(elf, place::PROGRAM, (place::BOOT, &self.boot.emit()))
    }

    /// A cycle of its clock.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// New chips for each channel.
    pub fn chips(&self, seed: u64) -> Vec<Vec<Chip>> {
        let Geometry { channels, ways, .. } = self.boot.config.geometry;
        let of_way = |number: u32| {
            let seed = seed ^ u64::from(number) << 32;
            Chip::new(nand::onfi::Config { seed, ..self.chip.clone() })
        };
        (0..channels)
            .map(|channel| (0..ways).map(|way| of_way(channel * ways + way)).collect())
            .collect()
    }
}
