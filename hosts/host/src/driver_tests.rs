//! The driver against a scripted controller.

use machine::HostMemory;
use nvme::command::Entry;
use nvme::completion::{CompletionEntry, Phase};
use nvme::identify::BlockFormat;
use nvme::register::{Doorbell, ShutdownNotice};

use super::*;

/// How the scripted controller misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    NeverReady,
    FatalOnEnable,
    NoIdentify,
    NoQueues,
    Silent,
    Metadata,
    NoShutdown,
}

/// A controller that executes admin commands at once.
struct Scripted {
    flaw: Flaw,
    memory: Memory,
    configuration: ControllerConfiguration,
    queues: (u64, u64),
    handled: u32,
    posted: u32,
    commands: Vec<AdminCommand>,
    now_ps: u64,
    mdts: u8,
    fresh: bool,
}

impl Scripted {
    fn new(flaw: Flaw) -> Self {
        Scripted {
            flaw,
            memory: Memory::default(),
            configuration: ControllerConfiguration(0),
            queues: (0, 0),
            handled: 0,
            posted: 0,
            commands: Vec::new(),
            now_ps: 0,
            mdts: 5,
            fresh: false,
        }
    }

    fn status(&self) -> ControllerStatus {
        let down = self.configuration.shutdown_notice() == ShutdownNotice::Normal;
        ControllerStatus {
            ready: self.configuration.enabled() && self.flaw != Flaw::NeverReady,
            fatal: self.configuration.enabled() && self.flaw == Flaw::FatalOnEnable,
            shutdown: match down && self.flaw != Flaw::NoShutdown {
                true => ShutdownStatus::Complete,
                false => ShutdownStatus::None,
            },
        }
    }

    fn handle(&mut self) {
        let at = self.queues.0 + u64::from(self.handled % ADMIN_ENTRIES) * 64;
        let entry = Entry::from_bytes(self.memory.array(at));
        self.handled += 1;
        let command = AdminCommand::parse(&entry).unwrap();
        self.commands.push(command);
        let page = entry.data().prp1;
        let (mut status, mut result) = (Status::SUCCESS, 0);
        match command {
            AdminCommand::Identify(_) if self.flaw == Flaw::NoIdentify => {
                status = Status::INVALID_FIELD;
            }
            AdminCommand::Identify(IdentifyStructure::Controller) => {
                let controller = Controller { max_transfer: self.mdts, ..Controller::zeroed() };
                controller.emit(self.memory.at_mut(page, 4096).first_chunk_mut().unwrap());
            }
            AdminCommand::Identify(_) => {
                assert_eq!(entry.nsid(), NAMESPACE);
                let mut namespace = Namespace { size: 4096, ..Namespace::zeroed() };
                namespace.format_in_use = 1;
                let metadata_bytes = if self.flaw == Flaw::Metadata { 8 } else { 0 };
                namespace.block_formats[1] =
                    BlockFormat { metadata_bytes, block_size: 9, performance: 0 };
                namespace.emit(self.memory.at_mut(page, 4096).first_chunk_mut().unwrap());
            }
            AdminCommand::SetFeatures(_) => result = 4 << 16 | 2,
            AdminCommand::CreateSubmissionQueue(_) if self.flaw == Flaw::NoQueues => {
                status = Status::INVALID_QUEUE_SIZE.do_not_retry();
            }
            _ => {}
        }
        let completion = CompletionEntry {
            result,
            result_high: 0,
            submission_head: (self.handled % ADMIN_ENTRIES) as u16,
            submission_queue: 0,
            cid: entry.cid(),
            phase: if self.posted / ADMIN_ENTRIES % 2 == 0 { Phase::One } else { Phase::Zero },
            status,
        };
        let at = self.queues.1 + u64::from(self.posted % ADMIN_ENTRIES) * 16;
        assert!(self.memory.write(at, &completion.emit()));
        self.posted += 1;
    }
}

impl Device for Scripted {
    type Memory = Memory;

    fn read32(&mut self, offset: u64) -> u32 {
        let capabilities = Capabilities {
            queue_entries: 256,
            arbitration: OptionalArbitration::WeightedRoundRobin,
            timeout: 1,
            doorbell_stride: 1,
            page_size_max: 0,
            command_sets: nvme::register::CommandSets::Nvm,
        };
        match offset {
            offset::CAP => capabilities.emit() as u32,
            4 => (capabilities.emit() >> 32) as u32,
            offset::CSTS => self.status().emit(),
            _ => 0,
        }
    }

