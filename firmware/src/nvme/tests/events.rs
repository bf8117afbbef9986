//! Asynchronous events.

use super::*;
use nvme::admin::{EventAfterRead, GetLogPage, LogPage};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::log::AsyncEvent;

impl Bench {
    fn request_event(&mut self) -> CommandTag {
        self.send_admin(AdminCommand::AsyncEventRequest)
    }

    fn read_log(&mut self, page: LogPage, event: EventAfterRead) {
        let log = GetLogPage { page, event, offset: 0, length: 512 };
        self.expect(AdminCommand::GetLogPage(log), Status::SUCCESS);
    }

    fn report_warnings(&mut self, warnings: u32) {
        let entry = Entry::new(0x09, header(0)).with(10, 0x0b).with(11, warnings);
        assert!(self.finish(0, entry).0.is_success());
    }

    fn taken_event(&mut self, tag: CommandTag) -> Option<AsyncEvent> {
        let (status, result) = self.take(tag)?;
        assert!(status.is_success());
        AsyncEvent::parse(result)
    }
}

#[test]
fn four_requests_wait_and_a_fifth_is_refused() {
    let mut bench = Bench::new();
    for _ in 0..4 {
        let tag = bench.request_event();
        bench.settle();
        assert_eq!(bench.take(tag), None);
    }
    let tag = bench.request_event();
    let (status, _) = bench.take(tag).unwrap();
    assert!(status.is(Status::ASYNC_EVENT_LIMIT_EXCEEDED));
}

#[test]
fn a_wrong_doorbell_is_reported_and_logged() {
    for (kind, event) in
        [(0, AsyncEvent::InvalidDoorbellRegister), (1, AsyncEvent::InvalidDoorbellValue)]
    {
        let mut bench = Bench::new();
        let tag = bench.request_event();
        bench.event(HostEvent::DoorbellError(kind));
        assert_eq!(bench.taken_event(tag), Some(event));
        let logged = bench.errors()[0];
        assert_eq!((logged.queue, logged.cid, logged.parameter), (0xffff, 0xffff, 0xffff));
    }
}

#[test]
fn an_event_waits_for_a_request() {
    let mut bench = Bench::new();
    bench.event(HostEvent::DoorbellError(1));
    let tag = bench.request_event();
    assert_eq!(bench.taken_event(tag), Some(AsyncEvent::InvalidDoorbellValue));
}

#[test]
fn a_type_of_event_is_masked_until_its_log_is_read() {
    let mut bench = Bench::new();
    let first = bench.request_event();
    bench.event(HostEvent::DoorbellError(1));
    assert!(bench.taken_event(first).is_some());
    let second = bench.request_event();
    bench.event(HostEvent::DoorbellError(0));
    assert_eq!(bench.take(second), None);
    bench.read_log(LogPage::Health, EventAfterRead::Cleared);
    assert_eq!(bench.take(second), None);
    bench.read_log(LogPage::ErrorInformation, EventAfterRead::Retained);
    assert_eq!(bench.take(second), None);
    bench.read_log(LogPage::ErrorInformation, EventAfterRead::Cleared);
    assert_eq!(bench.taken_event(second), Some(AsyncEvent::InvalidDoorbellRegister));
}

#[test]
fn a_reset_forgets_events_masks_and_warnings() {
    let mut bench = Bench::new();
    bench.report_warnings(0x01);
    bench.storage.health.available_spare_percent = 9;
    let tag = bench.request_event();
    assert_eq!(bench.taken_event(tag), Some(AsyncEvent::Spare));
    let tag = bench.request_event();
    bench.event(HostEvent::DoorbellError(1));
    assert!(bench.taken_event(tag).is_some());
    // Masked, since no log was read; and one that waits behind the mask.
    bench.event(HostEvent::DoorbellError(0));
    bench.event(HostEvent::Disable);
    bench.settle();
    bench.event(HostEvent::Enable);
    let tag = bench.request_event();
    bench.settle();
    assert_eq!(bench.take(tag), None, "what happened before the reset is forgotten");
    bench.event(HostEvent::DoorbellError(1));
    assert_eq!(bench.taken_event(tag), Some(AsyncEvent::InvalidDoorbellValue));
    bench.report_warnings(0x01);
    let tag = bench.request_event();
    assert_eq!(bench.taken_event(tag), Some(AsyncEvent::Spare), "it holds after the reset too");
}

