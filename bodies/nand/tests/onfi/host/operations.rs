//! Operations of several cycles.

use contract::{Duration, Instant};
use nand::onfi::{Fault, Parameter};

use super::Host;

impl Host {
    /// Waits for R/B#. The time it was busy, from the last pulse of WE# on.
    pub fn wait_ready(&mut self) -> Duration {
        let from = self.we_rise.max(self.dqs_edge);
        self.wait(Parameter::Wb, from);
        self.put(|_| {});
        while !self.outputs.rb_n {
            self.pass(Duration::from_ns(1));
            assert!(self.now < Instant::from_ps(1_000_000_000_000), "busy for ever");
        }
        self.ready = Some(self.now);
        self.now.since(from.expect("a command before"))
    }

    pub fn status(&mut self) -> u8 {
        self.command(0x70);
        self.read_registers(1)[0]
    }

    pub fn status_of(&mut self, row: u32) -> u8 {
        self.command(0x78);
        self.row_address(row);
        self.read_registers(1)[0]
    }

    /// 00h, address, and a command.
    pub fn read_command(&mut self, row: u32, confirm: u8) {
        self.command(0x00);
        self.full_address(0, row, Parameter::Adl);
        self.command(confirm);
    }

    pub fn read_page(&mut self, row: u32, length: usize) -> Vec<u8> {
        self.read_command(row, 0x30);
        self.wait_ready();
        let bytes = self.read(length);
        self.deselect();
        bytes
    }

    /// A command that loads, address, data, and a command; ready when it is done.
    pub fn program(&mut self, (load, confirm): (u8, u8), row: u32, bytes: &[u8]) -> Duration {
        self.command(load);
        self.full_address(0, row, Parameter::Adl);
        self.write(bytes);
        self.command(confirm);
        let busy = self.wait_ready();
        self.deselect();
        busy
    }

    /// 60h, a row, and a command.
    pub fn erase_command(&mut self, row: u32, confirm: u8) {
        self.command(0x60);
        self.row_address(row);
        self.command(confirm);
    }

    /// Asserts that the chip has nothing against this host.
    pub fn assert_clean(&mut self) {
        self.assert_faults(&[]);
    }

    /// Asserts what the chip has against this host, and forgets it.
    pub fn assert_faults(&mut self, expected: &[Fault]) {
        let found = self.chip.take_violations();
        let faults: Vec<_> = found.iter().map(|violation| violation.fault.clone()).collect();
        let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(faults, expected, "{}", lines.join("\n"));
    }
}
