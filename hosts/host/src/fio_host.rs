//! The simulated host: host memory, jobs, and between jobs and drive an FTL where the drive leaves the placing of data to
//! its host.

use machine::{CommandTimes, Host, Registers, Wake, NEVER};

use crate::engine::{Engine, Plan, Port};
use crate::ftl::{self, HostFtl};
use crate::memory::Memory;
use crate::queue::Ring;

/// The simulated host: its memory, and its jobs once the drive is up.
#[derive(Debug, Default)]
pub struct FioHost {
    memory: Memory,
    engine: Option<Engine>,
    /// Between jobs and a drive that leaves the placing of data to its host.
    ftl: Option<Box<HostFtl>>,
}

impl FioHost {
    /// A host without memory or jobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the host its jobs.
    pub fn set_engine(&mut self, plan: Plan<'_>) {
        self.engine = Some(Engine::new(plan, &mut self.memory));
    }

    /// The jobs.
    ///
    /// # Panics
    /// Before [`FioHost::set_engine`].
    pub fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the host has its jobs")
    }

    /// Lets the jobs act, at a time in picoseconds; they ring doorbells. Returns when they want to be woken next without an
    /// interrupt ([`NEVER`] for not at all).
    pub fn act(&mut self, now: u64, wake: Wake, ring: impl FnMut(Ring)) -> u64 {
        let FioHost { memory, engine, ftl } = self;
        match (engine, ftl) {
            (Some(engine), None) => engine.wake(wake, &mut Port { now, memory, ring }),
            (Some(engine), Some(ftl)) => act_over((engine, ftl), wake, Port { now, memory, ring }),
            (None, _) => NEVER,
        }
    }

    /// Puts an FTL between jobs and drive.
    pub fn set_ftl(&mut self, ftl: HostFtl) {
        self.ftl = Some(Box::new(ftl));
    }

    /// The FTL between jobs and drive.
    pub fn ftl(&self) -> Option<&HostFtl> {
        self.ftl.as_deref()
    }

    /// As [`FioHost::ftl`], to be changed.
    pub fn ftl_mut(&mut self) -> Option<&mut HostFtl> {
        self.ftl.as_deref_mut()
    }

    /// As [`FioHost::engine`], to be changed.
    ///
    /// # Panics
    /// As [`FioHost::engine`].
    pub fn engine_mut(&mut self) -> &mut Engine {
        self.engine.as_mut().expect("the host has its jobs")
    }

    /// Takes the jobs out, to report on them.
    ///
    /// # Panics
    /// As [`FioHost::engine`].
    pub fn take_engine(&mut self) -> Engine {
        self.engine.take().expect("the host has its jobs")
    }
}

impl Host for FioHost {
    type Memory = Memory;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64 {
        self.act(now, wake, |Ring { offset, value }| registers.write32(offset, value))
    }

    fn posted(&mut self, queue: u16, id: u16, times: &CommandTimes) {
        let Some(engine) = &mut self.engine else { return };
        if let Some(ftl) = &mut self.ftl {
            return ftl.set_times(queue, id, times);
        }
        if let Some(lane) = queue.checked_sub(1) {
            engine.set_times(lane.into(), id, times);
        }
    }
}

/// Lets jobs act over an FTL in the host, whose queues they use in place of the drive's.
fn act_over(
    (engine, ftl): (&mut Engine, &mut HostFtl),
    wake: Wake,
    port: Port<'_, impl FnMut(Ring)>,
) -> u64 {
    let Port { now, memory, ring } = port;
    let mut below = ftl::Port { now, memory, ring };
    if let Wake::Interrupt(_) = wake {
        ftl.receive(&mut below);
    }
    loop {
        ftl.act(&mut below);
        while let Some((lane, cid, times)) = ftl.next_done(below.memory) {
            engine.set_times(lane, cid, &times);
            let ring = |ring: Ring| ftl.rung(ring);
            engine.wake(
                Wake::Interrupt(lane as u16 + 1),
                &mut Port { now, memory: below.memory, ring },
            );
        }
        let ring = |ring: Ring| ftl.rung(ring);
        let next_ps = engine.wake(Wake::Timer, &mut Port { now, memory: below.memory, ring });
        ftl.take_rung(now, below.memory);
        if let Some(broken) = ftl.broken() {
            engine.break_down(broken, now);
            return NEVER;
        }
        if ftl.next_ps() > now && !ftl.has_done() {
            return next_ps.min(ftl.next_ps());
        }
    }
}
