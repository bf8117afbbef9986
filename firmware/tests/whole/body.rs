//! Hardware for tests of the whole firmware: flash that keeps what it is given and the rules of flash,
//! and a host whose memory is a number a block. Time is counted in turns of the main loop.
//!
//! Data move when an operation ends, not when it begins: firmware that frees a buffer entry too early
//! is seen.

use std::collections::{HashMap, HashSet, VecDeque};

use contract::{
    BufferId, ChannelStatus, Coalescing, CommandTag, Completion, CompletionQueue, Configuration,
    DmaDirection, DmaMemory, DmaProgress, DmaRequest, FlashOperation, FlashOutcome, FlashRequest,
    Geometry, Hardware, HostEvent, Instant, InterruptCoalescing, Metadata, OperationId,
    OperationStep, Pass, PhaseChannels, QueueWeights, Span, SubmissionQueue, Work,
};
use firmware::ftl::buffer::Buffer;
use firmware::operations::Page;

use crate::channels::{Channels, TIMEOUT};

/// Bytes of a logical block.
pub const BLOCK_BYTES: u32 = 4096;
/// Requests that a channel controller holds.
const CHANNEL_ROOM: u32 = 2;

/// A flash page: its blocks, and what it says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlashPage {
    pub blocks: Vec<u64>,
    pub metadata: Metadata,
}

/// What a way does, and until which turn.
#[derive(Clone, Copy, Debug)]
enum Doing {
    Nothing,
    /// The chip works.
    Work(u64, FlashRequest),
    /// A status check or a transfer.
    Answer(u64, FlashRequest),
    /// The answer waits to be taken.
    Answered(FlashOutcome),
}

/// Pages and blocks that fail, by die and row.
#[derive(Debug, Default)]
pub struct Faults {
    /// Pages that cannot be read.
    pub reads: HashSet<(u32, u32)>,
    /// Blocks of a page that cannot be read, each by its number in the page.
    pub blocks: HashSet<(u32, u32, u32)>,
    /// Pages that can be read at one read level only.
    pub levels: HashMap<(u32, u32), u8>,
    /// Reads that fail, counted from the first of all as 0, though their page is good.
    pub weak_reads: HashSet<u64>,
    /// Programs that fail, counted from the first of all as 0.
    pub programs: HashSet<u64>,
    /// Erases that fail, counted likewise.
    pub erases: HashSet<u64>,
    /// Operations at which the chip stays busy until it is reset, counted likewise.
    pub hangs: HashSet<u64>,
    /// Dies that answer nothing, not even a reset.
    pub dead: HashSet<u32>,
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub reads: u64,
    /// Blocks of the pages that were read.
    pub blocks_read: u64,
    pub programs: u64,
    pub erases: u64,
}

/// Work of a turn of the main loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Slices cut.
    pub slices: u32,
    /// Operations planned.
    pub planned: u32,
    /// Those on the drive's own behalf.
    pub internal: u32,
    /// 4 KiB of memory filled or compared.
    pub touched: u32,
}

/// Flash, host memory and queues as the firmware finds them, and what a test makes go wrong.
pub struct Body {
    pub faults: Faults,
    pub done: Done,
    /// Host memory by command: a number a block.
    pub data: HashMap<CommandTag, Vec<u64>>,
    /// Commands whose data pointer is bad.
    pub bad_pointers: HashSet<CommandTag>,
    pub events: VecDeque<HostEvent>,
    pub completions: Vec<Completion>,
    pub ready: bool,
    pub turn: u64,
    /// Flash requests, with the turn in which each was issued.
    pub issued: Vec<(u64, FlashRequest)>,
    /// Turns in which an answer was taken, and in which DMA to the host was handed over.
    pub answered: Vec<u64>,
    pub sent: Vec<u64>,
    /// Something was taken in or handed out in this turn.
    pub(crate) acted: bool,
    /// What the firmware did in this turn, and the most that it did in any.
    load: Load,
    pub most: Load,
    pub(crate) geometry: Geometry,
    flash: Vec<Option<FlashPage>>,
    ways: Vec<Doing>,
    /// Chips that stay busy until they are reset, and the operations that chips were given.
    hung: Vec<bool>,
    begun: u64,
    pub(crate) failed: Vec<bool>,
    /// Read level of each chip.
    pub(crate) levels: Vec<u8>,
    buffer: Vec<u64>,
    /// By entry.
    metadata: Vec<Option<Metadata>>,
    control: [u8; 4096],
    dma: [VecDeque<(u64, DmaRequest)>; 2],
    finished: [u32; 2],
    dma_room: usize,
    pub(crate) channels: Channels,
}

