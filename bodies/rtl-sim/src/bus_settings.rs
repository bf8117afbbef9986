//! The registers of a channel's bus, from the timing of its chips.

use crate::bench::Bench;
use ::registers::flash as registers;
use ::registers::Field;
use channel::BusSettings;
use contract::Duration;
use driver::ChannelWords;
use nand::onfi::{Config, Interface, Parameter, Timing};

/// ONFI 4.0, section 4.18: tDQSD, RE# low to DQS driven. Until then its level is anybody's.
const STROBE_DRIVEN: Duration = Duration::from_ns(18);

/// A clock, and what chips demand.
struct Demands<'a> {
    timing: &'a Timing,
    period: Duration,
}

/// Cycles of RE# in SDR, and from its fall to the sample of DQ.
struct SdrRead {
    low: u64,
    high: u64,
    sample: u64,
}

/// Settings of a bus, from its chips and to the hardware.
pub trait ChipSettings {
    /// The least that chips allow at a clock, without a time-out.
    ///
    /// # Panics
    /// If a wait is longer than 256 cycles.
    fn of(config: &Config, period: Duration) -> Self;

    /// Sets an input that is a `bus_config_t`.
    fn drive(&self, bench: &mut Bench, port: &str);

    /// The registers of a channel, with those of its scheduler and its time-outs.
    fn words(&self, scheduler: &[(Field, u32)], timeouts: &[(Field, u32)]) -> ChannelWords;
}

impl ChipSettings for BusSettings {
    fn of(config: &Config, period: Duration) -> Self {
        use Parameter::*;
        let demands = Demands { timing: &config.timing, period };
        let longest = |parameters: &[Parameter]| demands.longest(parameters);
        let ddr = config.interface == Interface::Ddr;
        let (data_setup, data_hold) = if ddr { (Cas, Cah) } else { (Ds, Dh) };
        let hold = longest(&[Ch, Clh, Alh, Calh, Cah, data_hold]).max(1);
        let low = longest(&[Wp]).max(1);
        let high = longest(&[Wh]).max(longest(&[Wc]).saturating_sub(low));
        let setup = longest(&[Cls, Als, Cals, data_setup]).saturating_sub(low);
        let half = Duration::from_ps(period.as_ps() / 2);
        let read = demands.sdr_read(half);
        let strobe_low = longest(&[Rpre]).max(demands.cycles(STROBE_DRIVEN));
        Self {
            ddr,
            long_row: config.rows.cycles == 4,
            ce_setup: less(longest(&[Cs, Cr, Cea]), 1),
            ce_hold: less(hold, 1),
            we_low: less(low, 1),
            we_high: less(high.saturating_sub(hold).max(setup), 0),
            adl: less(longest(&[Adl, Cdqss]), 1),
            ccs: less(longest(&[Ccs]), 1),
            whr: less(longest(&[Whr, Ar, Clr]), 1),
            rhw: less(longest(&[Rhw]), 1),
            wb: less(longest(&[Wb]), 1),
            rr: less(longest(&[Rr]), 1),
            re_low: less(read.low, 1),
            re_high: less(read.high, 1),
            read_preamble: less(strobe_low, 2),
            read_postamble: less(demands.cycles(config.timing[Rpst] + half), 1),
            write_preamble: less(longest(&[Wpre]), 2),
            write_postamble: less(longest(&[Wpst]), 1),
            sample_delay: less(read.sample, read.low),
            data_timeout: 0,
        }
    }

    fn drive(&self, bench: &mut Bench, port: &str) {
        let flags = [self.ddr, self.long_row].map(u64::from);
        let cycles = [
            self.ce_setup,
            self.ce_hold,
            self.we_low,
            self.we_high,
            self.adl,
            self.ccs,
            self.whr,
            self.rhw,
            self.wb,
            self.rr,
            self.re_low,
            self.re_high,
            self.read_preamble,
            self.read_postamble,
            self.write_preamble,
            self.write_postamble,
            self.sample_delay,
        ];
        // The first field is in the highest bits.
        let fields = flags.map(|flag| (flag, 1)).into_iter();
        let fields = fields.chain(cycles.map(|cycles| (u64::from(cycles), u8::BITS)));
        let fields = fields.chain([(u64::from(self.data_timeout), u16::BITS)]);
        let bits: Vec<u64> = fields
            .flat_map(|(value, bits)| (0..bits).rev().map(move |bit| value >> bit & 1))
            .collect();
        let input = bench.input(port);
        let count = bits.len() as u32;
        for (lane, bit) in bits.into_iter().rev().enumerate() {
            bench.set(input.lane(lane as u32, count), bit);
        }
    }

    fn words(&self, scheduler: &[(Field, u32)], timeouts: &[(Field, u32)]) -> ChannelWords {
        let bytes = u32::from_le_bytes;
        let choices = [(registers::bus::DDR, self.ddr), (registers::bus::LONG_ROW, self.long_row)];
        let choices = choices.map(|(field, value)| (field, u32::from(value)));
        let delay = (registers::bus::SAMPLE_DELAY, u32::from(self.sample_delay));
        ChannelWords {
            scheduler: packed(scheduler),
            timeouts: packed(timeouts),
            bus: packed(&choices) | packed(&[delay]),
            command_waits: bytes([self.ce_setup, self.ce_hold, self.we_low, self.we_high]),
            phase_waits: bytes([self.adl, self.ccs, self.whr, self.rhw]),
            chip_waits: bytes([self.wb, self.rr, self.re_low, self.re_high]),
            data_waits: bytes([
                self.read_preamble,
                self.read_postamble,
                self.write_preamble,
                self.write_postamble,
            ]),
        }
    }
}

fn packed(fields: &[(Field, u32)]) -> u32 {
    let mut word = [0];
    fields.iter().for_each(|(field, value)| field.set(&mut word, *value));
    word[0]
}

impl Demands<'_> {
    fn cycles(&self, time: Duration) -> u64 {
        time.as_ps().div_ceil(self.period.as_ps())
    }

    fn longest(&self, parameters: &[Parameter]) -> u64 {
        let cycles = parameters.iter().map(|parameter| self.cycles(self.timing[*parameter]));
        cycles.max().unwrap_or(0)
    }

    /// A cycle of RE# with a sample that leaves DQ so much time to settle, and comes before DQ goes
    /// and before the sample after it. RE# stays low for longer than it must if no other one does.
    fn sdr_read(&self, settle: Duration) -> SdrRead {
        use Parameter::*;
        let sample = self.cycles(self.timing[Rea] + settle);
        let least = self.longest(&[Rp]).max(1);
        let reads = (least..=least + sample).map(|low| SdrRead {
            low,
            high: self.longest(&[Reh]).max(self.longest(&[Rc]).saturating_sub(low)).max(1),
            sample,
        });
        let fits = |read: &SdrRead| {
            let held = Duration::from_ps(read.low * self.period.as_ps()) + self.timing[Rhoh];
            let sampled = Duration::from_ps(sample * self.period.as_ps());
            sampled <= held && sample <= read.low + read.high
        };
        reads.into_iter().find(fits).expect("a sample at the end of RE# low fits")
    }
}

/// Cycles beyond those that the bus takes anyway.
fn less(cycles: u64, anyway: u64) -> u8 {
    let field = cycles.saturating_sub(anyway);
    u8::try_from(field).unwrap_or_else(|_| panic!("found {field} cycles, expected at most 255"))
}
