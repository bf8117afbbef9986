//! The state that writing every logical page once leaves behind, as a formula.
//!
//! A drive of 1 TiB has 64 Mi pages. Where each of them went when they were written once, in order
//! or in a permuted order, follows from the placement alone, so no table has to hold it: the map
//! and the flash contents start from a `Fill` and keep only what changed since.

use alloc::vec::Vec;
use contract::{Geometry, Lpn};

use super::placement::Order as WayOrder;
use super::shifted::Shifted;

/// Words of a fill before its blocks.
const WORDS_OF_ORDER: usize = 6;

/// The order in which the pages were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillOrder {
    /// Logical page 0 first.
    Sequential,
    /// A permutation of the pages, drawn from this seed.
    Permuted(u64),
}

impl FillOrder {
    /// So many logical pages in this order.
    pub fn pages(self, pages: u32) -> impl Iterator<Item = u32> {
        let permutation = match self {
            FillOrder::Sequential => None,
            FillOrder::Permuted(seed) => Some(Permutation::new(pages, seed)),
        };
        (0..pages).map(move |rank| permutation.map_or(rank, |p| p.backward(rank)))
    }
}

/// One pass of writes over the first `pages` logical pages of an empty drive.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Fill {
    pages: u32,
    order: Order,
    geometry: Geometry,
    ways: WayOrder,
    /// Planes of a superblock, as a power of two.
    plane_bits: u32,
    /// Per way, its good blocks in the order in which they are opened, a superblock's plane after plane.
    opened: Shifted,
    /// Per way and block, its place in that order, or `u32::MAX`.
    ordinal: Shifted,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Order {
    Sequential,
    /// By this seed.
    Permuted(u64, Permutation),
}

/// What a fill needs to know.
#[derive(Clone, Copy, Debug)]
pub struct FillPlan<'a> {
    /// Logical pages written, from 0.
    pub pages: u32,
    /// Their order.
    pub order: FillOrder,
    /// The array.
    pub geometry: Geometry,
    /// The order in which ways took pages.
    pub ways: WayOrder,
    /// Planes of a superblock.
    pub planes: u32,
    /// Superblocks of each way that stay free, for collection.
    pub reserve: u32,
    /// Per way (die index), the blocks in the order of opening, those of a superblock plane after plane.
    pub blocks: &'a [Vec<u32>],
}

impl Fill {
    /// The formula, or `None` where there is none: a way so short of good
    /// blocks that writes would have gone to others.
    pub fn new(plan: FillPlan<'_>) -> Option<Fill> {
        let g = plan.geometry;
        let superblock_pages = g.pages_per_block * plan.planes;
        let needed = plan.pages.div_ceil(g.dies()).div_ceil(superblock_pages);
        let least = ((needed + plan.reserve) * plan.planes) as usize;
        if plan.blocks.iter().any(|list| list.len() < least) {
            return None;
        }
        let mut opened = alloc::vec![u32::MAX; (g.dies() * g.blocks_per_way) as usize];
        let mut ordinal = opened.clone();
        for (die, list) in plan.blocks.iter().enumerate() {
            let base = die * g.blocks_per_way as usize;
            for (nth, &block) in list.iter().enumerate() {
                opened[base + nth] = block;
                ordinal[base + block as usize] = nth as u32;
            }
        }
        let order = match plan.order {
            FillOrder::Sequential => Order::Sequential,
            FillOrder::Permuted(seed) => Order::Permuted(seed, Permutation::new(plan.pages, seed)),
        };
        let (pages, plane_bits) = (plan.pages, plan.planes.trailing_zeros());
        let [opened, ordinal] =
            [opened, ordinal].map(|table| Shifted::new(table, g.blocks_per_way));
        Some(Fill { pages, order, geometry: g, ways: plan.ways, plane_bits, opened, ordinal })
    }

    /// Words that a fill takes, as [`Fill::words`] gives them.
    pub fn words_needed(geometry: &Geometry) -> u32 {
        WORDS_OF_ORDER as u32 + geometry.dies() * geometry.blocks_per_way
    }

