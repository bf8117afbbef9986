//! A logical unit: its registers, and whether it is busy.

use contract::{Duration, Instant};

use super::silicon::Silicon;
use super::{Fault, Parameter, Row};

/// Bits of the status register (ONFI 4.0, "Status Field Definition").
pub(super) mod status {
    pub const FAIL: u8 = 1 << 0;
    pub const FAILC: u8 = 1 << 1;
    pub const ARRAY_READY: u8 = 1 << 5;
    pub const READY: u8 = 1 << 6;
    pub const NOT_PROTECTED: u8 = 1 << 7;
}

/// What waits for other planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    Read,
    Program,
    Erase,
}

/// What the array does behind the cache registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    Nothing,
    Read,
    Program,
}

/// What a reset would break off.
pub(crate) enum Work {
    Read,
    Program(Vec<u32>),
    Erase(Vec<u32>),
}

/// The registers of a plane.
pub(crate) struct Plane {
    /// What the bus reads and writes.
    pub cache: Vec<u8>,
    /// The row that was read into it, if any.
    pub cached: Option<u32>,
    /// What the array reads and writes.
    pub page: Vec<u8>,
    /// The row that was read into it last.
    pub paged: Option<u32>,
    /// The row came by a copyback read.
    pub copyback: bool,
    /// Of the last program or erase.
    pub fail: bool,
    /// Of the one before, in cache programs.
    pub failc: bool,
}

/// A logical unit.
pub(crate) struct Lun {
    pub planes: Vec<Plane>,
    /// The plane whose cache register the bus reads.
    pub selected: usize,
    /// Its read level.
    pub level: u8,
    /// The next byte that the bus reads or writes.
    pub column: usize,
    /// A program whose data are coming.
    pub load: Option<Row>,
    pub queue: Vec<Row>,
    pub queue_of: Queue,
    /// Planes that were read together last, and whose page registers have not been used since.
    pub group: Vec<usize>,
    /// Pages of a word line that wait for the last one.
    pub word_line: Vec<(Row, Vec<u8>)>,
    pub ahead: Ahead,
    pub work: Work,
    /// When it was told to be busy. R/B# and status tell so only when tWB is over.
    told: Option<Instant>,
    shown: Instant,
    ready: Instant,
    array_ready: Instant,
}

impl Lun {
    pub fn new(planes: usize, page_bytes: usize) -> Self {
        let plane = || Plane {
            cache: vec![0xff; page_bytes],
            cached: None,
            page: vec![0xff; page_bytes],
            paged: None,
            copyback: false,
            fail: false,
            failc: false,
        };
        Self {
            planes: (0..planes).map(|_| plane()).collect(),
            selected: 0,
            level: 0,
            column: 0,
            load: None,
            queue: vec![],
            queue_of: Queue::Read,
            group: vec![],
            word_line: vec![],
            ahead: Ahead::Nothing,
            work: Work::Read,
            told: None,
            shown: Instant::ZERO,
            ready: Instant::ZERO,
            array_ready: Instant::ZERO,
        }
    }

    /// Whether it takes commands.
    pub fn is_ready(&self, now: Instant) -> bool {
        now >= self.ready
    }

    /// Whether the array is idle too.
    pub fn is_array_ready(&self, now: Instant) -> bool {
        now >= self.array_ready
    }

    /// Whether it pulls R/B# low.
    pub fn pulls_busy(&self, now: Instant) -> bool {
        self.shown <= now && now < self.ready
    }

    /// When R/B# changes next.
    pub fn wake(&self, now: Instant) -> Instant {
        let changes = [self.shown, self.ready].into_iter().filter(|at| *at > now);
        changes.min().unwrap_or(Instant::NEVER)
    }

    /// When it became or becomes ready.
    pub fn ready_at(&self) -> Instant {
        self.ready
    }

    /// When it was told to be busy.
    pub fn told_at(&self) -> Option<Instant> {
        self.told
    }

