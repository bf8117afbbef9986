//! Tables of numbers most of which are their own place plus what their neighbours are, too.

use alloc::vec::Vec;

use super::fixed::Fixed;

/// Neighbours that are looked at together.
const GROUP: usize = 64;

/// Stands for a group whose numbers are not all by the same more than their places.
const APART: u32 = 1 << 31;

/// A number, below 2^31, for each of `each` places of several rows: the blocks of each way, in their order, less the
/// bad blocks. The table of a large drive is more than a cache holds. Where a group of neighbours has its numbers from
/// their places, one of 32 bits tells of them all.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Shifted {
    numbers: Fixed<u32>,
    each: u32,
    /// By group, by how much its numbers are more than their places.
    shifts: Fixed<u32>,
}

impl Shifted {
    /// The table of these numbers.
    pub fn new(numbers: Vec<u32>, each: u32) -> Self {
        let shift = |(nth, group): (usize, &[u32])| {
            let places = (nth * GROUP..).map(|at| at as u32 % each);
            let mut shifts = group.iter().zip(places).map(|(&n, place)| n.wrapping_sub(place));
            let first = shifts.next().unwrap_or(APART);
            if shifts.all(|shift| shift == first) {
                first
            } else {
                APART
            }
        };
        let shifts = numbers.chunks(GROUP).enumerate().map(shift).collect();
        Shifted { numbers: numbers.into(), each, shifts }
    }

    /// The number of a place of a row.
    #[inline]
    pub fn get(&self, row: u32, place: u32) -> u32 {
        let at = (row * self.each + place) as usize;
        match self.shifts[at / GROUP] {
            APART => self.numbers[at],
            shift => place.wrapping_add(shift),
        }
    }

    /// All numbers, row after row.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_with_bad_blocks_between_them_and_none_at_the_end() {
        for each in [5, 64, 200, 333] {
            let row = |bad: u32| {
                let good = (0..each).filter(move |n| n % bad != bad - 1);
                good.chain(core::iter::repeat(u32::MAX)).take(each as usize)
            };
            let numbers: Vec<u32> = [3, 150, 1000, 70].into_iter().flat_map(row).collect();
            let table = Shifted::new(numbers.clone(), each);
            for (at, &number) in (0..).zip(&numbers) {
                assert_eq!(table.get(at / each, at % each), number, "{at} of {each}");
            }
            let together = table.shifts.iter().filter(|&&shift| shift != APART).count();
            assert!(each < 333 || together >= table.shifts.len() / 3, "{together} of {each}");
        }
    }
}
