//! Hosts that send what no driver would.

use machine::Stamp;
use nvme::admin::{AdminCommand, EventAfterRead, FormatNvm, GetLogPage, LogPage, SecureErase};
use nvme::command::{DataPointer, Entry, Header};
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::open_channel::{opcode, ChunkState, VectorKind};
use nvme::status::Status;
use torture::chunk_host::ChunkHost;
use torture::draw::Draw;
use torture::placed_host::{data_at, SLOTS};

use crate::open_channel::commands::{blocks, stamps};
use crate::open_channel::small;

#[test]
fn a_write_whose_data_do_not_come_closes_its_chunk_in_front_of_it() {
    let mut host = ChunkHost::new(&small(&[]));
    let a = host.start(5);
    let good = blocks(a, 4);
    assert!(host.write(&good, &stamps(&good, 1)).status.is_success());
    let list = blocks(a + 4, 16);
    host.put_data(0, &stamps(&list, 2));
    let write = host.command((0, VectorKind::Write), &list, &[]);
    let behind = blocks(a + 20, 8);
    host.put_data(1, &stamps(&behind, 3));
    let next = host.command((1, VectorKind::Write), &behind, &[]);
    // The sixth page of the data is nowhere.
    host.put(0x1_0000 + 4 * 8, 1 << 40);
    host.submit(&[write, next]);
    let mut all = Vec::new();
    while all.len() < 2 {
        all.extend(host.wait());
    }
    all.sort_by_key(|ended| ended.slot);
    assert!(all[0].status.is(Status::DATA_TRANSFER_ERROR), "{:?}", all[0].status);
    assert_eq!(all[0].result, 0xffff, "a bad data pointer is the whole command's");
    assert!(all[1].status.is(Status::CHUNK_EARLY_CLOSE), "{:?}", all[1].status);
    assert_eq!(all[1].result, 0xff);
    assert_eq!(host.state(5), (ChunkState::Closed, 4));
    let (_, data) = host.read(&blocks(a, 12));
    let expected = [stamps(&good, 1), vec![Stamp::ZERO; 8]].concat();
    assert_eq!(data, expected);
    assert!(host.reset(&[a]).status.is_success());
    assert!(host.write(&good, &stamps(&good, 4)).status.is_success());
}

#[test]
fn a_read_whose_data_find_no_place_fails_and_takes_no_entry_along() {
    let mut host = ChunkHost::new(&small(&[("ftl.buffer_kib", "256")]));
    let a = host.start(5);
    let list = blocks(a, 64);
    assert!(host.write(&list, &stamps(&list, 1)).status.is_success());
    let read = host.command((0, VectorKind::Read), &list, &[]);
    host.put(0x1_0000 + 4 * 8, 1 << 40);
    for _ in 0..20 {
        let ended = host.run(read);
        assert!(ended.status.is(Status::DATA_TRANSFER_ERROR), "{:?}", ended.status);
        assert_ne!(ended.result & 1 << 5, 0);
    }
    assert_eq!(host.read(&list).1, stamps(&list, 1));
}

#[test]
fn whatever_entries_hold_each_is_answered() {
    let mut host = ChunkHost::new(&small(&[]));
    let mut draw = Draw(77);
    let opcodes =
        [opcode::READ, opcode::WRITE, opcode::COPY, opcode::RESET, 0x00, 0x01, 0x02, 0x09];
    let any = |draw: &mut Draw| draw.below(1 << 31) as u32 ^ (draw.below(2) as u32) << 31;
    let mut ok = 0;
    for round in 0..2000_u64 {
        let list = round % 4 * 0x1000 + 0x2_0000;
        for nth in 0..128 {
            let address = match draw.below(8) {
                0 => u64::from(any(&mut draw)) << 20,
                1 => draw.below(1 << 14),
                // What often can be done.
                _ => host.start(draw.below(4) as u32) + nth % 64,
            };
            host.put(list + nth * 8, address);
        }
        let kind = opcodes[draw.below(8) as usize];
        let slot = draw.below(u64::from(SLOTS)) as u16;
        let mut header = host.header(slot, 64);
        if draw.below(8) == 0 {
            header.data = DataPointer { prp1: any(&mut draw).into(), prp2: any(&mut draw).into() };
        }
        let mut entry = Entry::new(kind, header)
            .with(10, list as u32)
            .with(12, any(&mut draw) & if draw.below(2) == 0 { 0x3f } else { u32::MAX })
            .with(14, list as u32 + 512);
        if draw.below(6) == 0 {
            let dword = draw.below(15) as usize + 1;
            entry = entry.with(dword, any(&mut draw));
        }
        let ended = host.run(entry);
        ok += u32::from(ended.status.is_success());
    }
    assert!(ok > 100, "{ok} did something");
    // It is well after all of that.
    let start = host.start(9);
    let list = blocks(start, 8);
    assert!(host.write(&list, &stamps(&list, 1)).status.is_success());
    assert_eq!(host.read(&list).1, stamps(&list, 1));
}

