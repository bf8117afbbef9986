//! What the spare area of a page says.

use contract::{Lpn, Metadata};

/// What the spare area of a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spare {
    /// The logical page, as firmware that expects one compares it.
    pub lpn: Lpn,
    /// The rest, on drives that find their map again after a power loss.
    pub metadata: Option<Metadata>,
}

impl From<Lpn> for Spare {
    fn from(lpn: Lpn) -> Self {
        Spare { lpn, metadata: None }
    }
}

/// Words that the metadata of a page take in the table of its block.
pub(crate) const METADATA_WORDS: usize = Metadata::BYTES / size_of::<u32>();

/// Metadata as words; zeroes for none.
pub(crate) fn words(metadata: Option<&Metadata>) -> [u32; METADATA_WORDS] {
    let bytes = metadata.map_or([0; Metadata::BYTES], Metadata::emit);
    core::array::from_fn(|nth| {
        let at = nth * size_of::<u32>();
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    })
}

/// Metadata from words.
pub(crate) fn of_words(words: &[u32]) -> Option<Metadata> {
    let mut bytes = [0; Metadata::BYTES];
    for (to, word) in bytes.chunks_exact_mut(size_of::<u32>()).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    Metadata::parse(&bytes)
}
