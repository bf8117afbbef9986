//! A copy of a drive does what the drive does, and neither knows of the other.

use board::Board;
use machine::{EntryWaits, Payload, Polling, Stopped, Usage};
use nvme::command::Entry;
use nvme::completion::CompletionEntry;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use sim::{Drive, Media, Options};
use torture::bench::{Bench, DATA};
use torture::draw::Draw;

/// Commands between two looks at what has come.
const AT_ONCE: usize = 24;
/// Host memory behind all data.
const LOOKED_AT: usize = DATA as usize + (8 << 20);

/// Writes, forced ones among them, reads and deallocations within so many blocks.
fn commands(bench: &mut Bench, draw: &mut Draw, blocks: u64) -> Vec<Entry> {
    let one = |_| {
        let count = 1 + draw.below(8);
        let range = BlockRange { start: draw.below(blocks - count), blocks: count as u32 };
        let access = draw.one_of(&[UnitAccess::Normal, UnitAccess::Normal, UnitAccess::Forced]);
        let command = match draw.below(8) {
            0..=4 => IoCommand::Write(range, access),
            5 | 6 => IoCommand::Read(range, access),
            _ => IoCommand::WriteZeroes(range, access),
        };
        command.emit(bench.data(count as usize))
    };
    (0..AT_ONCE).map(one).collect()
}

/// All that a host sees of a drive, and what it does from then on.
#[derive(PartialEq, Eq, Debug)]
struct Seen {
    completions: Vec<(u64, CompletionEntry)>,
    memory: Vec<u8>,
    usage: String,
}

/// Lets all that is under way end, and then more of the same.
fn go_on(bench: &mut Bench, seed: u64, blocks: u64) -> Seen {
    let mut draw = Draw(seed);
    bench.drive.run(|host| host.seen.len() == AT_ONCE);
    let mut completions: Vec<_> = bench.drive.host_mut().seen.drain(..).collect();
    for _ in 0..4 {
        let commands = commands(bench, &mut draw, blocks);
        completions.extend(bench.io(&commands));
    }
    bench.drive.run(|_| false);
    let memory = bench.drive.host().memory.0[..LOOKED_AT].to_vec();
    // A drive that was read from a file counts from then on what was waited for.
    let usage = Usage {
        entry_waits: EntryWaits::default(),
        channel_waits: Vec::new(),
        channel_latencies: Vec::new(),
        ..bench.drive.usage()
    };
    let usage = format!("{usage:?}");
    Seen { completions, memory, usage }
}

fn resolve(name: &str, set: &[(&str, &str)]) -> Board {
    let owned: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    Board::resolve(name, &owned).expect("the board")
}

const FEW: (&str, &str) = ("geometry.blocks_per_way", "12");

/// Boards by what of the drive is different: who schedules, what the medium is, a log, a capacitor, a map in part.
fn boards() -> Vec<(&'static str, Board)> {
    let small: [(&str, &[(&str, &str)]); 5] = [
        ("phases", &[FEW]),
        ("operations", &[FEW, ("channel.scheduler", "controller")]),
        (
            "a log and a capacitor",
            &[
                ("geometry.blocks_per_way", "24"),
                ("recovery.log_entries", "8"),
                ("power_loss.capacitor_millijoules", "100"),
            ],
        ),
        ("small units", &[FEW, ("ftl.mapping_unit_bytes", "8192"), ("flash.metadata_bytes", "40")]),
        (
            "errors that age",
            &[
                FEW,
                ("errors.raw_bits_per_terabit", "900000000"),
                ("errors.disturb_bits_per_terabit_per_kiloread", "1000000"),
            ],
        ),
    ];
    let small = small.map(|(what, set)| (what, resolve("small", set)));
    let (controller, cores) = ("controller", "host; ftl, channels 0; channels 1");
    let more: [(&str, &[(&str, &str)]); 5] = [
        (
            "LUNs that overlap",
            &[FEW, ("channel.scheduler", controller), ("channel.execution", "decoupled")],
        ),
        ("cores", &[FEW, ("processor.cores", cores), ("host.completer", "firmware")]),
        (
            "bad blocks",
            &[
                ("ftl.spare_blocks_per_way", "8"),
                ("ftl.bad_blocks", "scan"),
                ("errors.factory_bad_blocks_per_million", "50000"),
                ("errors.program_failures_per_billion", "5000000"),
            ],
        ),
        (
            "a map in part",
            &[
                ("geometry.blocks_per_way", "128"),
                ("recovery.log_entries", "16"),
                ("ftl.map_cache_bytes", "294336"),
                ("ftl.mapping_unit_bytes", "4096"),
                ("flash.metadata_bytes", "36"),
            ],
        ),
        ("draws", &[FEW, ("ftl.victim", "d-choices"), ("ftl.placement", "random")]),
    ];
    let more = more.map(|(what, set)| (what, resolve("small", set)));
    let small = small.into_iter().chain(more);
    [("memory", resolve("openexpress", &[]))].into_iter().chain(small).collect()
}

#[test]
fn a_copy_goes_on_as_the_drive_does_and_neither_knows_of_the_other() {
    for (what, board) in boards() {
        let stamps = Payload::Stamps { block_bytes: 4096 };
        for payload in [stamps, Payload::Bytes { block_bytes: 4096, seed: 5 }] {
            let mut bench = Bench::new(&board, payload, Polling::Skip);
            bench.start_once();
            // Enough for each of many parts, where the map is in parts.
            let blocks = if what == "a map in part" { 100_000 } else { 1200 };
            let mut draw = Draw(3);
            for _ in 0..8 {
                let commands = commands(&mut bench, &mut draw, blocks);
                bench.io(&commands);
            }
            // Commands are under way: fetched, in the buffer, on buses and chips.
            let under_way = commands(&mut bench, &mut draw, blocks);
            bench.submit(1, &under_way);
            bench.drive.run(|host| host.seen.len() == AT_ONCE / 3);
            let mut copy = bench.try_clone().expect("its chips are in memory");
            // A state that is written is of a drive at rest.
            let mut rested = copy.try_clone().expect("its chips are in memory");
            assert_eq!(rested.drive.run(|_| false), Stopped::Quiet, "{what}");
            let mut kept = rested.written_and_read((&board, payload));
            let mut other = copy.try_clone().expect("its chips are in memory");
            assert_eq!(copy.drive.usage(), bench.drive.usage(), "{what}");
            let apart = go_on(&mut other, 8, blocks);
            let of_drive = go_on(&mut bench, 7, blocks);
            let of_copy = go_on(&mut copy, 7, blocks);
            assert_ne!(apart.completions, of_drive.completions, "{what}: other commands");
            assert!(of_copy == of_drive, "{what}: a copy goes on as the drive does");
            let of_rested = go_on(&mut rested, 7, blocks);
            let of_kept = go_on(&mut kept, 7, blocks);
            assert!(
                of_kept == of_rested,
                "{what}: what was written and read goes on as the drive does"
            );
        }
    }
}

#[test]
fn a_drive_in_an_image_is_not_copied() {
    let folder = std::env::temp_dir().join(format!("copies-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("drive.image");
    let board = resolve("small", &[("recovery.log_entries", "8")]);
    let payload = Payload::Stamps { block_bytes: 4096 };
    let options = Options { payload, seed: 1, polling: Polling::Skip };
    let kept = Media::in_image(&path, (&board, options), 1).expect("an image");
    let ends = (Bench::host(), machine::Unobserved);
    let drive = Drive::powered(&board, (kept.options, kept.media), ends).expect("a drive");
    assert!(drive.try_clone().is_none());
    drop(drive);
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}
