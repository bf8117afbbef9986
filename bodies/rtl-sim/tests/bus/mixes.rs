//! Random steps of all ways, one behind the other, against what the chips hold.

use crate::bus::host::{Host, Paces, Step, SPEEDS, WAYS};
use crate::bus::operation::Operation::*;
use rtl_sim::{seed, Random};

/// Steps of a run, at each speed.
const STEPS: usize = 40;

#[test]
fn data_come_and_go_unchanged_whoever_waits() {
    seed::each(6, |random| {
        for speed in SPEEDS {
            let mut host = Host::new(speed, Paces::any(random));
            let rows: Vec<u32> = (0..WAYS as u32).map(|way| host.row(way % 2, way, 1)).collect();
            let pages: Vec<Vec<u8>> = rows
                .iter()
                .enumerate()
                .map(|(way, row)| {
                    let bytes = random.bytes(host.page_bytes());
                    host.chips.chip_mut(way).set_page(*row, &bytes);
                    host.run_busy(Step::new(ReadTrigger, way).row(*row));
                    bytes
                })
                .collect();
            read_queued(&mut host, &pages, random);
            program_queued(&mut host, random);
            host.chips.assert_clean();
        }
    });
}

/// Transfers that stand in line: the next one is asked for before the one before has ended.
fn read_queued(host: &mut Host, pages: &[Vec<u8>], random: &mut Random) {
    let mut expected = vec![];
    for _ in 0..STEPS {
        let way = random.below(WAYS as u64) as usize;
        let length = 2 * (1 + random.below(60) as usize);
        let column = 2 * random.below(1000) as usize;
        host.ask(Step::new(ChangeReadColumn, way).column(column as u16).length(length));
        expected.push(pages[way][column..column + length].to_vec());
    }
    let done = host.finish(STEPS);
    assert!(done.iter().all(|done| !done.timed_out));
    let words = host.read.take();
    let mut words = words.iter();
    for bytes in expected {
        for (at, pair) in bytes.chunks(2).enumerate() {
            let word = words.next().expect("a word");
            assert_eq!(word[0] as u16, u16::from_le_bytes([pair[0], pair[1]]));
            assert_eq!(word[1] == 1, 2 * (at + 1) == bytes.len(), "last");
        }
    }
    assert_eq!(words.len(), 0, "words beyond those asked for");
}

fn program_queued(host: &mut Host, random: &mut Random) {
    let mut expected = vec![];
    for way in 0..WAYS {
        let row = host.row(0, 8 + way as u32, 0);
        let length = 2 * (1 + random.below(1088) as usize);
        let bytes = random.bytes(length);
        host.give(&bytes);
        host.ask(Step::new(ProgramPage, way).row(row).length(length));
        expected.push((row, bytes));
    }
    host.finish(WAYS);
    for (way, (row, bytes)) in expected.iter().enumerate() {
        host.await_ready(way);
        assert_eq!(host.run(Step::new(ReadStatus, way)).value & 1, 0, "status");
        let page = host.chips.chip(way).page(*row).expect("programmed");
        assert_eq!(&page[..bytes.len()], &bytes[..]);
    }
}
