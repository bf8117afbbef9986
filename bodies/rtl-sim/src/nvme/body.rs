//! The firmware's body: the host side in hardware, the flash side at once.

use super::flash::{InstantFlash, Page};
use super::{DmaOrder, Interface, Pointer};
use ::registers::host::DmaFault;
use contract::{
    BufferId, ChannelStatus, Coalescing, CommandTag, Completion, CompletionQueue, Configuration,
    DmaDirection, DmaMemory, DmaProgress, DmaRequest, FlashOperation, FlashOutcome, FlashRequest,
    Hardware, HostEvent, Instant, InterruptCoalescing, Metadata, Pass, PhaseChannels, QueueWeights,
    SubmissionQueue, Work,
};
use firmware::ftl::buffer::Buffer;

/// Bytes of the control page.
const CONTROL_BYTES: usize = 4096;

/// Where things are in the drive's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a buffer entry; entry 0 begins at 0.
    pub page_bytes: u64,
    /// The control page.
    pub control: u64,
    /// The namespace of commands that the hardware runs.
    pub namespace: u64,
    /// End of memory.
    pub end: u64,
}

/// Clock of the controller, in picoseconds: 250 MHz.
pub const CYCLE_PS: u64 = 4_000;

/// Hardware as the firmware sees it.
pub struct Body {
    /// The host side.
    pub interface: Interface,
    flash: InstantFlash,
    layout: Layout,
    /// What stands behind the data of each entry.
    metadata: Vec<Option<Metadata>>,
    control: Box<[u8; CONTROL_BYTES]>,
    /// The control page came from the host since the firmware looked at it.
    is_control_new: bool,
    /// How the last turn of the firmware ended.
    pub pass: Pass,
}

impl Layout {
    /// Where the memory of a drive puts things, and a namespace of so many bytes.
    pub fn new(config: &Configuration, namespace_bytes: u64) -> Self {
        let page_bytes = u64::from(config.geometry.page_bytes);
        let entries = Buffer::entries_needed(config);
        let control = u64::from(entries) * page_bytes;
        let namespace = control + page_bytes;
        Self { page_bytes, control, namespace, end: namespace + namespace_bytes }
    }

    fn entry(&self, entry: BufferId) -> u64 {
        u64::from(entry.0) * self.page_bytes
    }
}

impl Body {
    /// A body with erased flash, and memory of zeros.
    pub fn new(mut interface: Interface, config: &Configuration, layout: Layout) -> Self {
        interface.bus.map_memory(layout.end);
        Self {
            interface,
            flash: InstantFlash::new(config.geometry),
            layout,
            metadata: vec![None; Buffer::entries_needed(config) as usize],
            control: Box::new([0; CONTROL_BYTES]),
            is_control_new: false,
            pass: Pass::Busy,
        }
    }

    /// Where things are in the drive's memory.
    pub fn layout(&self) -> Layout {
        self.layout
    }
}

impl Hardware for Body {
    fn work_times(&mut self, _work: Work, _times: u32) {}

    fn end_pass(&mut self, pass: Pass) {
        self.pass = pass;
    }

    fn now(&mut self) -> Instant {
        Instant::from_ps(self.interface.bus.cycles() * CYCLE_PS)
    }

    fn host_event(&mut self) -> HostEvent {
        self.interface.event()
    }

    fn set_ready(&mut self, ready: bool) {
        self.interface.set_ready(ready);
    }

    fn set_fatal(&mut self) {
        self.interface.set_fatal();
    }

    fn shutdown_done(&mut self) {
        self.interface.shutdown_done();
    }

    fn create_completion_queue(&mut self, queue: CompletionQueue) {
        self.interface.create_completion_queue(queue);
    }

    fn create_submission_queue(&mut self, queue: SubmissionQueue) {
        self.interface.create_submission_queue(queue);
    }

    fn delete_completion_queue(&mut self, id: u16) {
        self.interface.delete_completion_queue(id);
    }

    fn delete_submission_queue(&mut self, id: u16) -> u32 {
        self.interface.delete_submission_queue(id);
        0
    }

    fn unread_commands(&mut self, queue: u16) -> u32 {
        self.interface.queue_commands(queue).unread
    }

