//! Skipping idle polls changes nothing, to the picosecond.

use board::Board;
use contract::Module;
use machine::{HostMemory, Payload, Polling, Stamp, Stopped, Usage};
use nvme::admin::{AdminCommand, FormatNvm, IdentifyStructure, SecureErase};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::CompletionEntry;
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::register::{offset, ControllerConfiguration};
use torture::bench::{Bench, Sending, DATA};
use torture::draw::Draw;

/// A load with idle stretches, DMA, flash, collection and flushes; returns what a user could see.
fn load(
    (overrides, rounds): (&[(&str, &str)], u64),
    polling: Polling,
) -> (Vec<u64>, Usage, firmware::ftl::Counters) {
    let overrides: Vec<_> =
        overrides.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let board = Board::resolve("small", &overrides).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, polling);
    bench.start_once();
    let blocks = u64::from(board.firmware.logical_pages) * 4;
    let mut times = Vec::new();
    for nth in 0..rounds {
        let lba = nth * 7919 * 4 % (blocks / 8);
        let stamps: Vec<Stamp> = (lba..lba + 1 + nth % 9).map(|l| Stamp::new(l, 1)).collect();
        bench.write(lba, &stamps);
        times.push(bench.drive.now());
        bench.read(lba / 2, 1 + nth as usize % 5).expect("readable");
        times.push(bench.drive.now());
    }
    (times, bench.drive.usage(), bench.drive.firmware().counters())
}

#[test]
fn skipping_is_exact() {
    skips_exactly(&[], 1_500);
}

#[test]
fn skipping_is_exact_where_ways_are_asked_for_their_status() {
    let asked = ("channel.status_poll_us", "3");
    skips_exactly(&[asked], 1_000);
    let scheduling = [("channel.scheduler", "controller"), ("channel.execution", "out-of-order")];
    skips_exactly(&[&scheduling[..], &[asked]].concat(), 1_000);
}

#[test]
fn skipping_is_exact_where_channels_schedule() {
    for execution in ["sequential", "decoupled", "out-of-order"] {
        let scheduling = [("channel.scheduler", "controller"), ("channel.execution", execution)];
        skips_exactly(&scheduling, 1_500);
    }
}

/// Ways to divide a drive of two channels between cores.
const DIVISIONS: [&str; 5] = [
    "host, ftl; channels",
    "host; ftl, channels",
    "host, channels; ftl",
    "channels 1; ftl; host; channels 0",
    "ftl, channels 0; host, channels 1",
];

#[test]
fn skipping_is_exact_on_several_cores() {
    for cores in DIVISIONS {
        for latency in ["0", "700"] {
            let division = [
                ("processor.cores", cores),
                ("processor.message_latency_ns", latency),
                ("host.completer", "firmware"),
            ];
            skips_exactly(&division, 150);
        }
    }
}

fn skips_exactly(overrides: &[(&str, &str)], rounds: u64) {
    let load = |polling| load((overrides, rounds), polling);
    let (skipped, exact) = (load(Polling::Skip), load(Polling::Exact));
    let differs = skipped.0.iter().zip(&exact.0).position(|(a, b)| a != b);
    assert_eq!(differs, None, "first completion whose time differs");
    for (module, (a, b)) in
        Module::ALL.iter().zip(skipped.1.module_ps.iter().zip(exact.1.module_ps))
    {
        assert_eq!(*a, b, "time of the {}", module.name());
    }
    assert_eq!(skipped.1, exact.1);
    assert_eq!(skipped.2, exact.2);
    assert!(skipped.1.idle_ps > skipped.1.now_ps / 2, "there were idle polls to skip");
}

/// Where the list of a Dataset Management command stands.
const RANGES: u64 = 0x2_0000;

/// A command of any kind, some of them wrong.
fn any_io(draw: &mut Draw, blocks: u64) -> Entry {
    let count = 1 + draw.below(4);
    let data = DATA + draw.below(64) * 16_384;
    let header = |prp1| Header { cid: 5, nsid: 1, data: DataPointer { prp1, prp2: 0 } };
    let range = |blocks: u64, lba| BlockRange { start: lba, blocks: blocks as u32 };
    let lba = draw.below(blocks - count);
    let access = if draw.below(8) == 0 { UnitAccess::Forced } else { UnitAccess::Normal };
    match draw.below(16) {
        0..=6 => IoCommand::Read(range(1, lba), access).emit(header(data)),
        7..=10 => IoCommand::Write(range(1, lba), access).emit(header(data)),
        11 => IoCommand::WriteZeroes(range(count, lba), access).emit(header(0)),
        12 => IoCommand::Compare(range(1, lba), access).emit(header(data)),
        13 => {
            let purpose = DatasetUse::Deallocate;
            IoCommand::DatasetManagement { ranges: 2, purpose }.emit(header(RANGES))
        }
        14 => IoCommand::Read(range(1, u64::MAX - 9), access).emit(header(data)),
        _ => IoCommand::Flush.emit(header(0)),
    }
}

