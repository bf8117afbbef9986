//! Which parts of the volumes a trace touches, and how often.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::record::{Kind, Record};

/// Granules of a region: the bits of its two maps.
const GRANULES: u32 = 128;
/// The first size of a granule, 4 KiB.
const FIRST_SHIFT: u32 = 12;
/// Regions that are told apart; with more of them granules become larger.
const MAX_REGIONS: usize = 1 << 19; // More than there may be volumes, each of which has one at least.
/// A key is a volume above so many bits of a region's number.
const VOLUME_SHIFT: u32 = 44;

/// A stretch of a volume, [`Regions::region_bytes`] long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The volume, by its number in [`crate::Volumes`].
    pub volume: u32,
    /// Its number among the regions of the volume.
    pub index: u64,
    /// Granules that were read, one a bit.
    pub read: u128,
    /// Granules that were written.
    pub written: u128,
    /// Reads, and writes, that began in it.
    pub requests: [u64; 2],
}

impl Region {
    /// Reads and writes that began in it.
    pub fn all(&self) -> u64 {
        self.requests[0] + self.requests[1]
    }

    /// Granules that were read or written.
    pub fn touched(&self) -> u128 {
        self.read | self.written
    }
}

/// All regions that were read or written. Memory is bounded: where there are too many regions, granules double.
#[derive(Clone, Debug)]
pub struct Regions {
    shift: u32,
    most: usize,
    list: Vec<Region>,
    places: HashMap<u64, u32, BuildHasherDefault<Spread>>,
    /// Key and place of the region that was touched last.
    last: (u64, u32),
}

/// Spreads keys by a multiplication: they are the trace's own, and nobody gains by making them collide.
#[derive(Clone, Copy, Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }
}

impl Default for Regions {
    fn default() -> Self {
        Regions::bounded(MAX_REGIONS)
    }
}

impl Regions {
    fn bounded(most: usize) -> Self {
        let (list, places) = (Vec::new(), HashMap::default());
        Regions { shift: FIRST_SHIFT, most, list, places, last: (u64::MAX, 0) }
    }

    /// Bytes of a granule: 4 KiB, or more where the trace touches many regions.
    pub fn granule_bytes(&self) -> u64 {
        1 << self.shift
    }

    /// Bytes of a region, 128 granules.
    pub fn region_bytes(&self) -> u64 {
        u64::from(GRANULES) << self.shift
    }

    /// The regions, in no order that means anything but the same each time.
    pub fn list(&self) -> &[Region] {
        &self.list
    }

    /// The place in the list of the region of an address, if it was touched.
    pub(crate) fn place(&self, volume: u32, offset: u64) -> Option<usize> {
        self.places.get(&key(volume, offset / self.region_bytes())).map(|&place| place as usize)
    }

    /// Takes note of a read or a write.
    #[inline]
    pub fn touch(&mut self, record: &Record) {
        let (first, last) = (record.offset >> self.shift, (record.end() - 1) >> self.shift);
        let granules = u64::from(GRANULES);
        let (from, to) = (first / granules, last / granules);
        for index in from..=to {
            let low = if index == from { first % granules } else { 0 };
            let high = if index == to { last % granules } else { granules - 1 };
            let mask = (u128::MAX >> (granules - 1 - (high - low))) << low;
            let region = self.region(record.volume, index);
            match record.kind {
                Kind::Read => region.read |= mask,
                _ => region.written |= mask,
            }
            region.requests[usize::from(record.kind != Kind::Read)] += u64::from(index == from);
        }
        while self.list.len() > self.most {
            self.coarsen();
        }
    }

    #[inline]
    fn region(&mut self, volume: u32, index: u64) -> &mut Region {
        let key = key(volume, index);
        if self.last.0 != key {
            let next = self.list.len() as u32;
            let place = *self.places.entry(key).or_insert(next);
            if place == next {
                self.list.push(Region { volume, index, read: 0, written: 0, requests: [0; 2] });
            }
            self.last = (key, place);
        }
        &mut self.list[self.last.1 as usize]
    }

    /// Doubles the granules.
    fn coarsen(&mut self) {
        let fine = std::mem::take(&mut self.list);
        self.places.clear();
        self.last = (u64::MAX, 0);
        self.shift += 1;
        for region in fine {
            let half = (region.index & 1) as u32 * GRANULES / 2;
            let coarse = self.region(region.volume, region.index / 2);
            coarse.read |= halved(region.read) << half;
            coarse.written |= halved(region.written) << half;
            coarse.requests[0] += region.requests[0];
            coarse.requests[1] += region.requests[1];
        }
    }

    /// Bytes that were read, written, and either.
    pub fn footprint(&self) -> [u64; 3] {
        let mut granules = [0_u64; 3];
        for region in &self.list {
            let maps = [region.read, region.written, region.touched()];
            for (sum, map) in granules.iter_mut().zip(maps) {
                *sum += u64::from(map.count_ones());
            }
        }
        granules.map(|granules| granules << self.shift)
    }

    /// Requests by region, most first.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts: Vec<u64> = self.list.iter().map(Region::all).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }
}

fn key(volume: u32, index: u64) -> u64 {
    u64::from(volume) << VOLUME_SHIFT | index
}

/// A map of half as many bits, each of which stands for two.
fn halved(map: u128) -> u128 {
    let pairs = map | map >> 1;
    (0..GRANULES / 2).fold(0, |half, bit| half | (pairs >> (2 * bit) & 1) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::UNKNOWN;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn record((volume, offset, length): (u32, u64, u64), kind: Kind) -> Record {
        Record { time_ns: 0, response_ns: UNKNOWN, volume, kind, offset, length }
    }

    proptest! {
        #[test]
        fn the_footprint_is_that_of_a_plain_set(
            touches in prop::collection::vec((0_u32..3, 0_u64..1 << 26, 1_u64..1 << 21, any::<bool>()), 1..60),
            most in 4_usize..40,
        ) {
            let mut regions = Regions::bounded(most);
            for &(volume, offset, length, is_read) in &touches {
                let kind = if is_read { Kind::Read } else { Kind::Write };
                regions.touch(&record((volume, offset, length), kind));
            }
            let size = regions.granule_bytes();
            let granules = |wanted: &dyn Fn(bool) -> bool| {
                let mut set = BTreeSet::new();
                for &(volume, offset, length, is_read) in &touches {
                    if wanted(is_read) {
                        set.extend((offset / size..=(offset + length - 1) / size).map(|g| (volume, g)));
                    }
                }
                set.len() as u64 * size
            };
            let expected = [granules(&|read| read), granules(&|read| !read), granules(&|_| true)];
            prop_assert_eq!(regions.footprint(), expected);
            prop_assert_eq!(regions.counts().iter().sum::<u64>(), touches.len() as u64);
            prop_assert!(regions.list().len() <= most);
        }
    }

    #[test]
    fn granules_stay_small_while_there_is_room() {
        let mut regions = Regions::default();
        for nth in 0..1000 {
            regions.touch(&record((0, nth << 20, 4096), Kind::Write));
        }
        assert_eq!(
            (regions.granule_bytes(), regions.footprint()),
            (4096, [0, 4_096_000, 4_096_000])
        );
    }
}
