//! What the spare area of a page says, as the tables of blocks have it.

use contract::{Lpn, Metadata, PageKind, UnitState};

/// Words that the metadata of a page of so many mapping units take in the table of its block.
pub(crate) const fn metadata_words(units: u32) -> usize {
    Metadata::bytes_saved(units as usize) / size_of::<u32>()
}

/// The first logical page of a page of data that are all there and follow each other, one for each of so many mapping
/// units.
#[inline]
pub(crate) fn first_of(metadata: &Metadata, units: u32) -> Option<Lpn> {
    let is_whole = metadata.kind == PageKind::Data && metadata.lpns.count() == units as usize;
    let (first, _) = metadata.lpns.iter().next().filter(|_| is_whole)?;
    let in_order = |(nth, unit): (usize, (Lpn, UnitState))| {
        unit == (Lpn(first.0.wrapping_add(nth as u32)), UnitState::Kept)
    };
    let follows = metadata.lpns.iter().enumerate().all(in_order);
    follows.then_some(first)
}

/// What the spare area says of a page of logical pages that follow each other, before anything was planned.
#[inline]
pub(crate) fn metadata_of(first: Lpn, units: u32) -> Metadata {
    let mut metadata = None;
    Metadata::put_run(&mut metadata, first, units);
    metadata.expect("it was put there")
}

/// Metadata as words; zeroes for none.
pub(crate) fn put_words(words: &mut [u32], metadata: Option<&Metadata>) {
    let mut bytes = [0; Metadata::bytes_saved(Metadata::MOST_UNITS)];
    let bytes = &mut bytes[..size_of_val(words)];
    if let Some(metadata) = metadata {
        metadata.emit(bytes);
    }
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
}

/// Metadata from words.
pub(crate) fn of_words(words: &[u32]) -> Option<Metadata> {
    let mut bytes = [0; Metadata::bytes_saved(Metadata::MOST_UNITS)];
    for (to, word) in bytes.chunks_exact_mut(size_of::<u32>()).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    Metadata::parse(&bytes[..size_of_val(words)])
}
