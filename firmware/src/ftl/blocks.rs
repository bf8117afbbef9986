//! The blocks of each way: free, open, closed by the number of invalid pages, spare, bad.

use alloc::vec::Vec;
use contract::Geometry;

const NONE: u32 = u32::MAX;

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Erased, or with its erase already queued; waits in the free list.
    Free,
    /// Takes new pages.
    Open,
    /// Full.
    Closed,
    /// Full, and its valid pages are being moved out; one a way at most.
    Victim,
    /// A program in it failed: the pages before can be read until newer copies exist, and no more
    /// are written.
    Failed,
    /// Set aside to stand in for one that goes bad.
    Spare,
    /// Never used again.
    Bad,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    role: Role,
    valid: u16,
    erases: u32,
    previous: u32,
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
}

const EMPTY: List = List { head: NONE, tail: NONE };

#[derive(Clone, Debug)]
struct Die {
    free: List,
    free_count: u32,
    spare: List,
    spare_count: u32,
    spares_at_start: u32,
    open: u32,
    next_page: u32,
    /// The block being collected, and the first of its pages that was not looked at yet.
    victim: u32,
    victim_page: u32,
    /// Closed blocks by invalid pages; those with none are in no list.
    by_invalid: Vec<List>,
    most_invalid: usize,
}

/// Every block of the array. Blocks are numbered in their way; ways by die index.
#[derive(Clone, Debug)]
pub struct Blocks {
    geometry: Geometry,
    blocks: Vec<Block>,
    dies: Vec<Die>,
    erases: u64,
}

impl Blocks {
    /// All blocks free but the `bad` ones. The last good ones of each way are its spares: as many
    /// as are left of `spares` after the bad ones.
    pub fn new(geometry: Geometry, spares: u32, mut bad: impl FnMut(u32, u32) -> bool) -> Self {
        let fresh = Block { role: Role::Free, valid: 0, erases: 0, previous: NONE, next: NONE };
        let per_way = geometry.blocks_per_way;
        let die = Die {
            free: EMPTY,
            free_count: 0,
            spare: EMPTY,
            spare_count: 0,
            spares_at_start: 0,
            open: NONE,
            next_page: 0,
            victim: NONE,
            victim_page: 0,
            by_invalid: alloc::vec![EMPTY; geometry.pages_per_block as usize + 1],
            most_invalid: 0,
        };
        let mut all = Blocks {
            geometry,
            blocks: alloc::vec![fresh; (geometry.dies() * per_way) as usize],
            dies: alloc::vec![die; geometry.dies() as usize],
            erases: 0,
        };
        for die in 0..geometry.dies() {
            let mut spares = spares;
            for block in 0..per_way {
                if bad(die, block) {
                    all.at_mut(die, block).role = Role::Bad;
                    spares = spares.saturating_sub(1);
                }
            }
            for block in (0..per_way).rev() {
                if all.at(die, block).role == Role::Bad {
                    continue;
                } else if all.dies[die as usize].spare_count < spares {
                    all.push(die, block, Role::Spare);
                } else {
                    all.push_front_free(die, block);
                }
            }
            all.dies[die as usize].spares_at_start = all.dies[die as usize].spare_count;
        }
        all
    }

    /// Role of a block.
    pub fn role(&self, die: u32, block: u32) -> Role {
        self.at(die, block).role
    }

    /// Pages of a block with present data.
    pub fn valid(&self, die: u32, block: u32) -> u32 {
        u32::from(self.at(die, block).valid)
    }

    /// Times a block was erased.
    pub fn erases_of(&self, die: u32, block: u32) -> u32 {
        self.at(die, block).erases
    }

    /// Erases of all blocks.
    pub fn erases(&self) -> u64 {
        self.erases
    }

    /// Free blocks of a way, the reserve included.
    pub fn free_count(&self, die: u32) -> u32 {
        self.dies[die as usize].free_count
    }

    /// Free blocks of a way in the order in which they will be opened.
    pub fn free_list(&self, die: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.dies[die as usize].free.head;
        core::iter::successors((first != NONE).then_some(first), move |&block| {
            let next = self.at(die, block).next;
            (next != NONE).then_some(next)
        })
    }

    /// Spares left of those at start, in percent, of the way that has the fewest.
    pub fn spare_percent(&self) -> u8 {
        let left = |die: &Die| match die.spares_at_start {
            0 => 100,
            start => die.spare_count * 100 / start,
        };
        self.dies.iter().map(left).min().unwrap_or(0) as u8
    }

    /// The open block of a way and its next page.
    pub fn open(&self, die: u32) -> Option<(u32, u32)> {
        let d = &self.dies[die as usize];
        (d.open != NONE).then_some((d.open, d.next_page))
    }

    /// Pages left in the open block of a way; none if no block is open.
    pub fn left(&self, die: u32) -> u32 {
        self.open(die).map_or(0, |(_, next)| self.geometry.pages_per_block - next)
    }

