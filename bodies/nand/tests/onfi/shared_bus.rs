//! Chips that share a bus.

use contract::{Duration, Instant};
use nand::onfi::{
    BusInputs, BusOutputs, Chip, Config, Fault, Inputs, Interface, SharedBus, Timing,
};

fn bus(chips: usize) -> SharedBus {
    let config = Config::small(Interface::Sdr, Timing::sdr_mode_5());
    SharedBus::new((0..chips).map(|_| Chip::new(config.clone())).collect())
}

/// Slow enough for every rule.
const STEP: Duration = Duration::from_ns(500);

struct Slow {
    bus: SharedBus,
    now: Instant,
    outputs: BusOutputs,
}

impl Slow {
    fn put(&mut self, ce_n: u64, shared: Inputs) {
        self.now += STEP;
        self.outputs = self.bus.pins(self.now, BusInputs { ce_n, shared });
    }

    fn pulse(&mut self, ce_n: u64, (cle, ale): (bool, bool), byte: u8) {
        let idle = Inputs { cle, ale, dq: Some(byte), ..Inputs::IDLE };
        self.put(ce_n, idle);
        self.put(ce_n, Inputs { we_n: false, ..idle });
        self.put(ce_n, idle);
        self.put(ce_n, Inputs { cle: false, ale: false, ..idle });
        self.put(ce_n, Inputs::IDLE);
    }
}

#[test]
fn each_chip_listens_to_its_own_enable_and_has_its_own_ready() {
    let mut host = Slow { bus: bus(3), now: Instant::ZERO, outputs: BusOutputs::default() };
    host.put(0b111, Inputs::IDLE);
    assert_eq!(host.outputs.rb_n, 0b111);
    for (way, ce_n) in [(1, 0b101), (2, 0b011)] {
        host.pulse(ce_n, (true, false), 0x60);
        (0..3).for_each(|_| host.pulse(ce_n, (false, true), 0));
        host.pulse(ce_n, (true, false), 0xd0);
        assert_eq!(host.outputs.rb_n >> way & 1, 0);
    }
    assert_eq!(host.outputs.rb_n, 0b001);
    host.pulse(0b101, (true, false), 0x70);
    host.put(0b101, Inputs { re_n: false, ..Inputs::IDLE });
    host.put(0b101, Inputs { re_n: false, ..Inputs::IDLE });
    assert_eq!(host.outputs.dq, Some(0x80), "status of the one that is selected: busy");
    host.put(0b111, Inputs::IDLE);
    host.put(0b111, Inputs::IDLE);
    assert_eq!(host.outputs.dq, None);
    assert_eq!(host.bus.violations(), []);
}

#[test]
fn chips_that_drive_together_are_told() {
    let mut host = Slow { bus: bus(2), now: Instant::ZERO, outputs: BusOutputs::default() };
    host.put(0b11, Inputs::IDLE);
    host.pulse(0b00, (true, false), 0x70);
    host.put(0b00, Inputs { re_n: false, ..Inputs::IDLE });
    host.put(0b00, Inputs { re_n: false, ..Inputs::IDLE });
    let violations = host.bus.violations();
    let found: Vec<_> =
        violations.iter().map(|(way, violation)| (*way, &violation.fault)).collect();
    assert_eq!(found, [(None, &Fault::Contention)]);
}

/// A stream of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        random::next(&mut self.0) % bound
    }
}

/// Levels that are sometimes those of cycles, and sometimes nonsense.
fn wiggle(random: &mut Random, inputs: &mut BusInputs) {
    const BYTES: [u8; 12] =
        [0x70, 0x90, 0x00, 0x30, 0x60, 0xd0, 0x80, 0x10, 0x20, 0x05, 0xe0, 0xff];
    let pins = &mut inputs.shared;
    match random.below(12) {
        0 => inputs.ce_n = random.below(8),
        1 => inputs.ce_n = 7 & !(1 << random.below(3)),
        2 => (pins.cle, pins.ale) = (random.below(2) == 0, false),
        3 => (pins.cle, pins.ale) = (false, random.below(2) == 0),
        4 | 5 => pins.we_n = !pins.we_n,
        6 | 7 => pins.re_n = !pins.re_n,
        8 => pins.dq = Some(BYTES[random.below(12) as usize]),
        9 => pins.dq = None,
        10 => pins.dqs = [None, Some(false), Some(true)][random.below(3) as usize],
        _ => pins.wp_n = random.below(8) > 0,
    }
}

#[test]
fn chips_on_a_bus_are_what_they_are_alone() {
    for (interface, timing) in
        [(Interface::Sdr, Timing::sdr_mode_5()), (Interface::Ddr, Timing::nv_ddr2_mode_6())]
    {
        for seed in 0..20 {
            let config = Config::small(interface, timing.clone());
            let mut alone: Vec<_> = (0..3).map(|_| Chip::new(config.clone())).collect();
            let mut bus = SharedBus::new((0..3).map(|_| Chip::new(config.clone())).collect());
            let mut random = Random(seed);
            let mut inputs = BusInputs { ce_n: 7, shared: Inputs::IDLE };
            let mut now = Instant::ZERO;
            for _ in 0..3_000 {
                let longest = if random.below(50) == 0 { 20_000_000 } else { 30_000 };
                now += Duration::from_ps(1 + random.below(longest));
                wiggle(&mut random, &mut inputs);
                let outputs = bus.pins(now, inputs);
                for (way, chip) in alone.iter_mut().enumerate() {
                    let ce_n = inputs.ce_n >> way & 1 == 1;
                    let expected = chip.pins(now, Inputs { ce_n, ..inputs.shared });
                    assert_eq!(outputs.rb_n >> way & 1 == 1, expected.rb_n);
                    assert!(expected.dq.is_none() || outputs.dq.is_some());
                }
            }
            for (way, chip) in alone.iter().enumerate() {
                assert_eq!(bus.chip(way).violations(), chip.violations(), "seed {seed}, way {way}");
                assert!(!chip.violations().is_empty(), "nothing happened");
            }
        }
    }
}
