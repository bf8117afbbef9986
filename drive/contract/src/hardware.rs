//! The trait between firmware and body.

use crate::{
    AddressesOf, AutomatedNamespace, AutomatedTraffic, BufferId, Cause, CommandTag, Completion,
    CompletionQueue, DmaProgress, DmaRequest, HostEvent, Instant, InterruptCoalescing, Message,
    Metadata, OperationId, OperationStep, QueueWeights, SubmissionQueue, Work,
};

/// What a turn of the main loop found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Something changed, in the firmware or through it.
    Busy,
    /// Nothing: no state of the firmware changed, and the next turn would do exactly the same
    /// unless the hardware changes first. A body may use this to skip turns.
    Idle,
}

/// All that the firmware can do to the world, but for the flash channels, which take phases
/// ([`crate::PhaseChannels`]) or whole operations ([`crate::OperationChannels`]).
///
/// Each method that stands for a register access takes the bus time of such an access on a body with time.
/// Methods never fail: what can go wrong comes back as data.
pub trait Hardware {
    // -- the processor --

    /// Names work that is done now.
    fn work(&mut self, work: Work) {
        self.work_times(work, 1);
    }
    /// Names work that is done so many times now, perhaps not at all.
    fn work_times(&mut self, work: Work, times: u32);
    /// Ends a turn of the main loop.
    fn end_pass(&mut self, pass: Pass);
    /// The drive's own clock since power-on.
    fn now(&mut self) -> Instant;
    /// Sends another core a message, which sees it after a while. There is room for one of each operation and of each
    /// command. Called only by firmware that was made for several [`crate::Cores`].
    fn send(&mut self, to: u8, message: Message) {
        let _ = (to, message);
    }
    /// Takes the next message to the core whose turn it is that could be seen when the turn began: the first that was
    /// sent, and the lower core's of two at one time.
    fn receive(&mut self) -> Option<Message> {
        None
    }

    // -- where the time of commands goes, for bodies that tell; hardware does nothing --

    /// The processor turns to a command, or to none in particular. It stays with a command until it
    /// turns to another, to an operation, or looks at the hardware. A command that
    /// [`Hardware::host_event`] gives has it.
    #[inline]
    fn attend(&mut self, tag: Option<CommandTag>) {
        let _ = tag;
    }
    /// A command has waited until now, and this is what for.
    #[inline]
    fn waited(&mut self, tag: CommandTag, cause: Cause) {
        let _ = (tag, cause);
    }
    /// An operation takes a step.
    #[inline]
    fn step(&mut self, operation: OperationId, step: OperationStep) {
        let _ = (operation, step);
    }

    // -- the host interface --

    /// Takes the next event from the host command queue. A register access, and several more for a
    /// command.
    fn host_event(&mut self) -> HostEvent;
    /// Sets CSTS.RDY. Called with `false` once all commands fetched before a disable are done.
    fn set_ready(&mut self, ready: bool);
    /// Sets CSTS.CFS: the controller cannot go on.
    fn set_fatal(&mut self);
    /// Reports a finished shutdown in CSTS.SHST.
    fn shutdown_done(&mut self);
    /// Creates a completion queue, which no submission queue uses yet.
    fn create_completion_queue(&mut self, queue: CompletionQueue);
    /// Creates a submission queue and starts to fetch from it.
    fn create_submission_queue(&mut self, queue: SubmissionQueue);
    /// Deletes a completion queue that no submission queue uses.
    fn delete_completion_queue(&mut self, id: u16);
    /// Stops fetching from a submission queue and deletes it. Its commands that were fetched are
    /// still to be completed; returns how many of them [`Hardware::host_event`] has yet to give, without the commands that
    /// [`Hardware::unread_commands`] counts.
    fn delete_submission_queue(&mut self, id: u16) -> u32;
    /// Commands that were fetched from a submission queue, and of which it is not known yet whether [`Hardware::host_event`]
    /// gives them or the host interface runs them by itself. A register access.
    fn unread_commands(&mut self, queue: u16) -> u32 {
        let _ = queue;
        0
    }
    /// Sets the weights of weighted round robin.
    fn set_queue_weights(&mut self, weights: QueueWeights);
    /// Sets interrupt coalescing for all I/O vectors that allow it.
    fn set_coalescing(&mut self, coalescing: InterruptCoalescing);
    /// Allows or forbids coalescing on one vector.
    fn set_vector_coalescing(&mut self, vector: u16, allowed: Coalescing);
    /// The host keeps its I/O doorbells in host memory at `shadow`, a page, and looks at `events`, another,
    /// for when to write the registers as well. Called only where
    /// [`crate::Configuration::doorbell_buffers`] offers it; a disable ends it.
    fn set_doorbell_buffers(&mut self, shadow: u64, events: u64) {
        let _ = (shadow, events);
    }
    /// Lets the host interface run the reads and writes of a namespace by itself, as far as they break no
    /// rule; or lets it begin none any more. All other commands come as events, as before. Called only where
    /// [`crate::Configuration::automation`] offers it; a disable ends it, with all that it runs.
    fn automate(&mut self, namespace: Option<AutomatedNamespace>) {
        let _ = namespace;
    }
    /// Commands of a submission queue that the host interface runs by itself and has not completed.
    /// A register access.
    fn automated_commands(&mut self, queue: u16) -> u32 {
        let _ = queue;
        0
    }
    /// What the host interface ran by itself since power-on.
    fn automated_traffic(&mut self) -> AutomatedTraffic {
        AutomatedTraffic::default()
    }
    /// The temperature of the whole drive, in kelvin, where the body has a sensor.
    fn temperature_kelvin(&mut self) -> Option<u16> {
        None
    }
    /// Hands a request to the DMA engine, which must hold fewer than
    /// [`crate::Configuration::dma_requests`] of this direction. A register access.
    fn issue_dma(&mut self, request: DmaRequest);
    /// Reads the DMA engine's progress. A register access.
    fn dma_progress(&mut self) -> DmaProgress;
    /// Whether this command's data pointer was bad. Asked only after a progress read said so.
    fn dma_fault(&mut self, tag: CommandTag) -> bool;
    /// Reads a list of 8-byte numbers that a command names, from its first one on, while the processor waits: at most 64.
    /// False, with nothing of use in `into`, if the host does not give that memory. Called only where
    /// [`crate::Configuration::command_set`] is [`crate::CommandSet::OpenChannel`], and for no command that has a DMA request
    /// under way.
    fn fetch_addresses(&mut self, list: AddressesOf, into: &mut [u64]) -> bool {
        let _ = (list, into);
        false
    }
    /// Posts a completion. A register access.
    fn complete(&mut self, completion: Completion);

