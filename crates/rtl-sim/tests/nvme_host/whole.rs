//! The whole controller with flash chips on its pins: what is written is there.

use crate::traffic::Load;
use crate::world::World;
use nand::onfi::Errors;
use rtl_sim::nvme::{CardDevice, Ssd, SsdSetup, Surroundings};
use rtl_sim::{seed, Random};

fn setup(around: Surroundings, random: &mut Random) -> SsdSetup {
    SsdSetup { around, errors: Errors::default(), seed: random.below(1 << 32) }
}

/// Reads, writes, flushes and write zeroes, in any mixture, against a model of all bytes.
fn every_byte<D: CardDevice>(device: D, random: &mut Random) {
    let mut load = Load::new(World::of(device, random), random);
    load.run(120);
    for chips in &load.world.device.card().chips {
        chips.assert_clean();
    }
}

#[test]
fn every_byte_is_where_it_belongs_when_the_firmware_schedules() {
    seed::each(6, |random| {
        let setup = setup(Surroundings::any(random), random);
        every_byte(Ssd::of_phases(setup, random), random);
    });
}

#[test]
fn every_byte_is_where_it_belongs_when_channels_schedule() {
    seed::each(6, |random| {
        let setup = setup(Surroundings::any(random), random);
        every_byte(Ssd::of_operations(setup, random), random);
    });
}
