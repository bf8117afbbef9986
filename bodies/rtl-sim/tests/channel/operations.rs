//! Every operation by itself: what it does to the chip, and what its response says.

use crate::channel::rig::{Plan, Rig};
use crate::channel::world::{Shape, Speed, METADATA_BYTES, NV_DDR2_333, SDR_50};
use contract::packet::{Answer, Coding, Operation, Outcome, Request, Response};
use rtl_sim::{seed, Random};
use std::collections::BTreeSet;
use Operation::*;

/// Ready, array ready, not protected, nothing failed.
const READY: u32 = 0xe0;
const SHAPE: Shape = Shape { plane_bits: 1, luns: 2 };
/// Bytes as they are on the bus.
const RAW: Coding = Coding { ecc: false, scrambler: false, metadata: false };
const CODED: Coding = Coding { ecc: true, scrambler: true, metadata: true };

/// Data and metadata of a page.
const PAGE_BYTES: usize = 512 + METADATA_BYTES;

/// A channel, and which operations it has been asked for.
struct Desk {
    rig: Rig,
    random: Random,
    used: BTreeSet<u8>,
}

impl Desk {
    fn new(speed: Speed, random: &mut Random) -> Self {
        let rig = Rig::new(Plan::new(speed, SHAPE), random);
        Self { rig, random: random.split(), used: BTreeSet::new() }
    }

    fn row(&self, lun: u32, block: u32, page: u32) -> u32 {
        self.rig.world.config.rows.row(lun, block, page)
    }

    fn call(&mut self, request: Request) -> Response {
        self.used.insert(request.operation as u8);
        self.rig.call(request)
    }

    /// Asks, and expects that it is done.
    fn done(&mut self, request: Request) -> u32 {
        let response = self.call(request);
        assert_eq!(response.outcome, Outcome::Success, "{request:?}");
        response.value
    }

    /// Asks for something that makes the way busy, and waits for its end.
    fn busy(&mut self, request: Request) {
        self.done(request);
        let way = usize::from(request.way);
        assert_eq!(self.rig.channel.watch.ready >> way & 1, 0, "{request:?}: not busy");
        self.await_ready(request.way);
    }

    fn await_ready(&mut self, way: u8) {
        for _ in 0..20_000 {
            self.rig.run(1);
            if self.rig.channel.watch.ready >> way & 1 == 1 {
                return;
            }
        }
        panic!("way {way} is busy for ever");
    }

    /// The status of a row's plane.
    fn status(&mut self, way: u8, row: u32) -> u32 {
        self.done(Request::new(ReadStatusEnhanced, way, row))
    }

    /// Asks for raw bytes.
    fn fetch(&mut self, request: Request) -> Vec<u8> {
        let buffer = 40;
        self.done(Request { buffer, coding: RAW, ..request });
        self.rig.channel.buffer.entry(buffer)[..usize::from(request.length)].to_vec()
    }

    /// Puts random bytes into a page of a chip.
    fn fill(&mut self, way: u8, row: u32) -> Vec<u8> {
        let bytes = self.random.bytes(self.rig.world.config.page_bytes());
        self.rig.channel.chips.chip_mut(way.into()).set_page(row, &bytes);
        bytes
    }

    fn page(&self, way: u8, row: u32) -> Option<&[u8]> {
        self.rig.channel.chips.chip(way.into()).page(row)
    }

    /// Raw bytes from a source entry, as a request sends them.
    fn source(&self, entry: u16, length: usize) -> Vec<u8> {
        self.rig.world.sources[usize::from(entry)][..length].to_vec()
    }

    fn assert_starts(&self, way: u8, row: u32, bytes: &[u8]) {
        let page = self.page(way, row).expect("programmed");
        assert_eq!(&page[..bytes.len()], bytes);
        assert!(page[bytes.len()..].iter().all(|byte| *byte == 0xff));
    }
}

