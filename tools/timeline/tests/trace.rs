//! Traces of real runs: their structure is what Perfetto needs, and recording changes nothing.

use std::collections::BTreeMap;

use board::Board;
use host::{job, Preconditioning, RunRequest};
use machine::Polling;
use report::JsonForm;
use serde_json::Value;
use timeline::Recorder;

const WINDOW: &str = "0..2ms";

/// The trace and the report of a run on the board `small`.
fn run(options: &str, polling: Polling) -> (Value, Value) {
    run_on(&Board::resolve("small", &[]).unwrap(), WINDOW, (options, polling))
}

/// The trace of a window and the report of a run on a board.
fn run_on(board: &Board, window: &str, (options, polling): (&str, Polling)) -> (Value, Value) {
    let text = format!("[job]\n{}\n", options.replace(' ', "\n"));
    let jobs = job::parse_file("job.fio", &text).unwrap();
    let request = RunRequest {
        seed: 5,
        precondition: Preconditioning::Sequential,
        polling,
        ..RunRequest::new(board, &jobs, "job.fio")
    };
    let geometry = &board.firmware.geometry;
    let mut recorder = Recorder::new(window.parse().unwrap(), geometry.channels, geometry.ways);
    let watchers = host::Watchers { observer: Some(&mut recorder), ..host::Watchers::default() };
    let observed = host::run_watched(request, watchers, &mut |_| ()).unwrap();
    let plain = host::run(request, &mut |_| ()).unwrap();
    let [observed, plain] = [observed, plain].map(|mut result| {
        (result.speed.wall_s, result.speed.cpu_s) = (1.0, 1.0);
        let mut out = Vec::new();
        report::write_json(&result, JsonForm::Plus, &mut out).unwrap();
        serde_json::from_slice::<Value>(&out).unwrap()
    });
    assert!(observed == plain, "the recorder changed the run");
    let mut out = Vec::new();
    recorder.write(&mut out).unwrap();
    (serde_json::from_slice(&out).unwrap(), observed)
}

fn events<'a>(trace: &'a Value, phase: &'a str) -> impl Iterator<Item = &'a Value> {
    trace["traceEvents"].as_array().unwrap().iter().filter(move |event| event["ph"] == phase)
}

fn track(event: &Value) -> Track {
    (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap())
}

/// A time of an event in whole picoseconds.
fn picoseconds(event: &Value, key: &str) -> u64 {
    (event[key].as_f64().unwrap() * 1e6).round() as u64
}

/// Process and thread.
type Track = (u64, u64);
/// Start, end and name.
type Slice<'a> = (u64, u64, &'a str);

/// Slices by track, as they stand in the trace.
fn slices(trace: &Value) -> BTreeMap<Track, Vec<Slice<'_>>> {
    let mut tracks: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for event in events(trace, "X") {
        let start = picoseconds(event, "ts");
        let end = start + picoseconds(event, "dur");
        tracks.entry(track(event)).or_default().push((start, end, event["name"].as_str().unwrap()));
    }
    tracks
}

/// Names of the tracks: process, thread.
fn names(trace: &Value) -> BTreeMap<Track, (String, String)> {
    let of = |event: &Value| event["args"]["name"].as_str().unwrap().to_owned();
    let metadata = |kind: &'static str| events(trace, "M").filter(move |e| e["name"] == kind);
    let processes: BTreeMap<u64, String> =
        metadata("process_name").map(|e| (e["pid"].as_u64().unwrap(), of(e))).collect();
    metadata("thread_name").map(|e| (track(e), (processes[&track(e).0].clone(), of(e)))).collect()
}

/// Each track has a name, its slices do not overlap, and all events come in the order of time.
fn check_structure(trace: &Value) {
    let names = names(trace);
    let all = slices(trace);
    let has = |part: &str| all.keys().any(|track| names[track].0.starts_with(part));
    for part in ["firmware", "host DMA", "channel "] {
        assert!(has(part), "nothing on {part}");
    }
    for (track, slices) in all {
        assert!(names.contains_key(&track), "track {track:?} has no name");
        for pair in slices.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{:?} overlap on {:?}", pair, names[&track]);
        }
        let (first, _, _) = slices[0];
        assert!(slices.iter().all(|&(start, end, _)| start < end), "{:?}", names[&track]);
        assert!(first < 2_000_000_000);
    }
    let times: Vec<u64> = trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["ph"] != "M")
        .map(|event| picoseconds(event, "ts"))
        .collect();
    assert!(times.is_sorted());
}

/// Checks that each arrow begins, goes on and ends at slices; how many there are.
fn check_flows(trace: &Value) -> usize {
    let slices = slices(trace);
    let mut flows: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().unwrap() {
        let phase = event["ph"].as_str().unwrap();
        if !["s", "t", "f"].contains(&phase) {
            continue;
        }
        let at = picoseconds(event, "ts");
        let on = &slices[&track(event)];
        assert!(
            on.iter().any(|&(start, end, _)| start <= at && at < end),
            "{event} is at no slice"
        );
        flows.entry(event["id"].as_u64().unwrap()).or_default().push(phase);
    }
    for phases in flows.values() {
        let (first, rest) = phases.split_first().unwrap();
        let (last, between) = rest.split_last().unwrap();
        assert_eq!((*first, *last), ("s", "f"));
        assert!(between.iter().all(|phase| *phase == "t"));
    }
    flows.len()
}

