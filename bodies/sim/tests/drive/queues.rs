//! Queues that fill, wrap and go away, and interrupt coalescing, seen from the host.

use board::Board;
use machine::{Payload, Polling, Stopped, NEVER};
use nvme::admin::{AdminCommand, Retention, SetFeatures};
use nvme::command::{DataPointer, Entry, Header};
use nvme::feature::{Setting, Switch};
use nvme::io::{BlockRange, IoCommand, UnitAccess};

use torture::bench::{Bench, Served, DATA};

fn bench() -> Bench {
    bench_with(&[])
}

fn bench_with(overrides: &[(&str, &str)]) -> Bench {
    let overrides: Vec<_> =
        overrides.iter().map(|&(key, value)| (key.to_string(), value.to_string())).collect();
    let board = Board::resolve("small", &overrides).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.start_once();
    bench
}

fn set(bench: &mut Bench, setting: Setting) {
    let command = SetFeatures { setting, retention: Retention::UntilReset };
    bench.admin(AdminCommand::SetFeatures(command), 0);
}

/// Reads of one block that is in the data buffer, so that all end soon one after the other.
fn reads(count: u16) -> Vec<Entry> {
    let read = |cid: u16| {
        let data = DataPointer { prp1: DATA + u64::from(cid) * 4096, prp2: 0 };
        let range = BlockRange { start: 0, blocks: 1 };
        IoCommand::Read(range, UnitAccess::Normal).emit(Header { cid, nsid: 1, data })
    };
    (0..count).map(read).collect()
}

fn interrupts_of(bench: &mut Bench, commands: &[Entry]) -> u64 {
    let before = bench.drive.usage().interrupts;
    let done = bench.io(commands);
    assert!(done.iter().all(|(_, entry)| entry.status.is_success()));
    bench.drive.usage().interrupts - before
}

#[test]
fn completions_are_gathered_as_the_host_asks() {
    let mut bench = bench();
    let alone = interrupts_of(&mut bench, &reads(64));
    assert!(alone >= 32, "{alone} interrupts for 64 commands without coalescing");
    set(&mut bench, Setting::InterruptCoalescing { threshold: 15, time: 10 });
    let gathered = interrupts_of(&mut bench, &reads(64));
    assert_eq!(gathered, 4, "interrupts for 64 commands, 16 gathered for each");
    let (before, after) = (bench.drive.now(), interrupts_of(&mut bench, &reads(1)));
    let waited = bench.drive.now() - before;
    assert_eq!(after, 1);
    assert!(waited >= 1_000_000_000, "a lone completion came {waited} ps after its command");
}

#[test]
fn a_vector_can_be_left_out_of_coalescing() {
    let mut bench = bench();
    set(&mut bench, Setting::InterruptCoalescing { threshold: 15, time: 10 });
    set(&mut bench, Setting::InterruptVectorConfiguration { vector: 1, coalescing: Switch::Off });
    let before = bench.drive.now();
    interrupts_of(&mut bench, &reads(1));
    assert!(bench.drive.now() - before < 200_000_000, "the vector does not wait");
}

#[test]
fn vectors_gather_each_with_a_deadline_of_its_own() {
    const MS: u64 = 1_000_000_000;
    let mut bench = bench();
    bench.create_pair(2, (8, 8));
    set(&mut bench, Setting::InterruptCoalescing { threshold: 15, time: 10 });
    for staggered in [MS / 2, MS / 5, 9 * MS / 10] {
        let first = bench.drive.now();
        bench.submit(1, &reads(2));
        assert_eq!(bench.drive.run_to(first + staggered, |_| false), Stopped::Due);
        let second = bench.drive.now();
        bench.submit(2, &reads(1));
        bench.drive.run(|host| host.seen.len() == 3);
        assert_eq!(bench.drive.host().seen.len(), 3, "every vector's time runs out");
        for (time, entry) in bench.drive.host_mut().seen.drain(..) {
            let waited = time - if entry.submission_queue == 1 { first } else { second };
            let queue = entry.submission_queue;
            assert!((MS..MS + MS / 5).contains(&waited), "queue {queue} waited {waited} ps");
        }
    }
}

