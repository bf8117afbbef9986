//! Looks at the drive while jobs run, for the course of a run in every report.
//!
//! A look takes about as long as a request takes to be simulated, so there is one in [`REQUESTS`] at most: what nobody
//! asked for costs next to nothing. Where requests are few, or none, looks are [`PERIODS`] periods apart. It is virtual
//! time and what the host has counted that decide, so that runs of the same input have the same looks.

use machine::{ChannelUsage, Inspected, NEVER};
use report::{Look, OverTime, Room};

use crate::engine::Totals;
use crate::monitoring::Load;
use crate::request::Course;

/// Virtual time between two looks at first, about a millisecond.
const FIRST_PERIOD_PS: u64 = 1 << 30;
/// Requests between two looks at least at first, unless so many periods have passed.
const REQUESTS: u64 = 256;
const PERIODS: u32 = 16;

/// The looks so far, and when the next is due.
#[derive(Clone, Debug)]
pub struct Looks {
    over_time: OverTime,
    /// When the first job began, and what the drive had counted by then.
    origin_ps: u64,
    first: Look,
    period_ps: u64,
    due_ps: u64,
    /// Requests at the last look, and periods that were passed over since.
    requests: u64,
    passed: u32,
    /// Requests between two looks at least.
    apart: u64,
}

impl Looks {
    /// Nobody looks yet.
    pub fn new() -> Self {
        Looks {
            over_time: OverTime::new(),
            origin_ps: 0,
            first: Look::default(),
            period_ps: FIRST_PERIOD_PS,
            due_ps: NEVER,
            requests: 0,
            passed: 0,
            apart: REQUESTS,
        }
    }

    /// The first job begins on a drive whose host has done `load`. Nobody ever looks at a drive whose course is not asked for.
    pub fn start(&mut self, course: Course, drive: &impl Inspected, load: Load) {
        if course == Course::Left {
            return;
        }
        let look = look(drive, load);
        (self.origin_ps, self.requests) = (look.at_ps, look.requests);
        self.due_ps = look.at_ps.saturating_add(self.period_ps);
        self.first = look;
        self.over_time = OverTime::new();
        self.over_time.push(Look { at_ps: 0, ..self.first.since(&self.first) });
    }

    /// A guest comes to a drive, of whose load nothing was seen yet. Nothing is kept before [`Looks::begin`].
    pub fn wait(&mut self, drive: &impl Inspected, load: Load) {
        self.first = look(drive, load);
        self.postpone(self.first.at_ps);
    }

    /// Nothing is to be seen at `now_ps`.
    pub fn postpone(&mut self, now_ps: u64) {
        self.due_ps = now_ps.saturating_add(self.period_ps);
    }

    /// The guest's load began at this time of the drive, of which it was told late.
    pub fn begin(&mut self, origin_ps: u64) {
        self.origin_ps = origin_ps;
        self.requests = self.first.requests;
        self.over_time = OverTime::new();
        self.over_time.push(Look { at_ps: 0, ..self.first.since(&self.first) });
    }

    /// The drive's time at which somebody has to ask whether to look.
    #[inline]
    pub fn due_ps(&self) -> u64 {
        self.due_ps
    }

    /// It is due, at `now_ps` of the drive. Looks unless hardly anything has happened since.
    pub fn look(&mut self, now_ps: u64, drive: &impl Inspected, load: Load) {
        self.due_ps = now_ps.saturating_add(self.period_ps);
        self.passed += 1;
        if load.totals.requests - self.requests >= self.apart || self.passed >= PERIODS {
            self.keep(drive, load);
        }
    }

    /// The same at the end of the last job, and no more from then on.
    pub fn end(&mut self, drive: &impl Inspected, load: Load) {
        if self.due_ps != NEVER {
            self.keep(drive, load);
            self.due_ps = NEVER;
        }
    }

    /// The course of the run so far.
    pub fn over_time(&self) -> OverTime {
        self.over_time.clone()
    }

    fn keep(&mut self, drive: &impl Inspected, load: Load) {
        let look = look(drive, load);
        (self.requests, self.passed) = (look.requests, 0);
        let at_ps = look.at_ps - self.origin_ps;
        if self.over_time.push(Look { at_ps, ..look.since(&self.first) }) == Room::Halved {
            self.period_ps *= 2;
            self.apart *= 2;
        }
    }
}

impl Default for Looks {
    fn default() -> Self {
        Self::new()
    }
}

/// Counters since power-on, and levels now.
fn look(drive: &impl Inspected, load: Load) -> Look {
    let Load { totals: Totals { requests, bytes: [_, written_bytes, _], .. }, outstanding } = load;
    let (usage, firmware) = (drive.usage(), drive.inspect());
    let (counters, log, moved) = (firmware.counters(), firmware.log(), firmware.collected_for());
    let dies = |channel: &ChannelUsage| channel.ways_ps.iter().sum();
    Look {
        at_ps: usage.now_ps,
        requests,
        written_bytes,
        programs: counters.programs,
        moves: counters.moves,
        log_pages: log.journal_pages + log.snapshots,
        wear_pages: moved.wear_pages,
        refresh_pages: moved.refresh_pages,
        erases: counters.erases + log.erases,
        collections: firmware.collected().blocks,
        wear_levellings: moved.wear,
        refreshes: counters.refreshes,
        read_retries: counters.read_retries,
        pages_to_program: firmware.pages_to_program().into(),
        free_blocks: firmware.free_blocks(),
        dirty_entries: firmware.dirty_entries().into(),
        outstanding,
        outstanding_in_drive: usage.commands.into(),
        channels_ps: usage.channels.iter().map(|channel| channel.bus_ps).collect(),
        dies_ps: usage.channels.iter().map(dies).collect(),
    }
}
