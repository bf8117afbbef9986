//! Where things are in the data buffer memory.

use contract::BufferId;

/// Bytes of a unit of the data buffer memory. Source: `fm_ssd_pkg::UnitBytes`.
pub const UNIT_BYTES: u64 = 512;

/// Bytes of the control page.
pub const CONTROL_BYTES: usize = 4096;

/// Numbers of the longest list that a command names (Open-Channel SSD Specification 2.0, section 2.2).
pub const MOST_ADDRESSES: usize = 64;

/// Bytes of such a list.
const LIST_BYTES: u64 = MOST_ADDRESSES as u64 * 8;

/// Where things are in the data buffer memory: slots of a flash page each, the control page, and a list of addresses.
///
/// A slot is what the channels call a buffer entry. An entry of the firmware is a slot, but for those of whole pages (pages
/// of the log), which have a slot for each flash page of a page. Behind them, drives whose pages have several flash pages have
/// two more slots for each die ([`Layout::zeroes`], [`Layout::sink`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of data of a flash page, behind which its metadata stand.
    pub page_bytes: u64,
    /// Bytes of metadata of a page.
    pub metadata_bytes: u64,
    /// Bytes from one slot to the next; slot 0 begins at 0.
    pub stride: u64,
    /// Flash pages that make up a page of the firmware, 1 and up.
    pub flash_pages: u32,
    /// The first entry of whole pages.
    pub first_whole: u32,
    /// The first slot that is part of no entry.
    pub first_spare: u32,
    /// The control page.
    pub control: u64,
    /// The list of addresses that was fetched last.
    pub list: u64,
    /// End of memory.
    pub end: u64,
}

/// What entries there are to be in the data buffer memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entries {
    /// Entries of a flash page.
    pub short: u32,
    /// Behind them, entries of whole pages.
    pub whole: u32,
    /// Flash pages that make up a page of the firmware, 1 and up.
    pub flash_pages: u32,
    /// Dies of the drive.
    pub dies: u32,
}

impl Layout {
    /// So many entries, for pages of one flash page with so many bytes of data and of metadata.
    pub fn new(entries: u32, page_bytes: u32, metadata_bytes: u32) -> Self {
        let entries = Entries { short: entries, whole: 0, flash_pages: 1, dies: 0 };
        Self::of(entries, page_bytes, metadata_bytes)
    }

    /// These entries, for flash pages with so many bytes of data, and metadata behind the last one of a page.
    pub fn of(entries: Entries, page_bytes: u32, metadata_bytes: u32) -> Self {
        let Entries { short, whole, flash_pages, dies } = entries;
        let first_spare = short + whole * flash_pages;
        let spare = if flash_pages > 1 { 2 * dies } else { 0 };
        let [page_bytes, metadata_bytes] = [page_bytes, metadata_bytes].map(u64::from);
        let stride = (page_bytes + metadata_bytes).next_multiple_of(UNIT_BYTES);
        let slots = u64::from(first_spare + spare);
        let control = (slots * stride).next_multiple_of(CONTROL_BYTES as u64);
        let list = control + CONTROL_BYTES as u64;
        let end = list + LIST_BYTES;
        let first_whole = short;
        Self {
            page_bytes,
            metadata_bytes,
            stride,
            flash_pages,
            first_whole,
            first_spare,
            control,
            list,
            end,
        }
    }

    /// The slot of an entry; of one of a whole page, that of its `nth` flash page.
    pub fn slot(&self, entry: BufferId, nth: u32) -> u32 {
        match entry.0.checked_sub(self.first_whole) {
            None => entry.0,
            Some(before) => self.first_whole + before * self.flash_pages + nth,
        }
    }

    /// The slot of zeroes that a die programs where a page has no data.
    pub fn zeroes(&self, die: u32) -> u32 {
        self.first_spare + 2 * die
    }

    /// The slot that takes flash pages of a die that nobody wants.
    pub fn sink(&self, die: u32) -> u32 {
        self.zeroes(die) + 1
    }

    /// Where a slot begins.
    pub fn at(&self, slot: u32) -> u64 {
        u64::from(slot) * self.stride
    }

    /// Where the metadata of a slot are.
    pub fn metadata_at(&self, slot: u32) -> u64 {
        self.at(slot) + self.page_bytes
    }

    /// Where an entry begins.
    pub fn entry(&self, entry: BufferId) -> u64 {
        self.at(self.slot(entry, 0))
    }

    /// Where the metadata of an entry are.
    pub fn metadata(&self, entry: BufferId) -> u64 {
        self.metadata_at(self.slot(entry, self.flash_pages - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Four entries, two of whole pages of three flash pages, and two slots for each of five dies, none of which overlap.
    #[test]
    fn whole_pages_have_a_slot_for_each_flash_page() {
        let entries = Entries { short: 4, whole: 2, flash_pages: 3, dies: 5 };
        let layout = Layout::of(entries, 4096, 36);
        let mut slots: Vec<u32> = (0..4).map(|entry| layout.slot(BufferId(entry), 0)).collect();
        for entry in 4..6 {
            slots.extend((0..3).map(|nth| layout.slot(BufferId(entry), nth)));
        }
        slots.extend((0..5).flat_map(|die| [layout.zeroes(die), layout.sink(die)]));
        assert_eq!(slots, (0..20).collect::<Vec<_>>());
        assert_eq!(layout.stride, 4608);
        assert_eq!(layout.metadata(BufferId(3)), 3 * 4608 + 4096);
        assert_eq!(layout.metadata(BufferId(5)), 9 * 4608 + 4096);
        assert_eq!(layout.control, (20u64 * 4608).next_multiple_of(4096));
    }

    #[test]
    fn a_page_of_one_flash_page_has_one_slot_an_entry_and_no_others() {
        let layout = Layout::new(7, 16_384, 24);
        assert_eq!((layout.slot(BufferId(6), 0), layout.first_spare), (6, 7));
        assert_eq!(layout.metadata(BufferId(6)), 6 * layout.stride + 16_384);
        assert_eq!(layout.control, (7 * layout.stride).next_multiple_of(4096));
    }
}
