//! Each policy against its model. With `--nocapture` the figures of docs/design/collection.md are printed.

use contract::VictimPolicy::{self, DChoices, Greedy, Random};

use crate::drive::{Drive, Shape, BLOCK};
use crate::models::{desnoyers_greedy, Choice, Load, MeanField};

pub const SHAPE: Shape =
    Shape { ways: 1, blocks_per_way: 512, planes: 1, units: 1, bad: 0, ratio: 0.85 };
/// Times that the drive is written under a load before it is measured, and while it is.
pub const TIMES: u32 = 6;

#[track_caller]
pub fn assert_within(percent: f64, found: f64, expected: f64, what: &str) {
    let off = (found / expected - 1.0) * 100.0;
    println!("{what}: {found:.3}, published {expected:.3}, {off:+.2} %");
    assert!(off.abs() < percent, "{what}: {found}, expected {expected}");
}

#[test]
fn greedy_under_uniform_writes_is_within_3_percent_of_the_formula() {
    for ratio in [0.7, 0.8, 0.87, 0.93] {
        let mut drive = Drive::new(Shape { ratio, ..SHAPE }, (Greedy, 1));
        let found = drive.amplification(Load::UNIFORM, TIMES);
        let formula = desnoyers_greedy(Load::UNIFORM, drive.ratio, BLOCK);
        assert_within(3.0, found, formula, &format!("greedy, ratio {ratio}"));
    }
}

/// The same on drives of several ways, of superblocks of several planes, and with bad blocks.
#[test]
fn greedy_is_within_3_percent_of_the_formula_whatever_the_shape_of_the_drive() {
    let shapes = [
        Shape { ways: 4, blocks_per_way: 256, ..SHAPE },
        Shape { bad: 16, ..SHAPE },
        Shape { planes: 4, blocks_per_way: 2048, ..SHAPE },
        Shape { ways: 2, planes: 2, blocks_per_way: 512, bad: 16, ..SHAPE },
    ];
    for shape in shapes {
        let mut drive = Drive::new(shape, (Greedy, 1));
        let found = drive.amplification(Load::UNIFORM, TIMES);
        let formula = desnoyers_greedy(Load::UNIFORM, drive.ratio, BLOCK);
        assert_within(3.0, found, formula, &format!("{shape:?}"));
    }
}

/// Pages of several mapping units: all that a victim holds is packed, so a block counts by its units.
#[test]
fn greedy_of_small_mapping_units_is_within_3_percent_of_the_formula() {
    for units in [2, 4, 8] {
        for ratio in [0.7, 0.85, 0.93] {
            let shape = Shape { units, ratio, ..SHAPE };
            let mut drive = Drive::new(shape, (Greedy, 1));
            let found = drive.amplification(Load::UNIFORM, TIMES);
            let formula = desnoyers_greedy(Load::UNIFORM, drive.ratio, BLOCK * units);
            assert_within(3.0, found, formula, &format!("greedy, {units} units, ratio {ratio}"));
        }
    }
    let shape = Shape { units: 4, ways: 2, planes: 2, bad: 16, ..SHAPE };
    let mut drive = Drive::new(shape, (Greedy, 1));
    let found = drive.amplification(Load::UNIFORM, TIMES);
    let formula = desnoyers_greedy(Load::UNIFORM, drive.ratio, BLOCK * 4);
    assert_within(3.0, found, formula, &format!("{shape:?}"));
}

#[test]
fn draws_under_uniform_writes_are_within_3_percent_of_the_mean_field() {
    for (policy, draws) in [(Random, 1), (DChoices, 2), (DChoices, 5), (DChoices, 10)] {
        let mut drive = Drive::new(SHAPE, (policy, draws));
        let found = drive.amplification(Load::UNIFORM, TIMES);
        let choice = Choice::Draws(draws as i32);
        let field = MeanField::amplification(Load::UNIFORM, drive.ratio, (BLOCK, choice));
        assert_within(3.0, found, field, &format!("{policy:?}, {draws} draws"));
    }
}

pub const SKEWED: [Load; 2] = [Load { writes: 0.8, pages: 0.2 }, Load { writes: 0.9, pages: 0.1 }];

#[test]
fn greedy_under_skewed_writes_is_within_5_percent_of_formula_and_mean_field() {
    for load in SKEWED {
        let mut drive = Drive::new(SHAPE, (Greedy, 1));
        let found = drive.amplification(load, TIMES);
        let formula = desnoyers_greedy(load, drive.ratio, BLOCK);
        assert_within(5.0, found, formula, &format!("greedy, {load:?}, formula"));
        let field = MeanField::amplification(load, drive.ratio, (BLOCK, Choice::Greedy));
        assert_within(5.0, found, field, &format!("greedy, {load:?}, mean field"));
    }
}

#[test]
fn draws_under_skewed_writes_are_within_5_percent_of_the_mean_field() {
    for (load, draws) in SKEWED.into_iter().zip([3, 10]) {
        let mut drive = Drive::new(SHAPE, (DChoices, draws));
        let found = drive.amplification(load, TIMES);
        let choice = Choice::Draws(draws as i32);
        let field = MeanField::amplification(load, drive.ratio, (BLOCK, choice));
        assert_within(5.0, found, field, &format!("{load:?}, {draws} draws"));
    }
}

/// No policy does without end what frees nothing, and none is better than greedy where all pages are alike.
#[test]
fn greedy_is_the_best_under_uniform_writes() {
    let of = |policy| Drive::new(SHAPE, (policy, 3)).amplification(Load::UNIFORM, TIMES);
    let greedy = of(Greedy);
    for &policy in VictimPolicy::ALL {
        let found = of(policy);
        println!("{policy:?}: {found:.3}");
        assert!(found > greedy * 0.995 && found < 8.0, "{policy:?}: {found}, greedy {greedy}");
    }
}
