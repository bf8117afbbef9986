//! Data from the chip: RE#, and what the chip drives in answer.

use std::collections::VecDeque;

use contract::{Duration, Instant};

use super::violation::Checker;
use super::wires::Wires;
use super::{Fault, Interface, Outputs, Parameter, Timing};

/// What the host does with RE#, as far as it asks for a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// RE# fell for the first time since the last command: the byte follows, now or at the edges.
    Begin,
    /// The next byte.
    Byte,
    /// Both at once, in SDR.
    BeginWithByte,
}

/// The levels of DQ and DQS from a moment on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Drive {
    dq: Option<u8>,
    dqs: Option<bool>,
}

/// The output side of a chip.
///
/// DQ is worthless outside the windows in which a chip guarantees it. It then holds the complement
/// of what it should, so that a host that samples at the wrong time gets the wrong byte.
pub(crate) struct Reader {
    interface: Interface,
    timing: Timing,
    now: Drive,
    due: VecDeque<(Instant, Drive)>,
    /// A burst goes on, in DDR.
    burst: bool,
    /// Since the last command or address.
    begun: bool,
    bytes: u64,
    fall: Option<Instant>,
    rise: Option<Instant>,
    /// DQS never moves.
    pub silent: bool,
}

impl Reader {
    pub fn new(interface: Interface, timing: Timing) -> Self {
        Self {
            interface,
            timing,
            now: Drive::default(),
            due: VecDeque::new(),
            burst: false,
            begun: false,
            bytes: 0,
            fall: None,
            rise: None,
            silent: false,
        }
    }

    /// A command or an address came: what is read next is something else.
    pub fn latched(&mut self) {
        self.begun = false;
    }

    /// Whether nothing is driven, nor will be.
    pub fn is_idle(&self) -> bool {
        self.due.is_empty() && self.now == Drive::default()
    }

    /// When the next change is due.
    pub fn wake(&self) -> Instant {
        self.due.front().map_or(Instant::NEVER, |(at, _)| *at)
    }

    /// What the chip drives at this time.
    pub fn output(&mut self, now: Instant) -> Outputs {
        while let Some(&(_, drive)) = self.due.front().filter(|(at, _)| *at <= now) {
            self.now = drive;
            self.due.pop_front();
        }
        Outputs { dq: self.now.dq, dqs: self.now.dqs, ..Outputs::RELEASED }
    }

    /// Takes new levels.
    pub fn change(
        &mut self,
        now: Instant,
        wires: &mut Wires,
        check: &mut Checker,
    ) -> Option<Demand> {
        match self.interface {
            Interface::Sdr => self.change_sdr(now, wires, check),
            Interface::Ddr => self.change_ddr(now, wires, check),
        }
    }

    /// Puts a byte onto the pins, asked for by the edge at `now`.
    pub fn send(&mut self, now: Instant, byte: u8, wires: &Wires) {
        match self.interface {
            Interface::Sdr => {
                self.due.clear();
                let stale = self.now.dq.map(|_| !byte);
                self.at(now + self.timing[Parameter::Rloh], Drive { dq: stale, dqs: None });
                let selected = wires.ce_fall().map(|fall| fall + self.timing[Parameter::Cea]);
                let valid = (now + self.timing[Parameter::Rea]).max(selected.unwrap_or(now));
                self.at(valid, Drive { dq: Some(byte), dqs: None });
            }
            Interface::Ddr => {
                let level = if self.silent { false } else { self.bytes % 2 == 1 };
                let drive = Drive { dq: Some(byte), dqs: Some(level) };
                self.at(now + self.timing[Parameter::Dqsre], drive);
            }
        }
    }

    fn at(&mut self, time: Instant, drive: Drive) {
        let place = self.due.partition_point(|(at, _)| *at <= time);
        self.due.insert(place, (time, drive));
    }

    /// What is driven is good for tRHOH still, and driven until `release`, unless that is so before.
    fn fade(&mut self, now: Instant, release: Duration) {
        let end = now + release;
        let last = self.due.back().map_or(self.now, |(_, drive)| *drive);
        if let Some(byte) = last.dq {
            let stale = Drive { dq: Some(!byte), dqs: None };
            self.at(now + self.timing[Parameter::Rhoh], stale);
        }
        if !self.is_idle() {
            self.due.retain(|(at, _)| *at < end);
            self.at(end, Drive::default());
        }
    }

    fn begin(&mut self, now: Instant, wires: &Wires, check: &mut Checker) {
        check.gap(Parameter::Cr, wires.ce_fall(), now);
        check.gap(Parameter::Clr, wires.changes().cle, now);
        check.gap(Parameter::Ar, wires.changes().ale, now);
    }

    fn change_sdr(
        &mut self,
        now: Instant,
        wires: &mut Wires,
        check: &mut Checker,
    ) -> Option<Demand> {
        let (old, new) = (wires.before, wires.pins);
        if !old.re_n && new.re_n && old.data_phase() {
            check.gap(Parameter::Rp, self.fall, now);
            self.rise = Some(now);
            wires.read_end = Some(now);
            self.fade(now, self.timing[Parameter::Rhz]);
        }
        if !old.ce_n && new.ce_n {
            self.fade(now, self.timing[Parameter::Chz]);
        }
        if !(old.re_n && !new.re_n && new.data_phase()) {
            return None;
        }
        check.gap(Parameter::Rc, self.fall, now);
        check.gap(Parameter::Reh, self.rise, now);
        self.begin(now, wires, check);
        self.fall = Some(now);
        let first = !std::mem::replace(&mut self.begun, true);
        Some(if first { Demand::BeginWithByte } else { Demand::Byte })
    }

    fn change_ddr(
        &mut self,
        now: Instant,
        wires: &mut Wires,
        check: &mut Checker,
    ) -> Option<Demand> {
        let (old, new) = (wires.before, wires.pins);
        if self.burst && !new.data_phase() {
            self.end(now, check);
            return None;
        }
        if old.re_n == new.re_n || !new.data_phase() {
            return None;
        }
        if !self.burst {
            return if new.re_n { None } else { self.preamble(now, wires, check) };
        }
        let (width, cycle) =
            if new.re_n { (Parameter::Rp, self.rise) } else { (Parameter::Reh, self.fall) };
        if self.bytes == 0 {
            check.gap(Parameter::Rpre, self.fall, now);
        } else {
            check.gap(width, if new.re_n { self.fall } else { self.rise }, now);
            check.gap(Parameter::Rc, cycle.filter(|_| self.bytes > 1), now);
        }
        *(if new.re_n { &mut self.rise } else { &mut self.fall }) = Some(now);
        self.bytes += 1;
        wires.read_end = Some(now);
        Some(Demand::Byte)
    }

    fn preamble(&mut self, now: Instant, wires: &Wires, check: &mut Checker) -> Option<Demand> {
        self.begin(now, wires, check);
        self.burst = true;
        self.bytes = 0;
        self.fall = Some(now);
        let drive = Drive { dq: Some(0), dqs: Some(false) };
        self.due.clear();
        self.at(now + self.timing[Parameter::Dqsre], drive);
        let first = !std::mem::replace(&mut self.begun, true);
        first.then_some(Demand::Begin)
    }

    fn end(&mut self, now: Instant, check: &mut Checker) {
        let last_edge = self.fall.max(self.rise);
        check.gap(Parameter::Rpst, last_edge, now);
        if self.bytes % 2 == 1 {
            check.fault(now, Fault::OddBurst { bytes: self.bytes });
        }
        self.burst = false;
        self.at(now + self.timing[Parameter::Chz], Drive::default());
    }
}
