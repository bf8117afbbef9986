//! Physical region pages (NVMe 1.4 section 4.3): where in host memory a command's data lies.
//!
//! A [`Transfer`] turns a data pointer into segments of host memory. It reads list entries through
//! a closure, trusts none of them, and yields no more segments than the length has pages.

use core::ops::Range;

use crate::command::DataPointer;
use crate::status::Status;

const ENTRY_BYTES: u32 = 8;

/// A run of bytes in host memory, inside one memory page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Host address.
    pub address: u64,
    /// Bytes, 1 and up.
    pub length: u32,
}

/// A mistake in a data pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum PrpError {
    /// An entry has an offset where none is allowed, or one that is not aligned.
    Misaligned {
        /// The entry as the host wrote it, an address of host memory.
        entry: u64,
    },
    /// A list entry could not be read from host memory.
    Unreadable {
        /// Address of the entry.
        address: u64,
    },
}

impl PrpError {
    /// The status that names the error.
    pub const fn status(self) -> Status {
        match self {
            PrpError::Misaligned { .. } => Status::INVALID_PRP_OFFSET,
            PrpError::Unreadable { .. } => Status::DATA_TRANSFER_ERROR,
        }
    }
}

/// The data of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The command's data pointer.
    pub data: DataPointer,
    /// Bytes of the command's whole data. They decide whether PRP2 is a page or a list.
    pub length: u32,
    /// Bytes of a memory page (CC.MPS), a power of two, 4,096 and up.
    pub page_bytes: u32,
}

impl Transfer {
    /// The segments of all the data, in order. `read` returns the 8-byte list entry at an address,
    /// or `None` where the host has no memory; it is called once for each entry. After an error the
    /// iterator ends.
    pub fn segments<F: FnMut(u64) -> Option<u64>>(
        &self,
        read: F,
    ) -> impl Iterator<Item = Result<Segment, PrpError>> {
        let mut list = self.list(read);
        let address = self.data.prp2;
        self.segments_of(0..self.length, move |_| {
            list.next().unwrap_or(Err(PrpError::Unreadable { address }))
        })
    }

    /// The segments of the bytes in `range` only. Where the data have a list, `page` returns what
    /// [`Transfer::list`] has for a data page, which is 1 or up.
    ///
    /// # Panics
    /// When `range` reaches beyond the data.
    #[inline]
    pub fn segments_of<P: FnMut(u32) -> Result<u64, PrpError>>(
        &self,
        range: Range<u32>,
        page: P,
    ) -> Segments<P> {
        assert!(range.end <= self.length, "a range beyond the command's data");
        Segments { transfer: *self, at: range.start, end: range.end, page }
    }

    /// Whether the second pointer leads to a list.
    pub fn has_list(&self) -> bool {
        self.pages() > 2
    }

    /// Addresses of the data pages 1 and up, from the list; each of its entries is read once. After an
    /// error the iterator ends.
    #[inline]
    pub fn list<F: FnMut(u64) -> Option<u64>>(&self, read: F) -> List<F> {
        let DataPointer { prp2, .. } = self.data;
        List { page_bytes: self.page_bytes, next: prp2, left: self.pages().saturating_sub(1), read }
    }

    /// Offset of the data in its first page.
    fn first_offset(&self) -> u32 {
        (self.data.prp1 & u64::from(self.page_bytes - 1)) as u32
    }

    /// Pages that the data touches.
    fn pages(&self) -> u32 {
        let bytes = u64::from(self.first_offset()) + u64::from(self.length);
        bytes.div_ceil(u64::from(self.page_bytes)) as u32
    }
}

/// Iterator over the pages of a list; see [`Transfer::list`].
pub struct List<F> {
    page_bytes: u32,
    /// Address of the next entry.
    next: u64,
    /// Data pages that are left.
    left: u32,
    read: F,
}

