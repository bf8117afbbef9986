//! When the buffer has a page: the error correction behind the bus, chunk by chunk, as
//! `rtl/ecc/bch_decoder.sv` and `rtl/flash/page_path.sv`.

use contract::packet::Request;

use crate::bus::CodeWords;

/// How long the decoder takes, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecoderTiming {
    /// From the last word of a clean chunk to its first word on the way out.
    pub clean: u16,
    /// The same of a chunk with wrong bits.
    pub dirty: u16,
    /// From the last word out to the completion.
    pub verdict: u16,
    /// From the last word to the completion of a page that is not decoded.
    pub bypass: u16,
}

/// The decoder of a channel.
#[derive(Debug)]
pub struct Decoder {
    timing: DecoderTiming,
    code: CodeWords,
    /// When the last word out has left.
    free: u64,
}

impl Decoder {
    pub fn new(timing: DecoderTiming, code: CodeWords) -> Self {
        Self { timing, code, free: 0 }
    }

    /// The cycle in which the request of a page completes whose last word was asked for in `last_word`,
    /// words coming one in `word_cycles` cycles.
    pub fn complete(&mut self, page: Arrival) -> u64 {
        let Arrival { request, raw, dirty_chunks, last_word, word_cycles } = page;
        if raw || !request.coding.ecc {
            let at = last_word.max(self.free) + u64::from(self.timing.bypass);
            self.free = at;
            return at;
        }
        let words = u64::from(self.code.bus_bytes(request, false) / 2);
        let first_word = last_word + 1 - words * word_cycles;
        let parity = u64::from(self.code.parity_bytes / 2);
        let (mut came, mut left) = (0, request.length);
        for chunk in 0..request.length.div_ceil(self.code.chunk_bytes) {
            let data = left.min(self.code.chunk_bytes);
            left -= data;
            came += u64::from(data / 2) + parity;
            let dirty = dirty_chunks >> chunk.min(63) & 1 == 1;
            self.pass(first_word + came * word_cycles, u64::from(data / 2), dirty);
        }
        if request.coding.metadata {
            came += 2 + parity;
            self.pass(first_word + came * word_cycles, 2, false);
        }
        self.free + u64::from(self.timing.verdict)
    }

    /// A chunk whose last word came before the cycle `end`.
    fn pass(&mut self, end: u64, words: u64, dirty: bool) {
        let judged = if dirty { self.timing.dirty } else { self.timing.clean };
        self.free = self.free.max(end + u64::from(judged)) + words;
    }
}

/// A page that comes from the bus.
pub struct Arrival<'a> {
    pub request: &'a Request,
    /// Its words are neither coded nor scrambled, whatever the request says.
    pub raw: bool,
    pub dirty_chunks: u64,
    pub last_word: u64,
    pub word_cycles: u64,
}
