//! Requests and responses of a flash channel as packets of words (docs/spec/flash-packets.md).
//!
//! [`Request`] and [`Response`] can hold only what means something; the words are what goes through
//! the windows of [`crate::registers`]. [`PhaseFormat`] gives the phases of the contract this form,
//! [`WholeRequest`] what a controller schedules by itself.

mod chip_status;
mod code_words;
mod format;
#[cfg(feature = "state")]
mod state;
mod whole;
mod words;

pub use chip_status::ChipStatus;
pub use code_words::CodeWords;
pub use format::{set_level, PhaseFormat, RowFormat, READ_LEVEL, STREAMS};
pub use whole::{WholeOperation, WholeRequest};
pub use words::{request, response, Model, Operation, Outcome};

use core::error::Error;
use core::fmt;

/// A request as words.
pub type RequestWords = [u32; request::WORDS];
/// A response as words.
pub type ResponseWords = [u32; response::WORDS];

/// The queue of its way in which a request waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Priority {
    /// The queue that yields.
    Low,
    /// The queue that goes first.
    High,
}

/// When a response raises an interrupt (Ozone 4.1, IR and IC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Interrupt {
    /// The response raises no interrupt, whatever the outcome.
    Never,
    /// If the request did not succeed.
    OnError,
    /// The response raises an interrupt, whatever the outcome.
    Always,
}

/// Whether a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Answer {
    /// By a response.
    Response,
    /// By nothing; the way turns ready.
    Silent,
}

/// What happens to the data of a page on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Coding {
    /// Encoded or decoded by the error correction.
    pub ecc: bool,
    /// Scrambled or descrambled.
    pub scrambler: bool,
    /// Metadata follow the data, in the buffer entry and in the page.
    pub metadata: bool,
}

/// What firmware asks a channel for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Request {
    /// What to do.
    pub operation: Operation,
    /// Way, below 16.
    pub way: u8,
    /// Comes back in the response.
    pub tag: u8,
    /// Stream, below 8; responses of a stream come in the order of its requests.
    pub stream: u8,
    /// Which queue of the way the request waits in.
    pub priority: Priority,
    /// When to raise an interrupt.
    pub interrupt: Interrupt,
    /// Whether there is a response.
    pub answer: Answer,
    /// What happens to the data.
    pub coding: Coding,
    /// Row as the chip counts: LUN, block, page. Of features P1 to P4, P1 lowest.
    pub row: u32,
    /// First byte in the page. Of features the address, and the LUN in bits 15:8.
    pub column: u16,
    /// Bytes of user data, even.
    pub length: u16,
    /// Buffer entry.
    pub buffer: u16,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Response {
    /// Tag of the request.
    pub tag: u8,
    /// Way of the request.
    pub way: u8,
    /// Stream of the request.
    pub stream: u8,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether its interrupt is pending (Ozone 4.1, IP).
    pub interrupt_pending: bool,
    /// Whether the page was erased.
    pub erased: bool,
    /// Bits corrected in the page, below 4,096.
    pub corrected_bits: u16,
    /// Most bits corrected in a chunk, below 16.
    pub most_bits: u8,
    /// Chunks beyond correction.
    pub lost_chunks: u8,
    /// Status byte; four bytes of a feature.
    pub value: u32,
}

/// Words that are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketError {
    /// An operation of no such number.
    Operation(u32),
    /// An outcome of no such number.
    Outcome(u32),
    /// Bits that have to be zero are not.
    Reserved,
    /// A response to a request that the channel refused.
    Refused,
    /// A response to a request that the channel gave back.
    GivenBack,
    /// A response whose tag is none that [`PhaseFormat`] gives.
    Tag(u8),
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(found) => {
                write!(f, "packet: found operation {found:#04x}, expected one of operation_e")
            }
            Self::Outcome(found) => {
                write!(f, "packet: found outcome {found}, expected one of outcome_e")
            }
            Self::Reserved => write!(f, "packet: found ones in reserved bits, expected zeros"),
            Self::Refused => write!(f, "packet: found outcome Refused, expected a known request"),
            Self::GivenBack => write!(f, "packet: found outcome GivenBack, expected room"),
            Self::Tag(found) => {
                write!(f, "packet: found tag {found:#04x}, expected one of a phase")
            }
        }
    }
}

impl Error for PacketError {}

impl Request {
    /// A request without data, of low priority, with a response and without interrupt.
    pub const fn new(operation: Operation, way: u8, row: u32) -> Self {
        Self {
            operation,
            way,
            tag: 0,
            stream: 0,
            priority: Priority::Low,
            interrupt: Interrupt::Never,
            answer: Answer::Response,
            coding: Coding { ecc: true, scrambler: true, metadata: false },
            row,
            column: 0,
            length: 0,
            buffer: 0,
        }
    }