    /// Opens the next free block of a way that has none open.
    pub fn open_next(&mut self, die: u32) {
        let d = &self.dies[die as usize];
        assert_eq!(d.open, NONE, "way {die} has an open block already");
        let block = d.free.head;
        assert_ne!(block, NONE, "way {die} has no free block");
        self.unlink(die, block);
        self.at_mut(die, block).role = Role::Open;
        let d = &mut self.dies[die as usize];
        (d.open, d.next_page) = (block, 0);
    }

    /// Takes the next page of the open block, which counts as valid, and returns its row. The
    /// block closes with its last page.
    pub fn take_page(&mut self, die: u32) -> u32 {
        let (block, page) = self.open(die).expect("the way has an open block");
        self.take_pages(die, 1);
        block * self.geometry.pages_per_block + page
    }

    /// Takes the next `count` pages of a way, all valid, opening and closing blocks on the way.
    pub fn take_pages(&mut self, die: u32, mut count: u32) {
        let pages = self.geometry.pages_per_block;
        while count > 0 {
            if self.open(die).is_none() {
                self.open_next(die);
            }
            let d = &mut self.dies[die as usize];
            let (block, taken) = (d.open, count.min(pages - d.next_page));
            d.next_page += taken;
            let full = d.next_page == pages;
            self.at_mut(die, block).valid += taken as u16;
            if full {
                self.dies[die as usize].open = NONE;
                self.push(die, block, Role::Closed);
            }
            count -= taken;
        }
    }

    /// One page of a block lost its data to a newer copy.
    pub fn invalidate(&mut self, die: u32, block: u32) {
        let closed = self.at(die, block).role == Role::Closed;
        if closed {
            self.unlink(die, block);
        }
        let b = self.at_mut(die, block);
        assert!(b.valid > 0, "block {block} of way {die} has no valid page to lose");
        b.valid -= 1;
        if closed {
            self.push(die, block, Role::Closed);
        } else if b.role == Role::Failed && b.valid == 0 {
            b.role = Role::Bad;
        }
    }

    /// Most invalid pages that a closed block of a way has.
    pub fn most_invalid(&mut self, die: u32) -> u32 {
        let d = &mut self.dies[die as usize];
        while d.most_invalid > 0 && d.by_invalid[d.most_invalid].head == NONE {
            d.most_invalid -= 1;
        }
        d.most_invalid as u32
    }

    /// Begins to collect the closed block with the most invalid pages, if any has one.
    pub fn begin_collection(&mut self, die: u32) -> Option<u32> {
        assert_eq!(self.dies[die as usize].victim, NONE, "way {die} has a victim already");
        let most = self.most_invalid(die);
        if most == 0 {
            return None;
        }
        let victim = self.dies[die as usize].by_invalid[most as usize].head;
        self.unlink(die, victim);
        self.at_mut(die, victim).role = Role::Victim;
        let d = &mut self.dies[die as usize];
        (d.victim, d.victim_page) = (victim, 0);
        Some(victim)
    }

    /// The block of a way that is being collected, and the first of its pages that collection did not
    /// come to.
    pub fn victim(&self, die: u32) -> Option<(u32, u32)> {
        let d = &self.dies[die as usize];
        (d.victim != NONE).then_some((d.victim, d.victim_page))
    }

    /// Valid pages left in the block of a way that is being collected.
    pub fn left_in_victim(&self, die: u32) -> Option<u32> {
        self.victim(die).map(|(block, _)| self.valid(die, block))
    }

    /// Collection of a way has come to this page of its victim.
    pub fn collected_to(&mut self, die: u32, page: u32) {
        self.dies[die as usize].victim_page = page;
    }

    /// The victim of a way, without valid pages now, goes back to the free list; its erase is queued.
    /// Returns it.
    pub fn reclaim(&mut self, die: u32) -> u32 {
        let block = core::mem::replace(&mut self.dies[die as usize].victim, NONE);
        assert_ne!(block, NONE, "way {die} collects no block");
        assert_eq!(self.at(die, block).valid, 0, "block {block} of way {die} is in use");
        self.at_mut(die, block).erases += 1;
        self.erases += 1;
        self.push(die, block, Role::Free);
        block
    }

    /// Puts a spare in the place of a block without data to keep (an erase is queued or failed),
    /// whatever its role, and returns the spare; `None` when the way has no spare left, and the
    /// block takes no more data.
    pub fn replace(&mut self, die: u32, bad: u32) -> Option<u32> {
        let lost = *self.at(die, bad);
        let spare = self.take_spare(die, bad)?;
        if lost.role != Role::Open {
            self.unlink(die, bad);
        }
        let b = self.at_mut(die, bad);
        (b.role, b.valid) = (Role::Bad, 0);
        self.stand_in(die, spare, lost.role, lost.valid);
        Some(spare)
    }

    /// Lets a spare take the pages of an open or closed block from the one whose program failed
    /// on; `moved` of them are valid. Returns the spare, or `None` as [`Blocks::replace`] does.
    pub fn split(&mut self, die: u32, failed: u32, moved: u32) -> Option<u32> {
        let lost = *self.at(die, failed);
        let spare = self.take_spare(die, failed)?;
        if lost.role != Role::Open {
            self.unlink(die, failed);
        }
        let b = self.at_mut(die, failed);
        b.valid -= moved as u16;
        b.role = if b.valid == 0 { Role::Bad } else { Role::Failed };
        self.stand_in(die, spare, lost.role, moved as u16);
        Some(spare)
    }

