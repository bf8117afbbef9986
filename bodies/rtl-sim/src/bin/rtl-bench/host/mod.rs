//! The NVMe host interface in automated mode behind a link, with the load of OpenExpress.

mod bounds;
mod rig;

use crate::jobs::{Measurement, Outcomes};
use crate::set_up::Effort;
use crate::table::{Cell, Figure, Table};
use rig::{Count, Kind, Load, Pattern, Rig, Setting};
use rtl_sim::axi::Link;
use rtl_sim::tops;

/// OpenExpress's load: threads, and commands of each (section 4).
const THREADS: u16 = 10;
const DEPTH: u32 = 8;
const SIZES: [u64; 4] = [4096, 8192, 16384, 32768];
const KINDS: [Kind; 2] = [Kind::Read, Kind::Write];
const LANES: [u64; 2] = [8, 16];

/// Clocks in MHz: what the controller is meant for, and what OpenExpress compares with.
const CLOCK: u64 = 250;
const SLOW_CLOCK: u64 = 150;

/// Cycles that the memories take to answer.
const MEMORY_LATENCY: u64 = 2;

/// Bytes of a full measurement, and fewest commands of any.
const MEASURED_BYTES: u64 = 4 << 20;
const FEWEST_COMMANDS: u64 = 256;

/// Commands alone of a measurement.
const SINGLES: u64 = 16;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Full queues.
    Busy,
    /// One command at a time.
    Alone,
}

/// A measurement.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    load: Load,
    lanes: u64,
    clock: u64,
    /// Behind a link, or right beside the host.
    is_linked: bool,
    way: Way,
    effort: Effort,
}

impl Job {
    fn new(load: Load, effort: Effort) -> Self {
        Self { load, lanes: 8, clock: CLOCK, is_linked: true, way: Way::Busy, effort }
    }

    fn link(&self) -> Link {
        Link::gen3(self.lanes, self.clock)
    }

    /// Bytes of a beat.
    fn bus_bytes(&self) -> u64 {
        4 * self.lanes
    }

    fn setting(&self) -> Setting {
        let top = if self.lanes == 8 { &tops::NVME_HOST_X8 } else { &tops::NVME_HOST_X16 };
        let link = self.is_linked.then(|| self.link());
        Setting { top, bits: 8 * self.bus_bytes() as u32, link }
    }
}

impl Measurement for Job {
    type Outcome = Count;

    fn name(&self) -> String {
        let Self { load, lanes, clock, is_linked, way, .. } = self;
        let Load { kind, bytes, pattern, queues, .. } = load;
        format!(
            "host x{lanes} {clock} MHz {kind:?} {bytes} {pattern:?} {queues} {is_linked} {way:?}"
        )
    }

    fn measure(self) -> Result<Count, String> {
        let mut rig = Rig::new(self.setting(), self.load)?;
        match self.way {
            Way::Busy => {
                let full = (MEASURED_BYTES / self.load.bytes).max(FEWEST_COMMANDS);
                let commands = self.effort.answers(full);
                rig.fill();
                rig.advance(u64::from(self.load.queues) * u64::from(self.load.depth))?;
                rig.advance(commands)
            }
            Way::Alone => {
                let commands = self.effort.answers(SINGLES);
                let cycles = (0..commands).map(|_| rig.single()).sum::<Result<u64, String>>()?;
                Ok(Count { cycles, commands })
            }
        }
    }
}

fn load(kind: Kind, bytes: u64, pattern: Pattern) -> Load {
    Load { kind, bytes, pattern, queues: THREADS, depth: DEPTH }
}

