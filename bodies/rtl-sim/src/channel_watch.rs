//! What a channel shows of itself, beside its streams.

use crate::bench::Agent;
use crate::model::{Model, Output};

/// Outputs of a channel, cycle by cycle.
pub struct Watch {
    ports: Ports,
    /// Cycles that were seen.
    pub cycles: u64,
    /// Pulses of the interrupt.
    pub interrupts: u64,
    /// Cycles in which the bus was busy.
    pub bus_busy: u64,
    /// Words of pages that went to chips, and that came from them.
    pub words: [u64; 2],
    /// Cycles in which each way was not ready, or had an operation.
    pub way_busy: [u64; 8],
    /// Which ways are ready, a bit each.
    pub ready: u64,
    /// Which ways have an operation.
    pub occupied: u64,
    /// The most ways that had an operation at a time.
    pub most_occupied: u32,
}

struct Ports {
    irq: Output,
    bus_busy: Output,
    words: [Output; 2],
    ready: Output,
    occupied: Output,
}

impl Watch {
    pub(crate) fn new(model: &Model) -> Self {
        let ports = Ports {
            irq: model.output("irq_o"),
            bus_busy: model.output("bus_busy_o"),
            words: [model.output("word_out_o"), model.output("word_in_o")],
            ready: model.output("ready_o"),
            occupied: model.output("occupied_o"),
        };
        Self {
            ports,
            cycles: 0,
            interrupts: 0,
            bus_busy: 0,
            words: [0; 2],
            way_busy: [0; 8],
            ready: 0,
            occupied: 0,
            most_occupied: 0,
        }
    }
}

impl Agent for Watch {
    fn drive(&mut self, _: &mut Model) {}

    fn sample(&mut self, model: &Model) {
        self.cycles += 1;
        self.interrupts += model.get(self.ports.irq);
        self.bus_busy += model.get(self.ports.bus_busy);
        for (count, port) in self.words.iter_mut().zip(self.ports.words) {
            *count += model.get(port);
        }
        self.ready = model.get(self.ports.ready);
        self.occupied = model.get(self.ports.occupied);
        self.most_occupied = self.most_occupied.max(self.occupied.count_ones());
        let busy = !self.ready | self.occupied;
        for (way, cycles) in self.way_busy.iter_mut().enumerate() {
            *cycles += busy >> way & 1;
        }
    }
}