impl<F: FnMut(u64) -> Option<u64>> List<F> {
    #[inline]
    fn page(&mut self) -> Result<u64, PrpError> {
        check_aligned(self.next, ENTRY_BYTES)?;
        let last_of_page = u64::from(self.page_bytes - ENTRY_BYTES);
        // The last entry of a full list page points at the next page unless it ends the list.
        if self.next & last_of_page == last_of_page && self.left > 1 {
            self.next = self.load(self.next)?;
        }
        let page = self.load(self.next)?;
        // Beyond the last byte of memory no page begins.
        self.next = self.next.wrapping_add(u64::from(ENTRY_BYTES));
        Ok(page)
    }

    /// Reads an entry, which names a page.
    #[inline]
    fn load(&mut self, address: u64) -> Result<u64, PrpError> {
        let entry = (self.read)(address).ok_or(PrpError::Unreadable { address })?;
        check_aligned(entry, self.page_bytes)?;
        Ok(entry)
    }
}

impl<F: FnMut(u64) -> Option<u64>> Iterator for List<F> {
    type Item = Result<u64, PrpError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let page = self.page();
        self.left = if page.is_ok() { self.left - 1 } else { 0 };
        Some(page)
    }
}

/// Iterator over segments; see [`Transfer::segments_of`].
pub struct Segments<P> {
    transfer: Transfer,
    at: u32,
    end: u32,
    page: P,
}

impl<P: FnMut(u32) -> Result<u64, PrpError>> Segments<P> {
    #[inline]
    fn segment(&mut self) -> Result<Segment, PrpError> {
        let page_bytes = self.transfer.page_bytes;
        let position = u64::from(self.transfer.first_offset()) + u64::from(self.at);
        let page = (position / u64::from(page_bytes)) as u32;
        let offset = (position % u64::from(page_bytes)) as u32;
        let base = self.page_address(page)?;
        let length = (page_bytes - offset).min(self.end - self.at);
        self.at += length;
        Ok(Segment { address: base + u64::from(offset), length })
    }

    /// Host address of data page `page`.
    #[inline]
    fn page_address(&mut self, page: u32) -> Result<u64, PrpError> {
        let DataPointer { prp1, prp2 } = self.transfer.data;
        if page == 0 {
            check_aligned(prp1, 4)?;
            return Ok(prp1 - u64::from(self.transfer.first_offset()));
        }
        if self.transfer.has_list() {
            return (self.page)(page);
        }
        check_aligned(prp2, self.transfer.page_bytes)?;
        Ok(prp2)
    }
}

impl<P: FnMut(u32) -> Result<u64, PrpError>> Iterator for Segments<P> {
    type Item = Result<Segment, PrpError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let segment = self.segment();
        if segment.is_err() {
            self.at = self.end;
        }
        Some(segment)
    }
}