/// The load behind each link, and the narrow one at the slow clock too.
fn linked(effort: Effort) -> Vec<Job> {
    let mut jobs = Vec::new();
    for kind in KINDS {
        for bytes in SIZES {
            for pattern in [Pattern::Sequential, Pattern::Random] {
                let job = Job::new(load(kind, bytes, pattern), effort);
                jobs.extend(LANES.map(|lanes| Job { lanes, ..job }));
            }
            let job = Job::new(load(kind, bytes, Pattern::Random), effort);
            jobs.push(Job { clock: SLOW_CLOCK, ..job });
        }
    }
    jobs
}

/// Small commands, with nothing between host and controller.
fn instant(effort: Effort) -> [Job; 3] {
    [(Kind::Flush, 512), (Kind::Read, 512), (Kind::Write, 512)].map(|(kind, bytes)| Job {
        is_linked: false,
        ..Job::new(load(kind, bytes, Pattern::Random), effort)
    })
}

/// Single commands.
fn alone(effort: Effort) -> [Job; 4] {
    [(8, Kind::Read), (8, Kind::Write), (16, Kind::Read), (16, Kind::Write)].map(|(lanes, kind)| {
        let load = Load { queues: 1, depth: 1, ..load(kind, 4096, Pattern::Random) };
        Job { lanes, way: Way::Alone, ..Job::new(load, effort) }
    })
}

/// All measurements.
pub fn jobs(effort: Effort) -> Vec<Job> {
    linked(effort).into_iter().chain(instant(effort)).chain(alone(effort)).collect()
}

/// What came of them.
pub fn tables(effort: Effort, results: &Outcomes<Count>) -> Vec<Table> {
    vec![throughput(effort, results), gains(effort, results), commands(effort, results)]
}

/// Bytes a cycle.
fn rate(job: &Job, results: &Outcomes<Count>) -> f64 {
    let Count { cycles, commands } = results[&job.name()];
    (commands * job.load.bytes) as f64 / cycles as f64
}

fn share(job: &Job, results: &Outcomes<Count>) -> Figure {
    const CYCLES: u64 = 1_000_000;
    let link = job.link();
    let limit = match job.load.kind {
        Kind::Read => link.write_limit(CYCLES),
        Kind::Write | Kind::Flush => link.read_limit(CYCLES),
    };
    let limit = limit as f64 / CYCLES as f64;
    Figure::share(rate(job, results) / limit, bounds::share(&link, &job.load))
}

/// OpenExpress, figure 4 and section 4, in GB/s.
fn published(kind: Kind, bytes: u64) -> &'static str {
    match (kind, bytes) {
        (Kind::Read, 4096) => "3.0 GB/s",
        (Kind::Write, 4096) => "2.8 GB/s",
        (Kind::Read, 32768) => "7.0 GB/s",
        (Kind::Write, 32768) => "4.7 GB/s",
        _ => "",
    }
}

fn throughput(effort: Effort, results: &Outcomes<Count>) -> Table {
    let mut rows = Vec::new();
    for kind in KINDS {
        for bytes in SIZES {
            let job = Job::new(load(kind, bytes, Pattern::Random), effort);
            let key = match kind {
                Kind::Read => "nvme_read_4k_of_link",
                Kind::Write | Kind::Flush => "nvme_write_4k_of_link",
            };
            let figure = share(&job, results);
            let figure = if bytes == SIZES[0] { figure.key(key) } else { figure };
            let sequential = Job::new(load(kind, bytes, Pattern::Sequential), effort);
            let wide = Job { lanes: 16, ..job };
            let gigabytes = rate(&job, results) * job.clock as f64 / 1e3;
            rows.push(vec![
                Cell::from(format!("{kind:?}, {} KiB", bytes >> 10)),
                figure.into(),
                share(&sequential, results).into(),
                share(&wide, results).into(),
                share(&Job { lanes: 16, ..sequential }, results).into(),
                format!("{gigabytes:.2} GB/s").into(),
                published(kind, bytes).into(),
            ]);
        }
    }
    let columns =
        ["", "x8 random", "x8 sequential", "x16 random", "x16 sequential", "x8", "OpenExpress"];
    Table {
        title: "Host interface: share of the link's payload limit".to_owned(),
        note: "Automated mode at 250 MHz behind PCIe Gen3, 256 bytes of payload, 800 ns round trip: 10 queues, 8 commands each, an interrupt for each completion. The bound is what is left by the completion (reads) or the entry and the list (writes) on the same direction of the link.".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    }
}

