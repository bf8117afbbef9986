//! Packets both ways, and what the contract makes of them.

use super::*;
use crate::{BufferId, FlashOperation, FlashOutcome, FlashRequest, Location, Span};

/// Every field at its largest.
const FULL: Request = Request {
    operation: Operation::ProgramOneShot,
    way: 15,
    tag: 255,
    stream: 7,
    priority: Priority::High,
    interrupt: Interrupt::OnError,
    answer: Answer::Silent,
    coding: Coding { ecc: false, scrambler: false, metadata: true },
    row: u32::MAX,
    column: u16::MAX,
    length: u16::MAX,
    buffer: u16::MAX,
};

const RESPONSE: Response = Response {
    tag: 0xa5,
    way: 9,
    stream: 5,
    outcome: Outcome::Uncorrectable,
    interrupt_pending: true,
    erased: false,
    corrected_bits: 0x9c3,
    most_bits: 13,
    lost_chunks: 64,
    value: 0x1234_56e4,
};

const FORMAT: PhaseFormat = PhaseFormat {
    page_bytes: 16_384,
    flash_pages: 1,
    rows: RowFormat { pages_per_block: 128, page_stride: 2, block_shift: 8 },
    code: CodeWords { chunk_bytes: 256, parity_bytes: 20, metadata_bytes: 24 },
};
const PAGE: Span = Span { offset: 0, length: 16_384 };

#[test]
fn a_request_comes_back_from_its_words() {
    let plain = Request::new(Operation::ReadStatus, 0, 0);
    let changed = [
        FULL,
        plain,
        Request { way: 5, ..plain },
        Request { tag: 0x81, ..plain },
        Request { stream: 3, ..plain },
        Request { priority: Priority::High, ..plain },
        Request { interrupt: Interrupt::Always, ..plain },
        Request { interrupt: Interrupt::OnError, ..plain },
        Request { answer: Answer::Silent, ..plain },
        Request { coding: Coding { ecc: false, ..plain.coding }, ..plain },
        Request { coding: Coding { scrambler: false, ..plain.coding }, ..plain },
        Request { coding: Coding { metadata: true, ..plain.coding }, ..plain },
        Request { row: 0x8000_0001, ..plain },
        Request { column: 0x8001, ..plain },
        Request { length: 0x8001, ..plain },
        Request { buffer: 0x8001, ..plain },
    ];
    for request in changed {
        assert_eq!(Request::parse(&request.emit()), Ok(request));
    }
    for operation in Operation::ALL {
        let request = Request { operation, ..FULL };
        assert_eq!(Request::parse(&request.emit()), Ok(request));
    }
}

#[test]
fn a_request_of_ones_has_zeros_only_where_they_are_reserved() {
    let words = FULL.emit();
    assert_eq!(words, [0xffff_fc79, u32::MAX, u32::MAX, 0xffff]);
}

#[test]
fn words_that_are_no_request_are_refused() {
    let mut words = Request::new(Operation::Read, 0, 0).emit();
    words[0] = 0x7f;
    assert_eq!(Request::parse(&words), Err(PacketError::Operation(0x7f)));
    words[0] = 0x80;
    assert_eq!(Request::parse(&words), Err(PacketError::Reserved));
    words[0] = 0;
    words[3] = 1 << 16;
    assert_eq!(Request::parse(&words), Err(PacketError::Reserved));
}

#[test]
fn a_response_comes_back_from_its_words() {
    for outcome in Outcome::ALL {
        for flags in 0..4 {
            let response = Response {
                outcome,
                interrupt_pending: flags & 1 != 0,
                erased: flags & 2 != 0,
                ..RESPONSE
            };
            assert_eq!(Response::parse(&response.emit()), Ok(Some(response)));
        }
    }
}

#[test]
fn an_empty_window_is_no_response() {
    assert_eq!(Response::parse(&[0; 3]), Ok(None));
    assert_eq!(FORMAT.parse(&[0; 3]), Ok(None));
    let mut words = RESPONSE.emit();
    response::OUTCOME.set(&mut words, 7);
    assert_eq!(Response::parse(&words), Err(PacketError::Outcome(7)));
    words[1] |= 1 << 12;
    assert_eq!(Response::parse(&words), Err(PacketError::Reserved));
}

#[test]
fn numbers_that_name_nothing_are_refused() {
    let operations = (0..128).filter(|bits| Operation::from_bits(*bits).is_some()).count();
    assert_eq!(operations, Operation::ALL.len());
    for operation in Operation::ALL {
        assert_eq!(Operation::from_bits(operation as u32), Some(operation));
    }
}

