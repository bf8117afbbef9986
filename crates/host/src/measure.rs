//! What is told of one job.

use report::{Completion, Direction, JobError, JobResult, Workload};

use crate::job::{self, Access, JobSpec, Lengths, Mix, Verify};

/// The measurements of one job.
#[derive(Debug)]
pub struct Measure {
    result: JobResult,
    opened: Vec<Direction>,
    ramp_ps: u64,
    /// When the measured time began; `None` before the job did.
    since_ps: Option<u64>,
    /// Time of reading back, where reads are nothing else.
    reading_back: Option<ReadingBack>,
}

/// The phases in which a job that only writes reads back.
#[derive(Clone, Copy, Debug, Default)]
struct ReadingBack {
    since_ps: Option<u64>,
    total_ps: u64,
}

impl ReadingBack {
    fn turn(&mut self, now_ps: u64, direction: Direction) {
        match (direction, self.since_ps) {
            (Direction::Read, None) => self.since_ps = Some(now_ps),
            (Direction::Read, Some(_)) | (_, None) => {}
            (_, Some(since_ps)) => {
                self.total_ps += now_ps - since_ps;
                self.since_ps = None;
            }
        }
    }
}

impl Measure {
    /// Measures nothing until the job starts.
    pub fn new(spec: &JobSpec) -> Self {
        let mut opened: Vec<_> = spec.mix.directions().iter().map(|&d| told(d)).collect();
        let only_back = spec.verify == Verify::ReadBack && !opened.contains(&Direction::Read);
        if only_back {
            opened.push(Direction::Read);
        }
        let mut result = JobResult::new(&spec.name, workload(spec));
        result.group = spec.group;
        result.options = options(spec);
        Measure {
            result,
            opened,
            ramp_ps: spec.timing.ramp_ps,
            since_ps: None,
            reading_back: only_back.then(ReadingBack::default),
        }
    }

    /// Whether the job has started.
    #[inline]
    pub fn has_started(&self) -> bool {
        self.since_ps.is_some()
    }

    /// The job starts, in time from the start of the run.
    pub fn start(&mut self, start_ps: u64) {
        let since_ps = start_ps.saturating_add(self.ramp_ps);
        self.since_ps = Some(since_ps);
        self.result.start_ps = start_ps;
        for &direction in &self.opened {
            self.result.open(direction, since_ps);
        }
    }

    /// A request is issued that makes `depth` outstanding; `direction` is none for a flush.
    #[inline]
    pub fn issue(&mut self, now_ps: u64, direction: Option<Direction>, depth: u32) {
        self.result.depths.record(depth);
        if let (Some(phases), Some(direction)) = (&mut self.reading_back, direction) {
            phases.turn(now_ps, direction);
        }
    }

    /// A call submitted `requests`.
    #[inline]
    pub fn submit(&mut self, requests: usize) {
        self.result.submits.record(requests as u32);
    }

    /// A call reaped `requests`.
    #[inline]
    pub fn reap(&mut self, requests: usize) {
        self.result.completes.record(requests as u32);
    }

    /// A request completed.
    #[inline]
    pub fn record(&mut self, direction: Direction, completion: &Completion) {
        self.result.record(direction, completion);
    }

    /// A flush completed after `latency_ps`.
    pub fn record_flush(&mut self, latency_ps: u64) {
        self.result.sync.record(latency_ps);
    }

    /// The job fails; the first reason counts.
    pub fn fail(&mut self, error: JobError) {
        self.result.error.get_or_insert(error);
    }

    /// The job ends.
    pub fn end(&mut self, now_ps: u64) {
        let Some(since_ps) = self.since_ps else { return };
        let runtime_ps = now_ps.saturating_sub(since_ps);
        self.result.end_ps = now_ps;
        self.result.runtime_ps = runtime_ps;
        for direction in self.result.directions.iter_mut().flatten() {
            direction.runtime_ps = runtime_ps;
        }
        if let Some(phases) = &mut self.reading_back {
            phases.turn(now_ps, Direction::Write);
            let back_ps = phases.total_ps.min(runtime_ps);
            let [read, write, _] = &mut self.result.directions;
            if let (Some(read), Some(write)) = (read, write) {
                read.runtime_ps = back_ps;
                write.runtime_ps = runtime_ps - back_ps;
            }
        }
    }

