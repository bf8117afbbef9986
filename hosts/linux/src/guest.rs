//! Linux in user mode as the host at the other end of the drive's link.
//!
//! The drive's event loop is the master of time. It wakes the guest when an interrupt comes, or when the guest asked to run; then
//! the guest runs, and the drive's time stands still, until the guest waits again. A doorbell therefore rings at
//! the picosecond at which the guest was woken, as a job's does.

use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Instant;

use board::Board;
use host::Stop;
use machine::{CommandTimes, Host, HostMemory, Registers, Wake, NEVER};
use pci::{GuestMemory, Meter};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::accounts::Accounts;
use crate::end::End;
use crate::function::{Answer, PciFunction};
use crate::page::Page;
use crate::process::Process;
use crate::time_link::{Clock, TimeLink};
use crate::vhost::{Notice, VirtioLink, ACCESSES, INTERRUPTS};

/// Picoseconds of a nanosecond, in which the guest counts.
const NS: u64 = 1000;
/// Accesses that the driver does not wait for, after which it is told that its buffers are back.
const POSTED_AT_ONCE: u32 = 6;
/// Its commands are no program's.
const ADMIN_QUEUE: u16 = 0;
/// How often a guest that runs is looked after: whether it is to be stopped.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// The guest, and its links with the drive.
#[derive(Debug)]
pub struct Guest {
    process: Process,
    time: Option<TimeLink>,
    virtio: Option<VirtioLink>,
    function: PciFunction,
    memory: GuestMemory,
    measures: Measures,
    /// Where its kernel tells of its programs, once it has said so.
    page: Option<Page>,
    clock: Clock,
    stop: Stop,
    /// Accesses that the driver has not been told the end of.
    posted: u32,
    /// The drive's time when the guest was woken first, which is the beginning of its own, in nanoseconds.
    began_ns: Option<u64>,
    end: Option<End>,
}

/// Who measures what a guest does.
#[derive(Clone, Debug)]
pub struct Measures {
    /// Its commands.
    pub meter: Rc<RefCell<Meter>>,
    /// Its system calls.
    pub accounts: Rc<RefCell<Accounts>>,
}

/// What happened on one of the sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ready {
    Time,
    Virtio,
    BackChannel,
}

impl Guest {
    /// A guest whose process was started.
    pub fn new(
        process: Process,
        board: &Board,
        measures: Measures,
        clock: Clock,
        stop: Stop,
    ) -> Self {
        Guest {
            process,
            time: None,
            virtio: None,
            function: PciFunction::new(board),
            memory: GuestMemory::default(),
            measures,
            page: None,
            clock,
            stop,
            posted: 0,
            began_ns: None,
            end: None,
        }
    }

