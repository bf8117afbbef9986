//! Placement handles (Flexible Data Placement, NVMe TP4146): their reclaim units, and what collection made of them.
//!
//! New data of a handle have an open superblock in each way ([`super::streams`]). A reclaim unit is as much as a superblock of
//! each way holds: ways fill their superblocks side by side, and so a reclaim unit lies in one superblock of each way as long as the
//! order of ways is a fixed one and no block fails. What collection moves leaves the reclaim units of its handle for superblocks
//! that all handles share: handles are initially isolated.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use contract::{Configuration, MOST_HANDLES};

use super::blocks::Stream;
use crate::nvme::backend::ReclaimEvent;

/// Most events that wait for the NVMe manager; others are not told.
const MOST_EVENTS: usize = 64;

/// What came of a handle's data since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct OfHandle {
    /// Mapping units of new data that were placed.
    pub placed: u64,
    /// Mapping units that collection moved out of superblocks of its new data.
    pub moved: u64,
    /// Superblocks of its new data that collection emptied.
    pub emptied: u64,
}

/// The handles of a drive whose host places its data.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Handles {
    count: u8,
    /// Pages of a reclaim unit.
    unit_pages: u32,
    /// Pages that are left in the reclaim unit of each handle.
    left: [u32; MOST_HANDLES as usize],
    of: [OfHandle; MOST_HANDLES as usize],
    /// The same of what collection had moved before.
    of_moved: OfHandle,
    events: VecDeque<ReclaimEvent>,
}

impl Handles {
    /// The handles of a drive of this configuration, if its host places its data.
    pub(super) fn of(config: &Configuration) -> Option<Box<Handles>> {
        let count = config.placement_handles();
        let pages = config.geometry.dies() * config.geometry.pages_per_block * config.joined_planes;
        let handles = Handles {
            count,
            unit_pages: pages,
            left: [pages; MOST_HANDLES as usize],
            of: [OfHandle::default(); MOST_HANDLES as usize],
            of_moved: OfHandle::default(),
            events: VecDeque::with_capacity(MOST_EVENTS),
        };
        (count > 0).then(|| Box::new(handles))
    }

    /// How many handles there are.
    pub fn count(&self) -> u8 {
        self.count
    }

    /// Pages of a reclaim unit.
    pub fn unit_pages(&self) -> u32 {
        self.unit_pages
    }

    /// Pages that are left in the reclaim unit of a handle.
    pub fn left(&self, handle: u8) -> u32 {
        self.left[usize::from(handle)]
    }

    /// What came of each handle's data, and of what collection had moved before, since power-on.
    pub fn told(&self) -> (&[OfHandle], &OfHandle) {
        (&self.of[..usize::from(self.count)], &self.of_moved)
    }

    /// Takes the next event.
    pub(crate) fn next_event(&mut self) -> Option<ReclaimEvent> {
        self.events.pop_front()
    }

    fn of_mut(&mut self, stream: Stream) -> &mut OfHandle {
        match stream.handle() {
            Some(handle) => &mut self.of[usize::from(handle)],
            None => &mut self.of_moved,
        }
    }

    /// A page of new data was placed, with so many mapping units.
    pub(super) fn place(&mut self, handle: u8, stream: Stream, units: u32) {
        self.of[usize::from(handle)].placed += u64::from(units);
        // A way without room has put the page elsewhere.
        if stream == Stream::of_handle(handle) {
            let left = &mut self.left[usize::from(handle)];
            *left -= 1;
            if *left == 0 {
                *left = self.unit_pages;
                self.tell(ReclaimEvent::Full { handle });
            }
        }
    }

    /// Collection has moved mapping units out of a superblock of this stream.
    pub(super) fn moved(&mut self, from: Stream, units: u32) {
        self.of_mut(from).moved += u64::from(units);
    }

    /// Collection has emptied a superblock of this stream.
    pub(super) fn emptied(&mut self, stream: Stream) {
        self.of_mut(stream).emptied += 1;
    }

    /// The next data of a handle go to another reclaim unit. False if nothing is in the present one.
    pub(super) fn renew(&mut self, handle: u8) -> bool {
        let left = &mut self.left[usize::from(handle)];
        let is_begun = *left < self.unit_pages;
        *left = self.unit_pages;
        if is_begun {
            self.tell(ReclaimEvent::NotFull { handle });
        }
        is_begun
    }

    fn tell(&mut self, event: ReclaimEvent) {
        if self.events.len() < MOST_EVENTS {
            self.events.push_back(event);
        }
    }
}
