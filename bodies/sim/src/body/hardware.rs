//! The contract, as this body keeps it: what each access of the firmware does, and how long it takes.

use contract::{
    AddressesOf, AutomatedNamespace, AutomatedTraffic, BufferId, Cause, Coalescing, CommandTag,
    Completion, CompletionQueue, DmaDirection, DmaMemory, DmaProgress, DmaRequest, Hardware,
    HostEvent, Instant, InterruptCoalescing, Message, Metadata, Module, Needs, OperationId,
    OperationStep, Pass, QueueWeights, SubmissionQueue, Work,
};
use machine::{CommandStep, DmaTransfer, FirmwareStep, Observer, Polling, NEVER};

use super::Body;
use crate::channel::Channel;
use crate::host_interface::{DmaTimes, UNIT_BYTES};
use crate::memory::Extent;
use crate::processor::{Access, DmaInSight, MessageWay};

/// Bytes of an access of the engine that works on the buffer.
const ENGINE_BYTES: u32 = 512;

impl<O: Observer> Hardware for Body<O> {
    #[inline]
    fn work_times(&mut self, work: Work, times: u32) {
        let start = self.processor.now;
        self.processor.work(work, times);
        self.worked(work.module(), start);
    }

    #[inline]
    fn attend(&mut self, tag: Option<CommandTag>) {
        self.causes.attend(tag, self.processor.now);
    }

    #[inline]
    fn waited(&mut self, tag: CommandTag, cause: Cause) {
        self.causes.waited(tag, cause, self.processor.now);
    }

    /// Each caller names its step, so that only that arm is left of it. Operations of the drive's own
    /// have no account.
    #[inline(always)]
    fn step(&mut self, id: OperationId, step: OperationStep) {
        let now = self.processor.now;
        match step {
            OperationStep::Planned { command, needs } => {
                self.causes.plan(id, (command, needs), now);
            }
            OperationStep::First { die } => {
                let full = self.congestion(Needs::Die(die));
                self.causes.head(id, die, (now, full));
            }
            OperationStep::Picked => self.pick(id),
            OperationStep::Answered if self.causes.needs(id).is_none() => self.causes.leave(now),
            OperationStep::Answered => {
                self.causes.answer(id, now);
                if self.scheduled.is_some() {
                    self.causes.answered((now, 0));
                }
            }
            OperationStep::Released { by } => {
                if let Some(needs) = self.causes.needs(id) {
                    if self.causes.release(id, by, (now, self.congestion(needs))) {
                        self.tell_freed(id, by);
                    }
                }
            }
            OperationStep::Begun | OperationStep::Ended if self.causes.needs(id).is_none() => {}
            OperationStep::Begun => self.causes.begin(id, now),
            OperationStep::Ended => self.causes.end(id, now),
        }
    }

    #[inline]
    fn end_pass(&mut self, pass: Pass) {
        self.causes.leave(self.processor.now);
        self.observer.pass(pass);
        if self.cores.is_some() {
            return self.end_turn(pass);
        }
        match (pass, self.polling) {
            (Pass::Busy, _) => {
                (self.change, self.calm) = (self.processor.now, 0);
                self.processor.end_busy();
            }
            (Pass::Idle, polling) => {
                self.catch_up();
                let skips =
                    !self.woken && (polling == Polling::Skip || self.processor.pass_was_instant());
                let change = self.next_change(skips);
                self.change = change;
                self.quiet = change == NEVER;
                self.processor.end_idle(match polling {
                    _ if self.quiet || self.woken => self.processor.now,
                    Polling::Exact if !self.processor.pass_was_instant() => self.processor.now,
                    _ => change.min(self.due),
                });
            }
        }
        (self.looked_at, self.woken) = (0, false);
    }

    fn now(&mut self) -> Instant {
        self.access(Access::Time);
        Instant::from_ps(self.processor.now)
    }

