//! Drives whose steady state was drawn against drives that were really overwritten.

use std::ops::ControlFlow;

use contract::{Configuration, Geometry, Lpn, Metadata, StreamPolicy, VictimPolicy, WearPolicy};
use firmware::ftl::blocks::{Blocks, Role};
use firmware::ftl::draw::Whole;
use firmware::ftl::origin::Origin;
use firmware::ftl::precondition::{Media, Overwrites, Precondition};
use firmware::ftl::translate::Translator;
use firmware::operations::Page;

use crate::drive::{configuration, Count, Policies};

/// Chips of which only their erases are known, and a formula.
struct Chips {
    is_image: bool,
    /// Every this many blocks one is bad; none if 0.
    bad: u32,
    origin: Option<Origin>,
    erases: Vec<(u32, u32, u32)>,
}

impl Media for Chips {
    fn factory_bad(&self, _: u32, block: u32) -> bool {
        self.bad > 0 && block % self.bad == 3
    }
    fn takes_drawn(&self) -> bool {
        !self.is_image
    }
    fn start(&mut self, origin: &Origin) {
        self.origin = Some(origin.clone());
    }
    fn worn(&mut self, die: u32, block: u32, erases: u32) {
        self.erases.push((die, block, erases));
    }
    fn program(&mut self, _: Page, _: &[Lpn]) {}
    fn erase(&mut self, _: u32, _: u32) {}
    fn log(&mut self, _: Page, _: Metadata, _: &[u8]) {}
}

/// A drive to be brought into its steady state.
#[derive(Clone, Copy, Debug)]
struct Asked {
    ways: u32,
    blocks_per_way: u32,
    planes: u32,
    units: u32,
    bad: u32,
    is_image: bool,
    policies: Policies,
}

impl Asked {
    /// A drive of 2^21 pages, the fewest of which a steady state is drawn.
    fn new(policies: Policies) -> Self {
        let (ways, blocks_per_way, planes, units) = (64, 512, 1, 1);
        Asked { ways, blocks_per_way, planes, units, bad: 0, is_image: false, policies }
    }

    fn configuration(&self) -> Configuration {
        let geometry = Geometry {
            channels: 1,
            ways: self.ways,
            blocks_per_way: self.blocks_per_way,
            pages_per_block: 64 / self.planes,
            page_bytes: 4096 * self.units,
        };
        let logical_pages = (geometry.pages() * 85 / 100) as u32;
        configuration(logical_pages, (geometry, self.planes), self.policies)
    }

    /// The drive, its chips, and why it was overwritten itself, if it was.
    fn make(&self, state: Precondition) -> (Translator, Chips, Option<Whole>) {
        let Asked { is_image, bad, .. } = *self;
        let mut chips = Chips { is_image, bad, origin: None, erases: Vec::new() };
        let is_bad = |die, block| chips.factory_bad(die, block);
        let mut drive = Translator::new(&self.configuration(), is_bad);
        let mut whole = None;
        let end = drive.precondition(state, &mut chips, &mut |progress| {
            whole = progress.whole;
            ControlFlow::Continue(())
        });
        assert!(matches!(end, ControlFlow::Continue(_)));
        (drive, chips, whole)
    }
}

/// Each superblock of a drive, by way and number.
fn superblocks(blocks: &Blocks, ways: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
    let all = move |die| (0..blocks.superblocks_per_way()).map(move |superblock| (die, superblock));
    let formed = |&(die, superblock): &(u32, u32)| blocks.members(die, superblock)[0] != u32::MAX;
    (0..ways).flat_map(all).filter(formed)
}

/// How full the closed superblocks of a drive are, the emptiest first.
fn fullness(drive: &Translator, ways: u32) -> Vec<u32> {
    let blocks = drive.blocks();
    let closed = superblocks(blocks, ways)
        .filter(|&(die, own)| blocks.role(die, blocks.members(die, own)[0]) == Role::Closed);
    let mut all: Vec<u32> = closed.map(|(die, own)| blocks.valid(die, own)).collect();
    all.sort_unstable();
    all
}

