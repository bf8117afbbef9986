//! The event-driven body: what the firmware's register accesses do, and how long they take.

use board::Board;
use borsh::{BorshDeserialize, BorshSerialize};
use contract::{
    AutomatedNamespace, AutomatedTraffic, BufferId, Cause, Coalescing, CommandTag, Completion,
    CompletionQueue, DmaDirection, DmaMemory, DmaProgress, DmaRequest, Geometry, Grain, Hardware,
    HostCommand, HostEvent, Instant, InterruptCoalescing, Lpn, Medium, Message, Metadata, Module,
    Needs, OperationId, OperationStep, Pass, QueueWeights, SavingCosts, SubmissionQueue, Work,
};
use firmware::ftl::buffer::Buffer;
use firmware::ftl::origin::Origin;
use nand::{Array, Prior};
use nvme::prp::Segment;

use crate::activity::{Activity, ChannelActivity};
use crate::causes::Causes;
use crate::channel::{BusTimes, Channel};
use crate::cores::{CoreTime, Cores};
use crate::drive::{Options, Polling, Usage};
use crate::flash_side::DataPath;
use crate::heat::Heat;
use crate::host::{Host, Registers, Wake};
use crate::host_interface::{DmaContext, DmaTimes, Fetched, HostInterface, Task, UNIT_BYTES};
use crate::ledger::Ledger;
use crate::log_memory::LogMemory;
use crate::memory::{BufferMemory, Extent, HostMemory};
use crate::observe::{CommandStep, DmaTransfer, FirmwareStep, Observer, TimeSpan};
use crate::poll::Poller;
use crate::power_loss::{Supply, MOST_HUNG};
use crate::processor::{Access, MessageWay, Processor};
use crate::scheduled::Scheduled;
use crate::timers::{Actor, NEVER};

mod copied;
mod state;
mod turns;

/// Bytes of an access of the engine that works on the buffer.
const ENGINE_BYTES: u32 = 512;

/// What the chips hold before the run, as the firmware's fill says.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Filled {
    /// By pages.
    pub origin: Origin,
    /// Mapping units of a page.
    pub units: u32,
}

impl Prior for Filled {
    fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        self.origin.logical(die, row).map(|Lpn(page)| Lpn(page * self.units))
    }
}

/// A drive's hardware in virtual time, with its host.
pub struct Body<H, O> {
    pub(crate) host: H,
    pub(crate) observer: O,
    pub(crate) interface: HostInterface,
    /// The core that runs.
    pub(crate) processor: Processor,
    /// All cores, where there are several.
    pub(crate) cores: Option<Box<Cores>>,
    pub(crate) array: Array<Filled>,
    pub(crate) causes: Causes,
    medium: Medium,
    pub(crate) geometry: Geometry,
    /// Channels that take phases; none where they schedule.
    pub(crate) channels: Vec<Channel>,
    /// Channels that schedule whole operations.
    pub(crate) scheduled: Option<Scheduled>,
    /// Channels whose status was read in this pass, a bit each.
    pub(crate) looked_at: u64,
    pub(crate) poller: Poller,
    pub(crate) buffer: BufferMemory,
    /// Pages of the drive's log, and metadata.
    pub(crate) log: LogMemory,
    control: Box<[u8; 4096]>,
    pub(crate) bus_times: BusTimes,
    pub(crate) path: DataPath,
    pub(crate) dram: Ledger,
    pub(crate) data_bus: Ledger,
    pub(crate) solvers: Vec<Ledger>,
    /// What is left when the power goes away, where anything is.
    supply: Option<Supply>,
    /// When CSTS.RDY was set first.
    first_ready: Option<u64>,
    heat: Heat,
    segments: Vec<Segment>,
    /// How long the processor waits for a list of addresses.
    address_list: u64,
    polling: Polling,
    /// The host was woken in this pass: whoever runs the drive may want to act before the next.
    woken: bool,
    /// Nothing will ever happen again unless the host is woken.
    pub(crate) quiet: bool,
    /// When the firmware reads something else than in the last turn, as far as that turn knew.
    pub(crate) change: u64,
    /// When whoever runs the drive wants to look at it: idle turns are not skipped past this.
    pub(crate) due: u64,
}

