//! Drives of the guest beside the first, each with its own board.
//!
//! The first drive's event loop is the master of time. It wakes the guest when a further drive has something to do, and
//! that drive then runs one turn of its firmware. A further drive is therefore at most such a turn ahead of the guest: what it
//! completes there is told at its own time, and a doorbell that rings meanwhile is heard at the turn's end.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Instant;

use board::Board;
use cpu_time::ProcessTime;
use host::{monitoring, prepare, Control, Preconditioning, RunError, Snapshot};
use machine::{
    CommandTimes, Host, Observer as _, Payload, Polling, Registers, Wake, Watched, NEVER,
};
use pci::{report_of, GuestMemory, Meter, Onlookers, Subject};
use report::{RunResult, Speed};
use sim::{Drive, Options};

use crate::kernel::Kernel;
use crate::measures::{Measures, ADMIN_QUEUE};
use crate::port::Port;
use crate::watch::SharedTrace;

/// The host end of a further drive.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) port: Port,
    measures: Measures,
    /// Interrupts that the guest is yet to be sent, with their times.
    raised: Vec<(u64, u16)>,
    /// When the drive is to stop at the latest.
    alarm_ps: u64,
}

impl Socket {
    /// Interrupts that have come by `now` go to the guest with the next messages.
    fn release(&mut self, now: u64) {
        let function = &mut self.port.function;
        self.raised.retain(|&(at, vector)| {
            let is_due = at <= now;
            if is_due {
                function.raise(vector);
            }
            !is_due
        });
    }
}

impl Host for Socket {
    type Memory = GuestMemory;

    fn memory(&mut self) -> &mut GuestMemory {
        &mut self.port.memory
    }

    fn wake(&mut self, now: u64, wake: Wake, _registers: &mut Registers<'_>) -> u64 {
        if let Wake::Interrupt(vector) = wake {
            self.measures.meter.borrow_mut().interrupted(None);
            self.raised.push((now, vector));
        }
        if self.alarm_ps > now {
            self.alarm_ps
        } else {
            NEVER
        }
    }

    fn posted(&mut self, queue: u16, _id: u16, times: &CommandTimes) {
        self.measures.meter.borrow_mut().note_times(times);
        if queue != ADMIN_QUEUE {
            // Linux counts its commands drive by drive: what it tells of their programs does not say of which drive.
            self.measures.accounts.borrow_mut().note_issuer(None);
        }
    }
}

/// What a further drive is to be.
pub(crate) struct Wanted<'a> {
    /// Its number among the drives of the guest, counted from 0.
    pub(crate) nth: usize,
    pub(crate) board: &'a Board,
    pub(crate) seed: u64,
    pub(crate) precondition: Preconditioning,
}

/// A further drive.
pub(crate) struct Further {
    drive: Drive<Socket, Watched<'static>>,
    board: Board,
    meter: Rc<RefCell<Meter>>,
    before: Snapshot,
    started: (Instant, ProcessTime),
    onlookers: Onlookers,
    seed: u64,
    /// Its own time when the guest was booted.
    began_ps: u64,
}

impl std::fmt::Debug for Further {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Further").field("board", &self.board.name).finish_non_exhaustive()
    }
}

impl Further {
    /// Powers a further drive on.
    pub(crate) fn powered(
        wanted: &Wanted<'_>,
        measures: Measures,
        control: &mut Control<'_>,
    ) -> Result<Self, RunError> {
        let Wanted { nth, board, seed, precondition } = *wanted;
        let meter = measures.meter.clone();
        let block_bytes = board.firmware.block_formats[usize::from(board.firmware.block_format)];
        let payload = Payload::Bytes { block_bytes, seed };
        let options = Options { payload, seed, polling: Polling::Skip };
        let watchers = measures.watchers(SharedTrace::default(), None);
        let port = Port::new(nth, board);
        let socket = Socket { port, measures, raised: Vec::new(), alarm_ps: 0 };
        let mut drive = Drive::observed(board, options, (socket, watchers.watching()))?;
        prepare(&mut drive, precondition.state(seed), control)?;
        let before = Snapshot::of(&drive);
        let started = (Instant::now(), ProcessTime::now());
        let (board, began_ps) = (board.clone(), drive.now());
        let onlookers = Onlookers::default();
        Ok(Further { drive, board, meter, before, started, began_ps, onlookers, seed })
    }

    /// The guest is booted.
    pub(crate) fn begin(&mut self) {
        self.began_ps = self.drive.now();
        let now = self.began_ps;
        let subject = monitoring::Subject { board: &self.board, job_file: "", seed: self.seed };
        self.onlookers.start(subject, &self.drive, &self.meter.borrow());
        self.drive.observer_mut().jobs_begin(now);
        self.note_blocks();
    }

    fn note_blocks(&mut self) {
        self.meter.borrow_mut().block_bytes = self.drive.firmware().block_bytes();
    }

    pub(crate) fn port(&mut self) -> &mut Port {
        &mut self.drive.host_mut().port
    }

    /// When it has something to do or to tell without the guest, as time since the guest was booted.
    pub(crate) fn next_ps(&self) -> u64 {
        let now = self.drive.now();
        let change = self.drive.next_change().max(now);
        let told = self.drive.host().raised.iter().map(|&(at, _)| at).min();
        match change.min(told.unwrap_or(NEVER)) {
            NEVER => NEVER,
            at => at.saturating_sub(self.began_ps),
        }
    }

    /// Runs until it is past a time since the guest was booted; interrupts until then are to be sent.
    pub(crate) fn run_past(&mut self, since_ps: u64) {
        let until_ps = self.began_ps + since_ps;
        if self.drive.now() <= until_ps {
            self.drive.host_mut().alarm_ps = until_ps + 1;
            self.drive.wake_host();
            self.drive.run_to(until_ps + 1, |_| false);
            self.note_blocks();
            self.onlookers.look(&self.drive, self.drive.now(), &self.meter.borrow());
        }
        self.drive.host_mut().release(until_ps);
    }

    /// Takes the driver's next message at a time since the guest was booted.
    pub(crate) fn attend(&mut self, kernel: &mut Kernel, since_ps: u64) -> io::Result<()> {
        self.run_past(since_ps);
        self.drive.registers(|socket, registers| socket.port.attend(kernel, registers))
    }

    /// The report of what the guest asked of it, until a time since the guest was booted.
    pub(crate) fn report(&mut self, since_ps: u64, name: &str, seed: u64) -> RunResult {
        self.run_past(since_ps);
        let Further { drive, board, meter, before, started, began_ps, onlookers, .. } = self;
        let subject =
            Subject { board, name, seed, before, started, onlookers, now_ps: drive.now() };
        let report = report_of(drive, &meter.borrow(), &subject);
        let simulated_s = (drive.now() - *began_ps) as f64 / 1e12;
        RunResult { speed: Speed { simulated_s, ..report.speed }, ..report }
    }
}
