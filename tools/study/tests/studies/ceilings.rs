//! Loads against figures worked out by hand, on Ozone's board: a page of 4,096 bytes takes 128 us on a bus
//! of 32 MB/s, with its code words and metadata a little more; a read takes 59 us, a program 793.

use board::Board;
use channel::BusStep;
use contract::packet::Operation;
use study::flash_load::{run, Kind, Load, Outcome};

const PAGE: f64 = 4096.0;

fn board(set: &[(&str, &str)]) -> Board {
    let set: Vec<(String, String)> =
        set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Board::resolve("ozone", &set).unwrap()
}

fn measured(set: &[(&str, &str)], options: &[(&str, &str)]) -> Outcome {
    let load = Load::read(options.iter().copied()).unwrap();
    run(&board(set), &load, 1, &mut |_: u8, _: BusStep| ())
}

fn mb_s(outcome: &Outcome) -> f64 {
    outcome.bytes_per_second() / 1e6
}

fn mean_us(outcome: &Outcome, kind: Kind) -> f64 {
    outcome.low[kind as usize].response.mean_ns() / 1e3
}

/// Bytes on the bus: eight chunks with 10 bytes of parity each, 24 of metadata with theirs.
const ON_BUS: f64 = PAGE + 9.0 * 10.0 + 24.0;

#[test]
fn one_read_at_a_time_takes_its_parts() {
    let alone = measured(&[], &[("mix", "0:0:1"), ("outstanding", "1"), ("requests", "2000")]);
    let by_hand = 59.0 + ON_BUS / 32.0;
    let found = mean_us(&alone, Kind::Read);
    assert!(found > by_hand && found < by_hand * 1.05, "{found} us, {by_hand} without commands");
    let sequential = measured(
        &[("channel.execution", "sequential")],
        &[("mix", "0:0:1"), ("outstanding", "32"), ("requests", "2000")],
    );
    let expected = PAGE / by_hand;
    let found = mb_s(&sequential);
    assert!(
        found < expected && found > expected * 0.95,
        "{found} MB/s, {expected} without commands"
    );
}

#[test]
fn reads_out_of_order_fill_the_bus_and_nothing_fills_it_more() {
    for mix in ["0:0:1", "1:128:512", "0:1:1"] {
        let outcome = measured(&[], &[("mix", mix), ("outstanding", "128"), ("requests", "8000")]);
        let ceiling = 32.0 * PAGE / ON_BUS;
        let found = mb_s(&outcome);
        assert!(found < ceiling && found > 0.9 * ceiling, "{mix}: {found} of {ceiling} MB/s");
        assert!(outcome.bus_busy[0] > 0.9 && outcome.bus_busy[0] <= 1.0);
    }
    // One chip alone cannot: its program and the page on the bus follow each other.
    let one = [("geometry.ways", "1")];
    let found = mb_s(&measured(&one, &[("mix", "0:1:0"), ("requests", "2000")]));
    let ceiling = PAGE / (793.0 + ON_BUS / 32.0);
    assert!(found < ceiling && found > 0.95 * ceiling, "{found} of {ceiling} MB/s");
}

#[test]
fn buses_add_up() {
    let options =
        [("mix", "0:0:1"), ("outstanding", "256"), ("random_percent", "0"), ("requests", "8000")];
    let one = mb_s(&measured(&[], &options));
    let four = mb_s(&measured(&[("geometry.channels", "4")], &options));
    assert!((3.8..=4.02).contains(&(four / one)), "{one} and {four} MB/s");
}