#[test]
fn warnings_are_reported_where_the_host_asked_for_them() {
    for (warnings, reported) in [(0, false), (0x01, false), (0x08, true), (0x1f, true)] {
        let mut bench = Bench::new();
        bench.report_warnings(warnings);
        let tag = bench.request_event();
        assert_eq!(bench.take(tag), None);
        bench.storage.health.read_only = true;
        let range = BlockRange { start: 0, blocks: 1 };
        bench.send(1, IoCommand::Write(range, UnitAccess::Normal).emit(header(1)));
        bench.storage.end(IoOutcome::ReadOnly);
        bench.settle();
        let event = bench.taken_event(tag);
        assert_eq!(event, reported.then_some(AsyncEvent::Reliability), "{warnings:#x}");
    }
}

#[test]
fn all_events_about_health_are_masked_together() {
    let mut bench = Bench::new();
    bench.report_warnings(0x1f);
    bench.storage.health.available_spare_percent = 9;
    let first = bench.request_event();
    assert_eq!(bench.taken_event(first), Some(AsyncEvent::Spare));
    let second = bench.request_event();
    bench.storage.health.read_only = true;
    let range = BlockRange { start: 0, blocks: 1 };
    bench.send(1, IoCommand::Write(range, UnitAccess::Normal).emit(header(1)));
    bench.storage.end(IoOutcome::ReadOnly);
    bench.settle();
    assert_eq!(bench.take(second), None, "the log was not read since the first");
    bench.read_log(LogPage::Health, EventAfterRead::Cleared);
    assert_eq!(bench.taken_event(second), Some(AsyncEvent::Reliability));
}

#[test]
fn spare_and_temperature_have_their_own_events() {
    let mut bench = Bench::new();
    bench.report_warnings(0x1f);
    bench.storage.health.available_spare_percent = 9;
    let tag = bench.request_event();
    assert_eq!(bench.taken_event(tag), Some(AsyncEvent::Spare));

    bench.read_log(LogPage::Health, EventAfterRead::Cleared);
    let tag = bench.request_event();
    assert_eq!(bench.take(tag), None);
    let threshold = Entry::new(0x09, header(0)).with(10, 0x04).with(11, 300);
    assert!(bench.finish(0, threshold).0.is_success());
    assert_eq!(bench.taken_event(tag), Some(AsyncEvent::Temperature));
}

#[test]
fn a_warning_that_holds_is_reported_once() {
    let mut bench = Bench::new();
    bench.report_warnings(0x01);
    bench.storage.health.available_spare_percent = 9;
    let tag = bench.request_event();
    assert_eq!(bench.taken_event(tag), Some(AsyncEvent::Spare));
    bench.read_log(LogPage::Health, EventAfterRead::Cleared);
    let tag = bench.request_event();
    bench.settle();
    assert_eq!(bench.take(tag), None);
}

#[test]
fn health_is_looked_at_every_256_commands() {
    let mut bench = Bench::new();
    bench.report_warnings(0x01);
    let tag = bench.request_event();
    bench.storage.health.available_spare_percent = 9;
    for count in 1..=256 {
        assert_eq!(bench.take(tag), None, "after {count} commands");
        bench.send(1, IoCommand::Flush.emit(header(1)));
        bench.storage.end(IoOutcome::Success);
        bench.settle();
    }
    assert_eq!(bench.taken_event(tag), Some(AsyncEvent::Spare));
}
