//! The controller as a whole: what the firmware can do to the world, by registers.

use ::registers::controller::Deed;
use ::registers::host::DmaFault;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use contract::packet::PhaseFormat;
use contract::{
    AddressesOf, AutomatedNamespace, AutomatedTraffic, BufferId, Coalescing, CommandTag,
    Completion, CompletionQueue, Configuration, DmaDirection, DmaMemory, DmaProgress, DmaRequest,
    Duration, FlashOutcome, Hardware, HostEvent, Instant, InterruptCoalescing, ListOf, Medium,
    Metadata, Pass, QueueWeights, SubmissionQueue, Work,
};

use crate::channel::{self, ChannelWords};
use crate::controller;
use crate::memory::{Layout, CONTROL_BYTES, MOST_ADDRESSES};
use crate::pages::{Brought, Listed, LogPage, Newest};
use crate::{AutomatedCounts, Automation, Bus, DmaOrder, HostInterface, Note, Pointer};

/// What a controller is started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// A cycle of its clock, in picoseconds.
    pub cycle_ps: u64,
    /// Where things are in the data buffer memory.
    pub layout: Layout,
    /// Entries of the buffer memory for pages of the log: the first one, and how many.
    pub log_entries: (u32, u32),
    /// The registers of each channel.
    pub channels: ChannelWords,
    /// How phases become requests.
    pub format: PhaseFormat,
}

/// The namespace of the commands that the hardware runs by itself. Source: `command_check`.
const HARDWARE_NAMESPACE: u32 = 1;

/// Bytes of a sector, in which the hardware counts what it moves by itself.
const SECTOR_BYTES: u64 = 512;

/// The state of a channel whose phases the firmware schedules.
#[derive(Clone, Debug)]
pub(crate) struct Phases {
    /// Ways that were ready when the status was read last.
    pub ready: u64,
    /// A response of each way that was taken out of the window and waits for the firmware.
    pub responses: [Option<FlashOutcome>; 16],
    /// Ways whose chips give their status, until they are told to give data.
    pub gives_status: u64,
    /// A way's metadata that are to stand elsewhere once they are there.
    pub brought: [Brought; 16],
}

/// The controller in hardware.
pub struct Controller<B> {
    /// The host interface, with the bus.
    pub host: HostInterface<B>,
    pub(crate) format: PhaseFormat,
    pub(crate) phases: Vec<Phases>,
    pub(crate) layout: Layout,
    pub(crate) ways: u32,
    cycle_ps: u64,
    /// Whether the hardware may be told to run commands by itself.
    automates: bool,
    /// Lists of addresses that were fetched: DMA requests from the host of which the firmware does not know.
    lists_fetched: u32,
    control: Box<[u8; CONTROL_BYTES]>,
    control_newest: Newest,
    pub(crate) listed: Listed,
    /// Those that the firmware asked for last.
    metadata: Option<Metadata>,
    pub(crate) first_log_entry: u32,
    pub(crate) log: Vec<LogPage>,
}

impl<B: Bus> Controller<B> {
    /// Takes a controller over and configures it.
    ///
    /// # Panics
    /// If the hardware is not that of the configuration.
    pub fn new(mut bus: B, config: &Configuration, setup: Setup) -> Self {
        let geometry = config.geometry;
        // Where the medium is memory, channels that a controller has besides have no chips, and are left alone.
        if config.medium == Medium::Flash {
            let sizes = controller::sizes(&mut bus);
            assert_eq!(
                sizes,
                (geometry.channels, geometry.ways),
                "channels and ways of the controller"
            );
            controller::place_entries(&mut bus, &setup.layout);
            for number in 0..geometry.channels as u8 {
                channel::configure(&mut bus, number, &setup.channels);
            }
        }
        let phases =
            Phases { ready: 0, responses: [None; 16], gives_status: 0, brought: [None; 16] };
        let (first_log_entry, log_entries) = setup.log_entries;
        let mut controller = Self {
            host: HostInterface::new(bus),
            format: setup.format,
            phases: vec![phases; geometry.channels as usize],
            layout: setup.layout,
            ways: geometry.ways,
            cycle_ps: setup.cycle_ps,
            lists_fetched: 0,
            automates: config.automation != contract::Automation::None,
            control: Box::new([0; CONTROL_BYTES]),
            control_newest: Newest::Firmware,
            listed: Listed::NOTHING,
            metadata: None,
            first_log_entry,
            log: (0..log_entries).map(|_| LogPage::new(geometry.page_bytes)).collect(),
        };
        controller.fill_zeroes(geometry.dies());
        controller
    }

