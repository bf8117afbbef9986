//! The write buffer: a ring of blocks that leave it in the order in which they came.
//!
//! Positions count blocks from the start of the run. Up to `head` blocks have come; up to `sent` they were handed to the
//! drive, `write_blocks` at a time, which is a *unit* of the ring; up to `synced` the drive has stored them. An entry keeps
//! its data until another block takes it, and is read from until then.

use super::shape::Shape;

/// Stands for no place of the flash.
pub const NO_PLACE: u32 = u32::MAX;

/// Who a block in the buffer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A job.
    User,
    /// Garbage collection, which moves it out of a line.
    Collector,
    /// Nobody: it fills a unit up, and is read by nobody.
    Pad,
    /// The FTL: it is a list.
    List,
}

impl Origin {
    /// Whether the block is one of the map.
    #[inline]
    pub fn is_data(self) -> bool {
        matches!(self, Origin::User | Origin::Collector)
    }
}

/// A block in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The logical block, 0 for what is none.
    pub lba: u32,
    /// Who it comes from.
    pub origin: Origin,
    /// Where it is written, or [`NO_PLACE`].
    pub place: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It is not stored.
    Waiting,
    /// It is stored.
    Stored,
}

#[derive(Clone, Copy, Debug)]
struct UnitState {
    stage: Stage,
    /// The position up to which all has to be stored before its blocks can be read from the flash.
    readable_at: u64,
}

/// Blocks on their way to the flash, in the order in which they came.
#[derive(Debug)]
pub struct Ring {
    entries: Vec<Entry>,
    units: Vec<UnitState>,
    write_blocks: u64,
    /// Blocks that have to be stored behind one before it can be read from the flash.
    hold: u64,
    head: u64,
    sent: u64,
    synced: u64,
    /// Position behind the last block of the map that came.
    data_end: u64,
    /// Blocks that are not stored, by origin.
    waiting: [u32; 4],
}

impl Ring {
    /// Entries of the ring of a drive. A write for each parallel unit fits, or as many blocks as are to be held until
    /// they can be read and as much again as may be under way.
    pub fn entries_for(shape: &Shape) -> u32 {
        let round = shape.units() * shape.write_blocks;
        let blocks = match shape.blocks_before_read * shape.units() {
            0 => round,
            hold => hold + 2 * round,
        };
        // Units stand side by side in memory, so the ring has whole ones.
        (blocks / shape.write_blocks).next_power_of_two() * shape.write_blocks
    }

    /// An empty ring.
    pub fn new(shape: &Shape) -> Self {
        let entries = Ring::entries_for(shape);
        let empty = Entry { lba: 0, origin: Origin::Pad, place: NO_PLACE };
        let unit = UnitState { stage: Stage::Stored, readable_at: 0 };
        Ring {
            entries: vec![empty; entries as usize],
            units: vec![unit; (entries / shape.write_blocks) as usize],
            write_blocks: shape.write_blocks.into(),
            hold: u64::from(shape.blocks_before_read) * u64::from(shape.units()),
            head: 0,
            sent: 0,
            synced: 0,
            data_end: 0,
            waiting: [0; 4],
        }
    }

    /// Entries.
    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Blocks that came so far.
    pub fn head(&self) -> u64 {
        self.head
    }

    /// Blocks that were handed over so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Blocks from the first on that the drive has stored.
    pub fn synced(&self) -> u64 {
        self.synced
    }

    /// Position behind the last block of the map that came.
    pub fn data_end(&self) -> u64 {
        self.data_end
    }

    /// Blocks of an origin that are not stored.
    pub fn waiting(&self, origin: Origin) -> u32 {
        self.waiting[origin as usize]
    }

    /// Index of the entry at a position.
    #[inline]
    pub fn slot(&self, position: u64) -> u32 {
        (position % self.entries.len() as u64) as u32
    }

    /// An entry by its index.
    #[inline]
    pub fn entry(&self, slot: u32) -> &Entry {
        &self.entries[slot as usize]
    }

    /// Whether the drive was told to write an entry.
    #[inline]
    pub fn is_placed(&self, slot: u32) -> bool {
        self.entries[slot as usize].place != NO_PLACE
    }

    /// Whether a block can come: the entry that it takes can be read from the flash.
    #[inline]
    pub fn has_room(&self) -> bool {
        let Some(old) = self.head.checked_sub(self.entries.len() as u64) else { return true };
        let unit = &self.units[self.unit_index(old)];
        old < self.synced && unit.readable_at <= self.synced
    }

    /// A block comes. Returns the index of its entry, and what that held before.
    ///
    /// # Panics
    /// Without room.
    pub fn push(&mut self, lba: u32, origin: Origin) -> (u32, Option<Entry>) {
        assert!(self.has_room(), "a block comes where one can be read from the flash");
        let slot = self.slot(self.head);
        let old = (self.head >= self.entries.len() as u64).then(|| self.entries[slot as usize]);
        let unit = self.unit_index(self.head);
        self.units[unit].stage = Stage::Waiting;
        self.entries[slot as usize] = Entry { lba, origin, place: NO_PLACE };
        self.waiting[origin as usize] += 1;
        self.head += 1;
        if origin.is_data() {
            self.data_end = self.head;
        }
        (slot, old)
    }

