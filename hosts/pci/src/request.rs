//! Commands of the client, read strictly: each holds only what is legal, or is an error.

use rustix::io::Errno;

use crate::memory::{Access, Offer};
use crate::version::Proposal;
use crate::wire::{command, Fields, MOST_DATA};

/// Regions of a PCI device, by VFIO's numbers.
pub mod region {
    /// BAR 0.
    pub const BAR_0: u32 = 0;
    /// Configuration space.
    pub const CONFIG: u32 = 7;
    /// How many numbers there are: six BARs, ROM, configuration space, VGA.
    pub const COUNT: u32 = 9;
}

/// Kinds of interrupts of a PCI device, by VFIO's numbers.
pub mod irq {
    /// MSI-X.
    pub const MSIX: u32 = 2;
    /// Errors of the device.
    pub const ERROR: u32 = 3;
    /// How many numbers there are: INTx, MSI, MSI-X, errors, requests.
    pub const COUNT: u32 = 5;
}

const DMA_READABLE: u32 = 1 << 0;
const DMA_WRITABLE: u32 = 1 << 1;
const UNMAP_ALL: u32 = 1 << 1;
const DMA_MAP_BYTES: u32 = 32;
const DMA_UNMAP_BYTES: u32 = 24;
const INFO_BYTES: u32 = 16;
const REGION_INFO_BYTES: u32 = 32;
const IRQ_SET_BYTES: u32 = 20;
/// Most bytes of one write of [`Request::WriteMulti`].
const MULTI_DATA_BYTES: u32 = 8;

/// A part of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The region.
    pub region: u32,
    /// Its first byte.
    pub offset: u64,
    /// Bytes, at most [`MOST_DATA`].
    pub count: usize,
}

/// A write of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionWrite<'a> {
    /// Where.
    pub span: Span,
    /// As many bytes as the span has.
    pub data: &'a [u8],
}

/// What is to be done with interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrqAction<'a> {
    /// They get the eventfds that came with the message, or lose theirs if none came.
    Connect,
    /// All of the kind are taken down.
    Disable,
    /// They are masked.
    Mask(Choice<'a>),
    /// They are unmasked.
    Unmask(Choice<'a>),
    /// They are raised.
    Raise(Choice<'a>),
}

/// Which interrupts of a range are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<'a> {
    /// All.
    All,
    /// Those with a byte that is not 0.
    Marked(&'a [u8]),
}

impl Choice<'_> {
    /// Whether the `nth` interrupt of the range is meant.
    pub fn holds(self, nth: usize) -> bool {
        match self {
            Choice::All => true,
            Choice::Marked(marks) => marks.get(nth).is_some_and(|&mark| mark != 0),
        }
    }
}

/// A range of interrupts of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrqSet<'a> {
    /// The kind.
    pub index: u32,
    /// First of the range.
    pub start: u32,
    /// Length of the range.
    pub count: u32,
    /// What is to be done.
    pub action: IrqAction<'a>,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// Negotiates.
    Version(Proposal),
    /// Offers memory.
    Map(Offer),
    /// Takes one region of memory back.
    Unmap {
        /// Its first address.
        address: u64,
        /// Its bytes.
        size: u64,
    },
    /// Takes all memory back.
    UnmapAll,
    /// Asks what the device is.
    Info,
    /// Asks about a region.
    RegionInfo(u32),
    /// Asks for file descriptors that stand for parts of a region.
    RegionIoFds(u32),
    /// Asks about a kind of interrupts.
    IrqInfo(u32),
    /// Sets interrupts up.
    SetIrqs(IrqSet<'a>),
    /// Reads.
    Read(Span),
    /// Writes.
    Write(RegionWrite<'a>),
    /// Writes several times.
    WriteMulti(Vec<RegionWrite<'a>>),
    /// Resets the device.
    Reset,
}

impl<'a> Request<'a> {
    /// Reads a command with this number.
    ///
    /// # Errors
    /// ENOTSUP for commands that this server has not, ENOSYS for numbers that are nobody's, EINVAL
    /// and others for fields that are wrong.
    pub fn parse(number: u16, payload: &'a [u8]) -> Result<Self, Errno> {
        let mut fields = Fields(payload);
        let f = &mut fields;
        let request = match number {
            command::VERSION => return Proposal::parse(payload).map(Request::Version),
            command::DMA_MAP => map(f)?,
            command::DMA_UNMAP => unmap(f)?,
            command::GET_INFO => {
                at_least(f.u32()?, INFO_BYTES)?;
                // Flags and counts are the answer's.
                f.skip(12)?;
                Request::Info
            }
            command::GET_REGION_INFO => {
                at_least(f.u32()?, REGION_INFO_BYTES)?;
                f.skip(4)?;
                let index = below(f.u32()?, region::COUNT)?;
                f.skip(20)?;
                Request::RegionInfo(index)
            }
            command::GET_REGION_IO_FDS => {
                at_least(f.u32()?, INFO_BYTES)?;
                below(f.u32()?, 1)?;
                let index = below(f.u32()?, region::COUNT)?;
                f.skip(4)?;
                Request::RegionIoFds(index)
            }
            command::GET_IRQ_INFO => {
                at_least(f.u32()?, INFO_BYTES)?;
                f.skip(4)?;
                let index = below(f.u32()?, irq::COUNT)?;
                f.skip(4)?;
                Request::IrqInfo(index)
            }
            command::SET_IRQS => return set_irqs(fields).map(Request::SetIrqs),
            command::REGION_READ => Request::Read(span(f)?),
            command::REGION_WRITE => {
                let (span, data) = (span(f)?, fields.rest());
                if data.len() != span.count {
                    return Err(Errno::INVAL);
                }
                return Ok(Request::Write(RegionWrite { span, data }));
            }
            command::RESET => Request::Reset,
            command::REGION_WRITE_MULTI => return writes(fields).map(Request::WriteMulti),
            command::FEATURE | command::MIGRATION_READ | command::MIGRATION_WRITE => {
                return Err(Errno::NOTSUP);
            }
            _ => return Err(Errno::NOSYS),
        };
        fields.end()?;
        Ok(request)
    }

    /// How many file descriptors may come with the command.
    pub fn takes_fds(&self) -> usize {
        match self {
            Request::Map(_) => 1,
            Request::SetIrqs(IrqSet { action: IrqAction::Connect, count, .. }) => *count as usize,
            _ => 0,
        }
    }
}

fn at_least(value: u32, least: u32) -> Result<(), Errno> {
    if value < least {
        return Err(Errno::INVAL);
    }
    Ok(())
}

fn below(value: u32, end: u32) -> Result<u32, Errno> {
    if value >= end {
        return Err(Errno::INVAL);
    }
    Ok(value)
}

fn map<'a>(fields: &mut Fields<'_>) -> Result<Request<'a>, Errno> {
    at_least(fields.u32()?, DMA_MAP_BYTES)?;
    let access = match fields.u32()? {
        DMA_READABLE => Access::Read,
        DMA_WRITABLE => Access::Write,
        flags if flags == DMA_READABLE | DMA_WRITABLE => Access::Both,
        _ => return Err(Errno::INVAL),
    };
    let (offset, address, size) = (fields.u64()?, fields.u64()?, fields.u64()?);
    Ok(Request::Map(Offer { address, size, offset, access }))
}

fn unmap<'a>(fields: &mut Fields<'_>) -> Result<Request<'a>, Errno> {
    at_least(fields.u32()?, DMA_UNMAP_BYTES)?;
    let (flags, address, size) = (fields.u32()?, fields.u64()?, fields.u64()?);
    match (flags, address, size) {
        (0, ..) => Ok(Request::Unmap { address, size }),
        (UNMAP_ALL, 0, 0) => Ok(Request::UnmapAll),
        _ => Err(Errno::INVAL),
    }
}