#[test]
fn every_operation_does_what_it_says() {
    seed::each(1, |random| {
        for speed in [NV_DDR2_333, SDR_50] {
            let mut desk = Desk::new(speed, random);
            identities(&mut desk);
            features(&mut desk);
            resets(&mut desk);
            read_steps(&mut desk);
            cache_reads(&mut desk);
            program_steps(&mut desk);
            loads(&mut desk);
            erase_steps(&mut desk);
            copybacks(&mut desk);
            wholes(&mut desk);
            word_lines(&mut desk);
            desk.rig.channel.chips.assert_clean();
            let all: BTreeSet<u8> =
                Operation::ALL.iter().map(|operation| *operation as u8).collect();
            assert_eq!(desk.used, all);
        }
    });
}

fn identities(desk: &mut Desk) {
    let id = desk.rig.world.config.identity.id;
    assert_eq!(desk.fetch(Request { length: 8, ..Request::new(ReadId, 1, 0) }), id);
    let onfi = Request { length: 4, column: 0x20, ..Request::new(ReadId, 1, 0) };
    assert_eq!(desk.fetch(onfi), b"ONFI");

    let whole = desk.fetch(Request { length: 512, ..Request::new(ReadParameterPage, 2, 0) });
    assert_parameters(&whole);
    desk.busy(Request::new(ParameterPageTrigger, 2, 0));
    let steps = desk.fetch(Request { length: 512, ..Request::new(ReadTransfer, 2, 0) });
    assert_eq!(steps, whole);

    let mut id = desk.rig.world.config.identity.unique;
    id[0] = 3;
    let unique = [id, id.map(|byte| !byte)].concat();
    assert_eq!(desk.fetch(Request { length: 32, ..Request::new(ReadUniqueId, 3, 0) }), unique);
    desk.busy(Request::new(UniqueIdTrigger, 3, 0));
    assert_eq!(desk.fetch(Request { length: 32, ..Request::new(ReadTransfer, 3, 0) }), unique);
}

/// ONFI 4.0, section 5.7: two copies, each with its CRC (8005h from 4F4Eh) at its end.
fn assert_parameters(copies: &[u8]) {
    let (first, second) = copies.split_at(256);
    assert_eq!(first, second);
    assert_eq!(&first[..4], b"ONFI");
    assert_eq!(first[80..84], 512u32.to_le_bytes());
    let crc = first[..254].iter().fold(0x4f4eu16, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| {
            crc << 1 ^ if crc & 0x8000 != 0 { 0x8005 } else { 0 }
        })
    });
    assert_eq!(first[254..], crc.to_le_bytes());
}

fn features(desk: &mut Desk) {
    let [all, one, odt] = [0; 3].map(|_| desk.random.next() as u32);
    desk.busy(Request { column: 0x10, ..Request::new(SetFeatures, 4, all) });
    let chip = |desk: &Desk, lun| desk.rig.channel.chips.chip(4).feature(lun, 0x10);
    assert_eq!([chip(desk, 0), chip(desk, 1)], [all.to_le_bytes(); 2]);
    desk.busy(Request { column: 0x0110, ..Request::new(SetFeaturesLun, 4, one) });
    assert_eq!([chip(desk, 0), chip(desk, 1)], [all.to_le_bytes(), one.to_le_bytes()]);

    let ask = |operation, column| Request { column, ..Request::new(operation, 4, 0) };
    assert_eq!(desk.done(ask(GetFeatures, 0x10)), all);
    assert_eq!(desk.done(ask(GetFeaturesLun, 0x0110)), one);
    desk.busy(ask(FeaturesTrigger, 0x10));
    assert_eq!(desk.done(ask(FeaturesTransfer, 0)), all);
    desk.busy(ask(FeaturesLunTrigger, 0x0110));
    assert_eq!(desk.done(ask(FeaturesTransfer, 0)), one);

    desk.done(Request { column: 0x0100, ..Request::new(OdtConfigure, 4, odt) });
    desk.done(Request { column: 5, ..Request::new(VolumeSelect, 4, 0) });
    desk.done(Request::new(ReadStatus, 4, 0));
    let chip = desk.rig.channel.chips.chip(4);
    assert_eq!(chip.odt(1), Some(odt.to_le_bytes()));
    assert_eq!(chip.volume(), 5);
}

