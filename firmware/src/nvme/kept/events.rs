//! Asynchronous events that wait, and requests that wait for them.

use alloc::vec::Vec;
use contract::CommandTag;
use nvme::admin::LogPage;
use nvme::log::{critical_warning, AsyncEvent};
use nvme::status::{Fault, Status};

use crate::nvme::identify::EVENT_REQUESTS;

/// Requests of the host and events that wait for each other.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct Events {
    pub(in crate::nvme) requests: Vec<CommandTag>,
    /// Events to report, one bit each.
    pub(in crate::nvme) pending: u8,
    /// Events that are not reported until the host has read their log.
    pub(in crate::nvme) masked: u8,
    /// Critical warnings that have been made into events.
    pub(in crate::nvme) seen_warnings: u8,
    /// The attributes of all namespaces have changed since the host read the list of those that have.
    pub(in crate::nvme) have_namespaces_changed: bool,
}

pub(in crate::nvme) const fn bit(event: AsyncEvent) -> u8 {
    1 << event as u8
}

const ERROR_EVENTS: u8 =
    bit(AsyncEvent::InvalidDoorbellRegister) | bit(AsyncEvent::InvalidDoorbellValue);
const HEALTH_EVENTS: u8 =
    bit(AsyncEvent::Reliability) | bit(AsyncEvent::Temperature) | bit(AsyncEvent::Spare);
/// A drive has one of them: zoned drives have no other format.
const NOTICES: u8 = bit(AsyncEvent::NamespaceChanged) | bit(AsyncEvent::ZoneChanged);

/// All events of the type that `event` belongs to.
pub(in crate::nvme) const fn events_like(event: AsyncEvent) -> u8 {
    match event {
        AsyncEvent::InvalidDoorbellRegister | AsyncEvent::InvalidDoorbellValue => ERROR_EVENTS,
        AsyncEvent::Reliability | AsyncEvent::Temperature | AsyncEvent::Spare => HEALTH_EVENTS,
        AsyncEvent::NamespaceChanged | AsyncEvent::ZoneChanged => NOTICES,
    }
}

impl Events {
    /// No requests, no events.
    pub fn new() -> Self {
        let requests = Vec::with_capacity(usize::from(EVENT_REQUESTS));
        Events { requests, pending: 0, masked: 0, seen_warnings: 0, have_namespaces_changed: false }
    }

    /// Forgets events and masks, as on a controller reset.
    pub fn reset(&mut self) {
        self.pending = 0;
        self.masked = 0;
        self.seen_warnings = 0;
        self.have_namespaces_changed = false;
    }

    /// Keeps a request.
    ///
    /// # Errors
    /// Asynchronous Event Request Limit Exceeded.
    pub fn request(&mut self, tag: CommandTag) -> Result<(), Fault> {
        if self.requests.len() == usize::from(EVENT_REQUESTS) {
            return Err(Fault::whole(Status::ASYNC_EVENT_LIMIT_EXCEEDED.do_not_retry()));
        }
        self.requests.push(tag);
        Ok(())
    }

    /// Takes a request without an event.
    pub fn drop_request(&mut self) -> Option<CommandTag> {
        self.requests.pop()
    }

    /// Takes a request back.
    pub fn withdraw(&mut self, tag: CommandTag) {
        self.requests.retain(|&other| other != tag);
    }

    /// Something happened.
    pub fn raise(&mut self, event: AsyncEvent) {
        self.pending |= bit(event);
    }

    /// Takes critical warnings that hold now, of which those in `reported` become events once, and
    /// again only after they were gone.
    pub(in crate::nvme) fn warn(&mut self, holding: u8, reported: u8) {
        let fresh = holding & reported & !self.seen_warnings;
        self.seen_warnings = holding & (self.seen_warnings | reported);
        const DEGRADED: u8 =
            critical_warning::READ_ONLY | critical_warning::RELIABILITY | critical_warning::BACKUP;
        if fresh & DEGRADED != 0 {
            self.raise(AsyncEvent::Reliability);
        }
        if fresh & critical_warning::TEMPERATURE != 0 {
            self.raise(AsyncEvent::Temperature);
        }
        if fresh & critical_warning::SPARE != 0 {
            self.raise(AsyncEvent::Spare);
        }
    }

    /// The host has read a log, and wants to hear of its events again.
    pub fn log_read(&mut self, page: LogPage) {
        match page {
            LogPage::ErrorInformation => self.masked &= !ERROR_EVENTS,
            LogPage::Health => self.masked &= !HEALTH_EVENTS,
            LogPage::ChangedNamespaces => {
                self.masked &= !NOTICES;
                self.have_namespaces_changed = false;
            }
            LogPage::ChangedZones => self.masked &= !NOTICES,
            LogPage::SupportedPages
            | LogPage::FirmwareSlot
            | LogPage::CommandEffects
            | LogPage::EnduranceGroup
            | LogPage::FeatureEffects
            | LogPage::PlacementConfigurations
            | LogPage::PlacementUsage
            | LogPage::PlacementStatistics
            | LogPage::ControllerPlacementEvents
            | LogPage::HostPlacementEvents
            | LogPage::ChunkInformation => {}
        }
    }

    /// Takes a request together with the event that answers it, and masks the event's type.
    pub(in crate::nvme) fn next_report(&mut self) -> Option<(CommandTag, AsyncEvent)> {
        let open = self.pending & !self.masked;
        if open == 0 {
            return None;
        }
        let event = AsyncEvent::ALL.into_iter().find(|event| open & bit(*event) != 0)?;
        let tag = self.requests.pop()?;
        self.pending &= !bit(event);
        self.masked |= events_like(event);
        Some((tag, event))
    }
}
