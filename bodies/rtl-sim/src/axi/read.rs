//! Reads of a subordinate.

use super::link::Lane;
use super::{AddressPorts, AddressSpace, AxiPorts, Burst, Mishap, Now, Order, UnderWay};
use super::{ERROR, OKAY};
use crate::model::{Input, Model, Output};
use std::collections::VecDeque;

pub(super) struct Reads {
    addresses: AddressPorts,
    valid: Input,
    ready: Output,
    id: Input,
    words: Vec<Input>,
    response: Input,
    last: Input,
    taking: bool,
    bursts: VecDeque<Read>,
    /// The burst that beats are taken from, by its number, where bursts are not mixed.
    current: Option<u64>,
    asked: u64,
    offered: Option<Beat>,
    inbound: Lane,
    bytes: u64,
}

/// A read under way.
struct Read {
    burst: Burst,
    number: u64,
    /// When each beat is due.
    due: VecDeque<u64>,
    /// How many beats are left where [`Mishap::Silence`] begins.
    silent: Option<usize>,
}

impl Read {
    fn is_silent(&self) -> bool {
        self.silent == Some(self.due.len())
    }
}

/// A beat that is offered.
struct Beat {
    number: u64,
    id: u64,
    words: Vec<u64>,
    response: u64,
    last: bool,
}

impl Reads {
    pub(super) fn new(model: &Model, ports: AxiPorts) -> Self {
        let (lane, lanes) = ports.lane;
        let input = |field| model.input(&format!("{}_r_{field}_i", ports.prefix)).lane(lane, lanes);
        Self {
            addresses: AddressPorts::new(model, ports, "ar"),
            valid: input("valid"),
            ready: model.output(&format!("{}_r_ready_o", ports.prefix)).lane(lane, lanes),
            id: input("id"),
            words: input("data").words().collect(),
            response: input("response"),
            last: input("last"),
            taking: false,
            bursts: VecDeque::new(),
            current: None,
            asked: 0,
            offered: None,
            inbound: Lane::default(),
            bytes: 0,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn under_way(&self) -> UnderWay {
        let silent = self.bursts.iter().filter(|read| read.is_silent()).count();
        UnderWay { accesses: self.bursts.len(), silent }
    }

    pub(super) fn speak(&mut self) {
        self.bursts.iter_mut().for_each(|read| read.silent = None);
    }

    pub(super) fn forget(&mut self) {
        self.bursts.clear();
        (self.current, self.offered) = (None, None);
    }

    pub(super) fn drive<M: AddressSpace>(&mut self, model: &mut Model, now: &mut Now<M>) {
        self.taking = now.behaviour.addresses.next();
        model.set(self.addresses.ready, u64::from(self.taking));
        if self.offered.is_none() && now.behaviour.answers.next() {
            self.offered = self.choose(now);
        }
        model.set(self.valid, u64::from(self.offered.is_some()));
        if let Some(beat) = &self.offered {
            model.set(self.id, beat.id);
            model.set(self.response, beat.response);
            model.set(self.last, u64::from(beat.last));
            for (port, word) in self.words.iter().zip(&beat.words) {
                model.set(*port, *word);
            }
        }
    }

    pub(super) fn sample<M: AddressSpace>(&mut self, model: &Model, now: &mut Now<M>) {
        if model.get(self.ready) == 1 {
            if let Some(beat) = self.offered.take() {
                self.finish(&beat);
            }
        }
        if self.taking {
            if let Some(burst) = self.addresses.burst(model) {
                self.accept(burst, now);
            }
        }
    }

    fn accept<M>(&mut self, burst: Burst, now: &mut Now<M>) {
        let beat_bytes = self.beat_bytes();
        let due = match now.behaviour.link {
            None => {
                let due = now.due();
                (0..burst.beats).map(|_| due).collect()
            }
            Some(link) => {
                let start = now.cycle + link.round_trip;
                let beats_a_packet = link.payload / beat_bytes;
                let mut due = VecDeque::new();
                while (due.len() as u64) < burst.beats {
                    let beats = beats_a_packet.min(burst.beats - due.len() as u64);
                    let at = self.inbound.complete(&link, start, beats * beat_bytes);
                    due.extend((0..beats).map(|_| at));
                }
                due
            }
        };
        let meets_silence = |nth: &u64| {
            let address = burst.address / beat_bytes * beat_bytes + nth * beat_bytes;
            now.behaviour.mishap(address.max(burst.address)) == Some(Mishap::Silence)
        };
        let silent = (0..burst.beats).find(meets_silence).map(|nth| (burst.beats - nth) as usize);
        self.bursts.push_back(Read { burst, number: self.asked, due, silent });
        self.asked += 1;
    }

    /// The beat to offer, if one is due.
    fn choose<M: AddressSpace>(&mut self, now: &mut Now<M>) -> Option<Beat> {
        let is_due = |read: &Read| !read.is_silent() && read.due[0] <= now.cycle;
        // Of each id, only the oldest burst.
        let oldest = |place: usize| {
            let id = self.bursts[place].burst.id;
            self.bursts.iter().take(place).all(|earlier| earlier.burst.id != id)
        };
        let chosen = match (now.behaviour.order, self.current) {
            (Order::Kept, _) => (!self.bursts.is_empty()).then_some(0),
            (Order::Bursts, Some(number)) => {
                self.bursts.iter().position(|read| read.number == number)
            }
            _ => {
                let due: Vec<usize> = (0..self.bursts.len())
                    .filter(|&place| oldest(place) && is_due(&self.bursts[place]))
                    .collect();
                (!due.is_empty()).then(|| due[now.random.below(due.len() as u64) as usize])
            }
        };
        let place = chosen.filter(|&place| is_due(&self.bursts[place]))?;
        self.current = Some(self.bursts[place].number);
        Some(self.beat(place, now))
    }

    fn beat<M: AddressSpace>(&self, place: usize, now: &mut Now<M>) -> Beat {
        let Read { burst, number, due, .. } = &self.bursts[place];
        let beat_bytes = self.beat_bytes();
        let done = burst.beats - due.len() as u64;
        let address = burst.address / beat_bytes * beat_bytes + done * beat_bytes;
        let mut bytes = vec![0xee; beat_bytes as usize];
        let is_there = now.memory.load(address, &mut bytes);
        let is_good = is_there && now.behaviour.mishap(address) != Some(Mishap::Error);
        let word = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        Beat {
            number: *number,
            id: burst.id,
            words: bytes.chunks_exact(8).map(word).collect(),
            response: if is_good { OKAY } else { ERROR },
            last: due.len() == 1,
        }
    }

    fn finish(&mut self, beat: &Beat) {
        self.bytes += self.beat_bytes();
        let place = self.bursts.iter().position(|read| read.number == beat.number);
        let place = place.expect("a beat is of a burst under way");
        self.bursts[place].due.pop_front();
        if beat.last {
            self.bursts.remove(place);
            self.current = None;
        }
    }

    fn beat_bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }
}
