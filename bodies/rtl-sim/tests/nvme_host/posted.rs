//! Posted requests of both directions: what the host writes waits for nothing that the drive writes (PCI Express 4.0 section 2.4.1).

use crate::nvme_host::world::World;
use nvme::io::IoCommand;
use nvme::register::{offset, Doorbell};
use nvme::status::Status;
use rtl_sim::nvme::{CardDevice, Mode};
use rtl_sim::{axi::Behaviour, Pace, Random};

/// The MSI-X table, and a vector that nobody uses.
const MSIX_TABLE: u64 = 0x2000;
const SPARE: u64 = MSIX_TABLE + 16 * 5;

/// Queues, each with a vector of its own, and with a command under way when the host stops: one message waits behind another.
const QUEUES: usize = 4;

/// Cycles that an access of BAR 0 may take: many times what it takes, and much less than a time-out.
const PATIENCE: u64 = 200;

/// How often the host takes something before it stops, in percent of cycles: completions and messages wait for one another.
const WILLING: u32 = 3;

/// From a doorbell to the last message of its commands.
const MOMENTS: u64 = 360;

#[test]
fn what_a_host_writes_waits_for_nothing_that_it_does_not_take() {
    let mut world = World::prompt(Mode::Automated);
    (1..QUEUES).for_each(|_| world.create_queue(16));
    for vector in 0..=QUEUES as u64 {
        for (dword, value) in [(0, 0xfee0_0000), (4, 0), (8, vector as u32), (12, 0)] {
            world.device.card().write_bar(MSIX_TABLE + 16 * vector + dword, value);
        }
    }
    // What stands still then is another step of completions and messages at each moment.
    for moment in (0..MOMENTS).step_by(3) {
        let slow = Pace::Percent(WILLING, Random::new(moment));
        let slow = Behaviour { addresses: slow.clone(), data: slow, ..Behaviour::prompt() };
        world.device.card().host.set_behaviour(slow);
        for queue in 0..QUEUES {
            let header = world.bare_header();
            world.push(queue, &IoCommand::Flush.emit(header));
        }
        (0..moment).for_each(|_| world.device.card().cycle());
        let still = Behaviour { addresses: Pace::Never, data: Pace::Never, ..Behaviour::prompt() };
        world.device.card().host.set_behaviour(still);
        (0..100).for_each(|_| world.device.card().cycle());
        let head = world.queues[0].ring_head().value;
        let accesses = [
            (SPARE + 8, moment as u32),
            (SPARE + 12, 1),
            (Doorbell::CompletionHead(1).offset(0), head),
            (offset::INTMS, 0),
        ];
        for (address, value) in accesses {
            let begun = world.device.card().cycles();
            world.device.card().write_bar(address, value);
            let took = world.device.card().cycles() - begun;
            assert!(
                took < PATIENCE,
                "a write at {address:#x} took {took} cycles, {moment} cycles behind a doorbell"
            );
        }
        assert_eq!(world.device.card().read_bar(SPARE + 8), moment as u32);
        world.device.card().host.set_behaviour(Behaviour::prompt());
        for queue in 0..QUEUES {
            let mut completion = None;
            world.until("a completion", |world| {
                completion = world.pop(queue);
                completion.is_some()
            });
            let status = completion.expect("it is there").status;
            assert_eq!(status, Status::SUCCESS);
        }
    }
}
