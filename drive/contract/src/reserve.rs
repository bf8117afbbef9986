//! What a drive has when the power goes away: a capacitor, and what saving a page costs of it.

use crate::{Duration, Geometry};

/// Journal pages that are saved at most when the power goes away: one that was full, one that was being filled, and
/// one for records that found no room.
pub const SAVED_JOURNAL_PAGES: u32 = 3;

/// A capacitor that lets a drive save what its data buffer holds (docs/design/durability.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Reserve {
    /// Blocks of each way that are kept erased for what is saved.
    pub blocks_per_way: u32,
    /// What the capacitor holds at least, in picojoules, beyond what is kept back for its ageing.
    pub energy_pj: u64,
    /// What saving costs.
    pub costs: SavingCosts,
}

/// What it costs to work without power, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct SavingCosts {
    /// Controller, memory and idle chips, in milliwatts.
    pub controller_mw: u64,
    /// A die that programs or erases, in milliwatts.
    pub die_mw: u64,
    /// The bus of a channel for a page, in picojoules.
    pub transfer_pj: u64,
    /// Longest program of a page.
    pub program: Duration,
    /// Longest erase of a block.
    pub erase: Duration,
    /// A page on the bus of its channel, with all that surrounds it there.
    pub transfer: Duration,
    /// Operations that may have begun on a die and are not broken off.
    pub begun_per_die: u32,
    /// Ways that a chip that hangs keeps from answering, so that saving does not count on them. On a board whose chips do not hang there
    /// are none. Otherwise it is the chip's own way, or all ways of its channel where the channel keeps the order of operations.
    pub hung_ways: u32,
    /// Pages that each such way may have been given without having answered.
    pub given_per_way: u32,
}

impl SavingCosts {
    /// Pages that are saved beside the data: journal pages, one page a die in place of pages that fail, and the pages that a chip
    /// that hangs had been given.
    pub fn pages_beside(&self, geometry: &Geometry) -> u32 {
        SAVED_JOURNAL_PAGES + geometry.dies() + self.given_to_hung()
    }

    /// Pages that the ways of a chip which hangs had been given, and that are saved once more.
    const fn given_to_hung(&self) -> u32 {
        self.hung_ways * self.given_per_way
    }

    /// Ways that are counted on.
    pub fn ways(&self, geometry: &Geometry) -> u32 {
        geometry.dies().saturating_sub(self.hung_ways)
    }

    /// What operations that had begun take at most, each an erase, with the time that they take.
    pub fn begun_pj(&self, geometry: &Geometry) -> u64 {
        let time = self.erase.as_ps() * u64::from(self.begun_per_die);
        let dies = u64::from(geometry.dies());
        picojoules(self.controller_mw + dies * self.die_mw, time)
    }

    /// What saving so many pages takes at most: programs of a row over all ways that are counted on go side by side,
    /// behind the pages that the buses of their channels carry one after the other. A chip that hangs draws on it all
    /// the time. What it had been given is saved when all else is, its journal pages one after the other.
    ///
    /// # Panics
    /// If no way is counted on.
    pub fn pages_pj(&self, pages: u32, geometry: &Geometry) -> u64 {
        let ways = self.ways(geometry);
        let (again, hung_mw) = match self.hung_ways {
            0 => (0, 0),
            _ => (self.given_to_hung().div_ceil(ways) + SAVED_JOURNAL_PAGES - 1, self.die_mw),
        };
        let rows = u64::from(pages.div_ceil(ways) + again);
        let row = self.program.as_ps() + u64::from(geometry.ways) * self.transfer.as_ps();
        let each = picojoules(self.die_mw, self.program.as_ps()) + self.transfer_pj;
        picojoules(self.controller_mw + hung_mw, rows * row) + u64::from(pages) * each
    }
}

impl Reserve {
    /// Entries of the buffer memory in which data of the host wait until they replace older data whole.
    pub const STAGING_ENTRIES: u32 = 16;

    /// Pages of a way that are saved at a time: one is carried while another is programmed.
    pub const PAGES_A_WAY: u32 = 2;

    /// Which ways a chip that hangs keeps from answering: the ways with the same number as the way of this die.
    pub fn hung_together(&self, die: u32, geometry: &Geometry) -> u32 {
        if self.costs.hung_ways > 1 {
            die % geometry.channels
        } else {
            die
        }
    }

