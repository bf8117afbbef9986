//! What goes wrong in a chip: wrong bits, failures, bad blocks, deviations, defects.

use contract::Duration;
use nand::onfi::{Config, Defect, Fault, Interface, Parameter, Timing};

use crate::onfi::host::{pattern, Host};

const FAIL: u8 = 0x01;

fn small() -> Config {
    Config::small(Interface::Sdr, Timing::sdr_mode_5())
}

#[test]
fn chosen_bits_are_wrong_until_they_are_right_again() {
    let mut host = Host::ddr();
    let (row, page) = (host.row(0, 3, 0), pattern(1, 8));
    host.program((0x80, 0x10), row, &page);
    host.chip.flip(row, vec![0, 17, 18]);
    let mut wrong = page.clone();
    wrong[0] ^= 0x01;
    wrong[2] ^= 0x06;
    assert_eq!(host.read_page(row, 8), wrong);
    host.chip.flip(row, vec![]);
    assert_eq!(host.read_page(row, 8), page);
    host.assert_clean();
}

#[test]
fn wrong_bits_by_chance_have_their_mean_and_follow_the_seed() {
    let run = |seed: u64| {
        let mut config = small();
        config.errors.wrong_bits_per_1000_pages = 3_500;
        config.seed = seed;
        let mut host = Host::new(config);
        let (row, length) = (host.row(0, 0, 0), host.page_bytes());
        let page = pattern(1, length);
        host.chip.set_page(row, &page);
        let mut wrong = vec![];
        for _ in 0..200 {
            let read = host.read_page(row, length);
            let bits = read.iter().zip(&page).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
            wrong.push(bits);
        }
        for _ in 0..5 {
            assert_eq!(host.read_page(row + 1, length), vec![0xff; length], "none if erased");
        }
        host.assert_clean();
        wrong
    };
    let wrong = run(1);
    let sum: u32 = wrong.iter().sum();
    // Five standard deviations of 200 draws: 5 * sqrt(700).
    assert!((700 - 132..700 + 132).contains(&sum), "{sum} wrong bits in 200 pages");
    assert_eq!(run(1), wrong);
    assert_ne!(run(2), wrong);
}

#[test]
fn a_read_level_leaves_its_share_of_wrong_bits_until_it_is_set_again() {
    let mut config = small();
    config.errors.wrong_bits_per_1000_pages = 40_000;
    config.errors.retry_percent = 50;
    let mut host = Host::new(config);
    let (row, length) = (host.row(0, 0, 0), host.page_bytes());
    let page = pattern(1, length);
    host.chip.set_page(row, &page);
    let wrong = |host: &mut Host, level| {
        host.command(0xef);
        host.address(&[0x89], Parameter::Adl);
        host.write_registers(&[level, 0, 0, 0]);
        host.wait_ready();
        host.deselect();
        let read: Vec<u8> = (0..50).flat_map(|_| host.read_page(row, length)).collect();
        read.iter().zip(page.iter().cycle()).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
    };
    // 40 wrong bits a page on average; halves are rounded down. Five standard deviations of 50 draws.
    for (level, mean, most) in [(2, 481, 56), (0, 2000, 224), (1, 988, 112)] {
        let found = wrong(&mut host, level);
        assert!(found.abs_diff(mean) < most, "level {level}: {found} of {mean}");
    }
    host.assert_clean();
}

#[test]
fn failures_show_in_status_and_in_that_of_their_plane() {
    for mut host in Host::both() {
        let rows = [host.row(1, 4, 0), host.row(1, 5, 0)];
        host.chip.fail_program(rows[1]);
        host.program((0x80, 0x11), rows[0], &[1, 2]);
        host.program((0x80, 0x10), rows[1], &[3, 4]);
        assert_eq!(host.status() & FAIL, FAIL);
        assert_eq!(rows.map(|row| host.status_of(row) & FAIL), [0, FAIL]);
        assert_eq!(host.read_page(rows[0], 2), [1, 2]);
        assert_eq!(host.status() & FAIL, 0, "a read clears it");

        host.chip.fail_erase(rows[0]);
        host.erase_command(rows[0], 0xd1);
        host.wait_ready();
        host.erase_command(rows[1], 0xd0);
        host.wait_ready();
        assert_eq!(rows.map(|row| host.status_of(row) & FAIL), [FAIL, 0]);
        assert!(host.chip.page(rows[0]).is_some(), "is as it was");
        assert_eq!(host.chip.page(rows[1]), None);
        host.assert_clean();
    }
}

