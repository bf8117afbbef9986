//! What fio's files may look like.

use fit::{parse, read, Figure, Going};

/// A report as fio 3.36 writes it, cut to what is read, behind a line of fio's.
const REPORT: &str = r#"note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1
{
  "fio version" : "fio-3.36",
  "timestamp" : 1700000000,
  "global options" : { "ioengine" : "libaio", "direct" : "1", "runtime" : "30", "filename" : "/dev/nvme0n1" },
  "jobs" : [
    {
      "jobname" : "mix",
      "groupid" : 0,
      "error" : 0,
      "job options" : { "rw" : "randrw", "bs" : "4k", "iodepth" : "16" },
      "read" : {
        "total_ios" : 70000, "bw_bytes" : 409600000, "iops" : 100000.5,
        "lat_ns" : { "min" : 1, "max" : 2, "mean" : 81000.25, "stddev" : 1.0, "N" : 70000 },
        "clat_ns" : { "mean" : 80000.0, "percentile" : { "50.000000" : 79000, "99.000000" : 150000 } }
      },
      "write" : {
        "total_ios" : 30000, "bw_bytes" : 175000000, "iops" : 42700.0,
        "lat_ns" : { "mean" : 0.0 },
        "clat_ns" : { "mean" : 12000.0 }
      },
      "trim" : { "total_ios" : 0 }
    }
  ],
  "disk_util" : []
}
"#;

#[test]
fn figures_and_options_are_those_of_the_file() {
    let [mix] = &parse("a.json", REPORT).unwrap()[..] else { panic!("one job") };
    let [Some(read), Some(write), None] = mix.observed else { panic!("{mix:?}") };
    let figures = Figure::ALL.map(|figure| read.figure(figure));
    assert_eq!(figures, [Some(100000.5), Some(81000.25), Some(79000.0), Some(150000.0)]);
    // Without a total latency the completion latency counts; percentiles that are not there are none.
    let figures = Figure::ALL.map(|figure| write.figure(figure));
    assert_eq!(figures, [Some(42700.0), Some(12000.0), None, None]);
    assert_eq!(Going::ALL.map(Going::name), ["read", "write", "mixed"]);
    let option = |name: &str| mix.options.iter().find(|(key, _)| key == name).map(|(_, v)| &**v);
    assert_eq!((option("rw"), option("ioengine")), (Some("randrw"), Some("libaio")));
    assert!(mix.warnings.is_empty(), "{:?}", mix.warnings);
}

