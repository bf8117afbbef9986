//! What happened between two readings of the table, and the rates that follow from it.

use contract::Cause;
use serde::{Deserialize, Serialize};

use crate::table::{Counts, Moved};

const PS_PER_SECOND: u128 = 1_000_000_000_000;

/// What happened in an interval of virtual time. Times count from the start of the first job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Start: a multiple of the period.
    pub from_ps: u64,
    /// End: the next multiple, or the end of the run.
    pub to_ps: u64,
    /// When the table was read: at the end of the first turn of the firmware's main loop that ended
    /// at `to_ps` or later.
    pub seen_ps: u64,
    /// Time from the reading before to this one, which the counters cover.
    pub span_ps: u64,
    /// What was counted in that time, and the levels at its end.
    #[serde(flatten)]
    pub counts: Counts,
}

/// What follows from the counters. Shares are 0 to 1, rounded to four digits; a span of nothing has
/// rates of nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rates {
    /// Reads a second.
    pub read_iops: u64,
    /// Writes a second.
    pub write_iops: u64,
    /// Bytes read a second.
    pub read_bytes_per_s: u64,
    /// Bytes written a second.
    pub write_bytes_per_s: u64,
    /// Mean latency of a read by part; none without reads.
    pub read_latency: Option<MeanLatency>,
    /// Mean latency of a write by part; none without writes.
    pub write_latency: Option<MeanLatency>,
    /// Pages programmed for each page's worth of bytes that the host wrote; none when it wrote none.
    pub write_amplification: Option<f64>,
    /// Share of time that the processor did not spend on turns that found nothing.
    pub processor_utilization: f64,
    /// Share of time that each channel's bus was in use.
    pub channel_utilization: Vec<f64>,
    /// Bytes of user data that each channel's bus carried a second.
    pub channel_bytes_per_s: Vec<u64>,
    /// Share of time that each chip was busy, by channel, then way.
    pub way_utilization: Vec<Vec<f64>>,
}

/// Mean time of a request, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MeanLatency {
    /// From the doorbell to the host's sight of the completion.
    pub mean_ps: u64,
    /// Of that, in the host interface.
    pub host_interface_ps: u64,
    /// Of that, in the firmware.
    pub firmware_ps: u64,
    /// Of that, in channels and chips.
    pub storage_ps: u64,
    /// The mean by cause, in the order of [`Cause::ALL`].
    pub causes_ps: [u64; Cause::COUNT],
}

impl Interval {
    /// This interval with the one before it.
    pub fn joined(&self, before: &Interval) -> Interval {
        Interval {
            from_ps: before.from_ps,
            to_ps: self.to_ps,
            seen_ps: self.seen_ps,
            span_ps: before.span_ps.saturating_add(self.span_ps),
            counts: self.counts.plus(&before.counts),
        }
    }

    /// So many of something, a second.
    pub fn per_second(&self, amount: u64) -> u64 {
        match self.span_ps {
            0 => 0,
            span => {
                let rate = u128::from(amount) * PS_PER_SECOND / u128::from(span);
                u64::try_from(rate).unwrap_or(u64::MAX)
            }
        }
    }

    /// A time as a share of the interval, 0 to 1.
    pub fn share(&self, time_ps: u64) -> f64 {
        match self.span_ps {
            0 => 0.0,
            span => (time_ps as f64 / span as f64).min(1.0),
        }
    }

    /// Share of time that the processor worked.
    pub fn processor_busy(&self) -> f64 {
        self.share(self.span_ps.saturating_sub(self.counts.idle_ps))
    }

    /// Bytes programmed for each byte that the host wrote; none when it wrote none.
    pub fn write_amplification(&self, page_bytes: u32) -> Option<f64> {
        let Counts { flash, write, .. } = &self.counts;
        let programmed = flash.programs.saturating_add(flash.moves) as f64 * f64::from(page_bytes);
        (write.bytes > 0).then(|| programmed / write.bytes as f64)
    }

