//! Several chips on one bus.

use contract::Instant;

use super::wires::Changes;
use super::{Chip, Fault, Inputs, Outputs, Violation};

/// Chips with a CE# and an R/B# each, and everything else in common.
///
/// A chip that is neither selected nor about to change its outputs is left alone: most of them are,
/// most of the time.
pub struct SharedBus {
    ways: Vec<Way>,
    /// What the host put on the bus last, and when that changed.
    seen: BusInputs,
    changes: Changes,
    /// What the chips drove last, and until when that stays.
    driven: BusOutputs,
    wake: Instant,
    /// Two chips drive the bus.
    contending: bool,
    violations: Vec<Violation>,
}

struct Way {
    chip: Chip,
    driven: Outputs,
    wake: Instant,
}

/// What the host puts on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusInputs {
    /// CE# of each chip: bit `n` is that of chip `n`.
    pub ce_n: u64,
    /// What all chips get; its `ce_n` is of no matter.
    pub shared: Inputs,
}

/// What the chips put on the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
        let way = |chip| Way { chip, driven: Outputs::RELEASED, wake: Instant::ZERO };
        Self {
            ways: chips.into_iter().map(way).collect(),
            seen: BusInputs { ce_n: u64::MAX, shared: Inputs::IDLE },
            changes: Changes::default(),
            driven: BusOutputs::default(),
            wake: Instant::ZERO,
            contending: false,
            violations: vec![],
        }
    }

    /// As [`Chip::pins`].
    pub fn pins(&mut self, now: Instant, inputs: BusInputs) -> BusOutputs {
        if inputs == self.seen && now < self.wake {
            return self.driven;
        }
        let before = std::mem::replace(&mut self.seen, inputs);
        let changes = self.changes;
        self.changes.note(now, &before.shared, &inputs.shared);
        self.wake = Instant::NEVER;
        for (at, way) in self.ways.iter_mut().enumerate() {
            let (was_n, ce_n) = (before.ce_n >> at & 1 == 1, inputs.ce_n >> at & 1 == 1);
            if way.is_concerned(now) || !was_n || !ce_n {
                if was_n {
                    way.chip.catch_up(before.shared, changes);
                }
                way.driven = way.chip.pins(now, Inputs { ce_n, ..inputs.shared });
                way.wake = way.chip.wake(now);
            }
            self.wake = self.wake.min(way.wake);
        }
        self.join(now);
        self.driven
    }

    /// Until when the chips' outputs stay, if the host's do: of the last call of [`SharedBus::pins`].
    pub fn wake(&self) -> Instant {
        self.wake
    }

    /// The chip of a way.
    ///
    /// # Panics
    /// If there is no such way.
    pub fn chip(&self, way: usize) -> &Chip {
        &self.ways[way].chip
    }

    /// A chip, to change it.
    ///
    /// # Panics
    /// If there is no such way.
    pub fn chip_mut(&mut self, way: usize) -> &mut Chip {
        (self.wake, self.ways[way].wake) = (Instant::ZERO, Instant::ZERO);
        &mut self.ways[way].chip
    }

    /// Joins what the chips drive.
    fn join(&mut self, now: Instant) {
        self.driven = BusOutputs::default();
        let mut drivers = 0;
        for (at, Way { driven, .. }) in self.ways.iter().enumerate() {
            self.driven.rb_n |= u64::from(driven.rb_n) << at;
            self.driven.dq = self.driven.dq.or(driven.dq);
            self.driven.dqs = self.driven.dqs.or(driven.dqs);
            drivers += u32::from(driven.drives());
        }
        let contending = drivers > 1;
        if contending && !self.contending {
            self.violations.push(Violation { at: now, fault: Fault::Contention });
        }
        self.contending = contending;
    }

    /// All violations, each with its way; none for what concerns the bus.
    pub fn violations(&self) -> Vec<(Option<usize>, &Violation)> {
        let of_bus = self.violations.iter().map(|violation| (None, violation));
        let of_chips = self.ways.iter().enumerate().flat_map(|(way, Way { chip, .. })| {
            chip.violations().iter().map(move |violation| (Some(way), violation))
        });
        of_bus.chain(of_chips).collect()
    }
}

impl Way {
    /// Whether the chip, if not selected, may change its outputs or drive against the host.
    fn is_concerned(&self, now: Instant) -> bool {
        now >= self.wake || self.driven.drives()
    }
}
