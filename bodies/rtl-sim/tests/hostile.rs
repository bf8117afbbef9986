//! Hostile hosts at the controller in hardware, with the firmware: what the fuzz of the body in virtual time demands holds here, too.
//!
//! `make rtl-hostile` runs more inputs of each kind (`HOSTILE_INPUTS=1500`), from a number on (`HOSTILE_FROM=0`). A kind is a kind of
//! hostility at one of two controllers: one whose firmware runs all commands, and one that runs reads and writes by itself.

use board::Board;
use hostile::{Body, Gate, Hostility, House, Memory};
use machine::BusMaster;
use nvme::register::{offset, ControllerConfiguration};
use rtl_sim::drive::{RtlDrive, StillHost};
use rtl_sim::Random;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};

/// Inputs of each kind of hostility, if nobody asks for another number.
const INPUTS: u64 = 6;
/// Inputs after which it is said how far a kind is.
const TOLD: u64 = 50;
/// Bytes of an input at most; 48 acts need fewer.
const MOST_BYTES: u64 = 1200;
/// Bytes of BAR 0.
const BAR_BYTES: u64 = 0x4000;

/// A board, and the key that makes its drive small.
type Small = (&'static str, &'static str, &'static str);

/// The drive whose firmware runs all commands.
const BY_FIRMWARE: Small = ("firmament-rtl", "geometry.blocks_per_way", "8");
/// The drive that runs reads and writes by itself.
const BY_ITSELF: Small = ("firmament-automated", "memory.capacity_mib", "4");

/// The drive in hardware.
struct Hardware {
    drive: RtlDrive<'static, StillHost<Memory>>,
    /// Whether CC.EN was written as 0 since the controller last came to rest.
    stops: bool,
}

impl Hardware {
    fn of((board, key, value): Small) -> Self {
        let more = [(key.to_owned(), value.to_owned())];
        let board = Board::resolve(board, &more).expect("the board");
        let drive = RtlDrive::with_still_host(&board, 1).expect("hardware of the board");
        Self { drive, stops: false }
    }
}

impl Body for Hardware {
    fn memory(&mut self) -> &mut Memory {
        self.drive.host_memory()
    }

    fn read32(&mut self, at: u64) -> u32 {
        self.drive.read_bar(at % BAR_BYTES)
    }

    /// What is on its way when CC.EN is cleared may still reach memory. From CSTS.RDY = 0 on nothing may.
    fn write32(&mut self, at: u64, value: u32) {
        let at = at % BAR_BYTES;
        self.drive.write_bar(at, value);
        if at == offset::CC {
            self.stops = !ControllerConfiguration(value).enabled();
            self.memory().gate = Gate::Open;
        }
    }

    fn set_bus_master(&mut self, master: BusMaster) {
        self.drive.set_bus_master(master);
        self.memory().master = master;
    }

    fn run(&mut self, turns: u32) {
        self.drive.run_turns(turns);
    }

    fn settle(&mut self, most_turns: u32) -> bool {
        let goes_on = self.drive.run_turns(most_turns);
        if self.stops && self.drive.read_bar(offset::CSTS) & 1 == 0 {
            self.memory().gate = Gate::Shut;
        }
        !goes_on
    }
}

/// Runs inputs of a kind, by their numbers, on one drive, which has to recover from each.
fn bear(small: Small, hostility: Hostility, inputs: Range<u64>) {
    let mut house = House::around(Hardware::of(small));
    let board = small.0;
    house.settle();
    house.start();
    for seed in inputs.clone() {
        let mut random = Random::new(seed << 2 | hostility as u64);
        let length = 1 + random.below(MOST_BYTES) as usize;
        let bytes = random.bytes(length);
        let borne = panic::catch_unwind(AssertUnwindSafe(|| {
            hostility.act(&mut house, &bytes);
            house.assert_recovers();
        }));
        if let Err(cause) = borne {
            println!(
                "{board}, {hostility:?}: input {seed}, the drive made before input {}",
                inputs.start
            );
            panic::resume_unwind(cause);
        }
        if (seed + 1) % TOLD == 0 || seed + 1 == inputs.end {
            let (commands, cycles) = (house.placed, house.drive.drive.cycles());
            let (first, last) = (inputs.start, seed);
            println!(
                "{board}, {hostility:?}: inputs {first} to {last}, {commands} commands, {cycles} cycles"
            );
        }
    }
}

/// Runs the inputs that were asked for, of each kind of hostility, at a drive.
fn bear_all(small: Small) {
    let number = |name: &str, default| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number of inputs"))
    };
    let first = number("HOSTILE_FROM", 0);
    for hostility in Hostility::ALL {
        bear(small, hostility, first..first + number("HOSTILE_INPUTS", INPUTS));
    }
}

#[test]
fn the_controller_bears_hostile_hosts() {
    bear_all(BY_FIRMWARE);
}

/// Only where the model was made, which `make test` leaves to `make test-all`.
#[test]
fn the_controller_bears_hostile_hosts_while_it_runs_commands_by_itself() {
    if crate::automated::is_there() {
        bear_all(BY_ITSELF);
    }
}
