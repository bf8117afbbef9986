//! Options whose values are words, or words with numbers.

use nvme::io::UnitAccess;
use report::{SteadyCriterion, SteadyLimit, Unified};

use super::direction::Direction;
use super::faults::AfterFault;
use super::pacing::{RateProcess, ThinkCount};
use super::settings::{Directions, DistributionSetting, Order, PatternKind, ZoneSetting, ZoneSize};
use super::spec::{Distribution, RunRest, Verify};
use super::units::{self, Reading};

/// Most zones that fio takes for one direction.
const MAX_ZONES: usize = 256;

/// Reads `rw`, with a gap behind a sequential pattern and a number of requests behind a random one.
pub(super) fn read_pattern(
    text: &str,
    size: impl Fn(&str) -> Reading<u64>,
) -> Reading<PatternKind> {
    let (name, suffix) = match text.split_once(':') {
        Some((name, suffix)) => (name, Some(suffix.trim())),
        None => (text, None),
    };
    let (random, rest) = match name.strip_prefix("rand") {
        Some(rest) => (true, rest),
        None => (false, name),
    };
    let directions = match (rest, random) {
        ("read", _) => Directions::Only(Direction::Read),
        ("write", _) => Directions::Only(Direction::Write),
        ("trim", _) => Directions::Only(Direction::Trim),
        ("trimwrite", _) => Directions::TrimThenWrite,
        ("rw", _) | ("readwrite", false) => Directions::ReadWrite,
        _ => {
            return Err("read, write, trim, randread, randwrite, randtrim, rw, readwrite, \
                        randrw, trimwrite or randtrimwrite"
                .to_string())
        }
    };
    let order = match (random, suffix) {
        (true, None) => Order::Random { run: 1 },
        (true, Some(run)) => {
            let run = units::count(run, 1, u64::from(u32::MAX));
            let run =
                run.map_err(|_| "requests for each random offset behind the colon, from 1")?;
            Order::Random { run: run as u32 }
        }
        (false, None) => Order::Sequential { gap_bytes: 0 },
        (false, Some(gap)) => {
            let (negative, bytes) = match gap.strip_prefix('-') {
                Some(bytes) => (true, size(bytes)),
                None => (false, size(gap)),
            };
            let bytes = bytes.ok().and_then(|bytes| i64::try_from(bytes).ok());
            let bytes = bytes.ok_or("a gap such as 8k or -8k behind the colon")?;
            Order::Sequential { gap_bytes: if negative { -bytes } else { bytes } }
        }
    };
    Ok(PatternKind { directions, order })
}

/// Reads `rw_sequencer`.
pub(super) fn read_sequencer(text: &str) -> Reading<RunRest> {
    match text {
        "sequential" => Ok(RunRest::Sequential),
        "identical" => Ok(RunRest::Identical),
        _ => Err("sequential or identical".to_string()),
    }
}

/// Reads `thinktime_blocks_type`.
pub(super) fn read_think_count(text: &str) -> Reading<ThinkCount> {
    match text {
        "complete" => Ok(ThinkCount::Completed),
        "issue" => Ok(ThinkCount::Issued),
        _ => Err("complete or issue".to_string()),
    }
}

/// Reads `unified_rw_reporting`.
pub(super) fn read_unified(text: &str) -> Reading<Unified> {
    match text {
        "none" | "0" => Ok(Unified::None),
        "mixed" | "1" => Ok(Unified::Mixed),
        "both" | "2" => Ok(Unified::Both),
        _ => Err("none, mixed, both, 0, 1 or 2".to_string()),
    }
}

/// Reads `continue_on_error`.
pub(super) fn read_continue(text: &str) -> Reading<AfterFault> {
    match text {
        "none" | "0" => Ok(AfterFault::End),
        "" | "read" | "write" | "io" | "verify" | "all" | "1" => Ok(AfterFault::GoOn),
        _ => Err("none, read, write, io, verify or all".to_string()),
    }
}

/// Reads `sync`: writes that are to be durable when they complete force unit access.
pub(super) fn read_sync(text: &str) -> Reading<UnitAccess> {
    match text {
        "0" | "none" => Ok(UnitAccess::Normal),
        "" | "1" | "sync" | "dsync" => Ok(UnitAccess::Forced),
        _ => Err("none, 0, sync, 1 or dsync".to_string()),
    }
}

