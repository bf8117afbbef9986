//! Flexible Data Placement (NVM Express TP4146): the host names a placement handle with its writes, asks what the reclaim units of
//! handles still take, leaves reclaim units early, and reads what came of it.
//!
//! All namespaces are in the one endurance group, which has one reclaim group and one configuration. That is in force from the start:
//! the board says so, and a host cannot turn it off, as there is a namespace always. Each namespace has all handles.

use contract::{CommandTag, Hardware, Instant};
use nvme::admin::{opcode, LogPage};
use nvme::command::Entry;
use nvme::feature::{capability, Select};
use nvme::log::Health;
use nvme::placement::{
    self, event_flag, Configurations, EnduranceGroup, Event, EventKind, Events, FeatureCommand,
    HandleStatus, ManagementCommand, Statistics, StatusHeader, Usage,
};
use nvme::status::{Fault, Status};

use super::backend::{IoKind, Placement, ReclaimEvent, Storage};
use super::command::{Answer, Job, Page, Reply, ToldEvents};
use super::io::check_pointer;
use super::manager::Manager;
use super::ports::Ports;

/// Bytes of a placement identifier in the list of an update.
const IDENTIFIER_BYTES: usize = 2;
/// EGFEAT: data are placed by the host.
const PLACES_DATA: u8 = 1 << 0;
const PS_PER_MS: u64 = 1_000_000_000;
/// Data units of an endurance group, in sectors of 512 bytes.
const SECTORS_A_UNIT: u64 = 1_000_000_000 / 512;

impl Manager {
    /// The placement handle of a write, and 0 of other commands. One that there is not counts as the first (TP4146), and the host is told of
    /// it if it wants.
    #[inline]
    pub(super) fn handle_of(&mut self, hw: &mut impl Hardware, kind: IoKind, entry: &Entry) -> u8 {
        match kind {
            IoKind::Write if self.placement.is_offered() => self.handle_named(hw, entry),
            _ => 0,
        }
    }

    fn handle_named(&mut self, hw: &mut impl Hardware, entry: &Entry) -> u8 {
        let Some(identifier) = placement::identifier(entry) else { return 0 };
        match u8::try_from(identifier) {
            Ok(handle) if handle < self.placement.handles => handle,
            _ => {
                let flags = event_flag::IDENTIFIER | event_flag::NAMESPACE;
                let event = Event {
                    kind: EventKind::InvalidIdentifier as u8,
                    flags,
                    identifier,
                    milliseconds: milliseconds(hw),
                    nsid: entry.nsid(),
                    ..Event::zeroed()
                };
                self.placement.record(EventKind::InvalidIdentifier, event);
                0
            }
        }
    }

