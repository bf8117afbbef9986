//! What one program of the chips is about, and which keys have the times of it.

use contract::{Medium, Programming};

use super::Derivation;
use crate::flash::CellMode;

impl Derivation<'_> {
    /// Planes that are programmed and erased together, so that a firmware that schedules sees one.
    pub(super) fn folded_planes(&self) -> u32 {
        match self.medium() {
            Medium::Flash if self.schedules() && self.scheduling().merging.planes => {
                self.u32("flash.planes")
            }
            Medium::Flash | Medium::Memory => 1,
        }
    }
}

/// How the chips program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// A page at a time.
    Page,
    /// A word line in one go.
    OneShot,
    /// A word line in one go, and then again, more precisely.
    TwoPass,
}

impl Steps {
    /// Of word lines of one page there is but one way.
    pub const fn of(self, mode: CellMode) -> Programming {
        match (self, mode) {
            (Steps::Page, _) | (_, CellMode::Slc) => Programming::SINGLE,
            (Steps::OneShot, _) => Programming { flash_pages: mode.bits(), passes: 1 },
            (Steps::TwoPass, _) => Programming { flash_pages: mode.bits(), passes: 2 },
        }
    }
}

/// Keys of the latencies of reads, by page type, the lower page first, and of programs, likewise, or by pass.
pub(super) const fn latency_keys(mode: CellMode, steps: Steps) -> [&'static [&'static str]; 2] {
    let [read, program] = keys_by_type(mode);
    match (steps, mode) {
        (Steps::Page, _) | (_, CellMode::Slc) => [read, program],
        (Steps::OneShot, _) => [read, &["flash.t_program_one_shot_us"]],
        (Steps::TwoPass, _) => [read, &["flash.t_program_coarse_us", "flash.t_program_fine_us"]],
    }
}

const fn keys_by_type(mode: CellMode) -> [&'static [&'static str]; 2] {
    match mode {
        CellMode::Slc => [&["flash.t_read_slc_us"], &["flash.t_program_slc_us"]],
        CellMode::Mlc => [
            &["flash.t_read_lsb_us", "flash.t_read_msb_us"],
            &["flash.t_program_lsb_us", "flash.t_program_msb_us"],
        ],
        CellMode::Tlc => [
            &["flash.t_read_lsb_us", "flash.t_read_csb_us", "flash.t_read_msb_us"],
            &["flash.t_program_lsb_us", "flash.t_program_csb_us", "flash.t_program_msb_us"],
        ],
        CellMode::Qlc => [
            &[
                "flash.t_read_lsb_us",
                "flash.t_read_csb_us",
                "flash.t_read_msb_us",
                "flash.t_read_tsb_us",
            ],
            &[
                "flash.t_program_lsb_us",
                "flash.t_program_csb_us",
                "flash.t_program_msb_us",
                "flash.t_program_tsb_us",
            ],
        ],
    }
}
