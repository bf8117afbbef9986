//! Reads, programs and erases: what the pages hold, how long it takes, what status says.

use contract::Duration;
use nand::onfi::Parameter;

use crate::onfi::host::{pattern, Host};

const READY: u8 = 0xe0;
const FAIL: u8 = 0x01;

#[test]
fn a_page_comes_back_as_it_was_programmed_until_it_is_erased() {
    for mut host in Host::both() {
        let (row, length) = (host.row(0, 3, 0), host.page_bytes());
        let page = pattern(1, length);
        let busy = host.program((0x80, 0x10), row, &page);
        assert_eq!(busy, Duration::from_us(20));
        assert_eq!(host.status(), READY);
        assert_eq!(host.chip.page(row), Some(&page[..]));
        assert_eq!(host.read_page(row, length), page);
        assert_eq!(host.read_page(row + 1, 16), [0xff; 16], "the next page is erased");

        host.erase_command(row, 0xd0);
        assert_eq!(host.wait_ready(), Duration::from_us(50));
        assert_eq!(host.status(), READY);
        assert_eq!(host.read_page(row, length), vec![0xff; length]);
        host.assert_clean();
    }
}

#[test]
fn a_short_program_leaves_the_rest_erased() {
    for mut host in Host::both() {
        let row = host.row(1, 0, 5);
        host.program((0x80, 0x10), row - 1, &[9; 8]);
        host.program((0x80, 0x10), row, &[1, 2, 3, 4]);
        assert_eq!(host.read_page(row, 6), [1, 2, 3, 4, 0xff, 0xff]);
        host.assert_clean();
    }
}

#[test]
fn columns_change_within_a_load_and_within_a_read() {
    for mut host in Host::both() {
        let row = host.row(0, 0, 0);
        host.command(0x80);
        host.full_address(0, row + 1, Parameter::Adl);
        host.write(&[1, 2]);
        host.command(0x85);
        host.column(100);
        host.write(&[3, 4]);
        // Changes the row of what is loaded already.
        host.command(0x85);
        host.full_address(200, row, Parameter::Ccs);
        host.write(&[5, 6]);
        host.command(0x10);
        host.wait_ready();
        let mut expected = vec![0xff; host.page_bytes()];
        for (at, bytes) in [(0, [1, 2]), (100, [3, 4]), (200, [5, 6])] {
            expected[at..at + 2].copy_from_slice(&bytes);
        }
        assert_eq!(host.chip.page(row), Some(&expected[..]));
        assert_eq!(host.chip.page(row + 1), None);

        host.read_command(row, 0x30);
        host.wait_ready();
        for (column, bytes) in [(200, [5, 6]), (0, [1, 2]), (98, [0xff, 0xff])] {
            host.command(0x05);
            host.column(column);
            host.command(0xe0);
            assert_eq!(host.read(2), bytes, "column {column}");
        }
        assert_eq!(host.read(2), [3, 4], "goes on behind");
        host.assert_clean();
    }
}

#[test]
fn read_mode_returns_to_the_data_after_status() {
    for mut host in Host::both() {
        let row = host.row(0, 0, 0);
        host.program((0x80, 0x10), row, &[1, 2, 3, 4]);
        host.read_command(row, 0x30);
        host.wait_ready();
        assert_eq!(host.read(2), [1, 2]);
        assert_eq!(host.status(), READY);
        host.command(0x00);
        assert_eq!(host.read(2), [3, 4]);
        host.assert_clean();
    }
}

#[test]
fn a_read_may_pause_and_be_taken_up_again() {
    for mut host in Host::both() {
        let (row, page) = (host.row(0, 0, 0), pattern(1, 64));
        host.program((0x80, 0x10), row, &page);
        host.read_command(row, 0x30);
        host.wait_ready();
        let mut bytes = host.read(20);
        host.pass(Duration::from_us(3));
        bytes.extend(host.read(2));
        host.deselect();
        bytes.extend(host.read(2));
        host.deselect();
        host.pass(Duration::from_us(3));
        bytes.extend(host.read(40));
        assert_eq!(bytes, page);
        host.assert_clean();
    }
}