impl Body {
    /// Operations that chips were given so far, whoever schedules.
    pub fn begun(&self) -> u64 {
        self.begun + self.channels.begun
    }

    /// Flash that is erased.
    pub fn new(config: &Configuration) -> Self {
        let g = config.geometry;
        let entries = Buffer::entries_needed(config) as usize;
        Body {
            faults: Faults::default(),
            done: Done::default(),
            data: HashMap::new(),
            bad_pointers: HashSet::new(),
            events: VecDeque::new(),
            completions: Vec::new(),
            ready: false,
            turn: 0,
            issued: Vec::new(),
            answered: Vec::new(),
            sent: Vec::new(),
            acted: false,
            load: Load::default(),
            most: Load::default(),
            geometry: g,
            flash: vec![None; g.pages() as usize],
            ways: vec![Doing::Nothing; g.dies() as usize],
            hung: vec![false; g.dies() as usize],
            begun: 0,
            failed: vec![false; g.dies() as usize],
            levels: vec![0; g.dies() as usize],
            buffer: vec![0; entries * (g.page_bytes / BLOCK_BYTES) as usize],
            metadata: vec![None; entries],
            control: [0; 4096],
            dma: [VecDeque::new(), VecDeque::new()],
            finished: [0; 2],
            dma_room: config.dma_requests as usize,
            channels: Channels::new(config),
        }
    }

    /// All pages that flash holds.
    pub fn pages(&self) -> impl Iterator<Item = &FlashPage> {
        self.flash.iter().flatten()
    }

    /// What flash holds at a page.
    pub fn flash(&self, page: Page) -> Option<&FlashPage> {
        self.flash[(page.die * self.geometry.rows_per_way() + page.row) as usize].as_ref()
    }

    fn die_of(&self, request: &FlashRequest) -> u32 {
        u32::from(request.location.way) * self.geometry.channels
            + u32::from(request.location.channel)
    }

    fn at(&self, request: &FlashRequest) -> usize {
        (self.die_of(request) * self.geometry.rows_per_way() + request.location.row) as usize
    }

    fn entry(&mut self, entry: BufferId) -> &mut [u64] {
        let blocks = (self.geometry.page_bytes / BLOCK_BYTES) as usize;
        &mut self.buffer[entry.0 as usize * blocks..][..blocks]
    }

    fn part(&mut self, entry: BufferId, offset: u32, length: u32) -> &mut [u64] {
        assert!(offset % BLOCK_BYTES == 0 && length % BLOCK_BYTES == 0 && length > 0);
        let (first, count) = (offset / BLOCK_BYTES, length / BLOCK_BYTES);
        &mut self.entry(entry)[first as usize..][..count as usize]
    }

    /// A program or erase is over.
    pub(crate) fn end_work(&mut self, die: usize, request: FlashRequest) {
        let at = self.at(&request);
        let pages = self.geometry.pages_per_block as usize;
        self.failed[die] = match request.operation {
            FlashOperation::Program => {
                assert_eq!(self.flash[at], None, "a page is programmed once: {request:?}");
                let after = at..(at / pages + 1) * pages;
                let later = self.flash[after].iter().position(Option::is_some);
                assert_eq!(later, None, "a block is programmed in order: {request:?}");
                let blocks = self.entry(request.buffer).to_vec();
                let metadata = self.metadata[request.buffer.0 as usize];
                let metadata = metadata.expect("what is programmed has metadata");
                self.flash[at] = Some(FlashPage { blocks, metadata });
                self.done.programs += 1;
                self.faults.programs.contains(&(self.done.programs - 1))
            }
            FlashOperation::Erase => {
                self.flash[at / pages * pages..][..pages].fill(None);
                self.done.erases += 1;
                self.faults.erases.contains(&(self.done.erases - 1))
            }
            _ => false,
        };
    }

