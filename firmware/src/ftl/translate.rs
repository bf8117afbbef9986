//! Address translator: where logical pages are, and where new data go (Cosmos+ section 3.3.2).

use alloc::boxed::Box;
use alloc::vec::Vec;
use contract::{Configuration, Geometry, Lpn};

use super::blocks::{Blocks, Stream};
use super::collect::{carry, collect_ahead, free_empty, make_room, Carried};
use super::fill::{Fill, FillOrder, FillPlan};
use super::handles::Handles;
use super::map::{Map, Ppn};
use super::moves::{Move, Moves};
use super::origin::Origin;
use super::placement::{self, Ways};
use super::refresh::Refresh;
use super::streams::{self, make_room_apart};
use super::victim;
use super::wear::Wear;
use crate::operations::{Page, Place};

/// When a logical page was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed {
    /// It held data, or had lost them.
    Now,
    /// It held none.
    Before,
}

/// What collection did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Collected {
    /// Victim blocks reclaimed.
    pub blocks: u64,
    /// Pages that what was valid in them has filled.
    pub pages: u64,
}

impl Collected {
    /// Each of them, in the order of their declaration.
    pub fn each(&mut self) -> [&mut u64; 2] {
        let Collected { blocks, pages } = self;
        [blocks, pages]
    }
}

/// What was collected for another reason than room, since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectedFor {
    /// Superblocks that were emptied so that all wear evenly.
    pub wear: u64,
    /// The same, because their bits went wrong.
    pub refresh: u64,
    /// Pages that the valid data of those emptied for wear filled when they were chosen.
    pub wear_pages: u64,
    /// Pages of those refreshed, likewise.
    pub refresh_pages: u64,
}

/// A page that new data can have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    die: u32,
    stream: Stream,
    handle: u8,
    /// How many mapping units of them; what collection has left goes to the others.
    pub units: u32,
}

/// The map, the blocks, and the placement of new data.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Translator {
    /// What the drive was made for.
    pub(super) config: Configuration,
    geometry: Geometry,
    /// Which way new data go to.
    placement: placement::Chosen,
    pub(crate) map: Map,
    pub(crate) blocks: Blocks,
    pub(crate) collected: Collected,
    /// Told of a run alone, which a snapshot does not go on with.
    #[cfg_attr(feature = "state", borsh(skip))]
    pub(crate) collected_for: CollectedFor,
    /// Free superblocks that each way keeps for collection.
    pub(crate) reserve: u32,
    /// Sequence number of the last change that was planned.
    pub(crate) sequence: u64,
    /// Free pages that each way is to have before it is in need; 0 where it collects on demand.
    pub(crate) free_pages_kept: u32,
    /// The policy that says which data go to superblocks of their own.
    pub(super) streams: streams::Chosen,
    /// The policy that chooses the superblock that is collected next.
    pub(super) victims: victim::Victims,
    /// What the host's placement handles have brought; none where the host does not place its data.
    pub(crate) handles: Option<Box<Handles>>,
    /// Superblocks that are collected so that all wear evenly.
    pub(super) wear: Wear,
    /// Superblocks that are collected because their bits go wrong.
    pub(crate) refresh: Refresh,
    /// Ways that may have to be collected ahead of need, a bit a way, by channel.
    restless: Vec<u64>,
}

impl Translator {
    /// An empty drive whose `bad(die, block)` blocks are left out.
    pub fn new(config: &Configuration, bad: impl FnMut(u32, u32) -> bool) -> Self {
        let g = config.geometry;
        Translator {
            config: config.clone(),
            geometry: g,
            placement: placement::Chosen::new(config),
            map: Map::new(g, config.logical_pages, config.units_per_page()),
            blocks: Blocks::new(config, bad),
            collected: Collected::default(),
            collected_for: CollectedFor::default(),
            reserve: if config.recovery.is_some() { 2 } else { 1 },
            sequence: 0,
            free_pages_kept: config.free_pages_kept,
            streams: streams::Chosen::new(config),
            victims: victim::Victims::new(config),
            handles: Handles::of(config),
            wear: Wear::new(config),
            refresh: Refresh::new(g.dies(), g.blocks_per_way / config.joined_planes),
            restless: alloc::vec![0; g.channels as usize],
        }
    }

