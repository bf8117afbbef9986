//! The logs that jobs write.

use std::fs;

use crate::program::{firmament, json, names, short_run};

#[test]
fn logs_have_the_names_that_fio_gives_them() {
    let directory = tempfile::tempdir().unwrap();
    let mut command =
        firmament(["run", "small", "--name=a", "--rw=write", "--bs=4k", "--size=64k"]);
    command.args(["--numjobs=2", "--write_bw_log=x", "--write_lat_log", "--name=b", "--rw=read"]);
    command.args(["--size=64k", "--write_iops_log", "--write_hist_log=h", "--write_iolog=trace"]);
    command.current_dir(&directory).assert().success().stderr("");
    let expected = [
        "a_clat.1.log",
        "a_clat.2.log",
        "a_lat.1.log",
        "a_lat.2.log",
        "a_slat.1.log",
        "a_slat.2.log",
        "b_iops.3.log",
        "h_clat_hist.3.log",
        "trace",
        "x_bw.1.log",
        "x_bw.2.log",
    ];
    assert_eq!(names(directory.path()), expected);
}

/// Of a job that pauses for half a second behind each 1,000 reads every second of the log has two such cycles: requests that
/// drain before a pause count. fio 3.33 has 2000, 1998 and 2000.
#[test]
fn each_second_has_as_many_cycles_of_a_job_that_pauses() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = firmament(["run", "small", "--name=think", "--rw=read", "--bs=4k"]);
    command.args(["--iodepth=256", "--size=32m", "--ramp_time=1", "--runtime=4", "--time_based"]);
    command.args(["--thinktime=500ms", "--thinktime_blocks=1000"]);
    command.args(["--write_iops_log=a5", "--log_avg_msec=1000"]);
    command.current_dir(&directory).assert().success();
    let text = fs::read_to_string(directory.path().join("a5_iops.1.log")).unwrap();
    let expected = [1, 2, 3, 4].map(|second| format!("{second}000, 2000, 0, 0, 0\n")).concat();
    assert_eq!(text, expected);
}

#[test]
fn a_log_has_the_requests_of_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let more = ["--write_lat_log=l", "--write_iolog=trace", "--output-format=json"];
    let report = json(short_run(&more).current_dir(&directory));
    let text = fs::read_to_string(directory.path().join("l_clat.1.log")).unwrap();
    let trace = fs::read_to_string(directory.path().join("trace")).unwrap();
    for (nth, way) in ["read", "write"].into_iter().enumerate() {
        let rows = text.lines().map(|line| line.split(", ").map(|cell| cell.parse().unwrap()));
        let rows: Vec<Vec<u64>> = rows.map(Iterator::collect).collect();
        let latencies: Vec<u64> =
            rows.iter().filter(|row| row[2] == nth as u64).map(|row| row[1]).collect();
        let told = &report["jobs"][0][way];
        assert_eq!(told["total_ios"], latencies.len() as u64, "{way}");
        assert_eq!(told["clat_ns"]["max"], *latencies.iter().max().unwrap(), "{way}");
        assert_eq!(told["clat_ns"]["min"], *latencies.iter().min().unwrap(), "{way}");
        let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64;
        assert!((told["clat_ns"]["mean"].as_f64().unwrap() - mean).abs() < 1.0, "{way}");
        let traced = trace.lines().filter(|line| line.split(' ').nth(2) == Some(way)).count();
        assert_eq!(told["total_ios"], traced, "{way}");
    }
}

#[test]
fn equal_runs_write_equal_logs_and_logs_change_no_report() {
    let text = |more: &[&str]| {
        let directory = tempfile::tempdir().unwrap();
        let report = json(short_run(more).arg("--output-format=json").current_dir(&directory));
        let logs: Vec<_> = names(directory.path())
            .iter()
            .map(|name| fs::read(directory.path().join(name)).unwrap())
            .collect();
        (report["jobs"][0]["read"].clone(), logs)
    };
    let logged =
        ["--write_lat_log=l", "--write_bw_log=l", "--write_hist_log=l", "--log_hist_msec=1"];
    let (report, logs) = text(&logged);
    assert_eq!((&report, &logs), (&text(&logged).0, &text(&logged).1));
    assert_eq!((report, Vec::new()), text(&[]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_on_a_full_device_is_told() {
    let directory = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", directory.path().join("x_bw.1.log")).unwrap();
    let mut command = short_run(&["--write_bw_log=x"]);
    let assert = command.current_dir(&directory).assert().code(2).stdout("");
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(told.starts_with("firmament: x_bw.1.log: found No space left on device"), "{told}");
}
