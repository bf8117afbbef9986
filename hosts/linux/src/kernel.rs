//! The guest apart from its drives: its process, its clock, and what its kernel tells of its programs.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};

use host::Stop;
use pci::GuestMemory;

use crate::end::End;
use crate::page::Page;
use crate::process::Process;
use crate::time_link::{Clock, TimeLink};

/// The guest's process and its clock.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) process: Process,
    pub(crate) time: Option<TimeLink>,
    /// Where it tells of its programs, once it has said so.
    pub(crate) page: Option<Page>,
    /// Why it runs no more.
    pub(crate) end: Option<End>,
    pub(crate) clock: Clock,
    pub(crate) stop: Stop,
}

/// What happened on one of the sockets; ports are numbered as whoever waits has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    Time,
    Port(usize),
    BackChannel(usize),
}

impl Kernel {
    /// A guest whose process was started.
    pub fn new(process: Process, clock: Clock, stop: Stop) -> Self {
        Kernel { process, time: None, page: None, end: None, clock, stop }
    }

    /// When it wants to run, in nanoseconds of its own; none while it runs.
    pub(crate) fn wanted_ns(&self) -> Option<u64> {
        self.time.as_ref().and_then(TimeLink::wanted_ns)
    }

    /// Time has gone on while it waited.
    pub(crate) fn advance(&mut self, now_ns: u64) {
        if let Some(time) = self.time.as_mut().filter(|time| time.wanted_ns().is_some()) {
            time.advance(now_ns);
        }
    }

    /// It runs from `now_ns` on, and by itself up to `free_until_ns`.
    pub(crate) fn let_run(&mut self, now_ns: u64, free_until_ns: u64) -> io::Result<()> {
        self.time.as_mut().map_or(Ok(()), |time| time.let_run(now_ns, free_until_ns))
    }

    /// It acts on a drive while it runs: its time, where that is later than `now_ns`. From then on it asks for any later time.
    pub(crate) fn hold(&mut self, now_ns: u64) -> u64 {
        let Some(time) = &mut self.time else { return now_ns };
        let now_ns = time.now_ns().max(now_ns);
        time.hold(now_ns);
        now_ns
    }

    /// Takes its next message about time, or that it is there.
    pub(crate) fn take_time(&mut self) -> io::Result<()> {
        match &mut self.time {
            Some(time) => time.take(),
            None => {
                let socket = accept(self.process.time_listener())?;
                self.time = Some(TimeLink::new(socket, self.clock));
                Ok(())
            }
        }
    }

    /// Looks where it tells of its programs, if it has said so by now.
    pub(crate) fn find_page(&mut self, memory: &mut GuestMemory) {
        let Kernel { page, process, .. } = self;
        if page.is_none() {
            *page = process.account_address().and_then(|address| Page::at(memory, address));
        }
    }
}

/// A connection that the guest has made.
pub(crate) fn accept(listener: &UnixListener) -> io::Result<UnixStream> {
    listener.accept().map(|(socket, _)| socket)
}
