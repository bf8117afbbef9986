//! The listening socket and the loop that lets client and function take turns.

use std::fmt;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::channel::{Channel, Lost};
use crate::device::Device;
use crate::function::{Function, Pause};
use crate::session::Session;

/// How long a client may take to begin a conversation, to finish a message or to answer, unless the
/// server is told otherwise. QEMU waits as long for an answer of ours.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Why a server cannot listen or go on. `Display` is one line.
#[derive(Debug)]
pub enum ServeError {
    /// Something else has the path.
    Taken {
        /// The path.
        path: PathBuf,
        /// What was found.
        found: &'static str,
    },
    /// The operating system refuses the path.
    Path {
        /// The path.
        path: PathBuf,
        /// Its reason.
        error: io::Error,
    },
    /// Waiting for clients failed.
    Poll(Errno),
    /// The function cannot go on, for this reason.
    Function(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Taken { path, found } => {
                write!(f, "{}: found {found}, expected a free path for a socket", path.display())
            }
            ServeError::Path { path, error } => {
                let path = path.display();
                write!(f, "{path}: found {error}, expected a path at which a socket can be made")
            }
            ServeError::Function(reason) => f.write_str(reason),
            ServeError::Poll(error) => {
                write!(f, "poll: found {error}, expected to wait for clients")
            }
        }
    }
}

impl std::error::Error for ServeError {}

/// What a server tells of its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A client has come.
    Connected,
    /// A second client came and was sent away.
    Refused,
    /// The client is gone.
    Gone(Lost),
}

/// Whether the server goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It does.
    GoOn,
    /// It ends.
    Stop,
}

/// Who is told of events and gives orders.
pub trait Operator<F> {
    /// A file that becomes readable when the operator has to be asked.
    fn bell(&self) -> BorrowedFd<'_>;

    /// The bell has rung.
    fn attend(&mut self, function: &mut F) -> Order;

    /// Something happened.
    fn tell(&mut self, function: &mut F, event: Event);
}

/// A listening socket. Its file is removed when the server is dropped.
#[derive(Debug)]
pub struct Server {
    listener: UnixListener,
    path: PathBuf,
    patience: Duration,
}

/// What polling found.
struct Ready {
    listener: bool,
    bell: bool,
}

impl Server {
    /// Listens at a path, in place of a socket that a server left behind.
    ///
    /// # Errors
    /// When something else is there, or the system refuses.
    pub fn bind(path: &Path, patience: Duration) -> Result<Self, ServeError> {
        let refused = |error| ServeError::Path { path: path.to_owned(), error };
        let taken = |found| ServeError::Taken { path: path.to_owned(), found };
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(refused(error)),
            Ok(found) if !found.file_type().is_socket() => {
                return Err(taken("something that is no socket"));
            }
            Ok(_) => match UnixStream::connect(path) {
                Ok(_) => return Err(taken("a server that listens")),
                Err(_) => fs::remove_file(path).map_err(refused)?,
            },
        }
        let listener = UnixListener::bind(path).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        Ok(Server { listener, path: path.to_owned(), patience })
    }

    /// Serves one client after the other until the operator ends it.
    ///
    /// # Errors
    /// When waiting for clients fails.
    pub fn serve<F: Function>(
        &mut self,
        device: &mut Device<F>,
        operator: &mut impl Operator<F>,
    ) -> Result<(), ServeError> {
        let mut session: Option<Session> = None;
        let mut knocked = false;
        loop {
            let (mut pause, mut has_more) = (Pause::UntilMessage, false);
            if let Some(open) = &mut session {
                let turn = take_turn(open, device);
                if let Some(reason) = device.function.fault() {
                    return Err(ServeError::Function(reason));
                }
                match turn {
                    Ok(turn) => (pause, has_more) = (turn.pause, turn.has_more),
                    Err(lost) => {
                        session = None;
                        device.detach();
                        operator.tell(&mut device.function, Event::Gone(lost));
                    }
                }
            }
            // Only when nothing is left of what the client before has said is it known to be still there.
            if knocked && !has_more {
                knocked = false;
                if let Some(event) = self.accept(&mut session) {
                    operator.tell(&mut device.function, event);
                    continue;
                }
            }
            let ready = self.wait((&session, pause), operator.bell())?;
            if ready.bell && operator.attend(&mut device.function) == Order::Stop {
                device.detach();
                return Ok(());
            }
            knocked |= ready.listener;
        }
    }

    /// Takes a client, or sends it away if there is one.
    fn accept(&self, session: &mut Option<Session>) -> Option<Event> {
        let (socket, _) = self.listener.accept().ok()?;
        if session.is_some() {
            return Some(Event::Refused);
        }
        let channel = Channel::new(socket, self.patience).ok()?;
        *session = Some(Session::new(channel, self.patience));
        Some(Event::Connected)
    }

    /// Waits for a message, a client, the operator, or the end of the pause.
    fn wait(
        &self,
        (session, pause): (&Option<Session>, Pause),
        bell: BorrowedFd<'_>,
    ) -> Result<Ready, ServeError> {
        let deadline = session.as_ref().and_then(Session::deadline);
        let until = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let pause = match pause {
            Pause::None => Some(Duration::ZERO),
            Pause::For(pause) => Some(pause),
            Pause::UntilMessage => None,
        };
        let timeout = [until, pause].into_iter().flatten().min().map(|timeout| Timespec {
            tv_sec: timeout.as_secs() as i64,
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let listener = PollFd::from_borrowed_fd(self.listener.as_fd(), PollFlags::IN);
        let bell = PollFd::from_borrowed_fd(bell, PollFlags::IN);
        let (polled, found) = match session {
            None => {
                let mut fds = [listener, bell];
                let polled = poll(&mut fds, timeout.as_ref());
                (polled, fds.map(|fd| fd.revents()))
            }
            Some(session) => session.with_socket(|socket| {
                let socket = PollFd::from_borrowed_fd(socket, PollFlags::IN);
                let mut fds = [listener, bell, socket];
                let polled = poll(&mut fds, timeout.as_ref());
                let [listener, bell, _] = fds.map(|fd| fd.revents());
                (polled, [listener, bell])
            }),
        };
        let none = PollFlags::empty();
        let found = match polled {
            Ok(_) => found,
            Err(Errno::INTR) => [none; 2],
            Err(error) => return Err(ServeError::Poll(error)),
        };
        Ok(Ready { listener: found[0] != none, bell: found[1] != none })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Somebody may have removed it before.
        let _ = fs::remove_file(&self.path);
    }
}

/// How a turn of client and function ended.
struct Turn {
    /// When the next is due.
    pause: Pause,
    /// Messages are left that have come already.
    has_more: bool,
}

/// Takes messages and lets the function run.
fn take_turn<F: Function>(session: &mut Session, device: &mut Device<F>) -> Result<Turn, Lost> {
    session.begin_turn();
    let more = session.take(device)?;
    let pause = device.function.run();
    if let Some(lost) = device.function.bus().memory.lost() {
        return Err(lost);
    }
    let has_more = more || session.has_waiting();
    Ok(Turn { pause: if has_more { Pause::None } else { pause }, has_more })
}
