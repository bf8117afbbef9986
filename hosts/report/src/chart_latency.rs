//! Distribution of completion latencies: share of requests by latency, and the share not slower.

use crate::latency::Latency;
use chart::{short, Axis, Line, Plot, Scale, Stroke, Unit};

/// Steps in a factor of ten of latency: of shares, and of the cumulative lines.
const SHARE_STEPS: usize = 20;
const CUMULATIVE_STEPS: usize = 100;
/// Most values of all lines of a plot together; with many lines, steps are coarser.
const MOST_VALUES: usize = 40_000;

/// The completion latencies of a job in a direction.
pub(crate) struct Curve<'a> {
    /// Name of the curve in the legend.
    pub(crate) name: String,
    /// Row of the table of jobs that it belongs to.
    pub(crate) job: usize,
    /// Index of its colour.
    pub(crate) color: usize,
    /// The latencies, of which there are some.
    pub(crate) latency: &'a Latency,
}

/// Percent of requests in each step of latency.
pub(crate) fn shares(curves: &[Curve]) -> Plot {
    let steps = Steps::of(curves, SHARE_STEPS);
    let line = |curve: &Curve| {
        let counts = steps.counts(curve.latency);
        let percent = |count: &u64| 100.0 * *count as f64 / curve.latency.count() as f64;
        counts.iter().map(percent).map(short).map(Some).collect()
    };
    plot("share of requests", (curves, &steps), line)
}

/// Percent of requests that take at most so long.
pub(crate) fn cumulative(curves: &[Curve]) -> Plot {
    let steps = Steps::of(curves, CUMULATIVE_STEPS);
    let line = |curve: &Curve| {
        let mut reached = 0;
        let mut line = vec![Some(0.0)];
        line.extend(steps.counts(curve.latency).iter().map(|count| {
            reached += count;
            Some(short(100.0 * reached as f64 / curve.latency.count() as f64))
        }));
        // What is counted in a step is reached at its end.
        line.pop();
        line
    };
    plot("share at most this long", (curves, &steps), line)
}

fn plot(
    name: &'static str,
    (curves, steps): (&[Curve], &Steps),
    values: impl Fn(&Curve) -> Vec<Option<f64>>,
) -> Plot {
    let line = |curve: &Curve| Line {
        name: curve.name.clone(),
        color: curve.color,
        stroke: Stroke::Solid,
        job: Some(curve.job),
        values: values(curve),
    };
    Plot::of(
        [
            Axis { name: "completion latency", unit: Unit::Nanoseconds, scale: Scale::Log },
            Axis { name, unit: Unit::Percent, scale: Scale::Linear },
        ],
        (0..steps.count).map(|step| short(steps.edge(step))).collect(),
        curves.iter().map(line).collect(),
    )
}

/// Equal steps on a logarithmic axis, one more at the end than latencies reach.
struct Steps {
    a_decade: usize,
    first: usize,
    count: usize,
}

impl Steps {
    /// At most `a_decade` steps in a factor of ten.
    fn of(curves: &[Curve], a_decade: usize) -> Self {
        let bins = || curves.iter().flat_map(|curve| curve.latency.bins_ns());
        let shortest = bins().map(|(ns, _)| ns).min().unwrap_or(1);
        let longest = bins().map(|(ns, _)| ns).max().unwrap_or(1);
        let decades = (longest.max(1) as f64 / shortest.max(1) as f64).log10() + 1.0;
        let room = MOST_VALUES as f64 / curves.len().max(1) as f64 / decades;
        let a_decade = a_decade.min((room as usize).max(1));
        let mut steps = Self { a_decade, first: 0, count: 0 };
        steps.first = steps.holding(shortest).saturating_sub(1);
        steps.count = steps.holding(longest) + 2 - steps.first;
        steps
    }

    /// Number of the step, from 1 ns on, that holds a latency.
    fn holding(&self, ns: u64) -> usize {
        ((ns.max(1) as f64).log10() * self.a_decade as f64).floor() as usize
    }

    /// Where a step begins, in nanoseconds.
    fn edge(&self, step: usize) -> f64 {
        10f64.powf((self.first + step) as f64 / self.a_decade as f64)
    }

    /// Requests in each step.
    fn counts(&self, latency: &Latency) -> Vec<u64> {
        let mut counts = vec![0; self.count];
        for (middle_ns, count) in latency.bins_ns() {
            counts[self.holding(middle_ns) - self.first] += count;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values_ns: &[u64]) -> Latency {
        let mut latency = Latency::new();
        values_ns.iter().for_each(|ns| latency.record(1_000 * ns));
        latency
    }

    fn curve(latency: &Latency) -> Curve<'_> {
        Curve { name: "a".to_string(), job: 0, color: 0, latency }
    }

    fn values(chart: &Plot) -> Vec<f64> {
        assert!(chart.at.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(chart.at.len(), chart.lines[0].values.len());
        chart.lines[0].values.iter().map(|value| value.unwrap()).collect()
    }

    #[test]
    fn shares_are_zero_between_modes_and_add_up() {
        let latency = of(&[1_000, 1_000, 1_000_000, 1_000_000]);
        let chart = shares(&[curve(&latency)]);
        let values = values(&chart);
        assert_eq!(values.iter().filter(|share| **share == 50.0).count(), 2);
        assert_eq!(values.iter().sum::<f64>(), 100.0);
        assert_eq!((values[0], values[values.len() - 1]), (0.0, 0.0));
    }

    #[test]
    fn the_cumulative_line_rises_from_none_to_all() {
        let latency = of(&[10, 100, 1_000, 1_000_000]);
        let chart = cumulative(&[curve(&latency)]);
        let values = values(&chart);
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!((values[0], values[values.len() - 1]), (0.0, 100.0));
        let reached = |ns: f64| values[chart.at.iter().rposition(|at| *at <= ns).unwrap()];
        assert_eq!((reached(50.0), reached(500.0), reached(500_000.0)), (25.0, 50.0, 75.0));
    }

    #[test]
    fn many_curves_have_coarser_steps() {
        let latency = of(&[1, 3_600_000_000_000]);
        let curves: Vec<_> = (0..4_000).map(|_| curve(&latency)).collect();
        assert!(cumulative(&curves).at.len() * curves.len() <= 2 * MOST_VALUES);
        assert!(cumulative(&curves[..1]).at.len() > 1_000);
    }
}
