//! Programs that go astray: what pages hold then, and whose data may be lost.

use contract::Lpn;
use nand::{Astray, FaultsOfPage, Payload};

use super::chips::{board, lpn, Chips, Page, BYTES, PAGES, STAMPS};

fn chips(payload: Payload) -> Chips {
    let board = board(&[("recovery.log_entries", "4"), ("geometry.blocks_per_way", "64")]);
    Chips::new(&board, payload, 1)
}

fn page(lpn: u32) -> Page {
    Page::regular(lpn, 2)
}

impl Chips {
    /// Programs a page, which succeeds as far as the chip knows.
    fn put(&mut self, row: u32, page: &Page) {
        assert!(!self.program(0, row, page).failed);
    }

    /// The logical page that a page holds, all of it; `None` if it is erased.
    fn holds(&mut self, row: u32) -> Option<Lpn> {
        let (read, stamps) = self.read(0, row);
        assert!(!read.uncorrectable, "row {row}");
        assert_eq!(read.erased, read.metadata.is_none(), "row {row}");
        let held = read.metadata.map(|_| lpn(&read));
        assert_eq!(stamps, held.map_or(Page::ERASED, |lpn| page(lpn.0)).stamps, "row {row}");
        held
    }

    fn is_spoilt(&mut self, row: u32) -> bool {
        let (read, _) = self.read(0, row);
        read.uncorrectable && read.metadata.is_none()
    }
}

#[test]
fn a_lost_program_leaves_its_page_erased_and_those_behind_it_are_programmed() {
    for payload in [STAMPS, BYTES] {
        let mut chips = chips(payload);
        chips.put(0, &page(7));
        assert!(chips.array.hit_by_strays().is_empty());
        chips.array.send_astray(0, Astray::Nowhere, FaultsOfPage::One);
        chips.put(1, &page(8));
        chips.put(2, &page(9));
        assert_eq!([0, 1, 2].map(|row| chips.holds(row)), [Some(Lpn(7)), None, Some(Lpn(9))]);
        assert_eq!(chips.array.hit_by_strays(), [Lpn(8)], "of one program alone");
    }
}

/// Until the page is programmed that was to be: then it holds neither.
#[test]
fn a_program_lands_in_an_erased_page_of_its_block_until_that_is_programmed() {
    for payload in [STAMPS, BYTES] {
        let mut chips = chips(payload);
        chips.array.send_astray(0, Astray::Page(2), FaultsOfPage::One);
        for row in 0..2 {
            chips.put(row, &page(row));
        }
        assert_eq!([0, 1, 2].map(|row| chips.holds(row)), [None, Some(Lpn(1)), Some(Lpn(0))]);
        chips.put(2, &page(2));
        chips.put(3, &page(3));
        assert!(chips.is_spoilt(2));
        assert_eq!(chips.holds(3), Some(Lpn(3)));
        assert_eq!(chips.array.hit_by_strays(), [Lpn(0), Lpn(0), Lpn(2)]);
        chips.array.erase(0, 0);
        assert_eq!(chips.holds(2), None);
        (0..PAGES).for_each(|row| chips.put(row, &page(row)));
        assert_eq!(chips.holds(2), Some(Lpn(2)), "the block is as any other again");
    }
}

#[test]
fn a_program_spoils_a_programmed_page_that_it_comes_to() {
    for payload in [STAMPS, BYTES] {
        let mut chips = chips(payload);
        for row in [0, 1, PAGES, PAGES + 1] {
            chips.put(row, &page(row));
        }
        chips.array.send_astray(0, Astray::Page(-2), FaultsOfPage::One);
        chips.put(2, &page(2));
        chips.array.send_astray(0, Astray::Block(63), FaultsOfPage::Any);
        chips.put(PAGES + 2, &page(12));
        assert_eq!(chips.holds(2), Some(Lpn(12)), "an erased page of the block before");
        chips.array.send_astray(0, Astray::Page(-2), FaultsOfPage::One);
        chips.put(PAGES + 3, &page(13));
        assert!(chips.is_spoilt(0) && chips.is_spoilt(PAGES + 1));
        assert_eq!(chips.array.hit_by_strays(), [2, 0, 2, 12, 13, PAGES + 1, 13].map(Lpn));
        chips.put(3, &page(3));
        chips.put(PAGES + 4, &page(14));
        assert_eq!([3, PAGES + 4].map(|row| chips.holds(row)), [3, 14].map(|lpn| Some(Lpn(lpn))));
    }
}

/// What a page then holds is sound, and another's: or nothing, where one fault a page is all.
#[test]
fn a_program_comes_to_a_page_whose_own_was_lost_where_faults_meet() {
    for (faults, found) in [(FaultsOfPage::Any, Some(Lpn(1))), (FaultsOfPage::One, None)] {
        let mut chips = chips(STAMPS);
        for (row, to) in [(0, Astray::Nowhere), (1, Astray::Page(-1))] {
            chips.array.send_astray(0, to, faults);
            chips.put(row, &page(row));
        }
        assert_eq!([0, 1].map(|row| chips.holds(row)), [found, None], "{faults:?}");
        chips.array.send_astray(0, Astray::Page(1), faults);
        chips.put(2, &page(2));
        chips.array.send_astray(0, Astray::Nowhere, faults);
        chips.put(3, &page(3));
        match faults {
            FaultsOfPage::Any => assert_eq!(chips.holds(3), Some(Lpn(2))),
            FaultsOfPage::One => assert!(chips.is_spoilt(3)),
        }
    }
}

/// The rules hold still where no program goes astray.
#[test]
#[should_panic(expected = "program of a page that is not erased")]
fn other_pages_of_the_block_are_not_programmed_twice() {
    let mut chips = chips(STAMPS);
    chips.put(0, &page(0));
    chips.array.send_astray(0, Astray::Nowhere, FaultsOfPage::One);
    chips.put(1, &page(1));
    chips.put(2, &page(2));
    chips.put(0, &page(3));
}
