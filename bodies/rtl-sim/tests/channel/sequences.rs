//! Runs of steps, as firmware that schedules by itself sends them.
//!
//! ReadMode waits until its way is ready. So a status behind it is that of the end.

use crate::channel::lanes::{any_load, any_piece, some_planes, Lane};
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::world::World;
use contract::packet::{Coding, Operation, Request};
use rtl_sim::Random;
use Operation::*;

/// Ready, array ready, not protected.
const READY: u8 = 0xe0;
const FAIL: u8 = 1 << 0;
const FAILC: u8 = 1 << 1;

/// Any of them. It leaves the way ready, with nothing begun.
pub fn any(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    match random.below(9) {
        0 => read(lane, world, random),
        1 => read_planes(lane, world, random),
        2 => read_cached(lane, world, random),
        3 => program(lane, world, random),
        4 => program_cached(lane, world, random),
        5 => program_pieces(lane, world, random),
        6 => program_planes(lane, world, random),
        7 => erase_planes(lane, world, random),
        _ => copy_back(lane, world, random),
    }
}

fn done(request: Request) -> Planned {
    Planned::new(request, Ends::Done)
}

/// Waits until the way is ready, and checks the status of a row.
fn checks(lane: &Lane, row: u32, flags: u8, random: &mut Random) -> Vec<Planned> {
    let ends = Ends::Status(Some(READY | flags));
    let mut steps = vec![];
    if random.percent(30) {
        steps.push(Planned::new(lane.request(ReadStatus, 0), Ends::Status(None)));
    }
    steps.push(done(lane.request(ReadMode, 0)));
    steps.push(Planned::new(lane.request(ReadStatusEnhanced, row), ends));
    steps
}

fn flag(flag: u8, failed: bool) -> u8 {
    if failed {
        flag
    } else {
        0
    }
}

/// A transfer of a piece of a page.
fn piece(
    lane: &Lane,
    operation: Operation,
    row: u32,
    world: &World,
    random: &mut Random,
) -> Planned {
    let mut request = any_piece(lane.request(operation, row), world, random);
    if operation == ReadTransfer {
        request.column = 0;
    }
    let found = world.verdict(&request, &world.seen(lane.way, row));
    Planned::read(request, found)
}

fn read(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let row = lane.group(world, random).row(world, 0, random.below(12) as u32);
    let mut transfer = any_piece(lane.request(ReadTransfer, row), world, random);
    let mut steps =
        vec![done(Request { column: transfer.column, ..lane.request(ReadTrigger, row) })];
    if random.percent(50) {
        steps.push(Planned::new(lane.request(ReadStatus, 0), Ends::Status(None)));
        steps.push(done(lane.request(ReadMode, 0)));
    }
    let page = world.seen(lane.way, row);
    if random.percent(20) {
        transfer.operation = ChangeReadColumn;
    }
    steps.push(Planned::read(transfer, world.verdict(&transfer, &page)));
    if random.percent(50) {
        steps.push(piece(lane, ChangeReadColumn, row, world, random));
    }
    steps
}

fn read_planes(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let group = lane.group(world, random);
    let page = random.below(12) as u32;
    let planes = some_planes(world, random);
    let rows: Vec<u32> = planes.iter().map(|plane| group.row(world, *plane, page)).collect();
    let Some((last, others)) = rows.split_last() else { return vec![] };
    let mut steps: Vec<_> =
        others.iter().map(|row| done(lane.request(ReadMultiPlane, *row))).collect();
    steps.push(done(lane.request(ReadTrigger, *last)));
    for row in &rows {
        let operation =
            if random.percent(50) { ChangeReadColumnOnfi } else { ChangeReadColumnJedec };
        steps.push(piece(lane, operation, *row, world, random));
    }
    steps
}

fn read_cached(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let group = lane.group(world, random);
    let first = random.below(11) as u32;
    let pages = [first, first + 1, random.below(12) as u32];
    let rows = pages.map(|page| group.row(world, 0, page));
    vec![
        done(lane.request(ReadTrigger, rows[0])),
        done(lane.request(ReadCacheSequential, 0)),
        piece(lane, ReadTransfer, rows[0], world, random),
        done(lane.request(ReadCacheRandom, rows[2])),
        piece(lane, ReadTransfer, rows[1], world, random),
        done(lane.request(ReadCacheLast, 0)),
        piece(lane, ReadTransfer, rows[2], world, random),
    ]
}

/// A row that can be programmed, or steps that erase its block first.
fn free_row(
    lane: &Lane,
    pages: u32,
    world: &mut World,
    random: &mut Random,
) -> Result<u32, Vec<Planned>> {
    let group = lane.group(world, random);
    let block = group.block(world, 0);
    let page = world.next_page(lane.way, group.lun, block);
    let row = world.config.rows.row(group.lun, block, page.min(11));
    if page + pages <= 12 {
        return Ok(row);
    }
    let failed = world.erase(lane.way, row);
    let mut steps = vec![done(lane.request(EraseBlock, row))];
    steps.extend(checks(lane, row, flag(FAIL, failed), random));
    Err(steps)
}

