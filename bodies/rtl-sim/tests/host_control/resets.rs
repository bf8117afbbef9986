//! Disabling, resetting and deleting with commands under way.

use crate::host_control::automated::plain_entry;
use crate::host_control::commands::{entry, unmask_vectors};
use crate::host_control::processor::{Event, Queue};
use crate::host_control::system::{
    completion_ring, submission_ring, System, MSIX_PENDING, QUEUES, TAGS,
};
use nvme::register::offset;
use rtl_sim::{seed, Random};

/// How the host ends an enabling.
fn stop(system: &mut System, random: &mut Random) {
    if random.percent(50) {
        system.write(offset::CC, &[0]);
    } else {
        system.pulse("function_reset_i", &[]);
    }
}

/// Every tag can be had, once, and its completion is posted.
fn everything_works(system: &mut System, random: &mut Random) {
    let mut admin = system.bring_up(TAGS as u32 + 1, 0);
    for address in 0..(TAGS + 1) {
        assert!(system.memory.put(completion_ring(0) + 16 * address, &[0; 16]));
    }
    for cid in 0..TAGS as u16 {
        let entry = entry(cid, random);
        system.push(&mut admin, &entry);
    }
    system.ring_tail(&admin);
    let mut tags: Vec<u64> = (0..TAGS).map(|_| system.command().0).collect();
    for &tag in &tags {
        system.processor.complete(tag, 0, tag);
    }
    for _ in 0..TAGS {
        let mut found = None;
        system.until("a completion", |system| {
            found = system.pop(&mut admin);
            found.is_some()
        });
        tags.retain(|&tag| tag != u64::from(found.expect("it is there").result));
    }
    assert!(tags.is_empty(), "tags {tags:?} were not posted");
}

#[test]
fn a_disable_at_any_moment_drops_everything_and_leaves_memory_alone() {
    seed::each(12, |random| {
        let mut system = System::new(random);
        let mut pairs = vec![system.bring_up(9, 0)];
        unmask_vectors(&mut system);
        if random.percent(60) {
            system.automate();
        }
        for id in 1..QUEUES as u16 {
            let entries = 2 + random.below(15);
            pairs.push(system.create_pair(id, entries, 0));
        }
        for pair in &mut pairs {
            for cid in 0..random.below(pair.entries) as u16 {
                let plain = random.percent(50);
                let entry = if plain { plain_entry(cid, random) } else { entry(cid, random) };
                system.push(pair, &entry);
            }
            system.ring_tail(pair);
        }
        // Some are with the processor or the hardware, some complete, some fetched, some not, at that
        // moment.
        system.cycles(random.below(400));
        let mut held = Vec::new();
        let take = |system: &mut System, held: &mut Vec<u64>| {
            while let Some(Event::Command { tag, .. }) = system.events.front() {
                held.push(*tag);
                system.events.pop_front();
            }
            held.extend(system.io.drain(..).map(|io| io.tag));
        };
        take(&mut system, &mut held);
        for tag in held.drain(..random.below(held.len() as u64 + 1) as usize) {
            system.processor.complete(tag, 0, 0);
        }
        system.cycles(random.below(60));
        stop(&mut system, random);
        take(&mut system, &mut held);
        system.until("the disable", |system| {
            take(system, &mut held);
            !system.events.is_empty()
        });
        system.expect(Event::Disable);
        // What the processor gives now is for queues that are gone.
        let queue = Queue { id: 1, entries: 4, base: submission_ring(1), other: 1, choice: 1 };
        system.processor.create_completion_queue(queue);
        system.processor.create_submission_queue(queue);
        // The hardware may still be given commands; their tags come back as well.
        for _ in 0..20 {
            for tag in held.drain(..) {
                system.processor.complete(tag, 0, 0);
            }
            system.until("the processor", |system| system.processor.is_idle());
            system.cycles(30);
            take(&mut system, &mut held);
        }
        assert!(held.is_empty());
        assert!((0..QUEUES).all(|queue| system.running(queue) == 0));
        system.set_ready(0);
        system.until("CSTS.RDY off", |system| system.read32(offset::CSTS) & 1 == 0);
        // The host takes its memory; whatever still reads or writes would be fatal later.
        assert!(system.memory.is_idle(), "accesses under way after CSTS.RDY fell");
        system.memory.unmap_all();
        system.memory.take_messages();
        system.ring_tail(&pairs[1]);
        system.cycles(500);
        assert!(system.events.is_empty() && system.memory.take_messages().is_empty());
        assert_eq!(system.read32(offset::CSTS), 0);
        system.map_rings();
        everything_works(&mut system, random);
    });
}

