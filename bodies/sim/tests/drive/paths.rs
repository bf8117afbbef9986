//! Every byte takes its time on each bus that it crosses: with one bus made slow, it bounds all.

use board::Board;
use machine::{HostMemory, Payload, Polling};
use nvme::command::{DataPointer, Entry, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};

use torture::bench::{Bench, DATA};

/// Pages that a load moves, fewer than the data buffer holds.
const PAGES: u64 = 24;
const PAGE_BYTES: u64 = 16_384;
/// The slow bus, in MB/s, and a page's time on it in picoseconds.
const SLOW: &str = "20";
const PAGE_PS: u64 = PAGE_BYTES * 1_000_000 / 20;
/// That of its metadata.
const METADATA_PS: u64 = 24 * 1_000_000 / 20;

/// Where a load's pages come from or go to.
#[derive(Clone, Copy, Debug)]
enum Load {
    /// Flash to host.
    ReadFlash,
    /// Data buffer to host.
    ReadBuffer,
    /// Host to flash.
    WriteFlash,
    /// Host to data buffer.
    WriteBuffer,
}

fn bench(slow: &str) -> Bench {
    let overrides = [(slow.to_string(), SLOW.to_string())];
    let board = Board::resolve("small", &overrides).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.start_once();
    bench
}

/// Commands for whole pages from logical page `first` on, each with its PRP list.
fn commands(bench: &mut Bench, first: u64, load: Load) -> Vec<Entry> {
    const LISTS: u64 = 0x2_0000;
    let memory = &mut bench.drive.host_mut().memory;
    let mut command = |slot: u64| {
        let (buffer, list) = (DATA + slot * PAGE_BYTES, LISTS + slot * 32);
        for nth in 1..4 {
            let entry = (buffer + nth * 4096).to_le_bytes();
            assert!(memory.write(list + (nth - 1) * 8, &entry));
        }
        let data = DataPointer { prp1: buffer, prp2: list };
        let range = BlockRange { start: (first + slot) * 4, blocks: 4 };
        let command = match load {
            Load::ReadFlash | Load::ReadBuffer => IoCommand::Read(range, UnitAccess::Normal),
            Load::WriteFlash => IoCommand::Write(range, UnitAccess::Forced),
            Load::WriteBuffer => IoCommand::Write(range, UnitAccess::Normal),
        };
        command.emit(Header { cid: slot as u16, nsid: 1, data })
    };
    (0..PAGES).map(&mut command).collect()
}

/// Runs a load; returns its time, and that of DRAM, in picoseconds.
fn run(slow: &str, load: Load) -> (u64, u64) {
    let mut bench = bench(slow);
    for first in [0, 100, 200, 300] {
        let commands = commands(&mut bench, first, Load::WriteFlash);
        bench.io(&commands);
    }
    // The buffer holds the last pages that were written, and none of the first.
    let first = if matches!(load, Load::ReadBuffer) { 300 } else { 0 };
    let commands = commands(&mut bench, first, load);
    let (start, before) = (bench.drive.now(), bench.drive.usage().dram_ps);
    let done = bench.io(&commands);
    assert!(done.iter().all(|(_, entry)| entry.status.is_success()));
    let last = done.iter().map(|&(time, _)| time).max().expect("completions");
    (last - start, bench.drive.usage().dram_ps - before)
}

#[test]
fn a_slow_bus_bounds_what_crosses_it() {
    use Load::{ReadBuffer, ReadFlash, WriteBuffer, WriteFlash};
    // How often each page crosses the bus.
    for (slow, load, crossings) in [
        ("memory.dram_bandwidth_mb_s", ReadFlash, 2),
        ("memory.dram_bandwidth_mb_s", WriteFlash, 2),
        ("memory.dram_bandwidth_mb_s", ReadBuffer, 1),
        ("memory.dram_bandwidth_mb_s", WriteBuffer, 1),
        ("memory.interconnect_bandwidth_mb_s", ReadFlash, 2),
        ("memory.interconnect_bandwidth_mb_s", WriteFlash, 2),
        ("memory.data_bus_bandwidth_mb_s", ReadFlash, 1),
        ("memory.data_bus_bandwidth_mb_s", WriteFlash, 1),
        ("host.link_bandwidth_mb_s", ReadFlash, 1),
        ("host.link_bandwidth_mb_s", WriteFlash, 1),
        ("host.bus_bandwidth_mb_s", ReadBuffer, 1),
        ("host.bus_bandwidth_mb_s", WriteBuffer, 1),
    ] {
        let (took, dram) = run(slow, load);
        // On the side of the flash a page has its metadata.
        let of_flash = matches!(load, ReadFlash | WriteFlash) && slow.starts_with("memory.");
        let least = PAGES * (crossings * PAGE_PS + u64::from(of_flash) * METADATA_PS);
        let what = format!("{load:?} with {slow}={SLOW}: {took} ps for {least} ps of the bus");
        println!("{what}");
        assert!(took >= least, "{what}");
        // A page's way to and from the bus comes on top, and what the bus waits for at the start.
        assert!(took < least * 3 / 2 + 3_000_000_000, "{what}");
        if slow.starts_with("memory.dram") || slow.starts_with("memory.interconnect") {
            assert_eq!(dram, least, "{what}");
        }
    }
}

#[test]
fn a_transfer_is_over_when_its_last_byte_has_crossed_the_link() {
    for load in [Load::ReadBuffer, Load::WriteBuffer] {
        let mut bench = bench("host.link_bandwidth_mb_s");
        let fill = commands(&mut bench, 0, Load::WriteBuffer);
        bench.io(&fill[..1]);
        let command = commands(&mut bench, 0, load)[0];
        let start = bench.drive.now();
        let (time, _) = bench.io(&[command])[0];
        let took = time - start;
        assert!(took >= PAGE_PS, "{load:?}: {took} ps for a page of {PAGE_PS} ps on the link");
        assert!(took < PAGE_PS + 100_000_000, "{load:?}: {took} ps");
    }
}
