//! How far a flash block is written, found by reading pages of it.
//!
//! The pages of a block are programmed in order, so that pages that hold something come first. Where its first page is
//! erased, all of it is. Else its last page is looked at, and if that is erased the last one that is not is found by
//! halving. A page of which nothing can be read was cut off by the power or by a failure: the block takes nothing behind it
//! until it is erased.

use contract::Metadata;

use crate::operations::Ended;

/// What a page was found to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Seen {
    Erased,
    /// Something of which nothing can be read.
    Torn,
    /// A page that was written as a whole.
    Written,
}

impl Seen {
    /// What a page holds whose read ended so and brought these metadata.
    pub fn of(ended: Ended, metadata: Option<&Metadata>) -> Self {
        match (ended, metadata) {
            (_, Some(_)) => Seen::Written,
            (Ended::Well, None) => Seen::Erased,
            (Ended::Failed(_), None) => Seen::Torn,
        }
    }
}

/// What is known of a block.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Look {
    /// A page that is not erased, and what it holds; none before the first was looked at.
    pub last: Option<(u32, Seen)>,
    /// The first page that is known to be erased.
    erased: u32,
    /// A page behind `last` is torn.
    pub is_torn: bool,
}

impl Look {
    /// At a block of so many pages, of which nothing is known.
    pub const fn new(pages: u32) -> Self {
        Look { last: None, erased: pages, is_torn: false }
    }

    /// The page to look at next; none if all is known.
    pub fn next(&self, pages: u32) -> Option<u32> {
        match self.last {
            _ if self.erased == 0 => None,
            None => Some(0),
            // A block whose first page is torn holds nothing.
            Some((0, Seen::Torn)) => None,
            Some((0, _)) if self.erased == pages && pages > 1 => Some(pages - 1),
            Some((last, _)) if self.erased > last + 1 => Some((last + self.erased) / 2),
            Some((last, Seen::Torn)) => Some(last - 1),
            Some(_) => None,
        }
    }

    /// Takes what a page was found to hold.
    pub fn take(&mut self, page: u32, seen: Seen) {
        match seen {
            Seen::Erased => self.erased = page,
            // In front of what is torn.
            _ if self.last.is_some_and(|(last, _)| page < last) => {
                (self.last, self.erased) = (Some((page, seen)), page + 1);
                self.is_torn = true;
            }
            _ => self.last = Some((page, seen)),
        }
    }
}
