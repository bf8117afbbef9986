//! Pages through the codec of a channel: written, worn, read, against `drive/ecc`.

use ecc::{Bch, BchParams, Decoded, Scrambler, ScramblerParams};
use rtl_sim::{seed, tops, Bench, Output, Pace, Random, Sink, Source, StreamPorts};

const DATA_CHUNKS: usize = 6;
const CHUNK_BYTES: usize = 256;
const METADATA_BYTES: usize = 4;

struct Codec {
    bench: Bench,
    write: Source,
    program: Sink,
    sense: Source,
    read: Sink,
    verdict: [Output; 5],
}

/// The verdict on a page: erased, bits, most bits of a chunk, chunks lost.
type Verdict = [u64; 4];

/// Where a page is, and how it is kept.
#[derive(Clone, Copy)]
struct Start {
    row: u32,
    column: u16,
    scramble: bool,
    bypass: bool,
}

fn ports<'a>(prefix: &'a str, fields: &'a [&'a str]) -> StreamPorts<'a> {
    StreamPorts { prefix, fields, lane: (0, 1) }
}

impl Codec {
    fn new(random: &mut Random) -> Self {
        let bench = Bench::new(&tops::PAGE_CODEC);
        let model = bench.model();
        Self {
            write: Source::new(model, ports("write", &["data", "last"]), Pace::any(random)),
            program: Sink::new(model, ports("program", &["data", "last"]), Pace::any(random)),
            sense: Source::new(
                model,
                ports("sense", &["data", "last", "page_last"]),
                Pace::any(random),
            ),
            read: Sink::new(model, ports("read", &["data", "last", "failed"]), Pace::any(random)),
            verdict: ["valid", "erased", "bits", "most_bits", "lost_chunks"]
                .map(|name| model.output(&format!("verdict_{name}_o"))),
            bench,
        }
    }

    fn start(&mut self, start: Start) {
        for (name, value) in [
            ("start_row_i", u64::from(start.row)),
            ("start_column_i", u64::from(start.column)),
            ("start_scramble_i", u64::from(start.scramble)),
            ("start_bypass_i", u64::from(start.bypass)),
            ("start_i", 1),
        ] {
            let port = self.bench.input(name);
            self.bench.set(port, value);
        }
        self.bench.cycle(&mut []);
        let port = self.bench.input("start_i");
        self.bench.set(port, 0);
    }

    /// Runs until both sinks have so many words; returns the verdicts given meanwhile.
    fn run(&mut self, programmed: usize, read: usize) -> Vec<Verdict> {
        let limit = self.bench.cycles() + 40 * (programmed + read) as u64 + 20_000;
        let mut verdicts = Vec::new();
        let mut after = 0;
        while after < 2 {
            let sinks_done =
                self.program.received().len() >= programmed && self.read.received().len() >= read;
            after += u32::from(sinks_done);
            self.bench.cycle(&mut [
                &mut self.write,
                &mut self.program,
                &mut self.sense,
                &mut self.read,
            ]);
            let [valid, verdict @ ..] = self.verdict.map(|port| self.bench.get(port));
            if valid == 1 {
                verdicts.push(verdict);
            }
            assert!(self.bench.cycles() < limit, "stuck");
        }
        verdicts
    }
}

fn golden() -> (Bch, Scrambler) {
    let bch = Bch::new(BchParams::default()).unwrap();
    (bch, Scrambler::new(ScramblerParams::default()).unwrap())
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 8).collect()
}

/// Packets of words, the last word of each marked.
fn packets<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u64>> {
    let mut beats = Vec::new();
    for chunk in chunks {
        beats.extend(words(chunk).into_iter().map(|word| vec![word, 0]));
        beats.last_mut().expect("a chunk has words")[1] = 1;
    }
    beats
}

/// The chunks of a page: data, then metadata.
fn random_page(random: &mut Random) -> Vec<Vec<u8>> {
    let mut chunks: Vec<Vec<u8>> = (0..DATA_CHUNKS).map(|_| random.bytes(CHUNK_BYTES)).collect();
    chunks.push(random.bytes(METADATA_BYTES));
    chunks
}

