//! Made-up runs: a large one of four jobs on a drive of 8 x 8, a small one with four known samples,
//! and one in which nothing happened.

use monitor::{ChannelUse, Counts, Interval, Moved};
use report::{
    BoardOrigin, Cause, Completion, Direction, DriveResult, EraseCounts, JobResult, JobSource,
    ModuleTime, Override, Part, Provenance, RunResult, Series, Served, Speed, Split, Workload,
};

pub const US: u64 = 1_000_000;
pub const MS: u64 = 1_000 * US;
pub const SECOND: u64 = 1_000 * MS;

/// One job of the sample.
struct Plan {
    name: &'static str,
    pattern: &'static str,
    block_bytes: u64,
    depth: u32,
    /// Completions a second, and mean latency by part.
    rate: u64,
    parts_ps: [u64; 3],
}

const PLANS: [Plan; 4] = [
    Plan {
        name: "seq-read",
        pattern: "read",
        block_bytes: 131_072,
        depth: 16,
        rate: 9_700,
        parts_ps: [640 * US, 110 * US, 850 * US],
    },
    Plan {
        name: "seq-write",
        pattern: "write",
        block_bytes: 131_072,
        depth: 16,
        rate: 8_300,
        parts_ps: [810 * US, 140 * US, 960 * US],
    },
    Plan {
        name: "rand-read",
        pattern: "randread",
        block_bytes: 4_096,
        depth: 64,
        rate: 78_000,
        parts_ps: [22 * US, 430 * US, 370 * US],
    },
    Plan {
        name: "rand-mix",
        pattern: "randrw",
        block_bytes: 4_096,
        depth: 64,
        rate: 61_000,
        parts_ps: [25 * US, 520 * US, 490 * US],
    },
];

/// Multiplies and adds: enough disorder for a sample, and the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// `value`, times 0.5 to 1.5, and one in 200 up to eight times as much.
    fn around(&mut self, value: u64) -> u64 {
        let tail = if self.next(200) == 0 { 1 + self.next(8) } else { 1 };
        (value / 2 + value / 1_000 * self.next(1_000)) * tail
    }
}

/// One job of four reads of 4 KiB that take 100, 200, 300 and 400 microseconds, a quarter of it in the host
/// interface, a quarter in the firmware and half in storage, in four milliseconds.
pub fn small() -> RunResult {
    let mut run = idle();
    let job = &mut run.jobs[0];
    for index in 1..=4 {
        let completion_ps = index * 100 * US;
        let completion =
            Completion { at_ps: index * MS, bytes: 4_096, submission_ps: US, completion_ps };
        let split = split([completion_ps / 4, completion_ps / 4, completion_ps / 2]);
        job.record(Direction::Read, &completion, Some(&split));
        job.depths.record(1);
        job.submits.record(1);
        job.completes.record(1);
        run.series.record(completion.at_ps, served(Direction::Read, &completion));
    }
    job.directions[0].as_mut().unwrap().runtime_ps = 4 * MS;
    job.end_ps = 4 * MS;
    job.runtime_ps = 4 * MS;
    run
}

