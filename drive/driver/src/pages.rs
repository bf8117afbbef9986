//! Pages in the data buffer memory: which slot each flash page of a page goes to or comes from, and the bytes of pages of
//! the log, which the firmware reads and writes.

use ::registers::controller::Deed;
use alloc::vec;
use alloc::vec::Vec;
use contract::{BufferId, FlashOperation, FlashRequest, Metadata};

use crate::body::Controller;
use crate::{controller, Bus};

/// Where the mapping units of the page go or come from that the next request for the flash moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    /// The entry of that request.
    entry: BufferId,
    units: [Option<BufferId>; Metadata::MOST_UNITS],
}

/// Metadata that a way brings, which are to stand elsewhere once they are there: from a slot, to an entry.
pub(crate) type Brought = Option<(u32, BufferId)>;

/// Bytes of an entry for pages of the log, as the firmware sees them, and who has the newest ones.
#[derive(Debug)]
pub(crate) struct LogPage {
    bytes: Vec<u8>,
    newest: Newest,
}

/// Who has the newest bytes of a page that firmware and hardware share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Newest {
    /// The firmware may have changed them.
    Firmware,
    /// The data buffer memory.
    Memory,
}

impl Listed {
    /// Nothing was said yet.
    pub const NOTHING: Listed =
        Listed { entry: BufferId(u32::MAX), units: [None; Metadata::MOST_UNITS] };

    /// What [`contract::Hardware::set_units`] says. A mapping unit is a flash page.
    pub fn new(entry: BufferId, listed: &[Option<BufferId>]) -> Self {
        let mut units = [None; Metadata::MOST_UNITS];
        units[..listed.len()].copy_from_slice(listed);
        Listed { entry, units }
    }
}

impl LogPage {
    /// A page of so many bytes.
    pub fn new(bytes: u32) -> Self {
        LogPage { bytes: vec![0; bytes as usize], newest: Newest::Firmware }
    }
}

impl<B: Bus> Controller<B> {
    /// Fills the slots of zeroes, one for each die.
    pub(crate) fn fill_zeroes(&mut self, dies: u32) {
        if self.layout.flash_pages == 1 {
            return;
        }
        for die in 0..dies {
            let at = self.layout.at(self.layout.zeroes(die));
            let length = self.layout.page_bytes as u32;
            controller::engine(&mut self.host.bus, Deed::Zero, (at, at), length);
        }
    }

    /// The slot that a phase moves a flash page from or to.
    pub(crate) fn slot_of(&self, request: &FlashRequest) -> u32 {
        let nth = self.format.flash_page(request.part);
        let entry = request.buffer;
        if self.layout.flash_pages == 1 || entry.0 >= self.first_log_entry {
            return self.layout.slot(entry, nth);
        }
        let listed = &self.listed;
        let unit = listed.units.get(nth as usize).filter(|_| listed.entry == entry);
        match unit {
            None => self.layout.slot(entry, nth),
            Some(Some(unit)) => self.layout.slot(*unit, 0),
            Some(None) => {
                let die = u32::from(request.location.channel) * self.ways
                    + u32::from(request.location.way);
                match request.operation {
                    FlashOperation::Program => self.layout.zeroes(die),
                    _ => self.layout.sink(die),
                }
            }
        }
    }

    /// A way is to take a flash page from a slot: what the firmware has of a page of the log goes to memory, and metadata
    /// to where they go out with the last flash page.
    pub(crate) fn flash_takes_part(&mut self, request: &FlashRequest, slot: u32) {
        let FlashRequest { buffer: entry, part, .. } = *request;
        let nth = self.format.flash_page(part) as usize;
        self.store_log((entry, nth), slot);
        let [from, to] = [self.layout.metadata(entry), self.layout.metadata_at(slot)];
        if self.format.has_metadata(part) && from != to {
            self.move_metadata(from, to);
        }
    }

    /// A way is to bring a flash page to a slot.
    pub(crate) fn flash_brings_part(&mut self, request: &FlashRequest, slot: u32) {
        let FlashRequest { buffer: entry, part, location, .. } = *request;
        self.flash_brings(entry);
        let is_there = self.layout.metadata(entry) == self.layout.metadata_at(slot);
        let moved = self.format.has_metadata(part) && !is_there;
        let phases = &mut self.phases[usize::from(location.channel)];
        phases.brought[usize::from(location.way)] = moved.then_some((slot, entry));
    }

    /// A way has answered: metadata that it brought are put behind their entry.
    pub(crate) fn put_brought(&mut self, channel: u8, way: u8) {
        let brought = &mut self.phases[usize::from(channel)].brought[usize::from(way)];
        if let Some((slot, entry)) = brought.take() {
            self.move_metadata(self.layout.metadata_at(slot), self.layout.metadata(entry));
        }
    }

    fn move_metadata(&mut self, from: u64, to: u64) {
        let mut bytes = [0; Metadata::bytes(Metadata::MOST_UNITS)];
        let bytes = &mut bytes[..self.layout.metadata_bytes as usize];
        self.host.bus.load(from, bytes);
        self.host.bus.store(to, bytes);
    }

    /// The flash is to take a page from an entry: what the firmware has of it goes to memory.
    pub(crate) fn flash_takes(&mut self, entry: BufferId) {
        self.store_log((entry, 0), self.layout.slot(entry, 0));
    }

    /// The flash is to bring a page to an entry.
    pub(crate) fn flash_brings(&mut self, entry: BufferId) {
        let nth = entry.0.wrapping_sub(self.first_log_entry) as usize;
        if let Some(page) = self.log.get_mut(nth) {
            page.newest = Newest::Memory;
        }
    }

    /// Stores a flash page of a page of the log, if the firmware has the newest bytes of it.
    fn store_log(&mut self, (entry, flash_page): (BufferId, usize), slot: u32) {
        let nth = entry.0.wrapping_sub(self.first_log_entry) as usize;
        let Some(page) = self.log.get(nth) else { return };
        if page.newest == Newest::Firmware {
            let length = self.layout.page_bytes as usize;
            let bytes = &page.bytes[flash_page * length..][..length];
            self.host.bus.store(self.layout.at(slot), bytes);
        }
    }

    /// The bytes of a page of the log, for the firmware.
    pub(crate) fn log_bytes(&mut self, entry: BufferId) -> &mut [u8] {
        let page = &mut self.log[(entry.0 - self.first_log_entry) as usize];
        if page.newest == Newest::Memory {
            let length = self.layout.page_bytes as usize;
            for (nth, bytes) in (0..).zip(page.bytes.chunks_exact_mut(length)) {
                self.host.bus.load(self.layout.at(self.layout.slot(entry, nth)), bytes);
            }
            page.newest = Newest::Firmware;
        }
        &mut page.bytes
    }
}
