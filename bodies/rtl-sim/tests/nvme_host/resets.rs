//! The controller is disabled, or its function reset, in the middle of everything.

use crate::nvme_host::buffers::Shape;
use crate::nvme_host::deletions::reads;
use crate::nvme_host::world::{World, BOTH};
use machine::Device;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::offset;
use rtl_sim::axi::{Behaviour, Mishap};
use rtl_sim::nvme::{CardDevice, Mode, Surroundings};
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
pub fn ends(mode: Mode, random: &mut Random, end: impl Fn(&mut World)) {
    let around = Surroundings::any(random);
    let mut world = World::new(mode, around, random);
    world.create_queue(16);
    world.create_queue(16);
    for _ in 0..2 {
        crowd(&mut world);
        end(&mut world);
        world.until("CSTS.RDY 0", |world| !world.status().ready);
        world.until("idle", |world| world.device.card().is_idle());
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
fn a_disable_waits_for_a_host_that_does_not_answer_only_so_long() {
    for mode in BOTH {
        for is_write in [false, true] {
            let mut world = World::prompt(mode);
            let bytes = 8 * u64::from(world.identity.block_bytes);
            let buffer = world.pages.buffer(Shape::plain(bytes), world.device.memory());
            let at = buffer.pieces()[0].0;
            let mishaps = vec![(at..at + bytes, Mishap::Silence)];
            let silent = Behaviour { mishaps, ..Behaviour::prompt() };
            world.device.card().host.set_behaviour(silent);
            let range = BlockRange { start: 0, blocks: 8 };
            let header = world.header(&buffer);
            let access = UnitAccess::Normal;
            let command = match is_write {
                false => IoCommand::Read(range, access),
                true => IoCommand::Write(range, access),
            };
            world.push(0, &command.emit(header));
            world.until("a silent access", |world| world.device.card().host.under_way().silent > 0);
            world.device.write32(offset::CC, 0);
            let start = world.device.card().cycles();
            world.until("CSTS.RDY 0", |world| !world.status().ready);
            let waited = world.device.card().cycles() - start;
            assert!((4_000..40_000).contains(&waited), "{mode:?} {is_write}: {waited} cycles");
            world.device.card().host.speak();
            world.settle();
            world.restart();
            world.works();
        }
    }
}

#[test]
fn a_function_reset_in_the_middle_ends_all_of_it() {
    for mode in BOTH {
        seed::each(4, |random| {
            ends(mode, random, |world| {
                world.device.card().reset_function();
                world.until("idle", |world| world.device.card().is_idle());
                // The reset may be answered now, and the host take its memory away.
                let moved = world.device.card().host.moved();
                world.device.run(500);
                assert_eq!(world.device.card().host.moved(), moved, "accesses when idle");
            });
        });
    }
}