/// Entries are under way, or answered just now, when the host ends the enabling.
#[test]
fn an_entry_that_a_reset_overtook_is_told_to_nobody() {
    seed::each(30, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        unmask_vectors(&mut system);
        let count = 6;
        let mut pair = system.create_pair(1, 16, 0);
        for cid in 0..count {
            let entry = entry(cid, random);
            system.push(&mut pair, &entry);
        }
        system.ring_tail(&pair);
        for _ in 0..count {
            let (tag, _) = system.command();
            system.processor.complete(tag, 0, 0);
        }
        system.cycles(random.below(120));
        stop(&mut system, random);
        system.expect(Event::Disable);
        // Once it is quiet, a message that was under way has left, and none follows.
        system.until("quiet", |system| system.get("quiet_o") == 1);
        system.until("writes", |system| system.memory.is_idle());
        system.memory.take_messages();
        system.cycles(200);
        assert!(system.memory.take_messages().is_empty(), "a message after it was quiet");
        assert_eq!(system.read32(MSIX_PENDING), 0, "vectors that are pending");
        unmask_vectors(&mut system);
        system.cycles(200);
        assert!(system.memory.take_messages().is_empty(), "a message of before the reset");
    });
}

#[test]
fn queues_that_were_made_too_late_are_not_there() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        system.write(offset::CC, &[0]);
        system.create_pair(1, 8, 0);
        system.expect(Event::Disable);
        system.set_ready(0);
        system.cycles(200);
        let admin = system.bring_up(4, 0);
        system.ring(nvme::register::Doorbell::SubmissionTail(1), 1);
        system.expect(Event::Doorbell(0));
        assert_eq!(admin.tail, 0);
    });
}

#[test]
fn a_queue_is_deleted_with_commands_in_flight() {
    seed::each(6, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        let mut pair = system.create_pair(3, 32, 0);
        let mut other = system.create_pair(4, 8, 0);
        let count = 12;
        for cid in 0..count {
            let entry = entry(cid, random);
            system.push(&mut pair, &entry);
        }
        system.ring_tail(&pair);
        system.cycles(random.below(120));
        system.processor.delete_submission_queue(3);
        system.settle();
        // As many as are said to come do come, and not one more.
        let already = system.events.len() as u64;
        let mut unread = system.unread(3) + already;
        let mut tags = Vec::new();
        while unread > 0 {
            tags.push(system.command().0);
            unread -= 1;
        }
        system.cycles(400);
        assert!(system.events.is_empty(), "more than was said");
        assert_eq!(system.unread(3), 0);
        assert!(tags.len() <= usize::from(count));
        // They complete all the same. Those behind the completion queue's end free their tags.
        let posted = tags.len().min(5);
        for &tag in &tags[..posted] {
            system.processor.complete(tag, 0, 7);
        }
        system.settle();
        system.cycles(800);
        let mut found = 0;
        while let Some(completion) = system.pop(&mut pair) {
            assert_eq!((completion.result, completion.submission_head), (7, 0));
            found += 1;
        }
        assert_eq!(found, posted);
        system.processor.delete_completion_queue(3);
        system.settle();
        for &tag in &tags[posted..] {
            system.processor.complete(tag, 0, 8);
        }
        system.settle();
        system.cycles(800);
        assert!(system.pop(&mut pair).is_none());
        system.ring_tail(&pair);
        system.expect(Event::Doorbell(0));
        // All tags are free again.
        for nth in 0..2 * TAGS as u16 {
            let entry = entry(nth, random);
            system.push(&mut other, &entry);
            system.ring_tail(&other);
            let (tag, _) = system.command();
            system.processor.complete(tag, 0, 0);
            system.until("a completion", |system| system.pop(&mut other.clone()).is_some());
            system.pop(&mut other);
            system.ring_head(&other);
        }
    });
}

#[test]
fn a_completion_without_a_command_does_nothing() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        let mut admin = system.bring_up(8, 0);
        for tag in 0..TAGS {
            system.processor.complete(tag, 0, 0);
        }
        system.settle();
        system.cycles(1000);
        assert!(system.pop(&mut admin).is_none());
        let entry = entry(1, random);
        system.push(&mut admin, &entry);
        system.ring_tail(&admin);
        let (tag, _) = system.command();
        // Twice: the second has nothing to complete any more.
        system.processor.complete(tag, 0, 0);
        system.processor.complete(tag, 0, 0);
        system.settle();
        system.cycles(400);
        assert!(system.pop(&mut admin).is_some() && system.pop(&mut admin).is_none());
    });
}
