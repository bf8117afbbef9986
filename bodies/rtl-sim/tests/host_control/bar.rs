//! The host's end of BAR 0: an AXI4 manager that does one access after the other.

use crate::host_control::willing::Willing;
use rtl_sim::{Agent, Input, Model, Output, Random};
use std::collections::VecDeque;

/// Bytes that a beat of the data bus carries, eight dwords.
const BEAT_BYTES: u64 = 32;
const LANES: u32 = 8;

/// What the host does to the BAR.
#[derive(Clone, Debug)]
pub enum Access {
    /// Writes dwords from an address on.
    Write(u64, Vec<u32>),
    /// Reads so many dwords from an address on.
    Read(u64, usize),
}

/// A burst under way.
struct Burst {
    access: Access,
    id: u64,
    /// Bytes of a beat that are used, as a power of two.
    size: u64,
    address_taken: bool,
    /// Dwords that were written or read.
    done: usize,
    /// Address of the next beat.
    next: u64,
    read: Vec<u32>,
}

/// Does accesses in the order in which they were queued.
pub struct Bar {
    waiting: VecDeque<Access>,
    burst: Option<Burst>,
    answers: VecDeque<Vec<u32>>,
    random: Random,
    willing: Willing,
    ports: Ports,
    /// What is offered in this cycle: address, data, and readiness for an answer.
    offers: [bool; 3],
    /// Takes no answers of reads.
    holds_answers: bool,
    /// A read whose answer is held, while writes go on.
    held: Option<Burst>,
    cycle: u64,
    /// The cycle of the last beat of data that was taken.
    pub last_beat: u64,
}

struct Ports {
    write: Channel,
    read: Channel,
    write_size: Input,
    read_size: Input,
    read_length: Input,
    data_valid: Input,
    data_ready: Output,
    data: Vec<Input>,
    strobes: Vec<Input>,
    last: Input,
    written: Output,
    written_ready: Input,
    written_id: Output,
    answer: Output,
    answer_ready: Input,
    answer_data: Vec<Output>,
    answer_id: Output,
    answer_last: Output,
}

struct Channel {
    valid: Input,
    ready: Output,
    address: Input,
    id: Input,
}

impl Channel {
    fn new(model: &Model, name: &str) -> Self {
        let input = |port: &str| model.input(&format!("{name}_{port}_i"));
        Self {
            valid: input("valid"),
            ready: model.output(&format!("{name}_ready_o")),
            address: input("address"),
            id: input("id"),
        }
    }
}

impl Bar {
    pub fn new(model: &Model, random: &mut Random) -> Self {
        let lanes = |name: &str| (0..LANES).map(|n| model.input(name).lane(n, LANES)).collect();
        let ports = Ports {
            write: Channel::new(model, "aw"),
            read: Channel::new(model, "ar"),
            write_size: model.input("aw_size_i"),
            read_size: model.input("ar_size_i"),
            read_length: model.input("ar_length_i"),
            data_valid: model.input("w_valid_i"),
            data_ready: model.output("w_ready_o"),
            data: lanes("w_data_i"),
            strobes: lanes("w_strobe_i"),
            last: model.input("w_last_i"),
            written: model.output("b_valid_o"),
            written_ready: model.input("b_ready_i"),
            written_id: model.output("b_id_o"),
            answer: model.output("r_valid_o"),
            answer_ready: model.input("r_ready_i"),
            answer_data: (0..LANES).map(|n| model.output("r_data_o").lane(n, LANES)).collect(),
            answer_id: model.output("r_id_o"),
            answer_last: model.output("r_last_o"),
        };
        Self {
            waiting: VecDeque::new(),
            burst: None,
            answers: VecDeque::new(),
            willing: Willing::any(random),
            random: random.split(),
            ports,
            offers: [false; 3],
            holds_answers: false,
            held: None,
            cycle: 0,
            last_beat: 0,
        }
    }

    /// Never waits from now on.
    pub fn hurry(&mut self) {
        self.willing = Willing::always();
    }

    /// Takes no answers of reads from now on, or takes them again. Other accesses go on meanwhile.
    pub fn hold_answers(&mut self, holds: bool) {
        self.holds_answers = holds;
    }

    /// Whether the address of a read was taken whose answer is held.
    pub fn holds_a_read(&self) -> bool {
        self.held.is_some()
    }

    /// Queues an access.
    pub fn push(&mut self, access: Access) {
        self.waiting.push_back(access);
    }

    /// Whether all accesses are done.
    pub fn is_idle(&self) -> bool {
        self.burst.is_none() && self.waiting.is_empty()
    }

    /// The dwords of the first read that nobody took.
    pub fn take(&mut self) -> Option<Vec<u32>> {
        self.answers.pop_front()
    }