/// Mean valid pages of the closed superblocks of a drive: of the quarter of each way that changed longest ago, and so on.
fn fullness_by_age(drive: &Translator, ways: u32) -> [f64; 4] {
    let blocks = drive.blocks();
    let mut means = [0.0; 4];
    for die in 0..ways {
        let mut closed: Vec<(u64, u32)> = superblocks(blocks, ways)
            .filter(|&(own_die, _)| own_die == die)
            .filter(|&(_, own)| blocks.role(die, blocks.members(die, own)[0]) == Role::Closed)
            .map(|(_, own)| (blocks.age(die, own), blocks.valid(die, own)))
            .collect();
        closed.sort_unstable_by_key(|&(age, _)| std::cmp::Reverse(age));
        for (nth, mean) in means.iter_mut().enumerate() {
            let quarter = &closed[closed.len() * nth / 4..closed.len() * (nth + 1) / 4];
            let valid: u32 = quarter.iter().map(|&(_, valid)| valid).sum();
            *mean += f64::from(valid) / quarter.len() as f64 / f64::from(ways);
        }
    }
    means
}

/// The largest distance of two distributions, by Kolmogorov and Smirnov.
fn distance(a: &[u32], b: &[u32]) -> f64 {
    let share =
        |all: &[u32], valid| all.partition_point(|&own| own <= valid) as f64 / all.len() as f64;
    (0..=64).map(|valid| (share(a, valid) - share(b, valid)).abs()).fold(0.0, f64::max)
}

/// Overwrites so many pages of a drive, and returns the write amplification of that.
fn overwrite(drive: &mut Translator, seed: u64, pages: u32) -> f64 {
    let mut count = Count(0);
    for lpn in Overwrites::new(drive.map().pages(), seed).take(pages as usize) {
        drive.place_some(&[lpn], &mut count, |_, _, _| ()).expect("a page");
    }
    1.0 + count.0 as f64 / f64::from(pages)
}

fn compare(asked: Asked) {
    let (mut drawn, _, whole) = asked.make(Precondition::Steady(5));
    assert_eq!(whole, None, "{asked:?}");
    let (mut run, _, whole) = asked.make(Precondition::SteadyRun(6));
    assert_eq!(whole, Some(Whole::Asked));
    // What is drawn was seen in the half of a drive that was overwritten after the state had settled.
    let pages = run.map().pages();
    overwrite(&mut run, 7, pages / 2);
    let full = [&drawn, &run].map(|drive| fullness(drive, asked.ways));
    let distance = distance(&full[0], &full[1]);
    let by_age = [&drawn, &run].map(|drive| fullness_by_age(drive, asked.ways));
    // The small drive that the state is drawn from has a quarter as many superblocks as the other one: 1.63 is the
    // quantile of the statistic at 1 %.
    let (few, many) = (full[0].len() as f64 / 4.0, full[1].len() as f64);
    let most = 1.63 * ((few + many) / (few * many)).sqrt();
    let found = [&mut drawn, &mut run].map(|drive| overwrite(drive, 8, pages / 8));
    println!("{asked:?}: write amplification {found:.3?}, distance {distance:.4} of {most:.4}, by age {by_age:.2?}");
    assert!(distance < most, "{asked:?}: {distance}");
    assert!((found[0] / found[1] - 1.0).abs() < 0.01, "{asked:?}: {found:?}");
    let apart = by_age[0].iter().zip(by_age[1]).map(|(drawn, run)| (drawn / run - 1.0).abs());
    assert!(apart.fold(0.0, f64::max) < 0.008, "{asked:?}: by age {by_age:?}");
}

fn greedy() -> Policies {
    Policies::of(VictimPolicy::Greedy, 4)
}

#[test]
fn drawn_as_run_where_greedy_collects() {
    compare(Asked::new(greedy()));
}

#[test]
fn drawn_as_run_where_ways_work_ahead_and_wear_is_levelled() {
    let wear = WearPolicy::Threshold.with([4]);
    compare(Asked::new(Policies { free_pages_kept: 16, wear, ..greedy() }));
}

#[test]
fn drawn_as_run_on_joined_planes_with_bad_blocks() {
    compare(Asked { planes: 2, blocks_per_way: 1024, bad: 100, ..Asked::new(greedy()) });
}

