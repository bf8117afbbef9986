//! Units of a page: the smallest parts of it that a read can move.

use core::ops::{BitAnd, BitOr, Sub};

use contract::Span;

/// A set of units of a page, a bit each from the first one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Units(u64);

impl Units {
    /// The empty set.
    pub const NONE: Units = Units(0);

    /// Whether it is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Units {
    type Output = Units;
    fn bitor(self, other: Units) -> Units {
        Units(self.0 | other.0)
    }
}

impl BitAnd for Units {
    type Output = Units;
    fn bitand(self, other: Units) -> Units {
        Units(self.0 & other.0)
    }
}

/// The units of the first that are not in the second.
impl Sub for Units {
    type Output = Units;
    fn sub(self, other: Units) -> Units {
        Units(self.0 & !other.0)
    }
}

/// How pages are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Division {
    unit_bytes: u32,
    units: u32,
}

impl Division {
    /// Pages of so many bytes in units of so many.
    ///
    /// # Panics
    /// If a page has more than 64 units, or a broken one.
    pub fn new(page_bytes: u32, unit_bytes: u32) -> Self {
        let units = page_bytes / unit_bytes;
        assert!(units * unit_bytes == page_bytes && units <= u64::BITS, "units of a page");
        Division { unit_bytes, units }
    }

    /// The whole page.
    pub const fn all(&self) -> Units {
        Units(u64::MAX >> (u64::BITS - self.units))
    }

    /// Units of which some bytes lie in a span.
    pub const fn touched(&self, span: Span) -> Units {
        let end = (span.offset + span.length).div_ceil(self.unit_bytes);
        range(span.offset / self.unit_bytes, end)
    }

    /// Units all of whose bytes lie in a span.
    pub const fn covered(&self, span: Span) -> Units {
        let end = (span.offset + span.length) / self.unit_bytes;
        range(span.offset.div_ceil(self.unit_bytes), end)
    }

    /// From the first unit to the last one.
    pub const fn span(&self, units: Units) -> Span {
        let first = units.0.trailing_zeros();
        let end = u64::BITS - units.0.leading_zeros();
        Span { offset: first * self.unit_bytes, length: (end - first) * self.unit_bytes }
    }
}

/// The units from `first` on, before `end`.
const fn range(first: u32, end: u32) -> Units {
    if first >= end {
        return Units::NONE;
    }
    Units(u64::MAX >> (u64::BITS - (end - first)) << first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_touch_units_that_they_do_not_cover() {
        let quarters = Division::new(16_384, 4096);
        let span = |offset, length| Span { offset, length };
        for (span, touched, covered) in [
            (span(0, 16_384), 0b1111, 0b1111),
            (span(4096, 8192), 0b0110, 0b0110),
            (span(12_288, 4096), 0b1000, 0b1000),
            (span(512, 512), 0b0001, 0),
            (span(3584, 1024), 0b0011, 0),
            (span(3584, 5120), 0b0111, 0b0010),
        ] {
            assert_eq!(quarters.touched(span), Units(touched), "{span:?}");
            assert_eq!(quarters.covered(span), Units(covered), "{span:?}");
        }
        assert_eq!(quarters.all(), Units(0b1111));
        assert_eq!(quarters.all() - Units(0b0110), Units(0b1001));
        assert_eq!(quarters.span(Units(0b1010)), span(4096, 12_288));
        let whole = Division::new(16_384, 16_384);
        assert_eq!((whole.all(), whole.touched(span(512, 512))), (Units(1), Units(1)));
        assert_eq!(whole.covered(span(512, 512)), Units::NONE);
        let chunks = Division::new(16_384, 256);
        assert_eq!(chunks.all(), Units(u64::MAX));
        assert_eq!(chunks.span(chunks.all()), span(0, 16_384));
        assert_eq!(chunks.touched(span(16_128, 256)), Units(1 << 63));
    }
}
