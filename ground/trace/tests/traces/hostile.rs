//! Files that nobody should have made: nothing panics, nothing grows, and everything that cannot be read is counted.

use std::io::{Cursor, Read};

use proptest::prelude::*;
use trace::{
    Clocks, Event, Format, Kind, Opening, Reader, Record, Statistics, Strictness, Writer,
    MAX_SPAN_NS, UNKNOWN,
};

/// Reads whatever it is; says how many records and faults there were.
fn survive(bytes: &[u8], format: Format) -> (u64, u64) {
    let mut reader = Reader::new(Box::new(Cursor::new(bytes.to_vec())), format);
    let mut latest = 0;
    let statistics = Statistics::gather(&mut reader, Strictness::Lenient, |record| {
        assert!(record.time_ns >= latest && record.time_ns <= MAX_SPAN_NS);
        assert!(record.offset.checked_add(record.length).is_some_and(|end| end < 1 << 63));
        assert_eq!(record.length == 0, record.kind == Kind::Flush);
        latest = record.time_ns;
        true
    })
    .unwrap();
    assert_eq!(statistics.requests(), reader.records());
    assert!(reader.records() + reader.faults().count <= reader.lines());
    (reader.records(), reader.faults().count)
}

fn formats() -> Vec<Format> {
    Format::all().chain([Format::Blkparse(Event::Issue), Format::Blktrace(Event::Issue)]).collect()
}

/// A good trace in a format.
fn good(format: Format) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), format).unwrap();
    for nth in 0..60_u64 {
        let kind = if nth % 3 == 0 { Kind::Write } else { Kind::Read };
        let (offset, length) = (nth * 4096, 4096);
        let record =
            Record { time_ns: nth * 10_000, response_ns: UNKNOWN, volume: 0, kind, offset, length };
        writer.write(&record).unwrap();
    }
    writer.into_inner()
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for format in formats() {
            survive(&bytes, format);
        }
    }

    #[test]
    fn any_fields(text in "([0-9]{0,25}|R|W|Read|\\+|Q|fio version 3 iolog|0x7|é|-|\\.|8,0|,| |\n){0,200}") {
        for format in formats() {
            survive(text.as_bytes(), format);
        }
    }

    /// A few bytes of a good trace are changed: at most so many lines are lost.
    #[test]
    fn good_traces_with_damage(
        nth in 0..16_usize,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let format = formats()[nth];
        let mut bytes = good(format);
        // The first line of fio's log, or of biosnoop, says how to read all others.
        let has_heading = format == Format::Iolog || format.name() == "biosnoop";
        let heading = bytes.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let start = if has_heading { heading } else { 0 };
        for (place, byte) in &damage {
            let place = start + place.index(bytes.len() - start);
            bytes[place] = *byte;
        }
        let (records, _) = survive(&bytes, format);
        // A changed length of what stands behind a binary record takes those with it; a heading of blkparse's summary the rest.
        let is_bounded = !matches!(format, Format::Blktrace(_) | Format::Blkparse(_));
        prop_assert!(!is_bounded || records + 2 * damage.len() as u64 >= 60, "{records}");
    }

    #[test]
    fn good_traces_that_are_cut_off(nth in 0..16_usize, cut in any::<prop::sample::Index>()) {
        let format = formats()[nth];
        let bytes = good(format);
        let (records, faults) = survive(&bytes[..cut.index(bytes.len())], format);
        prop_assert!(records <= 60 && faults <= 1);
    }
}

/// The times of all records are told from the first one.
#[test]
fn a_wrong_first_time_does_not_take_the_others_with_it() {
    let mut bytes = good(Format::Tencent);
    bytes[0] = b' ';
    assert_eq!(survive(&bytes, Format::Tencent), (59, 1));
    // The second time, decades late.
    let mut bytes = good(Format::Tencent);
    let second = 1 + bytes.iter().position(|&byte| byte == b'\n').unwrap();
    bytes[second] = b'9';
    assert_eq!(survive(&bytes, Format::Tencent), (59, 1));
    // One in the middle, and then another like it.
    let mut bytes = good(Format::Tencent);
    let starts: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, &byte)| byte == b'\n').map(|(at, _)| at + 1).collect();
    for nth in [20, 21] {
        bytes[starts[nth]] = b'9';
    }
    assert_eq!(survive(&bytes, Format::Tencent), (58, 2));
}

#[test]
fn a_line_without_end_is_one_fault() {
    for format in formats().into_iter().filter(|format| !matches!(format, Format::Blktrace(_))) {
        for length in [65_535, 65_537, 300_000, 1_000_000] {
            let mut bytes = good(format);
            let before = bytes.len();
            bytes.extend(std::iter::repeat_n(b'7', length));
            assert_eq!(survive(&bytes, format), (60, 1), "{format:?} {length}");
            bytes.push(b'\n');
            let again = good(format);
            let heading = again.iter().position(|&byte| byte == b'\n').unwrap() + 1;
            bytes.extend(&again[if format == Format::Iolog { heading } else { 0 }..]);
            assert_eq!(survive(&bytes, format), (120, 1), "{format:?} {length} {before}");
        }
    }
}

#[test]
fn a_damaged_binary_record_costs_itself() {
    let format = Format::Blktrace(Event::Queue);
    let mut bytes = good(format);
    bytes[48 * 7] ^= 0xff;
    bytes[48 * 20 + 3] ^= 0xff;
    assert_eq!(survive(&bytes, format), (58, 2));
    let bytes = good(format);
    assert_eq!(survive(&bytes[..48 * 10 + 20], format), (10, 1));
}

