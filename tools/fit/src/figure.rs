//! The figures of a measurement.

/// A figure of a job in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Requests a second.
    Iops,
    /// Mean of fio's total latency (`lat_ns`), or of the completion latency where that is all there is, in nanoseconds.
    Mean,
    /// Median of the completion latency, in nanoseconds.
    P50,
    /// 99th percentile of the completion latency, in nanoseconds.
    P99,
}

impl Figure {
    /// All of them.
    pub const ALL: [Figure; 4] = [Figure::Iops, Figure::Mean, Figure::P50, Figure::P99];

    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Iops => "IOPS",
            Figure::Mean => "mean",
            Figure::P50 => "p50",
            Figure::P99 => "p99",
        }
    }

    /// How many times the error of a measurement it may be off by. A job that keeps its queue full has its mean latency from
    /// its rate, so the two of them count as one figure; percentiles are known less well, the far one least.
    pub(crate) fn deviation(self) -> f64 {
        match self {
            Figure::Iops | Figure::Mean => std::f64::consts::SQRT_2,
            Figure::P50 => 2.0,
            Figure::P99 => 5.0,
        }
    }

    /// Fewest requests of which the figure tells something: ten have to lie beyond a percentile.
    pub(crate) fn fewest(self) -> u64 {
        match self {
            Figure::Iops | Figure::Mean => 1,
            Figure::P50 => 20,
            Figure::P99 => 1000,
        }
    }
}
