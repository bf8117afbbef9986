//! Fits traces to a drive: one job a trace, each with its part of it.

use std::sync::Arc;

use trace::{Kind, Survey};

use super::{FittedTrace, Placement, Remap, Replay, Tenant, Timing};
use crate::job::{
    from_pairs, Batching, ByteRange, DriveShape, JobError, JobSpec, Lengths, Load, PerDirection,
};

/// Most bytes of data buffers of all tenants together, unless one request alone needs more.
const MOST_BUFFER_BYTES: u64 = 1 << 30;

/// Fits tenants to a drive, each to an equal part of it, in their order.
///
/// # Errors
/// When a trace has no requests, no times where they matter, several volumes or addresses that do not fit without
/// a mapping, or more volumes or longer requests than its part can hold.
pub(crate) fn fit(
    (replay, tenants): (Replay, &[Tenant]),
    drive: DriveShape,
) -> Result<Vec<JobSpec>, JobError> {
    let block_bytes = u64::from(drive.block_bytes);
    let share = drive.capacity_bytes / tenants.len().max(1) as u64 / block_bytes * block_bytes;
    let fit = |(nth, tenant): (usize, &Tenant)| {
        let part = ByteRange { start: share * nth as u64, len: share };
        let room = Room { part, block_bytes, tenants: tenants.len() as u64 };
        room.job(replay, tenant, (nth as u32, drive))
    };
    tenants.iter().enumerate().map(fit).collect()
}

/// What a tenant gets.
struct Room {
    part: ByteRange,
    block_bytes: u64,
    tenants: u64,
}

impl Room {
    fn job(
        &self,
        replay: Replay,
        tenant: &Tenant,
        (index, drive): (u32, DriveShape),
    ) -> Result<JobSpec, JobError> {
        let survey = &tenant.survey;
        self.check(replay, tenant)?;
        let requests = |kind: Kind| survey.requests[kind as usize];
        let directions = [Kind::Read, Kind::Write, Kind::Trim].map(requests);
        let (least, most) = self.lengths(survey);
        let depth = match replay.timing {
            Timing::Depth(depth) | Timing::Stalls(depth) => depth,
            Timing::Arrival | Timing::Dependency => {
                let room = MOST_BUFFER_BYTES / self.tenants / most.max(1);
                replay.limit.min(u32::try_from(room).unwrap_or(u32::MAX)).max(1)
            }
        };
        let pattern = match directions {
            [0, 0, trims] if trims > 0 => "randtrim",
            [_, 0, _] => "randread",
            [0, _, _] => "randwrite",
            [..] => "randrw",
        };
        let option = |key: &str, value: String| (key.to_owned(), value);
        let options = [
            option("name", tenant.name.clone()),
            option("rw", pattern.to_owned()),
            option("bs", self.block_bytes.to_string()),
            option("iodepth", depth.to_string()),
        ];
        let [mut spec] = <[JobSpec; 1]>::try_from(from_pairs(&options)?.resolve(drive)?)
            .expect("one job has one clone");
        let placement = Placement::new(self.part, self.block_bytes, (replay.remap, &survey.ends));
        spec.index = index;
        spec.range = self.part;
        let lengths = Lengths::Range { min: least, max: most };
        spec.lengths =
            PerDirection { read: lengths.clone(), write: lengths.clone(), trim: lengths };
        spec.stop.total_bytes =
            Some(survey.bytes.iter().fold(0, |sum, &bytes| bytes.saturating_add(sum)));
        if replay.timing == Timing::Arrival {
            // As they come: each is handed over when it has come, alone.
            spec.batching = Batching { submit: 1, ..Batching::default() };
        }
        spec.written.retain(|(key, _)| key == "name");
        spec.written.push(option("iodepth", depth.to_string()));
        spec.load = Load::Trace(Arc::new(FittedTrace {
            replay,
            trace: tenant.trace.clone(),
            placement,
            requests: survey.all(),
            directions,
            rounded: survey.unaligned(self.block_bytes),
            weight: tenant.weight,
            window_ps: (0, None),
            path: tenant.trace.path.clone(),
        }));
        Ok(spec)
    }

    /// The fewest and the most bytes of reads and writes, rounded to blocks.
    fn lengths(&self, survey: &Survey) -> (u64, u64) {
        let (least, most) = survey.data_bytes;
        if most == 0 {
            return (self.block_bytes, self.block_bytes);
        }
        let blocks = most.div_ceil(self.block_bytes);
        // A request that begins within a block may touch one more.
        let more = u64::from(survey.unaligned(self.block_bytes) > 0);
        let most = ((blocks + more) * self.block_bytes).min(self.part.len.max(self.block_bytes));
        (least.next_multiple_of(self.block_bytes).min(most), most)
    }

    /// What cannot be replayed.
    fn check(&self, replay: Replay, tenant: &Tenant) -> Result<(), JobError> {
        let survey = &tenant.survey;
        let refuse = |key: &str, found: String, expected: String| {
            let file = tenant.trace.path.display();
            Err(JobError::Trace(format!("{file}: {key}: found {found}, expected {expected}")))
        };
        if survey.all() == 0 {
            return refuse("requests", "none".into(), "at least one".into());
        }
        if !survey.has_times && !matches!(replay.timing, Timing::Depth(_)) {
            let found = "a trace that does not tell when requests came".into();
            return refuse("times", found, "--depth, which needs no times".into());
        }
        let (len, volumes) = (self.part.len, survey.volumes());
        let end = survey.ends.iter().copied().max().unwrap_or(0);
        match replay.remap {
            Remap::None if volumes > 1 => {
                let expected =
                    "one, or --remap=volume, which puts them side by side, modulo or scale";
                refuse("volumes", volumes.to_string(), expected.into())
            }
            Remap::None if end.div_ceil(self.block_bytes) * self.block_bytes > len => {
                let expected = format!(
                    "at most {len}, which the trace's part of the drive has, or --remap=modulo, scale or volume"
                );
                refuse("addresses", format!("requests up to byte {end}"), expected)
            }
            Remap::Volume if (len / self.block_bytes) < volumes as u64 => {
                let expected =
                    format!("at most one for each of the {} blocks", len / self.block_bytes);
                refuse("volumes", volumes.to_string(), expected)
            }
            _ if len < self.block_bytes => {
                refuse("drive", format!("a part of {len} bytes"), "room for a block".into())
            }
            _ => Ok(()),
        }
    }
}
