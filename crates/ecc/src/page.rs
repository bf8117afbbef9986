//! The codec of a whole page: data in chunks, metadata and parity in the spare area.

use crate::bch::{Bch, Decoded, Scratch};
use core::fmt;

/// The areas of a page that the codec works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLayout {
    /// Bytes of the data area: a whole number of chunks.
    pub data_bytes: usize,
    /// Bytes of the spare area.
    pub spare_bytes: usize,
    /// Bytes at the start of the spare area that hold metadata, which is protected like data.
    pub metadata_bytes: usize,
}

/// Encodes and decodes pages.
///
/// The spare area holds, in this order: the metadata; the parity of each data chunk, the first
/// chunk first; the parity of each metadata chunk (chunks of the same size, the last one as short
/// as it comes); bytes that the codec neither reads nor writes.
#[derive(Clone, Debug)]
pub struct PageCodec {
    code: Bch,
    layout: PageLayout,
    /// First byte after the last parity, in the spare area.
    parity_end: usize,
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
        /// Bytes of a chunk.
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
    /// Lays out the parity of `code` in pages of `layout`.
    pub fn new(code: Bch, layout: PageLayout) -> Result<Self, PageError> {
        let PageLayout { data_bytes, spare_bytes, metadata_bytes } = layout;
        let chunk_bytes = code.params().chunk_bytes;
        if data_bytes == 0 || data_bytes % chunk_bytes != 0 {
            return Err(PageError::PartialChunk { data_bytes, chunk_bytes });
        }
        let chunks = data_bytes / chunk_bytes + metadata_bytes.div_ceil(chunk_bytes);
        let needed_bytes =
            chunks.saturating_mul(code.parity_bytes()).saturating_add(metadata_bytes);
        if needed_bytes > spare_bytes {
            return Err(PageError::SpareTooSmall { spare_bytes, needed_bytes });
        }
        Ok(Self { code, layout, parity_end: needed_bytes })
    }

    /// The code of a chunk.
    pub fn code(&self) -> &Bch {
        &self.code
    }

    /// The layout the codec was built for.
    pub fn layout(&self) -> PageLayout {
        self.layout
    }

    /// Where the parity lies in the spare area.
    pub fn parity_range(&self) -> core::ops::Range<usize> {
        self.layout.metadata_bytes..self.parity_end
    }

    /// Chunks of a page, those of the metadata included.
    pub fn chunks(&self) -> usize {
        self.parity_range().len() / self.code.parity_bytes()
    }

    /// Working memory for [`PageCodec::decode`].
    pub fn scratch(&self) -> Scratch {
        self.code.scratch()
    }

    /// Writes the parity of `data` and of the metadata in `spare` into `spare`. Both slices have
    /// the sizes of the layout.
    pub fn encode(&self, data: &[u8], spare: &mut [u8]) {
        self.assert_sizes(data, spare);
        let (metadata, parity) = spare[..self.parity_end].split_at_mut(self.layout.metadata_bytes);
        let chunk_bytes = self.code.params().chunk_bytes;
        let chunks = data.chunks(chunk_bytes).chain(metadata.chunks(chunk_bytes));
        for (chunk, parity) in chunks.zip(parity.chunks_exact_mut(self.code.parity_bytes())) {
            self.code.encode(chunk, parity);
        }
    }

    /// Corrects a page in place. Both slices have the sizes of the layout. An erased page is no
    /// code word: ask [`PageCodec::erased`] first.
    pub fn decode(&self, data: &mut [u8], spare: &mut [u8], scratch: &mut Scratch) -> PageReport {
        self.assert_sizes(data, spare);
        let (metadata, parity) = spare[..self.parity_end].split_at_mut(self.layout.metadata_bytes);
        let chunk_bytes = self.code.params().chunk_bytes;
        let chunks = data.chunks_mut(chunk_bytes).chain(metadata.chunks_mut(chunk_bytes));
        let mut report = PageReport::default();
        for (chunk, parity) in chunks.zip(parity.chunks_exact_mut(self.code.parity_bytes())) {
            report.add(self.code.decode(chunk, parity, scratch));
        }
        report
    }

    /// Whether a page as the chip delivers it, before descrambling, was erased and not programmed
    /// since: each chunk with its parity is all ones but for at most t bits. Returns the number of
    /// zero bits in all chunks, or `None` for a page that was programmed.
    ///
    /// Code words close to all ones would be mistaken, but only if every chunk of the page is one.
    pub fn erased(&self, data: &[u8], spare: &[u8]) -> Option<u32> {
        self.assert_sizes(data, spare);
        let (metadata, parity) = spare[..self.parity_end].split_at(self.layout.metadata_bytes);
        let chunk_bytes = self.code.params().chunk_bytes;
        let chunks = data.chunks(chunk_bytes).chain(metadata.chunks(chunk_bytes));
        chunks.zip(parity.chunks_exact(self.code.parity_bytes())).try_fold(
            0,
            |flipped, (chunk, parity)| {
                let zeros = zero_bits(chunk) + self.zero_parity_bits(parity);
                (zeros <= self.code.params().t).then_some(flipped + zeros)
            },
        )
    }

    fn zero_parity_bits(&self, parity: &[u8]) -> u32 {
        let unused = parity.last().map_or(0, |last| !last & self.code.unused_parity_mask());
        zero_bits(parity) - unused.count_ones()
    }

    fn assert_sizes(&self, data: &[u8], spare: &[u8]) {
        assert_eq!(data.len(), self.layout.data_bytes, "data area of the wrong size");
        assert_eq!(spare.len(), self.layout.spare_bytes, "spare area of the wrong size");
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

fn zero_bits(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| byte.count_zeros()).sum()
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
