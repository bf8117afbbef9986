//! Host memory behind the read and write streams of the controller: late, out of order, and in pieces
//! that mix, as the rules of the streams allow.

use crate::host_control::willing::Willing;
use rtl_sim::{Agent, Input, Model, Output, Random};
use std::collections::{BTreeMap, VecDeque};

const BEAT_BYTES: usize = 32;
const PAGE_BYTES: u64 = 4096;
/// Clients of the streams (`fm_host_pkg`).
const WRITE_COMPLETION: u64 = 0;
const WRITE_MESSAGE: u64 = 1;

/// A read that is not answered in full.
struct Read {
    id: u64,
    address: u64,
    bytes: Vec<u8>,
    sent: usize,
    error: bool,
    ready_at: u64,
}

/// A write whose answer is due.
struct Written {
    client: u64,
    id: u64,
    error: bool,
    ready_at: u64,
}

/// A message that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Where to.
    pub address: u64,
    /// What.
    pub data: u32,
}

/// The pages of the host, and what is under way to and from them.
pub struct HostMemory {
    pages: BTreeMap<u64, Vec<u8>>,
    /// Addresses from here on are messages, not memory.
    messages_from: u64,
    messages: Vec<Message>,
    reads: Vec<Read>,
    written: Vec<Written>,
    /// Requests and data of the two writers, until both are there.
    requests: [VecDeque<(u64, u64)>; 2],
    data: [VecDeque<Vec<u8>>; 2],
    /// The beat that is offered: index of the read.
    beat: Option<usize>,
    answer: Option<usize>,
    taking: [bool; 5],
    /// Longest wait for an answer, in cycles.
    latency: u64,
    random: Random,
    willing: Willing,
    ports: Ports,
    cycle: u64,
    /// Reads are not answered for now.
    pub holds_reads: bool,
    /// Messages are not taken for now.
    pub holds_messages: bool,
    /// Address and length of the reads that came.
    pub reads_seen: Vec<(u64, u64)>,
    /// The cycles of the last beat and of the last answer.
    pub last_beat: u64,
    pub last_answer: u64,
}

struct Request {
    valid: Output,
    ready: Input,
    address: Output,
    id: Output,
}

struct Data {
    valid: Output,
    ready: Input,
    words: Vec<Output>,
}

struct Ports {
    read: Request,
    read_bytes: Output,
    writes: [Request; 2],
    write_clients: [Output; 2],
    data: [Data; 2],
    beat_valid: Input,
    beat_id: Input,
    beat_last: Input,
    beat_error: Input,
    beat_words: Vec<Input>,
    written_valid: Input,
    written_ready: Output,
    written_client: Input,
    written_id: Input,
    written_error: Input,
}

impl Request {
    fn new(model: &Model, name: &str) -> Self {
        let output = |port: &str| model.output(&format!("{name}_{port}_o"));
        Self {
            valid: output("valid"),
            ready: model.input(&format!("{name}_ready_i")),
            address: output("address"),
            id: output("id"),
        }
    }
}

impl Data {
    fn new(model: &Model, name: &str) -> Self {
        Self {
            valid: model.output(&format!("{name}_valid_o")),
            ready: model.input(&format!("{name}_ready_i")),
            words: model.output(&format!("{name}_word_o")).words().collect(),
        }
    }

    fn bytes(&self, model: &Model) -> Vec<u8> {
        self.words.iter().flat_map(|&word| model.get(word).to_le_bytes()).collect()
    }
}