#[test]
fn reads_go_from_doorbell_over_chip_and_bus_to_the_host() {
    let (trace, _) = run("rw=randread bs=4k iodepth=8 size=4m", Polling::Skip);
    check_structure(&trace);
    assert!(check_flows(&trace) > 20);
    let ends: BTreeMap<u64, u64> = events(&trace, "e")
        .map(|event| (event["id"].as_u64().unwrap(), picoseconds(event, "ts")))
        .collect();
    assert_eq!(ends.len(), events(&trace, "b").count());
    let (mut from_flash, names) = (0, names(&trace));
    for begin in events(&trace, "b") {
        let (number, start) = (begin["id"].as_u64().unwrap(), picoseconds(begin, "ts"));
        let arguments = &begin["args"];
        assert_eq!((&begin["name"], &arguments["opcode"]), (&"read".into(), &2.into()));
        assert_eq!((&arguments["bytes"], &arguments["blocks"]), (&4096.into(), &1.into()));
        assert!(arguments["lba"].as_u64().unwrap() < 1024 && arguments["queue"] == 1);
        // What is done for a command lies between its ends, in this order.
        let of_it: Vec<_> =
            events(&trace, "X").filter(|event| event["args"]["command"] == number).collect();
        for slice in &of_it {
            assert!(picoseconds(slice, "ts") >= start);
            assert!(picoseconds(slice, "ts") + picoseconds(slice, "dur") <= ends[&number]);
        }
        let order: Vec<&str> = of_it.iter().map(|slice| slice["name"].as_str().unwrap()).collect();
        if start < 1_000_000_000 && order.len() > 1 {
            from_flash += 1;
            let expected = [
                "read trigger",
                "tR",
                "waiting for the bus",
                "status check",
                "read transfer",
                "DMA to host",
            ];
            assert_eq!(order, expected, "command {number}");
            let times = |nth: usize| {
                let start = picoseconds(of_it[nth], "ts");
                (start, start + picoseconds(of_it[nth], "dur"))
            };
            assert_eq!(times(2), (times(1).1, times(4).0), "from tR to the transfer");
            assert_eq!(names[&track(of_it[1])].1, format!("way {}", of_it[1]["args"]["way"]));
        }
    }
    assert!(from_flash > 5, "only {from_flash} commands read from flash");
}

#[test]
fn writes_come_from_the_host_and_are_programmed() {
    let (trace, report) = run("rw=randwrite bs=16k iodepth=8 size=32m fsync=1", Polling::Skip);
    check_structure(&trace);
    assert!(check_flows(&trace) > 2);
    let all: Vec<&str> = events(&trace, "X").map(|event| event["name"].as_str().unwrap()).collect();
    for name in ["program transfer", "tPROG", "DMA from host", "issuer", "status check"] {
        assert!(all.contains(&name), "no {name}");
    }
    assert!(report["jobs"][0]["write"]["total_ios"].as_u64().unwrap() > 0);
}

#[test]
fn skipped_polls_leave_the_same_trace_as_polls_one_by_one() {
    let options = "rw=randrw bs=4k iodepth=4 size=1m";
    let skipped = run(options, Polling::Skip).0;
    check_structure(&skipped);
    assert!(events(&skipped, "X").count() > 100 && events(&skipped, "b").count() > 10);
    assert!(skipped == run(options, Polling::Exact).0);
}

/// A chip that suspends a program works at it until it stops and from when it goes on, and reads in between.
#[test]
fn suspended_programs_end_where_they_are_suspended_and_go_on_later() {
    const SUSPENDS: [(&str, &str); 7] = [
        ("geometry.channels", "1"),
        ("geometry.ways", "1"),
        ("flash.suspends", "4"),
        ("flash.t_suspend_us", "20"),
        ("flash.t_resume_us", "7"),
        ("flash.program_deviation_us", "0"),
        ("flash.die_deviation_us", "0"),
    ];
    let values = SUSPENDS.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let board = Board::resolve("small", &values).unwrap();
    let whole = board.flash.t_program[0].as_ps();
    let job = ("rw=randrw bs=16k iodepth=8 size=8m", Polling::Skip);
    let (trace, _) = run_on(&board, "0..40ms", job);
    check_structure(&trace);
    assert!(check_flows(&trace) > 2);
    let (slices, names) = (slices(&trace), names(&trace));
    let (_, of_chip) = slices.iter().find(|(track, _)| names[track].1 == "way 0").unwrap();
    let (mut at_work, mut suspensions, mut checked) = (whole, 0, 0);
    for &(start, end, name) in of_chip {
        match name {
            "tPROG" => {
                assert!(at_work >= whole, "a program begins before another has ended");
                (at_work, suspensions) = (end - start, 0);
            }
            "suspends" => suspensions += 1,
            "goes on" => at_work += end - start - 7_000_000,
            _ => continue,
        }
        if at_work >= whole && suspensions > 0 {
            assert_eq!(at_work, whole);
            checked += 1;
        }
    }
    assert!(checked > 1, "{checked} programs were suspended");
}
