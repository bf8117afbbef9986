//! Archives, whole and damaged: members are traces, and nothing is ever read as text that is none.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;
use trace::{Format, Opened, Opening, Strictness, Survey, Trace};

/// Lines of MSR Cambridge.
fn lines(disk: u32, count: u64) -> Vec<u8> {
    let line = |nth| {
        format!(
            "{},hm,{disk},Read,{},4096,100\n",
            128_166_372_000_000_000 + nth * 10_000,
            nth * 4096
        )
    };
    (0..count).map(line).collect::<String>().into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A header of tar for a member of this name, kind and size.
fn header(name: &[u8], kind: u8, size: u64) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len().min(100)].copy_from_slice(&name[..name.len().min(100)]);
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[148..156].fill(b' ');
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

fn entry(name: &[u8], kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut all = header(name, kind, bytes.len() as u64);
    all.extend(bytes);
    all.resize(all.len().next_multiple_of(512), 0);
    all
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all: Vec<u8> =
        members.iter().flat_map(|(name, bytes)| entry(name.as_bytes(), b'0', bytes)).collect();
    all.extend([0; 1024]);
    all
}

/// How a member of a zip archive is packed.
#[derive(Clone, Copy)]
struct Member<'a> {
    name: &'a str,
    bytes: &'a [u8],
    method: u16,
    flags: u16,
}

fn packed(member: Member) -> Vec<u8> {
    match member.method {
        8 => {
            let mut encoder =
                flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(member.bytes).unwrap();
            encoder.finish().unwrap()
        }
        93 => zstd::stream::encode_all(member.bytes, 1).unwrap(),
        _ => member.bytes.to_vec(),
    }
}

fn zip(members: &[Member]) -> Vec<u8> {
    let (mut all, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let packed = packed(*member);
        let mut crc = flate2::Crc::new();
        crc.update(member.bytes);
        let start = all.len() as u32;
        let mut fields = Vec::new();
        for value in [20, member.flags, member.method, 0, 0] {
            fields.extend(value.to_le_bytes());
        }
        for value in [crc.sum(), packed.len() as u32, member.bytes.len() as u32] {
            fields.extend(value.to_le_bytes());
        }
        fields.extend((member.name.len() as u16).to_le_bytes());
        fields.extend(0_u16.to_le_bytes());
        all.extend(b"PK\x03\x04");
        all.extend(&fields);
        all.extend(member.name.as_bytes());
        all.extend(packed);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(member.name.as_bytes());
    }
    let (start, count) = (all.len() as u32, members.len() as u16);
    all.extend(&directory);
    all.extend(b"PK\x05\x06\0\0\0\0");
    all.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    all.extend((directory.len() as u32).to_le_bytes());
    all.extend(start.to_le_bytes());
    all.extend([0; 2]);
    all
}

fn file(directory: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join("archive");
    fs::write(&path, bytes).unwrap();
    path
}

fn open(directory: &TempDir, bytes: &[u8]) -> Result<Opened, String> {
    let paths = [file(directory, bytes)];
    Opening::default().open(&paths).map_err(|error| error.to_string())
}

/// Names of the traces, and how many requests and faults each has.
fn sums(opened: &Opened) -> Vec<(String, u64, bool)> {
    let sum = |trace: &Trace| {
        let mut reader = trace.reader().unwrap();
        let survey = Survey::gather(&mut reader, Strictness::Lenient).unwrap();
        (trace.name(), survey.all(), survey.faults.is_empty())
    };
    opened.traces.iter().map(sum).collect()
}