    /// The fill as numbers, from which [`Fill::of_words`] makes it again.
    pub fn words(&self) -> Vec<u32> {
        let (kind, seed) = match self.order {
            Order::Sequential => (0, 0),
            Order::Permuted(seed, _) => (1, seed),
        };
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        let order = [
            self.pages,
            kind,
            low,
            high,
            u32::from(self.ways == WayOrder::WayFirst),
            self.plane_bits,
        ];
        order.into_iter().chain(self.opened.numbers().iter().copied()).collect()
    }

    /// The fill of these numbers on such an array; `None` if they are none.
    pub fn of_words(words: &[u32], geometry: Geometry) -> Option<Fill> {
        let (&[pages, kind, low, high, way_first, plane_bits], opened) =
            words.split_first_chunk::<WORDS_OF_ORDER>()?;
        let order = match kind {
            0 => FillOrder::Sequential,
            1 => FillOrder::Permuted(u64::from(high) << 32 | u64::from(low)),
            _ => return None,
        };
        let per_way = geometry.blocks_per_way as usize;
        let is_block = |&block: &u32| block < geometry.blocks_per_way || block == u32::MAX;
        if words.len() as u32 != Fill::words_needed(&geometry)
            || plane_bits > 8
            || !opened.iter().all(is_block)
        {
            return None;
        }
        let of_way = |way: &[u32]| way.iter().copied().take_while(|&b| b != u32::MAX).collect();
        let blocks: Vec<Vec<u32>> = opened.chunks(per_way).map(of_way).collect();
        let ways = if way_first == 0 { WayOrder::ChannelFirst } else { WayOrder::WayFirst };
        let planes = 1 << plane_bits;
        // Whoever made it has kept the reserve.
        let reserve = 0;
        Fill::new(FillPlan { pages, order, geometry, ways, planes, reserve, blocks: &blocks })
    }

    /// Logical pages that were written.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The die that took the `rank`th write.
    #[inline]
    pub fn die_of_rank(&self, rank: u32) -> u32 {
        self.ways.way(&self.geometry, rank.into())
    }

    /// Pages that die `die` took.
    pub fn pages_of_die(&self, die: u32) -> u32 {
        let g = &self.geometry;
        let first = self.ways.turn_of(g, die);
        self.pages.saturating_sub(first).div_ceil(g.dies())
    }

    /// Physical page (die-major: `die * rows_per_way + row`) of a logical page.
    #[inline]
    pub fn physical(&self, lpn: Lpn) -> Option<u32> {
        if lpn.0 >= self.pages {
            return None;
        }
        let rank = match &self.order {
            Order::Sequential => lpn.0,
            Order::Permuted(_, p) => p.forward(lpn.0),
        };
        let g = &self.geometry;
        let die = self.die_of_rank(rank);
        let nth = rank / g.dies();
        // A row of all planes, and the plane in it.
        let (row, plane) = (nth >> self.plane_bits, nth & ((1 << self.plane_bits) - 1));
        let (superblock, page) = (row / g.pages_per_block, row % g.pages_per_block);
        let ordinal = superblock << self.plane_bits | plane;
        let block = self.opened.get(die, ordinal);
        Some(die * g.rows_per_way() + block * g.pages_per_block + page)
    }

    /// The logical page that was written to `row` of `die`.
    #[inline]
    pub fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        let g = &self.geometry;
        let block = row / g.pages_per_block;
        let ordinal = self.ordinal.get(die, block);
        if ordinal == u32::MAX {
            return None;
        }
        let superblock = u64::from(ordinal >> self.plane_bits);
        let plane = u64::from(ordinal & ((1 << self.plane_bits) - 1));
        let row = superblock * u64::from(g.pages_per_block) + u64::from(row % g.pages_per_block);
        let nth = row << self.plane_bits | plane;
        let rank = nth * u64::from(g.dies()) + u64::from(self.ways.turn_of(g, die));
        if rank >= u64::from(self.pages) {
            return None;
        }
        Some(Lpn(match &self.order {
            Order::Sequential => rank as u32,
            Order::Permuted(_, p) => p.backward(rank as u32),
        }))
    }
}