#[test]
fn commands_of_the_nvm_command_set_keep_the_rules_of_chunks() {
    let mut host = ChunkHost::new(&small(&[]));
    let a = host.start(1);
    let range = |start, blocks| BlockRange { start, blocks };
    let all = blocks(a, 64);
    host.put_data(0, &stamps(&all, 1));
    let header = host.header(0, 64);
    let normal = UnitAccess::Normal;
    for (start, count, status) in [
        (a, 64, Status::SUCCESS),
        (a, 64, Status::OUT_OF_ORDER_WRITE),
        (a + 64, 63, Status::INVALID_FIELD),
        (a + 68, 4, Status::OUT_OF_ORDER_WRITE),
    ] {
        let ended = host.run(IoCommand::Write(range(start, count), normal).emit(header));
        assert!(ended.status.is(status), "{start} {count}: {:?}", ended.status);
        assert_eq!(ended.result, 0);
    }
    host.put_data(0, &[Stamp::CORRUPT; 64]);
    let ended = host.run(IoCommand::Read(range(a + 1, 64), normal).emit(header));
    assert!(ended.status.is_success());
    let data = host.data(0, 64);
    assert_eq!(data[..63], stamps(&all, 1)[1..]);
    assert_eq!(data[63], Stamp::ZERO);
    let end = 1 << 14;
    let beyond = host.run(IoCommand::Read(range(end - 1, 2), normal).emit(header));
    assert!(beyond.status.is(Status::LBA_OUT_OF_RANGE));
    // A write over the end of a chunk goes on in the next.
    host.put_data(0, &stamps(&blocks(a + 64, 64), 2));
    assert!(host.run(IoCommand::Write(range(a + 64, 64), normal).emit(header)).status.is_success());
    assert_eq!(host.state(1), (ChunkState::Closed, 128));
    for (start, count, state) in
        [(a, 127, ChunkState::Closed), (a + 4, 128, ChunkState::Closed), (a, 128, ChunkState::Free)]
    {
        let mut bytes = [0; Range::BYTES];
        Range { attributes: 0, blocks: count, start }.emit(&mut bytes);
        let (words, _) = bytes.as_chunks();
        for (nth, word) in words.iter().enumerate() {
            host.put(data_at(0) + nth as u64 * 8, u64::from_le_bytes(*word));
        }
        let purpose = DatasetUse::Deallocate;
        let ended = host.run(IoCommand::DatasetManagement { ranges: 1, purpose }.emit(header));
        assert!(ended.status.is_success(), "{:?}", ended.status);
        assert_eq!(host.state(1).0, state, "{start} {count}");
    }
    assert!(host.run(IoCommand::Flush.emit(header)).status.is_success());
    let compare = IoCommand::Compare(range(a, 1), normal);
    let zeroes = IoCommand::WriteZeroes(range(a, 1), normal);
    for command in [compare, zeroes] {
        assert!(host.run(command.emit(header)).status.is(Status::INVALID_OPCODE));
    }
}

/// Sends an admin command; its status.
fn admin(host: &mut ChunkHost, command: AdminCommand, (nsid, data): (u32, DataPointer)) -> Status {
    let entry = command.emit(Header { cid: 9, nsid, data });
    host.bench.submit(0, &[entry]);
    host.wait()[0].status
}

