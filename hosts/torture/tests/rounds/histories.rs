//! Histories that broke a promise once, shrunk: `tests/histories`, each named for what was wrong. Each of them breaks it again
//! where the fault is planted that it showed.

use std::collections::BTreeMap;
use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use firmware::planted::{plant, Bug};
use torture::draft::Draft;
use torture::drives::Values;
use torture::faults::Faults;
use torture::plan::Plan;
use torture::rounds::Torture;
use torture::shrink::{shrink, Failing};
use torture::violation::attempt;

use crate::boards::seeds;

/// What each history showed.
const FAULTS: [(&str, Bug); 18] = [
    ("both-log-blocks-of-a-drive-failed", Bug::FailedLogBlockLeftOut),
    ("entry-of-a-read-given-away-within-it", Bug::EntryGivenAwayTwice),
    ("failed-block-holds-data-again", Bug::BadBlockStaysEmpty),
    ("failed-block-told-by-an-older-snapshot", Bug::MembersInOrderOfLog),
    ("hung-read-behind-one-that-waits", Bug::ReadBehindProgramUrgent),
    ("log-block-not-erased-for-its-lap", Bug::LogBlockNotErased),
    ("log-page-behind-a-failed-one", Bug::LogPageProgrammedTwice),
    ("log-used-up-by-journal-pages", Bug::ShortLogPlannedOn),
    ("lost-parts-after-a-power-loss", Bug::LostTakenForPresent),
    ("newest-entry-taken-for-clean", Bug::NewestTakenForClean),
    ("no-block-for-a-saved-page-that-failed", Bug::EverySaveBlockCounted),
    ("part-of-a-page-that-was-lost", Bug::ErasedTakenForData),
    ("pointer-to-no-memory-while-a-block-is-replaced", Bug::FormerStaysInFailedBlock),
    ("reset-overtakes-a-write-before-a-held-erase", Bug::HeldEraseCounted),
    ("reset-overtakes-a-write-to-a-replaced-block", Bug::FormerStaysInFailedBlock),
    ("saved-page-behind-one-that-a-chip-lost", Bug::LostTakenForEnd),
    ("superblock-filled-behind-a-failed-program", Bug::FilledOutOfOrder),
    ("write-older-than-what-was-freed-before", Bug::SavedFirstForHighest),
];

/// Histories that became silent when recovery began to read on behind erased rows, since chips draw other times and failures behind
/// these reads. Others are to be found in their place.
const TO_BE_FOUND_ANEW: [&str; 6] = [
    "failed-block-holds-data-again",
    "hung-read-behind-one-that-waits",
    "log-used-up-by-journal-pages",
    "lost-parts-after-a-power-loss",
    "no-block-for-a-saved-page-that-failed",
    "superblock-filled-behind-a-failed-program",
];

/// Histories whose faults no round shows any more, since the drive does other things first now. Tests of their own show the faults.
const ELSEWHERE: [(&str, &str); 10] = [
    ("first-open-superblock-without-a-block", "open_superblocks_without_a_block_are_passed_over"),
    ("log-used-up-by-power-losses", "snapshots_are_due_a_stripe_before_theirs_is_erased"),
    (
        "open-superblock-forgotten-with-its-failed-block",
        "a_superblock_whose_block_was_replaced_counts_as_open",
    ),
    ("open-superblock-without-a-block", "open_superblocks_without_a_block_are_passed_over"),
    (
        "plane-left-out-before-a-stand-in",
        "a_superblock_ends_behind_erased_rows_unless_a_block_may_stand_in",
    ),
    ("pointer-to-no-memory-over-lost-data", "staged_data_that_did_not_arrive_leave_what_is_lost"),
    (
        "pointer-to-no-memory-while-a-page-is-moved",
        "a_program_before_the_erases_of_its_block_is_of_the_former_data",
    ),
    // A fault of the chips' model.
    (
        "program-not-begun-in-a-stand-in",
        "pages_left_out_for_a_program_that_had_not_begun_can_be_programmed",
    ),
    (
        "reset-overtakes-a-write-behind-a-queued-program",
        "an_erase_that_was_planned_before_the_page_was_is_not_one_behind_it",
    ),
    // The save area is read on behind erased pages, so that the few which the fault leaves hide nothing.
    ("saved-page-behind-erased-ones", "behind_a_failed_program_pages_are_saved_to_another_block"),
];

/// Where the tests of [`ELSEWHERE`] stand.
const TESTS: [&str; 4] = [
    include_str!("../../../../firmware/src/ftl/log/recover_tests.rs"),
    include_str!("../../../../firmware/src/ftl/restore_tests.rs"),
    include_str!("../../../../firmware/src/ftl/save/saving_tests.rs"),
    include_str!("../../../../bodies/nand/tests/power.rs"),
];

/// Histories by name.
fn histories() -> BTreeMap<String, Plan> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories");
    let files = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry"));
    let history = |path: &Path| {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let text = fs::read_to_string(path).expect("a file");
        let plan: Plan = serde_json::from_str(&text).expect("a history");
        assert!(plan.is_sensible(), "{name}: no such board");
        (name, plan)
    };
    files.map(|file| history(&file.path())).collect()
}