    /// All rates, for pages of `page_bytes`.
    pub fn rates(&self, page_bytes: u32) -> Rates {
        let Counts { read, write, channels, .. } = &self.counts;
        let share = |time_ps: &u64| rounded(self.share(*time_ps));
        Rates {
            read_iops: self.per_second(read.requests),
            write_iops: self.per_second(write.requests),
            read_bytes_per_s: self.per_second(read.bytes),
            write_bytes_per_s: self.per_second(write.bytes),
            read_latency: read.mean(),
            write_latency: write.mean(),
            write_amplification: self.write_amplification(page_bytes).map(rounded),
            processor_utilization: rounded(self.processor_busy()),
            channel_utilization: channels.iter().map(|channel| share(&channel.busy_ps)).collect(),
            channel_bytes_per_s: channels
                .iter()
                .map(|c| self.per_second(c.read_bytes.saturating_add(c.programmed_bytes)))
                .collect(),
            way_utilization: channels
                .iter()
                .map(|channel| channel.ways_busy_ps.iter().map(share).collect())
                .collect(),
        }
    }
}

impl Moved {
    /// Mean latency; none without requests.
    pub fn mean(&self) -> Option<MeanLatency> {
        let mean = |sum: u64| sum.checked_div(self.requests);
        Some(MeanLatency {
            mean_ps: mean(self.latency_ps)?,
            host_interface_ps: mean(self.host_interface_ps)?,
            firmware_ps: mean(self.firmware_ps)?,
            storage_ps: mean(self.storage_ps)?,
            causes_ps: self.causes_ps.map(|sum| sum / self.requests),
        })
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ChannelUse, Flash};

    fn sample() -> Interval {
        Interval {
            to_ps: 1_000_000_000,
            seen_ps: 1_000_000_000,
            span_ps: 1_000_000_000,
            counts: Counts {
                write: Moved { requests: 2, bytes: 8192, latency_ps: 700, ..Moved::default() },
                channels: vec![ChannelUse {
                    busy_ps: 500_000_000,
                    read_bytes: 16_384,
                    programmed_bytes: 16_384,
                    ways_busy_ps: vec![0, 333_333_333],
                }],
                idle_ps: 250_000_000,
                flash: Flash { programs: 1, moves: 2, ..Flash::default() },
                ..Counts::default()
            },
            ..Interval::default()
        }
    }

    #[test]
    fn rates_follow_from_counters() {
        let rates = sample().rates(16_384);
        assert_eq!((rates.write_iops, rates.write_bytes_per_s), (2_000, 8_192_000));
        assert_eq!(rates.write_amplification, Some(6.0));
        assert_eq!(rates.write_latency.map(|latency| latency.mean_ps), Some(350));
        assert_eq!(rates.read_latency, None);
        assert_eq!(rates.processor_utilization, 0.75);
        assert_eq!(rates.channel_utilization, [0.5]);
        assert_eq!(rates.channel_bytes_per_s, [32_768_000]);
        assert_eq!(rates.way_utilization, [[0.0, 0.3333]]);
    }

    #[test]
    fn an_interval_of_nothing_has_rates_of_nothing() {
        let rates = Interval::default().rates(4096);
        assert_eq!((rates.read_iops, rates.processor_utilization), (0, 0.0));
        assert_eq!(rates.write_amplification, None);
    }

    #[test]
    fn joined_intervals_add_counters_and_keep_the_later_levels() {
        let mut later = sample();
        (later.from_ps, later.to_ps) = (1_000_000_000, 2_000_000_000);
        later.counts.outstanding.host = 7;
        let joined = later.joined(&sample());
        assert_eq!((joined.from_ps, joined.to_ps), (0, 2_000_000_000));
        assert_eq!(joined.counts.write.bytes, 16_384);
        assert_eq!(joined.counts.outstanding.host, 7);
        assert_eq!(joined.rates(16_384), sample().rates(16_384));
    }
}
