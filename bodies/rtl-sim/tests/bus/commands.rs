//! Every operation does to the chip what its name says, at every speed and every pace.

use crate::bus::host::{Host, Paces, Step, SPEEDS, WAYS};
use crate::bus::operation::{Operation, OPERATIONS};
use rtl_sim::{seed, Random};
use Operation::*;

/// Ready, array ready, not protected, nothing failed.
const READY: u32 = 0xe0;

#[test]
fn every_operation_does_what_its_name_says() {
    seed::each(3, |random| {
        for speed in SPEEDS {
            let mut host = Host::new(speed, Paces::any(random));
            resets(&mut host);
            registers(&mut host, random);
            reads(&mut host, random);
            multi_plane_reads(&mut host, random);
            cache_reads(&mut host, random);
            programs(&mut host, random);
            loads(&mut host, random);
            multi_plane_programs(&mut host, random);
            copybacks(&mut host, random);
            erases(&mut host, random);
            host.chips.assert_clean();
            assert_eq!(host.used.len(), OPERATIONS, "operations seen on the pins");
            let opened = host.opened().iter().map(|open| open[0]);
            assert!(opened.clone().count() > 20, "steps announced");
            let moving: Vec<u64> = host
                .used
                .iter()
                .filter(|operation| operation.moves_words())
                .map(|operation| *operation as u64)
                .collect();
            assert!(opened.into_iter().all(|open| moving.contains(&open)));
        }
    });
}

#[test]
fn ways_are_busy_from_their_commands_on() {
    // The shortest commands there are, shorter than tWB.
    for speed in SPEEDS {
        let mut host = Host::new(speed, Paces::always());
        for way in 0..WAYS {
            host.ask(Step::new(Reset, way));
        }
        let done = host.finish(WAYS);
        for (way, done) in done.iter().enumerate() {
            let expected = 0b1111 << (way + 1) & 0b1111;
            assert_eq!(done.ready, expected, "ready after the command to way {way}");
        }
        host.idle(100);
        assert_eq!(host.ready(), 0, "all of them take longer");
        (0..WAYS).for_each(|way| host.await_ready(way));
        host.chips.assert_clean();
    }
}

fn assert_status(host: &mut Host, way: usize) {
    assert_eq!(host.run(Step::new(ReadStatus, way)).value, READY, "status of way {way}");
}

fn resets(host: &mut Host) {
    for way in 0..4 {
        host.run_busy(Step::new(if way % 2 == 0 { Reset } else { SynchronousReset }, way));
        assert_status(host, way);
    }
    let row = host.row(1, 0, 0);
    host.run_busy(Step::new(ResetLun, 2).row(row));
    assert_eq!(host.run(Step::new(ReadStatusEnhanced, 2).row(row)).value, READY);
}

fn registers(host: &mut Host, random: &mut Random) {
    let identity = host.chips.chip(1).config().identity.clone();
    assert_eq!(host.fetch(Step::new(ReadId, 1), 8), identity.id);
    assert_eq!(host.fetch(Step::new(ReadId, 1).column(0x20), 4), b"ONFI");

    host.run_busy(Step::new(ParameterPageTrigger, 0));
    let parameters = host.fetch(Step::new(ReadTransfer, 0), 768);
    assert_eq!(&parameters[..4], b"ONFI");
    assert_eq!(&parameters[44..55], b"GOLDEN CHIP");
    host.run_busy(Step::new(UniqueIdTrigger, 3));
    let unique = host.fetch(Step::new(ReadTransfer, 3), 32);
    assert_eq!(unique[..16], identity.unique);
    assert_eq!(unique[16..], identity.unique.map(|byte| !byte));

    let (all, one, odt) = (random.next() as u32, random.next() as u32, random.next() as u32);
    host.run_busy(Step::new(SetFeatures, 0).column(0x10).row(all));
    host.run_busy(Step::new(SetFeaturesLun, 0).column(0x0110).row(one));
    assert_eq!(host.chips.chip(0).feature(0, 0x10), all.to_le_bytes());
    host.run_busy(Step::new(FeaturesTrigger, 0).column(0x10));
    assert_eq!(host.run(Step::new(FeaturesTransfer, 0)).value, all);
    host.run_busy(Step::new(FeaturesLunTrigger, 0).column(0x0110));
    assert_eq!(host.run(Step::new(FeaturesTransfer, 0)).value, one);

    host.run(Step::new(OdtConfigure, 1).column(0x0100).row(odt));
    assert_eq!(host.chips.chip(1).odt(1), Some(odt.to_le_bytes()));
    host.run(Step::new(VolumeSelect, 1).column(5));
    assert_eq!(host.chips.chip(1).volume(), 5);
    host.await_ready(1);
}

