//! A second body in the state of the first.

use machine::Unobserved;

use super::Body;

impl<O, S> Body<O, S> {
    /// The same hardware in the same state without ends; none where its chips are in an image.
    pub(crate) fn copied(&self) -> Option<Body<Unobserved, ()>> {
        Some(Body {
            host: (),
            observer: Unobserved,
            interface: self.interface.clone(),
            processor: self.processor.clone(),
            cores: self.cores.clone(),
            array: self.array.copied()?,
            causes: self.causes.clone(),
            medium: self.medium,
            geometry: self.geometry,
            channels: self.channels.clone(),
            scheduled: self.scheduled.clone(),
            looked_at: self.looked_at,
            poller: self.poller.clone(),
            buffer: self.buffer.clone(),
            log: self.log.clone(),
            control: self.control.clone(),
            bus_times: self.bus_times,
            path: self.path.clone(),
            dram: self.dram.clone(),
            data_bus: self.data_bus.clone(),
            solvers: self.solvers.clone(),
            supply: self.supply.clone(),
            first_ready: self.first_ready,
            heat: self.heat.clone(),
            segments: self.segments.clone(),
            address_list: self.address_list,
            polling: self.polling,
            woken: self.woken,
            asks_quiet: self.asks_quiet,
            calm: self.calm,
            promised: self.promised,
            told: true,
            quiet: self.quiet,
            change: self.change,
            due: self.due,
        })
    }

    /// This hardware with other ends.
    pub(crate) fn with_ends<P, T>(self, host: T, observer: P) -> Body<P, T> {
        Body {
            host,
            observer,
            interface: self.interface,
            processor: self.processor,
            cores: self.cores,
            array: self.array,
            causes: self.causes,
            medium: self.medium,
            geometry: self.geometry,
            channels: self.channels,
            scheduled: self.scheduled,
            looked_at: self.looked_at,
            poller: self.poller,
            buffer: self.buffer,
            log: self.log,
            control: self.control,
            bus_times: self.bus_times,
            path: self.path,
            dram: self.dram,
            data_bus: self.data_bus,
            solvers: self.solvers,
            supply: self.supply,
            first_ready: self.first_ready,
            heat: self.heat,
            segments: self.segments,
            address_list: self.address_list,
            polling: self.polling,
            woken: self.woken,
            asks_quiet: self.asks_quiet,
            calm: self.calm,
            promised: self.promised,
            told: true,
            quiet: self.quiet,
            change: self.change,
            due: self.due,
        }
    }
}
