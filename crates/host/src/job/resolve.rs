//! Fits jobs to a drive: defaults are filled in, percentages become bytes, limits are checked.

use std::collections::BTreeSet;

use super::apply::MAX_JOBS;
use super::blocksize;
use super::error::JobError;
use super::faults::Faults;
use super::files;
use super::history::{BackOrder, GoingBack};
use super::parse::{Instead, JobFile};
use super::parts::{self, Parts};
use super::settings::{
    DistributionSetting, Fill, OneLength, Order, RandomMap, Settings, ZoneSetting, ZoneSize,
};
use super::spec::{
    Access, Batching, ByteRange, Direction, Distribution, DriveShape, EndFlush, Flushing, JobSpec,
    Lengths, Load, Mix, Pacing, PerDirection, Rate, Seeding, Steadiness, Stepping, Stop, Timing,
    Verify, Zone,
};
use super::units::{self, Amount};

impl JobFile {
    /// Resolves every clone of every job against the drive, in the order of the file.
    ///
    /// # Errors
    /// A range beyond the drive, a length or offset that is not a multiple of the logical block, a
    /// range too small for one request, several drives, or more than 4096 clones in all.
    pub fn resolve(&self, drive: DriveShape) -> Result<Vec<JobSpec>, JobError> {
        match &self.instead {
            None => {}
            Some(Instead::Traces(replay, tenants)) => {
                return crate::replay::fit((*replay, tenants), drive);
            }
            Some(Instead::Program(program)) => return crate::program::fit(program, drive),
        }
        let mut specs: Vec<JobSpec> = Vec::new();
        let mut jobs = Vec::new();
        let (mut stage, mut group) = (0, 0);
        for (number, job) in self.jobs.iter().enumerate() {
            if number > 0 {
                stage += u32::from(job.jobs.stonewall);
                group += u32::from(job.jobs.stonewall || job.jobs.new_group);
            }
            for clone in 0..job.jobs.numjobs {
                if specs.len() as u64 == MAX_JOBS {
                    let expected = format!("at most {MAX_JOBS} clones in all jobs together");
                    let found = format!("clone {}", MAX_JOBS + 1);
                    return Err(job.error("numjobs", Some(found), expected));
                }
                let place = Standing { index: specs.len() as u32, clone, stage, group };
                let spec = Fitting::new(job, drive)?.spec(place)?;
                specs.push(job.played_back(spec, drive)?);
                jobs.push(job);
            }
        }
        files::lay_out(&jobs, &mut specs, drive)?;
        Ok(specs)
    }
}

impl JobFile {
    /// Files of all logs that the jobs write.
    pub fn log_paths(&self) -> BTreeSet<String> {
        let clones = self.jobs.iter().flat_map(|job| (0..job.jobs.numjobs).map(move |_| job));
        let logs = |(job, settings): (u32, &Settings)| -> Vec<String> {
            settings.named_logs().paths(job).collect()
        };
        (1..).zip(clones).flat_map(logs).collect()
    }
}

/// Where a clone stands among the others.
struct Standing {
    index: u32,
    clone: u32,
    stage: u32,
    group: u32,
}

/// A job with its lengths known and checked.
struct Fitting<'a> {
    job: &'a Settings,
    drive: DriveShape,
    mix: Mix,
    lengths: PerDirection<Lengths>,
    align: PerDirection<u64>,
}

impl<'a> Fitting<'a> {
    fn new(job: &'a Settings, drive: DriveShape) -> Result<Self, JobError> {
        let mix = job.pattern.mix();
        let block = u64::from(drive.block_bytes);
        let read_lengths = |direction| {
            let (lengths, key) = blocksize::lengths(&job.lengths, direction);
            let used = mix.directions().contains(&direction);
            match basic_lengths(&lengths).into_iter().find(|bytes| bytes % block != 0) {
                Some(bytes) if used => {
                    let expected = format!("a multiple of the logical block of {block} bytes");
                    Err(job.error(key, Some(format!("{bytes} bytes")), expected))
                }
                _ => Ok(lengths),
            }
        };
        let lengths = PerDirection {
            read: read_lengths(Direction::Read)?,
            write: read_lengths(Direction::Write)?,
            trim: read_lengths(Direction::Trim)?,
        };
        let align_of = |direction| match *job.lengths.align.of(direction) {
            Some(align) if align % block != 0 && mix.directions().contains(&direction) => {
                let expected = format!("a multiple of the logical block of {block} bytes");
                Err(job.error("ba", Some(format!("{align} bytes")), expected))
            }
            Some(align) => Ok(align),
            None => Ok(lengths.of(direction).min_bytes()),
        };
        let align = PerDirection {
            read: align_of(Direction::Read)?,
            write: align_of(Direction::Write)?,
            trim: align_of(Direction::Trim)?,
        };
        let fitting = Self { job, drive, mix, lengths, align };
        fitting.check_trim_then_write()?;
        Ok(fitting)
    }

