//! A host that stands still keeps nobody else from the drive's memory.

use crate::host_dma::commands::{Allocator, Command};
use crate::host_dma::rig::{Behaviours, Direction, Rig, Size};
use rtl_sim::axi::{Behaviour, UnderWay};
use rtl_sim::{seed, Pace, Random};

const COMMANDS: u64 = 8;

/// Tops, and cycles in which memory ends what it can end: it answers reads that fill a ring of 16 KiB, a beat a cycle.
const SETTLED: [(Size, u64); 3] = [(Size::Narrowest, 2200), (Size::Narrow, 700), (Size::Wide, 400)];

/// A host that takes nothing and answers nothing.
fn still() -> Behaviour {
    let (addresses, data, answers) = (Pace::Never, Pace::Never, Pace::Never);
    Behaviour { addresses, data, answers, ..Behaviour::prompt() }
}

/// Runs so many cycles, and returns how many descriptors ended.
fn ended_in(rig: &mut Rig, cycles: u64) -> u64 {
    (0..cycles).filter(|_| rig.cycle().is_some()).count() as u64
}

fn stop_and_go(random: &mut Random, size: Size, settled: u64) {
    let mut rig = Rig::new(size, Behaviours::prompt(), random);
    let mut pages = Allocator::new();
    for tag in 0..COMMANDS {
        let command = Command::any(&mut rig, &mut pages, random, 12 << 10);
        let direction = [Direction::FromHost, Direction::ToHost][random.below(2) as usize];
        let memory = pages.memory(random, command.length);
        rig.fill_memory(memory, &random.bytes(command.length as usize));
        rig.push(&command.descriptor(tag, direction, memory));
    }
    let (mut ended, mut stops) = (0, 0);
    while ended < COMMANDS {
        ended += ended_in(&mut rig, 1 + random.below(200));
        rig.host.set_behaviour(still());
        ended += ended_in(&mut rig, settled);
        for memory in &rig.memories {
            assert_eq!(memory.under_way(), UnderWay::default(), "{size:?}, after {stops} stops");
        }
        rig.host.set_behaviour(Behaviour::prompt());
        stops += 1;
        assert!(stops < 10_000, "{ended} descriptors ended");
    }
}

#[test]
fn a_host_that_stands_still_leaves_no_burst_of_memory_open() {
    for (size, settled) in SETTLED {
        seed::each(3, |random| stop_and_go(random, size, settled));
    }
}
