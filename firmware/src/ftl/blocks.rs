//! The blocks of each way: free, open, closed by the number of invalid pages, spare, bad.
//!
//! Blocks of a way, one on each plane that its channel joins, make a *superblock*. They are opened, filled,
//! collected and erased together, and pages that follow each other go to one row, plane after plane, so
//! that the channel can program and read them together. Where channels join no planes, a superblock is a
//! block.

mod open;
mod roles;
#[cfg(feature = "state")]
mod sound;

use alloc::vec::Vec;
use contract::{Configuration, Geometry};
use sparse::{Clones, Table};

pub(super) use self::roles::MOST_STREAMS;
pub use self::roles::{BlockState, Role, Stream};
use super::wear;

pub(super) const NONE: u32 = u32::MAX;

/// Planes of a die at most.
pub const MOST_PLANES: usize = 4;

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Block {
    pub(super) state: State,
    pub(super) erases: u32,
}

/// Where a block is.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) enum State {
    /// In this superblock of its way.
    In(u32),
    /// Set aside.
    Spare,
    /// Failed, with so many mapping units of present data.
    Failed(u32),
    /// Out of use.
    Bad,
    /// Never in use: bad from the factory, or set aside for something else than data.
    Apart,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Superblock {
    pub(super) role: Role,
    /// What it was opened for last.
    stream: Stream,
    /// Mapping units with present data.
    pub(super) valid: u32,
    previous: u32,
    next: u32,
    /// The time of its way when it last changed.
    pub(super) changed: u64,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct List {
    pub(super) head: u32,
    tail: u32,
}

const EMPTY: List = List { head: NONE, tail: NONE };

/// An open superblock and its next page.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Open {
    pub(super) superblock: u32,
    pub(super) next_page: u32,
}

const NOT_OPEN: Open = Open { superblock: NONE, next_page: 0 };

#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Die {
    free: List,
    free_count: u32,
    /// Spare blocks by plane: how many are left, and how many there were at the start.
    pub(super) spares: [u32; MOST_PLANES],
    pub(super) spares_at_start: [u32; MOST_PLANES],
    /// By stream.
    pub(super) open: [Open; MOST_STREAMS],
    /// The superblock being collected, and the first of its mapping units that was not looked at yet.
    pub(super) victim: u32,
    pub(super) victim_unit: u32,
    /// Closed superblocks by invalid mapping units; those with none are in no list.
    pub(super) by_invalid: Vec<List>,
    pub(super) most_invalid: usize,
    /// Mapping units that became invalid: the time by which superblocks age.
    pub(super) time: u64,
}

/// Every block of the array. Blocks and superblocks are numbered in their way; ways by die index.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Blocks {
    pub(super) geometry: Geometry,
    /// Planes of a superblock, as a power of two.
    plane_bits: u32,
    /// Mapping units of a page.
    pub(super) units: u32,
    blocks: Table<Block>,
    superblocks: Table<Superblock>,
    /// The blocks of each superblock, plane after plane.
    pub(super) members: Table<u32>,
    pub(super) dies: Vec<Die>,
    /// Free superblocks that have to be erased before they are opened.
    pub(super) unclean: Vec<bool>,
    pub(super) erases: u64,
    /// Whether the free superblock with the fewest erases is opened first.
    least_worn_first: bool,
    /// Superblocks that a way has blocks for and does not have, so that there are spares, unless bad blocks take them.
    pub(super) spares_kept: u32,
    /// Streams that a way can have an open superblock for.
    streams: u8,
}

