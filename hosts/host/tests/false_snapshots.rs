//! Snapshots whose state was made by hand, with a right checksum: reading one and running a job on its drive is an error of one
//! line or a result. It is no panic, does not go on for ever and takes no more memory than drives of the board do. One test a
//! process, since it counts all memory of it.

use std::path::Path;

use board::Board;
use host::job::{parse_file, JobFile};
use host::snapshot::{About, Snapshot};
use host::{panic_is_contained, run_kept, Prepared, RunError, RunRequest, Watchers};
use machine::Polling;

mod by_hand;

use by_hand::{watch, Ends, Random};

/// Snapshots of each drive.
const EACH: u64 = 200;

type Set = &'static [(&'static str, &'static str)];

/// Drives whose states differ in what they are made of.
const DRIVES: [(&str, Set); 5] = [
    ("small", &[("geometry.blocks_per_way", "32")]),
    (
        "small",
        &[
            ("geometry.blocks_per_way", "128"),
            ("recovery.log_entries", "16"),
            ("ftl.map_cache_bytes", "294336"),
            ("ftl.mapping_unit_bytes", "4096"),
            ("flash.metadata_bytes", "36"),
        ],
    ),
    (
        "small",
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("ftl.streams", "apart"),
            ("ftl.wear_levelling", "static"),
        ],
    ),
    (
        "small",
        &[("processor.cores", "host; ftl, channels 0; channels 1"), ("host.completer", "firmware")],
    ),
    ("openexpress", &[]),
];

const BEFORE: &str = "[write]\nrw=randrw\nbs=4k\niodepth=16\nsize=4m\nnumber_ios=300\n\
    [free]\nstonewall\nrw=randtrim\nbs=16k\nsize=4m\nnumber_ios=40\n";
const AFTER: &str = "[write]\nrw=randrw\nbs=8k\niodepth=16\nsize=8m\nnumber_ios=200\n";

/// A state as a hand might have made it. Most of a state are zeroes of large tables: numbers that are set are changed as often.
fn falsified(state: &[u8], random: &mut Random) -> Vec<u8> {
    let mut made = state.to_vec();
    for _ in 0..1 + random.below(3) {
        let mut at = random.below(made.len());
        if random.below(2) == 0 {
            at = (at..made.len()).find(|&at| made[at] != 0).unwrap_or(at);
        }
        let words = [0, 1, u64::MAX, u64::MAX >> 1, 1 << 31, u64::from(u32::MAX), 1 << 62];
        let word = words[random.below(words.len())].to_le_bytes();
        match random.below(6) {
            0 => made[at] = random.next() as u8,
            1 => made[at] ^= 1 << random.below(8),
            2 | 3 => {
                let bytes = [4, 8][random.below(2)].min(made.len() - at);
                made[at..at + bytes].copy_from_slice(&word[..bytes]);
            }
            4 => made.truncate(at.max(1)),
            _ => drop(made.splice(at..at, word)),
        }
    }
    made
}

fn request<'a>(board: &'a Board, jobs: &'a JobFile) -> RunRequest<'a> {
    RunRequest::new(board, jobs, "job.fio")
}

/// The state of a drive that a run has left, and what a snapshot says of it.
fn left(board: &Board, path: &Path) -> (About, Vec<u8>) {
    let jobs = parse_file("job.fio", BEFORE).expect("jobs");
    let kept = run_kept(request(board, &jobs), Watchers::default(), &mut |_| ());
    let (_, drive) = kept.expect("a run");
    drive.write(board, &mut std::fs::File::create(path).expect("a file")).expect("it is written");
    let mut snapshot = Snapshot::open(path).expect("it is sound");
    let mut state = Vec::new();
    snapshot.state(|from| from.read_to_end(&mut state)).expect("it is read");
    (snapshot.about().clone(), state)
}

/// Reads a snapshot and runs jobs on its drive.
fn tried(path: &Path, board: &Board, jobs: &JobFile) -> Result<(), RunError> {
    let mut snapshot = Snapshot::open(path)?;
    let drive = Prepared::read(&mut snapshot, Polling::Skip)?;
    drive.go_on(request(board, jobs), Watchers::default(), &mut |_| ()).map(drop)
}

#[test]
fn a_state_that_was_made_by_hand_is_an_error_or_a_drive() {
    let seed =
        std::env::var("SNAPSHOT_SEED").map_or(20_261_127, |seed| seed.parse().expect("a number"));
    println!("SNAPSHOT_SEED={seed}");
    watch(seed);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !panic_is_contained(info) {
            hook(info);
        }
    }));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("drive.snap");
    let jobs = parse_file("job.fio", AFTER).expect("jobs");
    let mut ends = Ends::new(seed, ": state: ");
    for (nth, (board, set)) in DRIVES.into_iter().enumerate() {
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        let board = Board::resolve(board, &set).expect("the board");
        let (about, state) = left(&board, &path);
        tried(&path, &board, &jobs).expect("a state that nobody has touched");
        for case in 0..EACH {
            let case = nth as u64 * EACH + case;
            let mut random = Random(seed ^ case << 32);
            let made = falsified(&state, &mut random);
            let mut file = std::fs::File::create(&path).expect("a file");
            host::snapshot::write(&about, &mut file, |out| out.write_all(&made))
                .expect("it is written");
            ends.take(case, || tried(&path, &board, &jobs));
        }
    }
    assert!(ends.of("refused") > 200, "most false states are found when they are read");
}
