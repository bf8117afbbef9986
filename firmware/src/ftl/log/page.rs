//! Pages of the log: journal pages of records, and snapshots of parts of the map and of the block table.
//!
//! A page begins with a header of 32 bytes: magic number, kind, number of entries, CRC-32 of all that
//! follows in use, and when it was made ([`Time`]); entries follow. Numbers are little-endian.

use contract::crc32;

use super::record::Record;

/// Bytes before the entries.
pub const HEADER: usize = 32;
/// Bytes of an entry of the map in a snapshot.
pub const MAP_ENTRY: usize = 4;
/// Bytes of an entry of the block table in a snapshot.
pub const BLOCK_ENTRY: usize = 16;

const MAGIC: u32 = 0x474f_4c46;

/// What a snapshot says of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEntry {
    /// Times it was erased.
    pub erases: u32,
    /// Where it is.
    pub place: BlockPlace,
    /// When its superblock was opened, if some of its programs had not ended; else 0.
    pub opened: u64,
}

/// Where a block is, as the log tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPlace {
    /// In this superblock.
    In(u32),
    /// Set aside.
    Spare,
    /// A program in it failed; what it held before can be read.
    Failed,
    /// Out of use.
    Bad,
    /// Never in use for data: bad from the factory, or a block of the log or of the save area.
    Apart,
}

const SPARE: u32 = u32::MAX;
const FAILED: u32 = u32::MAX - 1;
const BAD: u32 = u32::MAX - 2;
const APART: u32 = u32::MAX - 3;

impl BlockPlace {
    /// As a number.
    pub fn code(self) -> u32 {
        match self {
            BlockPlace::In(superblock) => superblock,
            BlockPlace::Spare => SPARE,
            BlockPlace::Failed => FAILED,
            BlockPlace::Bad => BAD,
            BlockPlace::Apart => APART,
        }
    }

    /// From a number.
    pub fn of_code(code: u32) -> Self {
        match code {
            SPARE => BlockPlace::Spare,
            FAILED => BlockPlace::Failed,
            BAD => BlockPlace::Bad,
            APART => BlockPlace::Apart,
            superblock => BlockPlace::In(superblock),
        }
    }
}

impl BlockEntry {
    fn emit(&self, bytes: &mut [u8]) {
        put(bytes, 0, self.erases);
        put(bytes, 4, self.place.code());
        put_long(bytes, 8, self.opened);
    }

    fn parse(bytes: &[u8]) -> Self {
        BlockEntry {
            erases: get(bytes, 0),
            place: BlockPlace::of_code(get(bytes, 4)),
            opened: get_long(bytes, 8),
        }
    }
}

/// What the header of a page says beside its entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Time {
    /// The sequence number to come when the page was made.
    pub sequence: u64,
    /// Bytes of a logical block then.
    pub block_bytes: u32,
    /// Of a snapshot the position in the log that was to be written next then: records of what was planned later are
    /// there or behind it. Of a journal page that of the journal page before it, plus 1; 0 of the first one.
    pub position: u64,
}

/// A journal page, and what it tells of the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Link {
    /// Where it is in the log.
    pub position: u64,
    /// Where the one before it is, plus 1; 0 if there was none.
    pub before: u64,
    /// The sequence number to come when it was made: all that the one before it tells is older.
    pub sequence: u64,
}

/// Writes the header of a page whose `used` bytes of entries are there.
pub fn seal(page: &mut [u8], (count, used): (u32, usize), time: Time) {
    put(page, 0, MAGIC);
    put(page, 4, count);
    put_long(page, 12, time.sequence);
    put(page, 20, time.block_bytes);
    put_long(page, 24, time.position);
    page[HEADER + used..].fill(0);
    let check = crc32(&page[12..HEADER + used]);
    put(page, 8, check);
}

/// Number of entries of a page, which take `entry` bytes each, and when it was made; `None` if it is none.
pub fn open(page: &[u8], entry: usize) -> Option<(u32, Time)> {
    let count = get(page, 4);
    let end = HEADER.checked_add((count as usize).checked_mul(entry)?)?;
    let whole = get(page, 0) == MAGIC && end <= page.len();
    let time = || Time {
        sequence: get_long(page, 12),
        block_bytes: get(page, 20),
        position: get_long(page, 24),
    };
    (whole && get(page, 8) == crc32(&page[12..end])).then(|| (count, time()))
}

/// Puts a record into its place.
pub fn put_record(page: &mut [u8], nth: u32, record: Record) {
    let at = HEADER + nth as usize * Record::BYTES;
    page[at..at + Record::BYTES].copy_from_slice(&record.emit());
}