    /// An I/O command that only a drive knows whose host places its data; `None` where it is another one.
    #[inline]
    pub(super) fn placement_io(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Option<Answer> {
        if !self.placement.is_offered() {
            return None;
        }
        let command = ManagementCommand::parse(entry)?;
        let job = command.and_then(|command| self.management_job(command, entry));
        Some(job.map(|job| self.use_page(ports, tag, job)))
    }

    /// The same of an admin command.
    pub(super) fn placement_admin(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Option<Answer> {
        let command = match entry.opcode() {
            _ if !self.placement.is_offered() => return None,
            opcode::SET_FEATURES => FeatureCommand::parse(entry, true)?,
            opcode::GET_FEATURES => FeatureCommand::parse(entry, false)?,
            _ => return None,
        };
        let found = command.and_then(|command| self.feature_job(command, entry));
        Some(found.map(|found| match found {
            Found::Job(job) => self.use_page(ports, tag, job),
            Found::Value(value) => Reply::Now(value),
        }))
    }

    /// Has a command do its job, with the control page.
    fn use_page(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        job: Job,
    ) -> Reply {
        self.commands.get_mut(tag).job = job;
        self.use_control(ports, tag);
        Reply::Later
    }

    /// I/O Management Receive or Send.
    fn management_job(&self, command: ManagementCommand, entry: &Entry) -> Result<Job, Fault> {
        self.identity.namespaces.check(entry.nsid())?;
        if self.format.is_some() {
            return Err(Fault::whole(Status::FORMAT_IN_PROGRESS));
        }
        check_pointer(entry)?;
        match command {
            ManagementCommand::Status { bytes } if bytes > self.max_transfer_bytes.into() => {
                Err(Fault::at(Status::INVALID_FIELD, 11, 0))
            }
            ManagementCommand::Status { bytes } => {
                Ok(Job::Page(Page::Handles { bytes: bytes as u32 }))
            }
            ManagementCommand::Update { count } => Ok(Job::Renew { count: count as u16 }),
        }
    }

    /// Set Features or Get Features of what is about placement.
    fn feature_job(&self, command: FeatureCommand, entry: &Entry) -> Result<Found, Fault> {
        let check = |handle: u16| match u8::try_from(handle) {
            Ok(own) if own < self.placement.handles => Ok(own),
            _ => Err(Fault::at(Status::INVALID_FIELD, 11, 0)),
        };
        let job = match command {
            FeatureCommand::Get(Select::Capabilities) => return Ok(Found::Value(0)),
            FeatureCommand::Get(_) => return Ok(Found::Value(placement::ENABLED)),
            // As long as there is a namespace in the endurance group (base specification 2.1, feature 1Dh).
            FeatureCommand::Set => {
                return Err(Fault::whole(Status::COMMAND_SEQUENCE_ERROR.do_not_retry()))
            }
            FeatureCommand::GetEvents { select: Select::Capabilities, .. } => {
                self.identity.namespaces.check(entry.nsid())?;
                return Ok(Found::Value(capability::CHANGEABLE | capability::NAMESPACE_SPECIFIC));
            }
            FeatureCommand::GetEvents { handle, most, select } => {
                let most = most.min(EventKind::ALL.len() as u8);
                let is_default = select != Select::Current;
                Job::Page(Page::ToldEvents(ToldEvents { handle: check(handle)?, most, is_default }))
            }
            FeatureCommand::SetEvents { saved: true, .. } => {
                return Err(Fault::at(Status::FEATURE_NOT_SAVEABLE, 10, 31));
            }
            FeatureCommand::SetEvents { count: 0, .. } => {
                return Err(Fault::at(Status::INVALID_FIELD, 11, 16));
            }
            FeatureCommand::SetEvents { handle, count, enabled, .. } => {
                Job::TellEvents { handle: check(handle)?, count, enabled }
            }
        };
        // A placement handle is a namespace's.
        self.identity.namespaces.check(entry.nsid())?;
        check_pointer(entry)?;
        Ok(Found::Job(job))
    }

    /// Bytes that a command brings of its list.
    pub(super) fn list_bytes(job: Job) -> Option<u32> {
        match job {
            Job::Renew { count } => Some(u32::from(count) * IDENTIFIER_BYTES as u32),
            Job::TellEvents { count, .. } => Some(count.into()),
            _ => None,
        }
        .map(|bytes| bytes.next_multiple_of(4))
    }

    /// The list of a command is in the control page. Nothing is done unless all of it is good.
    pub(super) fn list_arrived(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
    ) -> Result<(), Fault> {
        let page = *ports.hw.control_page();
        match self.commands.get(tag).job {
            Job::Renew { count } => {
                let list = page[..usize::from(count) * IDENTIFIER_BYTES].chunks_exact(2);
                let identifiers = list.map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
                if identifiers.clone().any(|own| own >= self.placement.handles.into()) {
                    return Err(Fault::whole(Status::INVALID_FIELD.do_not_retry()));
                }
                for identifier in identifiers {
                    ports.storage.renew_reclaim_unit(identifier as u8);
                }
                self.take_reclaim_events(ports);
            }
            Job::TellEvents { handle, count, enabled } => {
                let kinds = || page[..usize::from(count)].iter().map(|own| EventKind::parse(*own));
                if kinds().any(|kind| kind.is_none()) {
                    return Err(Fault::whole(Status::INVALID_FIELD.do_not_retry()));
                }
                for kind in kinds().flatten() {
                    self.placement.set_told(handle, kind, enabled);
                }
            }
            job => unreachable!("not a command with a list: {job:?}"),
        }
        Ok(())
    }

    /// Notes what has happened to reclaim units.
    pub(super) fn take_reclaim_events(&mut self, ports: &mut Ports<impl Hardware, impl Storage>) {
        while let Some(event) = ports.storage.next_reclaim_event() {
            let (kind, handle) = match event {
                ReclaimEvent::Full { handle } => (EventKind::ImplicitChange, handle),
                ReclaimEvent::NotFull { handle } => (EventKind::NotFull, handle),
            };
            let event = Event {
                kind: kind as u8,
                flags: event_flag::IDENTIFIER | event_flag::LOCATION,
                identifier: handle.into(),
                milliseconds: milliseconds(ports.hw),
                handle,
                ..Event::zeroed()
            };
            self.placement.record(kind, event);
        }
    }

    /// Writes the status of all handles into the control page.
    pub(super) fn emit_handles(&self, ports: &mut Ports<impl Hardware, impl Storage>) {
        let handles = self.placement.handles;
        let left = |handle| ports.storage.reclaim_unit_left(handle);
        let status = |handle: u8| HandleStatus {
            identifier: handle.into(),
            handle: handle.into(),
            time_left: 0,
            blocks_left: left(handle),
        };
        let page = ports.hw.control_page();
        page.fill(0);
        emit_at(page, 0, |bytes| StatusHeader { handles: handles.into() }.emit(bytes));
        for handle in 0..handles {
            let at = StatusHeader::BYTES + usize::from(handle) * HandleStatus::BYTES;
            emit_at(page, at, |bytes| status(handle).emit(bytes));
        }
    }

    /// Writes the events that a handle can tell into the control page, and whether it does.
    pub(super) fn emit_told(&self, asked: ToldEvents, page: &mut [u8; 4096]) {
        let ToldEvents { handle, most, is_default } = asked;
        page.fill(0);
        let pairs = page.as_chunks_mut::<2>().0;
        for (pair, kind) in pairs.iter_mut().zip(EventKind::ALL).take(most.into()) {
            let is_told = !is_default && self.placement.is_told(handle, kind);
            *pair = [kind as u8, is_told.into()];
        }
    }

    /// Writes a log of the endurance group, which was checked, into the control page.
    pub(super) fn emit_group_log(
        &self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        log: LogPage,
    ) {
        let drive = self.health_log(ports);
        let placed = ports.storage.placement().expect("a drive whose host places its data");
        let sectors = self.counters.sectors_written;
        let block_bytes = u64::from(ports.storage.block_bytes());
        let page = ports.hw.control_page();
        page.fill(0);
        match log {
            LogPage::PlacementConfigurations => {
                let unit_bytes = placed.unit_blocks * block_bytes;
                self.emit_configurations(placed, unit_bytes, page);
            }
            LogPage::PlacementUsage => {
                let handles = placed.handles.into();
                emit_at(page, 0, |bytes| Usage { handles }.emit(bytes));
                for own in page[Usage::BYTES..].chunks_mut(8).take(placed.handles.into()) {
                    own[0] = placement::HOST_SPECIFIED;
                }
            }
            LogPage::PlacementStatistics => {
                let statistics = Statistics {
                    host_bytes: u128::from(sectors) * 512,
                    media_bytes: placed.media_bytes.into(),
                    erased_bytes: placed.erased_bytes.into(),
                };
                emit_at(page, 0, |bytes| statistics.emit(bytes));
            }
            LogPage::EnduranceGroup => {
                let group = self.group_log(drive, placed);
                emit_at(page, 0, |bytes| group.emit(bytes));
            }
            _ => {
                let of_host = log == LogPage::HostPlacementEvents;
                let events = self.placement.events(of_host);
                emit_at(page, 0, |bytes| Events { count: events.len() as u32 }.emit(bytes));
                for (nth, event) in events.enumerate() {
                    let at = Events::BYTES + nth * Event::BYTES;
                    emit_at(page, at, |bytes| event.emit(bytes));
                }
            }
        }
    }

    fn emit_configurations(&self, placed: Placement, unit_bytes: u64, page: &mut [u8; 4096]) {
        let handles = usize::from(placed.handles);
        let descriptor_bytes = (placement::DESCRIPTOR_BYTES + handles * 4).next_multiple_of(8);
        let first = 16 + placement::DESCRIPTOR_BYTES;
        let log = Configurations {
            count: 0,
            size: (16 + descriptor_bytes) as u32,
            descriptor_bytes: descriptor_bytes as u16,
            attributes: placement::CONFIGURATION_VALID,
            reclaim_groups: 1,
            handles: placed.handles.into(),
            identifiers: u16::from(placed.handles) - 1,
            namespaces: self.identity.namespaces.count(),
            unit_bytes,
            time_limit: 0,
        };
        emit_at(page, 0, |bytes| log.emit(bytes));
        for own in page[first..].chunks_mut(4).take(handles) {
            own[0] = placement::INITIALLY_ISOLATED;
        }
    }

    /// The log of the endurance group, which is the whole drive.
    fn group_log(&self, drive: Health, placed: Placement) -> EnduranceGroup {
        let sectors = &self.counters;
        let units = |sectors: u64| u128::from(sectors.div_ceil(SECTORS_A_UNIT));
        EnduranceGroup {
            critical_warning: drive.critical_warning,
            features: PLACES_DATA,
            available_spare: drive.available_spare,
            available_spare_threshold: drive.available_spare_threshold,
            percentage_used: drive.percentage_used,
            data_units_read: units(sectors.sectors_read),
            data_units_written: units(sectors.sectors_written),
            media_units_written: units(placed.media_bytes / 512),
            host_reads: drive.host_reads,
            host_writes: drive.host_writes,
            media_errors: drive.media_errors,
            error_entries: drive.error_entries,
        }
    }
}

/// What an admin command comes to.
enum Found {
    /// It goes on with the control page.
    Job(Job),
    /// It ends with this dword 0.
    Value(u32),
}

fn milliseconds(hw: &mut impl Hardware) -> u64 {
    hw.now().since(Instant::ZERO).as_ps() / PS_PER_MS
}

/// Writes a structure at a byte of the page.
fn emit_at<const N: usize>(page: &mut [u8; 4096], at: usize, emit: impl FnOnce(&mut [u8; N])) {
    emit(page[at..].first_chunk_mut().expect("a structure within the page"));
}
