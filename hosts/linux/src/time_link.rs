//! The link by which Linux in user mode shares the drive's clock.
//!
//! Linux calls the other end a calendar: who wants to run tells when, and the calendar lets one run at a time
//! (Linux 6.12, `include/uapi/linux/um_timetravel.h`). Here the calendar is the drive's own event loop. Times on the
//! link are nanoseconds since the start.

use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use pci::{Access, Mapping};
use rustix::fs::{ftruncate, memfd_create, MemfdFlags};
use rustix::net::{sendmsg, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};

/// What a message says.
mod operation {
    pub const ACK: u32 = 0;
    pub const START: u32 = 1;
    pub const REQUEST: u32 = 2;
    pub const WAIT: u32 = 3;
    pub const GET: u32 = 4;
    pub const UPDATE: u32 = 5;
    pub const RUN: u32 = 6;
    pub const GET_TIME_OF_DAY: u32 = 8;
    pub const BROADCAST: u32 = 9;
}

/// Bytes of a message: operation, sequence number, time.
const MESSAGE_BYTES: usize = 16;
/// The guest's number among those who share the clock; 0 is the drive.
const GUEST: u16 = 1;
/// Who may share the clock at most.
const MOST_CLIENTS: u16 = 2;

/// Offsets in the memory that both sides share (version 2 of `struct um_timetravel_schedshm`).
mod shared {
    pub const VERSION: usize = 0;
    pub const LENGTH: usize = 4;
    pub const FREE_UNTIL: usize = 8;
    pub const NOW: usize = 16;
    pub const RUNNING: usize = 24;
    pub const MOST_CLIENTS: usize = 26;
    pub const CLIENTS: usize = 4096;
    pub const CLIENT_BYTES: usize = 128;
    pub const CAPABILITIES: usize = 0;
    pub const FLAGS: usize = 4;
    pub const REQUESTED: usize = 8;
    pub const BYTES: usize = 8192;
    /// The client reads the time, and writes what it asks for, in this memory.
    pub const SHARES_TIME: u32 = 1;
    /// The client asks to run.
    pub const ASKS: u32 = 1;
}

/// How the guest tells when it wants to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduling {
    /// In memory that both sides have, with a message where one of them has to wait.
    #[default]
    Shared,
    /// By a message each time.
    Messages,
}

/// A guest's time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// How it tells when it wants to run.
    pub scheduling: Scheduling,
    /// Its time of day when it boots, in nanoseconds since 1970.
    pub booted_ns: u64,
    /// Wall time for which it may run without a word.
    pub patience: Duration,
}

/// The drive's end of the link.
#[derive(Debug)]
pub struct TimeLink {
    socket: UnixStream,
    memory: Option<Mapping>,
    clock: Clock,
    /// When the guest asked to run, where it asks by messages.
    asked_ns: u64,
    is_waiting: bool,
    now_ns: u64,
    sequence: u32,
}

impl TimeLink {
    /// The end of a link whose guest has just connected.
    pub fn new(socket: UnixStream, clock: Clock) -> Self {
        TimeLink {
            socket,
            memory: None,
            clock,
            asked_ns: u64::MAX,
            is_waiting: false,
            now_ns: 0,
            sequence: 0,
        }
    }

    /// The guest's time: it may be later than when it was let run.
    pub fn now_ns(&self) -> u64 {
        self.memory.as_ref().map_or(self.now_ns, |memory| word(memory, shared::NOW))
    }

    /// When a guest that waits wants to run: `u64::MAX` for not before an interrupt. None while it runs.
    pub fn wanted_ns(&self) -> Option<u64> {
        if !self.is_waiting {
            return None;
        }
        let Some(memory) = &self.memory else { return Some(self.asked_ns) };
        let client = shared::CLIENTS + usize::from(GUEST) * shared::CLIENT_BYTES;
        let asks = half(memory, client + shared::FLAGS) & shared::ASKS != 0;
        Some(if asks { word(memory, client + shared::REQUESTED) } else { u64::MAX })
    }

    /// The drive's time goes on to `now_ns` while the guest waits.
    pub fn advance(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        if let Some(memory) = &self.memory {
            memory.write(shared::NOW, &now_ns.to_le_bytes());
            memory.write(shared::RUNNING, &0u16.to_le_bytes());
        }
    }

    /// Lets the guest run from `now_ns` on. It goes on by itself to times before `free_until_ns`, where it shares memory, and has to ask
    /// for any later time.
    ///
    /// # Errors
    /// When the guest is gone.
    pub fn let_run(&mut self, now_ns: u64, free_until_ns: u64) -> io::Result<()> {
        self.now_ns = now_ns;
        self.is_waiting = false;
        self.asked_ns = u64::MAX;
        if let Some(memory) = &self.memory {
            memory.write(shared::NOW, &now_ns.to_le_bytes());
            memory.write(shared::FREE_UNTIL, &free_until_ns.to_le_bytes());
            memory.write(shared::RUNNING, &GUEST.to_le_bytes());
        }
        self.sequence += 1;
        self.send(operation::RUN, self.sequence, now_ns)?;
        // With shared memory nobody acknowledges this message.
        while self.memory.is_none() && self.attend()? != operation::ACK {}
        Ok(())
    }

