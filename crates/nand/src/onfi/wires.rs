//! Pulses of WE#, and what must be stable around them.

use contract::Instant;

use super::violation::Checker;
use super::{Fault, Inputs, Interface, Parameter};

/// What a pulse of WE# brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Latched {
    Command(u8),
    Address(u8),
    /// Data, in SDR.
    Data(u8),
}

/// The pins as they are, and when they changed. Times are those seen while the chip is selected.
pub(crate) struct Wires {
    pub pins: Inputs,
    interface: Interface,
    ce_fall: Option<Instant>,
    cle_change: Option<Instant>,
    ale_change: Option<Instant>,
    dq_change: Option<Instant>,
    wp_change: Option<Instant>,
    we_fall: Option<Instant>,
    we_rise: Option<Instant>,
    /// The last byte that was read.
    pub read_end: Option<Instant>,
}

impl Wires {
    pub fn new(interface: Interface) -> Self {
        Self {
            pins: Inputs::IDLE,
            interface,
            ce_fall: None,
            cle_change: None,
            ale_change: None,
            dq_change: None,
            wp_change: None,
            we_fall: None,
            we_rise: None,
            read_end: None,
        }
    }

    pub fn ce_fall(&self) -> Option<Instant> {
        self.ce_fall
    }

    pub fn cle_change(&self) -> Option<Instant> {
        self.cle_change
    }

    pub fn ale_change(&self) -> Option<Instant> {
        self.ale_change
    }

    pub fn dq_change(&self) -> Option<Instant> {
        self.dq_change
    }

    /// Since when data may move.
    pub fn data_phase_since(&self) -> Option<Instant> {
        self.ce_fall.max(self.cle_change).max(self.ale_change)
    }

    /// Takes new levels. Returns the levels before and what was latched.
    pub fn change(
        &mut self,
        now: Instant,
        new: Inputs,
        check: &mut Checker,
    ) -> (Inputs, Option<Latched>) {
        let old = std::mem::replace(&mut self.pins, new);
        if new.wp_n != old.wp_n {
            self.wp_change = Some(now);
        }
        if old.ce_n {
            if !new.ce_n {
                self.selected(now, check);
            }
            return (old, None);
        }
        self.hold(now, old, check);
        if !old.we_n && (new.we_n || new.ce_n) {
            return (old, self.rise(now, check));
        }
        if old.we_n && !new.we_n && !new.ce_n {
            self.fall(now, check);
        }
        (old, None)
    }

    /// What the pins did before nobody knows, so they count as changed now.
    fn selected(&mut self, now: Instant, check: &mut Checker) {
        for change in
            [&mut self.ce_fall, &mut self.cle_change, &mut self.ale_change, &mut self.dq_change]
        {
            *change = Some(now);
        }
        if !self.pins.we_n {
            self.fall(now, check);
        }
    }

    /// What must stay behind a pulse, and the times of changes.
    fn hold(&mut self, now: Instant, old: Inputs, check: &mut Checker) {
        let (cle, ale, dq) = match self.interface {
            Interface::Sdr => (Parameter::Clh, Parameter::Alh, Parameter::Dh),
            Interface::Ddr => (Parameter::Calh, Parameter::Calh, Parameter::Cah),
        };
        let new = self.pins;
        if new.cle != old.cle {
            check.gap(cle, self.we_rise, now);
            self.cle_change = Some(now);
        }
        if new.ale != old.ale {
            check.gap(ale, self.we_rise, now);
            self.ale_change = Some(now);
        }
        if new.dq != old.dq {
            check.gap(dq, self.we_rise, now);
            self.dq_change = Some(now);
        }
        if new.ce_n {
            check.gap(Parameter::Ch, self.we_rise, now);
        }
    }

    fn fall(&mut self, now: Instant, check: &mut Checker) {
        check.gap(Parameter::Wc, self.we_fall, now);
        check.gap(Parameter::Wh, self.we_rise, now);
        check.gap(Parameter::Rhw, self.read_end, now);
        self.we_fall = Some(now);
    }

    fn rise(&mut self, now: Instant, check: &mut Checker) -> Option<Latched> {
        let pins = self.pins;
        check.gap(Parameter::Wp, self.we_fall, now);
        check.gap(Parameter::Cs, self.ce_fall, now);
        check.gap(Parameter::Ww, self.wp_change, now);
        let (cle, ale, dq) = match self.interface {
            Interface::Sdr => (Parameter::Cls, Parameter::Als, Parameter::Ds),
            Interface::Ddr => (Parameter::Cals, Parameter::Cals, Parameter::Cas),
        };
        check.gap(cle, self.cle_change, now);
        check.gap(ale, self.ale_change, now);
        check.gap(dq, self.dq_change, now);
        self.we_rise = Some(now);
        if pins.ce_n {
            // Selected and pulsed no longer at the same time: tCH is none at all.
            check.gap(Parameter::Ch, Some(now), now);
        }
        if !pins.cle && !pins.ale && self.interface == Interface::Ddr {
            check.fault(now, Fault::EmptyPulse);
            return None;
        }
        let Some(byte) = pins.dq else {
            check.fault(now, Fault::Floating);
            return None;
        };
        match (pins.cle, pins.ale) {
            (true, true) => {
                check.fault(now, Fault::BothLatches);
                None
            }
            (true, false) => Some(Latched::Command(byte)),
            (false, true) => Some(Latched::Address(byte)),
            (false, false) => Some(Latched::Data(byte)),
        }
    }
}