    /// Has victims be chosen by something outside of the firmware, or by the board's policy, which begins anew.
    #[cfg(feature = "given-victims")]
    pub fn choose_victims(&mut self, by: Option<alloc::boxed::Box<dyn victim::Chooser>>) {
        self.victims =
            by.map_or_else(|| victim::Victims::new(&self.config), victim::Victims::given);
    }

    /// The page map.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The blocks of all ways, by what they are used for.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// What the host's placement handles have brought, where the host places its data.
    pub fn handles(&self) -> Option<&Handles> {
        self.handles.as_deref()
    }

    /// The next data of a placement handle go to another reclaim unit. What is left of the handle's superblocks stays empty until they are
    /// collected.
    pub(crate) fn renew_reclaim_unit(&mut self, handle: u8) {
        if !self.handles.as_mut().is_some_and(|handles| handles.renew(handle)) {
            return;
        }
        for die in 0..self.geometry.dies() {
            match self.blocks.open(die, Stream::of_handle(handle)) {
                Some((superblock, next_page)) if next_page > 0 => {
                    self.blocks.close(die, superblock);
                    self.disturb(die);
                }
                _ => {}
            }
        }
    }

    /// What collection did so far.
    pub fn collected(&self) -> Collected {
        self.collected
    }

    /// Pages that the free superblocks of a new drive hold, without the reserve of each way.
    pub fn room(&self) -> u64 {
        let blocks = |die| u64::from(self.blocks.free_count(die).saturating_sub(self.reserve));
        (0..self.geometry.dies()).map(blocks).sum::<u64>()
            * u64::from(self.blocks.superblock_pages())
    }

    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Where a logical page is.
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Option<Place> {
        self.map.lookup(lpn).map(|ppn| self.place_of(ppn))
    }

    /// Gives new data of a logical page a page, collecting garbage where the way has none left. `None` when
    /// no way can take a page, which only lost blocks can bring about.
    pub fn place(&mut self, lpn: Lpn, moves: &mut impl Moves) -> Option<Page> {
        let room = self.find_room(lpn, 0, moves)?;
        Some(self.put(room, core::iter::once(lpn)))
    }

    /// Gives new data of the first of these logical pages a page, as many as it takes, and has it programmed at once, with
    /// what collection has left in the way. Returns how many; `None` as [`Translator::place`].
    pub fn place_some<M: Moves>(
        &mut self,
        lpns: &[Lpn],
        moves: &mut M,
        program: impl FnOnce(&mut M, Page, (&[Lpn], &[Move])),
    ) -> Option<usize> {
        let room = self.find_room(*lpns.first()?, 0, moves)?;
        let lpns = &lpns[..lpns.len().min(room.units as usize)];
        let page = self.put(room, lpns.iter().copied());
        let carried = self.carry(page, lpns.len() as u32);
        program(moves, page, (lpns, carried.moved()));
        self.carried(page.die, moves);
        Some(lpns.len())
    }

    /// A page for new data of a placement handle, the first of which are those of a logical page, collecting garbage where the way
    /// has none left. `None` when no way can take a page, which only lost blocks can bring about.
    #[inline]
    pub(crate) fn find_room(
        &mut self,
        first: Lpn,
        handle: u8,
        moves: &mut impl Moves,
    ) -> Option<Room> {
        let wanted = self.streams.of_new(first, handle);
        let new = if wanted == Stream::Moved { Stream::Host } else { wanted };
        let way = self.placement.next(&Ways::new(&self.geometry, moves));
        for step in 0..self.geometry.dies() {
            // A way that holds valid data in every block is passed over.
            let die = (way + step) % self.geometry.dies();
            let stream = if self.streams.is_apart() {
                make_room_apart(self, die, new, moves)
            } else {
                make_room(self, die, moves).then_some(Stream::Host)
            };
            if let Some(mut stream) = stream {
                // A page that this takes is left in the other superblock: the way has as many as before.
                if wanted == Stream::Moved && self.blocks.left(die, Stream::Moved) > 0 {
                    stream = Stream::Moved;
                }
                let units = self.units_per_page();
                let left = self.blocks.units_in_victim(die).filter(|&left| left < units);
                return Some(Room { die, stream, handle, units: units - left.unwrap_or(0) });
            }
        }
        None
    }

