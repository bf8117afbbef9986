//! The reorder buffer: responses in the order of reservations, whatever the order of completions.

use contract::packet::{Outcome, Response};
use rtl_sim::{seed, tops, Bench, Pace, Probe, Random, Sink, Source, StreamPorts};
use std::collections::VecDeque;

const STREAMS: usize = 8;
const DEPTH: usize = 32;
/// Cycles after reset in which the buffer takes nothing.
const SWEEP: u64 = (STREAMS * DEPTH) as u64;

const COMPLETION: [&str; 11] = [
    "slot",
    "tag",
    "way",
    "irq",
    "irq_on_error",
    "outcome",
    "erased",
    "corrected",
    "most",
    "lost",
    "value",
];

/// A slot of a stream, with its response once it is complete.
struct Reserved {
    slot: u64,
    response: Option<Response>,
}

/// The buffer, what hangs on it, and what it owes.
struct Setup {
    bench: Bench,
    reservations: Source,
    slot: Probe,
    completions: Source,
    responses: Sink,
    irq: Probe,
    /// Reservations queued, in order of the queue.
    wanted: VecDeque<usize>,
    owed: [VecDeque<Reserved>; STREAMS],
    /// Reserved, and no completion is queued.
    open: Vec<u64>,
    received: usize,
    interrupts: u64,
}

impl Setup {
    fn new(mut pace: impl FnMut() -> Pace) -> Self {
        let bench = Bench::new(&tops::REORDER_BUFFERS);
        let ports = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        let words = &["word0", "word1", "word2"];
        Self {
            reservations: Source::new(bench.model(), ports("slot", &["stream"]), pace()),
            slot: Probe::new(bench.output("slot_o")),
            completions: Source::new(bench.model(), ports("completion", &COMPLETION), pace()),
            responses: Sink::new(bench.model(), ports("response", words), pace()),
            irq: Probe::new(bench.output("irq_o")),
            bench,
            wanted: VecDeque::new(),
            owed: Default::default(),
            open: Vec::new(),
            received: 0,
            interrupts: 0,
        }
    }

    /// A buffer that has been swept, with everybody willing.
    fn swept() -> Self {
        let mut setup = Self::new(|| Pace::Always);
        setup.run(SWEEP);
        setup
    }

    fn reserve(&mut self, stream: usize) {
        self.reservations.push(vec![stream as u64]);
        self.wanted.push_back(stream);
    }

    /// Completes an open slot. A response is pending an interrupt if the two bits say so.
    fn complete(&mut self, open: usize, irq: (bool, bool), random: &mut Random) {
        let slot = self.open.swap_remove(open);
        let stream = slot as usize / DEPTH;
        let failed = Outcome::ALL[random.below(5) as usize];
        let outcome = if random.percent(50) { Outcome::Success } else { failed };
        let response = Response {
            tag: random.next() as u8,
            way: random.below(16) as u8,
            stream: stream as u8,
            outcome,
            interrupt_pending: irq.0 && (!irq.1 || outcome != Outcome::Success),
            erased: random.percent(50),
            corrected_bits: random.below(1 << 12) as u16,
            most_bits: random.below(16) as u8,
            lost_chunks: random.next() as u8,
            value: random.next() as u32,
        };
        self.completions.push(vec![
            slot,
            response.tag.into(),
            response.way.into(),
            irq.0.into(),
            irq.1.into(),
            outcome as u64,
            response.erased.into(),
            response.corrected_bits.into(),
            response.most_bits.into(),
            response.lost_chunks.into(),
            response.value.into(),
        ]);
        self.interrupts += u64::from(response.interrupt_pending);
        let reserved = self.owed[stream].iter_mut().rfind(|reserved| reserved.slot == slot);
        reserved.expect("it is open").response = Some(response);
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            let Self { bench, reservations, slot, completions, responses, irq, .. } = self;
            let taken = reservations.sent();
            bench.cycle(&mut [reservations, slot, completions, responses, irq]);
            if self.reservations.sent() > taken {
                self.note_reservation();
            }
            for words in self.responses.take() {
                self.check(&words);
            }
        }
    }

    fn note_reservation(&mut self) {
        let (slot, stream) = (self.slot.last(), self.wanted.pop_front().expect("one was queued"));
        let owed = &mut self.owed[stream];
        assert_eq!(slot as usize / DEPTH, stream);
        // A slot is free once its response is offered, so the first one may be on its way out.
        let is_used = |other: &Reserved| other.slot == slot;
        let leaving = owed.front().is_some_and(|first| first.response.is_some());
        assert!(!owed.iter().skip(usize::from(leaving)).any(is_used), "slot {slot} is in use");
        owed.push_back(Reserved { slot, response: None });
        self.open.push(slot);
    }

    fn check(&mut self, words: &[u64]) {
        let words = [words[0] as u32, words[1] as u32, words[2] as u32];
        let response = Response::parse(&words).expect("a packet").expect("a response");
        let owed = self.owed[usize::from(response.stream)].pop_front().expect("one is owed");
        assert_eq!(Some(response), owed.response, "slot {}", owed.slot);
        self.received += 1;
    }

    fn is_settled(&self) -> bool {
        self.wanted.is_empty() && self.owed.iter().all(VecDeque::is_empty)
    }
}

