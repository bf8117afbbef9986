//! What a drive does over time, as the monitor of Cosmos+ saw it: commands in it, how long they take there, and which channels
//! and ways are at work (Cosmos+ section 7.5).

use std::collections::BTreeMap;

use contract::{CommandTag, Geometry};
use machine::{CommandStep, FlashPhase, Observer};

/// Opcodes of writes: of logical blocks, and of blocks at addresses.
const WRITES: [u8; 2] = [nvme::io::opcode::WRITE, nvme::open_channel::opcode::WRITE];

/// From the fetch of a command until its completion is posted.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stay {
    from_ps: u64,
    to_ps: u64,
    is_write: bool,
}

/// When a way has its bus or its chip at work.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Work {
    way: u32,
    from_ps: u64,
    to_ps: u64,
}

/// Watches all of a run.
pub(crate) struct CourseWatcher {
    geometry: Geometry,
    origin_ps: u64,
    open: BTreeMap<u16, (u64, bool)>,
    stays: Vec<Stay>,
    work: Vec<Work>,
}

/// What was seen while the job ran that is measured. Times count from its start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Course {
    channels: u32,
    ways: u32,
    end_ps: u64,
    stays: Vec<Stay>,
    work: Vec<Work>,
    /// Of the writes that ended: how long they stayed, in rising order.
    writes_ps: Vec<u64>,
}

impl CourseWatcher {
    /// A watcher of a drive with this flash.
    pub fn new(geometry: Geometry) -> Self {
        let (stays, work) = (Vec::new(), Vec::new());
        CourseWatcher { geometry, origin_ps: 0, open: BTreeMap::new(), stays, work }
    }

    fn note(&mut self, phase: &FlashPhase) {
        let way = u32::from(phase.channel) * self.geometry.ways + u32::from(phase.way);
        let (from_ps, to_ps) = (phase.span.start, phase.span.end);
        self.work.push(Work { way, from_ps, to_ps });
    }

    /// What was seen from a time to another, from the start of the first job.
    pub fn between(self, from_ps: u64, to_ps: u64) -> Course {
        let (start, end) = (self.origin_ps + from_ps, self.origin_ps + to_ps);
        let inside = |from: u64, to: u64| {
            let (from_ps, to_ps) = (from.max(start), to.min(end));
            (from_ps < to_ps).then(|| (from_ps - start, to_ps - start))
        };
        let ended = self.stays.iter().filter(|stay| stay.is_write);
        let ended = ended.filter(|stay| stay.from_ps >= start && stay.to_ps <= end);
        let mut writes_ps: Vec<u64> = ended.map(|stay| stay.to_ps - stay.from_ps).collect();
        writes_ps.sort_unstable();
        let stays = self.stays.iter().filter_map(|stay| {
            let (from_ps, to_ps) = inside(stay.from_ps, stay.to_ps)?;
            Some(Stay { from_ps, to_ps, ..*stay })
        });
        let work = self.work.iter().filter_map(|work| {
            let (from_ps, to_ps) = inside(work.from_ps, work.to_ps)?;
            Some(Work { from_ps, to_ps, ..*work })
        });
        let (channels, ways) = (self.geometry.channels, self.geometry.ways);
        let (stays, work) = (stays.collect(), work.collect());
        Course { channels, ways, end_ps: end - start, stays, work, writes_ps }
    }
}

impl Observer for CourseWatcher {
    fn jobs_begin(&mut self, now: u64) {
        self.origin_ps = now;
    }

    fn bus(&mut self, phase: FlashPhase) {
        self.note(&phase);
    }

    fn chip(&mut self, phase: FlashPhase) {
        self.note(&phase);
    }

    fn chip_stops(&mut self, channel: u8, way: u8, at: u64) {
        let way = u32::from(channel) * self.geometry.ways + u32::from(way);
        let goes_on = |work: &&mut Work| work.way == way && work.to_ps > at;
        if let Some(work) = self.work.iter_mut().rev().find(goes_on) {
            work.to_ps = at;
        }
    }

