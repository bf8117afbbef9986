//! A host is not trusted: whatever it does, the drive neither panics nor hangs, nor shows one
//! block's data as another's, and after a reset it works.

use board::Board;
use machine::{BusMaster, HostMemory, Payload, Polling, Stamp, NEVER};
use nvme::admin::{AdminCommand, EventAfterRead, GetFeatures, GetLogPage, LogPage};
use nvme::command::{DataPointer, Entry, Header};
use nvme::feature::{FeatureId, Select};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, Doorbell};
use nvme::status::Status;
use proptest::prelude::*;
use torture::bench::{Again, Bench, DATA};

fn bench() -> Bench {
    let board = Board::resolve("small", &[]).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.start_once();
    bench
}

fn stamps(lba: u64, count: u64, version: u32) -> Vec<Stamp> {
    (lba..lba + count).map(|lba| Stamp::new(lba, version)).collect()
}

fn assert_works(bench: &mut Bench) {
    for lba in [0, 401, 9_000] {
        let written = stamps(lba, 6, 9);
        bench.write(lba, &written);
        assert_eq!(bench.read(lba, 6).expect("readable"), written);
    }
}

#[test]
fn a_bad_data_pointer_fails_its_command_and_shows_nobody_elses_data() {
    let mut bench = bench();
    // Every entry of the data buffer holds somebody's data.
    for lba in (0..400).step_by(4) {
        bench.write(lba, &stamps(lba, 4, 1));
    }
    let range = BlockRange { start: 800, blocks: 4 };
    for prp1 in [DATA + 2, 1 << 40, u64::MAX - 4095] {
        for prp2 in [3, 1 << 50, !0xfff] {
            let header = Header { cid: 1, nsid: 1, data: DataPointer { prp1, prp2 } };
            let write = IoCommand::Write(range, UnitAccess::Normal).emit(header);
            let status = bench.io(&[write])[0].1.status;
            let expected = [Status::DATA_TRANSFER_ERROR, Status::INVALID_PRP_OFFSET];
            assert!(expected.iter().any(|&e| status.is(e)), "{prp1:x} {prp2:x}: {status}");
            let found = bench.read(800, 4).expect("readable");
            assert!(found.iter().all(|stamp| stamp.is_zero()), "{found:?}");
        }
    }
    assert_works(&mut bench);
}

/// A log of which less is sent than was asked for goes where the list of pages says, and leaves the list alone.
#[test]
fn a_log_longer_than_a_page_goes_to_the_pages_of_its_list() {
    let mut bench = bench();
    let (first, list, second) = (DATA + 0x800, DATA + 0x1_0000, DATA + 0x2_0000);
    let pages = [second, second + 0x1000, second + 0x2000].map(u64::to_le_bytes);
    let memory = &mut bench.drive.host_mut().memory;
    for page in [DATA, list, second] {
        assert!(memory.write(page, &[0xaa; 4096]));
    }
    assert!(memory.write(list, pages.as_flattened()));
    let log = GetLogPage {
        page: LogPage::ErrorInformation,
        event: EventAfterRead::Retained,
        offset: 0,
        length: 12 << 10,
    };
    let data = DataPointer { prp1: first, prp2: list };
    let entry = AdminCommand::GetLogPage(log).emit(Header { cid: 3, nsid: 0, data });
    bench.submit(0, &[entry]);
    let due = bench.drive.now() + 1_000_000_000_000;
    bench.drive.run_to(due, |host| !host.seen.is_empty());
    let ended = bench.drive.host_mut().seen.pop_front().expect("it completes");
    assert!(ended.1.status.is_success(), "{}", ended.1.status);
    let memory = &mut bench.drive.host_mut().memory;
    let mut read = |at: u64| {
        let mut bytes = [0; 2048];
        assert!(memory.read(at, &mut bytes));
        bytes
    };
    assert_eq!(read(list)[..24], *pages.as_flattened(), "the list is the host's");
    assert_eq!(read(list + 0x800), [0xaa; 2048]);
    assert_eq!(read(DATA), [0xaa; 2048], "what stands before the first address");
    assert_eq!((read(first), read(second)), ([0; 2048], [0; 2048]), "no error was logged");
    assert_eq!(read(second + 0x800), [0xaa; 2048], "behind the log");
    assert_works(&mut bench);
}

#[test]
fn a_reset_in_the_middle_of_io_ends_all_of_it() {
    for passes in [0, 1, 5, 40, 400, 4_000] {
        let mut bench = bench();
        let command = |slot: u64| {
            let data = DataPointer { prp1: DATA + slot * 4096, prp2: 0 };
            let header = Header { cid: slot as u16, nsid: 1, data };
            let range = BlockRange { start: slot * 5, blocks: 1 };
            if slot % 2 == 0 {
                IoCommand::Write(range, UnitAccess::Forced).emit(header)
            } else {
                IoCommand::Read(range, UnitAccess::Normal).emit(header)
            }
        };
        let commands: Vec<Entry> = (0..100).map(command).collect();
        bench.submit(1, &commands);
        bench.drive.run_turns(NEVER, passes + 1);
        bench.restart();
        assert_eq!(bench.drive.host().seen.len(), 0, "completions of the former life");
        assert_works(&mut bench);
    }
}

