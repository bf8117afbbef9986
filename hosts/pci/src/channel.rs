//! The socket to one client: whole messages in, whole messages out, and commands of our own that
//! the client answers.

use std::collections::VecDeque;
use std::fmt;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{
    recvmsg, sendmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendFlags,
};

use crate::wire::{Header, Kind, HEADER_BYTES};

/// Most file descriptors of one message: what Linux passes in one call.
const MOST_FDS: usize = 253;
/// Most bytes of messages that wait while the client owes an answer.
const MOST_WAITING: usize = 64 << 20;

/// A message.
#[derive(Debug)]
pub struct Message {
    /// Its header.
    pub header: Header,
    /// What follows.
    pub payload: Vec<u8>,
    /// File descriptors that came with it.
    pub fds: Vec<OwnedFd>,
}

/// Why nothing more can be said to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It closed its end.
    Closed,
    /// A header that can be nobody's.
    BadHeader,
    /// An answer to nothing that was asked, or to something else.
    BadReply,
    /// Too many file descriptors, or too many messages at once.
    Flood,
    /// It did not finish a message, take one or answer in time.
    Silent,
    /// The operating system's reason.
    System(Errno),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Closed => f.write_str("it closed the connection"),
            Lost::BadHeader => f.write_str("it sent a header that is none"),
            Lost::BadReply => f.write_str("it sent an answer that nobody asked for"),
            Lost::Flood => f.write_str("it sent more than there is room for"),
            Lost::Silent => f.write_str("it fell silent in the middle of an exchange"),
            Lost::System(error) => write!(f, "{error}"),
        }
    }
}

/// A message that has not come in full.
#[derive(Debug, Default)]
struct Partial {
    bytes: Vec<u8>,
    fds: Vec<OwnedFd>,
    header: Option<Header>,
    since: Option<Instant>,
}

/// The socket to a client.
#[derive(Debug)]
pub struct Channel {
    socket: UnixStream,
    partial: Partial,
    /// Commands that came while an answer was awaited.
    waiting: VecDeque<Message>,
    waiting_bytes: usize,
    patience: Duration,
    /// How long answers were awaited in this turn. Were it each answer that had its patience, a client that takes a byte in a message
    /// could hold the drive up for days.
    awaited: Duration,
    next_id: u16,
}

