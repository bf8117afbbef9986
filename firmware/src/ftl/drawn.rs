//! The state of a drive whose blocks hold present data here and there, as a formula.
//!
//! Of each superblock it is kept how many of its pages hold present data. Which pages of it these are, and which
//! logical pages they hold, is decided by permutations that can be run in both directions. So a drive that was
//! overwritten at random takes a few words a block, and none a page.

use alloc::vec::Vec;
use contract::{Geometry, Lpn};

use super::blocks::{Blocks, Role, NONE};
use super::fill::Permutation;
use super::fixed::Fixed;

/// Ranks between two entries of the table by which a rank's superblock is found, as a power of two: about as many as
/// a superblock holds.
const RANKS_AN_ENTRY: u32 = 7;

/// The present data of a superblock: those of the ranks from this one on, before that of the next superblock.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Extent {
    first: u32,
    /// Present data lie in these pages of it: from this one on.
    start: u32,
    /// Before this one. Pages from here on are erased.
    end: u32,
}

/// Where every logical page is.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Drawn {
    pages: u32,
    geometry: Geometry,
    plane_bits: u32,
    /// From logical pages to ranks.
    order: Permutation,
    seed: u64,
    /// By die and superblock, and one behind the last.
    extents: Fixed<Extent>,
    /// The extent of each rank that this is a multiple of.
    entries: Fixed<u32>,
    /// The blocks of each superblock, plane after plane.
    members: Fixed<u32>,
    /// By die and block, its superblock, or `NONE`.
    superblocks: Fixed<u32>,
}

impl Drawn {
    /// Puts all logical pages to the superblocks of a drive, as many to each as are valid there.
    ///
    /// # Panics
    /// If valid pages are not as many as there are logical pages, or pages have several mapping units.
    pub(super) fn new(blocks: &Blocks, pages: u32, seed: u64) -> Drawn {
        assert_eq!(blocks.units_per_page(), 1, "a page is a mapping unit");
        let (geometry, of_way) = (blocks.geometry, blocks.superblocks_per_way());
        let mut superblocks = alloc::vec![NONE; blocks.members.len()];
        let mut extents = Vec::with_capacity((geometry.dies() * of_way) as usize + 1);
        let mut first = 0;
        for die in 0..geometry.dies() {
            let of_die = (die * geometry.blocks_per_way) as usize;
            for superblock in 0..of_way {
                let (start, end) = used(blocks, die, superblock);
                extents.push(Extent { first, start, end });
                first += blocks.valid(die, superblock);
                let members = blocks.members(die, superblock).iter();
                for &block in members.filter(|&&block| block != NONE) {
                    superblocks[of_die + block as usize] = superblock;
                }
            }
        }
        assert_eq!(first, pages, "every logical page has a place");
        extents.push(Extent { first, start: 0, end: 0 });
        let mut nth = 0;
        let entries = (0..=pages >> RANKS_AN_ENTRY).map(|entry| {
            while nth + 1 < extents.len() && extents[nth + 1].first <= entry << RANKS_AN_ENTRY {
                nth += 1;
            }
            nth as u32
        });
        Drawn {
            pages,
            geometry,
            plane_bits: blocks.planes().trailing_zeros(),
            order: Permutation::new(pages, seed),
            seed,
            entries: entries.collect(),
            extents: extents.into(),
            members: blocks.members.iter().copied().collect(),
            superblocks: superblocks.into(),
        }
    }

    /// Logical pages.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Physical page (die-major: `die * rows_per_way + row`) of a logical page.
    pub fn physical(&self, Lpn(lpn): Lpn) -> Option<u32> {
        if lpn >= self.pages {
            return None;
        }
        let rank = self.order.forward(lpn);
        let nth = self.extent_of(rank);
        let extent = self.extents[nth];
        let page = extent.start + self.scattered(nth).forward(rank - extent.first);
        let (plane, of_plane) =
            (page as usize & ((1 << self.plane_bits) - 1), page >> self.plane_bits);
        let block = self.members[(nth << self.plane_bits) + plane];
        let die = nth as u32 / self.superblocks_per_way();
        let row = block * self.geometry.pages_per_block + of_plane;
        Some(die * self.geometry.rows_per_way() + row)
    }

    /// What `row` of `die` holds: a logical page whose present data may be elsewhere; `None` if it is erased.
    pub fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        let g = &self.geometry;
        let (block, of_plane) = (row / g.pages_per_block, row % g.pages_per_block);
        let superblock = self.superblocks[(die * g.blocks_per_way + block) as usize];
        if superblock == NONE {
            return None;
        }
        let nth = (die * self.superblocks_per_way() + superblock) as usize;
        let Extent { first, start, end } = self.extents[nth];
        let page = of_plane << self.plane_bits | block & ((1 << self.plane_bits) - 1);
        if page >= end {
            return None;
        }
        let valid = self.extents[nth + 1].first - first;
        let place = page.checked_sub(start).map(|page| self.scattered(nth).backward(page));
        let rank = match place.filter(|&place| place < valid) {
            Some(place) => first + place,
            None => self.stale(die, row),
        };
        Some(Lpn(self.order.backward(rank)))
    }

    /// The rank of a logical page that was at a place before.
    fn stale(&self, die: u32, row: u32) -> u32 {
        let mut state = self.seed ^ (u64::from(die) << 32 | u64::from(row));
        let draw = random::next(&mut state) >> 32;
        ((draw * u64::from(self.pages)) >> 32) as u32
    }

    /// The extent that a rank lies in: the last one that begins there or before.
    fn extent_of(&self, rank: u32) -> usize {
        let entry = (rank >> RANKS_AN_ENTRY) as usize;
        let first = self.entries[entry] as usize;
        let last =
            self.entries.get(entry + 1).map_or(self.extents.len() - 1, |&last| last as usize);
        let begun = self.extents[first + 1..=last].partition_point(|extent| extent.first <= rank);
        first + begun
    }

    /// The order in which the pages of an extent have present data.
    fn scattered(&self, nth: usize) -> Permutation {
        let Extent { start, end, .. } = self.extents[nth];
        Permutation::new(end - start, self.seed.rotate_left(32) ^ nth as u64)
    }

    fn superblocks_per_way(&self) -> u32 {
        self.geometry.blocks_per_way >> self.plane_bits
    }
}

/// The pages of a superblock among which present data lie, and before the second of which all are programmed.
fn used(blocks: &Blocks, die: u32, superblock: u32) -> (u32, u32) {
    let pages = blocks.superblock_pages();
    let own = blocks.of(die, superblock);
    match own.role {
        Role::Closed => (0, pages),
        Role::Victim => (blocks.victim(die).map_or(0, |(_, unit)| unit), pages),
        Role::Open => {
            let mut open = blocks.dies[die as usize].open.iter();
            let own = open.find(|open| open.superblock == superblock);
            (0, own.map_or(0, |open| open.next_page))
        }
        Role::Free | Role::Failed | Role::Spare | Role::Bad => (0, 0),
    }
}
