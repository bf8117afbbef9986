//! The host's end of the link: memory, who acts there, and where interrupt messages go.

use super::parts::Completed;
use crate::axi::AddressSpace;
use driver::Note;
use host::{FioHost, Ring};
use machine::Wake;

/// Where vectors send their messages: far from any memory. Vector n has the n-th word from here on.
pub const MESSAGES: u64 = 0xf000_0000_0000_0000;

/// What the controller reaches over the link, and who acts there. Memory ends before [`MESSAGES`].
pub trait HostEnd: AddressSpace + Default {
    /// Vectors whose messages have come and were not taken, the first one first.
    fn messages(&mut self) -> &mut Vec<u16>;

    /// Acts, and may ring. Returns when it wants to act next if no interrupt comes; [`machine::NEVER`] if it does not.
    fn act(&mut self, now_ps: u64, wake: Wake, ring: impl FnMut(Ring)) -> u64;

    /// The controller's status (CSTS) is this, in case that it is asked for while the host acts.
    fn show_status(&mut self, csts: u32) {
        let _ = csts;
    }

    /// The firmware noted something of a command, which completes one if `done` is there.
    fn noted(&mut self, now_ps: u64, note: &Note, done: Option<&Completed>);
}

/// An end at which somebody acts in the drive's time.
pub trait Acting: HostEnd {
    /// Who acts.
    type Host: machine::Host;

    /// The one who acts, to be looked at.
    fn host(&self) -> &Self::Host;
    /// The same, to be changed.
    fn host_mut(&mut self) -> &mut Self::Host;
}

/// Reads what takes messages. False if an address is not of these.
pub fn reads_messages(address: u64, into: &mut [u8]) -> bool {
    // What takes messages can be written, so it exists.
    let is_there = address >= MESSAGES;
    if is_there {
        into.fill(0);
    }
    is_there
}

/// Puts a message with those that were not taken: the vector's number in a word of four bytes. False if it is not so long.
pub fn note_message(messages: &mut Vec<u16>, bytes: &[u8]) -> bool {
    let vector = bytes.first_chunk().map(|word| u32::from_le_bytes(*word) as u16);
    messages.extend(vector);
    vector.is_some()
}

/// A host that runs fio's jobs.
#[derive(Debug, Default)]
pub struct HostSide {
    /// Memory and jobs.
    pub jobs: FioHost,
    /// Vectors whose messages have come and were not taken, the first one first.
    pub messages: Vec<u16>,
}

impl AddressSpace for HostSide {
    fn load(&mut self, address: u64, into: &mut [u8]) -> bool {
        reads_messages(address, into) || machine::Host::memory(&mut self.jobs).load(address, into)
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> bool {
        if address < MESSAGES {
            return machine::Host::memory(&mut self.jobs).store(address, bytes);
        }
        note_message(&mut self.messages, bytes)
    }
}

impl HostEnd for HostSide {
    fn messages(&mut self) -> &mut Vec<u16> {
        &mut self.messages
    }

    fn act(&mut self, now_ps: u64, wake: Wake, ring: impl FnMut(Ring)) -> u64 {
        self.jobs.act(now_ps, wake, ring)
    }

    fn noted(&mut self, _now_ps: u64, _note: &Note, done: Option<&Completed>) {
        if let Some(done) = done {
            machine::Host::posted(&mut self.jobs, done.queue, done.cid, &done.times);
        }
    }
}

impl Acting for HostSide {
    type Host = FioHost;

    fn host(&self) -> &FioHost {
        &self.jobs
    }

    fn host_mut(&mut self) -> &mut FioHost {
        &mut self.jobs
    }
}