/// A page as the chip keeps it: each chunk with its parity behind it, scrambled.
fn raw_page(chunks: &[Vec<u8>], start: Start) -> Vec<Vec<u8>> {
    let (bch, scrambler) = golden();
    let mut column = usize::from(start.column);
    let code_word = |chunk: &Vec<u8>| {
        let mut word = chunk.clone();
        if !start.bypass {
            let mut parity = vec![0; bch.parity_bytes()];
            bch.encode(chunk, &mut parity);
            word.extend(parity);
        }
        if start.scramble {
            scrambler.apply(start.row, column, &mut word);
        }
        column += word.len();
        word
    };
    chunks.iter().map(code_word).collect()
}

/// What the golden model reads from a raw page: the words, and the verdict.
fn golden_read(raw: &[Vec<u8>], start: Start) -> (Vec<Vec<u64>>, Verdict) {
    let (bch, scrambler) = golden();
    let mut column = usize::from(start.column);
    let (mut beats, mut verdict) = (Vec::new(), [0; 4]);
    for word in raw {
        let mut plain = word.clone();
        scrambler.apply(start.row, column, &mut plain);
        column += word.len();
        let (data, parity) = plain.split_at_mut(word.len() - bch.parity_bytes());
        let decoded = bch.decode(data, parity, &mut bch.scratch());
        match decoded {
            Decoded::Clean => {}
            Decoded::Corrected(bits) => {
                verdict[1] += u64::from(bits);
                verdict[2] = verdict[2].max(u64::from(bits));
            }
            Decoded::Uncorrectable => verdict[3] += 1,
        }
        let failed = u64::from(decoded == Decoded::Uncorrectable);
        for mut beat in packets(std::iter::once(&*data)) {
            beat.push(failed);
            beats.push(beat);
        }
    }
    (beats, verdict)
}

fn any_start(random: &mut Random) -> Start {
    Start { row: random.next() as u32, column: 0, scramble: true, bypass: false }
}

/// Sends a raw page in.
fn sense(codec: &mut Codec, raw: &[Vec<u8>]) {
    let mut beats = packets(raw.iter().map(Vec::as_slice));
    beats.iter_mut().for_each(|beat| beat.push(0));
    beats.last_mut().unwrap()[2] = 1;
    codec.sense.push_all(beats);
}

#[test]
fn a_written_page_is_the_golden_models_and_reads_back_worn() {
    seed::each(12, |random| {
        let mut codec = Codec::new(random);
        for _ in 0..3 {
            let (start, chunks) = (any_start(random), random_page(random));
            let mut raw = raw_page(&chunks, start);
            codec.start(start);
            codec.write.push_all(packets(chunks.iter().map(Vec::as_slice)));
            let expected = packets(raw.iter().map(Vec::as_slice));
            codec.run(expected.len(), 0);
            assert_eq!(codec.program.take(), expected);

            for word in &mut raw {
                let errors = random.below(16) as usize;
                for place in random.choose(errors, word.len() * 8 - 4) {
                    word[usize::from(place / 8)] ^= 0x80 >> (place % 8);
                }
            }
            let (beats, verdict) = golden_read(&raw, start);
            codec.start(start);
            sense(&mut codec, &raw);
            assert_eq!(codec.run(0, beats.len()), [verdict]);
            assert_eq!(codec.read.take(), beats);
        }
    });
}