    fn command(&mut self, now: u64, step: CommandStep<'_>) {
        match step {
            CommandStep::Fetched { tag, queue: 1.., .. } => {
                self.open.insert(tag.0, (now, false));
            }
            CommandStep::Taken(command) => {
                let CommandTag(tag) = command.tag;
                if let Some((_, is_write)) = self.open.get_mut(&tag) {
                    *is_write = WRITES.contains(&(command.entry[0] as u8));
                }
            }
            CommandStep::Posted(CommandTag(tag)) => {
                if let Some((from_ps, is_write)) = self.open.remove(&tag) {
                    self.stays.push(Stay { from_ps, to_ps: now, is_write });
                }
            }
            _ => {}
        }
    }
}

impl Course {
    /// How long so much percent of the writes stayed in the drive at most, in microseconds; none without writes.
    pub fn write_percentile_us(&self, percent: f64) -> Option<f64> {
        let last = self.writes_ps.len().checked_sub(1)?;
        let nth = (percent / 100.0 * last as f64).round() as usize;
        Some(self.writes_ps[nth.min(last)] as f64 / 1e6)
    }

    /// The mean of commands in the drive.
    pub fn commands(&self) -> Option<f64> {
        let all: u64 = self.stays.iter().map(|stay| stay.to_ps - stay.from_ps).sum();
        (self.end_ps > 0).then(|| all as f64 / self.end_ps as f64)
    }

    /// Share of time, in percent, with fewer commands in the drive than it has ways.
    pub fn starved_percent(&self) -> Option<f64> {
        let ways = u64::from(self.channels) * u64::from(self.ways);
        let mut steps: Vec<(u64, i64)> = Vec::with_capacity(2 * self.stays.len());
        for stay in &self.stays {
            steps.extend([(stay.from_ps, 1), (stay.to_ps, -1)]);
        }
        steps.sort_unstable();
        let (mut count, mut since, mut starved) = (0, 0, 0);
        for (at, change) in steps.into_iter().chain([(self.end_ps, 0)]) {
            if (count as u64) < ways {
                starved += at - since;
            }
            (since, count) = (at, count + change);
        }
        (self.end_ps > 0).then(|| 100.0 * starved as f64 / self.end_ps as f64)
    }

    /// Commands in the drive at a time.
    pub fn commands_at(&self, at_ps: u64) -> Option<f64> {
        let there = |stay: &&Stay| (stay.from_ps..stay.to_ps).contains(&at_ps);
        (at_ps < self.end_ps).then(|| self.stays.iter().filter(there).count() as f64)
    }

    /// Ways of each channel at work at a time; those of channels that have some are told first, then how many.
    fn busy_at(&self, at_ps: u64) -> Option<(u32, u32)> {
        let mut busy = vec![false; (self.channels * self.ways) as usize];
        let there = |work: &&Work| (work.from_ps..work.to_ps).contains(&at_ps);
        self.work.iter().filter(there).for_each(|work| busy[work.way as usize] = true);
        let channels = busy.chunks(self.ways as usize).filter(|ways| ways.contains(&true)).count();
        let ways = busy.iter().filter(|&&is_busy| is_busy).count();
        (at_ps < self.end_ps).then_some((channels as u32, ways as u32))
    }

    /// Channels with a way at work at a time.
    pub fn channels_at(&self, at_ps: u64) -> Option<f64> {
        Some(f64::from(self.busy_at(at_ps)?.0))
    }

    /// Ways at work at a time, the mean over channels.
    pub fn ways_at(&self, at_ps: u64) -> Option<f64> {
        Some(f64::from(self.busy_at(at_ps)?.1) / f64::from(self.channels))
    }

