//! NVM commands.

use super::*;
use crate::nvme::backend::{Durability, IoCommand, IoKind};
use contract::{Completer, DmaDirection, Work};
use mock::BLOCKS;
use nvme::dataset::Range;
use nvme::io::{self, BlockRange, DatasetUse, UnitAccess};

const RANGE: BlockRange = BlockRange { start: 5, blocks: 3 };

fn deallocate(ranges: u16) -> Entry {
    io::IoCommand::DatasetManagement { ranges, purpose: DatasetUse::Deallocate }.emit(header(1))
}

impl Bench {
    /// Sends a range list and lets it arrive.
    fn deallocate(&mut self, ranges: &[(u64, u32)]) -> CommandTag {
        let tag = self.send(1, deallocate(ranges.len() as u16));
        let length = ranges.len() as u32 * 16;
        assert_eq!(self.storage.control, Some((tag, DmaDirection::FromHost, length)));
        for (bytes, (start, blocks)) in self.hw.page.chunks_exact_mut(16).zip(ranges) {
            let range = Range { attributes: 0, blocks: *blocks, start: *start };
            range.emit(bytes.try_into().unwrap());
        }
        self.storage.end_control(IoOutcome::Success);
        self.settle();
        tag
    }
}

#[test]
fn each_command_reaches_storage_and_comes_back() {
    let normal = UnitAccess::Normal;
    for (command, nsid, kind, durability) in [
        (io::IoCommand::Read(RANGE, normal), 1, IoKind::Read, Durability::Cached),
        (io::IoCommand::Write(RANGE, normal), 1, IoKind::Write, Durability::Cached),
        (io::IoCommand::Write(RANGE, UnitAccess::Forced), 1, IoKind::Write, Durability::Durable),
        (io::IoCommand::Compare(RANGE, normal), 1, IoKind::Compare, Durability::Cached),
        (io::IoCommand::WriteZeroes(RANGE, normal), 1, IoKind::WriteZeroes, Durability::Cached),
        (io::IoCommand::Verify(RANGE, normal), 1, IoKind::Verify, Durability::Cached),
        (io::IoCommand::Verify(RANGE, UnitAccess::Forced), 1, IoKind::Verify, Durability::Durable),
        (io::IoCommand::Flush, 1, IoKind::Flush, Durability::Cached),
        (io::IoCommand::Flush, 0xffff_ffff, IoKind::Flush, Durability::Cached),
    ] {
        let mut bench = Bench::new();
        bench.hw.work.clear();
        let tag = bench.send(1, command.emit(header(nsid)));
        assert!(!bench.turn(), "nothing to do before storage has an answer");
        let submitted = bench.storage.end(IoOutcome::Success);
        let (start, blocks) = if kind == IoKind::Flush { (0, 0) } else { (5, 3) };
        assert_eq!(submitted, IoCommand { tag, kind, start, blocks, durability, handle: 0 });
        assert!(bench.turn());
        assert_eq!(bench.take(tag), Some((Status::SUCCESS, 0)));
        assert_eq!(bench.hw.work, [Work::Decode, Work::Complete]);
    }
}

#[test]
fn each_illegal_field_has_its_status() {
    let read = io::IoCommand::Read(RANGE, UnitAccess::Normal);
    let zeroes = io::IoCommand::WriteZeroes(RANGE, UnitAccess::Normal);
    let field = Status::INVALID_FIELD;
    let range = Status::LBA_OUT_OF_RANGE;
    let namespace = Status::INVALID_NAMESPACE;
    let plain = read.emit(header(1));
    let last = BLOCKS as u32 - 1;
    for (entry, status, at) in [
        (Entry::new(0x04, header(1)), Status::INVALID_OPCODE, (0, 0)),
        (Entry::new(0xff, header(7)), Status::INVALID_OPCODE, (0, 0)),
        (plain.with(0, 0x0102), field, (1, 0)),
        (plain.with(0, 0x4002), field, (1, 6)),
        (read.emit(header(0)), namespace, (4, 0)),
        (read.emit(header(2)), namespace, (4, 0)),
        (read.emit(header(0xffff_ffff)), namespace, (4, 0)),
        (io::IoCommand::Flush.emit(header(0)), namespace, (4, 0)),
        (io::IoCommand::Flush.emit(header(2)), namespace, (4, 0)),
        (deallocate(1).with(1, 2), namespace, (4, 0)),
        (plain.with(12, 32), field, (48, 0)),
        (plain.with(12, 0xffff), field, (48, 0)),
        (plain.with(6, 0x10_0002), Status::INVALID_PRP_OFFSET, (24, 0)),
        (deallocate(1).with(6, 0x10_0001), Status::INVALID_PRP_OFFSET, (24, 0)),
        (plain.with(10, last), range, (40, 0)),
        (plain.with(10, last + 1).with(12, 0), range, (40, 0)),
        (plain.with(11, 1), range, (40, 0)),
        (plain.with(10, u32::MAX).with(11, u32::MAX), range, (40, 0)),
        (zeroes.emit(header(1)).with(12, 0xffff), range, (40, 0)),
    ] {
        let mut bench = Bench::new();
        bench.refuse(1, entry, status, at);
        assert!(bench.storage.submitted.is_empty());
        let logged = bench.errors()[0];
        if status.is(range) {
            assert_eq!(logged.lba, entry.wide(10));
        }
    }
}

