//! The chunks of a drive as the FTL in the host numbers them.
//!
//! The chunks with number `n` of all parallel units together are *line* `n`. A *place* is the number of a logical block of the
//! flash. Places are counted line by line, within a line parallel unit by parallel unit, and within a parallel unit block by
//! block of its chunk. Parallel units are numbered so that neighbouring numbers are in different groups.

use nvme::open_channel::Geometry;

use super::list_form::most_units;
use crate::driver::DriverError;

/// Number of a line.
pub type LineId = u32;
/// Number of a parallel unit of the drive. Units that have the same number within their groups get numbers that follow each other.
pub type Unit = u32;

/// Counts that do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    groups: u32,
    units_per_group: u32,
    /// Lines of the drive.
    pub lines: u32,
    /// Logical blocks of a chunk.
    pub chunk_blocks: u32,
    /// Blocks that are written at a time.
    pub write_blocks: u32,
    /// Blocks of a chunk that are written behind one before it can be read.
    pub blocks_before_read: u32,
    /// Bits of an address that stand below the group, the parallel unit and the chunk.
    shifts: [u32; 3],
}

/// Fewest lines that the FTL works with.
const LEAST_LINES: u32 = 16;
/// Places that the map can tell apart.
const MOST_PLACES: u64 = (1 << 31) - 2;

impl Shape {
    /// What a drive says of itself.
    ///
    /// # Errors
    /// When it is too small or too large, or cannot be written as the FTL does.
    pub fn new(geometry: &Geometry) -> Result<Self, DriverError> {
        let unusable =
            |field, found: u64, expected| Err(DriverError::Unusable { field, found, expected });
        let Geometry { write_least, write_best, chunk_blocks, chunks, .. } = *geometry;
        let units = u64::from(geometry.groups) * u64::from(geometry.units);
        let places = units * u64::from(chunks) * u64::from(chunk_blocks);
        if geometry.major != 2 {
            return unusable("MJR", geometry.major.into(), "2");
        }
        if units == 0 || units > 1 << 12 {
            return unusable("NUM_GRP x NUM_PU", units, "1 to 4,096 parallel units");
        }
        if chunks < LEAST_LINES {
            let expected =
                "at least 16 chunks of a parallel unit, of which the host's FTL keeps some spare";
            return unusable("NUM_CHK", chunks.into(), expected);
        }
        if places > MOST_PLACES {
            return unusable("blocks of all chunks", places, "at most 2^31 - 2");
        }
        let fits = |blocks: u32| blocks > 0 && blocks <= 64 && chunk_blocks % blocks == 0;
        // A chunk that is not written to its end cannot be reset.
        let Some(write_blocks) = [write_best, write_least].into_iter().find(|&own| fits(own))
        else {
            return unusable(
                "WS_MIN",
                write_least.into(),
                "1 to 64, of which a chunk is a multiple",
            );
        };
        let block_bits = u32::from(geometry.block_bits);
        let chunk_bits = block_bits + u32::from(geometry.chunk_bits);
        let unit_bits = chunk_bits + u32::from(geometry.unit_bits);
        Ok(Shape {
            groups: geometry.groups.into(),
            units_per_group: geometry.units.into(),
            lines: chunks,
            chunk_blocks,
            write_blocks,
            blocks_before_read: geometry.blocks_before_read,
            shifts: [unit_bits, chunk_bits, block_bits],
        })
    }

    /// Parallel units.
    pub fn units(&self) -> u32 {
        self.groups * self.units_per_group
    }

    /// Chunks of the drive, offline ones included.
    pub fn chunks(&self) -> u64 {
        u64::from(self.units()) * u64::from(self.lines)
    }

    /// Blocks of a line of which no chunk is offline.
    pub fn line_blocks(&self) -> u32 {
        self.units() * self.chunk_blocks
    }

    /// Blocks that collecting a line takes beside what is valid of it: a unit that is filled up, and one with a list.
    pub fn collect_blocks(&self) -> u32 {
        2 * self.write_blocks
    }

