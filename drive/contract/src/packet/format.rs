//! The phases of the contract as packets: the firmware schedules, the channel keeps their order.

use super::{
    Answer, ChipStatus, CodeWords, Coding, Operation, Outcome, PacketError, Request, RequestWords,
    Response, ResponseWords,
};
use crate::{BufferId, FlashOperation, FlashOutcome, FlashRequest, Span};

/// The feature that holds the read level in its first parameter (ONFI leaves 80h to FFh to vendors; chips with read retry
/// have it at this address).
pub const READ_LEVEL: u8 = 0x89;

/// How the rows of the contract, over usable pages only, become rows as a chip counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct RowFormat {
    /// Usable pages a block.
    pub pages_per_block: u32,
    /// Pages from one usable page to the next: 2 if every second page is used, as in SLC mode; 3 if three flash pages are
    /// programmed together, and count as one.
    pub page_stride: u32,
    /// Lowest bit of the block in a row of the chip.
    pub block_shift: u8,
}

/// What the phases of a drive have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct PhaseFormat {
    /// Data bytes a flash page.
    pub page_bytes: u16,
    /// Flash pages that are programmed together, and count as one page of [`RowFormat`].
    pub flash_pages: u8,
    /// How rows of the contract become rows of a chip.
    pub rows: RowFormat,
    /// Code words.
    pub code: CodeWords,
}

impl RowFormat {
    /// Rows of chips all of whose pages are used: a block's pages fill the bits below its number.
    pub const fn dense(pages_per_block: u32) -> Self {
        let block_shift = pages_per_block.next_power_of_two().trailing_zeros() as u8;
        RowFormat { pages_per_block, page_stride: 1, block_shift }
    }

    /// The row of a chip that is this one of the contract.
    pub const fn chip_row(&self, row: u32) -> u32 {
        let (block, page) = (row / self.pages_per_block, row % self.pages_per_block);
        (block << self.block_shift) | (page * self.page_stride)
    }

    /// The row of the contract that is this one of the chip.
    pub const fn contract_row(&self, row: u32) -> u32 {
        let page = (row & ((1 << self.block_shift) - 1)) / self.page_stride;
        (row >> self.block_shift) * self.pages_per_block + page
    }
}

/// The request that sets the read level of a way's chip. It gives no response, whatever comes of it.
pub const fn set_level(way: u8, stream: u8, level: u8) -> Request {
    let request = Request::new(Operation::SetFeatures, way, level as u32);
    Request { answer: Answer::Silent, stream, column: READ_LEVEL as u16, ..request }
}

impl PhaseFormat {
    /// The packet of a phase, for the channel of its location. Each way is a stream of its own, as
    /// far as there are streams; the tag is the operation, so that a response tells its phase.
    /// Phases that the contract answers by `ready` give no response.
    ///
    /// # Panics
    /// If way or buffer entry have more bits than the packet has for them.
    pub fn emit(&self, request: &FlashRequest) -> RequestWords {
        self.request(request).emit()
    }

    /// The same, before it is put into words.
    ///
    /// # Panics
    /// As [`PhaseFormat::emit`], and if a chip is to suspend or resume something, of which packets cannot tell.
    pub fn request(&self, phase: &FlashRequest) -> Request {
        let operation = match phase.operation {
            FlashOperation::ReadTrigger => Operation::ReadTrigger,
            FlashOperation::ReadTransfer => Operation::ReadTransfer,
            FlashOperation::Program if self.is_last(phase.part) => Operation::ProgramPage,
            FlashOperation::Program => Operation::ProgramPart,
            FlashOperation::Erase => Operation::EraseBlock,
            FlashOperation::SetLevel => Operation::SetFeatures,
            FlashOperation::StatusCheck => Operation::ReadStatus,
            FlashOperation::Reset => Operation::Reset,
            FlashOperation::Suspend | FlashOperation::Resume => panic!("no packet suspends"),
        };
        let way = phase.location.way;
        let row = self.rows.chip_row(phase.location.row) + self.row_of_part(phase.part);
        let request = Request {
            tag: operation as u8,
            stream: way % STREAMS,
            ..Request::new(operation, way, row)
        };
        match phase.operation {
            FlashOperation::ReadTrigger => {
                Request { answer: Answer::Silent, column: self.column(phase.part), ..request }
            }
            FlashOperation::Erase | FlashOperation::Reset => {
                Request { answer: Answer::Silent, ..request }
            }
            FlashOperation::SetLevel => {
                Request { tag: request.tag, ..set_level(way, request.stream, phase.level) }
            }
            FlashOperation::StatusCheck | FlashOperation::Suspend | FlashOperation::Resume => {
                request
            }
            FlashOperation::ReadTransfer => self.with_data(request, phase.part, phase.buffer),
            FlashOperation::Program => Request {
                answer: Answer::Silent,
                ..self.with_data(request, phase.part, phase.buffer)
            },
        }
    }