/// A job that was ready to read and never did, on a drive of which nothing is known.
pub fn idle() -> RunResult {
    let workload = Workload {
        pattern: "randread".into(),
        block_bytes: [(4_096, 4_096), (512, 65_536), (4_096, 4_096)],
        engine: "libaio".into(),
        depth: 1,
    };
    let mut job = JobResult::new("four", workload);
    job.open(Direction::Read, 0);
    RunResult {
        version: "fio-3.33".into(),
        board: "tiny".into(),
        job_file: "four.fio".into(),
        seed: 1,
        provenance: None,
        global_options: Vec::new(),
        jobs: vec![job],
        series: Series::new(),
        drive: DriveResult::default(),
        over_time: Default::default(),
        blocks: None,
        queues: Vec::new(),
        host_ftl: None,
        monitored: Vec::new(),
        page_bytes: 16_384,
        pacing: None,
        speed: Speed::default(),
        cut: None,
        precision: Vec::new(),
        over_seeds: None,
        waits: None,
        guest_processor: None,
        further: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The time of a request that is known by part: a third of the firmware's is waiting for a die.
pub fn split([host_interface, firmware, storage]: [u64; 3]) -> Split {
    let mut split = Split::default();
    split.add(Part::HostInterface, Cause::HostLink, host_interface);
    split.add(Part::Firmware, Cause::Processing, firmware - firmware / 3);
    split.add(Part::Firmware, Cause::Die, firmware / 3);
    split.add(Part::Storage, Cause::Flash, storage);
    split
}

/// The large run.
pub fn large() -> RunResult {
    let mut series = Series::new();
    let mut numbers = Numbers(7);
    let jobs: Vec<_> = PLANS
        .iter()
        .enumerate()
        .map(|(index, plan)| job(plan, index as u64 * 2 * SECOND, (&mut series, &mut numbers)))
        .collect();
    let requests = jobs
        .iter()
        .flat_map(|job| Direction::ALL.map(|direction| job.active(direction).map_or(0, |r| r.ios)))
        .sum();
    RunResult {
        version: "fio-3.33".into(),
        board: "cosmos-plus".into(),
        job_file: "demo.fio".into(),
        seed: 42,
        provenance: Some(provenance()),
        global_options: vec![("direct".into(), "1".into())],
        jobs,
        series,
        drive: drive(&mut numbers),
        over_time: Default::default(),
        blocks: None,
        queues: Vec::new(),
        host_ftl: None,
        monitored: Vec::new(),
        page_bytes: 16_384,
        pacing: None,
        speed: Speed { simulated_s: 8.0, wall_s: 0.31, cpu_s: 0.25, requests },
        cut: None,
        precision: Vec::new(),
        over_seeds: None,
        waits: None,
        guest_processor: None,
        further: Vec::new(),
        warnings: vec!["demo.fio: [global] option \"gtod_reduce\" is not known; ignored".into()],
    }
}

fn job(plan: &Plan, start_ps: u64, (series, numbers): (&mut Series, &mut Numbers)) -> JobResult {
    let workload = Workload {
        pattern: plan.pattern.into(),
        block_bytes: [(plan.block_bytes, plan.block_bytes); 3],
        engine: "libaio".into(),
        depth: plan.depth,
    };
    let mut job = JobResult::new(plan.name, workload);
    job.group = (start_ps / (2 * SECOND)) as u32;
    job.options =
        vec![("rw".into(), plan.pattern.into()), ("bs".into(), plan.block_bytes.to_string())];
    let directions: &[Direction] = match plan.pattern {
        "read" | "randread" => &[Direction::Read],
        "randrw" => &[Direction::Read, Direction::Write],
        _ => &[Direction::Write],
    };
    directions.iter().for_each(|&direction| job.open(direction, start_ps));
    let step_ps = SECOND / plan.rate;
    for index in 0..2 * plan.rate {
        let at_ps = start_ps + index * step_ps + numbers.next(step_ps);
        let direction = directions[(index as usize) % directions.len()];
        let parts_ps = plan.parts_ps.map(|part_ps| numbers.around(part_ps));
        let completion = Completion {
            at_ps,
            bytes: plan.block_bytes,
            submission_ps: 600_000 + numbers.next(400_000),
            completion_ps: parts_ps.iter().sum(),
        };
        job.record(direction, &completion, Some(&split(parts_ps)));
        series.record(at_ps, served(direction, &completion));
        job.depths.record(plan.depth);
        job.submits.record(1);
        job.completes.record(1);
    }
    for direction in directions {
        job.directions[*direction as usize].as_mut().unwrap().runtime_ps = 2 * SECOND;
    }
    job.start_ps = start_ps;
    job.end_ps = start_ps + 2 * SECOND;
    job.runtime_ps = 2 * SECOND;
    job
}

fn served(direction: Direction, completion: &Completion) -> Served {
    Served { direction, bytes: completion.bytes, latency_ps: completion.completion_ps }
}

/// What the large run claims to be.
fn provenance() -> Provenance {
    let change = Override {
        key: "processor.clock_mhz".into(),
        value: "500".into(),
        before: Some("1000".into()),
    };
    Provenance {
        body: None,
        processor: None,
        causes: None,
        version: "0.1.0".into(),
        commit: "0123456789abcdef0123456789abcdef01234567-dirty".into(),
        board: BoardOrigin {
            name: "cosmos-plus".into(),
            overrides: vec![change],
            sha256: "5f".repeat(32),
            toml: "[geometry]\nchannels = 8\n".into(),
        },
        jobs: JobSource::File { name: "demo.fio".into(), text: "[seq-read]\nrw=read\n".into() },
        seed: 42,
        precondition: "sequential".into(),
        payload: "stamp".into(),
        polling: "skip".into(),
        monitor_interval_ps: None,
        image: None,
        from: None,
        until: None,
        seeds: None,
        victim: None,
    }
}

fn drive(numbers: &mut Numbers) -> DriveResult {
    let module = |(name, time_ps): (&str, u64)| ModuleTime {
        name: name.into(),
        time_ps,
        idle_polling_ps: 0,
    };
    let modules = [
        ("nvme manager", 410 * MS),
        ("slice", 520 * MS),
        ("buffer", 930 * MS),
        ("address translation", 1_240 * MS),
        ("dependency check", 610 * MS),
        ("garbage collection", 85 * MS),
        ("scheduler", 2_080 * MS),
        ("bad block", 0),
    ];
    DriveResult {
        counted: report::Counted::ByFirmware,
        channel_busy: (0..8).map(|channel| 0.55 + 0.04 * channel as f64).collect(),
        way_busy: (0..8)
            .map(|_| (0..8).map(|_| numbers.next(1_000) as f64 / 1_000.0).collect())
            .collect(),
        processor_busy: 0.734,
        idle_polling_ps: 2_130 * MS,
        modules: modules.map(module).into(),
        cores: Vec::new(),
        host_bytes_read: 3_200_000_000,
        host_bytes_written: 2_000_000_000,
        pages_read: 312_000,
        pages_programmed: 152_588,
        log_pages: 0,
        bytes_programmed: 2_500_000_000,
        dirty_bytes: [0; 2],
        garbage_collections: 17,
        gc_pages_moved: 1_904,
        erases: 21,
        block_erases: EraseCounts { min: 2, max: 9, mean: 4.25, stddev: 1.5 },
        read_retries: 3,
        corrected_bits: 48_211,
        uncorrectable_reads: 0,
        bad_blocks: 5,
        chip_resets: 3,
        refreshes: 2,
        patrol_reads: 17,
        buffer_hits: 20_000,
        buffer_misses: 180_000,
        interrupts: 274_000,
        ready_ps: 87 * MS,
        marks_read: 524_288,
        recovery_reads: 0,
        map: None,
        entry_waits: Default::default(),
        channels: Vec::new(),
        handles: Vec::new(),
    }
}

/// The interval of the large run's monitor with this number, which moves as much as its number says.
pub fn interval(nth: u64) -> Interval {
    let span_ps = MS;
    let channel = |busy: u64| ChannelUse {
        busy_ps: span_ps / 8 * busy,
        read_bytes: 16_384 * nth,
        programmed_bytes: 0,
        ways_busy_ps: vec![span_ps / 2; 8],
    };
    Interval {
        from_ps: nth * span_ps,
        to_ps: (nth + 1) * span_ps,
        seen_ps: (nth + 1) * span_ps,
        span_ps,
        counts: Counts {
            read: Moved { requests: nth, bytes: 4096 * nth, ..Moved::default() },
            write: Moved { requests: nth % 3, bytes: 4096 * (nth % 3), ..Moved::default() },
            channels: (1..=8).map(channel).collect(),
            modules_ps: vec![span_ps / 4; 3],
            ..Counts::default()
        },
    }
}
