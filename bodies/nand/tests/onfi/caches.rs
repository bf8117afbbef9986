//! Cache reads and cache programs: the bus and the array work at the same time.

use contract::Duration;
use nand::onfi::{Fault, Parameter};

use crate::onfi::host::{pattern, Host};

const READY: u8 = 0xe0;
/// Ready for the bus, while the array works.
const AHEAD: u8 = 0xc0;
const FAIL: u8 = 0x01;
const FAILC: u8 = 0x02;

fn fill(host: &mut Host, rows: &[u32]) {
    for row in rows {
        host.program((0x80, 0x10), *row, &pattern(*row, 16));
    }
}

/// Whether two times are the same but for the steps in which a host looks.
fn about(found: Duration, expected: Duration) -> bool {
    found >= expected && found < expected + Duration::from_ns(2)
}

#[test]
fn a_sequential_cache_read_transfers_a_page_while_the_next_is_read() {
    for mut host in Host::both() {
        let row = host.row(0, 2, 4);
        fill(&mut host, &[row, row + 1, row + 2]);
        host.read_command(row, 0x30);
        host.wait_ready();
        host.command(0x31);
        assert!(about(host.wait_ready(), Duration::from_us(1)), "tRCBSY alone");
        let begun = host.now;
        assert_eq!(host.status(), AHEAD);
        host.command(0x00);
        assert_eq!(host.read(16), pattern(row, 16));
        host.command(0x31);
        host.wait_ready();
        let expected = Duration::from_us(5 + 1);
        assert!(about(host.now.since(begun), expected), "the array is waited for");
        assert_eq!(host.read(16), pattern(row + 1, 16));
        host.command(0x3f);
        host.wait_ready();
        assert_eq!(host.status(), READY);
        host.command(0x00);
        assert_eq!(host.read(16), pattern(row + 2, 16));
        host.assert_clean();
    }
}

#[test]
fn a_random_cache_read_takes_any_page_of_the_lun() {
    for mut host in Host::both() {
        let rows = [host.row(1, 2, 4), host.row(1, 5, 0), host.row(1, 7, 9)];
        fill(&mut host, &rows);
        host.read_command(rows[0], 0x30);
        host.wait_ready();
        for next in 1..3 {
            host.read_command(rows[next], 0x31);
            host.wait_ready();
            assert_eq!(host.read(16), pattern(rows[next - 1], 16));
        }
        host.command(0x3f);
        host.wait_ready();
        assert_eq!(host.read(16), pattern(rows[2], 16));
        host.assert_clean();
    }
}

#[test]
fn cache_reads_work_on_all_planes_that_were_read_together() {
    for mut host in Host::both() {
        let rows = |page: u32, host: &Host| [host.row(0, 2, page), host.row(0, 3, page)];
        let groups = [rows(0, &host), rows(1, &host), rows(7, &host)];
        groups.iter().for_each(|group| fill(&mut host, group));
        let transfer = |host: &mut Host, group: [u32; 2]| {
            for row in group {
                host.command(0x06);
                host.full_address(0, row, Parameter::Ccs);
                host.command(0xe0);
                assert_eq!(host.read(16), pattern(row, 16), "row {row:#x}");
            }
        };
        host.read_command(groups[0][0], 0x32);
        host.wait_ready();
        host.read_command(groups[0][1], 0x30);
        host.wait_ready();
        // The next page of both planes, then one that is named.
        host.command(0x31);
        host.wait_ready();
        transfer(&mut host, groups[0]);
        host.read_command(groups[2][0], 0x32);
        host.wait_ready();
        host.read_command(groups[2][1], 0x31);
        host.wait_ready();
        transfer(&mut host, groups[1]);
        host.command(0x3f);
        host.wait_ready();
        transfer(&mut host, groups[2]);
        host.assert_clean();
    }
}

#[test]
fn only_cache_reads_may_follow_until_the_array_is_idle() {
    for mut host in Host::both() {
        let row = host.row(0, 2, 4);
        fill(&mut host, &[row, row + 1]);
        host.read_command(row, 0x30);
        host.wait_ready();
        host.command(0x31);
        host.wait_ready();
        host.read_command(row, 0x30);
        host.assert_faults(&[Fault::Busy { command: 0x30 }]);
        host.command(0x80);
        host.full_address(0, row, Parameter::Adl);
        host.assert_faults(&[Fault::Busy { command: 0x80 }]);
        host.pass(Duration::from_us(5));
        host.read_command(row + 1, 0x30);
        host.wait_ready();
        assert_eq!(host.read(16), pattern(row + 1, 16));
        host.assert_clean();
    }
}

