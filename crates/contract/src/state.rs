//! Large tables in a snapshot: stretches of zeroes take no room there, nor memory when they are read.

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
/// Those of the writer.
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

/// Reads a table that [`put_words`] has written.
///
/// # Errors
/// Those of the reader, and when there is no such stretch.
pub fn take_words<R: Read>(reader: &mut R) -> Result<Vec<u32>> {
    let strange = |what| Error::new(ErrorKind::InvalidData, what);
    let length = usize::try_from(u64::deserialize_reader(reader)?);
    let mut words = vec![0; length.map_err(|_| strange("words of a table"))?];
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
            assert_eq!(take_words(&mut &written[..]).expect("it is whole"), table);
            for length in 0..written.len() {
                assert!(take_words(&mut &written[..length]).is_err(), "{words}: {length} bytes");
            }
        }
    }

    #[test]
    fn a_stretch_behind_the_end_is_refused() {
        let mut written = Vec::new();
        for number in [2000, 2, END] {
            number.serialize(&mut written).expect("memory takes all");
        }
        assert!(take_words(&mut &written[..]).is_err());
    }
}
