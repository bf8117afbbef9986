//! AXI4 subordinates: memory that answers late, out of order, wrongly or never.
//!
//! A [`Subordinate`] hangs on the ports of one manager. What it writes becomes visible in its
//! [`Memory`] no sooner than it answers, so that a test which looks at data when a completion comes
//! finds out whether the completion waited for it.

mod link;
mod memory;
mod read;
mod write;

pub use link::Link;
pub use memory::{AddressSpace, Memory};

use crate::bench::Agent;
use crate::model::{Input, Model, Output};
use crate::{Pace, Random};
use read::Reads;
use std::ops::{Range, RangeInclusive};
use write::Writes;

/// Which ports of a top are those of a manager: with the prefix `host`, `host_ar_valid_o` and so on.
/// An address channel has the fields `id`, `address`, `length`; strobes have a bit a 32-bit lane.
#[derive(Clone, Copy, Debug)]
pub struct AxiPorts<'a> {
    /// What the names begin with.
    pub prefix: &'a str,
    /// The lane, and of how many.
    pub lane: (u32, u32),
}

/// In which order reads are answered. Those of an id keep theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they were asked for.
    Kept,
    /// Any, burst by burst.
    Bursts,
    /// Any, beat by beat.
    Beats,
}

/// What an access to some addresses meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// The answer is an error: of a read, that of each beat that begins there; of a write, that of a
    /// burst that does, and nothing is written.
    Error,
    /// No answer, until [`Subordinate::speak`]: of a read, from the first beat there on; of a write, to a burst that begins there.
    Silence,
}

/// How a subordinate answers.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// When addresses are taken.
    pub addresses: Pace,
    /// An address of a write is taken behind the first beat of its data only, as AXI4 section A3.3.1 permits.
    pub data_first: bool,
    /// When written beats are taken.
    pub data: Pace,
    /// When answers that are due are offered.
    pub answers: Pace,
    /// Cycles from an address to its first beat, and from a last beat to its answer.
    pub latency: RangeInclusive<u64>,
    /// The order of reads.
    pub order: Order,
    /// Where accesses go wrong.
    pub mishaps: Vec<(Range<u64>, Mishap)>,
    /// What limits the rate, besides the paces.
    pub link: Option<Link>,
}

impl Behaviour {
    /// At once, and in order.
    pub fn prompt() -> Self {
        Self {
            addresses: Pace::Always,
            data_first: false,
            data: Pace::Always,
            answers: Pace::Always,
            latency: 2..=2,
            order: Order::Kept,
            mishaps: Vec::new(),
            link: None,
        }
    }

    /// Behind a link.
    pub fn linked(link: Link) -> Self {
        Self { link: Some(link), ..Self::prompt() }
    }

    /// Any that tests should survive.
    pub fn any(random: &mut Random) -> Self {
        // Of a stream of its own, so that seeds which found something still say the same.
        let data_first = random.clone().split().percent(30);
        let longest = [2, 20, 300][random.below(3) as usize];
        Self {
            data_first,
            addresses: Pace::any(random),
            data: Pace::any(random),
            answers: Pace::any(random),
            latency: 2..=longest,
            order: [Order::Kept, Order::Bursts, Order::Beats][random.below(3) as usize],
            mishaps: Vec::new(),
            link: None,
        }
    }

    fn mishap(&self, address: u64) -> Option<Mishap> {
        let met = self.mishaps.iter().find(|(range, _)| range.contains(&address));
        met.map(|&(_, mishap)| mishap)
    }
}

/// A burst that was asked for.
#[derive(Clone, Copy, Debug)]
struct Burst {
    id: u64,
    address: u64,
    beats: u64,
}

/// How much of a subordinate's work is not done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// Accesses that are not answered in full.
    pub accesses: usize,
    /// Those of them that [`Mishap::Silence`] met.
    pub silent: usize,
}

/// Ports of an address channel.
struct AddressPorts {
    valid: Output,
    ready: Input,
    id: Output,
    address: Output,
    length: Output,
}

