//! Loads of one kind of request: pages on all ways in turn.

use crate::rig::{Class, Load, Order};
use crate::set_up::SetUp;
use contract::packet::{Answer, Operation};
use rtl_sim::Random;

/// What a load does with pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads random pages that were programmed.
    Read,
    /// Programs the pages of blocks in their order.
    Program,
}

/// Which pages a load uses.
///
/// A group is the same page of every plane; its requests follow each other.
pub struct Pages {
    set_up: SetUp,
    access: Access,
    random: Random,
    /// Groups begun so far.
    groups: u64,
    /// Pages of the first block that can be read.
    readable: u32,
}

/// Whole operations, with a number of them unanswered.
pub struct Whole {
    pages: Pages,
    window: u64,
    open: u64,
    /// Groups that it may still begin.
    left: u64,
}

impl Pages {
    pub fn new(set_up: &SetUp, access: Access) -> Self {
        Self {
            set_up: set_up.clone(),
            access,
            random: Random::new(7),
            groups: 0,
            readable: set_up.rows().pages,
        }
    }

    /// Reads of the first pages of each chip.
    pub fn readable(set_up: &SetUp, pages: u32) -> Self {
        Self { readable: pages, ..Self::new(set_up, Access::Read) }
    }

    /// The pages of the next group, on the way that follows.
    fn group(&mut self) -> (u8, Vec<u32>) {
        let way = (self.groups % u64::from(self.set_up.ways)) as u8;
        let turn = self.groups / u64::from(self.set_up.ways);
        self.groups += 1;
        (way, self.rows_of(turn))
    }

    /// Rows of a group: random for reads, of the turn for programs.
    fn rows_of(&mut self, turn: u64) -> Vec<u32> {
        let rows = self.set_up.rows();
        let (block, page) = match self.access {
            Access::Read => (0, self.random.below(self.readable.into()) as u32),
            Access::Program => {
                let (pages, first) = (u64::from(rows.pages), self.set_up.filled_blocks);
                (first + (turn / pages) as u32, (turn % pages) as u32)
            }
        };
        let planes = 1 << rows.plane_bits;
        (0..planes).map(|plane| rows.row(0, block * planes + plane, page)).collect()
    }

    /// The request for a row.
    fn order(&self, way: u8, row: u32) -> Order {
        let times = &self.set_up.chip.times;
        let (operation, class, times) = match self.access {
            Access::Read => (Operation::Read, Class::Read, &times.read),
            Access::Program => (Operation::Program, Class::Program, &times.program),
        };
        let page = row as usize & ((1 << self.set_up.rows().page_bits) - 1);
        let request = self.set_up.page(operation, way, row);
        Order { request, class, array: times[page % times.len()] }
    }
}

impl Whole {
    /// `window` requests are unanswered at any time.
    pub fn new(pages: Pages, window: u64) -> Self {
        Self { pages, window, open: 0, left: u64::MAX }
    }

    /// The same, and an end after so many groups.
    pub fn limited(pages: Pages, window: u64, groups: u64) -> Self {
        Self { left: groups, ..Self::new(pages, window) }
    }
}

impl Load for Whole {
    fn ask(&mut self, _ready: u64, orders: &mut Vec<Order>) {
        while self.open < self.window && self.left > 0 {
            self.left -= 1;
            let (way, rows) = self.pages.group();
            for row in rows {
                orders.push(self.pages.order(way, row));
                self.open += 1;
            }
        }
    }

    fn answered(&mut self, _class: Class) {
        self.open -= 1;
    }
}

/// A way that is not ready for so long works. For tWB it is masked behind other commands too.
const BUSY_CYCLES: u32 = 40;

/// Firmware that schedules by itself and takes no time for it: it sends the phases of Cosmos+ as
/// soon as a way is ready for them.
pub struct Firmware {
    pages: Pages,
    ways: Vec<Way>,
    /// Pages that each way is given.
    turns: u64,
}

struct Way {
    stands: Stands,
    /// Cycles on end in which it was not ready.
    busy: u32,
    /// What its chip works on, and how many that were.
    current: Option<Order>,
    turns: u64,
}

/// Where firmware stands with a way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// The chip may be given work.
    Free,
    /// It was given work that it has not begun to do.
    Sent,
    /// The chip is busy, or was since the work was sent.
    Works,
    /// It is given nothing more.
    Done,
}

impl Firmware {
    pub fn new(pages: Pages) -> Self {
        let way = |_| Way { stands: Stands::Free, busy: 0, current: None, turns: 0 };
        let ways = (0..pages.set_up.ways).map(way).collect();
        Self { pages, ways, turns: u64::MAX }
    }

    /// The same, and an end after so many pages of each way.
    pub fn limited(pages: Pages, turns: u64) -> Self {
        Self { turns, ..Self::new(pages) }
    }

    /// The second phase of what a way has done, and the first phase of what it does next.
    fn phases(&mut self, index: usize, orders: &mut Vec<Order>) {
        let way = &mut self.ways[index];
        let (first, second) = match self.pages.access {
            Access::Read => (Operation::ReadTrigger, Operation::ReadTransfer),
            Access::Program => (Operation::ProgramPage, Operation::ReadStatus),
        };
        if let Some(mut done) = way.current.take() {
            done.request.operation = second;
            orders.push(done);
        }
        if way.turns == self.turns {
            way.stands = Stands::Done;
            return;
        }
        let row = self.pages.rows_of(way.turns)[0];
        way.turns += 1;
        let order = self.pages.order(index as u8, row);
        let mut begun = order;
        begun.request.operation = first;
        begun.request.answer = Answer::Silent;
        orders.push(begun);
        way.current = Some(order);
        way.stands = Stands::Sent;
    }
}

impl Load for Firmware {
    fn ask(&mut self, ready: u64, orders: &mut Vec<Order>) {
        for index in 0..self.ways.len() {
            let is_ready = ready >> index & 1 == 1;
            let way = &mut self.ways[index];
            way.busy = if is_ready { 0 } else { way.busy + 1 };
            match way.stands {
                Stands::Free => self.phases(index, orders),
                Stands::Sent if way.busy == BUSY_CYCLES => way.stands = Stands::Works,
                Stands::Works if is_ready => self.phases(index, orders),
                Stands::Sent | Stands::Works | Stands::Done => {}
            }
        }
    }

    fn answered(&mut self, _class: Class) {}
}
