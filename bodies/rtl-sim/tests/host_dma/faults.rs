//! A host is not trusted: bad pointers, errors, silence. No hang, no stray write.

use crate::host_dma::commands::{Allocator, Command, Shape, PAGE};
use crate::host_dma::rig::{
    Behaviours, Descriptor, Direction, Done, Fault, Moved, Rig, Size, OF_TWO_CHANNELS, TIMEOUT,
};
use rtl_sim::axi::{Behaviour, Mishap, Order};
use rtl_sim::{Pace, Random};

const BOTH: [Direction; 2] = [Direction::FromHost, Direction::ToHost];

struct Scene {
    rig: Rig,
    pages: Allocator,
    random: Random,
}

impl Scene {
    fn new(size: Size) -> Self {
        let mut random = Random::new(7);
        let rig = Rig::new(size, Behaviours::prompt(), &mut random);
        Self { rig, pages: Allocator::new(), random }
    }

    fn command(&mut self, pages: u64, list_slot: u64) -> Command {
        let shape = Shape { offset: 0, length: pages * PAGE, list_slot };
        let command = Command::new(&mut self.rig, &mut self.pages, &mut self.random, shape);
        let bytes = self.random.bytes(command.length as usize);
        command.fill(&mut self.rig, &bytes);
        command
    }

    /// A descriptor for a command, whose end in memory is there.
    fn descriptor(&mut self, command: &Command, tag: u64, direction: Direction) -> Descriptor {
        let memory = self.pages.memory(&mut self.random, command.length);
        let bytes = self.random.bytes(command.length as usize);
        self.rig.fill_memory(memory, &bytes);
        command.descriptor(tag, direction, memory)
    }

    /// The host's memory to the end of a page, and as much of the drive's.
    fn both_ends(&self, page: u64, memory: u64) -> (Vec<u8>, Vec<u8>) {
        let length = PAGE - page % PAGE;
        let host = self.rig.host.memory().bytes(page, length as usize);
        (host, self.rig.memory_bytes(memory, length))
    }

    fn ends(&mut self, descriptor: &Descriptor, fault: Fault) {
        self.rig.push(descriptor);
        let Descriptor { tag, direction, .. } = *descriptor;
        assert_eq!(self.rig.next_done(3 * TIMEOUT), Done { tag, direction, fault });
    }

    /// A whole command goes through in each direction.
    fn works(&mut self) {
        for direction in BOTH {
            let command = self.command(5, 509);
            let descriptor = self.descriptor(&command, 99, direction);
            self.ends(&descriptor, Fault::None);
            let host = command.bytes(&self.rig, 0, command.length);
            let memory = self.rig.memory_bytes(descriptor.memory, command.length);
            let differ = host.iter().zip(&memory).position(|(host, memory)| host != memory);
            assert_eq!(differ, None, "{descriptor:x?}");
        }
    }
}

