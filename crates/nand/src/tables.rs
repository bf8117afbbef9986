//! The tables of blocks in a snapshot.

use borsh::io::{Error, ErrorKind, Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use contract::state::{put_words, take_words};
use sparse::Parts;

/// Writes tables of one length: that length in words, and all words as [`put_words`] has them.
///
/// # Errors
/// Those of the writer.
pub(crate) fn put_tables<W: Write>(tables: &Parts<u32>, writer: &mut W) -> Result<()> {
    (tables.each() as u64).serialize(writer)?;
    put_words(tables.len(), tables.iter(), writer)
}

/// Reads them.
///
/// # Errors
/// Those of the reader, and when they are no whole tables.
pub(crate) fn take_tables<R: Read>(reader: &mut R) -> Result<Parts<u32>> {
    let each = u64::deserialize_reader(reader)?;
    let words = take_words(reader)?;
    match usize::try_from(each) {
        Ok(each) if each > 0 && words.len() % each == 0 => Ok(Parts::new(each, words)),
        _ => Err(Error::new(ErrorKind::InvalidData, "words of a block's table")),
    }
}