    /// Whether the last unit is there in part.
    pub fn is_partial(&self) -> bool {
        self.head % self.write_blocks != 0
    }

    /// Whether the next block is the last of its unit.
    #[inline]
    pub fn is_before_last(&self) -> bool {
        (self.head + 1) % self.write_blocks == 0
    }

    /// Whether what an entry holds is stored.
    pub fn is_stored(&self, slot: u32) -> bool {
        let unit = slot as usize / self.write_blocks as usize;
        // Of a unit into which blocks come, the others are what was stored before.
        let is_old = unit == self.unit_index(self.head) && slot >= self.slot(self.head);
        is_old || self.units[unit].stage == Stage::Stored
    }

    /// Index of the first unit that was not handed over, if it is there as a whole.
    pub fn next_unit(&self) -> Option<u32> {
        let whole = self.head - self.sent >= self.write_blocks;
        whole.then(|| self.unit_index(self.sent) as u32)
    }

    /// The next unit is handed over.
    pub fn send_next(&mut self) {
        self.sent += self.write_blocks;
    }

    /// The indices of the entries of a unit.
    pub fn slots_of(&self, unit: u32) -> std::ops::Range<u32> {
        let each = self.write_blocks as u32;
        unit * each..(unit + 1) * each
    }

    /// A unit that was handed over is written from a place on, and can be read once as much is stored behind it as the
    /// drive wants.
    pub fn put_unit(&mut self, unit: u32, place: u32) {
        for (nth, slot) in (0..).zip(self.slots_of(unit)) {
            self.entries[slot as usize].place = place + nth;
        }
        self.units[unit as usize].readable_at = self.sent + self.hold;
    }

    /// A unit could not be written, and is nowhere.
    pub fn take_unit_back(&mut self, unit: u32) {
        for slot in self.slots_of(unit) {
            self.entries[slot as usize].place = NO_PLACE;
        }
    }

    /// The drive has stored a unit.
    pub fn stored(&mut self, unit: u32) {
        self.units[unit as usize].stage = Stage::Stored;
        while self.synced < self.sent {
            let unit = self.unit_index(self.synced);
            if self.units[unit].stage == Stage::Waiting {
                break;
            }
            for slot in self.slots_of(unit as u32) {
                self.waiting[self.entries[slot as usize].origin as usize] -= 1;
            }
            self.synced += self.write_blocks;
        }
    }

    #[inline]
    fn unit_index(&self, position: u64) -> usize {
        (position % self.entries.len() as u64 / self.write_blocks) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::shape::tests::geometry;
    use nvme::open_channel::Geometry;

    fn ring(blocks_before_read: u32) -> Ring {
        Ring::new(&Shape::new(&Geometry { blocks_before_read, ..geometry() }).unwrap())
    }

    fn fill(ring: &mut Ring) -> u32 {
        let mut count = 0;
        while ring.has_room() {
            ring.push(count, Origin::User);
            count += 1;
        }
        count
    }

    fn send(ring: &mut Ring) -> u32 {
        let unit = ring.next_unit().expect("a whole unit");
        ring.send_next();
        ring.put_unit(unit, 1000 + unit * 8);
        unit
    }

    #[test]
    fn a_write_for_each_parallel_unit_fits_and_entries_are_free_in_order() {
        let mut ring = ring(0);
        assert_eq!((ring.len(), fill(&mut ring)), (64, 64));
        let [first, second] = [send(&mut ring), send(&mut ring)];
        ring.stored(second);
        assert!(!ring.has_room());
        assert_eq!((ring.synced(), ring.waiting(Origin::User)), (0, 64));
        ring.stored(first);
        assert_eq!((ring.synced(), ring.waiting(Origin::User)), (16, 48));
        let (slot, old) = ring.push(99, Origin::Collector);
        assert_eq!((slot, old.map(|old| (old.lba, old.place))), (0, Some((0, 1000))));
        assert_eq!(ring.waiting(Origin::Collector), 1);
        assert_eq!(fill(&mut ring), 15);
    }

    #[test]
    fn what_the_drive_cannot_read_yet_keeps_its_entry() {
        // 2 blocks of each of 6 chunks: 12 have to be stored behind a unit.
        let mut ring = ring(2);
        assert_eq!((ring.len(), fill(&mut ring)), (128, 128));
        let units: Vec<_> = (0..3).map(|_| send(&mut ring)).collect();
        ring.stored(units[0]);
        ring.stored(units[1]);
        assert!(!ring.has_room(), "8 of 12 are stored behind the first unit");
        ring.stored(units[2]);
        assert_eq!(fill(&mut ring), 8);
    }

    #[test]
    fn a_unit_that_is_written_late_is_read_late() {
        let mut ring = ring(2);
        fill(&mut ring);
        let units: Vec<_> = (0..3).map(|_| send(&mut ring)).collect();
        ring.take_unit_back(units[0]);
        assert!(!ring.is_placed(0) && ring.is_placed(8));
        ring.put_unit(units[0], 4000);
        for &unit in &units {
            ring.stored(unit);
        }
        assert_eq!(ring.synced(), 24);
        assert!(!ring.has_room(), "it was written when 24 were, so 36 have to be stored");
        let later: Vec<_> = (0..2).map(|_| send(&mut ring)).collect();
        for &unit in &later {
            ring.stored(unit);
        }
        assert!(ring.has_room());
    }
}
