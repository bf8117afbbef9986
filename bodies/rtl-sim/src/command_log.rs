//! What goes over the pins of a channel's bus: the turns of its ways, byte by byte.

use crate::bench::Agent;
use crate::model::{Model, Output};

/// A turn: from the fall of a way's CE# to its rise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusTurn {
    /// The cycle in which CE# was low first.
    pub cycle: u64,
    /// Way whose CE# was low, from 0.
    pub way: u8,
    /// Command bytes in their order.
    pub commands: Vec<u8>,
    /// Address bytes in their order.
    pub addresses: Vec<u8>,
}

/// Watches the pins, and writes down the turns.
pub struct CommandLog {
    ports: Ports,
    /// Cycles since the log began.
    cycle: u64,
    /// What the pins were a cycle ago.
    before: Levels,
    /// Turns, the last of which may go on.
    pub turns: Vec<BusTurn>,
}

struct Ports {
    ce_n: Output,
    cle: Output,
    ale: Output,
    we_n: Output,
    dq: Output,
}

#[derive(Clone, Copy)]
struct Levels {
    ce_n: u64,
    cle: bool,
    ale: bool,
    we_n: bool,
    dq: u8,
}

impl CommandLog {
    pub(crate) fn new(model: &Model) -> Self {
        let ports = Ports {
            ce_n: model.output("ce_no"),
            cle: model.output("cle_o"),
            ale: model.output("ale_o"),
            we_n: model.output("we_no"),
            dq: model.output("dq_o"),
        };
        let before =
            Levels { ce_n: model.get(ports.ce_n), cle: false, ale: false, we_n: true, dq: 0 };
        Self { ports, cycle: 0, before, turns: vec![] }
    }
}

impl Agent for CommandLog {
    fn drive(&mut self, _: &mut Model) {}

    fn sample(&mut self, model: &Model) {
        let high = |port| model.get(port) == 1;
        let ports = &self.ports;
        let now = Levels {
            ce_n: model.get(ports.ce_n),
            cle: high(ports.cle),
            ale: high(ports.ale),
            we_n: high(ports.we_n),
            dq: model.get(ports.dq) as u8,
        };
        let before = std::mem::replace(&mut self.before, now);
        let fallen = before.ce_n & !now.ce_n;
        if fallen != 0 {
            let way = fallen.trailing_zeros() as u8;
            let (commands, addresses) = (vec![], vec![]);
            self.turns.push(BusTurn { cycle: self.cycle, way, commands, addresses });
        }
        // A byte is latched when WE# rises, as it was before.
        if let (true, false, Some(turn)) = (now.we_n, before.we_n, self.turns.last_mut()) {
            match (before.cle, before.ale) {
                (true, _) => turn.commands.push(before.dq),
                (_, true) => turn.addresses.push(before.dq),
                _ => {}
            }
        }
        self.cycle += 1;
    }
}