    fn take_spare(&mut self, die: u32, lost: u32) -> Option<u32> {
        let spare = self.dies[die as usize].spare.head;
        if spare == NONE {
            self.retire(die, lost);
            return None;
        }
        self.unlink(die, spare);
        Some(spare)
    }

    fn stand_in(&mut self, die: u32, spare: u32, role: Role, valid: u16) {
        self.at_mut(die, spare).valid = valid;
        match role {
            Role::Open => self.dies[die as usize].open = spare,
            Role::Victim => self.dies[die as usize].victim = spare,
            role => return self.push(die, spare, role),
        }
        self.at_mut(die, spare).role = role;
    }

    /// Takes a block without a stand-in out of use. What it still holds can be read and moved.
    fn retire(&mut self, die: u32, block: u32) {
        match self.at(die, block).role {
            Role::Open => {
                self.dies[die as usize].open = NONE;
                self.push(die, block, Role::Closed);
            }
            Role::Free | Role::Spare => {
                self.unlink(die, block);
                self.at_mut(die, block).role = Role::Bad;
            }
            Role::Closed | Role::Victim | Role::Failed | Role::Bad => {}
        }
    }

    /// No page holds data any more. Blocks are erased when collection comes to them.
    pub fn invalidate_all(&mut self) {
        for die in 0..self.geometry.dies() {
            for block in 0..self.geometry.blocks_per_way {
                match self.at(die, block).role {
                    Role::Open | Role::Victim => self.at_mut(die, block).valid = 0,
                    Role::Closed => {
                        self.unlink(die, block);
                        self.at_mut(die, block).valid = 0;
                        self.push(die, block, Role::Closed);
                    }
                    Role::Failed => {
                        let b = self.at_mut(die, block);
                        (b.role, b.valid) = (Role::Bad, 0);
                    }
                    Role::Free | Role::Spare | Role::Bad => {}
                }
            }
        }
    }

    fn at(&self, die: u32, block: u32) -> &Block {
        &self.blocks[(die * self.geometry.blocks_per_way + block) as usize]
    }

    fn at_mut(&mut self, die: u32, block: u32) -> &mut Block {
        &mut self.blocks[(die * self.geometry.blocks_per_way + block) as usize]
    }

    /// The list that a block of this role and validity stands in.
    fn list_of(&mut self, die: u32, role: Role, valid: u16) -> Option<&mut List> {
        let invalid = self.geometry.pages_per_block as usize - usize::from(valid);
        let d = &mut self.dies[die as usize];
        match role {
            Role::Free => Some(&mut d.free),
            Role::Spare => Some(&mut d.spare),
            Role::Closed if invalid > 0 => Some(&mut d.by_invalid[invalid]),
            Role::Closed | Role::Open | Role::Victim | Role::Failed | Role::Bad => None,
        }
    }

    fn count(&mut self, die: u32, role: Role, step: i32) {
        let d = &mut self.dies[die as usize];
        match role {
            Role::Free => d.free_count = d.free_count.wrapping_add_signed(step),
            Role::Spare => d.spare_count = d.spare_count.wrapping_add_signed(step),
            _ => {}
        }
    }

    /// Gives a block in no list a role, last in its list.
    fn push(&mut self, die: u32, block: u32, role: Role) {
        let valid = self.at(die, block).valid;
        self.at_mut(die, block).role = role;
        self.count(die, role, 1);
        let Some(list) = self.list_of(die, role, valid) else { return };
        let tail = core::mem::replace(&mut list.tail, block);
        if tail == NONE {
            list.head = block;
        } else {
            self.at_mut(die, tail).next = block;
        }
        let b = self.at_mut(die, block);
        (b.previous, b.next) = (tail, NONE);
        if role == Role::Closed {
            let invalid = self.geometry.pages_per_block as usize - usize::from(valid);
            let d = &mut self.dies[die as usize];
            d.most_invalid = d.most_invalid.max(invalid);
        }
    }

    fn push_front_free(&mut self, die: u32, block: u32) {
        self.count(die, Role::Free, 1);
        let d = &mut self.dies[die as usize];
        let head = core::mem::replace(&mut d.free.head, block);
        if head == NONE {
            d.free.tail = block;
        } else {
            self.at_mut(die, head).previous = block;
        }
        let b = self.at_mut(die, block);
        (b.role, b.previous, b.next) = (Role::Free, NONE, head);
    }

    /// Takes a block out of its list.
    fn unlink(&mut self, die: u32, block: u32) {
        let Block { role, valid, previous, next, .. } = *self.at(die, block);
        self.count(die, role, -1);
        if self.list_of(die, role, valid).is_none() {
            return;
        }
        if previous != NONE {
            self.at_mut(die, previous).next = next;
        }
        if next != NONE {
            self.at_mut(die, next).previous = previous;
        }
        if let Some(list) = self.list_of(die, role, valid) {
            if list.head == block {
                list.head = next;
            }
            if list.tail == block {
                list.tail = previous;
            }
        }
    }
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
