//! The FTL over simulated drives, whose power goes away at any moment.

use board::Board;
use machine::{Host, Polling, Registers, Stopped, Unobserved, Wake, NEVER};
use sim::{Drive, Options};

use super::rig::{Body, Layout, Rig, PAYLOAD};
use super::rules::Random;
use super::*;
use crate::driver::Driver;

/// Most virtual time of a step: 300 us.
const STEP_PS: u64 = 300_000_000;

/// A host that is an FTL alone.
#[derive(Default)]
pub struct Alone {
    memory: Memory,
    ftl: Option<HostFtl>,
}

impl Host for Alone {
    type Memory = Memory;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64 {
        let Alone { memory, ftl: Some(ftl) } = self else { return NEVER };
        let ring = |ring: Doorbell| registers.write32(ring.offset, ring.value);
        let mut port = Port { now, memory, ring };
        if let Wake::Interrupt(_) = wake {
            ftl.receive(&mut port);
        }
        ftl.act(&mut port);
        assert_eq!(ftl.broken(), None);
        ftl.next_ps()
    }

    fn posted(&mut self, queue: u16, id: u16, times: &CommandTimes) {
        if let Some(ftl) = &mut self.ftl {
            ftl.set_times(queue, id, times);
        }
    }
}

pub struct Simulated {
    board: Board,
    seed: u64,
    drive: Option<Drive<Alone>>,
    layout: Layout,
}

impl Simulated {
    /// A drive of few small chunks, with what else is to be set.
    pub fn rig(set: &[(&str, &str)], seed: u64) -> Rig<Simulated> {
        let all = [
            ("nvme.command_set", "open-channel"),
            ("flash.metadata_bytes", "36"),
            ("geometry.blocks_per_way", "24"),
            ("flash.pages_per_physical_block", "16"),
        ];
        let set: Vec<_> =
            all.iter().chain(set).map(|&(key, value)| (key.into(), value.into())).collect();
        let board = Board::resolve("small", &set).expect("a board");
        let drive = Drive::new(&board, Self::options(seed), Alone::default()).expect("a drive");
        let (drive, layout) = Self::start(&board, drive);
        Rig::over(Simulated { board, seed, drive: Some(drive), layout }, Random(seed))
    }

    fn options(seed: u64) -> Options {
        Options { payload: PAYLOAD, seed, polling: Polling::Skip }
    }

    fn start(board: &Board, mut drive: Drive<Alone>) -> (Drive<Alone>, Layout) {
        let mut driver = Driver::start(&mut drive).expect("a driver");
        let asked = Found::ask((&mut driver, &mut drive), (4096, PAYLOAD), board);
        let (found, back) = asked.expect("a drive that is found");
        let memory = &mut drive.host_mut().memory;
        memory.reserve(Layout::BYTES + found.memory_bytes(back.entries()));
        let layout = Layout::new(memory);
        let stride = driver.capabilities().doorbell_stride;
        let start = Start { board, payload: PAYLOAD, front: &[layout.jobs], stride, back };
        let ftl = found.start(&start, memory).expect("an FTL");
        drive.host_mut().ftl = Some(ftl);
        (drive, layout)
    }

    fn drive(&mut self) -> &mut Drive<Alone> {
        self.drive.as_mut().expect("a drive")
    }
}

impl Body for Simulated {
    fn host(&mut self) -> (u64, &mut Memory, &mut HostFtl) {
        let drive = self.drive();
        let now = drive.now();
        let Alone { memory, ftl } = drive.host_mut();
        (now, memory, ftl.as_mut().expect("it was started"))
    }

    fn step(&mut self, random: &mut Random) -> bool {
        let drive = self.drive();
        drive.wake_host();
        let due_ps = drive.now() + 1 + random.below(STEP_PS);
        let stopped = drive.run_to(due_ps, |host| host.ftl.as_ref().is_some_and(HostFtl::has_done));
        stopped != Stopped::Quiet
    }

    fn cut(&mut self, _random: &mut Random, again: u32) {
        for _ in 0..=again {
            let (media, ..) = self.drive.take().expect("a drive").cut_power();
            let ends = (Alone::default(), Unobserved);
            let options = Self::options(self.seed);
            let drive = Drive::powered(&self.board, (options, media), ends).expect("a drive");
            let (drive, layout) = Self::start(&self.board, drive);
            (self.drive, self.layout) = (Some(drive), layout);
        }
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn may_lose(&self) -> bool {
        false
    }
}
