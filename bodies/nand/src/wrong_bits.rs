//! Where the wrong bits of a page are, and what a decoder makes of them.

use std::ops::Range;

use ecc::PageCodec;

use crate::random::Random;

/// Which bits of a page carry data and parity. Chunks of data come first, then one chunk of the
/// metadata.
#[derive(Clone, Copy)]
pub(crate) struct ChunkLayout {
    /// Chunks of user data, over all flash pages of a page.
    pub data_chunks: u32,
    /// Those of the last flash page, with which the metadata are read.
    pub last_chunks: u32,
    /// Bytes of data in a chunk.
    pub chunk_bytes: u32,
    /// Bytes of metadata, which have a chunk of their own.
    pub metadata_bytes: u32,
    /// Parity bits of a chunk.
    pub parity_bits: u32,
    /// Bits that can be corrected in a chunk.
    pub correctable_bits: u32,
}

/// A bit that is read as what was not programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongBit {
    /// Chunk of the page that has the bit; the last one is that of the metadata.
    pub chunk: u32,
    /// Its place in the chunk, data before parity.
    pub bit: u32,
}

/// What a decoder finds, as far as the number of wrong bits alone decides it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Wrong bits in chunks that can be corrected.
    pub corrected_bits: u32,
    /// Most wrong bits in one of those.
    pub most_bits: u32,
    /// Chunks with wrong bits.
    pub chunks_with_errors: u32,
    /// Chunks with more wrong bits than can be corrected.
    pub uncorrectable_chunks: u32,
    /// Whether the metadata is in one of those.
    pub metadata_lost: bool,
}

/// The wrong bits of one page, and what a decoder makes of them that sees some of its chunks.
#[derive(Clone)]
pub(crate) struct WrongBits {
    layout: ChunkLayout,
    /// The chunks that the decoder sees.
    seen: Range<u32>,
    bits: Vec<WrongBit>,
    per_chunk: Vec<u32>,
    /// A bit for each bit of the page, set where it is wrong.
    taken: Vec<u64>,
    verdict: Verdict,
}

impl ChunkLayout {
    /// Of pages of so many flash pages.
    pub fn new(codec: &PageCodec, flash_pages: u32) -> Self {
        let params = codec.code().params();
        let data_chunks = codec.chunks() as u32 - 1;
        Self {
            data_chunks,
            last_chunks: data_chunks / flash_pages,
            chunk_bytes: params.chunk_bytes as u32,
            metadata_bytes: codec.layout().metadata_bytes as u32,
            parity_bits: codec.code().parity_bits(),
            correctable_bits: params.t,
        }
    }

    /// Chunks of data and metadata.
    pub fn chunks(&self) -> u32 {
        self.data_chunks + 1
    }

    /// Bits of data and parity in a page.
    pub fn page_bits(&self) -> u32 {
        self.data_chunks * self.word_bits() + self.metadata_bytes * u8::BITS + self.parity_bits
    }

    fn word_bits(&self) -> u32 {
        self.chunk_bytes * u8::BITS + self.parity_bits
    }

    /// The chunks of a part of the page's data. Those of the whole page have that of the metadata.
    pub fn chunks_of(&self, offset: u32, length: u32) -> Range<u32> {
        let (first, count) = (offset / self.chunk_bytes, length / self.chunk_bytes);
        let metadata = first + count == self.data_chunks && count >= self.last_chunks;
        first..first + count + u32::from(metadata)
    }

    /// The bit that stands at a place of a raw page, counted over all of its bytes; none where nothing is.
    fn bit_at(&self, place: u32) -> Option<WrongBit> {
        let whole = (self.chunk_bytes + self.parity_bits.div_ceil(u8::BITS)) * u8::BITS;
        let chunk = (place / whole).min(self.data_chunks);
        let bits = match chunk < self.data_chunks {
            true => self.word_bits(),
            false => self.metadata_bytes * u8::BITS + self.parity_bits,
        };
        let bit = place - chunk * whole;
        (bit < bits).then_some(WrongBit { chunk, bit })
    }

