//! The drive behind the socket works, whoever holds the guest's memory, and keeps its data.

use machine::BusMaster;
use nvme::admin::{AdminCommand, IdentifyStructure};
use nvme::identify::Controller;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::offset;
use nvme::status::Status;
use pci::{Doorbells, Event, Lost, Pace};
use report::{Direction, Look};
use rustix::io::pread;

use crate::driver::{Driver, Holder, BYTES, DATA};
use crate::house::{Habits, House, PATIENCE};

fn page(seed: u8) -> Vec<u8> {
    (0..4096u32).map(|n| (n as u8).wrapping_mul(31) ^ seed).collect()
}

#[test]
fn data_go_out_and_come_back_by_every_kind_of_memory_at_every_pace() {
    // Of both grains: firmware that schedules, and channels that do. And one without flash.
    for (board, pace) in [
        ("small", Pace::Fast),
        ("small", Pace::Real),
        ("ozone", Pace::Real),
        ("ocowfc", Pace::Fast),
        ("bluessd", Pace::Fast),
        ("openexpress", Pace::Fast),
    ] {
        let house = House::of(Habits { board, pace, ..Habits::default() });
        for holder in [Holder::Sealed, Holder::Unsealed, Holder::Client] {
            let mut driver = Driver::start(house.client(), holder);
            driver.admin(AdminCommand::Identify(IdentifyStructure::Controller), DATA);
            let mut identity = [0; 4096];
            pread(&driver.memory, &mut identity, DATA).unwrap();
            let vendor = driver.client.region_read(7, 0, 2).unwrap();
            let told = Controller::parse(&identity).vendor;
            assert_eq!(u16::from_le_bytes([vendor[0], vendor[1]]), told);
            for block in 0..40 {
                let status = driver.write(block * 7, &page(block as u8));
                assert!(status.is_success(), "{holder:?} {pace:?}: {status}");
            }
            for block in 0..40 {
                assert_eq!(driver.read(block * 7), page(block as u8), "{holder:?} {pace:?}");
            }
        }
        let report = house.close();
        let job = &report.jobs[0];
        let [read, write] = [Direction::Read, Direction::Write].map(|d| job.active(d).unwrap());
        assert_eq!((read.ios, read.bytes), (120, 120 * 4096));
        assert_eq!((write.ios, write.bytes), (120, 120 * 4096));
        assert_eq!(report.drive.host_bytes_written, 120 * 4096);
        // The drive over time, from the first of these commands to the end.
        let spans: Vec<_> = report.over_time.spans().collect();
        let grown = |counter: fn(&Look) -> u64| -> u64 {
            spans.iter().map(|span| span.grown(counter)).sum()
        };
        assert_eq!(grown(|look| look.requests), 240);
        assert_eq!(grown(|look| look.written_bytes), 120 * 4096);
        assert_eq!(grown(|look| look.programs), report.drive.pages_programmed);
        let (first, last) = (spans.first().unwrap(), spans.last().unwrap());
        assert_eq!((first.from_ps(), last.to_ps() <= job.runtime_ps), (0, true), "{board}");
        assert!(last.to_ps() > job.runtime_ps / 2, "{board}: {} {}", last.to_ps(), job.runtime_ps);
        let pacing = report.pacing.map(|pacing| pacing.late.count());
        assert_eq!(pacing.is_some_and(|count| count > 240), pace == Pace::Real);
    }
}

/// Whatever keeps to the contract can be served.
#[test]
fn a_drive_with_another_firmware_is_served() {
    let house = House::of_tiny(Habits::default());
    for holder in [Holder::Sealed, Holder::Client] {
        let mut driver = Driver::start(house.client(), holder);
        driver.admin(AdminCommand::Identify(IdentifyStructure::Controller), DATA);
        for block in 0..40 {
            let status = driver.write(block * 7, &page(block as u8));
            assert!(status.is_success(), "{holder:?}: {status}");
        }
        for block in 0..40 {
            assert_eq!(driver.read(block * 7), page(block as u8), "{holder:?}");
        }
    }
    let report = house.close();
    // There is no cache: each write programs a page.
    assert_eq!(report.drive.pages_programmed, 80);
}

