//! The arbiters of `rtl/prim` against a model that searches for whose turn it is, and the merge of
//! packets.

use rtl_sim::{seed, tops, Agent, Bench, Input, Output, Pace, Random, Sink, Source, StreamPorts};

const REQUESTS: u32 = 5;
const STREAMS: u32 = 3;

/// Who is next: the first requester after the one that was served last, unless one is held.
#[derive(Default)]
struct Turn {
    next: u32,
    held: Option<u32>,
}

impl Turn {
    fn grant(&self, requests: u64) -> Option<u32> {
        let in_turn = (0..REQUESTS).map(|step| (self.next + step) % REQUESTS);
        self.held.or_else(|| in_turn.into_iter().find(|index| requests >> index & 1 == 1))
    }

    fn clock(&mut self, grant: Option<u32>, accepted: bool) {
        match grant {
            Some(index) if accepted => *self = Self { next: (index + 1) % REQUESTS, held: None },
            _ => self.held = grant,
        }
    }
}

/// Requests that stay up until they are served.
struct Requesters {
    waiting: u64,
    random: Random,
    share: u32,
}

impl Requesters {
    fn new(random: &mut Random) -> Self {
        let share = [5, 30, 100][random.below(3) as usize];
        Self { waiting: 0, random: random.split(), share }
    }

    fn raise(&mut self) -> u64 {
        for index in 0..REQUESTS {
            if self.waiting >> index & 1 == 0 && self.random.percent(self.share) {
                self.waiting |= 1 << index;
            }
        }
        self.waiting
    }
}

struct Ports {
    request: Input,
    accept: Input,
    grant: Output,
}

impl Ports {
    fn new(bench: &Bench, prefix: &str) -> Self {
        Self {
            request: bench.input(&format!("{prefix}_request_i")),
            accept: bench.input(&format!("{prefix}_accept_i")),
            grant: bench.output(&format!("{prefix}_grant_o")),
        }
    }
}

fn one_hot(grant: Option<u32>) -> u64 {
    grant.map_or(0, |index| 1 << index)
}

#[test]
fn round_robin_serves_each_in_turn_and_holds_its_grant() {
    seed::each(10, |random| {
        let mut bench = Bench::new(&tops::PRIM_ARBITERS);
        let ports = Ports::new(&bench, "turn");
        let (mut requesters, mut turn) = (Requesters::new(random), Turn::default());
        for _ in 0..2000 {
            let requests = requesters.raise();
            let accept = random.percent(50);
            bench.set(ports.request, requests);
            bench.set(ports.accept, u64::from(accept));
            let expected = turn.grant(requests);
            assert_eq!(bench.get(ports.grant), one_hot(expected), "of {requests:#b}");
            bench.cycle(&mut []);
            turn.clock(expected, accept);
            if accept {
                requesters.waiting &= !one_hot(expected);
            }
        }
    });
}

fn stream(prefix: &str, lane: (u32, u32)) -> StreamPorts<'_> {
    StreamPorts { prefix, fields: &["data", "last"], lane }
}

#[test]
fn merged_packets_are_whole_and_in_order() {
    seed::each(20, |random| {
        let mut bench = Bench::new(&tops::PRIM_ARBITERS);
        let mut sent = vec![Vec::new(); STREAMS as usize];
        let mut sources: Vec<Source> = (0..STREAMS)
            .map(|lane| {
                let ports = stream("in", (lane, STREAMS));
                let mut source = Source::new(bench.model(), ports, Pace::any(random));
                for _ in 0..40 {
                    let beats = 1 + random.below(6);
                    for beat in 0..beats {
                        let fields = vec![random.below(1 << 12), u64::from(beat + 1 == beats)];
                        sent[lane as usize].push(fields.clone());
                        source.push(fields);
                    }
                }
                source
            })
            .collect();
        let ports =
            StreamPorts { prefix: "out", fields: &["data", "last", "source"], lane: (0, 1) };
        let mut sink = Sink::new(bench.model(), ports, Pace::any(random));
        let expected: usize = sent.iter().map(Vec::len).sum();
        while sink.received().len() < expected {
            let mut agents: Vec<&mut dyn Agent> = vec![&mut sink];
            agents.extend(sources.iter_mut().map(|source| source as &mut dyn Agent));
            bench.cycle(&mut agents);
            assert!(bench.cycles() < 40_000, "stuck");
        }
        let mut open = None;
        for beat in sink.received() {
            let (source, last) = (beat[2], beat[1] == 1);
            assert_eq!(open.unwrap_or(source), source, "packets are mixed");
            open = (!last).then_some(source);
        }
        for (stream, sent) in sent.iter().enumerate() {
            let of_stream = sink.received().iter().filter(|beat| beat[2] == 1 << stream);
            assert!(of_stream.map(|beat| &beat[..2]).eq(sent.iter()), "stream {stream}");
        }
    });
}
