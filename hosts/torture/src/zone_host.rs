//! A plain host of a zoned drive: it sends the commands, and reads what the drive says of its zones.

use board::Board;
use machine::{HostMemory, Payload, Polling, Stamp, Stopped};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::CompletionEntry;
use nvme::identify::Namespace;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::status::Status;
use nvme::zones::{
    set, Counted, Listed, Report, ReportHeader, Selected, SetInquiry, SetStructure, ZoneAction,
    ZoneCommand, ZoneDescriptor, ZoneState, ZonedNamespace,
};

use crate::bench::{Bench, DATA};

/// Bytes of a logical block.
const BLOCK_BYTES: u64 = 4096;
/// Commands that can be under way, each with memory of its own.
pub const SLOTS: u16 = 16;
/// Most blocks of a command.
pub const MOST_BLOCKS: u32 = 32;
/// Where lists of data pages begin, a page for each slot.
const DATA_LISTS: u64 = 0x1_0000;
/// Bytes of a slot's data.
const SLOT_BYTES: u64 = MOST_BLOCKS as u64 * BLOCK_BYTES;
/// A page for what admin commands return.
const ADMIN_PAGE: u64 = 0xf_0000;
/// The most that commands may take.
const PATIENCE_PS: u64 = 60_000_000_000_000;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Slot that the command had, free again.
    pub slot: u16,
    /// What the drive completed the command with.
    pub status: Status,
    /// Dwords 0 and 1: of an append the first of its blocks.
    pub result: u64,
}

/// A zone as a report tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// What can be done with it.
    pub state: ZoneState,
    /// Its first block.
    pub start: u64,
    /// Its write pointer, without meaning of zones that take no writes.
    pub pointer: u64,
    /// Blocks that can be written.
    pub capacity: u64,
}

/// Sends commands to zones through a [`Bench`].
pub struct ZoneHost {
    /// The drive, and the queues.
    pub bench: Bench,
    /// What the drive says of its zones.
    pub namespace: ZonedNamespace,
    /// Zones of the namespace.
    pub zones: u32,
}

impl ZoneHost {
    /// A new drive of this board, brought up.
    pub fn new(board: &Board) -> Self {
        let payload = Payload::Stamps { block_bytes: BLOCK_BYTES as u32 };
        ZoneHost::started(Bench::new(board, payload, Polling::Skip))
    }

    fn started(mut bench: Bench) -> Self {
        bench.start_once();
        let mut host = ZoneHost { bench, namespace: ZonedNamespace::zeroed(), zones: 0 };
        let inquiry = SetInquiry { structure: SetStructure::Namespace, set: set::ZONED };
        assert_eq!(host.admin(inquiry.emit(host.admin_header(1))).status, Status::SUCCESS);
        host.namespace = ZonedNamespace::parse(&host.page());
        let entry = nvme::admin::AdminCommand::Identify(nvme::admin::IdentifyStructure::Namespace);
        assert_eq!(host.admin(entry.emit(host.admin_header(1))).status, Status::SUCCESS);
        let size = Namespace::parse(&host.page()).size;
        host.zones = (size / host.namespace.zone_blocks) as u32;
        host
    }

    /// Cuts the power, and powers a drive on that has the same chips.
    pub fn cut_power(self, board: &Board) -> Self {
        let payload = Payload::Stamps { block_bytes: BLOCK_BYTES as u32 };
        let mut bench = self.bench.cut_power((board, payload));
        bench.wait_until_ready();
        ZoneHost::started(bench)
    }

    /// Identifier, namespace and page of an admin command.
    pub fn admin_header(&self, nsid: u32) -> Header {
        Header { cid: 0, nsid, data: DataPointer { prp1: ADMIN_PAGE, prp2: 0 } }
    }

    /// The page that an admin command wrote.
    pub fn page(&mut self) -> [u8; 4096] {
        let mut page = [0; 4096];
        assert!(self.bench.drive.host_mut().memory.read(ADMIN_PAGE, &mut page));
        page
    }

    /// Runs an admin command to its end.
    pub fn admin(&mut self, entry: Entry) -> Ended {
        self.bench.submit(0, &[entry]);
        self.wait_one()
    }

    /// The first block of a zone.
    pub fn start(&self, zone: u32) -> u64 {
        u64::from(zone) * self.namespace.zone_blocks
    }

    /// Blocks of a zone that can be written.
    pub fn capacity(&mut self) -> u64 {
        self.zone(0).capacity
    }

    /// What the drive says of a zone.
    pub fn zone(&mut self, zone: u32) -> Told {
        let report = Report {
            start: self.start(zone),
            bytes: 128,
            listed: Listed::All,
            counted: Counted::Transferred,
        };
        let (count, zones) = self.report(report);
        assert_eq!((count, zones.len()), (1, 1));
        zones[0]
    }

    /// Runs a report; returns what its header counts, and the zones that it lists.
    pub fn report(&mut self, report: Report) -> (u64, Vec<Told>) {
        let pages = report.bytes.div_ceil(BLOCK_BYTES);
        let header = self.header(0, pages as usize);
        let ended = self.run(ZoneCommand::Receive(report).emit(header));
        assert_eq!(ended.status, Status::SUCCESS);
        let mut bytes = vec![0; report.bytes as usize];
        assert!(self.bench.drive.host_mut().memory.read(data_at(0), &mut bytes));
        let (header, rest) = bytes.split_first_chunk().expect("a header");
        let (all, _) = rest.as_chunks();
        let listed = all.iter().map(ZoneDescriptor::parse).filter(|zone| zone.kind != 0);
        let told = |zone: ZoneDescriptor| Told {
            state: ZoneState::parse(zone.state >> 4).expect("a state"),
            start: zone.start,
            pointer: zone.pointer,
            capacity: zone.capacity,
        };
        (ReportHeader::parse(header).zones, listed.map(told).collect())
    }