impl Blocks {
    /// All superblocks free, and `bad(die, block)` blocks in none. Of the good blocks of each plane, as
    /// many as are left of its share of the configuration's spares after the bad ones are set aside, the
    /// last ones first.
    pub fn new(config: &Configuration, mut bad: impl FnMut(u32, u32) -> bool) -> Self {
        let (geometry, planes) = (config.geometry, config.joined_planes);
        assert!(planes.is_power_of_two() && planes as usize <= MOST_PLANES, "{planes} planes");
        assert_eq!(geometry.blocks_per_way % planes, 0, "planes have as many blocks each");
        let fresh = Superblock {
            role: Role::Bad,
            stream: Stream::Host,
            valid: 0,
            previous: NONE,
            next: NONE,
            changed: 0,
        };
        let blocks = (geometry.dies() * geometry.blocks_per_way) as usize;
        let units = config.units_per_page();
        let superblock_units = (geometry.pages_per_block * planes * units) as usize;
        let die = Die {
            free: EMPTY,
            free_count: 0,
            spares: [0; MOST_PLANES],
            spares_at_start: [0; MOST_PLANES],
            open: [NOT_OPEN; MOST_STREAMS],
            victim: NONE,
            victim_unit: 0,
            by_invalid: alloc::vec![EMPTY; superblock_units + 1],
            most_invalid: 0,
            time: 0,
        };
        let log = config.recovery.map_or(0, |recovery| recovery.log_blocks_per_way);
        let mut all = Blocks {
            geometry,
            plane_bits: planes.trailing_zeros(),
            units,
            blocks: Table::new(blocks, Block { state: State::Spare, erases: 0 }),
            superblocks: Table::new(blocks / planes as usize, fresh),
            members: Table::new(blocks, NONE),
            dies: alloc::vec![die; geometry.dies() as usize],
            unclean: alloc::vec![false; blocks / planes as usize],
            erases: 0,
            least_worn_first: wear::Chosen::opens_least_worn_in(config),
            spares_kept: (config.spare_blocks_per_way + log).div_ceil(planes),
            streams: config.placement_handles().max(1) + 1,
        };
        for die in 0..geometry.dies() {
            for block in 0..geometry.blocks_per_way {
                if bad(die, block) {
                    all.at_mut(die, block).state = State::Apart;
                }
            }
            all.form_superblocks(die);
        }
        all
    }

    /// States what clones are of those tables that grow with the drive.
    pub(super) fn set_clones(&mut self, are: Clones) {
        self.blocks.set_clones(are);
        self.superblocks.set_clones(are);
        self.members.set_clones(are);
    }

    /// Planes of a superblock.
    pub fn planes(&self) -> u32 {
        1 << self.plane_bits
    }

    /// Superblocks that a way can have.
    pub fn superblocks_per_way(&self) -> u32 {
        self.geometry.blocks_per_way >> self.plane_bits
    }

    /// Pages of a superblock, those of all its planes together.
    pub fn superblock_pages(&self) -> u32 {
        self.geometry.pages_per_block << self.plane_bits
    }

    /// Mapping units of a page.
    pub fn units_per_page(&self) -> u32 {
        self.units
    }

    /// Mapping units of a superblock.
    pub fn superblock_units(&self) -> u32 {
        self.superblock_pages() * self.units
    }

    /// The blocks of a superblock, plane after plane.
    pub fn members(&self, die: u32, superblock: u32) -> &[u32] {
        let place = self.index(die, superblock) << self.plane_bits;
        self.members.slice(place..place + self.planes() as usize)
    }

    /// The row of the `nth` page of a superblock.
    #[inline]
    pub fn row(&self, die: u32, superblock: u32, nth: u32) -> u32 {
        let plane = nth & (self.planes() - 1);
        let place = (self.index(die, superblock) << self.plane_bits) + plane as usize;
        self.members[place] * self.geometry.pages_per_block + (nth >> self.plane_bits)
    }

    /// Role of a block.
    #[inline]
    pub fn role(&self, die: u32, block: u32) -> Role {
        match self.at(die, block).state {
            State::In(superblock) => self.of(die, superblock).role,
            State::Spare => Role::Spare,
            State::Failed(_) => Role::Failed,
            State::Bad | State::Apart => Role::Bad,
        }
    }

    /// What is in a block. Blocks are counted die after die.
    #[inline]
    pub fn state(&self, block: u32) -> BlockState {
        let per_way = self.geometry.blocks_per_way;
        let (die, block) = (block / per_way, block % per_way);
        let role = self.role(die, block);
        let (valid_permille, age) = match self.at(die, block).state {
            State::In(superblock) => {
                let units = u64::from(self.superblock_units());
                let valid = u64::from(self.valid(die, superblock)) * 1000 / units;
                (valid as u32, self.age(die, superblock))
            }
            _ => (0, 0),
        };
        BlockState { role, erases: self.erases_of(die, block), valid_permille, age }
    }

