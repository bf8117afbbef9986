//! Doorbells that do not exist, and values that cannot be: the asynchronous event.

use crate::nvme_host::world::{World, BOTH};
use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, LogPage};
use nvme::command::{DataPointer, Header};
use nvme::log::AsyncEvent;
use nvme::register::Doorbell;
use rtl_sim::nvme::CardDevice;
use rtl_sim::seed;

/// Reads the error log, so that events are told again.
fn read_log(world: &mut World) {
    let page = world.pages.take();
    let log = GetLogPage {
        page: LogPage::ErrorInformation,
        event: EventAfterRead::Cleared,
        offset: 0,
        length: 64,
    };
    let header = Header { data: DataPointer { prp1: page, prp2: 0 }, ..Header::default() };
    let result =
        world.driver.execute(&mut world.device, (AdminCommand::GetLogPage(log), header), "a log");
    result.expect("the log is read");
}

#[test]
fn a_wrong_doorbell_is_told_and_harms_nobody() {
    let register = AsyncEvent::InvalidDoorbellRegister;
    let value = AsyncEvent::InvalidDoorbellValue;
    let table = [
        (Doorbell::SubmissionTail(2), 1, register),
        (Doorbell::CompletionHead(2), 1, register),
        (Doorbell::SubmissionTail(16), 0, register),
        (Doorbell::SubmissionTail(17), 1, register),
        (Doorbell::CompletionHead(400), 1, register),
        (Doorbell::SubmissionTail(1), 16, value),
        (Doorbell::SubmissionTail(1), u32::MAX, value),
        (Doorbell::SubmissionTail(0), 32, value),
        (Doorbell::CompletionHead(1), 16, value),
        (Doorbell::CompletionHead(1), 0x1_0000, value),
    ];
    for mode in BOTH {
        seed::each(1, |random| {
            let mut world = World::any(mode, random);
            for (doorbell, value, event) in table {
                world.works();
                world.settle();
                let before = world.device.interface().monitors().wrong_doorbells;
                let cid = world.send(AdminCommand::AsyncEventRequest);
                world.ring(doorbell, value);
                let completion = world.receive();
                assert_eq!(completion.cid, cid);
                let found = AsyncEvent::parse(completion.result);
                assert_eq!(found, Some(event), "{doorbell:?} {value:#x}");
                let counted = world.device.interface().monitors().wrong_doorbells - before;
                assert_eq!(counted, 1, "{doorbell:?} {value:#x}");
                read_log(&mut world);
            }
            world.works();
        });
    }
}

#[test]
fn a_head_beyond_what_was_posted_is_wrong() {
    for mode in BOTH {
        let mut world = World::prompt(mode);
        world.works();
        let cid = world.send(AdminCommand::AsyncEventRequest);
        let head = world.queues[0].ring_head().value;
        world.ring(Doorbell::CompletionHead(1), (head + 3) % 16);
        let completion = world.receive();
        assert_eq!(completion.cid, cid);
        let found = AsyncEvent::parse(completion.result);
        assert_eq!(found, Some(AsyncEvent::InvalidDoorbellValue));
        world.works();
    }
}
