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

/// When pins changed, those of other chips' business too.
#[derive(Clone, Copy, Default)]
pub(crate) struct Changes {
    pub cle: Option<Instant>,
    pub ale: Option<Instant>,
    pub dq: Option<Instant>,
    wp: Option<Instant>,
}

/// The pins as they are, and when they changed.
pub(crate) struct Wires {
    pub pins: Inputs,
    /// As they were before the last change.
    pub before: Inputs,
    interface: Interface,
    changes: Changes,
    ce_fall: Option<Instant>,
    we_fall: Option<Instant>,
    we_rise: Option<Instant>,
    /// The last byte that was read.
    pub read_end: Option<Instant>,
}

impl Changes {
    /// Keeps the times of changes.
    pub fn note(&mut self, now: Instant, old: &Inputs, new: &Inputs) {
        let note = |changed: bool, at: &mut Option<Instant>| {
            if changed {
                *at = Some(now);
            }
        };
        note(new.cle != old.cle, &mut self.cle);
        note(new.ale != old.ale, &mut self.ale);
        note(new.dq != old.dq, &mut self.dq);
        note(new.wp_n != old.wp_n, &mut self.wp);
    }
}

impl Wires {
    pub fn new(interface: Interface) -> Self {
        Self {
            pins: Inputs::IDLE,
            before: Inputs::IDLE,
            interface,
            changes: Changes::default(),
            ce_fall: None,
            we_fall: None,
            we_rise: None,
            read_end: None,
        }
    }

    pub fn ce_fall(&self) -> Option<Instant> {
        self.ce_fall
    }

    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Since when data may move.
    pub fn data_phase_since(&self) -> Option<Instant> {
        self.ce_fall.max(self.changes.cle).max(self.changes.ale)
    }

    /// Takes new levels. Returns what was latched.
    pub fn change(&mut self, now: Instant, new: Inputs, check: &mut Checker) -> Option<Latched> {
        let old = std::mem::replace(&mut self.pins, new);
        self.before = old;
        if !old.ce_n {
            self.hold(now, check);
        }
        self.changes.note(now, &old, &new);
        if old.ce_n {
            if !new.ce_n {
                self.ce_fall = Some(now);
                if !new.we_n {
                    self.fall(now, check);
                }
            }
            return None;
        }
        if !old.we_n && (new.we_n || new.ce_n) {
            return self.rise(now, check);
        }
        if old.we_n && !new.we_n && !new.ce_n {
            self.fall(now, check);
        }
        None
    }

    /// Takes what went on while the chip was not selected.
    pub fn catch_up(&mut self, pins: Inputs, changes: Changes) {
        self.pins = pins;
        self.changes = changes;
    }

    /// What must stay behind a pulse.
    fn hold(&mut self, now: Instant, check: &mut Checker) {
        let (cle, ale, dq) = match self.interface {
            Interface::Sdr => (Parameter::Clh, Parameter::Alh, Parameter::Dh),
            Interface::Ddr => (Parameter::Calh, Parameter::Calh, Parameter::Cah),
        };
        let (old, new) = (self.before, self.pins);
        let changes = [
            (new.cle != old.cle, cle),
            (new.ale != old.ale, ale),
            (new.dq != old.dq, dq),
            (new.ce_n, Parameter::Ch),
        ];
        for (_, parameter) in changes.iter().filter(|(changed, _)| *changed) {
            check.gap(*parameter, self.we_rise, now);
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
        check.gap(Parameter::Ww, self.changes.wp, now);
        let (cle, ale, dq) = match self.interface {
            Interface::Sdr => (Parameter::Cls, Parameter::Als, Parameter::Ds),
            Interface::Ddr => (Parameter::Cals, Parameter::Cals, Parameter::Cas),
        };
        check.gap(cle, self.changes.cle, now);
        check.gap(ale, self.changes.ale, now);
        check.gap(dq, self.changes.dq, now);
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