impl Channel {
    /// A channel over a connected socket. A client that starts something has `patience` to finish.
    ///
    /// # Errors
    /// When the socket cannot be made non-blocking.
    pub fn new(socket: UnixStream, patience: Duration) -> std::io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Channel {
            socket,
            partial: Partial::default(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            patience,
            awaited: Duration::ZERO,
            next_id: 0,
        })
    }

    /// A turn of client and function begins. The client has its patience anew.
    pub fn begin_turn(&mut self) {
        self.awaited = Duration::ZERO;
    }

    /// The socket, to be polled.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Whether a message waits that polling the socket does not tell of.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// When the client has to have finished the message that it has begun.
    pub fn deadline(&self) -> Option<Instant> {
        self.partial.since.map(|since| since + self.patience)
    }

    /// The next command, if one has come in full.
    ///
    /// # Errors
    /// When the client is lost.
    pub fn receive(&mut self) -> Result<Option<Message>, Lost> {
        if let Some(message) = self.waiting.pop_front() {
            self.waiting_bytes -= message.payload.len() + HEADER_BYTES;
            return Ok(Some(message));
        }
        match self.take()? {
            Some(message) if is_reply(&message) => Err(Lost::BadReply),
            other => Ok(other),
        }
    }

    /// Answers a command, unless it wants no answer.
    ///
    /// # Errors
    /// When the client is lost.
    pub fn reply(&mut self, to: &Header, answer: Result<&[u8], Errno>) -> Result<(), Lost> {
        if to.kind == Kind::Posted {
            return Ok(());
        }
        let (kind, payload, error) = match answer {
            Ok(payload) => (Kind::Reply, payload, 0),
            Err(errno) => (Kind::Failure, &[][..], errno.raw_os_error() as u32),
        };
        let size = (HEADER_BYTES + payload.len()) as u32;
        let header = Header { id: to.id, command: to.command, size, kind, error };
        self.send(&header, &[payload])
    }

    /// Sends a command and waits for its answer. Commands that come before it are kept for
    /// [`Channel::receive`]. `None` when the client says that the command failed. All answers of a turn together have the
    /// patience of the channel.
    ///
    /// # Errors
    /// When the client is lost.
    pub fn ask(&mut self, command: u16, parts: &[&[u8]]) -> Result<Option<Vec<u8>>, Lost> {
        let began = Instant::now();
        let answer = self.answer_to(command, parts, began + self.patience - self.awaited);
        self.awaited = (self.awaited + began.elapsed()).min(self.patience);
        answer
    }

    fn answer_to(
        &mut self,
        command: u16,
        parts: &[&[u8]],
        deadline: Instant,
    ) -> Result<Option<Vec<u8>>, Lost> {
        let id = self.next_id;
        self.next_id = id.wrapping_add(1);
        let size = HEADER_BYTES + parts.iter().map(|part| part.len()).sum::<usize>();
        let header = Header { id, command, size: size as u32, kind: Kind::Command, error: 0 };
        self.send(&header, parts)?;
        loop {
            // Who is late is looked at once more: this side may have been the slow one.
            let late = Instant::now() >= deadline;
            let Some(message) = self.take()? else {
                if late {
                    return Err(Lost::Silent);
                }
                self.wait(PollFlags::IN, deadline)?;
                continue;
            };
            if !is_reply(&message) {
                self.waiting_bytes += message.payload.len() + HEADER_BYTES;
                if self.waiting_bytes > MOST_WAITING {
                    return Err(Lost::Flood);
                }
                self.waiting.push_back(message);
                continue;
            }
            if (message.header.id, message.header.command) != (id, command) {
                return Err(Lost::BadReply);
            }
            return Ok((message.header.kind == Kind::Reply).then_some(message.payload));
        }
    }

    fn send(&mut self, header: &Header, parts: &[&[u8]]) -> Result<(), Lost> {
        let mut bytes = header.emit().to_vec();
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        let deadline = Instant::now() + self.patience;
        let mut left = &bytes[..];
        while !left.is_empty() {
            let late = Instant::now() >= deadline;
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            let no_fds = &mut SendAncillaryBuffer::default();
            match sendmsg(&self.socket, &[IoSlice::new(left)], no_fds, flags) {
                Ok(sent) => left = &left[sent..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if late => return Err(Lost::Silent),
                Err(Errno::AGAIN) => self.wait(PollFlags::OUT, deadline)?,
                Err(Errno::PIPE | Errno::CONNRESET) => return Err(Lost::Closed),
                Err(error) => return Err(Lost::System(error)),
            }
        }
        Ok(())
    }

    /// Waits until the socket is ready or the deadline has passed.
    fn wait(&self, ready: PollFlags, deadline: Instant) -> Result<(), Lost> {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout =
            Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&self.socket, ready)], Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(Lost::System(error)),
        }
    }

    /// The next message from the socket, if it has come in full. No byte of the message behind it is
    /// read, so that file descriptors stay with the message that they came with.
    fn take(&mut self) -> Result<Option<Message>, Lost> {
        loop {
            let wanted = match self.partial.header {
                None => HEADER_BYTES,
                Some(header) => header.payload_bytes(),
            };
            if self.partial.bytes.len() < wanted && !self.fill(wanted)? {
                let late = self.partial.since.is_some_and(|since| since.elapsed() > self.patience);
                return if late { Err(Lost::Silent) } else { Ok(None) };
            }
            match self.partial.header {
                None => {
                    let bytes = self.partial.bytes.first_chunk().expect("a header was wanted");
                    let header = Header::parse(bytes).map_err(|_| Lost::BadHeader)?;
                    self.partial.header = Some(header);
                    self.partial.bytes.clear();
                }
                Some(header) => {
                    let Partial { bytes: payload, fds, .. } = std::mem::take(&mut self.partial);
                    return Ok(Some(Message { header, payload, fds }));
                }
            }
        }
    }

    /// Reads until `wanted` bytes are there. False when the rest has not come yet.
    fn fill(&mut self, wanted: usize) -> Result<bool, Lost> {
        while self.partial.bytes.len() < wanted {
            let have = self.partial.bytes.len();
            self.partial.bytes.resize(wanted, 0);
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let into = &mut [IoSliceMut::new(&mut self.partial.bytes[have..])];
            let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
            let received = recvmsg(&self.socket, into, &mut control, flags);
            let came = received.as_ref().map_or(0, |received| received.bytes);
            self.partial.bytes.truncate(have + came);
            match received {
                Ok(received) if received.bytes == 0 => return Err(Lost::Closed),
                Ok(received) => {
                    self.partial.since.get_or_insert_with(Instant::now);
                    for message in control.drain() {
                        if let RecvAncillaryMessage::ScmRights(fds) = message {
                            self.partial.fds.extend(fds);
                        }
                    }
                    let cut = received.flags.contains(ReturnFlags::CTRUNC);
                    if cut || self.partial.fds.len() > MOST_FDS {
                        return Err(Lost::Flood);
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::CONNRESET) => return Err(Lost::Closed),
                Err(error) => return Err(Lost::System(error)),
            }
        }
        Ok(true)
    }
}

fn is_reply(message: &Message) -> bool {
    matches!(message.header.kind, Kind::Reply | Kind::Failure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::thread;

    const PATIENCE: Duration = Duration::from_millis(600);

    /// A client that answers each command without a word, and late.
    fn late_client(late: Duration) -> Channel {
        let (server, mut client) = UnixStream::pair().expect("sockets");
        thread::spawn(move || {
            let mut bytes = [0; HEADER_BYTES];
            while client.read_exact(&mut bytes).is_ok() {
                thread::sleep(late);
                let asked = Header::parse(&bytes).expect("a header");
                let answer = Header { kind: Kind::Reply, size: HEADER_BYTES as u32, ..asked };
                if client.write_all(&answer.emit()).is_err() {
                    return;
                }
            }
        });
        Channel::new(server, PATIENCE).expect("a channel")
    }

    #[test]
    fn all_answers_of_a_turn_together_have_the_patience() {
        let late = PATIENCE / 4;
        let mut channel = late_client(late);
        let answers = (0..8).take_while(|_| channel.ask(9, &[]) == Ok(Some(Vec::new()))).count();
        assert!((1..=3).contains(&answers), "{answers} answers, of which four take the patience");
        let mut channel = late_client(late);
        for _ in 0..8 {
            channel.begin_turn();
            assert_eq!(channel.ask(9, &[]), Ok(Some(Vec::new())));
        }
    }
}
