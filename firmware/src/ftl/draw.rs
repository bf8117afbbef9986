//! The steady state without its overwrites: a small drive is really overwritten, and the whole one is drawn from it.
//!
//! Ways are collected by themselves, and each logical page is overwritten as often as any other. So how full
//! superblocks are, and how old, has one distribution for all ways, which depends on the policy, on the pages of a
//! superblock and on the share of pages that are spare; hardly on how many superblocks and ways there are. A
//! drive of fewer of both, with the same share, shows it.

use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use contract::{Configuration, Geometry, Lpn, Metadata, VictimPolicy};

use super::blocks::{Blocks, Open, Role, Stream};
use super::drawn::Drawn;
use super::origin::Origin;
use super::precondition::{Draws, Media, Preconditioned, Writer};
use super::sample::{Closed, Front, Samples};
use super::translate::Translator;
use crate::operations::Page;

/// Pages of a small drive, about.
const PAGES: u32 = 1 << 19;
/// Its ways at least, so that pages spread over ways by chance, and at most.
const WAYS: (u32, u32) = (4, 64);
/// Superblocks of its ways at least.
const LEAST_SUPERBLOCKS: u32 = 256;
/// Drives that are not so many times larger are overwritten themselves.
const LEAST_TIMES: u64 = 4;
/// How often it is looked at, and that in so many overwrites of the drive.
const LOOKS: u32 = 8;
const LOOKS_A_DRIVE: u32 = 16;
/// Ways may lack one in so many superblocks that others have.
const UNEVEN: u32 = 256;

/// Why a steady state is not drawn: the drive itself is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// It was asked for.
    Asked,
    /// The drive is not much larger than one that shows the state.
    Small,
    /// Pages hold several mapping units.
    Units,
    /// Victims are drawn at random, and the state is reached so slowly that the small drive is ahead of the large one.
    Victims,
    /// Victims are chosen outside of the firmware, nobody knows how.
    Given,
    /// Bad blocks leave some ways much smaller than others, or next to no spare pages.
    Ways,
    /// What the chips hold has to be written page by page, as it is in an image.
    Kept,
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Whole::Asked => "as asked for",
            Whole::Small => "the drive is small",
            Whole::Units => "pages hold several mapping units",
            Whole::Victims => "victims are drawn at random",
            Whole::Given => "victims are chosen by a function",
            Whole::Ways => "ways differ much in their good blocks, or have hardly any spare ones",
            Whole::Kept => "the drive is in an image",
        })
    }
}

/// A small drive that shows the steady state of a large one.
#[derive(Clone, Debug)]
pub(super) struct Small {
    config: Configuration,
    /// Superblocks of each of its ways.
    superblocks: u32,
}

/// Chips that nobody reads.
struct Nowhere;

impl Media for Nowhere {
    fn factory_bad(&self, _: u32, _: u32) -> bool {
        false
    }
    fn takes_drawn(&self) -> bool {
        true
    }
    fn start(&mut self, _: &Origin) {}
    fn worn(&mut self, _: u32, _: u32, _: u32) {}
    fn program(&mut self, _: Page, _: &[Lpn]) {}
    fn erase(&mut self, _: u32, _: u32) {}
    fn log(&mut self, _: Page, _: Metadata, _: &[u8]) {}
}

