//! Which option sets what.

mod back;
mod files;
mod iolog;
mod logging;
mod steering;

use nvme::io::UnitAccess;
use report::LatencyKind;

use super::blocksize;
use super::handles;
use super::overlap::Overlap;
use super::pacing::PausesInRates;
use super::settings::{Fill, RandomMap, Settings};
use super::spec::{EndFlush, Grouping, OnEnd, Passes, Verify};
use super::units::{self, KbBase, Reading, PS_PER_SECOND};
use super::values;

const PS_PER_MICROSECOND: u64 = PS_PER_SECOND / 1_000_000;
/// NVMe 1.4 section 4.1.3: a queue has at most 65,536 entries, one of which stays free.
const MAX_IODEPTH: u64 = 65_535;
/// fio's own bound (`--max-jobs`).
pub(super) const MAX_JOBS: u64 = 4096;

/// Whether an option is a setting of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Applied {
    Yes,
    NotASetting,
}

impl Settings {
    /// Acts on one option if it is a setting of a job. `key` is its canonical name.
    pub(super) fn apply(&mut self, key: &str, value: &str) -> Reading<Applied> {
        if self.apply_pattern(key, value)? == Applied::Yes
            || self.apply_sizes(key, value)? == Applied::Yes
            || self.apply_times(key, value)? == Applied::Yes
            || self.apply_logging(key, value)? == Applied::Yes
            || self.apply_durability(key, value)? == Applied::Yes
            || self.apply_batches(key, value)? == Applied::Yes
            || self.apply_steadiness(key, value)? == Applied::Yes
            || self.apply_priorities(key, value)? == Applied::Yes
            || self.apply_faults(key, value)? == Applied::Yes
            || self.apply_back(key, value)? == Applied::Yes
            || self.apply_files(key, value)? == Applied::Yes
            || self.apply_iolog(key, value)? == Applied::Yes
            || self.apply_steering(key, value)? == Applied::Yes
            || self.apply_handles(key, value)? == Applied::Yes
            || self.apply_zoned(key, value)? == Applied::Yes
        {
            return Ok(Applied::Yes);
        }
        self.apply_job(key, value)
    }