    /// What it is about is another core's from then on, whose time it is to be charged with.
    fn send(&mut self, to: u8, message: Message) {
        self.causes.leave(self.processor.now);
        self.processor.message(message, MessageWay::Sent);
        let cores = self.cores.as_mut().expect("messages are between cores");
        cores.send(self.processor.now, to, message);
    }

    fn receive(&mut self) -> Option<Message> {
        let message = self.cores.as_mut()?.receive()?;
        self.processor.message(message, MessageWay::Received);
        Some(message)
    }

    #[inline]
    fn host_event(&mut self) -> HostEvent {
        self.causes.leave(self.processor.now);
        let start = self.access(Access::Read(Module::NvmeManager));
        self.catch_up();
        let event = self.interface.event(self.processor.now);
        if !matches!(event, HostEvent::None) {
            self.calm = 0;
        }
        if let HostEvent::Command(command) = &event {
            let times = self.interface.fetch_times(command.tag);
            // Where a fetch takes no time, the entry may have come while the register was read.
            self.causes.take(command.tag, times, start.max(times.0));
            self.access(Access::Command);
            self.observer.command(start, CommandStep::Taken(command));
            self.observer.firmware(self.processor.now, FirmwareStep::Taken(command));
        }
        event
    }

    fn set_ready(&mut self, ready: bool) {
        if ready {
            self.first_ready.get_or_insert(self.processor.now);
        }
        self.interface.set_ready(self.processor.now, ready);
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
        self.interface.delete_completion_queue(self.processor.now, id);
    }

    fn delete_submission_queue(&mut self, id: u16) -> u32 {
        self.interface.delete_submission_queue(self.processor.now, id)
    }

    fn set_queue_weights(&mut self, weights: QueueWeights) {
        self.interface.set_queue_weights(weights);
    }

    fn set_coalescing(&mut self, coalescing: InterruptCoalescing) {
        self.interface.set_coalescing(coalescing);
    }

    fn set_vector_coalescing(&mut self, vector: u16, allowed: Coalescing) {
        self.interface.set_vector_coalescing(vector, allowed);
    }

    fn set_doorbell_buffers(&mut self, shadow: u64, events: u64) {
        self.interface.set_doorbell_buffers(shadow, events);
    }

    fn automate(&mut self, namespace: Option<AutomatedNamespace>) {
        self.interface.automate(namespace);
    }

    fn automated_commands(&mut self, queue: u16) -> u32 {
        self.access(Access::Read(Module::NvmeManager));
        self.catch_up();
        self.interface.automated_commands(queue)
    }

    fn automated_traffic(&mut self) -> AutomatedTraffic {
        self.interface.automated_until(self.processor.now)
    }

    fn temperature_kelvin(&mut self) -> Option<u16> {
        let (busy_ps, channels) = match (&self.scheduled, self.interface.memory_use()) {
            (Some(scheduled), _) => (scheduled.bus_use(), self.geometry.channels.into()),
            (None, Some(memory)) => memory,
            (None, None) => {
                let busy_ps = self.channels.iter().map(Channel::bus_busy).sum();
                (busy_ps, self.channels.len() as u64)
            }
        };
        Some(self.heat.kelvin(self.processor.now, busy_ps, channels))
    }

    fn issue_dma(&mut self, request: DmaRequest) {
        let begun = self.access(Access::Dma(request.length.div_ceil(UNIT_BYTES)));
        self.observer.firmware(begun, FirmwareStep::DmaIssued(request.tag, request.direction));
        self.catch_up();
        self.run_channels(self.processor.now);
        let now = self.processor.now;
        let (interface, context) = self.host_side();
        let times = interface.issue_dma(now, request, context);
        let DmaTimes { link: span, moved, known, seen, completes } = times;
        if let (Some(supply), DmaMemory::Buffer { entry, offset }, DmaDirection::FromHost) =
            (&mut self.supply, request.memory, request.direction)
        {
            supply.arrive(now, moved, Extent { entry, offset, length: request.length });
        }
        let handed = self.causes.hand_over(
            now,
            [
                (Cause::DmaEngine, span.start),
                (Cause::HostLink, span.end),
                (Cause::Memory, moved),
                (Cause::HostLink, known),
                (Cause::DmaEngine, seen),
            ],
        );
        if completes {
            if let Some(split) = handed {
                *self.interface.told(request.tag) = *split;
            }
            self.interface.complete_moved(seen, request.tag);
        }
        let DmaRequest { tag: command, direction, length: bytes, .. } = request;
        self.observer.dma(DmaTransfer { command, direction, bytes, span });
    }

