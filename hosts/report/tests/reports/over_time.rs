//! The drive over time, its queues and its blocks, in JSON and on the page.

use crate::{html_of, json_of, normal_of, sample};
use report::{
    BlockKind, BlockMap, BlockSeen, ChannelResult, Counted, Direction, EntryWaits, EraseCounts,
    JsonForm, LatencySteps, Look, OverTime, QueueResult, RunResult,
};
use serde_json::{json, Value};

const MS: u64 = 1_000_000_000;

/// A large run, of whose drive everything is known.
fn run() -> RunResult {
    let mut run = sample::large();
    let mut over_time = OverTime::new();
    for nth in 0..40 {
        over_time.push(Look {
            at_ps: nth * 200 * MS,
            requests: 10 * nth,
            written_bytes: 16_384 * nth,
            programs: nth,
            moves: 3 * nth,
            wear_pages: nth,
            erases: nth / 10,
            wear_levellings: nth / 20,
            free_blocks: 100 - nth,
            channels_ps: vec![100 * MS * nth, 0],
            dies_ps: vec![200 * MS * nth, 0],
            ..Look::default()
        });
    }
    run.over_time = over_time;
    run.drive.way_busy = vec![vec![0.5; 2]; 2];
    let block = |nth: u32| BlockSeen {
        kind: if nth < 6 { BlockKind::Closed } else { BlockKind::Free },
        valid_permille: 250 * (nth % 5),
        erases: nth,
        age: 7,
    };
    let erases = EraseCounts::of(0..8);
    run.blocks = BlockMap::of((0..8).map(block), 2, 4, &erases).map(Box::new);
    run.queues = QueueResult::of(run.jobs.iter().zip([0, 1, 1, 0].into_iter().cycle()));
    run.drive.entry_waits =
        EntryWaits { flash_ps: MS, internal_ps: 3 * MS, ..EntryWaits::default() };
    let channel = |nth: u64| ChannelResult {
        pages_read: 7,
        pages_programmed: 3,
        operations: 4 * nth,
        queued_ps: 40_000 * nth,
        served_ps: 360_000 * nth,
        latencies: (0..4 * nth).fold(LatencySteps::default(), |mut steps, of| {
            steps.count([90_000, 3 * MS][usize::from(of == 7)]);
            steps
        }),
    };
    run.drive.channels = vec![channel(0), channel(1), channel(2)];
    run
}

fn own(run: &RunResult) -> Value {
    let mut report: Value = serde_json::from_str(&json_of(run, JsonForm::Plain)).unwrap();
    report["firmament"].take()
}

#[test]
fn what_the_drive_did_between_looks_is_told() {
    let own = own(&run());
    let over_time = &own["over_time"];
    let lists = over_time.as_object().unwrap();
    let lengths = lists.values().filter_map(Value::as_array).map(Vec::len);
    assert!(lengths.clone().all(|length| length == 39) && lengths.count() > 10);
    assert_eq!((&over_time["from_s"][1], &over_time["to_s"][1]), (&json!(0.2), &json!(0.4)));
    assert_eq!(
        (&over_time["free_blocks"][0], &over_time["free_blocks"][38]),
        (&json!(99), &json!(61))
    );
    assert_eq!(over_time["write_amplification"][5], json!(4.0));
    let causes = &over_time["write_amplification_by_cause"];
    for (cause, value) in
        [("host", 1.0), ("partial_pages", 0.0), ("collection", 2.0), ("wear", 1.0), ("log", 0.0)]
    {
        assert_eq!(causes[cause][5], json!(value), "{cause}");
    }
    assert_eq!(
        (&over_time["erases"][9], &over_time["wear_levellings"][19]),
        (&json!(1), &json!(1))
    );
    assert_eq!(over_time["utilization_by_channel"][3], json!([0.5, 0.0]));
    assert_eq!(
        (&over_time["channel_utilization"][3], &over_time["die_utilization"][3]),
        (&json!(0.25), &json!(0.25))
    );
    assert_eq!(own["buffer_entry_waits"]["internal_work_s"], json!(0.003));
    let text = normal_of(&run());
    let told = "  Why buffer entries were not free: 75.0% behind pages that the drive moves or writes back, 25.0% a page was \
                read or programmed\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn percentiles_over_time_lie_between_mean_and_longest() {
    let own = own(&sample::large());
    let latency = &own["latency_over_time"];
    let of = |key: &str| latency["read"][key].as_array().unwrap().clone();
    let requests: u64 = of("requests").iter().map(|count| count.as_u64().unwrap()).sum();
    let all = sample::large();
    let expected: u64 =
        all.jobs.iter().filter_map(|job| job.active(Direction::Read)).map(|r| r.ios).sum();
    assert_eq!(requests, expected);
    let keys = ["p50_ns", "p99_ns", "p99.9_ns", "longest_ns"].map(of);
    for step in 0..keys[0].len() {
        let values = keys.each_ref().map(|list| list[step].as_f64());
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{values:?}");
        assert_eq!(values[0].is_none(), of("requests")[step] == 0);
    }
}

