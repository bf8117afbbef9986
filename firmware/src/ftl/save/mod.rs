//! Power-loss protection: what a drive with a capacitor does so that nothing is lost that it said is written
//! (docs/design/durability.md).
//!
//! While there is power, no more pages wait for the flash than the capacitor lets the drive save, and data
//! in the buffer are replaced whole or not at all ([`Ftl::has_room_to_save`], [`Ftl::stage`]). When it goes away,
//! what had not begun is forgotten ([`loss`]), what the host knows to be written goes to blocks that are kept erased for
//! that ([`saving`]), and at the next power-on to where it belongs ([`gather`]).

pub mod area;
mod gather;
mod loss;
pub mod page;
mod protect;
mod saving;

use alloc::vec::Vec;
use contract::{BufferId, Configuration, Geometry, Lpn, Reserve};

use self::area::Area;
pub(super) use self::gather::newest;
use self::page::SavedPage;
use super::log::record::Record;
use crate::nvme::backend::Protection;
use crate::operations::{Fifo, Task};

/// Where the protection stands.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Phase {
    /// The area is read.
    Gather(Gathering),
    /// Saved pages go to where they belong, from this page on.
    PutBack(usize),
    /// The saved pages are on their way, and the log notes that.
    Settle,
    /// The area is erased.
    Erase {
        /// Blocks whose erases are still to begin, and blocks whose erases are under way.
        next: u32,
        under_way: u32,
    },
    /// All is as it has to be for the power to go away.
    Ready,
    /// The power went away.
    Lost(Saving),
}

/// What a drive with a capacitor has for the end of power.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Save {
    geometry: Geometry,
    reserve: Reserve,
    buffer_pages: u32,
    pub(super) area: Area,
    phase: Phase,
    /// Pages that the drive can save; 0 while it protects nothing.
    pages: u32,
    /// More may wait than that, since a chip has died.
    is_behind: bool,
    /// The staging entry to be used next.
    staging: u32,
    /// Pages that were saved and are to be put back, until they are.
    found: Vec<SavedPage>,
    /// What each way does while pages are saved.
    ways: Vec<Way>,
    /// Data to be saved next: of programs that a look at the pool found, of programs that failed, and of programs whose chip hangs.
    next: Vec<ToSave>,
    /// By slot of the pool when the power went away, mapping units that were planned for data which never come.
    absent: Vec<bool>,
}

impl Save {
    /// The protection of a drive that has to look what was saved.
    pub fn new(config: &Configuration, reserve: Reserve, area: Area) -> Self {
        let geometry = config.geometry;
        Save {
            geometry,
            reserve,
            buffer_pages: config.buffer_entries / config.units_per_page(),
            area,
            phase: Phase::Gather(Gathering::new(&geometry)),
            pages: 0,
            is_behind: false,
            staging: 0,
            found: Vec::new(),
            ways: alloc::vec![Way::default(); geometry.dies() as usize],
            next: Vec::new(),
            absent: Vec::new(),
        }
    }

    /// Whether nothing more is to be done before commands are taken.
    pub fn is_ready(&self) -> bool {
        matches!(self.phase, Phase::Ready)
    }

    /// Whether it can save what it promises. Before it is ready, no command is taken.
    fn protection(&self) -> Protection {
        if self.pages > 0 || !self.is_ready() {
            Protection::Holds
        } else {
            Protection::Failed
        }
    }

    /// What energy and area are enough for.
    fn pages_to_save(&self) -> u32 {
        let by_energy = self.reserve.data_pages(self.buffer_pages, &self.geometry);
        let costs = &self.reserve.costs;
        let beside = costs.pages_beside(&self.geometry);
        // Fewer ways take longer for the same.
        let ways = u64::from(by_energy + beside) * u64::from(self.area.ways());
        let by_ways = (ways / u64::from(costs.ways(&self.geometry).max(1))) as u32;
        by_ways.min(self.area.room()).saturating_sub(beside).min(by_energy)
    }
}

/// How far reading the area has come.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Gathering {
    /// Entries for pages of the log that can be read to.
    free: Vec<BufferId>,
    /// Ways of which a page is being read.
    reads: Vec<bool>,
    /// Of each way, erased pages of a block before the one that is to be read next, without another between.
    erased: Vec<u32>,
    under_way: u32,
    pages: Vec<SavedPage>,
    records: Vec<Record>,
    /// The newest epoch of all pages.
    epoch: u32,
}

