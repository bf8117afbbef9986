//! The oracle against a reference that keeps the whole history, and against each kind of wrong
//! value.

use proptest::prelude::*;

use super::*;

/// A change as the reference remembers it.
#[derive(Clone, Copy, Debug)]
struct Past {
    change: Change,
    /// Version, 0 for zeroes.
    version: u32,
    began: u32,
    ended: Option<u32>,
    outcome: Outcome,
    ticket: u32,
}

/// Everything that ever happened to one LBA.
#[derive(Debug)]
struct History {
    initial: u32,
    changes: Vec<Past>,
    /// Reads that nothing overlapped: when they ended and what they found.
    settled: Vec<(u32, u32)>,
}

impl History {
    /// Ends of the values that a version may stand for; the preconditioned one never began.
    fn values(&self, version: u32) -> Vec<(u32, u32)> {
        let changes = self.changes.iter().filter(|past| past.version == version);
        let mut spans: Vec<_> =
            changes.map(|past| (past.began, past.ended.unwrap_or(u32::MAX))).collect();
        if version == self.initial {
            spans.push((0, 0));
        }
        spans
    }

    fn possible_at(&self, version: u32, time: u32) -> bool {
        self.values(version).into_iter().any(|(began, ended)| {
            let overwritten = self.changes.iter().any(|past| {
                past.change != Change::Deallocate
                    && past.outcome == Outcome::Done
                    && past.began > ended
                    && past.ended.is_some_and(|end| end <= time)
            });
            let ruled_out = self
                .settled
                .iter()
                .any(|&(when, found)| ended < when && when < time && found != version);
            began <= time && !overwritten && !ruled_out
        })
    }

    fn permitted(&self, version: u32, (began, ended): (u32, u32)) -> bool {
        (began..=ended).any(|time| self.possible_at(version, time))
    }

    fn is_quiet(&self, (began, ended): (u32, u32)) -> bool {
        self.changes
            .iter()
            .all(|past| past.ended.is_some_and(|end| end < began) || past.began > ended)
    }
}

/// What happens next; numbers choose among what is in flight.
#[derive(Clone, Debug)]
enum Step {
    Begin(u64, Change),
    End(prop::sample::Index, Outcome),
    BeginRead(u64),
    EndRead(prop::sample::Index, prop::sample::Index),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let lba = 0..2_u64;
    let change = prop_oneof![
        3 => Just(Change::Write),
        1 => Just(Change::Zeroes),
        2 => Just(Change::Deallocate),
    ];
    let outcome = prop_oneof![4 => Just(Outcome::Done), 1 => Just(Outcome::Failed)];
    let step = prop_oneof![
        3 => (lba.clone(), change).prop_map(|(lba, change)| Step::Begin(lba, change)),
        3 => (any::<prop::sample::Index>(), outcome).prop_map(|(i, o)| Step::End(i, o)),
        2 => lba.prop_map(Step::BeginRead),
        2 => (any::<prop::sample::Index>(), any::<prop::sample::Index>())
            .prop_map(|(read, value)| Step::EndRead(read, value)),
    ];
    prop::collection::vec(step, 1..60)
}

/// Drives the oracle and the reference side by side.
struct Pair {
    oracle: Oracle,
    histories: [History; 2],
    flying: Vec<(u64, usize)>,
    reads: Vec<(u64, u32, [u32; 1], Watch)>,
    time: u32,
}

impl Pair {
    fn new() -> Self {
        let history = |initial| History { initial, changes: Vec::new(), settled: Vec::new() };
        Pair {
            // LBA 0 is filled, LBA 1 is not.
            oracle: Oracle::new(Scope { first: 0, blocks: 2, before: Before::Filled(1) }),
            histories: [history(1), history(0)],
            flying: Vec::new(),
            reads: Vec::new(),
            time: 0,
        }
    }

    fn begin(&mut self, lba: u64, change: Change) {
        let mut ticket = [0];
        match change {
            Change::Write => self.oracle.begin_write(lba, &mut ticket),
            Change::Zeroes => self.oracle.begin_zeroes(lba, &mut ticket),
            Change::Deallocate => self.oracle.begin_deallocate(lba, 1),
        }
        let version = if change == Change::Write { ticket[0] } else { 0 };
        let changes = &mut self.histories[lba as usize].changes;
        let (began, ended, outcome) = (self.time, None, Outcome::Done);
        changes.push(Past { change, version, began, ended, outcome, ticket: ticket[0] });
        self.flying.push((lba, changes.len() - 1));
    }

    fn end(&mut self, which: prop::sample::Index, outcome: Outcome) {
        if self.flying.is_empty() {
            return;
        }
        let (lba, nth) = self.flying.remove(which.index(self.flying.len()));
        let past = &mut self.histories[lba as usize].changes[nth];
        (past.ended, past.outcome) = (Some(self.time), outcome);
        match past.change {
            Change::Write => self.oracle.end_write(lba, &[past.ticket], outcome),
            Change::Zeroes => self.oracle.end_zeroes(lba, &[past.ticket], outcome),
            Change::Deallocate => self.oracle.end_deallocate(lba, 1),
        }
    }

