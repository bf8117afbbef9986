//! An SDR SDRAM of 16 bits, as its data sheets have it, at the pads `sdram_…`: it holds whoever works it to the protocol and its times.
//!
//! Source: the data sheet of Micron's MT48LC16M16A2, speed grade -7E, and the standard JESD21-C, section 3.11.5.1.

use crate::{Agent, Input, Model, Output};

const BANKS: usize = 4;
const ROW_WORDS: usize = 512;
const MODE: u16 = 0x020;

/// Times in nanoseconds, rounded up to cycles.
#[derive(Clone, Copy, Debug)]
struct Times {
    row_to_column: u64,
    precharge: u64,
    active: u64,
    row_cycle: u64,
    refresh: u64,
    write: u64,
    mode: u64,
    /// Nine of these may pass between two refreshes.
    interval: u64,
}

/// The chip. Time is cycles of its clock, which is the controller's the other way round: what the controller drives in a cycle
/// is taken in the middle of that cycle.
pub struct Sdram {
    pins: Pins,
    times: Times,
    /// Cycles without a command after power-up.
    power_up: u64,
    words: Vec<u16>,
    open: [Option<u16>; BANKS],
    /// Of each bank: when its row was opened, closed, and last written.
    opened: [u64; BANKS],
    closed: [u64; BANKS],
    written: [u64; BANKS],
    refreshed: u64,
    refreshes: u64,
    moded: Option<u64>,
    now: u64,
    /// Words on their way to the pins, by the cycle in which they are there.
    coming: [Option<u16>; 3],
    noise: u16,
}

struct Pins {
    cke: Output,
    cs_n: Output,
    ras_n: Output,
    cas_n: Output,
    we_n: Output,
    ba: Output,
    a: Output,
    dqm: Output,
    dq: Output,
    dq_oe: Output,
    dq_in: Input,
}

impl Sdram {
    /// A chip at a model's pads, whose clock has a cycle of so many nanoseconds, and that wants so many of them in peace first.
    pub fn new(model: &Model, period_ns: u64, power_up: u64) -> Self {
        let out = |name: &str| model.output(&format!("sdram_{name}"));
        let cycles = |ns: u64| ns.div_ceil(period_ns);
        Self {
            pins: Pins {
                cke: out("cke_o"),
                cs_n: out("cs_no"),
                ras_n: out("ras_no"),
                cas_n: out("cas_no"),
                we_n: out("we_no"),
                ba: out("ba_o"),
                a: out("a_o"),
                dqm: out("dqm_o"),
                dq: out("dq_o"),
                dq_oe: out("dq_oe_o"),
                dq_in: model.input("sdram_dq_i"),
            },
            times: Times {
                row_to_column: cycles(20),
                precharge: cycles(20),
                active: cycles(44),
                row_cycle: cycles(66),
                refresh: cycles(66),
                write: cycles(15) + 1,
                mode: 2,
                interval: 7812 / period_ns,
            },
            power_up,
            words: vec![0xa5a5; (BANKS * ROW_WORDS) << 13],
            open: [None; BANKS],
            opened: [0; BANKS],
            closed: [0; BANKS],
            written: [0; BANKS],
            refreshed: 0,
            refreshes: 0,
            moded: None,
            now: 0,
            coming: [None; 3],
            noise: 1,
        }
    }

    /// Refreshes so far.
    pub fn refreshes(&self) -> u64 {
        self.refreshes
    }

    fn place(&self, bank: usize, column: usize) -> usize {
        let row = self.open[bank].unwrap_or_else(|| panic!("bank {bank}: no row is open"));
        (usize::from(row) * BANKS + bank) * ROW_WORDS + column % ROW_WORDS
    }

    fn since(&self, what: &str, then: u64, least: u64) {
        let passed = self.now - then;
        assert!(passed >= least, "{what}: {passed} cycles, expected at least {least}");
    }

    fn all_closed(&self, what: &str) {
        assert!(self.open.iter().all(Option::is_none), "{what}: a row is open");
        for bank in 0..BANKS {
            self.since(&format!("tRP, {what}"), self.closed[bank], self.times.precharge);
        }
    }

