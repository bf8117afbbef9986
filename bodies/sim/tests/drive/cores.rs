//! Firmware divided between cores: how much more of a fast drive it keeps busy, and that a run can be repeated.

use board::Board;
use firmware::ftl::precondition::Precondition;
use machine::{HostMemory, Payload, Polling, Usage};
use nvme::command::{DataPointer, Entry, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use torture::bench::{Bench, DATA};
use torture::draw::Draw;

/// One core, and more and more of them.
const DIVISIONS: [&str; 4] = [
    "host, ftl, channels",
    "host, ftl; channels",
    "host; ftl; channels 0-7; channels 8-15",
    "host; ftl; channels 0-3; channels 4-7; channels 8-11; channels 12-15",
];

/// Reads of so many bytes, so many at a time and so many in all.
#[derive(Clone, Copy)]
struct Reads {
    bytes: u64,
    depth: u64,
    count: u64,
}

const SEQUENTIAL: Reads = Reads { bytes: 131_072, depth: 60, count: 4_000 };
const RANDOM: Reads = Reads { bytes: 4096, depth: 120, count: 10_000 };

/// A drive whose pages were all written in order.
fn full(cores: &str, polling: Polling) -> Bench {
    let set = [("processor.cores".to_owned(), cores.to_owned())];
    let board = Board::resolve("fast-16x4", &set).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, polling);
    bench.drive.precondition(Precondition::Sequential);
    bench.start_once();
    bench
}

/// The read of a slot that comes next.
fn read(bench: &mut Bench, Reads { bytes, .. }: Reads, (slot, block): (u64, u64)) -> Entry {
    const LISTS: u64 = 0x2_0000;
    let memory = &mut bench.drive.host_mut().memory;
    let (buffer, list) = (DATA + slot * bytes, LISTS + slot * 256);
    for nth in 1..bytes / 4096 {
        assert!(memory.write(list + (nth - 1) * 8, &(buffer + nth * 4096).to_le_bytes()));
    }
    let prp2 = if bytes > 4096 { list } else { 0 };
    let range = BlockRange { start: block, blocks: (bytes / 4096) as u32 };
    let data = DataPointer { prp1: buffer, prp2 };
    IoCommand::Read(range, UnitAccess::Normal).emit(Header { cid: slot as u16, nsid: 1, data })
}

/// Keeps reads under way: when each completed, from the first submission on, and where the drive's time went.
fn run(bench: &mut Bench, reads: Reads, mut block: impl FnMut(u64) -> u64) -> (Vec<u64>, Usage) {
    let (mut times, mut sent, start) = (Vec::new(), 0, bench.drive.now());
    let mut free: Vec<u64> = (0..reads.depth).collect();
    while times.len() < reads.count as usize {
        while let Some(slot) = free.pop().filter(|_| sent < reads.count) {
            let entry = read(bench, reads, (slot, block(sent)));
            bench.submit(1, &[entry]);
            sent += 1;
        }
        bench.drive.run(|host| !host.seen.is_empty());
        for (time, entry) in bench.drive.host_mut().seen.drain(..) {
            assert!(entry.status.is_success(), "{entry:?}");
            times.push(time - start);
            free.push(entry.cid.into());
        }
    }
    (times, bench.drive.usage())
}

fn sequential(cores: &str, polling: Polling) -> (Vec<u64>, Usage) {
    run(&mut full(cores, polling), SEQUENTIAL, |nth| nth * SEQUENTIAL.bytes / 4096)
}

fn random(cores: &str, polling: Polling) -> (Vec<u64>, Usage) {
    let mut draw = Draw(7);
    // A tenth of the drive is far more than its buffer.
    run(&mut full(cores, polling), RANDOM, |_| draw.below(20_000_000))
}

/// What no drive of the board exceeds, worked out by hand from its values, in bytes a second and reads a second.
struct Ceilings {
    sequential: f64,
    random: f64,
    /// Random reads with the host side on a core of its own.
    host_core: f64,
}

