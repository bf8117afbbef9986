//! A host is not trusted: whatever it sends, the firmware does not panic, and after a reset the drive works.

use board::Board;
use machine::{Payload, Polling, Stamp, NEVER};
use nvme::command::{DataPointer, Entry, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::offset;
use nvme::status::Status;
use proptest::prelude::*;
use tiny_firmware::TinyFirmware;
use torture::bench::{Bench, DATA};

fn bench() -> Bench<TinyFirmware> {
    let board = Board::resolve("small", &[]).expect("the board");
    let payload = Payload::Stamps { block_bytes: 4096 };
    let mut bench = Bench::running(&board, payload, Polling::Skip);
    bench.start_once();
    bench
}

fn stamps(lba: u64, count: u64) -> Vec<Stamp> {
    (lba..lba + count).map(|lba| Stamp::new(lba, 9)).collect()
}

fn assert_works(bench: &mut Bench<TinyFirmware>) {
    for lba in [0, 401, 9_000] {
        bench.write(lba, &stamps(lba, 6));
        assert_eq!(bench.read(lba, 6).expect("readable"), stamps(lba, 6));
    }
}

#[test]
fn commands_that_it_does_not_have_are_refused() {
    let mut bench = bench();
    let range = BlockRange { start: 0, blocks: 1 };
    let header = bench.data(1);
    for command in [
        IoCommand::Compare(range, UnitAccess::Normal),
        IoCommand::WriteZeroes(range, UnitAccess::Normal),
        IoCommand::DatasetManagement { ranges: 1, purpose: nvme::io::DatasetUse::Deallocate },
    ] {
        let status = bench.io(&[command.emit(header)])[0].1.status;
        assert!(status.is(Status::INVALID_OPCODE), "{command:?}: {status}");
    }
    assert_works(&mut bench);
}

#[test]
fn a_bad_data_pointer_fails_its_command_and_leaves_the_data() {
    let mut bench = bench();
    bench.write(800, &stamps(800, 4));
    for prp1 in [DATA + 2, 1 << 40, u64::MAX - 4095] {
        let header = Header { cid: 1, nsid: 1, data: DataPointer { prp1, prp2: 1 << 50 } };
        let range = BlockRange { start: 800, blocks: 4 };
        let write = IoCommand::Write(range, UnitAccess::Normal).emit(header);
        let status = bench.io(&[write])[0].1.status;
        let expected = [Status::DATA_TRANSFER_ERROR, Status::INVALID_PRP_OFFSET];
        assert!(expected.iter().any(|&e| status.is(e)), "{prp1:x}: {status}");
        assert_eq!(bench.read(800, 4).expect("readable"), stamps(800, 4));
    }
}

#[test]
fn a_reset_in_the_middle_of_io_ends_all_of_it() {
    for passes in [0, 1, 5, 40, 400, 4_000] {
        let mut bench = bench();
        bench.write(0, &stamps(0, 64));
        let blocks = (0..100).map(|slot| 1_000 + slot * 5);
        blocks.clone().for_each(|lba| bench.write(lba, &[Stamp::new(lba, 1)]));
        for (slot, lba) in blocks.clone().enumerate() {
            let at = DATA as usize + slot * 4096;
            let new = Stamp::new(lba, 2).to_bits().to_le_bytes();
            bench.drive.host_mut().memory.0[at..at + new.len()].copy_from_slice(&new);
        }
        let command = |slot: u64| {
            let data = DataPointer { prp1: DATA + slot * 4096, prp2: 0 };
            let header = Header { cid: slot as u16, nsid: 1, data };
            let range = BlockRange { start: 1_000 + slot * 5, blocks: 1 };
            match slot % 2 {
                0 => IoCommand::Write(range, UnitAccess::Normal).emit(header),
                _ => IoCommand::Read(range, UnitAccess::Normal).emit(header),
            }
        };
        bench.submit(1, &(0..100).map(command).collect::<Vec<Entry>>());
        bench.drive.run_turns(NEVER, passes + 1);
        bench.restart();
        assert_eq!(bench.drive.host().seen.len(), 0, "completions of the former life");
        assert_eq!(bench.read(0, 64).expect("readable"), stamps(0, 64), "written before the reset");
        for lba in blocks {
            let found = bench.read(lba, 1).expect("readable")[0];
            assert!([1, 2].map(|version| Stamp::new(lba, version)).contains(&found), "{found:?}");
        }
        assert_works(&mut bench);
    }
}

#[derive(Clone, Debug)]
enum Act {
    Command(usize, Entry),
    Write(u64, u32),
}

fn act() -> impl Strategy<Value = Act> {
    let field = prop_oneof![
        4 => 0u32..20,
        1 => any::<u32>(),
        2 => (0u32..64).prop_map(|page| DATA as u32 + page * 4096),
    ];
    let fields = prop::array::uniform15(field);
    prop_oneof![
        6 => (0usize..2, 0u8..0xff, fields).prop_map(|(queue, opcode, fields)| {
            let mut entry = [u32::from(opcode) | 7 << 16; 16];
            entry[1..].copy_from_slice(&fields);
            Act::Command(queue, Entry(entry))
        }),
        1 => (0u64..0x1040, any::<u32>()).prop_map(|(at, value)| Act::Write(at & !3, value)),
        1 => (0u64..8, 0u32..140)
            .prop_map(|(bell, value)| Act::Write(offset::DOORBELLS + bell * 4, value)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_commands_and_registers_do_no_harm(acts in prop::collection::vec(act(), 1..40)) {
        let mut bench = bench();
        bench.drive.host_mut().orderly = false;
        for act in acts {
            match act {
                Act::Command(queue, entry) => bench.submit(queue, &[entry]),
                Act::Write(at, value) => {
                    bench.drive.registers(|_, registers| registers.write32(at, value));
                }
            }
            bench.drive.run(|_| false);
        }
        bench.restart();
        bench.drive.host_mut().orderly = true;
        assert_works(&mut bench);
    }
}
