//! The guest apart from its drives: its process, its clock, and what its kernel tells of its programs.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Instant;

use host::Stop;
use pci::GuestMemory;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::end::End;
use crate::page::Page;
use crate::port::Port;
use crate::process::Process;
use crate::time_link::{Clock, TimeLink};

/// How often a guest that runs is looked after: whether it is to be stopped.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// The guest's process and its clock.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) process: Process,
    pub(crate) time: Option<TimeLink>,
    /// Where it tells of its programs, once it has said so.
    pub(crate) page: Option<Page>,
    /// Why it runs no more.
    pub(crate) end: Option<End>,
    clock: Clock,
    stop: Stop,
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

    /// Lets it run.
    pub(crate) fn let_run(&mut self, now_ns: u64) -> io::Result<()> {
        self.time.as_mut().map_or(Ok(()), |time| time.let_run(now_ns))
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

    /// Waits until it has said something about time or about one of its ports; none where it is at its end.
    pub(crate) fn wait(&mut self, ports: &mut [&mut Port]) -> io::Result<Option<Ready>> {
        self.wait_for(|_| true, ports)
    }

    /// The same of what is asked for alone.
    pub(crate) fn wait_for(
        &mut self,
        is_asked: impl Fn(Ready) -> bool,
        ports: &mut [&mut Port],
    ) -> io::Result<Option<Ready>> {
        let since = Instant::now();
        loop {
            match self.ready(&is_asked, ports)? {
                Some(ready) => return Ok(Some(ready)),
                None if self.stop.signal().is_some() => self.end = Some(End::Stopped),
                None if self.process.has_ended() => {
                    let has_booted = ports.iter().any(|port| port.is_linked());
                    self.end = Some(self.process.verdict(has_booted));
                }
                None if since.elapsed() > self.clock.patience => {
                    self.end = Some(self.standstill(&mut ports[0].memory));
                }
                None => continue,
            }
            return Ok(None);
        }
    }

    /// What is ready first, in the order of time and ports; none after a while.
    fn ready(
        &self,
        is_asked: impl Fn(Ready) -> bool,
        ports: &[&mut Port],
    ) -> io::Result<Option<Ready>> {
        let time = match &self.time {
            Some(time) => time.as_fd(),
            None => self.process.time_listener().as_fd(),
        };
        let mut sockets: Vec<(Ready, BorrowedFd<'_>)> = vec![(Ready::Time, time)];
        for (nth, port) in ports.iter().enumerate() {
            sockets.push((Ready::Port(nth), port.socket(&self.process)));
            sockets.extend(port.back_channel().map(|fd| (Ready::BackChannel(nth), fd)));
        }
        let (kinds, mut fds): (Vec<_>, Vec<_>) = sockets
            .into_iter()
            .filter(|(ready, _)| is_asked(*ready))
            .map(|(ready, fd)| (ready, PollFd::from_borrowed_fd(fd, PollFlags::IN)))
            .unzip();
        match poll(&mut fds, Some(&LOOK)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = kinds.into_iter().zip(fds).find(|(_, fd)| !fd.revents().is_empty());
        Ok(ready.map(|(kind, _)| kind))
    }

    /// The end of a guest that lets time stand still: who it is, as far as its kernel tells.
    fn standstill(&mut self, memory: &mut GuestMemory) -> End {
        self.find_page(memory);
        let running = self.page.as_ref().and_then(|page| page.running(memory));
        let what = self.process.running(running.as_ref());
        End::Fault(format!(
            "time stands still: found {what}, for {} s without a look at a clock and without waiting, \
             expected one of them within --patience",
            self.clock.patience.as_secs()
        ))
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