    /// Blocks that are kept for what is no data: what collecting each line takes, and a unit for each list of what fills it.
    pub fn overhead_blocks(&self) -> u64 {
        let units = self.line_blocks() / self.write_blocks;
        let lists = units.div_ceil(most_units(self.write_blocks) as u32);
        u64::from(self.lines) * u64::from(self.collect_blocks() + lists * self.write_blocks)
    }

    /// Blocks of all chunks.
    pub fn places(&self) -> u64 {
        u64::from(self.line_blocks()) * u64::from(self.lines)
    }

    /// Index of a chunk in what the drive tells of its chunks.
    pub fn chunk_index(&self, line: LineId, unit: Unit) -> usize {
        let (group, own) = (unit % self.groups, unit / self.groups);
        let parallel = group * self.units_per_group + own;
        parallel as usize * self.lines as usize + line as usize
    }

    /// The place of a block.
    #[inline]
    pub fn place(&self, line: LineId, unit: Unit, block: u32) -> u32 {
        (line * self.units() + unit) * self.chunk_blocks + block
    }

    /// The line of a place.
    #[inline]
    pub fn line_of(&self, place: u32) -> LineId {
        place / self.line_blocks()
    }

    /// The parallel unit of a place.
    #[inline]
    pub fn unit_of(&self, place: u32) -> Unit {
        place / self.chunk_blocks % self.units()
    }

    /// The address of a place, as commands name it.
    #[inline]
    pub fn address(&self, place: u32) -> u64 {
        let unit = self.unit_of(place);
        let [group, own, chunk] = self.shifts;
        u64::from(unit % self.groups) << group
            | u64::from(unit / self.groups) << own
            | u64::from(self.line_of(place)) << chunk
            | u64::from(place % self.chunk_blocks)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A drive of 2 groups with 3 parallel units each, of 20 chunks of 16 blocks.
    pub fn geometry() -> Geometry {
        Geometry {
            major: 2,
            group_bits: 1,
            unit_bits: 2,
            chunk_bits: 5,
            block_bits: 4,
            groups: 2,
            units: 3,
            chunks: 20,
            chunk_blocks: 16,
            write_least: 4,
            write_best: 8,
            ..Geometry::zeroed()
        }
    }

    #[test]
    fn places_have_addresses_of_their_own_and_neighbours_are_in_different_groups() {
        let shape = Shape::new(&geometry()).unwrap();
        assert_eq!((shape.units(), shape.line_blocks(), shape.places()), (6, 96, 1920));
        let mut seen = std::collections::BTreeSet::new();
        for line in 0..20 {
            for unit in 0..6 {
                for block in 0..16 {
                    let place = shape.place(line, unit, block);
                    assert_eq!((shape.line_of(place), shape.unit_of(place)), (line, unit));
                    let address = shape.address(place);
                    let [group, own] = [unit % 2, unit / 2].map(u64::from);
                    assert_eq!(address >> 11, group);
                    assert_eq!(address >> 9 & 3, own);
                    assert_eq!(address >> 4 & 31, u64::from(line));
                    assert_eq!(address & 15, u64::from(block));
                    seen.insert(address);
                }
            }
        }
        assert_eq!(seen.len(), 1920);
        // The second group's first parallel unit stands behind all of the first group's.
        assert_eq!([0, 1, 2].map(|unit| shape.chunk_index(7, unit)), [7, 67, 27]);
    }

    #[test]
    fn chunks_are_written_by_the_best_unit_that_divides_them() {
        let with = |write_best, chunk_blocks| Geometry { write_best, chunk_blocks, ..geometry() };
        assert_eq!(Shape::new(&with(8, 16)).unwrap().write_blocks, 8);
        assert_eq!(Shape::new(&with(8, 12)).unwrap().write_blocks, 4);
        for (geometry, line) in [
            (with(8, 13), "WS_MIN: found 4"),
            (Geometry { chunks: 15, ..geometry() }, "NUM_CHK: found 15"),
            (Geometry { major: 1, ..geometry() }, "MJR: found 1"),
            (Geometry { units: 0, ..geometry() }, "NUM_GRP x NUM_PU: found 0"),
            (Geometry { chunks: 1 << 30, ..geometry() }, "blocks of all chunks"),
        ] {
            let error = Shape::new(&geometry).unwrap_err().to_string();
            assert!(error.contains(line), "{error}");
        }
    }
}