    /// The most pages of data that the energy lets a drive save, and of which it may say that they are written; up to
    /// `most`.
    pub fn data_pages(&self, most: u32, geometry: &Geometry) -> u32 {
        let Reserve { energy_pj, costs, .. } = self;
        if costs.ways(geometry) == 0 {
            return 0;
        }
        let beside = costs.pages_beside(geometry);
        let needed = |pages| costs.begun_pj(geometry) + costs.pages_pj(beside + pages, geometry);
        if needed(0) > *energy_pj {
            return 0;
        }
        let (mut enough, mut too_many) = (0, most + 1);
        while too_many - enough > 1 {
            let middle = enough + (too_many - enough) / 2;
            if needed(middle) <= *energy_pj {
                enough = middle;
            } else {
                too_many = middle;
            }
        }
        enough
    }

    /// The same as an amount: what so many pages of data need of a capacitor, in picojoules.
    pub fn needed_pj(costs: &SavingCosts, pages: u32, geometry: &Geometry) -> u64 {
        costs.begun_pj(geometry) + costs.pages_pj(costs.pages_beside(geometry) + pages, geometry)
    }
}

/// Energy of a power over a time. A milliwatt is a picojoule a nanosecond.
pub fn picojoules(milliwatts: u64, time_ps: u64) -> u64 {
    (u128::from(milliwatts) * u128::from(time_ps)).div_ceil(1000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const GEOMETRY: Geometry = Geometry {
        channels: 2,
        ways: 4,
        blocks_per_way: 8,
        pages_per_block: 8,
        page_bytes: 16_384,
    };
    const COSTS: SavingCosts = SavingCosts {
        controller_mw: 1000,
        die_mw: 100,
        transfer_pj: 5_000_000,
        program: Duration::from_ps(500_000_000),
        erase: Duration::from_ps(5_000_000_000),
        transfer: Duration::from_ps(100_000_000),
        begun_per_die: 1,
        hung_ways: 0,
        given_per_way: 2,
    };
    /// One way is not counted on.
    const HANGS: SavingCosts = SavingCosts { hung_ways: 1, ..COSTS };

    #[test]
    fn the_sum_is_that_of_the_parts() {
        // 5 ms of 1 W and of 8 dies at 0.1 W.
        assert_eq!(COSTS.begun_pj(&GEOMETRY), 9_000_000_000);
        // Two rows of 0.5 + 4 x 0.1 ms of 1 W, and 9 pages of 50 + 5 uJ.
        assert_eq!(COSTS.pages_pj(9, &GEOMETRY), 1_800_000_000 + 9 * 55_000_000);
        assert_eq!(COSTS.pages_beside(&GEOMETRY), 3 + 8);
    }

    #[test]
    fn a_chip_that_hangs_costs_a_way_its_power_and_what_it_had_been_given() {
        assert_eq!(HANGS.pages_beside(&GEOMETRY), 3 + 8 + 2);
        // 9 pages over 7 ways are two rows, its two pages one more, and two more journal pages one row each; all of 1.1 W.
        assert_eq!(HANGS.pages_pj(9, &GEOMETRY), 5 * 990_000_000 + 9 * 55_000_000);
        // All four ways of a channel are kept from answering, with two pages each.
        let ordered = SavingCosts { hung_ways: 4, ..COSTS };
        assert_eq!(ordered.pages_beside(&GEOMETRY), 3 + 8 + 8);
        assert_eq!(ordered.pages_pj(9, &GEOMETRY), (3 + 2 + 2) * 990_000_000 + 9 * 55_000_000);
        let reserve = |costs| Reserve { blocks_per_way: 1, energy_pj: u64::MAX, costs };
        assert_eq!([5, 6].map(|die| reserve(ordered).hung_together(die, &GEOMETRY)), [1, 0]);
        assert_eq!([5, 6].map(|die| reserve(HANGS).hung_together(die, &GEOMETRY)), [5, 6]);
        let none = SavingCosts { hung_ways: 8, ..COSTS };
        assert_eq!(reserve(none).data_pages(100, &GEOMETRY), 0);
    }

    #[test]
    fn the_pages_are_the_most_that_the_energy_is_enough_for() {
        for (pages, costs) in
            [0, 1, 7, 8, 9, 100].map(|pages| [(pages, COSTS), (pages, HANGS)]).concat()
        {
            let exact = Reserve::needed_pj(&costs, pages, &GEOMETRY);
            let reserve = |energy_pj| Reserve { blocks_per_way: 1, energy_pj, costs };
            assert_eq!(reserve(exact).data_pages(1000, &GEOMETRY), pages);
            assert_eq!(reserve(exact - 1).data_pages(1000, &GEOMETRY), pages.saturating_sub(1));
            assert_eq!(reserve(exact).data_pages(5, &GEOMETRY), pages.min(5));
        }
    }
}