#[test]
fn planes_are_read_together_and_transferred_in_any_order() {
    for mut host in Host::both() {
        let rows = [host.row(1, 4, 7), host.row(1, 9, 7)];
        for (seed, row) in rows.into_iter().enumerate() {
            host.program((0x80, 0x10), row, &pattern(seed as u32, 32));
        }
        host.read_command(rows[0], 0x32);
        assert_eq!(host.wait_ready(), Duration::from_ns(500));
        host.read_command(rows[1], 0x30);
        assert_eq!(host.wait_ready(), Duration::from_us(5));
        // The ONFI form, then the JEDEC form.
        host.command(0x06);
        host.full_address(0, rows[0], Parameter::Ccs);
        host.command(0xe0);
        assert_eq!(host.read(32), pattern(0, 32));
        host.command(0x00);
        host.full_address(0, rows[1], Parameter::Ccs);
        host.command(0x05);
        host.column(2);
        host.command(0xe0);
        assert_eq!(host.read(30), pattern(1, 32)[2..]);
        host.assert_clean();
    }
}

#[test]
fn planes_are_programmed_and_erased_together() {
    // The second 80h may be 81h, as JEDEC has it.
    for (second, mut host) in [(0x80, Host::sdr()), (0x81, Host::ddr())] {
        let rows = [host.row(0, 2, 0), host.row(0, 3, 0)];
        let busy = host.program((0x80, 0x11), rows[0], &[1, 2]);
        assert_eq!(busy, Duration::from_ns(500));
        assert_eq!(host.chip.page(rows[0]), None, "waits");
        let busy = host.program((second, 0x10), rows[1], &[3, 4]);
        assert_eq!(busy, Duration::from_us(20));
        assert_eq!(host.read_page(rows[0], 2), [1, 2]);
        assert_eq!(host.read_page(rows[1], 2), [3, 4]);

        host.erase_command(rows[0], 0xd1);
        assert_eq!(host.wait_ready(), Duration::from_ns(500));
        assert!(host.chip.page(rows[0]).is_some(), "waits");
        host.erase_command(rows[1], 0xd0);
        assert_eq!(host.wait_ready(), Duration::from_us(50));
        assert_eq!((host.chip.page(rows[0]), host.chip.page(rows[1])), (None, None));
        host.assert_clean();
    }
}

#[test]
fn jedec_erases_two_planes_with_one_confirmation() {
    for mut host in Host::both() {
        let rows = [host.row(0, 2, 0), host.row(0, 3, 0)];
        for row in rows {
            host.program((0x80, 0x10), row, &[1, 2]);
        }
        host.command(0x60);
        host.row_address(rows[0]);
        host.erase_command(rows[1], 0xd0);
        assert_eq!(host.wait_ready(), Duration::from_us(50));
        assert_eq!((host.chip.page(rows[0]), host.chip.page(rows[1])), (None, None));
        host.assert_clean();
    }
}

#[test]
fn a_word_line_is_programmed_at_one_go() {
    for mut host in Host::both() {
        let row = host.row(0, 1, 6);
        for page in 0..2 {
            let busy = host.program((0x80, 0x1a), row + page, &pattern(page, 10));
            assert_eq!(busy, Duration::from_ns(500));
            assert_eq!(host.chip.page(row + page), None, "waits");
        }
        let busy = host.program((0x80, 0x10), row + 2, &pattern(2, 10));
        assert_eq!(busy, Duration::from_us(50));
        for page in 0..3 {
            assert_eq!(host.read_page(row + page, 10), pattern(page, 10));
        }
        host.assert_clean();
    }
}