    /// Why it runs no more; none while it runs.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The process, which is to be looked at after its end.
    pub fn process_mut(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Whether its kernel has come as far as the drive.
    fn has_booted(&self) -> bool {
        self.virtio.is_some()
    }

    /// Lets the guest act at `now`, until it waits. Returns when it wants to be woken without an interrupt.
    fn act(&mut self, now: u64, registers: &mut Registers<'_>) -> io::Result<u64> {
        let began_ns = *self.began_ns.get_or_insert(now / NS);
        let now_ns = now / NS - began_ns;
        if let Some(time) = self.time.as_mut().filter(|time| time.wanted_ns().is_some()) {
            time.advance(now_ns);
        }
        self.send_interrupts()?;
        while self.end.is_none() {
            match self.time.as_ref().and_then(TimeLink::wanted_ns) {
                Some(wanted_ns) if wanted_ns > now_ns => {
                    return Ok(wanted_ns.saturating_add(began_ns).saturating_mul(NS))
                }
                Some(_) => {
                    self.function.guest_runs();
                    self.time.as_mut().map_or(Ok(()), |time| time.let_run(now_ns))?;
                }
                None => self.attend(registers)?,
            }
        }
        Ok(NEVER)
    }

    /// Waits for the guest's next message and does what it says.
    fn attend(&mut self, registers: &mut Registers<'_>) -> io::Result<()> {
        match self.wait()? {
            None => Ok(()),
            Some(Ready::Time) => self.take_time(),
            // Answers to calls that nobody waits for any more.
            Some(Ready::BackChannel) => {
                self.virtio.as_mut().map_or(Ok(()), VirtioLink::take_answer)
            }
            Some(Ready::Virtio) => {
                let Some(virtio) = &mut self.virtio else {
                    self.virtio = Some(VirtioLink::new(accept(self.process.virtio_listener())?));
                    return Ok(());
                };
                match virtio.take(&mut self.memory)? {
                    Notice::None => Ok(()),
                    Notice::Kick(queue) => {
                        if queue == ACCESSES {
                            self.do_accesses(registers)?;
                        } else if let Some(virtio) = &self.virtio {
                            virtio.rings[INTERRUPTS].set_wants_notice(&mut self.memory, false);
                        }
                        self.virtio.as_mut().map_or(Ok(()), VirtioLink::acknowledge)?;
                        self.send_interrupts()
                    }
                }
            }
        }
    }

    fn take_time(&mut self) -> io::Result<()> {
        match &mut self.time {
            Some(time) => time.take(),
            None => {
                let socket = accept(self.process.time_listener())?;
                self.time = Some(TimeLink::new(socket, self.clock));
                Ok(())
            }
        }
    }

    /// Does what the driver has put into its queue.
    fn do_accesses(&mut self, registers: &mut Registers<'_>) -> io::Result<()> {
        let Guest { virtio, memory, function, posted, .. } = self;
        let Some(virtio) = virtio else { return Ok(()) };
        let ring = &mut virtio.rings[ACCESSES];
        while let Some(head) = ring.take(memory) {
            let parts = ring.parts(memory, head);
            let mut message = Vec::new();
            for part in parts.iter().filter(|part| !part.is_for_device) {
                let mut bytes = vec![0; part.bytes.min(1 << 16) as usize];
                if memory.read(part.address, &mut bytes) {
                    message.extend(bytes);
                }
            }
            let mut written = 0;
            match function.access(&message, registers) {
                Answer::Posted => *posted += 1,
                Answer::Read(bytes) => {
                    if let Some(into) = parts.iter().find(|part| part.is_for_device) {
                        let fits = bytes.len().min(into.bytes as usize);
                        memory.write(into.address, &bytes[..fits]);
                        written = fits as u32;
                    }
                }
            }
            ring.give(memory, head, written);
        }
        if self.posted >= POSTED_AT_ONCE {
            self.posted = 0;
            self.call(ACCESSES)?;
        }
        Ok(())
    }

    /// Sends the guest all messages of interrupts that it can take.
    fn send_interrupts(&mut self) -> io::Result<()> {
        while let Some(message) = self.function.next_message() {
            let Guest { virtio: Some(virtio), memory, function, .. } = self else { return Ok(()) };
            let ring = &mut virtio.rings[INTERRUPTS];
            let Some(head) = ring.take(memory) else {
                function.take_back();
                ring.set_wants_notice(memory, true);
                return Ok(());
            };
            let into = ring.parts(memory, head).into_iter().find(|part| part.is_for_device);
            if let Some(into) = into.filter(|part| part.bytes as usize >= message.len()) {
                memory.write(into.address, &message);
            }
            ring.give(memory, head, message.len() as u32);
            if std::mem::take(&mut self.posted) > 0 {
                virtio.call(ACCESSES, false)?;
            }
            self.call(INTERRUPTS)?;
        }
        Ok(())
    }

    /// Tells the driver that buffers are back, and waits until it has heard it.
    fn call(&mut self, queue: usize) -> io::Result<()> {
        self.virtio.as_mut().map_or(Ok(()), |virtio| virtio.call(queue, true))?;
        while self.end.is_none() {
            match self.wait_for(&[Ready::Time, Ready::BackChannel])? {
                Some(Ready::BackChannel) => {
                    return self.virtio.as_mut().map_or(Ok(()), VirtioLink::take_answer)
                }
                Some(_) => self.take_time()?,
                None => {}
            }
        }
        Ok(())
    }

    fn wait(&mut self) -> io::Result<Option<Ready>> {
        self.wait_for(&[Ready::Time, Ready::Virtio, Ready::BackChannel])
    }

    /// Waits for one of these; none where the guest is at its end.
    fn wait_for(&mut self, any: &[Ready]) -> io::Result<Option<Ready>> {
        let since = Instant::now();
        loop {
            match self.ready(any)? {
                Some(ready) => return Ok(Some(ready)),
                None if self.stop.signal().is_some() => {
                    self.end = Some(End::Stopped);
                    return Ok(None);
                }
                None if self.process.has_ended() => {
                    self.end = Some(self.process.verdict(self.has_booted()));
                    return Ok(None);
                }
                None if since.elapsed() > self.clock.patience => {
                    self.end = Some(self.standstill());
                    return Ok(None);
                }
                None => {}
            }
        }
    }

    /// The end of a guest that lets time stand still: who it is, as far as its kernel tells.
    fn standstill(&mut self) -> End {
        self.find_page();
        let Guest { page, memory, process, clock, .. } = self;
        let running = page.as_ref().and_then(|page| page.running(memory));
        let (what, waited) = (process.running(running.as_ref()), clock.patience.as_secs());
        End::Fault(format!(
            "time stands still: found {what}, for {waited} s without a look at a clock and without waiting, \
             expected one of them within --patience"
        ))
    }

    /// Looks where the guest's kernel tells of its programs, if it has said so by now.
    fn find_page(&mut self) {
        let Guest { page, memory, process, .. } = self;
        if page.is_none() {
            *page = process.account_address().and_then(|address| Page::at(memory, address));
        }
    }

    /// Takes down the system calls that have ended.
    fn take_calls(&mut self) {
        let Guest { page: Some(page), memory, measures, began_ns, .. } = self else { return };
        let mut accounts = measures.accounts.borrow_mut();
        let began_ns = began_ns.unwrap_or(0);
        for mut call in page.take_calls(memory) {
            // Commands are timed by the drive, whose time may have begun long before.
            call.began_ns = call.began_ns.saturating_add(began_ns);
            call.ended_ns = call.ended_ns.saturating_add(began_ns);
            accounts.called(call);
        }
        accounts.lost = page.lost(memory);
    }

    /// Which of these is ready first, in this order; none after a while.
    fn ready(&self, any: &[Ready]) -> io::Result<Option<Ready>> {
        let fd = |ready: &Ready| match ready {
            Ready::Time => Some(match &self.time {
                Some(time) => time.as_fd(),
                None => self.process.time_listener().as_fd(),
            }),
            Ready::Virtio => Some(match &self.virtio {
                Some(virtio) => virtio.as_fd(),
                None => self.process.virtio_listener().as_fd(),
            }),
            Ready::BackChannel => self.virtio.as_ref()?.back_channel(),
        };
        let (kinds, mut fds): (Vec<_>, Vec<_>) = any
            .iter()
            .filter_map(|ready| Some((*ready, PollFd::from_borrowed_fd(fd(ready)?, PollFlags::IN))))
            .unzip();
        match poll(&mut fds, Some(&LOOK)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(kinds
            .into_iter()
            .zip(fds)
            .find(|(_, fd)| !fd.revents().is_empty())
            .map(|(kind, _)| kind))
    }
}

impl Host for Guest {
    type Memory = GuestMemory;

    fn memory(&mut self) -> &mut GuestMemory {
        &mut self.memory
    }

    fn wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64 {
        if self.end.is_some() {
            return NEVER;
        }
        if let Wake::Interrupt(vector) = wake {
            self.measures.meter.borrow_mut().interrupted(None);
            self.function.raise(vector);
        }
        let acted = self.act(now, registers);
        self.take_calls();
        match acted {
            Ok(next) => next,
            Err(error) => {
                let has_booted = self.has_booted();
                self.end = Some(self.process.end_after(&error, has_booted));
                NEVER
            }
        }
    }

    fn posted(&mut self, queue: u16, id: u16, times: &CommandTimes) {
        self.measures.meter.borrow_mut().note_times(times);
        if queue == ADMIN_QUEUE {
            return;
        }
        self.find_page();
        let Guest { page, memory, measures, .. } = self;
        let issuer = page.as_ref().and_then(|page| page.issuer(memory, id));
        measures.accounts.borrow_mut().note_issuer(issuer);
    }
}

fn accept(listener: &std::os::unix::net::UnixListener) -> io::Result<UnixStream> {
    listener.accept().map(|(socket, _)| socket)
}
