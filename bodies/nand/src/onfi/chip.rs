//! A chip on the pins.

use std::collections::BTreeMap;

use contract::Instant;

use super::command::Decoder;
use super::lun::Lun;
use super::reader::Reader;
use super::silicon::Silicon;
use super::strobes::Strobes;
use super::transfer::{Data, RegisterInput};
use super::wires::{Changes, Latched, Wires};
use super::{Config, Fault, Inputs, Interface, Outputs, Parameter, Violation};

/// A chip that no longer does what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// R/B# stays low, and status says busy.
    StuckBusy,
    /// DQS never moves.
    SilentStrobe,
    /// There is no chip.
    Absent,
    /// Programs and erases do nothing, and do not count as failed: status says that the chip is write protected, and nothing else.
    Protected,
}

/// All LUNs behind one CE#.
///
/// Call [`Chip::pins`] whenever levels change, and whenever its outputs are wanted; it takes the
/// levels to have been as they were until then. Whatever the host does wrong ends up in
/// [`Chip::violations`]. A command that breaks the protocol does nothing; one that comes at the wrong
/// time, or programs a page that must not be programmed, is carried out all the same.
pub struct Chip {
    pub(super) wires: Wires,
    strobes: Strobes,
    reader: Reader,
    pub(super) decoder: Decoder,
    pub(super) luns: Vec<Lun>,
    pub(super) silicon: Silicon,
    /// The LUN that was addressed last.
    pub(super) selected: usize,
    /// The last command byte.
    pub(super) command: u8,
    /// When the last command or address came.
    pub(super) latched: Option<Instant>,
    /// What the status commands ask about, while their answer is what is read.
    pub(super) status_of: Option<(usize, Option<usize>)>,
    /// A status byte that comes a second time, in DDR.
    pub(super) status_copy: Option<u8>,
    pub(super) data: Data,
    /// Where in `data` the next byte is.
    pub(super) position: usize,
    pub(super) register_input: Option<RegisterInput>,
    /// What the first byte to the chip has to wait for.
    pub(super) data_after: Option<(Parameter, Instant)>,
    /// The last change of column, which the first byte from the chip has to wait for.
    pub(super) column_changed: Option<Instant>,
    /// By LUN and address.
    pub(super) features: BTreeMap<(usize, u8), [u8; 4]>,
    /// By LUN.
    pub(super) odt: BTreeMap<u8, [u8; 4]>,
    pub(super) volume: u8,
    defect: Option<Defect>,
    contending: bool,
}

impl Chip {
    /// An erased chip, but for the blocks that are bad from the factory.
    pub fn new(config: Config) -> Self {
        let interface = config.interface;
        let lun = |_| Lun::new(config.rows.planes(), config.page_bytes());
        Self {
            wires: Wires::new(interface),
            strobes: Strobes::default(),
            reader: Reader::new(interface, config.timing.clone()),
            decoder: Decoder::new(config.rows.cycles),
            luns: (0..config.rows.luns).map(lun).collect(),
            selected: 0,
            command: 0xff,
            latched: None,
            status_of: None,
            status_copy: None,
            data: Data::Nothing,
            position: 0,
            register_input: None,
            data_after: None,
            column_changed: None,
            features: BTreeMap::new(),
            odt: BTreeMap::new(),
            volume: config.volume,
            defect: None,
            contending: false,
            silicon: Silicon::new(config),
        }
    }

    /// Takes the levels that hold from `now` on, and returns those that the chip drives at `now`.
    ///
    /// # Panics
    /// May panic if `now` is before that of an earlier call.
    pub fn pins(&mut self, now: Instant, inputs: Inputs) -> Outputs {
        if self.defect == Some(Defect::Absent) {
            return Outputs::RELEASED;
        }
        if inputs != self.wires.pins {
            self.change(now, inputs);
        }
        let outputs = self.output(now);
        self.contention(now, outputs);
        outputs
    }

    /// Until when the outputs stay, if the inputs do: always later than `now`, of the last call.
    pub(super) fn wake(&self, now: Instant) -> Instant {
        let luns = self.luns.iter().map(|lun| lun.wake(now));
        luns.fold(self.reader.wake(), Instant::min)
    }

    /// Takes what went on while the chip was not selected, instead of calls of `pins` meanwhile.
    pub(super) fn catch_up(&mut self, shared: Inputs, changes: Changes) {
        self.wires.catch_up(Inputs { ce_n: true, ..shared }, changes);
    }

