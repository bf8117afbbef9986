//! Traces in the layouts of real ones, each held to what is right. `tests/cases/README.md` tells of the files.

use std::fs;
use std::path::{Path, PathBuf};

use trace::{
    Clocks, Format, Kind, Opened, Opening, Record, Statistics, Strictness, Survey, Trace, UNKNOWN,
};

const MS: u64 = 1_000_000;

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name)
}

fn open(opening: &Opening, names: &[&str]) -> Opened {
    let paths: Vec<_> = names.iter().map(|name| case(name)).collect();
    opening.open(&paths).unwrap()
}

fn only(opening: &Opening, names: &[&str]) -> Trace {
    let Opened { mut traces, notes, lost } = open(opening, names);
    assert!(notes.is_empty() && lost.is_empty() && traces.len() == 1, "{notes:?} {traces:?}");
    traces.remove(0)
}

/// All records of a trace that has no faults, with the names of their volumes.
fn records(trace: &Trace) -> Vec<(Record, String)> {
    let mut reader = trace.reader().unwrap();
    let records: Vec<_> = std::iter::from_fn(|| reader.next()).collect();
    assert!(reader.faults().is_empty(), "{:?}", reader.faults());
    let names = reader.volumes();
    records.into_iter().map(|record| (record, names.name(record.volume))).collect()
}

fn survey(trace: &Trace) -> Survey {
    Survey::gather(&mut trace.reader().unwrap(), Strictness::Strict).unwrap()
}

