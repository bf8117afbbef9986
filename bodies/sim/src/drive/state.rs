//! The state of a drive: another drive in it, and what is written of it.

use std::io::{self, Read, Write};

use machine::Host;
use sparse::Clones;

use super::{Audience, Drive};

impl<H: Host, O: Audience> Drive<H, O> {
    /// Another drive in the same state, with other ends: what has happened to this one has happened to it, what happens
    /// to either from now on is unknown to the other. With a host and an observer that behave as those here, the two do
    /// the same to the byte and the picosecond.
    ///
    /// None where the chips are in an image: what its file holds is one drive's.
    pub fn copied<G: Host, P>(&self, host: G, observer: P) -> Option<Drive<G, P>> {
        let body = O::copied(&self.body)?.with_ends(Box::new(host) as _, observer);
        Some(Drive::made(self.firmware.copied(), body))
    }

    /// States what copies of this drive are as to tables that grow with it. Nothing that a drive does depends on it.
    pub fn set_clones(&mut self, are: Clones) {
        self.firmware.set_clones(are);
        self.body.array.set_clones(are);
    }

    /// This drive with other ends, which know nothing of what was before.
    pub fn with_ends<G: Host, P>(self, host: G, observer: P) -> Drive<G, P> {
        let body = self.body.with_ends(Box::new(host) as _, observer);
        Drive::made(self.firmware, body)
    }

    /// [`Drive::copied`], with its ends.
    pub fn try_clone(&self) -> Option<Self>
    where
        H: Clone,
        O: Clone,
    {
        self.copied(self.host().clone(), self.body.observer.clone())
    }

    /// Writes the state of the drive: all of it but its ends, and but what board and options decide. Those who know what
    /// comes of it write it while nothing is under way.
    ///
    /// # Errors
    /// The errors of the writer.
    ///
    /// # Panics
    /// If the chips are in an image: what its file holds is one drive's.
    pub fn put_state(&self, to: &mut dyn Write) -> io::Result<()> {
        self.firmware.put_state(to)?;
        O::put_state(&self.body, to)
    }

    /// Brings a drive that was just powered on, of the same board and options, into a state that [`Drive::put_state`] has
    /// written. What it does from then on is what the other would have done with the same ends, to the byte and the
    /// picosecond; whether idle turns are skipped may differ.
    ///
    /// # Errors
    /// The errors of the reader, and when it is no state of such a drive at rest: sizes, lists and queues are checked. The drive
    /// is of no use then. Of a state that was made by hand and passes, nobody knows what the drive does.
    pub fn take_state(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.firmware.take_state(from)?;
        O::take_state(&mut self.body, from)
    }
}