    /// A status check or a transfer is over.
    pub(crate) fn answer(&mut self, die: usize, request: FlashRequest) -> FlashOutcome {
        let success = FlashOutcome::Success { corrected_bits: 0, most_bits: 0 };
        if request.operation == FlashOperation::StatusCheck {
            return match (self.hung[die], self.failed[die]) {
                (true, _) => FlashOutcome::TimedOut,
                (false, true) => FlashOutcome::Failed,
                (false, false) => success,
            };
        }
        self.done.reads += 1;
        let page = self.flash[self.at(&request)].clone();
        let FlashPage { blocks, metadata } = page.expect("what is read was programmed");
        let Span { offset, length } = request.part;
        let first = (offset / BLOCK_BYTES) as usize;
        self.done.blocks_read += u64::from(length / BLOCK_BYTES);
        let part = self.part(request.buffer, offset, length);
        part.copy_from_slice(&blocks[first..first + part.len()]);
        // They stand behind the data of the whole page.
        let is_whole = request.part == self.geometry.page();
        self.metadata[request.buffer.0 as usize] = is_whole.then_some(metadata);
        let row = request.location.row;
        let weak = self.faults.weak_reads.contains(&(self.done.reads - 1));
        let bad = (offset / BLOCK_BYTES..(offset + length) / BLOCK_BYTES)
            .any(|block| self.faults.blocks.contains(&(die as u32, row, block)));
        let level = self.faults.levels.get(&(die as u32, row));
        let elsewhere = level.is_some_and(|&level| level != self.levels[die]);
        if weak || bad || elsewhere || self.faults.reads.contains(&(die as u32, row)) {
            return FlashOutcome::Uncorrectable;
        }
        success
    }

    fn end_dma(&mut self, request: DmaRequest) {
        let blocks = request.host_offset as usize / BLOCK_BYTES as usize;
        if self.bad_pointers.contains(&request.tag) {
            return;
        }
        let DmaMemory::Buffer { entry, offset } = request.memory else { return };
        let mut host = self.data.remove(&request.tag).expect("the command has data");
        assert_eq!(request.command_length as usize, host.len() * BLOCK_BYTES as usize);
        let drive = self.part(entry, offset, request.length);
        let host_part = &mut host[blocks..][..drive.len()];
        match request.direction {
            DmaDirection::FromHost => drive.copy_from_slice(host_part),
            DmaDirection::ToHost => host_part.copy_from_slice(drive),
        }
        self.data.insert(request.tag, host);
    }

    fn finish_dma(&mut self, direction: usize) -> u32 {
        while self.dma[direction].front().is_some_and(|&(until, _)| until <= self.turn) {
            if let Some((_, request)) = self.dma[direction].pop_front() {
                self.end_dma(request);
            }
            self.finished[direction] += 1;
            self.acted = true;
        }
        self.finished[direction]
    }

    fn status(&mut self, channel: u32) -> ChannelStatus {
        let mut status = ChannelStatus { ready: 0, responses: 0, room: CHANNEL_ROOM };
        for way in 0..self.geometry.ways {
            let die = (way * self.geometry.channels + channel) as usize;
            match self.ways[die] {
                Doing::Work(until, request) if until <= self.turn => {
                    if !self.hung[die] {
                        self.end_work(die, request);
                    }
                    self.ways[die] = Doing::Nothing;
                }
                Doing::Answer(until, request) if until <= self.turn => {
                    self.ways[die] = Doing::Answered(self.answer(die, request));
                }
                _ => {}
            }
            status.ready |= u64::from(matches!(self.ways[die], Doing::Nothing)) << way;
            status.responses |= u64::from(matches!(self.ways[die], Doing::Answered(_))) << way;
        }
        status
    }
}

