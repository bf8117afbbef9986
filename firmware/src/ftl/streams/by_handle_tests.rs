//! Data of each handle in superblocks of their own, and the reserve that they leave.

use alloc::vec::Vec;
use contract::{Configuration, Geometry, Lpn, Policies, StreamPolicy};

use super::Stream;
use crate::ftl::handles::OfHandle;
use crate::ftl::moves::{Move, Moves};
use crate::ftl::translate::Translator;
use crate::nvme::backend::ReclaimEvent;
use crate::nvme::tests::mock::configuration;

const PAGES: u32 = 16;

/// Whose data were put into each superblock of a way since it was opened: a bit for each handle, and one for moves.
struct Held {
    owners: Vec<u32>,
    planes: u32,
}

const MOVED: u32 = 1 << 31;

impl Held {
    fn put(&mut self, row: u32, owner: u32) {
        self.owners[(row / PAGES / self.planes) as usize] |= owner;
    }

    /// Superblocks with data of several owners.
    fn mixed(&self) -> usize {
        self.owners.iter().filter(|owners| owners.count_ones() > 1).count()
    }
}

impl Moves for Held {
    fn idle_ways(&self, _: usize) -> u64 {
        0
    }
    fn victim(&mut self) {}
    fn opened(&mut self, _: (u32, Stream), superblock: u32, _: u64) {
        self.owners[superblock as usize] = 0;
    }
    fn copy(&mut self, _: u32, moved: &[Move]) {
        moved.iter().for_each(|one| self.put(one.to.page.row, MOVED));
    }
    fn erase(&mut self, _: u32, _: u32) {}
}

/// A drive of one way with so many handles, and with so many superblocks beyond the reserve and those of its logical pages.
fn drive(handles: u8, spare: u32, planes: u32) -> (Translator, Held) {
    let blocks = 48;
    let geometry = Geometry {
        channels: 1,
        ways: 1,
        blocks_per_way: blocks * planes,
        pages_per_block: PAGES,
        page_bytes: 4096,
    };
    let config = Configuration {
        geometry,
        unit_bytes: geometry.page_bytes,
        joined_planes: planes,
        logical_pages: (blocks - 2 - spare) * PAGES * planes,
        recovery: Some(contract::Recovery {
            log_blocks_per_way: 0,
            snapshots_per_journal_page: 1,
            log_entries: 4,
            map_cache_parts: None,
        }),
        spare_blocks_per_way: 0,
        policies: Policies {
            streams: StreamPolicy::ByHandle.with([handles.into()]),
            ..Policies::PUBLISHED
        },
        ..configuration()
    };
    let held = Held { owners: alloc::vec![0; blocks as usize], planes };
    (Translator::new(&config, |_, _| false), held)
}

/// Writes a page for a handle.
fn write(t: &mut Translator, held: &mut Held, lpn: u32, handle: u8) {
    let room = t.find_room(Lpn(lpn), handle, held).expect("a page");
    let page = t.put(room, core::iter::once(Lpn(lpn)));
    held.put(page.row, 1 << handle);
    let collects = u32::from(t.blocks.victim(0).is_some());
    assert!(t.blocks.free_count(0) + collects >= t.reserve, "the reserve is for collection");
}

/// Each handle overwrites a range of its own at random, the higher ones less often. Returns how many superblocks were mixed, summed up
/// over the second half of all writes, and the writes of that half.
fn overwrite(t: &mut Translator, held: &mut Held, handles: u8) -> (usize, u32) {
    let (pages, handles) = (t.map.pages(), u32::from(handles));
    (0..pages).for_each(|lpn| write(t, held, lpn, (lpn * handles / pages) as u8));
    let (mut seed, mut mixed, half) = (7, 0, 20 * pages);
    for nth in 0..2 * half {
        let mut draw = |below: u32| (random::next(&mut seed) >> 32) as u32 % below;
        let handle = draw(handles).min(draw(handles));
        let first = (handle * pages).div_ceil(handles);
        let lpn = first + draw(((handle + 1) * pages).div_ceil(handles) - first);
        write(t, held, lpn, handle as u8);
        mixed += if nth >= half { held.mixed() } else { 0 };
    }
    (mixed, half)
}

#[test]
fn superblocks_hold_data_of_one_handle_or_moved_ones() {
    for (handles, planes) in [(1, 1), (2, 1), (4, 1), (8, 1), (4, 2)] {
        let (mut t, mut held) = drive(handles, u32::from(handles) + 3, planes);
        let (mixed, _) = overwrite(&mut t, &mut held, handles);
        assert_eq!(mixed, 0, "{handles} handles, {planes} planes");
    }
}

/// With hardly a page to spare superblocks are mixed, and every write finds a page all the same.
#[test]
fn a_drive_without_room_for_its_handles_goes_on() {
    for (handles, spare) in [(8, 1), (8, 3), (4, 1), (2, 1)] {
        let (mut t, mut held) = drive(handles, spare, 1);
        let (mixed, writes) = overwrite(&mut t, &mut held, handles);
        assert!(mixed > 0, "{handles} handles, {spare} to spare, {writes} writes");
    }
}

#[test]
fn what_came_of_each_handle_is_counted() {
    let (mut t, mut held) = drive(4, 7, 1);
    overwrite(&mut t, &mut held, 4);
    let (copied, emptied) = (t.collected().pages, t.collected().blocks);
    let (of, of_moved) = t.handles().expect("handles").told();
    let sum = |what: fn(&OfHandle) -> u64| of.iter().map(what).sum::<u64>();
    assert_eq!(sum(|own| own.placed), u64::from(41 * t.map.pages()), "each page is filled once");
    assert_eq!(sum(|own| own.moved) + of_moved.moved, copied);
    assert_eq!(sum(|own| own.emptied) + of_moved.emptied, emptied);
    assert!(of[0].placed > of[3].placed && of_moved.moved > 0);
}

#[test]
fn a_reclaim_unit_is_a_superblock_of_each_way_and_can_be_left_early() {
    let (mut t, mut held) = drive(2, 6, 1);
    let left = |t: &Translator| [0, 1].map(|handle| t.handles().expect("handles").left(handle));
    assert_eq!(left(&t), [PAGES; 2]);
    (0..PAGES - 1).for_each(|lpn| write(&mut t, &mut held, lpn, 1));
    assert_eq!(left(&t), [PAGES, 1]);
    write(&mut t, &mut held, PAGES, 1);
    assert_eq!(left(&t), [PAGES; 2]);
    write(&mut t, &mut held, PAGES + 1, 1);
    let (open, _) = t.blocks.open(0, Stream::of_handle(1)).expect("an open superblock");
    // Nothing was written by handle 0, whose unit stays.
    t.renew_reclaim_unit(0);
    t.renew_reclaim_unit(1);
    t.renew_reclaim_unit(1);
    assert_eq!((left(&t), t.blocks.open(0, Stream::of_handle(1))), ([PAGES; 2], None));
    write(&mut t, &mut held, PAGES + 2, 1);
    assert_ne!(t.blocks.open(0, Stream::of_handle(1)).map(|(own, _)| own), Some(open));
    let handles = t.handles.as_mut().expect("handles");
    let told: Vec<ReclaimEvent> = core::iter::from_fn(|| handles.next_event()).collect();
    assert_eq!(told, [ReclaimEvent::Full { handle: 1 }, ReclaimEvent::NotFull { handle: 1 }]);
}