    /// What the host did wrong so far, the first one first; no more than a thousand.
    pub fn violations(&self) -> &[Violation] {
        self.silicon.check.violations()
    }

    /// The same, and forgets them.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        self.silicon.check.take()
    }

    /// What the chip is.
    pub fn config(&self) -> &Config {
        &self.silicon.config
    }

    /// The bytes of a page as they were programmed, unless it is erased.
    pub fn page(&self, row: u32) -> Option<&[u8]> {
        self.silicon.cells.page(row)
    }

    /// Puts bytes into an erased page, at once.
    ///
    /// # Panics
    /// If the page has another length.
    pub fn set_page(&mut self, row: u32, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.silicon.config.page_bytes(), "bytes of a page");
        self.silicon.cells.set(row, bytes);
    }

    /// From now on these bits of a page are read wrong. None make it right again.
    pub fn flip(&mut self, row: u32, bits: Vec<usize>) {
        self.silicon.flip(row, bits);
    }

    /// From now on programs of a page fail.
    pub fn fail_program(&mut self, row: u32) {
        self.silicon.fail_program(row);
    }

    /// From now on erases of the block that a row is in fail.
    pub fn fail_erase(&mut self, row: u32) {
        self.silicon.fail_erase(row);
    }

    /// Makes a block bad as if from the factory: zeros, and programs and erases fail.
    pub fn spoil(&mut self, row: u32) {
        self.silicon.cells.spoil(row);
    }

    /// Whether a block is bad from the factory.
    pub fn is_bad(&self, row: u32) -> bool {
        self.silicon.cells.is_bad(row)
    }

    /// Breaks or mends the chip.
    pub fn set_defect(&mut self, defect: Option<Defect>) {
        self.defect = defect;
        self.reader.silent = defect == Some(Defect::SilentStrobe);
        self.silicon.deaf = defect == Some(Defect::Protected);
    }

    /// A feature of a LUN, as it was set last.
    pub fn feature(&self, lun: usize, address: u8) -> [u8; 4] {
        self.features.get(&(lun, address)).copied().unwrap_or_default()
    }

    /// The on-die termination of a LUN, as it was configured last.
    pub fn odt(&self, lun: u8) -> Option<[u8; 4]> {
        self.odt.get(&lun).copied()
    }

    /// The volume that was selected last.
    pub fn volume(&self) -> u8 {
        self.volume
    }

    fn change(&mut self, now: Instant, inputs: Inputs) {
        self.silicon.now = now;
        self.silicon.write_protected = !inputs.wp_n;
        let latched = self.wires.change(now, inputs, &mut self.silicon.check);
        match latched {
            Some(Latched::Command(byte)) => {
                self.latch(now);
                self.take_command(now, byte);
            }
            Some(Latched::Address(byte)) => {
                self.latch(now);
                self.take_address(now, byte);
            }
            Some(Latched::Data(byte)) => self.take_data(now, byte),
            None => {}
        }
        let check = &mut self.silicon.check;
        if self.silicon.config.interface == Interface::Ddr {
            if let Some(byte) = self.strobes.change(now, &self.wires, check) {
                self.take_data(now, byte);
            }
        }
        let check = &mut self.silicon.check;
        if let Some(demand) = self.reader.change(now, &mut self.wires, check) {
            if let Some(byte) = self.answer(now, demand) {
                self.reader.send(now, byte, &self.wires);
            }
        }
    }

    fn latch(&mut self, now: Instant) {
        self.latched = Some(now);
        self.reader.latched();
    }

    fn output(&mut self, now: Instant) -> Outputs {
        let busy = self.is_stuck() || self.luns.iter().any(|lun| lun.pulls_busy(now));
        let driven =
            if self.reader.is_idle() { Outputs::RELEASED } else { self.reader.output(now) };
        Outputs { rb_n: !busy, ..driven }
    }

    pub(super) fn is_stuck(&self) -> bool {
        self.defect == Some(Defect::StuckBusy)
    }

    /// Tells once each time that host and chip begin to drive together.
    fn contention(&mut self, now: Instant, outputs: Outputs) {
        let inputs = self.wires.pins;
        let both = inputs.dq.is_some() && outputs.dq.is_some()
            || inputs.dqs.is_some() && outputs.dqs.is_some();
        if both && !self.contending {
            self.silicon.check.fault(now, Fault::Contention);
        }
        self.contending = both;
    }
}
