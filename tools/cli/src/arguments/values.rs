//! Values of arguments, and what is said of one that cannot be used.

use std::fmt::Display;
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use host::job::seconds_ps;
use host::replay::Speed;
use monitor::Period;
use recipe::MOST_SEEDS;
use report::TerseVersion;
use runs::confidence::Asked;

/// The least that fio takes.
const SHORTEST_ETA: Duration = Duration::from_millis(250);

/// The name of a kind on the command line.
pub(super) fn named(kind: &impl ValueEnum) -> String {
    kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Takes whole numbers in a range.
pub(super) fn whole<N>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send
where
    N: FromStr + PartialOrd + Display + Clone + Send,
{
    move |text| {
        let found = text.parse().ok().filter(|number| range.contains(number));
        found.ok_or_else(|| format!("a whole number from {} to {}", range.start(), range.end()))
    }
}

pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("a key and a value, such as ftl.buffer_kib=8192".to_owned()),
    }
}

pub(super) fn monitor_file(text: &str) -> Result<PathBuf, String> {
    match text {
        "" | "-" => Err("a file".to_owned()),
        path => Ok(PathBuf::from(path)),
    }
}

pub(super) fn terse_version(text: &str) -> Result<TerseVersion, String> {
    match text {
        "2" => Ok(TerseVersion::V2),
        "3" => Ok(TerseVersion::V3),
        "4" => Ok(TerseVersion::V4),
        "5" => Ok(TerseVersion::V5),
        _ => Err("2, 3, 4 or 5".to_owned()),
    }
}

pub(super) fn interval_ps(text: &str) -> Result<u64, String> {
    match seconds_ps(text)? {
        0 => Err("a time above 0, such as 500ms".to_owned()),
        ps => Ok(ps),
    }
}

pub(super) fn interval(text: &str) -> Result<Duration, String> {
    Ok(Duration::from_nanos(interval_ps(text)? / 1000))
}

pub(super) fn eta_interval(text: &str) -> Result<Duration, String> {
    match interval(text)? {
        short if short < SHORTEST_ETA => Err("a time from 250ms".to_owned()),
        interval => Ok(interval),
    }
}

pub(super) fn monitor_interval(text: &str) -> Result<Period, String> {
    text.parse()
}

pub(super) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a whole number from 1".to_owned())
}

pub(super) fn seed(text: &str) -> Result<u64, String> {
    whole(0..=u64::MAX)(text)
}

/// Nanoseconds of a request issued, a request completed, a switch of tasks and a task woken.
#[cfg(target_os = "linux")]
pub(super) fn charges(text: &str) -> Result<linux::Charges, String> {
    text.parse()
}

pub(super) fn until(text: &str) -> Result<Asked, String> {
    text.parse().map_err(|wrong: runs::confidence::Wrong| wrong.expected.to_owned())
}

pub(super) fn seeds(text: &str) -> Result<NonZeroU32, String> {
    let most = NonZeroU32::new(MOST_SEEDS).expect("some seeds are allowed");
    whole(NonZeroU32::MIN..=most)(text)
}

/// A share, from a number of percent.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let percent: Option<f64> = text.strip_suffix('%').unwrap_or(text).parse().ok();
    let share =
        percent.filter(|percent| (0.01..=50.0).contains(percent)).map(|percent| percent / 100.0);
    share.ok_or_else(|| "a percentage from 0.01% to 50%".to_owned())
}

pub(super) fn trace_format(text: &str) -> Result<trace::Format, String> {
    // What was found in a layout is a part of it.
    trace::Format::of_name(text).map_err(|(found, expected)| match found == format!("\"{text}\"") {
        true => expected,
        false => format!("{expected} ({found} is not)"),
    })
}

pub(super) fn time_unit(text: &str) -> Result<trace::TimeUnit, String> {
    text.parse().map_err(|expected: &str| expected.to_owned())
}

pub(super) fn speed(text: &str) -> Result<Speed, String> {
    let factor = text.strip_suffix('x').unwrap_or(text).parse().ok();
    factor.and_then(Speed::of).ok_or_else(|| "a factor such as 2x or 0.5x".to_owned())
}

pub(super) fn response_ns(text: &str) -> Result<u64, String> {
    Ok(seconds_ps(text)? / 1000)
}
