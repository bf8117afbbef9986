//! What a host must not do, beside timing.

mod array;

use contract::Duration;
use nand::onfi::{Fault, Interface, Parameter};

use crate::onfi::host::Host;

/// 80h, address, two bytes, and a command, ready or not.
fn load(host: &mut Host, row: u32, confirm: u8) {
    host.command(0x80);
    host.full_address(0, row, Parameter::Adl);
    host.write(&[1, 2]);
    host.command(confirm);
}

fn load_and_wait(host: &mut Host, row: u32, confirm: u8) {
    load(host, row, confirm);
    host.wait_ready();
}

fn read_and_wait(host: &mut Host, row: u32, confirm: u8) {
    host.read_command(row, confirm);
    host.wait_ready();
}

fn read_id(host: &mut Host) {
    host.command(0x90);
    host.address(&[0x20], Parameter::Whr);
    assert_eq!(host.read_registers(4), b"ONFI");
}

type Sequence = fn(&mut Host);

/// Rows of the small chip: pages have 5 bits, blocks 4, planes are even and odd blocks.
const PLANE_0: u32 = 2 << 5;
const PLANE_1: u32 = 3 << 5;
const LUN_1: u32 = 1 << 9;

/// On both interfaces.
const BROKEN: &[(&str, Sequence, &[Fault])] = &[
    ("no such command", |host| host.command(0x12), &[Fault::UnknownCommand { command: 0x12 }]),
    ("confirmation alone", |host| host.command(0x10), &[Fault::OutOfPlace { command: 0x10 }]),
    ("30h behind a load", |host| load(host, 0, 0x30), &[Fault::OutOfPlace { command: 0x30 }]),
    ("E0h without 05h", |host| host.command(0xe0), &[Fault::OutOfPlace { command: 0xe0 }]),
    (
        "too few address cycles",
        |host| {
            host.command(0x60);
            host.address(&[0, 0], Parameter::Adl);
            host.command(0xd0);
        },
        &[Fault::AddressCycles { command: 0x60, found: 2, expected: 3 }],
    ),
    (
        "too many address cycles",
        |host| {
            host.command(0x60);
            host.address(&[0, 0, 0, 7], Parameter::Adl);
        },
        &[Fault::StrayAddress { byte: 7 }],
    ),
    (
        "a page that is not there",
        |host| host.read_command(24, 0x30),
        &[Fault::NoSuchRow { row: 24 }],
    ),
    (
        "a LUN that is not there",
        |host| host.erase_command(2 * LUN_1, 0xd0),
        &[Fault::NoSuchRow { row: 2 * LUN_1 }],
    ),
    (
        "features of a LUN that is not there",
        |host| {
            host.command(0xd4);
            host.address(&[2, 0x10], Parameter::Whr);
        },
        &[Fault::NoSuchLun { lun: 2 }],
    ),
    (
        "termination of a LUN that is not there",
        |host| {
            host.command(0xe2);
            host.address(&[3], Parameter::Adl);
        },
        &[Fault::NoSuchLun { lun: 3 }],
    ),
    (
        "a column that is not there",
        |host| {
            host.command(0x80);
            host.full_address(2176, 0, Parameter::Adl);
        },
        &[Fault::BeyondEnd { column: 2176, bytes: 2176 }],
    ),
    (
        "data beyond the page",
        |host| {
            host.command(0x80);
            host.full_address(2174, 0, Parameter::Adl);
            host.write(&[1, 2, 3, 4]);
        },
        &[
            Fault::BeyondEnd { column: 2176, bytes: 2176 },
            Fault::BeyondEnd { column: 2177, bytes: 2176 },
        ],
    ),
    (
        "reads beyond the page",
        |host| {
            read_and_wait(host, 0, 0x30);
            host.command(0x05);
            host.column(2174);
            host.command(0xe0);
            host.read(4);
        },
        &[
            Fault::BeyondEnd { column: 2176, bytes: 2176 },
            Fault::BeyondEnd { column: 2177, bytes: 2176 },
        ],
    ),
    (
        "data for nobody",
        |host| {
            host.command(0x70);
            host.write(&[1, 2]);
        },
        &[Fault::UnexpectedData, Fault::UnexpectedData],
    ),
    (
        "data for a load that was reset",
        |host| {
            host.command(0x80);
            host.full_address(0, 0, Parameter::Adl);
            host.command(0xff);
            host.wait_ready();
            host.write(&[1, 2]);
        },
        &[Fault::UnexpectedData, Fault::UnexpectedData],
    ),
    ("nothing to read", |host| drop(host.read(2)), &[Fault::NothingToRead]),
    (
        "data of a page that was never read",
        |host| {
            host.erase_command(0, 0xd0);
            host.wait_ready();
            host.read(2);
        },
        &[Fault::NothingToRead],
    ),
    (
        "data of a page whose register was loaded since",
        |host| {
            read_and_wait(host, PLANE_0, 0x30);
            host.command(0x80);
            host.full_address(0, PLANE_0, Parameter::Adl);
            host.command(0x05);
            host.column(0);
            host.command(0xe0);
            host.read(2);
        },
        &[Fault::NothingToRead],
    ),
    (
        "a cache read of a register that was loaded since",
        |host| {
            read_and_wait(host, PLANE_0, 0x30);
            host.command(0x80);
            host.full_address(0, PLANE_0, Parameter::Adl);
            host.command(0x31);
        },
        &[Fault::OutOfPlace { command: 0x31 }],
    ),
    (
        "a cache read behind a program",
        |host| {
            read_and_wait(host, PLANE_0, 0x30);
            load_and_wait(host, PLANE_1, 0x10);
            host.command(0x31);
        },
        &[Fault::OutOfPlace { command: 0x31 }],
    ),
    (
        "a cache read behind an erase",
        |host| {
            read_and_wait(host, PLANE_0, 0x30);
            host.erase_command(PLANE_1, 0xd0);
            host.wait_ready();
            host.command(0x31);
        },
        &[Fault::OutOfPlace { command: 0x31 }],
    ),
    (
        "a cache read of a plane that was not read last",
        |host| {
            read_and_wait(host, PLANE_0, 0x30);
            read_and_wait(host, PLANE_1, 0x30);
            for command in [0x31, 0x3f] {
                host.command(command);
                host.wait_ready();
            }
            host.command(0x06);
            host.full_address(0, PLANE_0 + 1, Parameter::Ccs);
            host.command(0xe0);
        },
        &[Fault::NotInRegister { row: PLANE_0 + 1 }],
    ),
    (
        "a column of a busy LUN",
        |host| {
            host.read_command(PLANE_0, 0x30);
            host.pass(Duration::from_us(1));
            host.command(0x05);
            host.column(0);
            host.command(0xe0);
        },
        &[Fault::Busy { command: 0xe0 }],
    ),
    (
        "a plane of a busy LUN",
        |host| {
            host.read_command(PLANE_0, 0x30);
            host.pass(Duration::from_us(1));
            host.command(0x06);
            host.full_address(0, PLANE_0, Parameter::Ccs);
            host.command(0xe0);
        },
        &[Fault::Busy { command: 0xe0 }],
    ),
    (
        "registers behind an erase",
        |host| {
            read_id(host);
            host.erase_command(PLANE_0, 0xd0);
            host.wait_ready();
            host.read(2);
        },
        &[Fault::NothingToRead],
    ),
    (
        "registers behind a reset",
        |host| {
            read_id(host);
            host.command(0xff);
            host.wait_ready();
            host.read(2);
        },
        &[Fault::NothingToRead],
    ),
    (
        "a load with the status of a LUN in between",
        |host| {
            host.command(0x80);
            host.full_address(0, PLANE_0, Parameter::Adl);
            host.write(&[1, 2]);
            host.status_of(LUN_1);
            host.command(0x10);
        },
        &[Fault::OutOfPlace { command: 0x10 }],
    ),
    (
        "data of a busy LUN",
        |host| {
            host.read_command(0, 0x30);
            host.pass(Duration::from_us(1));
            host.read(2);
        },
        &[Fault::ReadWhileBusy],
    ),
    (
        "a command for a busy LUN",
        |host| {
            host.erase_command(0, 0xd0);
            host.pass(Duration::from_us(1));
            host.erase_command(PLANE_1, 0xd0);
        },
        &[Fault::Busy { command: 0xd0 }],
    ),
    (
        "a load of a busy LUN",
        |host| {
            host.erase_command(0, 0xd0);
            host.pass(Duration::from_us(1));
            host.command(0x80);
            host.full_address(0, PLANE_0, Parameter::Adl);
        },
        &[Fault::Busy { command: 0x80 }],
    ),
    (
        "a row that is not in the register",
        |host| {
            read_and_wait(host, 3, 0x30);
            host.command(0x06);
            host.full_address(0, 4, Parameter::Ccs);
            host.command(0xe0);
        },
        &[Fault::NotInRegister { row: 4 }],
    ),
    (
        "both latches",
        |host| {
            host.select();
            host.put(|pins| (pins.cle, pins.ale, pins.dq) = (true, true, Some(0)));
            host.now += Duration::from_ns(100);
            host.put(|pins| pins.we_n = false);
            host.now += Duration::from_ns(100);
            host.put(|pins| pins.we_n = true);
        },
        &[Fault::BothLatches],
    ),
    (
        "a command that nobody drives",
        |host| {
            host.select();
            host.put(|pins| pins.cle = true);
            host.now += Duration::from_ns(100);
            host.put(|pins| pins.we_n = false);
            host.now += Duration::from_ns(100);
            host.put(|pins| pins.we_n = true);
        },
        &[Fault::Floating],
    ),
];

