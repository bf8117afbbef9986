//! What a LUN does with its array: read, program, erase, and their caches.

use contract::{Duration, Instant};

use super::command::{Address, Confirm};
use super::lun::{Ahead, Lun, Queue, Work};
use super::silicon::Silicon;
use super::{Fault, Row};

/// A read that is confirmed.
pub(crate) struct ReadRequest {
    pub row: Row,
    pub column: usize,
    pub confirm: Confirm,
}

impl Lun {
    /// 30h, 32h, 31h with an address, 35h.
    pub fn read(
        &mut self,
        ReadRequest { row, column, confirm }: ReadRequest,
        silicon: &mut Silicon,
    ) {
        self.load = None;
        if confirm == Confirm::Plane {
            self.wait_for_planes(row, Queue::Read, silicon);
            let length = silicon.config.times.read_plane;
            return self.busy_beside(length, silicon);
        }
        let Some(rows) = self.join_all(row, Queue::Read, silicon) else { return };
        if confirm == Confirm::Cache {
            return self.read_ahead(rows, silicon);
        }
        self.clear_failures();
        self.group.clear();
        for row in &rows {
            let plane = &mut self.planes[row.plane];
            silicon.read((row.number, self.level), &mut plane.cache);
            plane.page.clone_from(&plane.cache);
            (plane.cached, plane.paged) = (Some(row.number), Some(row.number));
            plane.copyback = confirm == Confirm::Copyback;
            self.group.push(row.plane);
        }
        self.selected = row.plane;
        self.column = column;
        self.ahead = Ahead::Nothing;
        let length = silicon.read_time(&rows);
        self.busy(length, silicon);
    }

    /// 31h without an address: the next page of the block.
    pub fn read_next(&mut self, silicon: &mut Silicon) {
        let rows: Vec<_> = self.group.iter().filter_map(|&at| self.planes[at].paged).collect();
        let next = |row: &u32| silicon.config.rows.split(row + 1).filter(|next| next.page > 0);
        let next: Vec<_> = rows.iter().filter_map(next).collect();
        if next.len() < rows.len() {
            return silicon.fault(Fault::OutOfPlace { command: 0x31 });
        }
        self.read_ahead(next, silicon);
    }

    /// 3Fh: the last page moves to the cache registers.
    pub fn read_last(&mut self, silicon: &mut Silicon) {
        if let Some(moved) = self.uncover(0x3f, silicon) {
            self.ahead = Ahead::Nothing;
            self.busy_until((moved, moved), silicon);
        }
    }

    fn read_ahead(&mut self, rows: Vec<Row>, silicon: &mut Silicon) {
        let Some(moved) = self.uncover(0x31, silicon) else { return };
        for row in &rows {
            let plane = &mut self.planes[row.plane];
            silicon.read((row.number, self.level), &mut plane.page);
            plane.paged = Some(row.number);
        }
        self.group = rows.iter().map(|row| row.plane).collect();
        self.ahead = Ahead::Read;
        self.work = Work::Read;
        let length = silicon.read_time(&rows);
        self.busy_until((moved, moved + length), silicon);
    }

    /// Moves what was read to the cache registers, as soon as the array has it. When that is done.
    fn uncover(&mut self, command: u8, silicon: &mut Silicon) -> Option<Instant> {
        let group = std::mem::take(&mut self.group);
        let Some(&last) = group.last() else {
            silicon.fault(Fault::OutOfPlace { command });
            return None;
        };
        for at in group {
            let plane = &mut self.planes[at];
            plane.cache.clone_from(&plane.page);
            plane.cached = plane.paged;
            plane.copyback = false;
        }
        self.selected = last;
        self.column = 0;
        Some(self.array_free(silicon.now) + silicon.config.times.read_cache)
    }

    /// 80h and 85h with an address: where data go.
    pub fn load(&mut self, row: Row, at: Address) {
        self.load = Some(row);
        self.selected = row.plane;
        self.column = at.column;
    }

    /// 10h, 11h, 15h, 1Ah.
    pub fn program(&mut self, row: Row, confirm: Confirm, silicon: &mut Silicon) {
        self.planes[row.plane].cached = None;
        self.planes[row.plane].copyback = false;
        match confirm {
            Confirm::Plane => {
                self.wait_for_planes(row, Queue::Program, silicon);
                let length = silicon.config.times.program_plane;
                self.busy_beside(length, silicon);
            }
            Confirm::Part => self.program_part(row, silicon),
            _ if !self.word_line.is_empty() => self.program_word_line(row, silicon),
            _ => self.program_planes(row, confirm, silicon),
        }
    }

