//! From addresses of a trace to those of a drive.

use std::sync::Arc;

use trace::{Kind, Record};

use super::Remap;
use crate::job::{ByteRange, Request, RequestKind};

/// A stretch of the drive, in logical blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// First block.
    pub start: u64,
    /// Blocks, at least one.
    pub blocks: u64,
}

/// Offsets are divided, and then rounded down (`replay_scale`, `replay_align`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// The divisor, at least 1.
    pub divisor: u64,
    /// A power of two.
    pub align: u64,
}

impl Default for Narrowing {
    /// Offsets stay.
    fn default() -> Self {
        Narrowing { divisor: 1, align: 1 }
    }
}

impl Narrowing {
    /// Where a request at `offset` begins.
    pub fn of(self, offset: u64) -> u64 {
        offset / self.divisor / self.align * self.align
    }
}

/// Where the requests of a trace go. Both ends of a request are rounded outwards to logical blocks. One that would then
/// reach beyond its place is moved back as far as it must.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    block_bytes: u64,
    remap: Remap,
    /// The tenant's part of the drive.
    part: Place,
    /// Blocks that the trace needs, at least one.
    needed: u64,
    /// What becomes of offsets before they are mapped, if something does.
    narrowing: Option<Narrowing>,
    /// Places of the volumes, by number, for [`Remap::Volume`].
    volumes: Arc<[Place]>,
}

impl Placement {
    /// A placement within a part of a drive, for a trace whose volumes have these ends.
    ///
    /// # Panics
    /// When the part has not one block for each volume that is used, or addresses stay and do not fit.
    pub fn new(part: ByteRange, block_bytes: u64, (remap, ends): (Remap, &[u64])) -> Self {
        let part = Place { start: part.start / block_bytes, blocks: part.len / block_bytes };
        let needs: Vec<u64> = ends.iter().map(|end| end.div_ceil(block_bytes)).collect();
        let needed = needs.iter().copied().max().unwrap_or(0).max(1);
        assert!(remap != Remap::None || needed <= part.blocks, "addresses that stay fit");
        let volumes = match remap {
            Remap::Volume => side_by_side(part, &needs).into(),
            _ => Arc::default(),
        };
        Placement { block_bytes, remap, part, needed, narrowing: None, volumes }
    }

    /// The same placement for offsets that are narrowed before; the ends that it was made for are those of
    /// narrowed requests.
    pub fn narrowed(self, narrowing: Narrowing) -> Self {
        let narrowing = Some(narrowing).filter(|&narrowing| narrowing != Narrowing::default());
        Placement { narrowing, ..self }
    }

    /// The request to the drive that stands for one of the trace.
    #[inline]
    pub fn of(&self, record: &Record) -> Request {
        let kind = match record.kind {
            Kind::Read => RequestKind::Read,
            Kind::Write => RequestKind::Write,
            Kind::Trim => RequestKind::Trim,
            Kind::Flush => {
                return Request { kind: RequestKind::Flush, offset_bytes: 0, length_bytes: 0 };
            }
        };
        let offset = match self.narrowing {
            None => record.offset,
            Some(narrowing) => narrowing.of(record.offset),
        };
        let first = offset / self.block_bytes;
        let blocks = (offset + record.length).div_ceil(self.block_bytes) - first;
        let (place, first) = match self.remap {
            Remap::None => (self.part, first),
            Remap::Modulo => (self.part, first % self.part.blocks),
            Remap::Scale => (self.part, scaled(first, self.part.blocks, self.needed)),
            Remap::Volume => {
                let place = self.volumes[record.volume as usize];
                (place, first % place.blocks)
            }
        };
        let blocks = blocks.min(place.blocks);
        let start = place.start + first.min(place.blocks - blocks);
        Request {
            kind,
            offset_bytes: start * self.block_bytes,
            length_bytes: blocks * self.block_bytes,
        }
    }
}

fn scaled(value: u64, to: u64, from: u64) -> u64 {
    (u128::from(value) * u128::from(to) / u128::from(from)) as u64
}

