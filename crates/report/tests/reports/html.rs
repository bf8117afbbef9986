use crate::{html_of, sample};
use report::RunResult;

const SVG_NAMESPACE: &str = "xmlns=\"http://www.w3.org/2000/svg\"";

#[test]
fn the_page_needs_nothing_beside_itself() {
    let page = html_of(&sample::large()).replace(SVG_NAMESPACE, "");
    for reference in ["http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link"] {
        assert!(!page.contains(reference), "{reference}");
    }
}

#[test]
fn every_plot_is_there() {
    let page = html_of(&sample::large());
    assert_eq!(page.matches("<svg ").count(), 5);
    assert_eq!(page.matches("</svg>").count(), 5);
    for text in
        ["seq-read read", "rand-mix write", "cosmos-plus", "way 7", "channel 7", "scheduler"]
    {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("Nothing was recorded"));
}

#[test]
fn what_the_monitor_saw_is_drawn() {
    let mut run = sample::large();
    run.monitored = (0..256).map(sample::interval).collect();
    let page = html_of(&run);
    assert_eq!(page.matches("<svg ").count(), 10);
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
    assert_eq!(html_of(&run).matches("<svg ").count(), 10);
}

#[test]
fn an_idle_run_has_a_page_without_plots() {
    let page = html_of(&sample::idle());
    assert_eq!(page.matches("<svg ").count(), 0);
    assert_eq!(page.matches("Nothing was recorded").count(), 5);
}

/// A run whose every name is `name`.
fn named(name: &str) -> RunResult {
    let mut run = sample::large();
    run.board = name.into();
    run.job_file = name.into();
    run.version = name.into();
    run.warnings = vec![name.into()];
    run.jobs[0].error = Some(report::JobError { number: 5, message: name.into() });
    run.jobs.iter_mut().for_each(|job| job.name = name.into());
    run.drive.modules.iter_mut().for_each(|module| module.name = name.into());
    run
}

#[test]
fn names_cannot_break_out_of_the_page() {
    let page = html_of(&named("<b x=\"'{{css}}"));
    assert!(!page.contains("<b x"));
    assert!(page.contains("&lt;b x=&quot;&#39;{{css}}"));
}

#[test]
fn large_geometries_and_many_jobs_stay_in_the_plots() {
    let mut run = sample::large();
    let job = run.jobs[2].clone();
    run.jobs = vec![job; 100];
    run.drive.channel_busy = vec![0.5; 64];
    run.drive.way_busy = vec![vec![0.5; 64]; 64];
    let page = html_of(&run);
    assert!(page.contains("<p class=\"note\">92 more are not drawn.</p>"));
    assert!(page.contains("<p class=\"note\">68 more are not drawn.</p>"));
    assert!(page.contains("channel 63") || page.contains("channel 62"));
}

#[test]
fn a_run_of_one_instant_is_drawn() {
    let mut run = sample::idle();
    let job = &mut run.jobs[0];
    let completion = report::Completion {
        at_ps: 0,
        bytes: 512,
        submission_ps: 0,
        completion_ps: 0,
        split: Default::default(),
    };
    job.record(report::Direction::Read, &completion);
    run.series.record(0, report::Direction::Read, 512);
    assert_eq!(html_of(&run).matches("<svg ").count(), 3);
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
