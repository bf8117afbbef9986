//! Whoever does not come in time: the request ends, other ways go on, and all works afterwards.

use crate::channel::rig::{policy, Plan, Rig};
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::world::{Shape, Speed, NV_DDR2_333, SDR_50};
use contract::packet::{Coding, Model, Operation, Outcome, Request};
use nand::onfi::{Defect, Interface};
use rtl_sim::channel::Policy;
use rtl_sim::{seed, Pace, Paces, Random};
use Operation::*;

const SHAPE: Shape = Shape { plane_bits: 1, luns: 2 };
const CODED: Coding = Coding { ecc: true, scrambler: true, metadata: true };
const RAW: Coding = Coding { ecc: false, scrambler: false, metadata: false };
/// In units of 256 cycles: longer than any operation.
const BUSY: u16 = 20;
/// In units of 16 cycles: longer than a chunk takes.
const DATA: u16 = 50;
/// A buffer that stands still.
const STILL: Paces = Paces { descriptors: Pace::Never, send: Pace::Never, receive: Pace::Never };

fn impatient(speed: Speed, random: &mut Random) -> Rig {
    let policy = Policy { busy_timeout: BUSY, ..policy(SHAPE, Model::OutOfOrder) };
    Rig::new(Plan { policy, data_timeout: DATA, entries: 300, ..Plan::new(speed, SHAPE) }, random)
}

fn page(operation: Operation, way: u8, row: u32) -> Request {
    Request { length: 512, coding: CODED, stream: way, ..Request::new(operation, way, row) }
}

/// Erases a block, programs a page of it and reads that, and expects that it works.
fn round(rig: &mut Rig, way: u8, block: u32) {
    let row = rig.world.config.rows.row(way as u32 % 2, block, 0);
    assert!(!rig.world.erase(way, row));
    rig.ask(Planned::new(page(Erase, way, row), Ends::Checked { failed: false }));
    let program = Request { buffer: way.into(), ..page(Program, way, row) };
    let mut bytes = rig.world.empty_page();
    rig.world.load(&program, &mut bytes);
    rig.world.program(way, row, bytes);
    rig.ask(Planned::new(program, Ends::Checked { failed: false }));
    let read = Request { buffer: rig.free_entry(), ..page(Read, way, row) };
    let found = rig.world.verdict(&read, &rig.world.seen(way, row));
    rig.ask(Planned::read(read, found));
}

/// The way works again after a reset.
fn mend(rig: &mut Rig, way: u8) {
    rig.channel.chips.chip_mut(way.into()).set_defect(None);
    rig.ask(Planned::new(Request { stream: way, ..Request::new(Reset, way, 0) }, Ends::Done));
    round(rig, way, 9);
    rig.finish();
}

fn ask_late(rig: &mut Rig, request: Request) {
    rig.ask(Planned::new(request, Ends::TimedOut));
}

/// All that waits for a chip which does not work, while the other ways do.
fn broken(rig: &mut Rig, defect: Defect, operations: &[Operation]) {
    rig.channel.chips.chip_mut(3).set_defect(Some(defect));
    let row = rig.world.config.rows.row(1, 4, 0);
    for operation in operations {
        let buffer = rig.free_entry();
        let request = match operation {
            ReadId => Request { length: 8, coding: RAW, stream: 3, ..Request::new(ReadId, 3, 0) },
            _ => page(*operation, 3, row),
        };
        ask_late(rig, Request { buffer, ..request });
        for way in [0, 5, 7] {
            round(rig, way, 4);
        }
    }
    rig.finish_beside(1 << 3);
    mend(rig, 3);
    rig.check();
}

#[test]
fn a_chip_that_stays_busy() {
    seed::each(1, |random| {
        for speed in [NV_DDR2_333, SDR_50] {
            let mut rig = impatient(speed, random);
            let waiting =
                [Read, Program, Erase, GetFeatures, ReadTrigger, ReadParameterPage, ReadId];
            broken(&mut rig, Defect::StuckBusy, &waiting);
        }
    });
}

