//! Drives that come to their end, against a model that knows every permitted value: pages are lost,
//! blocks fail while their erase is queued, spares run out. Commands of all kinds at once are in
//! `storm`.

use board::Board;
use machine::{HostMemory, Payload, Polling, Stamp};
use nvme::command::{DataPointer, Entry, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::status::Status;
use torture::bench::{Bench, DATA};
use torture::draw::Draw;

const BLOCK: u64 = 4096;
const BLOCKS_A_PAGE: u64 = 4;

/// What each block may read as.
struct Model {
    permitted: Vec<Vec<Stamp>>,
    version: u32,
}

impl Model {
    fn new(blocks: u64) -> Self {
        Model { permitted: vec![vec![Stamp::ZERO]; blocks as usize], version: 0 }
    }

    fn write(&mut self, lba: u64, count: u64) -> Vec<Stamp> {
        self.version += 1;
        let stamps: Vec<Stamp> = (lba..lba + count).map(|l| Stamp::new(l, self.version)).collect();
        for &stamp in &stamps {
            self.permitted[stamp.lba() as usize] = vec![stamp];
        }
        stamps
    }

    fn check(&mut self, lba: u64, stamps: &[Stamp], what: &str) {
        for (nth, &stamp) in stamps.iter().enumerate() {
            let block = lba as usize + nth;
            let permitted = &mut self.permitted[block];
            assert!(permitted.contains(&stamp), "{what}: LBA {block}: {stamp:?} of {permitted:?}");
            *permitted = vec![stamp];
        }
    }
}

fn board(overrides: &[(&str, &str)]) -> Board {
    let usual = [
        ("geometry.blocks_per_way", "40"),
        ("ftl.spare_blocks_per_way", "8"),
        ("ftl.buffer_kib", "512"),
        ("ftl.overprovision_percent", "10"),
    ];
    let overrides: Vec<(String, String)> =
        usual.iter().chain(overrides).map(|&(k, v)| (k.into(), v.into())).collect();
    Board::resolve("small", &overrides).expect("the board")
}

fn header(prp1: u64) -> Header {
    Header { cid: 9, nsid: 1, data: DataPointer { prp1, prp2: 0 } }
}

fn run_one(bench: &mut Bench, command: Entry) -> Status {
    bench.io(&[command])[0].1.status
}

/// Pages that stay uncorrectable are reported, whatever is done to them since: read, overwritten in
/// part, moved by collection. A command that succeeds gives or keeps the right data.
#[test]
fn lost_data_are_reported_and_never_invented() {
    let errors = [("errors.raw_bits_per_terabit", "1800000000"), ("ftl.read_retries", "0")];
    let board = board(&errors);
    let blocks = u64::from(board.firmware.logical_pages) * BLOCKS_A_PAGE;
    for seed in 61..65 {
        let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
        bench.start_once();
        let (mut model, mut draw) = (Model::new(blocks), Draw(seed));
        let mut lost = 0;
        for nth in 0..7_000 {
            let what = format!("seed {seed} step {nth}");
            let count = 1 + draw.below(6);
            let lba = draw.below(blocks / 3 - count);
            if draw.below(2) == 0 {
                match bench.read(lba, count as usize) {
                    Ok(stamps) => model.check(lba, &stamps, &what),
                    Err(status) => {
                        assert!(status.is(Status::UNRECOVERED_READ), "{what}: {status}");
                        lost += 1;
                    }
                }
                continue;
            }
            let before = model.permitted[lba as usize..(lba + count) as usize].to_vec();
            let stamps = model.write(lba, count);
            if let Err(status) = bench.try_write(lba, &stamps) {
                assert!(status.is(Status::UNRECOVERED_READ), "{what}: {status}");
                for (permitted, old) in model.permitted[lba as usize..].iter_mut().zip(before) {
                    permitted.extend(old);
                }
            }
        }
        let counters = bench.drive.firmware().counters();
        assert!(lost > 20 && counters.moves > 0, "seed {seed}: {lost} lost, {counters:?}");
    }
}

/// Channels that join operations over two planes, and by cache mode.
const JOINED: [(&str, &str); 4] = [
    ("channel.scheduler", "controller"),
    ("channel.execution", "out-of-order"),
    ("channel.merging", "planes-and-cache"),
    ("flash.planes", "2"),
];

/// Many writes to few pages of one way at once: its queue then holds programs of a block, the moves
/// out of it and its erase all together, and any of them fails.
#[test]
fn a_block_fails_while_its_own_erase_is_queued() {
    fail_while_erases_are_queued(&[]);
}

#[test]
fn a_block_of_joined_planes_fails_while_its_own_erase_is_queued() {
    fail_while_erases_are_queued(&JOINED);
}

fn fail_while_erases_are_queued(more: &[(&str, &str)]) {
    let usual = [
        ("geometry.channels", "1"),
        ("geometry.ways", "1"),
        ("flash.pages_per_physical_block", "16"),
        ("geometry.blocks_per_way", "64"),
        ("ftl.spare_blocks_per_way", "40"),
        ("ftl.buffer_kib", "256"),
        ("errors.program_failures_per_billion", "2000000"),
        ("errors.erase_failures_per_billion", "5000000"),
    ];
    let mut bad = 0;
    for seed in 41..53 {
        let board = board(&[&usual, more].concat());
        let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
        bench.start_once();
        // All but 40 pages are cold, so that few blocks take part and come round within a queue.
        let pages = u64::from(board.firmware.logical_pages);
        let (mut model, mut draw) = (Model::new(pages * BLOCKS_A_PAGE), Draw(seed));
        for page in 40..pages {
            bench.write(page * BLOCKS_A_PAGE, &model.write(page * BLOCKS_A_PAGE, BLOCKS_A_PAGE));
        }
        for round in 0..30 {
            let what = format!("seed {seed} round {round}");
            overwrite_at_once(&mut bench, &mut model, &mut draw, &what);
        }
        bad += bench.drive.firmware().counters().bad_blocks;
    }
    assert!(bad >= 40, "{bad} blocks failed: too few for the test to mean anything");
}

/// A hundred page writes in flight together, then every page read: the commands' order is not
/// defined, so each page may hold any version that this round wrote to it.
fn overwrite_at_once(bench: &mut Bench, model: &mut Model, draw: &mut Draw, what: &str) {
    const LIST: u64 = 0x2_0000;
    let mut written = vec![Vec::new(); model.permitted.len()];
    let mut commands = Vec::new();
    for slot in 0..100u64 {
        let lba = draw.below(40) * BLOCKS_A_PAGE;
        let buffer = DATA + slot * BLOCK * BLOCKS_A_PAGE;
        let memory = &mut bench.drive.host_mut().memory;
        for (nth, stamp) in (0..).zip(model.write(lba, BLOCKS_A_PAGE)) {
            written[stamp.lba() as usize].push(stamp);
            let at = buffer + nth * BLOCK;
            assert!(memory.write(at, &stamp.to_bits().to_le_bytes()));
            let entry = LIST + slot * 64 + nth * 8;
            assert!(memory.write(entry, &(at + BLOCK).to_le_bytes()));
        }
        let range = BlockRange { start: lba, blocks: BLOCKS_A_PAGE as u32 };
        let data = DataPointer { prp1: buffer, prp2: LIST + slot * 64 };
        let header = Header { cid: slot as u16, nsid: 1, data };
        commands.push(IoCommand::Write(range, UnitAccess::Normal).emit(header));
    }
    for (_, entry) in bench.io(&commands) {
        assert!(entry.status.is_success(), "{what}: {}", entry.status);
    }
    for (permitted, written) in model.permitted.iter_mut().zip(written) {
        if !written.is_empty() {
            *permitted = written;
        }
    }
    for lba in (0..model.permitted.len() as u64).step_by(4) {
        let stamps = bench.read(lba, 4).unwrap_or_else(|status| panic!("{what}: {status}"));
        model.check(lba, &stamps, what);
    }
}

/// A drive that loses blocks without end must never give wrong data: it turns read-only.
#[test]
fn a_dying_drive_turns_read_only_and_lies_about_nothing() {
    for (seed, program, erase) in
        [(31, "30000000", "0"), (32, "0", "90000000"), (33, "10000000", "30000000")]
    {
        die(seed, ("errors.program_failures_per_billion", program), (erase, &[]));
    }
    die(34, ("errors.program_failures_per_billion", "10000000"), ("30000000", &JOINED));
}

fn die(seed: u64, program: (&str, &str), (erase, more): (&str, &[(&str, &str)])) {
    let erase = ("errors.erase_failures_per_billion", erase);
    let board = board(&[&[program, erase], more].concat());
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.start_once();
    let blocks = u64::from(board.firmware.logical_pages) * BLOCKS_A_PAGE;
    let (mut model, mut draw) = (Model::new(blocks), Draw(seed));
    let mut refused = None;
    for nth in 0..60_000 {
        let lba = draw.below(blocks / BLOCKS_A_PAGE) * BLOCKS_A_PAGE;
        let before = model.permitted[lba as usize..(lba + BLOCKS_A_PAGE) as usize].to_vec();
        let stamps = model.write(lba, BLOCKS_A_PAGE);
        if let Err(status) = bench.try_write(lba, &stamps) {
            for (nth, old) in before.into_iter().enumerate() {
                model.permitted[lba as usize + nth].extend(old);
            }
            refused = Some((nth, status));
            break;
        }
    }
    let flushed = run_one(&mut bench, IoCommand::Flush.emit(header(0)));
    let (nth, status) = refused.expect("the spares run out");
    assert!(nth > 100, "seed {seed}: write {nth} was refused with {status}");
    let (mut unreadable, what) = (0, format!("seed {seed} after the end"));
    for lba in (0..blocks).step_by(4) {
        match bench.read(lba, 4) {
            Ok(stamps) => model.check(lba, &stamps, &what),
            Err(status) => {
                assert!(status.is(Status::UNRECOVERED_READ), "{status}");
                unreadable += 1;
            }
        }
    }
    assert!(unreadable < 64, "seed {seed}: {unreadable} pages lost");
    // What was not kept was not said to be kept.
    let told = unreadable == 0 || flushed.is(Status::WRITE_FAULT);
    assert!(told, "seed {seed}: {unreadable} pages lost, and the flush says {flushed}");
    assert!(bench.drive.firmware().counters().lost_writes > 0);
}
