//! Drives whose host interface runs reads and writes without firmware: who runs what, when it is done,
//! and what happens around it.

use board::Board;
use contract::AutomatedTraffic;
use machine::{HostMemory, Payload, Polling, Stamp, Stopped};
use nvme::admin::{AdminCommand, EventAfterRead, FormatNvm, GetLogPage, LogPage, SecureErase};
use nvme::command::{DataPointer, Entry, Header};
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::register::{offset, ControllerConfiguration};
use nvme::status::Status;

use torture::bench::{Bench, DATA};

const BLOCK: u64 = 4096;
/// A PRP list.
const LIST: u64 = 0x9_0000;
const MS: u64 = 1_000_000_000;

fn board(overrides: &[(&str, &str)]) -> Board {
    let usual = [("memory.capacity_mib", "64")];
    let set = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let overrides: Vec<_> = usual.iter().chain(overrides).map(set).collect();
    Board::resolve("openexpress", &overrides).expect("the board")
}

fn bench(overrides: &[(&str, &str)]) -> Bench {
    let payload = Payload::Stamps { block_bytes: BLOCK as u32 };
    let mut bench = Bench::new(&board(overrides), payload, Polling::Skip);
    bench.start_once();
    put_list(&mut bench, 64);
    bench
}

/// Commands that the host interface ran.
fn automated(bench: &Bench) -> u64 {
    let AutomatedTraffic { reads, writes, .. } = bench.drive.automated();
    reads + writes
}

fn header(cid: u16) -> Header {
    Header { cid, nsid: 1, data: DataPointer { prp1: DATA, prp2: LIST } }
}

fn range(start: u64, blocks: u32) -> BlockRange {
    BlockRange { start, blocks }
}

/// A list of consecutive pages behind the first.
fn put_list(bench: &mut Bench, pages: u64) {
    for nth in 1..pages {
        let entry = (DATA + nth * BLOCK).to_le_bytes();
        assert!(bench.drive.host_mut().memory.write(LIST + (nth - 1) * 8, &entry));
    }
}

fn reads(count: u16, blocks: u32) -> Vec<Entry> {
    let read = |cid: u16| {
        let start = u64::from(cid) * u64::from(blocks);
        IoCommand::Read(range(start, blocks), UnitAccess::Normal).emit(header(cid))
    };
    (0..count).map(read).collect()
}

/// Time until the last of some commands is seen, from their doorbell.
fn run(bench: &mut Bench, commands: &[Entry]) -> u64 {
    let begun = bench.drive.now();
    let done = bench.io(commands);
    for (_, entry) in &done {
        assert!(entry.status.is_success(), "{entry:?}");
    }
    done.last().expect("a completion").0 - begun
}

#[test]
fn reads_and_writes_that_break_no_rule_run_without_firmware_and_all_else_does_not() {
    let mut own = bench(&[]);
    let mut none = bench(&[("automation.commands", "none")]);
    let last = 64 * 256;
    let read = |range| IoCommand::Read(range, UnitAccess::Normal).emit(header(1));
    let write = |range| IoCommand::Write(range, UnitAccess::Forced).emit(header(1));
    let pointing = |prp1, prp2| Header { data: DataPointer { prp1, prp2 }, ..header(1) };
    let at = |prp1, prp2, blocks| {
        IoCommand::Read(range(0, blocks), UnitAccess::Normal).emit(pointing(prp1, prp2))
    };
    let purpose = DatasetUse::Deallocate;
    let nobody = 1 << 40;
    let sound = [read(range(0, 8)), write(range(last - 3, 3)), at(DATA + 512, LIST, 8)];
    let others = [
        ("beyond the end", read(range(last - 3, 4))),
        ("beyond all numbers", write(range(u64::MAX, 1))),
        ("longer than the most", read(range(0, 257))),
        (
            "another namespace",
            IoCommand::Read(range(0, 1), UnitAccess::Normal).emit(Header { nsid: 2, ..header(1) }),
        ),
        ("fused", read(range(0, 1)).with(0, read(range(0, 1)).dword(0) | 1 << 8)),
        ("first pointer not on a dword", at(DATA + 2, LIST, 1)),
        ("second pointer not on a page", at(DATA, LIST + 8, 2)),
        ("list not on a word", at(DATA, LIST + 4, 3)),
        ("list that is not there", at(DATA, nobody, 3)),
        ("data that are not there", at(nobody, 0, 1)),
        ("data whose second half is not there", at(DATA, nobody, 2)),
        ("flush", IoCommand::Flush.emit(header(1))),
        ("compare", IoCommand::Compare(range(0, 2), UnitAccess::Normal).emit(header(1))),
        ("zeroes", IoCommand::WriteZeroes(range(0, 2), UnitAccess::Normal).emit(header(1))),
        ("ranges", IoCommand::DatasetManagement { ranges: 1, purpose }.emit(header(1))),
        ("no opcode", Entry::new(0x7f, header(1))),
    ];
    for bench in [&mut own, &mut none] {
        let mut bytes = [0; Range::BYTES];
        Range { attributes: 0, blocks: 1, start: 5 }.emit(&mut bytes);
        assert!(bench.drive.host_mut().memory.write(DATA, &bytes));
    }
    for (nth, command) in (1..).zip(sound) {
        for bench in [&mut own, &mut none] {
            assert!(bench.io(&[command])[0].1.status.is_success());
        }
        assert_eq!(automated(&own), nth);
    }
    for (what, command) in others {
        let [a, b] = [&mut own, &mut none].map(|bench| bench.io(&[command])[0].1.status);
        assert_eq!(a, b, "{what}");
        assert_eq!(automated(&own), 3, "{what}: {a}");
    }
    assert_eq!(automated(&none), 0);
}

