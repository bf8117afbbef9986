//! The order of operations in the models that keep one: the initiation queue and the completion
//! queue of Ozone's figure 6b, as `rtl/flash/order_book.sv`.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::plan::Plan;

/// Ways of requests in their order, and ways of operations in theirs.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct OrderBook {
    /// Of low and of high priority.
    begin: [Line; 2],
    complete: Line,
    /// Requests of an operation of three whose entries are still to be passed over, by way.
    skips: Vec<u8>,
}

/// A queue of ways.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
struct Line {
    ways: Vec<u8>,
    first: usize,
    level: usize,
}

impl Line {
    fn new(depth: usize) -> Self {
        Self { ways: vec![0; depth], first: 0, level: 0 }
    }

    fn has_room(&self) -> bool {
        self.level < self.ways.len()
    }

    fn push(&mut self, way: u8) {
        assert!(self.has_room(), "the book has room");
        let place = (self.first + self.level) % self.ways.len();
        self.ways[place] = way;
        self.level += 1;
    }

    fn pop(&mut self) {
        self.first = (self.first + 1) % self.ways.len();
        self.level -= 1;
    }

    fn front(&self) -> Option<u8> {
        (self.level > 0).then(|| self.ways[self.first])
    }
}

impl OrderBook {
    pub fn new(ways: u8, depth: usize) -> Self {
        Self {
            begin: [Line::new(depth), Line::new(depth)],
            complete: Line::new(usize::from(ways)),
            skips: vec![0; usize::from(ways)],
        }
    }

    pub fn has_room(&self, urgent: bool) -> bool {
        self.begin[usize::from(urgent)].has_room()
    }

    /// Writes a request down.
    pub fn push(&mut self, way: u8, urgent: bool) {
        self.begin[usize::from(urgent)].push(way);
    }

    /// The way whose operation of this class may begin next.
    pub fn begins_next(&self, urgent: bool) -> Option<u8> {
        let way = self.begin[usize::from(urgent)].front()?;
        (self.skips[usize::from(way)] == 0).then_some(way)
    }

    /// The way whose operation began before all others that are not over.
    pub fn completes_next(&self) -> Option<u8> {
        self.complete.front()
    }

    /// Passes over an entry whose operation has begun, at the end of a cycle. Whether there was one.
    pub fn skip(&mut self) -> bool {
        let mut skipped = false;
        for line in &mut self.begin {
            let Some(way) = line.front() else { continue };
            let skips = &mut self.skips[usize::from(way)];
            if *skips > 0 {
                *skips -= 1;
                line.pop();
                skipped = true;
            }
        }
        skipped
    }

    /// A step was chosen.
    pub fn take(&mut self, way: u8, plan: Plan) {
        if plan.starts {
            self.begin[usize::from(plan.urgent)].pop();
            if plan.triple {
                self.skips[usize::from(way)] = 2;
            }
        }
        match (plan.starts, plan.ends) {
            (true, false) => self.complete.push(way),
            (false, true) => self.complete.remove(way),
            _ => {}
        }
    }
}

impl Line {
    /// Takes the entry of a way out; it is the first one where completions keep their order.
    fn remove(&mut self, way: u8) {
        let count = self.ways.len();
        let at = |place: usize| (self.first + place) % count;
        let found = (0..self.level).find(|place| self.ways[at(*place)] == way);
        let Some(found) = found else { return };
        for place in (1..=found).rev() {
            let (from, to) = (at(place - 1), at(place));
            self.ways[to] = self.ways[from];
        }
        self.pop();
    }
}
