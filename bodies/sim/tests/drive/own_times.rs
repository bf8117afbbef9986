//! Times that some controllers have and others do not: each delays what it is about, by as much as it says.

use board::Board;
use machine::{HostMemory, Payload, Polling};
use nvme::command::{DataPointer, Entry, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};

use torture::bench::{Bench, DATA};

const PAGE_BYTES: u64 = 16_384;
/// A link on which a page takes 819.2 us, and its time in microseconds.
const SLOW_LINK: (&str, &str) = ("host.link_bandwidth_mb_s", "20");
const PAGE_US: f64 = 819.2;

/// What is done to pages of the drive.
#[derive(Clone, Copy, Debug)]
enum Deed {
    ReadFlash,
    ReadBuffer,
    Write,
    Zero,
}

fn bench(overrides: &[(&str, &str)]) -> Bench {
    // Chips take the same time for the same, whenever it is asked for.
    let firmware = [
        ("host.completer", "firmware"),
        ("flash.read_deviation_us", "0"),
        ("flash.program_deviation_us", "0"),
        ("flash.die_deviation_us", "0"),
    ];
    let set: Vec<_> = firmware
        .iter()
        .chain(overrides)
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect();
    let board = Board::resolve("small", &set).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.start_once();
    bench
}

/// A command for so many pages from logical page `first` on, with its PRP list.
fn command(bench: &mut Bench, deed: Deed, (slot, first, pages): (u64, u64, u64)) -> Entry {
    const LISTS: u64 = 0x2_0000;
    let memory = &mut bench.drive.host_mut().memory;
    let (buffer, list) = (DATA + slot * 4 * PAGE_BYTES, LISTS + slot * 256);
    for nth in 1..pages * 4 {
        assert!(memory.write(list + (nth - 1) * 8, &(buffer + nth * 4096).to_le_bytes()));
    }
    let data = DataPointer { prp1: buffer, prp2: list };
    let range = BlockRange { start: first * 4, blocks: pages as u32 * 4 };
    let command = match deed {
        Deed::ReadFlash | Deed::ReadBuffer => IoCommand::Read(range, UnitAccess::Normal),
        Deed::Write => IoCommand::Write(range, UnitAccess::Normal),
        Deed::Zero => IoCommand::WriteZeroes(range, UnitAccess::Normal),
    };
    command.emit(Header { cid: slot as u16, nsid: 1, data })
}

/// Microseconds from when so many commands, of so many pages each, are submitted until each is complete.
fn run(overrides: &[(&str, &str)], deed: Deed, (commands, pages): (u64, u64)) -> Vec<f64> {
    let mut bench = bench(overrides);
    // Pages 0 to 7, then as many others as push them out of the buffer, then what is in it.
    for first in (0..160).chain(300..308) {
        let fill = command(&mut bench, Deed::Write, (0, first, 1));
        bench.io(&[fill]);
    }
    // All that was written is in the chips, and they are at rest.
    bench.sleep(100_000_000_000);
    let first = if matches!(deed, Deed::ReadFlash) { 0 } else { 300 };
    let entries: Vec<Entry> = (0..commands)
        .map(|nth| command(&mut bench, deed, (nth, first + nth * pages, pages)))
        .collect();
    let start = bench.drive.now();
    let done = bench.io(&entries);
    assert!(done.iter().all(|(_, entry)| entry.status.is_success()));
    done.iter().map(|(time, _)| (time - start) as f64 / 1e6).collect()
}

/// By how much a setting delays the last of some commands, in microseconds.
fn delay(key: &str, [without, with]: [&str; 2], (deed, pages): (Deed, u64)) -> f64 {
    let [without, with] =
        [without, with].map(|value| *run(&[(key, value)], deed, (1, pages)).last().expect("one"));
    with - without
}

