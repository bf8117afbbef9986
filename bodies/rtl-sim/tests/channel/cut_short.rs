//! Programs whose data do not come whole: not at all, or with an error.

use crate::channel::monitors::{counter, counters};
use crate::channel::rig::{policy, Plan, Rig};
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::world::{Shape, Speed, NV_DDR2_333, SDR_50};
use ::registers::flash::monitors as at;
use contract::packet::{Answer, Coding, Model, Operation, Outcome, Request};
use contract::WayOrder;
use rtl_sim::channel::Policy;
use rtl_sim::{seed, Pace, Paces, Random};
use Operation::*;

const SHAPE: Shape = Shape { plane_bits: 1, luns: 1 };
const CODED: Coding = Coding { ecc: true, scrambler: true, metadata: true };
const RAW: Coding = Coding { ecc: false, scrambler: false, metadata: false };
const BYTES: u16 = 512;

fn impatient(speed: Speed, policy: Policy, random: &mut Random) -> Rig {
    let policy = Policy { busy_timeout: 20, ..policy };
    Rig::new(Plan { policy, data_timeout: 50, entries: 300, ..Plan::new(speed, SHAPE) }, random)
}

fn page(operation: Operation, way: u8, row: u32) -> Request {
    let length = if operation == Erase { 0 } else { BYTES };
    Request { length, coding: CODED, stream: way, ..Request::new(operation, way, row) }
}

/// Resets a way, then erases its block 9, programs a page and reads it.
fn mend(rig: &mut Rig, way: u8) {
    rig.ask(Planned::new(Request { stream: way, ..Request::new(Reset, way, 0) }, Ends::Done));
    let row = rig.world.config.rows.row(0, 9, 0);
    assert!(!rig.world.erase(way, row));
    rig.ask(Planned::new(page(Erase, way, row), Ends::Checked { failed: false }));
    let program = page(Program, way, row);
    let mut bytes = rig.world.empty_page();
    rig.world.load(&program, &mut bytes);
    rig.world.program(way, row, bytes);
    rig.ask(Planned::new(program, Ends::Checked { failed: false }));
    let read = Request { buffer: rig.free_entry(), ..page(Read, way, row) };
    let found = rig.world.verdict(&read, &rig.world.seen(way, row));
    rig.ask(Planned::read(read, found));
    rig.finish();
}

/// An error with the first word, the last one, or one between: the page is not programmed, its request
/// says so, and the next ones work.
#[test]
fn a_page_that_comes_with_an_error_is_not_programmed() {
    seed::each(2, |random| {
        for speed in [NV_DDR2_333, SDR_50] {
            let mut rig = impatient(speed, policy(SHAPE, Model::OutOfOrder), random);
            let inside = random.below(BYTES.into()) as usize;
            let last = usize::from(BYTES) - 2;
            let mut lost = 0;
            for (way, at) in [0, inside, last].into_iter().enumerate() {
                for coding in [CODED, RAW] {
                    let row = rig.world.config.rows.row(0, 4, 0);
                    let packet = Request { coding, ..page(Program, way as u8, row) };
                    let metadata = if coding.metadata { 24 } else { 0 };
                    // The last word is the last of the packet.
                    let at = if at == last { last + metadata } else { at };
                    rig.channel.buffer.spoil(packet.buffer, at);
                    rig.ask(Planned::new(packet, Ends::TimedOut));
                    lost += 1;
                    rig.finish();
                    rig.channel.buffer.mend();
                    assert_eq!(rig.channel.chips.chip(way).page(row), None, "byte {at}");
                    mend(&mut rig, way as u8);
                }
            }
            let found = counters(&mut rig);
            assert_eq!(counter(&found, at::TIMED_OUT), lost, "timed out");
            assert_eq!(counter(&found, at::GIVEN_UP), lost, "given up");
            rig.check();
        }
    });
}

/// Firmware that schedules by itself asks for no answer to a program. Its status check tells, whatever
/// was wrong with the data, and the monitors count the program.
#[test]
fn a_silent_program_is_told_of_by_the_status_and_counted() {
    seed::each(1, |random| {
        for comes_with_an_error in [false, true] {
            let mut rig = impatient(NV_DDR2_333, policy(SHAPE, Model::InOrder), random);
            let row = rig.world.config.rows.row(0, 4, 0);
            let silent = |request| Request { answer: Answer::Silent, ..request };
            let status = Request { stream: 2, ..Request::new(ReadStatus, 2, 0) };
            if comes_with_an_error {
                rig.channel.buffer.spoil(0, 100);
            } else {
                let still =
                    Paces { descriptors: Pace::Always, send: Pace::Never, receive: Pace::Never };
                rig.channel.buffer.set_paces(still);
            }
            rig.channel.submit(silent(page(ProgramPage, 2, row)));
            assert_eq!(rig.call(status).outcome, Outcome::TimedOut);
            rig.channel.buffer.set_paces(Paces::ALWAYS);
            assert!(rig.channel.chips.chip(2).page(row).is_none());
            let found = counters(&mut rig);
            assert_eq!(counter(&found, at::GIVEN_UP), 1, "given up");
            assert_eq!(counter(&found, at::TIMED_OUT), 1, "timed out");
        }
    });
}

