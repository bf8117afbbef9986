//! Reads and writes for the queues beside the data.

use crate::host_dma::commands::{Allocator, Command, PAGE};
use crate::host_dma::rig::{Behaviours, Direction, Rig, OF_TWO_CHANNELS, TIMEOUT};
use rtl_sim::axi::{Behaviour, Mishap};
use rtl_sim::{seed, Pace, Random};
use std::collections::BTreeMap;

const ENTRY_BYTES: u64 = 64;

/// Entries that are read at once: as many as fit into a burst of 256 beats of 64 bits.
const MOST_ENTRIES: u64 = 32;

const COMPLETION: u64 = 0;
const MESSAGE: u64 = 1;

/// Puts the beats of each read together: bytes, and whether its last beat was an error.
fn answers(rig: &mut Rig) -> Vec<(u64, Vec<u8>, bool)> {
    let mut partial: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    let mut whole = Vec::new();
    for beat in rig.beats.take() {
        let [id, last, error] = [beat[0], beat[1], beat[2]];
        let bytes = partial.entry(id).or_default();
        bytes.extend(beat[3..].iter().flat_map(|word| word.to_le_bytes()));
        if last == 1 {
            whole.push((id, partial.remove(&id).unwrap(), error == 1));
        }
    }
    assert!(partial.is_empty(), "a read without an end");
    whole
}

#[test]
fn entries_come_whole_while_data_moves() {
    seed::each(10, |random| {
        let size = OF_TWO_CHANNELS[random.below(2) as usize];
        let mut rig = Rig::new(size, Behaviours::any(random), random);
        let mut pages = Allocator::new();
        let queue = pages.page(&mut rig);
        let bytes = random.bytes(PAGE as usize);
        rig.host.memory_mut().fill(queue, &bytes);
        for tag in 0..6 {
            let command = Command::any(&mut rig, &mut pages, random, 16 << 10);
            let memory = pages.memory(random, command.length);
            rig.fill_memory(memory, &vec![0; command.length as usize]);
            let direction = [Direction::FromHost, Direction::ToHost][tag as usize % 2];
            rig.push(&command.descriptor(tag, direction, memory));
        }
        let reads: Vec<(u64, u64, u64)> = (0..8)
            .map(|id| {
                let first = random.below(64);
                let most = (64 - first).min(MOST_ENTRIES);
                (id, first * ENTRY_BYTES, (1 + random.below(most)) * ENTRY_BYTES)
            })
            .collect();
        rig.entries.push_all(reads.iter().map(|&(id, at, length)| vec![queue + at, length, id]));
        for _ in 0..6 {
            rig.next_done(100_000);
        }
        rig.run(30_000);
        let mut found = answers(&mut rig);
        found.sort();
        for ((id, at, length), found) in reads.into_iter().zip(found) {
            assert!(found == (id, bytes[at as usize..][..length as usize].to_vec(), false), "{id}");
        }
    });
}

#[test]
fn entries_that_fail_or_never_come_end_with_an_error() {
    let mishaps = [Mishap::Error, Mishap::Silence];
    let cases = OF_TWO_CHANNELS.iter().flat_map(|&size| mishaps.map(|mishap| (size, mishap)));
    for (size, mishap) in cases {
        let mut random = Random::new(3);
        let mut rig = Rig::new(size, Behaviours::prompt(), &mut random);
        let mut pages = Allocator::new();
        let (bad, good) = (pages.page(&mut rig), pages.page(&mut rig));
        let mut host = Behaviour::prompt();
        host.mishaps.push((bad..bad + PAGE, mishap));
        rig.host.set_behaviour(host);
        rig.entries.push_all([vec![bad, 128, 2], vec![bad + 64, 64, 5]]);
        rig.run(TIMEOUT + 1_000);
        let mut found = answers(&mut rig);
        found.sort();
        let ids_and_errors: Vec<_> = found.iter().map(|(id, _, error)| (*id, *error)).collect();
        assert_eq!(ids_and_errors, [(2, true), (5, true)], "{size:?}, {mishap:?}");
        rig.host.speak();
        rig.run(100);
        rig.entries.push(vec![good, 64, 2]);
        rig.run(1_000);
        assert_eq!(answers(&mut rig), [(2, vec![0; 64], false)]);
    }
}

