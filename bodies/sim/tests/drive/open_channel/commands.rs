//! Each command by itself, and what each illegal one ends with.

use machine::Stamp;
use nvme::open_channel::{capability, ChunkState, VectorKind};
use nvme::status::Status;
use torture::chunk_host::ChunkHost;

use crate::open_channel::small;

/// Stamps of a version for the blocks at some addresses.
pub fn stamps(addresses: &[u64], version: u32) -> Vec<Stamp> {
    // Those of illegal addresses do not matter.
    addresses.iter().map(|&address| Stamp::new(address & 0xffff_ffff, version)).collect()
}

/// Addresses of consecutive blocks.
pub fn blocks(first: u64, count: u64) -> Vec<u64> {
    (first..first + count).collect()
}

#[test]
fn a_drive_tells_its_geometry_and_its_chunks() {
    let mut host = ChunkHost::new(&small(&[]));
    let g = host.geometry;
    assert_eq!((g.major, g.minor), (2, 0));
    assert_eq!((g.groups, g.units, g.chunks, g.chunk_blocks), (2, 2, 32, 128));
    assert_eq!((g.group_bits, g.unit_bits, g.chunk_bits, g.block_bits), (1, 1, 5, 7));
    assert_eq!((g.write_least, g.write_best, g.blocks_before_read), (4, 8, 0));
    assert_eq!((g.open_chunks, g.open_chunks_per_unit), (128, 32));
    assert_eq!(g.capabilities, capability::COPY);
    assert_eq!((g.read_typical_ns, g.write_typical_ns), (99_000, 486_000));
    assert!(g.reset_most_ns > g.reset_typical_ns);
    let all = host.descriptors();
    assert_eq!(all.len(), 128);
    for (nth, chunk) in all.iter().enumerate() {
        assert_eq!((chunk.state, chunk.kind, chunk.wear), (1, 1, 0));
        assert_eq!((chunk.start, chunk.blocks, chunk.written), (nth as u64 * 128, 128, 0));
    }
}

#[test]
fn what_is_written_is_read_and_copied_in_any_order_and_a_reset_frees_it() {
    let mut host = ChunkHost::new(&small(&[]));
    let (a, b, c) = (host.start(3), host.start(40), host.start(100));
    // Two chunks side by side in one list, their blocks in turns.
    let both: Vec<u64> = (0..8).flat_map(|nth| [a + nth, b + nth]).collect();
    assert_eq!(host.write(&both, &stamps(&both, 1)).status, Status::SUCCESS);
    assert_eq!(host.state(3), (ChunkState::Open, 8));
    let (first, rest) = (blocks(a + 8, 56), blocks(a + 64, 64));
    assert_eq!(host.write(&first, &stamps(&first, 2)).status, Status::SUCCESS);
    assert_eq!(host.write(&rest, &stamps(&rest, 3)).status, Status::SUCCESS);
    assert_eq!(host.state(3), (ChunkState::Closed, 128));
    // Backwards, with one twice and one that nothing was written to.
    let list = [b + 7, a + 64, a + 1, a, a + 1, b + 8, a + 127];
    let (ended, data) = host.read(&list);
    assert_eq!((ended.status, ended.result), (Status::SUCCESS, 0));
    let expected =
        [(b + 7, 1), (a + 64, 3), (a + 1, 1), (a, 1), (a + 1, 1), (b + 8, 0), (a + 127, 3)];
    for (nth, (address, version)) in expected.into_iter().enumerate() {
        let stamp = if version == 0 { Stamp::ZERO } else { Stamp::new(address, version) };
        assert_eq!(data[nth], stamp, "address {nth}");
    }
    // A copy gathers blocks of several pages, one of them twice, and zeroes.
    let from = [a + 2, b + 3, a + 2, b + 100, a + 70, a + 71, a + 72, a + 73];
    let to = blocks(c, 8);
    assert_eq!(host.copy(&from, &to).status, Status::SUCCESS);
    let (_, copied) = host.read(&to);
    let (_, wanted) = host.read(&from);
    assert_eq!(copied, wanted);
    assert_eq!(copied[3], Stamp::ZERO);
    assert_eq!(host.reset(&[a]).status, Status::SUCCESS);
    assert_eq!(host.state(3), (ChunkState::Free, 0));
    assert_eq!(host.read(&[a, a + 127]).1, [Stamp::ZERO; 2]);
    let again = blocks(a, 4);
    assert_eq!(host.write(&again, &stamps(&again, 9)).status, Status::SUCCESS);
    assert_eq!(host.read(&again).1, stamps(&again, 9));
}