/// Reads `steadystate`: what is watched, and the limit, in percent of the mean or in its own unit.
pub(super) fn read_steadiness(
    text: &str,
    size: impl Fn(&str) -> Reading<u64>,
) -> Reading<(SteadyCriterion, SteadyLimit)> {
    use SteadyCriterion::{Bandwidth, BandwidthSlope, Iops, IopsSlope};
    let wrong =
        || "iops:LIMIT, iops_slope:LIMIT, bw:LIMIT or bw_slope:LIMIT, such as iops:2%".to_string();
    let (name, limit) = text.split_once(':').ok_or_else(wrong)?;
    let criteria = [Iops, IopsSlope, Bandwidth, BandwidthSlope];
    let criterion = criteria.into_iter().find(|known| known.name() == name).ok_or_else(wrong)?;
    let number = |text: &str| text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    let limit = match (units::of_percent(limit), criterion) {
        (Some(percent), _) => SteadyLimit::PercentOfMean(number(percent).ok_or_else(wrong)?),
        (None, Iops | IopsSlope) => SteadyLimit::Absolute(number(limit).ok_or_else(wrong)?),
        (None, Bandwidth | BandwidthSlope) => {
            let bytes = number(limit).or_else(|| size(limit).ok().map(|bytes| bytes as f64));
            SteadyLimit::Absolute(bytes.ok_or_else(wrong)?)
        }
    };
    Ok((criterion, limit))
}

/// Reads `cmdprio_bssplit` of one direction: lengths with the share of their requests that has a
/// priority, and its class and level.
pub(super) fn check_priorities(text: &str, size: impl Fn(&str) -> Reading<u64>) -> Reading<()> {
    let wrong = || "entries such as 4k/50 or 4k/50/1/2: length, percent, class, level".to_string();
    let mut shares: Vec<(u64, u64)> = Vec::new();
    for part in text.split(':') {
        let parts: Vec<&str> = part.split('/').map(str::trim).collect();
        let (bytes, rest) = parts.split_first().ok_or_else(wrong)?;
        let bytes = size(bytes).map_err(|_| wrong())?;
        let numbers: Vec<u64> =
            rest.iter().map(|n| n.parse().map_err(|_| wrong())).collect::<Reading<_>>()?;
        let percent = match *numbers.as_slice() {
            [percent] => percent,
            [percent, 0..=3, 0..=7] => percent,
            _ => return Err(wrong()),
        };
        match shares.iter_mut().find(|(known, _)| *known == bytes) {
            Some((_, share)) => *share += percent,
            None => shares.push((bytes, percent)),
        }
    }
    match shares.iter().all(|(_, share)| *share <= 100) {
        true => Ok(()),
        false => Err("percentages of at most 100 for each length".to_string()),
    }
}

/// Reads `rate_process`.
pub(super) fn read_process(text: &str) -> Reading<RateProcess> {
    match text {
        "linear" => Ok(RateProcess::Linear),
        "poisson" => Ok(RateProcess::Poisson),
        _ => Err("linear or poisson".to_string()),
    }
}

/// Reads `random_distribution`: a name and what belongs to it.
pub(super) fn read_distribution(
    text: &str,
    size: impl Fn(&str) -> Reading<u64>,
) -> Reading<DistributionSetting> {
    if let Some(zones) = text.strip_prefix("zoned_abs:").or(text.strip_prefix("zoned_abs=")) {
        let read = |text: &str| read_zones(text, |text| size(text).map(ZoneSize::Bytes));
        return units::per_direction(zones, read).map(DistributionSetting::Zoned);
    }
    if let Some(zones) = text.strip_prefix("zoned:").or(text.strip_prefix("zoned=")) {
        let percent = |text: &str| units::count(text, 0, 100).map(|p| ZoneSize::Percent(p as u8));
        let read = |text: &str| read_zones(text, percent);
        return units::per_direction(zones, read).map(DistributionSetting::Zoned);
    }
    read_skew(text).map(DistributionSetting::Whole)
}