    /// The mean over time of the ways at work of each channel.
    pub fn ways(&self) -> Option<f64> {
        let all: u64 = self.work.iter().map(|work| work.to_ps - work.from_ps).sum();
        (self.end_ps > 0).then(|| all as f64 / self.end_ps as f64 / f64::from(self.channels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{FlashOperation, HostCommand};
    use machine::TimeSpan;

    const US: u64 = 1_000_000;

    fn course() -> Course {
        let geometry = Geometry {
            channels: 2,
            ways: 2,
            blocks_per_way: 8,
            pages_per_block: 8,
            page_bytes: 16384,
        };
        let mut watcher = CourseWatcher::new(geometry);
        watcher.jobs_begin(100 * US);
        let mut command = |tag: u16, opcode: u32, (from, to): (u64, u64)| {
            let tag = CommandTag(tag);
            watcher.command(from * US, CommandStep::Fetched { tag, queue: 1, head: 0 });
            let mut entry = [0; 16];
            entry[0] = opcode;
            watcher.command(from * US, CommandStep::Taken(&HostCommand { tag, queue: 1, entry }));
            watcher.command(to * US, CommandStep::Posted(tag));
        };
        // One before, writes of 10, 20 and 40 us, one that ends behind, and a read.
        command(1, 0x91, (100, 125));
        for (tag, to) in [(2, 130), (3, 140), (4, 160)] {
            command(tag, 0x91, (120, to));
        }
        command(5, 0x91, (170, 230));
        command(6, 0x92, (150, 190));
        let mut phase = |channel, way, (start, end): (u64, u64)| {
            let span = TimeSpan { start: start * US, end: end * US };
            let operation = FlashOperation::Program;
            watcher.chip(FlashPhase { operation, channel, way, row: 0, command: None, span });
        };
        phase(0, 0, (110, 130));
        phase(0, 1, (120, 140));
        phase(1, 1, (190, 400));
        watcher.between(20 * US, 120 * US)
    }

    #[test]
    fn only_what_lies_in_the_window_counts() {
        let course = course();
        let percentiles = [0.0, 50.0, 100.0].map(|own| course.write_percentile_us(own));
        assert_eq!(percentiles, [Some(10.0), Some(20.0), Some(40.0)]);
        // 5 of the first, 10 + 20 + 40, 50 of the one that ends behind, 40 of the read: 165 of 100 us.
        assert_eq!(course.commands(), Some(1.65));
        assert_eq!(
            [4, 15, 35, 95].map(|at| course.commands_at(at * US)),
            [4.0, 2.0, 2.0, 1.0].map(Some)
        );
        assert_eq!(course.commands_at(100 * US), None);
        // Four ways: the first 5 us have as many commands.
        assert_eq!(course.starved_percent(), Some(95.0));
        assert_eq!(
            [5, 15, 50, 75].map(|at| course.channels_at(at * US)),
            [1.0, 1.0, 0.0, 1.0].map(Some)
        );
        assert_eq!(
            [5, 15, 50, 75].map(|at| course.ways_at(at * US)),
            [1.0, 0.5, 0.0, 0.5].map(Some)
        );
        // 10 + 20 + 30 us of two channels in 100.
        assert_eq!(course.ways(), Some(0.3));
    }

    /// A program that is suspended keeps its way busy until then and from when it goes on.
    #[test]
    fn a_way_is_not_at_work_while_its_chip_suspends_a_program() {
        let geometry =
            Geometry { channels: 1, ways: 2, blocks_per_way: 1, pages_per_block: 1, page_bytes: 1 };
        let mut watcher = CourseWatcher::new(geometry);
        let program = |watcher: &mut CourseWatcher, way, (start, end)| {
            let (operation, span) = (FlashOperation::Program, TimeSpan { start, end });
            let phase = FlashPhase { operation, channel: 0, way, row: 0, command: None, span };
            watcher.chip(phase);
        };
        program(&mut watcher, 1, (0, 60));
        program(&mut watcher, 0, (0, 50));
        watcher.chip_stops(0, 1, 20);
        program(&mut watcher, 1, (40, 80));
        let course = watcher.between(0, 100);
        assert_eq!([10, 30, 70].map(|at| course.ways_at(at)), [2.0, 1.0, 1.0].map(Some));
    }

    #[test]
    fn nothing_is_told_of_nothing() {
        let geometry =
            Geometry { channels: 1, ways: 1, blocks_per_way: 1, pages_per_block: 1, page_bytes: 1 };
        let course = CourseWatcher::new(geometry).between(0, 0);
        assert_eq!(
            (course.write_percentile_us(50.0), course.commands(), course.ways()),
            (None, None, None)
        );
        assert_eq!((course.starved_percent(), course.ways_at(0)), (None, None));
    }
}