#[test]
fn a_chip_that_gets_stuck_in_the_middle() {
    seed::each(1, |random| {
        for operation in [Read, Program, Erase, GetFeatures, ProgramOneShot] {
            let mut rig = impatient(NV_DDR2_333, random);
            let thirds = if operation == ProgramOneShot { 3 } else { 1 };
            for page_of in 0..thirds {
                let row = rig.world.config.rows.row(0, 2, page_of);
                ask_late(&mut rig, page(operation, 2, row));
            }
            while rig.channel.watch.ready >> 2 & 1 == 1 {
                rig.run(1);
            }
            rig.channel.chips.chip_mut(2).set_defect(Some(Defect::StuckBusy));
            round(&mut rig, 1, 4);
            rig.finish_beside(1 << 2);
            let row = rig.world.config.rows.row(0, 2, 0);
            // What the chip did before it was reset is nobody's business.
            rig.world.forget(2, row);
            mend(&mut rig, 2);
            rig.channel.chips.assert_clean();
        }
    });
}

#[test]
fn a_strobe_that_never_moves() {
    let late = [Read, Program, Erase, GetFeatures, ReadId, ReadStatus, ReadUniqueId];
    seed::each(1, |random| {
        for defect in [Defect::SilentStrobe, Defect::Absent] {
            let mut rig = impatient(NV_DDR2_333, random);
            let row = rig.world.config.rows.row(1, 4, 0);
            rig.world.forget(3, row);
            broken(&mut rig, defect, &late);
        }
    });
}

/// Firmware gives the entry of a read that timed out to whoever comes next, such as a write of the host: nothing of the read may come
/// behind its answer.
#[test]
fn the_entry_of_a_read_that_timed_out_is_left_alone_from_its_answer_on() {
    seed::each(2, |random| {
        for pages in [1, 3] {
            let mut rig = impatient(NV_DDR2_333, random);
            rig.channel.chips.chip_mut(3).set_defect(Some(Defect::SilentStrobe));
            let row = rig.world.config.rows.row(1, 4, 0);
            for _ in 0..pages {
                let buffer = rig.free_entry();
                let answer = rig.call(Request { buffer, ..page(Read, 3, row) });
                assert_eq!(answer.outcome, Outcome::TimedOut);
                rig.channel.buffer.entry_mut(buffer).fill(0x5a);
                rig.run(20_000);
                let found = rig.channel.buffer.entry(buffer);
                let changed = found.iter().filter(|byte| **byte != 0x5a).count();
                assert_eq!(changed, 0, "bytes that came behind the answer");
            }
        }
    });
}

/// Without a strobe nobody can tell; so only that it ends.
#[test]
fn an_absent_chip_on_an_asynchronous_bus() {
    seed::each(1, |random| {
        assert_eq!(SDR_50.interface, Interface::Sdr);
        let mut rig = impatient(SDR_50, random);
        rig.channel.chips.chip_mut(3).set_defect(Some(Defect::Absent));
        for operation in [Read, Program, Erase, GetFeatures] {
            let buffer = rig.free_entry();
            rig.ask(Planned::new(Request { buffer, ..page(operation, 3, 0) }, Ends::Somehow));
            round(&mut rig, 6, 4);
        }
        rig.finish();
        mend(&mut rig, 3);
        rig.check();
    });
}

#[test]
fn a_buffer_that_gives_nothing() {
    seed::each(1, |random| {
        for speed in [NV_DDR2_333, SDR_50] {
            let mut rig = impatient(speed, random);
            let row = rig.world.config.rows.row(0, 4, 0);
            rig.channel.buffer.set_paces(Paces { descriptors: Pace::Always, ..STILL });
            for way in [1, 4] {
                ask_late(&mut rig, page(Program, way, row));
            }
            let erased = rig.world.config.rows.row(0, 5, 0);
            rig.ask(Planned::new(page(Erase, 2, erased), Ends::Checked { failed: false }));
            rig.run(20_000);
            assert_eq!(rig.board.open(), 0, "all are answered while the buffer stands still");
            rig.channel.buffer.set_paces(Paces::ALWAYS);
            (0..8).for_each(|way| mend(&mut rig, way));
            rig.check();
        }
    });
}

