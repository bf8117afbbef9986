//! The host's accesses to BAR 0.

use crate::bench::Agent;
use crate::model::{Input, Model, Output};
use crate::Pace;
use std::collections::VecDeque;

/// What a dword access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Write(u32),
    Read,
}

/// A dword access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    address: u64,
    act: Act,
}

/// A manager that reads and writes single dwords, one after the other, on the ports `bar_…`.
pub struct Bar {
    ports: Ports,
    pace: Pace,
    waiting: VecDeque<Access>,
    /// What the access under way still has to do.
    address_due: bool,
    data_due: bool,
    /// What is offered in this cycle.
    offers: [bool; 2],
    willing: bool,
    answers: VecDeque<u32>,
    cycle: u64,
    accepted: u64,
}

struct Ports {
    write: Channel,
    read: Channel,
    read_length: Input,
    data: Channel,
    lanes: Vec<(Input, Input)>,
    last: Input,
    written: Answer,
    answer: Answer,
    answer_lanes: Vec<Output>,
}

struct Channel {
    valid: Input,
    ready: Output,
    /// Address and size, of address channels.
    place: Option<(Input, Input)>,
}

struct Answer {
    valid: Output,
    ready: Input,
}

/// AxSIZE of a dword.
const DWORD: u64 = 2;

impl Ports {
    fn new(model: &Model, lanes: u32) -> Self {
        let input = |name: &str| model.input(&format!("bar_{name}_i"));
        let output = |name: &str| model.output(&format!("bar_{name}_o"));
        let channel = |name: &str, has_address: bool| Channel {
            valid: input(&format!("{name}_valid")),
            ready: output(&format!("{name}_ready")),
            place: has_address
                .then(|| (input(&format!("{name}_address")), input(&format!("{name}_size")))),
        };
        let answer = |name: &str| Answer {
            valid: output(&format!("{name}_valid")),
            ready: input(&format!("{name}_ready")),
        };
        let (data, strobes) = (input("w_data"), input("w_strobe"));
        Self {
            write: channel("aw", true),
            read: channel("ar", true),
            read_length: input("ar_length"),
            data: channel("w", false),
            lanes: (0..lanes).map(|n| (data.lane(n, lanes), strobes.lane(n, lanes))).collect(),
            last: input("w_last"),
            written: answer("b"),
            answer: answer("r"),
            answer_lanes: (0..lanes).map(|n| output("r_data").lane(n, lanes)).collect(),
        }
    }
}

impl Bar {
    /// A manager on a bus of so many dwords, which offers and takes at a pace.
    pub fn new(model: &Model, lanes: u32, pace: Pace) -> Self {
        Self {
            ports: Ports::new(model, lanes),
            pace,
            waiting: VecDeque::new(),
            address_due: false,
            data_due: false,
            offers: [false; 2],
            willing: false,
            answers: VecDeque::new(),
            cycle: 0,
            accepted: 0,
        }
    }

    /// Queues a write.
    pub fn write(&mut self, address: u64, value: u32) {
        self.push(Access { address, act: Act::Write(value) });
    }

    /// Queues a read.
    pub fn read(&mut self, address: u64) {
        self.push(Access { address, act: Act::Read });
    }

    /// Whether all accesses are done.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Forgets all accesses, as a bridge that is reset does.
    pub fn forget(&mut self) {
        self.waiting.clear();
        self.answers.clear();
        (self.address_due, self.data_due, self.offers) = (false, false, [false; 2]);
    }

    /// Lets cycles pass in which no access is under way.
    pub fn skip(&mut self, cycles: u64) {
        self.cycle += cycles;
    }

    /// What was read first of all that nobody took.
    pub fn take(&mut self) -> Option<u32> {
        self.answers.pop_front()
    }

    /// The cycle in which the controller took the last write's data.
    pub fn last_accepted(&self) -> u64 {
        self.accepted
    }

    fn push(&mut self, access: Access) {
        self.waiting.push_back(access);
        if self.waiting.len() == 1 {
            self.begin();
        }
    }

    fn begin(&mut self) {
        if let Some(Access { act, .. }) = self.waiting.front() {
            (self.address_due, self.data_due) = (true, *act != Act::Read);
        }
    }

    fn lane(&self, address: u64) -> usize {
        (address / 4) as usize % self.ports.lanes.len()
    }
}

impl Agent for Bar {
    fn drive(&mut self, model: &mut Model) {
        let [address, data] = [(); 2].map(|()| self.pace.next());
        self.willing = self.pace.next();
        // What was offered stays until it is taken.
        self.offers[0] = self.address_due && (self.offers[0] || address);
        self.offers[1] = self.data_due && (self.offers[1] || data);
        let ports = &self.ports;
        for valid in [ports.write.valid, ports.read.valid, ports.data.valid] {
            model.set(valid, 0);
        }
        model.set(ports.written.ready, u64::from(self.willing));
        model.set(ports.answer.ready, u64::from(self.willing));
        let Some(&Access { address, act }) = self.waiting.front() else { return };
        let channel = if act == Act::Read { &ports.read } else { &ports.write };
        if let (true, Some((place, size))) = (self.offers[0], channel.place) {
            model.set(channel.valid, 1);
            model.set(place, address);
            model.set(size, DWORD);
            model.set(ports.read_length, 0);
        }
        if let (true, Act::Write(value)) = (self.offers[1], act) {
            let lane = self.lane(address);
            model.set(ports.data.valid, 1);
            model.set(ports.last, 1);
            for (nth, &(data, strobe)) in ports.lanes.iter().enumerate() {
                model.set(data, if nth == lane { value.into() } else { 0x5a5a_5a5a });
                model.set(strobe, if nth == lane { 0xf } else { 0 });
            }
        }
    }

    fn sample(&mut self, model: &Model) {
        self.cycle += 1;
        let Some(&Access { address, act }) = self.waiting.front() else { return };
        let ports = &self.ports;
        let channel = if act == Act::Read { &ports.read } else { &ports.write };
        if self.offers[0] && model.get(channel.ready) == 1 {
            (self.address_due, self.offers[0]) = (false, false);
        }
        if self.offers[1] && model.get(ports.data.ready) == 1 {
            (self.data_due, self.offers[1]) = (false, false);
            self.accepted = self.cycle;
        }
        let answer = if act == Act::Read { &ports.answer } else { &ports.written };
        if self.willing && model.get(answer.valid) == 1 {
            assert!(!self.address_due && !self.data_due, "an answer before its access");
            if act == Act::Read {
                let value = model.get(ports.answer_lanes[self.lane(address)]);
                self.answers.push_back(value as u32);
            }
            self.waiting.pop_front();
            self.begin();
        }
    }
}
