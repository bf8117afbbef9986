//! The main loop with another scheduler than its own.

use contract::{Configuration, PhaseChannels};
use firmware::operations::Station;
use firmware::sched::{PhaseScheduler, Run, Scheduling};
use firmware::Border;
use nvme::io::{IoCommand, UnitAccess};

use crate::bench::{configuration, numbers, Bench};
use crate::body::Body;

/// Looks at the flash every fourth turn only.
struct Slow {
    inner: PhaseScheduler,
    turn: u32,
}

impl Border for Slow {}

impl<H: PhaseChannels> Scheduling<H> for Slow {
    fn new(config: &Configuration) -> Self {
        let inner = <PhaseScheduler as Scheduling<H>>::new(config);
        Slow { inner, turn: 0 }
    }

    fn check_dma(&mut self, hw: &mut H, station: &mut Station) -> bool {
        self.turn += 1;
        self.inner.check_dma(hw, station)
    }

    fn abandon(&mut self, hw: &mut H, station: &mut Station) {
        self.inner.abandon(hw, station);
    }

    fn run(&mut self, hw: &mut H, station: &mut Station) -> Run {
        if self.turn % 4 == 0 {
            self.inner.run(hw, station)
        } else {
            Run::Over(true)
        }
    }
}

/// Writes the drive over, with blocks that fail, and reads it back; returns the turns that it took.
fn turns<S: Scheduling<Body>>() -> u64 {
    let mut config = configuration();
    config.geometry.blocks_per_way = 20;
    let mut bench = Bench::<S>::scheduling(&Configuration { spare_blocks_per_way: 8, ..config });
    bench.body.faults.programs = (40..2_000).step_by(211).collect();
    bench.body.faults.erases = (5..200).step_by(37).collect();
    for version in 1..6 {
        for lba in (0..800).step_by(32) {
            bench.write(lba, &numbers(lba, 32, version), UnitAccess::Normal);
        }
    }
    bench.done(IoCommand::Flush);
    for lba in (0..800).step_by(32) {
        assert_eq!(bench.read(lba, 32, UnitAccess::Normal), Ok(numbers(lba, 32, 5)));
    }
    assert!(bench.firmware.inspect().counters().bad_blocks > 2);
    bench.body.turn
}

#[test]
fn another_scheduler_serves_the_same_commands_in_its_own_time() {
    let (own, slow) = (turns::<PhaseScheduler>(), turns::<Slow>());
    assert!(slow > own * 3 / 2, "{slow} turns, {own} with the own one");
}
