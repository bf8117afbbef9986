//! A map of which only some parts are in memory: a part is what a snapshot holds ([`super::log`]).
//!
//! A *slot* holds a part. What changes in a part without a slot, and where dirty buffer entries are in flash, is in a
//! table of *changes*, so that collection and programs never wait for a part: whoever moves a mapping unit knows where it
//! was from the way back. A part that comes into a slot takes its changes over. It may leave when flash holds it as it is.

#[cfg(feature = "state")]
mod sound;

use super::changes::Changes;
use crate::planted::{is_planted, Bug};
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// Sweeps of the hand that a part survives which was read, and which was used again.
const AS_READ: u8 = 8;
const AS_USED: u8 = 2;

/// How much of a map is in memory.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Cache {
    /// Parts that have a slot.
    pub parts: u32,
    /// Entries beside them.
    pub changes: u32,
}

/// What a slot holds.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Slot {
    part: u32,
    /// The part is being read.
    is_coming: bool,
    /// It is not as its newest snapshot.
    is_dirty: bool,
    /// A snapshot of it is being taken.
    is_held: bool,
    /// Sweeps of the hand that it survives.
    used: u8,
}

/// Where the parts of a map are.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Paged {
    /// Logical pages of a part.
    pub entries: u32,
    slots: Vec<Slot>,
    /// By part.
    slot_of: Vec<u32>,
    /// Parts without data, of which flash has no snapshot, or an old one.
    void: Vec<bool>,
    hand: usize,
    write_hand: usize,
    /// Slots with a dirty part that is not held.
    dirty: u32,
    pub changes: Changes,
    /// Physical mapping units with present data, a bit each.
    valid: Vec<u64>,
}

impl Paged {
    /// Slots for the first parts, which are there. Parts that are `void` have no data.
    pub fn new(
        (Cache { parts: kept, changes }, entries): (Cache, u32),
        (physical, void): (usize, Vec<bool>),
    ) -> Self {
        let slot = |part| Slot { part, is_coming: false, is_dirty: false, is_held: false, used: 0 };
        let parts = void.len() as u32;
        let in_slot = |part| if part < kept { part } else { NONE };
        Paged {
            entries,
            slots: (0..kept).map(slot).collect(),
            slot_of: (0..parts).map(in_slot).collect(),
            void,
            hand: 0,
            write_hand: 0,
            dirty: 0,
            changes: Changes::new(changes),
            valid: alloc::vec![0; physical.div_ceil(64)],
        }
    }

    /// Where the entry of a logical page is in the slots, if its part is there.
    #[inline]
    pub fn index(&self, lpn: u32) -> Option<usize> {
        let (part, nth) = (lpn / self.entries, lpn % self.entries);
        let slot = self.slot_of[part as usize];
        let is_there = slot != NONE && !self.slots[slot as usize].is_coming;
        is_there.then(|| slot as usize * self.entries as usize + nth as usize)
    }

    /// The entry of a logical page has changed: that in a slot, or that in the changes.
    pub fn note_changed(&mut self, lpn: u32, code: u32) {
        let part = lpn / self.entries;
        let is_there = self.index(lpn).is_some();
        if is_there {
            let slot = &mut self.slots[self.slot_of[part as usize] as usize];
            self.dirty += u32::from(!slot.is_dirty && !slot.is_held);
            slot.is_dirty = true;
        }
        self.changes.set(lpn, code, !is_there);
    }

    pub fn is_valid(&self, ppn: u32) -> bool {
        self.valid[ppn as usize / 64] >> (ppn % 64) & 1 == 1
    }

    pub fn set_valid(&mut self, ppn: u32) {
        self.valid[ppn as usize / 64] |= 1 << (ppn % 64);
    }

    pub fn set_invalid(&mut self, ppn: u32) {
        if !is_planted(Bug::StaleCopyMoved) {
            self.valid[ppn as usize / 64] &= !(1 << (ppn % 64));
        }
    }

