//! A buffer that stands still, or is slow.

use crate::page_path::mixes::{Mix, Waits};
use crate::page_path::rig::{Manners, Path, Rig};
use rtl_sim::{seed, Pace, Paces, Random};

/// Longest pause, in times of 16 cycles. While nothing leaves, a chunk takes up to 400 cycles to be
/// corrected; words from the bus may have to wait until one has left.
const TIMEOUT: u16 = 30;

/// The most cycles that a step may take if the buffer does not move: the bus waits for a page
/// ahead to be given up, for the step to be taken, and for its words.
const CYCLES_PER_STEP: u64 = 5 * 16 * TIMEOUT as u64;

/// All steps get an answer in time while the buffer stands still, and later ones are as ever.
fn stall(random: &mut Random, path: Path, still: Paces) {
    let mut rig = Rig::new(path, Manners::eager());
    rig.set_timeout(TIMEOUT);
    let during = Mix::queue(random, &mut rig, 0, 20, 10);
    rig.cycles(random.below(3000));
    rig.buffer.set_paces(still);
    let limit = rig.bench.cycles() + 20 * CYCLES_PER_STEP;
    while !rig.bus.is_idle() || rig.completions.received().len() < during.completions() {
        rig.cycle();
        assert!(rig.bench.cycles() < limit, "steps wait for the buffer");
    }
    rig.buffer.set_paces(Paces::ALWAYS);
    rig.finish(during.completions());
    during.check(&mut rig, Waits::Sometimes);

    let after = Mix::queue(random, &mut rig, 20, 20, 0);
    rig.finish(after.completions());
    after.check(&mut rig, Waits::Never);
}

#[test]
fn a_buffer_that_takes_no_words_delays_no_answer_for_ever() {
    for path in [Path::CODED, Path::PLAIN] {
        seed::each(3, |random| {
            stall(random, path, Paces { receive: Pace::Never, ..Paces::ALWAYS });
        });
    }
}

#[test]
fn a_buffer_that_gives_no_words_delays_no_answer_for_ever() {
    for path in [Path::CODED, Path::PLAIN] {
        seed::each(3, |random| {
            stall(random, path, Paces { send: Pace::Never, ..Paces::ALWAYS });
        });
    }
}

#[test]
fn a_buffer_that_takes_no_descriptors_delays_no_answer_for_ever() {
    for path in [Path::CODED, Path::PLAIN] {
        seed::each(3, |random| {
            stall(random, path, Paces { descriptors: Pace::Never, ..Paces::ALWAYS });
        });
    }
}

#[test]
fn a_buffer_that_is_slow_but_moves_is_waited_for() {
    seed::each(3, |random| {
        let mut slow = || Pace::Percent(50, random.split());
        let buffer = Paces { descriptors: slow(), send: slow(), receive: slow() };
        let mut rig = Rig::new(Path::CODED, Manners { buffer, ..Manners::eager() });
        rig.set_timeout(TIMEOUT);
        let mix = Mix::queue(random, &mut rig, 0, 20, 0);
        rig.finish(mix.completions());
        mix.check(&mut rig, Waits::Never);
    });
}
