//! What a page says of itself in its spare area: what a drive needs to find its map again.

use crate::Lpn;

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
#[cfg_attr(feature = "state", borsh(use_discriminant = false))]
pub enum PageKind {
    /// Data of logical pages.
    Data = 1,
    /// Records of what changed, in the log.
    Journal = 2,
    /// A part of the map or of the block table, in the log.
    Snapshot = 3,
    /// Data of logical pages that were planned at different times, saved when the power went away.
    Saved = 4,
}

impl PageKind {
    /// Whether it holds data of logical pages.
    pub const fn is_of_data(self) -> bool {
        matches!(self, PageKind::Data | PageKind::Saved)
    }
}

/// Whether the data of a logical page were there when it was programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitState {
    /// The data were there.
    Kept,
    /// The data had been lost before.
    Lost,
}

/// The logical pages that a page holds, in the order of its mapping units: at most
/// [`Metadata::MOST_UNITS`], and fewer than the page has units where its last units hold nothing.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Lpns {
    lpns: [Lpn; Metadata::MOST_UNITS],
    /// By how much each was planned before the page's sequence number, where that is not for all of them.
    ages: [u32; Metadata::MOST_AGED],
    count: u8,
    /// A bit a unit.
    lost: u64,
}

/// What the spare area of a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Metadata {
    /// What the page holds.
    pub kind: PageKind,
    /// How often the drive had found its map when the page was planned.
    pub epoch: u32,
    /// When the page was planned, counted over the life of the drive; of pages of the log, their place in it.
    pub sequence: u64,
    /// Its logical pages; of a snapshot the number of the part; of a journal page none.
    pub lpns: Lpns,
}

impl Lpns {
    /// No logical pages, as in a journal page.
    pub const NONE: Self = Lpns {
        lpns: [Lpn(0); Metadata::MOST_UNITS],
        ages: [0; Metadata::MOST_AGED],
        count: 0,
        lost: 0,
    };

    /// One logical page whose data are there.
    pub const fn one(lpn: Lpn) -> Self {
        let mut lpns = Self::NONE;
        (lpns.lpns[0], lpns.count) = (lpn, 1);
        lpns
    }

    /// Adds the logical page of the next unit.
    ///
    /// # Panics
    /// If there are [`Metadata::MOST_UNITS`] already.
    pub fn push(&mut self, lpn: Lpn, state: UnitState) {
        let nth = usize::from(self.count);
        self.lpns[nth] = lpn;
        self.lost |= u64::from(state == UnitState::Lost) << nth;
        self.count += 1;
    }

    /// The same, each with the number by which it was planned before the page's sequence number.
    pub fn with_ages(mut self, ages: impl IntoIterator<Item = u32>) -> Self {
        self.ages.iter_mut().zip(ages).for_each(|(own, age)| *own = age);
        self
    }

    /// By how much each was planned before the page's sequence number, of the first [`Metadata::MOST_AGED`].
    pub fn ages(&self) -> &[u32] {
        &self.ages[..self.count().min(Metadata::MOST_AGED)]
    }

    /// How many there are.
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// All logical pages, the page of the first unit first.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Lpn, UnitState)> + '_ {
        self.lpns[..self.count()].iter().enumerate().map(|(nth, &lpn)| {
            let is_lost = self.lost >> nth & 1 == 1;
            (lpn, if is_lost { UnitState::Lost } else { UnitState::Kept })
        })
    }
}

impl FromIterator<(Lpn, UnitState)> for Lpns {
    #[inline]
    fn from_iter<T: IntoIterator<Item = (Lpn, UnitState)>>(units: T) -> Self {
        let mut lpns = Self::NONE;
        units.into_iter().for_each(|(lpn, state)| lpns.push(lpn, state));
        lpns
    }
}

impl PartialEq for Lpns {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter()) && self.ages() == other.ages()
    }
}

impl Eq for Lpns {}

