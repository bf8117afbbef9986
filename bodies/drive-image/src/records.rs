//! Records of blocks and pages. All zero stands for one that was never written.

use crc32fast::Hasher;

use crate::layout::BLOCK_BYTES;

/// Erases of a block at most: ten times what any flash endures. Tables of the chips have a row for each erase.
pub(crate) const MOST_ERASES: u32 = 1 << 20;

/// What is kept of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockRecord {
    /// Erases that it went through.
    pub erases: u32,
    /// Whether an erase was cut off since.
    pub torn: bool,
}

impl BlockRecord {
    pub(crate) fn emit(self, block: u32) -> [u8; BLOCK_BYTES as usize] {
        let mut bytes = [0; BLOCK_BYTES as usize];
        bytes[..4].copy_from_slice(&self.erases.to_le_bytes());
        bytes[4..8].copy_from_slice(&u32::from(self.torn).to_le_bytes());
        let check = crc((u64::from(block), KIND_BLOCK), &bytes[..12]);
        bytes[12..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// `None` if it is damaged, or tells of more erases than a block has.
    pub(crate) fn parse(block: u32, bytes: &[u8]) -> Option<Self> {
        if bytes.iter().all(|&byte| byte == 0) {
            return Some(BlockRecord::default());
        }
        let sound = word(bytes, 12) == crc((u64::from(block), KIND_BLOCK), &bytes[..12]);
        (sound && word(bytes, 4) <= 1 && word(bytes, 0) <= MOST_ERASES)
            .then(|| BlockRecord { erases: word(bytes, 0), torn: word(bytes, 4) == 1 })
    }
}

/// What is kept of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRecord<'a> {
    /// The page, counted over all blocks.
    pub page: u64,
    /// Erases of its block when it was programmed.
    pub erases: u32,
    /// What it is, in the words of the chips' tables; the first is not 0.
    pub words: &'a [u32],
}

impl PageRecord<'_> {
    pub(crate) fn emit(&self, bytes: &mut [u8]) {
        bytes.fill(0);
        bytes[..4].copy_from_slice(&self.erases.to_le_bytes());
        for (to, word) in bytes[4..].chunks_exact_mut(4).zip(self.words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let end = bytes.len() - 4;
        let check = crc((self.page, KIND_PAGE), &bytes[..end]);
        bytes[end..].copy_from_slice(&check.to_le_bytes());
    }
}

/// A page's record, with its words in `words`: its block's erases if there is one.
///
/// # Errors
/// When it is damaged.
pub(crate) fn parse_page(page: u64, bytes: &[u8], words: &mut [u32]) -> Result<Option<u32>, ()> {
    if bytes.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    let end = bytes.len() - 4;
    if word(bytes, end) != crc((page, KIND_PAGE), &bytes[..end]) {
        return Err(());
    }
    for (nth, to) in words.iter_mut().enumerate() {
        *to = word(bytes, 4 + nth * 4);
    }
    Ok(Some(word(bytes, 0)))
}

/// What precedes the data of a page: their length, erases of its block, and a checksum.
pub(crate) fn data_head((page, erases): (u64, u32), data: &[u8]) -> [u8; 16] {
    let mut head = [0; 16];
    head[..4].copy_from_slice(&(data.len() as u32).to_le_bytes());
    head[4..8].copy_from_slice(&erases.to_le_bytes());
    let check = data_crc(page, &head[..8], data);
    head[8..12].copy_from_slice(&check.to_le_bytes());
    head
}

/// Bytes of the data that a head tells of; `None` if they are not of this page and time.
pub(crate) fn data_bytes((page, erases): (u64, u32), slot: &[u8]) -> Option<&[u8]> {
    let (head, data) = slot.split_at_checked(16)?;
    let data = data.get(..word(head, 0) as usize)?;
    let sound = word(head, 4) == erases && word(head, 8) == data_crc(page, &head[..8], data);
    sound.then_some(data)
}

const KIND_BLOCK: u8 = 1;
const KIND_PAGE: u8 = 2;
const KIND_DATA: u8 = 3;
const KIND_OTHER: u8 = 4;

/// The checksum of other parts.
pub(crate) fn other_crc(bytes: &[u8]) -> u32 {
    crc((0, KIND_OTHER), bytes)
}

/// A checksum that tells places and kinds apart, and is never that of zeroes alone.
fn crc((place, kind): (u64, u8), bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&place.to_le_bytes());
    hasher.update(&[kind]);
    hasher.update(bytes);
    hasher.finalize()
}

fn data_crc(page: u64, head: &[u8], data: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&page.to_le_bytes());
    hasher.update(&[KIND_DATA]);
    hasher.update(head);
    hasher.update(data);
    hasher.finalize()
}

pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_come_back_and_any_wrong_bit_shows(
            erases in 0..=MOST_ERASES,
            torn: bool,
            page in 0..u64::MAX / 2,
            words in prop::array::uniform9(1u32..),
            data in prop::collection::vec(any::<u8>(), 0..200),
            wrong: prop::sample::Index,
        ) {
            let block = BlockRecord { erases, torn };
            let mut bytes = block.emit(7);
            prop_assert_eq!(BlockRecord::parse(7, &bytes), Some(block));
            prop_assert_eq!(BlockRecord::parse(8, &bytes), None);
            let bit = wrong.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(BlockRecord::parse(7, &bytes), None);

            let mut bytes = [0xa5; 64];
            PageRecord { page, erases, words: &words }.emit(&mut bytes);
            let mut found = [0; 9];
            prop_assert_eq!(parse_page(page, &bytes, &mut found), Ok(Some(erases)));
            prop_assert_eq!(found, words);
            prop_assert_eq!(parse_page(page + 1, &bytes, &mut found), Err(()));
            let bit = wrong.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(parse_page(page, &bytes, &mut found), Err(()));

            let mut slot = data_head((page, erases), &data).to_vec();
            slot.extend_from_slice(&data);
            prop_assert_eq!(data_bytes((page, erases), &slot), Some(&data[..]));
            prop_assert_eq!(data_bytes((page, erases ^ 1), &slot), None);
            prop_assert_eq!(data_bytes((page + 1, erases), &slot), None);
            // The last four bytes of the head say nothing.
            let bit = wrong.index((slot.len() - 4) * 8);
            let at = if bit / 8 < 12 { bit / 8 } else { bit / 8 + 4 };
            slot[at] ^= 1 << (bit % 8);
            prop_assert_eq!(data_bytes((page, erases), &slot), None);
        }
    }

    #[test]
    fn zeroes_are_what_was_never_written() {
        assert_eq!(BlockRecord::parse(3, &[0; 16]), Some(BlockRecord::default()));
        let many = BlockRecord { erases: MOST_ERASES + 1, torn: false };
        assert_eq!(BlockRecord::parse(3, &many.emit(3)), None);
        assert_eq!(parse_page(3, &[0; 64], &mut [0; 4]), Ok(None));
        assert_eq!(data_bytes((0, 0), &[0; 64]), None);
    }
}