#[test]
fn each_delays_a_command_by_what_it_says() {
    use Deed::{ReadBuffer, ReadFlash, Zero};
    // A read of the flash is three requests, two of which are answered. A page is 32 accesses of the engine.
    for (key, values, load, expected_us) in [
        ("channel.request_latency_us", ["0", "10"], (ReadFlash, 1), 30.0),
        ("processor.response_registers", ["1", "41"], (ReadFlash, 1), 12.0),
        ("processor.dma_request_registers", ["0", "40"], (ReadBuffer, 1), 4.0),
        ("processor.completion_registers", ["1", "41"], (ReadBuffer, 1), 4.0),
        // The 16 words of a command.
        ("processor.command_register_ns", ["0", "1000"], (ReadBuffer, 1), 16.0),
        // A page goes behind a turn that was asked for halfway through its registers.
        ("channel.mode_turn_us", ["0", "20"], (ReadFlash, 1), 19.0),
        // It is asked once before the page is fetched.
        ("channel.status_latency_us", ["0", "20"], (ReadFlash, 1), 20.0),
        ("processor.store_registers", ["0", "40"], (ReadFlash, 1), 6.0),
        ("processor.store_registers", ["0", "40"], (ReadBuffer, 1), 0.0),
        // When the first command begins, and when the last ends.
        ("processor.time_registers", ["0", "40"], (ReadBuffer, 1), 12.0),
        ("memory.engine_access_ns", ["0", "1000"], (Zero, 1), 32.5),
        // The first unit of a command is named by the command, and takes 2.3 us. The others stand in a list, which is
        // read while the first one moves. A second request reads it again, while the first request waits for it.
        ("host.list_latency_us", ["0", "50"], (ReadBuffer, 1), 47.7),
        ("host.list_latency_us", ["0", "50"], (ReadBuffer, 2), 47.7),
        // A page is four units.
        ("host.dma_unit_overhead_us", ["0", "10"], (ReadBuffer, 1), 40.0),
        ("host.dma_unit_overhead_from_host_us", ["0", "10"], (ReadBuffer, 1), 0.0),
    ] {
        let delay = delay(key, values, load);
        println!("{key}, {load:?}: {delay} us, expected {expected_us}");
        assert!((delay - expected_us).abs() < 3.5, "{key}, {load:?}: {delay} us");
    }
}

/// Each message on a command's way takes its latency, and two jobs on one core send none.
#[test]
fn each_message_on_its_way_delays_a_command_by_its_latency() {
    use Deed::{ReadBuffer, ReadFlash, Write, Zero};
    // What firmware does takes no time, so nobody polls while a message comes.
    let instant: Vec<(String, &str)> = contract::Work::ALL
        .map(|work| (format!("work_instructions.{}", work.name()), "0"))
        .into_iter()
        .chain(
            ["register_read_ns", "register_write_ns", "send_instructions", "receive_instructions"]
                .map(|key| (format!("processor.{key}"), "0")),
        )
        .collect();
    let last = |cores: &str, latency: &str, deed| {
        let division = [("processor.cores", cores), ("processor.message_latency_ns", latency)];
        let instant = instant.iter().map(|(key, value)| (key.as_str(), *value));
        let overrides: Vec<_> = instant.chain(division).collect();
        *run(&overrides, deed, (1, 1)).last().expect("one")
    };
    for (cores, deed, messages) in [
        // The command, its read, the end of that, its DMA, the end of that, the end of the command.
        ("host; ftl; channels", ReadFlash, 6.0),
        ("host; ftl; channels", ReadBuffer, 4.0),
        ("host; ftl; channels", Write, 4.0),
        // The FTL fills the entry itself.
        ("host; ftl; channels", Zero, 2.0),
        ("host, ftl; channels", ReadFlash, 2.0),
        ("host, ftl; channels", ReadBuffer, 0.0),
        ("host; ftl, channels", ReadFlash, 4.0),
        ("host, channels; ftl", ReadFlash, 6.0),
        ("host, ftl, channels", ReadFlash, 0.0),
    ] {
        let at_once = last(cores, "0", deed);
        let delay = last(cores, "7000", deed) - at_once;
        assert!((delay - 7.0 * messages).abs() < 1e-6, "{cores}, {deed:?}: {delay} us");
        assert_eq!(at_once, last("host, ftl, channels", "0", deed), "{cores}, {deed:?}");
    }
}