#[test]
fn the_log_of_chunks_is_told_from_any_byte_on_in_any_number_of_pages() {
    let mut host = ChunkHost::new(&small(&[("geometry.blocks_per_way", "160")]));
    let bytes = 640 * 32_u64;
    let mut whole = Vec::new();
    for chunk in host.descriptors() {
        let mut own = [0; 32];
        chunk.emit(&mut own);
        whole.extend(own);
    }
    assert_eq!(whole.len() as u64, bytes);
    for (offset, length) in
        [(0, bytes), (0, 4), (36, 9000), (4096, 4096), (bytes - 8, 8), (bytes - 8, 8192)]
    {
        for page in 0..6 {
            host.put(0x1_0000 + page * 8, data_at(0) + (page + 1) * 4096);
        }
        let pages = length.div_ceil(4096);
        let prp2 = if pages > 2 { 0x1_0000 } else { data_at(0) + 4096 };
        host.put(data_at(0) + length.min(bytes - offset), 0xdead_beef_dead_beef);
        let log = GetLogPage {
            page: LogPage::ChunkInformation,
            event: EventAfterRead::Retained,
            offset,
            length,
        };
        let data = DataPointer { prp1: data_at(0), prp2 };
        assert!(admin(&mut host, AdminCommand::GetLogPage(log), (1, data)).is_success());
        let told = length.min(bytes - offset) as usize;
        let mut found = vec![0; told + 8];
        let memory = &mut host.bench.drive.host_mut().memory;
        assert!(machine::HostMemory::read(memory, data_at(0), &mut found));
        assert!(found[..told] == whole[offset as usize..][..told], "{offset} {length}");
        assert_eq!(found[told..], 0xdead_beef_dead_beef_u64.to_le_bytes(), "nothing behind it");
    }
    let data = DataPointer { prp1: data_at(0), prp2: 0 };
    let log = |offset| {
        let event = EventAfterRead::Retained;
        AdminCommand::GetLogPage(GetLogPage {
            page: LogPage::ChunkInformation,
            event,
            offset,
            length: 32,
        })
    };
    for (command, nsid, status) in [
        (log(0), 0, Status::INVALID_NAMESPACE),
        (log(0), u32::MAX, Status::INVALID_NAMESPACE),
        (log(bytes), 1, Status::INVALID_FIELD),
        (AdminCommand::Geometry, 0, Status::INVALID_NAMESPACE),
        (AdminCommand::Geometry, 2, Status::INVALID_NAMESPACE),
        (
            AdminCommand::FormatNvm(FormatNvm {
                format: 0,
                protection: 0,
                erase: SecureErase::None,
            }),
            1,
            Status::INVALID_OPCODE,
        ),
    ] {
        let found = admin(&mut host, command, (nsid, data));
        assert!(found.is(status), "{command:?} {nsid}: {found:?}");
    }
}

#[test]
fn a_drive_of_logical_blocks_knows_none_of_it() {
    let board = board::Board::resolve("small", &[]).unwrap();
    let payload = machine::Payload::Stamps { block_bytes: 4096 };
    let mut bench = torture::bench::Bench::new(&board, payload, machine::Polling::Skip);
    bench.start_once();
    let header = Header { cid: 3, nsid: 1, data: DataPointer { prp1: data_at(0), prp2: 0 } };
    let log = GetLogPage {
        page: LogPage::ChunkInformation,
        event: EventAfterRead::Retained,
        offset: 0,
        length: 32,
    };
    for (queue, entry, status) in [
        (0, AdminCommand::Geometry.emit(header), Status::INVALID_OPCODE),
        (0, AdminCommand::GetLogPage(log).emit(header), Status::INVALID_LOG_PAGE),
        (1, Entry::new(opcode::READ, header), Status::INVALID_OPCODE),
        (1, Entry::new(opcode::RESET, header), Status::INVALID_OPCODE),
    ] {
        bench.submit(queue, &[entry]);
        bench.drive.run(|host| !host.seen.is_empty());
        let (_, found) = bench.drive.host_mut().seen.pop_front().expect("an answer");
        assert!(found.status.is(status), "{entry:?}: {:?}", found.status);
    }
}

/// Runs commands of slots 0 and up side by side; how each ended.
fn side_by_side(host: &mut ChunkHost, commands: &[Entry]) -> Vec<(Status, u64)> {
    host.submit(commands);
    let mut all = Vec::new();
    while all.len() < commands.len() {
        all.extend(host.wait());
    }
    all.sort_by_key(|ended| ended.slot);
    all.into_iter().map(|ended| (ended.status, ended.result)).collect()
}

#[test]
fn what_was_sent_behind_a_reset_is_for_the_chunk_after_it() {
    let mut host = ChunkHost::new(&small(&[]));
    let a = host.start(7);
    let (first, rest, again) = (blocks(a, 64), blocks(a + 64, 64), blocks(a, 4));
    let mut commands = Vec::new();
    for (slot, list) in [(0, &first), (1, &rest), (3, &again)] {
        host.put_data(slot, &stamps(list, u32::from(slot) + 1));
        commands.push(host.command((slot, VectorKind::Write), list, &[]));
    }
    commands.insert(2, host.command((2, VectorKind::Reset), &[a], &[]));
    // The data of the first are nowhere.
    host.put(0x1_0000, 1 << 40);
    let ended = side_by_side(&mut host, &commands);
    assert!(ended[0].0.is(Status::DATA_TRANSFER_ERROR));
    assert!(ended[1].0.is(Status::CHUNK_EARLY_CLOSE) && ended[1].1 == u64::MAX);
    assert!(ended[2].0.is_success() && ended[3].0.is_success(), "{ended:?}");
    assert_eq!(host.state(7), (ChunkState::Open, 4));
    assert_eq!(host.read(&again).1, stamps(&again, 4));
    let next = blocks(a + 4, 4);
    assert!(host.write(&next, &stamps(&next, 5)).status.is_success());
}

