//! What the spare area of a page says.

use contract::{Lpn, Lpns, Metadata, PageKind, UnitState};

use crate::Transferred;

/// What the spare area of a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spare {
    /// The logical page, as firmware that expects one compares it.
    pub lpn: Lpn,
    /// The rest, on drives that find their map again after a power loss.
    pub metadata: Option<Metadata>,
}

impl Spare {
    /// That of a page that was there before the run.
    pub(crate) fn prior(lpn: Lpn) -> Self {
        let (kind, lpns) = (PageKind::Data, Lpns::one(lpn));
        Spare { lpn, metadata: Some(Metadata { kind, epoch: 0, sequence: 0, lpns }) }
    }

    /// The logical page of a page of data that is there.
    pub(crate) fn lpn_of(metadata: &Metadata) -> Lpn {
        match (metadata.kind, metadata.lpns.iter().next()) {
            (PageKind::Data, Some((lpn, UnitState::Kept))) => lpn,
            _ => Transferred::NO_SPARE,
        }
    }
}

impl From<Lpn> for Spare {
    fn from(lpn: Lpn) -> Self {
        Spare { lpn, metadata: None }
    }
}

/// Words that the metadata of a page take in the table of its block.
pub(crate) const METADATA_WORDS: usize = METADATA_BYTES / size_of::<u32>();
/// Bytes of the metadata of a page.
pub(crate) const METADATA_BYTES: usize = Metadata::bytes(1);

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
