//! When a job ends.

use super::super::error::JobError;
use super::super::extent::ByteRange;
use super::super::pacing::Rate;
use super::super::parts::Parts;
use super::super::settings::Order;
use super::super::spec::{Access, Enough, Mix, Stop, Verify};
use super::super::units::{self, Amount};
use super::{percent, Fitting};

impl Fitting<'_> {
    /// Refuses a job that is held back so much that it would not end within the time of a run.
    pub(super) fn check_end(&self, stop: &Stop) -> Result<(), JobError> {
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

    pub(super) fn stop(
        &self,
        (range, parts): (ByteRange, Option<&Parts>),
        access: &Access,
    ) -> Result<Stop, JobError> {
        let job = self.job;
        let of_file = |range: &ByteRange| range.len / self.min_bytes() * self.min_bytes();
        let range_bytes =
            parts.map_or(of_file(&range), |parts| parts.ranges.iter().map(of_file).sum());
        // As in fio, a walk of reads and writes goes on until one of them is at the end of the range, or all
        // bytes are moved, the last request in full.
        let mixes = matches!(self.mix, Mix::ReadWrite { .. });
        let walks = matches!(job.pattern.kind.order, Order::Sequential { gap_bytes: 0 });
        let walks_as_mix = mixes && walks && parts.is_none();
        let wanted = match job.extent.io_size {
            // With `filesize`, `size` is what is moved, at most the file.
            None | Some(Amount::Bytes(0)) => match (job.extent.filesize, job.extent.size) {
                (Some(_), Some(Amount::Bytes(bytes))) if bytes > 0 => bytes.min(range_bytes),
                // A share of the file is the range.
                (Some(_), Some(Amount::Percent(_))) => range_bytes,
                _ if walks_as_mix => range.len.div_ceil(self.min_bytes()) * self.min_bytes(),
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
        let by_sweeps = walks_as_mix && !job.end.time_based && total > range_bytes;
        let by_files =
            parts.is_some() && !matches!(access, Access::Drawn(_)) && !job.end.time_based;
        // Trims and writes of different lengths walk once, and files end by themselves.
        let pairs = self.mix == Mix::TrimThenWrite && self.lengths.write != self.lengths.trim;
        let one_sweep = !unbounded && parts.is_none() && (pairs || gap && !whole);
        let pass_bytes = if by_sweeps || by_files { total } else { pass_bytes };
        Ok(Stop {
            pass_bytes: self.bytes_of_queued(range).filter(|_| by_sweeps).unwrap_or(pass_bytes),
            sweeps: match (one_sweep, by_sweeps) {
                (true, _) => Some(loops),
                // Without more to do than one pass, no second one is begun for what the first has left.
                (false, true) if loops == 1 && job.extent.io_size.is_none() => Some(1),
                (false, true) => Some(u64::MAX),
                (false, false) => None,
            },
            total_bytes: (!job.end.time_based).then_some(total),
            enough: self.enough(),
            runtime_ps: job.end.runtime_ps,
            // As in fio, a job that is to last its time does.
            requests: (job.end.requests.filter(|_| !job.end.time_based))
                .map(|n| n.saturating_mul(loops).saturating_mul(share)),
        })
    }

    /// As in fio, what a job reads back counts towards its `io_size`, by which whole passes are begun: none where less than a
    /// request would be left for it.
    fn enough(&self) -> Option<Enough> {
        let job = self.job;
        let Some(Amount::Bytes(wanted @ 1..)) = job.extent.io_size else { return None };
        let reads_back = job.pattern.verify() == Verify::ReadBack
            && !job.end.time_based
            && self.mix != Mix::TrimThenWrite;
        let bytes = (wanted + 1).saturating_sub(self.max_bytes());
        reads_back.then_some(Enough { passes: job.end.loops, bytes })
    }

    /// The bytes of a pass of a mix. fio counts them where requests are queued alone: a mix of depth 1 walks on, a deeper one starts
    /// anew behind its size.
    fn bytes_of_queued(&self, range: ByteRange) -> Option<u64> {
        let extent = &self.job.extent;
        let size = match (extent.filesize, extent.size) {
            (Some(_), Some(Amount::Bytes(bytes))) if bytes > 0 => bytes.min(range.len),
            _ => range.len,
        };
        (self.job.jobs.iodepth > 1).then_some(size)
    }
}