/// Resets of ways that are idle, that read, and that erase: what was erased is torn.
fn resets(desk: &mut Desk) {
    desk.busy(Request::new(Reset, 0, 0));
    desk.busy(Request::new(SynchronousReset, 1, 0));
    let [rows, other] = [0, 1].map(|lun| desk.row(lun, 3, 0));
    for (way, operation) in [(0, Reset), (1, SynchronousReset), (2, ResetLun)] {
        desk.fill(way, rows);
        let kept = desk.fill(way, other);
        let erase = Request::new(EraseBlock, way, rows);
        desk.done(erase);
        assert_eq!(desk.done(Request::new(ReadStatus, way, 0)) & 0x60, 0, "busy");
        desk.done(Request::new(operation, way, rows));
        desk.await_ready(way);
        assert_eq!(desk.status(way, rows), READY);
        assert!(desk.page(way, rows).is_some(), "torn, and neither erased nor as it was");
        assert_eq!(desk.page(way, other), Some(&kept[..]));
        let read = Request { length: 64, ..Request::new(Read, way, other) };
        assert_eq!(desk.fetch(read), kept[..64]);
    }
}

fn read_steps(desk: &mut Desk) {
    let rows = [0, 1].map(|block| desk.row(1, block, 7));
    let pages = rows.map(|row| desk.fill(5, row));
    desk.busy(Request { column: 64, ..Request::new(ReadTrigger, 5, rows[0]) });
    let transfer = |length| Request { length, ..Request::new(ReadTransfer, 5, rows[0]) };
    assert_eq!(desk.fetch(transfer(100)), pages[0][64..164]);
    assert_eq!(desk.fetch(transfer(2)), pages[0][164..166], "it goes on");
    let change = Request { column: 320, length: 200, ..Request::new(ChangeReadColumn, 5, rows[0]) };
    assert_eq!(desk.fetch(change), pages[0][320..520]);
    assert_eq!(desk.done(Request::new(ReadStatus, 5, 0)), READY);
    desk.done(Request::new(ReadMode, 5, 0));
    assert_eq!(desk.fetch(transfer(10)), pages[0][520..530]);

    desk.busy(Request::new(ReadMultiPlane, 5, rows[0]));
    desk.busy(Request::new(ReadTrigger, 5, rows[1]));
    for (operation, column) in [(ChangeReadColumnOnfi, 0), (ChangeReadColumnJedec, 256)] {
        for (row, page) in rows.iter().zip(&pages) {
            let found =
                desk.fetch(Request { column, length: 64, ..Request::new(operation, 5, *row) });
            assert_eq!(found, page[column.into()..][..64]);
        }
    }
}

fn cache_reads(desk: &mut Desk) {
    let rows = [(2, 0), (2, 1), (4, 9)].map(|(block, page)| desk.row(0, block, page));
    let pages = rows.map(|row| desk.fill(6, row));
    let transfer = |row| Request { length: 64, ..Request::new(ReadTransfer, 6, row) };
    desk.busy(Request::new(ReadTrigger, 6, rows[0]));
    desk.busy(Request::new(ReadCacheSequential, 6, 0));
    assert_eq!(desk.fetch(transfer(rows[0])), pages[0][..64]);
    desk.busy(Request::new(ReadCacheRandom, 6, rows[2]));
    assert_eq!(desk.fetch(transfer(rows[1])), pages[1][..64]);
    desk.busy(Request::new(ReadCacheLast, 6, 0));
    assert_eq!(desk.fetch(transfer(rows[2])), pages[2][..64]);
}