#[test]
fn completions_and_messages_are_told_when_they_are_there() {
    seed::each(6, |random| {
        let size = OF_TWO_CHANNELS[random.below(2) as usize];
        let mut rig = Rig::new(size, Behaviours::any(random), random);
        let mut pages = Allocator::new();
        let (queue, table) = (pages.page(&mut rig), pages.page(&mut rig));
        let entry = |id: u64| [0x1111_0000_0000 + id, !id];
        for id in 0..40 {
            let [low, high] = entry(id);
            rig.completions.push(vec![queue + id * 16, id, low, high]);
            rig.messages.push(vec![table + id * 4, id, 0xabc0_0000 + id]);
        }
        let mut told = 0;
        for _ in 0..40_000 {
            rig.cycle();
            for written in rig.written.take() {
                let [client, id, error] = [written[0], written[1], written[2]];
                let memory = rig.host.memory();
                assert_eq!(error, 0);
                let found = match client {
                    COMPLETION => memory.bytes(queue + id * 16, 16),
                    MESSAGE => memory.bytes(table + id * 4, 4),
                    _ => panic!("client {client}"),
                };
                let [low, high] = entry(id);
                let expected = match client {
                    COMPLETION => [low.to_le_bytes(), high.to_le_bytes()].concat(),
                    _ => (0xabc0_0000 + id as u32).to_le_bytes().to_vec(),
                };
                assert_eq!(found, expected, "client {client}, {id}");
                told += 1;
            }
        }
        assert_eq!(told, 80);
        // Nothing behind what was written.
        assert_eq!(rig.host.memory().bytes(queue + 640, 64), [0; 64]);
        assert_eq!(rig.host.memory().bytes(table + 160, 64), [0; 64]);
    });
}

#[test]
fn a_completion_that_fails_or_is_not_answered_is_told_as_an_error() {
    let mishaps = [Mishap::Error, Mishap::Silence];
    let cases = OF_TWO_CHANNELS.iter().flat_map(|&size| mishaps.map(|mishap| (size, mishap)));
    for (size, mishap) in cases {
        let mut random = Random::new(4);
        let mut rig = Rig::new(size, Behaviours::prompt(), &mut random);
        let queue = Allocator::new().page(&mut rig);
        let mut host = Behaviour::prompt();
        host.mishaps.push((queue..queue + 16, mishap));
        rig.host.set_behaviour(host);
        rig.completions.push(vec![queue, 9, 1, 2]);
        rig.run(TIMEOUT + 1_000);
        assert_eq!(rig.written.take(), [[COMPLETION, 9, 1]], "{size:?}, {mishap:?}");
        rig.host.speak();
        rig.run(100);
        rig.completions.push(vec![queue + 16, 10, 1, 2]);
        rig.run(300);
        assert_eq!(rig.written.take(), [[COMPLETION, 10, 0]]);
    }
}

/// At any moment, so between the beats of a completion, too.
#[test]
fn a_host_that_takes_no_more_beats_gets_whole_bursts_when_it_comes_back() {
    let cases = OF_TWO_CHANNELS.iter().flat_map(|&size| (0..12).map(move |moment| (size, moment)));
    for (size, moment) in cases {
        let mut random = Random::new(5);
        let mut rig = Rig::new(size, Behaviours::prompt(), &mut random);
        let mut pages = Allocator::new();
        let (queue, table) = (pages.page(&mut rig), pages.page(&mut rig));
        for id in 0..4 {
            rig.completions.push(vec![queue + id * 16, id, !id, id]);
            rig.messages.push(vec![table + id * 4, id, 7 + id]);
        }
        rig.run(moment);
        rig.host.set_behaviour(Behaviour { data: Pace::Never, ..Behaviour::prompt() });
        rig.run(2 * TIMEOUT);
        rig.host.set_behaviour(Behaviour::prompt());
        rig.run(300);
        let written = rig.written.take();
        assert_eq!(written.len(), 8, "{size:?} from {moment} on");
        for id in 0..4 {
            let bytes = rig.host.memory().bytes(queue + id * 16, 16);
            let whole = [(!id).to_le_bytes(), id.to_le_bytes()].concat();
            let is_good = written.contains(&vec![COMPLETION, id, 0]);
            assert!(!is_good || bytes == whole, "{size:?} from {moment} on: {id}");
        }
        rig.completions.push(vec![queue + 256, 9, 1, 2]);
        rig.run(300);
        assert_eq!(rig.written.take(), [[COMPLETION, 9, 0]], "{size:?} from {moment} on");
        let whole = [1u64.to_le_bytes(), 2u64.to_le_bytes()].concat();
        assert_eq!(rig.host.memory().bytes(queue + 256, 16), whole);
    }
}