#[test]
fn bad_pointers_end_with_what_is_wrong_and_touch_nothing_behind() {
    for size in OF_TWO_CHANNELS {
        type Spoil = fn(&mut Scene, &mut Command);
        let table: [(&str, u64, u64, Fault, Spoil); 7] = [
            ("PRP1 is not a multiple of 4", 1, 0, Fault::Offset, |_, command| command.prp1 += 2),
            ("PRP2, a page, has an offset", 2, 0, Fault::Offset, |_, command| command.prp2 += 16),
            ("PRP2, a list, is not aligned", 5, 0, Fault::Offset, |_, command| command.prp2 += 4),
            ("an entry has an offset", 5, 0, Fault::Offset, |scene, command| {
                scene.rig.host.memory_mut().set(command.prp2 + 16, 8);
            }),
            ("a list leads to an offset", 5, 509, Fault::Offset, |scene, command| {
                scene.rig.host.memory_mut().set(command.prp2 | 0xff8, 8);
            }),
            ("there is no list", 5, 0, Fault::Bus, |_, command| command.prp2 = 0x7000),
            ("the list leads nowhere", 5, 509, Fault::Bus, |scene, command| {
                scene.rig.host.memory_mut().fill(command.prp2 | 0xff8, &0x7000u64.to_le_bytes());
            }),
        ];
        for direction in BOTH {
            let mut scene = Scene::new(size);
            for (what, pages, list_slot, fault, spoil) in table {
                let mut command = scene.command(pages, list_slot);
                spoil(&mut scene, &mut command);
                let descriptor = scene.descriptor(&command, 3, direction);
                let good_bytes = command.pages[1..].to_vec();
                let before: Vec<_> = good_bytes
                    .iter()
                    .map(|&page| scene.rig.host.memory().bytes(page, PAGE as usize))
                    .collect();
                scene.rig.push(&descriptor);
                let done = scene.rig.next_done(20_000);
                assert_eq!(done, Done { tag: 3, direction, fault }, "{what}");
                // Behind the bad entry, which is the third page at the latest, nothing moves.
                if direction == Direction::ToHost {
                    for (&page, before) in good_bytes.iter().zip(before).skip(3) {
                        let now = scene.rig.host.memory().bytes(page, PAGE as usize);
                        assert!(now == before, "{what}: page {page:#x} was written");
                    }
                }
                scene.works();
            }
        }
    }
}

#[test]
fn a_command_that_is_too_long_is_refused_without_a_look_at_the_host() {
    let mut scene = Scene::new(Size::Narrow);
    let command = scene.command(5, 0);
    let descriptor = scene.descriptor(&command, 1, Direction::FromHost);
    let (read, _) = scene.rig.host.moved();
    let too_long = Descriptor { command_length: 1 << 24, ..descriptor };
    scene.ends(&too_long, Fault::List);
    assert_eq!(scene.rig.host.moved().0, read);
    scene.works();
}

#[test]
fn a_list_that_leads_into_itself_ends() {
    for size in OF_TWO_CHANNELS {
        let mut scene = Scene::new(size);
        let command = scene.command(4, 509);
        // The first page's last entry leads to the list's own page, whose entries are then data.
        let list = command.prp2 / PAGE * PAGE;
        let data = command.pages[1];
        for entry in 0..511 {
            scene.rig.host.memory_mut().fill(list + entry * 8, &data.to_le_bytes());
        }
        scene.rig.host.memory_mut().fill(list + 511 * 8, &list.to_le_bytes());
        let descriptor = scene.descriptor(&command, 5, Direction::FromHost);
        let length = 4 << 20;
        let looped = Descriptor {
            host_offset: length - PAGE,
            length: PAGE,
            command_length: length,
            ..descriptor
        };
        scene.ends(&looped, Fault::None);
        assert_eq!(
            scene.rig.memory_bytes(descriptor.memory, PAGE),
            scene.rig.host.memory().bytes(data, PAGE as usize)
        );
        scene.works();
    }
}

#[test]
fn a_page_that_meets_an_error_is_not_written() {
    for size in OF_TWO_CHANNELS {
        for direction in BOTH {
            let mut scene = Scene::new(size);
            let command = scene.command(4, 0);
            let descriptor = scene.descriptor(&command, 8, direction);
            // A page of data in the host: all of it to write, and all but the first beats to read.
            let page = command.pages[2];
            let good = if direction == Direction::FromHost { 256 } else { 0 };
            let there = descriptor.memory + 2 * PAGE;
            let before = scene.both_ends(page + good, there + good);
            let mut host = Behaviour::prompt();
            host.mishaps.push((page + good..page + PAGE, Mishap::Error));
            scene.rig.host.set_behaviour(host);
            scene.ends(&descriptor, Fault::Bus);
            scene.rig.host.speak();
            let after = scene.both_ends(page + good, there + good);
            assert!(after == before, "{direction:?}, the host");
            // A page that the host does not have.
            let nowhere =
                Descriptor { prp1: 0x7000, length: PAGE, command_length: PAGE, ..descriptor };
            scene.ends(&nowhere, Fault::Bus);
            // The channel of the first stripe.
            let memory = scene.pages.memory(&mut scene.random, 2 * PAGE) / 1024 * 1024;
            scene.rig.fill_memory(memory, &[0xaa; PAGE as usize]);
            let single = Descriptor { length: PAGE, command_length: PAGE, memory, ..descriptor };
            let before = scene.both_ends(command.pages[0], memory).0;
            let mut behaviour = Behaviour::prompt();
            behaviour.mishaps.push((0..1 << 40, Mishap::Error));
            scene.rig.memories[0].set_behaviour(behaviour);
            scene.ends(&single, Fault::Bus);
            scene.rig.memories[0].speak();
            assert!(scene.both_ends(command.pages[0], memory).0 == before, "{direction:?}, memory");
            scene.works();
        }
    }
}

