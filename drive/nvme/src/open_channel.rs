//! Open-Channel SSDs (Open-Channel Solid State Drives Specification, revision 2.0, January 2018): the commands that an
//! NVMe drive has beside its own so that the host places data.
//!
//! A *chunk* is what is written in order and reset as a whole, in a *parallel unit* of a *group*. An address of a logical
//! block names all three and the block in the chunk (section 1.2.3); how many bits each takes stands in [`Geometry`].

use crate::command::{Entry, Header};
use crate::layout::layout;
use crate::status::{Fault, Status};

/// PCI vendor and device identifier by which hosts know an open-channel drive: those of the device that QEMU's
/// open-channel branch shows, which Linux, with LightNVM, and SPDK look for.
pub const PCI_VENDOR: u16 = 0x1d1d;
/// See [`PCI_VENDOR`].
pub const PCI_DEVICE: u16 = 0x1f1f;
/// The first vendor specific byte of Identify Namespace, by which drivers know that a namespace is one of an
/// open-channel drive.
pub const NAMESPACE_MARK: u8 = 1;

/// Opcodes (section 2.1).
pub mod opcode {
    /// Geometry, an admin command.
    pub const GEOMETRY: u8 = 0xe2;
    /// Vector Chunk Reset.
    pub const RESET: u8 = 0x90;
    /// Vector Chunk Write.
    pub const WRITE: u8 = 0x91;
    /// Vector Chunk Read.
    pub const READ: u8 = 0x92;
    /// Vector Chunk Copy.
    pub const COPY: u8 = 0x93;
}

/// Bits of MCCAP.
pub mod capability {
    /// Vector Chunk Copy is there.
    pub const COPY: u32 = 1 << 0;
    /// A chunk that is free can be reset.
    pub const RESET_OF_FREE: u32 = 1 << 1;
}

/// Bits of the type of a chunk.
pub mod chunk_type {
    /// It is written in order.
    pub const SEQUENTIAL: u8 = 1 << 0;
}

layout! {
    /// What the Geometry command returns (section 2.1.1).
    Geometry [4096] {
        /// MJR, MNR: the revision, 2 and 0.
        major: u8 = 0,
        /// See `major`.
        minor: u8 = 1,
        /// LBAF: bits of an address that name the group; those of the other three stand below them in this order.
        group_bits: u8 = 8,
        /// Bits that name the parallel unit of the group.
        unit_bits: u8 = 9,
        /// Bits that name the chunk of the parallel unit.
        chunk_bits: u8 = 10,
        /// Bits that name the block of the chunk, the lowest.
        block_bits: u8 = 11,
        /// MCCAP: [`capability`].
        capabilities: u32 = 16,
        /// WIT: by how much wear indices may differ before the drive tells.
        wear_delta: u8 = 32,
        /// NUM_GRP: groups.
        groups: u16 = 64,
        /// NUM_PU: parallel units of a group.
        units: u16 = 66,
        /// NUM_CHK: chunks of a parallel unit.
        chunks: u32 = 68,
        /// CLBA: logical blocks of a chunk.
        chunk_blocks: u32 = 72,
        /// WS_MIN: logical blocks that a write is a multiple of.
        write_least: u32 = 128,
        /// WS_OPT: logical blocks that a write is best a multiple of.
        write_best: u32 = 132,
        /// MW_CUNITS: logical blocks that have to be written behind one before it can be read.
        blocks_before_read: u32 = 136,
        /// MAXOC: most open chunks.
        open_chunks: u32 = 140,
        /// MAXOCPU: most open chunks of a parallel unit.
        open_chunks_per_unit: u32 = 144,
        /// TRDT, TRDM: time of a read, typical and at most, in nanoseconds.
        read_typical_ns: u32 = 192,
        /// See `read_typical_ns`.
        read_most_ns: u32 = 196,
        /// TWRT, TWRM: the same of a write.
        write_typical_ns: u32 = 200,
        /// See `write_typical_ns`.
        write_most_ns: u32 = 204,
        /// TCRST, TCRSM: the same of a reset.
        reset_typical_ns: u32 = 208,
        /// See `reset_typical_ns`.
        reset_most_ns: u32 = 212,
    }
}

