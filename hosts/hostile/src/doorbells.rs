//! Any doorbells, by register and in memory, over queues that come and go.

use arbitrary::Arbitrary;
use nvme::admin::AdminCommand;
use nvme::command::{DataPointer, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, Doorbell};

use crate::house::{Body, House, DATA, ENTRIES, PAIRS};
use crate::input::{acts, bus_master, Address, Number};
use crate::kept::Copied;
use crate::memory::PAGE;

/// Where doorbells in memory are, and their event indexes.
const SHADOW: u64 = DATA + 20 * PAGE;
const EVENTS: u64 = SHADOW + PAGE;

/// What a host does.
#[derive(Arbitrary, Debug)]
enum Act {
    /// Rings a tail.
    Tail(u8, Number),
    /// Rings a head.
    Head(u8, Number),
    /// Writes beyond the doorbells, or between them.
    Beyond(u16, u32),
    /// Puts commands on a queue: writes, and reads every other.
    Place(u8, u8),
    /// Rings the tail that the queue has.
    Ring(u8),
    /// Takes completions.
    Reap(u8),
    /// Moves doorbells into memory.
    Buffers(Option<(Address, Address)>),
    /// Rings in memory.
    Shadow(u8, Number),
    /// Lets the drive look there, as the server does.
    Look,
    /// Asks for messages, as the server does.
    Ask,
    /// Deletes queues.
    Delete(u8),
    /// Disables the controller.
    Stop,
    /// Writes Bus Master Enable.
    Master(bool),
    /// Lets the drive run.
    Run(u8),
}

/// The drive bears any doorbells.
pub fn survives(bytes: &[u8]) {
    let mut house = Copied::running();
    act(&mut house, bytes);
    house.assert_recovers();
}

/// Does what the bytes say.
pub fn act<B: Body>(house: &mut House<B>, bytes: &[u8]) {
    for act in acts(bytes) {
        match act {
            Act::Tail(queue, Number(value)) => {
                let queue = u16::from(queue % 20);
                house.write(Doorbell::SubmissionTail(queue).offset(0), value);
            }
            Act::Head(queue, Number(value)) => {
                let queue = u16::from(queue % 20);
                house.write(Doorbell::CompletionHead(queue).offset(0), value);
            }
            Act::Beyond(at, value) => house.write(offset::DOORBELLS + u64::from(at), value),
            Act::Place(queue, count) => place(house, u16::from(queue) % PAIRS, count),
            Act::Ring(queue) => house.ring(u16::from(queue) % PAIRS),
            Act::Reap(queue) => drop(house.reap(u16::from(queue) % PAIRS)),
            Act::Buffers(at) => {
                let sound = (Address(SHADOW), Address(EVENTS));
                let (Address(prp1), Address(prp2)) = at.unwrap_or(sound);
                let header = Header { cid: 3, nsid: 0, data: DataPointer { prp1, prp2 } };
                house.place(0, &AdminCommand::DoorbellBufferConfig.emit(header));
                house.ring(0);
            }
            Act::Shadow(slot, Number(value)) => {
                house.memory().put(SHADOW + u64::from(slot) * 4, &value.to_le_bytes());
            }
            Act::Look => {
                let rung = house.drive.look_at_doorbells();
                rung.into_iter().for_each(|(at, value)| house.write(at, value));
            }
            Act::Ask => house.drive.ask_for_doorbells(),
            Act::Delete(queue) => {
                let id = u16::from(queue >> 1) % (PAIRS + 1);
                let command = match queue & 1 {
                    0 => AdminCommand::DeleteSubmissionQueue { id },
                    _ => AdminCommand::DeleteCompletionQueue { id },
                };
                house.place(0, &command.emit(Header::default()));
                house.ring(0);
            }
            Act::Stop => house.write(offset::CC, 0),
            Act::Master(on) => house.set_bus_master(bus_master(on)),
            Act::Run(turns) => house.run(turns.into()),
        }
    }
}

fn place<B: Body>(house: &mut House<B>, queue: u16, count: u8) {
    for nth in 0..u64::from(count) % u64::from(ENTRIES) {
        let range = BlockRange { start: nth, blocks: 1 };
        let command = match nth % 2 {
            0 => IoCommand::Write(range, UnitAccess::Normal),
            _ => IoCommand::Read(range, UnitAccess::Normal),
        };
        let data = DataPointer { prp1: DATA + nth * PAGE, prp2: 0 };
        house.place(queue, &command.emit(Header { cid: nth as u16, nsid: 1, data }));
    }
}
