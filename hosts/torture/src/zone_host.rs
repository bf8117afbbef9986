//! A plain host of a zoned drive: it sends the commands, and reads what the drive says of its zones.

use std::ops::{Deref, DerefMut};

use board::Board;
use machine::{HostMemory, Stamp};
use nvme::command::{DataPointer, Entry, Header};
use nvme::identify::Namespace;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::status::Status;
use nvme::zones::{
    set, Counted, Listed, Report, ReportHeader, Selected, SetInquiry, SetStructure, ZoneAction,
    ZoneCommand, ZoneDescriptor, ZoneState, ZonedNamespace,
};

use crate::placed_host::{data_at, Ended, PlacedHost, ADMIN_PAGE, BLOCK_BYTES};

/// Most blocks of a command.
pub const MOST_BLOCKS: u32 = 32;

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

/// Sends commands to zones.
pub struct ZoneHost {
    plain: PlacedHost,
    /// What the drive says of its zones.
    pub namespace: ZonedNamespace,
    /// Zones of the namespace.
    pub zones: u32,
}

impl ZoneHost {
    /// A new drive of this board, brought up.
    pub fn new(board: &Board) -> Self {
        ZoneHost::of(PlacedHost::new(board))
    }

    fn of(plain: PlacedHost) -> Self {
        let mut host = ZoneHost { plain, namespace: ZonedNamespace::zeroed(), zones: 0 };
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
        ZoneHost::of(self.plain.cut_power(board))
    }

    /// Identifier, namespace and page of an admin command.
    pub fn admin_header(&self, nsid: u32) -> Header {
        Header { cid: 0, nsid, data: DataPointer { prp1: ADMIN_PAGE, prp2: 0 } }
    }

    /// Runs an admin command to its end.
    pub fn admin(&mut self, entry: Entry) -> Ended {
        self.run_on(0, entry)
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

impl Deref for ZoneHost {
    type Target = PlacedHost;

    fn deref(&self) -> &PlacedHost {
        &self.plain
    }
}

impl DerefMut for ZoneHost {
    fn deref_mut(&mut self) -> &mut PlacedHost {
        &mut self.plain
    }
}
