//! Linux in user mode as the host at the other end of the drive's link.
//!
//! The drive's event loop is the master of time. It wakes the guest when an interrupt comes, or when the guest asked to run; then
//! the guest runs, and the drive's time stands still, until the guest waits again. While the drives have nothing to do that the guest
//! could see, the guest goes on by itself, so that a look at a clock is no word to anybody. A doorbell rings at the picosecond at
//! which the guest was woken, as a job's does, or at the nanosecond to which it went on by itself.

use std::cell::RefCell;
use std::io;
use std::iter::once;
use std::rc::Rc;

use board::Board;
use machine::{CommandTimes, Host, Registers, Wake, NEVER};
use nvme::register::{offset, ControllerConfiguration, ShutdownNotice};
use pci::{GuestMemory, Meter};
use report::RunResult;

use crate::end::End;
use crate::further::Further;
use crate::kernel::{Kernel, Ready};
use crate::measures::{Measures, ADMIN_QUEUE};
use crate::port::Port;
use crate::process::Process;

/// Picoseconds of a nanosecond, in which the guest counts.
const NS: u64 = 1000;
/// How far a guest goes on by itself at most, in nanoseconds: a word now and then says that it has not stopped.
const BY_ITSELF_NS: u64 = 10_000_000;

/// The guest, and its links with the drive; it has further drives as well, if they were given to it.
#[derive(Debug)]
pub struct Guest {
    kernel: Kernel,
    port: Port,
    further: Vec<Further>,
    measures: Measures,
    /// The drive's time when the guest was woken first, which is the beginning of its own, in nanoseconds.
    began_ns: Option<u64>,
}

impl Guest {
    /// A guest whose process was started, on a drive with this board.
    pub fn new(kernel: Kernel, board: &Board, measures: Measures) -> Self {
        Guest { kernel, port: Port::new(0, board), further: Vec::new(), measures, began_ns: None }
    }

    /// What measures its commands.
    pub fn meter(&self) -> Rc<RefCell<Meter>> {
        self.measures.meter.clone()
    }

    /// Gives it further drives, before it is booted.
    pub(crate) fn attach(&mut self, further: Vec<Further>) {
        self.further = further;
    }

    /// Why it runs no more; none while it runs.
    pub fn end(&self) -> Option<&End> {
        self.kernel.end.as_ref()
    }

    /// The process, which is to be looked at after its end.
    pub fn process_mut(&mut self) -> &mut Process {
        &mut self.kernel.process
    }

    /// The reports of its further drives at `now` of its first, for a job of this name and a seed.
    pub(crate) fn further_reports(&mut self, now: u64, name: &str, seed: u64) -> Vec<RunResult> {
        let since_ps = self.since_boot(now);
        self.further.iter_mut().map(|further| further.report(since_ps, name, seed)).collect()
    }

    /// Time since the guest was booted, in picoseconds.
    fn since_boot(&self, now: u64) -> u64 {
        now.saturating_sub(self.began_ns.map_or(now, |began_ns| began_ns * NS))
    }

    /// Begins the guest's time with its first drive's.
    fn begin(&mut self, now: u64) -> u64 {
        if let Some(began_ns) = self.began_ns {
            return began_ns;
        }
        self.further.iter_mut().for_each(Further::begin);
        *self.began_ns.insert(now / NS)
    }

    /// Lets the guest act at `now`, until it waits. Returns when it, or a further drive, is to be looked after without an interrupt.
    fn act(&mut self, now: u64, registers: &mut Registers<'_>) -> io::Result<u64> {
        let began_ns = self.begin(now);
        let (mut now_ns, mut since_ps) = (now / NS - began_ns, self.since_boot(now));
        self.kernel.advance(now_ns);
        let due = self.further.iter_mut().filter(|further| further.next_ps() <= since_ps);
        due.for_each(|further| further.run_past(since_ps));
        self.send_interrupts()?;
        while self.kernel.end.is_none() {
            match self.kernel.wanted_ns() {
                Some(wanted_ns) if wanted_ns > now_ns => {
                    let wanted = wanted_ns.saturating_add(began_ns).saturating_mul(NS);
                    // A further drive may tell late of what came before: the guest has gone on since.
                    let gone_on = (began_ns + now_ns) * NS;
                    return Ok(wanted.min(self.further_due(began_ns)).max(gone_on));
                }
                Some(_) => {
                    self.ports().for_each(|port| port.function.guest_runs());
                    let free_until_ns = self.free_until_ns(now_ns, registers);
                    self.kernel.let_run(now_ns, free_until_ns)?;
                }
                None => {
                    let Some(ready) = self.wait()? else { continue };
                    if let Ready::Port(_) = ready {
                        let held_ns = self.kernel.hold(now_ns);
                        if held_ns > now_ns {
                            let now = began_ns.saturating_add(held_ns).saturating_mul(NS);
                            if now > registers.quiet_until() {
                                return Err(ahead(held_ns));
                            }
                            registers.go_on(now);
                            (now_ns, since_ps) = (held_ns, held_ns * NS);
                        }
                    }
                    self.attend(ready, since_ps, registers)?;
                }
            }
        }
        Ok(NEVER)
    }