#[test]
fn responses_keep_the_order_of_each_stream_at_every_pace() {
    seed::each(20, |random| {
        let mut paces = random.split();
        let mut setup = Setup::new(|| Pace::any(&mut paces));
        let requests = 400;
        for _ in 0..requests {
            // Some streams are asked for more often, so that they fill up.
            setup.reserve(random.below(STREAMS as u64).min(random.below(STREAMS as u64)) as usize);
        }
        while !setup.is_settled() {
            setup.run(1);
            if !setup.open.is_empty() && random.percent(30) {
                let open = random.below(setup.open.len() as u64) as usize;
                setup.complete(open, (random.percent(50), random.percent(50)), random);
            }
            assert!(setup.bench.cycles() < 60_000, "stuck");
        }
        setup.run(40);
        assert_eq!(setup.received, requests);
        assert_eq!(setup.irq.high(), setup.interrupts);
    });
}

#[test]
fn a_stream_holds_its_depth_and_stops_no_other() {
    let mut setup = Setup::swept();
    (0..DEPTH + 1).for_each(|_| setup.reserve(3));
    setup.run(100);
    assert_eq!(setup.owed[3].len(), DEPTH);
    let mut random = Random::new(1);
    // The youngest is complete, the oldest is not, so nothing leaves.
    setup.complete(DEPTH - 1, (false, false), &mut random);
    setup.run(100);
    assert_eq!((setup.received, setup.owed[3].len()), (0, DEPTH));
    setup.complete(0, (false, false), &mut random);
    setup.run(100);
    assert_eq!((setup.received, setup.owed[3].len()), (1, DEPTH));
    assert_eq!(setup.reservations.sent(), DEPTH as u64 + 1);
    setup.reserve(4);
    setup.run(2);
    assert_eq!(setup.owed[4].len(), 1);
}

#[test]
fn nothing_is_taken_before_the_sweep_ends() {
    let mut setup = Setup::new(|| Pace::Always);
    setup.reserve(0);
    // Reset itself lasts for two cycles that count for nothing.
    setup.run(SWEEP);
    assert_eq!(setup.reservations.sent(), 0);
    setup.run(1);
    assert_eq!(setup.reservations.sent(), 1);
}

#[test]
fn an_interrupt_does_not_wait_until_earlier_responses_are_read() {
    let mut setup = Setup::swept();
    setup.responses.set_pace(Pace::Never);
    (0..3).for_each(|_| setup.reserve(6));
    setup.run(5);
    let mut random = Random::new(2);
    // The last one first: it is not due before the others are complete.
    setup.complete(2, (true, false), &mut random);
    setup.run(50);
    assert_eq!(setup.irq.high(), 0);
    setup.complete(1, (false, false), &mut random);
    setup.complete(0, (false, true), &mut random);
    setup.run(2 + 3 * (STREAMS as u64 + 1));
    assert_eq!(setup.irq.high(), 1);
    setup.responses.set_pace(Pace::Always);
    setup.run(30);
    assert!(setup.is_settled());
    assert_eq!(setup.irq.high(), 1);
}

#[test]
fn latency_and_throughput_are_as_the_header_says() {
    let mut random = Random::new(3);
    let (mut least, mut most) = (u64::MAX, 0);
    for _ in 0..80 {
        let mut setup = Setup::swept();
        setup.run(random.below(20));
        setup.reserve(random.below(STREAMS as u64) as usize);
        setup.run(2 + random.below(20));
        setup.complete(0, (true, false), &mut random);
        // One cycle in which it is taken.
        setup.run(1);
        let mut cycles = 0;
        while setup.received == 0 {
            setup.run(1);
            cycles += 1;
        }
        (least, most) = (least.min(cycles), most.max(cycles));
    }
    let limit = 2 * STREAMS as u64 + 2;
    assert!(least >= 4 && most <= limit, "{least} to {most} cycles");

    let mut setup = Setup::swept();
    setup.responses.set_pace(Pace::Never);
    for stream in 0..STREAMS {
        (0..DEPTH).for_each(|_| setup.reserve(stream));
    }
    setup.run(SWEEP + 10);
    while !setup.open.is_empty() {
        setup.complete(0, (false, false), &mut random);
    }
    setup.run(2 * SWEEP);
    setup.responses.set_pace(Pace::Always);
    setup.run(200);
    assert_eq!(setup.received, 200, "a response a cycle, while no stream is empty");
}
