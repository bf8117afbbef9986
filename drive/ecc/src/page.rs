//! The codec of a whole page: code words one after the other, as they go over the bus.

use crate::bch::{Bch, Decoded, Scratch};
use core::fmt;
use core::ops::Range;

/// The areas of a page, as their user sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLayout {
    /// Bytes of data: a whole number of chunks.
    pub data_bytes: usize,
    /// Bytes of the page beyond those.
    pub spare_bytes: usize,
    /// Bytes of metadata, which are protected like data.
    pub metadata_bytes: usize,
}

/// Encodes and decodes pages.
///
/// A *raw* page is what the chip keeps: a code word for each chunk of data, the first chunk first;
/// one for each chunk of the metadata (chunks of the same size, the last one as short as it comes);
/// bytes that the codec neither reads nor writes. A code word is a chunk with its parity behind
/// it.
#[derive(Clone, Debug)]
pub struct PageCodec {
    code: Bch,
    layout: PageLayout,
}

/// What a page carries, before it is encoded.
#[derive(Clone, Copy, Debug)]
pub struct PagePayload<'a> {
    /// As many bytes as the layout has of data.
    pub data: &'a [u8],
    /// As many bytes as the layout has of metadata.
    pub metadata: &'a [u8],
}

/// Room for what a page carries.
#[derive(Debug)]
pub struct PagePayloadMut<'a> {
    /// As many bytes as the layout has of data.
    pub data: &'a mut [u8],
    /// As many bytes as the layout has of metadata.
    pub metadata: &'a mut [u8],
}

/// What decoding a page gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageReport {
    /// Bits corrected in all chunks, parity included. Chunks that failed add nothing.
    pub corrected_bits: u32,
    /// The most bits corrected in one chunk.
    pub max_chunk_bits: u32,
    /// Chunks that were not clean, those that failed included.
    pub chunks_with_errors: u32,
    /// Chunks that could not be corrected and are as they came. The others are corrected still.
    pub uncorrectable_chunks: u32,
}

/// Why a page layout does not suit a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageError {
    /// The data area is empty or not a whole number of chunks.
    PartialChunk {
        /// Bytes of the data area.
        data_bytes: usize,
        /// Bytes of data that a code word of the code protects.
        chunk_bytes: usize,
    },
    /// The spare area does not hold metadata and parity.
    SpareTooSmall {
        /// Bytes of the spare area.
        spare_bytes: usize,
        /// Bytes that metadata and parity need.
        needed_bytes: usize,
    },
}

impl PageCodec {
    /// Lays out the code words of `code` in pages of `layout`.
    pub fn new(code: Bch, layout: PageLayout) -> Result<Self, PageError> {
        let PageLayout { data_bytes, spare_bytes, metadata_bytes } = layout;
        let chunk_bytes = code.params().chunk_bytes;
        if data_bytes == 0 || data_bytes % chunk_bytes != 0 {
            return Err(PageError::PartialChunk { data_bytes, chunk_bytes });
        }
        let codec = Self { code, layout };
        let parity_bytes = codec.chunks().saturating_mul(codec.code.parity_bytes());
        let needed_bytes = parity_bytes.saturating_add(metadata_bytes);
        if needed_bytes > spare_bytes {
            return Err(PageError::SpareTooSmall { spare_bytes, needed_bytes });
        }
        Ok(codec)
    }

    /// The code of a chunk.
    pub fn code(&self) -> &Bch {
        &self.code
    }

    /// The layout the codec was built for.
    pub fn layout(&self) -> PageLayout {
        self.layout
    }

    /// Bytes of a raw page.
    pub fn raw_bytes(&self) -> usize {
        self.layout.data_bytes + self.layout.spare_bytes
    }

    /// Chunks of a page, those of the metadata included.
    pub fn chunks(&self) -> usize {
        let chunk_bytes = self.code.params().chunk_bytes;
        self.layout.data_bytes / chunk_bytes + self.layout.metadata_bytes.div_ceil(chunk_bytes)
    }

    /// Where the code word of a chunk lies in a raw page, its parity included.
    pub fn code_word(&self, chunk: usize) -> Range<usize> {
        let Range { start, end } = self.chunk(chunk);
        let parity_bytes = self.code.parity_bytes();
        start + chunk * parity_bytes..end + (chunk + 1) * parity_bytes
    }

    /// Working memory for [`PageCodec::decode`].
    pub fn scratch(&self) -> Scratch {
        self.code.scratch()
    }

    /// Writes the code words of a page into a raw one.
    pub fn encode(&self, page: PagePayload<'_>, raw: &mut [u8]) {
        let PagePayload { data, metadata } = page;
        self.assert_sizes(data, metadata);
        self.assert_raw(raw);
        let chunk_bytes = self.code.params().chunk_bytes;
        let chunks = data.chunks(chunk_bytes).chain(metadata.chunks(chunk_bytes));
        for (index, chunk) in chunks.enumerate() {
            let word = &mut raw[self.code_word(index)];
            let (copy, parity) = word.split_at_mut(chunk.len());
            copy.copy_from_slice(chunk);
            self.code.encode(chunk, parity);
        }
    }