/// Every logical page has one place, and each place knows its page; superblocks hold what they say.
#[test]
fn a_drawn_state_is_one_that_a_drive_can_have() {
    for (streams, planes, free_pages_kept) in
        [(StreamPolicy::Together, 1, 0), (StreamPolicy::Apart, 2, 16), (StreamPolicy::Apart, 1, 0)]
    {
        let policies = Policies { streams: streams.with([]), free_pages_kept, ..greedy() };
        let asked = Asked { planes, blocks_per_way: 512 * planes, bad: 90, ..Asked::new(policies) };
        let (drive, chips, whole) = asked.make(Precondition::Steady(1));
        assert_eq!(whole, None);
        let (geometry, blocks) = (asked.configuration().geometry, drive.blocks());
        let origin = chips.origin.expect("a formula");
        let mut held = vec![0; (geometry.dies() * geometry.blocks_per_way) as usize];
        let mut seen = vec![false; geometry.pages() as usize];
        for lpn in (0..drive.map().pages()).map(Lpn) {
            let page = origin.physical(lpn).expect("a place");
            let (die, row) = (page / geometry.rows_per_way(), page % geometry.rows_per_way());
            assert_eq!(origin.logical(die, row), Some(lpn));
            assert!(!std::mem::replace(&mut seen[page as usize], true), "{lpn:?}");
            held[(die * geometry.blocks_per_way + geometry.block_of(row)) as usize] += 1;
        }
        assert_eq!(origin.physical(Lpn(drive.map().pages())), None);
        for (die, superblock) in superblocks(blocks, asked.ways) {
            let members = blocks.members(die, superblock);
            let own = |&block: &u32| held[(die * geometry.blocks_per_way + block) as usize];
            let valid: u32 = members.iter().map(own).sum();
            assert_eq!(valid, blocks.valid(die, superblock), "{superblock} of way {die}");
            // What is free is erased, what is closed is not, whether or not its data are present.
            let role = blocks.role(die, members[0]);
            let programmed = |page| {
                let row = blocks.row(die, superblock, page);
                origin.logical(die, row).is_some()
            };
            let count = (0..blocks.superblock_pages()).filter(|&page| programmed(page)).count();
            // Collection does not look again at what it came past.
            for page in 0..blocks.victim(die).filter(|_| role == Role::Victim).map_or(0, |of| of.1)
            {
                let row = blocks.row(die, superblock, page);
                let held = origin.logical(die, row).and_then(|lpn| origin.physical(lpn));
                assert_ne!(held, Some(die * geometry.rows_per_way() + row), "page {page}");
            }
            match role {
                Role::Free => assert_eq!((count, valid), (0, 0)),
                Role::Closed | Role::Victim => assert_eq!(count as u32, blocks.superblock_pages()),
                _ => assert!(valid as usize <= count && programmed(0) == (count > 0)),
            }
        }
        // Chips and firmware count the same erases.
        assert!(!chips.erases.is_empty());
        for (die, block, erases) in chips.erases {
            assert_eq!(erases, blocks.erases_of(die, block));
        }
        assert!(blocks.erases() > 0);
    }
}

#[test]
fn where_nothing_can_be_drawn_the_drive_itself_is_overwritten_and_says_why() {
    let large = Asked::new(greedy());
    for (asked, expected) in [
        (Asked { blocks_per_way: 128, ..large }, Whole::Small),
        (
            Asked { policies: Policies::of(VictimPolicy::Random, 1), blocks_per_way: 128, ..large },
            Whole::Victims,
        ),
        (Asked { units: 4, blocks_per_way: 128, ..large }, Whole::Units),
        (Asked { is_image: true, blocks_per_way: 128, ..large }, Whole::Kept),
    ] {
        let (drive, _, whole) = asked.make(Precondition::Steady(1));
        assert_eq!(whole, Some(expected), "{asked:?}");
        let (run, _, _) = asked.make(Precondition::SteadyRun(1));
        assert_eq!(drive.collected(), run.collected());
        assert!(drive.collected().blocks > 0);
    }
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn drawn_as_run_where_streams_are_apart() {
        compare(Asked::new(Policies { streams: StreamPolicy::Apart.with([]), ..greedy() }));
    }

    #[test]
    fn drawn_as_run_whatever_is_collected() {
        for policy in [VictimPolicy::CostBenefit, VictimPolicy::DChoices] {
            compare(Asked::new(Policies::of(policy, 4)));
        }
    }
}
