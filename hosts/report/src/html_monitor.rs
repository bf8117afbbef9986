//! Sections of the page that the operation monitor fills.

use crate::happenings::Happenings;
use crate::html_section::Section;
use crate::plot_channels::plot_channels;
use crate::result::RunResult;
use chart::{short, Axis, Line, Plot, Scale, Stroke, Unit};
use monitor::Interval;
use std::io;

/// Periods of the last interval's length below which it is part of the interval before.
const SHORT: u64 = 2;

/// A value of an interval, if it has one.
type Value<'a> = Box<dyn Fn(&Interval) -> Option<f64> + 'a>;

/// The sections, or none when the monitor was off.
pub(crate) fn monitored(run: &RunResult) -> io::Result<Vec<Section<'_>>> {
    let intervals = &whole_intervals(&run.monitored);
    if intervals.is_empty() {
        return Ok(Vec::new());
    }
    let happenings = Happenings::of(run);
    let moved: Vec<(String, Value<'_>)> = vec![
        ("read".into(), Box::new(|i| Some(i.per_second(i.counts.read.bytes) as f64))),
        ("write".into(), Box::new(|i| Some(i.per_second(i.counts.write.bytes) as f64))),
    ];
    let outstanding: Vec<(String, Value<'_>)> = vec![
        ("handed out by the host".into(), Box::new(|i| Some(i.counts.outstanding.host as f64))),
        ("in the drive".into(), Box::new(|i| Some(i.counts.outstanding.drive as f64))),
    ];
    let amplification: Vec<(String, Value<'_>)> =
        vec![("factor".into(), Box::new(|i| i.write_amplification(run.page_bytes)))];
    let section = |heading, note, body| Section { heading, note, body: Some(body) };
    let lines = |lines, name, unit| happenings.mark(plot(intervals, lines, (name, unit))).markup();
    Ok(vec![
        section(
            "Monitor: throughput",
            "Bytes a second that the host saw completed, interval by interval.",
            lines(moved, "bandwidth", Unit::BytesPerSecond)?,
        ),
        section(
            "Monitor: outstanding commands",
            "Commands that were not complete at the end of each interval.",
            lines(outstanding, "commands", Unit::Count)?,
        ),
        section(
            "Monitor: channel utilisation",
            "Share of each interval in which a channel's bus was in use; the darker, the busier.",
            plot_channels(intervals, &happenings)?,
        ),
        section(
            "Monitor: write amplification",
            "Bytes programmed for each byte that the host wrote, in intervals in which it wrote.",
            lines(amplification, "factor", Unit::Count)?,
        ),
        section(
            "Monitor: firmware time by module",
            "Share of each interval that the processor spent in a module, idle polls not counted.",
            lines(modules(run, intervals), "share of time", Unit::Percent)?,
        ),
    ])
}

/// The intervals, with a last interval that is much shorter than the others as part of the interval before: its
/// rates would say nothing.
fn whole_intervals(intervals: &[Interval]) -> Vec<Interval> {
    let mut whole = intervals.to_vec();
    if let [.., before, last] = intervals {
        if SHORT.saturating_mul(last.span_ps) < before.span_ps {
            whole.truncate(intervals.len() - 2);
            whole.push(last.joined(before));
        }
    }
    whole
}

/// Values over time, one line each.
fn plot(
    intervals: &[Interval],
    lines: Vec<(String, Value<'_>)>,
    (name, unit): (&'static str, Unit),
) -> Plot {
    let line = |(color, (name, value)): (usize, (String, Value<'_>))| {
        let mut values: Vec<_> = intervals.iter().map(|i| value(i).map(short)).collect();
        values.push(values.last().copied().flatten());
        Line { name, color, stroke: Stroke::Solid, job: None, values }
    };
    let starts = intervals.iter().map(|interval| interval.from_ps);
    let all = starts.chain(intervals.last().map(|last| last.to_ps));
    Plot::of(
        [Axis::TIME, Axis { name, unit, scale: Scale::Linear }],
        all.map(|ps| ps as f64 / 1e3).collect(),
        lines.into_iter().enumerate().map(line).collect(),
    )
    .with_fitting_scale()
}

/// The modules that took time, the greatest first.
fn modules<'a>(run: &RunResult, intervals: &[Interval]) -> Vec<(String, Value<'a>)> {
    let total = |module: usize| -> u64 {
        let spent = intervals.iter().filter_map(|i| i.counts.modules_ps.get(module));
        spent.fold(0, |sum, time_ps| sum.saturating_add(*time_ps))
    };
    let mut order: Vec<_> = (0..run.drive.modules.len()).filter(|&nth| total(nth) > 0).collect();
    order.sort_by_key(|&nth| std::cmp::Reverse(total(nth)));
    let line = |nth: usize| -> (String, Value<'a>) {
        let value = move |i: &Interval| {
            i.counts.modules_ps.get(nth).map(|time_ps| 100.0 * i.share(*time_ps))
        };
        (run.drive.modules[nth].name.clone(), Box::new(value))
    };
    order.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_last_interval_is_part_of_the_one_before() {
        let interval = |from_ps, span_ps| Interval {
            from_ps,
            to_ps: from_ps + span_ps,
            span_ps,
            ..Interval::default()
        };
        let of = |last_ps| {
            let whole =
                whole_intervals(&[interval(0, 10), interval(10, 10), interval(20, last_ps)]);
            (whole.len(), whole[whole.len() - 1].from_ps, whole[whole.len() - 1].to_ps)
        };
        assert_eq!(of(5), (3, 20, 25));
        assert_eq!(of(4), (2, 10, 24));
        assert_eq!(whole_intervals(&[interval(0, 1)]).len(), 1);
    }
}
