//! Submission queue entries (NVMe 1.4 section 4.2, figures 104 and 105).

use crate::status::{Fault, Status};

/// Bytes of a submission queue entry (SQES 6).
pub const ENTRY_BYTES: usize = 64;

/// A submission queue entry as it was fetched: 16 little-endian dwords that may hold anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(pub [u32; 16]);

/// The data pointer, as PRP entries 1 and 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct DataPointer {
    /// PRP entry 1.
    pub prp1: u64,
    /// PRP entry 2.
    pub prp2: u64,
}

/// What every command has beside its own fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Command identifier.
    pub cid: u16,
    /// Namespace identifier.
    pub nsid: u32,
    /// Data pointer; a queue's address for the commands that create one.
    pub data: DataPointer,
}

impl Entry {
    /// An entry with `opcode` and `header`; FUSE, PSDT and dwords 10 to 15 are zero.
    pub fn new(opcode: u8, header: Header) -> Self {
        let mut dwords = [0; 16];
        dwords[0] = u32::from(header.cid) << 16 | u32::from(opcode);
        dwords[1] = header.nsid;
        dwords[6] = header.data.prp1 as u32;
        dwords[7] = (header.data.prp1 >> 32) as u32;
        dwords[8] = header.data.prp2 as u32;
        dwords[9] = (header.data.prp2 >> 32) as u32;
        Entry(dwords)
    }

    /// The entry with command dword `dword` set to `value`.
    pub fn with(mut self, dword: usize, value: u32) -> Self {
        self.0[dword] = value;
        self
    }

    /// Opcode (dword 0, bits 7:0).
    pub const fn opcode(&self) -> u8 {
        self.0[0] as u8
    }

    /// Command identifier.
    pub const fn cid(&self) -> u16 {
        (self.0[0] >> 16) as u16
    }

    /// Fused operation: 0 for a normal command.
    pub const fn fuse(&self) -> u8 {
        (self.0[0] >> 8) as u8 & 3
    }

    /// Choice of PRP (0) or SGL for the data pointer.
    pub const fn psdt(&self) -> u8 {
        (self.0[0] >> 14) as u8 & 3
    }

    /// Namespace identifier.
    pub const fn nsid(&self) -> u32 {
        self.0[1]
    }

    /// Data pointer, read as PRP entries.
    pub const fn data(&self) -> DataPointer {
        DataPointer { prp1: self.wide(6), prp2: self.wide(8) }
    }

    /// Identifier, namespace and data pointer.
    pub const fn header(&self) -> Header {
        Header { cid: self.cid(), nsid: self.nsid(), data: self.data() }
    }

    /// Command dword `dword`, 0 to 15.
    pub const fn dword(&self, dword: usize) -> u32 {
        self.0[dword]
    }

    /// Two dwords from `dword` on as one value.
    pub const fn wide(&self, dword: usize) -> u64 {
        (self.0[dword + 1] as u64) << 32 | self.0[dword] as u64
    }

    /// Refuses fused commands and SGLs.
    ///
    /// # Errors
    /// Invalid Field in Command for FUSE or PSDT other than zero.
    pub fn check_plain(&self) -> Result<(), Fault> {
        if self.fuse() != 0 {
            return Err(Fault::at(Status::INVALID_FIELD, 0, 8));
        }
        if self.psdt() != 0 {
            return Err(Fault::at(Status::INVALID_FIELD, 0, 14));
        }
        Ok(())
    }

    /// The 64 bytes of the entry.
    #[inline]
    pub fn to_bytes(&self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        for (bytes, dword) in bytes.as_chunks_mut().0.iter_mut().zip(self.0) {
            *bytes = dword.to_le_bytes();
        }
        bytes
    }

    /// Reads 64 bytes.
    #[inline]
    pub fn from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let mut dwords = [0; 16];
        for (dword, bytes) in dwords.iter_mut().zip(bytes.as_chunks().0) {
            *dword = u32::from_le_bytes(*bytes);
        }
        Entry(dwords)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_at_their_bytes() {
        let header = Header {
            cid: 0x1234,
            nsid: 0x0807_0605,
            data: DataPointer { prp1: 0x1111_2222_3333_4000, prp2: 0x5555_6666_7777_8000 },
        };
        let entry = Entry::new(0x02, header).with(10, 0xa0a1_a2a3).with(11, 0xb0b1_b2b3);
        let bytes = entry.to_bytes();
        assert_eq!(bytes[0..4], [0x02, 0x00, 0x34, 0x12]);
        assert_eq!(bytes[4..8], [5, 6, 7, 8]);
        assert_eq!(bytes[24..32], [0x00, 0x40, 0x33, 0x33, 0x22, 0x22, 0x11, 0x11]);
        assert_eq!(bytes[32..40], [0x00, 0x80, 0x77, 0x77, 0x66, 0x66, 0x55, 0x55]);
        assert_eq!(bytes[40..44], [0xa3, 0xa2, 0xa1, 0xa0]);
        assert_eq!(entry.wide(10), 0xb0b1_b2b3_a0a1_a2a3);
        assert_eq!(entry.header(), header);
        assert_eq!(Entry::from_bytes(&bytes), entry);
    }

    #[test]
    fn fused_commands_and_sgls_are_refused() {
        let plain = Entry::new(0x02, Header::default());
        assert_eq!(plain.check_plain(), Ok(()));
        for (bits, byte_and_bit) in [(0x100, 0x001), (0x200, 0x001), (0x4000, 0x601)] {
            let fault = plain.with(0, 0x02 | bits).check_plain().unwrap_err();
            assert!(fault.status.is(Status::INVALID_FIELD));
            assert_eq!(fault.location.bits(), byte_and_bit);
        }
    }
}
