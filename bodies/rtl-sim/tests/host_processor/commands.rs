//! Events, and the entries of the commands that they name.

use crate::host_processor::setup::{Setup, TAGS};
use ::registers::host::{commands, host_event, interrupt_enable, interrupt_status, status, Event};
use rtl_sim::{seed, Random};

/// An event as it reads: kind, tag or event information, queue.
type Told = (Event, u32, u32);

fn draw(random: &mut Random) -> (Vec<u64>, Told) {
    let kind = Event::ALL[random.below(Event::ALL.len() as u64) as usize];
    let [code, tag, id] = [256, TAGS, 1 << 16].map(|bound| random.below(bound));
    let shown = if kind == Event::Doorbell { code } else { tag };
    (vec![kind as u64, code, tag, id], (kind, shown as u32, id as u32))
}

fn event(setup: &mut Setup) -> Option<Told> {
    let word = [setup.read(host_event::REGISTER)];
    let kind = Event::from_bits(host_event::KIND.get(&word)).expect("a kind");
    (host_event::VALID.get(&word) == 1)
        .then(|| (kind, host_event::TAG.get(&word), host_event::ID.get(&word)))
}

#[test]
fn events_are_read_once_and_none_is_lost() {
    seed::each(10, |random| {
        let mut setup = Setup::at_any_pace(random);
        assert_eq!(event(&mut setup), None);
        let (sent, expected): (Vec<_>, Vec<_>) = (0..40).map(|_| draw(random)).unzip();
        let mut waiting = sent.into_iter();
        let mut received = Vec::new();
        while received.len() < expected.len() {
            // They come while the register is read, too.
            if random.percent(60) {
                setup.events.push_all(waiting.next());
            }
            received.extend(event(&mut setup));
            assert!(setup.bench.cycles() < 100_000, "stuck");
        }
        assert_eq!(received, expected);
        assert_eq!(setup.field(status::REGISTER, status::EVENT_WAITS), 0);
    });
}

#[test]
fn an_event_that_waits_is_told_and_raises_the_line() {
    let mut setup = Setup::willing();
    setup.events.push(vec![Event::Enable as u64, 0, 0, 0]);
    setup.run(5);
    assert_eq!(setup.field(status::REGISTER, status::EVENT_WAITS), 1);
    assert_eq!(setup.interrupts(), interrupt_status::EVENT_WAITS.mask());
    assert_eq!(setup.irq.last(), 0, "it is not enabled");
    setup.write(interrupt_enable::REGISTER, interrupt_enable::EVENT_WAITS.mask());
    setup.run(2);
    assert_eq!(setup.irq.last(), 1);
    // It cannot be cleared but by the read.
    setup.write(interrupt_status::REGISTER, u32::MAX);
    assert_eq!(setup.irq.last(), 1);
    assert_eq!(event(&mut setup), Some((Event::Enable, 0, 0)));
    setup.run(2);
    assert_eq!((setup.irq.last(), setup.interrupts()), (0, 0));
}

#[test]
fn a_dword_takes_two_cycles_more_than_a_register() {
    let mut setup = Setup::willing();
    let mut cycles = |address| {
        let began = setup.bench.cycles();
        setup.read_word(address);
        setup.bench.cycles() - began
    };
    assert_eq!(cycles(commands::OFFSET), cycles(status::REGISTER.offset) + 2);
}

#[test]
fn entries_of_commands_read_as_they_were_stored() {
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        let mut entries = vec![[0; 16]; TAGS as usize];
        for (tag, entry) in entries.iter_mut().enumerate() {
            *entry = [0; 16].map(|_: u32| random.next() as u32);
            setup.set("store_tag_i", tag as u64);
            for half in 0..2 {
                setup.set("store_half_i", half);
                let port = setup.bench.input("store_data_i");
                for (word, pair) in port.words().zip(entry[half as usize * 8..].chunks(2)) {
                    setup.bench.set(word, u64::from(pair[1]) << 32 | u64::from(pair[0]));
                }
                setup.pulse("store_write_i");
            }
        }
        let share = [100, 50, 10][random.below(3) as usize];
        for _ in 0..200 {
            let (tag, dword) = (random.below(TAGS) as u32, random.below(16) as u32);
            setup.master.read(commands::OFFSET + tag * commands::ENTRY + dword * 4);
            let found = loop {
                setup.set("store_ready_i", random.percent(share).into());
                setup.set("other_read_i", random.percent(50).into());
                setup.cycle();
                if let Some((data, _)) = setup.master.take_read().pop() {
                    break data;
                }
                assert!(setup.bench.cycles() < 200_000, "stuck");
            };
            assert_eq!(found, entries[tag as usize][dword as usize], "tag {tag} dword {dword}");
        }
    });
}
