//! Identify Namespace (NVMe 1.4 section 5.15.2.1, figure 245), the list of active namespaces
//! (section 5.15.2.3) and the namespace identification descriptors (section 5.15.2.4).

use crate::layout::{layout, Field};

/// NSFEAT: the fields on atomic writes hold values (NSABP).
pub const ATOMIC_SIZES_VALID: u8 = 1 << 1;

/// NSFEAT: the fields on optimal sizes hold values (OPTPERF).
pub const OPTIMAL_SIZES_VALID: u8 = 1 << 4;

/// DLFEAT: deallocated blocks read as zeroes.
pub const DEALLOCATED_READ_ZEROES: u8 = 1;

const EUI64_TYPE: u8 = 1;
const GUID_TYPE: u8 = 2;
const UUID_TYPE: u8 = 3;
const COMMAND_SET_TYPE: u8 = 4;
const UUID_BYTES: usize = 16;

/// What a namespace is known by all over the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identifiers {
    /// IEEE Extended Unique Identifier (EUI64), the most significant byte first; all zero is none.
    pub eui64: [u8; 8],
    /// NGUID.
    pub guid: [u8; 16],
    /// Universally unique identifier (UUID), the most significant byte first.
    pub uuid: [u8; UUID_BYTES],
}

layout! {
    /// An LBA format (NVMe 1.4 section 5.15.2.1).
    BlockFormat [4] {
        /// MS: metadata bytes a block.
        metadata_bytes: u16 = 0,
        /// LBADS: bytes a block as a power of two; 0 is a format that is not there.
        block_size: u8 = 2,
        /// RP: relative performance, 0 (best) to 3.
        performance: u8 = 3,
    }
}

impl<const N: usize> Field for [BlockFormat; N] {
    const BYTES: usize = N * BlockFormat::BYTES;
    fn put(&self, bytes: &mut [u8]) {
        for (format, chunk) in self.iter().zip(bytes.chunks_exact_mut(BlockFormat::BYTES)) {
            let mut own = [0; BlockFormat::BYTES];
            format.emit(&mut own);
            chunk.copy_from_slice(&own);
        }
    }
    fn get(bytes: &[u8]) -> Self {
        core::array::from_fn(|index| {
            BlockFormat::parse(&Field::get(&bytes[index * BlockFormat::BYTES..]))
        })
    }
}

layout! {
    /// The Identify Namespace data structure. Fields that are not named here are zero. Sizes are
    /// in logical blocks; those on optimal sizes are zero-based.
    Namespace [4096] {
        /// NSZE: size.
        size: u64 = 0,
        /// NCAP: blocks that may be allocated at one time.
        capacity: u64 = 8,
        /// NUSE: blocks allocated now.
        in_use: u64 = 16,
        /// NSFEAT: see [`ATOMIC_SIZES_VALID`] and [`OPTIMAL_SIZES_VALID`].
        features: u8 = 24,
        /// NLBAF: LBA formats, zero-based.
        formats: u8 = 25,
        /// FLBAS: bits 3:0 are the index of the format in use.
        format_in_use: u8 = 26,
        /// DLFEAT: see [`DEALLOCATED_READ_ZEROES`].
        deallocate_features: u8 = 33,
        /// NAWUN: blocks written atomically, zero-based, as the other atomic sizes.
        atomic_blocks: u16 = 34,
        /// NAWUPF: the same if the power fails, or something else.
        atomic_blocks_power_fail: u16 = 36,
        /// NABSN: writes across a boundary of so many blocks are not atomic.
        atomic_boundary: u16 = 40,
        /// NABO: the first of such boundaries.
        atomic_boundary_offset: u16 = 42,
        /// NABSPF: as NABSN, for NAWUPF.
        atomic_boundary_power_fail: u16 = 44,
        /// NVMCAP: bytes of the namespace.
        byte_capacity: u128 = 48,
        /// NPWG: preferred write granularity.
        write_granularity: u16 = 64,
        /// NPWA: preferred write alignment.
        write_alignment: u16 = 66,
        /// NPDG: preferred deallocate granularity.
        deallocate_granularity: u16 = 68,
        /// NPDA: preferred deallocate alignment.
        deallocate_alignment: u16 = 70,
        /// NOWS: optimal write size.
        optimal_write: u16 = 72,
        /// ENDGID: the endurance group; 0 for none.
        endurance_group: u16 = 102,
        /// NGUID: an identifier of 16 bytes, the most significant first; all zero is none.
        guid: [u8; 16] = 104,
        /// EUI64: an identifier of 8 bytes, likewise.
        eui64: [u8; 8] = 120,
        /// LBAF0 to LBAF15.
        block_formats: [BlockFormat; 16] = 128,
        /// The first vendor specific byte ([`crate::open_channel::NAMESPACE_MARK`]).
        vendor_mark: u8 = 384,
    }
}

/// Writes a list of namespaces, in ascending order: at most 1,024, and zeroes behind them.
pub fn emit_namespaces(ids: impl Iterator<Item = u32>, page: &mut [u8; 4096]) {
    page.fill(0);
    for (chunk, id) in page.chunks_exact_mut(4).zip(ids) {
        chunk.copy_from_slice(&id.to_le_bytes());
    }
}