#[test]
fn every_completion_tells_how_far_its_queue_was_fetched() {
    let mut bench = bench();
    bench.create_pair(2, (8, 5));
    for nth in 0..30u16 {
        bench.submit(2, &reads(1));
        bench.drive.run(|host| !host.seen.is_empty());
        let (_, entry) = bench.drive.host_mut().seen.pop_front().expect("a completion");
        assert_eq!((entry.submission_queue, entry.submission_head), (2, (nth + 1) % 8));
    }
}

#[test]
fn a_full_completion_queue_holds_completions_back_and_loses_none() {
    let mut bench = bench();
    for entries in [2, 3, 5] {
        bench.create_pair(2, (32, entries));
        for _ in 0..4 {
            bench.serve(2, Served::No);
            bench.submit(2, &reads(20));
            assert_eq!(bench.drive.run(|_| false), Stopped::Quiet);
            // One entry stays free, to tell a full queue from an empty one.
            assert_eq!(bench.drive.host_mut().standing(2), entries - 1);
            // Others are not held up.
            interrupts_of(&mut bench, &reads(8));
            bench.serve(2, Served::Yes);
            assert_eq!(bench.drive.run(|_| false), Stopped::Quiet);
            let mut seen: Vec<u16> =
                bench.drive.host_mut().seen.drain(..).map(|(_, entry)| entry.cid).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..20).collect::<Vec<_>>(), "{entries} entries");
        }
        bench.delete_pair(2);
    }
}

/// Completions that wait for room when their queue is deleted give their slots back.
#[test]
fn a_queue_deleted_with_completions_waiting_costs_no_slots() {
    let mut bench = bench_with(&[("nvme.command_slots", "16")]);
    for _ in 0..4 {
        bench.create_pair(2, (32, 4));
        bench.serve(2, Served::No);
        bench.submit(2, &reads(12));
        assert_eq!(bench.drive.run(|_| false), Stopped::Quiet);
        assert_eq!(bench.drive.host_mut().standing(2), 3);
        bench.delete_pair(2);
        interrupts_of(&mut bench, &reads(40));
        assert_eq!(bench.drive.usage().commands, 0, "every slot is free");
    }
}

/// After the deletion of a submission queue none of its completions is posted, also if there is room then (NVMe 1.4 section 5.6).
#[test]
fn a_deleted_submission_queue_has_no_completions_that_wait() {
    let mut bench = bench_with(&[("nvme.command_slots", "16")]);
    bench.create_pair(2, (32, 4));
    bench.serve(2, Served::No);
    bench.submit(2, &reads(12));
    assert_eq!(bench.drive.run(|_| false), Stopped::Quiet);
    bench.admin(AdminCommand::DeleteSubmissionQueue { id: 2 }, 0);
    assert_eq!(bench.drive.usage().commands, 0, "every slot is free");
    bench.serve(2, Served::Yes);
    assert_eq!(bench.drive.run(|_| false), Stopped::Quiet);
    let seen = bench.drive.host_mut().seen.drain(..);
    assert_eq!(seen.filter(|(_, entry)| entry.submission_queue == 2).count(), 3);
}

#[test]
fn a_queue_deleted_with_commands_under_way_ends_all_of_them() {
    let mut bench = bench_with(&[("nvme.command_slots", "16")]);
    for passes in [0, 1, 2, 3, 5, 8, 13, 30, 100] {
        bench.create_pair(2, (32, 32));
        bench.submit(2, &reads(30));
        bench.drive.run_turns(NEVER, passes + 1);
        bench.delete_pair(2);
        assert_eq!(bench.drive.run(|_| false), Stopped::Quiet);
        let seen = bench.drive.host_mut().seen.drain(..).count();
        assert!(seen <= 30, "{seen} completions of 30 commands");
        interrupts_of(&mut bench, &reads(40));
        assert_eq!(bench.drive.usage().commands, 0, "every slot is free");
    }
}
