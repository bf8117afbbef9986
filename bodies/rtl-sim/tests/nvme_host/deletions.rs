//! Queues that go away while their commands are under way.

use crate::nvme_host::buffers::Buffer;
use crate::nvme_host::world::{World, BOTH};
use host::{queues_memory_bytes, QueuePair, QueueShape};
use machine::Device;
use nvme::admin::{AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, Priority};
use nvme::command::{DataPointer, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::Doorbell;
use rtl_sim::axi::Behaviour;
use rtl_sim::nvme::{CardDevice, Mode, Surroundings};
use rtl_sim::{seed, Random};
use std::sync::atomic::{AtomicU32, Ordering};

/// Reads on a queue, as many as it takes.
pub fn reads<D: CardDevice>(world: &mut World<D>, queue: usize, count: u32) -> Vec<Buffer> {
    let one = |nth: u32, world: &mut World<D>| {
        let range = BlockRange { start: u64::from(nth) * 8, blocks: 8 };
        let buffer = world.buffer(8 * u64::from(world.identity.block_bytes));
        let header = world.header(&buffer);
        world.push(queue, &IoCommand::Read(range, UnitAccess::Normal).emit(header));
        buffer
    };
    (0..count).map(|nth| one(nth, world)).collect()
}

#[test]
fn a_queue_is_deleted_with_commands_in_flight() {
    for mode in BOTH {
        seed::each(4, |random| {
            let around = Surroundings::any(random);
            let mut world = World::new(mode, around, random);
            world.create_queue(16);
            world.create_queue(16);
            let buffers = reads(&mut world, 1, 15);
            // Some are fetched by then, some complete, some not.
            let cycles = world.random.below(3000);
            world.device.run(cycles);
            let cid = world.send(AdminCommand::DeleteSubmissionQueue { id: 2 });
            let completion = world.receive();
            assert_eq!(completion.cid, cid);
            assert!(completion.status.is_success(), "{}", completion.status);
            // The commands that were taken are all complete by then, and no more come.
            let mut taken = 0;
            while world.queues[1].pop(world.device.memory()).is_some() {
                taken += 1;
            }
            assert!(taken <= 15);
            let (_, written) = world.device.card().host.moved();
            world.settle();
            assert_eq!(world.device.card().host.moved().1, written, "it goes on");
            assert!(world.queues[1].pop(world.device.memory()).is_none());
            let cid = world.send(AdminCommand::DeleteCompletionQueue { id: 2 });
            let completion = world.receive();
            assert_eq!(completion.cid, cid);
            assert!(completion.status.is_success(), "{}", completion.status);
            buffers.into_iter().for_each(|buffer| world.pages.release(buffer));
            world.works();
            // The identifier can be used again.
            world.queues.pop();
            world.create_queue(5);
            world.queues.swap(0, 1);
            world.works();
        });
    }
}

/// A drive whose second queue pair has a full completion queue, and `more` commands that wait for room in it.
fn full(mode: Mode, more: u32) -> World {
    let mut world = World::new(mode, Surroundings::prompt(), &mut Random::new(1));
    (0..2).for_each(|_| world.create_queue(16));
    fill(&mut world, more);
    world
}

/// Fills the completion queue of the second of two queue pairs, and has `more` commands wait for room in it.
fn fill<D: CardDevice>(world: &mut World<D>, more: u32) {
    reads(world, 1, 15);
    world.settle();
    // The host looks at the entries, and does not say so.
    for _ in 0..15 {
        assert!(world.queues[1].pop(world.device.memory()).is_some());
    }
    reads(world, 1, more);
    world.settle();
    assert!(world.queues[1].pop(world.device.memory()).is_none());
    assert_eq!(outstanding(world), more);
}

/// Commands that were fetched and are not done.
fn outstanding<D: CardDevice>(world: &mut World<D>) -> u32 {
    let monitors = world.device.interface().monitors();
    (monitors.fetched - monitors.completed) as u32
}

/// Runs an admin command that succeeds.
fn admin<D: CardDevice>(world: &mut World<D>, command: AdminCommand) {
    let cid = world.send(command);
    let completion = world.receive();
    assert_eq!(completion.cid, cid);
    assert!(completion.status.is_success(), "{}", completion.status);
}

/// A host that reads no completions deletes the second of two queue pairs, and has another one made.
pub fn full_queue_goes<D: CardDevice>(world: &mut World<D>) {
    fill(world, 5);
    admin(world, AdminCommand::DeleteSubmissionQueue { id: 2 });
    admin(world, AdminCommand::DeleteCompletionQueue { id: 2 });
    world.settle();
    assert_eq!(outstanding(world), 0, "tags that are not free again");
    world.queues.pop();
    world.create_queue(16);
    // Doorbells of the new queue bring nothing of the old one.
    world.ring(Doorbell::CompletionHead(2), 0);
    world.settle();
    assert!(world.queues[1].pop(world.device.memory()).is_none());
    world.queues.swap(0, 1);
    world.works();
}

#[test]
fn completions_that_wait_for_room_end_with_their_queue() {
    for mode in BOTH {
        let mut world = World::new(mode, Surroundings::prompt(), &mut Random::new(1));
        (0..2).for_each(|_| world.create_queue(16));
        full_queue_goes(&mut world);
    }
}

#[test]
fn completions_that_wait_for_room_end_with_the_queue_that_they_came_from() {
    for mode in BOTH {
        let mut world = full(mode, 5);
        admin(&mut world, AdminCommand::DeleteSubmissionQueue { id: 2 });
        world.settle();
        assert_eq!(outstanding(&mut world), 0, "{mode:?}: they wait for a host that has no queue");
        // After the deletion no completion of the queue is posted, whatever room there is (NVMe 1.4 section 5.6).
        let ring = world.queues[1].ring_head();
        world.device.card().bar.write(ring.offset, ring.value);
        world.settle();
        assert!(world.queues[1].pop(world.device.memory()).is_none(), "{mode:?}");
        admin(&mut world, AdminCommand::DeleteCompletionQueue { id: 2 });
        world.queues.pop();
        world.create_queue(16);
        world.queues.swap(0, 1);
        world.works();
    }
}

/// Sends a command that names a page of the host.
fn create_at(world: &mut World, command: AdminCommand, prp1: u64) {
    let data = DataPointer { prp1, prp2: 0 };
    world.driver.send(&mut world.device, command, Header { data, ..Header::default() });
}

/// The host asks for all of it at once: the queue is deleted and made anew while its completions wait, some of them for a host
/// that takes no writes.
#[test]
fn a_queue_that_is_made_anew_at_once_has_nothing_of_the_one_before() {
    for mode in BOTH {
        let made_anew = AtomicU32::new(0);
        seed::together(6, |random| {
            let mut world = full(mode, 12);
            let slow = random.below(3_000);
            world.device.card().host.set_behaviour(Behaviour {
                latency: slow..=slow + random.below(3_000),
                ..Behaviour::prompt()
            });
            let entries = 16;
            world.memory().reserve(queues_memory_bytes(1, entries));
            let shape = QueueShape { id: 2, entries, stride: 0 };
            let pair = QueuePair::new(shape, world.device.memory());
            world.send(AdminCommand::DeleteSubmissionQueue { id: 2 });
            // The host has a place for one of those that wait, just now.
            let ring = world.queues[1].ring_head();
            world.device.card().bar.write(ring.offset, 1);
            world.send(AdminCommand::DeleteCompletionQueue { id: 2 });
            let create = CreateCompletionQueue { id: 2, entries, vector: Some(2) };
            let command = AdminCommand::CreateCompletionQueue(create);
            create_at(&mut world, command, pair.completion_address());
            let priority = Priority::Medium;
            let create = CreateSubmissionQueue { id: 2, entries, priority, completion_queue: 2 };
            let command = AdminCommand::CreateSubmissionQueue(create);
            create_at(&mut world, command, pair.submission_address());
            let statuses: Vec<_> = (0..4).map(|_| world.receive().status).collect();
            // The deletion of the completion queue may come too early for the firmware.
            if statuses.iter().any(|status| !status.is_success()) {
                return;
            }
            made_anew.fetch_add(1, Ordering::Relaxed);
            world.queues[1] = pair;
            world.settle();
            assert!(world.queues[1].pop(world.device.memory()).is_none(), "{mode:?}");
            assert_eq!(outstanding(&mut world), 0, "{mode:?}");
            world.device.card().host.set_behaviour(Behaviour::prompt());
            world.queues.swap(0, 1);
            world.works();
        });
        assert!(made_anew.into_inner() > 0, "{mode:?}: no queue was made anew");
    }
}