/// The stage of data takes 2 us and a chunk on each channel: nothing is faster than that, and commands
/// that wait for each other cost no more.
#[test]
fn several_commands_are_under_way_at_once_and_none_is_faster_than_its_stage() {
    let stage = 2_000 + 128_000 + 2 * 150_000;
    let times = [("automation.task_us", "0"), ("automation.task_cycles", "0")];
    for (task_us, stage) in [("0.13", stage - 2_000), ("2", 2_000_000 + 300_000)] {
        let mut bench = bench(&[times[1], ("automation.task_us", task_us)]);
        let alone = run(&mut bench, &reads(1, 1));
        let many = run(&mut bench, &reads(100, 1));
        let bound = 99 * stage;
        // A link of 7,150 MB/s carries 4 KiB in 573 ns.
        let bound = bound.max(99 * 572_867);
        assert!(many >= bound, "{many} ps for 100, at least {bound}");
        assert!(many <= bound + alone, "{many} ps for 100 and {alone} for one");
    }
}

#[test]
fn memory_channels_work_side_by_side_and_bound_what_comes_through() {
    // 8 chunks of 2 us each.
    for (channels, turns) in [("1", 8), ("2", 4), ("4", 2), ("8", 1), ("16", 1)] {
        let set = [
            ("memory.channels", channels),
            ("memory.chunk_latency_ns", "2000"),
            ("automation.task_us", "0"),
        ];
        let mut bench = bench(&set);
        let alone = run(&mut bench, &reads(1, 1));
        let many = run(&mut bench, &reads(50, 1)) as f64 / 1e6;
        let bound = f64::from(50 * turns * 2);
        assert!(
            many > bound && many < bound + 50.0 * 0.2 + alone as f64 / 1e6,
            "{channels}: {many} us"
        );
        let busy: u64 = bench.drive.usage().booked_buses_ps().iter().sum();
        assert_eq!(busy, 51 * 8 * 2_000_000, "{channels} channels");
    }
}

#[test]
fn the_clock_of_the_hardware_counts() {
    let mhz = |clock| run(&mut bench(&[("automation.clock_mhz", clock)]), &reads(100, 8));
    let (slow, fast) = (mhz("150"), mhz("250"));
    // 32 KiB in beats of 32 bytes: 1,024 cycles each, of which the faster link leaves 7,150 MB/s.
    assert!(slow >= 100 * 1024 * 6_666, "{slow}");
    assert!(fast >= 100 * 4_582_936 && fast < slow * 7 / 10, "{fast} and {slow}");
}

#[test]
fn a_read_passes_a_long_write_before_it() {
    let mut bench = bench(&[("automation.chunk_cycles", "250")]);
    let write = IoCommand::Write(range(100, 64), UnitAccess::Normal).emit(header(1));
    let read = IoCommand::Read(range(0, 1), UnitAccess::Normal).emit(header(2));
    let done = bench.io(&[write, read]);
    assert_eq!([done[0].1.cid, done[1].1.cid], [2, 1]);
    assert!(done[1].0 > done[0].0 + 400_000_000, "512 chunks of a microsecond: {done:?}");
}