    /// The finished result.
    pub fn into_result(self) -> JobResult {
        self.result
    }
}

/// The report's name of a direction.
pub fn told(direction: job::Direction) -> Direction {
    match direction {
        job::Direction::Read => Direction::Read,
        job::Direction::Write => Direction::Write,
        job::Direction::Trim => Direction::Trim,
    }
}

fn workload(spec: &JobSpec) -> Workload {
    let bounds = |lengths: &Lengths| (lengths.min_bytes(), lengths.max_bytes());
    let lengths = &spec.lengths;
    Workload {
        pattern: pattern(spec),
        block_bytes: [bounds(&lengths.read), bounds(&lengths.write), bounds(&lengths.trim)],
        engine: "firmament".to_string(),
        depth: spec.iodepth,
    }
}

/// fio's `rw`.
fn pattern(spec: &JobSpec) -> String {
    let order = if spec.access == Access::Sequential { "" } else { "rand" };
    let directions = match spec.mix {
        Mix::Only(job::Direction::Read) => "read",
        Mix::Only(job::Direction::Write) => "write",
        Mix::Only(job::Direction::Trim) => "trim",
        Mix::ReadWrite { .. } => "rw",
        Mix::TrimThenWrite => "trimwrite",
    };
    format!("{order}{directions}")
}

/// The job as it was resolved, in fio's terms.
fn options(spec: &JobSpec) -> Vec<(String, String)> {
    let lengths = |lengths: &Lengths| match (lengths.min_bytes(), lengths.max_bytes()) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min}-{max}"),
    };
    let mut options = vec![
        ("name", spec.name.clone()),
        ("rw", pattern(spec)),
        ("iodepth", spec.iodepth.to_string()),
        ("offset", spec.range.start.to_string()),
        ("size", spec.range.len.to_string()),
    ];
    let used = spec.mix.directions()[0];
    let alike = |&direction: &job::Direction| spec.lengths.of(direction) == spec.lengths.of(used);
    if spec.mix.directions().iter().all(alike) {
        options.push(("bs", lengths(spec.lengths.of(used))));
    } else {
        let of = |direction| lengths(spec.lengths.of(direction));
        let all = [job::Direction::Read, job::Direction::Write, job::Direction::Trim].map(of);
        options.push(("bs", all.join(",")));
    }
    if let Mix::ReadWrite { read_percent } = spec.mix {
        options.push(("rwmixread", read_percent.to_string()));
    }
    if let Some(runtime_ps) = spec.stop.runtime_ps {
        options.push(("runtime", format!("{}us", runtime_ps / 1_000_000)));
    }
    if spec.stop.total_bytes.is_none() {
        options.push(("time_based", "1".to_string()));
    }
    options.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{parse_file, DriveShape};

    #[test]
    fn a_job_is_described_in_terms_of_fio() {
        let rows = [
            ("rw=randrw rwmixread=70 bs=4k,8k", "randrw", "4096,8192,8192"),
            ("rw=read bs=128k", "read", "131072"),
            ("rw=randtrimwrite bsrange=4k-16k", "randtrimwrite", "4096-16384"),
            ("rw=write bssplit=4k/50:16k/50", "write", "4096-16384"),
            ("rw=trim bs=1m", "trim", "1048576"),
        ];
        let drive = DriveShape { capacity_bytes: 1 << 30, block_bytes: 4096 };
        for (options, rw, bs) in rows {
            let text = format!("[job]\n{}\n", options.replace(' ', "\n"));
            let specs = parse_file("job.fio", &text).unwrap().resolve(drive).unwrap();
            let result = Measure::new(&specs[0]).into_result();
            assert_eq!(result.workload.pattern, rw, "{options}");
            let option = |wanted| result.options.iter().find(|(key, _)| key == wanted);
            assert_eq!(option("rw").unwrap().1, rw, "{options}");
            assert_eq!(option("bs").unwrap().1, bs, "{options}");
        }
    }
}