#[test]
fn both_orders_of_bytes_are_read() {
    let format = Format::Blktrace(Event::Queue);
    let mut bytes = good(format);
    for record in bytes.chunks_exact_mut(48) {
        for (start, length) in [
            (0, 4),
            (4, 4),
            (8, 8),
            (16, 8),
            (24, 4),
            (28, 4),
            (32, 4),
            (36, 4),
            (40, 4),
            (44, 2),
            (46, 2),
        ] {
            record[start..start + length].reverse();
        }
    }
    assert_eq!(survive(&bytes, format), (60, 0));
    let records = |bytes: Vec<u8>| {
        let mut reader = Reader::new(Box::new(Cursor::new(bytes)), format);
        let records: Vec<_> = std::iter::from_fn(|| reader.next()).collect();
        (records, reader.volumes().name(0))
    };
    assert_eq!(records(bytes), records(good(format)));
}

/// Gives one byte at a time, and an error in the end.
struct Trickle(Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(&mut buffer[..1])? {
            0 => Err(std::io::Error::other("broken")),
            count => Ok(count),
        }
    }
}

#[test]
fn an_input_that_trickles_and_breaks_is_read_so_far() {
    for format in formats() {
        let mut reader = Reader::new(Box::new(Trickle(Cursor::new(good(format)))), format);
        assert_eq!(std::iter::from_fn(|| reader.next()).count(), 60, "{format:?}");
        assert_eq!(reader.faults().broken.as_ref().unwrap().found, "broken");
        assert_eq!(reader.faults().count, 0);
    }
}

#[test]
fn too_many_volumes_are_refused_one_by_one() {
    let mut text = String::new();
    for volume in 0..65_540 {
        text.push_str(&format!("{volume},R,0,4096,1\n"));
    }
    assert_eq!(survive(text.as_bytes(), Format::Alibaba), (65_536, 4));
}

/// Texts that are nearly layouts.
const NEARLY_LAYOUTS: &str = "(csv|tsv|words|bars|blkparse):((time|end|op|lba|offset|bytes|sectors|volume|text|columns|read|\
                              response|action)=?|[0-9]{1,3}|us|ms|,|\\*|\\+|/|%[TtdSnNaDMmC]|%T\\.%t|\\.| |é){0,24}";

proptest! {
    #[test]
    fn any_layout(text in NEARLY_LAYOUTS) {
        if let Ok(format) = Format::of_name(&text) {
            survive(&good(Format::all().find(|format| format.name() == "spc").unwrap()), format);
        }
    }

    #[test]
    fn any_columns(text in "([0-9]{1,25}|R|w|WBS|FN|\"R\"|CPU0 \\(8,0\\):|when|\\.|-|é|,|\t| |\n){0,200}") {
        for layout in [
            "csv:time=1us,op=2,lba=3*1048576,bytes=4,volume=5+6,response=7ms",
            "words:end=1s,response=2s,op=3,text=4,offset=5,sectors=6*512,columns=6",
            "csv:time=when*us,op=2,lba=3,bytes=4",
            "blkparse:%D %T.%t %a %d %S %n %C",
        ] {
            survive(text.as_bytes(), Format::of_name(layout).unwrap());
        }
    }

    /// Two files of one device, of which a few bytes are changed.
    #[test]
    fn damaged_files_of_one_clock(
        damage in prop::collection::vec((0..2_usize, any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let mut files = [good(Format::Blktrace(Event::Queue)), good(Format::Blktrace(Event::Queue))];
        for (nth, place, byte) in &damage {
            let file = &mut files[*nth];
            let place = place.index(file.len());
            file[place] = *byte;
        }
        let end = cut.index(files[1].len());
        files[1].truncate(end.max(48));
        let paths = [0, 1].map(|nth| directory.path().join(format!("sda.blktrace.{nth}")));
        paths.iter().zip(&files).for_each(|(path, file)| std::fs::write(path, file).unwrap());
        let format = Some(Format::Blktrace(Event::Queue));
        let opened = Opening { format, ..Opening::default() }.open(&paths).unwrap();
        prop_assert_eq!(opened.traces.len(), 1);
        let mut latest = 0;
        let mut reader = opened.traces[0].reader().unwrap();
        let told = Statistics::gather(&mut reader, Strictness::Lenient, |record| {
            assert!(record.time_ns >= latest && record.time_ns <= MAX_SPAN_NS);
            latest = record.time_ns;
            true
        });
        prop_assert!(told.unwrap().requests() <= 120);
    }
}

#[test]
fn files_of_one_clock_have_bounds() {
    let directory = tempfile::tempdir().unwrap();
    let file = |nth: usize| {
        let path = directory.path().join(format!("{nth}.csv"));
        std::fs::write(&path, "1,R,0,4096,1\n").unwrap();
        path
    };
    let paths: Vec<_> = (0..257).map(file).collect();
    let one = Opening { clock: Clocks::One, ..Opening::default() };
    let line = one.open(&paths).unwrap_err().to_string();
    assert!(line.ends_with(": found 257 files for one clock, expected at most 256"), "{line}");
    let opened = one.open(&paths[..256]).unwrap();
    let mut reader = opened.traces[0].reader().unwrap();
    assert_eq!(std::iter::from_fn(|| reader.next()).count(), 256);
}
