//! The mapping units of a page that one operation moves, while it is planned.

use contract::{BufferId, Lpn, Metadata};

use crate::operations::Owner;

/// A mapping unit on its way between an entry and a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub entry: BufferId,
    pub lpn: Lpn,
    /// Which unit of the page.
    pub unit: u8,
    /// Collection moves it.
    pub moved: bool,
}

/// Units of one page, one at least, and for whom each is moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gathered {
    units: [(Owner, Unit); Metadata::MOST_UNITS],
    count: usize,
}

impl Gathered {
    /// One unit.
    pub fn of(first: (Owner, Unit)) -> Self {
        Gathered { units: [first; Metadata::MOST_UNITS], count: 1 }
    }

    /// Adds one.
    pub fn push(&mut self, unit: (Owner, Unit)) {
        self.units[self.count] = unit;
        self.count += 1;
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn first(&self) -> &(Owner, Unit) {
        &self.units[0]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(Owner, Unit)> {
        self.units[..self.count].iter()
    }

    /// All but the first.
    pub fn others(&self) -> &[(Owner, Unit)] {
        &self.units[1..self.count]
    }
}
