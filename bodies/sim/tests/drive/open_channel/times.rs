//! What an open-channel drive takes its time for.

use nvme::open_channel::VectorKind;
use torture::chunk_host::ChunkHost;

use crate::open_channel::commands::{blocks, stamps};
use crate::open_channel::small;

/// How long a read of so many blocks of a page takes, in picoseconds.
fn read_ps(list_us: &str, count: u64) -> u64 {
    let changes = [
        ("host.address_list_us", list_us),
        ("flash.read_deviation_us", "0"),
        ("flash.die_deviation_us", "0"),
        ("errors.raw_bits_per_terabit", "0"),
        ("errors.raw_bits_per_terabit_per_kilocycle", "0"),
    ];
    let mut host = ChunkHost::new(&small(&changes));
    let list = blocks(host.start(0), 4);
    assert!(host.write(&list, &stamps(&list, 1)).status.is_success());
    let read = host.command((0, VectorKind::Read), &list[..count as usize], &[]);
    let begin = host.bench.drive.now();
    host.submit(&[read]);
    assert!(host.bench.drive.run(|host| !host.seen.is_empty()) == machine::Stopped::Host);
    host.bench.drive.host().seen[0].0 - begin
}

#[test]
fn a_list_of_addresses_is_waited_for_and_a_single_address_is_not() {
    let (without, with) = (read_ps("0", 2), read_ps("1.4", 2));
    // The chip begins so much later; looks at it go in steps of the main loop.
    let later = with - without;
    assert!((1_000_000..2_000_000).contains(&later), "{later} ps");
    let (without, with) = (read_ps("0", 2), read_ps("140", 2));
    assert!((138_000_000..142_000_000).contains(&(with - without)));
    assert_eq!(read_ps("0", 1), read_ps("140", 1));
}

#[test]
fn a_write_is_done_once_its_pages_are_programmed() {
    let mut host = ChunkHost::new(&small(&[]));
    let list = blocks(host.start(0), 4);
    let begin = host.bench.drive.now();
    assert!(host.write(&list, &stamps(&list, 1)).status.is_success());
    let took_us = (host.bench.drive.now() - begin) / 1_000_000;
    // A program of 486 us, 92 us on the bus, and some 40 us beside them.
    assert!((580..680).contains(&took_us), "{took_us} us");
}