fn phase(operation: FlashOperation) -> FlashRequest {
    FlashRequest {
        level: 5,
        operation,
        location: Location { channel: 3, way: 9, row: 128 * 7 + 5 },
        part: PAGE,
        buffer: BufferId(77),
        command: None,
    }
}

#[test]
fn phases_become_steps_and_only_what_the_contract_answers_responds() {
    let page = (FORMAT.page_bytes, 77);
    let rows = [
        (FlashOperation::ReadTrigger, Operation::ReadTrigger, Answer::Silent, (0, 0)),
        (FlashOperation::ReadTransfer, Operation::ReadTransfer, Answer::Response, page),
        (FlashOperation::Program, Operation::ProgramPage, Answer::Silent, page),
        (FlashOperation::Erase, Operation::EraseBlock, Answer::Silent, (0, 0)),
        (FlashOperation::StatusCheck, Operation::ReadStatus, Answer::Response, (0, 0)),
        (FlashOperation::Reset, Operation::Reset, Answer::Silent, (0, 0)),
        (FlashOperation::SetLevel, Operation::SetFeatures, Answer::Silent, (0, 0)),
    ];
    for (phase_operation, operation, answer, (length, buffer)) in rows {
        let request = Request::parse(&FORMAT.emit(&phase(phase_operation))).unwrap();
        assert_eq!(request.operation, operation);
        let sets_level = operation == Operation::SetFeatures;
        let (row, column) = if sets_level { (5, READ_LEVEL.into()) } else { (7 << 8 | 10, 0) };
        assert_eq!((request.way, request.stream), (9, 1));
        assert_eq!((request.row, request.column), (row, column), "{operation:?}");
        assert_eq!(request.answer, answer, "{operation:?}");
        assert_eq!((request.length, request.buffer), (length, buffer), "{operation:?}");
        assert_eq!(request.coding.metadata, length > 0, "{operation:?}");
    }
}

/// Word lines of three flash pages: 42 of them in a block of 128 pages.
const WORD_LINES: PhaseFormat = PhaseFormat {
    flash_pages: 3,
    rows: RowFormat { pages_per_block: 42, page_stride: 3, block_shift: 7 },
    ..FORMAT
};

/// The flash pages of a word line go to the chip in their order, each to its own row. The last one ends the program, and has the
/// metadata.
#[test]
fn a_word_line_is_programmed_part_by_part() {
    let location = Location { channel: 3, way: 9, row: 42 * 7 + 5 };
    let parts = [Operation::ProgramPart, Operation::ProgramPart, Operation::ProgramPage];
    for (nth, expected) in (0..).zip(parts) {
        let part = Span { offset: nth * 16_384, length: 16_384 };
        let phase = FlashRequest { part, location, ..phase(FlashOperation::Program) };
        let request = WORD_LINES.request(&phase);
        assert_eq!(request.operation, expected);
        assert_eq!((request.row, request.column), (7 << 7 | (15 + nth), 0), "flash page {nth}");
        assert_eq!((request.length, request.answer), (16_384, Answer::Silent));
        assert_eq!(request.coding.metadata, nth == 2, "flash page {nth}");
        assert_eq!(WORD_LINES.rows.contract_row(request.row), location.row);
    }
}

/// A chip that is read in SLC mode has its usable pages further apart.
#[test]
fn a_part_of_a_word_line_is_read_from_its_flash_page() {
    let rows = RowFormat { page_stride: 6, ..WORD_LINES.rows };
    let location = Location { channel: 0, way: 1, row: 42 * 7 + 5 };
    for (format, row) in [(WORD_LINES, 16), (PhaseFormat { rows, ..WORD_LINES }, 32)] {
        let part = Span { offset: 16_384 + 4096, length: 8192 };
        for operation in [FlashOperation::ReadTrigger, FlashOperation::ReadTransfer] {
            let request = format.request(&FlashRequest { part, location, ..phase(operation) });
            assert_eq!((request.row, request.column), (7 << 7 | row, 16 * 276), "{operation:?}");
            assert!(!request.coding.metadata);
        }
        let erase = FlashRequest { location, ..phase(FlashOperation::Erase) };
        assert_eq!(format.request(&erase).row >> 7, 7);
    }
    let last = Span { offset: 32_768, length: 16_384 };
    let read = FlashRequest { part: last, location, ..phase(FlashOperation::ReadTransfer) };
    assert!(WORD_LINES.request(&read).coding.metadata);
}

