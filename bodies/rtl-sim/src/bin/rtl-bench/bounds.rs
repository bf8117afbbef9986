//! What no channel can pass, from the times of the chips alone.

use crate::rig::Tally;
use crate::set_up::SetUp;
use contract::Duration;
use nand::onfi::Parameter;

/// A channel's ways and what they are busy with.
pub struct Bounds<'a>(pub &'a SetUp);

impl Bounds<'_> {
    /// The share of the bus that moves pages if each read takes, beside its page, seven cycles of
    /// WE# for its trigger (ONFI 00h, five addresses, 30h) and the preamble and postamble of DQS.
    pub fn read_share(&self) -> f64 {
        let timing = &self.0.chip.timing;
        let cycles = |parameter| timing[parameter].as_ps().div_ceil(self.0.period.as_ps());
        let beside = 7 * cycles(Parameter::Wc) + cycles(Parameter::Rpre) + cycles(Parameter::Rpst);
        let page = self.0.page_cycles() as f64;
        page / (page + beside as f64)
    }

    /// Time for a page if every way programs `planes` of them at once; behind each other's transfer
    /// if it has no cache mode, beside it if it has. In microseconds.
    pub fn program_us(&self, planes: u64, cached: bool) -> f64 {
        let times = &self.0.chip.times;
        let us = |time: Duration| time.as_ps() as f64 / 1e6;
        let array = times.program.iter().map(|time| us(*time)).sum::<f64>();
        let array = array / times.program.len() as f64;
        let transfers = planes as f64 * self.0.page_us();
        let between = (planes - 1) as f64 * us(times.program_plane);
        let turn = if cached {
            (array + us(times.program_cache)).max(transfers)
        } else {
            array + transfers + between
        };
        let of_ways = turn / (f64::from(self.0.ways) * planes as f64);
        of_ways.max(self.0.page_us())
    }

    /// The share of the bus that moves pages if chips work for what was answered, or their pages
    /// move, all the time. Requests that lie across an end of the measured time, one a chip and end,
    /// count as if they cost nothing.
    pub fn mixed_share(&self, tally: &Tally, overlapping: u64) -> f64 {
        let pages = tally.pages() as f64 * self.0.page_us();
        let work = tally.array.as_ps() as f64 / 1e6 + pages;
        let ends = 2.0 * overlapping as f64 / tally.total() as f64;
        (overlapping as f64 * pages / work * (1.0 + ends)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set_up::Effort;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-3, "found {found}, expected {expected}");
    }

    #[test]
    fn bounds_are_those_of_the_papers() {
        let ocowfc = SetUp::ocowfc(Effort::FULL);
        let bounds = Bounds(&ocowfc);
        close(ocowfc.page_us(), 54.82);
        // Eight pages in tPROG, or four in tPROG and a transfer.
        close(bounds.program_us(2, true), 1_601.0 / 8.0);
        close(bounds.program_us(1, false), (1_600.0 + 54.82) / 4.0);
        close(bounds.read_share(), 9_128.0 / (9_128.0 + 35.0 + 5.0));
        // SLC mode is faster than the bus, MLC mode is not.
        let (slc, mlc) = (SetUp::cosmos_slc(Effort::FULL), SetUp::cosmos_mlc(Effort::FULL));
        close(slc.page_us(), 88.54);
        close(Bounds(&slc).program_us(1, false), 88.54);
        close(Bounds(&mlc).program_us(1, false), (1_388.0 + 88.54) / 8.0);
        close(SetUp::ozone(Effort::FULL).page_us(), 132.0);
    }
}