#[test]
fn what_was_found_once_stays_mended() {
    for (name, plan) in histories() {
        assert_eq!(attempt(&plan).err(), None, "{name}");
    }
}

/// A history that its fault does not break any more tests nothing.
#[test]
fn each_history_breaks_where_its_fault_is_planted() {
    let mut histories = histories();
    let mut silent = Vec::new();
    for (name, bug) in FAULTS {
        let plan = histories.remove(name).unwrap_or_else(|| panic!("no history {name}"));
        plant(Some(bug));
        let violation = attempt(&plan).err();
        plant(None);
        match violation {
            Some(violation) => println!("{name}: {bug:?}: {}", violation.what),
            None => silent.push(name),
        }
    }
    silent.retain(|name| !TO_BE_FOUND_ANEW.contains(name));
    assert!(silent.is_empty(), "not broken by their faults: {silent:?}");
    for (name, test) in ELSEWHERE {
        histories.remove(name).unwrap_or_else(|| panic!("no history {name}"));
        let is_there = |text: &&&str| text.contains(&format!("fn {test}()"));
        assert_eq!(TESTS.iter().filter(is_there).count(), 1, "{test}");
    }
    assert!(histories.is_empty(), "without a fault: {:?}", histories.keys());
}

/// A round in which a fault is looked for, on the drive of a history with some more values, or on one at random. Power
/// losses come seldom in some rounds, and follow each other in others.
fn round(seed: u64, before: Option<&Plan>, more: &Values) -> Option<Plan> {
    let turns = [150, 2, 8, 40][(seed % 4) as usize];
    let (commands, faults) = (500, Faults::all());
    let Some(Plan { board, values, data, .. }) = before.filter(|_| seed % 5 > 0) else {
        let cut_every = NonZeroU32::new(turns);
        return Torture { board: None, commands, faults, cut_every }.plan(seed).ok();
    };
    let mut values = values.clone();
    values.retain(|(own, _)| more.iter().all(|(key, _)| key != own));
    values.extend_from_slice(more);
    let (board, data) = (board.as_str(), *data);
    Plan::draw(Draft { seed, board, values, data, faults, commands, turns_between_cuts: turns })
        .ok()
}

/// The history of a seed, if its round breaks with a fault and holds without it.
fn found_with(seed: u64, bug: Bug, before: Option<&Plan>, more: &Values) -> Option<Plan> {
    let plan = round(seed, before, more).filter(Plan::is_sensible)?;
    plant(Some(bug));
    let failing = attempt(&plan).err().map(|violation| Failing { plan, violation });
    let shrunk = failing.map(|failing| shrink(failing, 2_500, &mut |_| ()));
    plant(None);
    let plan = shrunk.map(|failing| failing.plan)?;
    attempt(&plan).is_ok().then_some(plan)
}

/// The first history that one of some seeds gives, on all cores.
fn found(bug: Bug, before: Option<&Plan>, more: &Values) -> Option<(u64, Plan)> {
    let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let is_over = AtomicBool::new(false);
    let share = |nth: usize| {
        let mut own = seeds(1..2_001).skip(nth).step_by(jobs);
        own.find_map(|seed| {
            let plan = match is_over.load(Ordering::Relaxed) {
                true => return None,
                false => found_with(seed, bug, before, more)?,
            };
            is_over.store(true, Ordering::Relaxed);
            Some((seed, plan))
        })
    };
    std::thread::scope(|scope| {
        let share = &share;
        let all: Vec<_> = (0..jobs).map(|nth| scope.spawn(move || share(nth))).collect();
        let all = all.into_iter().map(|one| one.join().expect("a thread that does not panic"));
        all.flatten().min_by_key(|(seed, _)| *seed)
    })
}

/// Looks for histories in place of those that their faults do not break any more, and writes them to `target/histories`.
/// `HISTORY_KEYS=key=value,...` has all drives have these values, `HISTORY=name` takes that one alone, `TORTURE_SEEDS` tells seeds.
#[test]
#[ignore = "looks for histories anew"]
fn histories_that_are_silent_are_found_anew() {
    let keys = std::env::var("HISTORY_KEYS").unwrap_or_default();
    let pair =
        |text: &str| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    let more: Values = keys.split(',').filter_map(pair).collect();
    let only = std::env::var("HISTORY").ok();
    let histories = histories();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/histories");
    fs::create_dir_all(&folder).expect("a folder");
    for (name, bug) in FAULTS {
        plant(Some(bug));
        let is_silent = histories.get(name).is_none_or(|plan| attempt(plan).is_ok());
        plant(None);
        if !is_silent || only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let Some((seed, plan)) = found(bug, histories.get(name), &more) else {
            println!("{name}: {bug:?}: not found");
            continue;
        };
        let mut file = fs::File::create(folder.join(format!("{name}.json"))).expect("a file");
        torture::file::write(&plan, &mut file).expect("the file takes it");
        println!("{name}: {bug:?}: found with seed {seed}, {} commands", plan.commands());
    }
}
