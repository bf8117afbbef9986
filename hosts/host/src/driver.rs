//! The driver's administrative side: bringing a controller up and shutting it down through its
//! registers and admin commands, as NVMe 1.4 section 7.6.1 lays down.

use std::fmt;

use contract::MOST_NAMESPACES;
use machine::Device;
use nvme::admin::{
    AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, EventAfterRead, GetLogPage,
    IdentifyStructure, LogPage, Priority, Retention, SetFeatures,
};
use nvme::command::{DataPointer, Header};
use nvme::completion::CompletionEntry;
use nvme::feature::Setting;
use nvme::identify::{controller_attribute, Controller, Namespace};
use nvme::placement::{Configurations, CONFIGURATION_VALID};
use nvme::register::{
    offset, AdminQueueAttributes, Capabilities, CommandSets, ControllerConfiguration,
    ControllerStatus, OptionalArbitration, ShutdownStatus,
};
use nvme::status::Status;

use crate::memory::{Memory, PAGE_BYTES};
use crate::prp::MAX_STRETCH_BYTES;
use crate::queue::{QueuePair, QueueShape};

/// The namespace that is used where nothing else is said.
pub const NAMESPACE: u32 = 1;

/// Entries of the admin queues.
pub const ADMIN_ENTRIES: u32 = 32;

/// Unit of CAP.TO.
const TIMEOUT_UNIT_PS: u64 = 500_000_000_000;
/// How long an admin command or a shutdown may take: a minute, as with Linux.
pub(crate) const COMMAND_LIMIT_PS: u64 = 60_000_000_000_000;

/// Why a drive did not come up, or did not do what it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverError {
    /// CSTS.CFS is set.
    Fatal {
        /// What the driver was doing.
        during: &'static str,
    },
    /// A state was not reached in the time that CAP.TO names, or never will be.
    NotReached {
        /// What was waited for, such as `CSTS.RDY 1`.
        state: &'static str,
        /// How long the driver waited, in picoseconds of virtual time.
        waited_ps: u64,
    },
    /// An admin command did not complete.
    Silent {
        /// Name of the command.
        command: &'static str,
    },
    /// An admin command failed.
    Failed {
        /// Name of the command.
        command: &'static str,
        /// What the drive completed it with.
        status: Status,
    },
    /// The drive says something of itself that this driver cannot use.
    Unusable {
        /// Which field.
        field: &'static str,
        /// What was found.
        found: u64,
        /// What would do.
        expected: &'static str,
    },
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fatal { during } => {
                write!(f, "drive: CSTS.CFS: found 1 during {during}, expected 0")
            }
            Self::NotReached { state, waited_ps } => write!(
                f,
                "drive: CSTS: found no change in {} us, expected {state}",
                waited_ps / 1_000_000
            ),
            Self::Silent { command } => {
                write!(f, "drive: {command}: found no completion, expected one")
            }
            Self::Failed { command, status } => {
                write!(f, "drive: {command}: found {status}, expected success")
            }
            Self::Unusable { field, found, expected } => {
                write!(f, "drive: {field}: found {found}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for DriverError {}

/// What the drive says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Logical blocks of a namespace.
    pub blocks: u64,
    /// Bytes of a logical block.
    pub block_bytes: u32,
    /// Most bytes of one command, a power of two: what the drive allows, and no more than one page
    /// of PRP entries can name.
    pub transfer_bytes: u64,
    /// Placement identifiers that writes may name; 0 where the host does not place its data.
    pub placement_handles: u16,
}

/// An I/O queue pair to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueRequest {
    /// Identifier, from 1.
    pub id: u16,
    /// Entries of each ring, at most [`Driver::queue_entries`].
    pub entries: u32,
    /// Interrupt vector.
    pub vector: u16,
    /// Priority class; counts only under weighted round robin.
    pub priority: Priority,
}

