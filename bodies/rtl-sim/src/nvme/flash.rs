//! A flash stub without latency.

use contract::{
    ChannelStatus, FlashOperation, FlashOutcome, FlashRequest, Geometry, Location, Metadata,
};
use std::collections::BTreeMap;

/// What an erased page reads as.
const ERASED: u8 = 0xff;

/// Requests that a channel takes between two looks at its status.
const ROOM: u32 = 4;

/// What is in a page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its data.
    pub bytes: Vec<u8>,
    /// What it says of itself, unless it is erased.
    pub metadata: Option<Metadata>,
}

/// Chips and their controllers: a request is done when it has been made.
#[derive(Debug)]
pub struct InstantFlash {
    geometry: Geometry,
    pages: BTreeMap<(u8, u8, u32), Page>,
    /// Channels that did something since they were looked at, a bit each.
    changed: u64,
    /// A response a way that nobody took, by channel and way.
    responses: BTreeMap<(u8, u8), FlashOutcome>,
}

impl InstantFlash {
    /// Erased chips, without bad blocks.
    pub fn new(geometry: Geometry) -> Self {
        Self { geometry, pages: BTreeMap::new(), changed: 0, responses: BTreeMap::new() }
    }

    /// Does what a request asks for. `page` is what the buffer entry holds that is to be programmed; what
    /// comes back is what a transfer brings into the buffer entry, metadata of the whole page included.
    ///
    /// # Panics
    /// When a page is programmed that was not erased, or a way has a response that nobody took.
    pub fn execute(&mut self, request: FlashRequest, page: Page) -> Option<Page> {
        let FlashRequest { operation, location, .. } = request;
        let Location { channel, way, row } = location;
        self.changed |= 1 << channel;
        match operation {
            FlashOperation::ReadTrigger
            | FlashOperation::SetLevel
            | FlashOperation::Suspend
            | FlashOperation::Resume
            | FlashOperation::Reset => {}
            FlashOperation::StatusCheck => self.respond(location),
            FlashOperation::ReadTransfer => {
                let bytes = vec![ERASED; self.geometry.page_bytes as usize];
                let erased = Page { bytes, metadata: None };
                self.respond(location);
                return Some(self.pages.get(&(channel, way, row)).cloned().unwrap_or(erased));
            }
            FlashOperation::Program => {
                let before = self.pages.insert((channel, way, row), page);
                assert!(before.is_none(), "{location:?} was programmed twice");
            }
            FlashOperation::Erase => {
                let first = self.geometry.block_of(row) * self.geometry.pages_per_block;
                for row in first..first + self.geometry.pages_per_block {
                    self.pages.remove(&(channel, way, row));
                }
            }
        }
        None
    }

    /// Looks at the channels of a set, the lowest first, until one is worth it: it did something since
    /// the last look, or it is in `eager`. Source: `contract::Hardware::poll_channels`.
    pub fn poll(&mut self, channels: &mut u64, eager: u64) -> Option<(u8, ChannelStatus)> {
        while *channels != 0 {
            let channel = channels.trailing_zeros() as u8;
            *channels &= *channels - 1;
            if (self.changed | eager) >> channel & 1 == 1 {
                self.changed &= !(1 << channel);
                return Some((channel, self.status(channel)));
            }
        }
        None
    }

    fn status(&self, channel: u8) -> ChannelStatus {
        let ways = self.responses.range((channel, 0)..=(channel, u8::MAX));
        ChannelStatus {
            ready: u64::MAX >> (u64::BITS - self.geometry.ways),
            responses: ways.fold(0, |bits, ((_, way), _)| bits | 1 << way),
            room: ROOM,
        }
    }

    /// Takes a way's response.
    ///
    /// # Panics
    /// When there is none.
    pub fn take_response(&mut self, channel: u8, way: u8) -> FlashOutcome {
        self.responses.remove(&(channel, way)).expect("the status said that it is there")
    }

    fn respond(&mut self, location: Location) {
        let outcome = FlashOutcome::Success { corrected_bits: 0, most_bits: 0 };
        let before = self.responses.insert((location.channel, location.way), outcome);
        assert!(before.is_none(), "{location:?}: two responses");
    }
}
