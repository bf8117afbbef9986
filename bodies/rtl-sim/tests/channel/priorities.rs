//! What a scoreboard of responses alone does not show: who holds chips, and when answers come.

use crate::channel::rig::{policy, Plan, Rig};
use crate::channel::scoreboard::Planned;
use crate::channel::world::{Shape, NV_DDR2_333};
use contract::packet::{Coding, Model, Operation, Priority, Request};
use rtl_sim::channel::Policy;
use rtl_sim::{seed, Pace, Paces, Random};

const SHAPE: Shape = Shape { plane_bits: 0, luns: 1 };

/// Reads of all ways, some of a hundred urgent.
fn reads(rig: &mut Rig, urgent: u32, random: &mut Random) {
    for _ in 0..60 {
        let priority = if random.percent(urgent) { Priority::High } else { Priority::Low };
        let request = Request {
            priority,
            length: 512,
            coding: Coding { ecc: true, scrambler: true, metadata: true },
            buffer: rig.free_entry(),
            stream: random.below(8) as u8,
            ..Request::new(Operation::Read, random.below(8) as u8, 0)
        };
        let found = rig.world.verdict(&request, &rig.world.seen(request.way, 0));
        rig.ask(Planned::read(request, found));
    }
    rig.finish();
    rig.check();
}

#[test]
fn low_priority_leaves_ways_free() {
    seed::each(1, |random| {
        for low_ways in [1, 3] {
            for urgent in [0, 50] {
                let policy = Policy { low_ways, ..policy(SHAPE, Model::OutOfOrder) };
                let plan = Plan { policy, entries: 100, ..Plan::new(NV_DDR2_333, SHAPE) };
                let mut rig = Rig::new(plan, random);
                reads(&mut rig, urgent, random);
                let most = rig.channel.watch.most_occupied;
                assert_eq!(most > low_ways.into(), urgent > 0, "F-RSVP({low_ways}): {most} ways");
            }
        }
    });
}

/// The scoreboard looks at the data when an answer comes; here the buffer is slow to take them.
#[test]
fn an_answer_comes_behind_its_data() {
    seed::each(1, |random| {
        let receive = Pace::Percent(5, random.split());
        let buffer_paces = Paces { receive, ..Paces::ALWAYS };
        let plan = Plan { buffer_paces, entries: 100, ..Plan::new(NV_DDR2_333, SHAPE) };
        let mut rig = Rig::new(plan, random);
        for _ in 0..8 {
            let request = Request {
                length: 20,
                coding: Coding { ecc: false, scrambler: false, metadata: false },
                buffer: rig.free_entry(),
                ..Request::new(Operation::Read, random.below(8) as u8, 0)
            };
            let found = rig.world.verdict(&request, &rig.world.seen(request.way, 0));
            rig.ask(Planned::read(request, found));
        }
        rig.finish();
        rig.check();
    });
}
