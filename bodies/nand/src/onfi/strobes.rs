//! Data to the chip at both edges of DQS.

use contract::Instant;

use super::violation::Checker;
use super::wires::Wires;
use super::{Fault, Parameter};

/// A burst of data to the chip: preamble, edges, postamble. It may pause at any edge.
#[derive(Default)]
pub(crate) struct Strobes {
    /// Since when DQS is low in a data phase, before the first edge.
    low_since: Option<Instant>,
    bytes: u64,
    last_edge: Option<Instant>,
    last_rise: Option<Instant>,
}

impl Strobes {
    /// Takes new levels. Returns the byte that an edge latched.
    pub fn change(&mut self, now: Instant, wires: &Wires, check: &mut Checker) -> Option<u8> {
        let (old, new) = (wires.before, wires.pins);
        if self.bytes > 0 && new.dq != old.dq {
            check.gap(Parameter::Dh, self.last_edge, now);
        }
        let (true, Some(level)) = (new.data_phase() && new.re_n, new.dqs) else {
            self.end(now, check);
            return None;
        };
        if self.bytes == 0 && !level {
            self.low_since = self.low_since.or(Some(now));
            return None;
        }
        if old.dqs == Some(level) || (self.bytes == 0 && self.low_since.is_none()) {
            return None;
        }
        self.edge(now, wires, check)
    }

    fn edge(&mut self, now: Instant, wires: &Wires, check: &mut Checker) -> Option<u8> {
        let rising = wires.pins.dqs == Some(true);
        if self.bytes == 0 {
            check.gap(Parameter::Wpre, self.low_since, now);
            check.gap(Parameter::Cdqss, wires.data_phase_since(), now);
        } else {
            let width = if rising { Parameter::Dqsl } else { Parameter::Dqsh };
            check.gap(width, self.last_edge, now);
        }
        if rising {
            check.gap(Parameter::Dsc, self.last_rise, now);
            self.last_rise = Some(now);
        }
        check.gap(Parameter::Ds, wires.changes().dq, now);
        self.bytes += 1;
        self.last_edge = Some(now);
        if wires.pins.dq.is_none() {
            check.fault(now, Fault::Floating);
        }
        wires.pins.dq
    }

    fn end(&mut self, now: Instant, check: &mut Checker) {
        if self.bytes > 0 {
            check.gap(Parameter::Wpst, self.last_edge, now);
            if self.bytes % 2 == 1 {
                check.fault(now, Fault::OddBurst { bytes: self.bytes });
            }
        }
        *self = Self::default();
    }
}
