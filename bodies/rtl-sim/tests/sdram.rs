//! The SDRAM's controller against a chip that holds it to its data sheet.

use rtl_sim::sdram::Sdram;
use rtl_sim::{seed, tops, Agent, Bench, Pace, Random, Sink, Source, StreamPorts};
use std::collections::BTreeMap;

const BEAT: u64 = 16;
const POWER_UP: u64 = 200;
/// Of the board's clock, 25 MHz.
const PERIOD_NS: u64 = 40;
const FRESH: u32 = 0xa5a5_a5a5;

struct Rig {
    bench: Bench,
    chip: Sdram,
    ar: Source,
    aw: Source,
    w: Source,
    r: Sink,
    b: Sink,
}

impl Rig {
    fn new(random: &mut Random) -> Self {
        let bench = Bench::new(&tops::SDRAM_SMALL);
        let model = bench.model();
        let ports = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        let burst = &["id", "address", "length"];
        let mut pace = || Pace::any(random);
        Self {
            chip: Sdram::new(model, PERIOD_NS, POWER_UP),
            ar: Source::new(model, ports("ar", burst), pace()),
            aw: Source::new(model, ports("aw", burst), pace()),
            w: Source::new(model, ports("w", &["low", "high", "strobe", "last"]), pace()),
            r: Sink::new(model, ports("r", &["id", "low", "high", "response", "last"]), pace()),
            b: Sink::new(model, ports("b", &["id", "response"]), pace()),
            bench,
        }
    }

    fn until(&mut self, mut done: impl FnMut(&Self) -> bool) {
        let end = self.bench.cycles() + 500_000;
        while !done(self) {
            let agents: [&mut dyn Agent; 6] =
                [&mut self.chip, &mut self.ar, &mut self.aw, &mut self.w, &mut self.r, &mut self.b];
            self.bench.cycle(&mut { agents });
            assert!(self.bench.cycles() < end, "no answer");
        }
    }
}

/// A burst anywhere in a half of the chip, within 4 KiB.
fn place(random: &mut Random, half: u64) -> (u64, u64) {
    let beats = 1 + if random.below(4) == 0 { random.below(256) } else { random.below(6) };
    let page = [0, 1, 5, 4095][random.below(4) as usize];
    let first = random.below(257 - beats);
    (half << 24 | page << 12 | (first * BEAT), beats)
}

#[test]
fn bursts_come_back_as_they_were_written() {
    seed::each(4, |random: &mut Random| {
        let mut rig = Rig::new(random);
        let mut memory: BTreeMap<u64, u32> = BTreeMap::new();
        for round in 0..60 {
            let (writes, reads) = (round % 2, (round + 1) % 2);
            let (at, beats) = place(random, writes);
            rig.aw.push(vec![round & 7, at, beats - 1]);
            let mut written = Vec::new();
            for beat in 0..beats {
                let words = [(); 4].map(|()| random.below(1 << 32) as u32);
                let strobe = if random.below(3) == 0 { random.below(16) } else { 15 };
                let wide = |nth: usize| u64::from(words[nth]) | u64::from(words[nth + 1]) << 32;
                rig.w.push(vec![wide(0), wide(2), strobe, u64::from(beat + 1 == beats)]);
                let lanes = (0..4).filter(|lane| strobe >> lane & 1 == 1);
                written
                    .extend(lanes.map(|lane| (at + beat * BEAT + 4 * lane, words[lane as usize])));
            }
            // At the same time a read of the other half.
            let (from, count) = place(random, reads);
            rig.ar.push(vec![round >> 3 & 7, from, count - 1]);
            rig.until(|rig| rig.b.received().len() == 1 && rig.r.received().len() as u64 == count);
            assert_eq!(rig.b.take(), [[round & 7, 0]]);
            for (nth, beat) in (0..).zip(rig.r.take()) {
                let word = |lane: u64| {
                    u64::from(*memory.get(&(from + nth * BEAT + 4 * lane)).unwrap_or(&FRESH))
                };
                let (low, high) = (word(0) | word(1) << 32, word(2) | word(3) << 32);
                let last = u64::from(nth + 1 == count);
                assert_eq!(beat, [round >> 3 & 7, low, high, 0, last], "beat {nth} at {from:#x}");
            }
            memory.extend(written);
        }
        // The chip itself complains of a refresh that is late.
        let refreshes = rig.bench.cycles() * PERIOD_NS / 7812;
        assert!(rig.chip.refreshes() + 9 >= refreshes, "{} of {refreshes}", rig.chip.refreshes());
    });
}