/// A step that programs a page. Whether it fails.
fn load(
    lane: &Lane,
    operation: Operation,
    row: u32,
    world: &mut World,
    random: &mut Random,
) -> (Planned, bool) {
    let request = any_load(lane.request(operation, row), world, random);
    let mut page = world.empty_page();
    world.load(&request, &mut page);
    let failed = world.program(lane.way, row, page);
    (done(request), failed)
}

fn program(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let row = match free_row(lane, 1, world, random) {
        Ok(row) => row,
        Err(steps) => return steps,
    };
    let (step, failed) = load(lane, ProgramPage, row, world, random);
    let mut steps = vec![step];
    steps.extend(checks(lane, row, flag(FAIL, failed), random));
    steps
}

fn program_cached(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let row = match free_row(lane, 2, world, random) {
        Ok(row) => row,
        Err(steps) => return steps,
    };
    let (first, failed_first) = load(lane, ProgramCache, row, world, random);
    let (second, failed) = load(lane, ProgramPage, row + 1, world, random);
    let mut steps = vec![first, second];
    steps.extend(checks(lane, row, flag(FAIL, failed) | flag(FAILC, failed_first), random));
    steps
}

/// A page in two pieces, perhaps with its row changed.
fn program_pieces(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let row = match free_row(lane, 2, world, random) {
        Ok(row) => row,
        Err(steps) => return steps,
    };
    let coding = Coding { ecc: random.percent(50), scrambler: random.percent(50), metadata: false };
    let column = 300 + 2 * random.below(20) as u16;
    let length = 2 * (1 + random.below(90)) as u16;
    let changes_row = random.percent(50);
    let (from, to) = if changes_row { (row, row + 1) } else { (row, row) };
    let first = Request { length, coding, ..lane.request(ProgramLoad, from) };
    let operation = if changes_row { ChangeRowAddress } else { ChangeWriteColumn };
    let second = Request { length, coding, column, buffer: 1, ..lane.request(operation, to) };
    let mut page = world.empty_page();
    world.load(&first, &mut page);
    world.load(&second, &mut page);
    let failed = world.program(lane.way, to, page);
    let mut steps = vec![done(first), done(second), done(lane.request(ProgramConfirm, 0))];
    steps.extend(checks(lane, to, flag(FAIL, failed), random));
    steps
}

fn program_planes(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let group = lane.group(world, random);
    let planes = some_planes(world, random);
    let next = |plane: &u32| world.next_page(lane.way, group.lun, group.block(world, *plane));
    let page = planes.iter().map(next).max().unwrap_or(0);
    if page >= 12 {
        return erase(
            lane,
            &planes.iter().map(|plane| group.row(world, *plane, 0)).collect::<Vec<_>>(),
            world,
            random,
        );
    }
    let mut steps = vec![];
    let mut status = vec![];
    for (at, plane) in planes.iter().enumerate() {
        let operation = if at + 1 < planes.len() { ProgramMultiPlane } else { ProgramPage };
        let row = group.row(world, *plane, page);
        let (step, failed) = load(lane, operation, row, world, random);
        steps.push(step);
        status.extend(checks(lane, row, flag(FAIL, failed), random));
    }
    steps.extend(status);
    steps
}

fn erase_planes(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let group = lane.group(world, random);
    let planes = some_planes(world, random);
    let rows: Vec<u32> = planes.iter().map(|plane| group.row(world, *plane, 0)).collect();
    erase(lane, &rows, world, random)
}

fn erase(lane: &Lane, rows: &[u32], world: &mut World, random: &mut Random) -> Vec<Planned> {
    let mut steps = vec![];
    let mut status = vec![];
    let plane = if random.percent(50) { EraseMultiPlaneOnfi } else { EraseMultiPlaneJedec };
    for (at, row) in rows.iter().enumerate() {
        let operation = if at + 1 < rows.len() { plane } else { EraseBlock };
        steps.push(done(lane.request(operation, *row)));
        let failed = world.erase(lane.way, *row);
        status.extend(checks(lane, *row, flag(FAIL, failed), random));
    }
    steps.extend(status);
    steps
}

/// A page moves within its plane, wrong bits and all.
fn copy_back(lane: &Lane, world: &mut World, random: &mut Random) -> Vec<Planned> {
    let to = match free_row(lane, 1, world, random) {
        Ok(row) => row,
        Err(steps) => return steps,
    };
    let mut from = lane.group(world, random);
    from.lun = to >> (world.config.rows.page_bits + world.config.rows.block_bits);
    let from = from.row(world, 0, random.below(12) as u32);
    let Some(page) = world.seen(lane.way, from) else { return vec![] };
    let failed = world.program(lane.way, to, page);
    let mut steps =
        vec![done(lane.request(CopybackRead, from)), done(lane.request(CopybackProgram, to))];
    steps.extend(checks(lane, to, flag(FAIL, failed), random));
    steps
}