#[test]
fn kinds_come_in_their_proportion_and_dies_in_turn() {
    let outcome = measured(&[], &[("mix", "1:4:5"), ("requests", "10000")]);
    let counts = outcome.low.each_ref().map(|answers| answers.response.count() as f64 / 10_000.0);
    for (found, expected) in counts.into_iter().zip([0.1, 0.4, 0.5]) {
        assert!((found - expected).abs() < 0.02, "{counts:?}");
    }
    let pages: u64 = outcome.low[1..].iter().map(|answers| answers.response.count()).sum();
    assert_eq!(outcome.bytes, 4096 * pages, "erases move no data");
    let mut ways = Vec::new();
    let options = [("mix", "0:0:1"), ("random_percent", "0"), ("requests", "64")];
    let load = Load::read(options).unwrap();
    let board = board(&[("channel.execution", "sequential")]);
    run(&board, &load, 1, &mut |_: u8, step: BusStep| {
        if step.operation == Operation::ReadTrigger {
            ways.push(step.way);
        }
    });
    assert!(ways.len() >= 64);
    for (nth, way) in ways.iter().enumerate() {
        assert_eq!(usize::from(*way), nth % 8, "{ways:?}");
    }
}

#[test]
fn urgent_reads_come_first_and_the_reservation_helps_them() {
    let options = [
        ("mix", "1:128:128"),
        ("streams", "3"),
        ("outstanding", "48"),
        ("urgent_outstanding", "2"),
        ("requests", "8000"),
    ];
    let all = measured(&[], &options);
    let urgent = |outcome: &Outcome| outcome.urgent.response.mean_ns() / 1e3;
    assert!(urgent(&all) < mean_us(&all, Kind::Read) / 2.0);
    let few = measured(&[("channel.low_priority_ways", "2")], &options);
    assert!(urgent(&few) < urgent(&all), "{} and {} us", urgent(&few), urgent(&all));
}

#[test]
fn the_seed_decides_everything() {
    let options = [("mix", "1:128:128"), ("requests", "3000")];
    let load = Load::read(options).unwrap();
    let steps = |seed: u64| {
        let mut steps = Vec::new();
        run(&board(&[]), &load, seed, &mut |channel: u8, step: BusStep| {
            steps.push((channel, step))
        });
        steps
    };
    let first = steps(1);
    assert_eq!(first, steps(1));
    assert_ne!(first, steps(2));
}

#[test]
fn urgent_reads_keep_their_distance() {
    let options = [
        ("mix", "0:1:1"),
        ("urgent_outstanding", "4"),
        ("urgent_interval_us", "1000"),
        ("requests", "4000"),
    ];
    let outcome = measured(&[], &options);
    let found = outcome.urgent.response.count() as f64;
    let expected = outcome.elapsed.as_ps() as f64 / 1e9;
    assert!((found / expected - 1.0).abs() < 0.02, "{found} reads in {expected} ms");
}

#[test]
fn pages_of_a_command_go_to_one_die_and_its_planes_first() {
    let board = Board::resolve("ocowfc", &[]).unwrap();
    let options = [("mix", "0:1:0"), ("pages", "4"), ("requests", "64"), ("outstanding", "64")];
    let mut steps = Vec::new();
    run(&board, &Load::read(options).unwrap(), 1, &mut |channel: u8, step: BusStep| {
        steps.push((channel, step))
    });
    let shift = sim::controller::plane_shift(&board);
    let on_plane = |operation: Operation| {
        let of = |step: &&(u8, channel::BusStep)| step.1.operation == operation;
        steps.iter().filter(of).map(|(_, step)| step.row >> shift & 1).collect::<Vec<u32>>()
    };
    // Two pages of four wait for the other plane, and the command for both follows, but for one that the
    // channel began before the other had come.
    let first = on_plane(Operation::ProgramMultiPlane);
    let second: Vec<u32> =
        [Operation::ProgramPage, Operation::ProgramCache].into_iter().flat_map(on_plane).collect();
    assert!(first.len() >= 30 && first.iter().all(|plane| *plane == 0), "{first:?}");
    let joined = second.iter().filter(|plane| **plane == 1).count();
    assert!(second.len() >= 30 && joined * 10 >= second.len() * 9, "{second:?}");
}