#[test]
fn a_word_line_fails_with_any_of_its_pages() {
    for failing in 0..3 {
        for mut host in Host::both() {
            let row = host.row(1, 4, 3);
            host.chip.fail_program(row + failing);
            for (page, confirm) in [(0, 0x1a), (1, 0x1a), (2, 0x10)] {
                host.program((0x80, confirm), row + page, &[1, 2]);
            }
            assert_eq!(host.status() & FAIL, FAIL);
            host.command(0xff);
            host.wait_ready();
            assert_eq!(host.status() & FAIL, 0, "a reset clears it");
            host.assert_clean();
        }
    }
}

/// Whoever asks after each flash page is not told of the program before.
#[test]
fn a_word_line_that_fails_is_not_told_of_the_next_one() {
    for mut host in Host::both() {
        let rows = [host.row(1, 4, 3), host.row(1, 5, 3)];
        host.chip.fail_program(rows[0]);
        for row in rows {
            for (page, confirm) in [(0, 0x1a), (1, 0x1a), (2, 0x10)] {
                host.program((0x80, confirm), row + page, &[1, 2]);
                let failed = row == rows[0] && page == 2;
                assert_eq!(host.status() & FAIL != 0, failed, "{row}, flash page {page}");
            }
        }
        host.assert_clean();
    }
}

#[test]
fn programs_and_erases_fail_by_chance() {
    let mut config = small();
    config.errors.program_failures_per_billion = 250_000_000;
    config.errors.erase_failures_per_billion = 250_000_000;
    let mut host = Host::new(config);
    let (mut programs, mut erases) = (0, 0);
    for round in 0..100 {
        let row = host.row(0, round % 16, 0);
        host.erase_command(row, 0xd0);
        host.wait_ready();
        let failed = host.status() & FAIL;
        erases += failed;
        if failed == 0 {
            host.program((0x80, 0x10), row, &[1, 2]);
            programs += host.status() & FAIL;
        }
    }
    assert!((10..45).contains(&erases), "{erases} of 100 erases");
    assert!((5..40).contains(&programs), "{programs} of some 75 programs");
    host.assert_clean();
}

#[test]
fn bad_blocks_read_as_zeros_and_stay_bad() {
    let mut config = small();
    config.errors.factory_bad_per_million = 200_000;
    let mut host = Host::new(config.clone());
    let rows: Vec<_> = (0..16).map(|block| host.row(0, block, 0)).collect();
    let bad: Vec<_> = rows.iter().copied().filter(|row| host.chip.is_bad(*row)).collect();
    assert!((1..9).contains(&bad.len()), "{bad:?}");
    host.chip.spoil(rows[15]);
    for row in [bad[0], rows[15]] {
        assert_eq!(host.read_page(row + 3, 4), [0; 4]);
        host.erase_command(row, 0xd0);
        host.wait_ready();
        assert_eq!(host.status() & FAIL, FAIL);
        host.program((0x80, 0x10), row, &[1, 2]);
        assert_eq!(host.status() & FAIL, FAIL);
    }
    host.assert_clean();
    config.seed += 1;
    let other = Host::new(config);
    assert_ne!(bad, rows.into_iter().filter(|row| other.chip.is_bad(*row)).collect::<Vec<_>>());
}