    /// No logical page has data any more. The entries in slots are empty; what was being read is not used.
    pub fn clear(&mut self) {
        self.valid.fill(0);
        self.changes.clear();
        for part in 0..self.void.len() {
            let slot = self.slot_of[part];
            self.void[part] = slot == NONE || self.slots[slot as usize].is_coming;
        }
        self.dirty = 0;
        for slot in self.slots.iter_mut().filter(|slot| slot.part != NONE && !slot.is_coming) {
            slot.is_dirty = true;
            self.dirty += u32::from(!slot.is_held);
        }
    }

    /// Whether a part is in a slot.
    pub fn has(&self, part: u32) -> bool {
        let slot = self.slot_of[part as usize];
        slot != NONE && !self.slots[slot as usize].is_coming
    }

    /// A part in a slot is used.
    pub fn touch(&mut self, part: u32) {
        let slot = self.slot_of[part as usize];
        if slot != NONE {
            self.slots[slot as usize].used = AS_USED;
        }
    }

    /// Gives a part that has none a slot, if one can be had: its entries are to come. False if not, or if it has one.
    pub fn claim(&mut self, part: u32) -> bool {
        if self.slot_of[part as usize] != NONE {
            return false;
        }
        for _ in 0..self.slots.len() * (usize::from(AS_READ) + 1) {
            let nth = self.hand;
            self.hand = (nth + 1) % self.slots.len();
            let slot = &mut self.slots[nth];
            let is_lost = slot.is_dirty && !is_planted(Bug::DirtyPartDropped);
            if slot.is_coming || is_lost || slot.is_held {
                continue;
            }
            if slot.used > 0 {
                slot.used -= 1;
                continue;
            }
            if slot.is_dirty {
                self.dirty -= 1;
            }
            if slot.part != NONE {
                self.slot_of[slot.part as usize] = NONE;
            }
            *slot = Slot { part, is_coming: true, is_dirty: false, is_held: false, used: AS_READ };
            self.slot_of[part as usize] = nth as u32;
            return true;
        }
        false
    }

    /// A part that was to come is there. Returns its entries' place in the slots.
    pub fn arrive(&mut self, part: u32) -> usize {
        let slot = self.slot_of[part as usize];
        self.slots[slot as usize].is_coming = false;
        slot as usize * self.entries as usize
    }

    /// Changes were taken over by a part in a slot.
    pub fn note_taken_over(&mut self, part: u32) {
        let slot = &mut self.slots[self.slot_of[part as usize] as usize];
        slot.is_dirty = true;
        self.dirty += 1;
    }

    /// Whether a part has no data, and nothing that is read would tell.
    pub fn is_void(&self, part: u32) -> bool {
        self.void[part as usize]
    }

    /// A snapshot of a part in a slot is taken: it stays there until flash has it.
    pub fn hold(&mut self, part: u32) {
        let slot = &mut self.slots[self.slot_of[part as usize] as usize];
        self.dirty -= u32::from(slot.is_dirty && !slot.is_held);
        slot.is_held = true;
    }

    /// The snapshot has the part as it is now.
    pub fn snapshot_taken(&mut self, part: u32) {
        self.slots[self.slot_of[part as usize] as usize].is_dirty = false;
    }

    /// Flash has the snapshot.
    pub fn let_go(&mut self, part: u32) {
        let slot = &mut self.slots[self.slot_of[part as usize] as usize];
        slot.is_held = false;
        self.dirty += u32::from(slot.is_dirty);
        self.void[part as usize] = false;
    }

    /// The next dirty part that is to be written so that its slot can be used for another, if too many are.
    pub fn next_to_write(&mut self) -> Option<u32> {
        if self.dirty as usize <= self.slots.len() / 2 {
            return None;
        }
        let count = self.slots.len();
        let is_it = |&nth: &usize| {
            let slot = &self.slots[nth];
            slot.is_dirty && !slot.is_held
        };
        let nth = (0..count).map(|step| (self.write_hand + step) % count).find(is_it)?;
        self.write_hand = (nth + 1) % count;
        Some(self.slots[nth].part)
    }
}
