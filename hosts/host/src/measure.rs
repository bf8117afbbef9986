//! What is told of one job.

use report::{
    BatchSizes, Completion, Direction, JobError, JobResult, Latency, LatencySearch, QueueDepths,
    Split, Workload,
};

use crate::job::{self, Access, JobSpec, Lengths, Load, Mix, Request, Verify};
use crate::log::JobLog;

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
    /// None if nothing is logged.
    log: Option<Box<JobLog>>,
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
        let mut opened: Vec<_> = match &spec.load {
            Load::Drawn => spec.mix.directions().iter().map(|&d| told(d)).collect(),
            Load::Trace(trace) => trace.opened(),
            Load::Program(_) => Direction::ALL.to_vec(),
        };
        let only_back = spec.verify == Verify::ReadBack && !opened.contains(&Direction::Read);
        let trims_back = spec.going_back.is_some_and(|back| back.trim.is_some());
        if trims_back && !opened.contains(&Direction::Trim) {
            opened.push(Direction::Trim);
        }
        if only_back {
            opened.push(Direction::Read);
        }
        let mut result = JobResult::new(&spec.name, workload(spec));
        result.group = spec.group;
        result.options.clone_from(&spec.written);
        result.percentiles.clone_from(&spec.report.percentiles);
        result.unified = spec.report.unified;
        result.latency_search = spec.steering.target.map(|target| LatencySearch {
            target_ps: target.target_ps,
            window_ps: target.window_ps,
            percentile: target.percentile,
            depth: 1,
        });
        Measure {
            result,
            opened,
            ramp_ps: spec.timing.ramp_ps,
            since_ps: None,
            reading_back: only_back.then(ReadingBack::default),
            log: None,
        }
    }

    /// Gives the job logs to write.
    pub fn set_log(&mut self, log: Option<Box<JobLog>>) {
        self.log = log;
    }

    /// Whether the job has started.
    #[inline]
    pub fn has_started(&self) -> bool {
        self.since_ps.is_some()
    }

    /// When the job started, from the start of the run; the end of time before that.
    pub fn start_ps(&self) -> u64 {
        self.since_ps.map_or(u64::MAX, |_| self.result.start_ps)
    }

    /// The job starts, in time from the start of the run.
    pub fn start(&mut self, start_ps: u64) {
        let since_ps = start_ps.saturating_add(self.ramp_ps);
        self.since_ps = Some(since_ps);
        self.result.start_ps = start_ps;
        for &direction in &self.opened {
            self.result.open(direction, since_ps);
        }
        if let Some(log) = &mut self.log {
            log.start(since_ps);
        }
    }

    /// Forgets what was measured until now. Logs keep it.
    #[cold]
    pub fn restart(&mut self, now_ps: u64) {
        self.since_ps = Some(now_ps);
        let result = &mut self.result;
        for &direction in &self.opened {
            result.open(direction, now_ps);
        }
        result.sync = Latency::new();
        result.depths = QueueDepths::default();
        (result.submits, result.completes) = (BatchSizes::default(), BatchSizes::default());
        self.reading_back = self.reading_back.map(|_| ReadingBack::default());
    }

    /// Tells what the job's search for a queue depth has come to.
    pub fn set_latency_search(&mut self, search: Option<LatencySearch>) {
        self.result.latency_search = search;
    }

    /// A request is issued, be it measured or not.
    #[inline]
    pub fn trace(&mut self, now_ps: u64, request: &Request) {
        if let Some(log) = &mut self.log {
            log.issue(now_ps, request);
        }
    }

    /// Logs a request that was recorded.
    #[inline]
    pub fn log(&mut self, what: (Direction, u64), completion: &Completion, split: Option<&Split>) {
        if let Some(log) = &mut self.log {
            log.complete(what, completion, split);
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

    /// A request completed; `split` is where its time went, if that is asked for.
    #[inline]
    pub fn record(&mut self, direction: Direction, completion: &Completion, split: Option<&Split>) {
        self.result.record(direction, completion, split);
    }

    /// A flush completed after `latency_ps`.
    pub fn record_flush(&mut self, latency_ps: u64) {
        self.result.sync.record(latency_ps);
    }

    /// A zone was reset.
    pub fn reset_zone(&mut self) {
        if let Some(writes) = &mut self.result.directions[Direction::Write as usize] {
            writes.zone_resets += 1;
        }
    }

    /// The job fails; the first reason counts.
    pub fn fail(&mut self, error: JobError) {
        self.result.error.get_or_insert(error);
    }

    /// The job ends.
    pub fn end(&mut self, now_ps: u64) {
        if self.has_started() {
            self.result = self.result_at(now_ps);
        }
        if let Some(log) = &mut self.log {
            log.end(now_ps);
        }
    }

    /// The result as it would be if the job ended now.
    pub fn result_at(&self, now_ps: u64) -> JobResult {
        let mut result = self.result.clone();
        let Some(since_ps) = self.since_ps else { return result };
        let runtime_ps = now_ps.saturating_sub(since_ps);
        result.end_ps = now_ps;
        result.runtime_ps = runtime_ps;
        for direction in result.directions.iter_mut().flatten() {
            direction.runtime_ps = runtime_ps;
        }
        if let Some(mut phases) = self.reading_back {
            phases.turn(now_ps, Direction::Write);
            let back_ps = phases.total_ps.min(runtime_ps);
            let [read, write, _] = &mut result.directions;
            if let (Some(read), Some(write)) = (read, write) {
                read.runtime_ps = back_ps;
                write.runtime_ps = runtime_ps - back_ps;
            }
        }
        result
    }

    /// The result, once the job has ended.
    pub fn result(&self) -> &JobResult {
        &self.result
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
    match &spec.load {
        Load::Drawn => {}
        Load::Trace(trace) => return format!("replay ({})", trace.trace.format().name()),
        Load::Program(_) => return "program".to_owned(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{parse_file, DriveShape};

    #[test]
    fn a_job_carries_the_pattern_and_the_options_that_were_written() {
        let rows = [
            ("readwrite=randrw rwmixread=70 bs=4k,8k", "randrw", "4k,8k"),
            ("rw=read blocksize=4k bs=128k", "read", "128k"),
            ("rw=randtrimwrite bs=16k", "randtrimwrite", "16k"),
        ];
        let drive = DriveShape {
            capacity_bytes: 1 << 30,
            block_bytes: 4096,
            placement_handles: 0,
            zones: None,
        };
        for (options, rw, bs) in rows {
            let text = format!("[global]\nsize=1m\n[job]\n{}\n", options.replace(' ', "\n"));
            let specs = parse_file("job.fio", &text).unwrap().resolve(drive).unwrap();
            let result = Measure::new(&specs[0]).into_result();
            assert_eq!(result.workload.pattern, rw, "{options}");
            let option = |wanted: &str| result.options.iter().find(|(key, _)| key == wanted);
            assert_eq!(option("rw").unwrap().1, rw, "{options}");
            assert_eq!(option("bs").unwrap().1, bs, "{options}");
            assert_eq!(option("size"), None, "{options}");
        }
    }
}