    /// A random place is trimmed and written with one length, so both directions must agree on it. Walks
    /// of trims and of writes can go on side by side.
    fn check_trim_then_write(&self) -> Result<(), JobError> {
        let differ = self.mix == Mix::TrimThenWrite && self.lengths.write != self.lengths.trim;
        let order = self.job.pattern.kind.order;
        let walks = matches!(order, Order::Sequential { gap_bytes: 0 });
        if differ && (!walks || self.file_count() > 1) {
            let (_, key) = blocksize::lengths(&self.job.lengths, Direction::Trim);
            let expected =
                "the same lengths for write and trim with randtrimwrite, gaps or several files"
                    .to_string();
            return Err(self.job.error(key, None, expected));
        }
        Ok(())
    }

    fn min_bytes(&self) -> u64 {
        let each = self.mix.directions().iter().map(|&d| self.lengths.of(d).min_bytes());
        each.min().unwrap_or(0)
    }

    fn max_bytes(&self) -> u64 {
        let each = self.mix.directions().iter().map(|&d| self.lengths.of(d).max_bytes());
        each.max().unwrap_or(0)
    }

    fn one_length(&self) -> OneLength {
        let (min, max) = (self.min_bytes(), self.max_bytes());
        let aligned = self.mix.directions().iter().all(|&d| *self.align.of(d) == min);
        if min == max && aligned {
            OneLength::Yes
        } else {
            OneLength::No
        }
    }

    fn spec(self, standing: Standing) -> Result<JobSpec, JobError> {
        let job = self.job;
        let range = self.range(standing.clone)?;
        let parts = self.parts(range)?;
        // What each file sees of the job.
        let (whole, range) = match &parts {
            None => (range, range),
            Some(parts) => (parts.hull(), parts.ranges[0]),
        };
        let access = job.pattern.access(self.one_length(), self.distribution(range)?);
        let pace = &job.pace;
        let rate = |direction| self.rate(direction);
        let stop = self.stop((range, parts.as_ref()), &access)?;
        let going_back = self.going_back(parts.as_ref());
        self.check_end(&stop)?;
        Ok(JobSpec {
            name: job.name.clone(),
            description: job.description.clone(),
            index: standing.index,
            clone: standing.clone,
            stage: standing.stage,
            group: standing.group,
            on_end: job.jobs.on_end,
            iodepth: job.jobs.iodepth,
            batching: self.batching(),
            mix: self.mix,
            stepping: self.stepping(range)?,
            range: whole,
            parts,
            stop,
            steadiness: job.end.steady.filter(|_| job.end.steady_duration_ps > 0).map(
                |(criterion, limit)| Steadiness {
                    criterion,
                    limit,
                    duration_ps: job.end.steady_duration_ps,
                    ramp_ps: job.end.steady_ramp_ps,
                },
            ),
            timing: Timing {
                delay_min_ps: pace.delay_ps.0,
                delay_max_ps: pace.delay_ps.1,
                ramp_ps: pace.ramp_ps,
            },
            pacing: Pacing {
                rate: PerDirection {
                    read: rate(Direction::Read),
                    write: rate(Direction::Write),
                    trim: rate(Direction::Trim),
                },
                process: pace.process,
                think: pace.think(),
                pauses: pace.pauses,
            },
            flush: Flushing {
                at_end: match (job.pattern.flush.at_end, job.pattern.close_flush) {
                    (EndFlush::No, EndFlush::No) => EndFlush::No,
                    _ => EndFlush::Yes,
                },
                ..job.pattern.flush
            },
            unit_access: job.pattern.unit_access(),
            verify: job.pattern.verify(),
            faults: Faults { proof: job.pattern.proof(), ..job.faults },
            going_back,
            overlap: job.overlap,
            seeding: Seeding { salt: job.pattern.salt, passes: job.pattern.passes },
            report: job.report.clone(),
            logging: job.named_logs(),
            written: job.written.clone(),
            load: Load::Drawn,
            // A sequential job ignores `ba`, as in fio.
            align_bytes: match access {
                Access::Sequential => PerDirection {
                    read: self.lengths.read.min_bytes(),
                    write: self.lengths.write.min_bytes(),
                    trim: self.lengths.trim.min_bytes(),
                },
                Access::Covering | Access::Drawn(_) => self.align,
            },
            access,
            lengths: self.lengths,
        })
    }

