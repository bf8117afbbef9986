//! Faults as a drive could have them, planted where the drive meets its host, to see that targets notice them.

use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

use machine::HostMemory;
use nvme::register::offset;

use crate::house::{submission, DATA};
use crate::memory::{Gate, Memory, PAGE, PAGES};

/// What a drive does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It panics at a doorbell with an odd value above 100.
    OddDoorbell,
    /// It looks at a submission entry once more when it posts a completion.
    ReadTwice,
    /// It writes a page that no command names.
    UnnamedWritten,
    /// It writes behind what the host gives, and takes a status of that for success.
    BehindGiven,
    /// It fetches after it was disabled.
    FetchWhileDisabled,
    /// It posts a completion while it is no bus master.
    WriteWhileNoMaster,
    /// It interrupts without end.
    Endless,
    /// After a reset it writes nothing but the first block of a page of data.
    LostAfterReset,
}

thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

fn is_planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}

/// When an interrupt is followed by another, if it is: there is time between, since libFuzzer's clock alone would end
/// what goes on within one turn.
pub fn next_interrupt(now: u64) -> Option<u64> {
    is_planted(Fault::Endless).then_some(now + 1_000_000)
}

/// The drive has posted a completion.
pub fn at_completion(memory: &mut Memory) {
    if is_planted(Fault::ReadTwice) {
        memory.read(submission(1), &mut [0; 64]);
        memory.read(submission(1), &mut [0; 64]);
    }
    if is_planted(Fault::UnnamedWritten) {
        memory.write(submission(3), &[0; 4]);
    }
    if is_planted(Fault::BehindGiven) {
        assert!(memory.write(DATA + PAGES * PAGE, &[0; 4]), "memory that was not given");
    }
    if is_planted(Fault::LostAfterReset) {
        memory.put(DATA + PAGE, &[0; 8]);
    }
}

/// A register is written.
pub fn at_write(memory: &mut Memory, (at, value): (u64, u32)) {
    let odd = at >= offset::DOORBELLS && value > 100 && value % 2 == 1;
    assert!(!(odd && is_planted(Fault::OddDoorbell)), "a planted panic");
    if is_planted(Fault::FetchWhileDisabled) && memory.gate == Gate::Shut {
        memory.read(submission(0), &mut [0; 64]);
    }
    if is_planted(Fault::WriteWhileNoMaster) && at == offset::DOORBELLS {
        memory.write(submission(0) + PAGE, &[0; 16]);
    }
}

/// Targets whose corpus notices a fault.
fn noticed_by(fault: Fault) -> Vec<&'static str> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile/corpus");
    let notices = |name: &str, target: fn(&[u8])| {
        let listed = std::fs::read_dir(corpus.join(name)).expect("the corpus");
        let mut paths: Vec<_> = listed.map(|entry| entry.expect("an input").path()).collect();
        paths.sort();
        paths.iter().any(|path| {
            let bytes = std::fs::read(path).expect("an input");
            PLANTED.set(Some(fault));
            let ended = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            PLANTED.set(None);
            ended.is_err()
        })
    };
    let of_house = crate::TARGETS.iter().filter(|(name, _)| *name != "vfio_user");
    of_house.filter(|(name, target)| notices(name, *target)).map(|&(name, _)| name).collect()
}

#[test]
fn planted_faults_are_noticed() {
    let all = ["registers", "doorbells", "commands", "prps"];
    let expected = [
        (Fault::OddDoorbell, &["registers", "doorbells"][..]),
        (Fault::ReadTwice, &["prps"]),
        (Fault::UnnamedWritten, &["prps"]),
        (Fault::BehindGiven, &all),
        (Fault::FetchWhileDisabled, &["registers", "doorbells", "commands"]),
        (Fault::WriteWhileNoMaster, &["registers", "doorbells", "commands"]),
        (Fault::Endless, &all),
        (Fault::LostAfterReset, &all),
    ];
    let found = expected.map(|(fault, _)| (fault, noticed_by(fault)));
    assert_eq!(found, expected.map(|(fault, by)| (fault, by.to_vec())));
}