    /// The guest, which runs, has to ask for any later time than `now_ns` from now on.
    pub fn hold(&mut self, now_ns: u64) {
        if let Some(memory) = &self.memory {
            memory.write(shared::FREE_UNTIL, &now_ns.to_le_bytes());
        }
    }

    /// Takes the next message of the guest and answers it.
    ///
    /// # Errors
    /// When the guest is gone or says what is no message.
    pub fn take(&mut self) -> io::Result<()> {
        self.attend().map(drop)
    }

    fn attend(&mut self) -> io::Result<u32> {
        let mut message = [0; MESSAGE_BYTES];
        self.socket.read_exact(&mut message)?;
        let [operation, sequence] = [0, 4].map(|at| u32::from_le_bytes(array(&message, at)));
        let time_ns = u64::from_le_bytes(array(&message, 8));
        let answer = match operation {
            operation::ACK => return Ok(operation),
            operation::START if self.clock.scheduling == Scheduling::Shared => {
                self.share(sequence, time_ns)?;
                return Ok(operation);
            }
            operation::WAIT => {
                self.is_waiting = true;
                if self.memory.is_some() {
                    return Ok(operation);
                }
                time_ns
            }
            operation::REQUEST => {
                self.asked_ns = time_ns;
                time_ns
            }
            operation::UPDATE if time_ns < self.now_ns => return Err(backwards(time_ns)),
            operation::UPDATE => {
                self.now_ns = time_ns;
                time_ns
            }
            operation::GET => self.now_ns,
            operation::GET_TIME_OF_DAY => self.clock.booted_ns,
            operation::START | operation::BROADCAST => time_ns,
            other => return Err(unknown(other)),
        };
        self.send(operation::ACK, sequence, answer)?;
        Ok(operation)
    }

