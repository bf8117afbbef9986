//! The queues of `rtl/prim`: what goes in comes out, in order, at every pace of both sides.

use rtl_sim::{seed, tops, Agent, Bench, Pace, Random, Sink, Source, StreamPorts};

/// A lane of the top `prim_queues`.
struct Queue {
    name: &'static str,
    lane: u32,
    /// Beats that it holds when nothing leaves.
    capacity: u64,
    /// Cycles from a beat's edge in to the cycle in which it is offered.
    latency: u64,
    /// Cycles that a stream of so many beats takes through it when nobody waits.
    beats_in_100_cycles: usize,
}

const LANES: u32 = 7;

const QUEUES: [Queue; LANES as usize] = [
    Queue { name: "fifo of 1", lane: 0, capacity: 1, latency: 1, beats_in_100_cycles: 50 },
    Queue { name: "fifo of 2", lane: 1, capacity: 2, latency: 1, beats_in_100_cycles: 99 },
    Queue { name: "fifo of 5", lane: 2, capacity: 5, latency: 1, beats_in_100_cycles: 99 },
    Queue { name: "fifo of 16", lane: 3, capacity: 16, latency: 1, beats_in_100_cycles: 99 },
    Queue { name: "block of 2", lane: 4, capacity: 3, latency: 2, beats_in_100_cycles: 98 },
    Queue { name: "block of 64", lane: 5, capacity: 65, latency: 2, beats_in_100_cycles: 98 },
    Queue { name: "skid buffer", lane: 6, capacity: 2, latency: 1, beats_in_100_cycles: 99 },
];

fn ports(prefix: &str, lane: u32) -> StreamPorts<'_> {
    StreamPorts { prefix, fields: &["data"], lane: (lane, LANES) }
}

/// A bench with a source and a sink on each queue.
fn bench_of(
    mut input: impl FnMut() -> Pace,
    mut output: impl FnMut() -> Pace,
) -> (Bench, Vec<Source>, Vec<Sink>) {
    let bench = Bench::new(&tops::PRIM_QUEUES);
    let sources =
        QUEUES.iter().map(|queue| Source::new(bench.model(), ports("in", queue.lane), input()));
    let sources = sources.collect();
    let sinks =
        QUEUES.iter().map(|queue| Sink::new(bench.model(), ports("out", queue.lane), output()));
    let sinks = sinks.collect();
    (bench, sources, sinks)
}

fn run(bench: &mut Bench, sources: &mut [Source], sinks: &mut [Sink], cycles: u32) {
    let mut agents: Vec<&mut dyn Agent> = Vec::new();
    agents.extend(sources.iter_mut().map(|source| source as &mut dyn Agent));
    agents.extend(sinks.iter_mut().map(|sink| sink as &mut dyn Agent));
    for _ in 0..cycles {
        bench.cycle(&mut agents);
    }
}

fn random_beats(random: &mut Random, count: usize) -> Vec<Vec<u64>> {
    (0..count).map(|_| vec![random.below(1 << 16)]).collect()
}

#[test]
fn beats_leave_in_order_at_every_pace() {
    seed::each(20, |random| {
        let mut paces = random.split();
        let mut more_paces = random.split();
        let (mut bench, mut sources, mut sinks) =
            bench_of(|| Pace::any(&mut paces), || Pace::any(&mut more_paces));
        let sent: Vec<_> = QUEUES.iter().map(|_| random_beats(random, 200)).collect();
        for (source, beats) in sources.iter_mut().zip(&sent) {
            source.push_all(beats.iter().cloned());
        }
        while !sources.iter().all(Source::is_empty) {
            run(&mut bench, &mut sources, &mut sinks, 100);
            assert!(bench.cycles() < 20_000, "stuck");
        }
        for sink in &mut sinks {
            sink.set_pace(Pace::Always);
        }
        run(&mut bench, &mut sources, &mut sinks, 100);
        for ((queue, sink), beats) in QUEUES.iter().zip(&sinks).zip(&sent) {
            assert_eq!(sink.received(), beats, "{}", queue.name);
        }
    });
}

#[test]
fn a_stopped_queue_holds_its_capacity_and_no_more() {
    let (mut bench, mut sources, mut sinks) = bench_of(|| Pace::Always, || Pace::Never);
    let mut random = Random::new(1);
    for source in &mut sources {
        source.push_all(random_beats(&mut random, 100));
    }
    run(&mut bench, &mut sources, &mut sinks, 100);
    let level = bench.output("level_o");
    for (queue, source) in QUEUES.iter().zip(&sources) {
        assert_eq!(source.sent(), queue.capacity, "{}", queue.name);
        if queue.name.starts_with("fifo") {
            let level = bench.get(level.lane(queue.lane, LANES));
            assert_eq!(level, queue.capacity, "{}", queue.name);
        }
    }
}

#[test]
fn latency_and_throughput_are_as_the_headers_say() {
    let (mut bench, mut sources, mut sinks) = bench_of(|| Pace::Always, || Pace::Always);
    let mut random = Random::new(2);
    for source in &mut sources {
        source.push_all(random_beats(&mut random, 200));
    }
    let mut first = vec![None; QUEUES.len()];
    for cycle in 0..100 {
        run(&mut bench, &mut sources, &mut sinks, 1);
        for (first, sink) in first.iter_mut().zip(&sinks) {
            if first.is_none() && !sink.received().is_empty() {
                *first = Some(cycle);
            }
        }
    }
    for ((queue, sink), first) in QUEUES.iter().zip(&sinks).zip(first) {
        assert_eq!(first, Some(queue.latency), "{}", queue.name);
        assert_eq!(sink.received().len(), queue.beats_in_100_cycles, "{}", queue.name);
    }
}

#[test]
#[should_panic(expected = "assertion at prim/fm_stream_assert.sv")]
fn a_beat_that_changes_while_it_waits_is_caught() {
    let mut bench = Bench::new(&tops::PRIM_QUEUES);
    let (valid, data) = (bench.input("in_valid_i"), bench.input("in_data_i"));
    bench.set(valid.lane(0, LANES), 1);
    for value in 0..4 {
        bench.set(data.lane(0, LANES), value);
        bench.cycle(&mut []);
    }
}
