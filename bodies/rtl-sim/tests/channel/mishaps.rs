//! What a channel once did wrong: overtook, blocked, kept silent.

use crate::channel::rig::{policy, Plan, Rig};
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::world::{Shape, NV_DDR2_333};
use contract::packet::{Answer, Coding, Model, Operation, Outcome, Priority, Request};
use rtl_sim::channel::{FullQueue, Policy};
use rtl_sim::{seed, Pace, Paces, Random};
use Operation::*;

const SHAPE: Shape = Shape { plane_bits: 1, luns: 1 };
const CODED: Coding = Coding { ecc: true, scrambler: true, metadata: true };

fn page(operation: Operation, way: u8, row: u32) -> Request {
    let length = if operation == Erase { 0 } else { 512 };
    Request { length, coding: CODED, stream: way, ..Request::new(operation, way, row) }
}

fn urgent(request: Request) -> Request {
    Request { priority: Priority::High, ..request }
}

/// Asks for a program, and writes it down.
fn program(rig: &mut Rig, request: Request) {
    let mut bytes = rig.world.empty_page();
    rig.world.load(&request, &mut bytes);
    rig.world.program(request.way, request.row, bytes);
    rig.ask(Planned::new(request, Ends::Checked { failed: false }));
}

/// Asks for a read of what was written last.
fn read(rig: &mut Rig, request: Request) {
    let request = Request { buffer: rig.free_entry(), ..request };
    let found = rig.world.verdict(&request, &rig.world.seen(request.way, request.row));
    rig.ask(Planned::read(request, found));
}

fn erase(rig: &mut Rig, request: Request) {
    rig.world.erase(request.way, request.row);
    rig.ask(Planned::new(request, Ends::Checked { failed: false }));
}

/// Whatever is urgent sees what was asked for before, if it is about the same page or block.
#[test]
fn an_urgent_request_does_not_overtake_what_it_depends_on() {
    seed::each(3, |random| {
        let plan = Plan { entries: 300, ..Plan::new(NV_DDR2_333, SHAPE) };
        let mut rig = Rig::new(plan, random);
        for way in 0..4 {
            let row = rig.world.config.rows.row(0, 4, 0);
            let other = rig.world.config.rows.row(0, 6, 0);
            erase(&mut rig, page(Erase, way, row));
            program(&mut rig, page(Program, way, row));
            // Of another block: it may overtake.
            read(&mut rig, urgent(page(Read, way, other)));
            read(&mut rig, urgent(page(Read, way, row)));
            program(&mut rig, urgent(page(Program, way, row + 1)));
            read(&mut rig, urgent(page(Read, way, row + 1)));
            erase(&mut rig, urgent(page(Erase, way, row)));
            program(&mut rig, page(Program, way, row));
            read(&mut rig, urgent(page(Read, way, row)));
        }
        rig.finish();
        rig.check();
    });
}

/// Firmware that schedules by itself asks for no answer to a program; its status check tells.
#[test]
fn a_status_check_tells_of_a_program_whose_data_never_came() {
    seed::each(1, |random| {
        let policy = Policy { busy_timeout: 20, ..policy(SHAPE, Model::InOrder) };
        let plan = Plan { policy, data_timeout: 50, ..Plan::new(NV_DDR2_333, SHAPE) };
        let mut rig = Rig::new(plan, random);
        let row = rig.world.config.rows.row(0, 4, 0);
        let silent = |request| Request { answer: Answer::Silent, ..request };
        let status = Request { stream: 2, ..Request::new(ReadStatus, 2, 0) };
        rig.channel.submit(silent(page(EraseBlock, 2, row)));
        assert_eq!(rig.call(status).outcome, Outcome::Success);
        let still = Paces { descriptors: Pace::Always, send: Pace::Never, receive: Pace::Never };
        rig.channel.buffer.set_paces(still);
        rig.channel.submit(silent(page(ProgramPage, 2, row)));
        assert_eq!(rig.call(status).outcome, Outcome::TimedOut);
        rig.channel.buffer.set_paces(Paces::ALWAYS);
        // It told; what comes next is told of as the chip says.
        assert_eq!(rig.call(status).outcome, Outcome::Success);
        assert!(rig.channel.chips.chip(2).page(row).is_none());
    });
}

/// So many reads of a way, and one of another behind them: who was answered when.
fn flood(policy: Policy, random: &mut Random) -> (Vec<Outcome>, usize) {
    let plan = Plan { policy, entries: 300, ..Plan::new(NV_DDR2_333, SHAPE) };
    let mut rig = Rig::new(plan, random);
    let row = rig.world.config.rows.row(0, 4, 0);
    for at in 0..60_u8 {
        let request = Request { tag: at, stream: at % 6, ..page(Read, 0, row) };
        let request = Request { buffer: rig.free_entry(), ..request };
        rig.channel.submit(request);
    }
    let buffer = rig.free_entry();
    rig.channel.submit(Request { tag: 99, stream: 7, buffer, ..page(Read, 5, row) });
    let (mut outcomes, mut others) = (vec![], None);
    while outcomes.len() < 61 {
        if let Some(answered) = rig.channel.cycle() {
            if answered.response.tag == 99 {
                others = Some(outcomes.len());
            }
            outcomes.push(answered.response.outcome);
        }
        assert!(rig.channel.cycles() < 400_000, "no end");
    }
    rig.channel.chips.assert_clean();
    (outcomes, others.expect("the other way answers"))
}

#[test]
fn a_full_queue_holds_nobody_else_up() {
    seed::each(1, |random| {
        let (outcomes, others) = flood(
            Policy { full_queue: FullQueue::GivesBack, ..policy(SHAPE, Model::OutOfOrder) },
            random,
        );
        // The other way answers behind the few reads of the full one that were done meanwhile.
        assert!(others < 6, "{others} answers before");
        let given_back = outcomes.iter().filter(|outcome| **outcome == Outcome::GivenBack).count();
        // 32 are queued, and one or two have left by then.
        assert!((60 - 36..=60 - 32).contains(&given_back), "{given_back}");
        let done = outcomes.iter().filter(|outcome| **outcome == Outcome::Success).count();
        assert_eq!(done + given_back, 61);
    });
}
