//! Throughput and latency over virtual time.

use crate::direction::Direction;
use crate::happenings::Happenings;
use crate::result::{seconds, RunResult};
use crate::series::Bin;
use chart::{short, Axis, Line, Plot, Scale, Stroke, Unit};

const PS_PER_NS: f64 = 1e3;

/// What happened in a span of virtual time.
struct Span {
    from_ps: u64,
    to_ps: u64,
    bin: Bin,
}

/// The course of a run.
pub(crate) struct History {
    spans: Vec<Span>,
    /// Directions in which jobs go.
    directions: Vec<Direction>,
    /// From when to when some job goes in a direction, by [`Direction`].
    active_ps: [Vec<(u64, u64)>; 3],
    happenings: Happenings,
}

impl History {
    /// The course of `run`; `None` when no request completed.
    pub(crate) fn of(run: &RunResult) -> Option<Self> {
        let spans = spans(run);
        spans.last()?;
        let directions = Direction::ALL
            .into_iter()
            .filter(|d| spans.iter().any(|span| span.bin.ios[*d as usize] > 0))
            .collect();
        let active_ps = Direction::ALL.map(|direction| {
            let goes = run.jobs.iter().filter(|job| job.directions[direction as usize].is_some());
            goes.map(|job| (job.start_ps, job.end_ps)).collect()
        });
        Some(Self { spans, directions, active_ps, happenings: Happenings::of(run) })
    }

    /// Bytes a second. Where nothing completed while a job went in the direction, it is zero.
    pub(crate) fn bandwidth(&self) -> Plot {
        let y = Axis { name: "bandwidth", unit: Unit::BytesPerSecond, scale: Scale::Linear };
        self.rates(y, |bin| bin.bytes)
    }

    /// Requests a second, likewise.
    pub(crate) fn iops(&self) -> Plot {
        let y = Axis { name: "requests / s", unit: Unit::Count, scale: Scale::Linear };
        self.rates(y, |bin| bin.ios)
    }

    fn rates(&self, y: Axis, amount: fn(&Bin) -> [u64; 3]) -> Plot {
        let line = |direction: Direction| {
            let nth = direction as usize;
            let value = |span: &Span| {
                let amount = amount(&span.bin)[nth];
                let rate = amount as f64 / seconds(span.to_ps - span.from_ps);
                (amount > 0 || self.is_active(direction, span)).then_some(rate)
            };
            self.line((direction.name().to_string(), nth, Stroke::Solid), value)
        };
        self.plot(y, self.directions.iter().copied().map(line).collect())
    }

    /// Mean and longest completion latency of what completed at the time.
    pub(crate) fn latency(&self) -> Plot {
        let y = Axis { name: "completion latency", unit: Unit::Nanoseconds, scale: Scale::Linear };
        let lines = |direction: Direction| {
            let (name, nth) = (direction.name(), direction as usize);
            let some = move |bin: &Bin, ns: f64| (bin.ios[nth] > 0).then_some(ns);
            let mean = move |span: &Span| {
                let sum_ns = span.bin.latency_ps[nth] as f64 / PS_PER_NS;
                some(&span.bin, sum_ns / span.bin.ios[nth] as f64)
            };
            let longest =
                move |span: &Span| some(&span.bin, span.bin.longest_ps[nth] as f64 / PS_PER_NS);
            [
                self.line((format!("{name}, mean"), nth, Stroke::Solid), mean),
                self.line((format!("{name}, longest"), nth, Stroke::Dashed), longest),
            ]
        };
        self.plot(y, self.directions.iter().copied().flat_map(lines).collect())
    }

    fn line(
        &self,
        (name, color, stroke): (String, usize, Stroke),
        value: impl Fn(&Span) -> Option<f64>,
    ) -> Line {
        let mut values: Vec<_> = self.spans.iter().map(|span| value(span).map(short)).collect();
        // The last value holds up to the end.
        values.push(values.last().copied().flatten());
        Line { name, color, stroke, job: None, values }
    }

    fn plot(&self, y: Axis, lines: Vec<Line>) -> Plot {
        let starts = self.spans.iter().map(|span| span.from_ps);
        let all = starts.chain(self.spans.last().map(|span| span.to_ps));
        let plot = Plot::of([Axis::TIME, y], all.map(|ps| ps as f64 / PS_PER_NS).collect(), lines);
        self.happenings.mark(plot.with_fitting_scale())
    }