#[test]
fn an_erased_page_reads_as_ones_with_its_zeros_counted() {
    seed::each(4, |random| {
        let mut codec = Codec::new(random);
        let start = any_start(random);
        let sizes = [CHUNK_BYTES + 20; DATA_CHUNKS].into_iter().chain([METADATA_BYTES + 20]);
        let mut raw: Vec<Vec<u8>> = sizes.map(|size| vec![0xff; size]).collect();
        let (mut zeros, mut most) = (0, 0);
        for word in &mut raw {
            let count = random.below(14);
            for place in random.choose(count as usize, word.len() * 8 - 4) {
                word[usize::from(place / 8)] ^= 0x80 >> (place % 8);
            }
            (zeros, most) = (zeros + count, most.max(count));
        }
        codec.start(start);
        sense(&mut codec, &raw);
        let read = DATA_CHUNKS * CHUNK_BYTES / 2 + METADATA_BYTES / 2;
        assert_eq!(codec.run(0, read), [[1, zeros, most, 0]]);
        assert!(codec.read.take().iter().all(|beat| beat[0] == 0xffff && beat[2] == 0));

        // The same chunks, but for one that was programmed: they are lost.
        raw[2] = raw_page(&[random.bytes(CHUNK_BYTES)], Start { scramble: false, ..start })
            .pop()
            .unwrap();
        codec.start(Start { scramble: false, ..start });
        sense(&mut codec, &raw);
        assert_eq!(codec.run(0, read), [[0, 0, 0, DATA_CHUNKS as u64]]);
    });
}

#[test]
fn bypass_writes_and_reads_what_is_there() {
    seed::each(4, |random| {
        let mut codec = Codec::new(random);
        let start =
            Start { scramble: random.percent(50), bypass: true, column: 0, ..any_start(random) };
        let chunks = vec![random.bytes(1000), random.bytes(2)];
        let expected = packets(raw_page(&chunks, start).iter().map(Vec::as_slice));
        codec.start(start);
        codec.write.push_all(packets(chunks.iter().map(Vec::as_slice)));
        codec.run(expected.len(), 0);
        assert_eq!(codec.program.take(), expected);

        codec.start(start);
        sense(&mut codec, &raw_page(&chunks, start));
        codec.run(0, expected.len());
        let mut plain = packets(chunks.iter().map(Vec::as_slice));
        plain.iter_mut().for_each(|beat| beat.push(0));
        assert_eq!(codec.read.take(), plain);
    });
}

/// So many chunks with these errors, failed, erased.
type Chunks = (usize, [u64; 3]);

#[test]
fn sums_of_a_page_stay_at_their_highest_value() {
    let cases: [(&[Chunks], Verdict); 6] = [
        (&[(1, [0, 0, 0])], [0, 0, 0, 0]),
        (&[(4, [7, 0, 0]), (1, [3, 0, 0])], [0, 31, 7, 0]),
        (&[(5, [7, 0, 0])], [0, 31, 7, 0]),
        (&[(300, [0, 1, 0])], [0, 0, 0, 255]),
        (&[(300, [1, 0, 1])], [1, 31, 1, 0]),
        (&[(200, [0, 1, 0]), (100, [2, 0, 1]), (1, [5, 0, 0])], [0, 5, 5, 255]),
    ];
    let mut bench = Bench::new(&tops::PAGE_VERDICTS);
    let verdict =
        ["erased_o", "bits_o", "most_bits_o", "lost_chunks_o"].map(|name| bench.output(name));
    let inputs = ["errors_i", "failed_i", "erased_i"].map(|name| bench.input(name));
    let (chunk, last) = (bench.input("chunk_i"), bench.input("page_last_i"));
    let valid = bench.output("valid_o");
    for (chunks, expected) in cases {
        let all: usize = chunks.iter().map(|(count, _)| count).sum();
        let each = chunks.iter().flat_map(|&(count, values)| std::iter::repeat_n(values, count));
        for (index, values) in each.enumerate() {
            inputs.into_iter().zip(values).for_each(|(port, value)| bench.set(port, value));
            bench.set(chunk, 1);
            bench.set(last, u64::from(index + 1 == all));
            bench.cycle(&mut []);
            assert_eq!(bench.get(valid) == 1, index + 1 == all);
        }
        bench.set(chunk, 0);
        bench.cycle(&mut []);
        assert_eq!(verdict.map(|port| bench.get(port)), expected, "{chunks:?}");
    }
}