/// fio's own default engine has one request in flight, and without `direct` there is a page cache.
#[test]
fn what_fio_means_by_options_that_are_not_there_is_kept() {
    let bare = REPORT.replace(r#""ioengine" : "libaio", "direct" : "1", "#, "");
    let [mix] = &parse("a.json", &bare).unwrap()[..] else { panic!("one job") };
    assert!(mix.options.contains(&("ioengine".to_owned(), "psync".to_owned())));
    assert!(mix.warnings[0].starts_with("a.json: jobs[0] (mix): direct: found no direct=1"));
    let own = bare.replace(r#""disk_util" : []"#, r#""disk_util" : [], "firmament": {}"#);
    let [mix] = &parse("a.json", &own).unwrap()[..] else { panic!("one job") };
    assert!(mix.options.iter().all(|(key, _)| key != "ioengine") && mix.warnings.is_empty());
}

/// The job of [`REPORT`], as a list of so many.
fn jobs(change: impl Fn(usize, &str) -> String, count: usize) -> String {
    let start = REPORT.find("    {\n      \"jobname\"").unwrap();
    let end = REPORT.find("\n  ],").unwrap();
    let all: Vec<String> = (0..count).map(|nth| change(nth, &REPORT[start..end])).collect();
    format!("{}{}{}", &REPORT[..start], all.join(",\n"), &REPORT[end..])
}

#[test]
fn clones_of_a_job_are_added_up() {
    let [mix] = &parse("a.json", &jobs(|_, job| job.to_owned(), 3)).unwrap()[..] else {
        panic!("one job")
    };
    let read = mix.observed[0].unwrap();
    assert_eq!((read.requests, read.iops), (210_000, 300_001.5));
    assert_eq!((read.mean_ns, read.p50_ns, read.p99_ns), (Some(81000.25), None, None));
}

#[test]
fn jobs_that_ran_one_after_the_other_are_measurements_each() {
    let one_by_one = jobs(
        |nth, job| {
            let job = job.replace("\"mix\"", &format!("\"mix{nth}\""));
            job.replace("\"groupid\" : 0", &format!("\"groupid\" : {nth}"))
        },
        2,
    );
    let all = parse("a.json", &one_by_one).unwrap();
    assert_eq!(all.iter().map(|own| &*own.name).collect::<Vec<_>>(), ["mix0", "mix1"]);
    assert_eq!(all[1].place, "jobs[1]");
}

#[test]
fn what_is_no_report_of_fio_is_told_in_one_line() {
    let at_once = jobs(|nth, job| job.replace("\"mix\"", &format!("\"mix{nth}\"")), 2);
    let with = |from: &str, to: &str| {
        assert!(REPORT.contains(from), "{from}");
        REPORT.replacen(from, to, 1)
    };
    for (text, line) in [
        (String::new(), "a.json: found no JSON, expected a report of fio --output-format=json"),
        ("fio: file hash not empty\n".to_owned(), "a.json: found no JSON, expected"),
        ("x\n{\n  \"jobs\" : [,]\n}".to_owned(), "a.json: line 3, column 13: found no JSON (expected value), expected"),
        (REPORT[..900].to_owned(), "a.json: line 22, column"),
        ("{}".to_owned(), "a.json: fio version: found nothing, expected fio-3.0 or newer"),
        (with("fio-3.36", "fio-2.21"), "a.json: fio version: found \"fio-2.21\", expected fio-3.0"),
        (r#"{"fio version": "fio-3.1"}"#.to_owned(), "a.json: jobs: found nothing, expected a list of at least one job"),
        (r#"{"fio version": "fio-3.1", "jobs": []}"#.to_owned(), "a.json: jobs: found a list of 0, expected"),
        (r#"{"fio version": "fio-3.1", "jobs": [1]}"#.to_owned(), "a.json: jobs[0].jobname: found nothing"),
        (with("\"error\" : 0", "\"error\" : 5"), "a.json: jobs[0].error: found 5, expected 0, a job without errors"),
        (with("\"groupid\" : 0", "\"groupid\" : -1"), "a.json: jobs[0].groupid: found -1, expected"),
        (with("\"bs\" : \"4k\"", "\"bs\" : 4096"), "a.json: jobs[0].job options.bs: found 4096, expected a text"),
        (with("{ \"rw\" : \"randrw\", \"bs\" : \"4k\", \"iodepth\" : \"16\" }", "[]"), "a.json: jobs[0].job options: found a list of 0, expected an object"),
        (with("100000.5", "0"), "a.json: jobs[0].read.iops: found 0, expected a number above 0"),
        (with("100000.5", "\"fast\""), "a.json: jobs[0].read.iops: found \"fast\", expected a number above 0"),
        (with("\"bw_bytes\" : 409600000, ", ""), "a.json: jobs[0].read.bw_bytes: found nothing, expected a number above 0"),
        (with("\"total_ios\" : 70000", "\"total_ios\" : 1.5"), "a.json: jobs[0].read.total_ios: found 1.5, expected a whole number"),
        (with("81000.25", "-3"), "a.json: jobs[0].read.lat_ns.mean: found -3, expected nanoseconds above 0"),
        (with(": 150000 }", ": [] }"), "a.json: jobs[0].read.clat_ns.percentile.99.000000: found a list of 0, expected nanoseconds above 0"),
        (with("\"read\" : {", "\"read\" : 7, \"old\" : {"), "a.json: jobs[0].read: found 7, expected an object of results"),
        (with("\"total_ios\" : 70000", "\"total_ios\" : 0").replace("30000", "0"), "a.json: jobs[0].read.total_ios, write.total_ios and mixed.total_ios: found 0, expected a job that read or wrote"),
        (at_once, "a.json: jobs[1] (mix1): found a job that ran at the same time as mix0, expected jobs that ran one after the other"),
    ] {
        let error = parse("a.json", &text).expect_err(line).to_string();
        assert!(error.starts_with(line), "{error}\nin place of\n{line}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

/// A search ends at one depth, which the report tells, or nothing says at which depth it was measured.
#[test]
fn a_search_without_one_depth_is_refused() {
    let target = |more: &str| format!("\"rw\" : \"randrw\", \"latency_target\" : \"500us\"{more}");
    let search = |more: &str, depth: &dyn Fn(usize) -> u32| {
        let change = |nth: usize, job: &str| {
            let told = format!("\"error\" : 0, \"latency_depth\" : {}", depth(nth));
            let job = job.replace("\"rw\" : \"randrw\"", &target(more));
            job.replace("\"error\" : 0", &told)
        };
        jobs(change, 2)
    };
    let depth = |text: &str| {
        let [mix] = &parse("a.json", text).unwrap()[..] else { panic!("one job") };
        mix.options.iter().rev().find(|(key, _)| key == "iodepth").unwrap().1.clone()
    };
    assert_eq!(depth(&search("", &|_| 7)), "7");
    assert_eq!(depth(&search(", \"latency_run\" : \"0\"", &|_| 7)), "7");
    let off = search("", &|_| 7).replace("500us", "0");
    assert_eq!(depth(&off), "16");
    let untold = REPORT.replace("\"rw\" : \"randrw\"", &target(""));
    for (text, line) in [
        (untold, "a.json: jobs[0].latency_depth: found nothing, expected the depth that latency_target led to"),
        (search("", &|_| 0), "a.json: jobs[0].latency_depth: found 0, expected the depth"),
        (search(", \"latency_run\" : \"1\"", &|_| 7), "a.json: jobs[0].latency_run: found \"1\", expected 0, a job that ends when it has"),
        (search("", &|nth| 7 + nth as u32), "a.json: jobs[1].latency_depth: found 8, expected 7, as a clone of the same job found"),
    ] {
        let error = parse("a.json", &text).expect_err(line).to_string();
        assert!(error.starts_with(line), "{error}\nin place of\n{line}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("binary.json");
    std::fs::write(&binary, b"{\xff}").unwrap();
    for (path, found) in [
        (folder.path().join("none.json"), "none.json: found No such file"),
        (folder.path().to_owned(), "found Is a directory"),
        (binary, "binary.json: found no UTF-8 text, expected a report of fio"),
    ] {
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(found), "{error}");
    }
}
