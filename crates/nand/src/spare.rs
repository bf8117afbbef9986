//! What the spare area of a page says, as the tables of blocks have it.

use contract::{Lpn, Metadata, PageKind, UnitState};

/// Words that the metadata of a page take in the table of its block.
pub(crate) const METADATA_WORDS: usize = METADATA_BYTES / size_of::<u32>();
/// Bytes of the metadata of a page.
pub(crate) const METADATA_BYTES: usize = Metadata::bytes(1);

/// The logical page of a page of data that is there.
pub(crate) fn lpn_of(metadata: &Metadata) -> Option<Lpn> {
    match (metadata.kind, metadata.lpns.iter().next()) {
        (PageKind::Data, Some((lpn, UnitState::Kept))) => Some(lpn),
        _ => None,
    }
}

/// Metadata as words; zeroes for none.
pub(crate) fn words(metadata: Option<&Metadata>) -> [u32; METADATA_WORDS] {
    let mut bytes = [0; METADATA_BYTES];
    if let Some(metadata) = metadata {
        metadata.emit(&mut bytes);
    }
    core::array::from_fn(|nth| {
        let at = nth * size_of::<u32>();
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    })
}

/// Metadata from words.
pub(crate) fn of_words(words: &[u32]) -> Option<Metadata> {
    let mut bytes = [0; METADATA_BYTES];
    for (to, word) in bytes.chunks_exact_mut(size_of::<u32>()).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    Metadata::parse(&bytes)
}