/// Memory behind the ports of a manager.
pub struct Subordinate<M = Memory> {
    memory: M,
    behaviour: Behaviour,
    random: Random,
    cycle: u64,
    reads: Reads,
    writes: Writes,
}

impl<M: AddressSpace + Default> Subordinate<M> {
    /// Hangs empty memory on a manager's ports.
    pub fn new(model: &Model, ports: AxiPorts, behaviour: Behaviour, random: Random) -> Self {
        Self {
            memory: M::default(),
            reads: Reads::new(model, ports),
            writes: Writes::new(model, ports),
            behaviour,
            random,
            cycle: 0,
        }
    }

    /// What is in memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// What is in memory, to be changed.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Behaves otherwise from the next cycle on.
    pub fn set_behaviour(&mut self, behaviour: Behaviour) {
        self.behaviour = behaviour;
    }

    /// Ends all mishaps; silent accesses are answered late.
    pub fn speak(&mut self) {
        self.behaviour.mishaps.clear();
        self.reads.speak();
        self.writes.speak();
    }

    /// Forgets all that is under way, as a bridge that is reset does. Nothing of a write becomes visible that was not answered.
    pub fn forget(&mut self) {
        self.reads.forget();
        self.writes.forget();
    }

    /// Bytes that were read and written, by whole beats and by strobes.
    pub fn moved(&self) -> (u64, u64) {
        (self.reads.bytes(), self.writes.bytes())
    }

    /// Lets cycles pass in which nothing is asked for or answered.
    pub fn skip(&mut self, cycles: u64) {
        self.cycle += cycles;
    }

    /// Accesses that were asked for and are not answered, and those of them that never will be.
    pub fn under_way(&self) -> UnderWay {
        let [reads, writes] = [self.reads.under_way(), self.writes.under_way()];
        UnderWay {
            accesses: reads.accesses + writes.accesses,
            silent: reads.silent + writes.silent,
        }
    }
}

impl<M: AddressSpace> Agent for Subordinate<M> {
    fn drive(&mut self, model: &mut Model) {
        let Self { memory, behaviour, random, cycle, reads, writes } = self;
        let mut now = Now { memory, behaviour, random, cycle: *cycle };
        reads.drive(model, &mut now);
        writes.drive(model, &mut now);
    }

    fn sample(&mut self, model: &Model) {
        let Self { memory, behaviour, random, cycle, reads, writes } = self;
        let mut now = Now { memory, behaviour, random, cycle: *cycle };
        reads.sample(model, &mut now);
        writes.sample(model, &mut now);
        self.cycle += 1;
    }
}

/// What both halves of a subordinate share in a cycle.
struct Now<'a, M> {
    memory: &'a mut M,
    behaviour: &'a mut Behaviour,
    random: &'a mut Random,
    cycle: u64,
}

impl<M> Now<'_, M> {
    fn due(&mut self) -> u64 {
        let (least, most) = (*self.behaviour.latency.start(), *self.behaviour.latency.end());
        self.cycle + least + self.random.below(most - least + 1)
    }
}

impl AddressPorts {
    fn new(model: &Model, ports: AxiPorts, channel: &str) -> Self {
        let (lane, lanes) = ports.lane;
        let name = |field| format!("{}_{channel}_{field}", ports.prefix);
        let output = |field| model.output(&name(field)).lane(lane, lanes);
        Self {
            valid: output("valid_o"),
            ready: model.input(&name("ready_i")).lane(lane, lanes),
            id: output("id_o"),
            address: output("address_o"),
            length: output("length_o"),
        }
    }

    fn burst(&self, model: &Model) -> Option<Burst> {
        (model.get(self.valid) == 1).then(|| Burst {
            id: model.get(self.id),
            address: model.get(self.address),
            beats: model.get(self.length) + 1,
        })
    }
}

/// OKAY and SLVERR.
const OKAY: u64 = 0;
const ERROR: u64 = 2;