/// The administrative side of a driver whose controller is ready.
#[derive(Debug)]
pub struct Driver {
    capabilities: Capabilities,
    configuration: ControllerConfiguration,
    admin: QueuePair,
    /// A page for data of admin commands.
    page: u64,
    next_cid: u16,
}

impl Driver {
    /// Resets the controller and enables it, with weighted round robin where that is on offer.
    ///
    /// # Errors
    /// When the controller does not become ready.
    pub fn start(device: &mut impl Device<Memory = Memory>) -> Result<Self, DriverError> {
        let capabilities = Capabilities::parse(device.read64(offset::CAP));
        let memory = device.memory();
        memory.reserve(QueuePair::memory_bytes(ADMIN_ENTRIES) + PAGE_BYTES);
        let shape =
            QueueShape { id: 0, entries: ADMIN_ENTRIES, stride: capabilities.doorbell_stride };
        let admin = QueuePair::new(shape, memory);
        let page = memory.allocate(PAGE_BYTES);
        let arbitration = match capabilities.arbitration {
            OptionalArbitration::None => 0,
            OptionalArbitration::WeightedRoundRobin => 1,
        };
        let started = ControllerConfiguration::started(arbitration);
        let configuration = match capabilities.command_sets {
            CommandSets::Nvm => started,
            CommandSets::Several => started.with_all_sets(),
        };
        let driver = Driver { capabilities, configuration, admin, page, next_cid: 0 };
        device.write32(offset::CC, 0);
        let limit_ps = u64::from(capabilities.timeout.max(1)) * TIMEOUT_UNIT_PS;
        driver.wait(device, ("CSTS.RDY 0", limit_ps), |status| !status.ready)?;
        let entries = AdminQueueAttributes { submission: ADMIN_ENTRIES, completion: ADMIN_ENTRIES };
        device.write32(offset::AQA, entries.emit());
        device.write64(offset::ASQ, admin.submission_address());
        device.write64(offset::ACQ, admin.completion_address());
        device.write32(offset::CC, configuration.0);
        driver.wait(device, ("CSTS.RDY 1", limit_ps), |status| status.ready)?;
        Ok(driver)
    }

    /// What the controller said of itself in CAP.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Most entries of an I/O queue.
    pub fn queue_entries(&self) -> u32 {
        self.capabilities.queue_entries
    }

    /// Asks the controller and its first namespace what they are.
    ///
    /// # Errors
    /// When a command fails, or a namespace is there that fio jobs cannot run on.
    pub fn identify(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
    ) -> Result<Identity, DriverError> {
        Ok(self.identify_all(device)?[0])
    }

    /// Asks the controller and all of its namespaces, from 1 on, what they are.
    ///
    /// # Errors
    /// When a command fails, or a namespace is there that fio jobs cannot run on.
    pub fn identify_all(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
    ) -> Result<Vec<Identity>, DriverError> {
        let command = AdminCommand::Identify(IdentifyStructure::Controller);
        let page = self.fetch_page(device, (command, 0), "Identify Controller")?;
        let controller = Controller::parse(&page);
        let namespaces = controller.namespaces.clamp(1, MOST_NAMESPACES);
        let handles = self.placement_handles(device, &controller)?;
        let own = |nsid| {
            let identity = self.identify_namespace(device, &controller, nsid)?;
            Ok(Identity { placement_handles: handles, ..identity })
        };
        (1..=namespaces).map(own).collect()
    }

    /// Placement identifiers that a namespace has at the most in the configuration that is in force.
    fn placement_handles(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        controller: &Controller,
    ) -> Result<u16, DriverError> {
        if controller.attributes & controller_attribute::DATA_PLACEMENT == 0 {
            return Ok(0);
        }
        let (page, event) = (LogPage::PlacementConfigurations, EventAfterRead::Retained);
        let log = GetLogPage { page, event, offset: 0, length: Configurations::BYTES as u64 };
        let command = AdminCommand::GetLogPage(log);
        let page = self.fetch_page(device, (command, 0), "Get Log Page, FDP Configurations")?;
        let log = Configurations::parse(page.first_chunk().expect("a page holds its head"));
        let is_valid = log.attributes & CONFIGURATION_VALID != 0;
        Ok(if is_valid { log.identifiers.saturating_add(1) } else { 0 })
    }

