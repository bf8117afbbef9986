//! What a claim or a summary is held against.

use crate::error::Fault;
use crate::experiment::Bound;
use crate::outcome::{Forms, Relation};

/// The keys that say it.
pub(super) struct WrittenBound {
    pub published: Option<f64>,
    pub published_to: Option<f64>,
    pub complement_of: Option<f64>,
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
    let forms = Forms { to: written.published_to, complement_of: written.complement_of };
    check_forms(&forms, published, relation)?;
    Ok(Bound { relation, published, forms, tolerance_percent })
}

/// Both forms are of published values; a range goes upwards, and a complement is something.
fn check_forms(forms: &Forms, published: f64, relation: Relation) -> Result<(), Fault> {
    let keys = [("published_to", forms.to), ("complement_of", forms.complement_of)];
    for (key, value) in keys {
        let Some(value) = value else { continue };
        if relation != Relation::Equals {
            return Err(Fault::new(key, "a limit", "published beside it"));
        }
        let fits = if key == "published_to" { value > published } else { value != published };
        if !fits || !value.is_finite() {
            let expected = match key {
                "published_to" => "a number above published",
                _ => "a number other than published",
            };
            return Err(Fault::new(key, value.to_string(), expected));
        }
    }
    Ok(())
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