impl Translator {
    /// The small drive for this one, which is new.
    ///
    /// # Errors
    /// Why its state is not drawn.
    pub(super) fn small(&self) -> Result<Small, Whole> {
        let (geometry, blocks) = (self.geometry(), &self.blocks);
        if self.units_per_page() > 1 {
            return Err(Whole::Units);
        }
        if self.config.policies.victim.policy == VictimPolicy::Random {
            return Err(Whole::Victims);
        }
        if self.victims.are_given() {
            return Err(Whole::Given);
        }
        let counts = || (0..geometry.dies()).map(|die| blocks.free_count(die));
        let (fewest, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let pages = blocks.superblock_pages();
        let ways = (PAGES / (fewest * pages).max(1)).clamp(WAYS.0, WAYS.1).min(geometry.dies());
        let superblocks = fewest.min((PAGES / (ways * pages)).max(LEAST_SUPERBLOCKS));
        let of_all = u64::from(geometry.dies()) * u64::from(fewest);
        if u64::from(ways) * u64::from(superblocks) * LEAST_TIMES > of_all {
            return Err(Whole::Small);
        }
        // Superblocks that hold nothing for long, in halves: the reserve, and half of what is open, and what is kept free.
        let open = if self.streams.is_apart() { 4 } else { 1 };
        let idle = 2 * self.reserve + open + 2 * self.free_pages_kept.div_ceil(pages);
        if most - fewest > fewest / UNEVEN || fewest <= 2 * idle {
            return Err(Whole::Ways);
        }
        let of_ways = |pages: u64| pages * u64::from(ways) / u64::from(geometry.dies());
        let kept = u64::from(2 * superblocks - idle);
        let logical = of_ways(u64::from(self.map.pages()) * kept) / u64::from(2 * fewest - idle);
        let planes = blocks.planes();
        let log = self.config.recovery.map_or(0, |r| r.log_blocks_per_way.div_ceil(planes));
        let blocks_per_way = (superblocks + log) * planes;
        let geometry = Geometry { channels: 1, ways, blocks_per_way, ..geometry };
        let (logical_pages, spare_blocks_per_way) = (logical as u32, 0);
        let config =
            Configuration { geometry, logical_pages, spare_blocks_per_way, ..self.config.clone() };
        Ok(Small { config, superblocks })
    }

    /// Brings an untouched drive into the steady state that a small one shows. False if that leaves no room for all
    /// logical pages; nothing changed then.
    pub(super) fn draw<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>>(
        &mut self,
        (small, seed): (&Small, u64),
        media: &mut M,
        watch: &mut W,
    ) -> ControlFlow<(), bool> {
        let mut t = Translator::new(&small.config, |_, _| false);
        let mut samples = Samples::of(&t, small.superblocks);
        let mut nowhere = Nowhere;
        let mut writer = Writer::new(&mut nowhere, watch, None);
        let mut overwrites = t.overwrite(seed, &mut writer)?;
        for _ in 0..LOOKS {
            let some = t.map.pages() / LOOKS_A_DRIVE;
            for lpn in overwrites.by_ref().take(some as usize) {
                writer.write(&mut t, lpn)?;
            }
            samples.look(&t);
        }
        samples.order();
        let mut draws = Draws::new(seed);
        let Some(populations) = self.populations(&samples, &mut draws) else {
            return ControlFlow::Continue(false);
        };
        for (die, population) in (0..).zip(populations) {
            self.lay_out((die, population), &samples, &mut draws);
        }
        for die in 0..self.geometry().dies() {
            for block in 0..self.geometry().blocks_per_way {
                media.worn(die, block, self.blocks.erases_of(die, block));
            }
        }
        let pages = self.map.pages();
        let scaled = |count: u64| count * u64::from(pages) / u64::from(t.map.pages());
        self.blocks.erases = self.blocks.all_erases();
        self.collected.blocks = scaled(t.collected.blocks);
        self.collected.pages = scaled(t.collected.pages);
        self.sequence = scaled(t.sequence);
        self.count_placements(scaled(writer.progress.written) + u64::from(pages));
        let origin = Origin::Drawn(Drawn::new(&self.blocks, pages, draws.next()));
        media.start(&origin);
        self.map.start_from(origin);
        ControlFlow::Continue(true)
    }

    /// Logical pages of each way, as chance spreads them. `None` if a way has no room for them.
    fn populations(&self, samples: &Samples, draws: &mut Draws) -> Option<Vec<u32>> {
        let (pages, dies) = (self.map.pages(), self.geometry().dies());
        let mean = i64::from(pages / dies);
        let deviation = (i64::from(pages / dies) * i64::from(dies - 1) / i64::from(dies)).isqrt();
        let mut all: Vec<i64> = (0..dies).map(|_| mean + draws.around(deviation)).collect();
        let missing = i64::from(pages) - all.iter().sum::<i64>();
        let (each, more) =
            (missing.div_euclid(i64::from(dies)), missing.rem_euclid(i64::from(dies)));
        for (nth, own) in (0..).zip(&mut all) {
            *own += each + i64::from(nth < more);
        }
        let fits = |(die, &own): (u32, &i64)| {
            let closed = self.blocks.free_count(die).saturating_sub(samples.most_in_front());
            let front = samples.most_in_front() * self.blocks.superblock_pages();
            let most = i64::from(closed) * i64::from(self.blocks.superblock_pages());
            own > i64::from(front) && own < most
        };
        let fit = (0..).zip(&all).all(fits);
        fit.then(|| all.into_iter().map(|own| own as u32).collect())
    }

    /// Gives a way with so many logical pages the blocks of the steady state.
    fn lay_out(&mut self, (die, population): (u32, u32), samples: &Samples, draws: &mut Draws) {
        let front = samples.front(draws);
        let blocks = &mut self.blocks;
        let all = blocks.free_count(die);
        let mut closed = samples.closed(front, (all - front.count(), all), draws);
        fit(&mut closed, (population - front.valid(), blocks.superblock_pages()), draws);
        blocks.put(die, (front, &closed), draws);
    }
}

/// Changes how full superblocks are until they hold so many pages, of so many each, in all: some of them, drawn at
/// random, by a page. Those that are collected next stay as they are, if that is possible.
fn fit(closed: &mut [Closed], (wanted, pages): (u32, u32), draws: &mut Draws) {
    let held: i64 = closed.iter().map(|own| i64::from(own.valid)).sum();
    let mut missing = i64::from(wanted) - held;
    let least = closed.iter().map(|own| own.valid).min().unwrap_or(0);
    let (step, count) = (missing.signum(), closed.len() as u32);
    let mut tries = 4 * u64::from(count) + 4 * missing.unsigned_abs();
    while missing != 0 {
        let (from, to) = if tries > 0 { (least + 2, pages) } else { (0, pages) };
        tries = tries.saturating_sub(1);
        let own = &mut closed[draws.below(count) as usize];
        let valid = i64::from(own.valid) + step;
        let range = i64::from(from)..=i64::from(to);
        if range.contains(&valid) && (own.valid >= from || tries == 0) {
            own.valid = valid as u32;
            missing -= step;
        }
    }
}

impl Blocks {
    /// Gives the superblocks of an untouched way, in an order that is drawn, these roles.
    fn put(&mut self, die: u32, (front, closed): (&Front, &[Closed]), draws: &mut Draws) {
        let mut all: Vec<u32> = (0..self.superblocks_per_way())
            .filter(|&superblock| self.of(die, superblock).role == Role::Free)
            .collect();
        draws.shuffle(&mut all);
        self.forget_lists(die);
        assert_eq!(all.len(), closed.len() + front.count() as usize, "superblocks of way {die}");
        let mut left = all.into_iter();
        let mut next = || left.next().expect("they were counted");
        let time = closed.first().map_or(0, |oldest| oldest.age);
        for &Closed { age, valid, erases } in closed {
            let own = next();
            self.dies[die as usize].time = time - age;
            self.set_used(die, own, (valid, erases));
            self.push(die, own, Role::Closed);
        }
        self.dies[die as usize].time = time;
        for &erases in &front.free {
            let own = next();
            self.set_used(die, own, (0, erases));
            self.push(die, own, Role::Free);
        }
        for stream in Stream::PLAIN {
            if let Some(open) = front.open[stream.index()] {
                let superblock = next();
                self.set_used(die, superblock, (open.valid, open.erases));
                self.of_mut(die, superblock).role = Role::Open;
                let open = Open { superblock, next_page: open.next_page };
                self.dies[die as usize].open[stream.index()] = open;
            }
        }
        if let Some(victim) = front.victim {
            let own = next();
            self.set_used(die, own, (victim.valid, victim.erases));
            self.of_mut(die, own).role = Role::Victim;
            let d = &mut self.dies[die as usize];
            (d.victim, d.victim_unit) = (own, victim.unit);
        }
    }

    /// A superblock in no list has so many pages with present data, and its blocks were erased so often.
    fn set_used(&mut self, die: u32, superblock: u32, (valid, erases): (u32, u32)) {
        self.of_mut(die, superblock).valid = valid;
        for plane in 0..self.planes() as usize {
            let block = self.members(die, superblock)[plane];
            self.at_mut(die, block).erases = erases;
        }
    }
}
