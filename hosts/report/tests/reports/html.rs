use crate::{html_of, sample};
use report::{CoreResult, Direction, JobError, RunResult, Served};
use serde_json::Value;

/// Largest page.
const MOST_BYTES: usize = 2 << 20;

/// The page without what names an address but loads nothing: a namespace, and the library's comment.
fn without_names(page: &str) -> String {
    let namespace = "xmlns=\"http://www.w3.org/2000/svg\"";
    page.replace(namespace, "").replace("/*! https://github.com/leeoniya/uPlot", "")
}

/// What the script is given for each plot.
fn charts(page: &str) -> Vec<Value> {
    let pieces = page.split("<script type=\"application/json\">").skip(1);
    let data = pieces.map(|piece| piece.split_once("</script>").unwrap().0);
    data.map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// Names of the vertical axes.
fn names(page: &str) -> Vec<String> {
    charts(page).iter().map(|chart| chart["y"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_page_needs_nothing_beside_itself() {
    let mut run = sample::large();
    run.monitored = (0..256).map(sample::interval).collect();
    let page = html_of(&run);
    assert!(page.len() < MOST_BYTES, "{} bytes", page.len());
    let page = without_names(&page);
    for reference in ["http:", "https:", " src=", "href=", "url(", "@import", "<link", "import("] {
        assert!(!page.contains(reference), "{reference}");
    }
    for request in ["fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon"] {
        assert!(!page.contains(request), "{request}");
    }
}

#[test]
fn the_library_comes_with_its_licence() {
    let page = html_of(&sample::small());
    assert!(page.contains("uPlot (v1.6.32)") && page.contains("Copyright (c)"));
    assert!(page.contains("Permission is hereby granted, free of charge"));
}

#[test]
fn every_plot_is_there() {
    let page = html_of(&sample::large());
    let expected = [
        "bandwidth",
        "requests / s",
        "completion latency",
        "share of requests",
        "share at most this long",
        "completion latency",
    ];
    assert_eq!(names(&page), expected);
    // Use of channels and ways, and latencies of reads and of writes over time.
    assert_eq!(page.matches("<svg ").count(), 3);
    for text in
        ["seq-read read", "rand-mix write", "cosmos-plus", "way 7", "channel 7", "scheduler"]
    {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("Nothing was recorded"));
    for chart in charts(&page) {
        let positions = chart["at"].as_array().unwrap().len();
        for line in chart["lines"].as_array().unwrap() {
            assert_eq!(line["values"].as_array().unwrap().len(), positions, "{}", line["name"]);
        }
    }
}

#[test]
fn what_the_monitor_saw_is_drawn() {
    let mut run = sample::large();
    run.monitored = (0..256).map(sample::interval).collect();
    let page = html_of(&run);
    assert_eq!(names(&page)[6..], ["bandwidth", "commands", "factor", "share of time"]);
    assert_eq!(page.matches("<svg ").count(), 4);
    for text in [
        "Monitor: throughput",
        "Monitor: outstanding commands",
        "Monitor: channel utilisation",
        "Monitor: write amplification",
        "Monitor: firmware time by module",
    ] {
        assert_eq!(page.matches(&format!("<h2>{text}</h2>")).count(), 1, "{text}");
    }
    assert!(!html_of(&sample::large()).contains("Monitor:"));
}

#[test]
fn intervals_of_nothing_are_drawn_too() {
    let mut run = sample::large();
    run.monitored = vec![monitor::Interval::default()];
    assert_eq!(names(&html_of(&run)).len(), 10);
}

#[test]
fn cores_are_drawn_where_there_are_several() {
    let mut run = sample::large();
    assert!(!html_of(&run).contains("Cores of the processor"));
    let core = |does: &str| CoreResult {
        does: does.to_owned(),
        busy: 0.25,
        idle_polling_ps: 3_000_000,
        modules: run.drive.modules.clone(),
    };
    run.drive.cores = vec![core("host, ftl"), core("channels")];
    let page = html_of(&run);
    for text in ["<h2>Cores of the processor</h2>", "core 0: host, ftl", "core 1: channels"] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn an_idle_run_has_a_page_without_plots() {
    let page = html_of(&sample::idle());
    assert_eq!((page.matches("<svg ").count(), names(&page).len()), (0, 0));
    assert_eq!(page.matches("Nothing was recorded").count(), 6);
}

#[test]
fn what_was_changed_against_the_board_is_shown() {
    let page = html_of(&sample::large());
    let row = "<td>processor.clock_mhz</td><td>500</td><td>1000</td>";
    for text in [row, "-dirty</td>", "[seq-read]\nrw=read\n</pre>", "Job file demo.fio"] {
        assert!(page.contains(text), "{text}");
    }
    let mut run = sample::large();
    run.provenance.as_mut().unwrap().board.overrides.clear();
    assert!(html_of(&run).contains("Nothing was changed against the board."));
    assert!(!html_of(&sample::small()).contains("What was run"));
}

/// A run whose every name is `name`.
fn named(name: &str) -> RunResult {
    let mut run = sample::large();
    run.board = name.into();
    run.job_file = name.into();
    run.version = name.into();
    run.warnings = vec![name.into()];
    run.jobs[0].error = Some(JobError { number: 5, message: name.into() });
    run.jobs.iter_mut().for_each(|job| job.name = name.into());
    run.drive.modules.iter_mut().for_each(|module| module.name = name.into());
    run.monitored = (0..4).map(sample::interval).collect();
    let provenance = run.provenance.as_mut().unwrap();
    provenance.commit = name.into();
    provenance.board.toml = name.into();
    provenance.board.overrides[0].value = name.into();
    provenance.jobs = report::JobSource::File { name: name.into(), text: name.into() };
    run
}

#[test]
fn names_cannot_break_out_of_the_page() {
    let page = html_of(&named("<b x=\"'{{css}}"));
    assert!(!page.contains("<b x"));
    assert!(page.contains("&lt;b x=&quot;'{{css}}"));
    let page = html_of(&named("</script><script>alert(1)</script>"));
    assert!(!page.contains("<script>alert"));
    assert_eq!(charts(&page)[0]["marks"][0]["name"], "</script><script>alert(1)</script>");
}

#[test]
fn every_one_of_many_jobs_can_be_reached() {
    let mut run = sample::large();
    let job = run.jobs[3].clone();
    let number = 400;
    run.jobs = (0..number)
        .map(|nth| {
            let mut job = job.clone();
            job.name = format!("job-{nth}");
            job
        })
        .collect();
    run.drive.channel_busy = vec![0.5; 64];
    run.drive.way_busy = vec![vec![0.5; 64]; 64];
    let page = html_of(&run);
    assert!(page.len() < MOST_BYTES, "{} bytes", page.len());
    assert!(page.contains("channel 63") || page.contains("channel 62"));
    for nth in [0, number / 2, number - 1] {
        assert!(page.contains(&format!("<option value=\"{nth}\" ")), "{nth}");
        assert!(page.contains(&format!(">job-{nth}</option>")), "{nth}");
        // A row of the table and a bar for each direction.
        assert_eq!(page.matches(&format!("data-job=\"{nth}\"")).count(), 4, "{nth}");
    }
    let charts = charts(&page);
    for chart in &charts[3..5] {
        let lines = chart["lines"].as_array().unwrap();
        assert_eq!(lines.len(), 2 * number);
        assert_eq!(lines[2 * number - 1]["job"], number as u64 - 1);
    }
}

#[test]
fn the_choice_of_a_job_knows_its_time() {
    let mut run = sample::large();
    (run.jobs[2].start_ps, run.jobs[2].end_ps) = (1_500_000_000, 2_000_000_700);
    let option = format!(
        "<option value=\"2\" data-from=\"1500000\" data-to=\"2000000\">{}</option>",
        run.jobs[2].name
    );
    assert!(html_of(&run).contains(&option), "nanoseconds, as the plots have them");
}

#[test]
fn idle_polls_have_a_bar_beside_the_modules() {
    let mut run = sample::large();
    let page = html_of(&run);
    // 2,130 ms of idle polls are more than the 2,080 ms of the module that works most, and do not shorten its bar.
    let modules = "<i class=\"swatch-series-1\" style=\"width:100.00%\" title=\"scheduler: 2.08 s";
    let (before, after) = page.split_once("Apart from them").unwrap();
    assert!(before.contains(modules) && !before.contains("idle polling"));
    assert!(after.contains("title=\"idle polling: 2.13 s · ") && !after.contains("scheduler: "));
    assert!(!page.contains("bad block: "), "it did nothing");
    run.drive.idle_polling_ps = 0;
    let page = html_of(&run);
    assert!(!page.contains("<i class=\"swatch-axis\"") && !page.contains("Apart from them"));
    assert!(page.contains(modules));
}

#[test]
fn a_run_of_one_instant_is_drawn() {
    let mut run = sample::idle();
    let job = &mut run.jobs[0];
    let completion =
        report::Completion { at_ps: 0, bytes: 512, submission_ps: 0, completion_ps: 0 };
    job.record(Direction::Read, &completion, Some(&Default::default()));
    run.series.record(0, Served { direction: Direction::Read, bytes: 512, latency_ps: 0 });
    assert_eq!(names(&html_of(&run)).len(), 6);
}

#[test]
fn tables_scroll_within_themselves() {
    let page = html_of(&sample::large());
    assert!(page.contains("<meta name=\"viewport\" content=\"width=device-width"));
    assert_eq!(
        page.matches("<table").count(),
        page.matches("<div class=\"scroll\"><table").count()
    );
}

#[test]
fn the_page_tells_what_the_causes_mean_that_it_shows() {
    let page = html_of(&sample::large());
    for cause in report::Cause::ALL {
        let shown = format!("<dt>{}</dt><dd>{}</dd>", cause.name(), cause.definition());
        let has_time =
            ["host link and DMA", "command processing", "waiting for the die", "flash busy"]
                .contains(&cause.name());
        assert_eq!(page.contains(&shown), has_time, "{shown}");
        let tooltip = format!("<li title=\"{}\">", cause.definition());
        assert_eq!(page.contains(&tooltip), has_time, "{tooltip}");
    }
}

/// The distribution of a notebook is that of all samples: it goes up in steps, straight and level, and ends at the whole.
#[test]
fn a_notebook_draws_all_samples_in_steps() {
    let mut out = Vec::new();
    report::write_figures(&sample::large(), &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    let lines: Vec<Vec<(i32, i32)>> = page
        .split("<polyline ")
        .filter_map(|line| line.split_once("points=\"").map(|(_, rest)| rest))
        .map(|rest| {
            let points = rest.split('"').next().unwrap().split_whitespace();
            let pair = |point: &str| {
                let (x, y) = point.split_once(',').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            };
            points.map(pair).collect()
        })
        .filter(|points: &Vec<_>| points.len() > 20)
        .collect();
    assert!(!lines.is_empty(), "no curve has more points than fio has percentiles");
    for line in &lines {
        for (before, after) in line.iter().zip(&line[1..]) {
            assert!(before.0 == after.0 || before.1 == after.1, "{before:?} to {after:?}");
            assert!(after.0 >= before.0 && after.1 <= before.1, "{before:?} to {after:?}");
        }
    }
}

#[test]
fn a_notebook_gets_two_pictures_that_turn_dark_and_no_script() {
    let figures = |run: &RunResult| {
        let mut out = Vec::new();
        report::write_figures(run, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let of_large = figures(&sample::large());
    assert_eq!((of_large.matches("<svg").count(), of_large.matches("<script").count()), (2, 0));
    for colour in of_large.split("=\"#").skip(1).map(|rest| &rest[..6]) {
        assert!(of_large.contains(&format!("=\"#{colour}\"]{{")), "#{colour} has no dark twin");
    }
    let name = figures(&named("<b>\"&"));
    assert!(!name.contains("<b>"), "{name}");
    assert!(!figures(&sample::idle()).contains("completion latency, us"));
}
