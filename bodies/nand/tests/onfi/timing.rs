//! The timing rules: kept to the picosecond they are fine, broken by a little they are told.

use contract::{Duration, Instant};
use nand::onfi::{Config, Fault, Interface, Parameter, Timing};

use crate::onfi::host::{pattern, Host};
use Parameter::*;

const ROW: u32 = 0;

/// Register bytes.
fn set_feature(host: &mut Host) {
    host.command(0xef);
    host.address(&[0x10], Adl);
    host.write_registers(&[1, 2, 3, 4]);
    host.wait_ready();
    host.deselect();
}

/// A load with changes of the column, and an erase.
fn write(host: &mut Host) {
    host.command(0x80);
    host.full_address(0, ROW, Adl);
    host.write(&pattern(1, 8));
    host.command(0x85);
    host.column(100);
    host.write(&pattern(2, 8));
    host.command(0x10);
    host.wait_ready();
    host.deselect();
    host.erase_command(ROW + 32, 0xd0);
    host.deselect();
    host.wait_ready();
}

/// Status, identity, and a page from two places.
fn read(host: &mut Host) {
    host.status();
    host.command(0x90);
    host.address(&[0x20], Whr);
    assert_eq!(host.read_registers(4), b"ONFI");
    host.deselect();
    host.read_command(ROW, 0x30);
    host.wait_ready();
    host.read(8);
    host.deselect();
    host.read(8);
    host.command(0x05);
    host.column(4);
    host.command(0xe0);
    host.read(8);
    host.deselect();
}

type Sequence = fn(&mut Host);

/// In which sequences each rule can be broken.
const COMMON: [(Parameter, &[Sequence]); 16] = [
    (Cs, &[write, read]),
    (Ch, &[write]),
    (Wp, &[write, read]),
    (Wh, &[write, read]),
    (Wc, &[write, read]),
    (Adl, &[write, set_feature]),
    (Ccs, &[write, read]),
    (Whr, &[read]),
    (Rhw, &[read]),
    (Rr, &[read]),
    (Ar, &[read]),
    (Clr, &[read]),
    (Cr, &[read]),
    (Rp, &[read]),
    (Reh, &[read]),
    (Rc, &[read]),
];

const OF_SDR: [(Parameter, &[Sequence]); 6] = [
    (Cls, &[write, read]),
    (Clh, &[write, read]),
    (Als, &[write, read]),
    (Alh, &[write, read]),
    (Ds, &[write, read]),
    (Dh, &[write, read]),
];

const OF_DDR: [(Parameter, &[Sequence]); 14] = [
    (Cals, &[write, read]),
    (Calh, &[write, read]),
    (Cas, &[write, read]),
    (Cah, &[write, read]),
    (Ds, &[write]),
    (Dh, &[write]),
    (Dqsh, &[write]),
    (Dqsl, &[write]),
    (Dsc, &[write]),
    (Wpre, &[write]),
    (Wpst, &[write]),
    (Cdqss, &[write]),
    (Rpre, &[read]),
    (Rpst, &[read]),
];

fn rules(interface: Interface) -> Vec<(Parameter, &'static [Sequence])> {
    let own = match interface {
        Interface::Sdr => &OF_SDR[..],
        Interface::Ddr => &OF_DDR[..],
    };
    [&COMMON[..], own].concat()
}

fn timings() -> [(Interface, Timing); 4] {
    [
        (Interface::Sdr, Timing::sdr_mode_5()),
        (Interface::Sdr, Timing::sdr_mode_3()),
        (Interface::Ddr, Timing::nv_ddr2_mode_6()),
        (Interface::Ddr, Timing::nv_ddr2_mode_4()),
    ]
}

#[test]
fn a_host_at_all_limits_is_legal() {
    for (interface, timing) in timings() {
        let mut host = Host::new(Config::small(interface, timing));
        set_feature(&mut host);
        write(&mut host);
        read(&mut host);
        host.assert_clean();
    }
}