    // -- the flash --

    /// Whether a block carries the factory's bad block mark, as a table says that an earlier start made. Asked
    /// at start-up only, and only where [`crate::Configuration::bad_blocks`] says that there is one.
    fn factory_bad(&mut self, channel: u8, way: u8, block: u32) -> bool;
    /// Whether the first page of a block, of which a part was read to an entry last, carries the factory's bad
    /// block mark. The mark is in the bytes as they came from the chip, whatever the decoder made of them. Asked
    /// at start-up only, and only where [`crate::Configuration::bad_blocks`] says that there is no table.
    fn factory_mark(&mut self, entry: BufferId) -> bool {
        let _ = entry;
        false
    }

    // -- memory --

    /// Fills `length` bytes of a buffer entry from `offset` with zeroes.
    fn zero_buffer(&mut self, entry: BufferId, offset: u32, length: u32);
    /// Compares the same bytes of two buffer entries.
    fn equal_buffers(&mut self, a: BufferId, b: BufferId, offset: u32, length: u32) -> bool;
    /// Copies the same bytes of one buffer entry to another, all of them before anything else happens. Called only where
    /// there is a [`crate::Configuration::reserve`].
    fn copy_buffer(&mut self, from: BufferId, to: BufferId, offset: u32, length: u32);
    /// Puts the metadata behind the data of an entry, where its next program takes them from
    /// ([`Metadata::emit`]).
    fn set_metadata(&mut self, entry: BufferId, metadata: Metadata);
    /// What stands behind the data of an entry: the metadata of the page that was read to it last, as a whole, even
    /// if data of the page are beyond correction; `None` of an erased page, and where they could not be read
    /// ([`Metadata::parse`]).
    fn metadata(&mut self, entry: BufferId) -> Option<&Metadata>;
    /// Where the mapping units of the page go or come from that the next request for the flash moves whose buffer
    /// entry is `entry`: unit by unit from the first of the page on, with `None` for a unit that goes nowhere, or is
    /// programmed as zeroes, as are units behind the last. Called only where a page has several units
    /// ([`crate::Configuration::unit_bytes`]), before each such request but requests for pages of the log.
    #[inline]
    fn set_units(&mut self, entry: BufferId, units: &[Option<BufferId>]) {
        let _ = (entry, units);
    }
    /// The bytes of an entry for pages of the log, a page of them. Called only where
    /// [`crate::Configuration::recovery`] asks for it.
    fn log_page(&mut self, entry: BufferId) -> &mut [u8] {
        let _ = entry;
        &mut []
    }
    /// The bytes of the 4 KiB page that DMA with [`crate::DmaMemory::Control`] moves.
    fn control_page(&mut self) -> &mut [u8; 4096];
}

/// Whether a vector takes part in interrupt coalescing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Coalescing {
    /// The vector takes part.
    Allowed,
    /// The vector does not take part (feature 09h, bit 16).
    Forbidden,
}
