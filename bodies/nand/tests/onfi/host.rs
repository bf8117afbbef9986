//! A host that works the pins by hand, each edge as early as its timing allows.

mod operations;

use std::collections::VecDeque;

use contract::{Duration, Instant};
use nand::onfi::{Chip, Config, Inputs, Interface, Outputs, Parameter, Timing};

/// What a byte latched by WE# is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Latch {
    Command,
    Address,
    Data,
}

pub struct Host {
    pub chip: Chip,
    /// What the host keeps to; the chip's own by default.
    pub timing: Timing,
    pub now: Instant,
    pub pins: Inputs,
    pub outputs: Outputs,
    interface: Interface,
    row_cycles: usize,
    ce_fall: Option<Instant>,
    cle_change: Option<Instant>,
    ale_change: Option<Instant>,
    dq_change: Option<Instant>,
    we_fall: Option<Instant>,
    we_rise: Option<Instant>,
    re_fall: Option<Instant>,
    re_rise: Option<Instant>,
    dqs_edge: Option<Instant>,
    dqs_rise: Option<Instant>,
    dqs_low: Option<Instant>,
    read_end: Option<Instant>,
    burst_end: Option<Instant>,
    ready: Option<Instant>,
    column_changed: Option<Instant>,
    data_after: Option<(Parameter, Instant)>,
    /// Bytes of the burst that goes on, in DDR.
    reading: Option<u64>,
    writing: bool,
    /// When strobes of the chip are due, and what they brought.
    strobes: VecDeque<Instant>,
    received: Vec<u8>,
}

impl Host {
    pub fn new(config: Config) -> Self {
        let (interface, timing) = (config.interface, config.timing.clone());
        let row_cycles = config.rows.cycles;
        let mut host = Self {
            chip: Chip::new(config),
            timing,
            now: Instant::ZERO,
            pins: Inputs::IDLE,
            outputs: Outputs::RELEASED,
            interface,
            row_cycles,
            ce_fall: None,
            cle_change: None,
            ale_change: None,
            dq_change: None,
            we_fall: None,
            we_rise: None,
            re_fall: None,
            re_rise: None,
            dqs_edge: None,
            dqs_rise: None,
            dqs_low: None,
            read_end: None,
            burst_end: None,
            ready: None,
            column_changed: None,
            data_after: None,
            reading: None,
            writing: false,
            strobes: VecDeque::new(),
            received: vec![],
        };
        host.pass(Duration::from_us(1));
        host
    }

    pub fn sdr() -> Self {
        Self::new(Config::small(Interface::Sdr, Timing::sdr_mode_5()))
    }

    pub fn ddr() -> Self {
        Self::new(Config::small(Interface::Ddr, Timing::nv_ddr2_mode_6()))
    }

    /// One of each interface.
    pub fn both() -> [Self; 2] {
        [Self::sdr(), Self::ddr()]
    }

    /// The row of a page.
    pub fn row(&self, lun: u32, block: u32, page: u32) -> u32 {
        self.chip.config().rows.row(lun, block, page)
    }

    pub fn page_bytes(&self) -> usize {
        self.chip.config().page_bytes()
    }

    /// Lets time pass.
    pub fn pass(&mut self, length: Duration) {
        self.now += length;
        self.put(|_| {});
    }

    /// Changes pins now.
    pub fn put(&mut self, change: impl FnOnce(&mut Inputs)) {
        while let Some(due) = self.strobes.pop_front() {
            if due > self.now {
                self.strobes.push_front(due);
                break;
            }
            let before = self.outputs.dqs;
            self.outputs = self.chip.pins(due, self.pins);
            if before.is_some() && self.outputs.dqs != before {
                self.received.extend(self.outputs.dq);
            }
        }
        change(&mut self.pins);
        self.outputs = self.chip.pins(self.now, self.pins);
    }

    fn wait(&mut self, parameter: Parameter, since: Option<Instant>) {
        if let Some(since) = since {
            self.now = self.now.max(since + self.timing[parameter]);
        }
    }

    pub fn select(&mut self) {
        if self.pins.ce_n {
            self.put(|pins| pins.ce_n = false);
            self.ce_fall = Some(self.now);
        }
    }

    pub fn deselect(&mut self) {
        self.wait(Parameter::Ch, self.we_rise);
        self.release_latches();
        self.end_bursts();
        self.put(|pins| pins.ce_n = true);
        self.release();
    }

    /// What must be over before CE#, CLE or ALE rise.
    fn end_bursts(&mut self) {
        if self.reading.is_some() {
            self.wait(Parameter::Rpst, self.re_fall.max(self.re_rise));
        }
        if self.writing {
            self.wait(Parameter::Wpst, self.dqs_edge);
            self.wait(Parameter::Dh, self.dqs_edge);
        }
    }