/// Reads a list of active namespaces.
pub fn parse_active_namespaces(page: &[u8; 4096]) -> impl Iterator<Item = u32> + '_ {
    page.chunks_exact(4).map(u32::get).take_while(|id| *id != 0)
}

/// Writes the list of a namespace's identification descriptors.
pub fn emit_descriptors(identifiers: &Identifiers, page: &mut [u8; 4096]) {
    page.fill(0);
    let Identifiers { eui64, guid, uuid } = identifiers;
    let mut at = 0;
    for (kind, value) in [(EUI64_TYPE, &eui64[..]), (GUID_TYPE, guid), (UUID_TYPE, uuid)] {
        page[at] = kind;
        page[at + 1] = value.len() as u8;
        page[at + 4..at + 4 + value.len()].copy_from_slice(value);
        at += 4 + value.len();
    }
}

/// Adds the command set identifier to such a list, behind its last descriptor (base specification 2.0, type 4).
pub fn emit_command_set(set: u8, page: &mut [u8; 4096]) {
    let mut at = 0;
    while page[at + 1] != 0 {
        at += 4 + usize::from(page[at + 1]);
    }
    page[at..at + 5].copy_from_slice(&[COMMAND_SET_TYPE, 1, 0, 0, set]);
}

/// Finds the UUID in a list of namespace identification descriptors.
pub fn parse_uuid_descriptor(page: &[u8; 4096]) -> Option<[u8; UUID_BYTES]> {
    let mut rest = &page[..];
    while let [kind, length, _, _, tail @ ..] = rest {
        let length = usize::from(*length);
        if length == 0 || tail.len() < length {
            return None;
        }
        if (*kind, length) == (UUID_TYPE, UUID_BYTES) {
            return Some(Field::get(tail));
        }
        rest = &tail[length..];
    }
    None
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn fields_stand_at_their_bytes() {
        let mut block_formats = [BlockFormat::zeroed(); 16];
        block_formats[1] = BlockFormat { metadata_bytes: 8, block_size: 12, performance: 1 };
        let namespace = Namespace {
            size: 0x0102_0304_0506_0708,
            in_use: 5,
            features: OPTIMAL_SIZES_VALID,
            formats: 1,
            format_in_use: 1,
            deallocate_features: DEALLOCATED_READ_ZEROES,
            atomic_blocks: 3,
            atomic_blocks_power_fail: 4,
            atomic_boundary: 5,
            atomic_boundary_offset: 6,
            atomic_boundary_power_fail: 7,
            byte_capacity: 0xabcd,
            write_granularity: 31,
            optimal_write: 0x0706,
            guid: core::array::from_fn(|index| index as u8),
            eui64: [0xe0; 8],
            block_formats,
            ..Namespace::zeroed()
        };
        let mut page = [0xff; Namespace::BYTES];
        namespace.emit(&mut page);
        assert_eq!(page[0..8], [8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!((page[16], page[24], page[25], page[26], page[33]), (5, 16, 1, 1, 1));
        assert_eq!(page[34..46], [3, 0, 4, 0, 0, 0, 5, 0, 6, 0, 7, 0]);
        assert_eq!(page[48..50], [0xcd, 0xab]);
        assert_eq!(page[64..74], [31, 0, 0, 0, 0, 0, 0, 0, 6, 7]);
        assert_eq!((page[104], page[119], page[120], page[127]), (0, 15, 0xe0, 0xe0));
        assert_eq!(page[128..136], [0, 0, 0, 0, 8, 0, 12, 1]);
        assert_eq!(Namespace::parse(&page), namespace);
    }

    #[test]
    fn a_list_of_namespaces_ends_with_zeroes_or_with_its_page() {
        let mut page = [0xff; 4096];
        for expected in [&[1, 3, 9][..], &[]] {
            emit_namespaces(expected.iter().copied(), &mut page);
            assert_eq!(parse_active_namespaces(&page).collect::<Vec<_>>(), expected);
        }
        emit_namespaces(1..2000, &mut page);
        assert_eq!(parse_active_namespaces(&page).collect::<Vec<_>>(), Vec::from_iter(1..=1024));
    }

    #[test]
    fn a_uuid_is_found_behind_other_descriptors() {
        let uuid = core::array::from_fn(|index| index as u8);
        let mut page = [0xff; 4096];
        emit_descriptors(&Identifiers { eui64: [9; 8], guid: [7; 16], uuid }, &mut page);
        assert_eq!(page[..13], [1, 8, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 2]);
        assert_eq!(page[12..18], [2, 16, 0, 0, 7, 7]);
        assert_eq!(page[32..38], [3, 16, 0, 0, 0, 1]);
        assert_eq!(page[52..56], [0; 4], "the list ends");
        assert_eq!(parse_uuid_descriptor(&page), Some(uuid));
        assert_eq!(parse_uuid_descriptor(&[0; 4096]), None);
        assert_eq!(parse_uuid_descriptor(&[0xff; 4096]), None);
    }
}
