//! Words and numbers, the same wherever a study is printed.

use super::tally::Count;
use crate::outcome::{Evidence, Relation, Role, Row, Status};
use chart::number::{exact, significant, NONE};

/// Most decimals of an error.
const MOST_DECIMALS: i32 = 6;

/// The word of `role`.
pub fn role(role: Role) -> &'static str {
    match role {
        Role::Given => "given",
        Role::Fitted => "fitted",
        Role::Predicted => "predicted",
    }
}

/// The word of `evidence`.
pub fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Published => "published",
        Evidence::Ordering => "ordering",
        Evidence::Bound => "bound",
        Evidence::Derived => "derived",
        Evidence::Goal => "goal",
    }
}

/// What a count counts, such as `published, fitted`.
pub(super) fn count_name(count: &Count) -> String {
    let kind = evidence(count.evidence);
    count.role.map_or(kind.to_owned(), |of| format!("{kind}, {}", role(of)))
}

/// The word of `status`.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Within => "within",
        Status::Outside => "outside",
        Status::Reported => "reported",
    }
}

/// `relation` in words; nothing for equality, which is the rule.
pub fn relation(relation: Relation) -> Option<&'static str> {
    match relation {
        Relation::Equals => None,
        Relation::AtMost => Some("at most"),
        Relation::AtLeast => Some("at least"),
        Relation::Above => Some("above"),
        Relation::Below => Some("below"),
    }
}

/// What was published, for people: with the sign of the relation, such as `≤ 6`.
pub(super) fn published(row: &Row) -> String {
    let mut value = exact(row.published);
    if let Some(to) = row.forms.to {
        value += &format!(" to {}", exact(to));
    }
    if let Some((published, _)) = complements(row) {
        value += &from(row, exact(published));
    }
    match row.relation {
        Relation::Equals => value,
        Relation::AtMost => format!("≤ {value}"),
        Relation::AtLeast => format!("≥ {value}"),
        Relation::Above => format!("> {value}"),
        Relation::Below => format!("< {value}"),
    }
}

/// What was measured, for people.
pub(super) fn measured(row: &Row) -> String {
    let mut value = rounded(row.measured);
    if let Some(interval) = row.interval {
        value += &format!(" ± {}", significant(interval, 2));
    }
    if let Some((_, measured)) = complements(row) {
        value += &from(row, rounded(measured));
    }
    value
}

/// The complements of a row that has some.
fn complements(row: &Row) -> Option<(f64, f64)> {
    row.forms.complements(row.published, row.measured)
}

/// A complement, and what it is counted from.
fn from(row: &Row, complement: String) -> String {
    row.forms
        .complement_of
        .map_or(String::new(), |of| format!(" ({complement} from {})", exact(of)))
}

/// The error, for people: `+0.6 %`; of other relations `holds`, or by how much they are missed. What
/// is outside a tolerance does not read as if it were within.
pub(super) fn error(row: &Row) -> String {
    match row.relation {
        Relation::Equals => signed_percent(row.error_percent, decimals(row)),
        _ if row.error_percent == 0.0 && row.status != Status::Outside => "holds".to_string(),
        _ => percent(row.error_percent),
    }
}

/// The tolerance, for people.
pub(super) fn tolerance(row: &Row) -> String {
    row.tolerance_percent.map_or(NONE.to_string(), |tolerance| format!("{} %", exact(tolerance)))
}

/// A percentage with one decimal.
pub(super) fn percent(value: f64) -> String {
    match value.is_finite() {
        true => format!("{:.1} %", without_negative_zero(value)),
        false => NONE.to_string(),
    }
}

/// An amount and what there are so many of, such as `1 claim` and `2 claims`.
pub(super) fn counted(amount: usize, thing: &str) -> String {
    match amount {
        1 => format!("1 {thing}"),
        _ => format!("{amount} {thing}s"),
    }
}

/// `value` with four significant digits, and with all those before the point.
fn rounded(value: f64) -> String {
    let decimals = match value.abs() {
        _ if !value.is_finite() => return NONE.to_string(),
        0.0 => 0,
        size if size < 0.9995 => return significant(value, 4),
        size if size < 9.9995 => 3,
        size if size < 99.995 => 2,
        size if size < 999.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// As few decimals of an error as tell that it is outside, where it is.
fn decimals(row: &Row) -> usize {
    let (Status::Outside, Some(most)) = (row.status, row.tolerance_percent) else { return 1 };
    let shown = |decimals: &i32| {
        let scale = 10_f64.powi(*decimals);
        (scale * row.error_percent.abs()).round() / scale
    };
    (1..MOST_DECIMALS).find(|decimals| shown(decimals) > most).unwrap_or(MOST_DECIMALS) as usize
}

fn signed_percent(value: f64, decimals: usize) -> String {
    match value.is_finite() {
        true => format!("{:+.decimals$} %", without_negative_zero(value)),
        false => NONE.to_string(),
    }
}

/// `value`, or zero where one decimal of it would read `-0.0`.
fn without_negative_zero(value: f64) -> f64 {
    match value.abs() < 0.05 {
        true => 0.0,
        false => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_what_they_say() {
        for (found, expected) in [
            (rounded(0.0), "0"),
            (rounded(0.25117), "0.2512"),
            (rounded(0.99996), "1.000"),
            (rounded(22.714), "22.71"),
            (rounded(99.998), "100.0"),
            (rounded(1275.4), "1275"),
            (rounded(318_912.6), "318913"),
            (rounded(-12.345), "-12.35"),
            (rounded(f64::NAN), "–"),
            (exact(239.9), "239.9"),
            (exact(0.1 + 0.2), "0.3"),
            (exact(f64::INFINITY), "–"),
            (significant(241.299_999_999_97, 7), "241.3"),
            (significant(1_275_123.456, 7), "1275123"),
            (significant(-0.0, 7), "0"),
            (significant(f64::NAN, 7), "NaN"),
        ] {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn percentages_have_one_decimal_and_no_negative_zero() {
        for (found, expected) in [
            (signed_percent(0.58, 1), "+0.6 %"),
            (signed_percent(-12.0, 1), "-12.0 %"),
            (signed_percent(-0.04, 1), "+0.0 %"),
            (percent(-0.01), "0.0 %"),
            (percent(6.66), "6.7 %"),
            (percent(f64::INFINITY), "–"),
        ] {
            assert_eq!(found, expected);
        }
    }
}