const BROKEN_IN_DDR: &[(&str, Sequence, &[Fault])] = &[
    (
        "an odd column",
        |host| {
            read_and_wait(host, 0, 0x30);
            host.command(0x05);
            host.column(3);
            host.command(0xe0);
        },
        &[Fault::OddColumn { column: 3 }],
    ),
    (
        "an odd number of bytes read",
        |host| {
            read_and_wait(host, 0, 0x30);
            host.read(3);
            host.deselect();
        },
        &[Fault::OddBurst { bytes: 3 }],
    ),
    (
        "an odd number of bytes written",
        |host| {
            host.command(0x80);
            host.full_address(0, 0, Parameter::Adl);
            host.write(&[1, 2, 3]);
            host.deselect();
        },
        &[Fault::OddBurst { bytes: 3 }],
    ),
    (
        "a pulse of WE# for data",
        |host| {
            host.select();
            host.now += Duration::from_ns(100);
            host.put(|pins| pins.we_n = false);
            host.now += Duration::from_ns(100);
            host.put(|pins| pins.we_n = true);
        },
        &[Fault::EmptyPulse],
    ),
];

#[test]
fn each_rule_is_told_once_broken() {
    let hosts: [(fn() -> Host, _); 2] = [(Host::sdr, Interface::Sdr), (Host::ddr, Interface::Ddr)];
    for (host, interface) in hosts {
        let own = if interface == Interface::Ddr { BROKEN_IN_DDR } else { &[] };
        for (name, sequence, faults) in BROKEN.iter().chain(array::BROKEN).chain(own) {
            println!("{interface:?}: {name}");
            let mut host = host();
            sequence(&mut host);
            host.assert_faults(faults);
        }
    }
}