/// A format with its file, the number of requests, one of them, and its volume.
type Row = (&'static str, &'static str, usize, (usize, Record, &'static str));

fn row(time_ns: u64, (kind, offset, length): (Kind, u64, u64)) -> Record {
    Record { time_ns, response_ns: UNKNOWN, volume: 0, kind, offset, length }
}

#[test]
fn formats_are_found_and_read() {
    use Kind::{Read, Write};
    let rows: [Row; 6] = [
        ("umass.spc", "spc", 20, (3, row(31_529_000, (Write, 7101 * 512, 4096)), "0")),
        ("disksim.ascv", "disksim", 20, (2, row(3_652_715, (Read, 19216 * 512, 4096)), "0")),
        ("femu.trace", "femu", 20, (1, row(2_045_000, (Write, 22_560_768, 8192)), "0")),
        ("fiu.blkparse", "fiu", 20, (11, row(32_875_174, (Read, 13768 * 512, 4096)), "6 0")),
        ("biosnoop.txt", "biosnoop", 19, (0, row(0, (Read, 19928 * 512, 65536)), "nvme0n1")),
        ("vscsi.csv", "vscsi", 4, (2, row(1_100_000, (Write, 6320 * 512, 512)), "0")),
    ];
    for (file, format, count, (nth, mut expected, volume)) in rows {
        let trace = only(&Opening::default(), &[file]);
        assert_eq!(trace.format().name(), format, "{file}: {}", trace.told());
        let found = records(&trace);
        assert_eq!(found.len(), count, "{file}");
        let (record, name) = &found[nth];
        if format == "biosnoop" {
            expected.response_ns = 680_000;
        }
        expected.volume = record.volume;
        assert_eq!((*record, name.as_str()), (expected, volume), "{file}");
        // The same by name.
        let named =
            Opening { format: Some(Format::of_name(format).unwrap()), ..Opening::default() };
        assert_eq!(records(&only(&named, &[file])), found);
    }
}

#[test]
fn a_layout_of_ones_own_reads_what_the_named_one_reads() {
    for (file, layout) in [
        ("umass.spc", "csv:volume=1,lba=2,bytes=3,op=4,time=5s"),
        ("disksim.ascv", "words:time=1ms,volume=2,lba=3*512,sectors=4*512,op=5,read=1,write=0"),
        ("fiu.blkparse", "words:time=1ns,lba=4,sectors=5,op=6,volume=7+8"),
        ("biosnoop.txt", "words:end=1s,volume=4,op=5,lba=6,bytes=BYTES,response=LAT(ms)*ms"),
        ("vscsi.csv", "csv:bytes=2,op=4,lba=5,time=6us,read=read,write=write"),
    ] {
        let own = Opening { format: Some(Format::of_name(layout).unwrap()), ..Opening::default() };
        let own = only(&own, &[file]);
        assert!(own.told().starts_with(&format!("{layout} (asked for)")), "{}", own.told());
        assert_eq!(records(&own), records(&only(&Opening::default(), &[file])), "{layout}");
    }
}

#[test]
fn members_of_an_archive_are_traces_of_their_own() {
    let Opened { traces, notes, lost } = open(&Opening::default(), &["three-members.tar.gz"]);
    assert!(notes.is_empty() && lost.is_empty());
    let names: Vec<_> = traces.iter().map(Trace::name).collect();
    assert_eq!(names, ["hm_0.csv", "hm_1.csv", "hm_2.csv"]);
    for trace in &traces {
        let survey = survey(trace);
        assert_eq!((survey.all(), survey.back, survey.faults.count), (400, (0, 0), 0));
        assert!(trace.told().ends_with("not compressed, in a tar archive"), "{}", trace.told());
    }
    let chosen = Opening { members: vec!["hm_1.csv".to_owned()], ..Opening::default() };
    assert_eq!(only(&chosen, &["three-members.tar.gz"]).name(), "hm_1.csv");
    let missing = Opening { members: vec!["hm_9.csv".to_owned()], ..Opening::default() };
    let line = missing.open(&[case("three-members.tar.gz")]).unwrap_err().to_string();
    assert_eq!(line, "--member: found \"hm_9.csv\", expected hm_0.csv, hm_1.csv, hm_2.csv");
    // By one clock they are one trace of three volumes.
    let one = Opening { clock: Clocks::One, ..Opening::default() };
    let trace = only(&one, &["three-members.tar.gz"]);
    let all = survey(&trace);
    assert_eq!((all.all(), all.back, all.volumes()), (1200, (0, 0), 3));
    assert_eq!(all.parts, [(400, 0); 3]);
    assert_eq!(trace.name(), "hm_0.csv and 2 more");
}

#[test]
fn files_of_processors_are_one_trace_in_the_order_of_time() {
    let trace = only(&Opening::default(), &["bt.blktrace.0", "bt.blktrace.1"]);
    let all = survey(&trace);
    assert_eq!((trace.name().as_str(), all.all(), all.back, all.volumes()), ("bt", 400, (0, 0), 1));
    assert_eq!(all.parts.iter().map(|(records, _)| records).sum::<u64>(), 400);
    assert_eq!(records(&trace), records(&only(&Opening::default(), &["bt-in-order.bin"])));
    // The name of the device stands for all; a file alone is itself, and the others are told.
    assert_eq!(trace::expanded(&[case("bt")]), [case("bt.blktrace.0"), case("bt.blktrace.1")]);
    let Opened { traces, notes, .. } = open(&Opening::default(), &["bt.blktrace.1"]);
    assert_eq!((traces.len(), notes.len()), (1, 1));
    assert!(notes[0].contains("bt.blktrace.0 of the same device is not read"), "{notes:?}");
}

#[test]
fn a_unit_of_time_is_heeded_and_a_doubtful_one_told() {
    let plain = survey(&only(&Opening::default(), &["milliseconds.mqsim"]));
    assert!(plain.doubtful_rate().is_some_and(|rate| rate > 390e6 && rate < 400e6));
    let unit = Some("ms".parse().unwrap());
    let trace = only(&Opening { unit, ..Opening::default() }, &["milliseconds.mqsim"]);
    let found = survey(&trace);
    assert_eq!((found.all(), found.doubtful_rate()), (400, None));
    assert_eq!(found.span_ns, plain.span_ns * MS);
    assert!(trace.told().ends_with(", times in ms"), "{}", trace.told());
    // A unit below a nanosecond, and one of a format whose times have a point.
    let ps = Opening { unit: Some("ps".parse().unwrap()), ..Opening::default() };
    assert_eq!(survey(&only(&ps, &["milliseconds.mqsim"])).span_ns, plain.span_ns / 1000);
    let [usual, us] = ["s", "us"].map(|unit| {
        let opening = Opening { unit: Some(unit.parse().unwrap()), ..Opening::default() };
        survey(&only(&opening, &["umass.spc"])).span_ns
    });
    assert_eq!((usual, us), (216_690_000, 216));
    let text = |name| {
        let trace = only(&Opening::default(), &[name]);
        let mut reader = trace.reader().unwrap();
        let statistics = Statistics::gather(&mut reader, Strictness::Strict, |_| true).unwrap();
        let mut text = Vec::new();
        trace::write_text(&trace, &statistics, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    };
    assert!(
        text("milliseconds.mqsim").contains("  doubtful       so many arrivals with times in ns")
    );
    assert!(!text("umass.spc").contains("doubtful"));
    let layout = Format::of_name("csv:volume=1,lba=2,bytes=3,op=4,time=5s").unwrap();
    let both = Opening { format: Some(layout), unit, ..Opening::default() };
    let line = both.open(&[case("umass.spc")]).unwrap_err().to_string();
    assert!(line.starts_with("--time-unit: found ms beside a layout"), "{line}");
}

#[test]
fn volumes_are_chosen() {
    let all = survey(&only(&Opening::default(), &["two-devices.blkparse"]));
    assert_eq!((all.all(), all.volumes()), (80, 2));
    let choose = |names: &[&str], file| {
        let volumes = names.iter().map(|name| (*name).to_owned()).collect();
        only(&Opening { volumes, ..Opening::default() }, &[file])
    };
    let found = records(&choose(&["253,0"], "two-devices.blkparse"));
    assert_eq!(found.len(), 40);
    // Time begins with the first request that is read.
    assert!(found[0].0.time_ns == 0 && found.iter().all(|(_, name)| name == "253,0"));
    let both = survey(&choose(&["253,0", "8,16"], "two-devices.blkparse"));
    assert_eq!((both.all(), both.names.has("8,16"), both.names.has("8")), (80, true, false));
    let none = survey(&choose(&["9,9"], "two-devices.blkparse"));
    assert_eq!((none.all(), none.names.has("9,9"), none.names.len()), (0, false, 2));
    let one = Opening { clock: Clocks::One, volumes: vec!["1".to_owned()], ..Opening::default() };
    let disk = survey(&only(&one, &["three-members.tar.gz"]));
    assert_eq!((disk.all(), disk.volumes()), (400, 1));
    assert_eq!(survey(&choose(&["6,0"], "fiu.blkparse")).all(), 20);
}

#[test]
fn barriers_before_nothing_are_flushes() {
    let found = records(&only(&Opening::default(), &["barriers.blkparse"]));
    let kinds: Vec<_> = found.iter().map(|(record, _)| record.kind).collect();
    use Kind::{Flush, Read, Trim, Write};
    assert_eq!(kinds, [Flush, Read, Read, Read, Flush, Write, Write, Trim, Trim]);
}

#[test]
fn marks_comments_and_ends_of_lines_are_no_records() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    let plain = fs::read_to_string(case("umass.spc")).unwrap();
    let expected = records(&only(&Opening::default(), &["umass.spc"]));
    let marked = format!("\u{feff}{plain}");
    let commented = format!("# a comment\n\n#\n{plain}\n  # and another\n");
    for text in [&plain.replace('\n', "\r\n"), &marked, &commented] {
        fs::write(&path, text).unwrap();
        assert_eq!(records(&Trace::open(&path, None).unwrap()), expected);
    }
    let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [&wide[..], &wide[2..]] {
        fs::write(&path, bytes).unwrap();
        let line = Trace::open(&path, None).unwrap_err().to_string();
        assert!(line.contains("found text in UTF-16, expected text in UTF-8"), "{line}");
    }
}

#[test]
fn what_blkparse_prints_by_a_format_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    // A command with blanks, events that do not count, an empty barrier, and the summary.
    let text = "  8,0    0 0.000000100   Q    W 800 + 8 [CPU 0/KVM]\n  8,0    0 0.000000200   G    W 800 + 8 [x]\n\
                \x20 8,16   1 0.000000900   Q  WBS 0 + 0 [a b c]\nCPU0 (8,0):\n Reads Queued: 3, 4KiB\n";
    fs::write(&path, text).unwrap();
    let format = Format::of_name(r"blkparse:%D %c %T.%t %a %d %S + %n [%C]\n").unwrap();
    let found = records(&Trace::open(&path, Some(format)).unwrap());
    let told: Vec<_> = found
        .iter()
        .map(|(record, name)| (record.time_ns, record.kind, record.offset, name.as_str()))
        .collect();
    assert_eq!(told, [(0, Kind::Write, 800 * 512, "8,0"), (800, Kind::Flush, 0, "8,16")]);
    let commas = "0.000000100,  8,0  ,W,Q,800,4096\n0.000000300,  8,0  ,R,Q,0,512\n";
    fs::write(&path, commas).unwrap();
    let format = Format::of_name("blkparse:%T.%t,%D,%d,%a,%S,%N\\n").unwrap();
    let found = records(&Trace::open(&path, Some(format)).unwrap());
    assert_eq!((found.len(), found[1].0.length, found[1].1.contains("8,0")), (2, 512, true));
}
