//! The three reports of made-up runs.

mod handles;
mod html;
mod json;
mod normal;
mod over_time;
mod percentiles;
mod sample;
mod steady_state;
mod terse;
mod unified;
mod waits;

use report::{JsonForm, RunResult};

fn normal_of(run: &RunResult) -> String {
    let mut out = Vec::new();
    report::write_normal(run, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn json_of(run: &RunResult, form: JsonForm) -> String {
    let mut out = Vec::new();
    report::write_json(run, form, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn html_of(run: &RunResult) -> String {
    let mut out = Vec::new();
    report::write_html(run, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn no_report_shows_an_undefined_number() {
    let mut broken = sample::small();
    broken.drive.channel_busy = vec![f64::NAN, 0.5];
    broken.drive.way_busy = vec![vec![f64::NAN; 3], vec![f64::INFINITY; 12]];
    broken.drive.processor_busy = f64::INFINITY;
    broken.speed.wall_s = f64::NAN;
    let json: serde_json::Value = serde_json::from_str(&json_of(&broken, JsonForm::Plain)).unwrap();
    assert_eq!(json["firmament"]["channel_utilization"], serde_json::json!([0.0, 0.5]));
    assert_eq!(json["firmament"]["processor"]["busy"], 0.0);
    for run in [sample::idle(), sample::small(), sample::large(), broken] {
        for report in [normal_of(&run), json_of(&run, JsonForm::Plus), html_of(&run)] {
            let mut words = report.split(|letter: char| !letter.is_alphanumeric());
            assert!(!words.any(|word| ["NaN", "inf", "Infinity"].contains(&word)), "{report}");
        }
    }
}

#[test]
fn equal_runs_give_equal_bytes() {
    let runs = [sample::large(), sample::large()];
    assert_eq!(normal_of(&runs[0]), normal_of(&runs[1]));
    assert_eq!(json_of(&runs[0], JsonForm::Plus), json_of(&runs[1], JsonForm::Plus));
    assert_eq!(html_of(&runs[0]), html_of(&runs[1]));
}
