//! What snapshots of a drive need of its types: large tables, of which stretches of zeroes take no room in the file, nor memory
//! when they are read; and the check of a state that was read. A state may be made by hand, so nothing in it is believed before.

use alloc::vec;
use alloc::vec::Vec;

use borsh::io::{Error, ErrorKind, Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};

/// Words that are written together, or left out together: a page of memory.
const STRETCH: usize = 1024;
/// The number of no stretch.
const END: u64 = u64::MAX;

/// Writes a table of so many words, which comes in parts: how many words, then number and words of each stretch of 1,024 that is not zero, and 2^64 - 1. All are
/// little-endian, a number is 8 bytes, a word 4.
///
/// # Errors
/// Errors of the writer.
pub fn put_words<'a, W: Write>(
    count: usize,
    parts: impl Iterator<Item = &'a [u32]>,
    writer: &mut W,
) -> Result<()> {
    (count as u64).serialize(writer)?;
    let (mut stretch, mut filled, mut nth) = ([0; STRETCH], 0, 0_u64);
    for mut part in parts {
        while !part.is_empty() {
            let (now, later) = part.split_at(part.len().min(STRETCH - filled));
            stretch[filled..filled + now.len()].copy_from_slice(now);
            (part, filled) = (later, filled + now.len());
            if filled == STRETCH {
                put_stretch(nth, &stretch, writer)?;
                (nth, filled) = (nth + 1, 0);
            }
        }
    }
    put_stretch(nth, &stretch[..filled], writer)?;
    END.serialize(writer)
}

/// Writes a stretch if it is not zero.
fn put_stretch<W: Write>(nth: u64, stretch: &[u32], writer: &mut W) -> Result<()> {
    if stretch.iter().all(|&word| word == 0) {
        return Ok(());
    }
    nth.serialize(writer)?;
    let mut bytes = [0; 4 * STRETCH];
    let bytes = &mut bytes[..4 * stretch.len()];
    for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(stretch) {
        *to = word.to_le_bytes();
    }
    writer.write_all(bytes)
}

/// Reads a table that [`put_words`] has written, of `most` words at most: memory is taken for as many as it says it has, and
/// zeroes among them take no bytes of the file.
///
/// # Errors
/// Errors of the reader, and an error when there are more words or no such stretch.
pub fn take_words<R: Read>(most: usize, reader: &mut R) -> Result<Vec<u32>> {
    let length = usize::try_from(u64::deserialize_reader(reader)?).unwrap_or(usize::MAX);
    if length > most {
        return Err(strange("a table of more words than a drive has"));
    }
    let mut words = vec![0; length];
    let mut bytes = [0; 4 * STRETCH];
    loop {
        let nth = u64::deserialize_reader(reader)?;
        if nth == END {
            return Ok(words);
        }
        let stretch = words.chunks_mut(STRETCH).nth(nth as usize);
        let stretch = stretch.ok_or_else(|| strange("number of a stretch"))?;
        let bytes = &mut bytes[..4 * stretch.len()];
        reader.read_exact(bytes)?;
        for (word, from) in stretch.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*from);
        }
    }
}

/// A part of a drive whose state is checked after it was read.
pub trait Sound {
    /// Whether it may be of a drive at rest: tables are as large as the tables of `new`, which has just got power and is of the
    /// same board; numbers lead to entries that are there; lists end.
    ///
    /// # Errors
    /// A line that says what is wrong.
    fn sound(&self, new: &Self) -> Result<()>;
}

/// The error of a state that no drive of its board has.
pub fn strange(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

/// Refuses a state, as `what`, unless this holds of it.
///
/// # Errors
/// In that case.
pub fn expect(holds: bool, what: &'static str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(strange(what))
    }
}

/// Follows a list through a table of so many entries, and counts the entries of the list. `behind` tells which entry comes
/// behind another entry, and refuses an entry that does not belong there; 2^32 - 1 ends the list.
///
/// # Errors
/// When the list leaves the table or has no end, and the errors of `behind`.
pub fn follow(
    first: u32,
    entries: usize,
    mut behind: impl FnMut(u32) -> Result<u32>,
) -> Result<usize> {
    let (mut at, mut count) = (first, 0);
    while at != u32::MAX {
        expect((at as usize) < entries, "a list that leaves its table")?;
        expect(count < entries, "a list without an end")?;
        count += 1;
        at = behind(at)?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_back_and_zeroes_take_no_room() {
        for (words, set) in [(0, &[][..]), (1, &[0]), (5000, &[]), (5000, &[7, 1024, 4999])] {
            let mut table = vec![0; words];
            set.iter().for_each(|&at| table[at] = at as u32 + 0x0102_0304);
            let mut written = Vec::new();
            put_words(words, table.chunks(640), &mut written).expect("memory takes all");
            assert!(written.len() <= 16 + set.len() * (8 + 4 * STRETCH), "{words}");
            assert_eq!(take_words(words, &mut &written[..]).expect("it is whole"), table);
            for length in 0..written.len() {
                assert!(
                    take_words(words, &mut &written[..length]).is_err(),
                    "{words}: {length} bytes"
                );
            }
        }
    }

    #[test]
    fn a_stretch_behind_the_end_is_refused() {
        let mut written = Vec::new();
        for number in [2000, 2, END] {
            number.serialize(&mut written).expect("memory takes all");
        }
        assert!(take_words(2000, &mut &written[..]).is_err());
    }

    #[test]
    fn a_table_takes_no_more_memory_than_it_may() {
        let mut written = Vec::new();
        for number in [1 << 33, END] {
            number.serialize(&mut written).expect("memory takes all");
        }
        assert!(take_words(1 << 20, &mut &written[..]).is_err());
    }

    #[test]
    fn a_list_ends_within_its_table() {
        let next = [2, u32::MAX, 1, 3, 9];
        let behind = |at: u32| Ok(next[at as usize]);
        assert_eq!(follow(0, 5, behind).expect("0, 2, 1"), 3);
        assert_eq!(follow(u32::MAX, 5, behind).expect("an empty one"), 0);
        for first in [3, 4, 5] {
            assert!(follow(first, 5, behind).is_err(), "{first}");
        }
    }
}
