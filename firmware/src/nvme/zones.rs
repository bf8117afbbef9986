//! Commands of zoned namespaces (Zoned Namespace Command Set 1.1), and what a controller with several command sets tells of them (base
//! specification 2.0 section 3.1.2.3). A drive without zones takes no step in here.

use contract::{CommandTag, Completion, DmaDirection, Hardware, Work};
use nvme::admin::opcode as admin;
use nvme::command::Entry;
use nvme::effects::effect;
use nvme::identify::emit_namespaces;
use nvme::io::opcode as io;
use nvme::io::{BlockRange, UnitAccess};
use nvme::status::{Fault, Status};
use nvme::zones::{
    emit_changed, opcode, set, Counted, IndependentNamespace, Report, ReportHeader, Selected,
    SetInquiry, SetStructure, ZoneCommand, ZoneDescriptor, ZoneState, ZonedController,
    ZonedNamespace, NAMESPACE_READY, NO_POINTER, PROFILE_FEATURE, SEQUENTIAL,
};

use super::backend::{AppendIo, Durability, Storage, ZoneShape, Zoned};
use super::command::{Answer, Job, Page, Reply};
use super::io::check_pointer;
use super::manager::Manager;
use super::ports::Ports;
use crate::operations::ControlTransfer;

/// Bytes of the control page.
const PAGE_BYTES: u64 = 4096;

