//! Accesses that end with errors, and accesses that never end.

use crate::nvme_host::buffers::Shape;
use crate::nvme_host::world::{World, BOTH};
use machine::Device;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::status::Status;
use rtl_sim::axi::{Behaviour, Mishap};
use rtl_sim::nvme::{CardDevice, Mode, Surroundings};
use rtl_sim::Random;
use std::ops::Range;

const RANGE: BlockRange = BlockRange { start: 64, blocks: 32 };
const BYTES: u64 = 32 * 512;

/// Cycles after which any wait for host or memory is over.
const PATIENCE: u64 = 40_000;

/// A host that answers so where the range lies.
fn host_with(range: Range<u64>, mishap: Mishap) -> Behaviour {
    Behaviour { mishaps: vec![(range, mishap)], ..Behaviour::prompt() }
}

/// Runs commands that meet a mishap at a page of data, or at their list.
fn met(world: &mut World, mishap: Mishap, is_list: bool, directions: &[bool]) {
    for &is_write in directions {
        let buffer = world.pages.buffer(Shape::plain(BYTES), world.device.memory());
        let at = if is_list { buffer.pointer.prp2 } else { buffer.pieces()[2].0 };
        world.device.card().host.set_behaviour(host_with(at..at + 64, mishap));
        let header = world.header(&buffer);
        let access = UnitAccess::Normal;
        let command =
            if is_write { IoCommand::Write(RANGE, access) } else { IoCommand::Read(RANGE, access) };
        let status = world.io(&command.emit(header));
        assert!(status.is(Status::DATA_TRANSFER_ERROR), "{mishap:?} {command:?}: {status}");
        world.device.card().host.speak();
        world.settle();
        world.pages.release(buffer);
        world.works();
    }
}

#[test]
fn an_error_answer_fails_its_command_alone() {
    for mode in BOTH {
        let mut world = World::prompt(mode);
        for is_list in [false, true] {
            met(&mut world, Mishap::Error, is_list, &[false, true]);
        }
    }
}

#[test]
fn a_host_that_does_not_answer_reads_fails_their_command_alone() {
    for mode in BOTH {
        let mut world = World::prompt(mode);
        met(&mut world, Mishap::Silence, true, &[false, true]);
        met(&mut world, Mishap::Silence, false, &[true]);
    }
}

#[test]
fn a_host_that_does_not_answer_writes_leaves_a_drive_that_can_be_reset() {
    for mode in BOTH {
        let mut world = World::prompt(mode);
        let buffer = world.pages.buffer(Shape::plain(BYTES), world.device.memory());
        let at = buffer.pieces()[2].0;
        world.device.card().host.set_behaviour(host_with(at..at + 64, Mishap::Silence));
        let header = world.header(&buffer);
        world.push(0, &IoCommand::Read(RANGE, UnitAccess::Normal).emit(header));
        // Answers of writes keep their order, so that of the completion does not come either.
        world.device.run(PATIENCE);
        assert!(world.pop(0).is_none());
        assert!(world.status().fatal, "{mode:?}");
        world.device.card().host.speak();
        world.settle();
        world.restart();
        world.works();
    }
}

#[test]
fn an_error_of_the_drives_memory_fails_its_command_alone() {
    let mut world = World::prompt(Mode::Automated);
    for is_write in [false, true] {
        let inside = (world.device.layout().namespace + RANGE.start * 512 + 1024) / 2;
        let behaviour = host_with(inside / 512 * 512..inside / 512 * 512 + 512, Mishap::Error);
        world.device.card().memories[0].set_behaviour(behaviour);
        let buffer = world.buffer(BYTES);
        let header = world.header(&buffer);
        let access = UnitAccess::Normal;
        let command =
            if is_write { IoCommand::Write(RANGE, access) } else { IoCommand::Read(RANGE, access) };
        let status = world.io(&command.emit(header));
        assert!(status.is(Status::DATA_TRANSFER_ERROR), "{command:?}: {status}");
        world.device.card().memories[0].speak();
        world.settle();
        world.pages.release(buffer);
        world.works();
    }
}

#[test]
fn queues_that_cannot_be_reached_end_in_csts_cfs_and_a_reset_leads_out() {
    for mode in BOTH {
        for is_completion in [false, true] {
            let mut world = World::new(mode, Surroundings::prompt(), &mut Random::new(1));
            world.create_queue(16);
            let pair = world.queues[0];
            let at = match is_completion {
                false => pair.submission_address(),
                true => pair.completion_address(),
            };
            world.device.card().host.set_behaviour(host_with(at..at + 256, Mishap::Error));
            let header = world.bare_header();
            world.push(0, &IoCommand::Flush.emit(header));
            world.until("CSTS.CFS", |world| world.status().fatal);
            world.device.card().host.speak();
            world.restart();
            world.works();
        }
    }
}