/// Eight chunks of 20 us of each command, on a channel of one port or of two.
#[test]
fn data_go_both_ways_at_once_where_each_has_a_mover() {
    let both = |movers| {
        let memory = [("memory.channels", "1"), ("memory.chunk_latency_ns", "20000")];
        let mut bench = bench(&[memory[0], memory[1], ("automation.movers", movers)]);
        let write = IoCommand::Write(range(100, 1), UnitAccess::Normal).emit(header(1));
        let read = IoCommand::Read(range(0, 1), UnitAccess::Normal).emit(header(2));
        run(&mut bench, &[write, read]) as f64 / 1e6
    };
    let [one, each] = ["one", "each-way"].map(both);
    assert!((320.0..360.0).contains(&one), "one after the other: {one} us");
    assert!((160.0..200.0).contains(&each), "side by side: {each} us");
}

/// Eight units of 41 us, of which two have left when the entry is fetched: as many again as the ring holds were asked for before it.
#[test]
fn an_entry_waits_behind_data_that_the_ring_has_asked_for() {
    let ended = |ring| {
        let link = ("host.link_bandwidth_mb_s", "100");
        let late = ("host.fetch_interval_us", "100");
        let mut bench = bench(&[link, late, ("host.fetch_behind_bytes", ring)]);
        let begun = bench.drive.now();
        let write = IoCommand::Write(range(100, 8), UnitAccess::Normal).emit(header(1));
        let read = IoCommand::Read(range(0, 1), UnitAccess::Normal).emit(header(2));
        let done = bench.io(&[write, read]);
        let read = done.iter().find(|(_, entry)| entry.cid == 2).expect("the read ends");
        (read.0 - begun) as f64 / 1e6
    };
    let nobody_waits = ended("0");
    let unit = 40.96;
    for (ring, units) in [("4096", 3.0), ("16384", 6.0), ("65536", 8.0)] {
        // The first unit is asked for some microseconds behind the fetch of its command.
        let (later, least) = (ended(ring) - nobody_waits, units * unit - 100.0);
        assert!(
            (least..least + 8.0).contains(&later),
            "{ring} bytes: {later} us, from {least} us on"
        );
    }
}

#[test]
fn causes_of_commands_without_firmware_add_up_and_lie_in_the_host_interface() {
    let mut bench = bench(&[]);
    run(&mut bench, &reads(30, 4));
    for times in std::mem::take(&mut bench.drive.host_mut().times).into_iter().skip(2) {
        assert_eq!(times.inside.total(), times.posted_ps - times.fetched_ps);
        let [interface, firmware, storage] = times.inside.by_part();
        assert!(interface > 0 && (firmware, storage) == (0, 0), "{times:?}");
    }
}

/// Queue deleted while its commands run: all of them complete first.
#[test]
fn a_queue_is_gone_only_when_what_ran_for_it_is_complete() {
    let mut bench = bench(&[("automation.task_us", "500")]);
    bench.create_pair(2, (128, 128));
    bench.submit(2, &reads(20, 1));
    // All are fetched in that time, and few have come through.
    let due = bench.drive.now() + 50_000_000;
    bench.drive.run_to(due, |_| false);
    bench.delete_pair(2);
    let seen = &bench.drive.host().seen;
    assert_eq!(seen.len(), 20, "all complete before the deletion");
    assert!(seen.iter().all(|(_, entry)| entry.status.is_success()));
    assert!(bench.drive.now() > due + 9 * MS, "the deletion waited");
}

#[test]
fn a_reset_drops_what_runs_and_automation_begins_anew() {
    let mut bench = bench(&[("automation.task_us", "500")]);
    bench.submit(1, &reads(20, 1));
    let due = bench.drive.now() + 50_000_000;
    bench.drive.run_to(due, |_| false);
    bench.restart();
    assert!(bench.drive.now() < due + MS, "nothing is waited for");
    assert!(bench.drive.host().seen.is_empty());
    let before = automated(&bench);
    run(&mut bench, &reads(100, 1));
    assert_eq!(automated(&bench), before + 100, "tags came back, and the mode is on again");
}

