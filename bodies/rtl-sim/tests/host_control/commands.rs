//! Commands from a doorbell to the completion: fetch, order, phases, heads, interrupts.

use crate::host_control::processor::Event;
use crate::host_control::system::{
    submission_ring, Pair, System, MESSAGES, MSIX_TABLE, QUEUES, TAGS,
};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::CompletionEntry;
use nvme::register::Doorbell;
use nvme::status::Status;
use rtl_sim::{seed, Pace, Random};
use std::collections::{BTreeMap, VecDeque};

/// An entry of random bytes with a command identifier.
pub fn entry(cid: u16, random: &mut Random) -> Entry {
    let data = DataPointer { prp1: random.next(), prp2: random.next() };
    let mut entry =
        Entry::new(random.next() as u8, Header { cid, nsid: random.next() as u32, data });
    for dword in 10..16 {
        entry = entry.with(dword, random.next() as u32);
    }
    entry
}

/// Lets every vector send its number.
pub fn unmask_vectors(system: &mut System) {
    for vector in 0..QUEUES {
        let table = MSIX_TABLE + 16 * vector;
        let address = MESSAGES + 4 * vector;
        system.write(table, &[address as u32, (address >> 32) as u32, vector as u32, 0]);
    }
}

/// A queue pair with what the host expects of it.
struct Lane {
    pair: Pair,
    /// Entries that were pushed and are not fetched, the oldest first.
    pushed: VecDeque<Entry>,
    /// Commands that the processor has, by identifier: status and result to come.
    expected: BTreeMap<u16, (u16, u32)>,
    next_cid: u16,
    outstanding: u64,
    /// Entries the controller has freed, by the last completion.
    fetched_head: u64,
    done: u64,
}

impl Lane {
    fn new(pair: Pair) -> Self {
        Self {
            pair,
            pushed: VecDeque::new(),
            expected: BTreeMap::new(),
            next_cid: 0,
            outstanding: 0,
            fetched_head: 0,
            done: 0,
        }
    }

    /// Entries that may be pushed: no more than fit both rings. What is free of the submission ring, completions alone tell: with
    /// a larger completion ring, more commands are outstanding than have a place.
    fn room(&self) -> u64 {
        let Pair { entries, completions, tail, .. } = self.pair;
        let in_ring = (tail + entries - self.fetched_head) % entries;
        (entries - 1 - in_ring).min(completions - 1 - self.outstanding)
    }

    fn submit(&mut self, system: &mut System, random: &mut Random) {
        let count = random.below(self.room() + 1);
        for _ in 0..count {
            let entry = entry(self.next_cid, random);
            self.next_cid = self.next_cid.wrapping_add(1);
            system.push(&mut self.pair, &entry);
            self.pushed.push_back(entry);
        }
        self.outstanding += count;
        if count > 0 {
            system.bar.push(crate::host_control::bar::Access::Write(
                Doorbell::SubmissionTail(self.pair.id).offset(0),
                vec![self.pair.tail as u32],
            ));
        }
    }

    fn reap(&mut self, system: &mut System) -> bool {
        let before = self.pair.head;
        while let Some(found) = system.pop(&mut self.pair) {
            let CompletionEntry { result, submission_head, submission_queue, cid, status, .. } =
                found;
            let expected = self.expected.remove(&cid).expect("a command that was completed");
            assert_eq!((status.bits(), result), expected);
            assert_eq!(submission_queue, self.pair.id);
            // The head moves on, never past the tail.
            let entries = self.pair.entries;
            let behind = |place: u64| (self.pair.tail + entries - place) % entries;
            assert!(behind(u64::from(submission_head)) <= behind(self.fetched_head));
            self.fetched_head = u64::from(submission_head);
            self.outstanding -= 1;
            self.done += 1;
        }
        self.pair.head != before
    }
}

