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
mod saving;

use alloc::vec::Vec;
use contract::{BufferId, Configuration, Geometry, Hardware, Reserve};

use self::area::Area;
pub(super) use self::gather::newest;
use self::gather::Gathering;
use self::page::SavedPage;
use self::saving::{Saving, ToSave, Way};
use super::buffer::Freshness;
use super::depend::Adder;
use super::log::record::Record;
use super::slice::{Slice, SLICES_A_TURN};
use super::{Ftl, Ports};
use crate::nvme::backend::{IoKind, Protection};
use crate::operations::{Action, Deed, Dma, Operation, Owner, Page, Touch};
use crate::planted::{is_planted, Bug};

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

impl Ftl {
    /// Whether what is in the data buffer outlasts the power.
    pub fn protection(&self) -> Protection {
        self.save.as_ref().map_or(Protection::None, Save::protection)
    }

    /// Whether a command may make another mapping unit wait for the flash. Where it may not, some that wait are
    /// programmed. They are saved packed, whatever shares a page now.
    pub(super) fn has_room_to_save(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        kind: IoKind,
    ) -> bool {
        let Some(pages) = self.save.as_ref().map(|save| save.pages) else { return true };
        if pages == 0 || !matches!(kind, IoKind::Write | IoKind::WriteZeroes) {
            return true;
        }
        let most = pages * self.translator.units_per_page();
        let mut begun = 0;
        // Half of them may wait, so that the others are on their way.
        while self.buffer.dirty() > most / 2
            && begun < SLICES_A_TURN[0]
            && ports.station.pool.free_count() >= 2 * self.slice_operations
            && self.flush_oldest(ports)
        {
            begun += 1;
        }
        self.units_to_program() < most || is_planted(Bug::ReserveIgnored)
    }

    /// Whether data of a slice are to replace older ones of a complete entry all at once.
    pub(super) fn is_staged(&self, entry: BufferId) -> bool {
        self.save.is_some() && self.buffer.is_complete(entry) && !is_planted(Bug::StagingSkipped)
    }

    /// Brings the host's data into a staging entry, and from there to theirs when all have arrived.
    pub(super) fn stage(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        entry: BufferId,
        slice: &Slice,
    ) {
        let save = self.save.as_mut().expect("a drive with staging entries");
        let from = self.buffer.staging_entry(save.staging);
        save.staging = (save.staging + 1) % Reserve::STAGING_ENTRIES;
        let data = self.data(from, slice);
        let action = Action::Dma(Dma::FromHost { data, replaced: None });
        let op = Operation { owner: Owner::Step(slice.tag), action };
        Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(op);
        let touch = Touch { entry, span: slice.span, deed: Deed::Copy { from } };
        self.change(ports, (entry, Action::Touch(touch)), slice);
    }

    /// Goes on with what is to be done before commands are taken. True when something was done.
    pub(super) fn advance_save(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(save) = &mut self.save else { return false };
        match save.phase {
            Phase::Gather(_) => self.gather(ports),
            Phase::PutBack(_) => self.put_back(ports),
            Phase::Settle => self.settle_saved(),
            Phase::Erase { .. } => self.erase_area(ports),
            Phase::Ready => self.note_dead(ports),
            Phase::Lost(_) => false,
        }
    }

    /// Nothing is to be saved to a chip that no reset brings back. True when one is new.
    fn note_dead(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(die) = ports.station.next_dead() else { return false };
        if let Some(save) = &mut self.save {
            save.area.lose_way(die);
            save.pages = save.pages_to_save();
        }
        true
    }

    /// Whether the area is still to be read, before which the log does nothing.
    pub(super) fn is_gathering(&self) -> bool {
        self.save.as_ref().is_some_and(|save| matches!(save.phase, Phase::Gather(_)))
    }

    /// Whether a page is of the save area.
    pub(super) fn is_saved_at(&self, page: Page) -> bool {
        self.save.as_ref().is_some_and(|save| save.area.has(page))
    }
}

/// Records that are worth saving: others can be found out again from what flash holds.
fn is_worth_saving(record: &Record) -> bool {
    matches!(record, Record::Unmapped { .. } | Record::Lost { .. })
}

/// Whether an entry holds data that no program was planned for, as they are to be.
fn holds_new_data(ftl: &Ftl, entry: BufferId) -> bool {
    ftl.buffer.freshness(entry) == Freshness::Dirty && ftl.buffer.filling(entry).is_none()
}

#[cfg(test)]
mod tests {
    use contract::{Duration, Lpn, SavingCosts};

    use super::*;
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