/// Puts random bytes into a page.
fn fill(host: &mut Host, way: usize, row: u32, random: &mut Random) -> Vec<u8> {
    let bytes = random.bytes(host.page_bytes());
    host.chips.chip_mut(way).set_page(row, &bytes);
    bytes
}

fn reads(host: &mut Host, random: &mut Random) {
    let row = host.row(0, 0, 3);
    let page = fill(host, 0, row, random);
    host.run_busy(Step::new(ReadTrigger, 0).row(row).column(64));
    assert_eq!(host.fetch(Step::new(ReadTransfer, 0), 300), page[64..364]);
    assert_eq!(host.fetch(Step::new(ReadTransfer, 0), 2), page[364..366]);
    let changed = host.fetch(Step::new(ChangeReadColumn, 0).column(1020), 1000);
    assert_eq!(changed, page[1020..2020]);
    assert_status(host, 0);
    host.run(Step::new(ReadMode, 0));
    assert_eq!(host.fetch(Step::new(ReadTransfer, 0), 10), page[2020..2030]);
}

fn multi_plane_reads(host: &mut Host, random: &mut Random) {
    let rows = [0, 1].map(|block| host.row(1, block, 7));
    let pages = rows.map(|row| fill(host, 1, row, random));
    host.run_busy(Step::new(ReadMultiPlane, 1).row(rows[0]));
    host.run_busy(Step::new(ReadTrigger, 1).row(rows[1]));
    for (operation, column) in [(ChangeReadColumnOnfi, 0), (ChangeReadColumnJedec, 512)] {
        for (row, page) in rows.iter().zip(&pages) {
            let found = host.fetch(Step::new(operation, 1).row(*row).column(column), 256);
            let from = usize::from(column);
            assert_eq!(found, page[from..from + 256]);
        }
    }
}

fn cache_reads(host: &mut Host, random: &mut Random) {
    let rows = [(2, 0), (2, 1), (3, 9)].map(|(block, page)| host.row(0, block, page));
    let pages = rows.map(|row| fill(host, 2, row, random));
    host.run_busy(Step::new(ReadTrigger, 2).row(rows[0]));
    host.run_busy(Step::new(ReadCacheSequential, 2));
    assert_eq!(host.fetch(Step::new(ReadTransfer, 2), 200), pages[0][..200]);
    host.run_busy(Step::new(ReadCacheRandom, 2).row(rows[2]));
    assert_eq!(host.fetch(Step::new(ReadTransfer, 2), 200), pages[1][..200]);
    host.run_busy(Step::new(ReadCacheLast, 2));
    assert_eq!(host.fetch(Step::new(ReadTransfer, 2), 200), pages[2][..200]);
}

fn assert_page(host: &Host, way: usize, row: u32, expected: &[u8]) {
    let found = host.chips.chip(way).page(row).expect("programmed");
    assert_eq!(&found[..expected.len()], expected);
    assert!(found[expected.len()..].iter().all(|byte| *byte == 0xff));
}

