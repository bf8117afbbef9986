//! Random requests of a way, in the order in which it carries them out.

use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::sequences;
use crate::channel::world::{World, SOURCES};
use contract::packet::{Coding, Operation, Request};
use rtl_sim::Random;
use std::collections::VecDeque;

/// What a lane asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diet {
    /// Reads, programs and erases, in runs that can be merged.
    Pages,
    /// Those and all other whole operations.
    Wholes,
    /// Everything, firmware's own steps too.
    All,
    /// Nothing but firmware's own steps.
    Steps,
}

/// The requests of a way that keep their order: all of them, or those of one priority.
pub struct Lane {
    pub way: u8,
    pub diet: Diet,
    /// Which blocks are this lane's: those whose group is this modulo the second number.
    pub share: (u32, u32),
    /// The first byte of features is this, so that lanes do not meet there.
    pub feature: u8,
    burst: VecDeque<Planned>,
}

/// Blocks of one number, one in each plane.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub lun: u32,
    pub group: u32,
}

impl Lane {
    pub fn new(way: u8, diet: Diet, share: (u32, u32)) -> Self {
        Self { way, diet, share, feature: 0x10 + share.0 as u8, burst: VecDeque::new() }
    }

    /// The next request. Buffer entries of what it reads are to be chosen yet.
    pub fn next(&mut self, world: &mut World, random: &mut Random) -> Planned {
        while self.burst.is_empty() {
            self.burst = match (self.diet, random.below(100)) {
                (Diet::Steps, _) | (Diet::All, 0..40) => sequences::any(self, world, random),
                (Diet::Wholes | Diet::All, 80..100) => self.registers(world, random),
                (_, share) => self.pages(share % 10, world, random),
            }
            .into();
        }
        self.burst.pop_front().expect("a burst is not empty")
    }

    /// Whether there is a run of requests that was begun.
    pub fn is_in_burst(&self) -> bool {
        !self.burst.is_empty()
    }

    /// Whether the next request continues a one-shot program.
    pub fn is_in_word_line(&self) -> bool {
        let next = self.burst.front().map(|planned| planned.request);
        let is_part = |request: Request| request.operation == Operation::ProgramOneShot;
        next.is_some_and(|request| is_part(request) && request.row % 16 % 3 > 0)
    }

    fn pages(&self, share: u64, world: &mut World, random: &mut Random) -> Vec<Planned> {
        match share {
            0..4 => self.reads(world, random),
            4..8 => self.programs(world, random),
            8 if world.config.rows.pages % 3 == 0 => self.one_shot(world, random),
            _ => {
                let group = self.group(world, random);
                let planes = some_planes(world, random);
                self.erases(group, &planes, world)
            }
        }
    }

    /// A group of this lane.
    pub fn group(&self, world: &World, random: &mut Random) -> Group {
        let rows = world.config.rows;
        let groups = (rows.blocks >> rows.plane_bits) / self.share.1;
        // Few, so that pages meet again.
        let group = random.below(groups.min(3).into()) as u32 * self.share.1 + self.share.0;
        Group { lun: random.below(rows.luns.into()) as u32, group }
    }

    pub fn request(&self, operation: Operation, row: u32) -> Request {
        Request::new(operation, self.way, row)
    }

    fn reads(&self, world: &mut World, random: &mut Random) -> Vec<Planned> {
        let group = self.group(world, random);
        let mut planes = some_planes(world, random);
        let mut page = random.below(8) as u32;
        let mut burst = vec![];
        for _ in 0..1 + random.below(5) {
            for plane in &planes {
                let row = group.row(world, *plane, page);
                let request = any_piece(self.request(Operation::Read, row), world, random);
                let found = world.verdict(&request, &world.seen(self.way, row));
                burst.push(Planned::read(request, found));
            }
            page = if random.percent(70) { page + 1 } else { random.below(12) as u32 };
            if random.percent(20) {
                planes = some_planes(world, random);
            }
        }
        burst
    }

    fn programs(&self, world: &mut World, random: &mut Random) -> Vec<Planned> {
        let group = self.group(world, random);
        let mut planes = some_planes(world, random);
        let next = |plane: &u32| world.next_page(self.way, group.lun, group.block(world, *plane));
        let Some(mut page) =
            (0..1u32 << world.config.rows.plane_bits).map(|plane| next(&plane)).max()
        else {
            return vec![];
        };
        if page >= 12 {
            return self.erases(group, &all_planes(world), world);
        }
        let mut burst = vec![];
        for _ in 0..1 + random.below(4) {
            if page >= 12 {
                break;
            }
            for plane in &planes {
                let row = group.row(world, *plane, page);
                burst.push(self.program(Operation::Program, row, world, random));
            }
            page += 1 + u32::from(random.percent(10));
            if random.percent(20) {
                planes = some_planes(world, random);
            }
        }
        burst
    }

    fn program(
        &self,
        operation: Operation,
        row: u32,
        world: &mut World,
        random: &mut Random,
    ) -> Planned {
        let request = any_load(self.request(operation, row), world, random);
        let mut page = world.empty_page();
        world.load(&request, &mut page);
        let failed = world.program(self.way, row, page);
        Planned::new(request, Ends::Checked { failed })
    }

    fn one_shot(&self, world: &mut World, random: &mut Random) -> Vec<Planned> {
        let group = self.group(world, random);
        let plane = random.below(1 << world.config.rows.plane_bits) as u32;
        let next = world.next_page(self.way, group.lun, group.block(world, plane));
        let first = next.div_ceil(3) * 3;
        if first >= 12 {
            return self.erases(group, &[plane], world);
        }
        let rows = (first..first + 3).map(|page| group.row(world, plane, page));
        let rows: Vec<u32> = rows.collect();
        let burst =
            rows.iter().map(|row| self.program(Operation::ProgramOneShot, *row, world, random));
        let mut burst: Vec<Planned> = burst.collect();
        // The pages of a word line fail together.
        let fails = |planned: &Planned| matches!(planned.ends, Ends::Checked { failed: true });
        let failed = burst.iter().any(fails);
        burst.iter_mut().for_each(|planned| planned.ends = Ends::Checked { failed });
        burst
    }

