//! The host's bridge is reset and the drive is not, in the middle of everything: what comes of it is that of a controller reset.

use crate::nvme_host::resets::ends;
use crate::nvme_host::whole::{prompt, run};
use crate::nvme_host::world::{World, BOTH};
use contract::Duration;
use nvme::command::Entry;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::offset;
use rtl_sim::nvme::{CardDevice, Mode, Ssd, SsdTop};
use rtl_sim::seed;

/// Where the MSI-X table begins in BAR 0, and the vector control of its first entry.
const MSIX_TABLE: u64 = 0x2000;
const VECTOR_CONTROL: u64 = MSIX_TABLE + 12;

/// A register, once the drive answers again.
fn answer<D: CardDevice>(world: &mut World<D>, register: u64) -> u32 {
    world.until("the reset of the host", |world| !world.device.card().is_host_reset_due());
    world.device.card().bar.read(register);
    world.until("an answer of BAR 0", |world| world.device.card().bar.is_idle());
    world.device.card().bar.take().expect("a read that is done has a value")
}

/// A reset of the host at once, for any time.
fn reset<D: CardDevice>(world: &mut World<D>) {
    let cycles = [1, 2, 40, 3000][world.random.below(4) as usize];
    world.device.card().reset_host(0, cycles);
    assert_eq!(answer(world, offset::CC), 0, "CC after a reset");
}

#[test]
fn a_reset_of_the_host_in_the_middle_ends_all_of_it() {
    for mode in BOTH {
        seed::each(4, |random| ends(mode, random, reset));
    }
}

#[test]
fn a_reset_of_the_host_waits_for_an_access_of_a_register_and_for_nothing_of_the_host() {
    let mut world = World::prompt(Mode::Firmware);
    let tail = world.queues[0].ring_tail().offset;
    type Access = (u64, Option<u32>);
    let accesses: [Access; 6] = [
        (offset::CSTS, None),
        (offset::CC, Some(0)),
        (tail, Some(3)),
        (MSIX_TABLE, None),
        (VECTOR_CONTROL, Some(0)),
        (offset::AQA, Some(0x00ff_00ff)),
    ];
    for (register, value) in accesses {
        for after in 0..20 {
            let card = world.device.card();
            match value {
                Some(value) => card.bar.write(register, value),
                None => card.bar.read(register),
            }
            card.reset_host(after, 1 + after % 3);
            let start = card.cycles();
            assert_eq!(answer(&mut world, offset::CC), 0, "{register:#x} after {after}");
            assert_eq!(answer(&mut world, offset::AQA), 0, "{register:#x} after {after}");
            assert_eq!(answer(&mut world, VECTOR_CONTROL), 1, "{register:#x} after {after}");
            let waited = world.device.card().cycles() - start;
            assert!(waited < 2_000, "{register:#x} after {after}: {waited} cycles");
        }
    }
    world.restart();
    world.works();
}

/// Blocks of a page of the flash, and pages that the tests write.
const PAGE_BLOCKS: u64 = 8;
const PAGES: u64 = 4;
const PAGE_BYTES: usize = 4096;

/// A drive with pages of which everything is acknowledged.
struct Kept<D> {
    world: World<D>,
    pages: Vec<Vec<u8>>,
    /// The host's clock stops with its reset.
    stops: bool,
}

/// So many pages, from one on.
fn page_range(page: u64, pages: u64) -> BlockRange {
    BlockRange { start: page * PAGE_BLOCKS, blocks: (pages * PAGE_BLOCKS) as u32 }
}

/// Whether each dword is one of two.
fn is_mixed(found: &[u8], old: &[u8], new: &[u8]) -> bool {
    let dwords = |bytes: &[u8]| -> Vec<[u8; 4]> {
        bytes.chunks_exact(4).map(|dword| dword.try_into().expect("four bytes")).collect()
    };
    let pairs = dwords(old).into_iter().zip(dwords(new));
    dwords(found).into_iter().zip(pairs).all(|(found, (old, new))| found == old || found == new)
}