fn any_admin(draw: &mut Draw) -> Entry {
    let header = |nsid| Header { cid: 6, nsid, data: DataPointer { prp1: RANGES + 8192, prp2: 0 } };
    match draw.below(8) {
        0 => {
            let format = FormatNvm { format: 0, protection: 0, erase: SecureErase::None };
            AdminCommand::FormatNvm(format).emit(header(1))
        }
        1..=5 => AdminCommand::Identify(IdentifyStructure::Controller).emit(header(0)),
        _ => AdminCommand::Abort { queue: 1, cid: 5 }.emit(header(0)),
    }
}

/// Lets a drive come to rest.
fn rest(bench: &mut Bench) {
    const LONGEST_PS: u64 = 200_000_000_000;
    let due = bench.drive.now() + LONGEST_PS;
    let stopped = bench.drive.run_to(due, |_| false);
    assert_eq!(stopped, Stopped::Quiet, "after 200 ms the drive still has something to do");
}

type Sight = (Vec<(u64, CompletionEntry)>, Vec<u64>, Usage, firmware::ftl::Counters);

/// Many commands of all kinds at once, looked at and overtaken at any time.
fn crowd(seed: u64, overrides: &[(&str, &str)], polling: Polling) -> Sight {
    let overrides: Vec<_> =
        overrides.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let board = Board::resolve("small", &overrides).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, polling);
    bench.start_once();
    // A part of the drive, so that commands meet on pages.
    let blocks = u64::from(board.firmware.logical_pages);
    let mut draw = Draw(seed);
    for nth in 0..2 {
        let mut bytes = [0; Range::BYTES];
        Range { attributes: 0, blocks: 1 + nth, start: nth.into() }.emit(&mut bytes);
        assert!(bench.drive.host_mut().memory.write(RANGES + u64::from(nth) * 16, &bytes));
    }
    let (mut seen, mut times, mut sent) = (Vec::new(), Vec::new(), 0);
    for turn in 0..120 {
        match draw.below(24) {
            0 => {
                bench.submit(0, &[any_admin(&mut draw)]);
                sent += 1;
            }
            1 => {
                seen.extend(bench.drive.host_mut().seen.drain(..));
                bench.restart();
                sent = 0;
            }
            _ => {
                let most = if draw.below(3) == 0 { 40 } else { 3 };
                let count = 1 + draw.below(most);
                let commands: Vec<_> = (0..count).map(|_| any_io(&mut draw, blocks)).collect();
                bench.submit(1, &commands);
                sent += commands.len();
            }
        }
        let longest = if draw.below(4) == 0 { 3_000_000_000 } else { 90_000_000 };
        let due = bench.drive.now() + draw.below(longest);
        bench.drive.run_to(due, |_| false);
        times.push(bench.drive.now());
        if turn % 3 == 2 {
            // Not for the rings to overflow, and because a drive at rest must have nothing to do.
            rest(&mut bench);
            let done = bench.drive.host_mut().seen.drain(..);
            assert_eq!(done.len(), sent, "seed {seed} {overrides:?} turn {turn}: commands done");
            seen.extend(done);
            sent = 0;
        }
    }
    let down = ControllerConfiguration::started(0).shut_down();
    bench.drive.registers(|_, registers| registers.write32(offset::CC, down.0));
    rest(&mut bench);
    let status = bench.drive.registers(|_, registers| registers.read32(offset::CSTS));
    assert_eq!(status >> 2 & 3, 2, "the shutdown came to its end");
    seen.extend(bench.drive.host_mut().seen.drain(..));
    (seen, times, bench.drive.usage(), bench.drive.firmware().counters())
}

#[test]
fn skipping_is_exact_in_a_crowd_on_several_cores() {
    let settings: [&[(&str, &str)]; 5] = [
        &[],
        &[("ftl.cache", "write-through"), ("nvme.dma_requests", "1")],
        &[("errors.program_failures_per_billion", "30000000"), ("ftl.buffer_kib", "256")],
        &[("errors.raw_bits_per_terabit", "1800000000"), ("nvme.command_slots", "16")],
        &[("recovery.log_entries", "8"), ("processor.message_latency_ns", "3000")],
    ];
    for (nth, overrides) in (0..).zip(settings) {
        let cores = [("processor.cores", DIVISIONS[nth]), ("host.completer", "firmware")];
        crowds_exactly(nth as u64, &[overrides, &cores].concat());
    }
}

