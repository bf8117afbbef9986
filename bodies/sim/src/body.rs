//! The event-driven body: what it is made of, and how its parts act on each other. `hardware` has what the firmware sees of it.

use board::Board;
use contract::{Geometry, Grain, HostCommand, Medium, Module, Needs, OperationId, SavingCosts};
use firmware::ftl::buffer::Buffer;
use machine::{
    Accounts, AnyHost, ChannelUsage, CommandStep, CoreTime, Observer, Polling, Registers, TimeSpan,
    Usage, Wake, NEVER,
};
use nand::Array;
use nvme::prp::Segment;

use crate::causes::Causes;
use crate::channel::{BusTimes, Channel};
use crate::cores::{time_of, Cores};
use crate::data_path::DataPath;
use crate::heat::Heat;
use crate::host_interface::{DmaContext, Fetched, HostInterface, Task};
use crate::ledger::Ledger;
use crate::log_memory::LogMemory;
use crate::media::Filled;
use crate::memory::BufferMemory;
use crate::options::Options;
use crate::poll::Poller;
use crate::power_loss::{Supply, MOST_HUNG};
use crate::processor::{Access, Processor};
use crate::scheduled::Scheduled;
use crate::timers::Actor;

mod copied;
mod hardware;
mod state;
mod turns;

/// Where a host sits, of whichever kind it is.
pub(crate) type Seat = Box<dyn AnyHost>;

/// A drive's hardware in virtual time, with its host and its observer. A seat without a host is `()`.
pub struct Body<O, S = Box<dyn AnyHost>> {
    pub(crate) host: S,
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
    /// The host has asked until when the drive is quiet: a drive whose host does not ask does not work it out.
    asks_quiet: bool,
    /// Until when passes find what the last one found, which was nothing, if the host does nothing; 0 where that is not known.
    calm: u64,
    /// Until when the host was told that nothing happens, and has written nothing since: no interrupt comes before.
    pub(crate) promised: u64,
    /// The host was told something since whoever runs the drive looked at it last.
    pub(crate) told: bool,
    /// Nothing will ever happen again unless the host is woken.
    pub(crate) quiet: bool,
    /// When the firmware reads something else than in the last turn, as far as that turn knew.
    pub(crate) change: u64,
    /// When whoever runs the drive wants to look at it: idle turns are not skipped past this.
    pub(crate) due: u64,
}

