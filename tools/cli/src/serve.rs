//! The command `serve`.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use board::Board;
use host::{ImageFile, PayloadForm, Preconditioning, RunError};
use machine::Polling;
use pci::{
    Device, Doorbells, Event, Function, NvmeFunction, Operator, Order, Pace, ServeError, Server,
    Setup,
};
use recipe::{board_origin, number_of, Body, Drive, Failure, Processor, Said};
use report::{JobSource, Provenance, RunResult};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::{flag, low_level::pipe};

use crate::arguments::{BodyKind, DoorbellKind, PaceKind, ServeArguments};
use crate::program::{COMMIT, VERSION};
use crate::progress::ProgressLine;
use crate::reports::{Others, Reports};
use crate::{boards, body};
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
        precondition: arguments.precondition.map(Into::into),
        serial: arguments.serial,
    };
    body::check_served(arguments)?;
    let Drive { name, mut board, .. } = said.drive()?;
    boards::warn_of_unused(&board);
    let socket = &arguments.vfio_user;
    let (named, what) = match &arguments.image {
        Some(image) => (image, "a path for a drive image"),
        None => (socket, "a path for a socket"),
    };
    let serial = arguments.serial.map_or_else(|| number_of(named, what), Ok)?;
    board.firmware.serial = serial;
    let state = said.precondition.unwrap_or(Preconditioning::None);
    let reports = Reports::new(
        &arguments.reports,
        Others { image: arguments.image.as_deref(), ..Others::default() },
    )?;
    let drive = Offered { arguments, board: &board, reports: &reports, state };
    let provenance = provenance(arguments, (&name, &board));
    match arguments.body {
        BodyKind::Sim => drive.in_virtual_time(serial, provenance),
        BodyKind::Rtl => drive.in_hardware(provenance),
    }
}

/// A drive that is to be served, as the command line has it.
struct Offered<'a> {
    arguments: &'a ServeArguments,
    board: &'a Board,
    reports: &'a Reports<'a>,
    state: Preconditioning,
}

/// A function that is served, and what is left to do at its end.
trait Served: Function {
    /// What the guest's load has made of the drive by now.
    fn report(&mut self) -> RunResult;
    /// The last thing before the program ends.
    fn end(&mut self) -> Result<(), Failure>;
}

impl Served for NvmeFunction {
    fn report(&mut self) -> RunResult {
        NvmeFunction::report(self)
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.sync_image().map_err(|error| Failure::Input(error.to_string()))
    }
}

#[cfg(feature = "rtl")]
impl Served for rtl_sim::drive::RtlFunction {
    fn report(&mut self) -> RunResult {
        rtl_sim::drive::RtlFunction::report(self)
    }

    fn end(&mut self) -> Result<(), Failure> {
        tell(&format!("firmament: hardware: {} cycles", self.cycles()));
        Ok(())
    }
}

