//! Percentiles that a job chooses.

use crate::{json_of, normal_of, sample};
use report::{
    Completion, Direction, JobResult, JsonForm, LatencyKind, Percentiles, RunResult, TerseVersion,
};
use serde_json::Value;

/// Four reads of 100 to 400 us after 1 us of submission, as [`sample::small`] has them.
fn run(percentiles: Percentiles) -> RunResult {
    let mut run = sample::small();
    let mut job = JobResult { percentiles, ..JobResult::new("four", run.jobs[0].workload.clone()) };
    job.open(Direction::Read, 0);
    for nth in 1..=4 {
        let completion = Completion {
            at_ps: nth * sample::MS,
            bytes: 4_096,
            submission_ps: sample::US,
            completion_ps: nth * 100 * sample::US,
        };
        job.record(Direction::Read, &completion, Some(&Default::default()));
    }
    run.jobs = vec![job];
    run
}

fn chosen() -> Percentiles {
    let mut percentiles = Percentiles { list: vec![25.0, 100.0], ..Percentiles::default() };
    percentiles.add(LatencyKind::Submission);
    percentiles.remove(LatencyKind::Completion);
    percentiles.add(LatencyKind::Total);
    percentiles
}

#[test]
fn the_text_has_those_of_the_latencies_that_were_chosen() {
    let text = normal_of(&run(chosen()));
    let lines = "    slat percentiles (nsec):\n     | 25.00th=[ 1000], 100.00th=[ 1000]\n    \
                 lat percentiles (usec):\n     | 25.00th=[  102], 100.00th=[  401]\n";
    assert!(text.contains(lines), "{text}");
    assert!(!text.contains("clat percentiles"), "{text}");
    assert!(normal_of(&run(Percentiles::default())).contains("    clat percentiles (usec):\n"));
}

#[test]
fn json_has_them_and_their_bins() {
    let json = json_of(&run(chosen()), JsonForm::Plus);
    let report: Value = serde_json::from_str(&json).unwrap();
    let read = &report["jobs"][0]["read"];
    let names = |latency: &str| -> Vec<String> {
        let percentiles = read[latency]["percentile"].as_object();
        percentiles.map_or(Vec::new(), |object| object.keys().cloned().collect())
    };
    assert_eq!(names("slat_ns"), ["25.000000", "100.000000"]);
    assert_eq!(names("lat_ns"), ["25.000000", "100.000000"]);
    assert_eq!(read["lat_ns"]["percentile"]["100.000000"], 401_000);
    let bins = read["lat_ns"]["bins"].as_object().unwrap();
    assert_eq!(bins.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 4);
    assert_eq!((names("clat_ns").len(), read["clat_ns"]["bins"].is_null()), (0, true));
}

#[test]
fn terse_lines_have_the_list_and_fill_up() {
    let mut out = Vec::new();
    report::write_terse(&run(chosen()), TerseVersion::V3, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains(";25.000000%=100;100.000000%=400;0%=0;"), "{text}");
    assert_eq!(text.split(';').count(), 5 + 2 * 41 + 34);
}

#[test]
fn groups_add_them_up() {
    let mut both = run(chosen());
    both.jobs.push(both.jobs[0].clone());
    both.merge_group(0);
    let read = both.jobs[0].active(Direction::Read).unwrap();
    assert_eq!((read.lat.as_ref().unwrap().count(), read.slat.as_ref().unwrap().count()), (8, 8));
}