/// Reads the zones of one direction: the share of the requests and the size of each. Zones by percent
/// may leave their size out, and share what the others leave.
fn read_zones(text: &str, size: impl Fn(&str) -> Reading<ZoneSize>) -> Reading<Vec<ZoneSetting>> {
    let wrong = || "zones such as 60/10:40/90, each a share of the requests and a size".to_string();
    let mut zones = Vec::new();
    let mut open = Vec::new();
    for part in text.split(':') {
        let (percent, text) = part.split_once('/').ok_or_else(wrong)?;
        let percent = percent.trim().parse().ok().filter(|&p: &u8| p <= 100).ok_or_else(wrong)?;
        if text.trim().is_empty() {
            open.push(zones.len());
        }
        let of_zone = match text.trim() {
            "" => ZoneSize::Percent(0),
            text => size(text).map_err(|_| wrong())?,
        };
        zones.push(ZoneSetting { percent, size: of_zone });
    }
    let shares: u64 = zones.iter().map(|zone| u64::from(zone.percent)).sum();
    if shares != 100 {
        return Err(format!("shares of the requests that add up to 100, not {shares}"));
    }
    if zones.len() > MAX_ZONES {
        return Err(format!("at most {MAX_ZONES} zones for a direction"));
    }
    let percents = zones.iter().map(|zone| match zone.size {
        ZoneSize::Percent(percent) => u64::from(percent),
        ZoneSize::Bytes(_) => 0,
    });
    let given: u64 = percents.sum();
    if given > 100 {
        return Err(format!("zones of at most 100 % of the range in all, not {given}"));
    }
    if !open.is_empty() && zones.iter().any(|zone| matches!(zone.size, ZoneSize::Bytes(_))) {
        return Err(wrong());
    }
    let share = (100 - given) / open.len().max(1) as u64;
    for zone in open {
        zones[zone].size = ZoneSize::Percent(share as u8);
    }
    Ok(zones)
}

/// Reads a distribution over the whole range: a name and, for the skewed ones, a parameter and a centre.
fn read_skew(text: &str) -> Reading<Distribution> {
    let wrong = || {
        "random, zipf:THETA, pareto:H, normal:DEVIATION, zoned:SHARE/SIZE:... or zoned_abs"
            .to_string()
    };
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or("");
    let numbers = parts
        .map(|part| part.trim().parse::<f64>().ok().filter(|n| n.is_finite()))
        .collect::<Option<Vec<f64>>>()
        .ok_or_else(wrong)?;
    let (value, center) = match (name, numbers.as_slice()) {
        ("random", []) => return Ok(Distribution::Uniform),
        (_, [value]) => (*value, None),
        (_, [value, center]) if (0.0..=1.0).contains(center) => (*value, Some(*center)),
        (_, [_, _]) => return Err("a centre from 0 to 1".to_string()),
        _ => return Err(wrong()),
    };
    match name {
        "zipf" if value > 0.0 && value != 1.0 => Ok(Distribution::Zipf { theta: value, center }),
        "zipf" => Err("zipf:THETA with THETA above 0 and not 1".to_string()),
        "pareto" if value > 0.0 && value < 1.0 => Ok(Distribution::Pareto { h: value, center }),
        "pareto" => Err("pareto:H with H between 0 and 1".to_string()),
        "normal" if (0.0..100.0).contains(&value) => {
            Ok(Distribution::Normal { deviation_percent: value, center })
        }
        "normal" => Err("normal:DEVIATION with DEVIATION from 0 to below 100".to_string()),
        _ => Err(wrong()),
    }
}

/// Reads `verify`. Every kind means the same here, but a misspelt one is still an error.
pub(super) fn read_verify(text: &str) -> Reading<Verify> {
    match text {
        "0" | "none" => Ok(Verify::Off),
        "md5" | "crc64" | "crc32c" | "crc32c-intel" | "crc32" | "crc16" | "crc7" | "xxhash"
        | "sha512" | "sha256" | "sha1" | "sha3-224" | "sha3-256" | "sha3-384" | "sha3-512"
        | "meta" | "pattern" | "pattern_hdr" | "null" => Ok(Verify::ReadBack),
        _ => Err("none, crc32c, md5, pattern or another of fio's kinds".to_string()),
    }
}

/// Reads `percentile_list`: numbers above 0 up to 100, separated by colons, at most 20.
pub(super) fn read_percentiles(text: &str) -> Reading<Vec<f64>> {
    let mut list = text
        .split(':')
        .map(|part| part.trim().parse::<f64>().ok().filter(|p| *p > 0.0 && *p <= 100.0))
        .collect::<Option<Vec<f64>>>()
        .filter(|list| list.len() <= 20)
        .ok_or_else(|| "up to 20 numbers above 0 up to 100, such as 50:99:99.9".to_string())?;
    list.sort_by(f64::total_cmp);
    Ok(list)
}
