//! What a step should put on the bus, and what should come of it.

use ecc::{Bch, BchParams, Decoded, Scrambler, ScramblerParams};

/// Operations of `fm_flash_pkg` that move words through the path.
pub const READS: [u8; 5] = [0x40, 0x41, 0x42, 0x43, 0x44];
pub const PROGRAMS: [u8; 7] = [0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66];

/// A `step_t`.
#[derive(Clone, Debug)]
pub struct Step {
    pub operation: u8,
    pub way: u8,
    pub row: u32,
    pub column: u16,
    pub length: usize,
    pub buffer: u16,
    pub plain: bool,
    pub bypass: bool,
    pub metadata: bool,
    pub respond: bool,
    pub slot: u8,
    pub tag: u8,
    pub irq: bool,
    pub irq_on_error: bool,
}

/// An `outcome_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Success = 0,
    Uncorrectable = 2,
    TimedOut = 3,
}

/// What reading gave, beside the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub outcome: Outcome,
    pub erased: bool,
    pub corrected: u32,
    pub most: u32,
    pub lost: u32,
}

/// The path of a channel with error correction and scrambler, or without.
pub struct Golden {
    pub bch: Bch,
    pub scrambler: Scrambler,
    pub has_codec: bool,
    pub metadata_bytes: usize,
}

impl Step {
    pub fn is_read(&self) -> bool {
        READS.contains(&self.operation)
    }

    /// The completion of the step, in the order of [`crate::page_path::rig::COMPLETION`].
    pub fn completion(&self, verdict: &Verdict) -> Vec<u64> {
        let &Verdict { outcome, erased, corrected, most, lost } = verdict;
        let irq = [u64::from(self.irq), u64::from(self.irq_on_error)];
        let mut fields = vec![u64::from(self.slot), u64::from(self.tag), u64::from(self.way)];
        fields.extend(irq);
        fields.extend([outcome as u64, u64::from(erased)]);
        fields.extend([corrected, most, lost, 0].map(u64::from));
        fields
    }
}

impl Verdict {
    /// Of pages in which nothing is found.
    pub fn clean() -> Self {
        Self { outcome: Outcome::Success, erased: false, corrected: 0, most: 0, lost: 0 }
    }

    pub fn timed_out() -> Self {
        Self { outcome: Outcome::TimedOut, ..Self::clean() }
    }
}

impl Golden {
    /// With a code, or with none.
    pub fn new(code: Option<BchParams>, metadata_bytes: usize) -> Self {
        Self {
            metadata_bytes,
            bch: Bch::new(code.unwrap_or_default()).unwrap(),
            scrambler: Scrambler::new(ScramblerParams::default()).unwrap(),
            has_codec: code.is_some(),
        }
    }

    /// Bytes of the parity of a chunk on the bus, which carries words of two bytes.
    pub fn parity_bytes(&self) -> usize {
        self.bch.parity_bytes().next_multiple_of(2)
    }

    /// Bits behind the parity of a chunk on the bus.
    pub fn unused_bits(&self) -> u32 {
        self.parity_bytes() as u32 * 8 - self.bch.parity_bits()
    }

    /// Bytes of a whole chunk with its parity on the bus.
    pub fn code_word_bytes(&self) -> usize {
        self.bch.params().chunk_bytes + self.parity_bytes()
    }

    pub fn is_coded(&self, step: &Step) -> bool {
        self.has_codec && !step.bypass
    }

    /// Bytes of user data and metadata.
    pub fn payload_bytes(&self, step: &Step) -> usize {
        step.length + if step.metadata { self.metadata_bytes } else { 0 }
    }

    /// Bytes of each chunk, that of the metadata the last.
    pub fn chunks(&self, step: &Step) -> Vec<usize> {
        let whole = self.bch.params().chunk_bytes;
        let full = std::iter::repeat_n(whole, step.length / whole);
        let rest = (step.length % whole > 0).then_some(step.length % whole);
        full.chain(rest).chain(step.metadata.then_some(self.metadata_bytes)).collect()
    }

    /// Bytes that the step moves over the bus.
    pub fn bus_bytes(&self, step: &Step) -> usize {
        let parity = if self.is_coded(step) { self.parity_bytes() } else { 0 };
        self.payload_bytes(step) + parity * self.chunks(step).len()
    }

