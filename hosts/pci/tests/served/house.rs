//! A server in a thread of its own.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use board::Board;
use host::Preconditioning;
use pci::{Device, Doorbells, Event, Function, NvmeFunction, Operator, Order, Pace, Server, Setup};
use report::RunResult;
use tempfile::TempDir;
use tiny_firmware::TinyFirmware;

use crate::client::Client;

/// How long anything may take. On a machine with much else to do it takes long, and only a test that
/// fails waits for it.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How a server serves.
pub struct Habits {
    /// The board.
    pub board: &'static str,
    pub pace: Pace,
    pub doorbells: Doorbells,
    /// How long it waits for a client that has begun something.
    pub patience: Duration,
}

impl Default for Habits {
    fn default() -> Self {
        Habits {
            board: "small",
            pace: Pace::Fast,
            doorbells: Doorbells::Messages,
            patience: PATIENCE,
        }
    }
}

/// A served drive; it ends when dropped.
pub struct House {
    directory: TempDir,
    /// Closing it stops the server.
    rope: Option<UnixStream>,
    thread: Option<JoinHandle<RunResult>>,
    /// What the server tells of its clients.
    pub events: Receiver<Event>,
}

/// Passes events on, and ends the server when the rope is let go.
pub struct Porter {
    bell: UnixStream,
    events: Sender<Event>,
}

impl Porter {
    /// One who tells nobody; he ends the server when the rope is let go.
    pub fn new() -> (Self, UnixStream) {
        let (rope, bell) = UnixStream::pair().unwrap();
        (Porter { bell, events: channel().0 }, rope)
    }
}

impl<F> Operator<NvmeFunction<F>> for Porter
where
    NvmeFunction<F>: Function,
{
    fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    fn attend(&mut self, _function: &mut NvmeFunction<F>) -> Order {
        Order::Stop
    }

    fn tell(&mut self, _function: &mut NvmeFunction<F>, event: Event) {
        // Tests that do not look at events have dropped the other end.
        let _ = self.events.send(event);
    }
}

impl House {
    /// Serves the board `small` at this pace.
    pub fn open(pace: Pace) -> Self {
        House::of(Habits { pace, ..Habits::default() })
    }

    /// Serves the board `small` at this pace, with doorbells rung in this way.
    pub fn open_with(pace: Pace, doorbells: Doorbells) -> Self {
        House::of(Habits { pace, doorbells, ..Habits::default() })
    }

    /// Serves a board with these habits.
    pub fn of(habits: Habits) -> Self {
        House::serving(habits, |setup, mut server, mut porter| {
            let function = NvmeFunction::new(setup, None, host::Control::default()).unwrap();
            let mut device = Device::new(function);
            server.serve(&mut device, &mut porter).unwrap();
            device.function.report()
        })
    }

    /// The same, with the firmware of `examples/tiny-firmware`.
    pub fn of_tiny(habits: Habits) -> Self {
        House::serving(habits, |setup, mut server, mut porter| {
            let function: NvmeFunction<TinyFirmware> = NvmeFunction::running(setup, None).unwrap();
            let mut device = Device::new(function);
            server.serve(&mut device, &mut porter).unwrap();
            device.function.report()
        })
    }

    fn serving(habits: Habits, serve: fn(&Setup<'_>, Server, Porter) -> RunResult) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("drive.sock");
        let (rope, bell) = UnixStream::pair().unwrap();
        let (sender, events) = channel();
        let Habits { board, pace, doorbells, patience } = habits;
        let server = Server::bind(&socket, patience).unwrap();
        let thread = std::thread::spawn(move || {
            let board = Board::resolve(board, &[]).unwrap();
            let precondition = Preconditioning::None;
            let (board, name) = (&board, "test");
            let setup = Setup { board, name, seed: 1, precondition, image: None, pace, doorbells };
            serve(&setup, server, Porter { bell, events: sender })
        });
        House { directory, rope: Some(rope), thread: Some(thread), events }
    }

    /// Path of the socket.
    pub fn socket(&self) -> PathBuf {
        self.directory.path().join("drive.sock")
    }

    /// A client that has agreed upon the version.
    pub fn client(&self) -> Client {
        let mut client = Client::connect(&self.socket());
        client.negotiate();
        client
    }

    /// The next event.
    pub fn event(&self) -> Event {
        self.events.recv_timeout(PATIENCE).expect("the server tells of it")
    }

    /// Ends the server, and gives the drive's report.
    pub fn close(mut self) -> RunResult {
        self.rope = None;
        self.thread.take().unwrap().join().expect("the server did not panic")
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.rope = None;
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server did not panic");
        }
    }
}
