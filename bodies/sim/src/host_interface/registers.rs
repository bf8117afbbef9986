//! The register file of BAR 0 (NVMe 1.4 section 3.1).

use board::Arbitration;
use borsh::{BorshDeserialize, BorshSerialize};
use contract::HostEvent;
use machine::{BusMaster, RegisterPort};
use nvme::register::{
    offset, AdminQueueAttributes, Capabilities, CommandSets, ControllerConfiguration,
    ControllerStatus, Doorbell, OptionalArbitration, ShutdownNotice, ShutdownStatus, VERSION,
};

use super::HostInterface;
use crate::timers::Actor;

/// Doorbell stride (CAP.DSTRD): 4 bytes.
const STRIDE: u8 = 0;
/// Longest wait for CSTS.RDY to follow CC.EN, in 500 ms. Disabling waits for commands in flight.
const TIMEOUT: u8 = 60;

#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct RegisterFile {
    capabilities: u64,
    configuration: ControllerConfiguration,
    status: ControllerStatus,
    interrupt_mask: u32,
    admin_queues: u32,
    admin_submission: u64,
    admin_completion: u64,
}

impl RegisterFile {
    pub(super) fn new(
        queue_entries: u32,
        arbitration: Arbitration,
        command_sets: CommandSets,
    ) -> Self {
        let capabilities = Capabilities {
            queue_entries,
            arbitration: match arbitration {
                Arbitration::RoundRobin => OptionalArbitration::None,
                Arbitration::Weighted => OptionalArbitration::WeightedRoundRobin,
            },
            timeout: TIMEOUT,
            doorbell_stride: STRIDE,
            page_size_max: 0,
            command_sets,
        };
        RegisterFile {
            capabilities: capabilities.emit(),
            configuration: ControllerConfiguration(0),
            status: ControllerStatus { ready: false, fatal: false, shutdown: ShutdownStatus::None },
            interrupt_mask: 0,
            admin_queues: 0,
            admin_submission: 0,
            admin_completion: 0,
        }
    }

    /// Whether commands may be fetched.
    pub(super) fn running(&self) -> bool {
        self.configuration.enabled() && self.status.ready && !self.status.fatal
    }

    /// Whether the configuration is one that the capabilities allow.
    fn startable(&self) -> bool {
        let c = self.configuration;
        let weighted = Capabilities::parse(self.capabilities).arbitration
            == OptionalArbitration::WeightedRoundRobin;
        let arbitration = c.arbitration() == 0 || c.arbitration() == 1 && weighted;
        let sizes = AdminQueueAttributes::parse(self.admin_queues);
        let aligned = (self.admin_submission | self.admin_completion) & 0xfff == 0;
        let sets = Capabilities::parse(self.capabilities).command_sets;
        sets.has(c.command_set())
            && c.page_bytes() == 4096
            && arbitration
            && sizes.submission >= 2
            && sizes.completion >= 2
            && aligned
    }
}

fn set_low(register: &mut u64, value: u32) {
    *register = *register & !0xffff_ffff | u64::from(value);
}

fn set_high(register: &mut u64, value: u32) {
    *register = *register & 0xffff_ffff | u64::from(value) << 32;
}

impl RegisterPort for HostInterface {
    fn read(&self, offset: u64) -> u32 {
        HostInterface::read(self, offset)
    }

    fn write(&mut self, now: u64, offset: u64, value: u32) {
        HostInterface::write(self, now, offset, value);
    }

    fn set_bus_master(&mut self, now: u64, master: BusMaster) {
        HostInterface::set_bus_master(self, now, master);
    }
}

impl HostInterface {
    /// A 4-byte write by the host. Unknown and read-only registers ignore it.
    pub fn write(&mut self, now: u64, at: u64, value: u32) {
        let r = &mut self.registers;
        const ASQ_HIGH: u64 = offset::ASQ + 4;
        const ACQ_HIGH: u64 = offset::ACQ + 4;
        match at {
            offset::INTMS => r.interrupt_mask |= value,
            offset::INTMC => r.interrupt_mask &= !value,
            offset::CC => self.configure(now, ControllerConfiguration(value)),
            offset::AQA => r.admin_queues = value & 0x0fff_0fff,
            offset::ASQ => set_low(&mut r.admin_submission, value),
            ASQ_HIGH => set_high(&mut r.admin_submission, value),
            offset::ACQ => set_low(&mut r.admin_completion, value),
            ACQ_HIGH => set_high(&mut r.admin_completion, value),
            _ if at >= offset::DOORBELLS => {
                let arrival = now + self.latencies.doorbell;
                let last = self.doorbells.back().map_or(0, |&(last, ..)| last);
                assert!(last <= arrival, "doorbells are rung in the order of time");
                self.doorbells.push_back((arrival, at, value));
                if self.doorbells.len() == 1 {
                    self.timers.set(Actor::Doorbell, arrival);
                }
            }
            _ => {}
        }
    }

    /// A 4-byte read by the host.
    pub fn read(&self, at: u64) -> u32 {
        let r = &self.registers;
        let half = |value: u64| if at & 4 == 0 { value as u32 } else { (value >> 32) as u32 };
        match at & !3 {
            offset::VS => VERSION,
            offset::INTMS | offset::INTMC => r.interrupt_mask,
            offset::CC => r.configuration.0,
            offset::CSTS => r.status.emit(),
            offset::AQA => r.admin_queues,
            _ => match at & !7 {
                offset::CAP => half(r.capabilities),
                offset::ASQ => half(r.admin_submission),
                offset::ACQ => half(r.admin_completion),
                _ => 0,
            },
        }
    }

    /// The doorbell that `at` is the offset of.
    pub(super) fn doorbell_at(at: u64) -> Option<Doorbell> {
        Doorbell::at(at, STRIDE)
    }

    pub(crate) fn set_ready(&mut self, now: u64, ready: bool) {
        self.registers.status.ready = ready;
        self.resume_fetch(now);
    }

    pub(crate) fn set_fatal(&mut self) {
        self.registers.status.fatal = true;
    }

    pub(crate) fn shutdown_done(&mut self) {
        self.registers.status.shutdown = ShutdownStatus::Complete;
    }

    fn configure(&mut self, now: u64, new: ControllerConfiguration) {
        let old = std::mem::replace(&mut self.registers.configuration, new);
        let seen = now + self.latencies.doorbell;
        match (old.enabled(), new.enabled()) {
            (false, true) if !self.registers.startable() => self.set_fatal(),
            (false, true) => {
                let r = &mut self.registers;
                r.status.fatal = false;
                r.status.shutdown = ShutdownStatus::None;
                let sizes = AdminQueueAttributes::parse(r.admin_queues);
                self.queues.create_admin(sizes, r.admin_submission, r.admin_completion);
                self.arbiter.start(new.arbitration() == 1);
                self.tell(seen, HostEvent::Enable);
            }
            (true, false) => {
                self.reset_queues(now);
                self.registers.status.fatal = false;
                self.tell(seen, HostEvent::Disable);
            }
            _ => {}
        }
        let asked = |c: ControllerConfiguration| {
            matches!(c.shutdown_notice(), ShutdownNotice::Normal | ShutdownNotice::Abrupt)
        };
        if asked(new) && !asked(old) {
            self.registers.status.shutdown = ShutdownStatus::Processing;
            self.tell_once(seen, HostEvent::Shutdown);
        }
    }
}