impl core::fmt::Debug for Lpns {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter().zip(self.ages())).finish()
    }
}

/// Metadata of a page of data of one mapping unit that was there before anything was planned.
impl From<Lpn> for Metadata {
    fn from(lpn: Lpn) -> Self {
        Metadata { kind: PageKind::Data, epoch: 0, sequence: 0, lpns: Lpns::one(lpn) }
    }
}

impl Metadata {
    /// Most mapping units of a page: units of 4 KiB in the word lines of three bits of four planes, 16 KiB a flash page.
    pub const MOST_UNITS: usize = 48;

    /// Most mapping units of a page whose units may have been planned at different times.
    pub const MOST_AGED: usize = 16;

    /// Most logical blocks of a page of an open-channel drive, each of which is a mapping unit.
    pub const MOST_BLOCKS: usize = 16;

    /// Has a place say what the spare area does of a page of data that were there before anything was planned: so many logical
    /// pages in order. What stands in the place is written over as far as it counts, since metadata are large, and most pages
    /// have few units.
    #[inline]
    pub fn put_run(into: &mut Option<Metadata>, first: Lpn, units: u32) {
        let Metadata { kind, epoch, sequence, lpns } = into.get_or_insert(Metadata::from(first));
        (*kind, *epoch, *sequence) = (PageKind::Data, 0, 0);
        let count = units as usize;
        (lpns.count, lpns.lost) = (units as u8, 0);
        for (own, lpn) in lpns.lpns[..count].iter_mut().zip(first.0..) {
            *own = Lpn(lpn);
        }
        lpns.ages[..count.min(Metadata::MOST_AGED)].fill(0);
    }

    /// Whether they are of a page that holds the data of this logical page, and of no other.
    pub fn is_of(&self, lpn: Lpn) -> bool {
        self.kind == PageKind::Data && self.lpns == Lpns::one(lpn)
    }

    /// Whether they are of a page whose `nth` mapping unit holds the data of this logical page.
    #[inline]
    pub fn names(&self, nth: usize, lpn: Lpn) -> bool {
        let unit = self.lpns.iter().nth(nth);
        self.kind.is_of_data() && unit == Some((lpn, UnitState::Kept))
    }

    /// Bytes that the metadata take of a page of so many mapping units.
    pub const fn bytes(units: usize) -> usize {
        let of_lost = if units > LOST_IN_HEADER { LOST_BYTES } else { 0 };
        HEADER_BYTES + units * LPN_BYTES + of_lost + CRC_BYTES
    }

    /// Bytes that the metadata take of a page of so many mapping units that were planned at different times, where such a page
    /// may be: not above [`Metadata::MOST_AGED`].
    pub const fn bytes_saved(units: usize) -> usize {
        let is_aged = units > 1 && units <= Self::MOST_AGED;
        Self::bytes(units) + if is_aged { units * AGE_BYTES } else { 0 }
    }

    /// Fills bytes, at least [`Metadata::bytes`] of the logical pages, or [`Metadata::bytes_saved`]. Little-endian: kind,
    /// number of logical pages, a bit for each of the first 16 that is lost in 2 bytes, epoch in 4, sequence number in 8,
    /// logical pages in 4 each; of more than 16 the bits of the others in 4; of pages that were saved the age of each in 4;
    /// zeroes; CRC-32 of all before in the last 4.
    ///
    /// # Panics
    /// If there are fewer, or if a page that was saved has more than [`Metadata::MOST_AGED`].
    pub fn emit(&self, into: &mut [u8]) {
        let (body, check) = into.split_at_mut(into.len() - CRC_BYTES);
        let (header, units) = body.split_at_mut(HEADER_BYTES);
        let Lpns { lpns, ages, count, lost } = &self.lpns;
        header[..4].copy_from_slice(&[self.kind as u8, *count, *lost as u8, (lost >> 8) as u8]);
        header[4..8].copy_from_slice(&self.epoch.to_le_bytes());
        header[8..].copy_from_slice(&self.sequence.to_le_bytes());
        let (named, rest) = units.split_at_mut(usize::from(*count) * LPN_BYTES);
        for (bytes, lpn) in named.chunks_exact_mut(LPN_BYTES).zip(lpns) {
            bytes.copy_from_slice(&lpn.0.to_le_bytes());
        }
        rest.fill(0);
        let count = usize::from(*count);
        if count > LOST_IN_HEADER {
            let others = (lost >> LOST_IN_HEADER) as u32;
            rest[..LOST_BYTES].copy_from_slice(&others.to_le_bytes());
        }
        if self.kind == PageKind::Saved {
            assert!(count <= Self::MOST_AGED, "{count} units have no room for their ages");
            for (bytes, age) in rest[..count * AGE_BYTES].chunks_exact_mut(AGE_BYTES).zip(ages) {
                bytes.copy_from_slice(&age.to_le_bytes());
            }
        }
        check.copy_from_slice(&crc32(body).to_le_bytes());
    }