    /// The command that brings a chip back from its status to its data. Chips that need it after a
    /// status check get it before a transfer.
    pub fn read_mode(&self, way: u8) -> Request {
        Request {
            answer: Answer::Silent,
            stream: way % STREAMS,
            ..Request::new(Operation::ReadMode, way, 0)
        }
    }

    /// Adds data of a flash page; the metadata are moved with the last one of a page, and with the whole of it only.
    pub(super) fn with_data(&self, request: Request, part: Span, buffer: BufferId) -> Request {
        Request {
            column: self.column(part),
            length: u16::try_from(part.length).expect("a part is no longer than a flash page"),
            buffer: u16::try_from(buffer.0).expect("buffer entries are below 65,536"),
            coding: Coding { metadata: self.has_metadata(part), ..request.coding },
            ..request
        }
    }

    /// All data of a page that consists of one flash page.
    pub fn page(&self) -> Span {
        Span { offset: 0, length: self.page_bytes.into() }
    }

    /// In which flash page of its page a part lies.
    pub fn flash_page(&self, part: Span) -> u32 {
        part.offset / u32::from(self.page_bytes)
    }

    /// Whether a part lies in the last flash page of its page, with which the chip programs them all.
    pub fn is_last(&self, part: Span) -> bool {
        self.flash_page(part) + 1 == self.flash_pages.into()
    }

    /// Whether the metadata are moved with a part.
    pub fn has_metadata(&self, part: Span) -> bool {
        self.is_last(part) && part.length == u32::from(self.page_bytes)
    }

    /// Rows of the chip from the first flash page of a page to the flash page that a part lies in.
    fn row_of_part(&self, part: Span) -> u32 {
        self.flash_page(part) * (self.rows.page_stride / u32::from(self.flash_pages))
    }

    /// The data that a request moves, of its flash page.
    pub fn part(&self, request: &Request) -> Span {
        Span { offset: self.code.offset(request.column.into()), length: request.length.into() }
    }

    fn column(&self, part: Span) -> u16 {
        let offset = part.offset % u32::from(self.page_bytes);
        u16::try_from(self.code.column(offset)).expect("columns are below 65,536")
    }

    /// The answer to a phase, or none if the window was empty.
    ///
    /// A transfer that timed out is uncorrectable. A status other than of a chip that has ended and may be written is
    /// a failure, whatever its FAIL says: a bus that nobody drives has no bit set.
    ///
    /// # Errors
    /// If the words are no packet, or are no answer to a phase.
    pub fn parse(&self, words: &ResponseWords) -> Result<Option<FlashOutcome>, PacketError> {
        Response::parse(words)?.as_ref().map(answer).transpose()
    }
}

/// Streams of a channel.
pub const STREAMS: u8 = 8;

fn answer(response: &Response) -> Result<FlashOutcome, PacketError> {
    let is_transfer = match Operation::from_bits(response.tag.into()) {
        Some(Operation::ReadTransfer) => true,
        Some(Operation::ReadStatus) => false,
        _ => return Err(PacketError::Tag(response.tag)),
    };
    let status = ChipStatus::from_bits(response.value as u8);
    Ok(match response.outcome {
        Outcome::Success if !is_transfer && !status.has_ended() => FlashOutcome::Failed,
        Outcome::Success if is_transfer && response.erased => FlashOutcome::Erased,
        Outcome::Success => FlashOutcome::Success {
            corrected_bits: response.corrected_bits.into(),
            most_bits: response.most_bits,
        },
        Outcome::TimedOut if is_transfer => FlashOutcome::Uncorrectable,
        Outcome::TimedOut => FlashOutcome::TimedOut,
        Outcome::Failed => FlashOutcome::Failed,
        Outcome::Uncorrectable => FlashOutcome::Uncorrectable,
        Outcome::Refused => return Err(PacketError::Refused),
        Outcome::GivenBack => return Err(PacketError::GivenBack),
    })
}