#[test]
fn responses_answer_phases() {
    let transfer = Operation::ReadTransfer as u8;
    let status = Operation::ReadStatus as u8;
    let rows = [
        (
            transfer,
            Outcome::Success,
            FlashOutcome::Success { corrected_bits: 0x9c3, most_bits: 13 },
        ),
        (transfer, Outcome::Uncorrectable, FlashOutcome::Uncorrectable),
        (transfer, Outcome::TimedOut, FlashOutcome::Uncorrectable),
        (status, Outcome::Success, FlashOutcome::Success { corrected_bits: 0x9c3, most_bits: 13 }),
        (status, Outcome::Failed, FlashOutcome::Failed),
        (status, Outcome::TimedOut, FlashOutcome::TimedOut),
    ];
    for (tag, outcome, expected) in rows {
        let found = FORMAT.parse(&Response { tag, outcome, ..RESPONSE }.emit());
        assert_eq!(found, Ok(Some(expected)), "{outcome:?}");
    }
    let erased = Response { tag: transfer, outcome: Outcome::Success, erased: true, ..RESPONSE };
    assert_eq!(FORMAT.parse(&erased.emit()), Ok(Some(FlashOutcome::Erased)));
    // Nobody drives the bus; the chip is protected; it is busy; its array is.
    for value in [0x00, 0x60, 0xa0, 0xc0] {
        let response = Response { tag: status, outcome: Outcome::Success, value, ..RESPONSE };
        assert_eq!(FORMAT.parse(&response.emit()), Ok(Some(FlashOutcome::Failed)), "{value:#x}");
    }
    let refused = Response { tag: status, outcome: Outcome::Refused, ..RESPONSE };
    assert_eq!(FORMAT.parse(&refused.emit()), Err(PacketError::Refused));
    assert_eq!(FORMAT.parse(&RESPONSE.emit()), Err(PacketError::Tag(0xa5)));
}

#[test]
fn a_whole_operation_is_a_request_a_plane() {
    let buffers = [10, 20].map(BufferId);
    let whole = |operation| WholeRequest {
        operation,
        location: Location { channel: 0, way: 2, row: 128 * 6 + 3 },
        plane_shift: 8,
        buffers: &buffers,
        stream: 4,
        tag: 0x42,
        priority: Priority::High,
        interrupt: Interrupt::OnError,
    };
    let rows = [
        (WholeOperation::Read(PAGE), Operation::Read, 16_384, [10, 20]),
        (WholeOperation::Program, Operation::Program, 16_384, [10, 20]),
        (WholeOperation::Erase, Operation::Erase, 0, [0, 0]),
    ];
    for (operation, number, length, buffers) in rows {
        let mut count = 0;
        for (plane, request) in whole(operation).requests(&FORMAT).enumerate() {
            let expected = Request {
                tag: 0x42,
                stream: 4,
                priority: Priority::High,
                interrupt: Interrupt::OnError,
                coding: Coding { ecc: true, scrambler: true, metadata: length > 0 },
                length,
                buffer: buffers[plane],
                ..Request::new(number, 2, (6 + plane as u32) << 8 | 6)
            };
            assert_eq!(request, expected, "{operation:?}, plane {plane}");
            count += 1;
        }
        assert_eq!(count, 2);
    }
}

/// The second quarter of a page begins behind 16 code words of 276 bytes, and has no metadata.
#[test]
fn a_part_of_a_page_begins_at_its_column_and_comes_back_from_there() {
    let part = Span { offset: 4096, length: 8192 };
    let whole = WholeRequest {
        operation: WholeOperation::Read(part),
        location: Location { channel: 0, way: 2, row: 0 },
        plane_shift: 0,
        buffers: &[BufferId(5)],
        stream: 2,
        tag: 0,
        priority: Priority::Low,
        interrupt: Interrupt::Never,
    };
    let phase = |operation| FORMAT.request(&FlashRequest { part, ..phase(operation) });
    let request = whole.requests(&FORMAT).next().unwrap();
    for request in [request, phase(FlashOperation::ReadTransfer)] {
        assert_eq!((request.column, request.length), (16 * 276, 8192));
        assert!(!request.coding.metadata);
        assert_eq!(FORMAT.part(&request), part);
    }
    assert_eq!(FORMAT.code.bus_bytes(&request, false), 32 * 276);
    assert_eq!(phase(FlashOperation::ReadTrigger).column, 16 * 276);
}

/// 64 chunks with 20 bytes of parity each, and the metadata with theirs.
#[test]
fn metadata_go_with_a_page_unless_its_words_are_raw() {
    let page = FORMAT.request(&phase(FlashOperation::Program));
    let code = FORMAT.code;
    assert_eq!(code.bus_bytes(&page, false), 64 * 276 + 44);
    assert_eq!(code.page_bytes(16_384), 64 * 276 + 44);
    assert_eq!(code.bus_bytes(&page, true), 16_384);
    let plain = Request { coding: Coding { ecc: false, ..page.coding }, ..page };
    assert_eq!(code.bus_bytes(&plain, false), 16_384 + 24);
}