impl Hardware for Body {
    fn work_times(&mut self, work: Work, times: u32) {
        match work {
            Work::Slice => self.load.slices += times,
            Work::Touch => self.load.touched += times,
            _ => {}
        }
    }
    fn step(&mut self, _: OperationId, step: OperationStep) {
        let OperationStep::Planned { command, .. } = step else { return };
        self.load.planned += 1;
        self.load.internal += u32::from(command.is_none());
    }
    fn end_pass(&mut self, pass: Pass) {
        let load = std::mem::take(&mut self.load);
        self.most = Load {
            slices: self.most.slices.max(load.slices),
            planned: self.most.planned.max(load.planned),
            internal: self.most.internal.max(load.internal),
            touched: self.most.touched.max(load.touched),
        };
        // A body may skip turns like an idle one.
        let acted = std::mem::take(&mut self.acted);
        assert!(!acted || pass == Pass::Busy, "turn {} was not idle", self.turn);
        self.turn += 1;
    }
    fn now(&mut self) -> Instant {
        Instant::from_ps(self.turn * 1_000_000)
    }
    fn host_event(&mut self) -> HostEvent {
        self.acted |= !self.events.is_empty();
        self.events.pop_front().unwrap_or(HostEvent::None)
    }
    fn set_ready(&mut self, ready: bool) {
        self.acted = true;
        self.ready = ready;
    }
    fn set_fatal(&mut self) {
        unreachable!("nothing here is fatal")
    }
    fn shutdown_done(&mut self) {}
    fn create_completion_queue(&mut self, _: CompletionQueue) {}
    fn create_submission_queue(&mut self, _: SubmissionQueue) {}
    fn delete_completion_queue(&mut self, _: u16) {}
    fn delete_submission_queue(&mut self, _: u16) -> u32 {
        0
    }
    fn set_queue_weights(&mut self, _: QueueWeights) {}
    fn set_coalescing(&mut self, _: InterruptCoalescing) {}
    fn set_vector_coalescing(&mut self, _: u16, _: Coalescing) {}
    fn issue_dma(&mut self, request: DmaRequest) {
        let queue = &mut self.dma[request.direction as usize];
        assert!(queue.len() < self.dma_room, "the DMA engine holds no more requests");
        queue.push_back((self.turn + 2, request));
        if request.direction == DmaDirection::ToHost {
            self.sent.push(self.turn);
        }
        self.acted = true;
    }
    fn dma_progress(&mut self) -> DmaProgress {
        let (from_host, to_host) = (self.finish_dma(0), self.finish_dma(1));
        DmaProgress { from_host, to_host, fault: !self.bad_pointers.is_empty() }
    }
    fn dma_fault(&mut self, tag: CommandTag) -> bool {
        self.bad_pointers.contains(&tag)
    }
    fn complete(&mut self, completion: Completion) {
        self.completions.push(completion);
        self.acted = true;
    }
    fn factory_bad(&mut self, _: u8, _: u8, _: u32) -> bool {
        false
    }
    fn zero_buffer(&mut self, entry: BufferId, offset: u32, length: u32) {
        self.part(entry, offset, length).fill(0);
    }
    fn copy_buffer(&mut self, from: BufferId, to: BufferId, offset: u32, length: u32) {
        let bytes = self.part(from, offset, length).to_vec();
        self.part(to, offset, length).copy_from_slice(&bytes);
    }
    fn equal_buffers(&mut self, a: BufferId, b: BufferId, offset: u32, length: u32) -> bool {
        self.part(a, offset, length).to_vec() == self.part(b, offset, length)
    }
    fn set_metadata(&mut self, entry: BufferId, metadata: Metadata) {
        self.metadata[entry.0 as usize] = Some(metadata);
    }
    fn metadata(&mut self, entry: BufferId) -> Option<&Metadata> {
        self.metadata[entry.0 as usize].as_ref()
    }
    fn control_page(&mut self) -> &mut [u8; 4096] {
        &mut self.control
    }
}

impl PhaseChannels for Body {
    fn poll_channels(&mut self, channels: &mut u64, _: u64) -> Option<(u8, ChannelStatus)> {
        if *channels == 0 {
            return None;
        }
        let channel = channels.trailing_zeros();
        *channels &= *channels - 1;
        Some((channel as u8, self.status(channel)))
    }
    fn issue_flash(&mut self, request: FlashRequest) {
        self.acted = true;
        self.issued.push((self.turn, request));
        let die = self.die_of(&request) as usize;
        assert!(matches!(self.ways[die], Doing::Nothing), "the way is not ready: {request:?}");
        let length = match request.operation {
            FlashOperation::StatusCheck => {
                self.ways[die] = Doing::Answer(self.turn + 1, request);
                return;
            }
            FlashOperation::ReadTransfer => {
                self.ways[die] = Doing::Answer(self.turn + 2, request);
                return;
            }
            FlashOperation::ReadTrigger | FlashOperation::SetLevel => 3,
            FlashOperation::Reset => 5,
            FlashOperation::Program => 7,
            FlashOperation::Erase => 11,
            FlashOperation::Suspend | FlashOperation::Resume => {
                unreachable!("the drive is not told to suspend")
            }
        };
        let is_dead = self.faults.dead.contains(&(die as u32));
        if request.operation == FlashOperation::Reset {
            self.hung[die] = is_dead;
        } else {
            assert!(!self.hung[die], "a chip that hangs is told nothing but to reset: {request:?}");
            self.hung[die] = is_dead || self.faults.hangs.contains(&self.begun);
            self.begun += 1;
        }
        if request.operation == FlashOperation::SetLevel && !self.hung[die] {
            self.levels[die] = request.level;
        }
        let length = if self.hung[die] { TIMEOUT } else { length };
        self.ways[die] = Doing::Work(self.turn + length, request);
    }
    fn take_response(&mut self, channel: u8, way: u8) -> FlashOutcome {
        self.acted = true;
        self.answered.push(self.turn);
        let die = u32::from(way) * self.geometry.channels + u32::from(channel);
        match std::mem::replace(&mut self.ways[die as usize], Doing::Nothing) {
            Doing::Answered(response) => response,
            other => panic!("way {way} has no response: {other:?}"),
        }
    }
}