    /// The byte of the page's data that a wrong bit lies in, unless it is in metadata or parity.
    pub fn data_byte(&self, wrong: WrongBit) -> Option<u32> {
        let in_data = wrong.chunk < self.data_chunks && wrong.bit < self.chunk_bytes * u8::BITS;
        in_data.then(|| wrong.chunk * self.chunk_bytes + wrong.bit / u8::BITS)
    }
}

impl WrongBits {
    pub fn new(layout: ChunkLayout) -> Self {
        Self {
            layout,
            seen: 0..0,
            bits: vec![],
            per_chunk: vec![0; layout.chunks() as usize],
            taken: vec![0; layout.page_bits().div_ceil(u64::BITS) as usize],
            verdict: Verdict::default(),
        }
    }

    /// Draws `count` different bits of the page in place of those before. A decoder sees these chunks.
    #[inline]
    pub fn draw(&mut self, count: u32, noise: Random, seen: Range<u32>) {
        if !self.bits.is_empty() {
            self.clear();
        }
        self.seen = seen;
        if count > 0 {
            self.scatter(count, noise);
        }
    }

    /// Takes these bits of the raw page, counted over all of its bytes, in place of those before. What lies beyond the
    /// code words does not count.
    pub fn set(&mut self, places: &[u32], seen: Range<u32>) {
        self.clear();
        self.seen = seen;
        let layout = self.layout;
        for bit in places.iter().filter_map(|&place| layout.bit_at(place)) {
            self.per_chunk[bit.chunk as usize] += 1;
            self.bits.push(bit);
        }
        self.judge();
    }

    /// Whether the decoder sees the metadata.
    #[inline]
    pub fn sees_metadata(&self) -> bool {
        self.seen.end > self.layout.data_chunks
    }

    /// The chunks that the decoder sees.
    pub fn seen(&self) -> Range<u32> {
        self.seen.clone()
    }

    /// The wrong bits of the page, in the order they were drawn.
    pub fn bits(&self) -> &[WrongBit] {
        &self.bits
    }

