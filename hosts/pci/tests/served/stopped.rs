//! A server whose process is stopped for longer than anybody is patient, as by a debugger or a frozen container.
//! When it goes on, wall time has passed that the drive has not: it catches up, and keeps its client.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use board::Board;
use host::Preconditioning;
use pci::{Device, Doorbells, NvmeFunction, Pace, Server, Setup};
use rustix::process::{kill_process, Pid, Signal};

use crate::client::Client;
use crate::driver::{Driver, Holder};
use crate::house::{Porter, PATIENCE};

/// How long the server waits for a client, and how long it is stopped.
const SERVER_PATIENCE: Duration = Duration::from_millis(500);
const STOPPED: Duration = Duration::from_secs(2);
/// The drive has caught up with the wall clock by then.
const CAUGHT_UP: Duration = Duration::from_secs(1);
const SOCKET: &str = "FIRMAMENT_TEST_STOPPED_SOCKET";

/// Not a test, but the other process of the one below.
#[test]
#[ignore = "is run by a_server_that_was_stopped_goes_on"]
fn serves_until_it_is_killed() {
    let Some(socket) = env::var_os(SOCKET) else { return };
    let board = Board::resolve("small", &[]).unwrap();
    let (pace, doorbells) = (Pace::Real, Doorbells::Memory);
    let (seed, precondition, name) = (1, Preconditioning::None, "stopped");
    let setup = Setup { board: &board, name, seed, precondition, image: None, pace, doorbells };
    let function = NvmeFunction::new(&setup, None, host::Control::default()).unwrap();
    let mut server = Server::bind(Path::new(&socket), SERVER_PATIENCE).unwrap();
    let (mut porter, _rope) = Porter::new();
    server.serve(&mut Device::new(function), &mut porter).unwrap();
}

/// The other process; it is killed when dropped.
struct Other(Child);

impl Other {
    fn start(socket: &Path) -> Self {
        let name = "stopped::serves_until_it_is_killed";
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", name, "--ignored"]).env(SOCKET, OsStr::new(socket));
        let other = Other(command.stdout(Stdio::null()).spawn().unwrap());
        let end = Instant::now() + PATIENCE;
        while !socket.exists() {
            assert!(Instant::now() < end, "the other process does not serve");
            std::thread::sleep(Duration::from_millis(10));
        }
        other
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    /// Stops it for a while, in which the client acts.
    fn stop(&self, act: impl FnOnce()) {
        self.signal(Signal::STOP);
        std::thread::sleep(STOPPED / 2);
        act();
        std::thread::sleep(STOPPED / 2);
        self.signal(Signal::CONT);
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_that_was_stopped_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("drive.sock");
    let other = Other::start(&socket);
    for (holder, buffered) in
        [(Holder::Sealed, false), (Holder::Sealed, true), (Holder::Client, false)]
    {
        let mut client = Client::connect(&socket);
        client.negotiate();
        let mut driver = Driver::start(client, holder);
        if buffered {
            driver.buffer_doorbells();
        }
        let page = vec![0x3c; 4096];
        assert!(driver.write(3, &page).is_success());
        // While a command is under way.
        driver.send_read(3);
        other.stop(|| ());
        assert!(driver.finish_io().is_success(), "{holder:?}: it was under way");
        // A command that is sent meanwhile.
        other.stop(|| driver.send_read(3));
        let resumed = Instant::now();
        assert!(driver.finish_io().is_success(), "{holder:?}: it was sent meanwhile");
        // At rest.
        other.stop(|| ());
        assert!(driver.write(4, &page).is_success(), "{holder:?}: at rest");
        assert_eq!(driver.read(4), page);
        assert!(resumed.elapsed() < STOPPED + CAUGHT_UP, "{holder:?}: it lags behind");
    }
}
