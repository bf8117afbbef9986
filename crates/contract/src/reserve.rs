//! What a drive has when the power goes away: a capacitor, and what saving a page costs of it.

use crate::{Duration, Geometry};

/// Journal pages that are saved at most when the power goes away: one that was full, one that was being filled, and
/// one for records that found no room.
pub const SAVED_JOURNAL_PAGES: u32 = 3;

/// A capacitor that lets a drive save what its data buffer holds (docs/design/durability.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl SavingCosts {
    /// What operations that had begun take at most, each an erase, with the time that they take.
    pub fn begun_pj(&self, geometry: &Geometry) -> u64 {
        let time = self.erase.as_ps() * u64::from(self.begun_per_die);
        let dies = u64::from(geometry.dies());
        picojoules(self.controller_mw + dies * self.die_mw, time)
    }

    /// What saving so many pages takes at most: programs of a row over all dies go side by side, behind the pages
    /// that the buses of their channels carry one after the other.
    pub fn pages_pj(&self, pages: u32, geometry: &Geometry) -> u64 {
        let rows = u64::from(pages.div_ceil(geometry.dies()));
        let row = self.program.as_ps() + u64::from(geometry.ways) * self.transfer.as_ps();
        let each = picojoules(self.die_mw, self.program.as_ps()) + self.transfer_pj;
        picojoules(self.controller_mw, rows * row) + u64::from(pages) * each
    }
}

impl Reserve {
    /// Entries of the buffer memory in which data of the host wait until they replace older data whole.
    pub const STAGING_ENTRIES: u32 = 16;

    /// Pages that are saved beside the data: journal pages, and one a die in place of those that fail.
    pub fn pages_beside(geometry: &Geometry) -> u32 {
        SAVED_JOURNAL_PAGES + geometry.dies()
    }

    /// The most pages of data that the energy lets a drive save, and of which it may say that they are written; up to
    /// `most`.
    pub fn data_pages(&self, most: u32, geometry: &Geometry) -> u32 {
        let Reserve { energy_pj, costs, .. } = self;
        let beside = Self::pages_beside(geometry);
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
        costs.begun_pj(geometry) + costs.pages_pj(Self::pages_beside(geometry) + pages, geometry)
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
    };

    #[test]
    fn the_sum_is_that_of_the_parts() {
        // 5 ms of 1 W and of 8 dies at 0.1 W.
        assert_eq!(COSTS.begun_pj(&GEOMETRY), 9_000_000_000);
        // Two rows of 0.5 + 4 x 0.1 ms of 1 W, and 9 pages of 50 + 5 uJ.
        assert_eq!(COSTS.pages_pj(9, &GEOMETRY), 1_800_000_000 + 9 * 55_000_000);
    }

    #[test]
    fn the_pages_are_the_most_that_the_energy_is_enough_for() {
        for pages in [0, 1, 7, 8, 9, 100] {
            let exact = Reserve::needed_pj(&COSTS, pages, &GEOMETRY);
            let reserve = |energy_pj| Reserve { blocks_per_way: 1, energy_pj, costs: COSTS };
            assert_eq!(reserve(exact).data_pages(1000, &GEOMETRY), pages);
            assert_eq!(reserve(exact - 1).data_pages(1000, &GEOMETRY), pages.saturating_sub(1));
            assert_eq!(reserve(exact).data_pages(5, &GEOMETRY), pages.min(5));
        }
    }
}
