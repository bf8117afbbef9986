//! Rules of planes, pages, word lines, cache reads and copybacks.

use nand::onfi::{Fault, Parameter};

use super::{load, load_and_wait, read_and_wait, Sequence, PLANE_0, PLANE_1};

/// On both interfaces.
pub const BROKEN: &[(&str, Sequence, &[Fault])] = &[
    (
        "two reads of one plane",
        |host| {
            read_and_wait(host, PLANE_0, 0x32);
            host.read_command(PLANE_0 + (2 << 5), 0x30);
        },
        &[Fault::Planes { first: PLANE_0, second: PLANE_0 + (2 << 5) }],
    ),
    (
        "programs of different pages",
        |host| {
            load_and_wait(host, PLANE_0, 0x11);
            load(host, PLANE_1 + 1, 0x10);
        },
        &[Fault::Planes { first: PLANE_0, second: PLANE_1 + 1 }],
    ),
    (
        "two erases of one plane",
        |host| {
            host.erase_command(PLANE_0, 0xd1);
            host.wait_ready();
            host.erase_command(PLANE_0, 0xd0);
        },
        &[Fault::Planes { first: PLANE_0, second: PLANE_0 }],
    ),
    (
        "a program behind planes to be read",
        |host| {
            read_and_wait(host, PLANE_0, 0x32);
            load(host, PLANE_1, 0x10);
        },
        &[Fault::Planes { first: PLANE_0, second: PLANE_1 }],
    ),
    (
        "a load that changes its plane",
        |host| {
            host.command(0x80);
            host.full_address(0, PLANE_0, Parameter::Adl);
            host.write(&[1, 2]);
            host.command(0x85);
            host.full_address(0, PLANE_1, Parameter::Ccs);
        },
        &[Fault::Planes { first: PLANE_0, second: PLANE_1 }],
    ),
    (
        "a column of no load",
        |host| {
            host.command(0x85);
            host.column(0);
            host.command(0x70);
        },
        &[Fault::OutOfPlace { command: 0x85 }],
    ),
    (
        "a page programmed twice",
        |host| {
            load_and_wait(host, 5, 0x10);
            load(host, 5, 0x10);
        },
        &[Fault::ProgrammedTwice { row: 5 }],
    ),
    (
        "pages out of order",
        |host| {
            load_and_wait(host, 5, 0x10);
            load(host, 3, 0x10);
        },
        &[Fault::OutOfOrder { row: 3, next: 6 }],
    ),
    (
        "a word line that begins in the middle",
        |host| load(host, 4, 0x1a),
        &[Fault::WordLine { row: 4 }],
    ),
    (
        "a word line with a gap",
        |host| {
            load_and_wait(host, 3, 0x1a);
            load(host, 5, 0x1a);
        },
        &[Fault::WordLine { row: 5 }],
    ),
    (
        "a word line that ends early",
        |host| {
            load_and_wait(host, 3, 0x1a);
            load(host, 4, 0x10);
        },
        &[Fault::WordLine { row: 4 }],
    ),
    (
        "a copyback of a plain read",
        |host| {
            read_and_wait(host, 0, 0x30);
            host.command(0x85);
            host.full_address(0, 7, Parameter::Ccs);
        },
        &[Fault::NothingToCopy { row: 7 }],
    ),
    (
        "a copyback to the other plane",
        |host| {
            read_and_wait(host, PLANE_0, 0x35);
            host.command(0x85);
            host.full_address(0, PLANE_1, Parameter::Ccs);
        },
        &[Fault::NothingToCopy { row: PLANE_1 }],
    ),
    (
        "a word line behind planes that wait",
        |host| {
            load_and_wait(host, PLANE_0 + 3, 0x11);
            load(host, PLANE_1 + 3, 0x1a);
        },
        &[Fault::WordLine { row: PLANE_1 + 3 }],
    ),
    (
        "a copyback of what a cache read brought",
        |host| {
            read_and_wait(host, PLANE_0, 0x35);
            for command in [0x31, 0x3f] {
                host.command(command);
                host.wait_ready();
            }
            host.command(0x85);
            host.full_address(0, PLANE_0 + 7, Parameter::Ccs);
        },
        &[Fault::NothingToCopy { row: PLANE_0 + 7 }],
    ),
    (
        "two copybacks of one read",
        |host| {
            read_and_wait(host, PLANE_0, 0x35);
            host.command(0x85);
            host.full_address(0, PLANE_0 + 7, Parameter::Ccs);
            host.command(0x10);
            host.wait_ready();
            host.read(2);
            host.command(0x85);
            host.full_address(0, PLANE_0 + 8, Parameter::Ccs);
        },
        &[Fault::NothingToRead, Fault::NothingToCopy { row: PLANE_0 + 8 }],
    ),
];