#[test]
fn doorbells_in_memory_are_heard_and_save_messages() {
    for pace in [Pace::Fast, Pace::Real] {
        let house = House::open_with(pace, Doorbells::Memory);
        for holder in [Holder::Sealed, Holder::Unsealed] {
            let mut driver = Driver::start(house.client(), holder);
            driver.buffer_doorbells();
            for block in 0..100 {
                assert!(driver.write(block, &page(block as u8)).is_success());
                if block % 25 == 0 {
                    // It has to be woken then.
                    driver.wait_asleep();
                }
                assert_eq!(driver.read(block), page(block as u8), "{holder:?} {pace:?}");
            }
            // Two doorbells for each of 200 commands, and a message where a ring begins anew.
            let most = 400;
            assert!((4..most).contains(&driver.messages), "{} messages", driver.messages);
            driver.client.reset();
        }
    }
}

#[test]
fn data_outlast_resets_and_clients() {
    let house = House::open(Pace::Fast);
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    assert_eq!(house.event(), Event::Connected);
    assert!(driver.write(3, &page(1)).is_success());
    driver.client.reset();
    for register in [offset::CC, offset::AQA, offset::ASQ, offset::ACQ, offset::CSTS] {
        assert_eq!(driver.client.read32(register as u32), 0, "{register:#x}");
    }
    driver.client.unmap(crate::driver::BASE, crate::driver::BYTES).unwrap();
    let mut driver = Driver::start(driver.client, Holder::Unsealed);
    assert_eq!(driver.read(3), page(1));
    assert!(driver.write(4, &page(2)).is_success());
    // A client that goes away in the middle of everything.
    drop(driver);
    assert_eq!(house.event(), Event::Gone(Lost::Closed));
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    assert_eq!((driver.read(3), driver.read(4)), (page(1), page(2)));
}

#[test]
fn a_function_level_reset_puts_configuration_and_controller_back() {
    let house = House::open(Pace::Fast);
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    let client = &mut driver.client;
    client.region_write(7, 0x10, &0xfe00_0000u32.to_le_bytes()).unwrap();
    client.region_write(7, 0x58, &0xa810u16.to_le_bytes()).unwrap();
    assert_eq!(client.region_read(7, 0x10, 4).unwrap(), [4, 0, 0, 0]);
    assert_eq!(client.read32(offset::CSTS as u32), 0);
    assert_eq!(client.region_read(7, 0x04, 2).unwrap(), [0, 0], "and is no bus master");
}

/// Bytes of guest memory.
fn all_of(driver: &Driver) -> Vec<u8> {
    let mut bytes = vec![0; BYTES as usize];
    assert_eq!(pread(&driver.memory, &mut bytes, 0).unwrap(), bytes.len());
    bytes
}

#[test]
fn a_function_that_is_no_bus_master_touches_no_memory_and_interrupts_nobody() {
    for doorbells in [Doorbells::Messages, Doorbells::Memory] {
        let house = House::open_with(Pace::Fast, doorbells);
        let mut driver = Driver::start(house.client(), Holder::Sealed);
        if doorbells == Doorbells::Memory {
            driver.buffer_doorbells();
        }
        assert!(driver.write(3, &page(1)).is_success());
        driver.set_bus_master(BusMaster::Disabled);
        driver.send_read(3);
        let before = all_of(&driver);
        // Between two messages the drive does all that it has to do.
        for _ in 0..20 {
            assert_eq!(driver.client.read32(offset::CSTS as u32), 1, "it is ready all the same");
        }
        assert!(all_of(&driver) == before && !driver.is_interrupted(), "{doorbells:?}");
        driver.set_bus_master(BusMaster::Enabled);
        assert!(driver.finish_io().is_success(), "the doorbell was taken, and waited");
        assert_eq!(driver.read(3), page(1));
    }
}

#[test]
fn wrong_commands_get_their_status_and_memory_that_is_gone_stops_the_controller() {
    let house = House::open(Pace::Fast);
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    let range = BlockRange { start: 1 << 40, blocks: 1 };
    let status = driver.io(IoCommand::Read(range, UnitAccess::Normal));
    assert!(status.is(Status::LBA_OUT_OF_RANGE), "{status}");
    driver.client.unmap(crate::driver::BASE, crate::driver::BYTES).unwrap();
    driver.client.post(10, &crate::client::words(&[0x1008, 0, 0, 4, 9]));
    let end = std::time::Instant::now() + PATIENCE;
    while driver.client.read32(offset::CSTS as u32) & 2 == 0 {
        assert!(std::time::Instant::now() < end, "CSTS.CFS");
    }
    driver.client.reset();
    let mut driver = Driver::start(driver.client, Holder::Sealed);
    assert!(driver.write(0, &page(0)).is_success());
}
