//! Which directions the report of a job has, as fio's `unified_rw_reporting` says.

use serde::{Deserialize, Serialize};

/// fio's name of all directions together.
pub(crate) const MIXED: &str = "mixed";

/// How the directions of a job are reported (`unified_rw_reporting`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unified {
    /// Each by itself.
    #[default]
    None,
    /// All together.
    Mixed,
    /// Each by itself, then all together.
    Both,
}

impl Unified {
    /// Whether each direction is told by itself.
    pub(crate) fn tells_each(self) -> bool {
        self != Self::Mixed
    }

    /// Whether all are told together.
    pub(crate) fn tells_mixed(self) -> bool {
        self != Self::None
    }

    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }
}
