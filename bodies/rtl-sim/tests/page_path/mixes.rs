//! Random steps of both directions, one after the other.

use crate::page_path::bus::Turn;
use crate::page_path::golden::{Golden, Step, Verdict, PROGRAMS, READS};
use crate::page_path::rig::{Manners, Path, Rig};
use ecc::BchParams;
use rtl_sim::{seed, Random, Top};

const STEPS: u16 = 40;

/// An even length around chunks of so many bytes.
fn any_length(random: &mut Random, chunk: usize) -> usize {
    match random.below(8) {
        0 => 0,
        1 => 2,
        2 => chunk - 2 + 2 * random.below(3) as usize,
        3..=5 => chunk * (1 + random.below(4) as usize),
        _ => 2 * random.below(700 * (chunk / 256) as u64) as usize,
    }
}

pub fn any_step(random: &mut Random, golden: &Golden, buffer: u16) -> Step {
    let operations: &[u8] = if random.percent(60) { &READS } else { &PROGRAMS };
    let bypass = random.percent(20);
    let place = random.below(60) as u16;
    let stride = if bypass { 34 } else { golden.code_word_bytes() as u16 };
    Step {
        operation: operations[random.below(operations.len() as u64) as usize],
        way: random.below(16) as u8,
        row: random.next() as u32,
        column: place % (u16::MAX / stride) * stride,
        length: any_length(random, golden.bch.params().chunk_bytes),
        buffer,
        plain: random.percent(25),
        bypass,
        metadata: random.percent(60),
        respond: random.percent(85),
        slot: random.next() as u8,
        tag: random.next() as u8,
        irq: random.percent(50),
        irq_on_error: random.percent(50),
    }
}

/// What a chip gives for a step: programmed and worn, or erased and worn, or partly so.
pub fn any_raw(random: &mut Random, golden: &Golden, step: &Step) -> Vec<u8> {
    let payload = random.bytes(golden.payload_bytes(step));
    let mut raw = golden.raw(step, &payload);
    if !golden.is_coded(step) {
        return raw;
    }
    let (kind, t) = (random.below(8), u64::from(golden.bch.params().t));
    let mut start = 0;
    for bytes in golden.chunks(step) {
        let end = start + bytes + golden.parity_bytes();
        let word = &mut raw[start..end];
        if kind == 0 || (kind == 1 && random.percent(50)) {
            word.fill(0xff);
        }
        let most = if kind == 2 { t + 7 } else { t + 1 };
        let errors = if kind == 3 { t } else { random.below(most) } as usize;
        for bit in random.choose(errors, word.len() * 8 - golden.unused_bits() as usize) {
            word[usize::from(bit / 8)] ^= 0x80 >> (bit % 8);
        }
        start = end;
    }
    raw
}

/// Random steps on their way, which are checked once all are through.
pub struct Mix {
    planned: Vec<(Step, Vec<u8>)>,
}

/// What to expect of a mix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// Only the bus gives steps up, and only those that were planned so.
    Never,
    /// Any step may have waited for too long.
    Sometimes,
}

impl Mix {
    /// Queues so many steps, the first for this buffer entry, so many of a hundred to be aborted.
    pub fn queue(random: &mut Random, rig: &mut Rig, first: u16, steps: u16, aborts: u32) -> Self {
        let plan = |buffer| {
            let step = any_step(random, &rig.golden, buffer);
            let mut turn = rig.turn(step.clone(), Vec::new());
            turn.frame = random.below(60) as u32;
            let words = turn.bytes / 2;
            if words > 0 && random.percent(aborts) {
                turn.abort_after = Some(random.below(words as u64) as usize);
            }
            let raw = if step.is_read() {
                let raw = any_raw(random, &rig.golden, &step);
                rig.push(Turn { raw: raw.clone(), ..turn });
                raw
            } else {
                rig.program(random, turn)
            };
            (step, raw)
        };
        Self { planned: (first..first + steps).map(plan).collect() }
    }

    /// Steps that are to be completed.
    pub fn completions(&self) -> usize {
        self.planned.iter().filter(|(step, _)| step.is_read() && step.respond).count()
    }

    /// Checks what came of the steps, and forgets it.
    pub fn check(self, rig: &mut Rig, waits: Waits) {
        let mut completions = rig.completions.take().into_iter();
        let all_ended = std::mem::take(&mut rig.bus.ended);
        assert_eq!(all_ended.len(), self.planned.len());
        for ((step, raw), ended) in self.planned.into_iter().zip(all_ended) {
            assert!(waits == Waits::Sometimes || ended.aborted == ended.to_be_aborted, "{step:?}");
            if !step.is_read() {
                assert!(raw.starts_with(&ended.written), "{step:?}");
                assert_eq!(ended.written.len() == raw.len(), !ended.aborted);
                continue;
            }
            let timed_out = step.completion(&Verdict::timed_out());
            let expected = if ended.aborted {
                timed_out.clone()
            } else if raw.is_empty() {
                step.completion(&Verdict::clean())
            } else {
                step.completion(&rig.check_stored(&step, &raw))
            };
            if step.respond {
                let found = completions.next().expect("a completion");
                let excused = waits == Waits::Sometimes && found == timed_out;
                assert!(found == expected || excused, "{found:?}, not {expected:?}: {step:?}");
            }
        }
        assert_eq!(completions.next(), None);
    }
}

/// Runs random steps, so many of a hundred of them aborted.
fn mix(random: &mut Random, path: Path, aborts: u32) {
    let mut rig = Rig::new(path, Manners::any(random));
    let mix = Mix::queue(random, &mut rig, 0, STEPS, aborts);
    rig.finish(mix.completions());
    mix.check(&mut rig, Waits::Never);
}

#[test]
fn steps_of_both_directions_are_those_of_the_golden_model() {
    seed::each(6, |random| mix(random, Path::CODED, 0));
}

#[test]
fn steps_are_the_bytes_themselves_without_a_codec() {
    seed::each(3, |random| mix(random, Path::PLAIN, 0));
}

#[test]
fn steps_that_the_bus_gives_up_leave_the_others_alone() {
    seed::each(6, |random| mix(random, Path::CODED, 30));
    seed::each(3, |random| mix(random, Path::PLAIN, 30));
}

/// Codes of more bits than a response of four bits can tell. That of 40 bits takes long to compile: `make ecc-codes` has it.
#[test]
fn strong_codes_are_those_of_the_golden_model() {
    let paths = [("page_paths_t24", 512, 24), ("page_paths_t40", 1024, 40)];
    let made = paths.into_iter().filter_map(|(top, chunk_bytes, t)| {
        Some(Path { top: Top::named(top)?, code: Some(BchParams { chunk_bytes, t }) })
    });
    for path in made {
        seed::each(4, |random| mix(random, path, 0));
        seed::each(2, |random| mix(random, path, 30));
        println!("{:?}: steps of both directions as in the golden model", path.code);
    }
}
