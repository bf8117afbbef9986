//! Timing parameters, as data.

use std::ops::Index;

use contract::Duration;

/// The data interface of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// Asynchronous: WE# and RE# strobe every byte.
    Sdr,
    /// NV-DDR2 or toggle: DQS strobes data at both edges. Register bytes move twice.
    Ddr,
}

macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A parameter, named as in ONFI 4.0, "Timing Parameters", without its `t`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Parameter {
            $($(#[$doc])* $name,)*
        }

        impl Parameter {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name, such as `tADL`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

parameters! {
    /// CE# low to the rising edge of WE#.
    Cs = "tCS",
    /// Rising edge of WE# to CE# high.
    Ch = "tCH",
    /// CLE stable before the rising edge of WE# (SDR).
    Cls = "tCLS",
    /// CLE stable after it (SDR).
    Clh = "tCLH",
    /// ALE stable before the rising edge of WE# (SDR).
    Als = "tALS",
    /// ALE stable after it (SDR).
    Alh = "tALH",
    /// CLE and ALE stable before the rising edge of WE# (DDR).
    Cals = "tCALS",
    /// CLE and ALE stable after it (DDR).
    Calh = "tCALH",
    /// Command or address stable before the rising edge of WE# (DDR).
    Cas = "tCAS",
    /// Command or address stable after it (DDR).
    Cah = "tCAH",
    /// DQ stable before the edge that latches it: of WE# (SDR), of DQS (DDR, data).
    Ds = "tDS",
    /// DQ stable after it.
    Dh = "tDH",
    /// WE# low.
    Wp = "tWP",
    /// WE# high.
    Wh = "tWH",
    /// Falling edge of WE# to the next one.
    Wc = "tWC",
    /// RE# low.
    Rp = "tRP",
    /// RE# high.
    Reh = "tREH",
    /// RE# from edge to edge of the same direction.
    Rc = "tRC",
    /// DQS high, data to the chip.
    Dqsh = "tDQSH",
    /// DQS low, data to the chip.
    Dqsl = "tDQSL",
    /// DQS from rising edge to rising edge, data to the chip.
    Dsc = "tDSC",
    /// Last address cycle to the first byte of data.
    Adl = "tADL",
    /// Change of column to data, either direction.
    Ccs = "tCCS",
    /// Last command or address cycle to RE# low.
    Whr = "tWHR",
    /// Last byte read to WE# low, or to data for the chip.
    Rhw = "tRHW",
    /// Ready to RE# low.
    Rr = "tRR",
    /// Last cycle of a command to busy. Until then R/B# and status tell nothing.
    Wb = "tWB",
    /// ALE low to RE# low.
    Ar = "tAR",
    /// CLE low to RE# low.
    Clr = "tCLR",
    /// CE# low to RE# low.
    Cr = "tCR",
    /// Change of WP# to WE#.
    Ww = "tWW",
    /// RE# low before the first edge of a burst.
    Rpre = "tRPRE",
    /// RE# low after the last edge of a burst: tDQSRE and half a tRC.
    Rpst = "tRPST",
    /// DQS low before the first edge of a burst.
    Wpre = "tWPRE",
    /// DQS low after the last edge of a burst.
    Wpst = "tWPST",
    /// Data phase (CE#, CLE and ALE low) to the first edge of DQS.
    Cdqss = "tCDQSS",
    /// The chip's: RE# low to data.
    Rea = "tREA",
    /// The chip's: CE# low to data.
    Cea = "tCEA",
    /// The chip's: data stays after RE# high.
    Rhoh = "tRHOH",
    /// The chip's: data stays after RE# low.
    Rloh = "tRLOH",
    /// The chip's: RE# high until DQ is released.
    Rhz = "tRHZ",
    /// The chip's: end of a read until DQ and DQS are released. tDQSHZ of DDR.
    Chz = "tCHZ",
    /// The chip's: edge of RE# to the edge of DQS.
    Dqsre = "tDQSRE",
}

/// A value for each parameter; zero for those that the interface does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing([Duration; Parameter::ALL.len()]);

impl Timing {
    /// From picoseconds; a parameter that is not named is zero.
    pub fn from_ps(values: &[(Parameter, u64)]) -> Self {
        let mut timing = Self([Duration::ZERO; Parameter::ALL.len()]);
        for &(parameter, ps) in values {
            timing.set(parameter, Duration::from_ps(ps));
        }
        timing
    }

    /// Changes one parameter.
    pub fn set(&mut self, parameter: Parameter, value: Duration) {
        self.0[parameter as usize] = value;
    }

    /// ONFI 4.0, "Timing Modes", SDR timing mode 5: a byte in 20 ns. tCCS is the chip's.
    pub fn sdr_mode_5() -> Self {
        Self::sdr(&SDR_MODE_5)
    }

    /// The same, SDR timing mode 3: a byte in 30 ns, for a bus of 32 MB/s.
    pub fn sdr_mode_3() -> Self {
        Self::sdr(&SDR_MODE_3)
    }

    /// The same, NV-DDR2 timing mode 6: 333 MT/s.
    pub fn nv_ddr2_mode_6() -> Self {
        Self::ddr(&NV_DDR2_MODE_6)
    }

    /// The same, NV-DDR2 timing mode 4: 200 MT/s.
    pub fn nv_ddr2_mode_4() -> Self {
        Self::ddr(&NV_DDR2_MODE_4)
    }

    fn sdr(mode: &[(Parameter, u64)]) -> Self {
        Self::from_ps(&[&TURNAROUND[..], &SDR_ALL_MODES[..], mode].concat())
    }

    fn ddr(mode: &[(Parameter, u64)]) -> Self {
        Self::from_ps(&[&TURNAROUND[..], &NV_DDR2_ALL_MODES[..], mode].concat())
    }
}

impl Index<Parameter> for Timing {
    type Output = Duration;
    fn index(&self, parameter: Parameter) -> &Duration {
        &self.0[parameter as usize]
    }
}

use Parameter::*;

/// Alike in the modes of both interfaces that are here.
const TURNAROUND: [(Parameter, u64); 10] = [
    (Ccs, 300_000),
    (Whr, 80_000),
    (Rhw, 100_000),
    (Rr, 20_000),
    (Wb, 100_000),
    (Ar, 10_000),
    (Clr, 10_000),
    (Cr, 10_000),
    (Ww, 100_000),
    (Ch, 5_000),
];

/// SDR, modes 3 to 5.
const SDR_ALL_MODES: [(Parameter, u64); 10] = [
    (Cls, 10_000),
    (Clh, 5_000),
    (Als, 10_000),
    (Alh, 5_000),
    (Dh, 5_000),
    (Adl, 400_000),
    (Cea, 25_000),
    (Rhoh, 15_000),
    (Rhz, 100_000),
    (Chz, 30_000),
];

const SDR_MODE_5: [(Parameter, u64); 10] = [
    (Cs, 15_000),
    (Ds, 7_000),
    (Wp, 10_000),
    (Wh, 7_000),
    (Wc, 20_000),
    (Rp, 10_000),
    (Reh, 7_000),
    (Rc, 20_000),
    (Rea, 16_000),
    (Rloh, 5_000),
];

const SDR_MODE_3: [(Parameter, u64); 11] = [
    (Cs, 25_000),
    (Ds, 10_000),
    (Wp, 15_000),
    (Wh, 10_000),
    (Wc, 30_000),
    (Rp, 15_000),
    (Reh, 10_000),
    (Rc, 30_000),
    (Rea, 20_000),
    (Rloh, 0),
    (Chz, 50_000),
];

/// NV-DDR2. A chip may take 3 to 25 ns of tDQSRE; these take 4.5.
const NV_DDR2_ALL_MODES: [(Parameter, u64); 15] = [
    (Cs, 20_000),
    (Cals, 15_000),
    (Calh, 5_000),
    (Cas, 5_000),
    (Cah, 5_000),
    (Wp, 11_000),
    (Wh, 11_000),
    (Wc, 25_000),
    (Adl, 150_000),
    (Rpre, 15_000),
    (Wpre, 15_000),
    (Wpst, 6_500),
    (Cdqss, 30_000),
    (Dqsre, 4_500),
    (Chz, 20_000),
];

/// tRP, tREH, tDQSL and tDQSH are 0.43 of a cycle.
const NV_DDR2_MODE_6: [(Parameter, u64); 9] = [
    (Rc, 6_000),
    (Rp, 2_580),
    (Reh, 2_580),
    (Dsc, 6_000),
    (Dqsh, 2_580),
    (Dqsl, 2_580),
    (Ds, 550),
    (Dh, 550),
    (Rpst, 7_500),
];

const NV_DDR2_MODE_4: [(Parameter, u64); 9] = [
    (Rc, 10_000),
    (Rp, 4_300),
    (Reh, 4_300),
    (Dsc, 10_000),
    (Dqsh, 4_300),
    (Dqsl, 4_300),
    (Ds, 900),
    (Dh, 900),
    (Rpst, 9_500),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_those_of_the_transfer_rates() {
        let cycles = [
            (Timing::sdr_mode_5(), Wc, 20),
            (Timing::sdr_mode_3(), Rc, 30),
            (Timing::nv_ddr2_mode_6(), Rc, 6),
            (Timing::nv_ddr2_mode_4(), Dsc, 10),
        ];
        for (timing, parameter, ns) in cycles {
            assert_eq!(timing[parameter], Duration::from_ns(ns), "{}", parameter.name());
        }
    }

    #[test]
    fn a_postamble_outlasts_the_last_strobe_by_half_a_cycle() {
        for timing in [Timing::nv_ddr2_mode_6(), Timing::nv_ddr2_mode_4()] {
            let expected = timing[Dqsre].as_ps() + timing[Rc].as_ps() / 2;
            assert_eq!(timing[Rpst].as_ps(), expected);
        }
    }
}
