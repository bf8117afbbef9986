//! Get Log Page.

use super::*;
use crate::nvme::backend::Health as MediaHealth;
use crate::nvme::{Lifetime, PowerOff};
use contract::{DmaDirection, DoorbellBuffers, Duration};
use nvme::admin::{EventAfterRead, GetLogPage, LogPage};
use nvme::effects::{self, effect};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::log::{critical_warning, FirmwareSlots, Health, FEATURES_BYTES, SUPPORTED_PAGES_BYTES};
use nvme::placement::is_of_group;

/// The first `length` bytes of a log, without a change of its event.
pub fn whole(page: LogPage, length: u64) -> GetLogPage {
    GetLogPage { page, event: EventAfterRead::Retained, offset: 0, length }
}

impl Bench {
    pub fn health(&mut self) -> Health {
        self.expect(AdminCommand::GetLogPage(whole(LogPage::Health, 512)), Status::SUCCESS);
        Health::parse(self.hw.page.first_chunk().unwrap())
    }

    fn fail_times(&mut self, times: u64) {
        for _ in 0..times {
            let (status, _) = self.finish(0, Entry::new(0xff, header(0)));
            assert!(status.is(Status::INVALID_OPCODE));
        }
    }
}

#[test]
fn the_error_log_keeps_the_latest_64() {
    let mut bench = Bench::new();
    assert!(bench.errors().is_empty());
    bench.fail_times(3);
    let counts: Vec<u64> = bench.errors().iter().map(|entry| entry.count).collect();
    assert_eq!(counts, [3, 2, 1]);
    bench.fail_times(100);
    let counts: Vec<u64> = bench.errors().iter().map(|entry| entry.count).collect();
    let expected: Vec<u64> = (40..=103).rev().collect();
    assert_eq!(counts, expected);
    assert_eq!(bench.health().error_entries, 103);
}

/// PRP entry 2 is what the length that the host asks for makes of it.
#[test]
fn a_log_is_sent_by_the_pointers_of_all_that_was_asked_for() {
    let mut bench = Bench::new();
    for (length, sent) in [(512, 512), (4096, 4096), (4100, 4096), (12 << 10, 4096)] {
        let tag = bench.send_admin(AdminCommand::GetLogPage(whole(LogPage::Health, length)));
        assert_eq!(bench.storage.control, Some((tag, DmaDirection::ToHost, sent)));
        assert_eq!(u64::from(bench.storage.command_bytes), length);
        bench.storage.end_control(IoOutcome::Success);
        bench.settle();
        assert!(bench.take(tag).unwrap().0.is_success());
    }
}

#[test]
fn a_log_is_read_in_pieces() {
    let mut bench = Bench::new();
    bench.fail_times(10);
    bench.errors();
    let all = bench.hw.page;
    for (offset, length) in [(0, 64), (64, 128), (4, 4), (4032, 64), (4092, 4)] {
        let log = GetLogPage {
            page: LogPage::ErrorInformation,
            event: EventAfterRead::Retained,
            offset,
            length,
        };
        let tag = bench.send_admin(AdminCommand::GetLogPage(log));
        let expected = Some((tag, DmaDirection::ToHost, length as u32));
        assert_eq!(bench.storage.control, expected);
        let from = offset as usize;
        let to = from + length as usize;
        assert_eq!(bench.hw.page[..length as usize], all[from..to]);
        bench.storage.end_control(IoOutcome::Success);
        bench.settle();
    }
}