#[test]
fn members_of_all_kinds_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let (plain, packed) = (lines(0, 3000), gzip(&lines(1, 2000)));
    let long = format!("{}/long.csv", "folder".repeat(40));
    let pax = "30 path=a/name/of/pax.csv.bz2\n30 mtime=1700000000.123456789\n";
    let mut archive = entry(b"d/", b'5', b"");
    archive.extend(entry(b"d/plain.csv", b'0', &plain));
    archive.extend(entry(b"link", b'2', b""));
    archive.extend(entry(b"d/packed.csv.gz", 0, &packed));
    archive.extend(entry(b"././@LongLink", b'L', format!("{long}\0").as_bytes()));
    archive.extend(entry(b"cut", b'0', &lines(2, 5)));
    archive.extend(entry(b"PaxHeader", b'x', pax.as_bytes()));
    archive.extend(entry(b"cut", b'0', &lines(3, 6)));
    archive.extend(entry(b"README", b'0', b"Read me\nfirst\n"));
    archive.extend([0; 1024]);
    let expected = [
        ("plain.csv".to_owned(), 3000, true),
        ("packed.csv.gz".to_owned(), 2000, true),
        ("long.csv".to_owned(), 5, true),
        ("pax.csv.bz2".to_owned(), 6, true),
    ];
    for bytes in
        [archive.clone(), gzip(&archive), zstd::stream::encode_all(&archive[..], 1).unwrap()]
    {
        let opened = open(&directory, &bytes).unwrap();
        assert_eq!(sums(&opened), expected);
        assert_eq!(opened.notes.len(), 1, "{:?}", opened.notes);
        assert!(opened.notes[0].ends_with(
            ": README: found no format that reads at least half of its first lines: left out"
        ));
    }
}

#[test]
fn members_of_a_zip_archive_are_traces() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two, three) = (lines(0, 3000), lines(1, 2000), gzip(&lines(2, 1000)));
    let member = |name, bytes, method| Member { name, bytes, method, flags: 0 };
    let members = [
        member("a/stored.csv", &one[..], 0),
        member("a/deflated.csv", &two, 8),
        member("zstd.csv.gz", &three, 93),
        Member { flags: 1, ..member("secret.csv", &one, 8) },
        member("imploded.csv", &one, 6),
        member("folder/", b"", 0),
    ];
    let archive = zip(&members);
    let opened = open(&directory, &archive).unwrap();
    let expected = [
        ("stored.csv".to_owned(), 3000, true),
        ("deflated.csv".to_owned(), 2000, true),
        ("zstd.csv.gz".to_owned(), 1000, true),
    ];
    assert_eq!(sums(&opened), expected);
    assert_eq!(opened.notes.len(), 2, "{:?}", opened.notes);
    assert!(opened.notes[0].ends_with("secret.csv: found an encrypted file: left out"));
    // A digit of a stored member: the checksum tells.
    let mut damaged = archive.clone();
    damaged[30 + members[0].name.len() + 100_000] ^= 1;
    let opened = open(&directory, &damaged).unwrap();
    assert_eq!(
        sums(&opened).iter().map(|(.., good)| *good).collect::<Vec<_>>(),
        [false, true, true]
    );
    // Without its end nothing can be found.
    let line = open(&directory, &archive[..archive.len() - 30]).unwrap_err();
    assert!(
        line.contains("a zip archive without a trace (no directory of a zip archive)"),
        "{line}"
    );
}

#[test]
fn an_archive_that_is_cut_off_is_read_so_far_and_told() {
    let directory = tempfile::tempdir().unwrap();
    let members = [lines(0, 3000), lines(1, 3000)];
    let archive = tar(&[("a.csv", &members[0]), ("b.csv", &members[1])]);
    let cut = members[0].len().next_multiple_of(512) + 1024 + 2000;
    for bytes in [archive[..cut].to_vec(), gzip(&archive[..cut])] {
        let opened = open(&directory, &bytes).unwrap();
        let sums = sums(&opened);
        assert_eq!(sums[0], ("a.csv".to_owned(), 3000, true));
        assert!(sums[1].1 > 10 && !sums[1].2, "{sums:?}");
        assert_eq!(opened.lost.len(), 1);
        assert!(opened.lost[0].contains("expected a whole archive"), "{:?}", opened.lost);
        let trace = &opened.traces[1];
        assert!(Survey::gather(&mut trace.reader().unwrap(), Strictness::Strict).is_err());
    }
}

