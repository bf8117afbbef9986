//! Collects a run, and says when it has enough.

use crate::confidence::asked::{Asked, Figure};
use crate::confidence::batch::{Batch, Written};
use crate::confidence::interval::Interval;
use crate::confidence::pulses::Pulses;
use crate::confidence::sections::{Sections, SECTIONS};
use crate::confidence::warm_up::warm_up;
use crate::confidence::KINDS;

/// Requests of a batch at first.
const FIRST_REQUESTS: u64 = 16;
/// Batches at which two become one.
const MOST: usize = 512;
/// Batches at which it is looked whether the figures are known: each time the run has grown by a third or by a half.
const LOOKS: [usize; 2] = [384, MOST];
/// And once at these, while batches are of the first size.
const FIRST_LOOK: usize = 256;
/// Requests beyond a quantile that each section has to have.
const BEYOND: f64 = 10.0;

/// A request that was done.
#[derive(Clone, Copy, Debug)]
pub struct Observation {
    /// Which kind of request, below [`KINDS`].
    pub kind: usize,
    /// How long the request took, in picoseconds.
    pub latency: u64,
}

/// Collects the requests of a run in batches.
#[derive(Clone, Debug)]
pub struct Collector {
    asked: Asked,
    has_quantiles: bool,
    batches: Vec<Batch>,
    current: Batch,
    /// Requests of a batch.
    requests: u64,
    pulses: [Pulses; KINDS],
}

/// A figure as it is known by now.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Which.
    pub figure: Figure,
    /// Of which kind of requests, if there is one for each.
    pub kind: Option<usize>,
    /// The figure and its interval.
    pub interval: Interval,
    /// Whether the interval is as narrow as was asked for, and can be trusted.
    pub is_good: bool,
}

/// What is known by now.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The figures that were asked for, of what happened.
    pub figures: Vec<Known>,
    /// Requests that were taken for warm-up and left out; none if the run has not settled, in which case the first half is.
    pub warm_up: Option<u64>,
    /// Requests that the figures are of.
    pub requests: u64,
    /// Sections that they lie in; 0 if they are too few.
    pub sections: usize,
}

impl Verdict {
    /// Whether all figures are known as well as was asked for.
    pub fn is_converged(&self) -> bool {
        self.warm_up.is_some()
            && !self.figures.is_empty()
            && self.figures.iter().all(|known| known.is_good)
    }
}

impl Collector {
    /// Collects for these figures.
    pub fn new(asked: Asked) -> Collector {
        Collector {
            has_quantiles: asked.has_quantiles(),
            asked,
            batches: Vec::with_capacity(MOST),
            current: Batch::default(),
            requests: FIRST_REQUESTS,
            pulses: std::array::from_fn(|_| Pulses::new()),
        }
    }

    /// What is asked for.
    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Takes a request.
    #[inline]
    pub fn record(&mut self, Observation { kind, latency }: Observation) {
        self.current.record(kind, latency, self.has_quantiles);
        self.pulses[kind].record(latency);
    }

