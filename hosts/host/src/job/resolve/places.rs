//! Where on the drive a job works: its range, its files, and how offsets are spread over them.

use super::super::direction::{Direction, PerDirection};
use super::super::error::JobError;
use super::super::extent::ByteRange;
use super::super::parts::{self, Parts};
use super::super::settings::{DistributionSetting, Fill, Order, ZoneSetting, ZoneSize};
use super::super::spec::{Distribution, Stepping, Zone};
use super::super::units::Amount;
use super::{percent, Fitting};

impl Fitting<'_> {
    pub(super) fn range(&self, clone: u32) -> Result<ByteRange, JobError> {
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
    pub(in super::super) fn file_count(&self) -> u64 {
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
    pub(super) fn parts(&self, range: ByteRange) -> Result<Option<Parts>, JobError> {
        let (files, extent, count) = (self.job.files, &self.job.extent, self.file_count());
        if count == 1 {
            return Ok(None);
        }
        let (capacity, block) = (self.drive.capacity_bytes, u64::from(self.drive.block_bytes));
        let (min, max) = (self.min_bytes(), self.max_bytes());
        let share = capacity / count / block * block;
        // Bytes of each file, and how many have a request more.
        let (len, more) = match (extent.filesize, extent.size) {
            (Some(bytes), Some(Amount::Percent(p))) => {
                (self.share_of(bytes, p).min(bytes.saturating_sub(range.start)), 0)
            }
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

    /// The range of a job on a file of `bytes` at the start of the drive (`filesize`). As in fio, a `size` in percent is a part
    /// of the file in which all requests stay, and one in bytes says how much is moved.
    fn file(&self, start: u64, bytes: u64) -> Result<ByteRange, JobError> {
        let (capacity, max) = (self.drive.capacity_bytes, self.max_bytes());
        if bytes > capacity {
            let expected = format!("at most the {capacity} bytes of the drive");
            return Err(self.job.error("filesize", None, expected));
        }
        match bytes.checked_sub(start) {
            Some(len) if len >= max => {
                let block = u64::from(self.drive.block_bytes);
                let part = match self.job.extent.size {
                    Some(Amount::Percent(p)) => self.share_of(bytes, p),
                    None | Some(Amount::Bytes(_)) => len,
                };
                Ok(ByteRange { start, len: len.min(part) / block * block })
            }
            _ => {
                let expected = format!("room for a request of {max} bytes behind byte {start}");
                Err(self.job.error("filesize", None, expected))
            }
        }
    }

    /// A share of a file in whole requests, at least one.
    fn share_of(&self, file_bytes: u64, share: u64) -> u64 {
        let min = self.min_bytes();
        (percent(file_bytes, share) / min * min).max(min)
    }

    /// Where drawn requests go.
    pub(super) fn distribution(&self, range: ByteRange) -> Result<Distribution, JobError> {
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

    pub(super) fn stepping(&self, range: ByteRange) -> Result<Stepping, JobError> {
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
}
