//! The host interface as Cosmos+ has it: 128 bits, nine queue pairs, round robin, firmware alone, no monitors.

use crate::nvme_host::traffic::Load;
use crate::nvme_host::world::World;
use host::Driver;
use nvme::register::{offset, OptionalArbitration};
use registers::host as registers;
use rtl_sim::nvme::{Build, CardDevice, Mode, NvmeDevice, Surroundings};
use rtl_sim::{seed, Random, Top};

fn device(around: Surroundings, random: &mut Random) -> NvmeDevice {
    let top = Top::named("nvme_host_cosmos").expect("RTL_TOPS has it");
    let build = Build { top, bits: 128, io_queues: 8, mode: Mode::Firmware };
    NvmeDevice::of(&build, around, random)
}

/// A drive with nothing but its admin queues.
fn bare() -> World<NvmeDevice> {
    let random = &mut Random::new(1);
    World::of(device(Surroundings::prompt(), random), random)
}

fn prompt() -> World<NvmeDevice> {
    let mut world = bare();
    world.create_queue(16);
    world
}

#[test]
fn every_byte_is_where_it_belongs() {
    seed::each(1, |random| {
        let device = device(Surroundings::any(random), random);
        let mut load = Load::new(World::of(device, random), random);
        load.run(120);
        load.check_all();
        assert_eq!(load.world.device.interface().dropped(), 0);
    });
}

#[test]
fn it_says_what_it_has() {
    let mut world = bare();
    let found = world.driver.capabilities();
    assert_eq!(found.arbitration, OptionalArbitration::None);
    let granted = world.driver.set_queue_count(&mut world.device, 64).expect("a feature");
    assert_eq!(granted, 8);
    let sizes = world.device.card().read_register(registers::sizes::REGISTER.offset);
    let found =
        [registers::sizes::AUTOMATED, registers::sizes::MONITORED, registers::sizes::MEMORIES]
            .map(|field| field.get(&[sizes]));
    assert_eq!(found, [0, 0, 1]);
    assert_eq!(registers::sizes::BYTES.get(&[sizes]), 16);
}

#[test]
fn all_queues_work_and_nothing_is_counted() {
    let mut world = prompt();
    for _ in 1..8 {
        world.create_queue(4);
    }
    world.works();
    let monitors = world.device.interface().monitors();
    assert_eq!((monitors.cycles, monitors.fetched, monitors.completed), (0, 0, 0));
    assert_eq!(monitors.latency.iter().sum::<u64>(), 0);
}

#[test]
fn a_host_that_asks_for_weights_gets_no_controller() {
    let mut world = prompt();
    let enabled = world.device.card().read_bar(offset::CC);
    world.device.card().write_bar(offset::CC, 0);
    world.settle();
    // Weighted round robin with urgent class (NVMe 1.4 section 3.1.5).
    world.device.card().write_bar(offset::CC, enabled | 1 << 11);
    world.settle();
    assert!(!world.status().ready);
    world.device.card().write_bar(offset::CC, 0);
    world.driver = Driver::start(&mut world.device).expect("it starts without weights");
}
