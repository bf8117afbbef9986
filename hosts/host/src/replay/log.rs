//! A log of requests as the load of one job of a file, on the whole drive.

use std::sync::Arc;

use trace::{Kind, Survey, Trace};

use super::{FittedTrace, Narrowing, Placement, Remap, Replay, Speed, Timing, ASSUMED_RESPONSE_NS};
use crate::job::{ByteRange, DriveShape, JobSpec, Lengths, Load, Mix, PerDirection, Verify};

/// A log to play back.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// The log.
    pub(crate) trace: Trace,
    /// What is in it.
    pub(crate) survey: Survey,
    /// When its requests are issued.
    pub(crate) timing: Timing,
    /// How fast its clock runs.
    pub(crate) speed: Speed,
    /// What becomes of offsets.
    pub(crate) narrowing: Narrowing,
    /// Whether its files lie one behind another, or all requests go to the drive.
    pub(crate) remap: Remap,
}

/// The job with the log as its load.
///
/// # Errors
/// What is expected of a log, where this one has no requests or does not fit the drive.
pub(crate) fn fit_log(log: Log, mut spec: JobSpec, drive: DriveShape) -> Result<JobSpec, String> {
    let Log { trace, survey, timing, speed, narrowing, remap } = log;
    if survey.all() == 0 {
        return Err("a log with requests".to_string());
    }
    let block_bytes = u64::from(drive.block_bytes);
    let (least, most) = match survey.data_bytes {
        (_, 0) => (block_bytes, block_bytes),
        // A request that begins within a block may touch one more.
        (least, most) => (least, most.saturating_add(block_bytes)),
    };
    let (least, most) = (least.next_multiple_of(block_bytes), most.next_multiple_of(block_bytes));
    // A request may begin anywhere up to the end of the longest.
    let narrowed = |&end: &u64| match (end, narrowing == Narrowing::default()) {
        (0, _) | (_, true) => end,
        (end, false) => narrowing.of(end).saturating_add(most),
    };
    let mut ends: Vec<u64> = survey.ends.iter().map(narrowed).collect();
    if remap == Remap::None {
        ends = vec![ends.iter().copied().max().unwrap_or(0)];
    }
    let rounded = |&end: &u64| u128::from(end.div_ceil(block_bytes)) * u128::from(block_bytes);
    let needed: u128 = ends.iter().map(rounded).sum();
    if needed > u128::from(drive.capacity_bytes) {
        let capacity = drive.capacity_bytes;
        return Err(format!(
            "a log whose files end within the {capacity} bytes of the drive, not at {needed}, or a \
             replay_scale"
        ));
    }
    let part = ByteRange { start: 0, len: drive.capacity_bytes / block_bytes * block_bytes };
    let requests = |kind: Kind| survey.requests[kind as usize];
    let lengths = Lengths::Range { min: least.min(most), max: most };
    spec.lengths = PerDirection { read: lengths.clone(), write: lengths.clone(), trim: lengths };
    spec.mix = Mix::ReadWrite { read_percent: 50 };
    (spec.verify, spec.going_back, spec.parts) = (Verify::Off, None, None);
    spec.range = part;
    spec.stop.total_bytes = Some(survey.bytes.iter().fold(0, |sum, &n| n.saturating_add(sum)));
    spec.stop.requests = None;
    let replay =
        Replay { timing, speed, remap, limit: spec.iodepth, assumed_ns: ASSUMED_RESPONSE_NS };
    spec.load = Load::Trace(Arc::new(FittedTrace {
        replay,
        placement: Placement::new(part, block_bytes, (remap, &ends)).narrowed(narrowing),
        requests: survey.all(),
        directions: [Kind::Read, Kind::Write, Kind::Trim].map(requests),
        rounded: survey.unaligned(block_bytes),
        weight: None,
        window_ps: (spec.timing.delay_min_ps, spec.stop.runtime_ps),
        path: trace.path.clone(),
        trace,
    }));
    Ok(spec)
}
