//! A drive with the tiny firmware for a virtual machine.

use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use board::Board;
use host::Preconditioning;
use pci::{Device, Doorbells, Event, Function, NvmeFunction, Operator, Order, Pace, Server, Setup};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use tiny_firmware::Tiny;

use crate::Body;

/// Ends the drive when a signal has come.
struct Signals(UnixStream);

impl<F> Operator<F> for Signals {
    fn bell(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn attend(&mut self, _function: &mut F) -> Order {
        match self.0.read(&mut [0; 64]) {
            Ok(1..) => Order::Stop,
            _ => Order::GoOn,
        }
    }

    fn tell(&mut self, _function: &mut F, event: Event) {
        match event {
            Event::Connected => eprintln!("tiny-drive: a client is connected"),
            Event::Refused => eprintln!("tiny-drive: a second client was sent away"),
            Event::Gone(lost) => eprintln!("tiny-drive: the client is gone: {lost}"),
        }
    }
}

/// Serves a drive at a socket until SIGINT or SIGTERM.
///
/// # Errors
/// A line, when there is no such drive, or the system refuses.
pub fn serve((body, board): (Body, &Board), path: &str) -> Result<(), String> {
    match body {
        Body::Sim => {
            let setup = Setup {
                board,
                name: path,
                seed: 1,
                precondition: Preconditioning::None,
                image: None,
                pace: Pace::Fast,
                doorbells: Doorbells::Messages,
            };
            let function = NvmeFunction::<Tiny>::running(&setup, None);
            attend(board, path, function.map_err(|error| error.to_string())?)
        }
        #[cfg(feature = "rtl")]
        Body::Rtl => {
            use rtl_sim::drive::{Processor, RtlFunction};
            attend(board, path, RtlFunction::<Tiny>::new(board, Processor::Beside, (1, path))?)
        }
        #[cfg(not(feature = "rtl"))]
        Body::Rtl => {
            Err("--body: found rtl, expected sim: this program was built without --features rtl"
                .into())
        }
    }
}

fn attend(board: &Board, path: &str, function: impl Function) -> Result<(), String> {
    let refused = |error: std::io::Error| format!("signals: found {error}, expected to be told");
    let (bell, button) = UnixStream::pair().map_err(refused)?;
    bell.set_nonblocking(true).map_err(refused)?;
    for signal in [SIGINT, SIGTERM] {
        pipe::register(signal, button.try_clone().map_err(refused)?).map_err(refused)?;
    }
    let server = Server::bind(Path::new(path), pci::PATIENCE);
    let mut server = server.map_err(|error| error.to_string())?;
    eprintln!("tiny-drive: serving {} at {path}", board.name);
    let mut device = Device::new(function);
    server.serve(&mut device, &mut Signals(bell)).map_err(|error| error.to_string())
}