#[test]
fn planes_that_do_not_go_together_are_left_alone() {
    for mut host in Host::both() {
        load_and_wait(&mut host, PLANE_0, 0x11);
        load_and_wait(&mut host, PLANE_1 + 1, 0x10);
        assert_eq!((host.chip.page(PLANE_0), host.chip.page(PLANE_1 + 1)), (None, None));
        host.chip.take_violations();
        load_and_wait(&mut host, PLANE_1 + 1, 0x10);
        assert!(host.chip.page(PLANE_1 + 1).is_some(), "nothing waits any more");
        host.assert_clean();
    }
}

#[test]
fn one_shot_programs_are_not_for_every_chip() {
    let mut config = Host::sdr().chip.config().clone();
    config.word_line_pages = 1;
    let mut host = Host::new(config);
    load(&mut host, 0, 0x1a);
    host.assert_faults(&[Fault::UnknownCommand { command: 0x1a }]);
}

#[test]
fn rows_may_have_four_cycles() {
    for mut host in Host::both() {
        let mut config = host.chip.config().clone();
        config.rows.cycles = 4;
        host = Host::new(config);
        host.program((0x80, 0x10), LUN_1 + 3, &[1, 2]);
        assert_eq!(host.status_of(LUN_1 + 3), 0xe0);
        assert_eq!(host.read_page(LUN_1 + 3, 2), [1, 2]);
        host.assert_clean();
    }
}

#[test]
fn a_violation_is_one_line_with_its_time() {
    let mut host = Host::sdr();
    host.timing.set(Parameter::Whr, Duration::from_ns(75));
    host.status();
    let lines: Vec<_> = host.chip.violations().iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["at 1090.000 ns: tWHR: found 75.000 ns, expected at least 80.000 ns"]);
}