    /// Answers the first message with the memory that both sides share from then on.
    fn share(&mut self, sequence: u32, name: u64) -> io::Result<()> {
        let files =
            ["firmament-time", "firmament-log"].map(|name| memfd_create(name, MemfdFlags::CLOEXEC));
        let [file, log] = [files[0].as_ref(), files[1].as_ref()];
        let (file, log) = (file.map_err(|&error| error)?, log.map_err(|&error| error)?);
        ftruncate(file, shared::BYTES as u64)?;
        let memory = Mapping::new(file.as_fd(), (0, shared::BYTES), Access::Both)?;
        memory.write(shared::VERSION, &2u32.to_le_bytes());
        memory.write(shared::LENGTH, &(shared::BYTES as u32).to_le_bytes());
        memory.write(shared::FREE_UNTIL, &self.now_ns.to_le_bytes());
        memory.write(shared::NOW, &self.now_ns.to_le_bytes());
        memory.write(shared::RUNNING, &GUEST.to_le_bytes());
        memory.write(shared::MOST_CLIENTS, &MOST_CLIENTS.to_le_bytes());
        memory.write(shared::CLIENTS + shared::CAPABILITIES, &shared::SHARES_TIME.to_le_bytes());
        let client = shared::CLIENTS + usize::from(GUEST) * shared::CLIENT_BYTES;
        memory.write(client + 16, &name.to_le_bytes());
        self.memory = Some(memory);
        let descriptors = [file.as_fd(), log.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        let message = message(operation::ACK, sequence, GUEST.into());
        sendmsg(&self.socket, &[IoSlice::new(&message)], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    fn send(&mut self, operation: u32, sequence: u32, time_ns: u64) -> io::Result<()> {
        self.socket.write_all(&message(operation, sequence, time_ns))
    }
}

impl AsFd for TimeLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn message(operation: u32, sequence: u32, time_ns: u64) -> [u8; MESSAGE_BYTES] {
    let mut bytes = [0; MESSAGE_BYTES];
    bytes[..4].copy_from_slice(&operation.to_le_bytes());
    bytes[4..8].copy_from_slice(&sequence.to_le_bytes());
    bytes[8..].copy_from_slice(&time_ns.to_le_bytes());
    bytes
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}

fn word(memory: &Mapping, at: usize) -> u64 {
    let mut bytes = [0; 8];
    memory.read(at, &mut bytes);
    u64::from_le_bytes(bytes)
}

fn half(memory: &Mapping, at: usize) -> u32 {
    let mut bytes = [0; 4];
    memory.read(at, &mut bytes);
    u32::from_le_bytes(bytes)
}

fn backwards(time_ns: u64) -> io::Error {
    io::Error::other(format!("the guest's time goes back to {time_ns} ns"))
}

fn unknown(operation: u32) -> io::Error {
    io::Error::other(format!("time link: found operation {operation}, expected one of Linux 6.12"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOTED_NS: u64 = 1_700_000_000_000_000_000;

    /// The guest's end: sends a message and reads what comes back.
    struct Far(UnixStream);

    impl Far {
        fn says(&mut self, operation: u32, time_ns: u64) {
            self.0.write_all(&message(operation, 7, time_ns)).unwrap();
        }

        fn hears(&mut self) -> (u32, u32, u64) {
            let mut bytes = [0; MESSAGE_BYTES];
            self.0.read_exact(&mut bytes).unwrap();
            let [operation, sequence] = [0, 4].map(|at| u32::from_le_bytes(array(&bytes, at)));
            (operation, sequence, u64::from_le_bytes(array(&bytes, 8)))
        }
    }

    fn link(scheduling: Scheduling) -> (TimeLink, Far) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let clock = Clock { scheduling, booted_ns: BOOTED_NS, patience: Duration::MAX };
        (TimeLink::new(ours, clock), Far(theirs))
    }

    #[test]
    fn by_messages_a_guest_asks_waits_and_is_let_run() {
        let (mut link, mut far) = link(Scheduling::Messages);
        for (operation, time_ns, answer) in [
            (operation::START, 1, 1),
            (operation::GET_TIME_OF_DAY, 0, BOOTED_NS),
            (operation::UPDATE, 300, 300),
            (operation::GET, 0, 300),
            (operation::REQUEST, 5000, 5000),
            (operation::WAIT, 0, 0),
        ] {
            assert_eq!(link.wanted_ns(), None, "the guest runs");
            far.says(operation, time_ns);
            link.take().unwrap();
            assert_eq!(far.hears(), (operation::ACK, 7, answer), "{operation}");
        }
        assert_eq!(link.wanted_ns(), Some(5000));
        link.advance(4000);
        // The guest acknowledges that it was told to run.
        far.says(operation::ACK, 0);
        link.let_run(4000, 5000).unwrap();
        assert_eq!(far.hears().0, operation::RUN);
        assert_eq!((link.wanted_ns(), link.now_ns()), (None, 4000));
    }

    #[test]
    fn a_guest_without_a_request_waits_for_an_interrupt() {
        let (mut link, mut far) = link(Scheduling::Messages);
        far.says(operation::WAIT, 0);
        link.take().unwrap();
        assert_eq!(link.wanted_ns(), Some(u64::MAX));
    }

    #[test]
    fn in_shared_memory_a_guest_asks_without_a_message() {
        let (mut link, mut far) = link(Scheduling::Shared);
        far.says(operation::START, 1);
        link.take().unwrap();
        assert_eq!(far.hears(), (operation::ACK, 7, u64::from(GUEST)));
        let memory = link.memory.as_ref().unwrap();
        assert_eq!((half(memory, shared::VERSION), half(memory, shared::LENGTH)), (2, 8192));
        let client = shared::CLIENTS + shared::CLIENT_BYTES;
        memory.write(client + shared::FLAGS, &shared::ASKS.to_le_bytes());
        memory.write(client + shared::REQUESTED, &9000u64.to_le_bytes());
        far.says(operation::WAIT, 0);
        link.take().unwrap();
        assert_eq!(link.wanted_ns(), Some(9000));
        link.advance(8000);
        let memory = link.memory.as_ref().unwrap();
        assert_eq!((word(memory, shared::NOW), half(memory, shared::RUNNING) as u16), (8000, 0));
        link.let_run(9000, 9600).unwrap();
        assert_eq!(far.hears(), (operation::RUN, 1, 9000));
        let memory = link.memory.as_ref().unwrap();
        assert_eq!(
            (word(memory, shared::FREE_UNTIL), half(memory, shared::RUNNING) as u16),
            (9600, GUEST)
        );
        // It has gone on by itself, and acts on the drive.
        memory.write(shared::NOW, &9512u64.to_le_bytes());
        assert_eq!(link.now_ns(), 9512);
        link.hold(9512);
        assert_eq!(word(link.memory.as_ref().unwrap(), shared::FREE_UNTIL), 9512);
    }

    #[test]
    fn what_is_no_message_or_goes_back_in_time_is_refused() {
        for (operation, time_ns) in [(operation::UPDATE, 10), (17, 0), (operation::RUN, 0)] {
            let (mut link, mut far) = link(Scheduling::Messages);
            link.advance(1000);
            far.says(operation, time_ns);
            assert!(link.take().is_err(), "{operation}");
        }
        let (mut link, far) = link(Scheduling::Shared);
        drop(far);
        assert_eq!(link.take().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
