//! Waiting for what the guest says next, about time or about one of its drives.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use pci::GuestMemory;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::end::End;
use crate::kernel::{Kernel, Ready};
use crate::port::Port;

/// How often a guest that runs is looked after: whether it is to be stopped.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl Kernel {
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
            // A guest that is busy is never silent, so whoever ends the run is heard before the guest.
            if self.stop.signal().is_some() {
                self.end = Some(End::Stopped);
                return Ok(None);
            }
            match self.ready(&is_asked, ports)? {
                Some(ready) => return Ok(Some(ready)),
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
            let socket = port.socket(&self.process);
            sockets.extend(socket.map(|fd| (Ready::Port(nth), fd)));
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
}
