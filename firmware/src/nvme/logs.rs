//! Log pages (NVMe 1.4 section 5.14) and the counters behind them.

use contract::{CommandSet, DoorbellBuffers, Hardware, Instant};
use nvme::admin::opcode as admin;
use nvme::admin::{GetLogPage, LogPage};
use nvme::effects::{self, effect};
use nvme::identify::emit_namespaces;
use nvme::io::opcode as io;
use nvme::log::{
    critical_warning, emit_features, emit_supported_pages, ErrorEntry, FirmwareSlots, Health,
    FEATURES_BYTES, SUPPORTED_PAGES_BYTES,
};
use nvme::placement::{is_of_group, EnduranceGroup};
use nvme::status::{Fault, Status};
use nvme::ALL_NAMESPACES;

use super::backend::{self, OptionalCommands, Storage};
use super::identify::{ERROR_ENTRIES, REVISION};
use super::lifetime::{Lifetime, PowerOff, Since};
use super::manager::Manager;
use super::ports::Ports;

/// Spare, in percent, below which a warning is raised.
const SPARE_THRESHOLD: u8 = 10;
/// Reported where the body has no sensor: 40 degrees Celsius, well inside the thresholds.
const WITHOUT_SENSOR_KELVIN: u16 = 313;
/// Units of Data Units Read and Written: thousands of 512 bytes.
const SECTORS_A_UNIT: u64 = 1000;
const MINUTES_AN_HOUR: u64 = 60;
const SLOT_1: u8 = 1;

/// Admin commands of drives of all kinds with their effects, the optional one last.
const ADMIN_EFFECTS: [(u8, u32); 11] = [
    (admin::DELETE_SUBMISSION_QUEUE, effect::SUPPORTED),
    (admin::CREATE_SUBMISSION_QUEUE, effect::SUPPORTED),
    (admin::GET_LOG_PAGE, effect::SUPPORTED),
    (admin::DELETE_COMPLETION_QUEUE, effect::SUPPORTED),
    (admin::CREATE_COMPLETION_QUEUE, effect::SUPPORTED),
    (admin::IDENTIFY, effect::SUPPORTED),
    (admin::ABORT, effect::SUPPORTED),
    (admin::SET_FEATURES, effect::SUPPORTED),
    (admin::GET_FEATURES, effect::SUPPORTED),
    (admin::ASYNC_EVENT_REQUEST, effect::SUPPORTED),
    (admin::DOORBELL_BUFFER_CONFIG, effect::SUPPORTED),
];
/// What drives of logical blocks have beside them.
const FORMAT_EFFECTS: [(u8, u32); 1] = [(
    admin::FORMAT_NVM,
    effect::SUPPORTED
        | effect::BLOCK_CONTENT
        | effect::NAMESPACE_CAPABILITY
        | effect::ALONE_IN_NAMESPACE,
)];
/// Commands of the NVM command set that each drive has.
const MANDATORY: usize = 3;

/// Those that a drive has whose host does not place its data.
const WITHOUT_PLACEMENT: usize = 7;