#[test]
fn commands_come_in_order_and_completions_go_to_their_places() {
    seed::each(5, |random| {
        let mut system = System::new(random);
        let admin = system.bring_up(2 + random.below(15) as u32, 0);
        unmask_vectors(&mut system);
        let mut lanes = vec![Lane::new(admin)];
        for id in 1..QUEUES as u16 {
            let entries = [2, 3, 7, 64][random.below(4) as usize];
            let completions = if random.percent(50) { entries } else { 64 };
            lanes.push(Lane::new(system.create_queues(id, [entries, completions], 0)));
        }
        // Commands in the processor's hands: tag, lane, identifier.
        let mut held: Vec<(u64, usize, u16)> = Vec::new();
        let goal = 60;
        let mut messages = 0;
        while lanes.iter().any(|lane| lane.done < goal) {
            for lane in &mut lanes {
                if random.percent(3) {
                    lane.submit(&mut system, random);
                }
                // Heads are rung late, so that queues run full.
                if random.percent(3) && lane.reap(&mut system) {
                    system.bar.push(crate::host_control::bar::Access::Write(
                        Doorbell::CompletionHead(lane.pair.id).offset(0),
                        vec![lane.pair.head as u32],
                    ));
                }
            }
            system.cycles(random.below(20));
            while let Some(event) = system.events.pop_front() {
                let Event::Command { tag, queue } = event else { panic!("{event:?}") };
                assert!(held.iter().all(|&(other, ..)| other != tag), "tag {tag} is taken");
                let lane = &mut lanes[queue as usize];
                let entry = system.entry(tag);
                assert_eq!(Some(entry), lane.pushed.pop_front(), "queue {queue}");
                held.push((tag, queue as usize, entry.cid()));
            }
            assert!(held.len() as u64 <= TAGS);
            while !held.is_empty() && random.percent(60) {
                let (tag, lane, cid) = held.swap_remove(random.below(held.len() as u64) as usize);
                let (status, result) = (random.below(1 << 15), random.below(1 << 32));
                system.processor.complete(tag, status, result);
                lanes[lane].expected.insert(cid, (status as u16, result as u32));
            }
            for message in system.memory.take_messages() {
                assert_eq!(message.address, MESSAGES + 4 * u64::from(message.data));
                // Its entry is there, or was taken already.
                let lane = &lanes[message.data as usize];
                let waits = system.pop(&mut lane.pair.clone()).is_some();
                assert!(waits || lane.done > 0, "a message without an entry");
                messages += 1;
            }
            assert!(system.bench.cycles() < 400_000, "stuck");
        }
        assert!(messages > 0);
    });
}

/// A host that is told of a head writes new entries in front of it.
#[test]
fn completions_tell_of_a_head_behind_entries_that_have_been_read() {
    seed::each(3, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        let mut pair = system.create_queues(1, [4, 64], 0);
        let mut submit = |system: &mut System, pair: &mut Pair, cid: u16| {
            let entry = entry(cid, random);
            system.push(pair, &entry);
            system.ring_tail(pair);
        };
        submit(&mut system, &mut pair, 0);
        let (first, _) = system.command();
        system.memory.holds_reads = true;
        let before = system.memory.reads_seen.len();
        submit(&mut system, &mut pair, 1);
        submit(&mut system, &mut pair, 2);
        system.until("a read of the entries", |system| system.memory.reads_seen.len() > before);
        system.processor.complete(first, 0, 0);
        let mut told = None;
        system.until("a completion", |system| {
            told = told.take().or_else(|| system.pop(&mut pair));
            told.is_some()
        });
        assert_eq!(told.map(|own| own.submission_head), Some(1), "the others were not read");
        system.memory.holds_reads = false;
        for _ in 0..2 {
            let (tag, _) = system.command();
            system.processor.complete(tag, 0, 0);
        }
        let mut heads = vec![];
        system.until("two completions", |system| {
            heads.extend(system.pop(&mut pair).map(|own| own.submission_head));
            heads.len() == 2
        });
        assert_eq!(heads[1], 3);
    });
}

#[test]
fn entries_are_fetched_in_bursts_that_cross_no_page() {
    let mut random = Random::new(5);
    let mut system = System::new(&mut random);
    system.bring_up(4, 0);
    let mut pair = system.create_pair(1, 64, 0);
    system.memory.reads_seen.clear();
    for _ in 0..30 {
        let entry = entry(0, &mut random);
        system.push(&mut pair, &entry);
    }
    system.ring_tail(&pair);
    for nth in 0..30 {
        let (tag, _) = system.command();
        if nth % 2 == 0 {
            system.processor.complete(tag, 0, 0);
        }
    }
    let reads: Vec<(u64, u64)> = system
        .memory
        .reads_seen
        .iter()
        .map(|&(at, n)| ((at - submission_ring(1)) / 64, n / 64))
        .collect();
    assert_eq!(reads, [(0, 4), (4, 4), (8, 4), (12, 4), (16, 4), (20, 4), (24, 4), (28, 2)]);
}

#[test]
fn doorbells_that_are_wrong_are_told_and_move_nothing() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        let mut pair = system.create_pair(2, 8, 0);
        let (register, value) = (Event::Doorbell(0), Event::Doorbell(1));
        let wrong = [
            (Doorbell::SubmissionTail(1), 0, register),
            (Doorbell::CompletionHead(1), 0, register),
            (Doorbell::SubmissionTail(5), 1, register),
            (Doorbell::CompletionHead(18), 1, register),
            (Doorbell::SubmissionTail(511), 1, register),
            (Doorbell::SubmissionTail(2), 8, value),
            (Doorbell::SubmissionTail(2), 0x1_0001, value),
            (Doorbell::CompletionHead(2), 8, value),
            (Doorbell::CompletionHead(2), 1, value),
            (Doorbell::CompletionHead(2), 0x1_0000, value),
            (Doorbell::CompletionHead(0), 3, value),
        ];
        for (doorbell, number, event) in wrong {
            system.ring(doorbell, number);
            system.expect(event);
        }
        system.cycles(50);
        assert!(system.events.is_empty());
        // Heads may move over what was posted, no further.
        for cid in 0..3 {
            let entry = entry(cid, random);
            system.push(&mut pair, &entry);
        }
        system.ring_tail(&pair);
        for _ in 0..3 {
            let (tag, queue) = system.command();
            assert_eq!(queue, 2);
            system.processor.complete(tag, 0, 0);
        }
        system.settle();
        system.cycles(100);
        system.ring(Doorbell::CompletionHead(2), 4);
        system.expect(value);
        system.ring(Doorbell::CompletionHead(2), 2);
        system.ring(Doorbell::CompletionHead(2), 1);
        system.expect(value);
        system.ring(Doorbell::CompletionHead(2), 3);
        // The same place again is nothing new.
        system.ring(Doorbell::CompletionHead(2), 3);
        system.ring(Doorbell::SubmissionTail(2), 3);
        system.cycles(50);
        assert!(system.events.is_empty(), "{:?}", system.events);
        // Any number of wrong ones is told once a kind, beside the one that waits to be taken.
        system.processor.set_pace(Pace::Never);
        for _ in 0..20 {
            system.ring(Doorbell::CompletionHead(2), 5);
            system.ring(Doorbell::CompletionHead(3), 5);
        }
        system.cycles(10);
        system.processor.set_pace(Pace::Always);
        system.cycles(50);
        let told = system.events.drain(..).collect::<Vec<_>>();
        assert!(told.len() <= 3 && told.contains(&register) && told.contains(&value), "{told:?}");
    });
}

