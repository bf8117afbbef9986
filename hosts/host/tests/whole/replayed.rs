//! Traces in place of jobs.

use std::fs;
use std::path::{Path, PathBuf};

use host::replay::{Remap, Replay, Speed, Tenant, Timing, ASSUMED_RESPONSE_NS, USUAL_LIMIT};
use host::JobLogs;
use trace::{Event, Format, Kind, Record, Strictness, Survey, Trace, Writer, UNKNOWN};

use super::*;

const REPLAY: Replay = Replay {
    timing: Timing::Arrival,
    speed: Speed::ONE,
    remap: Remap::None,
    limit: USUAL_LIMIT,
    assumed_ns: ASSUMED_RESPONSE_NS,
};
const US: u64 = 1_000;
const PS_PER_US: u64 = 1_000_000;

fn record(time_ns: u64, kind: Kind, (offset, length): (u64, u64)) -> Record {
    Record { time_ns, response_ns: UNKNOWN, volume: 0, kind, offset, length }
}

fn write(path: &Path, format: Format, records: &[Record]) {
    let mut writer = Writer::new(Vec::new(), format).unwrap();
    for record in records {
        assert!(writer.write(record).unwrap());
    }
    fs::write(path, writer.into_inner()).unwrap();
}

fn tenant(path: &Path, weight: Option<u32>) -> Tenant {
    let trace = Trace::open(path, None).unwrap();
    let survey = Survey::gather(&mut trace.reader().unwrap(), Strictness::Lenient).unwrap();
    Tenant { name: path.file_name().unwrap().to_string_lossy().into(), trace, survey, weight }
}

impl Run {
    fn replay(&self, replay: Replay, tenants: Vec<Tenant>) -> Result<RunResult, RunError> {
        let board = Board::resolve(self.board, &self.set).unwrap();
        let jobs = JobFile::of_traces(replay, tenants, Vec::new());
        host::run(self.request(&board, &jobs), &mut |_| {})
    }

    /// Replays records as one trace.
    fn replay_records(&self, replay: Replay, records: &[Record]) -> Result<RunResult, RunError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace");
        write(&path, Format::Iolog, records);
        self.replay(replay, vec![tenant(&path, None)])
    }
}