    /// What bytes say; `None` where they are none that [`Metadata::emit`] filled.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (body, check) = bytes.split_last_chunk()?;
        let (&[kind, count, lost @ ..], rest) = body.split_first_chunk::<4>()?;
        let (epoch, rest) = rest.split_first_chunk()?;
        let (sequence, units) = rest.split_first_chunk()?;
        let kind = match kind {
            1 => PageKind::Data,
            2 => PageKind::Journal,
            3 => PageKind::Snapshot,
            4 => PageKind::Saved,
            _ => return None,
        };
        let count = usize::from(count);
        let age_bytes = if kind == PageKind::Saved { AGE_BYTES } else { 0 };
        let most = if age_bytes > 0 { Self::MOST_AGED } else { Self::MOST_UNITS };
        let lost_bytes = if count > LOST_IN_HEADER { LOST_BYTES } else { 0 };
        let fits = count <= most && count * (LPN_BYTES + age_bytes) + lost_bytes <= units.len();
        if !fits || u32::from_le_bytes(*check) != crc32(body) {
            return None;
        }
        let word = |nth: usize| {
            let at = nth * LPN_BYTES;
            u32::from_le_bytes([units[at], units[at + 1], units[at + 2], units[at + 3]])
        };
        let others = if lost_bytes > 0 { u64::from(word(count)) } else { 0 };
        let lost = u64::from(u16::from_le_bytes(lost)) | others << LOST_IN_HEADER;
        if lost >> count != 0 {
            return None;
        }
        let state = |nth| if lost >> nth & 1 == 1 { UnitState::Lost } else { UnitState::Kept };
        Some(Metadata {
            kind,
            epoch: u32::from_le_bytes(*epoch),
            sequence: u64::from_le_bytes(*sequence),
            lpns: {
                let lpns: Lpns = (0..count).map(|nth| (Lpn(word(nth)), state(nth))).collect();
                let aged = if age_bytes > 0 { count } else { 0 };
                lpns.with_ages((count..count + aged).map(word))
            },
        })
    }
}

/// Bytes before the logical pages.
const HEADER_BYTES: usize = 16;
/// Bytes of a logical page's number.
const LPN_BYTES: usize = size_of::<u32>();
/// Bytes of the age of a logical page.
const AGE_BYTES: usize = size_of::<u32>();
/// Units whose bits of lost data are in the header, and bytes for the bits of the other units.
const LOST_IN_HEADER: usize = 16;
const LOST_BYTES: usize = size_of::<u32>();
/// Bytes of the check sum.
const CRC_BYTES: usize = size_of::<u32>();

/// CRC-32 of IEEE 802.3, least significant bit first.
pub fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 16] = nibbles();
    let step = |crc: u32, nibble: u32| crc >> 4 ^ TABLE[((crc ^ nibble) & 15) as usize];
    let all = |crc: u32, &byte: &u8| step(step(crc, byte.into()), u32::from(byte) >> 4);
    !bytes.iter().fold(u32::MAX, all)
}