    fn command(&mut self, code: u64, bank: usize, address: u16, data: Option<u16>) {
        assert!(self.now >= self.power_up, "a command in cycle {} after power-up", self.now);
        if code != 0b010 {
            self.since(
                "tRFC",
                self.refreshed,
                if self.refreshes == 0 { 0 } else { self.times.refresh },
            );
        }
        if let Some(then) = self.moded {
            self.since("tMRD", then, self.times.mode);
        }
        let times = self.times;
        match code {
            0b011 => {
                assert!(self.moded.is_some(), "a row is opened before the mode is set");
                assert!(self.open[bank].is_none(), "bank {bank}: a row is open already");
                self.since("tRP", self.closed[bank], times.precharge);
                self.since(
                    "tRC",
                    self.opened[bank],
                    if self.opened[bank] == 0 { 0 } else { times.row_cycle },
                );
                (self.open[bank], self.opened[bank]) = (Some(address), self.now);
            }
            0b101 => {
                self.since("tRCD", self.opened[bank], times.row_to_column);
                assert!(address & 0x400 == 0, "auto precharge");
                self.coming[2] = Some(self.words[self.place(bank, address.into())]);
            }
            0b100 => {
                self.since("tRCD", self.opened[bank], times.row_to_column);
                assert!(address & 0x400 == 0, "auto precharge");
                assert!(
                    self.coming.iter().flatten().next().is_none(),
                    "a write meets words that are read"
                );
                let place = self.place(bank, address.into());
                self.words[place] = data.expect("data with a write");
                self.written[bank] = self.now;
            }
            0b010 => {
                assert!(address & 0x400 != 0, "a precharge of one bank");
                for bank in 0..BANKS {
                    if self.open[bank].take().is_some() {
                        self.since("tRAS", self.opened[bank], times.active);
                        self.since("tWR", self.written[bank], times.write);
                        self.closed[bank] = self.now;
                    }
                }
            }
            0b001 => {
                self.all_closed("refresh");
                (self.refreshed, self.refreshes) = (self.now, self.refreshes + 1);
            }
            0b000 => {
                self.all_closed("mode");
                assert!(self.refreshes >= 2, "{} refreshes before the mode is set", self.refreshes);
                assert_eq!(address, MODE, "burst length 1, CAS latency 2");
                self.moded = Some(self.now);
            }
            _ => {}
        }
        if code == 0b010 && self.closed == [0; BANKS] {
            self.closed = [self.now; BANKS];
        }
    }
}

impl Agent for Sdram {
    /// CAS latency 2: a word that is asked for in the middle of a cycle is at the pins at the end of the next one.
    fn drive(&mut self, model: &mut Model) {
        self.coming.rotate_left(1);
        self.coming[2] = None;
        // What nobody drives is anything.
        self.noise = self.noise.rotate_left(3) ^ 0x9d5b;
        model.set(self.pins.dq_in, self.coming[1].unwrap_or(self.noise).into());
    }

    fn sample(&mut self, model: &Model) {
        let pins = &self.pins;
        if self.moded.is_some() {
            let due = 9 * self.times.interval;
            assert!(
                self.now - self.refreshed <= due,
                "no refresh for {} cycles",
                self.now - self.refreshed
            );
        }
        let bits = [pins.ras_n, pins.cas_n, pins.we_n]
            .iter()
            .fold(0, |bits, &pin| bits << 1 | model.get(pin));
        let (bank, address) = (model.get(pins.ba) as usize, model.get(pins.a) as u16);
        let drives = model.get(pins.dq_oe) == 1;
        assert!(!(drives && self.coming[1].is_some()), "both drive the data pins");
        if model.get(pins.cke) == 1 && model.get(pins.cs_n) == 0 {
            assert_eq!(model.get(pins.dqm), 0, "masked");
            let data = drives.then(|| model.get(pins.dq) as u16);
            self.command(bits, bank, address, data);
        }
        self.now += 1;
    }
}
