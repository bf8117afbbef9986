//! A drive in hardware that virtual machines use, seen from a client's end of the socket.
#![cfg(target_os = "linux")]

#[path = "../../../../hosts/pci/tests/served/client.rs"]
#[allow(dead_code)] // Shared with the tests of the server.
mod client;
#[path = "../../../../hosts/pci/tests/served/driver.rs"]
#[allow(dead_code)] // Likewise.
mod driver;
mod house;

use driver::{Driver, Holder};
use house::House;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::offset;
use nvme::status::Status;
use report::Direction;
use rtl_sim::drive::Processor;

fn page(seed: u8) -> Vec<u8> {
    (0..4096u32).map(|n| (n as u8).wrapping_mul(31) ^ seed).collect()
}

/// The guest's accesses, the hardware's to the guest's memory, and interrupts; and the report tells of them.
#[test]
fn data_go_out_and_come_back_whoever_holds_the_memory() {
    let house = House::open(Processor::Beside);
    for holder in [Holder::Sealed, Holder::Client] {
        let mut driver = Driver::start(house.client(), holder);
        for block in 0..8 {
            assert!(driver.write(block * 7, &page(block as u8)).is_success(), "{holder:?}");
        }
        assert!(driver.io(IoCommand::Flush).is_success());
        for block in 0..8 {
            assert_eq!(driver.read(block * 7), page(block as u8), "{holder:?}");
        }
        let beyond = BlockRange { start: 1 << 40, blocks: 1 };
        let refused = driver.io(IoCommand::Read(beyond, UnitAccess::Normal));
        assert!(refused.is(Status::LBA_OUT_OF_RANGE), "{refused}");
    }
    let report = house.close();
    let job = &report.jobs[0];
    let [read, write] = [Direction::Read, Direction::Write].map(|d| job.active(d).unwrap());
    // What was refused is a read as well, of no data that the drive moved.
    assert_eq!((read.ios, write.ios, write.bytes), (18, 16, 16 * 4096));
    assert_eq!(job.sync.count(), 2);
    assert!(report.drive.interrupts >= 36 && report.drive.pages_programmed >= 2);
    // From the doorbell on: nothing takes less than a read of a page from flash or buffer, or as long as a millisecond.
    let mean_us = write.clat.mean_ns() / 1e3;
    assert!((5.0..1000.0).contains(&mean_us), "{mean_us}");
}

/// A reset of the function takes queues and vectors with it, and no data.
#[test]
fn data_outlast_a_function_reset_and_a_client_that_goes() {
    let house = House::open(Processor::Beside);
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    assert!(driver.write(3, &page(9)).is_success());
    driver.client.reset();
    assert_eq!(driver.client.read32(offset::CSTS as u32) & 1, 0, "it is not ready");
    assert_eq!(driver.client.read32(offset::AQA as u32), 0);
    drop(driver);
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    assert_eq!(driver.read(3), page(9));
}

/// Where the guest may not be reached, nothing of it is.
#[test]
fn a_function_that_is_no_bus_master_reads_no_commands() {
    let house = House::open(Processor::Beside);
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    driver.set_bus_master(machine::BusMaster::Disabled);
    driver.send_read(0);
    // The hardware cannot fetch the command, which is fatal for the controller (NVMe 1.4, CSTS.CFS).
    let end = std::time::Instant::now() + house::PATIENCE;
    while driver.client.read32(offset::CSTS as u32) & 2 == 0 {
        assert!(std::time::Instant::now() < end, "CSTS.CFS");
    }
    assert!(!driver.is_interrupted());
}

/// What `make test-all` does beside `make test`, which makes no model of a controller with a processor inside.
mod long {
    use super::*;

    /// The same where the firmware runs on the processor in the controller, across a reset of the function.
    #[test]
    fn a_processor_in_the_controller_serves_a_guest() {
        if let Err(missing) = soc_program::PROGRAM {
            return eprintln!("not run: {missing}");
        }
        let house = House::open(Processor::Ibex);
        let mut driver = Driver::start(house.client(), Holder::Sealed);
        for block in 0..4 {
            assert!(driver.write(block, &page(block as u8)).is_success());
        }
        driver.client.reset();
        drop(driver);
        let mut driver = Driver::start(house.client(), Holder::Sealed);
        for block in 0..4 {
            assert_eq!(driver.read(block), page(block as u8));
        }
    }
}
