//! Measures at the device: latencies of the guest's commands, from doorbell to posted completion.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use contract::{CommandTag, HostCommand, Split};
use host::monitoring::Load;
use host::Totals;
use machine::{CommandStep, CommandTimes, DmaTransfer, Observer, Watched};
use nvme::command::Entry;
use nvme::{admin, io};
use report::{Completion, Direction, JobResult, Latency, Series, Served, Workload};

/// Doorbells of one queue that are remembered at most; a guest that rings more often without a command
/// loses its place.
const MOST_RINGS: usize = 1 << 16;

/// What a command does, as far as reports tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// Data move, or blocks are deallocated or zeroed.
    Data(Direction),
    /// A flush.
    Flush,
    /// Another I/O command; it is not reported.
    Other,
    /// An admin command; it is not reported.
    Admin,
}

/// A command in the drive.
#[derive(Clone, Copy, Debug)]
struct Underway {
    rung_ps: u64,
    deed: Deed,
    bytes: u64,
}

/// A queue's doorbells that have commands yet to be fetched.
#[derive(Clone, Debug, Default)]
struct Rings {
    /// Tail, and when it was rung.
    rung: VecDeque<(u32, u64)>,
    /// Up to where commands were fetched.
    head: u32,
    /// Commands fetched of the first ring.
    fetched: u32,
}

/// The measurements.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Bytes of a logical block.
    pub block_bytes: u32,
    job: JobResult,
    series: Series,
    totals: Totals,
    late: Latency,
    queues: Vec<Rings>,
    commands: Vec<Underway>,
    times: CommandTimes,
    finished: Option<Finished>,
    /// When the first doorbell of an I/O queue rang.
    origin_ps: Option<u64>,
    in_drive: u32,
    deepest: u32,
    /// Completions since the last interrupt.
    announced: u32,
    /// Smallest and largest request by direction.
    sizes: [(u64, u64); 3],
}

/// A command of an I/O queue whose completion was posted.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// When its doorbell rang, in picoseconds.
    pub rung_ps: u64,
    /// When its completion was posted.
    pub posted_ps: u64,
    /// Where the time between both went.
    pub split: Split,
}

/// What a meter has measured.
#[derive(Debug)]
pub struct Measured {
    /// The guest's load as one job.
    pub job: JobResult,
    /// Throughput over time.
    pub series: Series,
    /// Sums.
    pub totals: Totals,
    /// How late interrupts came, in picoseconds of wall time.
    pub late: Latency,
}

impl Meter {
    /// A meter for a drive with so many I/O queues and command slots.
    pub fn new(io_queues: u32, command_slots: u32) -> Self {
        let idle = Underway { rung_ps: 0, deed: Deed::Admin, bytes: 0 };
        let workload = Workload {
            pattern: "randrw".to_string(),
            block_bytes: [(0, 0); 3],
            engine: "vfio-user".to_string(),
            depth: 0,
        };
        Meter {
            block_bytes: 0,
            job: JobResult::new("guest", workload),
            series: Series::new(),
            totals: Totals::default(),
            late: Latency::new(),
            queues: (0..=io_queues).map(|_| Rings::default()).collect(),
            commands: vec![idle; command_slots as usize],
            times: CommandTimes::default(),
            finished: None,
            origin_ps: None,
            in_drive: 0,
            deepest: 0,
            announced: 0,
            sizes: [(u64::MAX, 0); 3],
        }
    }

    /// The same, of commands that come this way, as reports tell it in place of fio's engine.
    pub fn of_engine(mut self, engine: &str) -> Self {
        self.job.workload.engine = engine.to_string();
        self
    }

    /// Forgets what was under way: the controller was reset.
    pub fn reset(&mut self) {
        self.queues.iter_mut().for_each(|rings| *rings = Rings::default());
        self.commands.iter_mut().for_each(|command| command.deed = Deed::Admin);
        (self.in_drive, self.announced) = (0, 0);
    }