/// Places one behind another, as large as they need to be, or in proportion if that is too large. A volume that needs nothing
/// gets the first block, and is not used.
fn side_by_side(part: Place, needs: &[u64]) -> Vec<Place> {
    let all: u128 = needs.iter().map(|&need| u128::from(need)).sum();
    let used = needs.iter().filter(|&&need| need > 0).count() as u64;
    assert!(part.blocks >= used, "each volume has a block");
    let spare = part.blocks - used;
    let mut start = part.start;
    let place = |&need: &u64| {
        if need == 0 {
            return Place { start: part.start, blocks: 1 };
        }
        let blocks = if all <= u128::from(part.blocks) {
            need
        } else {
            1 + (u128::from(need) * u128::from(spare) / all) as u64
        };
        start += blocks;
        Place { start: start - blocks, blocks }
    };
    needs.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use trace::UNKNOWN;

    fn record(volume: u32, offset: u64, length: u64) -> Record {
        Record { time_ns: 0, response_ns: UNKNOWN, volume, kind: Kind::Write, offset, length }
    }

    fn place(placement: &Placement, volume: u32, (offset, length): (u64, u64)) -> (u64, u64) {
        let Request { offset_bytes, length_bytes, .. } =
            placement.of(&record(volume, offset, length));
        (offset_bytes, length_bytes)
    }

    #[test]
    fn requests_are_rounded_outwards() {
        let part = ByteRange { start: 1 << 20, len: 1 << 20 };
        let placement = Placement::new(part, 4096, (Remap::None, &[1 << 19]));
        let base = 1 << 20;
        assert_eq!(place(&placement, 0, (4096, 4096)), (base + 4096, 4096));
        assert_eq!(place(&placement, 0, (512, 512)), (base, 4096));
        assert_eq!(place(&placement, 0, (4095, 2)), (base, 8192));
        assert_eq!(place(&placement, 0, (8192, 1)), (base + 8192, 4096));
    }

    #[test]
    fn addresses_are_mapped_as_asked() {
        let part = ByteRange { start: 0, len: 64 << 10 };
        let modulo = Placement::new(part, 4096, (Remap::Modulo, &[1 << 30]));
        assert_eq!(place(&modulo, 0, ((64 << 10) * 7 + 8192, 4096)), (8192, 4096));
        // One that crosses the end is moved back.
        assert_eq!(place(&modulo, 0, (60 << 10, 8192)), (56 << 10, 8192));
        let scale = Placement::new(part, 4096, (Remap::Scale, &[1 << 20]));
        assert_eq!(place(&scale, 0, (1 << 19, 4096)), (32 << 10, 4096));
        assert_eq!(place(&scale, 0, ((1 << 20) - 4096, 4096)), (60 << 10, 4096));
        let grown = Placement::new(part, 4096, (Remap::Scale, &[16 << 10]));
        assert_eq!(place(&grown, 0, (12 << 10, 4096)), (48 << 10, 4096));
        // Three volumes, of which the second has no addresses.
        let volumes = Placement::new(part, 4096, (Remap::Volume, &[16 << 10, 0, 24 << 10]));
        assert_eq!(place(&volumes, 2, (0, 4096)), (16 << 10, 4096));
        assert_eq!(place(&volumes, 2, (20 << 10, 4096)), (36 << 10, 4096));
        // Twice as much as there is room for: half of it each.
        let halves = Placement::new(part, 4096, (Remap::Volume, &[96 << 10, 32 << 10]));
        assert_eq!(place(&halves, 0, (44 << 10, 4096)), (0, 4096));
        assert_eq!(place(&halves, 1, (0, 4096)), (44 << 10, 4096));
    }

    proptest! {
        #[test]
        fn every_request_stays_in_its_part(
            start in 0_u64..100,
            blocks in 8_u64..1000,
            ends in prop::collection::vec(0_u64..1 << 40, 1..6),
            nth in 0_usize..3,
            offset: u64,
            length in 1_u64..1 << 34,
        ) {
            let remap = [Remap::Modulo, Remap::Scale, Remap::Volume][nth];
            let part = ByteRange { start: start * 4096, len: blocks * 4096 };
            let placement = Placement::new(part, 4096, (remap, &ends));
            for (volume, &end) in ends.iter().enumerate().filter(|(_, &end)| end > 0) {
                let offset = offset % end;
                let (at, bytes) = place(&placement, volume as u32, (offset, length.min(end - offset)));
                prop_assert!(at >= part.start && at + bytes <= part.start + part.len && bytes > 0);
            }
        }

        #[test]
        fn volumes_do_not_overlap(
            blocks in 6_u64..1000,
            needs in prop::collection::vec(0_u64..500, 1..6),
        ) {
            let places = side_by_side(Place { start: 7, blocks }, &needs);
            let mut end = 7;
            for (place, _) in places.iter().zip(&needs).filter(|(_, &need)| need > 0) {
                prop_assert_eq!(place.start, end);
                end += place.blocks;
            }
            prop_assert!(end <= 7 + blocks);
        }
    }
}
