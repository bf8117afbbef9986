//! The processor's time: named work at its clock, register accesses at the bus's pace.

use std::cmp::Ordering;

use board::Processor as Board;
use borsh::{BorshDeserialize, BorshSerialize};
use contract::{packet, Duration, FlashOperation, Message, Module, Work};
use machine::NEVER;

const MODULES: usize = Module::ALL.len();

/// The processor's clock and where its time went, in picoseconds.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Processor {
    /// Local time: what the firmware does next happens now.
    pub now: u64,
    work: [u64; Work::ALL.len()],
    read: u64,
    write: u64,
    command: u64,
    /// Of a flash request: a read, and the writes of its phase.
    flash: [u64; 9],
    response: u64,
    dma_unit: u64,
    dma_request: u64,
    /// Of a look at the DMA engine: for each request that the look meets; 0 where one read tells of all.
    dma_poll: u64,
    /// Of a look at a channel, beside the first read.
    look: LookCosts,
    completion: u64,
    store: u64,
    time: u64,
    /// An access of the engine that works on the buffer; none, if the processor does that.
    engine_access: u64,
    /// A message to another core, and one from there.
    messages: [u64; 2],
    spent: [u64; MODULES],
    idle: u64,
    idle_spent: [u64; MODULES],
    pass_start: u64,
    spent_at_start: [u64; MODULES],
}

/// What an access is for: the module that it is charged to.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// One register read.
    Read(Module),
    /// One register write.
    Write(Module),
    /// The register reads of a host command.
    Command,
    /// The registers of a flash request.
    Flash(FlashOperation),
    /// The status of a channel and the words of a whole operation.
    Request,
    /// The words of the response to one.
    Response,
    /// The words of the response to a phase.
    PhaseResponse,
    /// A look at the DMA engine.
    DmaPoll(DmaInSight),
    /// Those that tell whether memory took a page that was read.
    Store,
    /// Those that tell the time.
    Time,
    /// The registers of a DMA request of so many 4 KiB units.
    Dma(u32),
    /// The registers of a completion.
    Completion,
    /// Those of the engine that works on the buffer, until its so many accesses are done.
    Engine(u32),
}

/// What a look at a channel costs beside its first read, in picoseconds, by what the channel is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct LookCosts {
    /// For each further list of ways.
    pub list: u64,
    /// For each way whose answer is awaited.
    pub awaited: u64,
}

/// What a look at the DMA engine finds.
#[derive(Clone, Copy, Debug)]
pub struct DmaInSight {
    /// Requests of either direction that have not ended.
    pub under_way: u32,
    /// Directions of which requests have ended.
    pub ended: u32,
}

/// Which way a message goes.
#[derive(Clone, Copy, Debug)]
pub enum MessageWay {
    /// To another core.
    Sent = 0,
    /// From there.
    Received = 1,
}

/// Passes that find nothing, one after the other, each like the one before.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Rest {
    /// When the first of them begins.
    since: u64,
    /// What each takes.
    length: u64,
    /// Of that, what each module does.
    each: [u64; MODULES],
}

impl Rest {
    /// When the last of them begins that ends before `change`, or the one behind it: the first pass that may see the change.
    pub fn before(&self, change: u64) -> u64 {
        match self.length {
            _ if change == NEVER => NEVER,
            _ if change <= self.since => self.since,
            0 => change,
            length => self.since + (change - self.since - 1) / length * length,
        }
    }

    /// When the first of them begins that begins at `time` or later. Passes that take no time find a change at once.
    pub fn from(&self, time: u64) -> u64 {
        match self.length {
            _ if time <= self.since => self.since,
            0 => time,
            length => self.since + (time - self.since).div_ceil(length) * length,
        }
    }

    /// When the first of them begins behind a turn of another core that began then. `order` compares the numbers of both
    /// cores, which decide between turns that begin at one time.
    pub fn behind(&self, began: u64, order: Ordering) -> u64 {
        self.from(began + u64::from(order == Ordering::Less && self.length > 0))
    }

    /// Adds up those that end by `until`, when one of them does.
    pub fn add(&self, until: u64, (idle, modules): (&mut u64, &mut [u64; MODULES])) {
        *idle += until - self.since;
        let passes = (until - self.since).checked_div(self.length).unwrap_or(0);
        modules.iter_mut().zip(self.each).for_each(|(sum, each)| *sum += passes * each);
    }
}

