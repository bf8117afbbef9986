//! NVM commands: checks, dispatch to storage, and what storage answers.

use contract::{CommandTag, Hardware};
use nvme::command::Entry;
use nvme::dataset::Range;
use nvme::io::{self, BlockRange, DatasetUse, UnitAccess};
use nvme::open_channel::VectorCommand;
use nvme::status::{Fault, Status};

use super::backend::{
    Chunked, Durability, IoCommand, IoKind, IoOutcome, OptionalCommands, Protection, Storage,
};
use super::command::{Answer, Job, Reply};
use super::manager::Manager;
use super::ports::Ports;

/// Health is looked at after this many I/O commands, and after each one that met bad media.
const HEALTH_INTERVAL: u64 = 256;

impl Manager {
    /// An NVM command.
    pub(super) fn io(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Answer {
        if ports.storage.chunked().is_some() {
            if let Some(command) = VectorCommand::parse(entry) {
                return self.vector(ports, (tag, command?), entry);
            }
        }
        if let Some(answer) = self.io_of_kind(ports, tag, entry) {
            return answer;
        }
        let command = io::IoCommand::parse(entry)?;
        let nsid = entry.nsid();
        self.check_named(&command, nsid)?;
        // Nothing is volatile that a flush could make durable (NVMe 1.4 section 6.8).
        if command == io::IoCommand::Flush && ports.storage.protection() == Protection::Holds {
            return Ok(Reply::Now(0));
        }
        let is_absent =
            is_optional(&command) && ports.storage.optional_commands() == OptionalCommands::Absent;
        if is_absent
            || ports.storage.chunked().is_some() && !of_chunks(&command)
            || ports.storage.zoned().is_some() && !of_zones(&command)
        {
            return Err(Fault::at(Status::INVALID_OPCODE, 0, 0));
        }
        let (kind, range, access) = match command {
            io::IoCommand::Read(range, access) => (IoKind::Read, range, access),
            io::IoCommand::Write(range, access) => (IoKind::Write, range, access),
            io::IoCommand::Compare(range, access) => (IoKind::Compare, range, access),
            io::IoCommand::WriteZeroes(range, access) => (IoKind::WriteZeroes, range, access),
            io::IoCommand::Verify(range, access) => (IoKind::Verify, range, access),
            io::IoCommand::Flush => {
                let nothing = BlockRange { start: 0, blocks: 0 };
                (IoKind::Flush, nothing, UnitAccess::Normal)
            }
            io::IoCommand::DatasetManagement { ranges, purpose } => {
                check_pointer(entry)?;
                return match purpose {
                    DatasetUse::Hints => Ok(Reply::Now(0)),
                    DatasetUse::Deallocate => Ok(self.deallocate(ports, tag, ranges)),
                };
            }
        };
        if matches!(kind, IoKind::Read | IoKind::Write | IoKind::Compare) {
            self.check_data(ports.storage, range.blocks, entry)?;
        }
        let slot = self.commands.get_mut(tag);
        slot.start = range.start;
        let start = match kind {
            IoKind::Flush => 0,
            _ => self.identity.namespaces.locate(ports.storage, nsid, range)?,
        };
        slot.blocks = range.blocks;
        self.counters.io_begins(ports.hw);
        let durability = match access {
            UnitAccess::Normal => Durability::Cached,
            UnitAccess::Forced => Durability::Durable,
        };
        let handle = self.handle_of(ports.hw, kind, entry);
        let command = IoCommand { tag, kind, start, blocks: range.blocks, durability, handle };
        let completer = ports.storage.submit(ports.hw, command);
        self.commands.get_mut(tag).job = Job::Storage(kind, completer);
        Ok(Reply::Later)
    }

    /// Checks length and data pointer of a command that moves user data.
    pub(super) fn check_data(
        &self,
        storage: &impl Storage,
        blocks: u32,
        entry: &Entry,
    ) -> Result<(), Fault> {
        let bytes = u64::from(blocks) * u64::from(storage.block_bytes());
        if bytes > u64::from(self.max_transfer_bytes) {
            return Err(Fault::at(Status::INVALID_FIELD, 12, 0));
        }
        check_pointer(entry)
    }

    /// Dataset Management that deallocates: fetches the list.
    fn deallocate(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        ranges: u16,
    ) -> Reply {
        self.commands.get_mut(tag).job = Job::Dataset { ranges, next: 0 };
        self.counters.io_begins(ports.hw);
        self.use_control(ports, tag);
        Reply::Later
    }

    /// The range list of a Dataset Management command is in the control page. Nothing is
    /// deallocated unless every range is good.
    pub(super) fn ranges_arrived(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
    ) {
        let Job::Dataset { ranges, .. } = self.commands.get(tag).job else {
            unreachable!("only Dataset Management fetches ranges");
        };
        for index in 0..ranges {
            let range = range_at(ports.hw, index);
            if let Err(fault) = self.drive_block(ports.storage, tag, &range) {
                self.commands.get_mut(tag).start = range.start;
                self.release_control(tag);
                self.counters.io_ends(ports.hw);
                self.fail(ports.hw, tag, Fault::whole(fault.status));
                return;
            }
        }
        self.next_range(ports, tag);
    }

    /// Submits the next range that is not empty, or completes the command. The control page is
    /// free once the last range is out of it.
    fn next_range(&mut self, ports: &mut Ports<impl Hardware, impl Storage>, tag: CommandTag) {
        let Job::Dataset { ranges, next } = self.commands.get(tag).job else {
            unreachable!("only Dataset Management has ranges");
        };
        let mut filled = (next..ranges).filter(|index| range_at(ports.hw, *index).blocks > 0);
        let (index, following) = (filled.next(), filled.next());
        if following.is_none() {
            self.release_control(tag);
        }
        let Some(index) = index else {
            self.counters.io_ends(ports.hw);
            self.succeed(ports.hw, tag, 0);
            return;
        };
        let range = range_at(ports.hw, index);
        let start =
            self.drive_block(ports.storage, tag, &range).expect("ranges are checked before");
        let Range { blocks, .. } = range;
        let slot = self.commands.get_mut(tag);
        slot.job = Job::Dataset { ranges, next: following.unwrap_or(ranges) };
        slot.start = range.start;
        let (kind, durability) = (IoKind::Deallocate, Durability::Cached);
        let command = IoCommand { tag, kind, start, blocks, durability, handle: 0 };
        ports.storage.submit(ports.hw, command);
    }

    /// The first block of the drive of a range of a command's namespace.
    ///
    /// # Errors
    /// LBA Out of Range.
    fn drive_block(
        &self,
        storage: &impl Storage,
        tag: CommandTag,
        range: &Range,
    ) -> Result<u64, Fault> {
        let nsid = self.commands.get(tag).nsid;
        let range = BlockRange { start: range.start, blocks: range.blocks };
        self.identity.namespaces.locate(storage, nsid, range)
    }

    /// Storage has ended a command.
    pub(super) fn storage_done(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        outcome: IoOutcome,
    ) {
        ports.hw.attend(Some(tag));
        if tag == self.lifecycle.flush_tag() {
            self.shutdown_flushed(ports);
            return;
        }
        let command = self.commands.get(tag);
        match command.job {
            Job::Append => {
                let bytes = u64::from(command.blocks) * u64::from(ports.storage.block_bytes());
                if outcome == IoOutcome::Success {
                    self.counters.moved(IoKind::Write, bytes);
                }
                self.io_done(ports, tag, outcome);
            }
            Job::Zone => self.io_done(ports, tag, outcome),
            Job::Storage(kind, _) => {
                let bytes = u64::from(command.blocks) * u64::from(ports.storage.block_bytes());
                if outcome == IoOutcome::Success {
                    self.counters.moved(kind, bytes);
                }
                self.io_done(ports, tag, outcome);
            }
            Job::Dataset { ranges, next } => {
                let over = next == ranges || self.lifecycle.is_resetting();
                if outcome == IoOutcome::Success && !over {
                    self.next_range(ports, tag);
                } else {
                    self.release_control(tag);
                    self.io_done(ports, tag, outcome);
                }
            }
            Job::Format => self.format_flushed(ports, outcome),
            job => unreachable!("storage ended a command that it was not given: {job:?}"),
        }
    }

    /// Whether `command` names a namespace it may name, and no format is under way.
    fn check_named(&self, command: &io::IoCommand, nsid: u32) -> Result<(), Fault> {
        match command {
            // It ends when nothing volatile is left, of any namespace.
            io::IoCommand::Flush => self.identity.namespaces.check_or_all(nsid)?,
            _ => self.identity.namespaces.check(nsid)?,
        }
        match self.format {
            None => Ok(()),
            Some(_) => Err(Fault::whole(Status::FORMAT_IN_PROGRESS)),
        }
    }

    /// Completes an I/O command.
    pub(super) fn io_done(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        outcome: IoOutcome,
    ) {
        self.counters.io_ends(ports.hw);
        if self.placement.is_offered() {
            self.take_reclaim_events(ports);
        }
        match failure(outcome) {
            None => self.succeed_io(ports, tag),
            Some(status) => {
                let of_list = match (self.commands.get(tag).job, ports.storage.chunked()) {
                    (Job::Storage(..), Some(chunks)) => chunks.failed(tag),
                    _ => 0,
                };
                self.fail_for(ports.hw, tag, (Fault::whole(status), of_list));
            }
        }
        let bad_media = matches!(
            outcome,
            IoOutcome::UnrecoveredRead
                | IoOutcome::WriteFault
                | IoOutcome::ReadOnly
                | IoOutcome::ClosedEarly
                | IoOutcome::Offline
                | IoOutcome::ZoneReadOnly
        );
        if bad_media || self.counters.io_ended % HEALTH_INTERVAL == 0 {
            self.check_health(ports);
        }
    }
}

impl Manager {
    /// A command that drives of some kinds alone have; `None` where it is another one.
    #[inline]
    fn io_of_kind(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Option<Answer> {
        match self.placement_io(ports, tag, entry) {
            None => self.zone_io(ports, tag, entry),
            answer => answer,
        }
    }

    /// Completes an I/O command with success. An append tells the first of its blocks.
    fn succeed_io(&mut self, ports: &mut Ports<impl Hardware, impl Storage>, tag: CommandTag) {
        match ports.storage.zoned() {
            Some(_) => self.succeed_zoned(ports.hw, tag),
            None => self.succeed(ports.hw, tag, 0),
        }
    }
}

/// The status of an outcome that is not success.
pub(super) fn failure(outcome: IoOutcome) -> Option<Status> {
    match outcome {
        IoOutcome::Success => None,
        IoOutcome::UnrecoveredRead => Some(Status::UNRECOVERED_READ.do_not_retry()),
        IoOutcome::WriteFault => Some(Status::WRITE_FAULT.do_not_retry()),
        IoOutcome::CompareFailure => Some(Status::COMPARE_FAILURE.do_not_retry()),
        IoOutcome::TransferError => Some(Status::DATA_TRANSFER_ERROR),
        IoOutcome::ReadOnly => Some(Status::WRITE_TO_READ_ONLY.do_not_retry()),
        IoOutcome::OutOfOrder => Some(Status::OUT_OF_ORDER_WRITE.do_not_retry()),
        IoOutcome::ClosedEarly => Some(Status::CHUNK_EARLY_CLOSE.do_not_retry()),
        IoOutcome::Offline => Some(Status::OFFLINE_CHUNK.do_not_retry()),
        IoOutcome::InvalidReset => Some(Status::INVALID_RESET.do_not_retry()),
        IoOutcome::OutOfRange => Some(Status::LBA_OUT_OF_RANGE.do_not_retry()),
        IoOutcome::Aborted => Some(Status::ABORT_REQUESTED),
        IoOutcome::Misaligned => Some(Status::INVALID_FIELD.do_not_retry()),
        IoOutcome::ZoneBoundary => Some(Status::ZONE_BOUNDARY.do_not_retry()),
        IoOutcome::ZoneFull => Some(Status::ZONE_FULL.do_not_retry()),
        IoOutcome::ZoneReadOnly => Some(Status::ZONE_READ_ONLY.do_not_retry()),
        IoOutcome::ZoneOffline => Some(Status::ZONE_OFFLINE.do_not_retry()),
        IoOutcome::ZoneInvalidWrite => Some(Status::ZONE_INVALID_WRITE.do_not_retry()),
        // Other zones may be closed or finished meanwhile.
        IoOutcome::TooManyActive => Some(Status::TOO_MANY_ACTIVE_ZONES),
        IoOutcome::TooManyOpen => Some(Status::TOO_MANY_OPEN_ZONES),
        IoOutcome::InvalidTransition => Some(Status::INVALID_ZONE_TRANSITION.do_not_retry()),
    }
}

/// Whether a command of the NVM command set is one of namespaces with chunks, too.
const fn of_chunks(command: &io::IoCommand) -> bool {
    use io::IoCommand::{Compare, Verify, WriteZeroes};
    !matches!(command, Compare(..) | WriteZeroes(..) | Verify(..))
}

/// Whether a command of the NVM command set is one of namespaces with zones, too.
const fn of_zones(command: &io::IoCommand) -> bool {
    use io::IoCommand::{Flush, Read, Write};
    matches!(command, Flush | Read(..) | Write(..))
}

/// Whether a drive of logical blocks may do without a command.
const fn is_optional(command: &io::IoCommand) -> bool {
    use io::IoCommand::{Compare, DatasetManagement, Verify, WriteZeroes};
    matches!(command, Compare(..) | WriteZeroes(..) | DatasetManagement { .. } | Verify(..))
}

/// Refuses a first PRP entry that is not dword aligned.
pub(super) fn check_pointer(entry: &Entry) -> Result<(), Fault> {
    if entry.dword(6) & 3 != 0 {
        return Err(Fault::at(Status::INVALID_PRP_OFFSET, 6, 0));
    }
    Ok(())
}

fn range_at(hw: &mut impl Hardware, index: u16) -> Range {
    let at = usize::from(index) * Range::BYTES;
    let mut bytes = [0; Range::BYTES];
    bytes.copy_from_slice(&hw.control_page()[at..at + Range::BYTES]);
    Range::parse(&bytes)
}