#[test]
fn what_is_wrong_is_refused_for_its_addresses_and_nothing_of_it_is_done() {
    let mut host = ChunkHost::new(&small(&[]));
    let (a, b) = (host.start(0), host.start(1));
    let start = blocks(a, 8);
    assert_eq!(host.write(&start, &stamps(&start, 1)).status, Status::SUCCESS);
    let order = Status::OUT_OF_ORDER_WRITE;
    for (list, status, failed) in [
        // Written already, too far ahead, and with a gap.
        (blocks(a, 4), order, 0b1111),
        (blocks(a + 12, 4), order, 0b1111),
        ([blocks(a + 8, 3), vec![a + 12]].concat(), order, 0b1000),
        // The good half is not written, either.
        ([blocks(b, 4), blocks(a + 7, 1), blocks(a + 9, 3)].concat(), order, 0b1111_0000),
        // Less than the least that can be written.
        (blocks(a + 8, 2), Status::INVALID_FIELD, 0b11),
        ([blocks(a + 8, 4), blocks(b, 3)].concat(), Status::INVALID_FIELD, 0b111_0000),
        (vec![a + 8, 1 << 14], Status::LBA_OUT_OF_RANGE, 0b10),
        (vec![u64::MAX, u64::MAX, a + 8, 1 << 40], Status::LBA_OUT_OF_RANGE, 0b1011),
    ] {
        let ended = host.write(&list, &stamps(&list, 2));
        assert!(ended.status.is(status), "{list:?}: {:?}", ended.status);
        assert_eq!(ended.result, failed, "{list:?}");
        assert_eq!(host.state(0), (ChunkState::Open, 8), "{list:?}");
        assert_eq!(host.state(1), (ChunkState::Free, 0), "{list:?}");
    }
    let full = blocks(b, 64);
    let rest = blocks(b + 64, 64);
    assert_eq!(host.write(&full, &stamps(&full, 1)).status, Status::SUCCESS);
    assert_eq!(host.write(&rest, &stamps(&rest, 1)).status, Status::SUCCESS);
    for (list, status, failed) in [
        // Open, free, not the first block, twice, and one of those beside a good one.
        (vec![a], Status::INVALID_RESET, 1),
        (vec![host.start(2)], Status::INVALID_RESET, 1),
        (vec![b + 1], Status::INVALID_FIELD, 1),
        (vec![b, b], Status::INVALID_RESET, 0b10),
        (vec![b, a, b + 4], Status::INVALID_RESET, 0b110),
        (vec![b, 1 << 20], Status::LBA_OUT_OF_RANGE, 0b10),
    ] {
        let ended = host.reset(&list);
        assert!(ended.status.is(status), "{list:?}: {:?}", ended.status);
        assert_eq!(ended.result, failed, "{list:?}");
        assert_eq!(host.state(1), (ChunkState::Closed, 128), "{list:?}");
    }
    assert_eq!(host.read(&[b + 127]).1, stamps(&[b + 127], 1), "it was not erased");
    assert!(host.write(&blocks(b, 4), &stamps(&full[..4], 2)).status.is(order), "closed");
    let ended = host.copy(&[a, b, a, 1 << 14], &blocks(a + 8, 4));
    assert!(ended.status.is(Status::LBA_OUT_OF_RANGE) && ended.result == 0b1000);
    let ended = host.copy(&blocks(a, 4), &blocks(a + 4, 4));
    assert!(ended.status.is(order) && ended.result == 0b1111);
    let (ended, _) = host.read(&[a, 1 << 14, a]);
    assert!(ended.status.is(Status::LBA_OUT_OF_RANGE) && ended.result == 0b10);
}

#[test]
fn lists_that_are_not_in_memory_or_not_aligned_are_refused() {
    let mut host = ChunkHost::new(&small(&[]));
    let a = host.start(0);
    let list = blocks(a, 8);
    host.put_data(0, &stamps(&list, 1));
    let good = host.command((0, VectorKind::Write), &list, &[]);
    let beyond = 16_u32 << 20;
    for (dword, value, status) in [
        (10, 2, Status::INVALID_FIELD),
        (10, beyond, Status::DATA_TRANSFER_ERROR),
        // The last of them sticks out.
        (10, beyond - 60, Status::DATA_TRANSFER_ERROR),
        (11, u32::MAX, Status::DATA_TRANSFER_ERROR),
        (6, 1, Status::INVALID_PRP_OFFSET),
    ] {
        let ended = host.run(good.with(dword, value));
        assert!(ended.status.is(status), "dword {dword} = {value:#x}: {:?}", ended.status);
        assert_eq!(host.state(0), (ChunkState::Free, 0));
    }
    let at_the_end = host.run(good.with(10, u32::MAX - 7).with(11, u32::MAX));
    assert!(at_the_end.status.is(Status::DATA_TRANSFER_ERROR), "the address wraps around");
    let other = host.run(good.with(1, 2));
    assert!(other.status.is(Status::INVALID_NAMESPACE));
    assert!(host.run(good).status.is_success());
    let to = blocks(host.start(1), 8);
    let copy = host.command((0, VectorKind::Copy), &list, &to);
    assert!(host.run(copy.with(14, beyond)).status.is(Status::DATA_TRANSFER_ERROR));
    assert!(host.run(copy.with(14, 1)).status.is(Status::INVALID_FIELD));
    assert_eq!(host.state(1), (ChunkState::Free, 0));
    assert!(host.run(copy).status.is_success());
}