    fn release(&mut self) {
        if self.reading.take().is_some() {
            self.burst_end = Some(self.now);
        }
        self.writing = false;
        let hold = if self.interface == Interface::Ddr { Parameter::Cah } else { Parameter::Dh };
        self.wait(hold, self.we_rise);
        self.dq_change = Some(self.now);
        self.put(|pins| (pins.re_n, pins.dq, pins.dqs) = (true, None, None));
    }

    fn release_latches(&mut self) {
        let (cle, ale) = match self.interface {
            Interface::Sdr => (Parameter::Clh, Parameter::Alh),
            Interface::Ddr => (Parameter::Calh, Parameter::Calh),
        };
        if self.pins.cle {
            self.wait(cle, self.we_rise);
            self.put(|pins| pins.cle = false);
            self.cle_change = Some(self.now);
        }
        if self.pins.ale {
            self.wait(ale, self.we_rise);
            self.put(|pins| pins.ale = false);
            self.ale_change = Some(self.now);
        }
    }

    fn raise_latch(&mut self, latch: Latch) {
        let (cle, ale) = (latch == Latch::Command, latch == Latch::Address);
        if (self.pins.cle, self.pins.ale) == (cle, ale) {
            return;
        }
        self.release_latches();
        self.end_bursts();
        match latch {
            Latch::Command => {
                self.wait(Parameter::Clh, self.we_rise);
                self.wait(Parameter::Calh, self.we_rise);
                self.put(|pins| pins.cle = true);
                self.cle_change = Some(self.now);
            }
            Latch::Address => {
                self.wait(Parameter::Alh, self.we_rise);
                self.wait(Parameter::Calh, self.we_rise);
                self.put(|pins| pins.ale = true);
                self.ale_change = Some(self.now);
            }
            Latch::Data => {}
        }
        if self.reading.is_some() || self.writing {
            self.release();
        }
    }

    fn pulse(&mut self, latch: Latch, byte: u8) {
        self.select();
        self.raise_latch(latch);
        self.wait(Parameter::Rhw, self.read_end);
        self.wait(Parameter::Chz, self.burst_end);
        let (cle, ale, setup, hold) = match self.interface {
            Interface::Sdr => (Parameter::Cls, Parameter::Als, Parameter::Ds, Parameter::Dh),
            Interface::Ddr => (Parameter::Cals, Parameter::Cals, Parameter::Cas, Parameter::Cah),
        };
        if self.pins.dq != Some(byte) {
            self.wait(hold, self.we_rise);
            self.put(|pins| pins.dq = Some(byte));
            self.dq_change = Some(self.now);
        }
        self.wait(Parameter::Wc, self.we_fall);
        self.wait(Parameter::Wh, self.we_rise);
        self.put(|pins| pins.we_n = false);
        self.we_fall = Some(self.now);
        self.wait(Parameter::Wp, self.we_fall);
        self.wait(Parameter::Cs, self.ce_fall);
        self.wait(cle, self.cle_change);
        self.wait(ale, self.ale_change);
        self.wait(setup, self.dq_change);
        if let Some((parameter, since)) = self.data_after.take_if(|_| latch == Latch::Data) {
            self.wait(parameter, Some(since));
        }
        self.put(|pins| pins.we_n = true);
        self.we_rise = Some(self.now);
    }

    pub fn command(&mut self, byte: u8) {
        self.pulse(Latch::Command, byte);
        self.column_changed = (byte == 0xe0).then_some(self.now);
    }

    /// Addresses, and what data that follow have to wait for.
    pub fn address(&mut self, bytes: &[u8], wait: Parameter) {
        bytes.iter().for_each(|byte| self.pulse(Latch::Address, *byte));
        self.data_after = Some((wait, self.now));
    }

    pub fn column(&mut self, column: u16) {
        self.address(&column.to_le_bytes(), Parameter::Ccs);
    }

    pub fn row_address(&mut self, row: u32) {
        let bytes = row.to_le_bytes();
        self.address(&bytes[..self.row_cycles], Parameter::Adl);
    }

    pub fn full_address(&mut self, column: u16, row: u32, wait: Parameter) {
        let bytes = [&column.to_le_bytes()[..], &row.to_le_bytes()[..self.row_cycles]].concat();
        self.address(&bytes, wait);
    }

    /// Data of a page to the chip.
    pub fn write(&mut self, bytes: &[u8]) {
        self.raise_latch(Latch::Data);
        match self.interface {
            Interface::Sdr => bytes.iter().for_each(|byte| self.pulse(Latch::Data, *byte)),
            Interface::Ddr => bytes.iter().for_each(|byte| self.strobe(*byte)),
        }
    }

    /// Register bytes to the chip.
    pub fn write_registers(&mut self, bytes: &[u8]) {
        let copies = self.copies();
        self.write(&bytes.iter().flat_map(|byte| vec![*byte; copies]).collect::<Vec<_>>());
    }

    /// How often a register byte moves.
    pub fn copies(&self) -> usize {
        if self.interface == Interface::Ddr {
            2
        } else {
            1
        }
    }