/// The second entry is fetched while the first one's data move, and comes behind them.
#[test]
fn an_entry_waits_behind_data_from_the_host() {
    let run = |bytes| {
        let key = ("host.fetch_behind_bytes", bytes);
        let late = ("host.fetch_interval_us", "40");
        run(&[SLOW_LINK, late, key], Deed::Write, (2, 1))
    };
    let [without, with] = [run("0"), run("16384")];
    // Data of the second follow those of the first at once, or when the firmware has taken the command.
    assert!((without[1] - without[0] - PAGE_US).abs() < 5.0, "{without:?}");
    let later = with[1] - without[1];
    assert!((4.0..60.0).contains(&later), "{later} us");
    let least = run("2048");
    assert!(least[1] - without[1] < 2.0, "so few data are over before it matters: {least:?}");
}

/// Those of the first page alone are on the link before the list of the others is there, or where the engine has room for no more.
#[test]
fn an_entry_goes_before_data_that_were_not_asked_for_yet() {
    let run = |bytes, list| {
        let keys = [("host.fetch_behind_bytes", bytes), ("host.list_latency_us", list)];
        run(&[SLOW_LINK, ("host.fetch_interval_us", "40"), keys[0], keys[1]], Deed::Write, (2, 1))
    };
    for (bytes, list, waits) in
        [("16384", "0", true), ("16384", "700", false), ("4096", "0", false)]
    {
        let later = run(bytes, list)[1] - run("0", list)[1];
        let expected = if waits { 4.0..60.0 } else { -1.0..1.0 };
        assert!(expected.contains(&later), "{bytes} bytes, list of {list} us: {later} us");
    }
}

/// The engine takes longer for what comes from the host than the link does.
#[test]
fn data_from_the_host_have_an_overhead_of_their_own() {
    let run = |us| run(&[("host.dma_unit_overhead_from_host_us", us)], Deed::Write, (1, 1))[0];
    let longer = run("10") - run("0");
    assert!((longer - 40.0).abs() < 3.5, "four units of 10 us: {longer} us");
}

/// The link takes 204.8 us for a unit and memory 224.8, so that the link is ahead of it by a whole unit from the eighth on.
#[test]
fn data_that_still_arrive_take_longer() {
    let run = |us, ahead, pages| {
        let keys = [
            SLOW_LINK,
            ("host.dma_unit_overhead_from_host_us", "20"),
            ("host.dma_unit_overhead_arriving_us", us),
            ("host.fetch_behind_bytes", ahead),
        ];
        run(&keys, Deed::Write, (1, pages))[0]
    };
    for (ahead, pages, expected) in [("16384", 1, 40.0), ("16384", 4, 70.0), ("0", 4, 0.0)] {
        let longer = run("10", ahead, pages) - run("0", ahead, pages);
        assert!((longer - expected).abs() < 3.5, "{ahead} bytes, {pages} pages: {longer} us");
    }
}

/// The first completion waits until the unit is over that moves of the second command.
#[test]
fn a_completion_waits_behind_data_to_the_host() {
    let run = |bytes| {
        let key = ("host.completion_behind_bytes", bytes);
        run(&[SLOW_LINK, key], Deed::ReadBuffer, (2, 1))
    };
    let [without, with, unit] = [run("0"), run("16384"), run("4096")];
    assert!(with[0] - without[0] > PAGE_US - 20.0, "{without:?} {with:?}");
    let turn = unit[0] - without[0];
    // The message has a turn of its own, behind the completion.
    assert!((PAGE_US / 2.0 - 20.0..PAGE_US / 2.0 + 1.0).contains(&turn), "{turn} us");
    // Nothing goes before the last one.
    assert!((with[1] - without[1]).abs() < 1.0, "{without:?} {with:?}");
}

/// One completion has its turn at a time, be it that no data move.
#[test]
fn completions_go_one_after_the_other() {
    let run = |us| {
        let keys = [("host.completion_behind_bytes", "4096"), ("host.completion_interval_us", us)];
        run(&keys, Deed::ReadBuffer, (4, 1))
    };
    let [without, with] = [run("0"), run("50")];
    let between = (with[3] - with[0]) / 3.0;
    assert!((between - 50.0).abs() < 2.0, "{without:?} {with:?}");
}
