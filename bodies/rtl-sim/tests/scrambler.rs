//! The scrambler against the golden model of `drive/ecc`.

use ecc::{Scrambler, ScramblerParams};
use rtl_sim::{seed, tops, Bench, Pace, Random, Sink, Source, StreamPorts};

/// An instance of the top `scramblers`.
struct Instance {
    prefixes: [&'static str; 2],
    params: ScramblerParams,
    word_bytes: usize,
}

const INSTANCES: [Instance; 3] = [
    Instance {
        prefixes: ["narrow_in", "narrow_out"],
        params: ScramblerParams { polynomial: 0x11d, seed_bits: 20 },
        word_bytes: 1,
    },
    Instance {
        prefixes: ["usual_in", "usual_out"],
        params: ScramblerParams { polynomial: 0x11d, seed_bits: 8 },
        word_bytes: 2,
    },
    Instance {
        prefixes: ["wide_in", "wide_out"],
        params: ScramblerParams { polynomial: 0x12b, seed_bits: 32 },
        word_bytes: 4,
    },
];

fn words(bytes: &[u8], word_bytes: usize) -> Vec<Vec<u64>> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(word_bytes).map(|bytes| vec![word(bytes)]).collect()
}

/// Sends a page from `column` on through an instance and compares it with the model.
fn check(instance: &Instance, random: &mut Random, row: u32, column: u16) {
    let mut bench = Bench::new(&tops::SCRAMBLERS);
    let enabled = !random.percent(20);
    for (name, value) in [
        ("enable_i", u64::from(enabled)),
        ("row_i", u64::from(row)),
        ("column_i", u64::from(column)),
        ("start_i", 1),
    ] {
        let port = bench.input(name);
        bench.set(port, value);
    }
    bench.cycle(&mut []);
    let start = bench.input("start_i");
    bench.set(start, 0);
    let ports =
        instance.prefixes.map(|prefix| StreamPorts { prefix, fields: &["data"], lane: (0, 1) });
    let mut source = Source::new(bench.model(), ports[0], Pace::any(random));
    let mut sink = Sink::new(bench.model(), ports[1], Pace::any(random));
    let mut page = random.bytes(600 * instance.word_bytes);
    source.push_all(words(&page, instance.word_bytes));
    while sink.received().len() < 600 {
        bench.cycle(&mut [&mut source, &mut sink]);
        assert!(bench.cycles() < 40_000, "stuck");
    }
    if enabled {
        let scrambler = Scrambler::new(instance.params).unwrap();
        scrambler.apply(row, usize::from(column), &mut page);
    }
    assert_eq!(
        sink.received(),
        words(&page, instance.word_bytes),
        "{}, row {row:#x}, column {column}",
        instance.prefixes[0]
    );
}

#[test]
fn any_row_from_any_column_is_as_in_the_golden_model() {
    seed::each(10, |random| {
        for instance in &INSTANCES {
            let (row, column) = (random.next() as u32, random.next() as u16);
            check(instance, random, row, column);
        }
    });
}

#[test]
fn rows_whose_seed_is_zero_and_columns_at_the_ends_are_too() {
    let mut random = Random::new(1);
    for instance in &INSTANCES {
        for (row, column) in [(0, 0), (0x0100, 1), (0xff_ffff, 254), (1, 255), (2, u16::MAX)] {
            check(instance, &mut random, row, column);
        }
    }
}

#[test]
fn a_start_takes_sixteen_cycles() {
    let mut bench = Bench::new(&tops::SCRAMBLERS);
    let (start, valid) = (bench.input("start_i"), bench.input("usual_in_valid_i"));
    let (ready_in, ready) = (bench.input("usual_out_ready_i"), bench.output("usual_in_ready_o"));
    bench.set(start, 1);
    bench.cycle(&mut []);
    bench.set(start, 0);
    bench.set(valid, 1);
    bench.set(ready_in, 1);
    for cycle in 0..20 {
        assert_eq!(bench.get(ready) == 1, cycle >= 16, "cycle {cycle}");
        bench.cycle(&mut []);
    }
}