    fn automated_commands(&mut self, queue: u16) -> u32 {
        self.interface.queue_commands(queue).running
    }

    fn set_queue_weights(&mut self, weights: QueueWeights) {
        self.interface.set_weights(weights);
    }

    fn set_coalescing(&mut self, coalescing: InterruptCoalescing) {
        self.interface.set_coalescing(coalescing);
    }

    fn set_vector_coalescing(&mut self, vector: u16, allowed: Coalescing) {
        self.interface.set_vector_coalescing(vector, allowed);
    }

    fn issue_dma(&mut self, request: DmaRequest) {
        let DmaRequest { tag, direction, host_offset, length, command_length, memory, .. } =
            request;
        let address = match memory {
            DmaMemory::Buffer { entry, offset } => self.layout.entry(entry) + u64::from(offset),
            DmaMemory::Control => self.layout.control,
        };
        match (memory, direction) {
            (DmaMemory::Control, DmaDirection::ToHost) => {
                self.interface.bus.store(address, &self.control[..]);
            }
            (DmaMemory::Control, DmaDirection::FromHost) => self.is_control_new = true,
            (DmaMemory::Buffer { .. }, _) => {}
        }
        let pointer = Pointer::Data;
        let order =
            DmaOrder { tag, direction, pointer, host_offset, length, command_length, address };
        self.interface.issue_dma(order);
    }

    fn dma_progress(&mut self) -> DmaProgress {
        self.interface.dma_progress()
    }

    fn dma_fault(&mut self, tag: CommandTag) -> bool {
        self.interface.dma_fault(tag) != DmaFault::None
    }

    fn complete(&mut self, completion: Completion) {
        self.interface.complete(completion);
    }

    fn factory_bad(&mut self, _channel: u8, _way: u8, _block: u32) -> bool {
        false
    }

    fn zero_buffer(&mut self, entry: BufferId, offset: u32, length: u32) {
        let at = self.layout.entry(entry) + u64::from(offset);
        self.interface.bus.store(at, &vec![0; length as usize]);
    }

    fn copy_buffer(&mut self, from: BufferId, to: BufferId, offset: u32, length: u32) {
        let [from, to] = [from, to].map(|entry| self.layout.entry(entry) + u64::from(offset));
        let bytes = self.interface.bus.load(from, length as usize);
        self.interface.bus.store(to, &bytes);
    }

    fn equal_buffers(&mut self, a: BufferId, b: BufferId, offset: u32, length: u32) -> bool {
        let card = &self.interface.bus;
        let bytes =
            |entry| card.load(self.layout.entry(entry) + u64::from(offset), length as usize);
        bytes(a) == bytes(b)
    }

    fn set_metadata(&mut self, entry: BufferId, metadata: Metadata) {
        self.metadata[entry.0 as usize] = Some(metadata);
    }

    fn metadata(&mut self, entry: BufferId) -> Option<&Metadata> {
        self.metadata[entry.0 as usize].as_ref()
    }

    fn control_page(&mut self) -> &mut [u8; 4096] {
        if std::mem::take(&mut self.is_control_new) {
            let bytes = self.interface.bus.load(self.layout.control, CONTROL_BYTES);
            self.control.copy_from_slice(&bytes);
        }
        &mut self.control
    }
}

impl PhaseChannels for Body {
    fn poll_channels(&mut self, channels: &mut u64, eager: u64) -> Option<(u8, ChannelStatus)> {
        self.flash.poll(channels, eager)
    }

    fn issue_flash(&mut self, request: FlashRequest) {
        let at = self.layout.entry(request.buffer);
        let card = &mut self.interface.bus;
        let metadata = &mut self.metadata[request.buffer.0 as usize];
        let bytes = match request.operation {
            FlashOperation::Program => card.load(at, self.layout.page_bytes as usize),
            _ => Vec::new(),
        };
        if let Some(page) = self.flash.execute(request, Page { bytes, metadata: *metadata }) {
            card.store(at, &page.bytes);
            *metadata = page.metadata;
        }
    }

    fn take_response(&mut self, channel: u8, way: u8) -> FlashOutcome {
        self.flash.take_response(channel, way)
    }
}
