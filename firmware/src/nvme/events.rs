//! Asynchronous events (NVMe 1.4 section 5.2).

use contract::{CommandTag, Hardware};
use nvme::admin::LogPage;
use nvme::log::{AsyncEvent, ErrorEntry};
use nvme::status::{Fault, ParameterLocation, Status};

use super::backend::{Storage, Zoned};
use super::command::Job;
use super::logs::composite_kelvin;
use super::manager::Manager;
use super::ports::Ports;

/// Value of a doorbell error event's information for a register that does not exist.
const UNKNOWN_REGISTER: u8 = 0;

impl Manager {
    /// Asynchronous Event Request.
    pub(super) fn request_event(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
    ) -> Result<(), Fault> {
        self.events.request(tag)?;
        self.commands.get_mut(tag).job = Job::Event;
        self.leaves_flight();
        self.check_health(ports);
        Ok(())
    }

    /// A doorbell was written wrongly. The log has no command to name for it.
    pub(super) fn doorbell_error(&mut self, hw: &mut impl Hardware, kind: u8) {
        let (event, status) = match kind {
            UNKNOWN_REGISTER => {
                (AsyncEvent::InvalidDoorbellRegister, Status::INVALID_QUEUE_IDENTIFIER)
            }
            _ => (AsyncEvent::InvalidDoorbellValue, Status::INVALID_FIELD),
        };
        self.errors.record(ErrorEntry {
            queue: 0xffff,
            cid: 0xffff,
            status_field: ErrorEntry::status_field_of(status),
            parameter: ParameterLocation::NONE.bits(),
            ..ErrorEntry::zeroed()
        });
        self.events.raise(event);
        self.report_events(hw);
    }

    /// What Identify tells of all namespaces has changed.
    pub(super) fn namespaces_changed(&mut self, hw: &mut impl Hardware) {
        self.events.have_namespaces_changed = true;
        if self.features.reports_namespace_changes() {
            self.events.raise(AsyncEvent::NamespaceChanged);
            self.report_events(hw);
        }
    }

    /// Looks at the media's health and at zones, and reports what is new.
    pub(super) fn check_health(&mut self, ports: &mut Ports<impl Hardware, impl Storage>) {
        let kelvin = composite_kelvin(ports.hw);
        let holding = self.critical_warning(&ports.storage.health(), kelvin);
        self.events.warn(holding, self.features.reported_warnings());
        let has_news = ports.storage.zoned().is_some_and(Zoned::take_news);
        if has_news && self.features.reports_zone_changes() {
            self.events.raise(AsyncEvent::ZoneChanged);
        }
        self.report_events(ports.hw);
    }

    /// The host has read a log, and knows what is in it.
    pub(super) fn log_read(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        page: LogPage,
    ) {
        self.events.log_read(page);
        match ports.storage.zoned() {
            Some(zones) if page == LogPage::ChangedZones => zones.forget_told(),
            _ => {}
        }
        self.report_events(ports.hw);
    }

    /// Completes requests as long as there are events for them.
    pub(super) fn report_events(&mut self, hw: &mut impl Hardware) {
        while let Some((tag, event)) = self.events.next_report() {
            self.succeed(hw, tag, event.dword());
        }
    }
}
