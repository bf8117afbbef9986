//! Lines as the descriptions of the formats show them, and what they say.

use std::io::Cursor;

use proptest::prelude::*;
use trace::{Event, Format, Kind, Reader, Record, Writer, UNKNOWN};

fn read(text: impl AsRef<[u8]>, format: Format) -> (Vec<Record>, Reader) {
    let mut reader = Reader::new(Box::new(Cursor::new(text.as_ref().to_vec())), format);
    let records = std::iter::from_fn(|| reader.next()).collect();
    (records, reader)
}

fn record(time_ns: u64, kind: Kind, (offset, length): (u64, u64)) -> Record {
    Record { time_ns, response_ns: UNKNOWN, volume: 0, kind, offset, length }
}

/// Records of a text, and its faults.
fn check(format: Format, text: &str, records: &[Record], faults: &[&str]) {
    let (found, reader) = read(text, format);
    assert_eq!(found, records, "{text}");
    let told: Vec<_> = reader.faults().first.iter().map(ToString::to_string).collect();
    assert_eq!(told, faults, "{text}");
    assert_eq!(reader.faults().count as usize, faults.len(), "{text}");
    assert_eq!(reader.records() as usize, records.len());
}

#[test]
fn logs_of_fio() {
    let text = "fio version 3 iolog\n2 /dev/a add\n872 /dev/a open\n878 /dev/a write 0 16384\n\
                888 /dev/b read 4096 512\n\n890 /dev/a datasync 0 0\n891 /dev/a trim 8192 4096\r\n\
                892 /dev/a sync\n1000 /dev/a close\n";
    let records = [
        record(0, Kind::Write, (0, 16384)),
        Record { volume: 1, ..record(10_000, Kind::Read, (4096, 512)) },
        record(12_000, Kind::Flush, (0, 0)),
        record(13_000, Kind::Trim, (8192, 4096)),
        record(14_000, Kind::Flush, (0, 0)),
    ];
    check(Format::Iolog, text, &records, &[]);
    let text = "fio version 2 iolog\n/dev/a add\n/dev/a read 0 4096\n/dev/a wait 250\n/dev/a write 4096 4096\n\
                /dev/a wait 100\n/dev/a wait 50\n/dev/a read 1 1\n";
    let records = [
        record(0, Kind::Read, (0, 4096)),
        record(250_000, Kind::Write, (4096, 4096)),
        record(400_000, Kind::Read, (1, 1)),
    ];
    check(Format::Iolog, text, &records, &[]);
    assert!(read(text, Format::Iolog).1.has_times());
    assert!(!read("fio version 2 iolog\na read 0 4096\n", Format::Iolog).1.has_times());
    let rows = [
        ("1 a read 0", "line: found \"1 a read 0\", expected offset and length after the action"),
        ("1 a read 0 0", "size: found \"0\", expected at least one byte"),
        ("x a read 0 1", "timestamp: found \"x\", expected a whole number below 2^64"),
        ("1 a wait 5", "action: found \"wait\", expected an action of version 3, which has no wait"),
        ("1 a erase 0 1", "action: found \"erase\", expected add, open, close, read, write, trim, sync, datasync or wait"),
        ("1 a", "line: found \"1 a\", expected timestamp filename action offset length"),
    ];
    for (line, fault) in rows {
        check(
            Format::Iolog,
            &format!("fio version 3 iolog\n{line}\n"),
            &[],
            &[&format!("line 2: {fault}")],
        );
    }
    let expected = "\"fio version 2 iolog\" or \"fio version 3 iolog\" in the first line";
    let fault = format!("line 1: line: found \"fio version 1 iolog\", expected {expected}");
    check(Format::Iolog, "fio version 1 iolog\n", &[], &[&fault]);
}

