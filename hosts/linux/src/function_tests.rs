//! Messages of the guest's PCI bus at a function whose registers are words in a list.

use std::collections::BTreeMap;

use machine::RegisterPort;

use super::*;

/// Registers that keep what was written.
#[derive(Default)]
struct Words {
    held: BTreeMap<u64, u32>,
    master: Option<BusMaster>,
}

impl RegisterPort for Words {
    fn read(&self, offset: u64) -> u32 {
        self.held.get(&offset).copied().unwrap_or(0)
    }

    fn write(&mut self, _now: u64, offset: u64, value: u32) {
        self.held.insert(offset, value);
    }

    fn set_bus_master(&mut self, _now: u64, master: BusMaster) {
        self.master = Some(master);
    }
}

fn message(operation: u8, at: u64, size: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![operation, 0, 0, 0];
    bytes.extend(size.to_le_bytes());
    bytes.extend(at.to_le_bytes());
    bytes.extend(data);
    bytes
}

/// A function and its registers, as a guest's bus uses them.
struct Bus {
    function: PciFunction,
    words: Words,
}

impl Bus {
    fn new() -> Self {
        let board = Board::resolve("small", &[]).unwrap();
        Bus { function: PciFunction::new(&board), words: Words::default() }
    }

    fn does(&mut self, operation: u8, at: u64, size: u32, data: &[u8]) -> Answer {
        let mut registers = Registers::new(&mut self.words, 0);
        self.function.access(&message(operation, at, size, data), &mut registers)
    }

    fn writes(&mut self, operation: u8, at: u64, data: &[u8]) {
        assert_eq!(self.does(operation, at, data.len() as u32, data), Answer::Posted);
    }

    /// Makes the function a master, with MSI-X on, and lets vector `nth` send `data` to `address`.
    fn set_vector(&mut self, nth: u64, address: u64, data: u32) {
        self.writes(operation::CONFIG_WRITE, 4, &6u16.to_le_bytes());
        self.writes(operation::CONFIG_WRITE, MSIX_CONTROL as u64, &MSIX_ENABLED.to_le_bytes());
        let entry = self.function.layout.table + nth * ENTRY_BYTES as u64;
        self.writes(operation::MEMORY_WRITE, entry, &address.to_le_bytes());
        self.writes(operation::MEMORY_WRITE, entry + 8, &data.to_le_bytes());
        self.writes(operation::MEMORY_WRITE, entry + 12, &0u32.to_le_bytes());
    }
}

#[test]
fn registers_are_read_and_written_in_words() {
    let mut bus = Bus::new();
    bus.writes(operation::MEMORY_WRITE, 0x28, &0x1122_3344_5566_7788u64.to_le_bytes());
    assert_eq!(bus.words.held, BTreeMap::from([(0x28, 0x5566_7788), (0x2c, 0x1122_3344)]));
    let read = bus.does(operation::MEMORY_READ, 0x2a, 4, &[]);
    assert_eq!(read, Answer::Read(vec![0x66, 0x55, 0x44, 0x33]));
    bus.writes(operation::MEMORY_WRITE, 0x30, &[1, 2]);
    bus.does(operation::MEMORY_SET, 0x34, 4, &[0xff]);
    assert_eq!(bus.words.held.get(&0x30), None, "half a word");
    assert_eq!(bus.words.held.get(&0x34), Some(&u32::MAX));
}

#[test]
fn bus_master_enable_reaches_the_drive() {
    let mut bus = Bus::new();
    bus.writes(operation::CONFIG_WRITE, 4, &6u16.to_le_bytes());
    assert_eq!(bus.words.master, Some(BusMaster::Enabled));
    let Answer::Read(command) = bus.does(operation::CONFIG_READ, 4, 2, &[]) else {
        panic!("configuration space is read")
    };
    assert_eq!(command, 6u16.to_le_bytes());
}

#[test]
fn an_interrupt_is_the_message_in_the_table_once_until_the_guest_has_run() {
    let mut bus = Bus::new();
    bus.function.raise(1);
    assert_eq!(bus.function.next_message(), None, "MSI-X is off");
    bus.set_vector(1, 0xfee0_0000, 35);
    let expected = message(operation::MESSAGE_INTERRUPT, 0xfee0_0000, 4, &35u32.to_le_bytes());
    assert_eq!(bus.function.next_message().map(Vec::from), Some(expected.clone()));
    bus.function.raise(1);
    assert_eq!(bus.function.next_message(), None, "the guest has not run since");
    bus.function.guest_runs();
    bus.function.raise(1);
    assert_eq!(bus.function.next_message().map(Vec::from), Some(expected.clone()));
    bus.function.take_back();
    assert_eq!(bus.function.next_message().map(Vec::from), Some(expected), "it could not be sent");
}

#[test]
fn a_masked_vector_stays_pending() {
    let mut bus = Bus::new();
    bus.set_vector(0, 0x1000, 7);
    let table = bus.function.layout.table;
    bus.writes(operation::MEMORY_WRITE, table + 12, &1u32.to_le_bytes());
    bus.function.raise(0);
    assert_eq!(bus.function.next_message(), None);
    let pending = bus.function.layout.pending;
    assert_eq!(bus.does(operation::MEMORY_READ, pending, 1, &[]), Answer::Read(vec![1]));
    bus.writes(operation::MEMORY_WRITE, table + 12, &0u32.to_le_bytes());
    assert!(bus.function.next_message().is_some());
    assert_eq!(bus.does(operation::MEMORY_READ, pending, 1, &[]), Answer::Read(vec![0]));
}

#[test]
fn what_is_no_message_is_passed_over() {
    let mut bus = Bus::new();
    let mut registers = Registers::new(&mut bus.words, 0);
    for bytes in [vec![], vec![1; HEAD_BYTES - 1], message(99, 0, 4, &[])] {
        assert_eq!(bus.function.access(&bytes, &mut registers), Answer::Posted);
    }
    let far = bus.does(operation::MEMORY_READ, u64::MAX - 1, u32::MAX, &[]);
    assert!(matches!(far, Answer::Read(bytes) if bytes.len() == MOST_DATA));
}
