//! Sections of the page that the operation monitor fills.

use crate::html::{Key, Section};
use crate::palette::SERIES;
use crate::plot_monitor::{
    count_text, plot_channels, plot_lines, rate_text, share_text, Lines, Value,
};
use crate::result::RunResult;
use monitor::Interval;
use std::io;

/// The sections, or none when the monitor was off.
pub(crate) fn monitored(run: &RunResult) -> io::Result<Vec<Section<'_>>> {
    let intervals = run.monitored.as_slice();
    if intervals.is_empty() {
        return Ok(Vec::new());
    }
    let lines = |values: Vec<Value<'static>>, text, name| {
        let lines = values.into_iter().enumerate().collect();
        plot_lines(intervals, &Lines { lines, text, name })
    };
    let moved: Vec<Value<'static>> = vec![
        Box::new(|i| Some(i.per_second(i.counts.read.bytes) as f64)),
        Box::new(|i| Some(i.per_second(i.counts.write.bytes) as f64)),
    ];
    let outstanding: Vec<Value<'static>> = vec![
        Box::new(|i| Some(i.counts.outstanding.host as f64)),
        Box::new(|i| Some(i.counts.outstanding.drive as f64)),
    ];
    let page_bytes = run.page_bytes;
    let amplification: Vec<Value<'static>> =
        vec![Box::new(move |i| i.write_amplification(page_bytes))];
    let section = |heading, note, plot, keys: &[&str]| Section {
        heading,
        note,
        plot: Some(plot),
        legend: keys
            .iter()
            .enumerate()
            .map(|(color, key)| Key::series((key.to_string(), color)))
            .collect(),
        left_out: 0,
    };
    Ok(vec![
        section(
            "Monitor: throughput",
            "Bytes a second that the host saw completed, interval by interval.",
            lines(moved, rate_text, "bandwidth")?,
            &["read", "write"],
        ),
        section(
            "Monitor: outstanding commands",
            "Commands that were not complete at the end of each interval.",
            lines(outstanding, count_text, "commands")?,
            &["handed out by the host", "in the drive"],
        ),
        section(
            "Monitor: channel utilisation",
            "Share of each interval in which a channel's bus was in use; the darker, the busier.",
            plot_channels(intervals)?,
            &[],
        ),
        section(
            "Monitor: write amplification",
            "Bytes programmed for each byte that the host wrote, in intervals in which it wrote.",
            lines(amplification, count_text, "factor")?,
            &[],
        ),
        modules(run, intervals)?,
    ])
}

/// The modules that took most time, as many as there are colours.
fn modules<'a>(run: &'a RunResult, intervals: &[Interval]) -> io::Result<Section<'a>> {
    let total = |module: usize| -> u64 {
        let spent = intervals.iter().filter_map(|i| i.counts.modules_ps.get(module));
        spent.fold(0, |sum, time_ps| sum.saturating_add(*time_ps))
    };
    let mut order: Vec<_> = (0..run.drive.modules.len()).filter(|&nth| total(nth) > 0).collect();
    order.sort_by_key(|&nth| std::cmp::Reverse(total(nth)));
    let left_out = order.len().saturating_sub(SERIES.len());
    order.truncate(SERIES.len());
    let value = |nth: usize| -> Value<'static> {
        Box::new(move |i| i.counts.modules_ps.get(nth).map(|time_ps| i.share(*time_ps)))
    };
    let lines = order.iter().enumerate().map(|(color, &nth)| (color, value(nth))).collect();
    let plot = plot_lines(intervals, &Lines { lines, text: share_text, name: "share of time" })?;
    let name =
        |(color, &nth): (usize, &usize)| Key::series((run.drive.modules[nth].name.clone(), color));
    Ok(Section {
        heading: "Monitor: firmware time by module",
        note:
            "Share of each interval that the processor spent in a module, idle polls not counted.",
        plot: Some(plot),
        legend: order.iter().enumerate().map(name).collect(),
        left_out,
    })
}
