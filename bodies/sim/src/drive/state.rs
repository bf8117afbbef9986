//! The state of a drive: another drive in it, and what is written of it.

use std::io::{self, Read, Write};

use borsh::{BorshDeserialize, BorshSerialize};

use contract::state::expect;
use machine::{with_firmware, Host, Observer};
use sparse::Clones;

use super::Drive;

impl<H: Host, O: Observer> Drive<H, O> {
    /// Another drive in the same state, with other ends: what has happened to this one has happened to it, what happens
    /// to either from now on is unknown to the other. With a host and an observer that behave as those here, the two do
    /// the same to the byte and the picosecond.
    ///
    /// None where the chips are in an image: what its file holds is one drive's.
    pub fn copied<G, P>(&self, ends: (G, P)) -> Option<Drive<G, P>> {
        Some(Drive { firmware: self.firmware.clone(), body: self.body.copied(ends)? })
    }

    /// States what copies of this drive are as to tables that grow with it. Nothing that a drive does depends on it.
    pub fn set_clones(&mut self, are: Clones) {
        with_firmware!(&mut self.firmware, firmware => firmware.set_clones(are));
        self.body.array.set_clones(are);
    }

    /// This drive with other ends, which know nothing of what was before.
    pub fn with_ends<G, P>(self, ends: (G, P)) -> Drive<G, P> {
        Drive { firmware: self.firmware, body: self.body.with_ends(ends) }
    }

    /// [`Drive::copied`], with its ends.
    pub fn try_clone(&self) -> Option<Self>
    where
        H: Clone,
        O: Clone,
    {
        self.copied((self.body.host.clone(), self.body.observer.clone()))
    }

    /// Writes the state of the drive: all of it but its ends, and but what board and options decide. Those who know what
    /// comes of it write it while nothing is under way.
    ///
    /// # Errors
    /// The errors of the writer.
    ///
    /// # Panics
    /// If the chips are in an image: what its file holds is one drive's.
    pub fn put_state(&self, to: &mut impl Write) -> io::Result<()> {
        let kind = self.firmware.kind();
        kind.serialize(to)?;
        with_firmware!(&self.firmware, firmware => firmware.put_state(to))?;
        self.body.put_state(to)
    }

    /// Brings a drive that was just powered on, of the same board and options, into a state that [`Drive::put_state`] has
    /// written. What it does from then on is what the other would have done with the same ends, to the byte and the
    /// picosecond; whether idle turns are skipped may differ.
    ///
    /// # Errors
    /// The errors of the reader, and when it is no state of such a drive at rest: sizes, lists and queues are checked. The drive
    /// is of no use then. Of a state that was made by hand and passes, nobody knows what the drive does.
    pub fn take_state(&mut self, from: &mut impl Read) -> io::Result<()> {
        let kind = u8::deserialize_reader(from)?;
        expect(kind == self.firmware.kind(), "the firmware of another board")?;
        with_firmware!(&mut self.firmware, firmware => firmware.take_state(from))?;
        self.body.take_state(from)
    }
}