#[test]
fn times_depend_on_the_page_and_deviate_by_the_seed() {
    let mut config = small();
    config.times.read = vec![Duration::from_us(3), Duration::from_us(4), Duration::from_us(9)];
    let busy = |host: &mut Host, page: u32| {
        let row = host.row(0, 0, page);
        host.read_command(row, 0x30);
        host.wait_ready()
    };
    let mut host = Host::new(config.clone());
    assert_eq!(
        [0, 1, 2, 5, 9].map(|page| busy(&mut host, page).as_ps() / 1_000_000),
        [3, 4, 9, 9, 3]
    );

    config.deviations.read = Duration::from_us(2);
    let run = |seed: u64| {
        let mut host = Host::new(Config { seed, ..config.clone() });
        (0..20).map(|_| busy(&mut host, 2)).collect::<Vec<_>>()
    };
    let times = run(1);
    let bounds = Duration::from_us(7)..Duration::from_us(11) + Duration::from_ns(1);
    assert!(times.iter().all(|time| bounds.contains(time)), "{times:?}");
    assert!(times.iter().any(|time| *time != times[0]));
    assert_eq!(run(1), times);
    assert_ne!(run(2), times);
}

#[test]
fn a_stuck_chip_is_never_ready() {
    for mut host in Host::both() {
        host.chip.set_defect(Some(Defect::StuckBusy));
        host.pass(Duration::from_us(1_000));
        assert!(!host.outputs.rb_n);
        assert_eq!(host.status() & 0x60, 0);
        host.assert_clean();
        host.read_command(0, 0x30);
        host.assert_faults(&[Fault::Busy { command: 0x30 }]);
        host.chip.set_defect(None);
        assert_eq!(host.read_page(0, 2), [0xff; 2]);
        host.assert_clean();
    }
}

#[test]
fn a_silent_strobe_brings_nothing() {
    let mut host = Host::ddr();
    host.chip.set_defect(Some(Defect::SilentStrobe));
    assert_eq!(host.read_page(0, 8), []);
    host.chip.set_defect(None);
    assert_eq!(host.read_page(0, 8), [0xff; 8]);
    host.assert_clean();
}

#[test]
fn an_absent_chip_drives_nothing() {
    for mut host in Host::both() {
        host.chip.set_defect(Some(Defect::Absent));
        host.erase_command(0, 0xd0);
        host.pass(Duration::from_us(1));
        assert!(host.outputs.rb_n);
        host.command(0x70);
        host.deselect();
        host.select();
        host.pass(Duration::from_us(1));
        host.put(|pins| pins.re_n = false);
        host.pass(Duration::from_us(1));
        assert_eq!((host.outputs.dq, host.outputs.dqs), (None, None));
        host.assert_clean();
    }
}

#[test]
fn write_protection_keeps_pages() {
    for mut host in Host::both() {
        host.program((0x80, 0x10), 0, &[1, 2]);
        host.put(|pins| pins.wp_n = false);
        host.pass(Duration::from_us(1));
        assert_eq!(host.status() & 0x80, 0);
        host.erase_command(0, 0xd0);
        host.assert_faults(&[Fault::WriteProtected]);
        host.wait_ready();
        host.command(0x80);
        host.full_address(0, 1, Parameter::Adl);
        host.write(&[1, 2]);
        host.command(0x10);
        host.assert_faults(&[Fault::WriteProtected]);
        host.wait_ready();
        assert_eq!(host.status() & FAIL, FAIL);
        assert_eq!((host.chip.page(0).map(|page| page[0]), host.chip.page(1)), (Some(1), None));
    }
}

/// It neither programs nor erases, and does not call that a failure.
#[test]
fn a_protected_chip_tells_by_its_status_alone() {
    for mut host in Host::both() {
        host.program((0x80, 0x10), 0, &[1, 2]);
        host.chip.set_defect(Some(Defect::Protected));
        host.program((0x80, 0x10), 1, &[1, 2]);
        assert_eq!(host.status() & (0xe0 | FAIL), 0x60, "ready, protected, and no failure");
        host.erase_command(0, 0xd0);
        host.wait_ready();
        assert_eq!(host.status() & (0xe0 | FAIL), 0x60);
        assert_eq!((host.chip.page(0).map(|page| page[0]), host.chip.page(1)), (Some(1), None));
        host.chip.set_defect(None);
        assert_eq!(host.status() & 0xe0, 0xe0);
        host.assert_clean();
    }
}