#[test]
fn what_is_no_trace_is_told_by_its_kind() {
    let directory = tempfile::tempdir().unwrap();
    let member = Member { name: "a.csv", bytes: b"", method: 0, flags: 0 };
    let inner = tar(&[("a.csv", &lines(0, 10))]);
    let rows: [(Vec<u8>, &str); 8] = [
        (
            b"7z\xbc\xaf\x27\x1c\0\x04 and so on".to_vec(),
            ": found a 7z archive, expected text in UTF-8",
        ),
        (gzip(b"Rar!\x1a\x07\x01\0"), ": found a rar archive, expected"),
        (gzip(&zip(&[member])), ": found a zip archive within a compressed file, expected"),
        (b"\x04\x22\x4d\x18\x64\x40".to_vec(), ": found a file compressed by lz4, expected"),
        (tar(&[]), "found no format that reads at least half"),
        (tar(&[("README", b"text\n")]), "a tar archive without a trace (README: found no format"),
        (tar(&[("b.tar", &inner)]), "(b.tar: found an archive within the archive)"),
        (zip(&[]), "a zip archive without a trace (it has no files)"),
    ];
    for (bytes, part) in rows {
        let line = open(&directory, &bytes).unwrap_err();
        assert!(line.contains(part) && line.lines().count() == 1, "{part}: {line}");
    }
}

/// Sizes and names that nobody should have written.
#[test]
fn hostile_headers_take_neither_memory_nor_time() {
    let directory = tempfile::tempdir().unwrap();
    let good = entry(b"good.csv", b'0', &lines(0, 10));
    let huge = |kind| header(b"huge", kind, 0o77_777_777_777);
    let mut endless = header(b"endless", b'0', 0);
    endless[124..136].fill(0xff);
    let sum: u64 = endless
        .iter()
        .enumerate()
        .map(|(nth, byte)| match nth {
            148..156 => 32,
            _ => u64::from(*byte),
        })
        .sum();
    endless[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let many: Vec<u8> = (0..5000).flat_map(|_| header(b"d/", b'5', 0)).collect();
    for tail in [huge(b'0'), huge(b'L'), huge(b'x'), endless, many, vec![7; 512], vec![b'x'; 100]] {
        let opened = open(&directory, &[&good[..], &tail].concat()).unwrap();
        assert_eq!(sums(&opened)[0], ("good.csv".to_owned(), 10, true));
        assert_eq!(opened.lost.len(), usize::from(opened.traces.len() < 2), "{:?}", opened.lost);
    }
    // A name that moves the cursor.
    let opened = open(&directory, &tar(&[("\u{1b}[2Ja.csv", &lines(0, 10))])).unwrap();
    assert_eq!(opened.traces[0].name(), "?[2Ja.csv");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A few bytes of an archive are changed, and it is cut off: nothing panics, and no member has more than it had.
    #[test]
    fn damaged_archives_are_survived(
        is_zip: bool,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
        is_cut: bool,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let (one, two) = (lines(0, 40), gzip(&lines(1, 40)));
        let member = |name, bytes, method| Member { name, bytes, method, flags: 0 };
        let mut bytes = match is_zip {
            true => zip(&[member("a", &one[..], 8), member("b", &two, 0)]),
            false => tar(&[("a", &one), ("b", &two)]),
        };
        for (place, byte) in &damage {
            let place = place.index(bytes.len());
            bytes[place] = *byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let path = file(&directory, &bytes);
        for format in [None, Some(Format::Msr)] {
            let opening = Opening { format, ..Opening::default() };
            let Ok(opened) = opening.open(std::slice::from_ref(&path)) else { continue };
            for trace in &opened.traces {
                if let Ok(mut reader) = trace.reader() {
                    let survey = Survey::gather(&mut reader, Strictness::Lenient).unwrap();
                    prop_assert!(survey.all() <= 41, "{}", survey.all());
                }
            }
        }
    }
}
