//! `serve`: the drive for a virtual machine, behind a vfio-user socket, until a signal ends it.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use board::Board;
use host::Preconditioning;
use machine::Watched;
use pci::{
    Device, Doorbells, Event, Function, NvmeFunction, Operator, Order, Pace, ServeError, Server,
    Setup,
};
use report::RunResult;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use sim::Software;

/// Serves a new drive of a board that [`crate::check`] lets pass. Returns what the guest has done to it.
///
/// # Errors
/// A line, when the socket cannot be made, or the system refuses.
pub fn serve<F: Software<Watched<'static>>>(
    board: &Board,
    socket: &str,
    program: &str,
) -> Result<RunResult, String> {
    let setup = Setup {
        board,
        name: socket,
        seed: 1,
        precondition: Preconditioning::None,
        image: None,
        pace: Pace::Fast,
        doorbells: Doorbells::Memory,
    };
    let line = |error: ServeError| error.to_string();
    let mut signals = Signals::new(program).map_err(|error| format!("signals: {error}"))?;
    let mut server = Server::bind(Path::new(socket), pci::PATIENCE).map_err(line)?;
    let function: NvmeFunction<F> =
        NvmeFunction::running(&setup, None).map_err(|error| error.to_string())?;
    let mut device = Device::new(function);
    eprintln!("{program}: serving {} at {socket}", board.name);
    server.serve(&mut device, &mut signals).map_err(line)?;
    Ok(device.function.report())
}

/// Ends the server at the first signal.
struct Signals {
    bell: UnixStream,
    program: String,
}

impl Signals {
    fn new(program: &str) -> io::Result<Self> {
        let (bell, button) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        pipe::register(SIGINT, button.try_clone()?)?;
        pipe::register(SIGTERM, button)?;
        Ok(Signals { bell, program: program.to_owned() })
    }
}

impl<F: Function> Operator<F> for Signals {
    fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    fn attend(&mut self, _function: &mut F) -> Order {
        match self.bell.read(&mut [0; 64]) {
            Ok(1..) => Order::Stop,
            _ => Order::GoOn,
        }
    }

    fn tell(&mut self, _function: &mut F, event: Event) {
        if let Event::Gone(lost) = event {
            eprintln!("{}: the client is gone: {lost}", self.program);
        }
    }
}
