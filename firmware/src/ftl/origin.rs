//! What a drive held before anything was written to it, as a formula.

use contract::Lpn;

use super::drawn::Drawn;
use super::fill::Fill;

/// A state that takes no table of pages. All is in flash pages.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Origin {
    /// Each of the first logical pages was written once.
    Filled(Fill),
    /// All logical pages were overwritten at random.
    Drawn(Drawn),
}

impl Origin {
    /// Logical pages with data, from 0 on.
    pub fn pages(&self) -> u32 {
        match self {
            Origin::Filled(fill) => fill.pages(),
            Origin::Drawn(drawn) => drawn.pages(),
        }
    }

    /// Physical page (die-major: `die * rows_per_way + row`) of a logical page.
    #[inline]
    pub fn physical(&self, lpn: Lpn) -> Option<u32> {
        match self {
            Origin::Filled(fill) => fill.physical(lpn),
            Origin::Drawn(drawn) => drawn.physical(lpn),
        }
    }

    /// What `row` of `die` holds: a logical page whose present data may be elsewhere; `None` if it is erased.
    #[inline]
    pub fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        match self {
            Origin::Filled(fill) => fill.logical(die, row),
            Origin::Drawn(drawn) => drawn.logical(die, row),
        }
    }
}
