//! The command `serve`.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use board::Board;
use host::{ImageFile, RunError};
use pci::{
    Device, Doorbells, Event, NvmeFunction, Operator, Order, Pace, ServeError, Server, Setup,
};
use report::{JobSource, Provenance, RunResult};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::{flag, low_level::pipe};

use crate::arguments::{
    DoorbellKind, PaceKind, PayloadKind, PollingKind, PreconditionKind, ServeArguments,
};
use crate::boards;
use crate::drive_file::{number_of, Drive, Said};
use crate::failure::{one_line, Failure};
use crate::progress::ProgressLine;
use crate::recipe::{board_origin, named, COMMIT, VERSION};
use crate::reports::{precondition, Others, Reports};
use crate::{signals, tell};

/// Serves a drive until a signal ends it, and writes its reports.
///
/// # Errors
/// When the input cannot be used, found before anybody is served, or the system refuses.
pub fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    let said = Said {
        image: arguments.image.as_deref(),
        board: arguments.board.as_deref(),
        overrides: &arguments.overrides,
        precondition: arguments.precondition,
        serial: arguments.serial,
    };
    let Drive { name, mut board, .. } = said.drive()?;
    boards::warn_of_unused(&board);
    let socket = &arguments.vfio_user;
    let (named, what) = match &arguments.image {
        Some(image) => (image, "a path for a drive image"),
        None => (socket, "a path for a socket"),
    };
    let serial = arguments.serial.map_or_else(|| number_of(named, what), Ok)?;
    board.firmware.serial = serial;
    let state = arguments.precondition.unwrap_or(PreconditionKind::None);
    let reports = Reports::new(&arguments.reports, Others::default())?;
    let setup = Setup {
        board: &board,
        name: &socket.display().to_string(),
        seed: arguments.seed,
        precondition: precondition(state),
        image: arguments.image.as_deref().map(|path| ImageFile { path, serial }),
        pace: match arguments.pace {
            PaceKind::Real => Pace::Real,
            PaceKind::Fast => Pace::Fast,
        },
        doorbells: match arguments.doorbells {
            DoorbellKind::Memory => Doorbells::Memory,
            DoorbellKind::Message => Doorbells::Messages,
        },
    };
    let refused = |error: io::Error| Failure::unexpected("signals", error, "to be told of them");
    let mut signals =
        Signals::new(&reports, provenance(arguments, (&name, &board))).map_err(refused)?;
    let mut server = Server::bind(socket, pci::PATIENCE).map_err(failure)?;
    let sampler = reports.sampler(arguments.monitor_interval)?;
    let mut line = ProgressLine::on_terminal();
    let mut prepare = |preconditioned| line.prepare(preconditioned);
    let control = host::Control { stop: signals::stop()?, preparing: Some(&mut prepare) };
    let function = NvmeFunction::new(&setup, sampler, control).map_err(|error| match error {
        RunError::Stopped(_) => Failure::Stopped(error.to_string()),
        error => Failure::Input(error.to_string()),
    })?;
    drop(line);
    let mut device = Device::new(function);
    tell(&format!("firmament: serving {} at {}", board.name, one_line(setup.name)));
    server.serve(&mut device, &mut signals).map_err(failure)?;
    let kept = device.function.sync_image();
    kept.map_err(|error| Failure::Input(error.to_string()))?;
    reports.write(&signals.report(&device.function))?;
    reports.end_monitor(device.function.end_monitor())
}

/// What is served. It cannot be run again: the guest's commands are not known beforehand.
fn provenance(arguments: &ServeArguments, (name, board): (&str, &Board)) -> Provenance {
    let monitored = arguments.reports.monitor.is_some();
    Provenance {
        body: None,
        version: VERSION.to_owned(),
        commit: COMMIT.to_owned(),
        board: board_origin(name, board, &arguments.overrides),
        jobs: JobSource::Guest,
        seed: arguments.seed,
        precondition: named(&arguments.precondition.unwrap_or(PreconditionKind::None)),
        payload: named(&PayloadKind::Full),
        polling: named(&PollingKind::Skip),
        monitor_interval_ps: monitored.then(|| arguments.monitor_interval.as_ps()),
        image: arguments.image.as_ref().map(|path| path.display().to_string()),
    }
}

fn failure(error: ServeError) -> Failure {
    Failure::Input(error.to_string())
}

/// Signals that end the drive or ask for its reports.
struct Signals<'a> {
    reports: &'a Reports<'a>,
    provenance: Provenance,
    bell: UnixStream,
    stop: Arc<AtomicBool>,
    report: Arc<AtomicBool>,
}

impl<'a> Signals<'a> {
    fn new(reports: &'a Reports<'a>, provenance: Provenance) -> io::Result<Self> {
        let (bell, button) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        let (stop, report) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        for (signal, raised) in [(SIGINT, &stop), (SIGTERM, &stop), (SIGUSR1, &report)] {
            // The flag first: who hears the bell looks at it.
            flag::register(signal, raised.clone())?;
            pipe::register(signal, button.try_clone()?)?;
        }
        Ok(Signals { reports, provenance, bell, stop, report })
    }

    /// What the guest's load has made of the drive by now.
    fn report(&self, function: &NvmeFunction) -> RunResult {
        RunResult { provenance: Some(self.provenance.clone()), ..function.report() }
    }
}

impl Operator<NvmeFunction> for Signals<'_> {
    fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    fn attend(&mut self, function: &mut NvmeFunction) -> Order {
        // Any number of signals is one.
        while matches!(self.bell.read(&mut [0; 64]), Ok(1..)) {}
        if self.stop.load(Ordering::SeqCst) {
            return Order::Stop;
        }
        if self.report.swap(false, Ordering::SeqCst) {
            if let Err(failure) = self.reports.write(&self.report(function)) {
                tell(&format!("firmament: {failure}"));
            }
        }
        Order::GoOn
    }

    fn tell(&mut self, _function: &mut NvmeFunction, event: Event) {
        match event {
            Event::Connected => tell("firmament: a client is connected"),
            Event::Refused => tell("firmament: a second client was sent away"),
            Event::Gone(lost) => tell(&format!("firmament: the client is gone: {lost}")),
        }
    }
}