impl Access {
    /// The module that it is charged to.
    #[inline]
    pub fn module(self) -> Module {
        match self {
            Access::Read(module) | Access::Write(module) => module,
            Access::Command | Access::Completion | Access::Time => Module::NvmeManager,
            Access::Engine(_) => Work::Touch.module(),
            Access::Dma(_) => Work::IssueDma.module(),
            // The status checker sends the checks itself (Cosmos+ section 3.3.3).
            Access::Flash(FlashOperation::StatusCheck) => Module::StatusChecker,
            Access::Flash(_) | Access::Request => Module::Issuer,
            Access::Response | Access::PhaseResponse | Access::DmaPoll(_) | Access::Store => {
                Module::StatusChecker
            }
        }
    }
}

impl Processor {
    /// A processor that starts at time zero.
    pub fn new(board: &Board, engine_access: Duration) -> Self {
        let cycle = |cycles: u64| cycles * 1_000_000 / board.clock_mhz;
        let access = |fixed: Duration| fixed.as_ps() + cycle(board.register_cycles);
        let (read, write) = (access(board.register_read), access(board.register_write));
        Processor {
            now: 0,
            work: board.work_cycles.map(cycle),
            read,
            write,
            command: u64::from(board.command_registers) * (read + board.command_register.as_ps()),
            flash: board.flash_registers.map(|writes| read + u64::from(writes) * write),
            response: u64::from(board.response_registers) * read,
            dma_unit: u64::from(board.dma_registers) * write,
            dma_request: u64::from(board.dma_request_registers) * write,
            dma_poll: u64::from(board.dma_poll_registers) * read,
            look: LookCosts {
                list: u64::from(board.list_registers) * read,
                awaited: u64::from(board.awaited_registers) * read,
            },
            completion: u64::from(board.completion_registers) * write,
            store: u64::from(board.store_registers) * read,
            time: u64::from(board.time_registers) * read,
            engine_access: engine_access.as_ps(),
            messages: board.message_cycles.map(cycle),
            spent: [0; MODULES],
            idle: 0,
            idle_spent: [0; MODULES],
            pass_start: 0,
            spent_at_start: [0; MODULES],
        }
    }

    /// Does work so many times.
    #[inline]
    pub fn work(&mut self, work: Work, times: u32) {
        self.spend(work.module(), self.work[work as usize] * u64::from(times));
    }

    /// Accesses registers.
    #[inline(always)]
    pub fn access(&mut self, access: Access) {
        let time = match access {
            Access::Read(_) => self.read,
            Access::Write(_) => self.write,
            Access::Command => self.command,
            Access::Flash(operation) => self.flash[operation as usize],
            Access::Request => self.read + self.write * packet::request::WORDS as u64,
            Access::Response => self.read * packet::response::WORDS as u64,
            Access::PhaseResponse => self.response,
            Access::DmaPoll(_) if self.dma_poll == 0 => self.read,
            Access::DmaPoll(DmaInSight { under_way, ended }) => {
                self.dma_poll * u64::from((under_way + ended).max(1))
            }
            Access::Store => self.store,
            Access::Time => self.time,
            Access::Dma(units) => self.dma_request + self.dma_unit * u64::from(units),
            Access::Completion => self.completion,
            Access::Engine(accesses) => self.engine(accesses),
        };
        self.spend(access.module(), time);
    }

    /// The time of a request to the memory engine. The firmware writes three words that say what the engine is to do, reads the
    /// engine's status until the engine has done it, and reads once more what came of it.
    fn engine(&self, accesses: u32) -> u64 {
        if self.engine_access == 0 {
            return 0;
        }
        let works = self.engine_access * u64::from(accesses);
        let reads = works.div_ceil(self.read.max(1)) + 1;
        3 * self.write + works.max(self.read * reads)
    }

    /// Sends a message, or takes one.
    pub fn message(&mut self, message: Message, way: MessageWay) {
        let module = match message {
            Message::Command(_) | Message::Done(_) => Module::CommandManager,
            Message::Move(_) | Message::Begin(_) => Module::DependencyChecker,
            Message::Ended(_) | Message::Halted(_) => Module::StatusChecker,
            Message::Resumed(_) => Module::StateManager,
        };
        self.spend(module, self.messages[way as usize]);
    }

