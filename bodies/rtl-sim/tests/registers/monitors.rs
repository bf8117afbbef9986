//! The monitors against counts of what was driven.

use crate::registers::setup::{Setup, WAYS};
use ::registers::flash as registers;
use contract::packet::Outcome;
use rtl_sim::{seed, Random};

/// The counters as they were copied last, by their word.
fn monitors(setup: &mut Setup) -> Vec<u64> {
    let monitor = registers::monitor::REGISTER;
    setup.write(monitor.offset, registers::monitor::CAPTURE.mask());
    while setup.field(monitor, registers::monitor::BUSY) == 1 {}
    let words = (registers::monitors::OFFSET..).step_by(4);
    let words: Vec<u32> =
        words.take(registers::monitors::SIZE as usize / 4).map(|word| setup.read(word)).collect();
    words.chunks(2).map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect()
}

/// Drives what is counted, and counts.
struct Activity {
    counts: Vec<u64>,
    random: Random,
    shares: [u32; 7],
}

impl Activity {
    fn add(&mut self, address: u32, amount: u64) {
        self.counts[((address - registers::monitors::OFFSET) / 8) as usize] += amount;
    }

    /// What goes on in one cycle.
    fn cycle(&mut self, setup: &mut Setup) {
        use registers::monitors as at;
        let [busy, out, inwards, step, given_up, completion, way] =
            self.shares.map(|share| self.random.percent(share));
        let group = self.random.below(4);
        let outcome = self.random.below(5);
        let (corrected, lost) = (self.random.below(1 << 12), self.random.below(1 << 8));
        let [ready, occupied] = [0; 2].map(|_| if way { self.random.below(1 << WAYS) } else { 0 });
        let ready = !ready & ((1 << WAYS) - 1);
        setup.set("bus_busy_i", busy.into());
        setup.set("word_out_i", out.into());
        setup.set("word_in_i", inwards.into());
        setup.set("step_i", step.into());
        setup.set("step_group_i", group);
        setup.set("given_up_i", given_up.into());
        setup.set("completion_i", completion.into());
        setup.set("outcome_i", outcome);
        setup.set("corrected_i", corrected);
        setup.set("lost_i", lost);
        setup.set("ready_i", ready);
        setup.set("occupied_i", occupied);
        self.add(at::BUS_BUSY, busy.into());
        self.add(at::BYTES_OUT, 2 * u64::from(out));
        self.add(at::BYTES_IN, 2 * u64::from(inwards));
        self.add(at::STEPS[group as usize], step.into());
        self.add(at::GIVEN_UP, given_up.into());
        if completion {
            self.add(at::CORRECTED, corrected);
            self.add(at::LOST, lost);
            self.add(at::REFUSED, (outcome == Outcome::Refused as u64).into());
            self.add(at::TIMED_OUT, (outcome == Outcome::TimedOut as u64).into());
        }
        for way in 0..WAYS as usize {
            self.add(at::WAY_BUSY[way], (!ready | occupied) >> way & 1);
        }
        setup.cycle();
    }
}

#[test]
fn monitors_count_what_happens_at_every_rate() {
    seed::each(5, |random| {
        let mut setup = Setup::willing();
        let quiet = |setup: &mut Setup| {
            for port in
                ["bus_busy_i", "word_out_i", "word_in_i", "step_i", "given_up_i", "completion_i"]
            {
                setup.set(port, 0);
            }
            setup.set("ready_i", (1 << WAYS) - 1);
            setup.set("occupied_i", 0);
            setup.run(40);
        };
        quiet(&mut setup);
        let before = monitors(&mut setup);
        let shares = [0; 7].map(|_| [0, 10, 60, 100][random.below(4) as usize]);
        let mut activity =
            Activity { counts: vec![0; before.len()], random: random.split(), shares };
        (0..3_000).for_each(|_| activity.cycle(&mut setup));
        quiet(&mut setup);
        let after = monitors(&mut setup);
        let cycles = registers::monitors::CYCLES - registers::monitors::OFFSET;
        for (index, expected) in activity.counts.iter().enumerate() {
            if index as u32 * 8 != cycles {
                assert_eq!(after[index] - before[index], *expected, "counter {index}");
            }
        }
    });
}

#[test]
fn copies_of_monitors_are_over_the_same_cycles() {
    let mut setup = Setup::willing();
    setup.set("bus_busy_i", 1);
    setup.set("ready_i", 0);
    setup.run(100);
    let before = monitors(&mut setup);
    setup.run(5_000);
    let after = monitors(&mut setup);
    let difference = |address: u32| {
        after[((address - registers::monitors::OFFSET) / 8) as usize]
            - before[((address - registers::monitors::OFFSET) / 8) as usize]
    };
    let cycles = difference(registers::monitors::CYCLES);
    assert!(cycles > 5_000);
    assert_eq!(difference(registers::monitors::BUS_BUSY), cycles);
    for way in 0..WAYS as usize {
        assert_eq!(difference(registers::monitors::WAY_BUSY[way]), cycles);
    }
    assert_eq!(difference(registers::monitors::WAY_BUSY[WAYS as usize]), 0);
}
