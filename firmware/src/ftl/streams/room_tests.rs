//! What is moved and what is new, in superblocks of their own, and the reserve that both leave.

use alloc::vec::Vec;
use contract::{Configuration, Geometry, Lpn, Policies, StreamPolicy};

use super::*;
use crate::ftl::moves::Move;
use crate::nvme::tests::mock::configuration;

const PAGES: u32 = 16;
const BLOCKS: u32 = 24;

/// What was put into each superblock since it was opened.
struct Held {
    new: Vec<bool>,
    moved: Vec<bool>,
    planes: u32,
}

impl Moves for Held {
    fn idle_ways(&self, _: usize) -> u64 {
        0
    }
    fn victim(&mut self) {}
    fn opened(&mut self, _: (u32, Stream), superblock: u32, _: u64) {
        (self.new[superblock as usize], self.moved[superblock as usize]) = (false, false);
    }
    fn copy(&mut self, _: u32, moved: &[Move]) {
        for one in moved {
            self.moved[(one.to.page.row / PAGES / self.planes) as usize] = true;
        }
    }
    fn erase(&mut self, _: u32, _: u32) {}
}

/// Overwrites a drive of one way at random, of which so many superblocks beyond the reserve are not needed for its
/// logical pages; returns the superblocks that held both, counted at each of the last placements.
fn mixed((streams, spare): (StreamPolicy, u32), planes: u32, (recovery, kept): (bool, u32)) -> u32 {
    let geometry = Geometry {
        channels: 1,
        ways: 1,
        blocks_per_way: BLOCKS * planes,
        pages_per_block: PAGES,
        page_bytes: 4096,
    };
    let reserve = 1 + u32::from(recovery);
    let recovery = recovery.then_some(contract::Recovery {
        log_blocks_per_way: 0,
        snapshots_per_journal_page: 1,
        log_entries: 4,
        map_cache_parts: None,
    });
    let logical_pages = (BLOCKS - reserve - spare) * PAGES * planes;
    let config = Configuration {
        geometry,
        unit_bytes: geometry.page_bytes,
        joined_planes: planes,
        logical_pages,
        recovery,
        free_pages_kept: kept,
        spare_blocks_per_way: 0,
        policies: Policies { streams: streams.with([4]), ..Policies::PUBLISHED },
        ..configuration()
    };
    let mut t = Translator::new(&config, |_, _| false);
    let fresh = || alloc::vec![false; BLOCKS as usize];
    let mut held = Held { new: fresh(), moved: fresh(), planes };
    let mut mixed = 0;
    let (mut seed, count) = (5, 40 * logical_pages);
    for nth in 0..count {
        let random = (random::next(&mut seed) >> 32) as u32 % logical_pages;
        let lpn = if nth < logical_pages { nth } else { random };
        let page = t.place(Lpn(lpn), &mut held);
        let page = page.unwrap_or_else(|| panic!("{spare} to spare: placement {nth} of {count}"));
        held.new[(page.row / PAGES / planes) as usize] = true;
        let collects = u32::from(t.blocks.victim(0).is_some());
        assert!(t.blocks.free_count(0) + collects >= reserve, "placement {nth}");
        if nth > count / 2 {
            mixed += (0..BLOCKS as usize).filter(|&s| held.new[s] && held.moved[s]).count() as u32;
        }
    }
    mixed
}

#[test]
fn superblocks_hold_moved_pages_or_new_ones_unless_hardly_any_is_to_spare() {
    for (planes, recovery, kept) in
        [(1, false, 0), (1, true, 0), (1, true, PAGES), (2, true, 0), (4, false, PAGES)]
    {
        for spare in [3, 5] {
            let mixed = mixed((StreamPolicy::Apart, spare), planes, (recovery, kept));
            assert_eq!(mixed, 0, "{spare} to spare, {planes} planes, log {recovery}, {kept} kept");
        }
        assert!(mixed((StreamPolicy::Apart, 1), planes, (recovery, kept)) > 0, "{planes} planes");
    }
}

/// Wherever a policy wants new data, each of them finds a page, and no page of the reserve is used for them.
#[test]
fn every_policy_keeps_the_reserve() {
    for &streams in StreamPolicy::ALL {
        for (planes, recovery, kept) in
            [(1, false, 0), (1, true, 0), (1, true, PAGES), (2, true, 0)]
        {
            for spare in [1, 2, 5] {
                mixed((streams, spare), planes, (recovery, kept));
            }
        }
    }
}