    fn program_planes(&mut self, row: Row, confirm: Confirm, silicon: &mut Silicon) {
        let Some(rows) = self.join_all(row, Queue::Program, silicon) else { return };
        let start = self.array_free(silicon.now);
        if self.ahead == Ahead::Program {
            self.shift_failures();
        } else {
            self.clear_failures();
        }
        for row in &rows {
            let failed = self.program_row(*row, silicon);
            self.planes[row.plane].fail = failed;
        }
        self.work = Work::Program(rows.iter().map(|row| row.number).collect());
        let mut length = silicon.program_time(&rows);
        if confirm == Confirm::Cache {
            let permille = u64::from(silicon.config.times.cached_program_permille);
            length = Duration::from_ps(length.as_ps().saturating_mul(permille) / 1000);
            let moved = start + silicon.config.times.program_cache;
            self.ahead = Ahead::Program;
            self.busy_until((moved, moved + length), silicon);
        } else {
            self.ahead = Ahead::Nothing;
            self.busy_until((start + length, start + length), silicon);
        }
    }

    fn program_row(&mut self, row: Row, silicon: &mut Silicon) -> bool {
        if silicon.write_protected {
            silicon.fault(Fault::WriteProtected);
            return true;
        }
        if silicon.deaf {
            return false;
        }
        let data = std::mem::take(&mut self.planes[row.plane].cache);
        let failed = silicon.program(row, &data);
        self.planes[row.plane].cache = data;
        failed
    }

    fn program_part(&mut self, row: Row, silicon: &mut Silicon) {
        let pages = silicon.config.word_line_pages;
        if pages < 2 {
            return silicon.fault(Fault::UnknownCommand { command: 0x1a });
        }
        if !self.continues_word_line(row, pages) || self.word_line.len() as u32 + 1 == pages {
            silicon.fault(Fault::WordLine { row: row.number });
            return self.word_line.clear();
        }
        if self.word_line.is_empty() && self.is_array_ready(silicon.now) {
            // What failed before is not of this program.
            self.clear_failures();
        }
        self.word_line.push((row, self.planes[row.plane].cache.clone()));
        let length = silicon.config.times.program_plane;
        self.busy_beside(length, silicon);
    }

    fn program_word_line(&mut self, row: Row, silicon: &mut Silicon) {
        let pages = silicon.config.word_line_pages;
        let complete = self.word_line.len() as u32 + 1 == pages;
        if !complete || !self.continues_word_line(row, pages) {
            silicon.fault(Fault::WordLine { row: row.number });
            return self.word_line.clear();
        }
        let mut parts = std::mem::take(&mut self.word_line);
        parts.push((row, self.planes[row.plane].cache.clone()));
        let start = self.array_free(silicon.now);
        self.clear_failures();
        let mut failed = silicon.write_protected;
        if failed {
            silicon.fault(Fault::WriteProtected);
        } else if !silicon.deaf {
            for (row, data) in &parts {
                failed |= silicon.program(*row, data);
            }
        }
        self.planes[row.plane].fail = failed;
        self.work = Work::Program(parts.iter().map(|(row, _)| row.number).collect());
        self.ahead = Ahead::Nothing;
        let end = start + silicon.word_line_time();
        self.busy_until((end, end), silicon);
    }

    fn continues_word_line(&self, row: Row, pages: u32) -> bool {
        let next = match self.word_line.last() {
            Some((last, _)) => row.number == last.number + 1,
            None => row.page % pages == 0,
        };
        next && self.queue.is_empty()
    }

    /// D0h, D1h, and the JEDEC form of the latter.
    pub fn erase(&mut self, row: Row, confirm: Confirm, silicon: &mut Silicon) {
        self.load = None;
        if confirm != Confirm::Now {
            self.wait_for_planes(row, Queue::Erase, silicon);
            if confirm == Confirm::Plane {
                let length = silicon.config.times.erase_plane;
                self.busy(length, silicon);
            }
            return;
        }
        let Some(rows) = self.join_all(row, Queue::Erase, silicon) else { return };
        self.clear_failures();
        let mut held = vec![];
        for row in rows {
            let plane = &mut self.planes[row.plane];
            if silicon.write_protected {
                silicon.fault(Fault::WriteProtected);
                plane.fail = true;
            } else if silicon.deaf {
                plane.fail = false;
            } else {
                held.extend(silicon.cells.programmed(row.number));
                plane.fail = silicon.erase(row);
            }
            plane.cached = None;
        }
        self.group.clear();
        self.ahead = Ahead::Nothing;
        let length = silicon.erase_time();
        self.busy(length, silicon);
        self.work = Work::Erase(held);
    }

    fn clear_failures(&mut self) {
        self.planes.iter_mut().for_each(|plane| (plane.fail, plane.failc) = (false, false));
    }

    /// Failures of the cache program before move to FAILC.
    fn shift_failures(&mut self) {
        for plane in &mut self.planes {
            plane.failc = std::mem::take(&mut plane.fail);
        }
    }
}
