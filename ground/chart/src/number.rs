//! Numbers as a person would write them.

/// What stands where there is no number.
pub const NONE: &str = "–";

/// `value` with all its digits, unless they come of binary fractions.
pub fn exact(value: f64) -> String {
    match value.is_finite() {
        true => significant(value, 9),
        false => NONE.to_string(),
    }
}

/// `value` with at most `digits` significant digits and no needless zeros; `NaN` and `inf` as such.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let rounded = format!("{value:.*e}", digits.saturating_sub(1));
    // What Rust has printed it can read; adding zero takes the sign from a negative zero.
    let rounded = rounded.parse::<f64>().unwrap_or(value) + 0.0;
    rounded.to_string()
}

/// `value`, or 0 if it is infinite or undefined: no page shows such a number.
pub fn finite(value: f64) -> f64 {
    match value.is_finite() {
        true => value,
        false => 0.0,
    }
}