#[test]
fn a_buffer_that_takes_nothing() {
    seed::each(1, |random| {
        for speed in [NV_DDR2_333, SDR_50] {
            let mut rig = impatient(speed, random);
            round(&mut rig, 1, 4);
            rig.finish();
            let row = rig.world.config.rows.row(1, 4, 0);
            let descriptors = if random.percent(50) { Pace::Always } else { Pace::Never };
            rig.channel.buffer.set_paces(Paces { descriptors, ..STILL });
            for way in [1, 4, 1, 7, 5, 3] {
                let buffer = rig.free_entry();
                ask_late(&mut rig, Request { buffer, ..page(Read, way, row) });
            }
            let erased = rig.world.config.rows.row(0, 5, 0);
            rig.ask(Planned::new(page(Erase, 2, erased), Ends::Checked { failed: false }));
            rig.run(60_000);
            assert_eq!(rig.board.open(), 0, "all are answered while the buffer stands still");
            rig.channel.buffer.set_paces(Paces::ALWAYS);
            (0..8).for_each(|way| mend(&mut rig, way));
            rig.check();
        }
    });
}

#[test]
fn a_word_line_that_is_not_completed() {
    seed::each(1, |random| {
        let mut rig = impatient(NV_DDR2_333, random);
        let row = rig.world.config.rows.row(0, 3, 0);
        for third in 0..2 {
            ask_late(&mut rig, page(ProgramOneShot, 6, row + third));
        }
        round(&mut rig, 5, 4);
        rig.finish();
        assert_eq!(rig.channel.chips.chip(6).page(row), None);
        // A partner that is something else: those that have none are refused.
        for third in 0..2 {
            rig.ask(Planned::new(page(ProgramOneShot, 6, row + third), Ends::Refused));
        }
        round(&mut rig, 6, 4);
        rig.finish();
        assert_eq!(rig.channel.chips.chip(6).page(row), None);
        rig.check();
    });
}

/// Chips that break and buffers that stand still at any time: every request is answered once, and
/// everything works afterwards.
#[test]
fn trouble_at_any_time() {
    seed::each(2, |random| {
        let speed = if random.percent(70) { NV_DDR2_333 } else { SDR_50 };
        let mut rig = impatient(speed, random);
        let rows = rig.world.config.rows;
        for _ in 0..160 {
            let way = random.below(8) as u8;
            let operation = [Read, Read, Program, Erase, GetFeatures][random.below(5) as usize];
            let block = random.below(4) as u32;
            let row = rows.row(random.below(2) as u32, block, random.below(12) as u32);
            let buffer = match operation {
                Program => 0,
                _ => rig.free_entry(),
            };
            let stream = random.below(8) as u8;
            let request = Request { stream, buffer, ..page(operation, way, row) };
            rig.ask(Planned::new(request, Ends::Somehow));
        }
        while rig.board.open() > 0 {
            trouble(&mut rig, random);
            rig.run(random.below(4_000));
            assert!(rig.channel.watch.cycles < 3_000_000, "no end: {:?}", rig.board.first_open());
        }
        rig.channel.buffer.set_paces(Paces::ALWAYS);
        (0..8).for_each(|way| rig.channel.chips.chip_mut(way).set_defect(None));
        rig.run(20_000);
        // What was broken off, or came back while another chip was driving, is no host's fault.
        let before = rig.channel.chips.violations().len();
        (0..8).for_each(|way| mend(&mut rig, way));
        let violations = rig.channel.chips.violations();
        assert!(violations.len() == before, "violations:\n{}", violations.join("\n"));
        rig.board.finish(&rig.channel.buffer);
        assert_eq!(rig.channel.watch.interrupts, rig.board.interrupts, "interrupts");
    });
}

/// Breaks or mends a chip, or stops the buffer or lets it go.
fn trouble(rig: &mut Rig, random: &mut Random) {
    let way = random.below(8) as usize;
    match random.below(8) {
        0 => rig.channel.chips.chip_mut(way).set_defect(Some(Defect::StuckBusy)),
        1 => rig.channel.chips.chip_mut(way).set_defect(Some(Defect::SilentStrobe)),
        2 => rig.channel.chips.chip_mut(way).set_defect(Some(Defect::Absent)),
        3 => {
            let mut pace = || if random.percent(50) { Pace::Always } else { Pace::Never };
            let paces = Paces { descriptors: pace(), send: pace(), receive: pace() };
            rig.channel.buffer.set_paces(paces);
        }
        4 => rig.channel.buffer.set_paces(Paces::ALWAYS),
        _ => (0..8).for_each(|way| rig.channel.chips.chip_mut(way).set_defect(None)),
    }
}
