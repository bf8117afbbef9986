//! Forwards requests, lets the channels work, and takes answers.

use board::Board;
use channel::{BusStep, Channel, ReorderBuffer, NOBODY};
use contract::packet::{Outcome, Priority};
use contract::{Duration, Instant};
use report::Latency;

use crate::flash_load::chips::TimedChips;
use crate::flash_load::load::Load;
use crate::flash_load::outcome::{self, Answers, Kind};
use crate::flash_load::sequence::Sequence;
use crate::flash_load::stream::{Asked, Source};
use crate::flash_load::watcher::{ChipWork, Watcher};

/// Before the measurement so many times fewer requests are answered than in it.
const WARM_UP: u64 = 4;

/// Puts a load to the channels of `board`. `watcher` is told what they do.
///
/// # Panics
/// If a sequence names a die that the board does not have.
pub fn run(board: &Board, load: &Load, seed: u64, watcher: &mut dyn Watcher) -> outcome::Outcome {
    let mut bench = Bench::new(board, load, seed, watcher);
    let warm_up = if load.sequence.is_some() { 0 } else { load.requests / WARM_UP };
    bench.answer(warm_up);
    let before = bench.tally();
    bench.reset();
    bench.answer(load.requests);
    bench.outcome(before)
}

/// A request that is outstanding.
#[derive(Clone, Copy)]
struct Sent {
    at: Instant,
    kind: Kind,
    stream: u8,
}

/// Time and work done at a moment.
struct Tally {
    at: Instant,
    busy_ps: Vec<u64>,
}

struct Bench<'a> {
    channels: Vec<Channel>,
    chips: Vec<TimedChips>,
    order: ReorderBuffer,
    /// Streams of low priority share one source, so that the mix holds for them together.
    low: Source,
    urgent: Source,
    /// What could not be forwarded yet, of low and of high priority: its channel has no room.
    held: [Option<Asked>; 2],
    /// Requests that each stream may still send; the urgent one stands last.
    credits: Vec<u32>,
    /// When the next urgent read may be sent, and how long after it another.
    urgent_at: Instant,
    urgent_interval: Duration,
    sent: Vec<Sent>,
    free: Vec<u32>,
    now: Instant,
    page_bytes: u64,
    bytes: u64,
    answers: [Answers; 3],
    urgent_answers: Answers,
    /// Turns of a channel's bus that are not told yet, and the request of each of its ways that had the last.
    steps: Vec<BusStep>,
    last: Vec<Vec<u32>>,
    watcher: &'a mut dyn Watcher,
}

impl<'a> Bench<'a> {
    fn new(board: &Board, load: &Load, seed: u64, watcher: &'a mut dyn Watcher) -> Self {
        let geometry = board.firmware.geometry;
        let last_die = load.sequence.as_ref().map_or(0, Sequence::last_die);
        assert!(last_die < geometry.dies(), "a sequence is of dies of the board");
        let count = geometry.channels;
        let streams = load.streams;
        let mut credits: Vec<u32> = (0..streams)
            .map(|nth| load.outstanding / streams + u32::from(nth < load.outstanding % streams))
            .collect();
        credits.push(load.urgent_outstanding);
        let all = load.outstanding + load.urgent_outstanding;
        let blank = Sent { at: Instant::ZERO, kind: Kind::Read, stream: 0 };
        Bench {
            channels: (0..count as u8)
                .map(|nth| Channel::new(sim::controller::setup(board, nth)))
                .collect(),
            chips: (0..count).map(|nth| TimedChips::new(board, seed, nth)).collect(),
            order: ReorderBuffer::new(streams as u8 + 1, all as u16),
            low: Source::new(board, load, Priority::Low, seed),
            urgent: Source::new(board, load, Priority::High, seed),
            held: [None, None],
            credits,
            urgent_at: Instant::ZERO,
            urgent_interval: Duration::from_us(u64::from(load.urgent_interval_us)),
            sent: vec![blank; all as usize],
            free: (0..all).collect(),
            now: Instant::ZERO,
            page_bytes: u64::from(board.firmware.geometry.page_bytes),
            bytes: 0,
            answers: [(); 3].map(|()| Answers { response: Latency::new() }),
            urgent_answers: Answers { response: Latency::new() },
            steps: Vec::new(),
            last: vec![vec![0; geometry.ways as usize]; count as usize],
            watcher,
        }
    }

