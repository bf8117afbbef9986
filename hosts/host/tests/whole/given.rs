//! Victims of collection that something outside of the firmware chooses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use firmware::ftl::victim::{Chooser, Way};
use host::{run_kept, Victims, Watchers};

use super::*;

/// A full drive is overwritten.
const WRITES: &str = "[job]\nrw=randwrite\nbs=16k\niodepth=4\nnorandommap\nio_size=16m\n";

/// Takes the nth of the choices, or the last one, and counts how often it was asked and with which seed.
#[derive(Clone, Debug)]
struct Nth {
    nth: usize,
    asked: Arc<AtomicU64>,
}

impl Chooser for Nth {
    fn choose(&mut self, way: &Way<'_>) -> u32 {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let choices: Vec<u32> = way.choices().collect();
        assert!(choices.iter().all(|&one| way.invalid(one) > Some(0)));
        choices[self.nth.min(choices.len() - 1)]
    }

    fn anew(&self) -> Box<dyn Chooser> {
        Box::new(self.clone())
    }
}

/// Those that take the nth, and how often they were asked so far.
fn nth(nth: usize) -> (Victims, Arc<AtomicU64>) {
    let asked = Arc::new(AtomicU64::new(0));
    let one = Nth { nth, asked: asked.clone() };
    (Victims::new(move |_| Box::new(one.clone())), asked)
}

#[test]
fn the_first_of_the_choices_is_what_greedy_takes() {
    for state in [Preconditioning::Sequential, Preconditioning::Steady] {
        let run = Run { precondition: state, ..Run::new() };
        let board = Board::resolve(run.board, &run.set).unwrap();
        let jobs = parse_file("job.fio", WRITES).unwrap();
        let go = |victims| {
            let request = RunRequest { victims, ..run.request(&board, &jobs) };
            printed(host::run(request, &mut |_| {}).unwrap())
        };
        let (first, asked) = nth(0);
        let greedy = go(None);
        assert_eq!(go(Some(&first)), greedy, "{state:?}");
        assert!(
            asked.load(Ordering::Relaxed) > 50,
            "{state:?}: asked in place of the board's policy"
        );
        assert_ne!(go(Some(&nth(3).0)), greedy, "{state:?}");
    }
}

/// What a run was given it leaves nothing of: the next one asks the board's policy, and a snapshot can be written.
#[test]
fn a_drive_that_is_kept_goes_back_to_the_policy_of_its_board() {
    let run = Run::new();
    let board = Board::resolve(run.board, &run.set).unwrap();
    let jobs = parse_file("job.fio", WRITES).unwrap();
    let (third, asked) = nth(3);
    let given = RunRequest { victims: Some(&third), ..run.request(&board, &jobs) };
    let (first, drive) = run_kept(given, Watchers::default(), &mut |_| ()).unwrap();
    let of_first = asked.load(Ordering::Relaxed);
    assert!(of_first > 50 && first.drive.garbage_collections > 50);
    drive.write(&board, &mut Vec::new()).expect("the board's policy is in it");
    let copy = drive.copied();
    let (second, _) =
        copy.go_on(run.request(&board, &jobs), Watchers::default(), &mut |_| ()).unwrap();
    assert!(second.drive.garbage_collections > 50);
    assert_eq!(asked.load(Ordering::Relaxed), of_first, "it was asked after its run");
    let (again, _) = drive.go_on(given, Watchers::default(), &mut |_| ()).unwrap();
    assert!(asked.load(Ordering::Relaxed) > of_first + 50);
    assert_ne!(printed(again), printed(second));
}
