//! A channel with chips that take as long as they are told.

use channel::{
    BusSettings, BusStep, BusTiming, Channel, ChipTimes, Chips, CodeWords, Completion,
    DecoderTiming, FullQueue, PageRead, Place, Planes, Policy, ReorderBuffer, Setup, Work,
};
use contract::packet::{Coding, Operation, Priority, Request};
use contract::{Duration, Instant};

pub const WAYS: u8 = 8;
pub const PERIOD_PS: u64 = 10_000;
pub const PLANES: Planes = Planes { bits: 1, shift: 8, lun_shift: 20 };

const BUS: BusSettings = BusSettings {
    ddr: true,
    long_row: false,
    ce_setup: 3,
    ce_hold: 1,
    we_low: 1,
    we_high: 1,
    adl: 10,
    ccs: 20,
    whr: 8,
    rhw: 10,
    wb: 10,
    rr: 2,
    re_low: 1,
    re_high: 1,
    read_preamble: 2,
    read_postamble: 2,
    write_preamble: 2,
    write_postamble: 2,
    sample_delay: 0,
    data_timeout: 0,
};

/// Chips whose operations all take the same time, but for rows that fail.
pub struct Scripted {
    pub read: Duration,
    pub program: Duration,
    pub erase: Duration,
    pub failing: Vec<u32>,
    /// Requests that went together.
    pub groups: Vec<Vec<u32>>,
}

impl Scripted {
    pub fn new() -> Self {
        Self {
            read: Duration::from_us(20),
            program: Duration::from_us(200),
            erase: Duration::from_us(500),
            failing: vec![],
            groups: vec![],
        }
    }

    fn work(&mut self, place: Place, length: Duration) -> Work {
        self.note(place);
        let fails = |request: &Request| self.failing.contains(&request.row);
        let failed = (0..).zip(place.requests).filter(|(_, request)| fails(request));
        Work { length, failed: failed.fold(0, |mask, (at, _)| mask | 1 << at) }
    }

    fn note(&mut self, place: Place) {
        self.groups.push(place.requests.iter().map(|request| request.row).collect());
    }
}

impl Chips for Scripted {
    fn read(&mut self, place: Place) -> Duration {
        self.note(place);
        self.read
    }

    fn program(&mut self, place: Place) -> Work {
        self.work(place, place.taken(self.program))
    }

    fn erase(&mut self, place: Place) -> Work {
        self.work(place, self.erase)
    }

    fn transfer(&mut self, _: u8, _: Instant, _: &Request) -> PageRead {
        PageRead::default()
    }
}

pub fn policy() -> Policy {
    Policy { low_ways: WAYS, full_queue: FullQueue::Waits, ..Policy::new(PLANES) }
}

pub fn setup(policy: Policy) -> Setup {
    Setup {
        channel: 0,
        ways: WAYS,
        luns: 2,
        shared_enable: None,
        status_polls: None,
        queue_depth: 32,
        order_depth: 64,
        window: 1024,
        period_ps: PERIOD_PS,
        policy,
        bus: BusTiming::new(BUS, 1),
        busy_shown_ps: 100_000,
        code: CodeWords { chunk_bytes: 256, parity_bytes: 20, metadata_bytes: 24 },
        decoder: DecoderTiming { judge: 2, solve: 41, correct: 3, verdict: 1 },
        times: ChipTimes {
            read_cache: Duration::from_us(1),
            program_cache: Duration::from_us(1),
            cached_program_permille: 1000,
            read_plane: Duration::from_ns(500),
            program_plane: Duration::from_ns(500),
            erase_plane: Duration::from_ns(500),
            feature: Duration::from_us(1),
            parameters: Duration::from_us(20),
            reset: Duration::from_us(5),
            reset_program: Duration::from_us(10),
            reset_erase: Duration::from_us(20),
        },
    }
}

/// Something that is answered.
pub struct Rig {
    pub channel: Channel,
    pub chips: Scripted,
    pub order: ReorderBuffer,
    pub steps: Vec<BusStep>,
    /// Completions, and when they left the reorder buffer.
    pub answers: Vec<(Instant, Completion)>,
    pub now: Instant,
    asked: u32,
}

impl Rig {
    pub fn new(policy: Policy) -> Self {
        Self::of(setup(policy))
    }

    pub fn of(setup: Setup) -> Self {
        Self {
            channel: Channel::new(setup),
            chips: Scripted::new(),
            order: ReorderBuffer::new(8, 64),
            steps: vec![],
            answers: vec![],
            now: Instant::ZERO,
            asked: 0,
        }
    }

    /// Asks for something now; returns its ticket.
    pub fn ask(&mut self, request: Request) -> u32 {
        self.channel.submit(self.now, request, self.asked);
        self.asked += 1;
        self.asked - 1
    }

    /// Runs for a time.
    pub fn run(&mut self, length: Duration) {
        let end = self.now + length;
        while self.channel.poll_at() <= end {
            self.now = self.channel.poll_at();
            let steps = &mut self.steps;
            self.channel.poll(self.now, &mut self.chips, &mut self.order, |step| steps.push(step));
            while let Some(completion) = self.order.pop() {
                self.answers.push((self.now, completion));
                self.channel.wake(self.now);
            }
        }
        self.now = end;
    }

    /// Runs until nothing is left to do.
    pub fn finish(&mut self) {
        for _ in 0..1_000 {
            self.run(Duration::from_us(1_000));
            if self.channel.is_idle() {
                return;
            }
        }
        panic!("stuck: {} of {} answered", self.answers.len(), self.asked);
    }

    /// Operations and ways in their order on the bus.
    pub fn log(&self) -> Vec<(Operation, u8)> {
        self.steps.iter().map(|step| (step.operation, step.way)).collect()
    }

    /// The tickets that were answered, in that order.
    pub fn answered(&self) -> Vec<u32> {
        self.answers.iter().map(|(_, completion)| completion.ticket).collect()
    }
}

/// A request of a page with metadata, each way a stream.
pub fn page(operation: Operation, way: u8, row: u32) -> Request {
    let length = if operation == Operation::Erase { 0 } else { 4_096 };
    Request {
        length,
        stream: way % 8,
        coding: Coding { ecc: true, scrambler: true, metadata: true },
        ..Request::new(operation, way, row)
    }
}

pub fn urgent(request: Request) -> Request {
    Request { priority: Priority::High, ..request }
}