    /// Puts stamps into the memory of a slot.
    pub fn put_data(&mut self, slot: u16, stamps: &[Stamp]) {
        let memory = &mut self.bench.drive.host_mut().memory;
        for (nth, stamp) in stamps.iter().enumerate() {
            let at = data_at(slot) + nth as u64 * BLOCK_BYTES;
            assert!(memory.write(at, &stamp.to_bits().to_le_bytes()));
        }
    }

    /// The stamps in the memory of a slot.
    pub fn data(&mut self, slot: u16, count: usize) -> Vec<Stamp> {
        let memory = &mut self.bench.drive.host_mut().memory;
        let stamp = |nth| {
            let mut bytes = [0; 8];
            assert!(memory.read(data_at(slot) + nth as u64 * BLOCK_BYTES, &mut bytes));
            Stamp::from_bits(u64::from_le_bytes(bytes))
        };
        (0..count).map(stamp).collect()
    }

    /// Identifier, namespace and pointers to the data of a slot, whose identifier is its number.
    pub fn header(&mut self, slot: u16, blocks: usize) -> Header {
        let (first, list) = (data_at(slot), DATA_LISTS + u64::from(slot) * 4096);
        let memory = &mut self.bench.drive.host_mut().memory;
        for nth in 1..blocks as u64 {
            let at = first + nth * BLOCK_BYTES;
            assert!(memory.write(list + (nth - 1) * 8, &at.to_le_bytes()));
        }
        let prp2 = match blocks {
            0 | 1 => 0,
            2 => first + BLOCK_BYTES,
            _ => list,
        };
        Header { cid: slot, nsid: 1, data: DataPointer { prp1: first, prp2 } }
    }

    /// A write of as many blocks as there are stamps, whose data are in the memory of a slot.
    pub fn write_of(
        &mut self,
        slot: u16,
        start: u64,
        stamps: &[Stamp],
        access: UnitAccess,
    ) -> Entry {
        self.put_data(slot, stamps);
        let header = self.header(slot, stamps.len());
        let range = BlockRange { start, blocks: stamps.len() as u32 };
        IoCommand::Write(range, access).emit(header)
    }

    /// An append to the zone that begins with a block, likewise.
    pub fn append_of(&mut self, slot: u16, start: u64, stamps: &[Stamp]) -> Entry {
        self.put_data(slot, stamps);
        let header = self.header(slot, stamps.len());
        let range = BlockRange { start, blocks: stamps.len() as u32 };
        ZoneCommand::Append(range, UnitAccess::Normal).emit(header)
    }

    /// A read of blocks into the memory of a slot.
    pub fn read_of(&mut self, slot: u16, start: u64, blocks: u32) -> Entry {
        self.put_data(slot, &vec![Stamp::CORRUPT; blocks as usize]);
        let header = self.header(slot, blocks as usize);
        IoCommand::Read(BlockRange { start, blocks }, UnitAccess::Normal).emit(header)
    }

    /// A flush of a slot.
    pub fn flush_of(&mut self, slot: u16) -> Entry {
        IoCommand::Flush.emit(self.header(slot, 0))
    }

    /// An action of a slot.
    pub fn send_of(&mut self, slot: u16, action: ZoneAction, selected: Selected) -> Entry {
        ZoneCommand::Send(action, selected).emit(self.header(slot, 0))
    }

    /// Sends I/O commands.
    pub fn submit(&mut self, commands: &[Entry]) {
        self.bench.submit(1, commands);
    }

    /// Waits until some command has ended, and takes how all of those ended that have.
    pub fn wait(&mut self) -> Vec<Ended> {
        let due = self.bench.drive.now() + PATIENCE_PS;
        let stopped = self.bench.drive.run_to(due, |host| !host.seen.is_empty());
        assert_eq!(stopped, Stopped::Host, "the drive forgot a command");
        self.seen()
    }

    /// How those commands ended that have.
    pub fn seen(&mut self) -> Vec<Ended> {
        let seen = &mut self.bench.drive.host_mut().seen;
        seen.drain(..).map(|(_, entry)| ended(&entry)).collect()
    }

    fn wait_one(&mut self) -> Ended {
        let all = self.wait();
        assert_eq!(all.len(), 1);
        all[0]
    }

    /// Runs one command to its end.
    pub fn run(&mut self, entry: Entry) -> Ended {
        self.submit(&[entry]);
        self.wait_one()
    }

    /// Writes stamps from a block on.
    pub fn write(&mut self, start: u64, stamps: &[Stamp]) -> Ended {
        let entry = self.write_of(0, start, stamps, UnitAccess::Normal);
        self.run(entry)
    }

    /// Reads stamps from a block on.
    pub fn read(&mut self, start: u64, blocks: u32) -> (Ended, Vec<Stamp>) {
        let entry = self.read_of(0, start, blocks);
        (self.run(entry), self.data(0, blocks as usize))
    }

    /// Makes all that was written durable.
    pub fn flush(&mut self) -> Ended {
        let entry = self.flush_of(0);
        self.run(entry)
    }

    /// Does something with a zone.
    pub fn send(&mut self, action: ZoneAction, zone: u32) -> Ended {
        let entry = self.send_of(0, action, Selected::One(self.start(zone)));
        self.run(entry)
    }
}

/// Where the data of a slot are.
pub const fn data_at(slot: u16) -> u64 {
    DATA + slot as u64 * SLOT_BYTES
}

fn ended(entry: &CompletionEntry) -> Ended {
    let result = u64::from(entry.result_high) << 32 | u64::from(entry.result);
    Ended { slot: entry.cid, status: entry.status, result }
}