/// The records of a journal page, and when it was made; `None` if it is not whole.
pub fn records(page: &[u8]) -> Option<(impl Iterator<Item = Record> + '_, Time)> {
    let (count, time) = open(page, Record::BYTES)?;
    let records = page[HEADER..].chunks_exact(Record::BYTES).take(count as usize);
    Some((records.filter_map(Record::parse), time))
}

/// A journal page of some records.
#[cfg(test)]
pub fn journal(records: &[Record]) -> alloc::vec::Vec<u8> {
    let used = records.len() * Record::BYTES;
    let mut page = alloc::vec![0; HEADER + used + 64];
    (0..).zip(records).for_each(|(nth, &record)| put_record(&mut page, nth, record));
    seal(&mut page, (records.len() as u32, used), Time::default());
    page
}

/// Fills a page with a part of the map: the codes of its logical pages.
pub fn put_map(page: &mut [u8], codes: impl Iterator<Item = u32>, time: Time) {
    let mut count = 0;
    for (to, code) in page[HEADER..].chunks_exact_mut(MAP_ENTRY).zip(codes) {
        to.copy_from_slice(&code.to_le_bytes());
        count += 1;
    }
    seal(page, (count, count as usize * MAP_ENTRY), time);
}

/// The codes of a part of the map, and when it was taken; `None` if the page is not whole.
pub fn map(page: &[u8]) -> Option<(impl Iterator<Item = u32> + '_, Time)> {
    let (count, time) = open(page, MAP_ENTRY)?;
    let codes = page[HEADER..].chunks_exact(MAP_ENTRY).take(count as usize);
    Some((codes.map(|bytes| get(bytes, 0)), time))
}

/// Fills a page with a part of the block table.
pub fn put_blocks(page: &mut [u8], blocks: impl Iterator<Item = BlockEntry>, time: Time) {
    let mut count = 0;
    for (to, block) in page[HEADER..].chunks_exact_mut(BLOCK_ENTRY).zip(blocks) {
        block.emit(to);
        count += 1;
    }
    seal(page, (count, count as usize * BLOCK_ENTRY), time);
}

/// A part of the block table, and when it was taken; `None` if the page is not whole.
pub fn blocks(page: &[u8]) -> Option<(impl Iterator<Item = BlockEntry> + '_, Time)> {
    let (count, time) = open(page, BLOCK_ENTRY)?;
    let entries = page[HEADER..].chunks_exact(BLOCK_ENTRY).take(count as usize);
    Some((entries.map(BlockEntry::parse), time))
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put_long(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

fn get(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn get_long(bytes: &[u8], at: usize) -> u64 {
    u64::from(get(bytes, at)) | u64::from(get(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_back_and_a_wrong_byte_shows() {
        let mut page = [0xa5; 128];
        let time = Time { sequence: 42, block_bytes: 512, position: 7 };
        put_map(&mut page, [7, 8, 9].into_iter(), time);
        let (codes, found) = map(&page).expect("a whole page");
        assert!(codes.eq([7, 8, 9]));
        assert_eq!(found, time);
        let entry = BlockEntry { erases: 3, place: BlockPlace::Failed, opened: 1 << 40 };
        put_blocks(&mut page, [entry; 6].into_iter(), time);
        let (found, taken) = blocks(&page).expect("a whole page");
        assert!(found.eq([entry; 6]));
        assert_eq!(taken, time);
        for at in 0..128 {
            page[at] ^= 1;
            assert!(blocks(&page).is_none(), "byte {at}");
            page[at] ^= 1;
        }
        assert!(map(&[0; 128]).is_none() && map(&[0xff; 128]).is_none());
    }

    #[test]
    fn records_fill_a_page_and_come_back_in_order() {
        let mut page = [0; 80];
        let all = [
            Record::Placed { lpn: 5, ppn: 6, sequence: 7 },
            Record::Unmapped { lpn: 8, count: 9, sequence: 10 },
            Record::Opened { die: 1, superblock: 2, sequence: 3 },
        ];
        for (nth, &record) in (0..).zip(&all) {
            put_record(&mut page, nth, record);
        }
        seal(&mut page, (3, 48), Time { sequence: 0, block_bytes: 0, position: 0 });
        let (found, time) = records(&page).expect("a whole page");
        assert!(found.eq(all));
        assert_eq!(time, Time::default());
        page[40] ^= 4;
        assert!(records(&page).is_none());
    }
}