    /// Whether the batch is to be closed.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.current.requests >= self.requests
    }

    /// Closes a batch, while which so much was written. Tells what is known after some of them.
    pub fn close(&mut self, written: Written) -> Option<Verdict> {
        self.current.written = written;
        self.batches.push(std::mem::take(&mut self.current));
        let count = self.batches.len();
        let is_first = self.requests == FIRST_REQUESTS && count == FIRST_LOOK;
        let verdict = (is_first || LOOKS.contains(&count)).then(|| self.verdict());
        if count == MOST {
            self.join();
        }
        verdict
    }

    /// Makes one batch of two.
    fn join(&mut self) {
        let mut batches =
            std::mem::replace(&mut self.batches, Vec::with_capacity(MOST)).into_iter();
        while let (Some(mut batch), Some(next)) = (batches.next(), batches.next()) {
            batch.merge(&next);
            self.batches.push(batch);
        }
        self.requests *= 2;
    }

    /// What is known by now. Requests behind the last batch do not count.
    pub fn verdict(&self) -> Verdict {
        let warm_up = self.warm_up();
        let Division { first, all, sections, halves } = self.divide(warm_up);
        let parts = Parts { all: &all, sections: &sections, halves: &halves };
        let kinds = |figure: &Figure| if figure.is_by_kind() { 0..KINDS } else { 0..1 };
        let figures =
            self.asked.figures.iter().flat_map(|figure| {
                kinds(figure).filter_map(|kind| self.known(*figure, kind, &parts))
            });
        let mut figures: Vec<Known> = figures.collect();
        if warm_up.is_none() {
            for known in &mut figures {
                (known.interval.half_width, known.is_good) = (None, false);
            }
        }
        let left_out: u64 = self.batches[..first].iter().map(|batch| batch.requests).sum();
        Verdict {
            figures,
            warm_up: warm_up.map(|_| left_out),
            requests: all.requests,
            sections: sections.len(),
        }
    }

    /// What is behind the warm-up, or the second half of a run that has not settled, in sections.
    fn divide(&self, warm_up: Option<usize>) -> Division {
        let kept = &self.batches[warm_up.unwrap_or(self.batches.len() / 2)..];
        // The rest of a division goes to the front, which is the likelier to be warm-up.
        let each = kept.len() / (2 * SECTIONS);
        if each == 0 {
            let first = self.batches.len() - kept.len();
            let all = Batch::together(kept);
            return Division { first, all, sections: Vec::new(), halves: Vec::new() };
        }
        let first = self.batches.len() - each * 2 * SECTIONS;
        let halves: Vec<Batch> = self.batches[first..].chunks(each).map(Batch::together).collect();
        let sections: Vec<Batch> = halves.chunks(2).map(Batch::together).collect();
        Division { first, all: Batch::together(&sections), sections, halves }
    }

    /// Batches at the front that are warm-up, by the series that takes longest; none if one has not settled.
    fn warm_up(&self) -> Option<usize> {
        let mut cut = 0;
        for (kind, pulses) in self.pulses.iter().enumerate() {
            let counts = self.batches.iter().map(|batch| batch.latencies[kind].count);
            if counts.clone().sum::<u64>() == 0 {
                continue;
            }
            let mut left = pulses.warm_up()?;
            let is_within = |count: u64| {
                let is_within = left > 0;
                left = left.saturating_sub(count);
                is_within
            };
            cut = cut.max(counts.map(is_within).take_while(|&is_within| is_within).count());
        }
        if self.asked.figures.contains(&Figure::WriteAmplification) {
            let factor = |batch| Figure::WriteAmplification.of(batch, 0);
            let factors: Option<Vec<f64>> = self.batches.iter().map(factor).collect();
            // Where some batches wrote nothing there is no such series.
            if let Some(factors) = factors {
                cut = cut.max(warm_up(&factors)?);
            }
        }
        (2 * cut <= self.batches.len()).then_some(cut)
    }

    /// A figure of a kind of requests; none if nothing of it happened.
    fn known(&self, figure: Figure, kind: usize, parts: &Parts<'_>) -> Option<Known> {
        let Asked { error, level, .. } = self.asked;
        let centre = figure.of(parts.all, kind)?;
        let of = |batches: &[Batch]| -> Option<Vec<f64>> {
            batches.iter().map(|batch| figure.of(batch, kind)).collect()
        };
        let sections = of(parts.sections).zip(of(parts.halves));
        let sections = sections
            .filter(|(sections, _)| !sections.is_empty())
            .map(|(sections, halves)| Sections { centre, sections, halves });
        let interval = sections.as_ref().map(|sections| sections.interval(level));
        let interval = interval.unwrap_or(Interval { mean: centre, half_width: None });
        let is_narrow = interval.relative().is_some_and(|width| width <= error);
        let is_deep = match figure {
            Figure::Quantile(share) => parts.sections.iter().all(|section| {
                (1.0 - share) * section.latencies[kind].count as f64 >= BEYOND - 1e-6
            }),
            _ => true,
        };
        let are_independent = sections.is_some_and(|sections| sections.are_independent());
        let is_good = is_narrow && is_deep && are_independent;
        let kind = figure.is_by_kind().then_some(kind);
        Some(Known { figure, kind, interval, is_good })
    }
}

/// What a run is divided into: batches from `first` on, as one, in sections of equal size, and in halves of these. Neither where
/// they are too few.
struct Division {
    first: usize,
    all: Batch,
    sections: Vec<Batch>,
    halves: Vec<Batch>,
}

/// What is left of a run, as one, in sections, and in halves of them.
struct Parts<'a> {
    all: &'a Batch,
    sections: &'a [Batch],
    halves: &'a [Batch],
}

#[cfg(test)]
#[path = "collector_tests.rs"]
mod tests;