    fn write32(&mut self, offset: u64, value: u32) {
        match offset {
            offset::CC => self.configuration = ControllerConfiguration(value),
            offset::AQA => assert_eq!(value, 0x001f_001f),
            offset::ASQ => self.queues.0 = u64::from(value),
            0x2c => self.queues.0 |= u64::from(value) << 32,
            offset::ACQ => self.queues.1 = u64::from(value),
            0x34 => self.queues.1 |= u64::from(value) << 32,
            _ => match Doorbell::at(offset, 1) {
                Some(Doorbell::SubmissionTail(0)) => self.fresh = self.flaw != Flaw::Silent,
                Some(Doorbell::CompletionHead(0)) => {
                    assert_eq!(value, self.posted % ADMIN_ENTRIES);
                }
                other => panic!("a write of {value:#x} at {offset:#x}: {other:?}"),
            },
        }
    }

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn settle(&mut self, limit_ps: u64) {
        if std::mem::take(&mut self.fresh) {
            self.handle();
        }
        // A controller that is never ready goes on polling.
        let ready = self.flaw != Flaw::NeverReady;
        self.now_ps += if ready { 1_000_000 } else { limit_ps };
    }

    fn now_ps(&self) -> u64 {
        self.now_ps
    }
}

/// The whole way up and down again.
fn session(device: &mut Scripted) -> Result<(Identity, u16), DriverError> {
    let mut driver = Driver::start(device)?;
    let identity = driver.identify(device)?;
    let granted = driver.set_queue_count(device, 8)?;
    device.memory.reserve(queues_memory_bytes(granted, 64));
    for id in 1..=granted {
        let request = QueueRequest { id, entries: 64, vector: id, priority: Priority::Medium };
        driver.create_queue(device, request)?;
    }
    driver.shut_down(device)?;
    Ok((identity, granted))
}

#[test]
fn a_sound_controller_comes_up() {
    let mut device = Scripted::new(Flaw::None);
    let (identity, granted) = session(&mut device).unwrap();
    let expected = Identity {
        blocks: 4096,
        block_bytes: 512,
        transfer_bytes: 128 << 10,
        placement_handles: 0,
    };
    assert_eq!((identity, granted), (expected, 3));
    // Weighted round robin was on offer.
    assert_eq!(device.configuration.arbitration(), 1);
    assert_eq!(device.commands.len(), 3 + 2 * 3);
    let AdminCommand::CreateCompletionQueue(queue) = device.commands[3] else { panic!() };
    assert_eq!((queue.id, queue.entries, queue.vector), (1, 64, Some(1)));
    let AdminCommand::CreateSubmissionQueue(queue) = device.commands[4] else { panic!() };
    assert_eq!((queue.id, queue.completion_queue, queue.entries), (1, 1, 64));
}

#[test]
fn transfers_stay_within_a_page_of_prp_entries() {
    for (mdts, expected) in [(0, 2 << 20), (1, 8192), (9, 2 << 20), (11, 2 << 20), (255, 2 << 20)] {
        let mut device = Scripted::new(Flaw::None);
        device.mdts = mdts;
        assert_eq!(session(&mut device).unwrap().0.transfer_bytes, expected, "{mdts}");
    }
}

#[test]
fn every_flaw_is_named_in_one_line() {
    let rows = [
        (Flaw::NeverReady, "drive: CSTS: found no change in 500000 us, expected CSTS.RDY 1"),
        (Flaw::FatalOnEnable, "drive: CSTS.CFS: found 1 during CSTS.RDY 1, expected 0"),
        (
            Flaw::NoIdentify,
            "drive: Identify Controller: found Invalid Field in Command, expected success",
        ),
        (
            Flaw::NoQueues,
            "drive: Create I/O Submission Queue: found Invalid Queue Size, expected success",
        ),
        (Flaw::Silent, "drive: Identify Controller: found no completion, expected one"),
        (Flaw::Metadata, "drive: LBAF.MS: found 8, expected 0, no metadata"),
    ];
    for (flaw, message) in rows {
        let error = session(&mut Scripted::new(flaw)).unwrap_err();
        assert_eq!(error.to_string(), message, "{flaw:?}");
    }
    let error = session(&mut Scripted::new(Flaw::NoShutdown)).unwrap_err();
    assert!(matches!(error, DriverError::NotReached { state: "CSTS.SHST 2", .. }), "{error}");
}

#[test]
fn the_admin_queue_goes_round() {
    let mut device = Scripted::new(Flaw::None);
    let mut driver = Driver::start(&mut device).unwrap();
    for _ in 0..100 {
        driver.identify(&mut device).unwrap();
    }
    assert_eq!(device.commands.len(), 200);
}
