//! The mapping units of pages on their way between chips and buffer, each in an entry of its own.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{BufferId, Configuration, Span};
use nand::{PageMut, PageRef, Payload};

use crate::memory::{BufferMemory, Extent};

/// No entry.
const NONE: u32 = u32::MAX;

/// Where the mapping units of pages go or come from, on drives whose pages have several.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(crate) struct Units {
    unit_bytes: u32,
    per_page: usize,
    /// For each entry that requests can name, those of the units of its page.
    lists: Vec<u32>,
    /// A page that is being moved.
    page: BufferMemory,
}

impl Units {
    /// For requests that name one of so many entries; `None` where a page is one unit.
    pub fn new(config: &Configuration, payload: Payload, entries: u32) -> Option<Self> {
        let per_page = config.units_per_page() as usize;
        (per_page > 1).then(|| Units {
            unit_bytes: config.unit_bytes,
            per_page,
            lists: vec![NONE; entries as usize * per_page],
            page: BufferMemory::new(payload, 1, config.geometry.page_bytes),
        })
    }

    /// The next request that names `entry` moves these units, from the first of its page on.
    pub fn set(&mut self, entry: BufferId, units: &[Option<BufferId>]) {
        let first = entry.0 as usize * self.per_page;
        let list = &mut self.lists[first..first + self.per_page];
        list.fill(NONE);
        for (to, unit) in list.iter_mut().zip(units) {
            *to = unit.map_or(NONE, |entry| entry.0);
        }
    }

    /// The page whose units come from the entries of a request.
    pub fn gather(&mut self, buffer: &mut BufferMemory, entry: BufferId) -> PageRef<'_> {
        for nth in 0..self.per_page {
            let offset = nth as u32 * self.unit_bytes;
            let whole = Span { offset: 0, length: self.unit_bytes };
            match self.unit(entry, nth) {
                Some(unit) => self.page.gather(offset, buffer, Extent::of(unit, whole)),
                None => {
                    let part = Span { offset, length: self.unit_bytes };
                    self.page.zero(Extent::of(BufferId(0), part));
                }
            }
        }
        self.page.page(BufferId(0))
    }

    /// Where a part of a page is put until [`Units::scatter`].
    pub fn part(&mut self, part: Span) -> PageMut<'_> {
        self.page.part_mut(Extent::of(BufferId(0), part))
    }

    /// What came of a page goes to the entries of a request.
    pub fn scatter(&mut self, buffer: &mut BufferMemory, Extent { entry, offset, length }: Extent) {
        let end = offset + length;
        for nth in 0..self.per_page {
            let first = nth as u32 * self.unit_bytes;
            let (from, to) = (offset.max(first), end.min(first + self.unit_bytes));
            let Some(unit) = self.unit(entry, nth).filter(|_| from < to) else { continue };
            let part = Span { offset: from - first, length: to - from };
            buffer.scatter(Extent::of(unit, part), &mut self.page, from);
        }
    }

    fn unit(&self, entry: BufferId, nth: usize) -> Option<BufferId> {
        let unit = self.lists[entry.0 as usize * self.per_page + nth];
        (unit != NONE).then_some(BufferId(unit))
    }
}
