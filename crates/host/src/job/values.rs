//! Options whose values are words, or words with numbers.

use super::settings::{Directions, Order, PatternKind};
use super::spec::{Direction, Distribution, Verify};
use super::units::Reading;

/// Reads `rw`.
pub(super) fn read_pattern(text: &str) -> Reading<PatternKind> {
    let (order, rest) = match text.strip_prefix("rand") {
        Some(rest) => (Order::Random, rest),
        None => (Order::Sequential, text),
    };
    let directions = match (rest, order) {
        ("read", _) => Directions::Only(Direction::Read),
        ("write", _) => Directions::Only(Direction::Write),
        ("trim", _) => Directions::Only(Direction::Trim),
        ("trimwrite", _) => Directions::TrimThenWrite,
        ("rw", _) | ("readwrite", Order::Sequential) => Directions::ReadWrite,
        _ => {
            return Err("read, write, trim, randread, randwrite, randtrim, rw, readwrite, \
                        randrw, trimwrite or randtrimwrite, without a suffix"
                .to_string())
        }
    };
    Ok(PatternKind { directions, order })
}

/// Reads `random_distribution`: a name and, for the skewed ones, a parameter and a centre.
pub(super) fn read_distribution(text: &str) -> Reading<Distribution> {
    let wrong = || "random, zipf:THETA, pareto:H or normal:DEVIATION".to_string();
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