    fn apply_pattern(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let pattern = &mut self.pattern;
        let percent = |text: &str| units::count(text, 0, 100).map(|p| p as u8);
        match key {
            "rw" => {
                pattern.kind = values::read_pattern(value, |text| units::size(text, self.kb_base))?
            }
            "rwmixread" => pattern.read_percent = percent(value)?,
            "rwmixwrite" => pattern.read_percent = 100 - percent(value)?,
            "rw_sequencer" => pattern.rest = values::read_sequencer(value)?,
            "random_distribution" => {
                let size = |text: &str| units::size(text, self.kb_base);
                pattern.distribution = values::read_distribution(value, size)?;
            }
            "percentage_random" => pattern.random_percent = units::per_direction(value, percent)?,
            "norandommap" => {
                pattern.random_map =
                    if units::boolean(value)? { RandomMap::Absent } else { RandomMap::Kept }
            }
            "randseed" => pattern.salt = units::count(value, 0, u64::MAX)?,
            "randrepeat" => {
                pattern.passes =
                    if units::boolean(value)? { Passes::Alike } else { Passes::Different }
            }
            "verify" => pattern.verify = values::read_verify(value)?,
            "serialize_overlap" => {
                self.overlap =
                    if units::boolean(value)? { Overlap::Serialized } else { Overlap::Allowed }
            }
            "do_verify" => {
                pattern.do_verify =
                    if units::boolean(value)? { Verify::ReadBack } else { Verify::Off }
            }
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    fn apply_durability(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let pattern = &mut self.pattern;
        let writes = |text| units::count(text, 0, u64::MAX).map(|n| Some(n).filter(|&n| n > 0));
        let flush = |text| {
            units::boolean(text).map(|at_end| match at_end {
                true => EndFlush::Yes,
                false => EndFlush::No,
            })
        };
        let forced = |text| {
            units::boolean(text).map(|forced| match forced {
                true => UnitAccess::Forced,
                false => UnitAccess::Normal,
            })
        };
        match key {
            "fsync" => pattern.flush.fsync_writes = writes(value)?,
            "fdatasync" => pattern.flush.fdatasync_writes = writes(value)?,
            "end_fsync" => pattern.flush.at_end = flush(value)?,
            "fsync_on_close" => pattern.close_flush = flush(value)?,
            "sync" => pattern.sync = values::read_sync(value)?,
            "readfua" => pattern.readfua = forced(value)?,
            "writefua" => pattern.writefua = forced(value)?,
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    fn apply_batches(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let batch = &mut self.jobs.batch;
        let requests = units::count(value, 0, MAX_IODEPTH).map(|count| Some(count as u32));
        match key {
            "iodepth_batch" => batch.submit = requests?,
            "iodepth_batch_complete_min" => batch.complete_min = requests?,
            "iodepth_batch_complete_max" => batch.complete_max = requests?,
            "iodepth_low" => batch.low = requests?,
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    fn apply_steadiness(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let (base, end) = (self.kb_base, &mut self.end);
        let seconds = |text| units::time_ps(text, PS_PER_SECOND);
        match key {
            "steadystate" => {
                let size = |text: &str| units::size(text, base);
                end.steady = Some(values::read_steadiness(value, size)?);
            }
            "steadystate_duration" => {
                end.steady_duration_ps = seconds(value)?;
                if end.steady_duration_ps % PS_PER_SECOND != 0 {
                    return Err("whole seconds: rates are those of seconds".to_string());
                }
            }
            "steadystate_ramp_time" => end.steady_ramp_ps = seconds(value)?,
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    /// Priorities of commands are checked and no more: `checks::remarks` says why.
    fn apply_priorities(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let base = self.kb_base;
        let numbers = |low, high| {
            units::per_direction(value, |text: &str| units::count(text, low, high)).map(|_| ())
        };
        match key {
            "cmdprio_percentage" => numbers(0, 100)?,
            "cmdprio_class" => numbers(1, 3)?,
            "cmdprio" => numbers(0, 7)?,
            "cmdprio_bssplit" => {
                let size = |text: &str| units::size(text, base);
                units::per_direction(value, |text: &str| values::check_priorities(text, size))?;
            }
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    fn apply_sizes(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let base = self.kb_base;
        let size = |text: &str| match units::size(text, base)? {
            0 => Err("a size above 0".to_string()),
            bytes => Ok(bytes),
        };
        let amount = |text| units::amount(text, base).map(Some);
        let (lengths, extent) = (&mut self.lengths, &mut self.extent);
        match key {
            "bs" => lengths.fixed = units::per_direction(value, size)?,
            "bsrange" => {
                lengths.range = units::per_direction(value, |text| units::range(text, size))?
            }
            "bssplit" => {
                lengths.split =
                    units::per_direction(value, |text| blocksize::read_split(text, size))?
            }
            "ba" => lengths.align = units::per_direction(value, size)?,
            "size" => extent.size = amount(value)?,
            "filesize" => {
                let (low, high) = units::range(value, size)?;
                if low != high {
                    return Err("one size: that of the file is not drawn".to_string());
                }
                extent.filesize = Some(low);
            }
            "io_size" => extent.io_size = amount(value)?,
            "offset" => extent.offset = amount(value)?,
            "offset_increment" => extent.offset_increment = amount(value)?,
            "fill_device" => {
                extent.fill = if units::boolean(value)? { Fill::ToTheEnd } else { Fill::No }
            }
            "offset_align" => extent.offset_align = units::size(value, base)?,
            "rate" => self.pace.rate = units::per_direction(value, |text| units::rate(text, base))?,
            "rate_iops" => {
                let rate = |text: &str| units::rate(text, KbBase::Traditional);
                self.pace.rate_iops = units::per_direction(value, rate)?;
            }
            "rate_process" => self.pace.process = values::read_process(value)?,
            "kb_base" => {}
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    fn apply_times(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let seconds = |text: &str| units::time_ps(text, PS_PER_SECOND);
        let (end, pace) = (&mut self.end, &mut self.pace);
        match key {
            "runtime" => end.runtime_ps = Some(seconds(value)?).filter(|&ps| ps > 0),
            "time_based" => end.time_based = units::boolean(value)?,
            // fio does one pass for 0 too.
            "loops" => end.loops = units::count(value, 0, u64::from(u32::MAX))?.max(1),
            "number_ios" => {
                end.requests = Some(units::count(value, 0, u64::MAX)?).filter(|&n| n > 0)
            }
            "ramp_time" => pace.ramp_ps = seconds(value)?,
            "startdelay" => pace.delay_ps = units::range(value, seconds)?,
            "thinktime" => pace.think_ps = units::time_ps(value, PS_PER_MICROSECOND)?,
            "thinktime_blocks" => pace.think_blocks = Some(units::count(value, 1, u64::MAX)?),
            "thinktime_blocks_type" => pace.think_counts = values::read_think_count(value)?,
            "thinktime_iotime" => {
                let every_ps = units::time_ps(value, PS_PER_MICROSECOND)?;
                pace.think_every_ps = Some(every_ps).filter(|&ps| ps > 0);
            }
            "rate_ignore_thinktime" => {
                pace.pauses = match units::boolean(value)? {
                    true => PausesInRates::LeftOut,
                    false => PausesInRates::Counted,
                }
            }
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    fn apply_faults(&mut self, key: &str, value: &str) -> Reading<Applied> {
        match key {
            "max_latency" => {
                let most = |text: &str| match units::time_ps(text, PS_PER_MICROSECOND)? {
                    0 => Ok(u64::MAX),
                    ps => Ok(ps),
                };
                let most = units::per_direction(value, most)?;
                self.faults.most_latency_ps = most.or(u64::MAX);
            }
            "continue_on_error" => self.faults.after = values::read_continue(value)?,
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    fn apply_handles(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let own = &mut self.handles;
        match key {
            "fdp" => own.ask("fdp", units::boolean(value)?),
            "dataplacement" => own.ask("dataplacement", handles::read_placement(value)?),
            "plids" => own.indices = handles::read_indices(value)?,
            "plid_select" => own.selection = handles::read_selection(value)?,
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    fn apply_zoned(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let base = self.kb_base;
        let is_own = self.zoned.apply(key, value, |text| units::size(text, base))?;
        Ok(if is_own { Applied::Yes } else { Applied::NotASetting })
    }

    fn apply_job(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let (jobs, report) = (&mut self.jobs, &mut self.report);
        match key {
            "name" => self.name = value.to_string(),
            "description" => self.description = value.to_string(),
            "iodepth" => jobs.iodepth = units::count(value, 1, MAX_IODEPTH)? as u32,
            "numjobs" => jobs.numjobs = units::count(value, 1, MAX_JOBS)? as u32,
            "stonewall" => jobs.stonewall = units::boolean(value)?,
            "new_group" => jobs.new_group = units::boolean(value)?,
            "exitall" => {
                jobs.on_end = if units::boolean(value)? { OnEnd::EndGroup } else { OnEnd::Continue }
            }
            "group_reporting" => {
                report.grouping =
                    if units::boolean(value)? { Grouping::Summed } else { Grouping::Each }
            }
            "unified_rw_reporting" => report.unified = values::read_unified(value)?,
            // Kept for `checks` and `files`.
            "ioengine" | "directory" => {}
            "percentile_list" => report.percentiles.list = values::read_percentiles(value)?,
            "slat_percentiles" | "clat_percentiles" | "lat_percentiles" => {
                let kind = match key {
                    "slat_percentiles" => LatencyKind::Submission,
                    "clat_percentiles" => LatencyKind::Completion,
                    _ => LatencyKind::Total,
                };
                match units::boolean(value)? {
                    true => report.percentiles.add(kind),
                    false => report.percentiles.remove(kind),
                }
            }
            "direct" | "buffered" => {
                units::boolean(value)?;
            }
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }
}