/// What can be done with a chunk (section 1.2.4). The numbers are those of the state's bit in a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
#[cfg_attr(feature = "state", borsh(use_discriminant = false))]
pub enum ChunkState {
    /// It is reset, and nothing was written since.
    Free = 1 << 0,
    /// It takes no more writes until it is reset.
    Closed = 1 << 1,
    /// It is written in part.
    Open = 1 << 2,
    /// It is of no use any more.
    Offline = 1 << 3,
}

layout! {
    /// A chunk in the log page Chunk Information (section 2.1.2): they are in the order of group, parallel unit and chunk.
    ChunkDescriptor [32] {
        /// CS: the bit of its [`ChunkState`].
        state: u8 = 0,
        /// CT: [`chunk_type`].
        kind: u8 = 1,
        /// WLI: how worn it is, of 255.
        wear: u8 = 2,
        /// SLBA: address of its first block.
        start: u64 = 8,
        /// CNLB: blocks that it has.
        blocks: u64 = 16,
        /// WP: blocks that were written, from its first on.
        written: u64 = 24,
    }
}

/// Most addresses of a command.
pub const MOST_ADDRESSES: usize = 64;
/// Bytes of an address in a list.
pub const ADDRESS_BYTES: u64 = 8;

/// What a vector command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorKind {
    /// Vector Chunk Reset (section 2.2.4): each address is the first of a chunk.
    Reset,
    /// Vector Chunk Write (section 2.2.2).
    Write,
    /// Vector Chunk Read (section 2.2.1).
    Read,
    /// Vector Chunk Copy (section 2.2.3).
    Copy,
}

/// The addresses of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressList {
    /// One, which stands in the command.
    Single(u64),
    /// They stand in host memory, from this address on, [`ADDRESS_BYTES`] each.
    At(u64),
}

/// A legal vector command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorCommand {
    /// What it does.
    pub kind: VectorKind,
    /// NLB: addresses, 1 to [`MOST_ADDRESSES`].
    pub count: u8,
    /// LBAL: what is read, written or reset, or where a copy is from.
    pub addresses: AddressList,
    /// DLBAL: where a copy goes to; without meaning in other commands.
    pub destinations: AddressList,
}

impl VectorCommand {
    /// Checks an entry; `None` if it is no vector command.
    ///
    /// # Errors
    /// Invalid Field in Command for FUSE or PSDT, for a list that is not dword aligned, and for a reset that asks for
    /// descriptors of its chunks (MPTR), which the log page has.
    pub fn parse(entry: &Entry) -> Option<Result<Self, Fault>> {
        let kind = match entry.opcode() {
            opcode::RESET => VectorKind::Reset,
            opcode::WRITE => VectorKind::Write,
            opcode::READ => VectorKind::Read,
            opcode::COPY => VectorKind::Copy,
            _ => return None,
        };
        Some(Self::of(kind, entry))
    }

    fn of(kind: VectorKind, entry: &Entry) -> Result<Self, Fault> {
        entry.check_plain()?;
        if kind == VectorKind::Reset && entry.wide(4) != 0 {
            return Err(Fault::at(Status::INVALID_FIELD, 4, 0));
        }
        let count = (entry.dword(12) & 0x3f) as u8 + 1;
        let list = |dword: u8| match (count, entry.wide(dword.into())) {
            (1, address) => Ok(AddressList::Single(address)),
            (_, at) if at % 4 != 0 => Err(Fault::at(Status::INVALID_FIELD, dword, 0)),
            (_, at) => Ok(AddressList::At(at)),
        };
        let destinations =
            if kind == VectorKind::Copy { list(14)? } else { AddressList::Single(0) };
        Ok(VectorCommand { kind, count, addresses: list(10)?, destinations })
    }