impl HostMemory {
    pub fn new(model: &Model, messages_from: u64, random: &mut Random) -> Self {
        let ports = Ports {
            read: Request::new(model, "read"),
            read_bytes: model.output("read_bytes_o"),
            writes: [Request::new(model, "entry"), Request::new(model, "message")],
            write_clients: [model.output("entry_client_o"), model.output("message_client_o")],
            data: [Data::new(model, "entry_data"), Data::new(model, "message_data")],
            beat_valid: model.input("beat_valid_i"),
            beat_id: model.input("beat_id_i"),
            beat_last: model.input("beat_last_i"),
            beat_error: model.input("beat_error_i"),
            beat_words: (0..4).map(|n| model.input("beat_data_i").lane(n, 4)).collect(),
            written_valid: model.input("written_valid_i"),
            written_ready: model.output("written_ready_o"),
            written_client: model.input("written_client_i"),
            written_id: model.input("written_id_i"),
            written_error: model.input("written_error_i"),
        };
        Self {
            pages: BTreeMap::new(),
            messages_from,
            messages: Vec::new(),
            reads: Vec::new(),
            written: Vec::new(),
            requests: Default::default(),
            data: Default::default(),
            beat: None,
            answer: None,
            taking: [false; 5],
            latency: [0, 20, 300][random.below(3) as usize],
            random: random.split(),
            willing: Willing::any(random),
            ports,
            cycle: 0,
            holds_reads: false,
            holds_messages: false,
            reads_seen: Vec::new(),
            last_beat: 0,
            last_answer: 0,
        }
    }

    /// Never waits from now on.
    pub fn hurry(&mut self) {
        (self.latency, self.willing) = (0, Willing::always());
    }

    /// Gives the controller pages of zeroes.
    pub fn map(&mut self, address: u64, bytes: u64) {
        for page in 0..bytes.div_ceil(PAGE_BYTES) {
            self.pages.insert(address / PAGE_BYTES + page, vec![0; PAGE_BYTES as usize]);
        }
    }

    /// Takes all pages away; what still goes there fails.
    pub fn unmap_all(&mut self) {
        self.pages.clear();
    }

    /// Bytes that do not cross a page.
    pub fn at(&self, address: u64, bytes: usize) -> Option<&[u8]> {
        self.pages
            .get(&(address / PAGE_BYTES))?
            .get((address % PAGE_BYTES) as usize..)?
            .get(..bytes)
    }

    /// Writes bytes that do not cross a page; false where there is none.
    pub fn put(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(page) = self.pages.get_mut(&(address / PAGE_BYTES)) else { return false };
        let start = (address % PAGE_BYTES) as usize;
        page[start..start + bytes.len()].copy_from_slice(bytes);
        true
    }

    /// Takes the messages that came.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.reads.is_empty()
            && self.written.is_empty()
            && self.requests.iter().all(VecDeque::is_empty)
    }

    fn due(&mut self) -> u64 {
        self.cycle + 1 + self.random.below(self.latency + 1)
    }

    fn take_read(&mut self, model: &Model) {
        let read = &self.ports.read;
        let (address, length) = (model.get(read.address), model.get(self.ports.read_bytes));
        let id = model.get(read.id);
        assert!(length > 0 && address % PAGE_BYTES + length <= PAGE_BYTES, "{address:#x}+{length}");
        assert!(self.reads.iter().all(|read| read.id != id), "id {id} is under way");
        let found = self.at(address, length as usize).map(<[u8]>::to_vec);
        let error = found.is_none();
        let bytes = found.unwrap_or_else(|| vec![0xee; length as usize]);
        let ready_at = self.due();
        self.reads_seen.push((address, length));
        self.reads.push(Read { id, address, bytes, sent: 0, error, ready_at });
    }

    /// A request and its data are both there: the write happens, and is answered later.
    fn write(&mut self, writer: usize) {
        while let (Some(&(address, id)), Some(_)) =
            (self.requests[writer].front(), self.data[writer].front())
        {
            self.requests[writer].pop_front();
            let bytes = self.data[writer].pop_front().expect("it is there");
            let error = if address >= self.messages_from {
                assert_eq!(writer, 1, "a completion at {address:#x}");
                let data = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                self.messages.push(Message { address, data });
                false
            } else {
                let length = if writer == 0 { 16 } else { 4 };
                !self.put(address, &bytes[..length])
            };
            let client = [WRITE_COMPLETION, WRITE_MESSAGE][writer];
            let ready_at = self.due();
            self.written.push(Written { client, id, error, ready_at });
        }
    }

    /// Any of those that are due.
    fn pick(random: &mut Random, due: impl Iterator<Item = usize>) -> Option<usize> {
        let due: Vec<usize> = due.collect();
        (!due.is_empty()).then(|| due[random.below(due.len() as u64) as usize])
    }
}

