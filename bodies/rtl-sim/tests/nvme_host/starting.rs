//! The driver brings the drive up and down.

use crate::nvme_host::world::{World, BOTH};
use host::Driver;
use nvme::register::ShutdownStatus;
use rtl_sim::nvme::{CardDevice, Mode, Surroundings};
use rtl_sim::{seed, Random};

#[test]
fn the_driver_finds_what_the_firmware_says() {
    let mut world = World::new(Mode::Firmware, Surroundings::prompt(), &mut Random::new(1));
    let found = world.driver.capabilities();
    assert_eq!((found.queue_entries, found.doorbell_stride), (1024, 0));
    assert_eq!((world.identity.block_bytes, world.identity.transfer_bytes), (512, 128 << 10));
    assert_eq!(world.identity.blocks, 576 * 16);
    let granted = world.driver.set_queue_count(&mut world.device, 64).expect("a feature");
    assert_eq!(granted, 16);
}

#[test]
fn it_starts_works_and_shuts_down_again_and_again() {
    for mode in BOTH {
        seed::each(2, |random| {
            let mut world = World::any(mode, random);
            world.works();
            world.create_queue(1024);
            world.works();
            world.driver.shut_down(&mut world.device).expect("it shuts down");
            assert_eq!(world.status().shutdown, ShutdownStatus::Complete);
            world.restart();
            assert_eq!(world.status().shutdown, ShutdownStatus::None);
            world.works();
        });
    }
}

#[test]
fn who_runs_a_command_is_what_was_set() {
    for (mode, by_hardware) in [(Mode::Firmware, 0), (Mode::Automated, 3)] {
        let mut world = World::prompt(mode);
        world.works();
        let monitors = world.device.interface().monitors();
        let counts = [monitors.automated.reads, monitors.automated.writes];
        assert_eq!(counts, [by_hardware; 2], "{mode:?}");
        // Two of identification, two of the queue pair.
        assert_eq!((monitors.fetched, monitors.completed), (13, 13), "{mode:?}");
        assert_eq!(monitors.latency.iter().sum::<u64>(), 13, "{mode:?}");
    }
}

#[test]
fn a_restart_forgets_queues() {
    let mut world = World::prompt(Mode::Firmware);
    world.create_queue(4);
    world.driver = Driver::start(&mut world.device).expect("it starts again");
    world.queues.clear();
    // Both identifiers are free again.
    world.create_queue(8);
    world.create_queue(8);
    world.works();
}