/// What a host does with its memory after a reset is its own business: reads that were under way come
/// to nothing.
#[test]
fn no_read_reaches_host_memory_after_a_reset() {
    let bytes = DATA as usize..DATA as usize + 100 * 4096;
    let mut cut_off = 0;
    for passes in [10, 20, 40, 60, 100, 200, 400] {
        let mut bench = bench();
        for lba in (0..400).step_by(4) {
            bench.write(lba, &stamps(lba, 4, 1));
        }
        let read = |slot: u64| {
            let data = DataPointer { prp1: DATA + slot * 4096, prp2: 0 };
            let header = Header { cid: slot as u16, nsid: 1, data };
            // Half of them from flash, half from the data buffer.
            let start = slot * 4 + slot % 2 * 3;
            IoCommand::Read(BlockRange { start, blocks: 1 }, UnitAccess::Normal).emit(header)
        };
        bench.submit(1, &(0..100).map(read).collect::<Vec<Entry>>());
        bench.drive.run_turns(NEVER, passes + 1);
        bench.drive.registers(|_, registers| registers.write32(offset::CC, 0));
        cut_off += 100 - bench.drive.host().seen.len();
        bench.drive.host_mut().memory.0[bytes.clone()].fill(0xa5);
        bench.drive.run(|_| false);
        let memory = &bench.drive.host().memory.0[bytes.clone()];
        let touched = memory.iter().position(|&byte| byte != 0xa5);
        assert_eq!(touched, None, "byte written after a reset at pass {passes}");
    }
    assert!(cut_off > 300, "{cut_off} reads were under way: too few to mean anything");
}

/// A host may clear Bus Master Enable whenever it likes. What was under way then fails or comes later, and
/// meanwhile no memory changes.
#[test]
fn without_bus_master_commands_wait_and_memory_stays() {
    let (mut waited, mut failed) = (0, 0);
    for passes in [1, 10, 20, 40, 60, 100, 200, 400] {
        let mut bench = bench();
        for lba in (0..400).step_by(4) {
            bench.write(lba, &stamps(lba, 4, 1));
        }
        let command = |slot: u64| {
            let data = DataPointer { prp1: DATA + slot * 4096, prp2: 0 };
            let header = Header { cid: slot as u16, nsid: 1, data };
            let range = BlockRange { start: slot * 4 + 3 * (slot % 2), blocks: 1 };
            match slot % 3 {
                0 => IoCommand::Write(range, UnitAccess::Normal).emit(header),
                _ => IoCommand::Read(range, UnitAccess::Normal).emit(header),
            }
        };
        bench.submit(1, &(0..100).map(command).collect::<Vec<Entry>>());
        bench.drive.run_turns(NEVER, passes + 1);
        let set = |bench: &mut Bench, master| {
            bench.drive.registers(|_, registers| registers.set_bus_master(master));
        };
        set(&mut bench, BusMaster::Disabled);
        let before = bench.drive.host().memory.0.clone();
        bench.drive.run(|_| false);
        assert!(bench.drive.host().memory.0 == before, "memory was written after pass {passes}");
        waited += 100 - bench.drive.host().seen.len();
        set(&mut bench, BusMaster::Enabled);
        bench.drive.run(|_| false);
        let seen: Vec<_> = bench.drive.host_mut().seen.drain(..).collect();
        assert_eq!(seen.len(), 100, "commands that ended, for pass {passes}");
        for (_, entry) in seen {
            let status = entry.status;
            assert!(status.is_success() || status.is(Status::DATA_TRANSFER_ERROR), "{status}");
            failed += u32::from(!status.is_success());
        }
        assert_works(&mut bench);
    }
    assert!(waited > 300 && failed > 50, "{waited} waited, {failed} failed");
}

/// Whole-page writes recycle entries of the data buffer without reading the page first. When a
/// reset overtakes their data, what the entry held before must not be taken for theirs.
#[test]
fn a_reset_during_page_writes_shows_nobody_elses_data() {
    for passes in [20, 60, 100, 150, 300, 600] {
        let mut bench = bench();
        for lba in (0..400).step_by(4) {
            bench.write(lba, &stamps(lba, 4, 1));
        }
        const LIST: u64 = 0x2_0000;
        let mut commands = Vec::new();
        for slot in 0..100u64 {
            let (lba, buffer) = (1000 + slot * 4, DATA + slot * 4 * 4096);
            let memory = &mut bench.drive.host_mut().memory;
            for (nth, stamp) in (0..).zip(stamps(lba, 4, 5)) {
                let at = buffer + nth * 4096;
                assert!(memory.write(at, &stamp.to_bits().to_le_bytes()));
                assert!(memory.write(LIST + slot * 64 + nth * 8, &(at + 4096).to_le_bytes()));
            }
            let data = DataPointer { prp1: buffer, prp2: LIST + slot * 64 };
            let header = Header { cid: slot as u16, nsid: 1, data };
            let range = BlockRange { start: lba, blocks: 4 };
            commands.push(IoCommand::Write(range, UnitAccess::Normal).emit(header));
        }
        bench.submit(1, &commands);
        bench.drive.run_turns(NEVER, passes + 1);
        bench.restart();
        for lba in (1000..1400).step_by(4) {
            for (nth, stamp) in (lba..).zip(bench.read(lba, 4).expect("readable")) {
                assert!(stamp.is_zero() || stamp == Stamp::new(nth, 5), "LBA {nth}: {stamp:?}");
            }
        }
        for lba in (0..400).step_by(4) {
            assert_eq!(bench.read(lba, 4).expect("readable"), stamps(lba, 4, 1));
        }
    }
}