fn programs(host: &mut Host, random: &mut Random) {
    let length = host.page_bytes();
    let rows: Vec<u32> = (0..3).map(|page| host.row(0, 4, page)).collect();
    let pages: Vec<Vec<u8>> = rows.iter().map(|_| random.bytes(length)).collect();
    host.send_busy(Step::new(ProgramPage, 3).row(rows[0]), &pages[0]);
    assert_status(host, 3);
    // The cache: ready before the array is.
    host.send_busy(Step::new(ProgramCache, 3).row(rows[1]), &pages[1]);
    host.send_busy(Step::new(ProgramPage, 3).row(rows[2]), &pages[2]);
    assert_status(host, 3);
    for (row, page) in rows.iter().zip(&pages) {
        assert_page(host, 3, *row, page);
    }
    // A word line at one go.
    let rows: Vec<u32> = (0..3).map(|page| host.row(1, 4, page)).collect();
    host.send_busy(Step::new(ProgramPart, 3).row(rows[0]), &pages[2]);
    host.send_busy(Step::new(ProgramPart, 3).row(rows[1]), &pages[1]);
    host.send_busy(Step::new(ProgramPage, 3).row(rows[2]), &pages[0]);
    assert_eq!(host.run(Step::new(ReadStatusEnhanced, 3).row(rows[0])).value, READY);
    for (row, page) in rows.iter().zip(pages.iter().rev()) {
        assert_page(host, 3, *row, page);
    }
}

/// A page in pieces, its row changed before it is confirmed.
fn loads(host: &mut Host, random: &mut Random) {
    let bytes = random.bytes(30);
    let (wrong, row) = (host.row(0, 6, 1), host.row(0, 6, 0));
    host.send(Step::new(ProgramLoad, 2).row(wrong), &bytes[..10]);
    host.send(Step::new(ChangeWriteColumn, 2).column(20), &bytes[20..]);
    host.send(Step::new(ChangeRowAddress, 2).row(row).column(10), &bytes[10..20]);
    host.run_busy(Step::new(ProgramConfirm, 2));
    assert_status(host, 2);
    assert_page(host, 2, row, &bytes);
    assert_eq!(host.chips.chip(2).page(wrong), None);
}

fn multi_plane_programs(host: &mut Host, random: &mut Random) {
    for (page, next_plane) in [(0, false), (1, true)] {
        let rows = [6, 7].map(|block| host.row(1, block, page));
        let pages = rows.map(|_| random.bytes(500));
        host.send_busy(Step::new(ProgramMultiPlane, 0).row(rows[0]), &pages[0]);
        let second = Step { next_plane, ..Step::new(ProgramPage, 0).row(rows[1]) };
        host.send_busy(second, &pages[1]);
        for (row, page) in rows.iter().zip(&pages) {
            assert_page(host, 0, *row, page);
        }
    }
}

fn copybacks(host: &mut Host, random: &mut Random) {
    let from = [8, 9].map(|block| host.row(0, block, 5));
    let to = [10, 11].map(|block| host.row(0, block, 0));
    let pages = from.map(|row| fill(host, 1, row, random));
    host.run_busy(Step::new(ReadMultiPlane, 1).row(from[0]));
    host.run_busy(Step::new(CopybackRead, 1).row(from[1]));
    host.run_busy(Step::new(CopybackProgramMultiPlane, 1).row(to[0]));
    host.run_busy(Step::new(CopybackProgram, 1).row(to[1]));
    assert_status(host, 1);
    for (row, page) in to.iter().zip(&pages) {
        assert_page(host, 1, *row, page);
    }
}

fn erases(host: &mut Host, random: &mut Random) {
    let rows: Vec<u32> = (0..6).map(|block| host.row(1, block, 0)).collect();
    for row in &rows[..5] {
        fill(host, 0, *row, random);
    }
    host.run_busy(Step::new(EraseBlock, 0).row(rows[4]));
    host.run_busy(Step::new(EraseMultiPlaneOnfi, 0).row(rows[0]));
    host.run_busy(Step::new(EraseBlock, 0).row(rows[1]));
    host.run(Step::new(EraseMultiPlaneJedec, 0).row(rows[2]));
    host.run_busy(Step::new(EraseBlock, 0).row(rows[3]));
    assert_eq!(host.run(Step::new(ReadStatusEnhanced, 0).row(rows[3])).value, READY);
    for row in rows {
        assert_eq!(host.chips.chip(0).page(row), None, "row {row:#x} is erased");
    }
}
