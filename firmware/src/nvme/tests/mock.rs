//! Hardware and storage that do nothing by themselves: the tests say what happens.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use contract::{
    Automation, BadBlocks, BufferId, CachePolicy, Coalescing, CommandTag, Completer, Completion,
    CompletionQueue, Configuration, DmaDirection, DmaProgress, DmaRequest, DoorbellBuffers,
    Duration, Geometry, Grain, Hardware, HostEvent, Instant, InterruptCoalescing, Medium, Message,
    Metadata, Pass, Policies, QueueWeights, SubmissionQueue, Work,
};

use crate::nvme::backend::{
    Health, IoCommand, IoOutcome, NoChunks, NoZones, Placement, ReclaimEvent, Storage,
};
use crate::operations::ControlTransfer;

pub const BLOCK_BYTES: u32 = 4096;
pub const BLOCKS: u64 = 4096;
pub const SLOTS: u16 = 32;

pub fn configuration() -> Configuration {
    Configuration {
        serial: 1,
        medium: Medium::Flash,
        command_set: contract::CommandSet::Block,
        zoning: None,
        automation: Automation::None,
        geometry: Geometry {
            channels: 2,
            ways: 2,
            blocks_per_way: 16,
            pages_per_block: 32,
            page_bytes: 16_384,
        },
        flash_times: contract::FlashTimes::UNKNOWN,
        grain: Grain::Phases,
        joined_planes: 1,
        programming: contract::Programming::SINGLE,
        suspends: 0,
        read_unit_bytes: 16_384,
        unit_bytes: 16_384,
        logical_pages: 1024,
        namespaces: 1,
        block_formats: [4096, 512, 0, 0],
        block_format: 0,
        buffer_entries: 16,
        cache: CachePolicy::WriteBack,
        policies: Policies::PUBLISHED,
        command_slots: u32::from(SLOTS),
        io_queues: 4,
        vectors: 5,
        queue_entries: 1024,
        completer: Completer::Firmware,
        doorbell_buffers: DoorbellBuffers::Absent,
        max_transfer_bytes: 128 * 1024,
        dma_requests: 16,
        clean_entries_kept: 0,
        free_pages_kept: 0,
        refresh: contract::Refresh::NONE,
        read_retries: 1,
        read_levels: 0,
        spare_blocks_per_way: 1,
        bad_blocks: BadBlocks::Table,
        rated_cycles: 3000,
        recovery: None,
        reserve: None,
    }
}

/// Calls that change the host interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Call {
    Ready(bool),
    ShutdownDone,
    CreateCompletion(CompletionQueue),
    CreateSubmission(SubmissionQueue),
    DeleteCompletion(u16),
    DeleteSubmission(u16),
    Weights(QueueWeights),
    Coalescing(InterruptCoalescing),
    VectorCoalescing(u16, Coalescing),
    DoorbellBuffers(u64, u64),
}

pub struct MockHardware {
    pub calls: Vec<Call>,
    pub completions: Vec<Completion>,
    pub page: [u8; 4096],
    pub now: Instant,
    pub work: Vec<Work>,
    pub still_to_come: u32,
    /// What its sensor says.
    pub kelvin: Option<u16>,
    /// Messages to other cores, and to the one whose turn it is.
    pub sent: Vec<(u8, Message)>,
    pub inbox: VecDeque<Message>,
    /// What spare areas say, by entry, where layers below the manager are tested.
    pub spare: Option<Vec<(BufferId, Metadata)>>,
    /// What each entry for pages of the log holds there.
    pub log_page: Vec<u8>,
    free: Vec<CommandTag>,
}

impl MockHardware {
    pub fn new(config: &Configuration) -> Self {
        MockHardware {
            calls: Vec::new(),
            completions: Vec::new(),
            page: [0; 4096],
            still_to_come: 0,
            kelvin: None,
            now: Instant::ZERO,
            work: Vec::new(),
            sent: Vec::new(),
            inbox: VecDeque::new(),
            spare: None,
            log_page: Vec::new(),
            free: (0..config.command_slots as u16).rev().map(CommandTag).collect(),
        }
    }

    pub fn take_tag(&mut self) -> CommandTag {
        self.free.pop().expect("the interface has no free slot")
    }