#[test]
fn a_fault_is_that_of_its_descriptor_alone() {
    for direction in BOTH {
        let mut scene = Scene::new(Size::Narrow);
        let good = scene.command(2, 0);
        for tag in 0..12 {
            let whole = scene.descriptor(&good, tag, direction);
            // A page that the host does not have, nothing, and zeros, in turn.
            let descriptor = match tag % 3 {
                0 => Descriptor { prp1: 0x7000, length: PAGE, command_length: PAGE, ..whole },
                1 => Descriptor { source: Moved::None, ..whole },
                _ if direction == Direction::FromHost => {
                    Descriptor { source: Moved::Zeros, ..whole }
                }
                _ => whole,
            };
            scene.rig.push(&descriptor);
        }
        for tag in 0..12 {
            let fault = if tag % 3 == 0 { Fault::Bus } else { Fault::None };
            assert_eq!(scene.rig.next_done(20_000), Done { tag, direction, fault });
        }
        scene.works();
    }
}

#[test]
fn zeros_end_with_all_else_when_the_host_is_silent() {
    let mut scene = Scene::new(Size::Narrow);
    let silent = scene.command(4, 0);
    let mut host = Behaviour::prompt();
    let page = silent.pages[1];
    host.mishaps.push((page..page + PAGE, Mishap::Silence));
    scene.rig.host.set_behaviour(host);
    let first = scene.descriptor(&silent, 0, Direction::FromHost);
    let zeros = Descriptor { source: Moved::Zeros, ..first };
    scene.rig.push(&first);
    for tag in 1..20 {
        let descriptor = scene.descriptor(&silent, tag, Direction::FromHost);
        scene.rig.push(&Descriptor { source: zeros.source, ..descriptor });
    }
    for tag in 0..20 {
        let done = scene.rig.next_done(3 * TIMEOUT);
        assert_eq!((done.tag, done.direction), (tag, Direction::FromHost));
        // Zeros that were ready before the silence was noticed count as moved.
        assert!(tag != 0 && done.fault == Fault::None || done.fault == Fault::TimedOut);
    }
    assert!(scene.rig.is_idle());
    scene.rig.host.speak();
    scene.rig.run(1_000);
    scene.ends(&Descriptor { tag: 77, ..zeros }, Fault::None);
    let moved = scene.rig.memory_bytes(zeros.memory, zeros.length);
    assert!(moved.iter().all(|&byte| byte == 0));
    scene.works();
}