impl<O: Observer> Body<O> {
    /// Hardware with these chips.
    pub(crate) fn new(
        board: &Board,
        (options, array): (Options, Array<Filled>),
        (host, observer): (Seat, O),
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
        let times = (board.channel.request_latency.as_ps(), board.channel.turn_gap.as_ps());
        let phases = |_| Channel::new(geometry.ways, depth, timeout.as_ps()).with_times(times);
        let (channels, scheduled) = match config.grain {
            Grain::Phases => ((0..geometry.channels).map(phases).collect(), None),
            Grain::Operations(grain) => (Vec::new(), Some(Scheduled::new(board, grain))),
        };
        let processor = Processor::new(&board.processor, board.memory.engine_access);
        let poller = Poller::new(processor.look_cost())
            .with_costs(processor.look_costs())
            .taking(processor.taking());
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
            asks_quiet: false,
            calm: 0,
            promised: 0,
            told: true,
            quiet: false,
            change: 0,
            due: NEVER,
        }
    }

    /// States whether anybody asks where the time of commands goes that are yet to come.
    pub(crate) fn set_accounts(&mut self, accounts: Accounts) {
        let channels = self.geometry.channels as usize;
        self.causes.set_asked(accounts, self.interface.slots() + 1, channels);
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
        let quiet_until = self.quiet_until();
        let mut registers = Registers::new(&mut self.interface, now).of_quiet(quiet_until);
        let next = self.host.any_wake(now, wake, &mut registers);
        let told = registers.told_quiet();
        self.asks_quiet |= told.is_some();
        self.promised = told.unwrap_or(0);
        self.interface.timers.set(Actor::Host, next.max(now));
        self.quiet = false;
        (self.woken, self.told) = (true, true);
    }

    /// Until when nothing happens if the host does nothing, as far as that is known; not past the next look of whoever runs the drive. What the
    /// firmware has read in the pass under way it read before that time.
    fn quiet_until(&self) -> u64 {
        match self.calm > self.processor.now {
            true => self.calm.min(self.interface.change_of_drive()).min(self.due),
            false => 0,
        }
    }

    /// What the hardware has done by now.
    pub(crate) fn usage(&self) -> Usage {
        let cores = self.core_times();
        let of_all = CoreTime::sum(&cores).unwrap_or_else(|| time_of(&self.processor));
        Usage {
            now_ps: self.now(),
            channels: self.channel_usage(),
            module_ps: of_all.module_ps,
            idle_module_ps: of_all.idle_module_ps,
            idle_ps: of_all.idle_ps,
            cores,
            dram_ps: self.dram.booked(),
            interrupts: self.interface.interrupts_sent(),
            commands: self.interface.commands_held(),
            ready_ps: self.first_ready,
            entry_waits: self.causes.entry_waits(),
            channel_waits: self.causes.channel_waits(self.geometry.channels as usize),
            channel_latencies: self.causes.channel_latencies(),
        }
    }

    /// What the channels have done, whichever they are.
    fn channel_usage(&self) -> Vec<ChannelUsage> {
        let now = self.now();
        if let Some(scheduled) = &self.scheduled {
            return scheduled.usage(now);
        }
        let flash = self.channels.iter().map(|channel| channel.usage(now));
        match (self.medium, self.interface.memory_channels_busy()) {
            (Medium::Flash, _) => flash.collect(),
            (Medium::Memory, busy) => {
                let busy = busy.unwrap_or_else(|| vec![0; self.channels.len()]).into_iter();
                flash
                    .zip(busy)
                    .map(|(flash, booked_bus_ps)| ChannelUsage {
                        booked_bus_ps,
                        booked_ways_ps: Vec::new(),
                        ..flash
                    })
                    .collect()
            }
        }
    }

    /// Flash pages that channels have moved so far, from chips and to them.
    pub(crate) fn pages_moved(&self) -> (u64, u64) {
        let sum = |(read, programmed): (u64, u64), [r, p]: [u64; 2]| (read + r, programmed + p);
        match &self.scheduled {
            None => self.channels.iter().map(|channel| channel.pages).fold((0, 0), sum),
            Some(scheduled) => {
                let own = scheduled.usage(self.now()).into_iter();
                own.map(|own| [own.pages_read, own.pages_programmed]).fold((0, 0), sum)
            }
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
                let memory = self.host.any_memory();
                let fetched = self.interface.on_fetch(at, memory);
                if let Some(Fetched { tag, queue, head, task }) = fetched {
                    self.observer.command(at, CommandStep::Fetched { tag, queue, head });
                    if let Some(task) = task {
                        self.run_without_firmware(at, task);
                    }
                }
            }
            Actor::Post => {
                self.told = true;
                if let Some(tag) = self.interface.on_post(at, &mut *self.host) {
                    self.observer.command(at, CommandStep::Posted(tag));
                }
            }
            Actor::Coalesce => self.interface.on_coalesce(at),
            Actor::Interrupt => {
                if let Some(vector) = self.interface.on_interrupt() {
                    debug_assert!(
                        at >= self.promised,
                        "an interrupt at {at} ps, quiet until {} ps",
                        self.promised
                    );
                    self.wake_host(at, Wake::Interrupt(vector));
                }
            }
            Actor::Host => self.wake_host(at, Wake::Timer),
        }
    }

    /// The host interface, and what it moves data between.
    fn host_side(&mut self) -> (&mut HostInterface, DmaContext<'_>) {
        let context = DmaContext {
            host: self.host.any_memory(),
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
        let seen = self.poller.change(self.looked_at);
        let change = self.interface.change().min(seen);
        let answer = match self.scheduled {
            None => NEVER,
            Some(_) => self.next_answer(skips.then_some(change.min(self.due))),
        };
        if self.asks_quiet {
            self.calm = self.interface.change_of_drive().min(seen).min(answer);
        }
        change.min(answer)
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

    /// The observer is told that an operation has waited for its buffer entry, which is seldom.
    #[cold]
    fn tell_freed(&mut self, id: OperationId, by: Option<OperationId>) {
        let Some((tag, behind)) = by.and_then(|by| self.causes.waited_behind(id, by)) else {
            return;
        };
        let chip = self.chip_of(behind);
        self.observer.entry_freed(self.processor.now, tag, chip);
    }

    /// Channel and way of what an operation needs, if it needs a die.
    fn chip_of(&self, needs: Needs) -> Option<(u8, u8)> {
        let Needs::Die(die) = needs else { return None };
        Some(((die % self.geometry.channels) as u8, (die / self.geometry.channels) as u8))
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
