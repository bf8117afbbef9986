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
    let mut host = Slow {
        bus: bus(3),
        now: Instant::ZERO,
        outputs: BusOutputs { rb_n: 0, dq: None, dqs: None },
    };
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
    let mut host = Slow {
        bus: bus(2),
        now: Instant::ZERO,
        outputs: BusOutputs { rb_n: 0, dq: None, dqs: None },
    };
    host.put(0b11, Inputs::IDLE);
    host.pulse(0b00, (true, false), 0x70);
    host.put(0b00, Inputs { re_n: false, ..Inputs::IDLE });
    host.put(0b00, Inputs { re_n: false, ..Inputs::IDLE });
    let violations = host.bus.violations();
    let found: Vec<_> =
        violations.iter().map(|(way, violation)| (*way, &violation.fault)).collect();
    assert_eq!(found, [(None, &Fault::Contention)]);
}