    /// Where things are in the data buffer memory.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The processor's bus, on which all registers and the memory are.
    pub fn bus(&mut self) -> &mut B {
        &mut self.host.bus
    }

    /// Has the memory engine do something with the same bytes of two entries. Returns whether what was compared differs.
    fn engine(
        &mut self,
        deed: Deed,
        (from, target): (BufferId, BufferId),
        (offset, length): (u32, u32),
    ) -> bool {
        let at = |entry| self.layout.entry(entry) + u64::from(offset);
        let addresses = (at(from), at(target));
        controller::engine(&mut self.host.bus, deed, addresses, length)
    }
}

impl<B: Bus> Hardware for Controller<B> {
    fn work_times(&mut self, work: Work, times: u32) {
        self.host.bus.work(work, times);
    }

    fn end_pass(&mut self, pass: Pass) {
        self.host.bus.end_pass(pass);
    }

    fn now(&mut self) -> Instant {
        Instant::from_ps(controller::cycles(&mut self.host.bus) * self.cycle_ps)
    }

    fn host_event(&mut self) -> HostEvent {
        let event = self.host.event();
        match event {
            HostEvent::Command(command) => self.host.bus.note(Note::Taken(command)),
            // What the hardware ran is stale; it is to begin nothing for a host that comes back, until told.
            HostEvent::Disable if self.automates => self.host.stop_automation(),
            _ => {}
        }
        event
    }

    fn set_ready(&mut self, ready: bool) {
        if ready {
            self.host.bus.note(Note::Ready);
        }
        self.host.set_ready(ready);
    }

    fn set_fatal(&mut self) {
        self.host.set_fatal();
    }

    fn shutdown_done(&mut self) {
        self.host.shutdown_done();
    }

    fn create_completion_queue(&mut self, queue: CompletionQueue) {
        self.host.create_completion_queue(queue);
    }

    fn create_submission_queue(&mut self, queue: SubmissionQueue) {
        self.host.create_submission_queue(queue);
    }

    fn delete_completion_queue(&mut self, id: u16) {
        self.host.delete_completion_queue(id);
    }

    /// What was fetched is among the commands that are unread, so none is told of here.
    fn delete_submission_queue(&mut self, id: u16) -> u32 {
        self.host.delete_submission_queue(id);
        0
    }

    fn set_queue_weights(&mut self, weights: QueueWeights) {
        self.host.set_weights(weights);
    }

    fn set_coalescing(&mut self, coalescing: InterruptCoalescing) {
        self.host.set_coalescing(coalescing);
    }

    fn set_vector_coalescing(&mut self, vector: u16, allowed: Coalescing) {
        self.host.set_vector_coalescing(vector, allowed);
    }

    /// # Panics
    /// If the namespace is not the one that the hardware knows.
    fn automate(&mut self, namespace: Option<AutomatedNamespace>) {
        let Some(namespace) = namespace else { return self.host.stop_automation() };
        let AutomatedNamespace { id, blocks, block_bytes, max_transfer_bytes } = namespace;
        assert_eq!(id, HARDWARE_NAMESPACE, "the namespace of commands that the hardware runs");
        let transfer_blocks = max_transfer_bytes / block_bytes;
        let base = self.layout.entry(BufferId(0));
        self.host.automate(Automation { blocks, transfer_blocks, block_bytes, base });
    }

    fn unread_commands(&mut self, queue: u16) -> u32 {
        self.host.queue_commands(queue).unread
    }

    fn automated_commands(&mut self, queue: u16) -> u32 {
        self.host.queue_commands(queue).running
    }

    fn automated_traffic(&mut self) -> AutomatedTraffic {
        if !self.automates {
            return AutomatedTraffic::default();
        }
        let AutomatedCounts { reads, writes, sectors_read, sectors_written, busy_cycles } =
            self.host.monitors().automated;
        AutomatedTraffic {
            reads,
            writes,
            bytes_read: sectors_read * SECTOR_BYTES,
            bytes_written: sectors_written * SECTOR_BYTES,
            busy: Duration::from_ps(busy_cycles * self.cycle_ps),
        }
    }

