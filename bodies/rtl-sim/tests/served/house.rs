//! A server in a thread of its own, whose drive is hardware.

use board::Board;
use pci::{Device, Event, Operator, Order, Server};
use report::RunResult;
use rtl_sim::drive::{Processor, RtlFunction};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

use crate::served::client::Client;

/// How long anything may take. Only a test that fails waits for it.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// Chips that a test has time for.
const SHORT: [(&str, &str); 3] =
    [("flash.t_read_slc_us", "20"), ("flash.t_program_slc_us", "60"), ("flash.t_erase_us", "150")];

/// A served drive; it ends when dropped.
pub struct House {
    directory: TempDir,
    /// Closing it stops the server.
    rope: Option<UnixStream>,
    thread: Option<JoinHandle<RunResult>>,
}

/// Ends the server when the rope is let go.
struct Porter(UnixStream);

impl Operator<RtlFunction> for Porter {
    fn bell(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn attend(&mut self, _function: &mut RtlFunction) -> Order {
        Order::Stop
    }

    fn tell(&mut self, _function: &mut RtlFunction, _event: Event) {}
}

impl House {
    /// Serves the board `small` in hardware, whose firmware runs there.
    pub fn open(processor: Processor) -> Self {
        let directory = tempfile::tempdir().expect("a folder");
        let socket = directory.path().join("drive.sock");
        let (rope, bell) = UnixStream::pair().expect("a pair of sockets");
        let mut server = Server::bind(&socket, PATIENCE).expect("a socket");
        let thread = std::thread::spawn(move || {
            let set = SHORT.map(|(key, value)| (key.to_owned(), value.to_owned()));
            let none = ["read", "program", "erase"]
                .map(|what| (format!("flash.{what}_deviation_us"), "1".to_owned()));
            let board = Board::resolve("small", &[&set[..], &none].concat()).expect("the board");
            let function =
                RtlFunction::new(&board, processor, (1, "test")).expect("there is such hardware");
            let mut device = Device::new(function);
            server.serve(&mut device, &mut Porter(bell)).expect("it serves");
            device.function.report()
        });
        House { directory, rope: Some(rope), thread: Some(thread) }
    }

    /// A client that has agreed upon the version.
    pub fn client(&self) -> Client {
        let mut client = Client::connect(&self.directory.path().join("drive.sock"));
        client.negotiate();
        client
    }

    /// Ends the server, and gives the drive's report.
    pub fn close(mut self) -> RunResult {
        self.rope = None;
        self.thread.take().expect("it runs").join().expect("the server did not panic")
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