/// A bijection on `0..size`: a balanced Feistel network over the next even number of bits, walked
/// until it lands inside.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Permutation {
    size: u32,
    half_bits: u32,
    keys: [u32; 4],
}

impl Permutation {
    /// A permutation of `0..size`, decided by `seed`.
    pub fn new(size: u32, seed: u64) -> Self {
        let bits = 32 - size.saturating_sub(1).leading_zeros();
        let mut state = seed;
        let keys = core::array::from_fn(|_| (random::next(&mut state) >> 32) as u32);
        Permutation { size, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// Where `x` goes; `x` is below the size.
    pub fn forward(&self, x: u32) -> u32 {
        let mut x = u64::from(x);
        loop {
            x = self.rounds(x, [0, 1, 2, 3]);
            if x < u64::from(self.size) {
                return x as u32;
            }
        }
    }

    /// What comes to `y`.
    pub fn backward(&self, y: u32) -> u32 {
        let mut y = u64::from(y);
        loop {
            // The network run with its halves swapped and its keys reversed undoes itself.
            y = self.swap(self.rounds(self.swap(y), [3, 2, 1, 0]));
            if y < u64::from(self.size) {
                return y as u32;
            }
        }
    }

    fn swap(&self, x: u64) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        ((x & mask) << self.half_bits) | (x >> self.half_bits)
    }

    fn rounds(&self, x: u64, order: [usize; 4]) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        let (mut left, mut right) = (x >> self.half_bits, x & mask);
        for round in order {
            let mixed = (right as u32 ^ self.keys[round]).wrapping_mul(0x9E37_79B1);
            let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA77);
            (left, right) = (right, left ^ (u64::from(mixed >> 9) & mask));
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutation_is_a_bijection_with_its_inverse() {
        for size in [1u32, 2, 3, 17, 1000, 4096, 5000] {
            for seed in [0, 1, 99] {
                let p = Permutation::new(size, seed);
                let mut seen = alloc::vec![false; size as usize];
                for x in 0..size {
                    let y = p.forward(x);
                    assert!(!core::mem::replace(&mut seen[y as usize], true), "{size} {seed}");
                    assert_eq!(p.backward(y), x);
                }
            }
        }
    }

    #[test]
    fn physical_and_logical_are_inverses() {
        let geometry = Geometry {
            channels: 3,
            ways: 2,
            blocks_per_way: 9,
            pages_per_block: 5,
            page_bytes: 4096,
        };
        // Each way lacks another block.
        let blocks: Vec<Vec<u32>> =
            (0..6).map(|die| (0..9).filter(|&block| block != die).collect()).collect();
        let orders = [FillOrder::Sequential, FillOrder::Permuted(7)];
        for (ways, planes, pages) in [
            (WayOrder::ChannelFirst, 1, 199),
            (WayOrder::WayFirst, 1, 199),
            (WayOrder::ChannelFirst, 2, 179),
        ] {
            for order in orders {
                let (reserve, blocks) = (1, &blocks[..]);
                let plan = FillPlan { pages, order, geometry, ways, planes, reserve, blocks };
                let fill = Fill::new(plan).expect("a formula");
                let words = fill.words();
                let fill = Fill::of_words(&words, geometry).expect("the same formula");
                assert_eq!(fill.words(), words);
                let mut used = 0;
                for die in 0..6 {
                    for row in 0..geometry.rows_per_way() {
                        if let Some(lpn) = fill.logical(die, row) {
                            used += 1;
                            let at = fill.physical(lpn);
                            assert_eq!(at, Some(die * geometry.rows_per_way() + row));
                        }
                    }
                }
                assert_eq!(used, pages);
                let per_die: u32 = (0..6).map(|die| fill.pages_of_die(die)).sum();
                assert_eq!(per_die, pages);
            }
        }
    }
}
