//! Histories that broke a promise once, shrunk: `tests/histories`, each named for what was wrong. Each of them breaks it again
//! where the fault is planted that it showed.

use std::collections::BTreeMap;
use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use firmware::planted::{plant, Bug};
use torture::draft::Draft;
use torture::draw::Draw;
use torture::drives::Values;
use torture::faults::Faults;
use torture::plan::{Act, Command, Plan, Pointer, Step};
use torture::rounds::Torture;
use torture::shrink::{shrink, Failing};
use torture::violation::attempt;

use crate::boards::seeds;

/// What each history showed.
const FAULTS: [(&str, Bug); 17] = [
    ("both-log-blocks-of-a-drive-failed", Bug::FailedLogBlockLeftOut),
    ("entry-of-a-read-given-away-within-it", Bug::EntryGivenAwayTwice),
    ("failed-block-told-by-an-older-snapshot", Bug::MembersInOrderOfLog),
    ("log-block-not-erased-for-its-lap", Bug::LogBlockNotErased),
    ("log-page-behind-a-failed-one", Bug::LogPageProgrammedTwice),
    ("log-used-up-by-journal-pages", Bug::ShortLogPlannedOn),
    ("log-used-up-by-refreshes", Bug::ShortLogMovedOn),
    ("lost-parts-after-a-power-loss", Bug::LostTakenForPresent),
    ("lost-unit-in-a-block-that-is-erased", Bug::DoomedBehindErase),
    ("newest-entry-taken-for-clean", Bug::NewestTakenForClean),
    ("no-block-for-a-saved-page-that-failed", Bug::EverySaveBlockCounted),
    ("part-of-a-page-that-was-lost", Bug::ErasedTakenForData),
    ("pointer-to-no-memory-while-a-block-is-replaced", Bug::FormerStaysInFailedBlock),
    ("program-saved-beside-one-of-its-entry", Bug::EntrySavedTwice),
    ("reset-overtakes-a-write-before-a-held-erase", Bug::HeldEraseCounted),
    ("reset-overtakes-a-write-to-a-replaced-block", Bug::FormerStaysInFailedBlock),
    ("saved-page-behind-one-that-a-chip-lost", Bug::LostTakenForEnd),
];

/// Histories whose faults no round shows any more, since the drive does other things first now. Tests of their own show the faults.
const ELSEWHERE: [(&str, &str); 15] = [
    (
        "failed-block-holds-data-again",
        "a_block_out_of_use_whose_pages_hold_data_again_is_one_that_failed",
    ),
    ("first-open-superblock-without-a-block", "open_superblocks_without_a_block_are_passed_over"),
    ("hung-read-behind-one-that-waits", "a_read_that_waits_for_its_page_is_not_urgent"),
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
    (
        "superblock-filled-behind-a-failed-program",
        "a_superblock_is_filled_when_all_programs_before_have_ended",
    ),
    ("way-without-room-after-power-losses", "each_stream_of_a_way_goes_on"),
    // A start goes on with numbers far above those that were found.
    (
        "write-older-than-what-was-freed-before",
        "the_drive_goes_on_with_an_epoch_and_with_numbers_that_none_had",
    ),
];

/// Where the tests of [`ELSEWHERE`] stand.
const TESTS: [&str; 7] = [
    include_str!("../../../../firmware/src/ftl/blocks_tests.rs"),
    include_str!("../../../../firmware/src/ftl/log/replay_tests.rs"),
    include_str!("../../../../firmware/src/sched/hand_over/requests.rs"),
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
        plan.check().unwrap_or_else(|error| panic!("{name}: {error}"));
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
    assert!(silent.is_empty(), "not broken by their faults: {silent:?}");
    for (name, test) in ELSEWHERE {
        histories.remove(name).unwrap_or_else(|| panic!("no history {name}"));
        let is_there = |text: &&&str| text.contains(&format!("fn {test}()"));
        assert_eq!(TESTS.iter().filter(is_there).count(), 1, "{test}");
    }
    assert!(histories.is_empty(), "without a fault: {:?}", histories.keys());
}

/// What a history did, with other draws: a few writes and reads before it, other times between its steps, and failures as much as
/// eight times as often. What showed the fault once is nearer to showing it again than a round at random.
fn varied(before: &Plan, seed: u64) -> Plan {
    let mut draw = Draw(seed);
    let mut plan = before.clone();
    for (key, value) in &mut plan.values {
        let times = 1 << draw.below(4);
        if let (true, Ok(rate)) = (key.contains("failures_per_billion"), value.parse::<u64>()) {
            *value = (rate * times).min(300_000_000).to_string();
        }
    }
    let permille = 500 + draw.below(1_500);
    for step in &mut plan.steps {
        match step {
            Step::Run { ps } => *ps = (*ps / 1_000).saturating_mul(permille),
            Step::CutPower { again_after_ps } => {
                again_after_ps
                    .iter_mut()
                    .for_each(|ps| *ps = (*ps / 1_000).saturating_mul(permille));
            }
            _ => {}
        }
    }
    let act = |nth: u64| if nth % 3 == 0 { Act::Write } else { Act::Read };
    let command = |nth: u64, lba: u64| Command {
        act: act(nth),
        lba,
        blocks: 1,
        fua: nth % 2 == 0,
        pointer: Pointer::Sound,
    };
    let count = draw.below(12);
    let commands = (0..count).map(|nth| command(nth, draw.below(64))).collect();
    plan.steps.splice(0..0, [Step::Submit { queue: 1, commands }, Step::RunUntilQuiet]);
    plan
}

/// A round in which a fault is looked for: a history with other draws, or a round on the drive of a history with some more values, or on one at random. Power
/// losses come seldom in some rounds, and follow each other in others.
fn round(seed: u64, before: Option<&Plan>, more: &Values) -> Option<Plan> {
    if let (Some(before), true) = (before, more.is_empty() && seed % 20 > 0) {
        return Some(varied(before, seed));
    }
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
    Plan::draw(Draft {
        seed,
        board,
        values,
        data,
        faults,
        commands,
        turns_between_cuts: turns,
        cuts_are_given: false,
    })
    .ok()
}

/// The history of a seed, if its round breaks with a fault and holds without it.
fn found_with(seed: u64, bug: Bug, before: Option<&Plan>, more: &Values) -> Option<Plan> {
    let plan = round(seed, before, more).filter(|plan| plan.check().is_ok())?;
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
        let mut own = seeds(1..4_001).skip(nth).step_by(jobs);
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
