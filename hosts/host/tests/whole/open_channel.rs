//! The driver of open-channel drives, on the Cosmos+ board as one.

use board::Board;
use host::open_channel::{VectorEnd, VectorQueue};
use host::{Driver, DriverError, Nobody, QueueRequest};
use machine::{Device, Payload, Polling, Unobserved};
use nvme::admin::Priority;
use nvme::open_channel::{ChunkState, VectorKind};
use nvme::status::Status;
use sim::{Drive, Options};

const SLOTS: u16 = 4;
const ENTRIES: u32 = 8;
const LIMIT_PS: u64 = 1_000_000_000_000;

/// The drive of a board, and its driver.
fn powered(name: &str) -> (Drive<Nobody, Unobserved>, Driver) {
    let board = Board::resolve(name, &[]).expect("a board");
    let payload = Payload::Bytes { block_bytes: 4096, seed: 1 };
    let options = Options { payload, seed: 1, polling: Polling::Skip };
    let mut drive = Drive::new(&board, options, Nobody::default()).expect("a drive");
    let driver = Driver::start(&mut drive).expect("it comes up");
    (drive, driver)
}

/// Runs a command to its end.
fn run(
    (drive, queue): (&mut Drive<Nobody, Unobserved>, &mut VectorQueue),
    kind: (u16, VectorKind),
    addresses: &[u64],
    destinations: &[u64],
) -> VectorEnd {
    queue.send(drive, kind, addresses, destinations);
    drive.settle(LIMIT_PS);
    queue.receive(drive).expect("it has ended")
}

#[test]
fn chunks_are_written_read_copied_and_reset_by_their_addresses() {
    let (mut drive, mut driver) = powered("cosmos-plus-ocssd");
    let geometry = driver.geometry(&mut drive).expect("a geometry");
    let counts = (geometry.groups, geometry.units, geometry.chunks, geometry.chunk_blocks);
    assert_eq!(counts, (8, 8, 8192, 512));
    // Bad blocks of the factory are offline from the start.
    let chunks = driver.chunks(&mut drive, 8192).expect("chunks");
    let offline = chunks.iter().filter(|chunk| chunk.state == ChunkState::Offline as u8).count();
    assert!((5..40).contains(&offline), "{offline} of 8192, where 2000 of a million are bad");
    let free: Vec<u64> = chunks.iter().filter(|c| c.state == 1).map(|c| c.start).collect();

    driver.set_queue_count(&mut drive, 1).expect("a queue");
    Device::memory(&mut drive).reserve(VectorQueue::memory_bytes(ENTRIES, SLOTS));
    let request = QueueRequest { id: 1, entries: ENTRIES, vector: 0, priority: Priority::Medium };
    let mut queue = VectorQueue::create((&mut driver, &mut drive), request, SLOTS).expect("it");
    assert_eq!(queue.slots(), SLOTS);
    let list: Vec<u64> = (0..64).map(|nth| free[0] + nth).collect();
    for nth in 0..64 {
        let at = queue.data(1, nth);
        Device::memory(&mut drive).at_mut(at, 4096).fill(nth as u8 + 1);
    }
    let wrote = run((&mut drive, &mut queue), (1, VectorKind::Write), &list, &[]);
    assert_eq!(wrote, VectorEnd { slot: 1, status: Status::SUCCESS, failed: 0 });
    let to: Vec<u64> = (0..4).map(|nth| free[1] + nth).collect();
    let from = [list[9], list[33], list[2], list[60]];
    let copied = run((&mut drive, &mut queue), (2, VectorKind::Copy), &from, &to);
    assert!(copied.status.is_success());
    let read = run((&mut drive, &mut queue), (3, VectorKind::Read), &to, &[]);
    assert!(read.status.is_success());
    for (nth, filled) in [10, 34, 3, 61].into_iter().enumerate() {
        let at = queue.data(3, nth);
        assert_eq!(Device::memory(&mut drive).at(at, 4096), [filled; 4096]);
    }
    let single = run((&mut drive, &mut queue), (0, VectorKind::Read), &list[5..6], &[]);
    assert!(single.status.is_success());
    let at = queue.data(0, 0);
    assert_eq!(Device::memory(&mut drive).at(at, 4096), [6; 4096]);
    let reset = run((&mut drive, &mut queue), (0, VectorKind::Reset), &[free[2], free[0]], &[]);
    assert!(reset.status.is(Status::INVALID_RESET));
    assert_eq!(reset.failed, 0b11, "one is free, and one open");
    let again = driver.chunks(&mut drive, 8).expect("chunks");
    let own = again.iter().find(|chunk| chunk.start == free[0]).expect("it is there");
    assert_eq!((own.state, own.written), (ChunkState::Open as u8, 64));
}

#[test]
fn a_drive_of_logical_blocks_has_no_geometry() {
    let (mut drive, mut driver) = powered("small");
    let found = driver.geometry(&mut drive);
    let Err(DriverError::Failed { command: "Geometry", status }) = found else {
        panic!("{found:?}");
    };
    assert!(status.is(Status::INVALID_OPCODE));
    assert!(driver.chunks(&mut drive, 1).is_err());
}
