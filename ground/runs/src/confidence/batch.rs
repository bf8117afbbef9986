//! What happened while equally many requests were done.

use crate::confidence::histogram::Histogram;
use crate::confidence::KINDS;

/// Bytes that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    /// By the host.
    pub host: f64,
    /// Into flash, with what has come to wait in the buffer; less than nothing where that has shrunk.
    pub flash: f64,
}

/// Latencies of one kind of requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies {
    pub count: u64,
    pub sum: u128,
    /// There if quantiles are asked for.
    pub histogram: Option<Histogram>,
}

impl Latencies {
    fn merge(&mut self, other: &Latencies) {
        self.count += other.count;
        self.sum += other.sum;
        match (&mut self.histogram, &other.histogram) {
            (Some(own), Some(more)) => own.merge(more),
            (own @ None, Some(more)) => *own = Some(more.clone()),
            (_, None) => {}
        }
    }
}

/// What equally many requests gave: latencies by kind, and bytes written.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub(crate) latencies: [Latencies; KINDS],
    pub(crate) written: Written,
    pub(crate) requests: u64,
}

impl Batch {
    /// Counts a request.
    #[inline]
    pub(crate) fn record(&mut self, kind: usize, latency: u64, has_quantiles: bool) {
        let latencies = &mut self.latencies[kind];
        latencies.count += 1;
        latencies.sum += u128::from(latency);
        if has_quantiles {
            latencies.histogram.get_or_insert_default().record(latency);
        }
        self.requests += 1;
    }

    /// Adds the batch behind it.
    pub(crate) fn merge(&mut self, other: &Batch) {
        for (own, more) in self.latencies.iter_mut().zip(&other.latencies) {
            own.merge(more);
        }
        self.written.host += other.written.host;
        self.written.flash += other.written.flash;
        self.requests += other.requests;
    }

    /// All of them as one.
    pub(crate) fn together(batches: &[Batch]) -> Batch {
        let mut all = Batch::default();
        batches.iter().for_each(|batch| all.merge(batch));
        all
    }
}
