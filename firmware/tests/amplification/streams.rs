//! Moved pages apart from new ones: what that gains, against its model, and what it costs.

use contract::StreamPolicy;
use contract::VictimPolicy::{self, CostBenefit, DChoices, Greedy, Random};

use crate::drive::{Drive, Policies, BLOCK};
use crate::models::{Choice, Frontiers, Load, MeanField};
use crate::published::{assert_within, SHAPE, SKEWED, TIMES};

fn drive(streams: StreamPolicy, (policy, choices): (VictimPolicy, u32)) -> Drive {
    Drive::of(SHAPE, Policies { streams: streams.with([4]), ..Policies::of(policy, choices) })
}

#[test]
fn streams_apart_are_within_5_percent_of_the_mean_field() {
    for load in SKEWED {
        for (policy, draws) in [(DChoices, 3), (DChoices, 10), (Random, 1)] {
            let mut drive = drive(StreamPolicy::Apart, (policy, draws));
            let found = drive.amplification(load, TIMES);
            let model = (BLOCK, Choice::Draws(draws as i32));
            let field = MeanField::with_frontiers(Frontiers::Two, load, drive.ratio, model);
            assert_within(5.0, found, field, &format!("apart, {policy:?} {draws}, {load:?}"));
        }
    }
}

#[test]
fn streams_apart_write_less_under_a_skewed_load_and_hardly_more_under_an_even_one() {
    let of = |streams, victim, load| drive(streams, victim).amplification(load, TIMES);
    // The factor under 90 % of writes to 10 % of pages.
    for (victim, least) in
        [((Greedy, 1), 1.15), ((CostBenefit, 1), 1.8), ((DChoices, 10), 1.5), ((Random, 1), 1.4)]
    {
        let [together, apart] = [StreamPolicy::Together, StreamPolicy::Apart]
            .map(|streams| of(streams, victim, SKEWED[1]));
        println!("{victim:?}, 90/10: {together:.3} together, {apart:.3} apart");
        assert!(together / apart > least, "{victim:?}: {together} together, {apart} apart");
        let [together, apart] = [StreamPolicy::Together, StreamPolicy::Apart]
            .map(|streams| of(streams, victim, Load::UNIFORM));
        println!("{victim:?}, even: {together:.3} together, {apart:.3} apart");
        assert!(apart / together < 1.02, "{victim:?}, even: {together} together, {apart} apart");
    }
}

/// What is seldom written leaves the superblocks of new data at once, and not when it is collected first.
#[test]
fn new_data_apart_by_writes_are_collected_for_less_under_a_skewed_load() {
    let of = |streams, load| drive(streams, (CostBenefit, 1)).amplification(load, TIMES);
    let [apart, by_writes] =
        [StreamPolicy::Apart, StreamPolicy::ByWrites].map(|streams| of(streams, SKEWED[1]));
    println!("90/10: {apart:.3} apart, {by_writes:.3} by writes");
    assert!(apart / by_writes > 1.04, "90/10: {apart} apart, {by_writes} by writes");
    let [together, by_writes] =
        [StreamPolicy::Together, StreamPolicy::ByWrites].map(|streams| of(streams, Load::UNIFORM));
    println!("even: {together:.3} together, {by_writes:.3} by writes");
    assert!(by_writes / together < 1.05, "even: {together} together, {by_writes} by writes");
}
