//! The figures of a row.

use report::{Direction, DirectionResult, RunResult};

/// Number of figures.
const COUNT: usize = FIGURES.len();

/// Their names, in order. A direction in which no request was done has none.
pub const FIGURES: [&str; 20] = [
    "read_iops",
    "read_mb_s",
    "read_mean_us",
    "read_p50_us",
    "read_p99_us",
    "read_p999_us",
    "write_iops",
    "write_mb_s",
    "write_mean_us",
    "write_p50_us",
    "write_p99_us",
    "write_p999_us",
    "write_amplification",
    "erases",
    "read_retries",
    "uncorrectable_reads",
    "buffer_hits_percent",
    "map_hits_percent",
    "channel_busy_percent",
    "processor_busy_percent",
];

/// What a run measured, in the order of [`FIGURES`].
#[derive(Clone, Debug, PartialEq)]
pub struct Figures(pub [Option<f64>; COUNT]);

impl Figures {
    /// Those of all jobs of a run together.
    pub(crate) fn of(mut run: RunResult) -> Figures {
        run.merge_all();
        let job = run.jobs.first();
        let [read, write] = [Direction::Read, Direction::Write]
            .map(|direction| of_direction(job.and_then(|job| job.active(direction))));
        let drive = &run.drive;
        let channels = &drive.channel_busy;
        let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
        let of_drive = [
            drive.write_amplification(),
            Some(drive.erases as f64),
            Some(drive.read_retries as f64),
            Some(drive.uncorrectable_reads as f64),
            percent(drive.buffer_hit_rate()),
            percent(drive.map.and_then(|map| map.hit_rate())),
            percent(Some(channels.iter().sum::<f64>() / channels.len().max(1) as f64)),
            percent(Some(drive.processor_busy)),
        ];
        let mut figures = [None; COUNT];
        let all = read.into_iter().chain(write).chain(of_drive);
        figures.iter_mut().zip(all).for_each(|(to, figure)| *to = figure);
        Figures(figures)
    }
}

/// Requests a second, 10^6 bytes a second, then mean and percentiles of fio's completion latency in microseconds.
fn of_direction(result: Option<&DirectionResult>) -> [Option<f64>; 6] {
    let Some(result) = result else { return [None; 6] };
    let percentile = |percent| result.clat.percentile_ns(percent) as f64 / 1e3;
    [
        result.iops(),
        result.bandwidth() / 1e6,
        result.clat.mean_ns() / 1e3,
        percentile(50.0),
        percentile(99.0),
        percentile(99.9),
    ]
    .map(Some)
}