fn gains(effort: Effort, results: &Outcomes<Count>) -> Table {
    let published = ["5 %", "6.1 %", "16.4 %", "59.4 %", "8.6 % on average", "", "", "17.1 %"];
    let all = KINDS.into_iter().flat_map(|kind| SIZES.map(|bytes| (kind, bytes)));
    let rows = all.zip(published).map(|((kind, bytes), published)| {
        let job = Job::new(load(kind, bytes, Pattern::Random), effort);
        let slow = Job { clock: SLOW_CLOCK, ..job };
        let time = |job: &Job| rate(job, results) * job.clock as f64;
        let gain = time(&job) / time(&slow);
        let slow_clock = format!("{:.2} GB/s", time(&slow) / 1e3);
        vec![
            Cell::from(format!("{kind:?}, {} KiB", bytes >> 10)),
            slow_clock.into(),
            Figure::ratio(gain, CLOCK as f64 / SLOW_CLOCK as f64).into(),
            published.into(),
        ]
    });
    Table {
        title: "Host interface: bandwidth at 250 MHz over that at 150 MHz".to_owned(),
        note: "Random commands behind eight lanes. At 150 MHz the buses of 256 bits carry 4.8 GB/s, less than the link; above, the link is the limit. The bound is the ratio of the clocks.".to_owned(),
        columns: ["", "150 MHz", "gain (bound)", "OpenExpress"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn commands(effort: Effort, results: &Outcomes<Count>) -> Table {
    let each = |job: &Job| {
        let Count { cycles, commands } = results[&job.name()];
        cycles as f64 / commands as f64
    };
    let mut rows = Vec::new();
    for job in instant(effort) {
        let Load { kind, bytes, .. } = job.load;
        let figure = Figure::cycles(each(&job), bounds::beats(job.bus_bytes(), &job.load));
        let (what, figure) = match kind {
            Kind::Flush => ("Flush".to_owned(), figure),
            // The one that moves data to the host.
            Kind::Read => (format!("Read, {bytes} bytes"), figure.key("nvme_cycles_per_command")),
            Kind::Write => (format!("Write, {bytes} bytes"), figure),
        };
        let what = format!("{what}: a command, many at a time");
        rows.push(vec![what.into(), figure.into(), "".into(), "40 cycles".into()]);
    }
    let overhead = |job: &Job| each(job) - bounds::alone(&job.link(), &job.load, MEMORY_LATENCY);
    let jobs = alone(effort);
    // The key is that of the slower direction.
    let slowest = jobs[..2].iter().map(overhead).fold(f64::MIN, f64::max);
    for job in jobs {
        let figure = Figure::cycles(overhead(&job), 0.0);
        let is_slowest = job.lanes == 8 && overhead(&job) == slowest;
        let figure = if is_slowest { figure.key("nvme_qd1_overhead_cycles") } else { figure };
        let what = format!("{:?} 4 KiB alone, x{}", job.load.kind, job.lanes);
        let total = format!("{:.0} cycles", each(&job));
        rows.push(vec![what.into(), figure.into(), total.into(), "100 cycles".into()]);
    }
    Table {
        title: "Host interface: cycles of a command".to_owned(),
        note: "The first three with host and memory that answer after two cycles: the bound is the beats on the host's bus. The others one command at a time behind the link, from the doorbell to the completion in host memory; what link and memories take is taken off: the entry, the data, the completion.".to_owned(),
        columns: ["", "measured (bound)", "with link and memories", "aim"].map(str::to_owned).to_vec(),
        rows,
    }
}
