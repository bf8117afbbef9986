//! Any submission queue entries, many at once, with resets between.

use arbitrary::Arbitrary;
use nvme::command::{DataPointer, Entry, Header};
use nvme::register::offset;

use crate::house::{Body, House, PAIRS};
use crate::input::{acts, bus_master, Address, Number};
use crate::kept::Copied;

/// What a host does.
#[derive(Arbitrary, Debug)]
enum Act {
    /// Sends a command: queue, opcode, namespace, pointers, dwords 10 to 15.
    Send(u8, u8, Number, [Address; 2], [Number; 6]),
    /// Sends one of the I/O commands that are there.
    Io(u8, u8, [Address; 2], [Number; 3]),
    /// Sends one of the admin commands that are there.
    Admin(u8, [Address; 2], [Number; 3]),
    /// Sends 64 bytes.
    Raw(u8, [u32; 16]),
    /// Writes memory, which may be a list or a range.
    Poke(Address, [Address; 2]),
    /// Takes completions.
    Reap(u8),
    /// Asks for a shutdown.
    ShutDown,
    /// Disables the controller.
    Stop,
    /// Writes Bus Master Enable.
    Master(bool),
    /// Lets the drive run.
    Run(u8),
    /// Lets it come to rest.
    Settle,
}

const IO: [u8; 8] = [0, 1, 2, 5, 8, 9, 1, 2];
const ADMIN: [u8; 13] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 0x80, 0x7c, 2];

/// The drive bears any commands.
pub fn survives(bytes: &[u8]) {
    let mut house = Copied::running();
    act(&mut house, bytes);
    house.assert_recovers();
}

/// Does what the bytes say.
pub fn act<B: Body>(house: &mut House<B>, bytes: &[u8]) {
    for act in acts(bytes) {
        match act {
            Act::Send(queue, opcode, Number(nsid), pointers, fields) => {
                let entry = command(opcode, nsid, pointers);
                let numbered = (10..).zip(fields);
                let fill = |entry: Entry, (at, Number(value))| entry.with(at, value);
                send(house, queue, numbered.fold(entry, fill));
            }
            Act::Io(queue, nth, pointers, [Number(start), Number(count), Number(more)]) => {
                let entry = command(IO[usize::from(nth) % IO.len()], 1, pointers);
                let entry = entry.with(10, start).with(11, more & 4).with(12, count % 40);
                send(house, queue % 2 + 1, entry);
            }
            Act::Admin(nth, pointers, [Number(a), Number(b), Number(c)]) => {
                let entry = command(ADMIN[usize::from(nth) % ADMIN.len()], a % 3, pointers);
                send(house, 0, entry.with(10, b).with(11, c));
            }
            Act::Raw(queue, dwords) => send(house, queue, Entry(dwords)),
            Act::Poke(Address(at), entries) => {
                let bytes: Vec<u8> =
                    entries.iter().flat_map(|Address(entry)| entry.to_le_bytes()).collect();
                house.memory().put(at, &bytes);
            }
            Act::Reap(queue) => drop(house.reap(u16::from(queue) % PAIRS)),
            Act::ShutDown => {
                let cc = house.register(offset::CC);
                house.write(offset::CC, cc & !(3 << 14) | 1 << 14);
            }
            Act::Stop => house.write(offset::CC, 0),
            Act::Master(on) => house.set_bus_master(bus_master(on)),
            Act::Run(turns) => house.run(turns.into()),
            Act::Settle => house.settle(),
        }
    }
}

fn command(opcode: u8, nsid: u32, [Address(prp1), Address(prp2)]: [Address; 2]) -> Entry {
    let header = Header { cid: opcode.into(), nsid, data: DataPointer { prp1, prp2 } };
    Entry::new(opcode, header)
}

fn send<B: Body>(house: &mut House<B>, queue: u8, entry: Entry) {
    let queue = u16::from(queue) % PAIRS;
    house.place(queue, &entry);
    house.ring(queue);
}