    pub fn free_tags(&self) -> usize {
        self.free.len()
    }

    pub fn pass_time(&mut self, length: Duration) {
        self.now += length;
    }
}

impl Hardware for MockHardware {
    fn work_times(&mut self, work: Work, times: u32) {
        self.work.extend((0..times).map(|_| work));
    }
    fn now(&mut self) -> Instant {
        self.now
    }
    fn send(&mut self, to: u8, message: Message) {
        self.sent.push((to, message));
    }
    fn receive(&mut self) -> Option<Message> {
        self.inbox.pop_front()
    }
    fn temperature_kelvin(&mut self) -> Option<u16> {
        self.kelvin
    }
    fn set_ready(&mut self, ready: bool) {
        self.calls.push(Call::Ready(ready));
    }
    fn shutdown_done(&mut self) {
        self.calls.push(Call::ShutdownDone);
    }
    fn create_completion_queue(&mut self, queue: CompletionQueue) {
        self.calls.push(Call::CreateCompletion(queue));
    }
    fn create_submission_queue(&mut self, queue: SubmissionQueue) {
        self.calls.push(Call::CreateSubmission(queue));
    }
    fn delete_completion_queue(&mut self, id: u16) {
        self.calls.push(Call::DeleteCompletion(id));
    }
    fn delete_submission_queue(&mut self, id: u16) -> u32 {
        self.calls.push(Call::DeleteSubmission(id));
        self.still_to_come
    }
    fn set_queue_weights(&mut self, weights: QueueWeights) {
        self.calls.push(Call::Weights(weights));
    }
    fn set_coalescing(&mut self, coalescing: InterruptCoalescing) {
        self.calls.push(Call::Coalescing(coalescing));
    }
    fn set_vector_coalescing(&mut self, vector: u16, allowed: Coalescing) {
        self.calls.push(Call::VectorCoalescing(vector, allowed));
    }
    fn set_doorbell_buffers(&mut self, shadow: u64, events: u64) {
        self.calls.push(Call::DoorbellBuffers(shadow, events));
    }
    fn complete(&mut self, completion: Completion) {
        assert!(!self.free.contains(&completion.tag), "completed twice: {completion:?}");
        self.free.push(completion.tag);
        self.completions.push(completion);
    }
    fn control_page(&mut self) -> &mut [u8; 4096] {
        &mut self.page
    }

    // What follows belongs to the layers below; the manager must not touch it.
    fn end_pass(&mut self, _: Pass) {
        unreachable!()
    }
    fn host_event(&mut self) -> HostEvent {
        unreachable!()
    }
    fn set_fatal(&mut self) {
        unreachable!()
    }
    fn issue_dma(&mut self, _: DmaRequest) {
        unreachable!()
    }
    fn dma_progress(&mut self) -> DmaProgress {
        unreachable!()
    }
    fn dma_fault(&mut self, _: CommandTag) -> bool {
        unreachable!()
    }
    fn log_page(&mut self, _: BufferId) -> &mut [u8] {
        &mut self.log_page
    }
    fn factory_bad(&mut self, _: u8, _: u8, _: u32) -> bool {
        false
    }
    fn zero_buffer(&mut self, _: BufferId, _: u32, _: u32) {
        unreachable!()
    }
    fn copy_buffer(&mut self, _: BufferId, _: BufferId, _: u32, _: u32) {
        assert!(self.spare.is_some(), "no layer below");
    }
    fn equal_buffers(&mut self, _: BufferId, _: BufferId, _: u32, _: u32) -> bool {
        unreachable!()
    }
    fn set_metadata(&mut self, entry: BufferId, metadata: Metadata) {
        self.spare.as_mut().expect("no layer below").push((entry, metadata));
    }
    fn metadata(&mut self, entry: BufferId) -> Option<&Metadata> {
        let spare = self.spare.as_ref().expect("no layer below");
        spare.iter().rfind(|(own, _)| *own == entry).map(|(_, metadata)| metadata)
    }
}

