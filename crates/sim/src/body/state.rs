//! The state of a body in a snapshot.

use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};

use super::Body;
use crate::timers::NEVER;

impl<H, O> Body<H, O> {
    /// Writes all that the body's past has made of it. What follows from the board is left out, and so are host and observer.
    ///
    /// # Errors
    /// Those of the writer.
    ///
    /// # Panics
    /// If its chips are in an image.
    pub(crate) fn put_state(&self, to: &mut impl Write) -> Result<()> {
        let Body {
            host: _,
            observer: _,
            interface,
            processor,
            cores,
            array,
            causes,
            medium: _,
            geometry: _,
            channels,
            scheduled,
            looked_at,
            poller,
            buffer,
            log,
            control,
            bus_times: _,
            path: _,
            dram,
            data_bus,
            solvers,
            supply,
            first_ready,
            heat,
            segments: _,
            address_list: _,
            polling: _,
            woken,
            quiet,
            change,
            due: _,
        } = self;
        interface.serialize(to)?;
        processor.serialize(to)?;
        cores.serialize(to)?;
        array.put_state(to)?;
        causes.serialize(to)?;
        channels.serialize(to)?;
        scheduled.serialize(to)?;
        looked_at.serialize(to)?;
        poller.serialize(to)?;
        buffer.serialize(to)?;
        log.serialize(to)?;
        control.serialize(to)?;
        (dram, data_bus, solvers).serialize(to)?;
        supply.serialize(to)?;
        first_ready.serialize(to)?;
        heat.serialize(to)?;
        (woken, quiet, change).serialize(to)
    }

    /// Brings a new body of the same board into a state that [`Body::put_state`] has written.
    ///
    /// # Errors
    /// Those of the reader, and when it is no state of such a body.
    pub(crate) fn take_state(&mut self, from: &mut impl Read) -> Result<()> {
        self.interface = BorshDeserialize::deserialize_reader(from)?;
        self.processor = BorshDeserialize::deserialize_reader(from)?;
        self.cores = BorshDeserialize::deserialize_reader(from)?;
        self.array.take_state(from)?;
        self.causes = BorshDeserialize::deserialize_reader(from)?;
        self.channels = BorshDeserialize::deserialize_reader(from)?;
        self.scheduled = BorshDeserialize::deserialize_reader(from)?;
        self.looked_at = BorshDeserialize::deserialize_reader(from)?;
        self.poller = BorshDeserialize::deserialize_reader(from)?;
        self.buffer = BorshDeserialize::deserialize_reader(from)?;
        self.log = BorshDeserialize::deserialize_reader(from)?;
        self.control = BorshDeserialize::deserialize_reader(from)?;
        (self.dram, self.data_bus, self.solvers) = BorshDeserialize::deserialize_reader(from)?;
        self.supply = BorshDeserialize::deserialize_reader(from)?;
        self.first_ready = BorshDeserialize::deserialize_reader(from)?;
        self.heat = BorshDeserialize::deserialize_reader(from)?;
        (self.woken, self.quiet, self.change) = BorshDeserialize::deserialize_reader(from)?;
        self.due = NEVER;
        Ok(())
    }
}
