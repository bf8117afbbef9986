//! Which keys are said to be determined.

use fit::{Outcome, Verdict};

use crate::drive::{fitted, key, measured, How, SEED};

const READS: &str = "\
[global]
ioengine=libaio
size=16m
rw=randread
[one]
bs=4k
number_ios=300
[large]
stonewall
bs=64k
iodepth=8
number_ios=200
";

fn assert_left(outcome: &Outcome, name: &str) {
    let found = key(outcome, name);
    assert_eq!(found.verdict, Verdict::NotDetermined, "{name}\n{outcome}");
    assert_eq!(found.values, found.base, "{name}\n{outcome}");
    assert!(found.kept, "{name}\n{outcome}");
}

#[test]
fn reads_tell_nothing_of_programs_and_erases() {
    let truth = [
        ("flash.t_read_slc_us", "70"),
        ("flash.t_program_slc_us", "900"),
        ("flash.t_erase_us", "9000"),
    ];
    let report = measured(&truth, READS, SEED);
    let wanted = ["flash.t_read_slc_us", "flash.t_program_slc_us", "flash.t_erase_us"];
    let outcome = fitted(&report, &How { wanted: &wanted, ..How::default() }).unwrap();
    assert!(matches!(key(&outcome, wanted[0]).verdict, Verdict::Determined { .. }), "{outcome}");
    for name in &wanted[1..] {
        assert_left(&outcome, name);
        assert_eq!(key(&outcome, name).moves, None, "{outcome}");
    }
    let file = outcome.board_file(std::path::Path::new("mine.toml")).unwrap();
    assert!(
        file.contains("# flash.t_erase_us: not determined by these files, as small has it"),
        "{file}"
    );
    assert!(!file.contains("t_erase_us ="), "{file}");
}

/// One key that moves a figure, but so little that nothing follows for its value.
#[test]
fn a_key_that_moves_figures_too_little_is_not_determined() {
    let truth = [("flash.t_read_slc_us", "70"), ("host.interrupt_latency_us", "8")];
    let report = measured(&truth, READS, SEED);
    let wanted = ["flash.t_read_slc_us", "host.interrupt_latency_us"];
    let how = How { wanted: &wanted, set: &truth[1..], error: 0.02, ..How::default() };
    let outcome = fitted(&report, &how).unwrap();
    assert_left(&outcome, wanted[1]);
    let moves = key(&outcome, wanted[1]).moves.as_ref().unwrap();
    assert!(moves.share.abs() > 0.0005, "{outcome}");
}

/// The time of an interrupt and the host's time after it only ever add up.
#[test]
fn two_times_of_which_only_the_sum_is_seen_are_named_with_it() {
    let base = [("host.interrupt_latency_us", "20"), ("host.reap_latency_us", "20")];
    let truth = [("host.interrupt_latency_us", "30"), ("host.reap_latency_us", "35")];
    let report = measured(&truth, READS, SEED);
    let wanted = ["host.interrupt_latency_us", "host.reap_latency_us", "flash.t_program_slc_us"];
    let outcome = fitted(&report, &How { wanted: &wanted, set: &base, ..How::default() }).unwrap();
    let verdicts = wanted.map(|name| key(&outcome, name).verdict);
    let [Verdict::Together(0), Verdict::Together(0), Verdict::NotDetermined] = verdicts else {
        panic!("{outcome}")
    };
    assert_eq!(outcome.combinations[0].members, [0, 1]);
    let (text, [value, low, high]) = outcome.combinations[0].combination.as_ref().unwrap();
    assert_eq!(text, "host.interrupt_latency_us + host.reap_latency_us", "{outcome}");
    assert!((63.5..=66.5).contains(value) && *low <= 65.0 && *high >= 65.0, "{outcome}");
    // One of the two stays as the base has it, and the other makes up for it.
    assert_eq!(outcome.keys[..2].iter().filter(|key| key.kept && key.values == [20.0]).count(), 1);
    let told = outcome.to_string();
    assert!(told.contains("only together with host.reap_latency_us"), "{told}");
}

/// Reads one by one take `t_read` and a time that does not depend on it, so the interval can be worked out by hand.
#[test]
fn intervals_follow_the_error_of_the_figures() {
    let one = READS.split("[large]").next().unwrap();
    let report = measured(&[("flash.t_read_slc_us", "70")], one, SEED);
    let half = |error: f64| {
        let wanted = ["flash.t_read_slc_us"];
        let outcome = fitted(&report, &How { wanted: &wanted, error, ..How::default() }).unwrap();
        let Verdict::Determined { low, high } = key(&outcome, wanted[0]).verdict else {
            panic!("{outcome}")
        };
        let latency_us = outcome.rows[1].measured / 1e3;
        ((high / low).ln() / 2.0, 70.0 / latency_us)
    };
    let (narrow, share) = half(0.004);
    // Rate and mean count half each, the median a quarter. There are too few requests for the 99th percentile.
    let figures: f64 = 0.5 + 0.5 + 0.25;
    let expected = 1.96 * 0.004 / (share * figures.sqrt());
    assert!((narrow / expected - 1.0).abs() < 0.1, "{narrow} {expected}");
    let (wide, _) = half(0.008);
    assert!((wide / narrow - 2.0).abs() < 0.1, "{narrow} {wide}");
}

/// A drive that differs in a key that is not fitted: what is left of the differences widens the intervals.
#[test]
fn a_base_that_is_unlike_the_drive_makes_intervals_wider() {
    let other = [("flash.t_read_slc_us", "70"), ("channel.bus_bandwidth_mb_s", "120")];
    let [like, unlike] = [&other[..1], &other[..]].map(|truth| {
        let report = measured(truth, READS, SEED);
        let how = How { wanted: &["flash.t_read_slc_us"], error: 0.01, ..How::default() };
        fitted(&report, &how).unwrap()
    });
    assert_eq!(like.widened, 1.0, "{like}");
    assert!(unlike.widened > 2.0, "{unlike}");
    let line = "so intervals are as much wider: the drive is unlike small in more than was fitted";
    assert!(unlike.to_string().contains(line) && !like.to_string().contains(line), "{unlike}");
    let half = |outcome: &Outcome| match outcome.keys[0].verdict {
        Verdict::Determined { low, high } => (high / low).ln() / 2.0,
        _ => panic!("{outcome}"),
    };
    assert!(half(&unlike) > 2.0 * half(&like), "{like}{unlike}");
    // The value is far from the drive's 70 us, and nobody is to take it for that.
    assert!(unlike.to_string().contains("  determined on this base only\n"), "{unlike}");
    assert!(like.to_string().contains("  determined\n"), "{like}");
    let file = unlike.board_file(std::path::Path::new("mine.toml")).unwrap();
    assert!(file.contains("what is fitted holds on this base only"), "{file}");
}
