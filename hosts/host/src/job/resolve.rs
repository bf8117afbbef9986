//! Fits jobs to a drive: defaults are filled in, percentages become bytes, limits are checked.

mod ending;
mod iolog;
mod logging;
mod places;

use std::collections::BTreeSet;

use super::apply::MAX_JOBS;
use super::blocksize;
use super::direction::{Direction, PerDirection};
use super::error::JobError;
use super::faults::Faults;
use super::files;
use super::handles::Handles;
use super::history::{BackOrder, GoingBack};
use super::pacing::{Pacing, Rate};
use super::parse::{Instead, JobFile};
use super::parts::Parts;
use super::settings::{DistributionSetting, OneLength, Order, RandomMap, Settings};
use super::spec::{
    Access, Batching, Distribution, DriveShape, EndFlush, Flushing, JobSpec, Lengths, Load, Mix,
    Namespace, Seeding, Steadiness, Timing, Verify,
};
use super::zoned::Zoned;

impl JobFile {
    /// Resolves every clone of every job against the drive, in the order of the file.
    ///
    /// # Errors
    /// A range beyond the drive, a length or offset that is not a multiple of the logical block, a
    /// range too small for one request, several drives, or more than 4096 clones in all.
    pub fn resolve(&self, namespaces: impl AsRef<[DriveShape]>) -> Result<Vec<JobSpec>, JobError> {
        let namespaces = namespaces.as_ref();
        let drive = namespaces[0];
        if let (Some(_), Some(_)) = (&self.instead, drive.zones) {
            let line = "nvme.command_set: found zoned, expected block for traces and programs: zones are written in order";
            return Err(JobError::Trace(line.to_owned()));
        }
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
                let namespace = files::namespace(job, namespaces)?;
                let drive = namespaces[namespace.id as usize - 1];
                let spec = Fitting::new(job, drive)?.spec(place, namespace)?;
                specs.push(job.played_back(spec, drive)?);
                jobs.push(job);
            }
        }
        files::lay_out(&jobs, &mut specs, namespaces)?;
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

    fn spec(self, standing: Standing, namespace: Namespace) -> Result<JobSpec, JobError> {
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
            namespace,
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
            pacing: self.pacing(),
            steering: job.steering.steering(),
            flush: Flushing {
                at_end: match (job.pattern.flush.at_end, job.pattern.close_flush) {
                    (EndFlush::No, EndFlush::No) => EndFlush::No,
                    _ => EndFlush::Yes,
                },
                ..job.pattern.flush
            },
            unit_access: job.pattern.unit_access(),
            handles: self.handles()?,
            zoned: self.zoned()?,
            verify: self.verify(going_back.as_ref()),
            faults: Faults { proof: job.pattern.proof(), ..job.faults },
            going_back,
            overlap: job.overlap,
            seeding: Seeding { salt: job.pattern.salt, passes: job.pattern.passes },
            report: job.report.clone(),
            logging: job.named_logs(),
            written: job.written.clone(),
            load: Load::Drawn,
            align_bytes: self.alignment(&access),
            access,
            lengths: self.lengths,
        })
    }

    fn handles(&self) -> Result<Option<Handles>, JobError> {
        let error = |key: &str, found, expected| self.job.error(key, found, expected);
        self.job.handles.fit(self.drive.placement_handles, error)
    }

    fn zoned(&self) -> Result<Option<Zoned>, JobError> {
        let error = |key: &str, found, expected| self.job.error(key, found, expected);
        self.job.zoned.fit(self.drive.zones, self.mix, error)
    }

    fn pacing(&self) -> Pacing {
        let pace = &self.job.pace;
        let rate = |direction| self.rate(direction);
        Pacing {
            rate: PerDirection {
                read: rate(Direction::Read),
                write: rate(Direction::Write),
                trim: rate(Direction::Trim),
            },
            process: pace.process,
            think: pace.think(),
            pauses: pace.pauses,
        }
    }

    /// Multiples of how many bytes offsets are. A sequential job ignores `ba`, as in fio.
    fn alignment(&self, access: &Access) -> PerDirection<u64> {
        match access {
            Access::Sequential => PerDirection {
                read: self.lengths.read.min_bytes(),
                write: self.lengths.write.min_bytes(),
                trim: self.lengths.trim.min_bytes(),
            },
            Access::Covering | Access::Drawn(_) => self.align,
        }
    }

    fn rate(&self, direction: Direction) -> Rate {
        self.job.pace.rate_of(direction, self.lengths.of(direction).min_bytes())
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
        let repeats = match pattern.kind.order {
            Order::Random { .. } => pattern.random_map == RandomMap::Absent || !uniform,
            Order::Sequential { gap_bytes } => gap_bytes < 0,
        };
        // A sequential job has no such map: fio goes back to it by file and offset.
        let order = match pattern.kind.order {
            Order::Random { .. } if !repeats => BackOrder::Written,
            Order::Random { .. } | Order::Sequential { .. } => BackOrder::Rising,
        };
        let back = self.job.back.going_back(order);
        let goes_back_between = back.verify.is_some() || back.trim.is_some();
        let at_its_end = (repeats || parts.is_some()) && !self.job.end.time_based;
        (goes_back_between || at_its_end).then_some(back)
    }

    /// Whether what was written is read back. As in fio, a job that lasts a time has no end at which it would be.
    fn verify(&self, back: Option<&GoingBack>) -> Verify {
        match (self.job.end.time_based, back) {
            (true, None) => Verify::Off,
            _ => self.job.pattern.verify(),
        }
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