    /// Those in chunks that the decoder sees and cannot correct.
    pub fn uncorrectable_bits(&self) -> impl Iterator<Item = WrongBit> + '_ {
        let correctable = self.layout.correctable_bits;
        let stays = move |bit: &&WrongBit| {
            self.seen.contains(&bit.chunk) && self.per_chunk[bit.chunk as usize] > correctable
        };
        self.bits.iter().filter(stays).copied()
    }

    /// What a decoder makes of them.
    #[inline]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    pub fn layout(&self) -> &ChunkLayout {
        &self.layout
    }

    fn scatter(&mut self, count: u32, mut noise: Random) {
        let page_bits = self.layout.page_bits();
        let word_bits = self.layout.word_bits();
        while (self.bits.len() as u32) < count {
            let position = noise.below(page_bits);
            let (word, mask) = (position as usize / 64, 1 << (position % 64));
            if self.taken[word] & mask == 0 {
                self.taken[word] |= mask;
                let (chunk, bit) = (position / word_bits, position % word_bits);
                self.per_chunk[chunk as usize] += 1;
                self.bits.push(WrongBit { chunk, bit });
            }
        }
        self.judge();
    }

    fn judge(&mut self) {
        for &wrong in &self.per_chunk[self.seen.start as usize..self.seen.end as usize] {
            self.verdict.chunks_with_errors += u32::from(wrong > 0);
            if wrong <= self.layout.correctable_bits {
                self.verdict.corrected_bits += wrong;
                self.verdict.most_bits = self.verdict.most_bits.max(wrong);
            } else {
                self.verdict.uncorrectable_chunks += 1;
            }
        }
        let metadata = self.per_chunk[self.layout.data_chunks as usize];
        self.verdict.metadata_lost =
            self.sees_metadata() && metadata > self.layout.correctable_bits;
    }

    fn clear(&mut self) {
        let word_bits = self.layout.word_bits();
        for WrongBit { chunk, bit } in self.bits.drain(..) {
            self.taken[(chunk * word_bits + bit) as usize / 64] = 0;
        }
        self.per_chunk.fill(0);
        self.verdict = Verdict::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    const LAYOUT: ChunkLayout = ChunkLayout {
        data_chunks: 64,
        last_chunks: 64,
        chunk_bytes: 256,
        metadata_bytes: 4,
        parity_bits: 156,
        correctable_bits: 13,
    };

    #[test]
    fn bits_are_different_within_the_page_and_counted_by_chunk() {
        assert_eq!(LAYOUT.page_bits(), 64 * (2048 + 156) + 32 + 156);
        let mut wrong = WrongBits::new(LAYOUT);
        for count in [0, 1, 5, 800, 0, LAYOUT.page_bits() / 2, 3] {
            let noise = || Random::stream(1, Purpose::Faults, u64::from(count));
            wrong.draw(count, noise(), 0..65);
            let mut places: Vec<_> = wrong.bits().iter().map(|bit| (bit.chunk, bit.bit)).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len() as u32, count);
            let mut per_chunk = [0; 65];
            for (chunk, bit) in places {
                assert!(bit < if chunk == 64 { 32 } else { 2048 } + 156, "chunk {chunk}: {bit}");
                per_chunk[chunk as usize] += 1;
            }
            for (offset, length) in [(0, 16_384), (0, 4096), (8192, 256), (12_288, 4096)] {
                let seen = LAYOUT.chunks_of(offset, length);
                wrong.draw(count, noise(), seen.clone());
                let chunks = &per_chunk[seen.start as usize..seen.end as usize];
                let of = |keep: fn(u32) -> bool| chunks.iter().filter(move |n| keep(**n));
                let expected = Verdict {
                    corrected_bits: of(|n| n <= 13).sum(),
                    most_bits: of(|n| n <= 13).max().copied().unwrap_or(0),
                    chunks_with_errors: of(|n| n > 0).count() as u32,
                    uncorrectable_chunks: of(|n| n > 13).count() as u32,
                    metadata_lost: length == 16_384 && per_chunk[64] > 13,
                };
                assert_eq!(wrong.verdict(), expected, "{count} bits, chunks {seen:?}");
                let uncorrectable = wrong.uncorrectable_bits().count() as u32;
                assert_eq!(uncorrectable, of(|n| n > 13).sum::<u32>());
            }
        }
    }

    #[test]
    fn fewer_bits_of_the_same_noise_are_a_part_of_the_same_bits() {
        let noise = Random::stream(1, Purpose::Faults, 0);
        let mut wrong = WrongBits::new(LAYOUT);
        wrong.draw(100, noise, 0..65);
        let all = wrong.bits().to_vec();
        wrong.draw(50, noise, 0..65);
        assert_eq!(wrong.bits(), &all[..50]);
    }

    #[test]
    fn a_part_has_its_chunks_and_the_page_that_of_the_metadata_too() {
        assert_eq!(LAYOUT.chunks_of(4096, 4096), 16..32);
        assert_eq!(LAYOUT.chunks_of(12_288, 4096), 48..64);
        assert_eq!(LAYOUT.chunks_of(0, 16_384), 0..65);
        // Two flash pages: the last one has it.
        let halves = ChunkLayout { last_chunks: 32, ..LAYOUT };
        assert_eq!(halves.chunks_of(0, 8192), 0..32);
        assert_eq!(halves.chunks_of(8192, 8192), 32..65);
        assert_eq!(halves.chunks_of(12_288, 4096), 48..64);
    }

    #[test]
    fn data_bytes_are_those_of_the_chunk() {
        let byte = |chunk, bit| LAYOUT.data_byte(WrongBit { chunk, bit });
        assert_eq!(byte(0, 0), Some(0));
        assert_eq!(byte(3, 17), Some(3 * 256 + 2));
        assert_eq!(byte(63, 2047), Some(16383));
        assert_eq!(byte(63, 2048), None, "parity");
        assert_eq!(byte(64, 0), None, "metadata");
    }
}