#[test]
fn the_log_of_commands_names_those_that_are_there_and_no_others() {
    for doorbell_buffers in [DoorbellBuffers::Absent, DoorbellBuffers::Offered] {
        let config = contract::Configuration { doorbell_buffers, ..configuration() };
        let bench = || {
            let mut bench = Bench { manager: Manager::new(&config), ..Bench::disabled(1) };
            bench.event(HostEvent::Enable);
            bench.create_pair(1);
            bench
        };
        let mut reader = bench();
        reader.expect(
            AdminCommand::GetLogPage(whole(LogPage::CommandEffects, 4096)),
            Status::SUCCESS,
        );
        for opcode in 0..=u8::MAX {
            let told = effects::parse(&reader.hw.page, opcode);
            for (queue, effects) in (0..).zip(told) {
                let mut bench = bench();
                let tag = bench.send(queue, Entry::new(opcode, header(0)));
                let unknown =
                    bench.take(tag).is_some_and(|(found, _)| found.is(Status::INVALID_OPCODE));
                assert_eq!(effects & effect::SUPPORTED != 0, !unknown, "{queue}: {opcode:#x}");
            }
        }
        let content =
            |opcode| effects::parse(&reader.hw.page, opcode)[1] & effect::BLOCK_CONTENT != 0;
        assert!([0x01, 0x08, 0x09].into_iter().all(content), "they write");
        assert!(![0x00, 0x02, 0x05].into_iter().any(content), "they do not");
        let [format, _] = effects::parse(&reader.hw.page, 0x80);
        assert_eq!(format, 0x0001_0007, "it may change all of a namespace");
    }
}

#[test]
fn the_log_of_log_pages_names_those_that_are_there_and_no_others() {
    for bench in [Bench::new, super::placement::placed] {
        let mut reader = bench();
        reader.expect(
            AdminCommand::GetLogPage(whole(LogPage::SupportedPages, 4096)),
            Status::SUCCESS,
        );
        let told = reader.hw.page;
        assert!(told[SUPPORTED_PAGES_BYTES..].iter().all(|&byte| byte == 0));
        for (identifier, word) in (0_u32..).zip(told[..SUPPORTED_PAGES_BYTES].chunks_exact(4)) {
            let mut bench = bench();
            // A log of an endurance group names the group.
            let group = u32::from(is_of_group(identifier as u8));
            let entry = Entry::new(0x02, header(0)).with(10, 127 << 16 | identifier);
            let tag = bench.send(0, entry.with(11, group << 16));
            let unknown =
                bench.take(tag).is_some_and(|(found, _)| found.is(Status::INVALID_LOG_PAGE));
            assert_eq!(word == [1, 0, 0, 0], !unknown, "{identifier:#x}");
        }
    }
}

#[test]
fn the_log_of_features_names_those_that_are_there_and_no_others() {
    for (bench, has_placement) in [(Bench::new as fn() -> Bench, 0), (super::placement::placed, 2)]
    {
        let mut reader = bench();
        reader.expect(
            AdminCommand::GetLogPage(whole(LogPage::FeatureEffects, 4096)),
            Status::SUCCESS,
        );
        let told = reader.hw.page;
        assert!(told[FEATURES_BYTES..].iter().all(|&byte| byte == 0));
        let mut count = 0;
        for (identifier, word) in (0_u32..).zip(told[..FEATURES_BYTES].chunks_exact(4)) {
            let mut bench = bench();
            // The endurance group or the handle of features of placement.
            let argument = u32::from(matches!(identifier, 0x1d | 0x1e));
            let entry = Entry::new(0x0a, header(1)).with(10, identifier).with(11, argument);
            let tag = bench.send(0, entry);
            let unknown = bench.take(tag).is_some_and(|(found, _)| found.is(Status::INVALID_FIELD));
            let word = u32::from_le_bytes(word.try_into().unwrap());
            assert_eq!(word & 1 == 1, !unknown, "{identifier:#x}");
            let scopes = [0, 1 << 20, 1 << 21, 1 << 23];
            assert!(scopes.contains(&(word & !1)) && (word == 0) == unknown, "{word:#x}");
            count += word & 1;
        }
        assert_eq!(count, 10 + has_placement);
    }
}