#[test]
fn silence_ends_and_whoever_comes_back_is_served() {
    for size in OF_TWO_CHANNELS {
        for direction in BOTH {
            let mut scene = Scene::new(size);
            let silent = scene.command(4, 0);
            let other = scene.command(1, 0);
            let mut host = Behaviour::prompt();
            let page = silent.pages[2];
            host.mishaps.push((page..page + PAGE, Mishap::Silence));
            scene.rig.host.set_behaviour(host);
            let first = scene.descriptor(&silent, 1, direction);
            let second = scene.descriptor(&other, 2, direction);
            scene.rig.push(&first);
            scene.rig.push(&second);
            let ends: Vec<Done> = (0..2).map(|_| scene.rig.next_done(3 * TIMEOUT)).collect();
            let expected = [1, 2].map(|tag| Done { tag, direction, fault: Fault::TimedOut });
            // The second one may have been through before the first one's silence was noticed.
            assert_eq!(ends[0], expected[0]);
            assert_eq!(ends[1].tag, 2);
            // Nothing moves before the answer has come after all.
            scene.ends(&second, Fault::TimedOut);
            scene.rig.host.speak();
            scene.rig.run(3_000);
            scene.works();
        }
    }
}

#[test]
fn a_silent_list_ends_too() {
    for size in OF_TWO_CHANNELS {
        let mut scene = Scene::new(size);
        let command = scene.command(4, 0);
        let mut host = Behaviour::prompt();
        host.mishaps.push((command.prp2..command.prp2 + PAGE, Mishap::Silence));
        scene.rig.host.set_behaviour(host);
        let descriptor = scene.descriptor(&command, 1, Direction::FromHost);
        scene.ends(&descriptor, Fault::TimedOut);
        scene.rig.host.speak();
        scene.rig.run(1_000);
        scene.works();
    }
}

#[test]
fn a_host_that_takes_nothing_ends_a_write_and_gets_its_rest_without_strobes() {
    for size in OF_TWO_CHANNELS {
        for stuck in ["addresses", "data"] {
            let mut scene = Scene::new(size);
            let command = scene.command(3, 0);
            let descriptor = scene.descriptor(&command, 1, Direction::ToHost);
            let mut host = Behaviour::prompt();
            match stuck {
                "addresses" => host.addresses = Pace::Never,
                _ => host.data = Pace::Never,
            }
            // It stops in the middle of a burst.
            scene.rig.push(&descriptor);
            scene.rig.run(120);
            scene.rig.host.set_behaviour(host);
            let done = Done { tag: 1, direction: Direction::ToHost, fault: Fault::TimedOut };
            assert_eq!(scene.rig.next_done(3 * TIMEOUT), done, "{stuck}");
            let (_, written) = scene.rig.host.moved();
            scene.rig.host.set_behaviour(Behaviour::prompt());
            scene.rig.run(300);
            let (_, written_late) = scene.rig.host.moved();
            // At most the beat that waited.
            assert!(written_late - written <= 32, "{stuck}: {written} and then {written_late}");
            scene.works();
        }
    }
}

/// What is silent is noticed, however much else the host answers meanwhile.
#[test]
fn a_lost_read_is_noticed_while_others_are_answered() {
    for size in OF_TWO_CHANNELS {
        let mut scene = Scene::new(size);
        let silent = scene.command(4, 0);
        let queue = scene.pages.page(&mut scene.rig);
        let page = silent.pages[2];
        let mishaps = vec![(page..page + PAGE, Mishap::Silence)];
        scene.rig.host.set_behaviour(Behaviour {
            order: Order::Bursts,
            mishaps,
            ..Behaviour::prompt()
        });
        let descriptor = scene.descriptor(&silent, 1, Direction::FromHost);
        scene.rig.push(&descriptor);
        let mut done = None;
        for cycle in 0..3 * TIMEOUT {
            if cycle % 400 == 0 {
                scene.rig.entries.push(vec![queue, 64, cycle / 400 % 8]);
            }
            done = scene.rig.cycle();
            if done.is_some() {
                break;
            }
        }
        let (direction, fault) = (Direction::FromHost, Fault::TimedOut);
        assert_eq!(done, Some(Done { tag: 1, direction, fault }), "while entries are read");
        scene.rig.host.speak();
        scene.rig.run(3_000);
        scene.works();
    }
}

