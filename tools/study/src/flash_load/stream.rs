//! What is asked next: kind, die and row.

use board::Board;
use contract::packet::{Coding, Operation, Priority, Request};
use contract::Geometry;
use fastrand::Rng;

use crate::flash_load::load::Load;
use crate::flash_load::outcome::Kind;

/// Requests of one priority, one after the other.
pub(crate) struct Source {
    load: Load,
    /// Requests of a sequence that were asked for.
    asked: usize,
    kind_weights: [u32; 3],
    geometry: Geometry,
    planes: u32,
    plane_shift: u8,
    coding: Coding,
    random: Rng,
    /// Pages that are left of a run on one die, of this kind.
    run: (u32, Kind, u32),
    /// The die that was chosen last, where dies take turns.
    turn: u32,
    /// The next page of each die, counted over its planes.
    next_page: Vec<u32>,
}

/// A request, and where it goes.
pub(crate) struct Asked {
    pub channel: u8,
    pub kind: Kind,
    pub request: Request,
}

impl Source {
    /// Requests of the load's mix, or reads alone where `priority` is high.
    pub fn new(board: &Board, load: &Load, priority: Priority, seed: u64) -> Self {
        let geometry = board.firmware.geometry;
        let kind_weights = match priority {
            Priority::Low => load.mix.weights,
            Priority::High => [0, 0, 1],
        };
        Source {
            load: load.clone(),
            asked: 0,
            kind_weights,
            geometry,
            planes: board.flash.planes,
            plane_shift: sim::controller::plane_shift(board),
            coding: sim::controller::coding(board),
            random: Rng::with_seed(seed ^ (u64::from(priority == Priority::High) << 63)),
            run: (0, Kind::Read, 0),
            turn: geometry.dies() - 1,
            next_page: vec![0; geometry.dies() as usize],
        }
    }

    /// Whether all requests of a sequence were asked for.
    pub fn is_over(&self) -> bool {
        self.load.sequence.as_ref().is_some_and(|sequence| self.asked == sequence.requests().len())
    }

    /// What the next request does, and where.
    fn choose(&mut self) -> (Kind, u32) {
        if let Some(sequence) = &self.load.sequence {
            self.asked += 1;
            return sequence.requests()[self.asked - 1];
        }
        if self.run.0 == 0 {
            self.run = (self.load.pages, self.kind(), self.die());
        }
        self.run.0 -= 1;
        (self.run.1, self.run.2)
    }

    /// The next request, of a stream.
    pub fn next(&mut self, stream: u8, priority: Priority) -> Asked {
        let (kind, die) = self.choose();
        let row = self.row(kind, die);
        let way = (die / self.geometry.channels) as u8;
        let operation = match kind {
            Kind::Erase => Operation::Erase,
            Kind::Program => Operation::Program,
            Kind::Read => Operation::Read,
        };
        let length = if kind == Kind::Erase { 0 } else { self.geometry.page_bytes as u16 };
        let coding = self.coding;
        let request = Request::new(operation, way, row);
        let request = Request { length, coding, stream, priority, ..request };
        Asked { channel: (die % self.geometry.channels) as u8, kind, request }
    }

    fn kind(&mut self) -> Kind {
        let [erases, programs, reads] = self.kind_weights;
        match self.random.u32(0..erases + programs + reads) {
            nth if nth < erases => Kind::Erase,
            nth if nth < erases + programs => Kind::Program,
            _ => Kind::Read,
        }
    }

    /// Out of the dies that follow the last one, as many as the share says, one is drawn.
    fn die(&mut self) -> u32 {
        let dies = self.geometry.dies();
        let candidates = (dies * self.load.random_percent).div_ceil(100).max(1);
        self.turn = (self.turn + 1) % dies;
        (self.turn + self.random.u32(0..candidates)) % dies
    }

    /// Pages of a die follow each other, over its planes first; an erase begins with their next block.
    fn row(&mut self, kind: Kind, die: u32) -> u32 {
        let (pages, planes) = (self.geometry.pages_per_block, self.planes);
        let next = &mut self.next_page[die as usize];
        if kind == Kind::Erase {
            *next = next.next_multiple_of(pages * planes);
        }
        let all = pages * self.geometry.blocks_per_way;
        let at = *next % all;
        if kind != Kind::Erase {
            *next = (*next + 1) % all;
        }
        let (plane, page) = (at % planes, at / planes % pages);
        let block = at / (pages * planes) * planes + plane;
        block << self.plane_shift | page
    }
}
