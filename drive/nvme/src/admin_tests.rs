//! Admin commands against layouts worked out from the specification.

use super::*;
use crate::command::DataPointer;
use crate::feature::Switch;
use proptest::prelude::*;

fn dwords(command: AdminCommand) -> (u8, [u32; 4]) {
    let data = DataPointer { prp1: 0x1000, prp2: 0 };
    let entry = command.emit(Header { cid: 9, nsid: 1, data });
    assert_eq!(AdminCommand::parse(&entry), Ok(command), "{command:?}");
    assert_eq!((entry.cid(), entry.nsid(), entry.data()), (9, 1, data));
    (entry.opcode(), [entry.dword(10), entry.dword(11), entry.dword(12), entry.dword(13)])
}

#[test]
fn queue_commands_are_laid_out_as_in_sections_5_3_to_5_6() {
    let completion = CreateCompletionQueue { id: 3, entries: 1024, vector: Some(5) };
    let polled = CreateCompletionQueue { id: 65_535, entries: 65_536, vector: None };
    let submission = CreateSubmissionQueue {
        id: 4,
        entries: 2,
        priority: Priority::Medium,
        completion_queue: 3,
    };
    for (command, opcode, expected) in [
        (AdminCommand::CreateCompletionQueue(completion), 0x05, [0x03ff_0003, 0x0005_0003]),
        (AdminCommand::CreateCompletionQueue(polled), 0x05, [0xffff_ffff, 0x0000_0001]),
        (AdminCommand::CreateSubmissionQueue(submission), 0x01, [0x0001_0004, 0x0003_0005]),
        (AdminCommand::DeleteSubmissionQueue { id: 4 }, 0x00, [4, 0]),
        (AdminCommand::DeleteCompletionQueue { id: 3 }, 0x04, [3, 0]),
        (AdminCommand::Abort { queue: 4, cid: 0x77 }, 0x08, [0x0077_0004, 0]),
    ] {
        let (found, [first, second, ..]) = dwords(command);
        assert_eq!((found, [first, second]), (opcode, expected), "{command:?}");
    }
}

#[test]
fn other_commands_are_laid_out_as_in_section_5() {
    let log = GetLogPage {
        page: LogPage::Health,
        event: EventAfterRead::Retained,
        offset: 0x1_0000_0004,
        length: 0x1_0002 * 4,
    };
    let format = FormatNvm { format: 1, protection: 2, erase: SecureErase::UserData };
    let cache = Setting::VolatileWriteCache(Switch::On);
    let get = GetFeatures {
        feature: FeatureId::InterruptVectorConfiguration,
        select: Select::Capabilities,
        argument: 6,
    };
    let set = SetFeatures { setting: cache, retention: Retention::Saved };
    for (command, opcode, expected) in [
        (AdminCommand::GetLogPage(log), 0x02, [0x0001_8002, 1, 4, 1]),
        (AdminCommand::Identify(IdentifyStructure::ActiveNamespaces), 0x06, [2, 0, 0, 0]),
        (AdminCommand::SetFeatures(set), 0x09, [0x8000_0006, 1, 0, 0]),
        (AdminCommand::GetFeatures(get), 0x0a, [0x309, 6, 0, 0]),
        (AdminCommand::AsyncEventRequest, 0x0c, [0; 4]),
        (AdminCommand::DoorbellBufferConfig, 0x7c, [0; 4]),
        (AdminCommand::FormatNvm(format), 0x80, [0x241, 0, 0, 0]),
    ] {
        assert_eq!(dwords(command), (opcode, expected), "{command:?}");
    }
}

#[test]
fn each_illegal_field_has_its_status_and_place() {
    let field = Status::INVALID_FIELD;
    let queue = Status::INVALID_QUEUE_IDENTIFIER;
    for (opcode, dword10, dword11, dword12, status, at) in [
        (0x00, 0, 0, 0, queue, (10, 0)),
        (0x04, 0, 0, 0, queue, (10, 0)),
        (0x05, 0x0003_0000, 1, 0, queue, (10, 0)),
        (0x05, 0x0000_0001, 1, 0, Status::INVALID_QUEUE_SIZE, (10, 16)),
        (0x05, 0x0003_0001, 2, 0, field, (11, 0)),
        (0x01, 0x0003_0000, 0x0001_0001, 0, queue, (10, 0)),
        (0x01, 0x0000_0001, 0x0001_0001, 0, Status::INVALID_QUEUE_SIZE, (10, 16)),
        (0x01, 0x0003_0001, 0x0000_0001, 0, queue, (11, 16)),
        (0x01, 0x0003_0001, 0x0001_0000, 0, field, (11, 0)),
        (0x02, 0x06, 0, 0, Status::INVALID_LOG_PAGE, (10, 0)),
        (0x02, 0x02, 0, 2, field, (12, 0)),
        (0x06, 0x04, 0, 0, field, (10, 0)),
        (0x09, 0x03, 0, 0, field, (10, 0)),
        (0x09, 0x07, 0xffff, 0, field, (11, 0)),
        (0x0a, 0x401, 0, 0, field, (10, 8)),
        (0x80, 0x600, 0, 0, field, (10, 9)),
        (0x81, 0, 0, 0, Status::INVALID_OPCODE, (0, 0)),
    ] {
        let entry = Entry::new(opcode, Header::default())
            .with(10, dword10)
            .with(11, dword11)
            .with(12, dword12);
        let expected = Fault::at(status, at.0, at.1);
        assert_eq!(AdminCommand::parse(&entry), Err(expected), "opcode {opcode:#x}");
    }
    for (prp1, prp2, at) in [(0x1004, 0x2000, 6), (0x1000, 0x2800, 8)] {
        let header = Header { data: DataPointer { prp1, prp2 }, ..Header::default() };
        let entry = AdminCommand::DoorbellBufferConfig.emit(header);
        assert_eq!(AdminCommand::parse(&entry), Err(Fault::at(field, at, 0)));
    }
}

proptest! {
    #[test]
    fn what_parses_is_written_so_that_it_parses_the_same(
        mut dwords: [u32; 16], opcode in 0u32..0x0d, format: bool,
    ) {
        dwords[0] = if format { 0x80 } else { opcode };
        dwords[10] &= 0xffff_030f;
        let entry = Entry(dwords);
        if let Ok(command) = AdminCommand::parse(&entry) {
            let again = command.emit(entry.header());
            prop_assert_eq!(AdminCommand::parse(&again), Ok(command));
        }
    }
}