/// A rule that is stretched by a microsecond decides when an edge comes. The host keeps it; then it
/// falls short of it by so little, and nothing else changes.
#[test]
fn each_rule_is_kept_or_told() {
    const LITTLE: Duration = Duration::from_ps(1_500);
    for (interface, timing) in timings() {
        for (parameter, sequences) in rules(interface) {
            for sequence in sequences {
                let mut stretched = timing.clone();
                stretched.set(parameter, timing[parameter] + Duration::from_us(1));
                let mut host = Host::new(Config::small(interface, stretched.clone()));
                sequence(&mut host);
                host.assert_clean();

                let expected = stretched[parameter];
                let mut host = Host::new(Config::small(interface, stretched));
                host.timing.set(parameter, expected - LITTLE);
                sequence(&mut host);
                let name = parameter.name();
                let violations = host.chip.take_violations();
                assert!(!violations.is_empty(), "{interface:?}: {name} is not checked");
                for violation in violations {
                    let Fault::Timing { parameter: told, found, expected: limit } = violation.fault
                    else {
                        panic!("{interface:?} {name}: {violation}");
                    };
                    assert_eq!((told, limit), (parameter, expected), "{violation}");
                    assert!(found < expected && found + LITTLE >= expected, "{violation}");
                }
            }
        }
    }
}

#[test]
fn status_and_ready_tell_nothing_before_twb() {
    for mut host in Host::both() {
        host.timing.set(Whr, Duration::from_ns(10));
        host.erase_command(ROW, 0xd0);
        assert!(host.outputs.rb_n, "R/B# falls late");
        host.command(0x70);
        host.read_registers(1);
        let faults: Vec<_> = host.chip.take_violations().into_iter().map(|v| v.fault).collect();
        let told = |wanted: Parameter| {
            let is = |fault: &&Fault| matches!(fault, Fault::Timing { parameter, .. } if *parameter == wanted);
            faults.iter().filter(is).count()
        };
        assert_eq!((told(Wb), told(Whr), faults.len()), (1, 1, 2), "{faults:?}");
        assert!(host.wait_ready() >= Duration::from_us(49));
    }
}

#[test]
fn a_host_that_trusts_ready_before_twb_meets_a_busy_chip() {
    for mut host in Host::both() {
        host.erase_command(ROW, 0xd0);
        assert!(host.outputs.rb_n, "R/B# falls late");
        host.read_command(ROW, 0x30);
        host.assert_faults(&[Fault::Busy { command: 0x30 }]);
    }
}

#[test]
fn a_change_of_column_is_no_matter_to_status() {
    for mut host in Host::both() {
        host.read_command(ROW, 0x30);
        host.wait_ready();
        host.command(0x05);
        host.column(4);
        host.command(0xe0);
        host.status();
        host.assert_clean();
    }
}

#[test]
fn a_chip_that_is_left_within_a_pulse_is_left_too_early() {
    for mut host in Host::both() {
        host.select();
        host.put(|pins| (pins.cle, pins.dq) = (true, Some(0x70)));
        host.now += Duration::from_ns(50);
        host.put(|pins| pins.we_n = false);
        host.now += Duration::from_ns(50);
        host.put(|pins| (pins.we_n, pins.ce_n) = (true, true));
        let (parameter, found, expected) = (Ch, Duration::ZERO, host.timing[Ch]);
        host.assert_faults(&[Fault::Timing { parameter, found, expected }]);
    }
}

#[test]
fn write_protect_needs_its_time() {
    for (early, expected) in [(Duration::from_ps(1), 1), (Duration::ZERO, 0)] {
        for mut host in Host::both() {
            host.put(|pins| pins.wp_n = false);
            let changed = host.now;
            host.put(|pins| pins.wp_n = true);
            host.select();
            host.now = Instant::from_ps(changed.as_ps() + 100_000 - early.as_ps());
            host.put(|pins| (pins.cle, pins.we_n, pins.dq) = (true, false, Some(0x70)));
            // The rising edge is what counts, so the pulse is shorter than it may be.
            let found = host.now.since(changed);
            host.put(|pins| pins.we_n = true);
            let faults = host.chip.take_violations();
            let told = faults.iter().filter(|violation| {
                let limit = Duration::from_ns(100);
                violation.fault == Fault::Timing { parameter: Ww, found, expected: limit }
            });
            assert_eq!(told.count(), expected, "{faults:?}");
        }
    }
}