fn ceilings() -> Ceilings {
    // Of the link 4,096 bytes take 4,096 / 6,900 us, and a descriptor 0.02 us.
    let link: f64 = 4096.0 / (4096.0 / 6900e6 + 0.02e-6);
    // A page and its spare area take 18,048 / 1,200 us of a bus, its requests 0.3 + 0.3 + 0.5 us.
    let buses = 16.0 * 16_384.0 / (18_048.0 / 1200e6 + 1.1e-6);
    // A die is read for 40 us, and then its data and their parity move.
    let dies: f64 = 64.0 / (40e-6 + 4096.0 / 1200e6 + 1.1e-6);
    // Decoded, completed, a DMA issued, two messages sent and two taken, 1.09 cycles of a ns for an instruction.
    let instructions = 500.0 + 200.0 + 150.0 + 2.0 * 40.0 + 2.0 * 60.0;
    // 17 reads for the command, 3 writes for the DMA and one for the completion.
    let registers_ns = 17.0 * 150.0 + 4.0 * 100.0;
    let host_core = 1e9 / (instructions * 1.09 + registers_ns);
    Ceilings { sequential: link.min(buses), random: dies.min(link / 4096.0), host_core }
}

#[test]
fn more_cores_read_faster_and_below_the_ceiling() {
    let ceilings = ceilings();
    let busiest = |usage: &Usage| {
        let idle = usage.cores.iter().map(|core| core.idle_ps).min().unwrap_or(usage.idle_ps);
        100.0 * (1.0 - idle as f64 / usage.now_ps as f64)
    };
    let rate = |times: &[u64], bytes: u64| {
        let span_ps = *times.last().expect("reads");
        times.len() as f64 * bytes as f64 / (span_ps as f64 / 1e12)
    };
    println!("cores  sequential 128 KiB  busiest core  random 4 KiB  busiest core");
    let measure = |cores: &str| {
        let (times, in_order) = sequential(cores, Polling::Skip);
        let bandwidth = rate(&times, SEQUENTIAL.bytes);
        let (times, at_random) = random(cores, Polling::Skip);
        let reads = rate(&times, 1);
        println!(
            "{:5}  {:13.0} MB/s  {:10.1} %  {:9.0} /s  {:10.1} %",
            cores.split(';').count(),
            bandwidth / 1e6,
            busiest(&in_order),
            reads,
            busiest(&at_random)
        );
        (bandwidth, reads)
    };
    let measured = DIVISIONS.map(measure);
    let Ceilings { sequential, random, host_core } = ceilings;
    println!("ceiling {:12.0} MB/s                {:9.0} /s", sequential / 1e6, random);
    println!("of a core for the host side alone         {host_core:9.0} /s");
    for (bandwidth, reads) in measured {
        assert!(bandwidth < sequential && reads < random, "{bandwidth} {reads}");
    }
    for pair in measured.windows(2) {
        assert!(pair[1].0 > 1.2 * pair[0].0, "a core more, and little faster: {pair:?}");
    }
    assert!(measured[1].1 > 1.5 * measured[0].1, "{measured:?}");
    assert!(
        measured[3].0 > 0.95 * sequential,
        "the link is not what limits six cores: {measured:?}"
    );
    // More cores for channels do not help the one of the host side.
    for (_, reads) in &measured[2..] {
        assert!((0.95 * host_core..host_core).contains(reads), "{reads} of {host_core}");
    }
}

#[test]
fn a_run_on_several_cores_can_be_repeated_to_the_picosecond() {
    let cores = DIVISIONS[3];
    let first = random(cores, Polling::Skip);
    assert_eq!(random(cores, Polling::Skip), first);
    assert_eq!(random(cores, Polling::Exact), first);
    assert_ne!(random(DIVISIONS[2], Polling::Skip).0, first.0);
}

/// Each core's time is told, and all of it: what its modules took, and its idle polls.
#[test]
fn the_time_of_each_core_adds_up() {
    let (_, usage) = random(DIVISIONS[2], Polling::Skip);
    assert_eq!(usage.cores.len(), 4);
    for core in &usage.cores {
        let all = core.module_ps.iter().sum::<u64>() + core.idle_ps;
        // Cores are never further apart than a turn.
        assert!(all.abs_diff(usage.now_ps) < 100_000_000, "{all} of {}", usage.now_ps);
    }
    let sum = |of: fn(&machine::CoreTime) -> u64| usage.cores.iter().map(of).sum::<u64>();
    assert_eq!(usage.idle_ps, sum(|core| core.idle_ps));
    assert_eq!(usage.module_ps.iter().sum::<u64>(), sum(|core| core.module_ps.iter().sum()));
    let works =
        |nth: usize, module: contract::Module| usage.cores[nth].module_ps[module as usize] > 0;
    assert!(
        works(0, contract::Module::NvmeManager) && !works(0, contract::Module::PriorityManager)
    );
    assert!(
        works(1, contract::Module::AddressTranslator)
            && !works(2, contract::Module::AddressTranslator)
    );
    assert!(
        works(2, contract::Module::PriorityManager) && works(3, contract::Module::PriorityManager)
    );
}