#[test]
fn copyback_moves_pages_of_both_planes_without_the_bus() {
    for mut host in Host::both() {
        let from = [host.row(0, 0, 0), host.row(0, 1, 0)];
        let to = [host.row(0, 4, 3), host.row(0, 5, 3)];
        for (seed, row) in from.into_iter().enumerate() {
            host.program((0x80, 0x10), row, &pattern(seed as u32, 64));
        }
        host.read_command(from[0], 0x32);
        host.wait_ready();
        host.read_command(from[1], 0x35);
        assert_eq!(host.wait_ready(), Duration::from_us(5));
        host.command(0x85);
        host.full_address(0, to[0], Parameter::Ccs);
        host.command(0x11);
        host.wait_ready();
        // Some bytes may be changed on the way.
        host.command(0x85);
        host.full_address(4, to[1], Parameter::Ccs);
        host.write(&[9, 9]);
        host.command(0x10);
        assert_eq!(host.wait_ready(), Duration::from_us(20));
        assert_eq!(host.read_page(to[0], 64), pattern(0, 64));
        let mut changed = pattern(1, 64);
        changed[4..6].fill(9);
        assert_eq!(host.read_page(to[1], 64), changed);
        host.assert_clean();
    }
}

#[test]
fn one_lun_works_while_the_other_transfers() {
    for mut host in Host::both() {
        let rows = [host.row(0, 0, 0), host.row(1, 0, 0)];
        host.program((0x80, 0x10), rows[1], &[5, 6]);
        host.read_command(rows[1], 0x30);
        host.wait_ready();
        host.erase_command(rows[0], 0xd0);
        assert_eq!(host.status_of(rows[1]), READY);
        assert_eq!(host.status_of(rows[0]) & 0x60, 0);
        host.command(0x06);
        host.full_address(0, rows[1], Parameter::Ccs);
        host.command(0xe0);
        assert_eq!(host.read(2), [5, 6]);
        assert!(!host.outputs.rb_n, "R/B# is that of both");
        host.wait_ready();
        assert_eq!(host.status_of(rows[0]), READY);
        host.assert_clean();
    }
}

#[test]
fn resets_forget_what_waits() {
    for mut host in Host::both() {
        let row = host.row(0, 2, 3);
        for confirm in [0x11, 0x1a] {
            host.program((0x80, confirm), row, &[1, 2]);
            host.command(0xff);
            assert_eq!(host.wait_ready(), Duration::from_us(5));
        }
        let busy = host.program((0x80, 0x10), row, &[3, 4]);
        assert_eq!(busy, Duration::from_us(20), "a page alone");
        assert_eq!(host.read_page(row, 2), [3, 4]);
        host.assert_clean();
    }
}

#[test]
fn resets_break_off_what_goes_on() {
    for (bytes, busy_us) in [(&[0xff][..], 10), (&[0xfc], 10), (&[0xfa], 10)] {
        for mut host in Host::both() {
            let row = host.row(1, 3, 0);
            host.command(0x80);
            host.full_address(0, row, Parameter::Adl);
            host.write(&[0, 0, 0, 0]);
            host.command(0x10);
            host.pass(Duration::from_us(1));
            host.command(bytes[0]);
            if bytes[0] == 0xfa {
                host.row_address(row);
            }
            assert_eq!(host.wait_ready(), Duration::from_us(busy_us));
            assert_eq!(host.status() & FAIL, 0);
            assert_ne!(host.read_page(row, 4), [0; 4], "the page is torn");
            host.assert_clean();
        }
    }
}

#[test]
fn resets_leave_alone_what_is_over() {
    for mut host in Host::both() {
        let row = host.row(0, 3, 0);
        host.program((0x80, 0x10), row, &[1, 2, 3, 4]);
        host.command(0xec);
        host.address(&[0x00], Parameter::Whr);
        host.pass(Duration::from_us(1));
        host.command(0xff);
        assert_eq!(host.wait_ready(), Duration::from_us(5), "of a read, not of a program");
        assert_eq!(host.read_page(row, 4), [1, 2, 3, 4]);
        host.assert_clean();
    }
}
