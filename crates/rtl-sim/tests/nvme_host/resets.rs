//! The controller is disabled, or its function reset, in the middle of everything.

use crate::deletions::reads;
use crate::world::{World, BOTH};
use host::Device;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::offset;
use rtl_sim::nvme::{Mode, Surroundings};
use rtl_sim::{seed, Random};

/// Commands of both directions, some of them under way in every place.
fn crowd(world: &mut World) {
    reads(world, 0, 12);
    for nth in 0..12 {
        let range = BlockRange { start: 200 + nth * 40, blocks: 40 };
        let buffer = world.buffer(40 * u64::from(world.identity.block_bytes));
        let header = world.header(&buffer);
        world.push(1, &IoCommand::Write(range, UnitAccess::Normal).emit(header));
    }
    let cycles = world.random.below(2500);
    world.device.run(cycles);
}

/// A crowd, an end, and everything works again. Whether the first has an effect on memory.
fn ends(mode: Mode, random: &mut Random, end: impl Fn(&mut World)) {
    let around = Surroundings::any(random);
    let mut world = World::new(mode, around, random);
    world.create_queue(16);
    world.create_queue(16);
    for _ in 0..2 {
        crowd(&mut world);
        end(&mut world);
        world.until("CSTS.RDY 0", |world| !world.status().ready);
        // From here on the host may use its memory for something else.
        let moved = world.device.card().host.moved();
        assert_eq!(world.device.card().host.under_way().accesses, 0, "accesses after RDY fell");
        let kept = world.snapshot();
        world.device.run(3000);
        world.settle();
        assert_eq!(world.device.card().host.moved(), moved, "accesses after RDY fell");
        kept.assert_kept(&mut world, &[]);
        // Doorbells of a disabled controller do nothing.
        let ring = world.queues[0].ring_tail();
        world.device.write32(ring.offset, ring.value);
        world.settle();
        assert_eq!(world.device.card().host.moved(), moved);
        world.restart();
        world.works();
        world.create_queue(16);
    }
}

#[test]
fn a_disable_in_the_middle_ends_all_of_it() {
    for mode in BOTH {
        seed::each(4, |random| {
            ends(mode, random, |world| world.device.card().bar.write(offset::CC, 0));
        });
    }
}

#[test]
fn a_function_reset_in_the_middle_ends_all_of_it() {
    for mode in BOTH {
        seed::each(4, |random| ends(mode, random, |world| world.device.card().reset_function()));
    }
}
