//! What a page says of itself in its spare area: what a drive needs to find its map again.

use crate::Lpn;

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// Data of a logical page.
    Data = 1,
    /// Data of a logical page that were lost before the page was programmed.
    Lost = 2,
    /// Records of what changed, in the log.
    Journal = 3,
    /// A part of the map or of the block table, in the log.
    Snapshot = 4,
}

/// What the spare area of a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What the page holds.
    pub kind: PageKind,
    /// The logical page; of a snapshot the number of the part; of a journal page 0.
    pub lpn: Lpn,
    /// When it was planned, counted over the life of the drive; of pages of the log, their place in it.
    /// Below 2^56.
    pub sequence: u64,
}

impl Metadata {
    /// Bytes in the spare area.
    pub const BYTES: usize = 16;

    /// The bytes, little-endian: logical page, sequence number in 7 bytes, kind, CRC-32 of the 12 before.
    pub fn emit(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&self.lpn.0.to_le_bytes());
        bytes[4..12].copy_from_slice(&(self.sequence << 8 | self.kind as u64).to_le_bytes());
        let check = crc32(&bytes[..12]);
        bytes[12..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// What bytes of a spare area say; `None` where they are none that [`Metadata::emit`] made.
    pub fn parse(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        if word(12) != crc32(&bytes[..12]) {
            return None;
        }
        let tail = u64::from(word(8)) << 32 | u64::from(word(4));
        let kind = match tail as u8 {
            1 => PageKind::Data,
            2 => PageKind::Lost,
            3 => PageKind::Journal,
            4 => PageKind::Snapshot,
            _ => return None,
        };
        Some(Metadata { kind, lpn: Lpn(word(0)), sequence: tail >> 8 })
    }
}

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
    use super::*;

    #[test]
    fn the_crc_is_that_of_ethernet() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn metadata_come_back_and_any_wrong_bit_shows() {
        for (kind, lpn, sequence) in [
            (PageKind::Data, 0, 0),
            (PageKind::Lost, u32::MAX, (1 << 56) - 1),
            (PageKind::Journal, 0, 77),
            (PageKind::Snapshot, 3, 0x0123_4567_89ab),
        ] {
            let metadata = Metadata { kind, lpn: Lpn(lpn), sequence };
            let bytes = metadata.emit();
            assert_eq!(Metadata::parse(&bytes), Some(metadata));
            for bit in 0..Metadata::BYTES * 8 {
                let mut wrong = bytes;
                wrong[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(Metadata::parse(&wrong), None, "bit {bit}");
            }
        }
        assert_eq!(Metadata::parse(&[0xff; Metadata::BYTES]), None, "an erased spare area");
    }
}