    fn is_active(&self, direction: Direction, span: &Span) -> bool {
        let overlaps =
            |(start_ps, end_ps): &(u64, u64)| *start_ps < span.to_ps && span.from_ps < *end_ps;
        self.active_ps[direction as usize].iter().any(overlaps)
    }
}

/// The bins of the run. The last ends with the last request, and a short rest is part of the span before
/// it: its rate would say nothing.
fn spans(run: &RunResult) -> Vec<Span> {
    let (width_ps, end_ps) = (run.series.bin_width_ps(), run.series.end_ps());
    let start_of = |nth: usize| width_ps.saturating_mul(nth as u64);
    let mut spans: Vec<_> = run
        .series
        .bins()
        .iter()
        .enumerate()
        .map(|(nth, bin)| Span { from_ps: start_of(nth), to_ps: start_of(nth + 1), bin: *bin })
        .collect();
    let Some(last) = spans.last_mut() else { return spans };
    let rest_ps = end_ps.saturating_sub(last.from_ps);
    // A run may be no more than an instant.
    last.to_ps = last.from_ps.saturating_add(rest_ps.max(width_ps / 8));
    if rest_ps < width_ps / 2 && spans.len() > 1 {
        if let (Some(rest), Some(last)) = (spans.pop(), spans.last_mut()) {
            last.bin.add(&rest.bin);
            last.to_ps = rest.to_ps;
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{JobResult, Workload};
    use crate::series::{Series, Served};

    /// A job that reads from time zero up to `end_ps`, and completes requests of 1,000 bytes that take
    /// a nanosecond each at these times.
    fn run(times_ps: &[u64], end_ps: u64) -> RunResult {
        let workload = Workload {
            pattern: "read".into(),
            block_bytes: [(0, 0); 3],
            engine: "firmament".into(),
            depth: 1,
        };
        let mut job = JobResult::new("job", workload);
        job.open(Direction::Read, 0);
        job.end_ps = end_ps;
        let mut series = Series::new();
        for at_ps in times_ps {
            let served = Served { direction: Direction::Read, bytes: 1_000, latency_ps: 1_000 };
            series.record(*at_ps, served);
        }
        RunResult { jobs: vec![job], series, ..RunResult::default() }
    }

    fn only_line(chart: &Plot) -> &[Option<f64>] {
        assert_eq!(chart.lines.len(), 1);
        assert_eq!(chart.lines[0].values.len(), chart.at.len());
        &chart.lines[0].values
    }

    #[test]
    fn a_stall_is_zero_and_has_no_latency() {
        let width_ps = Series::new().bin_width_ps();
        let history = History::of(&run(&[0, 4 * width_ps - 1], 4 * width_ps)).unwrap();
        let bandwidth = history.bandwidth();
        let values = only_line(&bandwidth);
        assert_eq!(values[1..3], [Some(0.0); 2]);
        assert!(values[0] > Some(0.0) && values[3] > Some(0.0));
        let latency = history.latency();
        assert_eq!(latency.lines[0].values[..4], [Some(1.0), None, None, Some(1.0)]);
    }

    #[test]
    fn where_no_job_goes_there_is_no_line() {
        let width_ps = Series::new().bin_width_ps();
        let mut run = run(&[0, 4 * width_ps - 1], width_ps);
        let mut later = run.jobs[0].clone();
        (later.start_ps, later.end_ps) = (3 * width_ps, 4 * width_ps);
        run.jobs.push(later);
        let chart = History::of(&run).unwrap().bandwidth();
        assert_eq!(only_line(&chart)[1..3], [None; 2]);
        assert_eq!(chart.marks.len(), 2);
    }

    #[test]
    fn a_partial_last_bin_is_no_drop() {
        let width_ps = Series::new().bin_width_ps();
        // One request every eighth of a bin, to the end of the sixth eighth of the third bin.
        for eighths in [18, 22] {
            let times: Vec<_> = (1..=eighths).map(|nth| nth * width_ps / 8 - 1).collect();
            let chart = History::of(&run(&times, eighths * width_ps / 8)).unwrap().iops();
            let rate = 8e12 / width_ps as f64;
            for value in only_line(&chart) {
                assert!((value.unwrap() / rate - 1.0).abs() < 1e-3, "{value:?} is not {rate}");
            }
        }
    }
}
