//! A drive between two hosts.

use std::io::{self, Write};

use machine::{BoardFirmware, Host, Observer, Unobserved};
use sparse::Clones;

use super::Drive;
use crate::body::Body;

/// A drive that has no host, so that nothing happens in it. Threads may share it, and each copy it.
pub struct Still {
    firmware: BoardFirmware,
    body: StillBody,
}

/// The hardware of a drive that has no ends.
pub(crate) type StillBody = Body<Unobserved, ()>;

impl Still {
    /// The drive in the state that it is in, without its ends.
    pub fn of<H: Host, O: Observer>(drive: Drive<H, O>) -> Self {
        Still { firmware: drive.firmware, body: drive.body.with_ends((), Unobserved) }
    }

    /// Another one in the same state.
    ///
    /// # Panics
    /// If its chips are in an image: what that holds is one drive's.
    pub fn copied(&self) -> Self {
        let body = self.body.copied().expect(IN_MEMORY);
        Still { firmware: self.firmware.copied(), body }
    }

    /// A drive in the same state with these ends, which know nothing of what was before.
    ///
    /// # Panics
    /// As [`Still::copied`].
    pub fn drive<H: Host, O: Observer>(&self, host: H, observer: O) -> Drive<H, O> {
        self.copied().into_drive(host, observer)
    }

    /// The drive itself with these ends.
    pub fn into_drive<H: Host, O: Observer>(self, host: H, observer: O) -> Drive<H, O> {
        let body = self.body.with_ends(Box::new(host) as _, observer);
        Drive::made(self.firmware, body)
    }

    /// As [`Drive::put_state`].
    ///
    /// # Errors
    /// The errors of the writer.
    ///
    /// # Panics
    /// As [`Still::copied`].
    pub fn put_state(&self, to: &mut dyn Write) -> io::Result<()> {
        self.firmware.put_state(to)?;
        self.body.put_state(to)
    }

    /// As [`Drive::set_clones`].
    pub fn set_clones(&mut self, are: Clones) {
        self.firmware.set_clones(are);
        self.body.array.set_clones(are);
    }

    /// The drive's time in picoseconds.
    pub fn now(&self) -> u64 {
        self.body.processor.now
    }
}

/// What a drive has to be that is copied.
const IN_MEMORY: &str = "chips in memory have copies";