impl<H: Host, O: Observer> Body<H, O> {
    /// Hardware with these chips.
    pub(crate) fn new(
        board: &Board,
        (options, array): (Options, Array<Filled>),
        (host, observer): (H, O),
    ) -> Self {
        let config = &board.firmware;
        let geometry = config.geometry;
        let (payload, page_bytes) = (options.payload, geometry.page_bytes);
        let (operations, entries) = firmware::sizes(config);
        let (buffer, log_entries) = match config.medium {
            Medium::Flash => {
                let buffer = BufferMemory::new(payload, entries, config.unit_bytes);
                (buffer, Buffer::log_entries(config))
            }
            Medium::Memory => (BufferMemory::medium(payload, entries, page_bytes), 0..0),
        };
        let solvers = geometry.channels.div_ceil(board.ecc.channels_per_solver);
        let (depth, timeout) = (board.channel.request_depth, board.channel.scheduling.busy_timeout);
        let latency = board.channel.request_latency.as_ps();
        let phases = |_| Channel::new(geometry.ways, depth, timeout.as_ps()).with_latency(latency);
        let (channels, scheduled) = match config.grain {
            Grain::Phases => ((0..geometry.channels).map(phases).collect(), None),
            Grain::Operations(grain) => (Vec::new(), Some(Scheduled::new(board, grain))),
        };
        let processor = Processor::new(&board.processor, board.memory.engine_access);
        let poller = Poller::new(processor.look_cost());
        Body {
            host,
            observer,
            interface: HostInterface::new(board),
            cores: Cores::of(board, &processor),
            processor,
            array,
            causes: Causes::new(config.command_slots + 1, operations, geometry.dies()),
            medium: config.medium,
            geometry,
            channels,
            scheduled,
            looked_at: 0,
            poller,
            buffer,
            log: LogMemory::new(config, payload, log_entries),
            control: Box::new([0; 4096]),
            bus_times: BusTimes::new(board),
            path: DataPath::new(board),
            dram: Ledger::new(),
            data_bus: Ledger::new(),
            solvers: (0..solvers).map(|_| Ledger::new()).collect(),
            supply: config.reserve.map(|own| {
                // What goes to a chip is counted with each pass.
                let transfer_pj = own.costs.transfer_pj / u64::from(config.programming.passes);
                Supply::new(SavingCosts { transfer_pj, ..own.costs }, board.capacitor_pj)
            }),
            first_ready: None,
            heat: Heat::new(),
            segments: Vec::with_capacity(32),
            address_list: board.host.address_list.as_ps(),
            polling: options.polling,
            woken: false,
            quiet: false,
            change: 0,
            due: NEVER,
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.processor.now
    }

    /// The power goes away, and what is left of it is a capacitor. False if nothing is.
    pub(crate) fn lose_power(&mut self) -> bool {
        self.catch_up();
        let now = self.processor.now;
        let Some(supply) = &mut self.supply else { return false };
        for extent in supply.lose_power(now) {
            self.buffer.spoil(extent);
        }
        self.array.limit_hung(now, MOST_HUNG);
        self.interface.lose_power(now);
        self.causes.forget();
        self.quiet = false;
        true
    }

    /// When the capacitor was used up, if it is.
    pub(crate) fn went_dark(&mut self) -> Option<u64> {
        let now = self.processor.now;
        let supply = self.supply.as_mut()?;
        supply.hang(now, self.array.hung(now));
        for work in self.array.watch(now) {
            supply.take(work);
        }
        supply.lasts_until(now)
    }

    /// Lets the host act now.
    pub(crate) fn wake_host(&mut self, now: u64, wake: Wake) {
        let mut registers = Registers { interface: &mut self.interface, now };
        let next = self.host.wake(now, wake, &mut registers);
        self.interface.timers.set(Actor::Host, next.max(now));
        self.quiet = false;
        self.woken = true;
    }

    pub(crate) fn usage(&self) -> Usage {
        let of_memory = self.interface.memory_channels_busy();
        let (channel_busy_ps, way_busy_ps) = match (&self.scheduled, self.medium) {
            (Some(scheduled), _) => (scheduled.bus_busy(), scheduled.way_busy()),
            (None, Medium::Memory) => {
                let idle = vec![0; self.channels.len()];
                (of_memory.unwrap_or(idle), vec![Vec::new(); self.channels.len()])
            }
            (None, Medium::Flash) => (
                self.channels.iter().map(Channel::bus_busy).collect(),
                self.channels.iter().map(|c| c.way_busy().to_vec()).collect(),
            ),
        };
        let cores = self.core_times();
        let of_all = CoreTime::sum(&cores).unwrap_or_else(|| CoreTime::of(&self.processor));
        Usage {
            now_ps: self.now(),
            channel_busy_ps,
            way_busy_ps,
            module_ps: of_all.module_ps,
            idle_module_ps: of_all.idle_module_ps,
            idle_ps: of_all.idle_ps,
            cores,
            dram_ps: self.dram.booked(),
            interrupts: self.interface.interrupts_sent(),
            ready_ps: self.first_ready,
        }
    }

    /// Flash pages that channels have moved so far, from chips and to them.
    pub(crate) fn pages_moved(&self) -> (u64, u64) {
        let sum = |(read, programmed): (u64, u64), [r, p]: [u64; 2]| (read + r, programmed + p);
        match &self.scheduled {
            None => self.channels.iter().map(|channel| channel.pages).fold((0, 0), sum),
            Some(scheduled) => {
                let own = scheduled.activity(self.now()).into_iter();
                own.map(|own| [own.pages_read, own.pages_programmed]).fold((0, 0), sum)
            }
        }
    }

    pub(crate) fn activity(&self) -> Activity {
        let now = self.now();
        let cores = self.core_times();
        let of_all = CoreTime::sum(&cores).unwrap_or_else(|| CoreTime::of(&self.processor));
        let count = cores.len().max(1) as u64;
        Activity {
            now_ps: now,
            channels: ChannelActivity::all(&self.channels, self.scheduled.as_ref(), now),
            module_ps: of_all.module_ps.map(|sum| sum / count),
            idle_ps: of_all.idle_ps / count,
            interrupts: self.interface.interrupts_sent(),
            commands: self.interface.commands_held(),
        }
    }

    /// Lets everything happen that happens until the processor's present time.
    #[inline]
    pub(crate) fn catch_up(&mut self) {
        while let Some((at, actor)) = self.interface.timers.pop(self.processor.now) {
            self.act(at, actor);
        }
    }

    fn act(&mut self, at: u64, actor: Actor) {
        match actor {
            Actor::Doorbell => {
                if let Some((queue, tail)) = self.interface.on_doorbell(at) {
                    self.observer.command(at, CommandStep::Rung { queue, tail });
                }
            }
            Actor::Fetch => {
                let memory = self.host.memory();
                let fetched = self.interface.on_fetch(at, memory);
                if let Some(Fetched { tag, queue, head, task }) = fetched {
                    self.observer.command(at, CommandStep::Fetched { tag, queue, head });
                    if let Some(task) = task {
                        self.run_without_firmware(at, task);
                    }
                }
            }
            Actor::Post => {
                if let Some(tag) = self.interface.on_post(at, &mut self.host) {
                    self.observer.command(at, CommandStep::Posted(tag));
                }
            }
            Actor::Coalesce => self.interface.on_coalesce(at),
            Actor::Interrupt => {
                if let Some(vector) = self.interface.on_interrupt() {
                    self.wake_host(at, Wake::Interrupt(vector));
                }
            }
            Actor::Host => self.wake_host(at, Wake::Timer),
        }
    }

    /// The host interface, and what it moves data between.
    fn host_side(&mut self) -> (&mut HostInterface, DmaContext<'_, H::Memory>) {
        let context = DmaContext {
            host: self.host.memory(),
            buffer: &mut self.buffer,
            control: &mut self.control,
            dram: &mut self.dram,
            dram_ps_per_kib: self.path.dram_ps_per_kib,
            segments: &mut self.segments,
        };
        (&mut self.interface, context)
    }

    /// The host interface runs a command by itself, if it can.
    fn run_without_firmware(&mut self, now: u64, (command, task): (HostCommand, Task)) {
        let (interface, context) = self.host_side();
        if let Some((moved, span)) = interface.run_automated(now, (command, &task), context) {
            self.observer.command(now, CommandStep::Taken(&command));
            self.observer.by_itself(&command, span);
            self.observer.dma(moved);
        }
    }

    /// The earliest time at which the firmware, in a pass like the last, reads something else.
    /// If the turns until then are skipped, channels that schedule work on so far.
    fn next_change(&mut self, skips: bool) -> u64 {
        let change = self.interface.change().min(self.poller.change(self.looked_at));
        match self.scheduled {
            None => change,
            Some(_) => change.min(self.next_answer(skips.then_some(change.min(self.due)))),
        }
    }

    /// Accesses registers; returns when the access begins.
    #[inline]
    pub(crate) fn access(&mut self, access: Access) -> u64 {
        let start = self.processor.now;
        self.processor.access(access);
        self.worked(access.module(), start);
        start
    }

    /// Tells the observer that a module has worked since `start`.
    #[inline]
    pub(crate) fn worked(&mut self, module: Module, start: u64) {
        let end = self.processor.now;
        self.observer.work(module, TimeSpan { start, end });
    }

    pub(crate) fn die(&self, channel: u8, way: u8) -> u32 {
        u32::from(way) * self.geometry.channels + u32::from(channel)
    }

    /// Time until now at which what an operation needs took no more requests.
    #[inline]
    fn congestion(&self, needs: Needs) -> u64 {
        let now = self.processor.now;
        match needs {
            Needs::Die(die) => {
                // A channel that schedules has room for what it is given.
                let channel = self.channels.get((die % self.geometry.channels) as usize);
                channel.map_or(0, |channel| channel.congestion(now))
            }
            Needs::DmaEngine => self.interface.dma_congestion(now),
            Needs::Processor => 0,
        }
    }

    /// The processor turns to an operation to hand it over. Those of the drive's own have no account.
    fn pick(&mut self, id: OperationId) {
        let now = self.processor.now;
        let Some(needs) = self.causes.needs(id) else { return self.causes.leave(now) };
        let (mark, full) = match needs {
            Needs::Die(die) if self.scheduled.is_none() => {
                let (channel, way) = (die % self.geometry.channels, die / self.geometry.channels);
                let channel = &self.channels[channel as usize];
                // A chip turned ready without an answer to be taken.
                let handed = self.causes.is_handed(id);
                let mark = handed.then(|| channel.congestion_at_change(way as usize));
                (mark, channel.congestion(now))
            }
            _ => (None, self.congestion(needs)),
        };
        self.causes.pick(id, mark, (now, full));
    }
}

impl<H: Host, O: Observer> Hardware for Body<H, O> {
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
                    self.causes.release(id, by, (now, self.congestion(needs)));
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
                self.change = self.processor.now;
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
        self.interface.delete_submission_queue(id)
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
            let account = handed.expect("data are moved by an operation of their command");
            self.interface.complete_moved(request.tag, account);
        }
        let DmaRequest { tag: command, direction, length: bytes, .. } = request;
        self.observer.dma(DmaTransfer { command, direction, bytes, span });
    }

    #[inline]
    fn dma_progress(&mut self) -> DmaProgress {
        self.causes.leave(self.processor.now);
        self.access(Access::Read(Module::StatusChecker));
        self.catch_up();
        let progress = self.interface.dma_progress(self.processor.now);
        self.observer.firmware(self.processor.now, FirmwareStep::DmaEnded(progress));
        progress
    }

    fn dma_fault(&mut self, tag: CommandTag) -> bool {
        self.interface.dma_fault(tag)
    }

    /// The processor waits; it is at work for the command that it has turned to.
    fn fetch_addresses(&mut self, address: u64, into: &mut [u64]) -> bool {
        let start = self.processor.now;
        self.processor.wait(Module::NvmeManager, self.address_list);
        self.worked(Module::NvmeManager, start);
        let reached = self.interface.is_master();
        into.iter_mut().zip(0..).all(|(number, nth)| {
            let at = address.checked_add(nth * 8);
            let mut bytes = [0; 8];
            let found = at.is_some_and(|at| reached && self.host.memory().read(at, &mut bytes));
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
        let account = self.causes.complete(completion.tag, now);
        self.interface.complete(now, completion, account);
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
        self.log.set_metadata(entry, Some(metadata));
    }

    fn metadata(&mut self, entry: BufferId) -> Option<Metadata> {
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