fn program_steps(desk: &mut Desk) {
    let load = |operation, row, buffer| Request {
        buffer,
        length: 200,
        coding: RAW,
        ..Request::new(operation, 7, row)
    };
    let rows: Vec<u32> = (0..6).map(|page| desk.row(0, 4, page)).collect();
    desk.busy(load(ProgramPage, rows[0], 0));
    assert_eq!(desk.status(7, rows[0]), READY);
    desk.busy(load(ProgramCache, rows[1], 1));
    desk.busy(load(ProgramPage, rows[2], 2));
    desk.busy(load(ProgramPart, rows[3], 3));
    desk.busy(load(ProgramPart, rows[4], 4));
    desk.busy(load(ProgramPage, rows[5], 5));
    assert_eq!(desk.status(7, rows[5]), READY);
    for (entry, row) in (0..).zip(&rows) {
        desk.assert_starts(7, *row, &desk.source(entry, 200));
    }
    let planes = [6, 7].map(|block| desk.row(1, block, 0));
    desk.busy(load(ProgramMultiPlane, planes[0], 6));
    desk.busy(load(ProgramPage, planes[1], 7));
    for (entry, row) in (6..).zip(planes) {
        desk.assert_starts(7, row, &desk.source(entry, 200));
        assert_eq!(desk.status(7, row), READY);
    }
}

/// A page in pieces, its row changed before it is confirmed.
fn loads(desk: &mut Desk) {
    let (wrong, row) = (desk.row(0, 6, 1), desk.row(0, 6, 0));
    let piece = |operation, row, column, buffer| Request {
        column,
        buffer,
        length: 20,
        coding: RAW,
        ..Request::new(operation, 7, row)
    };
    desk.done(piece(ProgramLoad, wrong, 0, 0));
    desk.done(piece(ChangeWriteColumn, wrong, 40, 2));
    desk.done(piece(ChangeRowAddress, row, 20, 1));
    desk.busy(Request::new(ProgramConfirm, 7, 0));
    assert_eq!(desk.status(7, row), READY);
    let bytes: Vec<u8> = (0..3).flat_map(|entry| desk.source(entry, 20)).collect();
    desk.assert_starts(7, row, &bytes);
    assert_eq!(desk.page(7, wrong), None);
}

fn erase_steps(desk: &mut Desk) {
    let rows: Vec<u32> = (10..16).map(|block| desk.row(1, block, 0)).collect();
    rows.iter().for_each(|row| drop(desk.fill(0, *row)));
    desk.busy(Request::new(EraseBlock, 0, rows[4]));
    assert_eq!(desk.page(0, rows[4]), None);
    assert!(desk.page(0, rows[0]).is_some());
    desk.busy(Request::new(EraseMultiPlaneOnfi, 0, rows[0]));
    desk.busy(Request::new(EraseBlock, 0, rows[1]));
    desk.done(Request::new(EraseMultiPlaneJedec, 0, rows[2]));
    desk.busy(Request::new(EraseBlock, 0, rows[3]));
    for row in &rows[..5] {
        assert_eq!(desk.page(0, *row), None, "row {row:#x} is erased");
        assert_eq!(desk.status(0, *row), READY);
    }
    assert!(desk.page(0, rows[5]).is_some());
    // One that fails.
    desk.rig.channel.chips.chip_mut(0).fail_erase(rows[5]);
    desk.busy(Request::new(EraseBlock, 0, rows[5]));
    let response = desk.call(Request::new(ReadStatus, 0, 0));
    assert_eq!((response.outcome, response.value), (Outcome::Failed, READY | 1));
}