#[test]
fn beyond_a_log_there_are_zeroes_and_never_more_than_a_page() {
    let mut bench = Bench::new();
    for (page, offset, length, sent) in [
        (LogPage::Health, 512, 512, 512),
        (LogPage::FirmwareSlot, 508, 4096, 4096),
        (LogPage::ErrorInformation, 4096, 4096, 4096),
        (LogPage::ErrorInformation, 0, 128 * 1024, 4096),
    ] {
        let log = GetLogPage { page, event: EventAfterRead::Retained, offset, length };
        bench.hw.page.fill(0xff);
        let tag = bench.send_admin(AdminCommand::GetLogPage(log));
        assert_eq!(bench.storage.control, Some((tag, DmaDirection::ToHost, sent)));
        assert_eq!(bench.hw.page, [0; 4096]);
        bench.storage.end_control(IoOutcome::Success);
        bench.settle();
        assert!(bench.take(tag).unwrap().0.is_success());
    }
}

#[test]
fn each_illegal_field_has_its_status() {
    let log = |dword10: u32| Entry::new(0x02, header(0)).with(10, dword10);
    let field = Status::INVALID_FIELD;
    for (entry, status, at) in [
        (log(0x07), Status::INVALID_LOG_PAGE, (40, 0)),
        (log(0x06), Status::INVALID_LOG_PAGE, (40, 0)),
        (log(0xc0), Status::INVALID_LOG_PAGE, (40, 0)),
        (log(0x02).with(12, 1), field, (48, 0)),
        (log(0x02).with(12, 516), field, (48, 0)),
        (log(0x03).with(13, 1), field, (48, 0)),
        (log(0x01).with(12, 4100), field, (48, 0)),
        (log(0x8000_0002), field, (42, 0)),
        (log(0x02).with(11, 0xffff), field, (42, 0)),
        (log(0x02).with(1, 1), field, (4, 0)),
        (log(0x02).with(6, 0x10_0001), Status::INVALID_PRP_OFFSET, (24, 0)),
    ] {
        Bench::new().refuse(0, entry, status, at);
    }
    // Of pages that other drives have, each; docs/nvme.md names them.
    let is_there = |page: &u32| matches!(page, 0x00..=0x05 | 0x09 | 0x12 | 0x20..=0x23);
    for page in (0..=0xff).filter(|page| !is_there(page)) {
        Bench::new().refuse(0, log(page), Status::INVALID_LOG_PAGE, (40, 0));
    }
    let (status, _) = Bench::new().finish(0, log(0x02).with(1, 0xffff_ffff));
    assert!(status.is_success());
}

#[test]
fn health_counts_what_the_host_did() {
    let mut bench = Bench::new();
    let range = BlockRange { start: 0, blocks: 32 };
    for (command, times) in [
        (IoCommand::Read(range, UnitAccess::Normal), 5),
        (IoCommand::Compare(range, UnitAccess::Normal), 1),
        (IoCommand::Write(range, UnitAccess::Normal), 2),
        (IoCommand::WriteZeroes(range, UnitAccess::Normal), 3),
        (IoCommand::Flush, 4),
    ] {
        for _ in 0..times {
            bench.send(1, command.emit(header(1)));
            bench.storage.end(IoOutcome::Success);
            bench.settle();
        }
    }
    bench.send(1, IoCommand::Read(range, UnitAccess::Normal).emit(header(1)));
    bench.storage.end(IoOutcome::UnrecoveredRead);
    bench.settle();
    let health = bench.health();
    assert_eq!((health.host_reads, health.host_writes), (6, 2));
    // 6 and 2 commands of 256 sectors each, in thousands, rounded up.
    assert_eq!((health.data_units_read, health.data_units_written), (2, 1));
}

