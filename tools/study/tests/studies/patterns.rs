//! Patterns on the chips of boards: Figure 30 of Cosmos+ in short, and loads that do not fit.

use board::Board;
use study::cell_load::{run, Load, Outcome};

fn board(changes: &[(&str, &str)]) -> Board {
    let owned: Vec<_> = changes.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    Board::resolve("cosmos-plus-mlc", &owned).expect("a board")
}

fn load(options: &[(&str, &str)]) -> Load {
    Load::read(options.iter().copied()).expect("a load")
}

/// A block of a pattern after so many cycles.
fn block(pattern: &str, cycles: &str, (model, scrambler): (&str, &str)) -> Outcome {
    let board = board(&[("errors.model", model), ("ecc.scrambler", scrambler)]);
    run(&board, &load(&[("pattern", pattern), ("cycles", cycles)]), 1).expect("a load that fits")
}

/// What the scrambler leaves of the wrong bits of a pattern.
fn left(pattern: &str, cycles: &str) -> f64 {
    let [on, off] = ["on", "off"].map(|scrambler| block(pattern, cycles, ("cells", scrambler)));
    assert_eq!((on.pages, on.uncorrectable, off.uncorrectable), (256, 0, 0));
    assert!(on.wrong_bits > 10_000, "{} wrong bits say little", on.wrong_bits);
    on.wrong_bits as f64 / off.wrong_bits as f64
}

#[test]
fn the_scrambler_helps_one_pattern_and_hardly_another() {
    // Some 19,000 wrong bits each: a standard deviation of their ratio is a hundredth.
    let helped = left("01-00", "5000");
    assert!((0.82..0.90).contains(&helped), "01-00: {helped} of the wrong bits");
    let alike = left("11-00", "5000");
    assert!((0.96..1.05).contains(&alike), "11-00: {alike} of the wrong bits");
}

#[test]
fn few_cycles_make_few_wrong_bits_whatever_the_pattern() {
    for pattern in ["11-00", "01-10"] {
        let [on, off] = ["on", "off"].map(|scrambler| block(pattern, "1000", ("cells", scrambler)));
        let [on, off] = [on, off].map(|of| of.wrong_bits_per_page().expect("pages"));
        assert!(on < 3.0 && (on - off).abs() < 1.0, "{pattern}: {on} with, {off} without");
    }
}

#[test]
fn by_rates_the_pattern_plays_no_part() {
    let [first, second] = ["11-00", "01-10"].map(|pattern| block(pattern, "5000", ("rates", "on")));
    assert!(first.wrong_bits > 1000);
    assert_eq!(first, second);
}

#[test]
fn loads_that_do_not_fit_the_board_are_refused() {
    for (options, expected) in [
        (&[("pattern", "1-0")][..], "pattern: found \"1-0\", expected words of 2 bits"),
        (
            &[("pattern", "11-00"), ("read_level", "8")],
            "read_level: found \"8\", expected at most 7",
        ),
    ] {
        let error = run(&board(&[]), &load(options), 1).expect_err("no such load");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let few = board(&[
        ("geometry.blocks_per_way", "128"),
        ("errors.factory_bad_blocks_per_million", "0"),
    ]);
    let error =
        run(&few, &load(&[("pattern", "11-00"), ("blocks", "65")]), 1).expect_err("too many");
    assert!(error.to_string().starts_with("blocks: found \"65\", expected at most 64"), "{error}");
}
