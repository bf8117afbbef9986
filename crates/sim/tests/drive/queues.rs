//! Interrupt coalescing and arbitration, seen from the host.

use board::Board;
use nvme::admin::{AdminCommand, Retention, SetFeatures};
use nvme::command::{DataPointer, Entry, Header};
use nvme::feature::{Setting, Switch};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use sim::{Payload, Polling};

use crate::plain::{Bench, DATA};

fn bench() -> Bench {
    let board = Board::resolve("small", &[]).expect("the board");
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