#[test]
fn large_queues_go_around_over_all_their_pages() {
    let mut random = Random::new(7);
    let mut system = System::new(&mut random);
    system.bring_up(4, 0);
    let entries = 1024;
    let mut pair = system.create_pair(1, entries, 0);
    let mut left = entries + 50;
    while left > 0 {
        let batch = left.min(TAGS);
        let pushed: Vec<Entry> = (0..batch).map(|_| entry(left as u16, &mut random)).collect();
        for entry in &pushed {
            system.push(&mut pair, entry);
        }
        system.ring_tail(&pair);
        for entry in &pushed {
            let (tag, _) = system.command();
            assert_eq!(system.entry(tag), *entry, "{left} left");
            system.processor.complete(tag, 0, entry.0[15].into());
        }
        for entry in &pushed {
            system.until("a completion at its place", |system| {
                system.pop(&mut pair.clone()).is_some()
            });
            let found = system.pop(&mut pair).map(|found| found.result);
            assert_eq!(found, Some(entry.0[15]), "{left} left");
        }
        system.ring_head(&pair);
        left -= batch;
    }
    assert_eq!((pair.head, pair.phase), (50, false));
}

#[test]
fn a_full_completion_queue_holds_up_nobody_else() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        let mut full = system.create_pair(1, 4, 0);
        let mut other = system.create_pair(2, 8, 0);
        // Seven commands for three places: the host rings tails again as entries are fetched.
        let mut tags = Vec::new();
        for cid in 0..7 {
            let entry = entry(cid, random);
            system.push(&mut full, &entry);
            system.ring_tail(&full);
            tags.push(system.command().0);
        }
        for (nth, &tag) in tags.iter().enumerate() {
            system.processor.complete(tag, Status::SUCCESS.bits().into(), nth as u64);
        }
        for cid in 0..6 {
            let entry = entry(100 + cid, random);
            system.push(&mut other, &entry);
            system.ring_tail(&other);
            let (tag, queue) = system.command();
            assert_eq!(queue, 2);
            system.processor.complete(tag, 0, 0);
            system.until("the other queue", |system| system.pop(&mut other.clone()).is_some());
            system.pop(&mut other);
        }
        let mut results = Vec::new();
        while results.len() < 7 {
            system.cycles(400);
            let mut found = 0;
            while let Some(entry) = system.pop(&mut full) {
                results.push(entry.result);
                found += 1;
            }
            assert!((1..=3).contains(&found), "{found} entries in three places");
            system.ring_head(&full);
        }
        results.sort_unstable();
        assert_eq!(results, [0, 1, 2, 3, 4, 5, 6]);
    });
}

#[test]
fn a_host_that_is_not_there_is_fatal() {
    seed::each(2, |random| {
        for write in [false, true] {
            let mut system = System::new(random);
            let mut admin = system.bring_up(4, 0);
            let entry = entry(1, random);
            system.push(&mut admin, &entry);
            if write {
                system.ring_tail(&admin);
                let (tag, _) = system.command();
                system.memory.unmap_all();
                system.processor.complete(tag, 0, 0);
            } else {
                system.memory.unmap_all();
                system.ring_tail(&admin);
            }
            system.until("CSTS.CFS", |system| system.read32(0x1c) & 2 == 2);
            assert!(system.events.is_empty());
            // A disable and a start mend it; every tag is there again.
            system.map_rings();
            system.write(0x14, &[0]);
            system.expect(Event::Disable);
            system.set_ready(0);
            system.until("CSTS.RDY off", |system| system.read32(0x1c) == 0);
            let mut admin = system.bring_up(TAGS as u32 + 1, 0);
            for cid in 0..TAGS as u16 {
                let entry = self::entry(cid, random);
                system.push(&mut admin, &entry);
            }
            system.ring_tail(&admin);
            for _ in 0..TAGS {
                system.command();
            }
        }
    });
}