/// The drive's own memory may be as silent as the host.
#[test]
fn memory_that_does_not_answer_ends_its_descriptors_and_serves_again() {
    for direction in BOTH {
        for channel in 0..2 {
            let mut scene = Scene::new(Size::Narrow);
            let command = scene.command(4, 0);
            let first = scene.descriptor(&command, 1, direction);
            let second = scene.descriptor(&command, 2, direction);
            let mishaps = vec![(0..1 << 40, Mishap::Silence)];
            let behaviour = Behaviour { mishaps, ..Behaviour::prompt() };
            scene.rig.memories[channel].set_behaviour(behaviour);
            scene.rig.push(&first);
            scene.rig.push(&second);
            for tag in [1, 2] {
                let done = scene.rig.next_done(3 * TIMEOUT);
                assert_eq!(done, Done { tag, direction, fault: Fault::TimedOut }, "{channel}");
            }
            // Until it has answered what it owes, all that is asked for ends.
            scene.ends(&second, Fault::TimedOut);
            scene.rig.memories[channel].speak();
            scene.rig.run(1_000);
            scene.works();
        }
    }
}

/// Memory that takes neither addresses nor data, from any moment on.
#[test]
fn memory_that_takes_nothing_ends_its_descriptors_and_serves_again() {
    let cases = [
        (Direction::FromHost, "addresses"),
        (Direction::FromHost, "data"),
        (Direction::FromHost, "both"),
        (Direction::ToHost, "addresses"),
    ];
    for (direction, stuck) in cases {
        for moment in (0..200).step_by(23) {
            let mut scene = Scene::new(Size::Narrow);
            let command = scene.command(4, 0);
            let descriptor = scene.descriptor(&command, 1, direction);
            scene.rig.push(&descriptor);
            scene.rig.run(moment);
            for memory in &mut scene.rig.memories {
                let mut behaviour = Behaviour::prompt();
                if stuck != "data" {
                    behaviour.addresses = Pace::Never;
                }
                if stuck != "addresses" {
                    behaviour.data = Pace::Never;
                }
                memory.set_behaviour(behaviour);
            }
            let done = scene.rig.next_done(3 * TIMEOUT);
            let expected = Done { tag: 1, direction, fault: Fault::TimedOut };
            assert_eq!(done, expected, "{stuck} from {moment} on");
            scene.ends(&Descriptor { tag: 2, ..descriptor }, Fault::TimedOut);
            for memory in &mut scene.rig.memories {
                memory.set_behaviour(Behaviour::prompt());
            }
            scene.rig.run(1_000);
            scene.works();
        }
    }
}

/// Memory comes back at any moment, while a slow host sends what nobody waits for any more.
#[test]
fn memory_that_comes_back_in_the_middle_of_a_burst_gets_whole_bursts() {
    rtl_sim::seed::each(6, |random| {
        let mut scene = Scene::new(Size::Narrow);
        let command = scene.command(4, 0);
        let descriptor = scene.descriptor(&command, 0, Direction::FromHost);
        let answers = Pace::Percent(20, random.split());
        scene.rig.host.set_behaviour(Behaviour { answers, ..Behaviour::prompt() });
        let deaf = Behaviour { data: Pace::Never, ..Behaviour::prompt() };
        scene.rig.memories.iter_mut().for_each(|memory| memory.set_behaviour(deaf.clone()));
        for tag in 0..6 {
            scene.rig.push(&Descriptor { tag, ..descriptor });
        }
        assert_eq!(scene.rig.next_done(3 * TIMEOUT).fault, Fault::TimedOut);
        for _ in 0..random.below(400) {
            scene.rig.cycle();
        }
        let back = Behaviour::prompt();
        scene.rig.memories.iter_mut().for_each(|memory| memory.set_behaviour(back.clone()));
        for _ in 0..30_000 {
            scene.rig.cycle();
        }
        assert!(scene.rig.is_idle());
        scene.rig.host.set_behaviour(Behaviour::prompt());
        scene.works();
    });
}
