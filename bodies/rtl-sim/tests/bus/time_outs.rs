//! Whoever does not come in time ends a step in an orderly way, and the next one works.

use crate::bus::host::{Host, Paces, Step, SPEEDS};
use crate::bus::operation::Operation::*;
use nand::onfi::{Defect, Interface};
use rtl_sim::{seed, Pace};

const UNITS: u16 = 5;

#[test]
fn a_page_whose_words_do_not_come_is_not_programmed() {
    seed::each(4, |random| {
        for speed in SPEEDS {
            let mut host = Host::new(speed, Paces::any(random));
            host.set_data_timeout(UNITS);
            let row = host.row(0, 1, 0);
            let given = 2 * random.below(20) as usize;
            let bytes = random.bytes(given);
            host.give(&bytes);
            host.ask(Step::new(ProgramPage, 1).row(row).length(100));
            let done = host.finish(1)[0];
            assert!(done.timed_out);
            assert_eq!(host.aborts(), 1);
            assert_eq!(host.ready() >> 1 & 1, 1, "no command was confirmed");
            // The chip waits for data or a confirmation; a reset makes it forget.
            host.run_busy(Step::new(Reset, 1));
            assert_eq!(host.chips.chip(1).page(row), None);
            host.set_data_timeout(0);
            let bytes = random.bytes(100);
            host.send_busy(Step::new(ProgramPage, 1).row(row), &bytes);
            assert_eq!(host.chips.chip(1).page(row).map(|page| &page[..100]), Some(&bytes[..]));
            host.chips.assert_clean();
        }
    });
}

#[test]
fn a_read_that_nobody_takes_ends() {
    seed::each(4, |random| {
        for speed in SPEEDS {
            let mut host = Host::new(speed, Paces::always());
            host.set_data_timeout(UNITS);
            let row = host.row(0, 1, 0);
            let page = random.bytes(host.page_bytes());
            host.chips.chip_mut(1).set_page(row, &page);
            host.run_busy(Step::new(ReadTrigger, 1).row(row));
            host.read.set_pace(Pace::Never);
            let length = 2 * (1 + random.below(40) as usize);
            host.ask(Step::new(ReadTransfer, 1).length(length));
            let done = host.finish(1)[0];
            assert!(done.timed_out);
            assert_eq!(host.aborts(), 1);
            assert_eq!(host.read.take().len(), 0);
            host.read.set_pace(Pace::any(random));
            host.set_data_timeout(0);
            let found = host.fetch(Step::new(ChangeReadColumn, 1).column(100), 200);
            assert_eq!(found, page[100..300]);
            host.chips.assert_clean();
        }
    });
}

#[test]
fn a_strobe_that_never_comes_ends_a_read() {
    for speed in SPEEDS.iter().filter(|speed| speed.interface == Interface::Ddr) {
        let mut host = Host::new(*speed, Paces::always());
        host.set_data_timeout(UNITS);
        let row = host.row(0, 1, 0);
        host.run_busy(Step::new(ReadTrigger, 1).row(row));
        host.run_busy(Step::new(FeaturesTrigger, 2).column(0x10));
        for way in [1, 2, 3] {
            host.chips.chip_mut(way).set_defect(Some(Defect::SilentStrobe));
        }
        host.ask(Step::new(ReadTransfer, 1).length(100));
        host.ask(Step::new(FeaturesTransfer, 2));
        host.ask(Step::new(ReadStatus, 3));
        host.ask(Step::new(ReadId, 3).length(8));
        let done = host.finish(4);
        assert!(done.iter().all(|done| done.timed_out));
        assert_eq!(host.aborts(), 2, "only for steps that move words");
        assert_eq!(host.read.take().len(), 0);
        for way in [1, 2, 3] {
            host.chips.chip_mut(way).set_defect(None);
        }
        assert_eq!(host.run(Step::new(ReadStatus, 3)).value, 0xe0);
        assert_eq!(host.fetch(Step::new(ReadId, 3).column(0x20), 4), b"ONFI");
        host.chips.assert_clean();
    }
}

#[test]
fn a_pause_within_the_limit_is_none() {
    for speed in SPEEDS {
        let mut host = Host::new(speed, Paces::always());
        host.set_data_timeout(100);
        let row = host.row(0, 1, 0);
        let bytes = [0x3c; 20];
        host.give(&bytes[..10]);
        host.ask(Step::new(ProgramPage, 0).row(row).length(20));
        // Ends after the limit, counted from the beginning, but not from the last word.
        host.idle(16 * 99);
        host.give(&bytes[10..12]);
        host.idle(16 * 98);
        host.give(&bytes[12..]);
        let done = host.finish(1)[0];
        assert!(!done.timed_out);
        host.await_ready(0);
        assert_eq!(host.chips.chip(0).page(row).map(|page| &page[..20]), Some(&bytes[..]));
        host.chips.assert_clean();
    }
}
