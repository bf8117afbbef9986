//! The frame of vfio-user messages: header, command numbers, and a strict reader of payloads.
//! Numbers are those of the vfio-user specification 0.1; all are little-endian, as hosts are that
//! this program is built for.

use rustix::io::Errno;

/// Bytes of a header.
pub const HEADER_BYTES: usize = 16;
/// Most bytes of user data in one message, in either direction (`max_data_xfer_size`).
pub const MOST_DATA: usize = 1 << 20;
/// Most bytes of a message: data, and what names it.
pub const MOST_MESSAGE: usize = HEADER_BYTES + 16 + MOST_DATA;

const TYPE_MASK: u32 = 0xf;
const TYPE_COMMAND: u32 = 0;
const TYPE_REPLY: u32 = 1;
const NO_REPLY: u32 = 1 << 4;
const ERROR: u32 = 1 << 5;

/// Command numbers.
pub mod command {
    /// Negotiates version and capabilities.
    pub const VERSION: u16 = 1;
    /// Offers memory.
    pub const DMA_MAP: u16 = 2;
    /// Takes memory back.
    pub const DMA_UNMAP: u16 = 3;
    /// Asks what the device is.
    pub const GET_INFO: u16 = 4;
    /// Asks about a region.
    pub const GET_REGION_INFO: u16 = 5;
    /// Asks for file descriptors that stand for parts of a region.
    pub const GET_REGION_IO_FDS: u16 = 6;
    /// Asks about a kind of interrupts.
    pub const GET_IRQ_INFO: u16 = 7;
    /// Sets interrupts up.
    pub const SET_IRQS: u16 = 8;
    /// Reads a region.
    pub const REGION_READ: u16 = 9;
    /// Writes a region.
    pub const REGION_WRITE: u16 = 10;
    /// The server reads the client's memory.
    pub const DMA_READ: u16 = 11;
    /// The server writes the client's memory.
    pub const DMA_WRITE: u16 = 12;
    /// Resets the device.
    pub const RESET: u16 = 13;
    /// Several writes of regions.
    pub const REGION_WRITE_MULTI: u16 = 15;
    /// Device features, all about migration.
    pub const FEATURE: u16 = 16;
    /// Reads the state for a migration.
    pub const MIGRATION_READ: u16 = 17;
    /// Writes the state of a migration.
    pub const MIGRATION_WRITE: u16 = 18;
}

/// What a message is, by its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command, to be answered.
    Command,
    /// A command that is not to be answered.
    Posted,
    /// An answer.
    Reply,
    /// An answer that says that the command failed.
    Failure,
}

/// A header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Chosen by whoever sends the command.
    pub id: u16,
    /// A number of [`command`].
    pub command: u16,
    /// Bytes of the whole message.
    pub size: u32,
    /// What it is.
    pub kind: Kind,
    /// Linux error number, in a failure.
    pub error: u32,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// EINVAL when its flags or its size can be nobody's.
    pub fn parse(bytes: &[u8; HEADER_BYTES]) -> Result<Self, Errno> {
        let mut fields = Fields(bytes);
        let (id, command) = (fields.u16()?, fields.u16()?);
        let (size, flags, error) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let kind = match (flags & TYPE_MASK, flags & NO_REPLY, flags & ERROR) {
            (TYPE_COMMAND, 0, 0) => Kind::Command,
            (TYPE_COMMAND, _, 0) => Kind::Posted,
            (TYPE_REPLY, _, 0) => Kind::Reply,
            (TYPE_REPLY, _, _) => Kind::Failure,
            _ => return Err(Errno::INVAL),
        };
        let unknown = flags & !(TYPE_MASK | NO_REPLY | ERROR);
        if unknown != 0 || !(HEADER_BYTES..=MOST_MESSAGE).contains(&(size as usize)) {
            return Err(Errno::INVAL);
        }
        Ok(Header { id, command, size, kind, error })
    }

    /// The bytes of the header.
    pub fn emit(&self) -> [u8; HEADER_BYTES] {
        let flags = match self.kind {
            Kind::Command => TYPE_COMMAND,
            Kind::Posted => TYPE_COMMAND | NO_REPLY,
            Kind::Reply => TYPE_REPLY,
            Kind::Failure => TYPE_REPLY | ERROR,
        };
        let mut bytes = [0; HEADER_BYTES];
        bytes[..2].copy_from_slice(&self.id.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.command.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.size.to_le_bytes());
        bytes[8..12].copy_from_slice(&flags.to_le_bytes());
        bytes[12..].copy_from_slice(&self.error.to_le_bytes());
        bytes
    }

    /// Bytes behind the header.
    pub fn payload_bytes(&self) -> usize {
        self.size as usize - HEADER_BYTES
    }
}

/// Takes fields off the front of a payload.
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    /// The next 2 bytes.
    ///
    /// # Errors
    /// EINVAL when the payload is too short, as for all that follow.
    pub fn u16(&mut self) -> Result<u16, Errno> {
        self.array().map(u16::from_le_bytes)
    }

    /// The next 4 bytes.
    ///
    /// # Errors
    /// As [`Fields::u16`].
    pub fn u32(&mut self) -> Result<u32, Errno> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next 8 bytes.
    ///
    /// # Errors
    /// As [`Fields::u16`].
    pub fn u64(&mut self) -> Result<u64, Errno> {
        self.array().map(u64::from_le_bytes)
    }

    /// Leaves bytes out.
    ///
    /// # Errors
    /// As [`Fields::u16`].
    pub fn skip(&mut self, bytes: usize) -> Result<(), Errno> {
        self.0 = self.0.get(bytes..).ok_or(Errno::INVAL)?;
        Ok(())
    }

    /// All that is left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// EINVAL when something is.
    pub fn end(self) -> Result<(), Errno> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Errno::INVAL)
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Errno> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Errno::INVAL)?;
        self.0 = rest;
        Ok(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flagged(flags: u32, size: u32) -> Result<Header, Errno> {
        let any = Header { id: 7, command: command::RESET, size, kind: Kind::Command, error: 0 };
        let mut bytes = any.emit();
        bytes[8..12].copy_from_slice(&flags.to_le_bytes());
        Header::parse(&bytes)
    }

    #[test]
    fn a_header_holds_its_bytes() {
        for kind in [Kind::Command, Kind::Posted, Kind::Reply, Kind::Failure] {
            let header = Header { id: 0x1234, command: 15, size: 40, kind, error: 22 };
            assert_eq!(Header::parse(&header.emit()), Ok(header));
        }
        let reply = Header { id: 0x0201, command: 4, size: 32, kind: Kind::Reply, error: 0 };
        assert_eq!(reply.emit(), [1, 2, 4, 0, 32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn flags_and_sizes_that_nobody_may_send_are_refused() {
        for (flags, size) in [
            (2, 16),
            (0x20, 16),
            (0x40, 16),
            (0x8000_0000, 16),
            (0, 0),
            (0, 15),
            (0, MOST_MESSAGE as u32 + 1),
            (0, u32::MAX),
        ] {
            assert_eq!(flagged(flags, size), Err(Errno::INVAL), "{flags:#x} {size}");
        }
        assert!(flagged(0x10, 16).is_ok());
        assert!(flagged(0, MOST_MESSAGE as u32).is_ok());
    }
}
