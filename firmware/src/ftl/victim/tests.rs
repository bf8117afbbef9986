//! What each policy chooses, in ways where it is known which that is.

use alloc::vec::Vec;
use contract::{Geometry, Policies, VictimPolicy};

use super::*;
use crate::ftl::blocks::Stream;
use crate::nvme::tests::mock::configuration;

const PAGES: u32 = 8;

fn config(policy: VictimPolicy, (choices, seed): (u64, u64)) -> Configuration {
    let geometry = Geometry {
        channels: 1,
        ways: 2,
        blocks_per_way: 10,
        pages_per_block: PAGES,
        page_bytes: 4096,
    };
    let mut victim = policy.with([]);
    for (key, value) in KEYS[policy as usize].iter().zip(&mut victim.settings.0) {
        *value = match key.name {
            "choices" => choices,
            "seed" => seed,
            _ => key.default,
        };
    }
    let (unit_bytes, policies) = (geometry.page_bytes, Policies { victim, ..Policies::PUBLISHED });
    Configuration { geometry, unit_bytes, policies, spare_blocks_per_way: 0, ..configuration() }
}

/// Ways whose first superblocks are closed and lost so many pages each: all pages of the first one, then those of the
/// second.
fn closed(config: &Configuration, invalid: &[u32]) -> Blocks {
    let mut blocks = Blocks::new(config, |_, _| false);
    for die in 0..2 {
        blocks.take_pages((die, Stream::Host), invalid.len() as u32 * PAGES);
        for (block, &count) in (0..).zip(invalid) {
            (0..count).for_each(|_| blocks.invalidate(die, block));
        }
    }
    blocks
}

fn choose(chosen: &mut Chosen, blocks: &mut Blocks, die: u32) -> u32 {
    let most = blocks.most_invalid(die);
    chosen.choose(&Way::new(blocks, die, most))
}

/// What a policy chooses in each of these ways, anew each time; of those that draw, with three choices.
pub(in crate::ftl::victim) fn choices(
    policy: VictimPolicy,
    invalid: &[u32],
    count: usize,
) -> Vec<u32> {
    let config = config(policy, (3, 7));
    let mut blocks = closed(&config, invalid);
    let mut chosen = Chosen::new(&config);
    (0..count).map(|_| choose(&mut chosen, &mut blocks, 1)).collect()
}

#[test]
fn greedy_takes_the_most_invalid_pages_and_of_equals_the_oldest() {
    assert_eq!(choices(VictimPolicy::Greedy, &[1, 6, 3, 6], 2), [1, 1]);
}

#[test]
fn cost_benefit_weighs_age_and_space_against_cost() {
    // Ages when all is done: 9, 3 and 0. Scores 9 * 2 / 6, 3 * 6 / 2 and 0.
    assert_eq!(choices(VictimPolicy::CostBenefit, &[2, 6, 3], 1), [1]);
    // Ages 26, 22, 18, 14, 10, 6 and 0: 26 * 1 / 7 is less than 22 * 4 / 4.
    assert_eq!(choices(VictimPolicy::CostBenefit, &[1, 4, 4, 4, 4, 4, 6], 1), [1]);
    // The same with one that greedy takes: 0 * 6 / 2.
    assert_eq!(choices(VictimPolicy::Greedy, &[1, 4, 4, 4, 4, 4, 6], 1), [6]);
    // Without valid pages there is nothing to weigh.
    assert_eq!(choices(VictimPolicy::CostBenefit, &[4, 4, 8], 1), [2]);
    // One that changed just now is all there is.
    assert_eq!(choices(VictimPolicy::CostBenefit, &[0, 0, 1], 1), [2]);
}

#[test]
fn random_takes_each_that_gains_something_equally_often() {
    let chosen = choices(VictimPolicy::Random, &[1, 0, 7, 3, 0], 6_000);
    for (superblock, expected) in [(0, 2000), (1, 0), (2, 2000), (3, 2000), (4, 0)] {
        let found = chosen.iter().filter(|&&one| one == superblock).count() as i32;
        assert!((found - expected).abs() <= expected / 12, "{superblock}: {found}");
    }
}

#[test]
fn choices_are_those_that_gain_most_first_and_of_equals_the_oldest() {
    let config = config(VictimPolicy::Greedy, (3, 7));
    let mut blocks = closed(&config, &[1, 6, 0, 6, 3]);
    let most = blocks.most_invalid(1);
    let way = Way::new(&blocks, 1, most);
    assert_eq!(way.choices().collect::<Vec<_>>(), [1, 3, 4, 0]);
}

/// The order in which ways come changes nothing in what is drawn for them, and another seed draws otherwise.
#[test]
fn draws_are_those_of_seed_and_way() {
    for policy in [VictimPolicy::DChoices, VictimPolicy::Random] {
        let of_order = |seed, order: &[u32]| {
            let config = config(policy, (2, seed));
            let mut blocks = closed(&config, &[1, 2, 3, 4, 5]);
            let mut chosen = Chosen::new(&config);
            let mut drawn = [Vec::new(), Vec::new()];
            for &die in order {
                drawn[die as usize].push(choose(&mut chosen, &mut blocks, die));
            }
            drawn
        };
        let mixed = of_order(7, &[0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1]);
        assert_eq!(mixed, of_order(7, &[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]));
        assert_ne!(mixed, of_order(8, &[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]));
        assert_ne!(mixed[0], mixed[1]);
    }
}

/// Draws that find nothing come to an end: few superblocks are closed, or only one gains something.
#[test]
fn every_policy_finds_the_only_one() {
    for &policy in VictimPolicy::ALL {
        for invalid in [&[1][..], &[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]] {
            let expected = [invalid.len() as u32 - 1; 50];
            assert_eq!(choices(policy, invalid, 50), expected, "{policy:?} {invalid:?}");
        }
    }
}
