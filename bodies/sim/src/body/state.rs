//! The state of a body in a snapshot.

use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use machine::NEVER;

use contract::state::{expect, strange, Sound};

use super::Body;
use crate::ledger::Ledger;
use crate::scheduled::Scheduled;

impl<O, S> Body<O, S> {
    /// Writes all that the body's past has made of it. What follows from the board is left out, and so are host and observer.
    ///
    /// # Errors
    /// The errors of the writer.
    ///
    /// # Panics
    /// If its chips are in an image.
    pub(crate) fn put_state(&self, mut to: &mut dyn Write) -> Result<()> {
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
            asks_quiet: _,
            calm: _,
            promised: _,
            told: _,
            quiet,
            change,
            due: _,
        } = self;
        interface.serialize(&mut to)?;
        processor.serialize(&mut to)?;
        cores.serialize(&mut to)?;
        array.put_state(&mut to)?;
        causes.serialize(&mut to)?;
        channels.serialize(&mut to)?;
        scheduled.serialize(&mut to)?;
        looked_at.serialize(&mut to)?;
        poller.serialize(&mut to)?;
        buffer.serialize(&mut to)?;
        log.serialize(&mut to)?;
        control.serialize(&mut to)?;
        (dram, data_bus, solvers).serialize(&mut to)?;
        supply.serialize(&mut to)?;
        first_ready.serialize(&mut to)?;
        heat.serialize(&mut to)?;
        (woken, quiet, change).serialize(&mut to)
    }

    /// Brings a new body of the same board into a state that [`Body::put_state`] has written.
    ///
    /// # Errors
    /// The errors of the reader, and when it is no state of such a body.
    pub(crate) fn take_state(&mut self, mut from: &mut dyn Read) -> Result<()> {
        self.interface = BorshDeserialize::deserialize_reader(&mut from)?;
        self.processor = BorshDeserialize::deserialize_reader(&mut from)?;
        let cores = Option::deserialize_reader(&mut from)?;
        expect(cores.is_some() == self.cores.is_some(), "processors of another board")?;
        self.cores = cores;
        self.array.take_state(&mut from)?;
        take_sound(&mut self.causes, from)?;
        take_table(&mut self.channels, from)?;
        let scheduled: Option<Scheduled> = BorshDeserialize::deserialize_reader(&mut from)?;
        match (&scheduled, &self.scheduled) {
            (None, None) => {}
            (Some(read), Some(new)) => read.sound(new)?,
            _ => return Err(strange("channels of another board")),
        }
        self.scheduled = scheduled;
        self.looked_at = BorshDeserialize::deserialize_reader(&mut from)?;
        self.poller = BorshDeserialize::deserialize_reader(&mut from)?;
        take_sound(&mut self.buffer, from)?;
        take_sound(&mut self.log, from)?;
        self.control = BorshDeserialize::deserialize_reader(&mut from)?;
        for bus in [&mut self.dram, &mut self.data_bus] {
            *bus = BorshDeserialize::deserialize_reader(&mut from)?;
            bus.sound()?;
        }
        take_table(&mut self.solvers, from)?;
        self.solvers.iter().try_for_each(Ledger::sound)?;
        self.supply = BorshDeserialize::deserialize_reader(&mut from)?;
        self.first_ready = BorshDeserialize::deserialize_reader(&mut from)?;
        self.heat = BorshDeserialize::deserialize_reader(&mut from)?;
        (self.woken, self.quiet, self.change) = BorshDeserialize::deserialize_reader(&mut from)?;
        (self.due, self.calm, self.promised) = (NEVER, 0, 0);
        Ok(())
    }
}

/// Reads a part in place of that of a new body.
fn take_sound<T: BorshDeserialize + Sound>(part: &mut T, mut from: &mut dyn Read) -> Result<()> {
    let read = T::deserialize_reader(&mut from)?;
    read.sound(part)?;
    *part = read;
    Ok(())
}

/// Reads a table in place of one of a new body, which has as many entries.
fn take_table<T: BorshDeserialize>(table: &mut Vec<T>, mut from: &mut dyn Read) -> Result<()> {
    let read = Vec::deserialize_reader(&mut from)?;
    expect(read.len() == table.len(), "a table of another board")?;
    *table = read;
    Ok(())
}