    fn strobe(&mut self, byte: u8) {
        if !self.writing {
            self.wait(Parameter::Rhw, self.read_end);
            self.wait(Parameter::Chz, self.burst_end);
            self.put(|pins| pins.dqs = Some(false));
            self.dqs_low = Some(self.now);
        }
        self.wait(Parameter::Cah, self.we_rise);
        self.wait(Parameter::Dh, self.dqs_edge);
        self.put(|pins| pins.dq = Some(byte));
        self.dq_change = Some(self.now);
        let level = self.pins.dqs == Some(false);
        if self.writing {
            let width = if level { Parameter::Dqsl } else { Parameter::Dqsh };
            self.wait(width, self.dqs_edge);
            self.wait(Parameter::Dsc, self.dqs_rise.filter(|_| level));
        } else {
            let data_phase = self.ce_fall.max(self.cle_change).max(self.ale_change);
            self.wait(Parameter::Wpre, self.dqs_low);
            self.wait(Parameter::Cdqss, data_phase);
            if let Some((parameter, since)) = self.data_after.take() {
                self.wait(parameter, Some(since));
            }
        }
        self.wait(Parameter::Ds, self.dq_change);
        self.put(|pins| pins.dqs = Some(level));
        self.dqs_edge = Some(self.now);
        if level {
            self.dqs_rise = Some(self.now);
        }
        self.writing = true;
    }

    /// Data of a page from the chip.
    pub fn read(&mut self, length: usize) -> Vec<u8> {
        self.begin_read();
        match self.interface {
            Interface::Sdr => (0..length).map(|_| self.read_byte()).collect(),
            Interface::Ddr => {
                (0..length).for_each(|_| self.toggle());
                self.wait(Parameter::Rpst, self.re_fall.max(self.re_rise));
                self.put(|_| {});
                std::mem::take(&mut self.received)
            }
        }
    }

    /// Register bytes from the chip.
    pub fn read_registers(&mut self, length: usize) -> Vec<u8> {
        let copies = self.copies();
        let bytes = self.read(length * copies);
        let pairs = bytes.chunks(copies);
        pairs.clone().for_each(|pair| assert_eq!(pair[0], pair[copies - 1], "copies"));
        pairs.map(|pair| pair[0]).collect()
    }

    fn begin_read(&mut self) {
        self.select();
        self.release_latches();
        if self.pins.dq.is_some() || self.pins.dqs.is_some() {
            self.release();
        }
        self.wait(Parameter::Whr, self.we_rise);
        let changed = self.column_changed.take();
        self.wait(Parameter::Ccs, changed);
        self.wait(Parameter::Rr, self.ready);
        self.wait(Parameter::Cr, self.ce_fall);
        self.wait(Parameter::Clr, self.cle_change);
        self.wait(Parameter::Ar, self.ale_change);
    }

    fn read_byte(&mut self) -> u8 {
        self.wait(Parameter::Rc, self.re_fall);
        self.wait(Parameter::Reh, self.re_rise);
        self.put(|pins| pins.re_n = false);
        self.re_fall = Some(self.now);
        self.wait(Parameter::Rp, self.re_fall);
        self.put(|pins| pins.re_n = true);
        self.re_rise = Some(self.now);
        self.read_end = Some(self.now);
        self.wait(Parameter::Rea, self.re_fall);
        self.wait(Parameter::Cea, self.ce_fall);
        self.put(|_| {});
        self.outputs.dq.expect("a byte on DQ")
    }

    fn toggle(&mut self) {
        let Some(count) = self.reading else {
            self.put(|pins| pins.re_n = false);
            self.re_fall = Some(self.now);
            self.strobes.push_back(self.now + self.timing[Parameter::Dqsre]);
            self.reading = Some(0);
            return self.toggle();
        };
        let rising = !self.pins.re_n;
        if count == 0 {
            self.wait(Parameter::Rpre, self.re_fall);
        } else if rising {
            self.wait(Parameter::Rp, self.re_fall);
            self.wait(Parameter::Rc, self.re_rise.filter(|_| count > 1));
        } else {
            self.wait(Parameter::Reh, self.re_rise);
            self.wait(Parameter::Rc, self.re_fall.filter(|_| count > 1));
        }
        self.put(|pins| pins.re_n = rising);
        *(if rising { &mut self.re_rise } else { &mut self.re_fall }) = Some(self.now);
        self.read_end = Some(self.now);
        self.strobes.push_back(self.now + self.timing[Parameter::Dqsre]);
        self.reading = Some(count + 1);
    }
}

/// Bytes that tell where they belong.
pub fn pattern(seed: u32, length: usize) -> Vec<u8> {
    let mix = |at: usize| (at as u32 ^ seed << 11).wrapping_add(1).wrapping_mul(0x9e37_79b1);
    (0..length).map(|at| (mix(at) >> 23) as u8).collect()
}
