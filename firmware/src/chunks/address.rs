//! Addresses: what the host calls a logical block, the number by which the drive counts it, and where it is.

use contract::{Configuration, Geometry, Lpn};

use crate::operations::{Page, Place};

/// Turns addresses into places. Blocks count through all chunks, chunks through all parallel units, and these through the
/// groups, so that numbers are dense where addresses are not: each part of an address has bits of its own (Open-Channel SSD
/// 2.0 section 1.2.3). As a unit of a page is a logical block, the number of a block is an [`Lpn`].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Addresses {
    geometry: Geometry,
    /// Logical blocks of a page.
    units: u32,
    chunk_blocks: u32,
    /// Bits of group, parallel unit, chunk and block.
    pub(super) bits: [u32; 4],
}

/// Bits that tell so many things apart.
const fn bits_of(count: u32) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

impl Addresses {
    /// The addresses of a drive with this configuration.
    pub fn new(config: &Configuration) -> Self {
        let g = config.geometry;
        let units = config.units_per_page();
        let chunk_blocks = g.pages_per_block * units;
        let counts = [g.channels, g.ways, g.blocks_per_way, chunk_blocks];
        Addresses { geometry: g, units, chunk_blocks, bits: counts.map(bits_of) }
    }

    /// Groups, parallel units of a group, and chunks of a parallel unit.
    pub const fn counts(&self) -> [u32; 3] {
        [self.geometry.channels, self.geometry.ways, self.geometry.blocks_per_way]
    }

    /// Chunks of the drive.
    pub const fn chunks(&self) -> u32 {
        self.geometry.dies() * self.geometry.blocks_per_way
    }

    /// Logical blocks of a chunk.
    pub const fn chunk_blocks(&self) -> u32 {
        self.chunk_blocks
    }

    /// Logical blocks of a page.
    pub const fn units(&self) -> u32 {
        self.units
    }

    /// Pages of a chunk.
    pub const fn pages(&self) -> u32 {
        self.geometry.pages_per_block
    }

    /// Parallel units.
    pub const fn dies(&self) -> u32 {
        self.geometry.dies()
    }

    /// The end of all addresses.
    pub fn end(&self) -> u64 {
        1 << self.bits.iter().sum::<u32>()
    }

    /// The number of the block at an address, if there is one.
    pub fn parse(&self, address: u64) -> Option<Lpn> {
        let mut rest = address;
        let mut take = |bits: u32| {
            let part = rest & ((1 << bits) - 1);
            rest >>= bits;
            part as u32
        };
        let block = take(self.bits[3]);
        let chunk = take(self.bits[2]);
        let unit = take(self.bits[1]);
        let group = take(self.bits[0]);
        let [groups, units, chunks] = self.counts();
        let is_there = rest == 0
            && group < groups
            && unit < units
            && chunk < chunks
            && block < self.chunk_blocks;
        let number = |group, unit, chunk| (group * units + unit) * chunks + chunk;
        is_there.then(|| Lpn(number(group, unit, chunk) * self.chunk_blocks + block))
    }

    /// The address of the first block of a chunk.
    pub fn start(&self, chunk: u32) -> u64 {
        let [_, units, chunks] = self.counts();
        let (parallel, chunk) = (chunk / chunks, chunk % chunks);
        let (group, unit) = (parallel / units, parallel % units);
        let put = |above: u64, part: u32, bits: u32| above << bits | u64::from(part);
        let above = put(put(u64::from(group), unit, self.bits[1]), chunk, self.bits[2]);
        above << self.bits[3]
    }

    /// The chunk of a block, and which block of it that is.
    pub const fn in_chunk(&self, Lpn(number): Lpn) -> (u32, u32) {
        (number / self.chunk_blocks, number % self.chunk_blocks)
    }

    /// The way, by its die index, and the flash block that a chunk is.
    pub const fn block_of(&self, chunk: u32) -> (u32, u32) {
        let g = &self.geometry;
        let (parallel, block) = (chunk / g.blocks_per_way, chunk % g.blocks_per_way);
        let (channel, way) = (parallel / g.ways, parallel % g.ways);
        (way * g.channels + channel, block)
    }

    /// The chunk that a flash block of a way is.
    pub const fn chunk_of(&self, page: Page) -> u32 {
        let g = &self.geometry;
        let (channel, way) = (page.die % g.channels, page.die / g.channels);
        (channel * g.ways + way) * g.blocks_per_way + g.block_of(page.row)
    }

    /// The first block of a page in its chunk.
    pub const fn first_block(&self, page: Page) -> u32 {
        page.row % self.geometry.pages_per_block * self.units
    }

    /// A page of a chunk.
    pub const fn page(&self, chunk: u32, page: u32) -> Page {
        let (die, block) = self.block_of(chunk);
        Page { die, row: block * self.geometry.pages_per_block + page }
    }

    /// Where a block is.
    pub const fn place(&self, lpn: Lpn) -> Place {
        let (chunk, block) = self.in_chunk(lpn);
        Place { page: self.page(chunk, block / self.units), unit: (block % self.units) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvme::tests::mock::configuration;

    /// A drive none of whose sizes is a power of two.
    fn odd() -> Addresses {
        let geometry = Geometry {
            channels: 3,
            ways: 5,
            blocks_per_way: 6,
            pages_per_block: 7,
            page_bytes: 16_384,
        };
        let unit_bytes = 4096;
        Addresses::new(&Configuration { geometry, unit_bytes, ..configuration() })
    }

    #[test]
    fn every_address_is_of_one_block_or_of_none() {
        let addresses = odd();
        assert_eq!((addresses.bits, addresses.end()), ([2, 3, 3, 5], 1 << 13));
        let mut numbers = alloc::vec![false; (3 * 5 * 6 * 28) as usize];
        for address in 0..addresses.end() {
            let (block, chunk) = (address & 31, address >> 5 & 7);
            let (unit, group) = (address >> 8 & 7, address >> 11);
            let found = addresses.parse(address);
            let expected = block < 28 && chunk < 6 && unit < 5 && group < 3;
            assert_eq!(found.is_some(), expected, "{address:#x}");
            let Some(lpn) = found else { continue };
            assert!(!core::mem::replace(&mut numbers[lpn.0 as usize], true));
            let place = addresses.place(lpn);
            assert_eq!(u64::from(place.page.die), unit * 3 + group);
            assert_eq!(u64::from(place.page.row), chunk * 7 + block / 4);
            assert_eq!(u64::from(place.unit), block % 4);
            let (nth, within) = addresses.in_chunk(lpn);
            assert_eq!(addresses.start(nth) + u64::from(within), address);
            assert_eq!(addresses.chunk_of(place.page), nth);
            assert_eq!(u64::from(addresses.first_block(place.page)), block / 4 * 4);
        }
        assert!(numbers.iter().all(|&seen| seen), "every block has an address");
        for beyond in [addresses.end(), addresses.end() | 1 << 40, u64::MAX] {
            assert_eq!(addresses.parse(beyond), None);
        }
    }
}