    fn begin(&mut self) {
        let is_read = |burst: &Burst| matches!(burst.access, Access::Read(..));
        if self.holds_answers && self.burst.as_ref().is_some_and(|b| is_read(b) && b.address_taken)
        {
            self.held = self.burst.take();
        }
        if self.burst.is_some() {
            return;
        }
        if !self.holds_answers && self.held.is_some() {
            self.burst = self.held.take();
            return;
        }
        let Some(access) = self.waiting.pop_front() else { return };
        let address = match access {
            Access::Write(address, _) | Access::Read(address, _) => address,
        };
        let burst = Burst {
            access,
            id: self.random.below(16),
            size: 2 + self.random.below(4),
            address_taken: false,
            done: 0,
            next: address,
            read: Vec::new(),
        };
        self.burst = Some(burst);
    }
}

impl Burst {
    fn address(&self) -> u64 {
        match self.access {
            Access::Write(address, _) | Access::Read(address, _) => address,
        }
    }

    fn dwords(&self) -> usize {
        match &self.access {
            Access::Write(_, data) => data.len(),
            Access::Read(_, dwords) => *dwords,
        }
    }

    /// The lanes of the next beat that are part of the access.
    fn lanes(&self) -> std::ops::Range<usize> {
        let end = ((self.next >> self.size) + 1) << self.size;
        let left = (self.dwords() - self.done) as u64;
        let first = self.next % BEAT_BYTES / 4;
        let lanes = ((end - self.next) / 4).min(left);
        first as usize..(first + lanes) as usize
    }

    fn beats(&self) -> u64 {
        let end = self.address() + 4 * self.dwords() as u64;
        ((end - 1) >> self.size) - (self.address() >> self.size) + 1
    }

    /// Goes on to the next beat; whether there is one.
    fn advance(&mut self) -> bool {
        self.done += self.lanes().len();
        self.next = ((self.next >> self.size) + 1) << self.size;
        self.done < self.dwords()
    }
}

impl Agent for Bar {
    fn drive(&mut self, model: &mut Model) {
        self.cycle += 1;
        self.begin();
        let willing = [(); 3].map(|()| self.willing.next());
        let ports = &self.ports;
        for valid in [ports.write.valid, ports.read.valid, ports.data_valid] {
            model.set(valid, 0);
        }
        model.set(ports.written_ready, u64::from(willing[2]));
        let takes_answers = !self.holds_answers && self.held.is_none();
        model.set(ports.answer_ready, u64::from(willing[2] && takes_answers));
        let Some(burst) = &self.burst else {
            self.offers = [false, false, willing[2]];
            return;
        };
        let is_write = matches!(burst.access, Access::Write(..));
        let address = !burst.address_taken && (self.offers[0] || willing[0]);
        let data = is_write && burst.done < burst.dwords() && (self.offers[1] || willing[1]);
        self.offers = [address, data, willing[2]];
        let (channel, size) = match is_write {
            true => (&ports.write, ports.write_size),
            false => (&ports.read, ports.read_size),
        };
        if address {
            model.set(channel.valid, 1);
            model.set(channel.address, burst.address());
            model.set(channel.id, burst.id);
            model.set(size, burst.size);
            model.set(ports.read_length, burst.beats() - 1);
        }
        if let (true, Access::Write(_, values)) = (data, &burst.access) {
            let lanes = burst.lanes();
            model.set(ports.data_valid, 1);
            model.set(ports.last, u64::from(burst.done + lanes.len() == values.len()));
            for lane in 0..LANES as usize {
                let inside = lanes.contains(&lane);
                let value =
                    if inside { values[burst.done + lane - lanes.start] } else { 0x5a5a_5a5a };
                model.set(ports.data[lane], u64::from(value));
                model.set(ports.strobes[lane], if inside { 0xf } else { 0 });
            }
        }
    }

    fn sample(&mut self, model: &Model) {
        let ports = &self.ports;
        let Some(burst) = &mut self.burst else {
            assert!(
                model.get(ports.written) + model.get(ports.answer) == 0 || self.held.is_some(),
                "an answer to nothing"
            );
            return;
        };
        let is_write = matches!(burst.access, Access::Write(..));
        let channel = if is_write { &ports.write } else { &ports.read };
        if self.offers[0] && model.get(channel.ready) == 1 {
            burst.address_taken = true;
            self.offers[0] = false;
        }
        if self.offers[1] && model.get(ports.data_ready) == 1 {
            burst.advance();
            self.offers[1] = false;
            self.last_beat = self.cycle;
        }
        if !self.offers[2] {
            return;
        }
        let mut finished = false;
        if model.get(ports.written) == 1 {
            assert!(
                is_write && burst.address_taken && burst.done == burst.dwords(),
                "early answer"
            );
            assert_eq!(model.get(ports.written_id), burst.id);
            finished = true;
        }
        if model.get(ports.answer) == 1 && !self.holds_answers && self.held.is_none() {
            assert!(!is_write && burst.address_taken, "an answer to no read");
            assert_eq!(model.get(ports.answer_id), burst.id);
            for lane in burst.lanes() {
                burst.read.push(model.get(ports.answer_data[lane]) as u32);
            }
            finished = !burst.advance();
            assert_eq!(model.get(ports.answer_last) == 1, finished, "last beat");
        }
        if finished {
            if !is_write {
                self.answers.push_back(std::mem::take(&mut burst.read));
            }
            self.burst = None;
        }
    }
}
