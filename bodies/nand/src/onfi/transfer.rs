//! Bytes between the bus and the registers.

use contract::packet::READ_LEVEL;
use contract::Instant;

use super::chip::Chip;
use super::reader::Demand;
use super::{Fault, Interface, Parameter};

/// What is read, unless it is status.
pub(crate) enum Data {
    Nothing,
    /// Registers: each byte twice in DDR.
    Registers(Vec<u8>),
    /// Parameter page or unique ID.
    Bytes(Vec<u8>),
    /// The cache register of the selected plane.
    Page,
}

/// Register bytes that are to come.
pub(crate) struct RegisterInput {
    pub to: RegisterTarget,
    pub bytes: Vec<u8>,
}

/// Where four register bytes go.
#[derive(Clone, Copy)]
pub(crate) enum RegisterTarget {
    Feature { lun: Option<usize>, address: u8 },
    Odt { lun: u8 },
}

const REGISTER_BYTES: usize = 4;

impl Chip {
    /// Copies of a register byte on the bus.
    fn copies(&self) -> usize {
        match self.config().interface {
            Interface::Sdr => 1,
            Interface::Ddr => 2,
        }
    }

    /// A byte came.
    pub(super) fn take_data(&mut self, now: Instant, byte: u8) {
        self.settle();
        if let Some((parameter, since)) = self.data_after.take() {
            self.silicon.check.gap(parameter, Some(since), now);
        }
        if let Some(input) = &mut self.register_input {
            input.bytes.push(byte);
            if input.bytes.len() == REGISTER_BYTES * self.copies() {
                self.finish_registers(now);
            }
            return;
        }
        let lun = &mut self.luns[self.selected];
        let Some(row) = lun.load else {
            return self.silicon.check.fault(now, Fault::UnexpectedData);
        };
        let register = &mut lun.planes[row.plane].cache;
        match register.get_mut(lun.column) {
            Some(place) => *place = byte,
            None => {
                let beyond = Fault::BeyondEnd { column: lun.column, bytes: register.len() };
                self.silicon.check.fault(now, beyond);
            }
        }
        lun.column += 1;
    }

    fn finish_registers(&mut self, now: Instant) {
        let Some(input) = self.register_input.take() else { return };
        let mut value = [0; REGISTER_BYTES];
        for (place, copies) in value.iter_mut().zip(input.bytes.chunks(self.copies())) {
            let (first, second) = (copies[0], copies[copies.len() - 1]);
            if first != second {
                self.silicon.check.fault(now, Fault::UnlikeCopies { first, second });
            }
            *place = first;
        }
        match input.to {
            RegisterTarget::Odt { lun } => {
                self.odt.insert(lun, value);
            }
            RegisterTarget::Feature { lun, address } => {
                let length = self.config().times.feature;
                for at in (0..self.luns.len()).filter(|at| lun.is_none_or(|lun| lun == *at)) {
                    self.features.insert((at, address), value);
                    if address == READ_LEVEL {
                        self.luns[at].level = value[0];
                    }
                    self.luns[at].busy(length, &self.silicon);
                }
            }
        }
    }

    /// RE# asks for something. The byte, if one is asked for.
    pub(super) fn answer(&mut self, now: Instant, demand: Demand) -> Option<u8> {
        if demand != Demand::Byte {
            self.begin_read(now);
        }
        (demand != Demand::Begin).then(|| self.next_byte(now))
    }

    fn begin_read(&mut self, now: Instant) {
        self.settle();
        self.status_copy = None;
        let check = &mut self.silicon.check;
        check.gap(Parameter::Whr, self.latched, now);
        check.gap(Parameter::Ccs, self.column_changed.take(), now);
        if let Some((lun, _)) = self.status_of {
            return check.gap(Parameter::Wb, self.luns[lun].told_at(), now);
        }
        let lun = &self.luns[self.selected];
        let nothing = match self.data {
            Data::Nothing => true,
            Data::Registers(_) | Data::Bytes(_) => false,
            Data::Page => lun.planes[lun.selected].cached.is_none(),
        };
        if nothing {
            return check.fault(now, Fault::NothingToRead);
        }
        if lun.is_ready(now) {
            check.gap(Parameter::Rr, Some(lun.ready_at()), now);
        } else {
            check.fault(now, Fault::ReadWhileBusy);
        }
    }

    fn next_byte(&mut self, now: Instant) -> u8 {
        let copies = self.copies();
        if let Some((lun, plane)) = self.status_of {
            if let Some(copy) = self.status_copy.take() {
                return copy;
            }
            let status = self.status(now, lun, plane);
            self.status_copy = (copies > 1).then_some(status);
            return status;
        }
        let lun = &mut self.luns[self.selected];
        let (bytes, at) = match &self.data {
            Data::Nothing => return 0,
            Data::Registers(bytes) => (&bytes[..], self.position / copies),
            Data::Bytes(bytes) => (&bytes[..], self.position),
            Data::Page => (&lun.planes[lun.selected].cache[..], lun.column),
        };
        let byte = bytes.get(at).copied();
        if byte.is_none() {
            let beyond = Fault::BeyondEnd { column: at, bytes: bytes.len() };
            self.silicon.check.fault(now, beyond);
        }
        match self.data {
            Data::Page => lun.column += 1,
            _ => self.position += 1,
        }
        byte.unwrap_or(0)
    }
}