    /// What a look at a channel takes for a response, and for one to a page that was read besides, where responses are of
    /// several words: then they wait in a window, and whoever finds one there takes it at once, to see whether another waits.
    pub fn taking(&self) -> Option<[u64; 2]> {
        (self.response > self.read).then_some([self.response, self.store])
    }

    /// The registers of a transfer.
    pub fn transfer(&self) -> u64 {
        self.flash[FlashOperation::ReadTransfer as usize]
    }

    /// Whether a look at the DMA engine takes longer, the more is under way.
    #[inline]
    pub fn polls_each_dma(&self) -> bool {
        self.dma_poll > 0
    }

    /// What a look at a channel costs beside [`Processor::look_cost`].
    pub fn look_costs(&self) -> LookCosts {
        self.look
    }

    /// The cost of one look at a channel, which [`Processor::look`] charges.
    pub fn look_cost(&self) -> u64 {
        self.work[Work::PollChannel as usize] + self.read
    }

    /// Charges looks at channels that have taken until `now`.
    #[inline]
    pub fn look(&mut self, now: u64) {
        self.spent[Module::StatusChecker as usize] += now - self.now;
        self.now = now;
    }

    /// Waits for something that a module has asked for.
    pub fn wait(&mut self, module: Module, time: u64) {
        self.spend(module, time);
    }

    #[inline]
    fn spend(&mut self, module: Module, time: u64) {
        self.now += time;
        self.spent[module as usize] += time;
    }

    /// Ends a pass in which something happened.
    #[inline]
    pub fn end_busy(&mut self) {
        self.begin();
    }

    /// Ends a pass that found nothing, and as many further passes as find nothing either because
    /// the hardware does not change before `change`: each takes as long as this one took.
    pub fn end_idle(&mut self, change: u64) {
        let length = self.now - self.pass_start;
        self.idle += length;
        if length == 0 {
            // A processor that takes no time polls without end until something changes.
            self.idle += change.saturating_sub(self.now);
            self.now = self.now.max(change);
        } else if change > self.now {
            let passes = (change - self.now - 1) / length;
            self.now += passes * length;
            self.idle += passes * length;
            self.forget_pass(1 + passes);
        } else {
            self.forget_pass(1);
        }
        self.begin();
    }

    /// Ends a pass that found nothing: the core rests until [`Processor::end_rest`].
    pub fn rest(&mut self) -> Rest {
        let length = self.now - self.pass_start;
        let each = std::array::from_fn(|nth| self.spent[nth] - self.spent_at_start[nth]);
        self.idle += length;
        self.forget_pass(1);
        Rest { since: self.now, length, each }
    }

    /// Begins a pass at `next`, up to which others like the last found nothing.
    pub fn end_rest(&mut self, rest: &Rest, next: u64) {
        rest.add(next, (&mut self.idle, &mut self.idle_spent));
        self.now = next;
        self.begin();
    }

    /// The pass found nothing, and neither did those like it: they are idle polls.
    fn forget_pass(&mut self, passes: u64) {
        let modules = self.spent.iter().zip(self.spent_at_start).zip(&mut self.idle_spent);
        for ((spent, before), idle) in modules {
            *idle += (spent - before) * passes;
        }
        self.spent = self.spent_at_start;
    }

    /// Whether the pass so far took no time at all.
    pub fn pass_was_instant(&self) -> bool {
        self.now == self.pass_start
    }

    fn begin(&mut self) {
        self.pass_start = self.now;
        self.spent_at_start = self.spent;
    }

    /// Time spent by each module but for idle polls, in the order of [`Module::ALL`].
    pub fn spent(&self) -> [u64; MODULES] {
        self.spent
    }

    /// Time that each module spent in idle polls.
    pub fn idle_spent(&self) -> [u64; MODULES] {
        self.idle_spent
    }

    /// Time spent in idle polls: passes that found nothing.
    pub fn idle(&self) -> u64 {
        self.idle
    }
}

#[cfg(test)]
mod tests;