    /// Puts new data of logical pages, no more than it has room for, to a page.
    #[inline]
    pub(crate) fn put(
        &mut self,
        Room { die, stream, handle, .. }: Room,
        lpns: impl ExactSizeIterator<Item = Lpn>,
    ) -> Page {
        let units = lpns.len() as u32;
        let page = Page { die, row: self.blocks.take_page((die, stream), units) };
        if let Some(handles) = &mut self.handles {
            handles.place(handle, stream, units);
        }
        self.disturb(die);
        self.next_sequence();
        for (lpn, unit) in lpns.zip(0..) {
            self.assign(lpn, Place { page, unit });
        }
        page
    }

    /// Moves what collection has left in a way to a page of new data, of which so many mapping units are in use.
    /// [`Translator::carried`] follows when what is done there is planned.
    pub(crate) fn carry(&mut self, page: Page, used: u32) -> Carried {
        carry(self, (page, used))
    }

    /// What collection had left in a way is planned to be moved.
    pub(crate) fn carried(&mut self, die: u32, moves: &mut impl Moves) {
        free_empty(self, die, moves);
    }

    /// Points `lpn` at `place`, in a page that was just taken, and invalidates where it was.
    pub(crate) fn assign(&mut self, lpn: Lpn, place: Place) {
        if let Some(old) = self.map.assign(lpn, self.ppn(place)) {
            self.invalidate(old);
        }
    }

    /// Points the logical page whose data are at one place at another one, in a page that was just taken.
    pub(crate) fn relocate(&mut self, lpn: Lpn, (from, to): (Place, Place)) {
        if let Some(old) = self.map.relocate(lpn, (self.ppn(from), self.ppn(to))) {
            self.invalidate(old);
        }
    }

    /// Frees a logical page.
    pub fn unmap(&mut self, lpn: Lpn) -> Freed {
        let was_lost = self.map.is_lost(lpn);
        let old = self.map.unmap(lpn);
        self.sequence += 1;
        if let Some(old) = old {
            self.invalidate(old);
        }
        if old.is_some() || was_lost {
            Freed::Now
        } else {
            Freed::Before
        }
    }

    /// Notes that the data of a logical page could not be written.
    pub(crate) fn lose(&mut self, lpn: Lpn) {
        self.sequence += 1;
        if let Some(old) = self.map.lose(lpn) {
            self.invalidate(old);
        }
    }

    /// Notes that the data of a logical page, which are at `ppn`, are lost.
    fn lose_known(&mut self, lpn: Lpn, ppn: Ppn) {
        self.sequence += 1;
        self.map.lose_at(lpn, ppn);
        self.invalidate(ppn);
    }

    /// Notes that what was programmed to a place for `lpn` is lost data, unless newer ones are elsewhere.
    /// True when there are none.
    pub(crate) fn lose_at(&mut self, lpn: Lpn, place: Place) -> bool {
        let ppn = self.ppn(place);
        let is_there = self.map.holds(ppn, lpn);
        if is_there {
            self.lose_known(lpn, ppn);
        }
        is_there
    }

    /// Notes that what a block was to hold at and after page `first` is lost; tells `lost` of each.
    pub(crate) fn lose_from(
        &mut self,
        (die, block): (u32, u32),
        first: u32,
        mut lost: impl FnMut(Lpn, u64),
    ) {
        let units = self.units_per_page();
        let base = self.first_of(die, block);
        for nth in first * units..self.geometry.pages_per_block * units {
            if let Some(lpn) = self.map.owner(Ppn(base + nth)) {
                self.lose_known(lpn, Ppn(base + nth));
                lost(lpn, self.sequence);
            }
        }
    }