    /// The entry of the command.
    pub fn emit(&self, header: Header) -> Entry {
        let opcode = match self.kind {
            VectorKind::Reset => opcode::RESET,
            VectorKind::Write => opcode::WRITE,
            VectorKind::Read => opcode::READ,
            VectorKind::Copy => opcode::COPY,
        };
        let put = |entry: Entry, dword: usize, list: AddressList| {
            let (AddressList::Single(value) | AddressList::At(value)) = list;
            entry.with(dword, value as u32).with(dword + 1, (value >> 32) as u32)
        };
        let entry = Entry::new(opcode, header).with(12, u32::from(self.count) - 1);
        let entry = put(entry, 10, self.addresses);
        match self.kind {
            VectorKind::Copy => put(entry, 14, self.destinations),
            _ => entry,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometry_has_its_fields_where_the_specification_puts_them() {
        let geometry = Geometry {
            major: 2,
            group_bits: 3,
            unit_bits: 4,
            chunk_bits: 13,
            block_bits: 9,
            capabilities: capability::COPY | capability::RESET_OF_FREE,
            groups: 0x0201,
            units: 0x0403,
            chunks: 0x0807_0605,
            chunk_blocks: 512,
            write_least: 4,
            write_best: 8,
            open_chunks_per_unit: 0x0c0b_0a09,
            reset_most_ns: 0x100f_0e0d,
            ..Geometry::zeroed()
        };
        let mut bytes = [0xff; 4096];
        geometry.emit(&mut bytes);
        assert_eq!(bytes[..2], [2, 0]);
        assert_eq!(bytes[8..12], [3, 4, 13, 9]);
        assert_eq!(bytes[16], 3);
        assert_eq!(bytes[64..72], [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bytes[72..76], [0, 2, 0, 0]);
        assert_eq!((bytes[128], bytes[132]), (4, 8));
        assert_eq!(bytes[144..148], [9, 10, 11, 12]);
        assert_eq!(bytes[212..216], [13, 14, 15, 16]);
        assert!(bytes[216..].iter().all(|&byte| byte == 0));
        assert_eq!(Geometry::parse(&bytes), geometry);
    }

    #[test]
    fn a_descriptor_is_32_bytes() {
        let chunk = ChunkDescriptor {
            state: ChunkState::Open as u8,
            kind: chunk_type::SEQUENTIAL,
            wear: 7,
            start: 0x0102_0304_0506_0708,
            blocks: 512,
            written: 12,
        };
        let mut bytes = [0xff; 32];
        chunk.emit(&mut bytes);
        assert_eq!(bytes[..16], [4, 1, 7, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(bytes[16..], [0, 2, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(ChunkDescriptor::parse(&bytes), chunk);
    }

    #[test]
    fn commands_survive_emit_and_parse_and_keep_one_address_in_themselves() {
        use VectorKind::{Copy, Read, Reset, Write};
        for kind in [Reset, Write, Read, Copy] {
            for count in [1, 2, 64] {
                let list = |value| match count {
                    1 => AddressList::Single(value),
                    _ => AddressList::At(value),
                };
                let destinations =
                    if kind == Copy { list(0x5_0000_0008) } else { AddressList::Single(0) };
                let command =
                    VectorCommand { kind, count, addresses: list(0x1_0000_0004), destinations };
                let entry = command.emit(Header { cid: 7, nsid: 1, ..Header::default() });
                assert_eq!(VectorCommand::parse(&entry), Some(Ok(command)));
                assert_eq!(entry.dword(12), u32::from(count) - 1);
                assert_eq!((entry.dword(10), entry.dword(11)), (4, 1));
            }
        }
        assert_eq!(VectorCommand::parse(&Entry::new(0x02, Header::default())), None);
    }

    #[test]
    fn what_is_illegal_is_refused_with_its_place() {
        let read = Entry::new(opcode::READ, Header::default());
        let copy = Entry::new(opcode::COPY, Header::default()).with(12, 1);
        let reset = Entry::new(opcode::RESET, Header::default());
        for (entry, dword, bit) in [
            (read.with(0, read.dword(0) | 0x100), 0, 8),
            (read.with(0, read.dword(0) | 0x4000), 0, 14),
            (read.with(12, 1).with(10, 2), 10, 0),
            (copy.with(14, 3), 14, 0),
            (reset.with(5, 1), 4, 0),
        ] {
            let fault = Fault::at(Status::INVALID_FIELD, dword, bit);
            assert_eq!(VectorCommand::parse(&entry), Some(Err(fault)));
        }
        // A single address is not one of memory, and reserved bits of dword 12 are not of its count.
        let odd = VectorCommand::parse(&read.with(10, 3).with(12, 0xffff_ffc0)).unwrap().unwrap();
        assert_eq!((odd.count, odd.addresses), (1, AddressList::Single(3)));
    }
}
