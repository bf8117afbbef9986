//! Several chips on one bus.

use contract::Instant;

use super::{Chip, Fault, Inputs, Outputs, Violation};

/// Chips with a CE# and an R/B# each, and everything else in common.
pub struct SharedBus {
    chips: Vec<Chip>,
    /// Two chips drive the bus.
    contending: bool,
    violations: Vec<Violation>,
}

/// What the host puts on the bus.
#[derive(Clone, Copy, Debug)]
pub struct BusInputs {
    /// CE# of each chip: bit `n` is that of chip `n`.
    pub ce_n: u64,
    /// What all chips get; its `ce_n` is of no matter.
    pub shared: Inputs,
}

/// What the chips put on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusOutputs {
    /// R/B# of each chip: bit `n` is that of chip `n`.
    pub rb_n: u64,
    /// DQ, if some chip drives it.
    pub dq: Option<u8>,
    /// DQS, if some chip drives it.
    pub dqs: Option<bool>,
}

impl SharedBus {
    /// Joins chips.
    ///
    /// # Panics
    /// If there are more than 64.
    pub fn new(chips: Vec<Chip>) -> Self {
        assert!(chips.len() <= u64::BITS as usize, "found {} chips", chips.len());
        Self { chips, contending: false, violations: vec![] }
    }

    /// As [`Chip::pins`].
    pub fn pins(&mut self, now: Instant, inputs: BusInputs) -> BusOutputs {
        let mut joined = BusOutputs { rb_n: 0, dq: None, dqs: None };
        let mut drivers = 0;
        for (way, chip) in self.chips.iter_mut().enumerate() {
            let ce_n = inputs.ce_n >> way & 1 == 1;
            let Outputs { rb_n, dq, dqs } = chip.pins(now, Inputs { ce_n, ..inputs.shared });
            joined.rb_n |= u64::from(rb_n) << way;
            joined.dq = joined.dq.or(dq);
            joined.dqs = joined.dqs.or(dqs);
            drivers += u32::from(dq.is_some() || dqs.is_some());
        }
        let contending = drivers > 1;
        if contending && !self.contending {
            self.violations.push(Violation { at: now, fault: Fault::Contention });
        }
        self.contending = contending;
        joined
    }

    /// The chips.
    pub fn chips(&self) -> &[Chip] {
        &self.chips
    }

    /// A chip, to change it.
    ///
    /// # Panics
    /// If there is no such way.
    pub fn chip_mut(&mut self, way: usize) -> &mut Chip {
        &mut self.chips[way]
    }

    /// All violations, each with its way; none for what concerns the bus.
    pub fn violations(&self) -> Vec<(Option<usize>, &Violation)> {
        let of_bus = self.violations.iter().map(|violation| (None, violation));
        let of_chips = self.chips.iter().enumerate().flat_map(|(way, chip)| {
            chip.violations().iter().map(move |violation| (Some(way), violation))
        });
        of_bus.chain(of_chips).collect()
    }
}
