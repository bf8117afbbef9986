//! A drive whose host places its data, in hardware and in virtual time: commands that name blocks by lists of addresses, and
//! jobs with the flash translation layer of the host, with the oracle on.

use board::Board;
use host::open_channel::{VectorEnd, VectorQueue};
use host::{Driver, Memory, Nobody, QueueRequest};
use machine::{Device, Payload, Polling, Unobserved};
use nvme::admin::Priority;
use nvme::open_channel::{ChunkDescriptor, ChunkState, VectorKind};
use nvme::status::Status;
use report::Direction;
use rtl_sim::drive::compare::{both, Both, Ran};
use rtl_sim::drive::{Processor, RtlDrive};
use sim::{Drive, Options};

const PLACED: &[(&str, &str)] = &[
    ("nvme.command_set", "open-channel"),
    ("geometry.page_bytes", "4096"),
    ("flash.spare_bytes", "416"),
    ("flash.metadata_bytes", "36"),
    ("flash.t_read_slc_us", "20"),
    ("flash.t_program_slc_us", "60"),
    ("flash.t_erase_us", "100"),
    ("flash.read_deviation_us", "1"),
    ("flash.program_deviation_us", "1"),
    ("flash.erase_deviation_us", "1"),
    ("flash.die_deviation_us", "0"),
];

const BY_CHANNELS: &[(&str, &str)] =
    &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")];

const SLOTS: u16 = 4;
const ENTRIES: u32 = 8;
const LIMIT_PS: u64 = 1_000_000_000_000;
const BLOCK: usize = 4096;

fn board(overrides: &[(&str, &str)]) -> Board {
    named("small", overrides)
}

fn named(name: &str, overrides: &[(&str, &str)]) -> Board {
    let set = PLACED.iter().chain(overrides);
    let set: Vec<_> = set.map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Board::resolve(name, &set).expect("the board resolves")
}

/// What commands by addresses have come to.
#[derive(Debug, PartialEq)]
struct Seen {
    counts: [u32; 4],
    ends: Vec<VectorEnd>,
    /// The first byte of each block that was read.
    read: Vec<u8>,
    chunks: Vec<ChunkDescriptor>,
}

/// A drive that takes commands by addresses, and what they have come to.
struct Placed<'d, D> {
    device: &'d mut D,
    queue: VectorQueue,
    ends: Vec<VectorEnd>,
    read: Vec<u8>,
}

impl<D: Device<Memory = Memory>> Placed<'_, D> {
    /// Runs a command to its end, which succeeds or not.
    fn run(&mut self, kind: VectorKind, addresses: &[u64], destinations: &[u64]) {
        self.queue.send(self.device, (1, kind), addresses, destinations);
        self.device.settle(LIMIT_PS);
        self.ends.push(self.queue.receive(self.device).expect("it has ended"));
        if kind == VectorKind::Read {
            for nth in 0..addresses.len() {
                let block = self.device.memory().at(self.queue.data(1, nth), BLOCK);
                assert!(block.iter().all(|byte| *byte == block[0]), "{nth}: torn");
                self.read.push(block[0]);
            }
        }
    }

    /// Fills the blocks that are written next, each with its number.
    fn fill(&mut self) {
        for nth in 0..64 {
            let at = self.queue.data(1, nth);
            self.device.memory().at_mut(at, BLOCK).fill(nth as u8 + 1);
        }
    }
}

/// Writes, reads, copies and resets by addresses, and breaks rules.
fn vectors(device: &mut impl Device<Memory = Memory>) -> Seen {
    let mut driver = Driver::start(device).expect("it comes up");
    let geometry = driver.geometry(device).expect("a geometry");
    let [groups, units] = [geometry.groups, geometry.units].map(u32::from);
    let counts = [groups, units, geometry.chunks, geometry.chunk_blocks];
    let first = driver.chunks(device, 4).expect("chunks");
    driver.set_queue_count(device, 1).expect("a queue");
    device.memory().reserve(VectorQueue::memory_bytes(ENTRIES, SLOTS));
    let request = QueueRequest { id: 1, entries: ENTRIES, vector: 0, priority: Priority::Medium };
    let queue = VectorQueue::create((&mut driver, device), request, SLOTS).expect("it");
    let of_chunk = |chunk: usize, count: u64| -> Vec<u64> {
        (0..count).map(|nth| first[chunk].start + nth).collect()
    };
    let mut drive = Placed { device, queue, ends: Vec::new(), read: Vec::new() };
    drive.run(VectorKind::Read, &of_chunk(0, 2), &[]);
    drive.fill();
    // 64 addresses, of two chunks in turn.
    let two: Vec<u64> = (0..64).map(|nth| first[nth % 2].start + nth as u64 / 2).collect();
    drive.run(VectorKind::Write, &two, &[]);
    // The 41st block is not the next of its chunk.
    let mut wrong = [of_chunk(2, 32), of_chunk(3, 9)].concat();
    wrong[40] += 1;
    drive.run(VectorKind::Write, &wrong, &[]);
    let from = [9, 33, 2, 60].map(|nth| two[nth]);
    let to = of_chunk(2, 4);
    drive.run(VectorKind::Copy, &from, &to);
    drive.run(VectorKind::Read, &to, &[]);
    drive.run(VectorKind::Read, &two, &[]);
    drive.run(VectorKind::Read, &two[5..6], &[]);
    // Full chunks are closed, and can be reset; one that is open cannot.
    drive.run(VectorKind::Reset, &[two[0], two[1]], &[]);
    drive.run(VectorKind::Reset, &[to[0], two[0]], &[]);
    drive.fill();
    drive.run(VectorKind::Write, &two[0..2], &[]);
    drive.run(VectorKind::Read, &two[0..4], &[]);
    let Placed { device, ends, read, .. } = drive;
    let chunks = driver.chunks(device, 4).expect("chunks");
    Seen { counts, ends, read, chunks }
}