    #[inline]
    fn dma_progress(&mut self) -> DmaProgress {
        self.causes.leave(self.processor.now);
        let found = match self.processor.polls_each_dma() {
            true => self.interface.dma_in_sight(self.processor.now),
            false => DmaInSight { under_way: 0, ended: 0 },
        };
        self.access(Access::DmaPoll(found));
        self.catch_up();
        let progress = self.interface.dma_progress(self.processor.now);
        self.observer.firmware(self.processor.now, FirmwareStep::DmaEnded(progress));
        progress
    }

    fn dma_fault(&mut self, tag: CommandTag) -> bool {
        self.interface.dma_fault(tag)
    }

    /// The processor waits; it is at work for the command that it has turned to.
    fn fetch_addresses(&mut self, list: AddressesOf, into: &mut [u64]) -> bool {
        let start = self.processor.now;
        self.processor.wait(Module::NvmeManager, self.address_list);
        self.worked(Module::NvmeManager, start);
        let reached = self.interface.is_master();
        into.iter_mut().zip(0..).all(|(number, nth)| {
            let at = list.address.checked_add(nth * 8);
            let mut bytes = [0; 8];
            let found = at.is_some_and(|at| reached && self.host.any_memory().read(at, &mut bytes));
            *number = u64::from_le_bytes(bytes);
            found
        })
    }

    fn complete(&mut self, completion: Completion) {
        let start = self.access(Access::Completion);
        self.catch_up();
        self.observer.command(start, CommandStep::Completed(completion.tag));
        self.observer.firmware(start, FirmwareStep::Completed(completion.tag));
        let now = self.processor.now;
        self.causes.complete(completion.tag, now, self.interface.told(completion.tag));
        self.interface.complete(now, completion);
    }

    fn factory_bad(&mut self, channel: u8, way: u8, block: u32) -> bool {
        self.array.factory_bad(self.die(channel, way), block)
    }

    fn factory_mark(&mut self, entry: BufferId) -> bool {
        let (die, row) = self.log.origin(entry);
        self.array.factory_bad(die, self.geometry.block_of(row))
    }

    fn zero_buffer(&mut self, entry: BufferId, offset: u32, length: u32) {
        self.access(Access::Engine(length / ENGINE_BYTES));
        self.buffer.zero(Extent { entry, offset, length });
    }

    fn copy_buffer(&mut self, from: BufferId, to: BufferId, offset: u32, length: u32) {
        self.access(Access::Engine(2 * length / ENGINE_BYTES));
        self.buffer.copy(from, Extent { entry: to, offset, length });
    }

    fn equal_buffers(&mut self, a: BufferId, b: BufferId, offset: u32, length: u32) -> bool {
        self.access(Access::Engine(2 * length / ENGINE_BYTES));
        self.buffer.equal(a, Extent { entry: b, offset, length })
    }

    #[inline]
    fn set_metadata(&mut self, entry: BufferId, metadata: Metadata) {
        self.log.set_metadata(entry, metadata);
    }

    fn metadata(&mut self, entry: BufferId) -> Option<&Metadata> {
        self.log.metadata(entry)
    }

    fn set_units(&mut self, entry: BufferId, units: &[Option<BufferId>]) {
        self.log.set_units(entry, units);
    }

    fn log_page(&mut self, entry: BufferId) -> &mut [u8] {
        self.log.page_mut(entry).expect("an entry for pages of the log")
    }

    fn control_page(&mut self) -> &mut [u8; 4096] {
        &mut self.control
    }
}