#[test]
fn a_byte_is_good_from_trea_until_the_next_one_comes() {
    let mut host = Host::sdr();
    host.program((0x80, 0x10), ROW, &[0x11, 0x22]);
    host.read_command(ROW, 0x30);
    host.wait_ready();
    let mut first = host.read(1);
    first.extend(host.outputs.dq);
    assert_eq!(first, [0x11, 0x11]);
    // What is on DQ at so many nanoseconds after the second fall of RE#.
    let fall = host.now + Duration::from_ns(10);
    for (at_ns, level) in [(0, 0x11), (4, 0x11), (5, !0x22), (15, !0x22), (16, 0x22), (30, 0x22)] {
        host.now = fall + Duration::from_ns(at_ns);
        host.put(|pins| pins.re_n = false);
        assert_eq!(host.outputs.dq, Some(level), "{at_ns} ns");
    }
    // And after it rises.
    let rise = host.now;
    for (at_ns, level) in [(0, Some(0x22)), (14, Some(0x22)), (15, Some(!0x22)), (100, None)] {
        host.now = rise + Duration::from_ns(at_ns);
        host.put(|pins| pins.re_n = true);
        assert_eq!(host.outputs.dq, level, "{at_ns} ns after");
    }
    host.assert_clean();
}

#[test]
fn a_chip_that_is_left_lets_dq_go_soon() {
    for together in [Duration::ZERO, Duration::from_ns(20)] {
        let mut host = Host::sdr();
        host.program((0x80, 0x10), ROW, &[0x11, 0x22]);
        host.read_command(ROW, 0x30);
        host.wait_ready();
        host.put(|pins| (pins.cle, pins.dq) = (false, None));
        host.now += Duration::from_ns(100);
        host.put(|pins| pins.re_n = false);
        host.now += Duration::from_ns(50);
        // RE# rises with CE#, or before.
        host.put(|pins| (pins.re_n, pins.ce_n) = (true, together == Duration::ZERO));
        host.now += together;
        host.put(|pins| pins.ce_n = true);
        let left = host.now;
        let held = if together == Duration::ZERO { 0x11 } else { !0x11 };
        for (at_ns, level) in [(0, Some(held)), (29, Some(!0x11)), (30, None), (200, None)] {
            host.now = left + Duration::from_ns(at_ns);
            host.put(|_| {});
            assert_eq!(host.outputs.dq, level, "{at_ns} ns after, {together:?}");
        }
        host.assert_clean();
    }
}

#[test]
fn two_drivers_are_told_once() {
    for mut host in Host::both() {
        host.program((0x80, 0x10), ROW, &[0x11, 0x22]);
        host.read_command(ROW, 0x30);
        host.wait_ready();
        host.read(2);
        for _ in 0..3 {
            host.now += Duration::from_ns(1);
            host.put(|pins| pins.dq = Some(0));
        }
        host.assert_faults(&[Fault::Contention]);
    }
}

#[test]
fn data_that_change_at_the_latching_edge_are_told() {
    let limit = Timing::sdr_mode_5()[Ds];
    let mut host = Host::sdr();
    host.select();
    host.put(|pins| pins.cle = true);
    host.now += Duration::from_ns(50);
    host.put(|pins| (pins.we_n, pins.dq) = (false, Some(0x70)));
    host.now += Duration::from_ns(50);
    host.put(|pins| (pins.we_n, pins.dq) = (true, Some(0xff)));
    let found = Duration::ZERO;
    host.assert_faults(&[Fault::Timing { parameter: Ds, found, expected: limit }]);
}