    /// Takes down where the time went of the command whose completion is posted next. Doorbells are
    /// metered where they arrive.
    pub fn note_times(&mut self, times: &CommandTimes) {
        self.times = *times;
        self.times.latencies_ps[0] = 0;
    }

    /// An interrupt was raised, so much later than in virtual time if that is known.
    pub fn interrupted(&mut self, late_ps: Option<u64>) {
        if self.announced > 0 {
            self.job.completes.record(std::mem::take(&mut self.announced));
        }
        if let Some(late_ps) = late_ps {
            self.late.record(late_ps);
        }
    }

    /// The command whose completion was posted last, once; none where it was an admin command.
    pub fn take_finished(&mut self) -> Option<Finished> {
        self.finished.take()
    }

    /// When the first doorbell of an I/O queue was rung, in the drive's time in picoseconds.
    pub fn origin_ps(&self) -> Option<u64> {
        self.origin_ps
    }

    /// What the guest has done by now.
    pub fn load(&self) -> Load {
        Load { totals: self.totals, outstanding: u64::from(self.in_drive) }
    }

    /// What was measured until `now`.
    pub fn measured(&self, now: u64) -> Measured {
        let mut job = self.job.clone();
        let runtime_ps = self.origin_ps.map_or(0, |origin| now.saturating_sub(origin));
        (job.end_ps, job.runtime_ps) = (runtime_ps, runtime_ps);
        job.directions.iter_mut().flatten().for_each(|d| d.runtime_ps = runtime_ps);
        job.workload.depth = self.deepest;
        let used = |(least, most)| if least <= most { (least, most) } else { (0, 0) };
        job.workload.block_bytes = self.sizes.map(used);
        Measured { job, series: self.series.clone(), totals: self.totals, late: self.late.clone() }
    }

    fn rung(&mut self, now: u64, (queue, tail): (u16, u32)) {
        if queue > 0 && self.origin_ps.is_none() {
            self.origin_ps = Some(now);
            Direction::ALL.iter().for_each(|&direction| self.job.open(direction, 0));
        }
        let Some(rings) = self.queues.get_mut(usize::from(queue)) else { return };
        let last = rings.rung.back().map_or(rings.head, |&(tail, _)| tail);
        if tail != last {
            if rings.rung.len() == MOST_RINGS {
                rings.rung.clear();
            }
            rings.rung.push_back((tail, now));
        }
    }

    fn fetched(&mut self, now: u64, tag: CommandTag, (queue, head): (u16, u32)) {
        let Some(rings) = self.queues.get_mut(usize::from(queue)) else { return };
        rings.head = head;
        // A guest whose doorbells were forgotten, or who takes no interrupts, lets these counts grow for
        // as long as it likes. They are figures of a report, and stay at their end.
        rings.fetched = rings.fetched.saturating_add(1);
        let rung_ps = rings.rung.front().map_or(now, |&(_, at)| at);
        if rings.rung.front().is_some_and(|&(tail, _)| tail == head) {
            rings.rung.pop_front();
            let batch = std::mem::take(&mut rings.fetched);
            if queue > 0 {
                self.job.submits.record(batch);
            }
        }
        let deed = if queue > 0 { Deed::Other } else { Deed::Admin };
        self.commands[usize::from(tag.0)] = Underway { rung_ps, deed, bytes: 0 };
        if queue > 0 {
            self.in_drive = self.in_drive.saturating_add(1);
            self.deepest = self.deepest.max(self.in_drive);
            self.job.depths.record(self.in_drive);
        }
    }

