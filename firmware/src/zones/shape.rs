//! Zones and where they are: which ways a zone is striped over, and which page of it lies in which way.

use contract::{Configuration, Lpn};
use nvme::zones::ZoneState;

use super::states::Limits;
use crate::nvme::backend::ZoneShape;
use crate::operations::Page;

/// A block of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct InZone {
    /// Number of the zone.
    pub zone: u32,
    /// Number of the block in it.
    pub block: u32,
}

/// How zones lie in the flash. Ways are divided into sets of `channels` x `ways`; zones take turns over the sets, and a zone takes a flash
/// block of each way of its set, its *slots*. Pages of a zone go over the slots, one after the other, channels first.
///
/// Zones begin a power of two of logical blocks apart ([`Shape::size`]); blocks behind the capacity of one do not exist. The number of a
/// block, with these gaps, is its address and its [`Lpn`].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Shape {
    geometry: contract::Geometry,
    units: u32,
    zone_channels: u32,
    zone_ways: u32,
    zones: u32,
    most_open: u32,
    most_active: u32,
}

impl Shape {
    /// Of a drive with this configuration.
    ///
    /// # Panics
    /// If the configuration has no zones.
    pub fn new(config: &Configuration) -> Self {
        let zoning = config.zoning.expect("a drive with zones");
        let shape = Shape {
            geometry: config.geometry,
            units: config.units_per_page(),
            zone_channels: zoning.channels,
            zone_ways: zoning.ways,
            zones: 0,
            most_open: zoning.most_open,
            most_active: zoning.most_active,
        };
        Shape { zones: shape.sets() * zoning.zones_per_set, ..shape }
    }

    /// Sets of ways that zones take turns over.
    pub const fn sets(&self) -> u32 {
        self.geometry.dies() / self.slots()
    }

    /// Flash blocks of a zone, each in a way of its own.
    pub const fn slots(&self) -> u32 {
        self.zone_channels * self.zone_ways
    }

    /// Zones of the drive.
    pub const fn zones(&self) -> u32 {
        self.zones
    }

    /// Most zones that are open, and that are active.
    pub const fn limits(&self) -> Limits {
        Limits { open: self.most_open, active: self.most_active }
    }

    /// Pages of a zone.
    pub const fn pages(&self) -> u32 {
        self.slots() * self.geometry.pages_per_block
    }

    /// Pages of a flash block.
    pub const fn rows(&self) -> u32 {
        self.geometry.pages_per_block
    }

    /// Flash blocks of a way.
    pub const fn blocks_per_way(&self) -> u32 {
        self.geometry.blocks_per_way
    }

    /// Ways of the drive.
    pub const fn dies(&self) -> u32 {
        self.geometry.dies()
    }

    /// Logical blocks of a page.
    pub const fn units(&self) -> u32 {
        self.units
    }

    /// Logical blocks of a zone that can be written (ZCAP).
    pub const fn capacity(&self) -> u32 {
        self.pages() * self.units
    }

    /// Logical blocks from the start of a zone to that of the next (ZSZE).
    pub const fn size(&self) -> u64 {
        (self.capacity() as u64).next_power_of_two()
    }

    /// The zone of a logical block as the host counts, and which block of it that is, which may lie behind the capacity.
    pub const fn locate(&self, start: u64) -> (u32, u64) {
        ((start / self.size()) as u32, start % self.size())
    }

    /// The first logical block of a zone, as the host counts.
    pub const fn start(&self, zone: u32) -> u64 {
        zone as u64 * self.size()
    }

    /// What the host is told.
    pub const fn told(&self) -> ZoneShape {
        ZoneShape {
            zones: self.zones,
            zone_blocks: self.size(),
            capacity: self.capacity() as u64,
            most_open: self.most_open,
            most_active: self.most_active,
        }
    }

    /// The number of a block.
    pub const fn lpn(&self, InZone { zone, block }: InZone) -> Lpn {
        Lpn((self.start(zone) + block as u64) as u32)
    }

    /// The block with a number.
    pub const fn in_zone(&self, Lpn(number): Lpn) -> InZone {
        let (zone, block) = self.locate(number as u64);
        InZone { zone, block: block as u32 }
    }

    /// The way, by its die index, of a slot of a zone.
    pub const fn die(&self, zone: u32, slot: u32) -> u32 {
        let set = zone % self.sets();
        let across = self.geometry.channels / self.zone_channels;
        let channel = set % across * self.zone_channels + slot % self.zone_channels;
        let way = set / across * self.zone_ways + slot / self.zone_channels;
        way * self.geometry.channels + channel
    }

    /// The slot of a page of a zone, and the page's row in it.
    pub const fn slot_of(&self, page: u32) -> (u32, u32) {
        (page % self.slots(), page / self.slots())
    }

    /// The page of a flash block.
    pub const fn page(&self, die: u32, block: u32, row: u32) -> Page {
        Page { die, row: block * self.geometry.pages_per_block + row }
    }

    /// The flash block of a page, and the row in it.
    pub const fn block_of(&self, page: Page) -> (u32, u32) {
        (page.row / self.geometry.pages_per_block, page.row % self.geometry.pages_per_block)
    }
}

/// State of a zone of which so many blocks are written, after the power was away.
pub const fn state_of(written: u32, capacity: u32) -> ZoneState {
    match written {
        0 => ZoneState::Empty,
        written if written == capacity => ZoneState::Full,
        _ => ZoneState::Closed,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use contract::{Geometry, Zoning};

    use super::*;
    use crate::nvme::tests::mock::configuration;

    fn shape(channels: u32, ways: u32) -> Shape {
        let geometry = Geometry {
            channels: 4,
            ways: 6,
            blocks_per_way: 9,
            pages_per_block: 3,
            page_bytes: 16_384,
        };
        let zoning = Zoning { channels, ways, most_open: 3, most_active: 5, zones_per_set: 7 };
        let zoning = Some(zoning);
        Shape::new(&Configuration { geometry, unit_bytes: 4096, zoning, ..configuration() })
    }

    #[test]
    fn each_way_is_a_slot_of_the_zones_of_one_set() {
        for (channels, ways) in [(1, 1), (4, 6), (2, 3), (4, 1), (1, 6)] {
            let shape = shape(channels, ways);
            assert_eq!(shape.zones(), 24 / (channels * ways) * 7);
            let mut uses = vec![0; 24];
            for zone in 0..shape.zones() {
                let mut own = [false; 24];
                for slot in 0..shape.slots() {
                    let die = shape.die(zone, slot) as usize;
                    assert!(!core::mem::replace(&mut own[die], true), "zone {zone} slot {slot}");
                    uses[die] += 1;
                }
            }
            assert!(uses.iter().all(|&uses| uses == 7), "{channels} x {ways}: {uses:?}");
        }
    }

    #[test]
    fn zones_begin_a_power_of_two_apart() {
        let shape = shape(2, 3);
        assert_eq!((shape.capacity(), shape.size()), (72, 128));
        assert_eq!(shape.locate(128 * 5 + 71), (5, 71));
        assert_eq!(shape.locate(128 * 5 + 127), (5, 127));
        assert_eq!(shape.start(5), 640);
        for number in [0, 71, 128, 128 * 27 + 71] {
            assert_eq!(shape.lpn(shape.in_zone(Lpn(number))), Lpn(number));
        }
        assert_eq!(shape.slot_of(13), (1, 2));
        let page = shape.page(7, 4, 2);
        assert_eq!(shape.block_of(page), (4, 2));
    }
}