    fn rate(&self, direction: Direction) -> Rate {
        self.job.pace.rate_of(direction, self.lengths.of(direction).min_bytes())
    }

    fn range(&self, clone: u32) -> Result<ByteRange, JobError> {
        let (job, extent) = (self.job, &self.job.extent);
        let capacity = self.drive.capacity_bytes;
        let block = u64::from(self.drive.block_bytes);
        let min = self.min_bytes();
        let align = if extent.offset_align > 0 { extent.offset_align } else { min };
        let aligned = |amount: Option<Amount>| match amount {
            None => Some(0),
            Some(Amount::Bytes(bytes)) => Some(bytes),
            Some(Amount::Percent(p)) => percent(capacity, p).checked_next_multiple_of(align),
        };
        let step = aligned(extent.offset_increment);
        let key = if clone > 0 && step != Some(0) { "offset_increment" } else { "offset" };
        let start = step
            .and_then(|step| step.checked_mul(u64::from(clone)))
            .and_then(|moved| moved.checked_add(aligned(extent.offset)?))
            .filter(|&start| start < capacity)
            .ok_or_else(|| {
                let expected =
                    format!("a start of clone {clone} below the drive's {capacity} bytes");
                job.error(key, None, expected)
            })?;
        if start % block != 0 {
            let expected = format!("a multiple of the logical block of {block} bytes");
            return Err(job.error(key, Some(format!("a start at {start} bytes")), expected));
        }
        let room = capacity - start;
        if let Some(bytes) = extent.filesize {
            return self.file(start, bytes);
        }
        let len = match extent.size {
            None => room,
            // As in fio, a share of the drive stops at its end.
            Some(Amount::Percent(p)) => percent(capacity, p).min(room),
            Some(Amount::Bytes(0)) => room,
            Some(Amount::Bytes(bytes)) if bytes <= room => bytes,
            Some(Amount::Bytes(_)) if extent.fill == Fill::ToTheEnd => room,
            Some(Amount::Bytes(_)) => {
                let expected = format!(
                    "at most {room} bytes: the drive has {capacity} and the job starts at {start}"
                );
                return Err(job.error("size", None, expected));
            }
        };
        let max = self.max_bytes();
        if len < max {
            let expected = format!("room for a request of {max} bytes");
            return Err(job.error("size", Some(format!("{len} bytes")), expected));
        }
        Ok(ByteRange { start, len: len / block * block })
    }

    /// Files that the job has.
    pub(super) fn file_count(&self) -> u64 {
        let named = parts::names(&self.job.origin("filename").1).len() as u64;
        let count = self.job.files.count.unwrap_or(1);
        match named {
            0 => count,
            named => count.min(named),
        }
    }