#[test]
fn a_block_that_cannot_be_erased_takes_along_what_waits_for_it() {
    let mut host = ChunkHost::new(&small(&[("errors.erase_failures_per_billion", "1000000000")]));
    let a = host.start(7);
    for list in [blocks(a, 64), blocks(a + 64, 64)] {
        assert!(host.write(&list, &stamps(&list, 1)).status.is_success());
    }
    let again = blocks(a, 8);
    host.put_data(1, &stamps(&again, 2));
    let commands = [
        host.command((0, VectorKind::Reset), &[a], &[]),
        host.command((1, VectorKind::Write), &again, &[]),
        host.command((2, VectorKind::Read), &again, &[]),
    ];
    let ended = side_by_side(&mut host, &commands);
    assert!(ended[0].0.is(Status::OFFLINE_CHUNK) && ended[0].1 == 1);
    assert!(ended[1].0.is(Status::CHUNK_EARLY_CLOSE) && ended[1].1 == 0xff);
    assert!(ended[2].0.is(Status::UNRECOVERED_READ), "what it was to read was never written");
    assert_eq!(host.state(7), (ChunkState::Offline, 0));
    assert!(host.reset(&[a]).status.is(Status::OFFLINE_CHUNK));
    assert!(host.write(&again, &stamps(&again, 3)).status.is(Status::OUT_OF_ORDER_WRITE));
    assert_eq!(host.read(&again).1, [Stamp::ZERO; 8], "nothing of it is told any more");
}

#[test]
fn a_second_reset_behind_one_that_failed_fails_too() {
    // Each erase fails or not, so behind one that failed there is often one that would not.
    let mut host = ChunkHost::new(&small(&[("errors.erase_failures_per_billion", "500000000")]));
    let mut seen = [0; 2];
    for chunk in 0..40 {
        let a = host.start(chunk);
        let halves = [blocks(a, 64), blocks(a + 64, 64)];
        for list in &halves {
            assert!(host.write(list, &stamps(list, 1)).status.is_success());
        }
        let again = blocks(a, 8);
        for (slot, list) in [(1, &halves[0]), (2, &halves[1]), (4, &again)] {
            host.put_data(slot, &stamps(list, 2));
        }
        let commands = [
            host.command((0, VectorKind::Reset), &[a], &[]),
            host.command((1, VectorKind::Write), &halves[0], &[]),
            host.command((2, VectorKind::Write), &halves[1], &[]),
            host.command((3, VectorKind::Reset), &[a], &[]),
            host.command((4, VectorKind::Write), &again, &[]),
        ];
        let ended = side_by_side(&mut host, &commands);
        let [first, .., second, last] = [0, 1, 2, 3, 4].map(|nth| ended[nth].0);
        let is_offline = host.state(chunk).0 == ChunkState::Offline;
        if first.is_success() {
            seen[0] += 1;
            assert_eq!(is_offline, second.is(Status::OFFLINE_CHUNK), "chunk {chunk}");
            assert_eq!(last.is_success(), second.is_success(), "chunk {chunk}");
        } else {
            seen[1] += 1;
            assert!(first.is(Status::OFFLINE_CHUNK) && is_offline, "chunk {chunk}");
            assert!(second.is(Status::OFFLINE_CHUNK), "chunk {chunk}: {second}");
            assert!(last.is(Status::CHUNK_EARLY_CLOSE), "chunk {chunk}: {last}");
        }
    }
    assert!(seen.into_iter().all(|count| count > 8), "{seen:?}");
}

#[test]
fn blocks_beyond_correction_fail_by_themselves_and_take_no_entry_along() {
    let rotten = [
        ("errors.raw_bits_per_terabit", "20000000000"),
        ("ftl.read_retries", "0"),
        ("ftl.buffer_kib", "256"),
    ];
    let mut host = ChunkHost::new(&small(&rotten));
    let (a, b) = (host.start(7), host.start(8));
    let list = blocks(a, 8);
    assert!(host.write(&list, &stamps(&list, 1)).status.is_success());
    for _ in 0..100 {
        let (ended, data) = host.read(&[a + 2, b, a + 5, a + 64]);
        assert!(ended.status.is(Status::UNRECOVERED_READ), "{:?}", ended.status);
        assert_eq!(ended.result, 0b101);
        assert_eq!((data[1], data[3]), (Stamp::ZERO, Stamp::ZERO));
    }
    let to = blocks(b, 8);
    let from = [b, b, b, b, b, a, b, b];
    let ended = host.copy(&from, &to);
    assert!(ended.status.is(Status::UNRECOVERED_READ), "{:?}", ended.status);
    assert_eq!(ended.result, 0xf0, "the page that was to have it");
    assert_eq!(host.state(8), (ChunkState::Closed, 4));
}
