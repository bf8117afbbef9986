//! Any writes and reads of registers, from power-on on.

use arbitrary::Arbitrary;
use nvme::register::{offset, ControllerConfiguration};

use crate::house::{submission, Body, House};
use crate::input::{acts, bus_master, Address, Number};
use crate::kept::Copied;
use crate::memory::PAGE;

/// What a host does.
#[derive(Arbitrary, Debug)]
enum Act {
    /// Writes anywhere.
    Write(u16, u32),
    /// Writes a register that is there.
    Known(u8, Number),
    /// Names the admin queues.
    Queues(Address, Address, u32),
    /// Names sound admin queues.
    Sound,
    /// Starts as drivers do, with these other bits.
    Start(u8),
    /// Clears CC as a whole, CC.EN included.
    Stop,
    /// Reads anywhere.
    Read(u16),
    /// Writes Bus Master Enable.
    Master(bool),
    /// Lets the drive run.
    Run(u8),
    /// Lets it come to rest.
    Settle,
}

const KNOWN: [u64; 8] = [
    offset::INTMS,
    offset::INTMC,
    offset::CC,
    offset::AQA,
    offset::ASQ,
    offset::ACQ,
    offset::CSTS,
    offset::DOORBELLS,
];

/// The drive bears any use of its registers.
pub fn survives(bytes: &[u8]) {
    let mut house = Copied::at_power_on();
    act(&mut house, bytes);
    house.assert_recovers();
}

/// Does what the bytes say.
pub fn act<B: Body>(house: &mut House<B>, bytes: &[u8]) {
    for act in acts(bytes) {
        match act {
            Act::Write(at, value) => house.write(u64::from(at) & !3, value),
            Act::Known(nth, Number(value)) => {
                let at = KNOWN[usize::from(nth) % KNOWN.len()] + u64::from(nth >> 5) * 4;
                house.write(at, value);
            }
            Act::Queues(Address(asq), Address(acq), sizes) => {
                house.write(offset::AQA, mostly_small(sizes));
                for (at, address) in [(offset::ASQ, asq), (offset::ACQ, acq)] {
                    house.write(at, address as u32);
                    house.write(at + 4, (address >> 32) as u32);
                }
            }
            Act::Sound => {
                house.write(offset::AQA, 0x000f_000f);
                house.write(offset::ASQ, submission(0) as u32);
                house.write(offset::ASQ + 4, 0);
                house.write(offset::ACQ, (submission(0) + PAGE) as u32);
                house.write(offset::ACQ + 4, 0);
            }
            Act::Start(bits) => {
                let started = ControllerConfiguration::started(0).0;
                house.write(offset::CC, started ^ u32::from(bits & 0xf0) << 10);
            }
            Act::Stop => house.write(offset::CC, 0),
            Act::Read(at) => drop(house.register(at.into())),
            Act::Master(on) => house.set_bus_master(bus_master(on)),
            Act::Run(turns) => house.run(turns.into()),
            Act::Settle => house.settle(),
        }
    }
}

/// Sizes of the admin queues: one in 16 is any. A queue of thousands of entries takes long to go round, and has nothing on
/// its way that one of 64 does not.
fn mostly_small(sizes: u32) -> u32 {
    if sizes >> 28 == 0 {
        sizes
    } else {
        sizes & 0x003f_003f
    }
}