    /// The words of the window, the first one first.
    ///
    /// # Panics
    /// If way or stream are out of range.
    pub fn emit(&self) -> RequestWords {
        use request::*;
        let mut words = [0; WORDS];
        let mut put = |field: crate::bits::Field, value: u32| field.set(&mut words, value);
        put(OPERATION, self.operation as u32);
        put(WAY, self.way.into());
        put(TAG, self.tag.into());
        put(STREAM, self.stream.into());
        put(URGENT, (self.priority == Priority::High).into());
        put(IRQ, (self.interrupt != Interrupt::Never).into());
        put(IRQ_ON_ERROR, (self.interrupt == Interrupt::OnError).into());
        put(METADATA, self.coding.metadata.into());
        put(BYPASS, (!self.coding.ecc).into());
        put(PLAIN, (!self.coding.scrambler).into());
        put(SILENT, (self.answer == Answer::Silent).into());
        put(ROW, self.row);
        put(COLUMN, self.column.into());
        put(LENGTH, self.length.into());
        put(BUFFER, self.buffer.into());
        words
    }

    /// The request of these words.
    ///
    /// # Errors
    /// If there is no such operation, or a reserved bit is set.
    pub fn parse(words: &RequestWords) -> Result<Self, PacketError> {
        use request::*;
        if RESERVED.iter().any(|field| field.get(words) != 0) {
            return Err(PacketError::Reserved);
        }
        let bit = |field: crate::bits::Field| field.get(words) == 1;
        let operation = OPERATION.get(words);
        Ok(Self {
            operation: Operation::from_bits(operation).ok_or(PacketError::Operation(operation))?,
            way: WAY.get(words) as u8,
            tag: TAG.get(words) as u8,
            stream: STREAM.get(words) as u8,
            priority: if bit(URGENT) { Priority::High } else { Priority::Low },
            interrupt: match (bit(IRQ), bit(IRQ_ON_ERROR)) {
                (false, _) => Interrupt::Never,
                (true, true) => Interrupt::OnError,
                (true, false) => Interrupt::Always,
            },
            answer: if bit(SILENT) { Answer::Silent } else { Answer::Response },
            coding: Coding { ecc: !bit(BYPASS), scrambler: !bit(PLAIN), metadata: bit(METADATA) },
            row: ROW.get(words),
            column: COLUMN.get(words) as u16,
            length: LENGTH.get(words) as u16,
            buffer: BUFFER.get(words) as u16,
        })
    }
}

impl Response {
    /// The words of the window, the first one first.
    ///
    /// # Panics
    /// If a number is out of range.
    pub fn emit(&self) -> ResponseWords {
        use response::*;
        let mut words = [0; WORDS];
        let mut put = |field: crate::bits::Field, value: u32| field.set(&mut words, value);
        put(TAG, self.tag.into());
        put(WAY, self.way.into());
        put(STREAM, self.stream.into());
        put(OUTCOME, self.outcome as u32);
        put(IRQ_PENDING, self.interrupt_pending.into());
        put(ERASED, self.erased.into());
        put(VALID, 1);
        put(CORRECTED, self.corrected_bits.into());
        put(MOST, self.most_bits.into());
        put(LOST, self.lost_chunks.into());
        put(VALUE, self.value);
        words
    }

    /// The response of these words, or none if the window was empty.
    ///
    /// # Errors
    /// If there is no such outcome, or a reserved bit is set.
    pub fn parse(words: &ResponseWords) -> Result<Option<Self>, PacketError> {
        use response::*;
        if VALID.get(words) == 0 {
            return Ok(None);
        }
        if RESERVED.iter().any(|field| field.get(words) != 0) {
            return Err(PacketError::Reserved);
        }
        let outcome = OUTCOME.get(words);
        Ok(Some(Self {
            tag: TAG.get(words) as u8,
            way: WAY.get(words) as u8,
            stream: STREAM.get(words) as u8,
            outcome: Outcome::from_bits(outcome).ok_or(PacketError::Outcome(outcome))?,
            interrupt_pending: IRQ_PENDING.get(words) == 1,
            erased: ERASED.get(words) == 1,
            corrected_bits: CORRECTED.get(words) as u16,
            most_bits: MOST.get(words) as u8,
            lost_chunks: LOST.get(words) as u8,
            value: VALUE.get(words),
        }))
    }
}

#[cfg(test)]
mod tests;