    /// The files of a job that has several, with the range in each. As in fio, each has an equal share of
    /// `size`, the first ones a request more if it does not come out even, and `offset` counts from the
    /// start of each.
    fn parts(&self, range: ByteRange) -> Result<Option<Parts>, JobError> {
        let (files, extent, count) = (self.job.files, &self.job.extent, self.file_count());
        if count == 1 {
            return Ok(None);
        }
        let (capacity, block) = (self.drive.capacity_bytes, u64::from(self.drive.block_bytes));
        let (min, max) = (self.min_bytes(), self.max_bytes());
        let share = capacity / count / block * block;
        // Bytes of each file, and how many have a request more.
        let (len, more) = match (extent.filesize, extent.size) {
            (Some(bytes), _) => (bytes.saturating_sub(range.start), 0),
            (None, Some(Amount::Bytes(bytes))) if bytes > 0 => (bytes / count, bytes % count / min),
            (None, Some(Amount::Percent(p))) => {
                (percent(share, p).min(share.saturating_sub(range.start)), 0)
            }
            (None, _) => (share.saturating_sub(range.start), 0),
        };
        let len = len / block * block;
        let mut end = 0_u64;
        let mut ranges = Vec::new();
        for nth in 0..count {
            let len = len + if nth < more { min } else { 0 };
            if len < max {
                let found = format!("{count} files of {len} bytes");
                let expected = format!("room for a request of {max} bytes in each file");
                return Err(self.job.error(self.files_key(), Some(found), expected));
            }
            end = end.saturating_add(range.start).saturating_add(len);
            ranges.push(ByteRange { start: range.start, len });
        }
        if end > capacity {
            let found = format!("{count} files that end at byte {end}");
            let expected = format!("files of at most {capacity} bytes in all");
            return Err(self.job.error(self.files_key(), Some(found), expected));
        }
        Ok(Some(Parts { ranges, service: files.service, open: files.open }))
    }