/// Commands that end as soon as they are decoded free their slots at once. A host that sends them
/// without end must not keep the firmware from looking at flash.
#[test]
fn a_flood_of_commands_that_end_at_once_holds_nothing_up() {
    let header = |cid| Header { cid, nsid: 1, data: DataPointer { prp1: DATA, prp2: 0 } };
    let read = IoCommand::Read(BlockRange { start: 0, blocks: 4 }, UnitAccess::Normal);
    let feature =
        GetFeatures { feature: FeatureId::NumberOfQueues, select: Select::Current, argument: 0 };
    let beyond = BlockRange { start: u64::MAX - 9, blocks: 1 };
    let floods = [
        (0, AdminCommand::GetFeatures(feature).emit(header(9))),
        (1, IoCommand::Read(beyond, UnitAccess::Normal).emit(header(9))),
    ];
    for (queue, command) in floods {
        let mut bench = bench();
        bench.write(0, &stamps(0, 4, 1));
        // Pushes the page out of the data buffer.
        for lba in (2_000..2_800).step_by(4) {
            bench.write(lba, &stamps(lba, 4, 1));
        }
        let start = bench.drive.now();
        let until = start + 50_000_000_000;
        bench.drive.host_mut().again = Some(Again { queue, command, until });
        bench.submit(queue, &[command; 100]);
        bench.submit(1, &[read.emit(header(1))]);
        bench.drive.run(|host| host.seen.iter().any(|(_, entry)| entry.cid == 1));
        let took = (bench.drive.now() - start) / 1_000_000;
        assert!(took < 2_000, "a read took {took} us while queue {queue} was flooded");
        bench.drive.run(|_| false);
        bench.drive.host_mut().seen.clear();
        assert_works(&mut bench);
    }
}

#[test]
fn wrong_doorbells_are_ignored() {
    let mut bench = bench();
    bench.drive.host_mut().orderly = false;
    bench.drive.registers(|_, registers| {
        registers.write32(Doorbell::SubmissionTail(9).offset(0), 1);
        registers.write32(Doorbell::SubmissionTail(1).offset(0), 128);
        registers.write32(Doorbell::CompletionHead(1).offset(0), 77);
        registers.write32(offset::DOORBELLS + 2, 1);
        registers.write32(0xffff_fffc, 1);
    });
    assert_works(&mut bench);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Commands with any opcode and mostly small numbers in their fields, on either queue, and any
    /// register writes between them.
    #[test]
    fn random_commands_and_registers_do_no_harm(
        acts in prop::collection::vec(
            prop_oneof![
                4 => (0usize..2, 0u8..0xff, prop::array::uniform15(prop_oneof![
                    4 => 0u32..20,
                    1 => any::<u32>(),
                    2 => (0u32..64).prop_map(|page| DATA as u32 + page * 4096),
                ])).prop_map(|(queue, opcode, fields)| {
                    let mut entry = [u32::from(opcode) | 7 << 16; 16];
                    entry[1..].copy_from_slice(&fields);
                    Act::Command(queue, Entry(entry))
                }),
                1 => (0u64..0x1040, any::<u32>())
                    .prop_map(|(at, value)| Act::Write(at & !3, value)),
                1 => (0u64..8, 0u32..140)
                    .prop_map(|(bell, value)| Act::Write(offset::DOORBELLS + bell * 4, value)),
                2 => (0u32..200).prop_map(Act::Run),
            ],
            1..60,
        ),
    ) {
        let mut bench = bench();
        bench.drive.host_mut().orderly = false;
        for act in acts {
            match act {
                Act::Command(queue, entry) => bench.submit(queue, &[entry]),
                Act::Write(at, value) => {
                    bench.drive.registers(|_, registers| registers.write32(at, value));
                }
                Act::Run(passes) => {
                    bench.drive.run_turns(NEVER, passes + 1);
                }
            }
        }
        bench.restart();
        let blocks = 32;
        bench.write(0, &stamps(0, blocks, 2));
        prop_assert_eq!(bench.read(0, blocks as usize).expect("readable"), stamps(0, blocks, 2));
    }
}

#[derive(Clone, Debug)]
enum Act {
    Command(usize, Entry),
    Write(u64, u32),
    Run(u32),
}