/// I/O commands of a zoned drive with their effects.
pub(super) const IO_EFFECTS: [(u8, u32); 6] = [
    (io::FLUSH, effect::SUPPORTED),
    (io::WRITE, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (io::READ, effect::SUPPORTED),
    (opcode::SEND, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (opcode::RECEIVE, effect::SUPPORTED),
    (opcode::APPEND, effect::SUPPORTED | effect::BLOCK_CONTENT),
];

impl Manager {
    /// A command that namespaces of zones alone have; `None` where it is another one.
    #[inline]
    pub(super) fn zone_io(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Option<Answer> {
        let shape = ports.storage.zoned()?.shape();
        let command = match ZoneCommand::parse(entry)? {
            Ok(command) => command,
            Err(fault) => return Some(Err(fault)),
        };
        if let Err(fault) = self.identity.namespaces.check(entry.nsid()) {
            return Some(Err(fault));
        }
        Some(match command {
            ZoneCommand::Send(action, selected) => {
                let zone = match selected {
                    Selected::One(start) => match zone_at(shape, start) {
                        Ok(zone) => Some(zone),
                        Err(fault) => return Some(Err(fault)),
                    },
                    Selected::All => None,
                };
                self.begin_zoned(ports, tag, Job::Zone, entry.wide(10), 0);
                ports.storage.zoned()?.send(tag, action, zone);
                Ok(Reply::Later)
            }
            ZoneCommand::Receive(report) => self.report(ports, tag, report, entry),
            ZoneCommand::Append(range, access) => self.append(ports, tag, range, access, entry),
        })
    }

    /// A command of zones goes to storage.
    fn begin_zoned(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        job: Job,
        start: u64,
        blocks: u32,
    ) {
        let slot = self.commands.get_mut(tag);
        (slot.start, slot.blocks, slot.job) = (start, blocks, job);
        self.counters.io_begins(ports.hw);
    }

    /// Zone Append (section 3.4.1).
    fn append(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        range: BlockRange,
        access: UnitAccess,
        entry: &Entry,
    ) -> Answer {
        self.check_data(ports.storage, range.blocks, entry)?;
        if range.start >= ports.storage.blocks() {
            return Err(Fault::at(Status::LBA_OUT_OF_RANGE, 10, 0));
        }
        let durability = match access {
            UnitAccess::Normal => Durability::Cached,
            UnitAccess::Forced => Durability::Durable,
        };
        self.begin_zoned(ports, tag, Job::Append, range.start, range.blocks);
        let command = AppendIo { tag, start: range.start, blocks: range.blocks, durability };
        let zones = ports.storage.zoned().expect("it was asked for");
        if let Some(first) = zones.append(ports.hw, command) {
            self.commands.get_mut(tag).start = first;
        }
        Ok(Reply::Later)
    }

    /// Completes a command of a zoned drive: an append with the first of its blocks.
    pub(super) fn succeed_zoned(&mut self, hw: &mut impl Hardware, tag: CommandTag) {
        let command = self.commands.get(tag);
        let result = if command.job == Job::Append { command.start } else { 0 };
        self.complete(hw, Completion { tag, status: Status::SUCCESS.bits(), result });
    }

    /// Report Zones (section 3.4.2).
    fn report(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        report: Report,
        entry: &Entry,
    ) -> Answer {
        check_pointer(entry)?;
        if report.start >= ports.storage.blocks() {
            return Err(Fault::at(Status::LBA_OUT_OF_RANGE, 10, 0));
        }
        if report.bytes > u64::from(self.max_transfer_bytes) {
            return Err(Fault::at(Status::INVALID_FIELD, 12, 0));
        }
        self.commands.get_mut(tag).job = Job::Page(Page::Zones(report));
        self.use_control(ports, tag);
        Ok(Reply::Later)
    }

    /// Writes the next part of a report into the control page; tells what of it is to be sent. The rest of what was asked for is zeroes.
    pub(super) fn emit_report(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        report: Report,
    ) -> ControlTransfer {
        let sent = self.control.sent;
        let length = (report.bytes - sent).min(PAGE_BYTES);
        let zones = ports.storage.zoned().expect("it was asked for");
        let shape = zones.shape();
        let first = (report.start / shape.zone_blocks) as u32;
        let mut next = self.control.next_zone.max(first);
        let mut page = [0; PAGE_BYTES as usize];
        let mut at = 0;
        if sent == 0 {
            let header = ReportHeader { zones: counted(zones, report, first) };
            emit_part(&mut page, 0, |bytes| header.emit(bytes));
            at = ReportHeader::BYTES;
        }
        while at + ZoneDescriptor::BYTES <= PAGE_BYTES as usize && next < shape.zones {
            if report.listed.has(zones.zone(next).state) {
                let descriptor = descriptor(zones, next);
                emit_part(&mut page, at, |bytes| descriptor.emit(bytes));
                at += ZoneDescriptor::BYTES;
            }
            next += 1;
        }
        self.control.next_zone = next;
        *ports.hw.control_page() = page;
        ports.hw.work(Work::Touch);
        ControlTransfer {
            direction: DmaDirection::ToHost,
            length: length as u32,
            host_offset: sent as u32,
            command_bytes: report.bytes as u32,
        }
    }

    /// A part of a report was sent. True if another follows, which is under way then.
    pub(super) fn reports_more(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        report: Report,
    ) -> bool {
        let sent = self.control.sent + PAGE_BYTES;
        if sent >= report.bytes {
            return false;
        }
        self.control.sent = sent;
        self.move_page(ports, tag);
        true
    }

    /// An admin command about command sets; `None` where it is another one, and of drives with one command set.
    #[inline]
    pub(super) fn zone_admin(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Option<Answer> {
        ports.storage.zoned()?;
        match entry.opcode() {
            admin::IDENTIFY => {
                let inquiry = SetInquiry::parse(entry)?;
                Some(self.identify_set(ports, tag, inquiry, entry))
            }
            admin::SET_FEATURES | admin::GET_FEATURES
                if entry.dword(10) as u8 == PROFILE_FEATURE =>
            {
                Some(entry.check_plain().and_then(|()| profile(entry)))
            }
            _ => None,
        }
    }

    /// Identify of what belongs to a command set.
    fn identify_set(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        inquiry: SetInquiry,
        entry: &Entry,
    ) -> Answer {
        entry.check_plain()?;
        check_pointer(entry)?;
        let SetInquiry { structure, set } = inquiry;
        let is_known = match structure {
            SetStructure::Namespace => set == set::ZONED,
            SetStructure::Controller | SetStructure::ActiveNamespaces => {
                matches!(set, set::NVM | set::ZONED)
            }
            SetStructure::IndependentNamespace | SetStructure::CommandSets => true,
        };
        if !is_known {
            return Err(Fault::at(Status::INVALID_FIELD, 11, 24));
        }
        match structure {
            SetStructure::Namespace | SetStructure::IndependentNamespace => {
                self.identity.namespaces.check(entry.nsid())?;
            }
            SetStructure::ActiveNamespaces if entry.nsid() >= nvme::ALL_NAMESPACES - 1 => {
                return Err(Fault::at(Status::INVALID_NAMESPACE, 1, 0));
            }
            _ => {}
        }
        self.commands.get_mut(tag).job = Job::Page(Page::OfSet(inquiry, entry.nsid()));
        self.use_control(ports, tag);
        Ok(Reply::Later)
    }

    /// Checks Get Log Page of the zones that have changed, which is of one namespace (zoned command set 1.1 section 4.1.5.1).
    ///
    /// # Errors
    /// Invalid Log Page where there are no zones, Invalid Field in Command for no or all namespaces, or Invalid Namespace or Format.
    pub(super) fn check_zone_log(
        &self,
        storage: &mut impl Storage,
        nsid: u32,
    ) -> Result<(), Fault> {
        if storage.zoned().is_none() {
            return Err(Fault::at(Status::INVALID_LOG_PAGE, 10, 0));
        }
        if matches!(nsid, 0 | nvme::ALL_NAMESPACES) {
            return Err(Fault::at(Status::INVALID_FIELD, 1, 0));
        }
        self.identity.namespaces.check(nsid)
    }

    /// Writes the log of zones that have changed into the control page.
    pub(super) fn emit_changed_zones(ports: &mut Ports<impl Hardware, impl Storage>) {
        let zones = ports.storage.zoned().expect("the log was checked");
        emit_changed(zones.tell_changes(), ports.hw.control_page());
    }

    /// Writes the structure that a checked inquiry asks for into the control page.
    pub(super) fn emit_of_set(
        &self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        inquiry: SetInquiry,
        nsid: u32,
    ) {
        let shape = ports.storage.zoned().expect("it was asked for").shape();
        let page = ports.hw.control_page();
        match inquiry.structure {
            SetStructure::Namespace => namespace(shape).emit(page),
            // What the NVM command set adds are limits of commands that there are not.
            SetStructure::Controller => ZonedController { append_limit: 0 }.emit(page),
            // All of them are zoned.
            SetStructure::ActiveNamespaces => {
                let is_listed = |id: &u32| *id > nsid && inquiry.set == set::ZONED;
                emit_namespaces(self.identity.namespaces.ids().filter(is_listed), page);
            }
            SetStructure::IndependentNamespace => {
                IndependentNamespace { status: NAMESPACE_READY }.emit(page);
            }
            SetStructure::CommandSets => {
                page.fill(0);
                page[..8].copy_from_slice(&set::COMBINED.to_le_bytes());
            }
        }
    }
}

/// Set Features or Get Features of the I/O command set profile: there is one combination of command sets, the first (base specification 2.0
/// section 5.27.1.21).
fn profile(entry: &Entry) -> Answer {
    let is_set = entry.opcode() == admin::SET_FEATURES;
    if !is_set {
        return Ok(Reply::Now(0));
    }
    if entry.dword(10) >> 31 != 0 {
        return Err(Fault::at(Status::FEATURE_NOT_SAVEABLE, 10, 31));
    }
    match entry.dword(11) & 0x1ff {
        0 => Ok(Reply::Now(0)),
        _ => Err(Fault::at(Status::COMBINATION_REJECTED, 11, 0)),
    }
}

/// The zone that begins with a block.
///
/// # Errors
/// LBA Out of Range, or Invalid Field in Command if no zone begins there (section 3.4.3).
fn zone_at(shape: ZoneShape, start: u64) -> Result<u32, Fault> {
    if start / shape.zone_blocks >= shape.zones.into() {
        return Err(Fault::at(Status::LBA_OUT_OF_RANGE, 10, 0));
    }
    match start % shape.zone_blocks {
        0 => Ok((start / shape.zone_blocks) as u32),
        _ => Err(Fault::at(Status::INVALID_FIELD, 10, 0)),
    }
}

fn namespace(shape: ZoneShape) -> ZonedNamespace {
    ZonedNamespace {
        characteristics: 0,
        optional: 0,
        most_active: shape.most_active - 1,
        most_open: shape.most_open - 1,
        zone_blocks: shape.zone_blocks,
        extension: 0,
    }
}

/// What the header of a report counts.
fn counted(zones: &impl Zoned, report: Report, first: u32) -> u64 {
    let matching =
        (first..zones.shape().zones).filter(|&nth| report.listed.has(zones.zone(nth).state));
    let room = (report.bytes as usize).saturating_sub(ReportHeader::BYTES) / ZoneDescriptor::BYTES;
    match report.counted {
        Counted::Matching => matching.count() as u64,
        Counted::Transferred => matching.take(room).count() as u64,
    }
}

fn descriptor(zones: &impl Zoned, nth: u32) -> ZoneDescriptor {
    let (zone, shape) = (zones.zone(nth), zones.shape());
    ZoneDescriptor {
        kind: SEQUENTIAL,
        state: (zone.state as u8) << 4,
        attributes: 0,
        attribute_information: 0,
        capacity: shape.capacity,
        start: zone.start,
        pointer: match zone.state {
            ZoneState::Full | ZoneState::ReadOnly | ZoneState::Offline => NO_POINTER,
            _ => zone.start + zone.written,
        },
    }
}

/// Writes a structure at a byte of the page.
fn emit_part<const N: usize>(page: &mut [u8; 4096], at: usize, emit: impl FnOnce(&mut [u8; N])) {
    emit(page[at..].first_chunk_mut().expect("a structure within the page"));
}