    /// The code words of a step that moves these data, and metadata behind them, scrambled.
    pub fn raw(&self, step: &Step, payload: &[u8]) -> Vec<u8> {
        let (mut raw, mut start) = (Vec::new(), 0);
        for bytes in self.chunks(step) {
            let chunk = &payload[start..start + bytes];
            start += bytes;
            raw.extend(chunk);
            if self.is_coded(step) {
                let mut parity = vec![0; self.parity_bytes()];
                self.bch.encode(chunk, &mut parity[..self.bch.parity_bytes()]);
                raw.extend(parity);
            }
        }
        self.scramble(step, &mut raw);
        raw
    }

    /// The data and metadata that raw bytes give, and the verdict.
    pub fn read(&self, step: &Step, raw: &[u8]) -> (Vec<u8>, Verdict) {
        let mut plain = raw.to_vec();
        self.scramble(step, &mut plain);
        if !self.is_coded(step) {
            return (plain, Verdict::clean());
        }
        let (mut data, mut words, mut start) = (Vec::new(), Vec::new(), 0);
        for bytes in self.chunks(step) {
            let end = start + bytes + self.parity_bytes();
            let zeros = self.zeros(&raw[start..end]);
            let (chunk, parity) = plain[start..end].split_at_mut(bytes);
            let mut decoded = self.decoded(chunk, parity);
            let is_erased = zeros <= self.bch.params().t;
            if is_erased {
                decoded = Decoded::Corrected(zeros);
                chunk.fill(0);
            }
            data.extend(&*chunk);
            words.push((decoded, is_erased));
            start = end;
        }
        (data, verdict(&words))
    }

    /// Chunks in which a decoder finds something to search for, a bit each. Of the tests that share this
    /// file, those of the channel ask.
    #[allow(dead_code)]
    pub fn dirty_chunks(&self, step: &Step, raw: &[u8]) -> u64 {
        if !self.is_coded(step) {
            return 0;
        }
        let mut plain = raw.to_vec();
        self.scramble(step, &mut plain);
        let (mut dirty, mut start) = (0, 0);
        for (at, bytes) in self.chunks(step).into_iter().enumerate() {
            let end = start + bytes + self.parity_bytes();
            let (chunk, parity) = plain[start..end].split_at_mut(bytes);
            let is_erased = self.zeros(&raw[start..end]) <= self.bch.params().t;
            let decoded = self.decoded(chunk, parity);
            dirty |= u64::from(!is_erased && decoded != Decoded::Clean) << at;
            start = end;
        }
        dirty
    }

    fn scramble(&self, step: &Step, bytes: &mut [u8]) {
        if self.has_codec && !step.plain {
            self.scrambler.apply(step.row, usize::from(step.column), bytes);
        }
    }

    /// Corrects a chunk by its parity as it came over the bus.
    fn decoded(&self, chunk: &mut [u8], parity: &mut [u8]) -> Decoded {
        let parity = &mut parity[..self.bch.parity_bytes()];
        self.bch.decode(chunk, parity, &mut self.bch.scratch())
    }

    /// Zero bits of a raw code word, but for those behind its parity.
    fn zeros(&self, word: &[u8]) -> u32 {
        let unused = (1 << self.unused_bits()) - 1;
        let zeros: u32 = word.iter().map(|byte| byte.count_zeros()).sum();
        let last = u16::from_be_bytes(*word.last_chunk().expect("a word of parity"));
        zeros - (!last & unused).count_ones()
    }
}

/// The verdict on a page, from its code words: what came of each, and whether it looks erased.
fn verdict(words: &[(Decoded, bool)]) -> Verdict {
    let erased = !words.is_empty() && words.iter().all(|&(_, is_erased)| is_erased);
    let mut verdict = Verdict { erased, ..Verdict::clean() };
    for &(decoded, is_erased) in words {
        match decoded {
            Decoded::Corrected(bits) if is_erased == erased => {
                verdict.corrected += bits;
                verdict.most = verdict.most.max(bits);
            }
            Decoded::Clean => {}
            _ => verdict.lost += 1,
        }
    }
    if verdict.lost > 0 {
        verdict.outcome = Outcome::Uncorrectable;
    }
    verdict
}
