//! What one logical block holds, in 64 bits.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::random::{Purpose, Random};

/// What one logical block holds, in short: nothing (zeroes) or a version of an LBA.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    BorshSerialize,
    BorshDeserialize,
)]
#[repr(transparent)]
pub struct Stamp(u64);

const VERSION_BITS: u32 = 30;

impl Stamp {
    /// A block of zeroes.
    pub const ZERO: Stamp = Stamp(0);
    /// A block with wrong bits in it, as an uncorrectable page delivers: the content of no LBA.
    pub const CORRUPT: Stamp = Stamp((Stamp::LBA_END - 1) << VERSION_BITS);
    /// LBAs lie below this: 34 bits.
    pub const LBA_END: u64 = 1 << 34;
    /// Versions lie below this: 30 bits.
    pub const VERSION_END: u32 = 1 << VERSION_BITS;
    /// The fewest bytes of a block that a stamp can be expanded into: LBA and version, 8 each.
    pub const LEAST_BLOCK_BYTES: u32 = 16;

    /// Version `version`, from 1, of the block at `lba`.
    ///
    /// # Panics
    /// If one of them is out of range.
    #[inline]
    pub const fn new(lba: u64, version: u32) -> Stamp {
        assert!(lba < Self::LBA_END, "LBA beyond 34 bits");
        assert!(version != 0 && version < Self::VERSION_END, "version not within 1 to 2^30 - 1");
        Stamp(lba << VERSION_BITS | version as u64)
    }

    /// The LBA that was written; 0 for [`Stamp::ZERO`].
    #[inline]
    pub const fn lba(self) -> u64 {
        self.0 >> VERSION_BITS
    }

    /// The version that was written, from 1; 0 for [`Stamp::ZERO`] and [`Stamp::CORRUPT`].
    #[inline]
    pub const fn version(self) -> u32 {
        self.0 as u32 & (Self::VERSION_END - 1)
    }

    /// The stamp as a number, to be kept where bytes are.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// The stamp that a number was made from. Every number is one, though not all are written.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Stamp(bits)
    }

    /// Whether the block is all zeroes.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Expands the stamp into the bytes of a block: LBA and version as 64-bit little-endian
    /// numbers, then bytes that are random in (seed, LBA, version); [`Stamp::ZERO`] into zeroes.
    ///
    /// # Panics
    /// If the block is shorter than [`Stamp::LEAST_BLOCK_BYTES`].
    pub fn fill(self, seed: u64, block: &mut [u8]) {
        if self.is_zero() {
            return block.fill(0);
        }
        let (head, tail) = block.split_at_mut(Self::LEAST_BLOCK_BYTES as usize);
        head.copy_from_slice(&self.head());
        let mut random = self.tail(seed);
        for bytes in tail.chunks_mut(8) {
            bytes.copy_from_slice(&random.next().to_le_bytes()[..bytes.len()]);
        }
    }

    /// The stamp that a block was filled from with the same seed; `None` if any byte is wrong.
    pub fn of_bytes(seed: u64, block: &[u8]) -> Option<Stamp> {
        let (head, tail) = block.split_at_checked(Self::LEAST_BLOCK_BYTES as usize)?;
        let (lba, version) = head.split_at(8);
        let lba = u64::from_le_bytes(lba.try_into().ok()?);
        let version = u64::from_le_bytes(version.try_into().ok()?);
        if lba == 0 && version == 0 {
            return tail.iter().all(|&byte| byte == 0).then_some(Stamp::ZERO);
        }
        if lba >= Self::LBA_END || version == 0 || version >= u64::from(Self::VERSION_END) {
            return None;
        }
        let stamp = Stamp::new(lba, version as u32);
        let mut random = stamp.tail(seed);
        let right = |bytes: &[u8]| bytes == &random.next().to_le_bytes()[..bytes.len()];
        tail.chunks(8).all(right).then_some(stamp)
    }

    fn head(self) -> [u8; Self::LEAST_BLOCK_BYTES as usize] {
        let mut head = [0; Self::LEAST_BLOCK_BYTES as usize];
        head[..8].copy_from_slice(&self.lba().to_le_bytes());
        head[8..].copy_from_slice(&u64::from(self.version()).to_le_bytes());
        head
    }

    fn tail(self, seed: u64) -> Random {
        Random::stream(seed, Purpose::Payload, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_read_back_and_any_wrong_bit_shows(
            lba in 0..Stamp::LBA_END,
            version in 1..Stamp::VERSION_END,
            seed: u64,
            length in 64usize..600,
            wrong: prop::sample::Index,
        ) {
            let stamp = Stamp::new(lba, version);
            prop_assert_eq!((stamp.lba(), stamp.version()), (lba, version));
            for stamp in [stamp, Stamp::ZERO] {
                let mut block = vec![0xa5; length];
                stamp.fill(seed, &mut block);
                prop_assert_eq!(Stamp::of_bytes(seed, &block), Some(stamp));
                let bit = wrong.index(length * 8);
                block[bit / 8] ^= 1 << (bit % 8);
                prop_assert_eq!(Stamp::of_bytes(seed, &block), None);
            }
        }
    }

    #[test]
    fn lba_and_version_stand_at_the_start_of_a_block() {
        let mut block = [0; 512];
        Stamp::new(0x3_0102_0304, 0x2a).fill(7, &mut block);
        assert_eq!(block[..16], [4, 3, 2, 1, 3, 0, 0, 0, 0x2a, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn blocks_differ_by_seed_and_version() {
        let tail = |seed, version| {
            let mut block = [0; 64];
            Stamp::new(5, version).fill(seed, &mut block);
            block[16..].to_vec()
        };
        assert_ne!(tail(1, 1), tail(2, 1));
        assert_ne!(tail(1, 1), tail(1, 2));
    }

    #[test]
    fn corrupt_is_neither_zero_nor_any_version() {
        assert!(!Stamp::CORRUPT.is_zero());
        assert_eq!(Stamp::CORRUPT.version(), 0);
        let mut block = [0; 512];
        Stamp::CORRUPT.fill(1, &mut block);
        assert_eq!(Stamp::of_bytes(1, &block), None);
        assert_eq!(Stamp::of_bytes(1, &[0xff; 512]), None);
        assert_eq!(Stamp::of_bytes(1, &[0; 15]), None);
    }
}