#[test]
fn commands_that_come_after_a_shutdown_are_refused_though_hardware_could_run_them() {
    let mut bench = bench(&[("automation.task_us", "500")]);
    bench.submit(1, &reads(10, 1));
    let due = bench.drive.now() + 50_000_000;
    bench.drive.run_to(due, |_| false);
    bench.drive.registers(|_, registers| {
        let down = ControllerConfiguration::started(0).shut_down();
        registers.write32(offset::CC, down.0);
    });
    assert_eq!(bench.drive.run(|_| false), Stopped::Quiet);
    assert_eq!(bench.drive.host().seen.len(), 10, "what ran came to its end");
    assert!(bench.drive.now() > due + 4 * MS, "the shutdown waited");
    let before = automated(&bench);
    bench.drive.host_mut().seen.clear();
    let done = bench.io(&reads(1, 1));
    assert!(done[0].1.status.is(Status::ABORTED_POWER_LOSS), "{}", done[0].1.status);
    assert_eq!(automated(&bench), before);
}

/// A format waits for what runs, refuses what comes, leaves zeroes, and the new format counts.
#[test]
fn a_format_has_the_drive_to_itself() {
    let mut bench = bench(&[("automation.task_us", "500"), ("memory.capacity_mib", "1")]);
    let stamps: Vec<Stamp> = (0..8).map(|lba| Stamp::new(lba, 3)).collect();
    bench.write(0, &stamps);
    bench.submit(1, &reads(10, 1));
    let due = bench.drive.now() + 50_000_000;
    bench.drive.run_to(due, |_| false);
    let before = automated(&bench);
    let format = FormatNvm { format: 0, protection: 0, erase: SecureErase::None };
    let header = Header { cid: 9, nsid: 1, ..Header::default() };
    bench.submit(0, &[AdminCommand::FormatNvm(format).emit(header)]);
    let due = bench.drive.now() + 50_000_000;
    bench.drive.run_to(due, |_| false);
    let late = IoCommand::Read(range(0, 1), UnitAccess::Normal).emit(self::header(99));
    bench.submit(1, &[late]);
    assert_eq!(bench.drive.run(|_| false), Stopped::Quiet);
    let seen: Vec<_> = bench.drive.host_mut().seen.drain(..).map(|(_, entry)| entry).collect();
    assert_eq!(seen.len(), 12);
    for entry in &seen {
        let refused = entry.cid == 99;
        assert_eq!(entry.status.is(Status::FORMAT_IN_PROGRESS), refused, "{entry:?}");
        assert!(refused || entry.status.is_success(), "{entry:?}");
    }
    let place = |cid| seen.iter().position(|entry| entry.cid == cid).expect("it completed");
    assert!(place(9) > 9, "the format waits for what ran: {seen:?}");
    assert_eq!(automated(&bench), before);
    assert_eq!(bench.read(0, 8), Ok(vec![Stamp::ZERO; 8]));
    assert_eq!(automated(&bench), before + 1, "the mode is on again");
}

/// An entry that is there as soon as it is fetched is taken in the register read that found it.
#[test]
fn a_fetch_that_takes_no_time_is_no_trouble_to_the_firmware() {
    let none = ("automation.commands", "none");
    let mut bench =
        bench(&[none, ("host.fetch_latency_us", "0"), ("host.doorbell_latency_us", "0")]);
    run(&mut bench, &reads(100, 1));
    run(&mut bench, &reads(100, 4));
}

#[test]
fn health_counts_what_ran_without_firmware() {
    let mut bench = bench(&[]);
    run(&mut bench, &reads(100, 4));
    bench.write(0, &[Stamp::new(0, 2)]);
    let log = GetLogPage {
        page: LogPage::Health,
        event: EventAfterRead::Cleared,
        offset: 0,
        length: 512,
    };
    bench.admin(AdminCommand::GetLogPage(log), DATA);
    let mut bytes = [0; 512];
    assert!(bench.drive.host_mut().memory.read(DATA, &mut bytes));
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    // NVMe 1.4 figure 194: data units read and written, host read and write commands.
    assert_eq!([64, 80].map(number), [100, 1]);
    assert_eq!([32, 48].map(number), [4, 1], "3,200 and 8 sectors, in thousands");
}
