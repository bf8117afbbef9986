//! The drive over time, its blocks, and its queues, as keys of the object `firmament`.

use crate::blocks::{BlockKind, BlockMap};
use crate::direction::Direction;
use crate::drive::{ChannelResult, Counted, HandleResult};
use crate::entry_waits::NAMES;
use crate::json_values::{moments, number, percentiles};
use crate::over_time::{mean, AmplificationByCause, Column, Look, Span, Told, COLUMNS};
use crate::queues::QueueResult;
use crate::result::{seconds, RunResult};
use machine::EntryWaits;
use serde_json::{json, Map, Value};

/// Percentiles of latency over time, by their keys.
pub(crate) const PERCENTILES: [(&str, f64); 3] = [("p50", 50.0), ("p99", 99.0), ("p99.9", 99.9)];

/// The drive over time: a list a column, with an element a step of time. `None` where nobody looked.
pub(crate) fn over_time(run: &RunResult) -> Option<Value> {
    if run.over_time.is_empty() {
        return None;
    }
    let spans: Vec<_> = run.over_time.spans().collect();
    let mut object = Map::new();
    let column = |value: &dyn Fn(&Span<'_>) -> Value| spans.iter().map(value).collect::<Value>();
    object.insert("from_s".into(), column(&|span| number(seconds(span.from_ps()))));
    object.insert("to_s".into(), column(&|span| number(seconds(span.to_ps()))));
    let is_told = run.drive.counted == Counted::ByFirmware;
    let told = |who: Told| COLUMNS.iter().filter(move |column| column.told == who);
    for Column { name, value, .. } in
        told(Told::OfAny).chain(told(Told::ByFirmware).filter(|_| is_told))
    {
        object.insert((*name).into(), column(&|span| json!(value(span))));
    }
    let of = |span: &Span<'_>| span.amplification(run.page_bytes);
    let all = |by: AmplificationByCause| number(by.values().iter().sum());
    object.insert("write_amplification".into(), column(&|span| of(span).map_or(Value::Null, all)));
    if is_told {
        let causes = AmplificationByCause::NAMES.iter().enumerate().map(|(nth, (_, key))| {
            let value = |by: AmplificationByCause| number(by.values()[nth]);
            ((*key).into(), column(&|span| of(span).map_or(Value::Null, value)))
        });
        object.insert("write_amplification_by_cause".into(), Value::Object(causes.collect()));
    }
    let dies = dies_a_channel(run);
    object.insert("channel_utilization".into(), column(&|span| number(mean(span.channels()))));
    object.insert("die_utilization".into(), column(&|span| number(mean(span.dies(dies)))));
    let by_channel = |span: &Span<'_>| span.channels().map(number).collect::<Value>();
    object.insert("utilization_by_channel".into(), column(&by_channel));
    Some(Value::Object(object))
}

/// How many dies share a channel of the drive.
pub(crate) fn dies_a_channel(run: &RunResult) -> usize {
    run.drive.way_busy.first().map_or(1, Vec::len)
}

/// Latency over time, by direction; `None` without requests.
pub(crate) fn latency_over_time(run: &RunResult) -> Option<Value> {
    let (width_ps, rows) = run.series.rows();
    let mut object = Map::new();
    let width = seconds(width_ps);
    object.insert("step_s".into(), json!(width));
    for direction in Direction::ALL {
        let Some(map) = run.series.latencies(direction) else { continue };
        let nth = direction as usize;
        let ns = |ps: u64| number(ps as f64 / 1e3);
        let mean = |row: &crate::series::Bin| match row.ios[nth] {
            0 => Value::Null,
            ios => number(row.latency_ps[nth] as f64 / ios as f64 / 1e3),
        };
        let mut own = Map::new();
        own.insert("requests".into(), rows.iter().map(|row| json!(row.ios[nth])).collect());
        own.insert("mean_ns".into(), rows.iter().map(mean).collect());
        for (name, percentile) in PERCENTILES {
            let at = |(nth, row): (usize, &crate::series::Bin)| {
                let found = map
                    .row(nth)
                    .percentile_ps(percentile)
                    .map(|ps| ps.min(row.longest_ps[direction as usize]));
                found.map_or(Value::Null, ns)
            };
            own.insert(format!("{name}_ns"), rows.iter().enumerate().map(at).collect());
        }
        let longest = |row: &crate::series::Bin| match row.ios[nth] {
            0 => Value::Null,
            _ => ns(row.longest_ps[nth]),
        };
        own.insert("longest_ns".into(), rows.iter().map(longest).collect());
        object.insert(direction.name().into(), Value::Object(own));
    }
    (object.len() > 1).then_some(Value::Object(object))
}

/// What went through each queue.
pub(crate) fn queues(queues: &[QueueResult]) -> Value {
    let queue = |queue: &QueueResult| {
        let mut object = Map::new();
        object.insert("id".into(), json!(queue.id));
        object.insert("jobs".into(), json!(queue.jobs));
        for (direction, latency) in queue.active() {
            let mut own = moments(latency.moments_ps());
            own["percentile"] = percentiles(latency);
            let bytes = queue.bytes[direction as usize];
            object.insert(direction.name().into(), json!({ "bytes": bytes, "latency_ns": own }));
        }
        Value::Object(object)
    };
    queues.iter().map(queue).collect()
}

/// The blocks at the end of the run.
pub(crate) fn blocks(map: &BlockMap) -> Value {
    let kinds = BlockKind::ALL.iter().zip(map.kinds);
    let kinds = kinds.map(|((_, _, key), count)| ((*key).into(), json!(count)));
    let steps = map.by_erases.len() as u32;
    let from = (0..steps).map(|step| map.least_erases + step * map.erases_a_step);
    json!({
        "by_kind": kinds.collect::<Map<_, _>>(),
        "closed_by_valid_share": map.by_valid,
        "by_erases": { "from": from.collect::<Vec<_>>(), "blocks": map.by_erases },
    })
}

/// What operations waited for on their buffer entries, in seconds, summed over all that waited.
pub(crate) fn entry_waits(waited: &EntryWaits) -> Value {
    let times = NAMES.iter().zip(waited.times_ps());
    let time = |((_, key), ps): (&(&str, &str), u64)| (format!("{key}_s"), number(seconds(ps)));
    Value::Object(times.map(time).collect())
}

/// What operations of commands did on each channel.
pub(crate) fn channels(channels: &[ChannelResult]) -> Value {
    let channel = |channel: &ChannelResult| {
        let [queued, served] = match channel.mean_ns() {
            Some(means) => means.map(number),
            None => [Value::Null, Value::Null],
        };
        let mut told = json!({
            "pages_read": channel.pages_read,
            "pages_programmed": channel.pages_programmed,
            "operations": channel.operations,
            "mean_queued_ns": queued,
            "mean_served_ns": served,
        });
        for (name, percentile) in PERCENTILES {
            let found = channel.latencies.percentile_ps(percentile);
            told[format!("{name}_ns")] = found.map_or(Value::Null, |ps| number(ps as f64 / 1e3));
        }
        told
    };
    channels.iter().map(channel).collect()
}

/// What came of the data of each placement handle.
pub(crate) fn handles(handles: &[HandleResult]) -> Value {
    let handle = |own: &HandleResult| {
        json!({
            "handle": own.handle,
            "bytes_written": own.bytes_written,
            "bytes_moved": own.bytes_moved,
            "blocks_collected": own.blocks_collected,
        })
    };
    handles.iter().map(handle).collect()
}

/// How much a counter of looks has grown over all of a run, for sections that are left out where there was nothing.
pub(crate) fn grown(run: &RunResult, counter: fn(&Look) -> u64) -> u64 {
    run.over_time.spans().map(|span| span.grown(counter)).sum()
}
