//! Ozone's synthetic workloads: mixes of erases, programs and reads on chips drawn at random.

use crate::rig::{read_class, Class, Load, Order};
use crate::set_up::SetUp;
use contract::packet::{Operation, Priority, Request};
use contract::Duration;
use rtl_sim::Random;

/// Blocks that are programmed in turn, behind those that are read.
const RING: u32 = 16;
/// Of these, so many are erased at the start.
const ERASED: u32 = 8;
/// Requests that are shuffled together.
const HAND: usize = 16;

/// Erases, programs and reads of a deck (E:P:R).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    pub erases: u32,
    pub programs: u32,
    pub reads: u32,
}

/// What the requests of a mix have in common.
#[derive(Clone, Copy, Debug)]
pub struct Mixture {
    pub ratio: Ratio,
    /// The chips that each request is drawn from, as those of figure 15: so many that follow the one
    /// whose turn it is.
    pub candidates: u8,
    /// Requests that are unanswered.
    pub window: u64,
    pub priority: Priority,
    pub streams: Streams,
}

/// Which streams a mix uses.
#[derive(Clone, Copy, Debug)]
pub enum Streams {
    /// One a chip.
    OfChip,
    /// So many from the first one on, in turn.
    InTurn { first: u8, count: u8 },
}

/// The requests of a mix, drawn one by one, and what their chips hold by now.
pub struct Mix {
    set_up: SetUp,
    mixture: Mixture,
    random: Random,
    deck: Vec<Class>,
    chips: Vec<ChipState>,
    sent: u64,
    open: u64,
}

/// Times of a chip's pages, and where it is programmed.
struct ChipState {
    read: Vec<Duration>,
    program: Vec<Duration>,
    /// The block of the ring that is open, its next page, and erased blocks behind it.
    block: u32,
    page: u32,
    erased: u32,
}

impl Ratio {
    pub const fn new(erases: u32, programs: u32, reads: u32) -> Self {
        Self { erases, programs, reads }
    }

    /// All of a deck, each class spread as evenly as whole requests allow, so that a short run has the
    /// ratio too.
    fn spread(self) -> Vec<Class> {
        let kinds = [
            (Class::Erase, self.erases),
            (Class::Program, self.programs),
            (Class::Read, self.reads),
        ];
        let mut places: Vec<(f64, Class)> = kinds
            .into_iter()
            .flat_map(|(class, count)| {
                (0..count).map(move |index| ((f64::from(index) + 0.5) / f64::from(count), class))
            })
            .collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        places.into_iter().map(|(_, class)| class).collect()
    }
}

impl Mix {
    pub fn new(set_up: &SetUp, mixture: Mixture) -> Self {
        let chip = |way| {
            let times = set_up.chip_of(way).times;
            ChipState {
                read: times.read,
                program: times.program,
                block: 0,
                page: 0,
                erased: ERASED,
            }
        };
        Self {
            set_up: set_up.clone(),
            mixture,
            random: Random::new(42),
            deck: Vec::new(),
            chips: (0..set_up.ways).map(chip).collect(),
            sent: 0,
            open: 0,
        }
    }

    /// The next class: sixteen cards of the deck at a time are shuffled.
    fn draw(&mut self) -> Class {
        if self.deck.is_empty() {
            self.deck = self.mixture.ratio.spread();
            for hand in self.deck.chunks_mut(HAND) {
                for last in (1..hand.len()).rev() {
                    hand.swap(last, self.random.below(last as u64 + 1) as usize);
                }
            }
        }
        self.deck.pop().expect("a ratio has something")
    }

    fn next(&mut self) -> Order {
        let Self { mixture, set_up, .. } = self;
        let candidates = u64::from(mixture.candidates);
        let drawn = self.random.below(candidates);
        let way = ((self.sent + drawn) % u64::from(set_up.ways)) as u8;
        let class = self.draw();
        let (request, class, array) = self.request(way, class);
        let stream = match self.mixture.streams {
            Streams::OfChip => way,
            Streams::InTurn { first, count } => first + (self.sent % u64::from(count)) as u8,
        };
        self.sent += 1;
        Order {
            request: Request { stream, priority: self.mixture.priority, ..request },
            class,
            array,
        }
    }

    /// A request of this class, or the erase that a program has to wait for.
    fn request(&mut self, way: u8, class: Class) -> (Request, Class, Duration) {
        let rows = self.set_up.rows();
        let chip = &mut self.chips[usize::from(way)];
        let ring = |block: u32, page| rows.row(0, self.set_up.filled_blocks + block % RING, page);
        let is_full = chip.page == rows.pages;
        match class {
            Class::Read | Class::UrgentRead => {
                let page = self.random.below(rows.pages.into()) as u32;
                let request = self.set_up.page(Operation::Read, way, rows.row(0, 0, page));
                (request, read_class(self.mixture.priority), chip.read[page as usize])
            }
            Class::Program if !is_full || chip.erased > 0 => {
                if is_full {
                    (chip.block, chip.page) = (chip.block + 1, 0);
                    chip.erased -= 1;
                }
                let page = chip.page;
                chip.page += 1;
                let request = self.set_up.page(Operation::Program, way, ring(chip.block, page));
                (request, Class::Program, chip.program[page as usize])
            }
            Class::Program | Class::Erase => {
                // Never the open block, even if all others are erased already.
                chip.erased = (chip.erased + 1).min(RING - 1);
                let row = ring(chip.block + chip.erased, 0);
                let request = Request::new(Operation::Erase, way, row);
                (request, Class::Erase, self.set_up.chip.times.erase)
            }
        }
    }
}

impl Load for Mix {
    fn ask(&mut self, _ready: u64, orders: &mut Vec<Order>) {
        while self.open < self.mixture.window {
            let order = self.next();
            orders.push(order);
            self.open += 1;
        }
    }

    fn answered(&mut self, _class: Class) {
        self.open -= 1;
    }
}

/// Ozone's four streams: three of low priority, and urgent reads.
pub struct Mixed {
    pub low: Mix,
    pub urgent: Mix,
}

impl Load for Mixed {
    fn ask(&mut self, ready: u64, orders: &mut Vec<Order>) {
        self.urgent.ask(ready, orders);
        self.low.ask(ready, orders);
    }

    fn answered(&mut self, class: Class) {
        match class {
            Class::UrgentRead => self.urgent.answered(class),
            _ => self.low.answered(class),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deck_has_its_ratio_and_so_has_each_part_of_it() {
        let deck = Ratio::new(1, 128, 512).spread();
        let count = |cards: &[Class], class| cards.iter().filter(|card| **card == class).count();
        let counts = [Class::Erase, Class::Program, Class::Read].map(|class| count(&deck, class));
        assert_eq!(counts, [1, 128, 512]);
        for part in deck.chunks(50).filter(|part| part.len() == 50) {
            let programs = count(part, Class::Program);
            assert!((9..=11).contains(&programs), "found {programs} programs of 50");
        }
    }
}