#[test]
fn cache_reads_need_a_page_and_end_with_the_block() {
    for mut host in Host::both() {
        host.command(0x31);
        host.assert_faults(&[Fault::OutOfPlace { command: 0x31 }]);
        host.command(0x3f);
        host.assert_faults(&[Fault::OutOfPlace { command: 0x3f }]);
        let last = host.row(0, 2, 23);
        host.read_command(last, 0x30);
        host.wait_ready();
        host.command(0x31);
        host.assert_faults(&[Fault::OutOfPlace { command: 0x31 }]);
    }
}

#[test]
fn cache_programs_load_a_page_while_the_one_before_is_programmed() {
    for mut host in Host::both() {
        let row = host.row(0, 6, 0);
        let busy = host.program((0x80, 0x15), row, &pattern(0, 16));
        assert!(about(busy, Duration::from_us(1)), "tPCBSY alone");
        let begun = host.now;
        assert_eq!(host.status(), AHEAD);
        host.program((0x80, 0x15), row + 1, &pattern(1, 16));
        let expected = Duration::from_us(20 + 1);
        assert!(host.now.since(begun) >= expected, "the array is waited for");
        assert!(host.now.since(begun) < expected + Duration::from_ns(20));
        host.program((0x80, 0x10), row + 2, &pattern(2, 16));
        let expected = expected + Duration::from_us(20 + 20);
        assert!(host.now.since(begun) >= expected, "10h ends with the array");
        assert!(host.now.since(begun) < expected + Duration::from_ns(40));
        assert_eq!(host.status(), READY);
        for page in 0..3 {
            assert_eq!(host.read_page(row + page, 16), pattern(page, 16));
        }
        host.assert_clean();
    }
}

#[test]
fn failc_tells_of_the_program_before_and_fail_of_the_last() {
    // By failing page: what status says of failures behind each of four programs, when the array
    // is idle again.
    let table = [
        (0, [FAIL, FAILC, 0, 0]),
        (1, [0, FAIL, FAILC, 0]),
        (2, [0, 0, FAIL, FAILC]),
        (3, [0, 0, 0, FAIL]),
    ];
    for (failing, expected) in table {
        for mut host in Host::both() {
            let row = host.row(0, 1, 0);
            host.chip.fail_program(row + failing);
            for page in 0..4 {
                let confirm = if page == 3 { 0x10 } else { 0x15 };
                host.program((0x80, confirm), row + page, &[1, 2]);
                let early = host.status();
                if page < 3 {
                    assert_eq!(early & FAIL, 0, "not known while the array works");
                }
                assert_eq!(early & FAILC, expected[page as usize] & FAILC);
                host.pass(Duration::from_us(25));
                let late = host.status() & (FAIL | FAILC);
                assert_eq!(late, expected[page as usize], "page {page}");
            }
            host.assert_clean();
        }
    }
}

#[test]
fn failc_is_of_cache_programs_alone() {
    for mut host in Host::both() {
        let row = host.row(0, 1, 0);
        host.chip.fail_program(row);
        for (page, expected) in [(0, FAIL), (1, 0)] {
            host.program((0x80, 0x10), row + page, &[1, 2]);
            assert_eq!(host.status() & (FAIL | FAILC), expected);
        }
        host.assert_clean();
    }
}

#[test]
fn cache_programs_work_on_planes() {
    for mut host in Host::both() {
        let mut begun = host.now;
        for page in 0..3 {
            let rows = [host.row(0, 0, page), host.row(0, 1, page)];
            let confirm = if page == 2 { 0x10 } else { 0x15 };
            host.program((0x80, 0x11), rows[0], &pattern(page, 16));
            host.program((0x80, confirm), rows[1], &pattern(page + 10, 16));
            if page > 0 {
                assert!(host.now.since(begun) >= Duration::from_us(21), "the array is waited for");
            }
            begun = host.now;
        }
        for page in 0..3 {
            let rows = [host.row(0, 0, page), host.row(0, 1, page)];
            assert_eq!(host.read_page(rows[0], 16), pattern(page, 16));
            assert_eq!(host.read_page(rows[1], 16), pattern(page + 10, 16));
        }
        host.assert_clean();
    }
}