#[test]
fn skipping_is_exact_in_a_crowd() {
    let boards: [&[(&str, &str)]; 8] = [
        &[],
        &[("ftl.background_flush_percent", "0"), ("ftl.background_collection_pages", "0")],
        &[("channel.request_depth", "1")],
        &[("ftl.cache", "write-through"), ("nvme.dma_requests", "1")],
        &[("errors.program_failures_per_billion", "30000000"), ("ftl.buffer_kib", "256")],
        &[("errors.raw_bits_per_terabit", "1800000000"), ("nvme.command_slots", "16")],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "cache"),
            ("errors.program_failures_per_billion", "30000000"),
        ],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "decoupled"),
            ("errors.raw_bits_per_terabit", "1800000000"),
            ("memory.dram_bandwidth_mb_s", "500"),
        ],
    ];
    for (nth, overrides) in (0..).zip(boards) {
        crowds_exactly(nth, overrides);
    }
}

/// Commands at times that are known beforehand, from a host that is woken for each, or that goes on to it by itself.
fn planned(seed: u64, overrides: &[(&str, &str)], goes_on: bool) -> (Sight, usize) {
    const TICKS_PS: u64 = 256_000;
    let overrides: Vec<_> =
        overrides.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let board = Board::resolve("small", &overrides).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.start_once();
    let blocks = u64::from(board.firmware.logical_pages);
    let mut draw = Draw(seed);
    let mut at = bench.drive.now();
    let mut commands = std::collections::VecDeque::new();
    for _ in 0..150 {
        let longest = if draw.below(3) == 0 { 400_000_000 } else { 9_000_000 };
        at += draw.below(longest);
        commands.push_back((at, 1, any_io(&mut draw, blocks)));
    }
    bench.drive.host_mut().sending = Sending { commands, ticks: TICKS_PS, goes_on };
    bench.drive.wake_host();
    let due = at + 1_000_000_000_000;
    assert_eq!(bench.drive.run_to(due, |_| false), Stopped::Quiet);
    let seen: Vec<_> = bench.drive.host_mut().seen.drain(..).collect();
    let count = seen.len();
    let times = seen.iter().map(|&(at, _)| at).collect();
    ((seen, times, bench.drive.usage(), bench.drive.firmware().counters()), count)
}

/// While a host is woken each 256 ns, no interrupt comes before the drive said so (an assertion of the body); and a host that goes on
/// by itself as far as the drive is quiet finds the same.
#[test]
fn a_host_that_goes_on_by_itself_finds_what_one_finds_that_is_woken() {
    let boards: [&[(&str, &str)]; 6] = [
        &[],
        &[("ftl.cache", "write-through"), ("nvme.dma_requests", "1")],
        &[("errors.program_failures_per_billion", "30000000"), ("ftl.buffer_kib", "256")],
        &[("errors.raw_bits_per_terabit", "1800000000"), ("channel.status_poll_us", "3")],
        &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")],
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "decoupled"),
            ("errors.raw_bits_per_terabit", "1800000000"),
        ],
    ];
    for (nth, overrides) in (0..).zip(boards) {
        for seed in [nth * 3 + 1, nth * 3 + 2, nth * 3 + 3] {
            let [woken, by_itself] = [false, true].map(|goes_on| planned(seed, overrides, goes_on));
            assert_eq!(woken.1, 150, "seed {seed} {overrides:?}: commands done");
            assert_eq!(woken.0 .0, by_itself.0 .0, "seed {seed} {overrides:?}: completions");
            assert_eq!(woken.0 .3, by_itself.0 .3, "seed {seed} {overrides:?}: counters");
            assert_eq!(woken.0 .2, by_itself.0 .2, "seed {seed} {overrides:?}: usage");
        }
    }
}

/// The same crowd finds the same twice.
fn crowds_exactly(nth: u64, overrides: &[(&str, &str)]) {
    for seed in [nth * 2 + 1, nth * 2 + 2] {
        let skipped = crowd(seed, overrides, Polling::Skip);
        let exact = crowd(seed, overrides, Polling::Exact);
        let what = format!("seed {seed} {overrides:?}");
        let differs = skipped.0.iter().zip(&exact.0).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{what}: first completion that differs");
        let differs = skipped.1.iter().zip(&exact.1).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{what}: first look that came at another time");
        assert_eq!(skipped.0.len(), exact.0.len(), "{what}");
        assert_eq!((skipped.2, skipped.3), (exact.2, exact.3), "{what}");
    }
}