impl Gathering {
    pub fn new(geometry: &Geometry) -> Self {
        Gathering {
            free: Vec::new(),
            reads: alloc::vec![false; geometry.dies() as usize],
            erased: alloc::vec![0; geometry.dies() as usize],
            under_way: 0,
            pages: Vec::new(),
            records: Vec::new(),
            epoch: 0,
        }
    }

    /// A page is being read of the first way.
    #[cfg(test)]
    pub fn begin_read(&mut self) {
        (self.under_way, self.reads[0]) = (self.under_way + 1, true);
    }
}

/// How far saving has come.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Saving {
    /// Whether there is anything to be saved: the area may be in use for what was saved before.
    wanted: bool,
    /// The slot of the pool and the entry of the buffer to be looked at next.
    slot: u32,
    entry: u32,
    /// A journal page is under way, or none is left; and how many were begun with.
    journal: bool,
    journal_pages: u64,
    /// A journal page whose chip hangs.
    late_journal: Option<Task>,
    /// Programs of the same units as those whose chip hangs.
    late: Fifo,
    /// Pages whose program failed.
    again: Fifo,
    /// The way to be written to next.
    die: u32,
}

/// What a way does while pages are saved.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Way {
    /// Pages that were given to it and that it has not answered.
    pages: u32,
    /// Its chip counts as one that hangs: nothing is given to it any more, nor waited for.
    given_up: bool,
}

/// A mapping unit that is to be saved.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct ToSave {
    entry: BufferId,
    lpn: Lpn,
    lost: bool,
    /// When it was planned.
    sequence: u64,
}