#[test]
fn health_counts_time_busy_and_powered() {
    let minute = Duration::from_us(60_000_000);
    let mut bench = Bench::new();
    let read = IoCommand::Read(BlockRange { start: 0, blocks: 1 }, UnitAccess::Normal);
    bench.hw.pass_time(minute * 100);
    bench.send(1, read.emit(header(1)));
    bench.hw.pass_time(minute * 2);
    bench.send(1, read.emit(header(1)));
    bench.hw.pass_time(minute * 3);
    assert_eq!(bench.health().busy_minutes, 5);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    bench.hw.pass_time(minute * 4);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    bench.hw.pass_time(minute * 15);
    let health = bench.health();
    assert_eq!((health.busy_minutes, health.power_on_hours), (9, 2));
}

#[test]
fn health_passes_the_media_counters_on() {
    let mut bench = Bench::new();
    bench.storage.health = MediaHealth {
        available_spare_percent: 9,
        percentage_used: 101,
        media_errors: 7,
        read_only: true,
        backup_failed: true,
    };
    let health = bench.health();
    assert_eq!((health.available_spare, health.available_spare_threshold), (9, 10));
    assert_eq!((health.percentage_used, health.media_errors), (101, 7));
    let expected = critical_warning::SPARE | critical_warning::READ_ONLY | critical_warning::BACKUP;
    assert_eq!(health.critical_warning, expected);
    assert_eq!((health.power_cycles, health.temperature_kelvin), (1, 313));
}

#[test]
fn health_goes_on_from_what_was_kept() {
    let mut bench = Bench::new();
    let kept = Lifetime {
        power_cycles: 7,
        unsafe_shutdowns: 2,
        powered_minutes: 90,
        busy_minutes: 5,
        sectors_read: 2_000,
        sectors_written: 1_000,
        reads: 10,
        writes: u64::MAX,
    };
    bench.manager.set_past(kept.powered_on(PowerOff::Sudden));
    let write = IoCommand::Write(BlockRange { start: 0, blocks: 1 }, UnitAccess::Normal);
    bench.send(1, write.emit(header(1)));
    bench.hw.pass_time(Duration::from_us(60_000_000) * 31);
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    let health = bench.health();
    assert_eq!((health.power_cycles, health.unsafe_shutdowns), (8, 3));
    assert_eq!((health.power_on_hours, health.busy_minutes), (2, 36));
    assert_eq!((health.data_units_read, health.data_units_written), (2, 2));
    assert_eq!((health.host_reads, health.host_writes), (10, u128::from(u64::MAX)));
    let kept = bench.manager.lifetime(&mut bench.hw);
    assert_eq!((kept.powered_minutes, kept.sectors_written), (121, 1_008));
    assert_eq!(kept.powered_on(PowerOff::AfterShutdown).unsafe_shutdowns, 3);
}

#[test]
fn power_that_goes_away_after_a_shutdown_is_not_missed() {
    let mut bench = Bench::new();
    assert_eq!(bench.manager.power_off(), PowerOff::Sudden);
    bench.event(HostEvent::Shutdown);
    bench.settle();
    assert_eq!(bench.manager.power_off(), PowerOff::Sudden, "it flushes");
    bench.storage.end(IoOutcome::Success);
    bench.settle();
    assert_eq!(bench.manager.power_off(), PowerOff::AfterShutdown);
    bench.event(HostEvent::Disable);
    bench.settle();
    assert_eq!(bench.manager.power_off(), PowerOff::Sudden);
}

#[test]
fn a_sensor_is_believed_and_warns() {
    let mut bench = Bench::new();
    bench.hw.kelvin = Some(343);
    let health = bench.health();
    assert_eq!(health.temperature_kelvin, 343);
    assert_eq!(health.critical_warning, critical_warning::TEMPERATURE);
}

#[test]
fn the_firmware_slot_names_the_revision() {
    let mut bench = Bench::new();
    let log = whole(LogPage::FirmwareSlot, 512);
    bench.expect(AdminCommand::GetLogPage(log), Status::SUCCESS);
    let slots = FirmwareSlots::parse(bench.hw.page.first_chunk().unwrap());
    assert_eq!(slots.active, 1);
    assert!(slots.revision_1.starts_with(env!("CARGO_PKG_VERSION").as_bytes()));
}
