//! Where things are in the data buffer memory.

use contract::BufferId;

/// Bytes of a unit of the data buffer memory. Source: `fm_ssd_pkg::UnitBytes`.
pub const UNIT_BYTES: u64 = 512;

/// Bytes of the control page.
pub const CONTROL_BYTES: usize = 4096;

/// Where things are in the data buffer memory: entries, then the control page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of data of a page, behind which its metadata stand.
    pub page_bytes: u64,
    /// Bytes of metadata of a page.
    pub metadata_bytes: u64,
    /// Bytes from one entry to the next; entry 0 begins at 0.
    pub stride: u64,
    /// The control page.
    pub control: u64,
    /// End of memory.
    pub end: u64,
}

impl Layout {
    /// So many entries, for pages with so many bytes of data and of metadata.
    pub fn new(entries: u32, page_bytes: u32, metadata_bytes: u32) -> Self {
        let [page_bytes, metadata_bytes] = [page_bytes, metadata_bytes].map(u64::from);
        let stride = (page_bytes + metadata_bytes).next_multiple_of(UNIT_BYTES);
        let control = (u64::from(entries) * stride).next_multiple_of(CONTROL_BYTES as u64);
        let end = control + CONTROL_BYTES as u64;
        Self { page_bytes, metadata_bytes, stride, control, end }
    }

    /// Where an entry begins.
    pub fn entry(&self, entry: BufferId) -> u64 {
        u64::from(entry.0) * self.stride
    }

    /// Where the metadata of an entry are.
    pub fn metadata(&self, entry: BufferId) -> u64 {
        self.entry(entry) + self.page_bytes
    }
}
