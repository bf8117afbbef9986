//! Files: how they are compressed and which format they have.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use tempfile::TempDir;
use trace::{
    Compression, Event, Format, Kind, Record, Statistics, Strictness, Trace, Writer, UNKNOWN,
};

fn records() -> Vec<Record> {
    let record = |nth: u64| Record {
        time_ns: nth * 1_000_000,
        response_ns: UNKNOWN,
        volume: 0,
        kind: if nth % 2 == 0 { Kind::Read } else { Kind::Write },
        offset: nth * 8192,
        length: 4096,
    };
    (0..3000).map(record).collect()
}

fn text(format: Format) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), format).unwrap();
    for record in records() {
        writer.write(&record).unwrap();
    }
    writer.into_inner()
}

fn file(directory: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join("trace");
    fs::write(&path, bytes).unwrap();
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 3).unwrap()
}

#[test]
fn formats_are_found_however_the_file_is_compressed() {
    let directory = tempfile::tempdir().unwrap();
    let all = Format::all().chain([Format::Blkparse(Event::Issue), Format::Blktrace(Event::Issue)]);
    for format in all {
        let plain = text(format);
        let kinds = [
            (Compression::None, plain.clone()),
            (Compression::Gzip, gzip(&plain)),
            (Compression::Zstd, zstd(&plain)),
            (Compression::Xz, xz(&plain)),
            (Compression::Bzip2, bzip2(&plain)),
        ];
        for (compression, bytes) in kinds {
            let trace = Trace::open(&file(&directory, &bytes), None).unwrap();
            assert_eq!((trace.compression, trace.format()), (compression, format));
            let mut reader = trace.reader().unwrap();
            assert_eq!(
                std::iter::from_fn(|| reader.next()).count(),
                3000,
                "{format:?} {compression:?}"
            );
            assert!(reader.faults().is_empty());
        }
    }
}

#[test]
fn several_members_are_one_file() {
    let directory = tempfile::tempdir().unwrap();
    let plain = text(Format::Msr);
    for pack in [gzip, zstd, xz, bzip2] {
        let (first, second) = plain.split_at(70_000);
        let bytes = [pack(first), pack(second)].concat();
        let trace = Trace::open(&file(&directory, &bytes), None).unwrap();
        let mut reader = trace.reader().unwrap();
        assert_eq!(std::iter::from_fn(|| reader.next()).count(), 3000);
    }
}

#[test]
fn a_compressed_file_that_is_cut_off_is_read_so_far() {
    let directory = tempfile::tempdir().unwrap();
    for pack in [gzip, zstd, xz, bzip2] {
        let bytes = pack(&text(Format::Msr));
        for cut in [bytes.len() - 1, bytes.len() - 9, bytes.len() * 9 / 10] {
            let path = file(&directory, &bytes[..cut]);
            let Ok(trace) = Trace::open(&path, Some(Format::Msr)) else { continue };
            let mut reader = trace.reader().unwrap();
            let lenient = Statistics::gather(&mut reader, Strictness::Lenient, |_| true).unwrap();
            assert!(lenient.faults.broken.is_some(), "{cut} of {}", bytes.len());
            let mut reader = trace.reader().unwrap();
            assert!(Statistics::gather(&mut reader, Strictness::Strict, |_| true).is_err());
        }
        let mut damaged = bytes.clone();
        let middle = damaged.len() / 2;
        damaged[middle..].iter_mut().for_each(|byte| *byte ^= 0x55);
        if let Ok(trace) = Trace::open(&file(&directory, &damaged), Some(Format::Msr)) {
            let mut reader = trace.reader().unwrap();
            let statistics =
                Statistics::gather(&mut reader, Strictness::Lenient, |_| true).unwrap();
            assert!(!statistics.faults.is_empty());
        }
    }
}

#[test]
fn what_is_no_trace_is_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let rows: [(&[u8], &str); 5] = [
        (b"", "format: found nothing, expected one of iolog,"),
        (b"\n\n  \n", "format: found nothing,"),
        (
            b"some text\nthat is no trace\n",
            "found no format that reads at least half of its first lines",
        ),
        (b"\x7fELF\x02\x01\x01\0\0\0\0", "found no format"),
        // Five numbers, but of no time at which Tencent's could be.
        (b"1,2,3,1,5\n2,2,3,1,5\n", "found no format"),
    ];
    for (bytes, part) in rows {
        let line = Trace::open(&file(&directory, bytes), None).unwrap_err().to_string();
        assert!(line.contains(part) && !line.contains('\n'), "{line}");
    }
    let missing = directory.path().join("none");
    let line = Trace::open(&missing, None).unwrap_err().to_string();
    assert!(line.ends_with("expected a trace"), "{line}");
    // Half Alibaba's, half SYSTOR's.
    let both =
        [text(Format::Alibaba).split_at(4000).0, b"\n", text(Format::Systor).split_at(4000).0]
            .concat();
    assert!(Trace::open(&file(&directory, &both), None).is_err());
}

#[test]
fn a_format_that_is_asked_for_is_taken() {
    let directory = tempfile::tempdir().unwrap();
    let path = file(&directory, &text(Format::Tencent));
    let trace = Trace::open(&path, Some(Format::Msr)).unwrap();
    assert!(trace.told().starts_with("msr (asked for), not compressed"));
    let mut reader = trace.reader().unwrap();
    assert_eq!((reader.next(), reader.faults().count), (None, 3000));
    let trace = Trace::open(&path, None).unwrap();
    assert_eq!(
        trace.told(),
        "tencent (detected: it reads 200 of the first 200 lines or records), not compressed"
    );
}