/// What is under way when the host is reset.
#[derive(Clone, Copy, Debug)]
enum Act {
    Write,
    Flush,
    Read,
}

impl<D: CardDevice> Kept<D> {
    fn new(mut world: World<D>) -> Self {
        let pages: Vec<_> = (0..PAGES).map(|_| world.random.bytes(PAGE_BYTES)).collect();
        let mut kept = Self { world, pages, stops: false };
        for page in 0..PAGES {
            let bytes = kept.pages[page as usize].clone();
            kept.write(page, &bytes);
        }
        kept
    }

    fn write(&mut self, page: u64, bytes: &[u8]) {
        let (status, _) = run(&mut self.world, IoCommand::Write, page_range(page, 1), bytes);
        assert!(status.is_success(), "{status}");
        self.pages[page as usize] = bytes.to_vec();
    }

    /// The command, and what its two pages become by it.
    fn command(&mut self, act: Act) -> (Entry, Vec<u8>) {
        let world = &mut self.world;
        let bytes = world.random.bytes(2 * PAGE_BYTES);
        let buffer = world.buffer(bytes.len() as u64);
        buffer.fill(world.memory(), &bytes);
        let header = world.header(&buffer);
        let (range, access) = (page_range(1, 2), UnitAccess::Normal);
        let entry = match act {
            Act::Write => IoCommand::Write(range, access).emit(header),
            Act::Read => IoCommand::Read(range, access).emit(header),
            Act::Flush => IoCommand::Flush.emit(world.bare_header()),
        };
        (entry, bytes)
    }

    /// Cycles that a command takes.
    fn length(&mut self, act: Act) -> u64 {
        let (entry, bytes) = self.command(act);
        let start = self.world.device.card().cycles();
        assert!(self.world.io(&entry).is_success());
        if let Act::Write = act {
            self.pages[1] = bytes[..PAGE_BYTES].to_vec();
            self.pages[2] = bytes[PAGE_BYTES..].to_vec();
        }
        self.world.device.card().cycles() - start
    }

    /// The host is reset so many cycles behind a command. A new one finds all that was acknowledged, and of a write that was
    /// not each dword old or new: what had come is in the buffer, in the place of the old data.
    fn reset_behind(&mut self, act: Act, after: u64) {
        let fresh = self.world.random.bytes(PAGE_BYTES);
        self.write(3, &fresh);
        let (entry, bytes) = self.command(act);
        self.world.push(0, &entry);
        self.world.device.card().reset_host(after, 1 + after % 7);
        if self.stops {
            // Before the reset or behind it, and beyond its end or not.
            let cycles = [2, 9, 3_000][after as usize % 3];
            let stop = (after + 3).saturating_sub(after % 8);
            self.world.device.card().stop_host_clock(stop, cycles);
        }
        let mut is_done = false;
        while self.is_host_away() {
            self.world.device.turn();
        }
        // What was told before the reset is in host memory.
        if let Some(completion) = self.world.queues[0].pop(self.world.device.memory()) {
            assert!(completion.status.is_success(), "{act:?} {after}: {}", completion.status);
            is_done = true;
        }
        assert_eq!(answer(&mut self.world, offset::CC), 0, "{act:?} {after}");
        self.world.restart();
        let length = PAGES as usize * PAGE_BYTES;
        let range = page_range(0, PAGES);
        let (status, found) = run(&mut self.world, IoCommand::Read, range, &vec![0; length]);
        assert!(status.is_success(), "{act:?} {after}: {status}");
        for (page, found) in found.chunks_exact(PAGE_BYTES).enumerate() {
            let new = match (act, page) {
                (Act::Write, 1 | 2) => Some(&bytes[(page - 1) * PAGE_BYTES..page * PAGE_BYTES]),
                _ => None,
            };
            let old = &self.pages[page];
            let is_right = match new {
                Some(new) if is_done => found == new,
                Some(new) => is_mixed(found, old, new),
                None => found == old,
            };
            assert!(is_right, "{act:?}, page {page}, {after} cycles behind, done: {is_done}");
            self.pages[page] = found.to_vec();
        }
    }

