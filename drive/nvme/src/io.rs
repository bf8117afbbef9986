//! Commands of the NVM command set (NVMe 1.4 section 6).

use crate::command::{Entry, Header};
use crate::status::{Fault, Status};

/// Opcodes of the NVM command set that this crate knows.
pub mod opcode {
    /// Flush (section 6.8).
    pub const FLUSH: u8 = 0x00;
    /// Write (section 6.15).
    pub const WRITE: u8 = 0x01;
    /// Read (section 6.9).
    pub const READ: u8 = 0x02;
    /// Compare (section 6.6).
    pub const COMPARE: u8 = 0x05;
    /// Write Zeroes (section 6.17).
    pub const WRITE_ZEROES: u8 = 0x08;
    /// Dataset Management (section 6.7).
    pub const DATASET_MANAGEMENT: u8 = 0x09;
    /// Verify (section 6.14).
    pub const VERIFY: u8 = 0x0c;
    /// I/O Management Receive (base specification 2.1 section 7.3).
    pub const IO_MANAGEMENT_RECEIVE: u8 = 0x12;
    /// I/O Management Send (base specification 2.1 section 7.4).
    pub const IO_MANAGEMENT_SEND: u8 = 0x1d;
}

const FORCE_UNIT_ACCESS: u32 = 1 << 30;
const ATTRIBUTE_DEALLOCATE: u32 = 1 << 2;

/// Logical blocks that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRange {
    /// First logical block.
    pub start: u64,
    /// Number of blocks, 1 to 65,536.
    pub blocks: u32,
}

/// When data has to be non-volatile (FUA).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitAccess {
    /// As the volatile write cache is set.
    Normal,
    /// Before the command completes.
    Forced,
}

/// What a range list is for (AD). The other attributes are hints that may be ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetUse {
    /// Hints only.
    Hints,
    /// The ranges are to be deallocated.
    Deallocate,
}

/// A legal command of the NVM command set. Protection information fields are ignored, as for a
/// namespace without metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoCommand {
    /// Commit what was completed before (section 6.8).
    Flush,
    /// Write (section 6.15).
    Write(BlockRange, UnitAccess),
    /// Read (section 6.9).
    Read(BlockRange, UnitAccess),
    /// Compare (section 6.6).
    Compare(BlockRange, UnitAccess),
    /// Write Zeroes (section 6.17).
    WriteZeroes(BlockRange, UnitAccess),
    /// Dataset Management (section 6.7).
    DatasetManagement {
        /// Ranges in the list, 1 to 256.
        ranges: u16,
        /// What for.
        purpose: DatasetUse,
    },
    /// Verify (section 6.14).
    Verify(BlockRange, UnitAccess),
}

impl IoCommand {
    /// Checks an entry.
    ///
    /// # Errors
    /// Invalid Command Opcode, or Invalid Field in Command for FUSE or PSDT.
    pub fn parse(entry: &Entry) -> Result<Self, Fault> {
        let range = BlockRange { start: entry.wide(10), blocks: (entry.dword(12) & 0xffff) + 1 };
        let access = match entry.dword(12) & FORCE_UNIT_ACCESS {
            0 => UnitAccess::Normal,
            _ => UnitAccess::Forced,
        };
        let command = match entry.opcode() {
            opcode::FLUSH => IoCommand::Flush,
            opcode::WRITE => IoCommand::Write(range, access),
            opcode::READ => IoCommand::Read(range, access),
            opcode::COMPARE => IoCommand::Compare(range, access),
            opcode::WRITE_ZEROES => IoCommand::WriteZeroes(range, access),
            opcode::DATASET_MANAGEMENT => IoCommand::DatasetManagement {
                ranges: (entry.dword(10) & 0xff) as u16 + 1,
                purpose: match entry.dword(11) & ATTRIBUTE_DEALLOCATE {
                    0 => DatasetUse::Hints,
                    _ => DatasetUse::Deallocate,
                },
            },
            opcode::VERIFY => IoCommand::Verify(range, access),
            _ => return Err(Fault::at(Status::INVALID_OPCODE, 0, 0)),
        };
        entry.check_plain()?;
        Ok(command)
    }

    /// The entry of the command.
    #[inline]
    pub fn emit(&self, header: Header) -> Entry {
        match *self {
            IoCommand::Flush => Entry::new(opcode::FLUSH, header),
            IoCommand::Write(range, access) => {
                with_range(Entry::new(opcode::WRITE, header), range, access)
            }
            IoCommand::Read(range, access) => {
                with_range(Entry::new(opcode::READ, header), range, access)
            }
            IoCommand::Compare(range, access) => {
                with_range(Entry::new(opcode::COMPARE, header), range, access)
            }
            IoCommand::WriteZeroes(range, access) => {
                with_range(Entry::new(opcode::WRITE_ZEROES, header), range, access)
            }
            IoCommand::Verify(range, access) => {
                with_range(Entry::new(opcode::VERIFY, header), range, access)
            }
            IoCommand::DatasetManagement { ranges, purpose } => {
                let attributes = match purpose {
                    DatasetUse::Hints => 0,
                    DatasetUse::Deallocate => ATTRIBUTE_DEALLOCATE,
                };
                Entry::new(opcode::DATASET_MANAGEMENT, header)
                    .with(10, u32::from(ranges - 1))
                    .with(11, attributes)
            }
        }
    }
}

fn with_range(entry: Entry, range: BlockRange, access: UnitAccess) -> Entry {
    let access = match access {
        UnitAccess::Normal => 0,
        UnitAccess::Forced => FORCE_UNIT_ACCESS,
    };
    entry
        .with(10, range.start as u32)
        .with(11, (range.start >> 32) as u32)
        .with(12, (range.blocks - 1) | access)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_has_its_range_in_dwords_10_to_12() {
        let range = BlockRange { start: 0x1_0000_0002, blocks: 8 };
        let command = IoCommand::Write(range, UnitAccess::Forced);
        let entry = command.emit(Header { cid: 7, nsid: 1, ..Header::default() });
        assert_eq!(entry.0[0], 0x0007_0001);
        assert_eq!(entry.0[1], 1);
        assert_eq!(entry.0[10..13], [2, 1, 0x4000_0007]);
        assert_eq!(IoCommand::parse(&entry), Ok(command));
    }

    #[test]
    fn every_command_survives_emit_and_parse() {
        let range = BlockRange { start: u64::MAX, blocks: 65_536 };
        for command in [
            IoCommand::Flush,
            IoCommand::Read(range, UnitAccess::Normal),
            IoCommand::Compare(range, UnitAccess::Forced),
            IoCommand::WriteZeroes(range, UnitAccess::Normal),
            IoCommand::Verify(range, UnitAccess::Forced),
            IoCommand::DatasetManagement { ranges: 256, purpose: DatasetUse::Deallocate },
            IoCommand::DatasetManagement { ranges: 1, purpose: DatasetUse::Hints },
        ] {
            assert_eq!(IoCommand::parse(&command.emit(Header::default())), Ok(command));
        }
    }

    #[test]
    fn unknown_opcodes_are_refused_before_other_fields() {
        for opcode in [0x03, 0x04, 0x0a, 0x0d, 0x11, 0x80, 0xff] {
            let entry = Entry::new(opcode, Header::default());
            let entry = entry.with(0, entry.dword(0) | 0x100);
            let fault = IoCommand::parse(&entry).unwrap_err();
            assert_eq!(fault, Fault::at(Status::INVALID_OPCODE, 0, 0));
        }
    }
}