    /// Starts an untouched drive from the state that writing `pages` pages once leaves. `None`
    /// where no formula describes it; nothing changed then.
    pub fn start_filled(&mut self, pages: u32, order: FillOrder) -> Option<&Origin> {
        let dies = self.geometry.dies();
        let lists: Vec<Vec<u32>> = (0..dies).map(|d| self.blocks.free_list(d).collect()).collect();
        let plan = FillPlan {
            pages,
            order,
            geometry: self.geometry,
            ways: self.placement.order()?,
            planes: self.blocks.planes(),
            reserve: self.reserve,
            blocks: &lists,
        };
        let fill = Fill::new(plan)?;
        for die in 0..dies {
            self.blocks.take_pages((die, Stream::Host), fill.pages_of_die(die));
        }
        self.placement.came_before(u64::from(pages));
        let units = self.units_per_page();
        self.streams.came_before(order.pages(pages).map(|page| Lpn(page * units)));
        self.map.start_from(Origin::Filled(fill));
        self.map.origin()
    }

    /// Points what `from` holds at and after page `first` to the same pages of `to`.
    pub(crate) fn repoint(&mut self, die: u32, (from, to): (u32, u32), first: u32) {
        let units = self.units_per_page();
        let (from, to) = (self.first_of(die, from), self.first_of(die, to));
        for nth in first * units..self.geometry.pages_per_block * units {
            if let Some(lpn) = self.map.owner(Ppn(from + nth)) {
                self.map.relocate(lpn, (Ppn(from + nth), Ppn(to + nth)));
            }
        }
    }

    /// Valid mapping units of a block before page `end`.
    pub(crate) fn valid_before(&self, die: u32, block: u32, end: u32) -> u32 {
        let base = self.first_of(die, block);
        let before = 0..end * self.units_per_page();
        before.filter(|nth| self.map.owner(Ppn(base + nth)).is_some()).count() as u32
    }

    /// A read of a page had to correct many bits.
    pub(crate) fn note_weak(&mut self, page: Page) {
        self.refresh.note(&self.blocks, page);
        self.rouse(page.die);
    }

    /// Does a step of collection ahead of need on an idle way. False when none of them needs it.
    pub(crate) fn collect_ahead(&mut self, moves: &mut impl Moves) -> bool {
        for channel in 0..self.restless.len() {
            let mut ways = self.restless[channel] & moves.idle_ways(channel);
            while ways != 0 {
                let way = ways.trailing_zeros();
                ways &= ways - 1;
                let die = way * self.geometry.channels + channel as u32;
                if collect_ahead(self, die, moves) {
                    return true;
                }
                self.restless[channel] &= !(1 << way);
            }
        }
        false
    }

    fn invalidate(&mut self, old: Ppn) {
        let Place { page, .. } = self.place_of(old);
        self.blocks.invalidate(page.die, self.geometry.block_of(page.row));
        self.disturb(page.die);
    }

    /// A way has fewer free pages than before, or a better victim.
    #[inline]
    pub(crate) fn disturb(&mut self, die: u32) {
        if self.free_pages_kept > 0 {
            self.rouse(die);
        }
    }

    /// A way may have to be collected.
    fn rouse(&mut self, die: u32) {
        let channel = die % self.geometry.channels;
        self.restless[channel as usize] |= 1 << (die / self.geometry.channels);
    }

    /// Mapping units of a page.
    pub(crate) fn units_per_page(&self) -> u32 {
        self.blocks.units_per_page()
    }

    /// The number of a mapping unit over the whole array.
    pub(crate) fn ppn(&self, Place { page, unit }: Place) -> Ppn {
        let page = page.die * self.geometry.rows_per_way() + page.row;
        Ppn(page * self.units_per_page() + u32::from(unit))
    }

    /// The number of the first mapping unit of a block over the whole array.
    fn first_of(&self, die: u32, block: u32) -> u32 {
        let row = block * self.geometry.pages_per_block;
        self.ppn(Place { page: Page { die, row }, unit: 0 }).0
    }

    fn place_of(&self, Ppn(ppn): Ppn) -> Place {
        let (rows, units) = (self.geometry.rows_per_way(), self.units_per_page());
        let page = ppn / units;
        Place { page: Page { die: page / rows, row: page % rows }, unit: (ppn % units) as u8 }
    }

    /// So many placements came before.
    pub(super) fn count_placements(&mut self, placements: u64) {
        self.placement.came_before(placements);
    }
}