    fn begin_read(&mut self, lba: u64) {
        let (mut words, mut watch) = ([0], Watch::default());
        self.oracle.begin_read(lba, &mut words, &mut watch);
        self.reads.push((lba, self.time, words, watch));
    }

    fn end_read(
        &mut self,
        which: prop::sample::Index,
        value: prop::sample::Index,
    ) -> Result<(), TestCaseError> {
        if self.reads.is_empty() {
            return Ok(());
        }
        let (lba, began, words, watch) = self.reads.remove(which.index(self.reads.len()));
        let history = &mut self.histories[lba as usize];
        let span = (began, self.time);
        let block = Block { lba, index: 0, word: words[0] };
        let mut permitted = Vec::new();
        let last = history.changes.iter().map(|past| past.version).max().unwrap_or(1);
        for version in 0..last + 3 {
            let expected = history.permitted(version, span);
            let found = self.oracle.permits(block, &watch, version);
            prop_assert_eq!(found, expected, "LBA {} version {} in {:?}", lba, version, span);
            if expected {
                permitted.push(version);
            }
        }
        let version = permitted[value.index(permitted.len())];
        let found = Some(stamp(lba, version));
        prop_assert_eq!(self.oracle.end_read(lba, (&words, &watch), |_| found), Ok(()));
        if history.is_quiet(span) && history.possible_at(version, self.time) {
            history.settled.push((self.time, version));
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn permits_just_what_the_whole_history_permits(steps in steps()) {
        let mut pair = Pair::new();
        for step in steps {
            pair.time += 1;
            match step {
                Step::Begin(lba, change) => pair.begin(lba, change),
                Step::End(which, outcome) => pair.end(which, outcome),
                Step::BeginRead(lba) => pair.begin_read(lba),
                Step::EndRead(which, value) => pair.end_read(which, value)?,
            }
        }
    }
}

fn oracle() -> Oracle {
    Oracle::new(Scope { first: 100, blocks: 100, before: Before::Filled(150) })
}

/// Reads one block in which nothing else happens.
fn read(oracle: &mut Oracle, lba: u64, found: Option<Stamp>) -> Result<(), Box<Mismatch>> {
    let (mut words, mut watch) = ([0], Watch::default());
    oracle.begin_read(lba, &mut words, &mut watch);
    oracle.end_read(lba, (&words, &watch), |_| found)
}

fn write(oracle: &mut Oracle, lba: u64) -> Stamp {
    let mut version = [0];
    oracle.begin_write(lba, &mut version);
    oracle.end_write(lba, &version, Outcome::Done);
    stamp(lba, version[0])
}

#[test]
fn every_kind_of_wrong_value_is_caught() {
    let mut oracle = oracle();
    write(&mut oracle, 120);
    let current = write(&mut oracle, 120);
    assert_eq!(current, Stamp::new(120, 3));
    let wrong = [
        ("stale", Some(Stamp::new(120, 2))),
        ("as preconditioned", Some(Stamp::new(120, 1))),
        ("future", Some(Stamp::new(120, 4))),
        ("misdirected", Some(Stamp::new(121, 3))),
        ("zeroes", Some(Stamp::ZERO)),
        ("corrupt", Some(Stamp::CORRUPT)),
        ("mangled", None),
    ];
    for (name, found) in wrong {
        let mismatch = read(&mut oracle, 120, found).unwrap_err();
        assert_eq!((mismatch.lba, mismatch.found), (120, found), "{name}");
        assert_eq!(mismatch.permitted, [current], "{name}");
    }
    assert_eq!(read(&mut oracle, 120, Some(current)), Ok(()));
    // Never written: version 1 below the filled end, zeroes above; nothing else.
    for (lba, right, wrong) in
        [(149, Stamp::new(149, 1), Stamp::ZERO), (150, Stamp::ZERO, Stamp::new(150, 1))]
    {
        assert_eq!(read(&mut oracle, lba, Some(right)), Ok(()));
        assert!(read(&mut oracle, lba, Some(wrong)).is_err());
    }
}

#[test]
fn zeroes_that_are_lost_are_caught_and_deallocated_data_may_stay_until_read() {
    let mut oracle = oracle();
    let mut tickets = [0; 2];
    oracle.begin_zeroes(110, &mut tickets);
    oracle.end_zeroes(110, &tickets, Outcome::Done);
    assert!(read(&mut oracle, 110, Some(Stamp::new(110, 1))).is_err());
    assert_eq!(read(&mut oracle, 111, Some(Stamp::ZERO)), Ok(()));
    for kept in [true, false] {
        oracle.begin_deallocate(130, 1);
        oracle.end_deallocate(130, 1);
        let (seen, other) = match kept {
            true => (Stamp::new(130, 1), Stamp::ZERO),
            false => (Stamp::ZERO, Stamp::new(130, 1)),
        };
        assert_eq!(read(&mut oracle, 130, Some(seen)), Ok(()));
        assert!(read(&mut oracle, 130, Some(other)).is_err());
    }
    // A version is never used twice, though zeroes came in between.
    assert_eq!(write(&mut oracle, 130), Stamp::new(130, 2));
}

#[test]
fn a_read_of_many_blocks_names_the_wrong_one() {
    let mut oracle = oracle();
    write(&mut oracle, 142);
    let (mut words, mut watch) = ([0; 8], Watch::default());
    oracle.begin_read(140, &mut words, &mut watch);
    let found = |index: usize| Some(Stamp::new(140 + index as u64, 1));
    let mismatch = oracle.end_read(140, (&words, &watch), found).unwrap_err();
    assert_eq!((mismatch.lba, mismatch.index), (142, 2));
    assert_eq!(mismatch.to_string(), "found version 1 of LBA 142, expected version 2 of LBA 142");
}

#[test]
fn the_side_table_is_empty_once_doubts_are_settled() {
    let mut oracle = oracle();
    let (mut a, mut b) = ([0], [0]);
    oracle.begin_write(110, &mut a);
    oracle.begin_write(110, &mut b);
    oracle.end_write(110, &b, Outcome::Done);
    oracle.end_write(110, &a, Outcome::Done);
    assert_eq!(oracle.contended.len(), 1);
    let mismatch = read(&mut oracle, 110, Some(Stamp::ZERO)).unwrap_err();
    assert_eq!(mismatch.permitted, [Stamp::new(110, 2), Stamp::new(110, 3)]);
    assert_eq!(read(&mut oracle, 110, Some(Stamp::new(110, 2))), Ok(()));
    assert!(read(&mut oracle, 110, Some(Stamp::new(110, 3))).is_err());
    assert_eq!(write(&mut oracle, 110), Stamp::new(110, 4));
    assert!(oracle.contended.is_empty());
}

#[test]
fn what_nobody_knows_may_be_anything_until_it_was_written_to_the_end() {
    let mut oracle = Oracle::new(Scope { first: 100, blocks: 100, before: Before::Unknown });
    let anything = [None, Some(Stamp::ZERO), Some(Stamp::new(5, 7)), Some(Stamp::CORRUPT)];
    for found in anything {
        assert_eq!(read(&mut oracle, 120, found), Ok(()), "before a write");
    }
    let mut version = [0];
    oracle.begin_write(120, &mut version);
    let mut overlapping = ([0], Watch::default());
    oracle.begin_read(120, &mut overlapping.0, &mut overlapping.1);
    for found in anything {
        assert_eq!(read(&mut oracle, 120, found), Ok(()), "while it is written");
    }
    oracle.end_write(120, &version, Outcome::Failed);
    for found in anything {
        assert_eq!(read(&mut oracle, 120, found), Ok(()), "after a write that failed");
    }
    let current = write(&mut oracle, 120);
    let (words, watch) = &overlapping;
    assert_eq!(oracle.end_read(120, (words, watch), |_| None), Ok(()), "a read from before");
    for found in anything {
        assert!(read(&mut oracle, 120, found).is_err(), "after a write");
    }
    assert_eq!(read(&mut oracle, 120, Some(current)), Ok(()));
    oracle.begin_deallocate(121, 1);
    oracle.end_deallocate(121, 1);
    assert_eq!(read(&mut oracle, 121, None), Ok(()), "a deallocation may leave what was there");
}

#[test]
fn what_runs_have_left_comes_back_with_its_doubts() {
    let mut oracle = oracle();
    let written = write(&mut oracle, 105);
    let (mut a, mut b) = ([0], [0]);
    oracle.begin_write(110, &mut a);
    oracle.begin_write(110, &mut b);
    oracle.end_write(110, &b, Outcome::Done);
    oracle.end_write(110, &a, Outcome::Done);
    let past = oracle.into_past(200);
    let mut bytes = Vec::new();
    past.put(&mut bytes).expect("memory takes all");
    for length in 0..bytes.len() {
        assert!(super::Past::take(200, &mut &bytes[..length]).is_err(), "{length} bytes");
    }
    assert!(super::Past::take(199, &mut &bytes[..]).is_err(), "of a larger drive");
    let taken = super::Past::take(200, &mut &bytes[..]).expect("it is whole");
    let mut oracle = Oracle::after(Arc::new(taken), (100, 100));
    assert_eq!(read(&mut oracle, 105, Some(written)), Ok(()));
    assert!(read(&mut oracle, 105, Some(Stamp::ZERO)).is_err());
    let mismatch = read(&mut oracle, 110, Some(Stamp::ZERO)).unwrap_err();
    assert_eq!(mismatch.permitted, [Stamp::new(110, 2), Stamp::new(110, 3)]);
}