    /// The option that says how many files there are.
    fn files_key(&self) -> &'static str {
        match self.job.origin("nrfiles").1.is_empty() {
            true => "filename",
            false => "nrfiles",
        }
    }

    /// How a job that verifies goes back to what it wrote, if its own sequence is not enough for that.
    fn going_back(&self, parts: Option<&Parts>) -> Option<GoingBack> {
        let pattern = &self.job.pattern;
        if pattern.verify() == Verify::Off {
            return None;
        }
        // As in fio, only a random map keeps a job from writing a place twice.
        let uniform =
            matches!(pattern.distribution, DistributionSetting::Whole(Distribution::Uniform));
        let rises = match pattern.kind.order {
            Order::Random { .. } => pattern.random_map == RandomMap::Absent || !uniform,
            Order::Sequential { gap_bytes } => gap_bytes < 0,
        };
        let order = if rises { BackOrder::Rising } else { BackOrder::Written };
        let back = self.job.back.going_back(order);
        let needs_list = rises || parts.is_some() || back.verify.is_some() || back.trim.is_some();
        needs_list.then_some(back)
    }

    /// The range of a job on a file of `bytes` at the start of the drive (`filesize`).
    fn file(&self, start: u64, bytes: u64) -> Result<ByteRange, JobError> {
        let (capacity, max) = (self.drive.capacity_bytes, self.max_bytes());
        if bytes > capacity {
            let expected = format!("at most the {capacity} bytes of the drive");
            return Err(self.job.error("filesize", None, expected));
        }
        match bytes.checked_sub(start) {
            Some(len) if len >= max => {
                let block = u64::from(self.drive.block_bytes);
                Ok(ByteRange { start, len: len / block * block })
            }
            _ => {
                let expected = format!("room for a request of {max} bytes behind byte {start}");
                Err(self.job.error("filesize", None, expected))
            }
        }
    }

    /// Where drawn requests go.
    fn distribution(&self, range: ByteRange) -> Result<Distribution, JobError> {
        let zones = match &self.job.pattern.distribution {
            DistributionSetting::Whole(distribution) => return Ok(distribution.clone()),
            DistributionSetting::Zoned(zones) => zones,
        };
        let of = |direction| match zones.of(direction) {
            Some(zones) => self.zones(zones, range),
            None => Ok(vec![Zone { percent: 100, start: 0, len: range.len }]),
        };
        Ok(Distribution::Zoned(PerDirection {
            read: of(Direction::Read)?,
            write: of(Direction::Write)?,
            trim: of(Direction::Trim)?,
        }))
    }

    fn zones(&self, settings: &[ZoneSetting], range: ByteRange) -> Result<Vec<Zone>, JobError> {
        let (mut start, mut percents) = (0_u64, 0_u64);
        let mut zones = Vec::new();
        for zone in settings {
            let end = match zone.size {
                ZoneSize::Bytes(bytes) => start.saturating_add(bytes),
                ZoneSize::Percent(share) => {
                    percents += u64::from(share);
                    percent(range.len, percents)
                }
            };
            if end > range.len {
                let expected = format!("zones of at most {} bytes in all", range.len);
                return Err(self.job.error("random_distribution", None, expected));
            }
            if zone.percent > 0 && end - start < self.max_bytes() {
                let found = format!("a zone of {} bytes", end - start);
                let expected = format!("room for a request of {} bytes", self.max_bytes());
                return Err(self.job.error("random_distribution", Some(found), expected));
            }
            zones.push(Zone { percent: zone.percent, start, len: end - start });
            start = end;
        }
        Ok(zones)
    }

    fn stepping(&self, range: ByteRange) -> Result<Stepping, JobError> {
        let pattern = &self.job.pattern;
        let (gap_bytes, run) = match pattern.kind.order {
            Order::Sequential { gap_bytes } => (gap_bytes, 1),
            Order::Random { run } => (0, run),
        };
        let block = i64::from(self.drive.block_bytes);
        if gap_bytes % block != 0 || gap_bytes.unsigned_abs() > range.len {
            let (found, len) = (format!("a gap of {gap_bytes} bytes"), range.len);
            let expected = format!(
                "a multiple of the logical block of {block} bytes, at most the {len} of the range"
            );
            return Err(self.job.error("rw", Some(found), expected));
        }
        let percents = &pattern.random_percent;
        let percent = |direction| percents.of(direction).unwrap_or(100);
        Ok(Stepping {
            gap_bytes,
            run,
            rest: pattern.rest,
            random_percent: PerDirection {
                read: percent(Direction::Read),
                write: percent(Direction::Write),
                trim: percent(Direction::Trim),
            },
        })
    }

    /// Refuses a job that is held back so much that it would not end within the time of a run.
    fn check_end(&self, stop: &Stop) -> Result<(), JobError> {
        let (min, None) = (self.min_bytes(), stop.runtime_ps) else { return Ok(()) };
        let by_bytes = stop.total_bytes.map_or(u64::MAX, |bytes| bytes / min);
        let requests = u128::from(by_bytes.min(stop.requests.unwrap_or(u64::MAX)));
        let second = u128::from(units::PS_PER_SECOND);
        let (days, most) = (second * 86_400, u128::from(units::LONGEST_PS));
        // All directions together reach the sum of their rates.
        let mut pace = Some(0_u128);
        for &direction in self.mix.directions() {
            let bytes_a_second = match self.rate(direction) {
                Rate::Unlimited => None,
                Rate::Bytes(bytes) => Some(u128::from(bytes)),
            };
            pace = pace.zip(bytes_a_second).map(|(sum, rate)| sum + rate);
        }
        let rated_ps = pace.map_or(0, |pace| requests * u128::from(min) * second / pace.max(1));
        let paused_ps = self
            .job
            .pace
            .think()
            .map_or(0, |think| requests / u128::from(think.blocks) * u128::from(think.time_ps));
        let (key, took_ps) = match (rated_ps > most, paused_ps > most) {
            (false, false) => return Ok(()),
            (true, _) if self.job.origin("rate").1.is_empty() => ("rate_iops", rated_ps),
            (true, _) => ("rate", rated_ps),
            (false, true) => ("thinktime", paused_ps),
        };
        let expected = format!(
            "a job of at most {} days, or a runtime: this one would take {}",
            most / days,
            took_ps / days
        );
        Err(self.job.error(key, None, expected))
    }

    /// As fio does, what is beyond the depth is cut to it, and 0 stands for the depth.
    fn batching(&self) -> Batching {
        let (depth, batch) = (self.job.jobs.iodepth, self.job.jobs.batch);
        let all = Batching::default();
        let or_depth = |count: u32| if count == 0 { depth } else { count.min(depth) };
        let complete_min = batch.complete_min.map(|count| count.clamp(1, depth));
        Batching {
            submit: batch.submit.map_or(all.submit, or_depth),
            complete_min: complete_min.unwrap_or(all.complete_min),
            complete_max: match (complete_min, batch.complete_max) {
                (least, Some(most)) => most.clamp(least.unwrap_or(1), depth),
                (Some(least), None) => least,
                (None, None) => all.complete_max,
            },
            low: batch.low.map_or(all.low, or_depth),
        }
    }

    fn stop(
        &self,
        (range, parts): (ByteRange, Option<&Parts>),
        access: &Access,
    ) -> Result<Stop, JobError> {
        let job = self.job;
        let of_file = |range: &ByteRange| range.len / self.min_bytes() * self.min_bytes();
        let range_bytes =
            parts.map_or(of_file(&range), |parts| parts.ranges.iter().map(of_file).sum());
        let wanted = match job.extent.io_size {
            // With `filesize`, `size` is what is moved, at most the file.
            None | Some(Amount::Bytes(0)) => match (job.extent.filesize, job.extent.size) {
                (Some(_), Some(Amount::Bytes(bytes))) if bytes > 0 => bytes.min(range_bytes),
                (Some(file), Some(Amount::Percent(p))) => {
                    let bytes = percent(file, p).min(range_bytes);
                    (bytes / self.min_bytes() * self.min_bytes()).max(self.min_bytes())
                }
                _ => range_bytes,
            },
            Some(Amount::Bytes(bytes)) => bytes,
            Some(Amount::Percent(p)) => {
                let all = parts.map_or(range.len, |_| range_bytes);
                percent(all, p) / self.min_bytes() * self.min_bytes()
            }
        };
        let loops = job.end.loops;
        let total = wanted.checked_mul(loops).ok_or_else(|| {
            let expected = "loops times the bytes of a pass below 16 EiB".to_string();
            job.error("loops", None, expected)
        })?;
        // fio counts a trim and its write as two requests, and doubles the limit to match.
        let share = if self.mix == Mix::TrimThenWrite { 2 } else { 1 };
        // As in fio, drawn offsets go on until `io_size`; what covers the range starts anew.
        let pass_bytes = match access {
            Access::Drawn(_) => range_bytes.max(wanted),
            Access::Sequential | Access::Covering => range_bytes,
        };
        // On a range that is not the whole drive, a walk with gaps ends where the range does, as fio's.
        let whole = range.start == 0 && range.len == self.drive.capacity_bytes;
        let gap = matches!(job.pattern.kind.order, Order::Sequential { gap_bytes: 1.. });
        let unbounded = job.end.time_based || job.extent.io_size.is_some();
        // As in fio, a walk of reads and writes goes on until one of them is at the end of the range.
        let mixes = matches!(self.mix, Mix::ReadWrite { .. });
        let walks = matches!(job.pattern.kind.order, Order::Sequential { gap_bytes: 0 });
        let by_sweeps =
            mixes && walks && parts.is_none() && !job.end.time_based && total > range_bytes;
        let by_files =
            parts.is_some() && !matches!(access, Access::Drawn(_)) && !job.end.time_based;
        // Trims and writes of different lengths walk once, and files end by themselves.
        let pairs = self.mix == Mix::TrimThenWrite && self.lengths.write != self.lengths.trim;
        let one_sweep = !unbounded && parts.is_none() && (pairs || gap && !whole);
        Ok(Stop {
            pass_bytes: if by_sweeps || by_files { total } else { pass_bytes },
            sweeps: match (one_sweep, by_sweeps) {
                (true, _) => Some(loops),
                (false, true) => Some(u64::MAX),
                (false, false) => None,
            },
            total_bytes: (!job.end.time_based).then_some(total),
            runtime_ps: job.end.runtime_ps,
            // As in fio, a job that is to last its time does.
            requests: (job.end.requests.filter(|_| !job.end.time_based))
                .map(|n| n.saturating_mul(loops).saturating_mul(share)),
        })
    }
}

/// The lengths that must suit the drive; any other is a multiple of one of them.
fn basic_lengths(lengths: &Lengths) -> Vec<u64> {
    match lengths {
        Lengths::Fixed(bytes) => vec![*bytes],
        Lengths::Range { min, .. } => vec![*min],
        Lengths::Split(list) => list.iter().map(|entry| entry.bytes).collect(),
    }
}

fn percent(whole: u64, percent: u64) -> u64 {
    (u128::from(whole) * u128::from(percent) / 100) as u64
}
