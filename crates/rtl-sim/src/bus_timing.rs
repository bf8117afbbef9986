//! The registers of a bus that meet the timing of its chips.

use contract::Duration;
use nand::onfi::{Interface, Parameter, Timing};

/// `bus_config_t` of `rtl/flash/flash_pkg.sv`, in cycles of the clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusTiming {
    /// NV-DDR2 or toggle.
    pub ddr: bool,
    /// In the order of [`BusTiming::WAITS`].
    pub waits: [u8; BusTiming::WAITS.len()],
}

impl BusTiming {
    /// The waits, as the package names them.
    pub const WAITS: [&'static str; 17] = [
        "ce_setup",
        "ce_hold",
        "we_low",
        "we_high",
        "adl",
        "ccs",
        "whr",
        "rhw",
        "wb",
        "rr",
        "re_low",
        "re_high",
        "read_preamble",
        "read_postamble",
        "write_preamble",
        "write_postamble",
        "sample_delay",
    ];

    /// The shortest waits at a clock of this period that keep the timing.
    ///
    /// A pulse of WE# takes `we_high + (we_low + 1) + (ce_hold + 1)` cycles: what it latches stands
    /// from the first one to the last. Other waits of n cycles last n + 1 or more.
    pub fn new(interface: Interface, timing: &Timing, period: Duration) -> Self {
        use Parameter::*;
        let ps = |parameter: Parameter| timing[parameter].as_ps();
        let cycles = |ps: u64| ps.div_ceil(period.as_ps());
        let longest = |parameters: &[Parameter]| {
            parameters.iter().map(|&parameter| cycles(ps(parameter))).max().unwrap_or(0)
        };
        let low = longest(&[Wp]).max(1);
        let setup = longest(&[Cls, Als, Cals, Cas, Ds]).saturating_sub(low);
        let hold = longest(&[Clh, Alh, Calh, Cah, Dh, Ch]).max(1);
        let high = longest(&[Wh]).max(cycles(ps(Wc)).saturating_sub(low));
        let setup = setup.max(high.saturating_sub(hold));
        let read_low = cycles(ps(Rp).max(ps(Rea))).max(1);
        let read_high = cycles(ps(Reh)).max(cycles(ps(Rc)).saturating_sub(read_low)).max(1);
        let value = |name: &str| match name {
            "ce_setup" => cycles(ps(Cs)).saturating_sub(setup + low + 1),
            "ce_hold" => hold - 1,
            "we_low" => low - 1,
            "we_high" => setup,
            "adl" => cycles(ps(Adl)),
            "ccs" => cycles(ps(Ccs)),
            "whr" => longest(&[Whr, Ar, Clr, Cr]),
            "rhw" => cycles(ps(Rhw)),
            "wb" => cycles(ps(Wb)),
            "rr" => cycles(ps(Rr)),
            "re_low" => read_low - 1,
            "re_high" => read_high - 1,
            "read_preamble" => cycles(ps(Rpre)),
            "read_postamble" => cycles(ps(Rpst)),
            "write_preamble" => cycles(ps(Wpre).max(ps(Cdqss))),
            "write_postamble" => cycles(ps(Wpst)),
            "sample_delay" => 0,
            _ => unreachable!("{name} is a wait"),
        };
        let waits = Self::WAITS.map(|name| {
            u8::try_from(value(name)).unwrap_or_else(|_| panic!("{name}: more than 255 cycles"))
        });
        Self { ddr: interface == Interface::Ddr, waits }
    }
}