    fn identify_namespace(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        controller: &Controller,
        nsid: u32,
    ) -> Result<Identity, DriverError> {
        let command = AdminCommand::Identify(IdentifyStructure::Namespace);
        let page = self.fetch_page(device, (command, nsid), "Identify Namespace")?;
        let namespace = Namespace::parse(&page);
        let format = namespace.block_formats[usize::from(namespace.format_in_use & 0xf)];
        if format.metadata_bytes != 0 {
            return Err(DriverError::Unusable {
                field: "LBAF.MS",
                found: u64::from(format.metadata_bytes),
                expected: "0, no metadata",
            });
        }
        if !(9..=12).contains(&format.block_size) {
            return Err(DriverError::Unusable {
                field: "LBAF.LBADS",
                found: u64::from(format.block_size),
                expected: "9 to 12, blocks of 512 to 4096 bytes",
            });
        }
        if namespace.size == 0 {
            let expected = "at least one logical block";
            return Err(DriverError::Unusable { field: "NSZE", found: 0, expected });
        }
        let allowed = match controller.max_transfer {
            0 => MAX_STRETCH_BYTES,
            mdts => PAGE_BYTES.checked_shl(u32::from(mdts)).unwrap_or(MAX_STRETCH_BYTES),
        };
        Ok(Identity {
            blocks: namespace.size,
            block_bytes: 1 << format.block_size,
            transfer_bytes: allowed.clamp(PAGE_BYTES, MAX_STRETCH_BYTES),
            placement_handles: 0,
        })
    }

    /// Asks for I/O queue pairs; returns how many there may be.
    ///
    /// # Errors
    /// When the command fails.
    pub fn set_queue_count(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        wanted: u16,
    ) -> Result<u16, DriverError> {
        let setting = Setting::NumberOfQueues { submission: wanted, completion: wanted };
        let set = SetFeatures { setting, retention: Retention::UntilReset };
        let command = AdminCommand::SetFeatures(set);
        let granted =
            self.execute(device, (command, Header::default()), "Set Features, Number of Queues")?;
        // Both counts are zero-based.
        let least = (granted & 0xffff).min(granted >> 16) + 1;
        Ok((least as u16).min(wanted))
    }

    /// Creates a completion queue and a submission queue for it, in memory that was reserved:
    /// [`QueuePair::memory_bytes`].
    ///
    /// # Errors
    /// When a command fails.
    pub fn create_queue(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        request: QueueRequest,
    ) -> Result<QueuePair, DriverError> {
        let QueueRequest { id, entries, vector, priority } = request;
        let shape = QueueShape { id, entries, stride: self.capabilities.doorbell_stride };
        let pair = QueuePair::new(shape, device.memory());
        let at = |prp1| Header { data: DataPointer { prp1, prp2: 0 }, ..Header::default() };
        let vector = Some(vector);
        let command =
            AdminCommand::CreateCompletionQueue(CreateCompletionQueue { id, entries, vector });
        let header = at(pair.completion_address());
        self.execute(device, (command, header), "Create I/O Completion Queue")?;
        let command = AdminCommand::CreateSubmissionQueue(CreateSubmissionQueue {
            id,
            entries,
            priority,
            completion_queue: id,
        });
        let header = at(pair.submission_address());
        self.execute(device, (command, header), "Create I/O Submission Queue")?;
        Ok(pair)
    }