fn span(fields: &mut Fields<'_>) -> Result<Span, Errno> {
    let (offset, region, count) = (fields.u64()?, fields.u32()?, fields.u32()? as usize);
    if region >= region::COUNT || count > MOST_DATA || offset.checked_add(count as u64).is_none() {
        return Err(Errno::INVAL);
    }
    Ok(Span { region, offset, count })
}

fn writes(mut fields: Fields<'_>) -> Result<Vec<RegionWrite<'_>>, Errno> {
    let count = fields.u64()?;
    let slots = fields.rest().chunks(16 + MULTI_DATA_BYTES as usize);
    if count == 0 || slots.len() as u64 != count {
        return Err(Errno::INVAL);
    }
    slots
        .map(|slot| {
            let mut fields = Fields(slot);
            let span = span(&mut fields)?;
            let data = fields.rest();
            if data.len() != MULTI_DATA_BYTES as usize {
                return Err(Errno::INVAL);
            }
            let data = data.get(..span.count).ok_or(Errno::INVAL)?;
            Ok(RegionWrite { span, data })
        })
        .collect()
}

const DATA_NONE: u32 = 1 << 0;
const DATA_BOOL: u32 = 1 << 1;
const DATA_EVENTFD: u32 = 1 << 2;
const ACTION_MASK: u32 = 1 << 3;
const ACTION_UNMASK: u32 = 1 << 4;
const ACTION_TRIGGER: u32 = 1 << 5;

fn set_irqs(mut fields: Fields<'_>) -> Result<IrqSet<'_>, Errno> {
    at_least(fields.u32()?, IRQ_SET_BYTES)?;
    let flags = fields.u32()?;
    let index = below(fields.u32()?, irq::COUNT)?;
    let (start, count, marks) = (fields.u32()?, fields.u32()?, fields.rest());
    start.checked_add(count).ok_or(Errno::INVAL)?;
    let data = flags & (DATA_NONE | DATA_BOOL | DATA_EVENTFD);
    let choice = match data {
        DATA_BOOL if marks.len() == count as usize => Choice::Marked(marks),
        DATA_NONE | DATA_EVENTFD if marks.is_empty() => Choice::All,
        _ => return Err(Errno::INVAL),
    };
    let action = match (flags & !data, data, count) {
        (ACTION_TRIGGER, DATA_NONE, 0) if start == 0 => IrqAction::Disable,
        (_, _, 0) => return Err(Errno::INVAL),
        (ACTION_TRIGGER, DATA_EVENTFD, _) => IrqAction::Connect,
        (ACTION_MASK | ACTION_UNMASK, DATA_EVENTFD, _) => return Err(Errno::NOTSUP),
        (ACTION_TRIGGER, ..) => IrqAction::Raise(choice),
        (ACTION_MASK, ..) => IrqAction::Mask(choice),
        (ACTION_UNMASK, ..) => IrqAction::Unmask(choice),
        _ => return Err(Errno::INVAL),
    };
    Ok(IrqSet { index, start, count, action })
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