    /// When the array can take something up.
    pub fn array_free(&self, now: Instant) -> Instant {
        self.array_ready.max(now)
    }

    /// The status register but for write protection; of one plane, or of all.
    pub fn status(&self, now: Instant, plane: Option<usize>) -> u8 {
        let planes = match plane {
            Some(plane) => &self.planes[plane..=plane],
            None => &self.planes[..],
        };
        let bit = |condition, bit| if condition { bit } else { 0 };
        let (ready, array_ready) = (self.is_ready(now), self.is_array_ready(now));
        bit(array_ready && planes.iter().any(|plane| plane.fail), status::FAIL)
            | bit(ready && planes.iter().any(|plane| plane.failc), status::FAILC)
            | bit(ready && array_ready, status::ARRAY_READY)
            | bit(ready, status::READY)
    }

    /// Busy for a time, bus and array alike, with nothing that a reset would tear.
    pub fn busy(&mut self, length: Duration, silicon: &Silicon) {
        self.work = Work::Read;
        let end = silicon.now + length;
        self.busy_until((end, end), silicon);
    }

    /// Busy until the first time for the bus, until the second for the array.
    pub fn busy_until(&mut self, (ready, array_ready): (Instant, Instant), silicon: &Silicon) {
        self.told = Some(silicon.now);
        self.shown = silicon.now + silicon.config.timing[Parameter::Wb];
        self.ready = ready;
        self.array_ready = array_ready.max(self.ready);
    }

    /// Busy for a time, while the array goes on with what it does.
    pub fn busy_beside(&mut self, length: Duration, silicon: &Silicon) {
        if self.is_array_ready(silicon.now) {
            self.work = Work::Read;
        }
        let (ready, array_ready) = (silicon.now + length, self.array_ready);
        self.busy_until((ready, array_ready), silicon);
    }

    /// Lets a row wait for other planes.
    pub fn wait_for_planes(&mut self, row: Row, of: Queue, silicon: &mut Silicon) {
        if let Some(row) = self.join(row, of, silicon) {
            self.queue.push(row);
            self.queue_of = of;
        }
    }

    /// All that waits, and a last row; nothing if that does not fit, and nothing waits any more.
    pub fn join_all(&mut self, row: Row, of: Queue, silicon: &mut Silicon) -> Option<Vec<Row>> {
        let joined = self.join(row, of, silicon);
        let mut rows = std::mem::take(&mut self.queue);
        rows.push(joined?);
        Some(rows)
    }

    /// Whether a row may go together with those that wait.
    fn join(&mut self, row: Row, of: Queue, silicon: &mut Silicon) -> Option<Row> {
        let clash = self.queue.iter().find(|waiting| {
            self.queue_of != of
                || waiting.plane == row.plane
                || (of != Queue::Erase && waiting.page != row.page)
        });
        let Some(first) = clash else { return Some(row) };
        let fault = Fault::Planes { first: first.number, second: row.number };
        silicon.fault(fault);
        None
    }

    /// Breaks off whatever goes on.
    pub fn reset(&mut self, silicon: &mut Silicon) {
        let times = &silicon.config.times;
        let (idle, in_program, in_erase) = (times.reset, times.reset_program, times.reset_erase);
        let mut length = idle;
        if !self.is_array_ready(silicon.now) {
            let torn = match std::mem::replace(&mut self.work, Work::Read) {
                Work::Read => vec![],
                Work::Program(rows) => {
                    length = in_program;
                    rows
                }
                Work::Erase(rows) => {
                    length = in_erase;
                    rows
                }
            };
            torn.into_iter().for_each(|row| silicon.tear(row));
        }
        for plane in &mut self.planes {
            (plane.cached, plane.copyback) = (None, false);
            (plane.fail, plane.failc) = (false, false);
        }
        self.queue.clear();
        self.group.clear();
        self.word_line.clear();
        self.load = None;
        self.ahead = Ahead::Nothing;
        self.busy(length, silicon);
    }
}