impl Saving {
    pub fn new(wanted: bool) -> Self {
        Saving {
            wanted,
            slot: 0,
            entry: 0,
            journal: false,
            journal_pages: 0,
            late_journal: None,
            late: Fifo::EMPTY,
            again: Fifo::EMPTY,
            die: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::{Duration, SavingCosts};

    use super::*;
    use crate::ftl::buffer::Freshness;
    use crate::ftl::{Ftl, Ports};
    use crate::nvme::backend::IoKind;
    use crate::nvme::tests::mock::{configuration, MockHardware};
    use crate::operations::Station;

    /// A drive with pages of four mapping units that keeps three blocks of each way for what it saves.
    pub(super) fn with_capacitor() -> Configuration {
        let costs = SavingCosts {
            controller_mw: 1,
            die_mw: 1,
            transfer_pj: 1,
            program: Duration::from_us(1),
            erase: Duration::from_us(1),
            transfer: Duration::from_us(1),
            begun_per_die: 1,
            hung_ways: 0,
            given_per_way: 2,
        };
        let reserve = Some(Reserve { blocks_per_way: 3, energy_pj: 1 << 40, costs });
        Configuration { unit_bytes: 4096, reserve, ..configuration() }
    }

    /// The FTL of such a drive, which has not looked yet what was saved.
    pub(super) fn new_ftl(config: &Configuration) -> Ftl {
        Ftl::new(config, &mut MockHardware::new(config))
    }

    /// The protection of one with whole pages when it has looked, and so many blocks of each way could be erased.
    fn with_usable(blocks: u32) -> Save {
        let unit_bytes = with_capacitor().geometry.page_bytes;
        let config = Configuration { unit_bytes, ..with_capacitor() };
        let mut save = new_ftl(&config).save.expect("a drive with a capacitor");
        for die in 0..config.geometry.dies() {
            for nth in 0..3 {
                let page = save.area.head(die, nth);
                save.area.erased(page, nth < blocks);
            }
        }
        save
    }

    /// A drive that can save nothing says so, and takes that for what holds no more.
    #[test]
    fn a_protection_without_room_to_save_promises_nothing() {
        for (blocks, expected) in [
            (3, Protection::Holds),
            (2, Protection::Holds),
            (1, Protection::Failed),
            (0, Protection::Failed),
        ] {
            let mut save = with_usable(blocks);
            assert_eq!(save.protection(), Protection::Holds, "it is not known yet");
            save.pages = save.pages_to_save();
            save.phase = Phase::Ready;
            assert_eq!(save.protection(), expected, "{blocks} blocks a way");
        }
    }

    /// Chips that no reset brings back take the room with them, and the time: one way of four takes too long.
    #[test]
    fn a_protection_that_loses_its_ways_promises_nothing_any_more() {
        let mut save = with_usable(3);
        save.phase = Phase::Ready;
        for die in 0..3 {
            save.pages = save.pages_to_save();
            assert_eq!(save.protection(), Protection::Holds, "{die} ways are lost");
            save.area.lose_way(die);
        }
        save.pages = save.pages_to_save();
        assert_eq!((save.pages, save.protection()), (0, Protection::Failed));
    }
    /// The drive learns of dead chips while it works, from what its channels answer.
    #[test]
    fn a_drive_whose_chips_die_promises_nothing_any_more() {
        let config = with_capacitor();
        let (mut ftl, mut hw) = (new_ftl(&config), MockHardware::new(&config));
        let mut save = with_usable(3);
        (save.pages, save.phase) = (save.pages_to_save(), Phase::Ready);
        ftl.save = Some(save);
        let mut station = Station::of(&config, 16);
        let mut ports = Ports { hw: &mut hw, station: &mut station };
        for die in 0..3 {
            assert!(!ftl.advance_save(&mut ports), "nothing is new");
            assert_eq!(ftl.protection(), Protection::Holds, "{die} ways are lost");
            ports.station.lose_chip(die);
            assert!(ftl.advance_save(&mut ports));
        }
        assert_eq!(ftl.protection(), Protection::Failed);
        let area = &ftl.save.as_ref().expect("a capacitor").area;
        assert_eq!([0, 1, 2, 3].map(|die| area.has_page(die)), [false, false, false, true]);
    }

    /// A flush may have told that what waits is safe, as long as it could be saved.
    #[test]
    fn what_cannot_be_saved_any_more_is_programmed_at_once() {
        let config = with_capacitor();
        let (mut ftl, mut hw) = (new_ftl(&config), MockHardware::new(&config));
        let mut save = with_usable(3);
        (save.pages, save.phase) = (save.pages_to_save(), Phase::Ready);
        ftl.save = Some(save);
        let mut station = Station::of(&config, 4096);
        let mut ports = Ports { hw: &mut hw, station: &mut station };
        let waiting = config.units_per_page();
        let all = ftl.buffer.division().all();
        for entry in 0..waiting {
            ftl.buffer.recycle(BufferId(entry), Lpn(entry));
            ftl.buffer.expect(BufferId(entry), all);
            ftl.buffer.set_freshness(BufferId(entry), Freshness::Dirty);
        }
        assert!(!ftl.advance_save(&mut ports), "it can be saved");
        for die in 0..3 {
            ports.station.lose_chip(die);
        }
        let turns = (0..100).take_while(|_| ftl.advance_save(&mut ports)).count();
        let waits = ftl.units_to_program() - ftl.flushes.units_under_way();
        assert_eq!((waits, ftl.buffer.dirty(), ftl.protection()), (0, 0, Protection::Failed));
        assert!(turns < 100, "{turns} turns");
    }

    /// What waits for the flash, packed, fits the pages that can be saved. Only writes make more wait.
    #[test]
    fn no_more_units_wait_than_can_be_saved() {
        let config = with_capacitor();
        let (mut ftl, mut hw) = (new_ftl(&config), MockHardware::new(&config));
        // Without room for operations nothing is programmed meanwhile.
        let mut station = Station::of(&config, 16);
        let mut ports = Ports { hw: &mut hw, station: &mut station };
        let most = 2 * config.units_per_page();
        for entry in 0..most + 1 {
            for (pages, kind, expected) in [
                (2, IoKind::Write, entry < most),
                (2, IoKind::WriteZeroes, entry < most),
                (2, IoKind::Read, true),
                (2, IoKind::Deallocate, true),
                (0, IoKind::Write, true),
            ] {
                ftl.save.as_mut().expect("a capacitor").pages = pages;
                let has_room = ftl.has_room_to_save(&mut ports, kind);
                assert_eq!(has_room, expected, "{entry} units wait, {pages} pages, {kind:?}");
            }
            ftl.buffer.recycle(BufferId(entry), Lpn(entry));
            ftl.buffer.set_freshness(BufferId(entry), Freshness::Dirty);
        }
    }
}
