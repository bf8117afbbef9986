//! Writes of a subordinate.

use super::link::{Lane, Packet};
use super::{AddressPorts, AddressSpace, AxiPorts, Burst, Mishap, Now, UnderWay, ERROR, OKAY};
use crate::model::{Input, Model, Output};
use std::collections::VecDeque;

pub(super) struct Writes {
    addresses: AddressPorts,
    valid: Output,
    ready: Input,
    words: Vec<Output>,
    strobe: Output,
    last: Output,
    answer_valid: Input,
    answer_ready: Output,
    answer_id: Input,
    answer_response: Input,
    taking_address: bool,
    taking_beat: bool,
    announced: VecDeque<Burst>,
    /// Beats of bursts that are whole, and of the one that is not.
    whole: VecDeque<Vec<Beat>>,
    partial: Vec<Beat>,
    answers: VecDeque<Answer>,
    offering: bool,
    outbound: Lane,
    bytes: u64,
}

/// What a bit of a strobe stands for.
const LANE_BYTES: usize = 4;

/// What a manager sent in a cycle.
struct Beat {
    words: Vec<u64>,
    /// A bit a 32-bit lane.
    strobe: u64,
}

/// A write that waits for its answer.
struct Answer {
    id: u64,
    due: u64,
    response: u64,
    is_silent: bool,
    /// What becomes visible with it, by lanes of 32 bits.
    lanes: Vec<(u64, [u8; LANE_BYTES])>,
}

impl Writes {
    pub(super) fn new(model: &Model, ports: AxiPorts) -> Self {
        let (lane, lanes) = ports.lane;
        let name = |field| format!("{}_{field}", ports.prefix);
        let input = |field| model.input(&name(field)).lane(lane, lanes);
        let output = |field| model.output(&name(field)).lane(lane, lanes);
        Self {
            addresses: AddressPorts::new(model, ports, "aw"),
            valid: output("w_valid_o"),
            ready: input("w_ready_i"),
            words: output("w_data_o").words().collect(),
            strobe: output("w_strobe_o"),
            last: output("w_last_o"),
            answer_valid: input("b_valid_i"),
            answer_ready: output("b_ready_o"),
            answer_id: input("b_id_i"),
            answer_response: input("b_response_i"),
            taking_address: false,
            taking_beat: false,
            announced: VecDeque::new(),
            whole: VecDeque::new(),
            partial: Vec::new(),
            answers: VecDeque::new(),
            offering: false,
            outbound: Lane::default(),
            bytes: 0,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn under_way(&self) -> UnderWay {
        let halves = self.announced.len() + self.whole.len() + self.partial.len();
        let silent = self.answers.iter().filter(|answer| answer.is_silent).count();
        UnderWay { accesses: self.answers.len() + halves, silent }
    }

    pub(super) fn speak(&mut self) {
        self.answers.iter_mut().for_each(|answer| answer.is_silent = false);
    }

    pub(super) fn forget(&mut self) {
        self.announced.clear();
        self.whole.clear();
        self.partial.clear();
        self.answers.clear();
        self.offering = false;
    }

    pub(super) fn drive<M: AddressSpace>(&mut self, model: &mut Model, now: &mut Now<M>) {
        let may_come =
            !now.behaviour.data_first || !self.partial.is_empty() || !self.whole.is_empty();
        self.taking_address = now.behaviour.addresses.next() && may_come;
        model.set(self.addresses.ready, u64::from(self.taking_address));
        let is_free = now.behaviour.link.is_none() || self.outbound.is_free(now.cycle);
        self.taking_beat = now.behaviour.data.next() && is_free;
        model.set(self.ready, u64::from(self.taking_beat));
        // Answers keep their order, so one that is silent holds up the rest.
        let due =
            self.answers.front().filter(|answer| !answer.is_silent && answer.due <= now.cycle);
        if let Some(answer) = due {
            if !self.offering && now.behaviour.answers.next() {
                self.offering = true;
                for (address, lane) in &answer.lanes {
                    now.memory.store(*address, lane);
                }
            }
            model.set(self.answer_id, answer.id);
            model.set(self.answer_response, answer.response);
        }
        model.set(self.answer_valid, u64::from(self.offering));
    }

    pub(super) fn sample<M: AddressSpace>(&mut self, model: &Model, now: &mut Now<M>) {
        if self.offering && model.get(self.answer_ready) == 1 {
            self.offering = false;
            self.answers.pop_front();
        }
        if self.taking_address {
            self.announced.extend(self.addresses.burst(model));
        }
        if self.taking_beat && model.get(self.valid) == 1 {
            self.take_beat(model, now);
        }
        while !self.announced.is_empty() && !self.whole.is_empty() {
            let (Some(burst), Some(beats)) = (self.announced.pop_front(), self.whole.pop_front())
            else {
                unreachable!("both were there")
            };
            let answer = self.answer(burst, &beats, now);
            self.answers.push_back(answer);
        }
    }

    fn take_beat<M>(&mut self, model: &Model, now: &mut Now<M>) {
        let words: Vec<u64> = self.words.iter().map(|word| model.get(*word)).collect();
        let strobe = model.get(self.strobe);
        let bytes = u64::from(strobe.count_ones()) * 4;
        if let Some(link) = now.behaviour.link {
            let beats_a_packet = link.payload / (words.len() as u64 * 8);
            let begins = if self.partial.len() as u64 % beats_a_packet == 0 {
                Packet::Begins
            } else {
                Packet::GoesOn
            };
            self.outbound.write(&link, now.cycle, bytes, begins);
        }
        self.bytes += bytes;
        self.partial.push(Beat { words, strobe });
        if model.get(self.last) == 1 {
            self.whole.push_back(std::mem::take(&mut self.partial));
        }
    }

    fn answer<M: AddressSpace>(&self, burst: Burst, beats: &[Beat], now: &mut Now<M>) -> Answer {
        let beat_bytes = self.words.len() as u64 * 8;
        let base = burst.address / beat_bytes * beat_bytes;
        assert_eq!(beats.len() as u64, burst.beats, "beats of the burst at {:#x}", burst.address);
        let mut lanes = Vec::new();
        for (beat, at) in beats.iter().zip((base..).step_by(beat_bytes as usize)) {
            for lane in (0..beat_bytes / 4).filter(|lane| beat.strobe >> lane & 1 == 1) {
                let word = beat.words[lane as usize / 2] >> (lane % 2 * 32);
                lanes.push((at + lane * LANE_BYTES as u64, (word as u32).to_le_bytes()));
            }
        }
        let mishap = now.behaviour.mishap(burst.address);
        let is_there = lanes.iter().all(|(at, _)| now.memory.load(*at, &mut [0; LANE_BYTES]));
        let is_good = is_there && mishap != Some(Mishap::Error);
        if !is_good {
            lanes.clear();
        }
        Answer {
            id: burst.id,
            due: now.due(),
            response: if is_good { OKAY } else { ERROR },
            is_silent: mishap == Some(Mishap::Silence),
            lanes,
        }
    }
}
