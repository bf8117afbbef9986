//! What `blktrace` writes, in the byte order of its machine: `struct blk_io_trace` of `blktrace_api.h`, 48 bytes with so many
//! more behind them as the record says. The magic number is 0x65617400 with the version, 7, in its last byte. Files
//! of several processors can be joined: times that go back are then counted.

use crate::event::Event;
use crate::fault::Wrong;
use crate::formats::found::stretch;
use crate::record::{Kind, Raw, UNKNOWN};

/// Bytes of a record without what stands behind it.
pub(crate) const HEADER_BYTES: usize = 48;
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

/// Basic actions, the lower half of `action`.
const QUEUE: u32 = 1;
const ISSUE: u32 = 7;
/// Categories, the upper half of `action`.
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
/// A flush; before Linux 2.6.37 a barrier, which is a flush if it has no bytes.
const FLUSH: u32 = 1 << 18;
const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;

/// Byte order of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Order {
    /// What a magic number says; none if it is none.
    #[inline]
    pub(crate) fn of(first: &[u8]) -> Option<Self> {
        let word: [u8; 4] = first.get(..4)?.try_into().ok()?;
        if u32::from_le_bytes(word) == MAGIC | VERSION {
            Some(Order::Little)
        } else if u32::from_be_bytes(word) == MAGIC | VERSION {
            Some(Order::Big)
        } else {
            None
        }
    }
}

/// A record: the request, if it is one, its device, and the bytes that stand behind the header.
pub(crate) struct Event48 {
    pub(crate) raw: Option<Raw>,
    pub(crate) device: u32,
    pub(crate) behind_bytes: usize,
    /// The action without its categories.
    pub(crate) action: u32,
}

/// Reads a header of [`HEADER_BYTES`] with a good magic number.
///
/// # Errors
/// The first field that is not what it should be, with the bytes behind the header.
#[inline]
pub(crate) fn header(
    bytes: &[u8],
    order: Order,
    event: Event,
) -> Result<Event48, (Wrong<'_>, usize)> {
    let word = |at: usize| {
        let word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
        match order {
            Order::Little => u32::from_le_bytes(word),
            Order::Big => u32::from_be_bytes(word),
        }
    };
    let long = |at: usize| match order {
        Order::Little => u64::from(word(at)) | u64::from(word(at + 4)) << 32,
        Order::Big => u64::from(word(at)) << 32 | u64::from(word(at + 4)),
    };
    let behind_bytes = match order {
        Order::Little => word(44) >> 16,
        Order::Big => word(44) & 0xffff,
    } as usize;
    let (action, device) = (word(28), word(36));
    let basic = action & 0xffff;
    let wanted = match event {
        Event::Queue => QUEUE,
        Event::Issue => ISSUE,
    };
    let other = Event48 { raw: None, device, behind_bytes, action: basic };
    if basic != wanted || action & NOTIFY != 0 {
        return Ok(other);
    }
    let length = u64::from(word(24));
    let is = |category| action & category != 0;
    let kind = match (is(DISCARD), is(READ), is(WRITE), is(FLUSH)) {
        (true, ..) => Kind::Trim,
        (_, _, _, true) if length == 0 => Kind::Flush,
        (_, true, ..) => Kind::Read,
        (_, _, true, _) if length > 0 => Kind::Write,
        (_, _, _, true) => Kind::Flush,
        _ => return Ok(other),
    };
    let raw = |offset, length| Raw { ticks: long(8), response_ns: UNKNOWN, kind, offset, length };
    if kind == Kind::Flush {
        return Ok(Event48 { raw: Some(raw(0, 0)), ..other });
    }
    let Some(offset) = long(16).checked_mul(512) else {
        let wrong = Wrong::new("sector", &bytes[16..24], "sectors that end below 2^63 bytes");
        return Err((wrong, behind_bytes));
    };
    let stretch = stretch(kind, (offset, &bytes[16..24]), (length, &bytes[24..28]));
    let (offset, length) = stretch.map_err(|wrong| (wrong, behind_bytes))?;
    Ok(Event48 { raw: Some(raw(offset, length)), ..other })
}

/// Whether a record of this action shows that a trace has an event.
pub(crate) fn is_event(action: u32, event: Event) -> bool {
    action
        == match event {
            Event::Queue => QUEUE,
            Event::Issue => ISSUE,
        }
}
