//! What a small drive in its steady state looks like: of each way, what is closed, open, free and being collected.

use alloc::vec::Vec;

use super::blocks::{Role, Stream};
use super::precondition::Draws;
use super::translate::Translator;

/// A closed superblock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    /// Mapping units of its way that became invalid since it last changed.
    pub age: u64,
    /// Its mapping units with present data.
    pub valid: u32,
    pub erases: u32,
}

/// An open superblock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    pub next_page: u32,
    pub valid: u32,
    pub erases: u32,
}

/// A superblock that is being collected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Victim {
    /// Its first mapping unit that was not looked at.
    pub unit: u32,
    pub valid: u32,
    pub erases: u32,
}

/// The superblocks of a way that are not closed, at one time: free, open and under collection.
#[derive(Clone, Debug)]
pub(super) struct Front {
    way: usize,
    /// Erases of the free superblocks, in their order.
    pub free: Vec<u32>,
    /// By stream.
    pub open: [Option<Opened>; 2],
    pub victim: Option<Victim>,
}

impl Front {
    /// Superblocks that are not closed.
    pub fn count(&self) -> u32 {
        let open = self.open.iter().flatten().count();
        (self.free.len() + open + usize::from(self.victim.is_some())) as u32
    }

    /// Their mapping units with present data.
    pub fn valid(&self) -> u32 {
        let open: u32 = self.open.iter().flatten().map(|open| open.valid).sum();
        open + self.victim.map_or(0, |victim| victim.valid)
    }
}

/// What was seen of a small drive at some times.
#[derive(Debug)]
pub(super) struct Samples {
    /// Superblocks of a way.
    superblocks: u32,
    fronts: Vec<Front>,
    /// By way.
    closed: Vec<Vec<Closed>>,
}

impl Samples {
    /// None yet of a drive.
    pub fn of(t: &Translator, superblocks: u32) -> Self {
        let closed = alloc::vec![Vec::new(); t.geometry().dies() as usize];
        Samples { superblocks, fronts: Vec::new(), closed }
    }

    /// Looks at each way of the drive.
    pub fn look(&mut self, t: &Translator) {
        let blocks = &t.blocks;
        for (die, closed) in (0..).zip(&mut self.closed) {
            let of_free = blocks.free_list(die).step_by(blocks.planes() as usize);
            let free = of_free.map(|block| blocks.erases_of(die, block)).collect();
            let mut front = Front { way: die as usize, free, open: [None; 2], victim: None };
            for stream in Stream::PLAIN {
                front.open[stream.index()] = blocks.open(die, stream).map(|(own, next_page)| {
                    let (valid, erases) = (blocks.valid(die, own), blocks.worn(die, own));
                    Opened { next_page, valid, erases }
                });
            }
            front.victim = blocks.victim(die).map(|(own, unit)| {
                let (valid, erases) = (blocks.valid(die, own), blocks.worn(die, own));
                Victim { unit, valid, erases }
            });
            self.fronts.push(front);
            let is_closed = |&own: &u32| blocks.of(die, own).role == Role::Closed;
            let seen = (0..blocks.superblocks_per_way()).filter(is_closed).map(|own| Closed {
                age: blocks.age(die, own),
                valid: blocks.valid(die, own),
                erases: blocks.worn(die, own),
            });
            closed.extend(seen);
        }
    }

    /// All has been seen: closed superblocks stand in the order in which they changed, the oldest first.
    pub fn order(&mut self) {
        self.closed.iter_mut().for_each(|way| way.sort_by_key(|own| core::cmp::Reverse(own.age)));
    }

    /// The superblocks that are not closed, of a way that was seen, drawn at random.
    pub fn front(&self, draws: &mut Draws) -> &Front {
        &self.fronts[draws.below(self.fronts.len() as u32) as usize]
    }

    /// Most superblocks of a way that were not closed.
    pub fn most_in_front(&self) -> u32 {
        self.fronts.iter().map(Front::count).max().unwrap_or(0)
    }

    /// So many closed superblocks as the way of a front has them, the oldest first, for a way of so many in all: one of
    /// each share of ages.
    pub fn closed(
        &self,
        front: &Front,
        (count, superblocks): (u32, u32),
        draws: &mut Draws,
    ) -> Vec<Closed> {
        let way = &self.closed[front.way];
        let share = |nth: u32| (way.len() as u64 * u64::from(nth) / u64::from(count)) as u32;
        let of_share = |nth| {
            let (first, end) = (share(nth), share(nth + 1).max(share(nth) + 1));
            let own = way[(first + draws.below(end - first)) as usize];
            // A longer way loses as many more pages in the time that one of its superblocks loses one.
            let age = own.age * u64::from(superblocks) / u64::from(self.superblocks);
            Closed { age, ..own }
        };
        let mut drawn: Vec<Closed> = (0..count).map(of_share).collect();
        drawn.sort_by_key(|own| core::cmp::Reverse(own.age));
        drawn
    }
}