fn jobs_read_what_was_placed(overrides: &[(&str, &str)]) {
    let jobs = "[global]\nbs=4k\nsize=2m\niodepth=8\n\
        [write]\nrw=randwrite\nend_fsync=1\n[read]\nstonewall\nrw=randread\nio_size=1m\n";
    // The board has the times of the hardware.
    let board = named("firmament-rtl", overrides);
    let Both { hardware, simulated } = both(&board, jobs, 7).expect("they run");
    let bandwidth = [hardware, simulated].map(|Ran { result, parts: _ }| {
        assert_eq!(result.drive.host_bytes_read, 1 << 20, "{overrides:?}");
        let read = result.jobs[1].active(Direction::Read).expect("it read");
        read.bytes as f64 / read.runtime_ps as f64
    });
    let ratio = bandwidth[0] / bandwidth[1];
    println!("{overrides:?}: {ratio}");
    assert!((0.95..1.05).contains(&ratio), "{overrides:?}: {ratio}");
}

#[test]
fn placed_drives_that_are_not_there_in_hardware_are_refused_in_a_line() {
    let refused = |overrides: &[(&str, &str)], processor| {
        let drive = RtlDrive::new(&board(overrides), (processor, Polling::Skip), 1);
        drive.err().expect("no such hardware")
    };
    assert_eq!(
        refused(&[("geometry.page_bytes", "16384"), ("flash.spare_bytes", "1664")], Processor::Beside),
        "small: geometry.page_bytes: found 16384, expected a logical block of 4096 bytes, as nvme.command_set is open-channel, of a controller in hardware"
    );
    assert_eq!(
        refused(&[], Processor::Ibex),
        "small: nvme.command_set: found open-channel, expected block, with --processor ibex, of a controller in hardware"
    );
    assert_eq!(
        refused(&[("flash.metadata_bytes", "24")], Processor::Beside),
        "small: flash.metadata_bytes: found 24, expected 36 of a controller in hardware"
    );
}

/// What `make test-all` does beside `make test`, which makes no model of this controller.
mod long {
    use super::*;

    #[test]
    fn blocks_are_written_read_copied_and_reset_by_their_addresses_in_hardware() {
        for overrides in [&[][..], BY_CHANNELS] {
            let board = board(overrides);
            let polling = (Processor::Beside, Polling::Skip);
            let mut hardware = RtlDrive::new(&board, polling, 7).expect("a drive");
            let in_hardware = vectors(&mut hardware);
            let payload = Payload::Bytes { block_bytes: BLOCK as u32, seed: 7 };
            let options = Options { payload, seed: 7, polling: Polling::Skip };
            let mut simulated: Drive<Nobody, Unobserved> =
                Drive::new(&board, options, Nobody::default()).expect("a drive");
            assert_eq!(in_hardware, vectors(&mut simulated), "{overrides:?}");

            let Seen { counts, ends, read, chunks } = in_hardware;
            assert_eq!(counts, [2, 2, 32, 32]);
            let [_, wrote, wrong, copied, read_copy, read_all, one, reset, refused, again, behind] =
                ends[..]
            else {
                panic!("{ends:?}");
            };
            for end in [wrote, copied, read_copy, read_all, one, reset, again, behind] {
                assert!(end.status.is_success() && end.failed == 0, "{end:?}");
            }
            assert!(wrong.status.is(Status::OUT_OF_ORDER_WRITE), "{wrong:?}");
            assert_eq!(wrong.failed, 1 << 40, "told in dword 1 of the completion");
            assert!(refused.status.is(Status::INVALID_RESET), "{refused:?}");
            assert_eq!(refused.failed, 0b11, "one is open, and one free");
            // Blocks that were not written read as zeroes.
            let all = (1..=64).collect::<Vec<u8>>();
            assert_eq!(read, [&[0, 0, 10, 34, 3, 61][..], &all, &[6, 1, 2, 0, 0]].concat());
            let states = [ChunkState::Open, ChunkState::Open, ChunkState::Open, ChunkState::Free];
            let expected = states.map(|state| state as u8).to_vec();
            assert_eq!(chunks.iter().map(|chunk| chunk.state).collect::<Vec<_>>(), expected);
        }
    }

    /// The host's own flash translation layer writes, reads and collects.
    #[test]
    fn jobs_read_what_the_host_placed_in_hardware() {
        jobs_read_what_was_placed(&[]);
    }

    #[test]
    fn jobs_read_what_the_host_placed_where_channels_schedule() {
        jobs_read_what_was_placed(BY_CHANNELS);
    }
}
