//! Identity, parameter page, features and the like.

use contract::Duration;
use nand::onfi::{Fault, Parameter};

use crate::onfi::host::Host;

#[test]
fn ids_come_at_once() {
    for mut host in Host::both() {
        for (address, id) in [(0x00, &[0x7f, 0xa5, 0, 0x11, 0x22, 0x33][..]), (0x20, b"ONFI")] {
            host.command(0x90);
            host.address(&[address], Parameter::Whr);
            assert_eq!(host.read_registers(id.len()), id);
            host.deselect();
        }
        host.assert_clean();
        host.command(0x90);
        host.address(&[0x20], Parameter::Whr);
        host.read_registers(5);
        let beyond = Fault::BeyondEnd { column: 4, bytes: 4 };
        let copies = host.copies();
        host.assert_faults(&vec![beyond; copies]);
    }
}

#[test]
fn the_parameter_page_comes_like_data_in_three_copies() {
    for mut host in Host::both() {
        host.command(0xec);
        host.address(&[0x00], Parameter::Whr);
        assert_eq!(host.wait_ready(), Duration::from_us(5));
        let pages = host.read(768);
        assert_eq!(&pages[..4], b"ONFI");
        assert_eq!(pages[..512], pages[256..]);
        host.command(0x05);
        host.column(256 + 80);
        host.command(0xe0);
        assert_eq!(host.read(4), 2048u32.to_le_bytes());
        host.assert_clean();
    }
}

#[test]
fn the_unique_id_comes_with_its_complement() {
    for mut host in Host::both() {
        host.command(0xed);
        host.address(&[0x00], Parameter::Whr);
        host.wait_ready();
        let bytes = host.read(512);
        for pair in bytes.chunks(32) {
            let (id, complement) = pair.split_at(16);
            assert_eq!(id, b"golden chip no 1");
            assert!(id.iter().zip(complement).all(|(byte, other)| *byte == !*other));
        }
        host.assert_clean();
    }
}

#[test]
fn features_are_those_of_all_luns_or_of_one() {
    let get = |host: &mut Host, bytes: &[u8]| {
        host.command(if bytes.len() == 1 { 0xee } else { 0xd4 });
        host.address(bytes, Parameter::Whr);
        assert_eq!(host.wait_ready(), Duration::from_us(1));
        host.read_registers(4)
    };
    let set = |host: &mut Host, bytes: &[u8], value: &[u8]| {
        host.command(if bytes.len() == 1 { 0xef } else { 0xd5 });
        host.address(bytes, Parameter::Adl);
        host.write_registers(value);
        host.wait_ready();
        host.deselect();
    };
    for mut host in Host::both() {
        assert_eq!(get(&mut host, &[0x89]), [0; 4]);
        set(&mut host, &[0x89], &[1, 2, 3, 4]);
        set(&mut host, &[1, 0x89], &[5, 6, 7, 8]);
        set(&mut host, &[0x8a], &[9, 9, 9, 9]);
        assert_eq!(get(&mut host, &[0x89]), [1, 2, 3, 4]);
        assert_eq!(get(&mut host, &[0, 0x89]), [1, 2, 3, 4]);
        assert_eq!(get(&mut host, &[1, 0x89]), [5, 6, 7, 8]);
        assert_eq!(host.chip.feature(1, 0x8a), [9; 4]);
        host.assert_clean();
    }
}

#[test]
fn registers_that_are_not_set_after_all_take_no_data() {
    for mut host in Host::both() {
        host.command(0xef);
        host.address(&[0x10], Parameter::Adl);
        host.program((0x80, 0x10), 0, &[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(host.read_page(0, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(host.chip.feature(0, 0x10), [0; 4]);
        host.assert_clean();
    }
}

#[test]
fn features_of_a_lun_do_not_wait_for_the_other() {
    for mut host in Host::both() {
        host.erase_command(host.row(0, 0, 0), 0xd0);
        host.pass(Duration::from_us(1));
        host.command(0xd4);
        host.address(&[1, 0x10], Parameter::Whr);
        host.pass(Duration::from_us(2));
        assert_eq!(host.read_registers(4), [0; 4]);
        host.assert_clean();
    }
}

#[test]
fn volume_and_termination_are_kept() {
    for mut host in Host::both() {
        host.command(0xe1);
        host.address(&[3], Parameter::Adl);
        host.command(0xe2);
        host.address(&[1], Parameter::Adl);
        host.write_registers(&[4, 5, 6, 7]);
        assert_eq!((host.chip.volume(), host.chip.odt(1)), (3, Some([4, 5, 6, 7])));
        assert_eq!(host.chip.odt(0), None);
        host.assert_clean();
    }
}

#[test]
fn copies_of_register_bytes_must_be_alike_in_ddr() {
    let mut host = Host::ddr();
    host.command(0xef);
    host.address(&[0x10], Parameter::Adl);
    host.write(&[1, 1, 2, 3, 4, 4, 5, 5]);
    host.assert_faults(&[Fault::UnlikeCopies { first: 2, second: 3 }]);
}

#[test]
fn copies_of_a_status_byte_are_alike_whatever_happens_in_between() {
    let mut host = Host::ddr();
    host.erase_command(0, 0xd0);
    host.pass(Duration::from_us(1));
    host.command(0x70);
    let mut bytes = host.read(1);
    host.pass(Duration::from_us(100));
    bytes.extend(host.read(3));
    assert_eq!(bytes, [0x80, 0x80, 0xe0, 0xe0]);
    host.assert_clean();
}

#[test]
fn registers_need_an_idle_chip() {
    let commands = [(0x90, 1), (0xec, 1), (0xed, 1), (0xee, 1), (0xef, 1), (0xd4, 2), (0xd5, 2)];
    for (command, cycles) in commands {
        for mut host in Host::both() {
            host.erase_command(0, 0xd0);
            host.pass(Duration::from_us(1));
            host.command(command);
            host.address(&[0; 2][..cycles], Parameter::Adl);
            host.assert_faults(&[Fault::Busy { command }]);
        }
    }
}