#[test]
fn output_of_blkparse() {
    let text = "  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]\n\
                \x20 8,0    3        2     0.000001829   697  P   N [kjournald]\n\
                \x20 8,0    3        3     0.000002197   697  Q   W 223490 + 8 [kjournald]\n\
                \x20 8,0    3        4     0.000005533   697  M   W 223498 + 8 [kjournald]\n\
                \x20 8,0    3        6     0.000010573   697  D   W 223490 + 16 [kjournald]\n\
                \x20 8,16   3        7     0.000010574   697  Q  RA 8 + 1 [x y]\n\
                \x20 8,0    1        8     1.500000000   697  Q FWS [kjournald]\n\
                \x20 8,0    1        9     1.500000000   697  Q  DS 8 + 2048 [z]\n\
                \x20 8,0    1        9     1.500000001   697  Q   N 0 + 0 [z]\n\
                \x20 8,0    1       10     1.600000000   697  m   N cfq1 insert\n\
                \x20 8,0    1       11     1.600000000     0  C   W 223490 + 16 [0]\n\
                CPU0 (sda):\n Reads Queued:  0,  0KiB  Writes Queued: 7, 128KiB\n\nTotal (sda):\n";
    let records = [
        record(0, Kind::Write, (223490 * 512, 4096)),
        Record { volume: 1, ..record(8377, Kind::Read, (4096, 512)) },
        record(1_499_997_803, Kind::Flush, (0, 0)),
        record(1_499_997_803, Kind::Trim, (4096, 1 << 20)),
    ];
    check(Format::Blkparse(Event::Queue), text, &records, &[]);
    let records = [record(0, Kind::Write, (223490 * 512, 8192))];
    check(Format::Blkparse(Event::Issue), text, &records, &[]);
    let rows = [
        ("hello", "line: found \"hello\", expected an event such as 8,0 3 1 0.000000000 697 Q W 223490 + 8 [kjournald]"),
        ("8,0 3 1 zero 697 Q W 8 + 8 [x]", "time: found \"zero\", expected seconds such as 0.000000000"),
        ("8,0 3 1 0.1 697 7 W 8 + 8 [x]", "action: found \"7\", expected a letter such as Q, D or C"),
        ("8,0 3 1 0.1 697 Q S 8 + 8 [x]", "kind: found \"S\", expected letters with R, W, D or F"),
        ("8,0 3 1 0.1 697 Q R 8 - 8 [x]", "sector: found \"8\", expected sector + sectors"),
        ("8,0 3 1 0.1 697 Q R 36028797018963968 + 8 [x]", "sector: found \"36028797018963968\", expected sectors that end below 2^63 bytes"),
        ("8,0 3 1 0.1 697 Q R 18014398509481983 + 8 [x]", "offset: found \"18014398509481983\", expected a request that ends below 2^63 bytes"),
        ("8,0 3 1 0.1 697 Q R 8 + 0 [x]", "size: found \"0\", expected at least one byte"),
    ];
    for (line, fault) in rows {
        check(Format::Blkparse(Event::Queue), line, &[], &[&format!("line 1: {fault}")]);
    }
}

#[test]
fn msr_cambridge() {
    let text = "128166372003061629,usr,0,Read,7014609920,24576,41286\n128166372016382155,usr,0,Write,1317441536,8192,1963\n\
                128166372016382100,usr,1,Read,0,512,0\n";
    let records = [
        Record { response_ns: 4_128_600, ..record(0, Kind::Read, (7_014_609_920, 24576)) },
        Record {
            response_ns: 196_300,
            ..record(1_332_052_600, Kind::Write, (1_317_441_536, 8192))
        },
        Record { response_ns: 0, volume: 1, ..record(1_332_052_600, Kind::Read, (0, 512)) },
    ];
    check(Format::Msr, text, &records, &[]);
    let reader = read(text, Format::Msr).1;
    assert_eq!(reader.back(), (1, 5500));
    assert_eq!(
        (reader.volumes().name(0), reader.volumes().name(1)),
        ("usr,0".into(), "usr,1".into())
    );
    let rows = [
        ("1,usr,0,Erase,0,512,0", "Type: found \"Erase\", expected Read or Write"),
        ("1,usr,0,Read,-1,512,0", "Offset: found \"-1\", expected a whole number below 2^64"),
        ("1,usr,0,Read,0,512", "line: found \"1,usr,0,Read,0,512\", expected Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"),
        ("1,usr,0,Read,0,512,0,9", "ResponseTime: found \"0,9\", expected a whole number below 2^64"),
        ("1,usr,0,Read,0,1073741825,0", "size: found \"1073741825\", expected at most 1 GiB"),
        ("1,usr,0,Read,9223372036854775807,1,0", "offset: found \"9223372036854775807\", expected a request that ends below 2^63 bytes"),
    ];
    for (line, fault) in rows {
        check(Format::Msr, line, &[], &[&format!("line 1: {fault}")]);
    }
}

#[test]
fn systor_17() {
    let text = "Timestamp,Response,IOType,LUN,Offset,Size\n1456135200.013118000,0.000806000,R,0,899056122368,131072\n\
                1456135200.113118000,,W,4,8192,4096\n1456135201.000000000,0.001,,0,4096,4096\n";
    let records = [
        Record { response_ns: 806_000, ..record(0, Kind::Read, (899_056_122_368, 131_072)) },
        Record { volume: 1, ..record(100_000_000, Kind::Write, (8192, 4096)) },
    ];
    check(Format::Systor, text, &records, &["line 4: IOType: found nothing, expected R or W"]);
}