    /// Runs until so many more requests are answered.
    fn answer(&mut self, count: u64) {
        let mut answered = 0;
        while answered < count {
            self.forward();
            let next = self.channels.iter().map(Channel::poll_at).min().expect("a channel");
            self.now = next.min(self.next_urgent()).max(self.now);
            assert_ne!(
                self.now,
                Instant::NEVER,
                "channels that hold requests have something to do"
            );
            for nth in 0..self.channels.len() {
                if self.channels[nth].poll_at() <= self.now {
                    self.work(nth);
                }
            }
            while let Some(completion) = self.order.pop() {
                let outcome = completion.response.outcome;
                assert_eq!(outcome, Outcome::Success, "chips never fail, and full queues wait");
                self.take(completion.ticket);
                answered += 1;
            }
        }
    }

    /// Lets a channel work, and tells of it.
    fn work(&mut self, nth: usize) {
        let Bench { channels, chips, order, steps, last, watcher, .. } = self;
        channels[nth].poll(self.now, &mut chips[nth], order, |step| steps.push(step));
        let (channel, last) = (nth as u8, &mut last[nth]);
        for step in steps.drain(..) {
            if step.ticket != NOBODY {
                last[usize::from(step.way)] = step.ticket;
            }
            watcher.step(channel, step);
        }
        for work in chips[nth].begun() {
            let ticket = last[usize::from(work.way)];
            watcher.chip(channel, ChipWork { ticket, ..work });
        }
    }

    /// Takes an answer in.
    fn take(&mut self, ticket: u32) {
        self.watcher.answered(ticket, self.now);
        let Sent { at, kind, stream } = self.sent[ticket as usize];
        self.free.push(ticket);
        self.credits[usize::from(stream)] += 1;
        let is_urgent = usize::from(stream) + 1 == self.credits.len();
        let answers = match is_urgent {
            true => &mut self.urgent_answers,
            false => &mut self.answers[kind as usize],
        };
        answers.response.record(self.now.since(at).as_ps());
        if kind != Kind::Erase {
            self.bytes += self.page_bytes;
        }
    }

    /// Sends what may be sent: in order within a priority, each request once its channel has room.
    fn forward(&mut self) {
        let urgent = self.credits.len() - 1;
        while (self.held[1].is_some() || self.next_urgent() <= self.now)
            && self.send(urgent, Priority::High)
        {
            self.urgent_at = self.now + self.urgent_interval;
        }
        // Streams of low priority take turns by how many requests they may send.
        loop {
            let low = &self.credits[..urgent];
            let (stream, most) = low
                .iter()
                .enumerate()
                .max_by_key(|(nth, n)| (**n, usize::MAX - nth))
                .expect("a stream");
            let over = self.held[0].is_none() && self.low.is_over();
            if over || *most == 0 || !self.send(stream, Priority::Low) {
                return;
            }
        }
    }

    /// When another urgent read is due; never while as many as may be are outstanding, or where one waits
    /// for room.
    fn next_urgent(&self) -> Instant {
        match self.credits.last() {
            Some(1..) if self.held[1].is_none() => self.urgent_at,
            _ => Instant::NEVER,
        }
    }

    /// Sends the next request of a stream; false where its channel has no room.
    fn send(&mut self, stream: usize, priority: Priority) -> bool {
        let class = usize::from(priority == Priority::High);
        let source = if class == 1 { &mut self.urgent } else { &mut self.low };
        let asked = self.held[class].take().unwrap_or_else(|| source.next(stream as u8, priority));
        let channel = &mut self.channels[usize::from(asked.channel)];
        if channel.room() == 0 {
            self.held[class] = Some(asked);
            return false;
        }
        let ticket = self.free.pop().expect("a ticket for each credit");
        let stream = asked.request.stream;
        self.sent[ticket as usize] = Sent { at: self.now, kind: asked.kind, stream };
        self.credits[usize::from(stream)] -= 1;
        self.watcher.forwarded(ticket, self.now);
        channel.submit(self.now, asked.request, ticket);
        true
    }

    fn tally(&self) -> Tally {
        let busy_ps = self.channels.iter().map(Channel::bus_busy_ps).collect();
        Tally { at: self.now, busy_ps }
    }

    /// Forgets what was answered.
    fn reset(&mut self) {
        self.bytes = 0;
        self.answers = [(); 3].map(|()| Answers { response: Latency::new() });
        self.urgent_answers = Answers { response: Latency::new() };
    }

    fn outcome(self, before: Tally) -> outcome::Outcome {
        let after = self.tally();
        let elapsed: Duration = after.at.since(before.at);
        let share =
            |(busy, earlier): (&u64, &u64)| (busy - earlier) as f64 / elapsed.as_ps().max(1) as f64;
        outcome::Outcome {
            elapsed,
            bytes: self.bytes,
            low: self.answers,
            urgent: self.urgent_answers,
            bus_busy: after.busy_ps.iter().zip(&before.busy_ps).map(share).collect(),
        }
    }
}