/// All of a value, to be compared.
fn shown(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Runs a job with its log of requests, and replays that log with so many in flight.
fn job_and_replay(options: &str, depth: u32) -> (RunResult, RunResult) {
    let directory = tempfile::tempdir().unwrap();
    let path: PathBuf = directory.path().join("log");
    let text = job(&format!("{options} iodepth={depth} write_iolog={}", path.display()));
    let run = Run::new();
    let watchers = host::Watchers { logs: JobLogs::Written, ..host::Watchers::default() };
    let first = run.watched(&text, watchers).unwrap();
    let replay = Replay { timing: Timing::Depth(depth), ..REPLAY };
    let second = run.replay(replay, vec![tenant(&path, None)]).unwrap();
    (first, second)
}

#[test]
fn the_log_of_a_job_replayed_at_its_depth_is_the_job_again() {
    for (options, depth) in [
        ("rw=randrw bsrange=4k-64k size=4m", 8),
        ("rw=randwrite bs=4k size=2m fsync=16", 4),
        ("rw=write bs=128k size=4m", 2),
        ("rw=randread bs=512 size=1m", 1),
        ("rw=randtrim bs=64k size=4m", 4),
    ] {
        let options = options.replace("bs=512", "bs=4k");
        let (first, second) = job_and_replay(&options, depth);
        let (one, other) = (&first.jobs[0], &second.jobs[0]);
        assert_eq!(shown(&one.directions), shown(&other.directions), "{options}");
        assert_eq!(
            shown(&(&one.depths, &one.sync)),
            shown(&(&other.depths, &other.sync)),
            "{options}"
        );
        assert_eq!(one.runtime_ps, other.runtime_ps, "{options}");
        assert_eq!(shown(&first.drive), shown(&second.drive), "{options}");
    }
    // With another depth it is not.
    let (first, second) = {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let text =
            job(&format!("rw=randread bs=4k size=1m iodepth=8 write_iolog={}", path.display()));
        let watchers = host::Watchers { logs: JobLogs::Written, ..host::Watchers::default() };
        let first = Run::new().watched(&text, watchers).unwrap();
        let replay = Replay { timing: Timing::Depth(7), ..REPLAY };
        (first, Run::new().replay(replay, vec![tenant(&path, None)]).unwrap())
    };
    assert_ne!(first.jobs[0].runtime_ps, second.jobs[0].runtime_ps);
}

#[test]
fn an_open_loop_keeps_the_times_of_the_trace() {
    let mut random = Random(1);
    let records: Vec<_> = (0..500)
        .map(|n| record(n * 2000 * US, Kind::Read, (random.below(1000) * 4096, 4096)))
        .collect();
    let span_ps = 499 * 2000 * PS_PER_US;
    let read = |speed| {
        let replay = Replay { speed: Speed::of(speed).unwrap(), ..REPLAY };
        let result = Run::new().replay_records(replay, &records).unwrap();
        let job = &result.jobs[0];
        assert_eq!(direction(job, Direction::Read).ios, 500);
        (job.runtime_ps, direction(job, Direction::Read).lat_ps.mean())
    };
    let (plain, latency) = read(1.0);
    // The last request comes at its time and takes no longer than a read of an idle drive.
    assert!(plain > span_ps && plain < span_ps + 300 * PS_PER_US, "{plain}");
    let (twice, same) = read(2.0);
    assert!(twice > span_ps / 2 && twice < span_ps / 2 + 300 * PS_PER_US, "{twice}");
    assert!((same / latency - 1.0).abs() < 0.02, "{same} {latency}");
    let (slow, _) = read(0.25);
    assert!(slow > span_ps * 4 && slow < span_ps * 4 + 300 * PS_PER_US, "{slow}");
    // A hundred thousand times as fast it is the drive that counts, and requests queue.
    let (fast, queued) = read(100_000.0);
    assert!(fast < span_ps / 20 && queued > 5.0 * latency, "{fast} {queued} {latency}");
}

#[test]
fn latencies_of_an_open_loop_count_from_arrival() {
    // A thousand requests at once, of which one at a time may be under way: each waits for all before it.
    let mut random = Random(2);
    let records: Vec<_> =
        (0..1000).map(|_| record(0, Kind::Read, (random.below(1000) * 4096, 4096))).collect();
    let replay = Replay { limit: 1, ..REPLAY };
    let result = Run::new().replay_records(replay, &records).unwrap();
    let read = direction(&result.jobs[0], Direction::Read);
    let runtime = result.jobs[0].runtime_ps as f64;
    assert_eq!(read.lat_ps.max(), result.jobs[0].runtime_ps);
    assert!((read.lat_ps.mean() / runtime - 0.5).abs() < 0.02, "{} {runtime}", read.lat_ps.mean());
    // Where it went is told, too: it adds up, and most of it is waiting to be fetched.
    let fetch = read.split.by_cause()[Cause::Fetch as usize] as f64 / read.split.total() as f64;
    assert!(fetch > 0.9, "{fetch}");
}

#[test]
fn a_whole_drive_of_every_kind_is_verified() {
    let capacity = 4_u64 << 20;
    let mut random = Random(3);
    let mut records = vec![];
    for nth in 0..2000_u64 {
        let kind = [Kind::Write, Kind::Read, Kind::Write, Kind::Trim, Kind::Read]
            [random.below(5) as usize];
        let kind = if nth % 97 == 0 { Kind::Flush } else { kind };
        let length = 512 * (1 + random.below(100));
        let offset = 512 * random.below((capacity - length) / 512);
        let (offset, length) = if kind == Kind::Flush { (0, 0) } else { (offset, length) };
        records.push(record(nth * 3 * US, kind, (offset, length)));
    }
    let counts = |kind| records.iter().filter(|record| record.kind == kind).count() as u64;
    for timing in [Timing::Arrival, Timing::Depth(16), Timing::Dependency] {
        for precondition in [Preconditioning::None, Preconditioning::Steady] {
            let run = Run { payload: PayloadForm::Bytes, precondition, ..Run::new() };
            let result = run.replay_records(Replay { timing, ..REPLAY }, &records).unwrap();
            let job = &result.jobs[0];
            assert_eq!(job.error, None);
            let ios = [Direction::Read, Direction::Write, Direction::Trim]
                .map(|way| direction(job, way).ios);
            assert_eq!(ios, [Kind::Read, Kind::Write, Kind::Trim].map(counts), "{timing:?}");
            assert_eq!(job.sync.count(), counts(Kind::Flush));
            assert!(
                result.warnings.iter().any(|line| line.contains("rounded outwards")),
                "{:?}",
                result.warnings
            );
        }
    }
}

#[test]
fn every_format_is_replayed_alike() {
    let mut random = Random(4);
    let records: Vec<_> = (0..200)
        .map(|n| {
            let kind = if random.below(2) == 0 { Kind::Read } else { Kind::Write };
            // Whole seconds, as one format has no others.
            record(n / 50 * 1_000_000 * US, kind, (random.below(200) * 4096, 4096))
        })
        .collect();
    let mut results = Vec::new();
    for format in Format::all().chain([Format::Blkparse(Event::Issue)]) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace");
        write(&path, format, &records);
        let result = Run::new().replay(REPLAY, vec![tenant(&path, None)]).unwrap();
        results.push(shown(&(&result.jobs[0].directions, result.jobs[0].runtime_ps)));
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn what_does_not_fit_is_refused_in_one_line() {
    let at = |offset, length| [record(0, Kind::Read, (offset, length))];
    let refusal = |replay, records: &[Record]| {
        Run::new().replay_records(replay, records).unwrap_err().to_string()
    };
    let line = refusal(REPLAY, &at(1 << 40, 4096));
    assert!(
        line.contains("addresses: found requests up to byte 1099511631872, expected at most "),
        "{line}"
    );
    for remap in [Remap::Modulo, Remap::Scale, Remap::Volume] {
        let replay = Replay { remap, ..REPLAY };
        assert!(Run::new().replay_records(replay, &at(1 << 40, 4096)).is_ok(), "{remap:?}");
        // One that is larger than all buffers.
        let huge = Run::new().replay_records(replay, &at((1 << 62) - 512, 1 << 30));
        assert!(huge.is_ok() || !huge.unwrap_err().to_string().contains('\n'));
    }
    let volumes = [Record { volume: 0, ..at(0, 4096)[0] }, Record { volume: 1, ..at(0, 4096)[0] }];
    let line = refusal(REPLAY, &volumes);
    assert!(line.contains("volumes: found 2, expected one, or --remap=volume"), "{line}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    fs::write(&path, "fio version 2 iolog\n/dev/a add\n/dev/a read 0 4096\n").unwrap();
    let line = Run::new().replay(REPLAY, vec![tenant(&path, None)]).unwrap_err().to_string();
    assert!(
        line.contains(
            "times: found a trace that does not tell when requests came, expected --depth"
        ),
        "{line}"
    );
    let depth = Replay { timing: Timing::Depth(2), ..REPLAY };
    assert!(Run::new().replay(depth, vec![tenant(&path, None)]).is_ok());
    fs::write(&path, "fio version 3 iolog\n0 /dev/a add\n").unwrap();
    let line = Run::new().replay(REPLAY, vec![tenant(&path, None)]).unwrap_err().to_string();
    assert!(line.ends_with("requests: found none, expected at least one"), "{line}");
}

#[test]
fn a_trace_that_changes_after_it_was_looked_at_is_an_error_of_the_job() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    let records: Vec<_> =
        (0..100).map(|n| record(n * 10 * US, Kind::Read, (n * 4096, 4096))).collect();
    for left in [50, 0] {
        write(&path, Format::Mqsim, &records);
        let tenant = tenant(&path, None);
        write(&path, Format::Mqsim, &records[..left]);
        let result = Run::new().replay(REPLAY, vec![tenant.clone()]).unwrap();
        let error = result.jobs[0].error.as_ref().unwrap();
        assert!(
            error.message.contains(&format!("found {left} records, expected 100")),
            "{}",
            error.message
        );
        fs::remove_file(&path).unwrap();
        let result = Run::new().replay(REPLAY, vec![tenant]).unwrap();
        assert!(result.jobs[0].error.is_some());
    }
}

#[test]
fn tenants_have_parts_of_the_drive_and_weights() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(5);
    let paths: Vec<_> = ["a", "b"]
        .into_iter()
        .map(|name| {
            let path = directory.path().join(name);
            let records: Vec<_> = (0..4000)
                .map(|_| record(0, Kind::Read, (random.below(500) * 4096, 4096)))
                .collect();
            write(&path, Format::Mqsim, &records);
            path
        })
        .collect();
    let latencies = |set: &[(&str, &str)], weights: [Option<u32>; 2]| {
        // Weights decide who comes next where commands wait to be fetched: there are fewer slots than commands.
        let mut run = Run::new().set("nvme.command_slots", "16");
        for (key, value) in set {
            run = run.set(key, value);
        }
        let tenants =
            paths.iter().zip(weights).map(|(path, weight)| tenant(path, weight)).collect();
        let replay = Replay { timing: Timing::Depth(64), ..REPLAY };
        let result = run.replay(replay, tenants).map_err(|error| error.to_string())?;
        Ok::<_, String>(
            [0, 1].map(|job: usize| direction(&result.jobs[job], Direction::Read).lat_ps.mean()),
        )
    };
    let weighted = [("host.arbitration", "weighted")];
    let line = latencies(&[], [Some(8), Some(1)]).unwrap_err();
    assert!(
        line.starts_with(
            "--weights: found a drive with plain round robin, expected --set host.arb"
        ),
        "{line}"
    );
    let few = [("host.arbitration", "weighted"), ("nvme.io_queues", "1")];
    let line = latencies(&few, [Some(8), Some(1)]).unwrap_err();
    assert!(line.contains("found 2 traces and 1 queues"), "{line}");
    let [a, b] = latencies(&[], [None, None]).unwrap();
    assert!((a / b - 1.0).abs() < 0.1, "alike: {a} {b}");
    let [a, b] = latencies(&weighted, [Some(8), Some(1)]).unwrap();
    assert!(b / a > 1.5, "the heavier first: {a} {b}");
    let [a, b] = latencies(&weighted, [Some(1), Some(8)]).unwrap();
    assert!(a / b > 1.5, "the heavier second: {a} {b}");
}

#[test]
fn damaged_traces_are_replayed_as_far_as_they_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    let records: Vec<_> = (0..60).map(|n| record(n * US, Kind::Write, (n * 4096, 4096))).collect();
    for seed in 0..40 {
        let format = Format::all().nth(seed as usize % 8).unwrap();
        write(&path, format, &records);
        let mut random = Random(seed);
        let mut bytes = fs::read(&path).unwrap();
        for _ in 0..8 {
            let place = 60 + random.below(bytes.len() as u64 - 60) as usize;
            bytes[place] = b"0123456789, R\n"[random.below(14) as usize];
        }
        fs::write(&path, bytes).unwrap();
        let Ok(trace) = Trace::open(&path, Some(format)) else { continue };
        let survey = Survey::gather(&mut trace.reader().unwrap(), Strictness::Lenient).unwrap();
        let tenant = Tenant { name: "trace".into(), trace, survey, weight: None };
        let replay = Replay { remap: Remap::Modulo, timing: Timing::Depth(4), ..REPLAY };
        let expected = tenant.survey.all();
        let result = Run::new().replay(replay, vec![tenant]).unwrap();
        assert_eq!(result.jobs[0].error, None, "seed {seed}");
        let ios: u64 = result.jobs[0].directions.iter().flatten().map(|way| way.ios).sum();
        assert_eq!(ios + result.jobs[0].sync.count(), expected, "seed {seed}");
    }
}