    /// How far the guest goes on by itself that runs from `now_ns` on: while no drive has anything to do that it could see. Once it has shut
    /// its first drive down it does not, so that its end is the drive's, too.
    fn free_until_ns(&self, now_ns: u64, registers: &Registers<'_>) -> u64 {
        let configuration = ControllerConfiguration(registers.read32(offset::CC));
        let (Some(began_ns), ShutdownNotice::None) =
            (self.began_ns, configuration.shutdown_notice())
        else {
            return now_ns;
        };
        let quiet = registers.quiet_until().min(self.further_due(began_ns));
        let quiet_ns = (quiet / NS).saturating_sub(began_ns);
        quiet_ns.clamp(now_ns, now_ns + BY_ITSELF_NS)
    }

    /// When a further drive is to be looked after.
    fn further_due(&self, began_ns: u64) -> u64 {
        let further = self.further.iter().map(Further::next_ps).min();
        further.map_or(NEVER, |ps| ps.saturating_add(began_ns * NS))
    }

    fn ports(&mut self) -> impl Iterator<Item = &mut Port> {
        once(&mut self.port).chain(self.further.iter_mut().map(Further::port))
    }

    /// Waits for the guest's next message.
    fn wait(&mut self) -> io::Result<Option<Ready>> {
        let Guest { kernel, port, further, .. } = self;
        let mut ports: Vec<_> = once(port).chain(further.iter_mut().map(Further::port)).collect();
        kernel.wait(&mut ports)
    }

    /// Does what the guest's next message says.
    fn attend(
        &mut self,
        ready: Ready,
        since_ps: u64,
        registers: &mut Registers<'_>,
    ) -> io::Result<()> {
        let Guest { kernel, port, further, .. } = self;
        match ready {
            Ready::Time => kernel.take_time(),
            // Answers to calls that nobody waits for any more.
            Ready::BackChannel(nth) => {
                let port = once(port).chain(further.iter_mut().map(Further::port)).nth(nth);
                port.map_or(Ok(()), Port::take_answer)
            }
            Ready::Port(0) => port.attend(kernel, registers),
            Ready::Port(nth) => further[nth - 1].attend(kernel, since_ps),
        }
    }

    /// Sends the guest all interrupts that it can take, of each drive.
    fn send_interrupts(&mut self) -> io::Result<()> {
        let Guest { kernel, port, further, .. } = self;
        let mut ports = once(port).chain(further.iter_mut().map(Further::port));
        ports.try_for_each(|port| port.send_interrupts(kernel))
    }

    /// Takes down the system calls that have ended.
    fn take_calls(&mut self) {
        let Guest { kernel, port, measures, began_ns, .. } = self;
        let Some(page) = &kernel.page else { return };
        let mut accounts = measures.accounts.borrow_mut();
        let began_ns = began_ns.unwrap_or(0);
        for mut call in page.take_calls(&mut port.memory) {
            // Commands are timed by the drive, whose time may have begun long before.
            call.began_ns = call.began_ns.saturating_add(began_ns);
            call.ended_ns = call.ended_ns.saturating_add(began_ns);
            accounts.called(call);
        }
        accounts.lost = page.lost(&mut port.memory);
    }
}

fn ahead(time_ns: u64) -> io::Error {
    io::Error::other(format!(
        "the guest's time went on to {time_ns} ns, where a drive is due before"
    ))
}

impl Host for Guest {
    type Memory = GuestMemory;

    fn memory(&mut self) -> &mut GuestMemory {
        &mut self.port.memory
    }

    fn wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64 {
        if self.kernel.end.is_some() {
            return NEVER;
        }
        if let Wake::Interrupt(vector) = wake {
            self.measures.meter.borrow_mut().interrupted(None);
            self.port.function.raise(vector);
        }
        let acted = self.act(now, registers);
        self.take_calls();
        match acted {
            Ok(next) => next,
            Err(error) => {
                let has_booted = self.ports().any(|port| port.is_linked());
                self.kernel.end = Some(self.kernel.process.end_after(&error, has_booted));
                NEVER
            }
        }
    }

    fn posted(&mut self, queue: u16, id: u16, times: &CommandTimes) {
        self.measures.meter.borrow_mut().note_times(times);
        if queue == ADMIN_QUEUE {
            return;
        }
        let Guest { kernel, port, further, measures, .. } = self;
        kernel.find_page(&mut port.memory);
        // Tags are counted drive by drive: of several, what the guest tells does not say whose it is.
        let page = kernel.page.as_ref().filter(|_| further.is_empty());
        let issuer = page.and_then(|page| page.issuer(&mut port.memory, id));
        measures.accounts.borrow_mut().note_issuer(issuer);
    }
}