#[inline]
fn check_aligned(entry: u64, bytes: u32) -> Result<(), PrpError> {
    if entry % u64::from(bytes) == 0 {
        Ok(())
    } else {
        Err(PrpError::Misaligned { entry })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::vec::Vec;

    const PAGE: u64 = 4096;

    fn transfer(prp1: u64, prp2: u64, length: u32) -> Transfer {
        Transfer { data: DataPointer { prp1, prp2 }, length, page_bytes: PAGE as u32 }
    }

    fn collect(
        transfer: Transfer,
        memory: &BTreeMap<u64, u64>,
    ) -> Result<Vec<(u64, u32)>, PrpError> {
        let segments = transfer.segments(|address| memory.get(&address).copied());
        segments.map(|segment| segment.map(|s| (s.address, s.length))).collect()
    }

    #[test]
    fn one_page_needs_no_second_entry() {
        let found = collect(transfer(0x10_0a00, u64::MAX, 0x600), &BTreeMap::new());
        assert_eq!(found, Ok([(0x10_0a00, 0x600)].into()));
    }

    #[test]
    fn two_pages_are_two_entries() {
        let found = collect(transfer(0x10_0a00, 0x30_0000, 0x1000), &BTreeMap::new());
        assert_eq!(found, Ok([(0x10_0a00, 0x600), (0x30_0000, 0xa00)].into()));
    }

    /// Whole pages that do not start on a page touch one page more.
    #[test]
    fn whole_pages_at_an_offset_take_an_entry_more() {
        let memory = BTreeMap::from([(0x50_0000, 0x7000), (0x50_0008, 0x9000)]);
        for (length, prp2, pages) in [
            (0x1000, 0x7000, [(0x10_0a00, 0x600), (0x7000, 0xa00)].to_vec()),
            (0x2000, 0x50_0000, [(0x10_0a00, 0x600), (0x7000, 0x1000), (0x9000, 0xa00)].to_vec()),
        ] {
            assert_eq!(collect(transfer(0x10_0a00, prp2, length), &memory), Ok(pages));
        }
    }

    #[test]
    fn three_pages_take_a_list_which_may_start_inside_its_page() {
        let memory = BTreeMap::from([(0x50_0ff0, 0x7000), (0x50_0ff8, 0x9000)]);
        let found = collect(transfer(0x10_0000, 0x50_0ff0, 0x2200), &memory);
        assert_eq!(found, Ok([(0x10_0000, 0x1000), (0x7000, 0x1000), (0x9000, 0x200)].into()));
    }

    #[test]
    fn the_last_entry_of_a_list_page_leads_on_only_when_more_remains() {
        let memory = BTreeMap::from([
            (0x50_0ff0, 0x7000),
            (0x50_0ff8, 0x60_0000),
            (0x60_0000, 0x9000),
            (0x60_0008, 0xb000),
        ]);
        let found = collect(transfer(0x10_0000, 0x50_0ff0, 0x4000), &memory);
        let pages: Vec<u64> = found.unwrap().into_iter().map(|(address, _)| address).collect();
        assert_eq!(pages, [0x10_0000, 0x7000, 0x9000, 0xb000]);
    }

    #[test]
    fn bad_entries_are_named() {
        let memory = BTreeMap::from([(0x5000, 0x7000), (0x5008, 0x9010), (0x5ff8, 0x6008)]);
        for (bad, error) in [
            (transfer(0x1002, 0, 0x100), PrpError::Misaligned { entry: 0x1002 }),
            (transfer(0x1000, 0x2010, 0x2000), PrpError::Misaligned { entry: 0x2010 }),
            (transfer(0x1000, 0x5004, 0x3000), PrpError::Misaligned { entry: 0x5004 }),
            (transfer(0x1000, 0x5000, 0x3000), PrpError::Misaligned { entry: 0x9010 }),
            (transfer(0x1000, 0x5ff8, 0x3000), PrpError::Misaligned { entry: 0x6008 }),
            (transfer(0x1000, 0x8000, 0x3000), PrpError::Unreadable { address: 0x8000 }),
        ] {
            assert_eq!(collect(bad, &memory), Err(error));
            assert!(!error.status().is_success());
        }
    }

    /// A scattered buffer with a correct list, and where each of its pages lies.
    #[derive(Debug)]
    struct Scattered {
        transfer: Transfer,
        memory: BTreeMap<u64, u64>,
        pages: Vec<u64>,
    }

    /// Lengths of whole pages are as likely as others, and so are data that start on a page: what
    /// goes wrong, goes wrong there.
    fn scattered() -> impl Strategy<Value = Scattered> {
        let dword = prop_oneof![1 => Just(0), 2 => 1..PAGE / 4];
        let length = prop_oneof![
            2 => 1..5_000_000u32,
            2 => (1..1_200u32).prop_map(|pages| pages * PAGE as u32),
            1 => 1..3 * PAGE as u32,
        ];
        let list_slot = prop_oneof![2 => 0..512u64, 1 => 509..512u64];
        (dword, length, list_slot, 1..1_000u64).prop_map(|(dword, length, list_slot, stride)| {
            let offset = dword * 4;
            let count = (offset + u64::from(length)).div_ceil(PAGE);
            let pages: Vec<u64> = (0..count).map(|i| (1 + i * stride) * PAGE).collect();
            let mut memory = BTreeMap::new();
            let mut prp2 = *pages.get(1).unwrap_or(&0xdead);
            if count > 2 {
                prp2 = (1 << 40) + list_slot * 8;
                let mut slot = prp2;
                for (index, page) in pages.iter().enumerate().skip(1) {
                    if slot % PAGE == PAGE - 8 && index as u64 != count - 1 {
                        let next = (slot / PAGE + 7) * PAGE;
                        memory.insert(slot, next);
                        slot = next;
                    }
                    memory.insert(slot, *page);
                    slot += 8;
                }
            }
            Scattered { transfer: transfer(pages[0] + offset, prp2, length), memory, pages }
        })
    }

    proptest! {
        #[test]
        fn every_byte_is_found_where_it_was_scattered(case in scattered()) {
            let found = collect(case.transfer, &case.memory).unwrap();
            prop_assert_eq!(found.len(), case.pages.len());
            for ((address, _), page) in found.iter().zip(&case.pages) {
                prop_assert_eq!(address / PAGE * PAGE, *page);
            }
            let total: u32 = found.iter().map(|(_, length)| length).sum();
            prop_assert_eq!(total, case.transfer.length);
            prop_assert!(found[1..].iter().all(|(address, _)| address % PAGE == 0));
        }

        #[test]
        fn a_range_is_a_cut_of_the_whole(case in scattered(), a: u32, b: u32) {
            let (a, b) = (a % (case.transfer.length + 1), b % (case.transfer.length + 1));
            let range = a.min(b)..a.max(b);
            let read = |address: u64| case.memory.get(&address).copied();
            let mut expected = Vec::new();
            let mut at = 0;
            for segment in case.transfer.segments(read) {
                let segment = segment.unwrap();
                let (from, to) = (range.start.max(at), range.end.min(at + segment.length));
                if from < to {
                    let address = segment.address + u64::from(from - at);
                    expected.push(Segment { address, length: to - from });
                }
                at += segment.length;
            }
            let listed: Vec<u64> = match case.transfer.has_list() {
                true => case.transfer.list(read).map(Result::unwrap).collect(),
                false => Vec::new(),
            };
            let page = |page: u32| Ok(listed[page as usize - 1]);
            let cut: Result<Vec<_>, _> = case.transfer.segments_of(range, page).collect();
            prop_assert_eq!(cut, Ok(expected));
        }

        #[test]
        fn any_pointer_and_any_memory_come_to_an_end(
            prp1: u64, prp2: u64, length: u32, seed: u64, shift in 0u32..16,
        ) {
            let length = length % (64 << 20);
            let page_bytes = 4096 << shift;
            let transfer = Transfer { data: DataPointer { prp1, prp2 }, length, page_bytes };
            let mut reads = 0u32;
            let read = |address: u64| {
                reads += 1;
                let noise = (address ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (noise % 100 != 0).then_some(noise & !0xfff)
            };
            let most = length.div_ceil(page_bytes) + 1;
            let found: Vec<_> = transfer.segments(read).collect();
            prop_assert!(found.len() as u32 <= most);
            prop_assert!(reads <= 2 * most + 2);
        }

        #[test]
        fn no_entry_of_a_list_is_read_twice(case in scattered()) {
            let mut left = case.memory.clone();
            let found = case.transfer.segments(|address| left.remove(&address));
            prop_assert!(found.into_iter().all(|segment| segment.is_ok()));
            prop_assert!(left.is_empty(), "entries that nobody read: {left:x?}");
        }
    }
}