impl Offered<'_> {
    fn in_virtual_time(&self, serial: u32, provenance: Provenance) -> Result<(), Failure> {
        let Offered { arguments, board, reports, state } = self;
        let socket = arguments.vfio_user.display().to_string();
        let setup = Setup {
            board,
            name: &socket,
            seed: arguments.seed,
            precondition: *state,
            image: arguments.image.as_deref().map(|path| ImageFile { path, serial }),
            pace: match arguments.pace {
                None | Some(PaceKind::Real) => Pace::Real,
                Some(PaceKind::Fast) => Pace::Fast,
            },
            doorbells: match arguments.doorbells {
                None | Some(DoorbellKind::Memory) => Doorbells::Memory,
                Some(DoorbellKind::Message) => Doorbells::Messages,
            },
        };
        let seat = self.seat(provenance)?;
        let sampler = reports.sampler(arguments.monitor_interval)?;
        let mut line = ProgressLine::on_terminal();
        let mut prepare = |preconditioned| line.prepare(preconditioned);
        let control = host::Control { stop: signals::stop()?, preparing: Some(&mut prepare) };
        let function =
            NvmeFunction::new(&setup, sampler, control).map_err(|error| match error {
                RunError::Stopped(_) => Failure::Stopped(error.to_string()),
                error => Failure::Input(error.to_string()),
            })?;
        drop(line);
        let mut function = self.attend(seat, function)?;
        reports.end_monitor(function.end_monitor())
    }

    #[cfg(feature = "rtl")]
    fn in_hardware(&self, provenance: Provenance) -> Result<(), Failure> {
        let seat = self.seat(provenance)?;
        let name = self.arguments.vfio_user.display().to_string();
        let ServeArguments { seed, processor, .. } = *self.arguments;
        let processor = body::where_it_runs(processor.into());
        let function = rtl_sim::drive::RtlFunction::new(self.board, processor, (seed, &name));
        self.attend(seat, function.map_err(Failure::Input)?).map(drop)
    }

    #[cfg(not(feature = "rtl"))]
    fn in_hardware(&self, _: Provenance) -> Result<(), Failure> {
        Err(body::no_hardware())
    }

    /// Who hears signals, and where clients come. Both are there before a drive is made, which may take long.
    fn seat(&self, provenance: Provenance) -> Result<(Signals<'_>, Server), Failure> {
        let refused =
            |error: io::Error| Failure::unexpected("signals", error, "to be told of them");
        let signals = Signals::new(self.reports, provenance).map_err(refused)?;
        Ok((signals, Server::bind(&self.arguments.vfio_user, pci::PATIENCE).map_err(failure)?))
    }

    /// Serves a function until a signal ends it, and writes its reports.
    fn attend<F: Served>(
        &self,
        (mut signals, mut server): (Signals<'_>, Server),
        function: F,
    ) -> Result<F, Failure> {
        let mut device = Device::new(function);
        let socket = self.arguments.vfio_user.display().to_string();
        tell(&format!("firmament: serving {} at {socket}", self.board.name));
        server.serve(&mut device, &mut signals).map_err(failure)?;
        device.function.end()?;
        self.reports.write(&signals.report(&mut device.function))?;
        Ok(device.function)
    }
}

/// What is served. It cannot be run again: the guest's commands are not known beforehand.
fn provenance(arguments: &ServeArguments, (name, board): (&str, &Board)) -> Provenance {
    let monitored = arguments.reports.monitor.is_some();
    let (body, processor) = (Body::from(arguments.body), Processor::from(arguments.processor));
    let state = arguments.precondition.map_or(Preconditioning::None, Into::into);
    Provenance {
        body: (body != Body::Sim).then(|| body.name().to_owned()),
        processor: (processor != Processor::Board).then(|| processor.name().to_owned()),
        causes: None,
        version: VERSION.to_owned(),
        commit: COMMIT.to_owned(),
        board: board_origin(name, board, &arguments.overrides),
        jobs: JobSource::Guest,
        seed: arguments.seed,
        precondition: state.name().to_owned(),
        payload: PayloadForm::Bytes.name().to_owned(),
        polling: Polling::Skip.name().to_owned(),
        monitor_interval_ps: monitored.then(|| arguments.monitor_interval.as_ps()),
        from: None,
        image: arguments.image.as_ref().map(|path| path.display().to_string()),
        until: None,
        seeds: None,
        victim: None,
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
    fn report(&self, function: &mut impl Served) -> RunResult {
        RunResult { provenance: Some(self.provenance.clone()), ..function.report() }
    }
}

impl<F: Served> Operator<F> for Signals<'_> {
    fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    fn attend(&mut self, function: &mut F) -> Order {
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

    fn tell(&mut self, _function: &mut F, event: Event) {
        match event {
            Event::Connected => tell("firmament: a client is connected"),
            Event::Refused => tell("firmament: a second client was sent away"),
            Event::Gone(lost) => tell(&format!("firmament: the client is gone: {lost}")),
        }
    }
}