    fn is_host_away(&mut self) -> bool {
        let card = self.world.device.card();
        card.is_host_reset_due() || card.is_host_stop_due()
    }

    /// At every so many points of the time that commands take.
    fn reset_at_points(&mut self, points: u64) {
        for act in [Act::Write, Act::Flush, Act::Read] {
            let length = self.length(act) + 100;
            let step = length.div_ceil(points) | 1;
            for after in (0..length).step_by(step as usize) {
                self.reset_behind(act, after);
            }
        }
        self.world.works();
        for chips in &self.world.device.card().chips {
            chips.assert_clean();
        }
    }
}

/// Clocks of host and controller that have nothing to do with each other.
const UNRELATED: [Duration; 2] = [Duration::from_ps(4_001), Duration::from_ps(13_006)];

#[test]
fn what_was_acknowledged_is_there_after_a_reset_of_the_host_at_any_point() {
    Kept::new(prompt(Ssd::of_operations, SsdTop::OneClock)).reset_at_points(6);
}

#[test]
fn what_was_acknowledged_is_there_after_a_reset_of_a_host_with_a_clock_of_its_own() {
    Kept::new(prompt(Ssd::of_operations, SsdTop::OwnClocks(UNRELATED))).reset_at_points(2);
}

/// A bridge whose clock is faster than the controller's, and slower.
const BRIDGES: [SsdTop; 2] = [
    SsdTop::Bridged(UNRELATED),
    SsdTop::Bridged([Duration::from_ps(17_003), Duration::from_ps(13_006)]),
];

/// Stops the clock of the host of both bridges at so many points.
fn stop_at_points(points: [u64; 2]) {
    for (controller, points) in BRIDGES.into_iter().zip(points) {
        let mut kept = Kept::new(prompt(Ssd::of_operations, controller));
        kept.stops = true;
        kept.reset_at_points(points);
    }
}

#[test]
fn what_was_acknowledged_is_there_after_the_clock_of_the_host_stopped_at_any_point() {
    stop_at_points([4, 2]);
}

#[test]
fn processor_and_flash_go_on_while_the_clock_of_the_host_stands() {
    let mut kept = Kept::new(prompt(Ssd::of_operations, BRIDGES[0]));
    let flush = IoCommand::Flush.emit(kept.world.bare_header());
    kept.world.push(0, &flush);
    let programs = kept.world.device.counters().programs;
    kept.world.device.card().stop_host_clock(300, 60_000);
    kept.world.device.card().reset_host(300, 59_000);
    kept.world.until("a flush", |world| world.device.counters().programs > programs);
    assert!(kept.is_host_away(), "pages were programmed before");
    let page = kept.pages[1].clone();
    kept.world.until("the host", |world| !world.device.card().is_host_stop_due());
    assert_eq!(answer(&mut kept.world, offset::CC), 0);
    kept.world.restart();
    let (status, found) = run(&mut kept.world, IoCommand::Read, page_range(1, 1), &[0; PAGE_BYTES]);
    assert!(status.is_success() && found == page, "{status}");
    kept.world.works();
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn what_was_acknowledged_is_there_after_a_reset_of_the_host_at_many_points() {
        Kept::new(prompt(Ssd::of_operations, SsdTop::OneClock)).reset_at_points(60);
        Kept::new(prompt(Ssd::of_phases, SsdTop::OneClock)).reset_at_points(20);
        Kept::new(prompt(Ssd::of_operations, SsdTop::OwnClocks(UNRELATED))).reset_at_points(8);
    }

    #[test]
    fn what_was_acknowledged_is_there_after_the_clock_of_the_host_stopped_at_many_points() {
        stop_at_points([16, 8]);
    }
}