/// Storage that keeps what it is given until a test ends it.
pub struct MockStorage {
    pub submitted: VecDeque<IoCommand>,
    done: VecDeque<(CommandTag, IoOutcome)>,
    pub control: Option<(CommandTag, DmaDirection, u32)>,
    /// Bytes of all data of the command whose page was last moved.
    pub command_bytes: u32,
    control_outcome: Option<IoOutcome>,
    pub busy_in_background: bool,
    pub block_bytes: u32,
    pub formats: u32,
    pub cache: Option<CachePolicy>,
    pub health: Health,
    /// Who completes what is submitted.
    pub completer: Completer,
    /// Whether what is submitted has begun, so that nothing can be forgotten.
    pub has_begun: bool,
    /// How the host places its data.
    pub placement: Option<Placement>,
    /// Blocks that are left in the reclaim unit of each handle.
    pub left: [u64; 8],
    /// Handles whose reclaim units were left.
    pub renewed: Vec<u8>,
    pub reclaim_events: VecDeque<ReclaimEvent>,
}

impl MockStorage {
    pub fn new() -> Self {
        MockStorage {
            submitted: VecDeque::new(),
            done: VecDeque::new(),
            control: None,
            command_bytes: 0,
            control_outcome: None,
            busy_in_background: false,
            block_bytes: BLOCK_BYTES,
            formats: 0,
            cache: None,
            completer: Completer::Firmware,
            has_begun: false,
            placement: None,
            left: [0; 8],
            renewed: Vec::new(),
            reclaim_events: VecDeque::new(),
            health: Health { available_spare_percent: 100, ..Health::default() },
        }
    }

    /// Ends the oldest command; returns it.
    pub fn end(&mut self, outcome: IoOutcome) -> IoCommand {
        let command = self.submitted.pop_front().expect("storage has no command");
        self.done.push_back((command.tag, outcome));
        command
    }

    /// Ends the control transfer.
    pub fn end_control(&mut self, outcome: IoOutcome) {
        assert!(self.control.take().is_some(), "no control transfer is under way");
        self.control_outcome = Some(outcome);
    }
}

impl Storage for MockStorage {
    type Chunks = NoChunks;
    type Zones = NoZones;

    fn blocks(&self) -> u64 {
        BLOCKS * u64::from(BLOCK_BYTES / self.block_bytes)
    }
    fn blocks_in_use(&self) -> u64 {
        77
    }
    fn block_bytes(&self) -> u32 {
        self.block_bytes
    }
    fn unit_bytes(&self) -> u32 {
        16_384
    }
    fn submit(&mut self, _: &mut impl Hardware, command: IoCommand) -> Completer {
        assert!(self.submitted.iter().all(|other| other.tag != command.tag));
        self.submitted.push_back(command);
        self.completer
    }
    fn abort(&mut self, tag: CommandTag) -> bool {
        let before = self.submitted.len();
        if !self.has_begun {
            self.submitted.retain(|command| command.tag != tag);
        }
        self.submitted.len() < before
    }
    fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        self.done.pop_front()
    }
    fn is_quiet(&self) -> bool {
        self.submitted.is_empty() && self.control.is_none() && !self.busy_in_background
    }
    fn format(&mut self, block_bytes: u32) {
        assert!(self.is_quiet(), "formatted while busy");
        self.block_bytes = block_bytes;
        self.formats += 1;
    }
    fn set_cache(&mut self, cache: CachePolicy) {
        self.cache = Some(cache);
    }
    fn start_control(
        &mut self,
        _hw: &mut impl Hardware,
        tag: CommandTag,
        ControlTransfer { direction, length, command_bytes, .. }: ControlTransfer,
    ) {
        assert!(self.control.is_none() && self.control_outcome.is_none(), "two at a time");
        self.control = Some((tag, direction, length));
        self.command_bytes = command_bytes;
    }
    fn control_done(&mut self) -> Option<IoOutcome> {
        self.control_outcome.take()
    }
    fn health(&self) -> Health {
        self.health
    }
    fn placement(&self) -> Option<Placement> {
        self.placement
    }
    fn reclaim_unit_left(&self, handle: u8) -> u64 {
        self.left[usize::from(handle)]
    }
    fn renew_reclaim_unit(&mut self, handle: u8) {
        self.renewed.push(handle);
    }
    fn next_reclaim_event(&mut self) -> Option<ReclaimEvent> {
        self.reclaim_events.pop_front()
    }
}