    fn issue_dma(&mut self, request: DmaRequest) {
        let DmaRequest { tag, direction, host_offset, length, command_length, memory, .. } =
            request;
        let address = match memory {
            DmaMemory::Buffer { entry, offset } => self.layout.entry(entry) + u64::from(offset),
            DmaMemory::Control => self.layout.control,
        };
        if memory == DmaMemory::Control {
            match direction {
                DmaDirection::ToHost => self.host.bus.store(address, &self.control[..]),
                DmaDirection::FromHost => self.control_newest = Newest::Memory,
            }
        }
        let pointer = Pointer::Data;
        let order =
            DmaOrder { tag, direction, pointer, host_offset, length, command_length, address };
        self.host.bus.note(Note::DmaIssued(tag, direction, length));
        self.host.issue_dma(order);
    }

    fn dma_progress(&mut self) -> DmaProgress {
        let DmaProgress { from_host, to_host, fault } = self.host.dma_progress();
        self.host.bus.note(Note::DmaEnded(DmaProgress { from_host, to_host, fault }));
        DmaProgress { from_host: from_host.wrapping_sub(self.lists_fetched), to_host, fault }
    }

    /// # Panics
    /// If the list is longer than [`MOST_ADDRESSES`].
    fn fetch_addresses(&mut self, list: AddressesOf, into: &mut [u64]) -> bool {
        let AddressesOf { tag, list, .. } = list;
        let mut bytes = [0; MOST_ADDRESSES * 8];
        let bytes = &mut bytes[..into.len() * 8];
        let length = bytes.len() as u32;
        let pointer = match list {
            ListOf::Blocks => Pointer::Blocks,
            ListOf::Destinations => Pointer::Destinations,
        };
        let (direction, address) = (DmaDirection::FromHost, self.layout.list);
        let (host_offset, command_length) = (0, length);
        self.host.bus.note(Note::DmaIssued(tag, direction, length));
        let order =
            DmaOrder { tag, direction, pointer, host_offset, length, command_length, address };
        let progress = self.host.bring(order);
        self.lists_fetched = self.lists_fetched.wrapping_add(1);
        self.host.bus.note(Note::DmaEnded(progress));
        if self.dma_fault(tag) {
            return false;
        }
        self.host.bus.load(address, bytes);
        for (number, bytes) in into.iter_mut().zip(bytes.as_chunks().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        true
    }

    fn dma_fault(&mut self, tag: CommandTag) -> bool {
        self.host.dma_fault(tag) != DmaFault::None
    }

    fn complete(&mut self, completion: Completion) {
        self.host.bus.note(Note::Completed(completion.tag));
        self.host.complete(completion);
    }

    fn factory_bad(&mut self, _channel: u8, _way: u8, _block: u32) -> bool {
        false
    }

    fn zero_buffer(&mut self, entry: BufferId, offset: u32, length: u32) {
        self.engine(Deed::Zero, (entry, entry), (offset, length));
    }

    fn copy_buffer(&mut self, from: BufferId, to: BufferId, offset: u32, length: u32) {
        self.engine(Deed::Copy, (from, to), (offset, length));
    }

    fn equal_buffers(&mut self, a: BufferId, b: BufferId, offset: u32, length: u32) -> bool {
        !self.engine(Deed::Compare, (a, b), (offset, length))
    }

    fn set_metadata(&mut self, entry: BufferId, metadata: Metadata) {
        let mut bytes = [0; Metadata::bytes(Metadata::MOST_UNITS)];
        let bytes = &mut bytes[..self.layout.metadata_bytes as usize];
        metadata.emit(bytes);
        self.host.bus.store(self.layout.metadata(entry), bytes);
    }

    fn metadata(&mut self, entry: BufferId) -> Option<&Metadata> {
        let mut bytes = [0; Metadata::bytes(Metadata::MOST_UNITS)];
        let bytes = &mut bytes[..self.layout.metadata_bytes as usize];
        self.host.bus.load(self.layout.metadata(entry), bytes);
        self.metadata = Metadata::parse(bytes);
        self.metadata.as_ref()
    }

    fn set_units(&mut self, entry: BufferId, units: &[Option<BufferId>]) {
        self.listed = Listed::new(entry, units);
    }

    fn log_page(&mut self, entry: BufferId) -> &mut [u8] {
        self.log_bytes(entry)
    }

    fn control_page(&mut self) -> &mut [u8; CONTROL_BYTES] {
        if self.control_newest == Newest::Memory {
            self.host.bus.load(self.layout.control, &mut self.control[..]);
            self.control_newest = Newest::Firmware;
        }
        &mut self.control
    }
}