#[test]
fn alibaba_and_tencent() {
    let text = "device_id,opcode,offset,length,timestamp\n0,R,126703661056,4096,1577808000000046\n\
                1,W,19496058880,77824,1577808000000426\n";
    let records = [
        record(0, Kind::Read, (126_703_661_056, 4096)),
        Record { volume: 1, ..record(380_000, Kind::Write, (19_496_058_880, 77_824)) },
    ];
    check(Format::Alibaba, text, &records, &[]);
    check(Format::Alibaba, "0,D,0,1,0", &[], &["line 1: opcode: found \"D\", expected R or W"]);
    let text = "1538323199,12910952,128,0,1063\n1538323200,6338688,8,1,1627\n";
    let records = [
        record(0, Kind::Read, (12_910_952 * 512, 65536)),
        Record { volume: 1, ..record(1_000_000_000, Kind::Write, (6_338_688 * 512, 4096)) },
    ];
    check(Format::Tencent, text, &records, &[]);
    check(Format::Tencent, "1,0,1,2,0", &[], &["line 1: IOType: found \"2\", expected 0 or 1"]);
    check(
        Format::Tencent,
        "1,0,1,1,x",
        &[],
        &["line 1: VolumeID: found \"x\", expected a whole number below 2^64"],
    );
}

#[test]
fn mqsim() {
    let text = "4851300 1 524288 16 0\n4864300 1 524304 16 1\n";
    let records = [
        record(0, Kind::Write, (524_288 * 512, 8192)),
        record(13_000, Kind::Read, (524_304 * 512, 8192)),
    ];
    check(Format::Mqsim, text, &records, &[]);
    check(
        Format::Mqsim,
        "1 1 0 1 2",
        &[],
        &["line 1: type: found \"2\", expected 0 for a write or 1 for a read"],
    );
}

#[test]
fn times_are_within_bounds() {
    let text = "0,R,0,4096,1000000\n0,R,0,4096,9223373036855\n0,R,0,4096,18446744073709551615\n0,R,0,4096,1000001\n";
    let (records, reader) = read(text, Format::Alibaba);
    assert_eq!(records.len(), 2);
    assert_eq!(reader.faults().count, 2);
    assert_eq!(records[1].time_ns, 1000);
    // A first time that is too late puts all others at the beginning.
    let (records, reader) = read("0,R,0,1,18446744073709551615\n0,R,0,1,5\n", Format::Alibaba);
    assert_eq!(records[1].time_ns, 0);
    assert_eq!(reader.back(), (1, u64::MAX));
}

fn any_record() -> impl Strategy<Value = Record> {
    let kind = prop::sample::select(Kind::ALL.to_vec());
    (kind, 0_u64..1 << 50, 0_u32..4, 0_u64..1 << 40, 1_u64..2000, 0_u64..1 << 40).prop_map(
        |(kind, time_ns, volume, sector, sectors, response_ns)| match kind {
            Kind::Flush => Record { time_ns, response_ns, volume, kind, offset: 0, length: 0 },
            _ => Record {
                time_ns,
                response_ns,
                volume,
                kind,
                offset: sector * 512,
                length: sectors * 512,
            },
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is written is read again, as far as a format can say it.
    #[test]
    fn what_is_written_is_read(mut records in prop::collection::vec(any_record(), 1..40)) {
        records.sort_by_key(|record| record.time_ns);
        for format in Format::all().chain([Format::Blkparse(Event::Issue), Format::Blktrace(Event::Issue)]) {
            let mut writer = Writer::new(Vec::new(), format).unwrap();
            let mut kept = Vec::new();
            for record in &records {
                if writer.write(record).unwrap() {
                    kept.push(*record);
                }
            }
            let (found, reader) = read(writer.into_inner(), format);
            prop_assert!(reader.faults().is_empty(), "{:?} {:?}", format, reader.faults());
            prop_assert_eq!(found.len(), kept.len());
            let tick = match format {
                Format::Iolog | Format::Alibaba => 1000,
                Format::Msr => 100,
                Format::Tencent => 1_000_000_000,
                _ => 1,
            };
            let first = kept.first().map_or(0, |record| record.time_ns / tick);
            for (found, kept) in found.iter().zip(&kept) {
                prop_assert_eq!((found.kind, found.offset, found.length), (kept.kind, kept.offset, kept.length));
                prop_assert_eq!(found.time_ns, (kept.time_ns / tick - first) * tick);
                match format {
                    Format::Layout(..) if format.name() == "biosnoop" => {
                        // It has a response time in each line.
                        let known = if kept.response_ns == UNKNOWN { 0 } else { kept.response_ns };
                        prop_assert_eq!(found.response_ns, known);
                    }
                    Format::Msr => prop_assert_eq!(found.response_ns, kept.response_ns / 100 * 100),
                    Format::Systor => prop_assert_eq!(found.response_ns, kept.response_ns),
                    _ => prop_assert_eq!(found.response_ns, UNKNOWN),
                }
            }
            // Volumes keep apart.
            let has_volumes = format.name() != "vscsi";
            for (a, b) in (0..found.len()).zip(1..found.len()).filter(|_| has_volumes) {
                prop_assert_eq!(found[a].volume == found[b].volume, kept[a].volume == kept[b].volume);
            }
        }
    }
}