/// Answers until so many are there: tag and outcome.
fn answers(rig: &mut Rig, count: usize) -> Vec<(u8, Outcome)> {
    let mut found = vec![];
    while found.len() < count {
        if let Some(answered) = rig.channel.cycle() {
            found.push((answered.response.tag, answered.response.outcome));
        }
        assert!(rig.channel.cycles() < 400_000, "found {found:?}, expected {count} answers");
    }
    found
}

/// A group of two planes loses the data of its second one, when the first one is in the chip. The way
/// halts: nothing more goes to the chip, which is half loaded, until it was reset.
#[test]
fn a_group_that_is_cut_in_the_middle_stops_its_way() {
    seed::each(1, |random| {
        for comes_with_an_error in [false, true] {
            let halting = Policy {
                merge_planes: true,
                halt_on_failure: true,
                ..policy(SHAPE, Model::OutOfOrder)
            };
            let mut rig = impatient(NV_DDR2_333, halting, random);
            rig.channel.log_commands();
            let rows = rig.world.config.rows;
            let group = [rows.row(0, 4, 0), rows.row(0, 5, 0)];
            for at in 0..6_u8 {
                let row = group[usize::from(at % 2)] + u32::from(at / 2);
                let packet = Request { tag: at, buffer: at.into(), ..page(Program, 3, row) };
                rig.channel.submit(packet);
            }
            if comes_with_an_error {
                rig.channel.buffer.spoil(1, 0);
            } else {
                while rig.channel.watch.words[0] < u64::from(BYTES) / 2 + 60 {
                    assert!(rig.channel.cycle().is_none());
                }
                let still = Paces { send: Pace::Never, ..Paces::ALWAYS };
                rig.channel.buffer.set_paces(still);
            }
            let late = answers(&mut rig, 2);
            assert_eq!(late, [(0, Outcome::TimedOut), (1, Outcome::TimedOut)]);
            rig.channel.buffer.set_paces(Paces::ALWAYS);
            rig.channel.buffer.mend();
            let turns = rig.channel.commands.as_ref().map_or(0, |log| log.turns.len());
            rig.run(5_000);
            assert_eq!(rig.channel.halted(), 1 << 3);
            let log = rig.channel.commands.as_ref().expect("turns are written down");
            assert_eq!(log.turns.len(), turns, "nothing goes to the chip");
            assert!(log.turns.iter().all(|turn| !turn.commands.contains(&0x10)), "no confirm");

            rig.channel.order(WayOrder::GiveBack, 1 << 3);
            let back = answers(&mut rig, 4);
            assert_eq!(back, [2, 3, 4, 5].map(|tag| (tag, Outcome::GivenBack)));
            rig.channel.order(WayOrder::Resume, 1 << 3);
            rig.run(1);
            mend(&mut rig, 3);
            rig.channel.chips.assert_clean();
            for row in group {
                assert_eq!(rig.channel.chips.chip(3).page(row), None);
            }
        }
    });
}

/// Whatever the scheduler does for other ways meanwhile: the reset that firmware sends behind the abort of an idle way reaches the chip.
#[test]
fn an_abort_of_an_idle_way_ends_nothing() {
    seed::each(2, |random| {
        for halt_on_failure in [false, true] {
            let policy = Policy { halt_on_failure, ..policy(SHAPE, Model::OutOfOrder) };
            let mut rig = impatient(NV_DDR2_333, policy, random);
            rig.channel.log_commands();
            for pause in 0..40 {
                // Visits of other ways are under way when the abort comes, and when the way is told to resume.
                for way in [0, 1, 2, 4, 5, 6] {
                    let status = Request::new(ReadStatus, way, 0);
                    rig.channel.submit(Request { tag: way, stream: way, ..status });
                }
                (0..random.below(60)).for_each(|_| assert!(rig.channel.cycle().is_none()));
                rig.channel.order(WayOrder::Abort, 1 << 3);
                let mut found = vec![];
                for _ in 0..=pause {
                    found.extend(rig.channel.cycle().map(|answered| answered.response));
                }
                rig.channel.order(WayOrder::Resume, 1 << 3);
                let reset = Request::new(Reset, 3, 0);
                rig.channel.submit(Request { tag: 9, stream: 3, ..reset });
                while found.len() < 7 {
                    found.extend(rig.channel.cycle().map(|answered| answered.response));
                    assert!(rig.channel.cycles() < 400_000, "found {found:?}");
                }
                let reset = found.iter().find(|response| response.tag == 9).expect("its answer");
                assert_eq!(reset.outcome, Outcome::Success, "resumed {pause} cycles later");
            }
            let log = rig.channel.commands.as_ref().expect("turns are written down");
            let resets = log.turns.iter().filter(|turn| turn.commands.contains(&0xff)).count();
            assert_eq!(resets, 40, "each goes to the chip");
        }
    });
}