fn copybacks(desk: &mut Desk) {
    let from = [8, 9].map(|block| desk.row(0, block, 5));
    let to = [10, 11].map(|block| desk.row(0, block, 0));
    let pages = from.map(|row| desk.fill(1, row));
    desk.busy(Request::new(ReadMultiPlane, 1, from[0]));
    desk.busy(Request::new(CopybackRead, 1, from[1]));
    desk.busy(Request::new(CopybackProgramMultiPlane, 1, to[0]));
    desk.busy(Request::new(CopybackProgram, 1, to[1]));
    let single = desk.row(0, 10, 1);
    desk.busy(Request::new(CopybackRead, 1, from[0]));
    desk.busy(Request::new(CopybackProgram, 1, single));
    assert_eq!(desk.status(1, single), READY);
    for (row, page) in to.into_iter().zip(&pages).chain([(single, &pages[0])]) {
        assert_eq!(desk.page(1, row), Some(&page[..]));
    }
}

/// Coded pages from end to end, and their failures.
fn wholes(desk: &mut Desk) {
    let rows = [0, 1].map(|page| desk.row(1, 20, page));
    let base = |operation, row| Request {
        length: 512,
        coding: CODED,
        buffer: 9,
        ..Request::new(operation, 2, row)
    };
    desk.fill(2, rows[0]);
    assert_eq!(desk.done(base(Erase, rows[0])), READY);
    assert_eq!(desk.page(2, rows[0]), None);
    let erased = desk.call(Request { buffer: 41, ..base(Read, rows[0]) });
    assert!(erased.erased);
    assert_eq!(desk.rig.channel.buffer.entry(41)[..PAGE_BYTES], [0; PAGE_BYTES]);

    let program = base(Program, rows[0]);
    assert_eq!(desk.done(program), READY);
    let raw = desk.rig.world.raw(&program);
    desk.assert_starts(2, rows[0], &raw);
    let bits = (0..13).map(|bit| bit * 7).chain([8 * 276, 8 * 276 + 9]).collect();
    desk.rig.channel.chips.chip_mut(2).flip(rows[0], bits);
    let read = desk.call(Request { buffer: 42, ..base(Read, rows[0]) });
    assert_eq!(read.outcome, Outcome::Success);
    assert_eq!((read.corrected_bits, read.most_bits, read.lost_chunks), (15, 13, 0));
    assert_eq!(desk.rig.channel.buffer.entry(42)[..PAGE_BYTES], desk.source(9, PAGE_BYTES));
    desk.rig.channel.chips.chip_mut(2).flip(rows[0], (0..14).map(|bit| bit * 9).collect());
    let lost = desk.call(Request { buffer: 42, ..base(Read, rows[0]) });
    assert_eq!((lost.outcome, lost.lost_chunks), (Outcome::Uncorrectable, 1));

    let chip = desk.rig.channel.chips.chip_mut(2);
    chip.fail_program(rows[1]);
    chip.fail_erase(rows[0]);
    for request in [base(Program, rows[1]), base(Erase, rows[0])] {
        let response = desk.call(request);
        assert_eq!((response.outcome, response.value), (Outcome::Failed, READY | 1));
    }
    // With its metadata it would be longer than what a packet can tell.
    let long = desk.call(Request { length: 65_512, ..base(Read, rows[0]) });
    assert_eq!(long.outcome, Outcome::Refused);
    // A silent one does its work all the same.
    let row = desk.row(1, 21, 0);
    desk.rig.channel.submit(Request { answer: Answer::Silent, ..base(Program, row) });
    desk.done(base(Erase, desk.row(0, 22, 0)));
    assert!(desk.page(2, row).is_some());
}

fn word_lines(desk: &mut Desk) {
    let rows: Vec<u32> = (0..3).map(|page| desk.row(1, 8, page)).collect();
    let request = |buffer: u16| Request {
        buffer,
        length: 100,
        coding: RAW,
        ..Request::new(ProgramOneShot, 3, rows[usize::from(buffer)])
    };
    for third in 0..2 {
        desk.rig.channel.submit(Request { answer: Answer::Silent, ..request(third) });
    }
    assert_eq!(desk.done(request(2)), READY);
    for third in 0..3u16 {
        desk.assert_starts(3, rows[usize::from(third)], &desk.source(third, 100));
    }
}
