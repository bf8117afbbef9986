//! What a claim or a summary is held against.

use crate::error::Fault;
use crate::experiment::Bound;
use crate::outcome::Relation;

/// The keys that say it.
pub(super) struct WrittenBound {
    pub published: Option<f64>,
    pub at_most: Option<f64>,
    pub at_least: Option<f64>,
    pub above: Option<f64>,
    pub below: Option<f64>,
    pub tolerance_percent: Option<f64>,
}

/// The one bound that is written. All but `published` are judged without a tolerance too.
pub(super) fn read(written: &WrittenBound) -> Result<Bound, Fault> {
    let keys = [
        ("published", written.published, Relation::Equals),
        ("at_most", written.at_most, Relation::AtMost),
        ("at_least", written.at_least, Relation::AtLeast),
        ("above", written.above, Relation::Above),
        ("below", written.below, Relation::Below),
    ];
    let mut given =
        keys.iter().filter_map(|(key, value, relation)| Some((key, (*value)?, *relation)));
    let (key, published, relation) = match (given.next(), given.next()) {
        (Some(only), None) => only,
        (None, _) => return Err(Fault::new("published", "nothing", EXPECTED)),
        (Some((first, ..)), Some((second, ..))) => {
            return Err(Fault::new("published", format!("{first} and {second}"), EXPECTED));
        }
    };
    if !published.is_finite() {
        return Err(Fault::new(*key, published.to_string(), "a number"));
    }
    let tolerance_percent = match (tolerance(written.tolerance_percent)?, relation) {
        (None, Relation::Equals) => None,
        (percent, _) => Some(percent.unwrap_or(0.0)),
    };
    Ok(Bound { relation, published, tolerance_percent })
}

const EXPECTED: &str = "one of published, at_most, at_least, above, below";

/// Checks a tolerance.
pub(super) fn tolerance(percent: Option<f64>) -> Result<Option<f64>, Fault> {
    match percent {
        Some(percent) if !(percent >= 0.0 && percent.is_finite()) => {
            Err(Fault::new("tolerance_percent", percent.to_string(), "a number from 0"))
        }
        fits => Ok(fits),
    }
}