/// Commands of the NVM command set with their effects, the optional ones behind others, and those of placement last.
const IO_EFFECTS: [(u8, u32); 9] = [
    (io::FLUSH, effect::SUPPORTED),
    (io::WRITE, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (io::READ, effect::SUPPORTED),
    (io::COMPARE, effect::SUPPORTED),
    (io::WRITE_ZEROES, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (io::DATASET_MANAGEMENT, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (io::VERIFY, effect::SUPPORTED),
    (io::IO_MANAGEMENT_RECEIVE, effect::SUPPORTED),
    (io::IO_MANAGEMENT_SEND, effect::SUPPORTED),
];

impl Manager {
    /// Checks Get Log Page: but for those of chunks and of zones, only logs of the whole controller exist.
    pub(super) fn check_log(
        &self,
        storage: &mut impl Storage,
        log: GetLogPage,
        nsid: u32,
    ) -> Result<(), Fault> {
        if log.page == LogPage::ChunkInformation {
            self.check_chunk_log(storage, log, nsid)?;
        } else if log.page == LogPage::ChangedZones {
            self.check_zone_log(storage, nsid)?;
        } else if nsid != 0 && nsid != ALL_NAMESPACES {
            return Err(Fault::at(Status::INVALID_FIELD, 1, 0));
        }
        if is_of_group(log.page as u8) && !self.placement.is_offered() {
            return Err(Fault::at(Status::INVALID_LOG_PAGE, 10, 0));
        }
        if log.length > u64::from(self.max_transfer_bytes) {
            return Err(Fault::at(Status::INVALID_FIELD, 10, 16));
        }
        let has_end = log.page != LogPage::ChunkInformation;
        if has_end && log.offset > page_bytes(log.page) as u64 {
            return Err(Fault::at(Status::INVALID_FIELD, 12, 0));
        }
        Ok(())
    }

    /// Writes a log into the control page from its offset on. What the host asks for beyond the page is left unwritten: the log has
    /// nothing there.
    pub(super) fn emit_log(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        log: GetLogPage,
    ) {
        match log.page {
            LogPage::SupportedPages => {
                let is_there = |identifier| self.has_page(identifier);
                emit_supported_pages(ports.hw.control_page(), is_there);
            }
            LogPage::ErrorInformation => self.errors.emit(ports.hw.control_page()),
            LogPage::Health => {
                let health = self.health_log(ports);
                emit_start(ports.hw.control_page(), |bytes| health.emit(bytes));
            }
            LogPage::FirmwareSlot => {
                let slots = FirmwareSlots { active: SLOT_1, revision_1: REVISION };
                emit_start(ports.hw.control_page(), |bytes| slots.emit(bytes));
            }
            LogPage::ChangedNamespaces => {
                let changed = if self.events.have_namespaces_changed {
                    self.identity.namespaces.count()
                } else {
                    0
                };
                emit_namespaces(1..=changed, ports.hw.control_page());
            }
            LogPage::CommandEffects => {
                let of_kind = match self.identity.command_set {
                    CommandSet::Block => &FORMAT_EFFECTS[..],
                    CommandSet::OpenChannel => &super::open_channel::ADMIN_EFFECTS[..],
                    CommandSet::Zoned => &[],
                };
                let admin = match self.identity.doorbell_buffers {
                    DoorbellBuffers::Offered => &ADMIN_EFFECTS[..],
                    DoorbellBuffers::Absent => &ADMIN_EFFECTS[..ADMIN_EFFECTS.len() - 1],
                };
                let io = match (self.identity.command_set, ports.storage.optional_commands()) {
                    (CommandSet::Block, OptionalCommands::Offered)
                        if self.placement.is_offered() =>
                    {
                        &IO_EFFECTS[..]
                    }
                    (CommandSet::Block, OptionalCommands::Offered) => {
                        &IO_EFFECTS[..WITHOUT_PLACEMENT]
                    }
                    (CommandSet::Block, OptionalCommands::Absent) => &IO_EFFECTS[..MANDATORY],
                    (CommandSet::OpenChannel, _) => &super::open_channel::IO_EFFECTS[..],
                    (CommandSet::Zoned, _) => &super::zones::IO_EFFECTS[..],
                };
                effects::emit([admin, of_kind], io, ports.hw.control_page());
            }
            LogPage::FeatureEffects => {
                emit_features(ports.hw.control_page(), |identifier| {
                    self.feature_effects(identifier)
                });
            }
            LogPage::ChangedZones => Self::emit_changed_zones(ports),
            LogPage::ChunkInformation => unreachable!("it is sent part by part"),
            of_group => self.emit_group_log(ports, of_group),
        }
        let page = ports.hw.control_page();
        let offset = log.offset as usize;
        page.copy_within(offset.., 0);
        page[4096 - offset..].fill(0);
    }

    /// Whether Get Log Page gives the page of an identifier.
    fn has_page(&self, identifier: u8) -> bool {
        const OF_CHUNKS: u8 = LogPage::ChunkInformation as u8;
        const OF_ZONES: u8 = LogPage::ChangedZones as u8;
        const OF_FEATURES: u8 = LogPage::FeatureEffects as u8;
        let set = self.identity.command_set;
        match identifier {
            _ if is_of_group(identifier) => self.placement.is_offered(),
            OF_CHUNKS => set == CommandSet::OpenChannel,
            OF_ZONES => set == CommandSet::Zoned,
            OF_FEATURES => true,
            _ => identifier <= LogPage::CommandEffects as u8,
        }
    }

    pub(super) fn health_log(&self, ports: &mut Ports<impl Hardware, impl Storage>) -> Health {
        let media = ports.storage.health();
        let lifetime = self.lifetime(ports.hw);
        let kelvin = composite_kelvin(ports.hw);
        Health {
            critical_warning: self.critical_warning(&media, kelvin),
            temperature_kelvin: kelvin,
            available_spare: media.available_spare_percent,
            available_spare_threshold: SPARE_THRESHOLD,
            percentage_used: media.percentage_used,
            data_units_read: u128::from(lifetime.sectors_read.div_ceil(SECTORS_A_UNIT)),
            data_units_written: u128::from(lifetime.sectors_written.div_ceil(SECTORS_A_UNIT)),
            host_reads: u128::from(lifetime.reads),
            host_writes: u128::from(lifetime.writes),
            busy_minutes: u128::from(lifetime.busy_minutes),
            power_cycles: u128::from(lifetime.power_cycles),
            power_on_hours: u128::from(lifetime.powered_minutes / MINUTES_AN_HOUR),
            unsafe_shutdowns: u128::from(lifetime.unsafe_shutdowns),
            media_errors: u128::from(media.media_errors),
            error_entries: u128::from(self.errors.count),
            ..Health::zeroed()
        }
    }

    /// States what the drive has been through before this power-on.
    pub fn set_past(&mut self, past: Lifetime) {
        self.past = past;
    }

    /// What the drive has been through by now: what is to be kept where it outlasts power.
    pub fn lifetime(&self, hw: &mut impl Hardware) -> Lifetime {
        let (now, automated, counters) = (hw.now(), hw.automated_traffic(), &self.counters);
        let powered = now.since(Instant::ZERO);
        // Both kinds of commands may have been under way at once.
        let busy = (counters.busy_until(now) + automated.busy).min(powered);
        self.past.with(&Since {
            powered,
            busy,
            sectors_read: counters.sectors_read + automated.bytes_read / 512,
            sectors_written: counters.sectors_written + automated.bytes_written / 512,
            reads: counters.reads + automated.reads,
            writes: counters.writes + automated.writes,
        })
    }

    /// How power would go away if it did now.
    pub fn power_off(&self) -> PowerOff {
        match self.lifecycle.is_shutdown_complete() {
            true => PowerOff::AfterShutdown,
            false => PowerOff::Sudden,
        }
    }

    /// Critical warnings that hold now.
    pub(super) fn critical_warning(&self, media: &backend::Health, kelvin: u16) -> u8 {
        let mut warning = 0;
        if media.available_spare_percent < SPARE_THRESHOLD {
            warning |= critical_warning::SPARE;
        }
        if self.features.is_beyond_threshold(kelvin) {
            warning |= critical_warning::TEMPERATURE;
        }
        if media.read_only {
            warning |= critical_warning::READ_ONLY;
        }
        if media.backup_failed {
            warning |= critical_warning::BACKUP;
        }
        warning
    }
}

/// The composite temperature.
pub(super) fn composite_kelvin(hw: &mut impl Hardware) -> u16 {
    hw.temperature_kelvin().unwrap_or(WITHOUT_SENSOR_KELVIN)
}

/// Bytes of a log.
const fn page_bytes(page: LogPage) -> usize {
    match page {
        LogPage::SupportedPages => SUPPORTED_PAGES_BYTES,
        LogPage::ErrorInformation => ERROR_ENTRIES as usize * ErrorEntry::BYTES,
        LogPage::Health => Health::BYTES,
        LogPage::FirmwareSlot => FirmwareSlots::BYTES,
        LogPage::EnduranceGroup => EnduranceGroup::BYTES,
        LogPage::ChangedNamespaces
        | LogPage::ChangedZones
        | LogPage::PlacementConfigurations
        | LogPage::PlacementUsage
        | LogPage::PlacementStatistics
        | LogPage::ControllerPlacementEvents
        | LogPage::HostPlacementEvents
        | LogPage::ChunkInformation => 4096,
        LogPage::CommandEffects => effects::BYTES,
        LogPage::FeatureEffects => FEATURES_BYTES,
    }
}

/// Writes a log of 512 bytes at the start of the page, and zeroes behind it.
fn emit_start(page: &mut [u8; 4096], emit: impl FnOnce(&mut [u8; 512])) {
    page.fill(0);
    if let Some(bytes) = page.first_chunk_mut() {
        emit(bytes);
    }
}
