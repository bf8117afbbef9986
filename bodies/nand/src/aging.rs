//! Wrong bits that come with time and with reads: retention and read disturb.
//!
//! Cells lose charge while they hold data, and each read of a block disturbs its other pages a little. Both add
//! wrong bits to those of wear, in proportion to the time since a block was first programmed after its erase,
//! and to the reads of the block since then. Time is that of the powered drive; what was there before a run
//! has been there for the board's `shelf_hours`.

use board::Errors;
use borsh::{BorshDeserialize, BorshSerialize};
use sparse::{Clones, Table};

use crate::poisson::{Poisson, MEAN_BITS};
use crate::random::Random;

/// The unit of the rates here: wrong bits in 10^17.
const RATE_UNIT: u128 = 100_000_000_000_000_000;
/// Worse than half of the bits no read can be.
const WORST_RATE: u128 = RATE_UNIT / 2;
const PS_PER_HOUR: u128 = 3_600_000_000_000_000;

/// When a block was programmed, and how often it was read since.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
struct Age {
    /// In picoseconds of the time that the chips are told.
    programmed: i64,
    reads: u32,
}

/// The ages of all blocks.
#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(crate) struct Aging {
    page_bits: u32,
    /// Wrong bits that a read adds, and that an hour adds.
    per_read: u128,
    per_hour: u128,
    shelf: i64,
    now: i64,
    blocks: Table<Age>,
}

impl Aging {
    /// The blocks of a board, for pages with `page_bits` of data and parity; none where they do not age.
    pub fn new(errors: &Errors, page_bits: u32, blocks: usize) -> Option<Self> {
        // 10^12 to 10^17 is 10^5, of which reads are counted by the thousand.
        let per_read = u128::from(errors.disturb_bits_per_terabit_per_kiloread) * 100;
        let per_hour = u128::from(errors.retention_bits_per_terabit_per_hour) * 100_000;
        if per_read == 0 && per_hour == 0 {
            return None;
        }
        Some(Self { page_bits, per_read, per_hour, ..Self::counted(errors, blocks) })
    }

    /// Ages that add nothing by themselves.
    pub fn counted(errors: &Errors, blocks: usize) -> Self {
        let shelf = u128::from(errors.shelf_hours) * PS_PER_HOUR;
        let shelf = -i64::try_from(shelf).unwrap_or(i64::MAX);
        let before = Age { programmed: shelf, reads: 0 };
        let blocks = Table::new(blocks, before);
        Self { page_bits: 0, per_read: 0, per_hour: 0, shelf, now: 0, blocks }
    }

    /// States what clones are.
    pub fn set_clones(&mut self, are: Clones) {
        self.blocks.set_clones(are);
    }

    /// States the time, in picoseconds.
    #[inline]
    pub fn tell(&mut self, now: u64) {
        self.now = now as i64;
    }

    /// The power goes away at `now`, and time begins anew.
    pub fn cut(&mut self, now: u64) {
        for block in 0..self.blocks.len() {
            let age = &mut self.blocks[block];
            age.programmed = age.programmed.saturating_sub_unsigned(now);
        }
        self.now = 0;
    }

    /// So many hours pass without power.
    pub fn rest(&mut self, hours: u64) {
        let ps = u64::try_from(u128::from(hours) * PS_PER_HOUR).unwrap_or(u64::MAX);
        for block in 0..self.blocks.len() {
            let age = &mut self.blocks[block];
            age.programmed = age.programmed.saturating_sub_unsigned(ps);
        }
    }

    /// The first page of an erased block is programmed.
    #[inline]
    pub fn begin(&mut self, block: usize) {
        self.blocks[block].programmed = self.now;
    }

    /// A page of a block was programmed before the run.
    pub fn hold(&mut self, block: usize) {
        self.blocks[block].programmed = self.shelf;
    }

    /// A block is erased.
    pub fn erase(&mut self, block: usize) {
        self.blocks[block].reads = 0;
    }

    /// A page of a block is read: for how long the block has held data, in picoseconds, and its reads since its erase.
    #[inline]
    pub fn count(&mut self, block: usize) -> (u64, u32) {
        let age = &mut self.blocks[block];
        age.reads = age.reads.saturating_add(1);
        (self.now.saturating_sub(age.programmed).max(0) as u64, age.reads)
    }

    /// A page of a block is read: draws the wrong bits that age adds.
    #[inline]
    pub fn read(&mut self, block: usize, random: &mut Random) -> u32 {
        let (held, reads) = self.count(block);
        let by_time = self.per_hour.saturating_mul(u128::from(held)) / PS_PER_HOUR;
        let rate = (by_time + self.per_read * u128::from(reads)).min(WORST_RATE);
        let mean = ((u128::from(self.page_bits) * rate) << MEAN_BITS) / RATE_UNIT;
        Poisson::new(u64::try_from(mean).expect("at most half of a page's bits")).draw(random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;
    use board::Board;

    const PAGE_BITS: u32 = 141_220;

    fn aging(changes: &[(&str, &str)]) -> Option<Aging> {
        let owned: Vec<_> = changes.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        Aging::new(&Board::resolve("small", &owned).expect("a board").errors, PAGE_BITS, 2)
    }

    fn mean(aging: &mut Aging, reads: u32) -> f64 {
        let mut random = Random::stream(1, Purpose::Faults, 0);
        let draws: u64 = (0..reads).map(|_| u64::from(aging.read(0, &mut random))).sum();
        draws as f64 / f64::from(reads)
    }

    #[test]
    fn bits_go_wrong_with_the_hours_and_the_power_stops_no_clock() {
        assert!(aging(&[]).is_none(), "blocks age only where a board says so");
        let rates = [
            ("errors.retention_bits_per_terabit_per_hour", "1000000"),
            ("errors.shelf_hours", "20"),
        ];
        let mut aging = aging(&rates).expect("they age");
        let hour = PS_PER_HOUR as u64;
        // 10^-6 an hour of 141,220 bits.
        let expect = |aging: &mut Aging, hours: f64| {
            let found = mean(aging, 20_000);
            let expected = 0.141_220 * hours;
            let sigma = (expected / 20_000.0).sqrt();
            assert!((found - expected).abs() < 5.0 * sigma, "{hours}: {found}, not {expected}");
        };
        expect(&mut aging, 20.0);
        aging.tell(4 * hour);
        expect(&mut aging, 24.0);
        aging.cut(5 * hour);
        aging.tell(hour);
        expect(&mut aging, 26.0);
        aging.erase(0);
        aging.tell(3 * hour);
        aging.begin(0);
        aging.tell(9 * hour);
        expect(&mut aging, 6.0);
        aging.hold(0);
        expect(&mut aging, 29.0);
    }

    #[test]
    fn every_read_of_a_block_adds_to_it_until_the_erase() {
        let mut aging = aging(&[("errors.disturb_bits_per_terabit_per_kiloread", "1000000000")])
            .expect("they age");
        // 10^-6 a read: of 20,000 reads the mean is that of the 10,000th.
        let expected = 0.141_220 * 10_000.5;
        let found = mean(&mut aging, 20_000);
        assert!((found / expected - 1.0).abs() < 0.01, "{found}, not {expected}");
        aging.erase(0);
        let found = mean(&mut aging, 200);
        assert!((found / (0.141_220 * 100.5) - 1.0).abs() < 0.1, "{found} after an erase");
    }
}
