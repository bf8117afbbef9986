//! The codec against vectors of an independent library (`vectors/make_bch.py`).

use crate::bch::chunk::{run, Codec, Received};
use rtl_sim::{Agent, Bench, Pace, Sink, Source, StreamPorts};

struct Vector {
    chunk_bytes: usize,
    data: Vec<u8>,
    parity: Vec<u8>,
    wrong_bits: Vec<u16>,
    /// Bits that the library corrected; -1 if it found the word beyond correction.
    corrected: i64,
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn vectors() -> Vec<Vector> {
    let file = include_str!("../vectors/bch.csv");
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(file.as_bytes());
    let vector = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.unwrap();
        let places = record[3].split(' ').filter(|place| !place.is_empty());
        Vector {
            chunk_bytes: record[0].parse().unwrap(),
            data: bytes(&record[1]),
            parity: bytes(&record[2]),
            wrong_bits: places.map(|place| place.parse().unwrap()).collect(),
            corrected: record[4].parse().unwrap(),
        }
    };
    reader.records().map(vector).collect()
}

fn check(codec: &Codec) {
    let of_code = |vector: &Vector| vector.chunk_bytes == codec.chunk_bytes();
    let vectors: Vec<Vector> = vectors().into_iter().filter(of_code).collect();
    assert!(vectors.len() >= 5, "vectors of {} bytes", codec.chunk_bytes());
    let mut bench = Bench::new(codec.top);
    let fields = ["data", "last", "bypass"];
    let plain = StreamPorts { prefix: "plain", fields: &fields, lane: (0, 1) };
    let coded = StreamPorts { prefix: "coded", fields: &fields[..2], lane: (0, 1) };
    let mut plain = Source::new(bench.model(), plain, Pace::Always);
    let mut coded = Sink::new(bench.model(), coded, Pace::Always);
    let mut sources = vec![codec.source(&bench, 0, Pace::Always)];
    let mut sinks = vec![codec.sink(&bench, 0, Pace::Always)];
    let (mut coded_words, mut expected) = (Vec::new(), Vec::new());
    for Vector { data, parity, wrong_bits, corrected, .. } in vectors {
        let words = codec.words(&data);
        let last = words.len() - 1;
        for (index, word) in words.iter().enumerate() {
            plain.push(vec![*word, u64::from(index == last), 0]);
        }
        coded_words.extend(words.into_iter().chain(codec.words(&parity)));
        let mut chunk = Received { data: data.clone(), parity, mask: 0x5a };
        ecc::bch::flip_bits(&mut chunk.data, &mut chunk.parity, &wrong_bits);
        sources[0].push_all(codec.packet(&chunk));
        expected.extend(match u64::try_from(corrected) {
            Ok(errors) => codec.beats(&data, [errors, 0, 0]),
            Err(_) => codec.beats(&chunk.data, [0, 1, 0]),
        });
    }
    while coded.received().len() < coded_words.len() {
        let mut agents: [&mut dyn Agent; 2] = [&mut plain, &mut coded];
        bench.cycle(&mut agents);
    }
    assert!(coded.received().iter().map(|beat| beat[0]).eq(coded_words), "parity differs");
    run(&mut bench, &mut sources, &mut sinks, &[expected]);
}

#[test]
fn default_code_agrees_with_the_vectors() {
    check(&Codec::default_code());
}

#[test]
fn small_code_agrees_with_the_vectors() {
    check(&Codec::small());
}
