//! The FTL over drives that are made of rules, which say what it may ask and when, and over simulated ones.

mod model;
mod names;
pub(super) mod rig;
pub(super) mod ruled;
pub(super) mod rules;
mod simulated;

use machine::Payload;
use nvme::command::{DataPointer, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::open_channel::{ChunkState, Geometry, VectorKind};
use nvme::status::Status;

use super::shape::tests::geometry;
use super::shape::Shape;
use super::*;
use crate::driver::NAMESPACE;
use rig::Body;
use ruled::Ruled;
use rules::Faults;
use simulated::Simulated;

#[test]
fn what_jobs_wrote_is_read_while_lines_are_collected() {
    for seed in 1..4 {
        let mut rig = Ruled::rig(&geometry(), Faults::default(), seed);
        rig.run(6000);
        let counts = rig.body.ftl.counts();
        assert!(counts.collected_lines > 20 && counts.resets > 100, "{counts:?}");
        assert!(counts.buffer_blocks > 100 && counts.flash_blocks > 1000, "{counts:?}");
        assert_eq!((rig.refused, rig.lost, counts.failed_writes), (0, 0, 0));
    }
}

#[test]
fn nothing_is_read_from_the_flash_before_the_drive_can() {
    for (blocks_before_read, seed) in [(4, 1), (8, 2), (12, 3)] {
        let geometry = Geometry { blocks_before_read, ..geometry() };
        for faults in [Faults::default(), Faults { writes: 20, ..Faults::default() }] {
            let mut rig = Ruled::rig(&geometry, faults, seed);
            rig.run(4000);
            assert!(rig.body.ftl.counts().collected_lines > 10);
        }
    }
}

#[test]
fn writes_that_fail_are_done_again_elsewhere() {
    for seed in 1..4 {
        let mut rig = Ruled::rig(&geometry(), Faults { writes: 30, ..Faults::default() }, seed);
        rig.run(6000);
        let counts = rig.body.ftl.counts();
        assert!(counts.failed_writes > 50, "{counts:?}");
        assert_eq!((rig.refused, rig.lost), (0, 0));
    }
}

#[test]
fn a_drive_whose_chunks_go_bad_is_read_only_in_the_end_and_keeps_its_data() {
    for seed in 1..4 {
        let mut rig = Ruled::rig(&geometry(), Faults { resets: 60, ..Faults::default() }, seed);
        rig.run(6000);
        assert!(rig.refused > 100 && rig.body.ftl.counts().bad_chunks > 10);
    }
}

#[test]
fn what_cannot_be_moved_reads_as_lost_until_it_is_written() {
    for seed in 1..4 {
        let mut rig = Ruled::rig(&geometry(), Faults { reads: 80, ..Faults::default() }, seed);
        rig.run(6000);
        assert!(rig.lost > 20 && rig.body.ftl.counts().lost_blocks > 0);
    }
}

/// Faults that cost no data.
const FAULTS: [Faults; 4] = [
    Faults { writes: 0, resets: 0, reads: 0 },
    Faults { writes: 30, resets: 0, reads: 0 },
    Faults { writes: 0, resets: 20, reads: 0 },
    Faults { writes: 20, resets: 10, reads: 0 },
];

#[test]
fn what_was_durable_outlives_power_losses_and_nothing_else_comes_back() {
    for (seed, faults) in (1..5).zip(FAULTS) {
        for blocks_before_read in [0, 8] {
            let geometry = Geometry { blocks_before_read, ..geometry() };
            let mut rig = Ruled::rig(&geometry, faults, seed);
            let mut collected = 0;
            for _ in 0..12 {
                let requests = 100 + rig.random.below(500) as u32;
                let flushes = 4 << rig.random.below(6);
                rig.work(requests, flushes);
                collected += rig.body.ftl.counts().collected_lines;
                rig.cut();
            }
            rig.run(500);
            assert!(collected > 20, "{collected} lines");
        }
    }
}

/// Simulated drives whose flash is sound, fails in programs and erases, or is bad in part from the start.
const DRIVES: [&[(&str, &str)]; 3] = [
    &[],
    &[
        ("errors.program_failures_per_billion", "2000000"),
        ("errors.erase_failures_per_billion", "1000000"),
    ],
    &[
        ("errors.factory_bad_blocks_per_million", "20000"),
        ("errors.program_failures_per_billion", "500000"),
    ],
];

#[test]
fn on_simulated_drives_what_was_durable_outlives_power_losses() {
    // Any other seed may be tried.
    let seed = std::env::var("SEED").map_or(1, |seed| seed.parse().expect("a number"));
    for (seed, set) in (seed..).zip(DRIVES) {
        eprintln!("SEED={seed} {set:?}");
        let mut rig = Simulated::rig(set, seed);
        for _ in 0..5 {
            let requests = 20 + rig.random.below(300) as u32;
            rig.work(requests, 10);
            rig.cut();
        }
        rig.run(100);
    }
}

#[test]
fn a_drive_that_was_closed_has_all_of_its_data() {
    for seed in 1..4 {
        let mut rig = Ruled::rig(&geometry(), Faults::default(), seed);
        for _ in 0..4 {
            rig.run(300);
            rig.close();
            rig.cut();
        }
    }
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let mut rig = Ruled::rig(&geometry(), Faults::default(), 1);
    let blocks = rig.model.blocks();
    let beyond = IoCommand::Read(BlockRange { start: blocks, blocks: 1 }, UnitAccess::Normal);
    let compare = IoCommand::Compare(BlockRange { start: 0, blocks: 1 }, UnitAccess::Normal);
    for (command, status) in [(beyond, Status::LBA_OUT_OF_RANGE), (compare, Status::INVALID_OPCODE)]
    {
        let data = DataPointer { prp1: rig.layout.page(0, 0), prp2: 0 };
        let entry = command.emit(Header { cid: 3, nsid: NAMESPACE, data });
        let (now, memory, ftl) = rig.body.host();
        rig.layout.jobs.push(memory, &entry);
        ftl.rung(rig.layout.jobs.ring_tail());
        ftl.take_rung(now, memory);
        let now = ftl.next_ps();
        ftl.act(&mut Port { now, memory, ring: |_| {} });
        ftl.next_done(memory).expect("it is done");
        assert!(rig.layout.jobs.pop(memory).expect("it is told").status.is(status));
    }
}
