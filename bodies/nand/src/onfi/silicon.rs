//! What the LUNs of a chip share: cells, chance, and the list of violations.

use std::collections::{BTreeMap, BTreeSet};

use contract::{Duration, Instant};

use super::cells::Cells;
use super::violation::Checker;
use super::{Config, Errors, Fault, Row};
use crate::poisson::{Poisson, MEAN_BITS};
use crate::random::{threshold, Purpose, Random};

/// Cells, times, and what goes wrong.
pub(crate) struct Silicon {
    pub config: Config,
    pub cells: Cells,
    pub check: Checker,
    /// The time of the levels that are looked at.
    pub now: Instant,
    pub write_protected: bool,
    /// Programs and erases do nothing, and count as done.
    pub deaf: bool,
    times: Random,
    /// By how much all of its times are other, in picoseconds.
    offset_ps: i64,
    faults: Random,
    wrong_bits: Poisson,
    /// Rows whose bits are read wrong, until told otherwise.
    flipped: BTreeMap<u32, Vec<usize>>,
    failing_programs: BTreeSet<u32>,
    /// By the first row of the block.
    failing_erases: BTreeSet<u32>,
}

impl Silicon {
    pub fn new(config: Config) -> Self {
        let Errors { wrong_bits_per_1000_pages, factory_bad_per_million, .. } = config.errors;
        let mean = (u128::from(wrong_bits_per_1000_pages) << MEAN_BITS) / 1_000;
        let mut cells = Cells::new(config.rows, config.page_bytes());
        let bad = threshold(u64::from(factory_bad_per_million), 1_000_000);
        for lun in 0..config.rows.luns {
            for block in 0..config.rows.blocks {
                let row = config.rows.row(lun, block, 0);
                let fate = Random::stream(config.seed, Purpose::FactoryBad, u64::from(row)).next();
                if fate < bad {
                    cells.spoil(row);
                }
            }
        }
        Self {
            cells,
            check: Checker::new(config.timing.clone()),
            now: Instant::ZERO,
            write_protected: false,
            deaf: false,
            times: Random::stream(config.seed, Purpose::Timing, config.die.into()),
            offset_ps: Random::stream(config.seed, Purpose::DieOffset, config.die.into())
                .bell(config.deviations.die),
            faults: Random::stream(config.seed, Purpose::Faults, config.die.into()),
            wrong_bits: Poisson::new(mean as u64),
            flipped: BTreeMap::new(),
            failing_programs: BTreeSet::new(),
            failing_erases: BTreeSet::new(),
            config,
        }
    }

    /// Reads these bits of a page wrong from now on; none to make it right again.
    pub fn flip(&mut self, row: u32, bits: Vec<usize>) {
        self.flipped.insert(row, bits);
    }

    pub fn fail_program(&mut self, row: u32) {
        self.failing_programs.insert(row);
    }

    pub fn fail_erase(&mut self, row: u32) {
        self.failing_erases.insert(self.config.rows.first_of_block(row));
    }

    /// Something that may not be, now.
    pub fn fault(&mut self, fault: Fault) {
        self.check.fault(self.now, fault);
    }

    /// tR of rows that are read together: the longest.
    pub fn read_time(&mut self, rows: &[Row]) -> Duration {
        let nominal = longest(&self.config.times.read, rows);
        self.deviate(nominal, self.config.deviations.read)
    }

    /// tPROG of rows that are programmed together.
    pub fn program_time(&mut self, rows: &[Row]) -> Duration {
        let nominal = longest(&self.config.times.program, rows);
        self.deviate(nominal, self.config.deviations.program)
    }

    pub fn word_line_time(&mut self) -> Duration {
        self.deviate(self.config.times.program_word_line, self.config.deviations.program)
    }

    pub fn erase_time(&mut self) -> Duration {
        self.deviate(self.config.times.erase, self.config.deviations.erase)
    }

    fn deviate(&mut self, nominal: Duration, largest: Duration) -> Duration {
        let deviation = self.offset_ps + self.times.bell(largest);
        Duration::from_ps(nominal.as_ps().saturating_add_signed(deviation))
    }

    /// Reads a page at a read level as it comes out, wrong bits and all.
    pub fn read(&mut self, (row, level): (u32, u8), into: &mut [u8]) {
        self.cells.read(row, into);
        let bits = into.len() * 8;
        if let Some(flipped) = self.flipped.get(&row) {
            flipped.iter().for_each(|&bit| into[bit / 8] ^= 1 << (bit % 8));
        }
        let programmed = self.cells.page(row).is_some();
        let drawn = if programmed { self.wrong_bits.draw(&mut self.faults) as usize } else { 0 };
        let share = usize::from(self.config.errors.retry_percent);
        let wrong = (0..level).fold(drawn, |wrong, _| wrong * share / 100);
        let mut chosen = BTreeSet::new();
        while chosen.len() < wrong.min(bits) {
            chosen.insert(self.faults.below(bits as u32) as usize);
        }
        chosen.iter().for_each(|bit| into[bit / 8] ^= 1 << (bit % 8));
    }

    /// Programs a page. Whether it failed.
    pub fn program(&mut self, row: Row, data: &[u8]) -> bool {
        let below =
            threshold(u64::from(self.config.errors.program_failures_per_billion), 1_000_000_000);
        let failed = self.faults.next() < below
            || self.failing_programs.contains(&row.number)
            || self.cells.is_bad(row.number);
        if let Some(fault) = self.cells.program(row, data) {
            self.fault(fault);
        }
        if failed {
            self.tear(row.number);
        }
        failed
    }

    /// Erases a block. Whether it failed; it is then as it was.
    pub fn erase(&mut self, row: Row) -> bool {
        let below =
            threshold(u64::from(self.config.errors.erase_failures_per_billion), 1_000_000_000);
        let first = self.config.rows.first_of_block(row.number);
        let failed = self.faults.next() < below
            || self.failing_erases.contains(&first)
            || self.cells.is_bad(first);
        if !failed {
            self.cells.erase(row.number);
        }
        failed
    }

    /// What was done to a page was broken off.
    pub fn tear(&mut self, row: u32) {
        self.cells.scramble(row, &mut self.faults);
    }
}

fn longest(times: &[Duration], rows: &[Row]) -> Duration {
    let of = |row: &Row| times[row.page as usize % times.len()];
    rows.iter().map(of).max().unwrap_or(Duration::ZERO)
}
