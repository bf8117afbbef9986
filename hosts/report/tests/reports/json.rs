use crate::{json_of, sample};
use report::Cause;
use report::{JsonForm, FIO_PERCENTILES, PERCENTILE_ERROR};
use serde_json::{json, Value};

fn parsed(run: &report::RunResult, form: JsonForm) -> Value {
    serde_json::from_str(&json_of(run, form)).unwrap()
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Keys of fio 3.33, in its order.
const JOB_KEYS: &str = "jobname groupid error eta elapsed|job options|read write trim sync \
    job_runtime usr_cpu sys_cpu ctx majf minf iodepth_level iodepth_submit iodepth_complete \
    latency_ns latency_us latency_ms latency_depth latency_target latency_percentile latency_window";
const DIRECTION_KEYS: &str = "io_bytes io_kbytes bw_bytes bw iops runtime total_ios short_ios \
    drop_ios slat_ns clat_ns lat_ns bw_min bw_max bw_agg bw_mean bw_dev bw_samples iops_min \
    iops_max iops_mean iops_stddev iops_samples";

#[test]
fn keys_and_nesting_are_those_of_fio() {
    let report = parsed(&sample::large(), JsonForm::Plain);
    let top = ["fio version", "timestamp", "timestamp_ms", "time", "global options", "jobs"];
    assert_eq!(keys(&report)[..6], top);
    assert_eq!(keys(&report)[6..], ["disk_util", "firmament"]);
    let job_keys = JOB_KEYS.replace('|', " ").replace("job options", "job_options");
    let found = keys(&report["jobs"][0]).join(" ").replace("job options", "job_options");
    assert_eq!(found, job_keys.split_whitespace().collect::<Vec<_>>().join(" "));
    for direction in ["read", "write", "trim"] {
        let expected: Vec<_> = DIRECTION_KEYS.split_whitespace().collect();
        assert_eq!(keys(&report["jobs"][0][direction]), expected, "{direction}");
    }
    assert_eq!(report["jobs"][0]["job options"], json!({ "rw": "read", "bs": "131072" }));
    assert_eq!(report["global options"], json!({ "direct": "1" }));
    let milliseconds = &report["jobs"][0]["latency_ms"];
    assert_eq!(keys(milliseconds)[9..], ["1000", "2000", ">=2000"]);
}

#[test]
fn rates_and_moments_are_exact() {
    let report = parsed(&sample::small(), JsonForm::Plain);
    let read = &report["jobs"][0]["read"];
    assert_eq!((&read["total_ios"], &read["io_bytes"]), (&json!(4), &json!(16_384)));
    assert_eq!((&read["iops"], &read["runtime"]), (&json!(1000.0), &json!(4)));
    assert_eq!((&read["bw_bytes"], &read["bw"]), (&json!(4_096_000), &json!(4_000)));
    let clat = &read["clat_ns"];
    assert_eq!((&clat["min"], &clat["max"]), (&json!(100_000), &json!(400_000)));
    assert_eq!((&clat["mean"], &clat["N"]), (&json!(250_000.0), &json!(4)));
    assert_eq!(clat["stddev"], json!(129_099.444874));
    assert_eq!(read["lat_ns"]["mean"], json!(251_000.0));
    assert_eq!(report["jobs"][0]["latency_us"]["250"], json!(50.0));
    assert_eq!(report["jobs"][0]["job_runtime"], json!(4));
}

#[test]
fn percentiles_carry_fio_names_and_lie_within_the_stated_error() {
    let report = parsed(&sample::small(), JsonForm::Plain);
    let percentiles = &report["jobs"][0]["read"]["clat_ns"]["percentile"];
    assert_eq!(keys(percentiles).len(), FIO_PERCENTILES.len());
    let cases = [
        ("1.000000", 100_000.0),
        ("50.000000", 200_000.0),
        ("70.000000", 300_000.0),
        ("99.950000", 400_000.0),
        ("99.990000", 400_000.0),
    ];
    for (name, exact) in cases {
        let found = percentiles[name].as_f64().unwrap();
        assert!((found - exact).abs() <= exact * PERCENTILE_ERROR, "{name}: {found}");
    }
}

#[test]
fn directions_without_requests_are_zero_and_have_no_percentiles() {
    let report = parsed(&sample::small(), JsonForm::Plus);
    let trim = &report["jobs"][0]["trim"];
    assert_eq!((&trim["runtime"], &trim["iops"]), (&json!(0), &json!(0.0)));
    assert_eq!(keys(&trim["clat_ns"]), ["min", "max", "mean", "stddev", "N"]);
    assert_eq!(keys(&report["jobs"][0]["sync"]["lat_ns"]).len(), 5);
}

#[test]
fn only_json_plus_has_bins_and_they_hold_every_request() {
    let run = sample::large();
    let plain = parsed(&run, JsonForm::Plain);
    assert_eq!(plain["jobs"][0]["read"]["clat_ns"]["bins"], Value::Null);
    let plus = parsed(&run, JsonForm::Plus);
    let clat = &plus["jobs"][3]["write"]["clat_ns"];
    let bins = clat["bins"].as_object().unwrap();
    assert_eq!(bins.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 61_000);
    let middles: Vec<u64> = bins.keys().map(|ns| ns.parse().unwrap()).collect();
    assert!(middles.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn the_firmament_object_tells_where_the_time_went() {
    let report = parsed(&sample::small(), JsonForm::Plain);
    let job = &report["firmament"]["jobs"][0];
    assert_eq!(keys(job), ["jobname", "groupid", "write_amplification", "ran_alone", "read"]);
    let parts = [("host_interface_ns", 0.25), ("firmware_ns", 0.25), ("storage_ns", 0.5)];
    for (part, share) in parts {
        assert_eq!(job["read"][part]["share"], json!(share), "{part}");
        assert_eq!(job["read"][part]["mean"], json!(250_000.0 * share), "{part}");
        assert_eq!(keys(&job["read"][part]["percentile"]).len(), FIO_PERCENTILES.len());
    }
    let causes = &job["read"]["causes_ns"];
    assert_eq!(keys(causes), Cause::ALL.map(Cause::key));
    let sum = |field: &str| -> f64 {
        Cause::ALL.iter().map(|cause| causes[cause.key()][field].as_f64().unwrap()).sum()
    };
    assert!((sum("share") - 1.0).abs() < 1e-5);
    assert!((sum("mean") - 250_000.0).abs() < 1e-3);
    assert_eq!(causes["flash_busy"]["share_by_part"], json!({ "storage": 0.5 }));
    assert_eq!(causes["wait_die"]["share_by_part"], json!({ "firmware": 0.083333 }));
    assert_eq!(causes["ecc"]["share_by_part"], json!({}));
    assert_eq!(causes["ecc"]["N"], json!(4), "a request without a cause counts with none of it");
    let told = &report["firmament"]["causes"]["wait_die"];
    assert_eq!(told["name"], json!("waiting for the die"));
    assert_eq!(told["definition"], json!(Cause::Die.definition()));
}

#[test]
fn the_firmament_object_counts_what_the_drive_did() {
    let report = parsed(&sample::large(), JsonForm::Plain);
    let drive = &report["firmament"];
    assert_eq!(drive["write_amplification"], json!(1.25));
    assert_eq!(drive["channel_utilization"].as_array().unwrap().len(), 8);
    assert_eq!(drive["way_utilization"][7].as_array().unwrap().len(), 8);
    assert_eq!((&drive["garbage_collections"], &drive["erases"]), (&json!(17), &json!(21)));
    let worn = json!({ "min": 2, "max": 9, "mean": 4.25, "stddev": 1.5 });
    assert_eq!(drive["block_erases"], worn);
    assert_eq!((&drive["read_retries"], &drive["corrected_bits"]), (&json!(3), &json!(48_211)));
    assert_eq!((&drive["ready_s"], &drive["marks_read"]), (&json!(0.087), &json!(524_288)));
    assert_eq!(drive["buffer_hit_rate"], json!(0.1));
    assert_eq!(drive["processor"]["busy"], json!(0.734));
    let scheduler = &drive["processor"]["modules"]["scheduler"];
    assert_eq!(scheduler, &json!({ "time_s": 2.08, "share": 0.354043 }));
    assert_eq!(drive["processor"]["idle_polling"], json!({ "time_s": 2.13 }));
    assert_eq!((&drive["simulated_s"], &drive["wall_s"]), (&json!(8.0), &json!(0.31)));
    assert_eq!(drive["requests_per_cpu_second"], json!(1_256_000.0));
}

#[test]
fn only_the_speed_figures_may_differ_between_equal_runs() {
    let mut other = sample::large();
    other.speed.wall_s *= 3.0;
    other.speed.cpu_s *= 5.0;
    let mut reports = [sample::large(), other].map(|run| parsed(&run, JsonForm::Plus));
    assert_ne!(reports[0], reports[1]);
    for report in &mut reports {
        let speed = report["firmament"].as_object_mut().unwrap();
        speed.retain(|key, _| !["wall_s", "cpu_s", "requests_per_cpu_second"].contains(&&**key));
    }
    assert_eq!(reports[0], reports[1]);
}

#[test]
fn without_writes_there_is_no_write_amplification() {
    let report = parsed(&sample::idle(), JsonForm::Plain);
    assert_eq!(report["firmament"]["write_amplification"], Value::Null);
    assert_eq!(report["firmament"]["requests_per_cpu_second"], json!(0.0));
}

#[test]
fn a_run_that_was_cut_says_so_everywhere() {
    let mut run = sample::large();
    let own = |run: &report::RunResult| parsed(run, JsonForm::Plain)["firmament"]["cut"].clone();
    assert_eq!(own(&run), Value::Null);
    run.cut = Some(report::Cut { signal: 15, at_ps: 1_500_000_000_000 });
    assert_eq!(own(&run), json!({ "signal": 15, "at_s": 1.5 }));
    let (mut text, mut page) = (Vec::new(), Vec::new());
    report::write_normal(&run, &mut text).unwrap();
    report::write_html(&run, &mut page).unwrap();
    for told in [text, page] {
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains("cut short by signal 15 at 1.500000 s of virtual time"), "{told}");
    }
}