#[test]
fn queues_and_blocks_are_told() {
    let run = run();
    let own = own(&run);
    let queues = own["queues"].as_array().unwrap();
    assert_eq!(queues.iter().map(|queue| queue["id"].clone()).collect::<Vec<_>>(), [1, 2]);
    let requests = queues
        .iter()
        .flat_map(|queue| ["read", "write"].map(|d| queue[d]["latency_ns"]["N"].as_u64()));
    assert_eq!(requests.flatten().sum::<u64>(), run.speed.requests);
    assert_eq!(own["blocks"]["by_kind"]["closed"], 6);
    assert_eq!(own["blocks"]["by_erases"]["from"][7], 7);
    assert!(sample::large().queues.is_empty(), "a single queue has no table");
    assert_eq!(QueueResult::of(run.jobs.iter().zip([0; 9])).len(), 0);
}

#[test]
fn the_page_has_what_the_report_has_and_is_drawn_again_from_it() {
    let run = run();
    let page = html_of(&run);
    for text in [
        "<h2>The drive over time</h2>",
        "<h2>Latency over time, by percentile</h2>",
        "<h2>Blocks at the end</h2>",
        "<h2>Queues</h2>",
        "<h2>Why buffer entries were not free</h2>",
        "wear levelling",
        "read, p99.9",
        "<h2>Latency by channel</h2>",
        "latency by queue",
        "closed: 6",
        "blocks by their erases",
        "behind pages that the drive moves or writes back",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("99 %<"), "percentiles are called p99");
    let again =
        report::read_json(&serde_json::from_str(&json_of(&run, JsonForm::Plain)).unwrap()).unwrap();
    assert_eq!(html_of(&again).len(), page.len());
}

#[test]
fn latency_is_told_by_channel() {
    let run = run();
    let channels = own(&run)["channels"].take();
    let [none, some] = [0, 2].map(|nth| channels[nth].clone());
    assert_eq!((&none["operations"], &none["mean_queued_ns"]), (&json!(0), &Value::Null));
    assert_eq!((&some["mean_queued_ns"], &some["mean_served_ns"]), (&json!(10.0), &json!(90.0)));
    assert_eq!((&none["p50_ns"], &none["p99.9_ns"]), (&Value::Null, &Value::Null));
    let [median, last] = ["p50_ns", "p99.9_ns"].map(|name| some[name].as_f64().unwrap());
    assert!((80.0..100.0).contains(&median), "{median}");
    assert!((2.7e6..3.4e6).contains(&last), "{last}");
    let page = html_of(&run);
    let section = page.split("<h2>Latency by channel</h2>").nth(1).unwrap();
    let section = section.split("<h2>").next().unwrap();
    assert!(section.contains("channel 2") && section.contains("100 ns"), "{section}");
    assert!(section.contains("aria-label=\"latency of operations by channel\""), "{section}");
    assert!(!html_of(&sample::large()).contains("Latency by channel"));
}

/// What is given to the page's script: each plot over virtual time.
fn plots_over_time(page: &str) -> Vec<Value> {
    let scripts = page.split("<script type=\"application/json\">").skip(1);
    let plots = scripts.map(|rest| rest.split("</script>").next().unwrap());
    let plots = plots.map(|text| serde_json::from_str::<Value>(text).unwrap());
    plots.filter(|plot| plot["x"]["name"] == "virtual time").collect()
}

#[test]
fn each_plot_over_time_marks_stages_and_what_the_drive_did() {
    let mut run = run();
    run.jobs[1].start_ps = 400 * MS;
    let plots = plots_over_time(&html_of(&run));
    assert!(plots.len() > 7, "{}", plots.len());
    for plot in &plots {
        let names = |key: &str| {
            let all = plot[key].as_array().unwrap().iter();
            all.map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let what = &plot["y"]["name"];
        assert!(plot["marks"].as_array().unwrap().iter().any(|mark| mark["at"] == 4e8), "{what}");
        assert_eq!(names("bands"), ["wear levelling"], "{what}");
        // Looks are 200 ms apart; superblocks were moved in the steps that end with looks 20 and 40, of 39.
        assert_eq!(plot["bands"][0]["spans"], json!([[3.8e9, 4e9]]), "{what}");
    }
    run.drive.counted = Counted::ByHardware;
    let plots = plots_over_time(&html_of(&run));
    assert!(plots.iter().all(|plot| plot["bands"] == json!([])));
}

#[test]
fn what_no_firmware_tells_is_left_out() {
    let mut run = run();
    run.drive.counted = Counted::ByHardware;
    let own = own(&run);
    let over_time = own["over_time"].as_object().unwrap();
    assert!(over_time.contains_key("channel_utilization"));
    for key in ["erases", "free_blocks", "write_amplification_by_cause"] {
        assert!(!over_time.contains_key(key), "{key}");
    }
    assert!(!html_of(&run).contains("free blocks"));
}