const fn nibbles() -> [u32; 16] {
    let mut table = [0; 16];
    let mut nth = 0;
    while nth < 16 {
        let mut crc = nth as u32;
        let mut bit = 0;
        while bit < 4 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        table[nth] = crc;
        nth += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    #[test]
    fn the_crc_is_that_of_ethernet() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    fn metadata(kind: PageKind, lpns: Lpns) -> Metadata {
        Metadata { kind, epoch: 0x1234_5678, sequence: 0xfedc_ba98_7654_3210, lpns }
    }

    #[test]
    fn metadata_come_back_and_any_wrong_bit_shows() {
        let states = [UnitState::Kept, UnitState::Lost, UnitState::Lost];
        let all = (0..Metadata::MOST_UNITS as u32).map(|nth| {
            (Lpn(nth.wrapping_mul(0x0900_0001).wrapping_sub(1)), states[nth as usize % 3])
        });
        for (metadata, bytes) in [
            (metadata(PageKind::Data, Lpns::one(Lpn(7))), Metadata::bytes(1)),
            (metadata(PageKind::Data, Lpns::one(Lpn(u32::MAX))), Metadata::bytes(4)),
            (metadata(PageKind::Journal, Lpns::NONE), Metadata::bytes(0)),
            (metadata(PageKind::Snapshot, Lpns::one(Lpn(3))), Metadata::bytes(1) + 40),
            (
                metadata(PageKind::Data, all.clone().collect()),
                Metadata::bytes(Metadata::MOST_UNITS),
            ),
            (
                metadata(PageKind::Data, all.clone().take(17).collect()),
                Metadata::bytes(Metadata::MOST_UNITS),
            ),
            (
                metadata(
                    PageKind::Saved,
                    all.clone().take(Metadata::MOST_AGED).collect::<Lpns>().with_ages(3..99),
                ),
                Metadata::bytes_saved(Metadata::MOST_AGED),
            ),
            (
                metadata(
                    PageKind::Saved,
                    all.take(3).collect::<Lpns>().with_ages([0, 7, u32::MAX]),
                ),
                Metadata::bytes_saved(4),
            ),
        ] {
            let mut emitted = std::vec![0xa5; bytes];
            metadata.emit(&mut emitted);
            assert_eq!(Metadata::parse(&emitted), Some(metadata));
            for bit in 0..bytes * 8 {
                emitted[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(Metadata::parse(&emitted), None, "bit {bit}");
                emitted[bit / 8] ^= 1 << (bit % 8);
            }
            assert_eq!(Metadata::parse(&emitted[..bytes - 1]), None, "cut off");
        }
    }

    #[test]
    fn bytes_that_cannot_be_metadata_are_none_though_their_crc_is_right() {
        let mut sound = [0; Metadata::bytes(2)];
        let lpns = [(Lpn(1), UnitState::Kept), (Lpn(2), UnitState::Lost)].into_iter().collect();
        metadata(PageKind::Data, lpns).emit(&mut sound);
        let end = sound.len() - CRC_BYTES;
        for (at, value, sounds) in [
            (0, 2, true),
            (0, 0, false),
            (0, 5, false),
            (0, 4, false),
            (1, 3, false),
            (2, 3, true),
            (2, 4, false),
        ] {
            let mut bytes = sound;
            bytes[at] = value;
            let check = crc32(&bytes[..end]).to_le_bytes();
            bytes[end..].copy_from_slice(&check);
            assert_eq!(Metadata::parse(&bytes).is_some(), sounds, "byte {at}: {value}");
        }
        for size in 0..200 {
            assert_eq!(Metadata::parse(&std::vec![0xff; size]), None, "{size} erased bytes");
            assert_eq!(Metadata::parse(&std::vec![0; size]), None, "{size} zeroes");
        }
    }
}
