//! What became of a published statement.

use crate::outcome::{is_far_off, Relation, Row, Status};

/// A relation missed by less than this, in percent, is nearly reached.
const NEARLY_PERCENT: f64 = 10.0;

/// Tolerances within which a value is nearly reached.
const NEARLY_TOLERANCES: f64 = 2.0;

/// What became of a published statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is within its tolerance, or holds.
    Reproduced,
    /// It is outside, but within twice its tolerance, or is missed by less than 10 %.
    Partly,
    /// It is further off.
    Differs,
    /// It has no tolerance.
    Reported,
}

impl Verdict {
    /// The verdict on `row`.
    pub(super) fn of(row: &Row) -> Self {
        match row.status {
            Status::Within => Self::Reproduced,
            Status::Reported => Self::Reported,
            Status::Outside if nearly(row) => Self::Partly,
            Status::Outside => Self::Differs,
        }
    }

    /// What tables say of the statement.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::Differs => "differs",
            Self::Reported => "reported",
        }
    }

    /// Whether an explanation of `row` is due: where it is not reproduced, and where a published value is off by more than 10 %,
    /// whatever its tolerance.
    pub(super) fn is_to_be_explained(row: &Row) -> bool {
        is_far_off(row.evidence, row.error_percent)
            || matches!(Self::of(row), Self::Partly | Self::Differs)
    }
}

/// An error that is not a number is near nothing.
fn nearly(row: &Row) -> bool {
    let error_percent = row.error_percent.abs();
    match row.relation {
        Relation::Equals => row
            .tolerance_percent
            .is_some_and(|tolerance| error_percent <= NEARLY_TOLERANCES * tolerance),
        _ => error_percent < NEARLY_PERCENT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Evidence, Forms, Role, RowKind};

    #[test]
    fn the_verdict_follows_error_and_tolerance() {
        use Relation::{AtMost, Equals};
        use Status::{Outside, Reported, Within};
        use Verdict::{Differs, Partly, Reproduced};
        for (relation, status, error_percent, tolerance_percent, expected) in [
            (Equals, Within, -9.0, Some(10.0), Reproduced),
            (Equals, Outside, -20.0, Some(10.0), Partly),
            (Equals, Outside, 20.1, Some(10.0), Differs),
            (Equals, Outside, f64::NAN, Some(10.0), Differs),
            (Equals, Reported, 80.0, None, Verdict::Reported),
            (AtMost, Within, 0.0, None, Reproduced),
            (AtMost, Outside, 9.9, None, Partly),
            (AtMost, Outside, 10.0, Some(10.0), Differs),
        ] {
            let row = Row {
                id: String::new(),
                conditions: String::new(),
                relation,
                published: 1.0,
                forms: Forms::default(),
                interval: None,
                measured: 1.0,
                unit: String::new(),
                error_percent,
                tolerance_percent,
                evidence: Evidence::Published,
                role: Role::Predicted,
                status,
                reason: None,
                kind: RowKind::Claim,
                said_of_each: None,
            };
            assert_eq!(Verdict::of(&row), expected, "{relation:?} {error_percent}");
        }
    }
}
