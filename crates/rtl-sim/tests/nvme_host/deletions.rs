//! Queues that go away while their commands are under way.

use crate::buffers::Buffer;
use crate::world::{World, BOTH};
use host::Device;
use nvme::admin::AdminCommand;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use rtl_sim::nvme::{CardDevice, Surroundings};
use rtl_sim::seed;

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