impl Agent for HostMemory {
    fn drive(&mut self, model: &mut Model) {
        self.cycle += 1;
        let (cycle, ports) = (self.cycle, &self.ports);
        self.taking = [(); 5].map(|()| self.willing.next());
        if self.holds_messages {
            (self.taking[2], self.taking[4]) = (false, false);
        }
        model.set(ports.read.ready, u64::from(self.taking[0]));
        for writer in 0..2 {
            model.set(ports.writes[writer].ready, u64::from(self.taking[1 + writer]));
            model.set(ports.data[writer].ready, u64::from(self.taking[3 + writer]));
        }
        let gives = !self.holds_reads;
        let due =
            |(index, read): (usize, &Read)| (gives && read.ready_at <= cycle).then_some(index);
        self.beat = Self::pick(&mut self.random, self.reads.iter().enumerate().filter_map(due))
            .filter(|_| self.willing.next());
        model.set(ports.beat_valid, u64::from(self.beat.is_some()));
        if let Some(index) = self.beat {
            self.last_beat = cycle;
            // What is read is what stands there last.
            let Read { address, sent, ref bytes, .. } = self.reads[index];
            let now = self.at(address, bytes.len()).filter(|_| sent == 0).map(<[u8]>::to_vec);
            let read = &mut self.reads[index];
            read.bytes = now.unwrap_or_else(|| std::mem::take(&mut read.bytes));
            let mut beat = [0xa5; BEAT_BYTES];
            let end = read.bytes.len().min(read.sent + BEAT_BYTES);
            beat[..end - read.sent].copy_from_slice(&read.bytes[read.sent..end]);
            read.sent = end;
            for (port, word) in ports.beat_words.iter().zip(beat.chunks_exact(8)) {
                let word = word.try_into().expect("eight bytes");
                model.set(*port, u64::from_le_bytes(word));
            }
            model.set(ports.beat_id, read.id);
            model.set(ports.beat_error, u64::from(read.error));
            let last = end == read.bytes.len();
            model.set(ports.beat_last, u64::from(last));
            if last {
                self.reads.swap_remove(index);
            }
        }
        if self.answer.is_none() {
            let due = |(index, w): (usize, &Written)| (w.ready_at <= cycle).then_some(index);
            let due = self.written.iter().enumerate().filter_map(due);
            self.answer = Self::pick(&mut self.random, due).filter(|_| self.willing.next());
        }
        model.set(ports.written_valid, u64::from(self.answer.is_some()));
        if let Some(index) = self.answer {
            let written = &self.written[index];
            model.set(ports.written_client, written.client);
            model.set(ports.written_id, written.id);
            model.set(ports.written_error, u64::from(written.error));
        }
    }

    fn sample(&mut self, model: &Model) {
        if self.taking[0] && model.get(self.ports.read.valid) == 1 {
            self.take_read(model);
        }
        if self.answer.is_some() && model.get(self.ports.written_ready) == 1 {
            self.written.swap_remove(self.answer.take().expect("it is offered"));
            self.last_answer = self.cycle;
        }
        for writer in 0..2 {
            let request = &self.ports.writes[writer];
            if self.taking[1 + writer] && model.get(request.valid) == 1 {
                let (address, id) = (model.get(request.address), model.get(request.id));
                let client = [WRITE_COMPLETION, WRITE_MESSAGE][writer];
                let length = [16, 4][writer];
                assert_eq!(model.get(self.ports.write_clients[writer]), client);
                assert_eq!(address % length, 0, "{address:#x}");
                let same = |w: &&Written| w.client == client && w.id == id;
                assert!(self.written.iter().find(same).is_none(), "id {id} is under way");
                self.requests[writer].push_back((address, id));
            }
            let data = &self.ports.data[writer];
            if self.taking[3 + writer] && model.get(data.valid) == 1 {
                let bytes = data.bytes(model);
                self.data[writer].push_back(bytes);
            }
            self.write(writer);
        }
    }
}
