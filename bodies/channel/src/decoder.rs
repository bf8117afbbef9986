//! When the buffer has a page: the error correction behind the bus, chunk by chunk, as
//! `rtl/ecc/bch_decoder.sv` and `rtl/flash/page_store.sv`.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::{CodeWords, Request};

/// How long the decoder takes, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct DecoderTiming {
    /// From the last word of a chunk until it is judged, and a clean one can leave.
    pub judge: u16,
    /// From the first syndrome of a dirty chunk until its locator is there.
    pub solve: u16,
    /// From the last word that was searched until the chunk can leave.
    pub correct: u16,
    /// From the last word of a page to its completion.
    pub verdict: u16,
}

/// The decoder of a channel. Times are cycles.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Decoder {
    timing: DecoderTiming,
    code: CodeWords,
    /// When another chunk can leave.
    free: u64,
    /// When the search can be given another chunk, and when it can begin with that.
    search_free: u64,
    search_over: u64,
}

/// A page that comes from the bus.
pub struct Arrival<'a> {
    pub request: &'a Request,
    /// Its words are neither coded nor scrambled, whatever the request says.
    pub raw: bool,
    pub dirty_chunks: u64,
    /// The cycle behind that in which the last word has come, and the cycles that a word takes.
    pub last_word: u64,
    pub word_cycles: u64,
}

impl Decoder {
    pub fn new(timing: DecoderTiming, code: CodeWords) -> Self {
        Self { timing, code, free: 0, search_free: 0, search_over: 0 }
    }

    /// The cycle in which the request of a page completes.
    pub fn complete(&mut self, page: Arrival) -> u64 {
        let Arrival { request, raw, last_word, word_cycles, .. } = page;
        let words = u64::from(self.code.bus_bytes(request, raw) / 2);
        let before = last_word - words * word_cycles;
        let coded = request.coding.ecc && !raw;
        let chunk_words = u64::from(self.code.chunk_bytes / 2);
        let parity = if coded { u64::from(self.code.parity_bytes / 2) } else { 0 };
        // Words that are not coded are cut into chunks all the same, those of the metadata too.
        let metadata = u64::from(self.code.metadata_of(request, raw) / 2);
        let together = if coded { 0 } else { metadata };
        let (mut came, mut left) = (0, u64::from(request.length / 2) + together);
        let mut chunk = 0;
        while left > 0 {
            let data = left.min(chunk_words);
            left -= data;
            came += data + parity;
            let dirty = coded && page.dirty_chunks >> chunk & 1 == 1;
            self.pass(before + came * word_cycles, data, dirty);
            chunk = (chunk + 1).min(63);
        }
        if metadata > 0 && coded {
            let dirty = page.dirty_chunks >> chunk & 1 == 1;
            self.pass(last_word, metadata, dirty);
        }
        // The last word stands in front of the buffer for a cycle.
        let at = self.free + u64::from(self.timing.verdict) + 1;
        self.free = at + 1;
        at
    }

    /// A chunk whose last word came in the cycle `end`.
    fn pass(&mut self, end: u64, words: u64, dirty: bool) {
        let judged = end + u64::from(self.timing.judge);
        if !dirty {
            self.free = self.free.max(judged) + words;
            return;
        }
        let searched = words + u64::from(self.code.parity_bytes / 2);
        let begin = judged.max(self.search_free) + u64::from(self.timing.solve);
        let begin = begin.max(self.search_over);
        self.search_free = begin + 1;
        self.search_over = begin + searched;
        let found = self.search_over + u64::from(self.timing.correct);
        self.free = self.free.max(found) + 1 + words;
    }
}