#[test]
fn limits_themselves_are_legal() {
    let mut bench = Bench::new();
    for range in [
        BlockRange { start: BLOCKS - 1, blocks: 1 },
        BlockRange { start: 0, blocks: 32 },
        BlockRange { start: BLOCKS - 32, blocks: 32 },
    ] {
        bench.send(1, io::IoCommand::Read(range, UnitAccess::Normal).emit(header(1)));
    }
    let whole = BlockRange { start: 0, blocks: BLOCKS as u32 };
    bench.send(1, io::IoCommand::WriteZeroes(whole, UnitAccess::Normal).emit(header(1)));
    assert_eq!(bench.storage.submitted.len(), 4);
}

#[test]
fn each_outcome_has_its_status() {
    for (outcome, status) in [
        (IoOutcome::UnrecoveredRead, Status::UNRECOVERED_READ.do_not_retry()),
        (IoOutcome::WriteFault, Status::WRITE_FAULT.do_not_retry()),
        (IoOutcome::CompareFailure, Status::COMPARE_FAILURE.do_not_retry()),
        (IoOutcome::TransferError, Status::DATA_TRANSFER_ERROR),
        (IoOutcome::ReadOnly, Status::WRITE_TO_READ_ONLY.do_not_retry()),
    ] {
        let mut bench = Bench::new();
        let command = io::IoCommand::Compare(RANGE, UnitAccess::Normal);
        let tag = bench.send(1, command.emit(header(1)));
        bench.storage.end(outcome);
        bench.settle();
        assert_eq!(bench.take(tag), Some((status.more(), 0)));
        let logged = bench.errors()[0];
        assert_eq!((logged.queue, logged.cid, logged.nsid), (1, tag.0 + 1000, 1));
        assert_eq!((logged.lba, logged.parameter, logged.count), (5, 0xffff, 1));
        assert_eq!(logged.status(), status.more());
    }
}

#[test]
fn what_the_interface_completes_the_firmware_completes_only_where_it_failed() {
    for (outcome, status) in [
        (IoOutcome::Success, None),
        (IoOutcome::UnrecoveredRead, Some((Status::UNRECOVERED_READ.do_not_retry().more(), 0))),
    ] {
        let mut bench = Bench::new();
        bench.storage.completer = Completer::Interface;
        let command = io::IoCommand::Read(RANGE, UnitAccess::Normal);
        let tag = bench.send(1, command.emit(header(1)));
        bench.storage.end(outcome);
        bench.settle();
        assert_eq!(bench.take(tag), status);
        assert_eq!(bench.manager.under_way(), 0, "{outcome:?}: the tag can come again");
    }
}

#[test]
fn ranges_are_deallocated_one_after_the_other() {
    let mut bench = Bench::new();
    let tag = bench.deallocate(&[(0, 8), (100, 0), (200, 16), (4095, 1)]);
    for (start, blocks) in [(0, 8), (200, 16), (4095, 1)] {
        assert_eq!(bench.take(tag), None);
        assert_eq!(bench.storage.submitted.len(), 1);
        let command = bench.storage.end(IoOutcome::Success);
        assert_eq!(command.kind, IoKind::Deallocate);
        assert_eq!((command.tag, command.start, command.blocks), (tag, start, blocks));
        bench.settle();
    }
    assert_eq!(bench.take(tag), Some((Status::SUCCESS, 0)));
}

#[test]
fn a_bad_range_stops_all_of_its_command() {
    for bad in [(BLOCKS, 1), (BLOCKS - 1, 2), (u64::MAX, u32::MAX), (0, u32::MAX)] {
        let mut bench = Bench::new();
        let tag = bench.deallocate(&[(0, 8), bad]);
        assert!(bench.storage.submitted.is_empty());
        assert!(bench.take(tag).unwrap().0.is(Status::LBA_OUT_OF_RANGE));
        assert_eq!(bench.errors()[0].lba, bad.0);
    }
}

#[test]
fn a_range_that_fails_ends_its_command_and_frees_the_page() {
    let mut bench = Bench::new();
    let tag = bench.deallocate(&[(0, 8), (16, 8)]);
    bench.storage.end(IoOutcome::ReadOnly);
    bench.settle();
    assert!(bench.take(tag).unwrap().0.is(Status::WRITE_TO_READ_ONLY));
    assert!(bench.storage.submitted.is_empty());
    let again = bench.deallocate(&[(0, 8)]);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(again).unwrap().0.is_success());
}

#[test]
fn lists_of_nothing_and_hints_complete_without_storage() {
    let mut bench = Bench::new();
    let tag = bench.deallocate(&[(0, 0), (5, 0)]);
    assert_eq!(bench.take(tag), Some((Status::SUCCESS, 0)));
    let hints = io::IoCommand::DatasetManagement { ranges: 256, purpose: DatasetUse::Hints };
    assert_eq!(bench.finish(1, hints.emit(header(1))), (Status::SUCCESS, 0));
    assert!(bench.storage.submitted.is_empty());
}

#[test]
fn a_list_in_work_keeps_the_page_until_its_last_range_is_out() {
    let mut bench = Bench::new();
    let tag = bench.deallocate(&[(0, 8), (16, 8)]);
    let waiting = bench.send(1, deallocate(1));
    bench.settle();
    assert_eq!(bench.storage.control, None);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.storage.control, Some((waiting, DmaDirection::FromHost, 16)));
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert!(bench.take(tag).unwrap().0.is_success());
}

#[test]
fn a_list_that_does_not_arrive_is_a_transfer_error() {
    let mut bench = Bench::new();
    let tag = bench.send(1, deallocate(2));
    bench.storage.end_control(IoOutcome::TransferError);
    bench.settle();
    assert!(bench.take(tag).unwrap().0.is(Status::DATA_TRANSFER_ERROR));
    assert_eq!(bench.hw.free_tags(), usize::from(mock::SLOTS));
}
