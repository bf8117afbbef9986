//! How fast data moves, against ceilings that are worked out by hand.

use crate::host_dma::commands::{Allocator, Command, Shape, PAGE};
use crate::host_dma::rig::{Behaviours, Direction, Rig, Size};
use rtl_sim::axi::{Behaviour, Link};
use rtl_sim::Random;

/// A top, and the link to its host.
#[derive(Clone, Copy)]
struct Setting {
    size: Size,
    link: Option<Link>,
}

/// Cycles of the hardware from the first descriptor to the last end, for so many commands.
fn cycles(setting: Setting, shape: Shape, count: u64, directions: &[Direction]) -> u64 {
    let Setting { size, link } = setting;
    let mut random = Random::new(1);
    let host = link.map_or_else(Behaviour::prompt, Behaviour::linked);
    let mut rig = Rig::new(size, Behaviours { host, ..Behaviours::prompt() }, &mut random);
    let mut pages = Allocator::new();
    for tag in 0..count {
        for &direction in directions {
            let command = Command::new(&mut rig, &mut pages, &mut random, shape);
            let memory = pages.memory(&mut random, shape.length) / 512 * 512;
            rig.fill_memory(memory, &vec![0; shape.length as usize]);
            rig.push(&command.descriptor(tag, direction, memory));
        }
    }
    let start = rig.bench.cycles();
    for _ in 0..count * directions.len() as u64 {
        rig.next_done(100_000);
    }
    rig.bench.cycles() - start
}

fn shape(pages: u64) -> Shape {
    Shape { offset: 0, length: pages * PAGE, list_slot: 0 }
}

#[test]
fn a_link_is_full_at_4_kib_and_above() {
    for (size, lanes) in [(Size::Narrow, 8), (Size::Wide, 16)] {
        let link = Link::gen3(lanes, 250);
        for (pages, count) in [(1, 64), (2, 40), (4, 30), (8, 16)] {
            let bytes = pages * PAGE * count;
            for direction in [Direction::FromHost, Direction::ToHost] {
                let setting = Setting { size, link: Some(link) };
                let taken = cycles(setting, shape(pages), count, &[direction]);
                // The time of the first answer belongs to the link.
                let limit = match direction {
                    Direction::FromHost => link.read_limit(taken - link.round_trip),
                    Direction::ToHost => link.write_limit(taken),
                };
                let share = bytes as f64 / limit as f64;
                let what = format!("x{lanes}, {direction:?}, {pages} pages");
                println!("{what}: {:.1} % of the link", share * 100.0);
                let least = if direction == Direction::FromHost { 0.975 } else { 0.95 };
                assert!((least..=1.0).contains(&share), "{what}: {share}");
            }
        }
    }
}

#[test]
fn both_directions_at_once_are_as_fast_as_one() {
    let setting = Setting { size: Size::Narrow, link: Some(Link::gen3(8, 250)) };
    for pages in [1, 2] {
        let one = cycles(setting, shape(pages), 24, &[Direction::FromHost]);
        let both = cycles(setting, shape(pages), 24, &[Direction::FromHost, Direction::ToHost]);
        println!("{pages} pages: one {one}, both {both}");
        assert!(both * 100 <= one * 110, "{pages} pages: one {one}, both {both}");
    }
}

#[test]
fn a_single_command_costs_few_cycles_of_its_own() {
    // Beats of a page, and cycles beyond them; the memories here take 2 cycles to answer. Of two channels the first stripe
    // shares its cycles with the second one, so it takes twice its beats: 64, or 16.
    for (size, beats, most) in
        [(Size::Narrowest, 512, 98), (Size::Narrow, 128, 50), (Size::Wide, 64, 50)]
    {
        for direction in [Direction::FromHost, Direction::ToHost] {
            let taken = cycles(Setting { size, link: None }, shape(1), 1, &[direction]) - beats;
            println!("{size:?} {direction:?}: {taken} cycles beyond {beats} beats");
            assert!(taken <= most, "{size:?} {direction:?}: {taken}");
        }
    }
}
