//! The data buffer of a drive at the buffer side of a channel: pages that are fetched and stored.

use crate::bench::Agent;
use crate::model::{Input, Model, Output};
use crate::Pace;
use std::collections::{BTreeMap, VecDeque};

/// Buffer entries, and the streams `fetch`, `data_in`, `store` and `data_out` of a channel.
///
/// A descriptor is one beat with a buffer entry and a number of bytes; the words of that packet
/// follow on the data stream, the last of them marked. Packets come in the order of descriptors.
pub struct DataBuffer {
    fetch: DescriptorPorts,
    store: DescriptorPorts,
    data_in: WordPorts<Input, Output>,
    data_in_error: Input,
    data_out: WordPorts<Output, Input>,
    paces: Paces,
    entries: Vec<Vec<u8>>,
    /// Packets that the channel asked for, and how far the first one is.
    asked: VecDeque<Packet>,
    sent: usize,
    offering: bool,
    /// Entries of which a word comes with an error, and the first byte of that.
    spoilt: BTreeMap<usize, usize>,
    /// Packets that the channel announced, and how far the first one is.
    announced: VecDeque<Packet>,
    received: usize,
    willing: [bool; 3],
}

/// How willing the buffer is on its streams.
#[derive(Clone, Debug)]
pub struct Paces {
    /// Takes descriptors, of both directions.
    pub descriptors: Pace,
    /// Sends words.
    pub send: Pace,
    /// Takes words.
    pub receive: Pace,
}

/// A buffer entry, and bytes of it from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet {
    entry: usize,
    bytes: usize,
}

struct DescriptorPorts {
    valid: Output,
    ready: Input,
    buffer: Output,
    length: Output,
}

struct WordPorts<Forward, Backward> {
    valid: Forward,
    ready: Backward,
    data: Forward,
    last: Forward,
}

impl Paces {
    /// Always willing.
    pub const ALWAYS: Self =
        Self { descriptors: Pace::Always, send: Pace::Always, receive: Pace::Always };
}

impl DescriptorPorts {
    fn new(model: &Model, prefix: &str) -> Self {
        let output = |name: &str| model.output(&format!("{prefix}_{name}_o"));
        Self {
            valid: output("valid"),
            ready: model.input(&format!("{prefix}_ready_i")),
            buffer: output("buffer"),
            length: output("length"),
        }
    }

    fn packet(&self, model: &Model) -> Packet {
        Packet { entry: model.get(self.buffer) as usize, bytes: model.get(self.length) as usize }
    }
}

impl DataBuffer {
    /// So many entries of zeros, of so many bytes each.
    pub fn new(model: &Model, entries: usize, bytes: usize, paces: Paces) -> Self {
        Self {
            fetch: DescriptorPorts::new(model, "fetch"),
            store: DescriptorPorts::new(model, "store"),
            data_in: WordPorts {
                valid: model.input("data_in_valid_i"),
                ready: model.output("data_in_ready_o"),
                data: model.input("data_in_data_i"),
                last: model.input("data_in_last_i"),
            },
            data_in_error: model.input("data_in_error_i"),
            data_out: WordPorts {
                valid: model.output("data_out_valid_o"),
                ready: model.input("data_out_ready_i"),
                data: model.output("data_out_data_o"),
                last: model.output("data_out_last_o"),
            },
            paces,
            entries: vec![vec![0; bytes]; entries],
            asked: VecDeque::new(),
            sent: 0,
            offering: false,
            spoilt: BTreeMap::new(),
            announced: VecDeque::new(),
            received: 0,
            willing: [false; 3],
        }
    }

    /// The bytes of an entry.
    pub fn entry(&self, entry: u16) -> &[u8] {
        &self.entries[usize::from(entry)]
    }

    /// The bytes of an entry, to be filled.
    pub fn entry_mut(&mut self, entry: u16) -> &mut [u8] {
        &mut self.entries[usize::from(entry)]
    }

    /// From now on the word at that byte of an entry comes with an error.
    pub fn spoil(&mut self, entry: u16, byte: usize) {
        self.spoilt.insert(entry.into(), byte & !1);
    }

    /// The words of all entries come without errors again.
    pub fn mend(&mut self) {
        self.spoilt.clear();
    }

    /// Changes how willing the buffer is, from the next cycle on.
    pub fn set_paces(&mut self, paces: Paces) {
        self.paces = paces;
    }

    /// Whether no packet is under way.
    pub fn is_idle(&self) -> bool {
        self.asked.is_empty() && self.announced.is_empty()
    }

    fn send(&mut self, model: &mut Model) {
        self.offering = !self.asked.is_empty() && (self.offering || self.paces.send.next());
        model.set(self.data_in.valid, u64::from(self.offering));
        if self.offering {
            let Packet { entry, bytes } = self.asked[0];
            let word = &self.entries[entry][self.sent..self.sent + 2];
            model.set(self.data_in.data, u64::from(u16::from_le_bytes([word[0], word[1]])));
            model.set(self.data_in.last, u64::from(self.sent + 2 == bytes));
            let is_wrong = self.spoilt.get(&entry) == Some(&self.sent);
            model.set(self.data_in_error, u64::from(is_wrong));
        }
    }

    fn take_word(&mut self, model: &Model) {
        let Some(&Packet { entry, bytes }) = self.announced.front() else {
            panic!("a word on data_out, expected a descriptor on store before it");
        };
        let word = (model.get(self.data_out.data) as u16).to_le_bytes();
        self.entries[entry][self.received..self.received + 2].copy_from_slice(&word);
        self.received += 2;
        let is_last = model.get(self.data_out.last) == 1;
        assert_eq!(
            is_last,
            self.received == bytes,
            "last on data_out, {} of {bytes} bytes",
            self.received
        );
        if is_last {
            self.announced.pop_front();
            self.received = 0;
        }
    }
}

impl Agent for DataBuffer {
    fn drive(&mut self, model: &mut Model) {
        self.willing = [
            self.paces.descriptors.next(),
            self.paces.descriptors.next(),
            self.paces.receive.next(),
        ];
        let ready = [self.fetch.ready, self.store.ready, self.data_out.ready];
        for (port, willing) in ready.into_iter().zip(self.willing) {
            model.set(port, u64::from(willing));
        }
        self.send(model);
    }

    fn sample(&mut self, model: &Model) {
        if self.willing[1] && model.get(self.store.valid) == 1 {
            self.announced.push_back(self.store.packet(model));
        }
        if self.willing[2] && model.get(self.data_out.valid) == 1 {
            self.take_word(model);
        }
        if self.offering && model.get(self.data_in.ready) == 1 {
            self.offering = false;
            self.sent += 2;
            if self.sent == self.asked[0].bytes {
                self.asked.pop_front();
                self.sent = 0;
            }
        }
        if self.willing[0] && model.get(self.fetch.valid) == 1 {
            self.asked.push_back(self.fetch.packet(model));
        }
    }
}