    /// Mapping units of a superblock with present data.
    #[inline]
    pub fn valid(&self, die: u32, superblock: u32) -> u32 {
        self.of(die, superblock).valid
    }

    /// Times a block was erased.
    pub fn erases_of(&self, die: u32, block: u32) -> u32 {
        self.at(die, block).erases
    }

    /// Erases of all blocks.
    pub fn erases(&self) -> u64 {
        self.erases
    }

    /// Free superblocks of a way, the reserve included.
    pub fn free_count(&self, die: u32) -> u32 {
        self.dies[die as usize].free_count
    }

    /// Blocks of the free superblocks of a way in the order in which these will be opened, those of a
    /// superblock plane after plane.
    pub fn free_list(&self, die: u32) -> impl Iterator<Item = u32> + '_ {
        self.listed_from(die, self.dies[die as usize].free.head)
            .flat_map(move |superblock| self.members(die, superblock).iter().copied())
    }

    /// The superblocks of a list of a way, from one of them on.
    pub(super) fn listed_from(&self, die: u32, head: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |superblock: u32| (superblock != NONE).then_some(superblock);
        core::iter::successors(some(head), move |&own| some(self.of(die, own).next))
    }

    /// Spare blocks that are left, in percent of the spare blocks at the start, of the plane that has the fewest.
    #[inline]
    pub fn spare_percent(&self) -> u8 {
        let left = |(left, start): (&u32, &u32)| match start {
            0 => 100,
            start => left * 100 / start,
        };
        let planes = self.dies.iter().flat_map(|d| d.spares.iter().zip(&d.spares_at_start));
        planes.map(left).min().unwrap_or(0) as u8
    }

    /// No superblock of a way is in a list, open or a victim.
    pub(super) fn forget_lists(&mut self, die: u32) {
        let d = &mut self.dies[die as usize];
        (d.free, d.free_count) = (EMPTY, 0);
        (d.open, d.victim, d.victim_unit) = ([NOT_OPEN; MOST_STREAMS], NONE, 0);
        d.by_invalid.fill(EMPTY);
        d.most_invalid = 0;
    }

    /// Erases of all blocks, counted.
    pub(super) fn all_erases(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.erases)).sum()
    }

    /// Closes an open superblock of a way.
    #[inline]
    pub(super) fn close(&mut self, die: u32, superblock: u32) {
        let open = &mut self.dies[die as usize].open;
        let own = open.iter_mut().find(|open| open.superblock == superblock);
        *own.expect("it is open") = NOT_OPEN;
        self.push(die, superblock, Role::Closed);
    }

    /// A mapping unit of a block lost its data to a newer copy.
    pub fn invalidate(&mut self, die: u32, block: u32) {
        self.dies[die as usize].time += 1;
        match self.at(die, block).state {
            State::In(superblock) => {
                let held = self.of(die, superblock).valid;
                assert!(held > 0, "superblock {superblock} of way {die} has nothing valid to lose");
                self.relist(die, superblock, held - 1);
            }
            State::Failed(1) => self.at_mut(die, block).state = State::Bad,
            State::Failed(valid) => self.at_mut(die, block).state = State::Failed(valid - 1),
            State::Spare | State::Bad | State::Apart => {
                panic!("block {block} of way {die} holds no data")
            }
        }
    }

    /// No page holds data any more. Superblocks are erased when collection comes to them.
    pub fn invalidate_all(&mut self) {
        for die in 0..self.geometry.dies() {
            for superblock in 0..self.superblocks_per_way() {
                match self.of(die, superblock).role {
                    Role::Open | Role::Closed | Role::Victim => self.relist(die, superblock, 0),
                    Role::Free | Role::Failed | Role::Spare | Role::Bad => {}
                }
            }
            for block in 0..self.geometry.blocks_per_way {
                let state = &mut self.at_mut(die, block).state;
                if matches!(state, State::Failed(_)) {
                    *state = State::Bad;
                }
            }
        }
    }

    #[inline]
    pub(super) fn at(&self, die: u32, block: u32) -> &Block {
        &self.blocks[(die * self.geometry.blocks_per_way + block) as usize]
    }

    pub(super) fn at_mut(&mut self, die: u32, block: u32) -> &mut Block {
        &mut self.blocks[(die * self.geometry.blocks_per_way + block) as usize]
    }

    #[inline]
    pub(super) fn index(&self, die: u32, superblock: u32) -> usize {
        (die * self.superblocks_per_way() + superblock) as usize
    }

    #[inline]
    pub(super) fn of(&self, die: u32, superblock: u32) -> &Superblock {
        &self.superblocks[self.index(die, superblock)]
    }

    #[inline]
    pub(super) fn of_mut(&mut self, die: u32, superblock: u32) -> &mut Superblock {
        let index = self.index(die, superblock);
        &mut self.superblocks[index]
    }

    /// The list that a superblock of this role and validity stands in.
    #[inline]
    fn list_of(&mut self, die: u32, role: Role, valid: u32) -> Option<&mut List> {
        let invalid = (self.superblock_units() - valid) as usize;
        let d = &mut self.dies[die as usize];
        match role {
            Role::Free => Some(&mut d.free),
            Role::Closed if invalid > 0 => Some(&mut d.by_invalid[invalid]),
            _ => None,
        }
    }

    /// Gives a superblock in no list a role, last in its list; a free one behind those that are worn no more,
    /// where wear is levelled.
    pub(super) fn push(&mut self, die: u32, superblock: u32, role: Role) {
        let valid = self.valid(die, superblock);
        self.of_mut(die, superblock).role = role;
        let d = &mut self.dies[die as usize];
        d.free_count += u32::from(role == Role::Free);
        let time = d.time;
        self.of_mut(die, superblock).changed = time;
        let Some(list) = self.list_of(die, role, valid) else { return };
        let (mut previous, mut next) = (list.tail, NONE);
        if role == Role::Free && self.least_worn_first {
            while previous != NONE && self.worn(die, previous) > self.worn(die, superblock) {
                (previous, next) = (self.of(die, previous).previous, previous);
            }
        }
        self.link((die, superblock), (previous, next));
        if role == Role::Closed {
            let invalid = (self.superblock_units() - valid) as usize;
            let d = &mut self.dies[die as usize];
            d.most_invalid = d.most_invalid.max(invalid);
        }
    }

    /// Puts a superblock, which has its role, between two others of its list.
    fn link(&mut self, (die, superblock): (u32, u32), (previous, next): (u32, u32)) {
        let s = self.of_mut(die, superblock);
        (s.previous, s.next) = (previous, next);
        let (role, valid) = (s.role, s.valid);
        if previous != NONE {
            self.of_mut(die, previous).next = superblock;
        }
        if next != NONE {
            self.of_mut(die, next).previous = superblock;
        }
        if let Some(list) = self.list_of(die, role, valid) {
            if previous == NONE {
                list.head = superblock;
            }
            if next == NONE {
                list.tail = superblock;
            }
        }
    }

    /// Takes a superblock out of its list.
    pub(super) fn unlink(&mut self, die: u32, superblock: u32) {
        let Superblock { role, valid, previous, next, .. } = *self.of(die, superblock);
        self.dies[die as usize].free_count -= u32::from(role == Role::Free);
        if self.list_of(die, role, valid).is_none() {
            return;
        }
        if previous != NONE {
            self.of_mut(die, previous).next = next;
        }
        if next != NONE {
            self.of_mut(die, next).previous = previous;
        }
        if let Some(list) = self.list_of(die, role, valid) {
            if list.head == superblock {
                list.head = next;
            }
            if list.tail == superblock {
                list.tail = previous;
            }
        }
    }

    /// Moves a superblock, of its role, to the end of the list of those with so many valid mapping units.
    pub(super) fn relist(&mut self, die: u32, superblock: u32, valid: u32) {
        self.unlink(die, superblock);
        let s = self.of_mut(die, superblock);
        s.valid = valid;
        let role = s.role;
        self.push(die, superblock, role);
    }
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