    /// Corrects a raw page in place, and takes out what it carries. An erased page is no code
    /// word: ask [`PageCodec::erased`] first.
    pub fn decode(
        &self,
        raw: &mut [u8],
        into: PagePayloadMut<'_>,
        scratch: &mut Scratch,
    ) -> PageReport {
        let PagePayloadMut { data, metadata } = into;
        self.assert_sizes(data, metadata);
        let chunk_bytes = self.code.params().chunk_bytes;
        let chunks = data.chunks_mut(chunk_bytes).chain(metadata.chunks_mut(chunk_bytes));
        self.decode_chunks(raw, (0..).zip(chunks), scratch)
    }

    /// The same for a part of the data: the chunks from `first` on that fill `data`; and with the last of them the metadata, if
    /// those are not empty. The rest of the raw page is not looked at.
    pub fn decode_part(
        &self,
        raw: &mut [u8],
        (first, into): (usize, PagePayloadMut<'_>),
        scratch: &mut Scratch,
    ) -> PageReport {
        let PagePayloadMut { data, metadata } = into;
        let chunk_bytes = self.code.params().chunk_bytes;
        assert_eq!(data.len() % chunk_bytes, 0, "a part is a whole number of chunks");
        let is_last = first * chunk_bytes + data.len() == self.layout.data_bytes;
        assert!(is_last || metadata.is_empty(), "metadata stand behind the last chunk");
        let chunks = data.chunks_mut(chunk_bytes).chain(metadata.chunks_mut(chunk_bytes));
        self.decode_chunks(raw, (first..).zip(chunks), scratch)
    }

    fn decode_chunks<'a>(
        &self,
        raw: &mut [u8],
        chunks: impl Iterator<Item = (usize, &'a mut [u8])>,
        scratch: &mut Scratch,
    ) -> PageReport {
        self.assert_raw(raw);
        let mut report = PageReport::default();
        for (index, chunk) in chunks {
            let word = &mut raw[self.code_word(index)];
            let (corrected, parity) = word.split_at_mut(chunk.len());
            report.add(self.code.decode(corrected, parity, scratch));
            chunk.copy_from_slice(corrected);
        }
        report
    }

    /// Whether a raw page, before descrambling, was erased and not programmed since: each code word
    /// is all ones but for at most t bits. Returns the number of zero bits in all code words, or
    /// `None` for a page that was programmed.
    ///
    /// Code words close to all ones would be mistaken, but only if every one of the page is.
    pub fn erased(&self, raw: &[u8]) -> Option<u32> {
        self.erased_part(raw, 0..self.chunks())
    }

    /// The same of the code words of these chunks alone.
    pub fn erased_part(&self, raw: &[u8], mut chunks: Range<usize>) -> Option<u32> {
        self.assert_raw(raw);
        chunks.try_fold(0, |flipped, chunk| {
            let zeros = self.zero_bits(&raw[self.code_word(chunk)]);
            (zeros <= self.code.params().t).then_some(flipped + zeros)
        })
    }

    /// Where a chunk lies in data and metadata together.
    fn chunk(&self, chunk: usize) -> Range<usize> {
        let chunk_bytes = self.code.params().chunk_bytes;
        let PageLayout { data_bytes, metadata_bytes, .. } = self.layout;
        let start = chunk * chunk_bytes;
        assert!(start < data_bytes + metadata_bytes, "no chunk {chunk} in the page");
        start..(start + chunk_bytes).min(data_bytes + metadata_bytes)
    }

    /// Zero bits of a code word; those behind the last parity bit do not count.
    fn zero_bits(&self, word: &[u8]) -> u32 {
        let zeros: u32 = word.iter().map(|byte| byte.count_zeros()).sum();
        let unused = word.last().map_or(0, |last| !last & self.code.unused_parity_mask());
        zeros - unused.count_ones()
    }

    fn assert_sizes(&self, data: &[u8], metadata: &[u8]) {
        assert_eq!(data.len(), self.layout.data_bytes, "data of the wrong size");
        assert_eq!(metadata.len(), self.layout.metadata_bytes, "metadata of the wrong size");
    }

    fn assert_raw(&self, raw: &[u8]) {
        assert_eq!(raw.len(), self.raw_bytes(), "raw page of the wrong size");
    }
}

impl PageReport {
    /// Whether the page lost data.
    pub fn is_uncorrectable(&self) -> bool {
        self.uncorrectable_chunks > 0
    }

    fn add(&mut self, chunk: Decoded) {
        match chunk {
            Decoded::Clean => {}
            Decoded::Corrected(bits) => {
                self.corrected_bits += bits;
                self.max_chunk_bits = self.max_chunk_bits.max(bits);
                self.chunks_with_errors += 1;
            }
            Decoded::Uncorrectable => {
                self.chunks_with_errors += 1;
                self.uncorrectable_chunks += 1;
            }
        }
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PartialChunk { data_bytes, chunk_bytes } => write!(
                f,
                "page data_bytes: found {data_bytes}, expected a multiple of the ECC chunk of \
                 {chunk_bytes} bytes"
            ),
            Self::SpareTooSmall { spare_bytes, needed_bytes } => write!(
                f,
                "page spare_bytes: found {spare_bytes}, expected at least {needed_bytes} for \
                 metadata and parity"
            ),
        }
    }
}

impl core::error::Error for PageError {}