    fn erases(&self, group: Group, planes: &[u32], world: &mut World) -> Vec<Planned> {
        let erase = |plane: &u32| {
            let row = group.row(world, *plane, 0);
            let failed = world.erase(self.way, row);
            Planned::new(self.request(Operation::Erase, row), Ends::Checked { failed })
        };
        planes.iter().map(erase).collect()
    }

    fn registers(&self, world: &mut World, random: &mut Random) -> Vec<Planned> {
        use Operation::*;
        let lun = random.below(world.config.rows.luns.into()) as u8;
        let address = self.feature;
        let row = self.group(world, random).row(world, 0, 0);
        let planned = match random.below(9) {
            0 => Planned::new(self.request(ReadStatus, 0), Ends::Status(None)),
            1 => Planned::new(self.request(ReadStatusEnhanced, row), Ends::Status(None)),
            2 => {
                let value = world.feature(self.way, 0, address);
                let request = Request { column: address.into(), ..self.request(GetFeatures, 0) };
                Planned::new(request, Ends::Value(value))
            }
            3 => {
                let value = world.feature(self.way, lun, address);
                let column = u16::from_le_bytes([address, lun]);
                let request = Request { column, ..self.request(GetFeaturesLun, 0) };
                Planned::new(request, Ends::Value(value))
            }
            4 => {
                let value = random.next() as u32;
                world.set_feature(self.way, None, address, value);
                let column = u16::from(address);
                let request = Request { column, ..self.request(SetFeatures, value) };
                Planned::new(request, Ends::Done)
            }
            5 => {
                let value = random.next() as u32;
                world.set_feature(self.way, Some(lun), address, value);
                let column = u16::from_le_bytes([address, lun]);
                let request = Request { column, ..self.request(SetFeaturesLun, value) };
                Planned::new(request, Ends::Done)
            }
            6 => self.unique_id(world, random),
            7 => {
                let request = Request { length: 256, ..self.request(ReadParameterPage, 0) };
                Planned::new(request, Ends::Page(None))
            }
            _ => Planned::new(self.request(Reset, 0), Ends::Done),
        };
        vec![planned]
    }

    /// It is neither coded nor scrambled, whatever the request says.
    fn unique_id(&self, world: &World, random: &mut Random) -> Planned {
        let mut id = world.config.identity.unique;
        id[0] = self.way;
        let length = 2 * (1 + random.below(256)) as u16;
        let whole = [id, id.map(|byte| !byte)].concat().repeat(16);
        let request = Request { length, ..self.request(Operation::ReadUniqueId, 0) };
        let verdict = crate::page_path::golden::Verdict::clean();
        Planned::read(request, Some((whole[..usize::from(length)].to_vec(), verdict)))
    }
}

impl Group {
    pub fn block(self, world: &World, plane: u32) -> u32 {
        self.group << world.config.rows.plane_bits | plane
    }

    pub fn row(self, world: &World, plane: u32, page: u32) -> u32 {
        world.config.rows.row(self.lun, self.block(world, plane), page.min(11))
    }
}

fn all_planes(world: &World) -> Vec<u32> {
    (0..1 << world.config.rows.plane_bits).collect()
}

/// Some planes, mostly all, in any order.
pub fn some_planes(world: &World, random: &mut Random) -> Vec<u32> {
    let mut planes = all_planes(world);
    for at in (1..planes.len()).rev() {
        planes.swap(at, random.below(at as u64 + 1) as usize);
    }
    if random.percent(40) {
        planes.truncate(1 + random.below(planes.len() as u64) as usize);
    }
    planes
}

const WHOLE: Coding = Coding { ecc: true, scrambler: true, metadata: true };

/// What of a page is read: mostly all of it, as it is mostly programmed.
pub fn any_piece(request: Request, world: &World, random: &mut Random) -> Request {
    let chunk = world.golden.bch.params().chunk_bytes as u64;
    let code_word = world.golden.code_word_bytes();
    let piece = |column: usize, length: u16, coding| Request {
        column: column as u16,
        length,
        coding,
        ..request
    };
    match random.below(10) {
        0..6 => piece(0, world.config.data_bytes as u16, WHOLE),
        6 => piece(code_word, chunk as u16, WHOLE),
        7 => {
            let column = code_word * random.below(2) as usize;
            piece(column, chunk as u16, Coding { metadata: false, ..WHOLE })
        }
        8 => {
            let length = 2 * (1 + random.below(100)) as u16;
            let column = 2 * random.below(200) as usize;
            let scrambler = random.percent(50);
            piece(column, length, Coding { ecc: false, scrambler, metadata: random.percent(30) })
        }
        _ => {
            let length = 2 * (1 + random.below(chunk / 2 - 1)) as u16;
            let coding =
                Coding { scrambler: random.percent(70), metadata: random.percent(50), ..WHOLE };
            piece(code_word * random.below(2) as usize, length, coding)
        }
    }
}

/// What is programmed, and where from.
pub fn any_load(request: Request, world: &World, random: &mut Random) -> Request {
    let request = Request { buffer: random.below(SOURCES as u64) as u16, ..request };
    if random.percent(70) {
        return Request { length: world.config.data_bytes as u16, coding: WHOLE, ..request };
    }
    any_piece(request, world, random)
}