    /// Shuts the controller down, which makes all data durable.
    ///
    /// # Errors
    /// When the controller does not say that it is done.
    pub fn shut_down(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
    ) -> Result<(), DriverError> {
        device.write32(offset::CC, self.configuration.shut_down().0);
        let done = |status: ControllerStatus| status.shutdown == ShutdownStatus::Complete;
        self.wait(device, ("CSTS.SHST 2", COMMAND_LIMIT_PS), done)
    }

    /// Runs an admin command for the namespace that returns a page, or less.
    pub(crate) fn admin_page(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        command: AdminCommand,
        name: &'static str,
    ) -> Result<[u8; PAGE_BYTES as usize], DriverError> {
        self.fetch_page(device, (command, NAMESPACE), name)
    }

    fn fetch_page(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        (command, nsid): (AdminCommand, u32),
        name: &'static str,
    ) -> Result<[u8; PAGE_BYTES as usize], DriverError> {
        let header = Header { nsid, data: DataPointer { prp1: self.page, prp2: 0 }, cid: 0 };
        self.execute(device, (command, header), name)?;
        Ok(*device.memory().array(self.page))
    }

    /// Runs one admin command to its end; returns dword 0 of its completion. `name` stands in errors.
    ///
    /// # Errors
    /// When the command does not complete, or not well, or another one that was sent before completes
    /// first.
    pub fn execute(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        (command, header): (AdminCommand, Header),
        name: &'static str,
    ) -> Result<u32, DriverError> {
        let cid = self.send(device, command, header);
        device.settle(COMMAND_LIMIT_PS);
        self.check_alive(device, name)?;
        let completion = self.receive(device).ok_or(DriverError::Silent { command: name })?;
        if completion.cid != cid {
            let found = u64::from(completion.cid);
            let expected = "the identifier of the command";
            return Err(DriverError::Unusable { field: "CQE.CID", found, expected });
        }
        if !completion.status.is_success() {
            return Err(DriverError::Failed { command: name, status: completion.status });
        }
        Ok(completion.result)
    }

    /// Hands an admin command over and does not wait. The identifier in the header is replaced by the
    /// one that is returned. The caller keeps fewer than [`ADMIN_ENTRIES`] commands unanswered.
    pub fn send(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        command: AdminCommand,
        header: Header,
    ) -> u16 {
        let cid = self.next_cid;
        self.next_cid = (cid + 1) % ADMIN_ENTRIES as u16;
        let entry = command.emit(Header { cid, ..header });
        self.admin.push(device.memory(), &entry);
        let ring = self.admin.ring_tail();
        device.write32(ring.offset, ring.value);
        cid
    }

    /// Takes the next completion of an admin command, if there is one by now.
    pub fn receive(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
    ) -> Option<CompletionEntry> {
        let completion = self.admin.pop(device.memory())?;
        let ring = self.admin.ring_head();
        device.write32(ring.offset, ring.value);
        Some(completion)
    }

    /// Lets time go by and looks whether the status is as wanted.
    fn wait(
        &self,
        device: &mut impl Device<Memory = Memory>,
        (state, limit_ps): (&'static str, u64),
        wanted: impl Fn(ControllerStatus) -> bool,
    ) -> Result<(), DriverError> {
        let start_ps = device.now_ps();
        device.settle(limit_ps);
        if wanted(self.check_alive(device, state)?) {
            return Ok(());
        }
        Err(DriverError::NotReached { state, waited_ps: device.now_ps() - start_ps })
    }

    fn check_alive(
        &self,
        device: &mut impl Device<Memory = Memory>,
        during: &'static str,
    ) -> Result<ControllerStatus, DriverError> {
        let status = ControllerStatus::parse(device.read32(offset::CSTS));
        if status.fatal {
            return Err(DriverError::Fatal { during });
        }
        Ok(status)
    }
}

/// Host memory that the rings of `count` queue pairs take.
pub fn queues_memory_bytes(count: u16, entries: u32) -> u64 {
    u64::from(count) * Memory::rounded(QueuePair::memory_bytes(entries))
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
