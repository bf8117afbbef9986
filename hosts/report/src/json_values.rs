//! Values as fio has them in its JSON.

use crate::latency::{Latency, FIO_PERCENTILES};
use crate::moments::Moments;
use chart::number::finite;
use serde_json::{json, Value};

/// A number with six decimals, as fio writes; 0 for what is not finite.
pub(crate) fn number(value: f64) -> Value {
    json!(finite((value * 1e6).round() / 1e6))
}

/// fio's percentiles in nanoseconds, by their names.
pub(crate) fn percentiles(latency: &Latency) -> Value {
    named_percentiles(latency, &FIO_PERCENTILES)
}

/// The percentiles of a list, by the names that fio gives them.
pub(crate) fn named_percentiles(latency: &Latency, percentiles: &[f64]) -> Value {
    let named = percentiles
        .iter()
        .map(|&percentile| (format!("{percentile:.6}"), latency.percentile_ns(percentile).into()));
    Value::Object(named.collect())
}

/// fio's object of a latency, from moments in picoseconds.
pub(crate) fn moments(latency_ps: &Moments) -> Value {
    json!({
        "min": latency_ps.min() / 1_000,
        "max": latency_ps.max() / 1_000,
        "mean": number(latency_ps.mean() / 1e3),
        "stddev": number(latency_ps.standard_deviation() / 1e3),
        "N": latency_ps.count(),
    })
}