    fn taken(&mut self, command: &HostCommand) {
        let entry = Entry(command.entry);
        if command.queue == 0 {
            let deleted = entry.opcode() == admin::opcode::DELETE_SUBMISSION_QUEUE;
            let rings = self.queues.get_mut((entry.dword(10) & 0xffff) as usize);
            if let (true, Some(rings)) = (deleted, rings) {
                *rings = Rings::default();
            }
            return;
        }
        let slot = &mut self.commands[usize::from(command.tag.0)];
        let blocks = u64::from(entry.dword(12) & 0xffff) + 1;
        (slot.deed, slot.bytes) = match entry.opcode() {
            io::opcode::READ => (Deed::Data(Direction::Read), 0),
            io::opcode::WRITE => (Deed::Data(Direction::Write), 0),
            io::opcode::WRITE_ZEROES => {
                (Deed::Data(Direction::Trim), blocks * u64::from(self.block_bytes))
            }
            // How much is deallocated stands in the guest's memory; only that it was is counted.
            io::opcode::DATASET_MANAGEMENT => (Deed::Data(Direction::Trim), 0),
            io::opcode::FLUSH => (Deed::Flush, 0),
            _ => (Deed::Other, 0),
        };
    }

    fn moved(&mut self, transfer: DmaTransfer) {
        // The shutdown's flush has a tag of its own and moves nothing.
        let Some(slot) = self.commands.get_mut(usize::from(transfer.command.0)) else { return };
        if let Deed::Data(Direction::Read | Direction::Write) = slot.deed {
            slot.bytes += u64::from(transfer.bytes);
        }
    }

    fn posted(&mut self, now: u64, tag: CommandTag) {
        let Underway { rung_ps, deed, bytes } = self.commands[usize::from(tag.0)];
        if deed == Deed::Admin {
            return;
        }
        let origin_ps = self.origin_ps.unwrap_or(0);
        let mut times = std::mem::take(&mut self.times);
        let flush_ps = now.saturating_sub(rung_ps);
        // A guest that rings more than is remembered loses its place, and may seem to have rung after the fetch.
        let rung_ps = rung_ps.min(times.fetched_ps);
        let total_ps = now - rung_ps;
        let split = *times.split(rung_ps, now);
        self.finished = Some(Finished { rung_ps, posted_ps: now, split });
        match deed {
            Deed::Admin | Deed::Other => {}
            Deed::Flush => self.job.sync.record(flush_ps),
            Deed::Data(direction) => {
                let at_ps = now.saturating_sub(origin_ps);
                let completion =
                    Completion { at_ps, bytes, submission_ps: 0, completion_ps: total_ps };
                self.job.record(direction, &completion, Some(&split));
                self.series.record(at_ps, Served { direction, bytes, latency_ps: total_ps });
                let nth = direction as usize;
                let (least, most) = self.sizes[nth];
                self.sizes[nth] = (least.min(bytes), most.max(bytes));
                self.totals.bytes[nth] += bytes;
                self.totals.ios[nth] += 1;
                self.totals.latency_ps[nth] += total_ps;
                self.totals.splits[nth].merge(&split);
            }
        }
        self.in_drive = self.in_drive.saturating_sub(1);
        self.totals.requests += 1;
        self.announced = self.announced.saturating_add(1);
    }
}

/// The meter as an observer of the body.
#[derive(Clone, Debug)]
pub struct Metered(pub Rc<RefCell<Meter>>);

impl Metered {
    /// The meter, as a drive is watched by it.
    pub fn watching(meter: &Rc<RefCell<Meter>>) -> Watched<'static> {
        Box::new(Metered(meter.clone()))
    }
}

impl Observer for Metered {
    fn dma(&mut self, transfer: DmaTransfer) {
        self.0.borrow_mut().moved(transfer);
    }

    fn command(&mut self, now: u64, step: CommandStep<'_>) {
        let mut meter = self.0.borrow_mut();
        match step {
            CommandStep::Rung { queue, tail } => meter.rung(now, (queue, tail)),
            CommandStep::Fetched { tag, queue, head } => meter.fetched(now, tag, (queue, head)),
            CommandStep::Taken(command) => meter.taken(command),
            CommandStep::Completed(_) => {}
            CommandStep::Posted(tag) => meter.posted(now, tag),
        }
    }
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;
