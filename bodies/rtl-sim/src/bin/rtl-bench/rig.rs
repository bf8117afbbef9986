//! A channel under load: who asks, and what is counted.

use contract::packet::{Answer, Operation, Outcome, Priority, Request};
use contract::Duration;
use rtl_sim::channel::{Channel, Setup};
use rtl_sim::{Output, Random};
use std::collections::VecDeque;

/// The buffer entry that programs take their data from.
const PATTERN: u16 = 0;
/// Entries that reads go to in turn; more than a load leaves unanswered.
const READ_ENTRIES: u16 = 320;
/// Without an answer for so long, something is stuck: the longest erase takes a tenth of it.
const PATIENCE_CYCLES: u64 = 5_000_000;

/// Entries of the data buffer that a rig needs.
pub const BUFFER_ENTRIES: usize = 1 + READ_ENTRIES as usize;

/// What a request is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Read,
    UrgentRead,
    Program,
    Erase,
}

/// A request of a load, and what it will cost.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub request: Request,
    pub class: Class,
    /// How long the array of the chip works for it.
    pub array: Duration,
}

/// Where requests come from.
pub trait Load {
    /// Adds the requests that are sent now; `ready` has a bit a way.
    fn ask(&mut self, ready: u64, orders: &mut Vec<Order>);

    /// A request of this class was answered.
    fn answered(&mut self, class: Class);
}

/// What happened while requests were answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub cycles: u64,
    /// Words of data on the bus, of two bytes.
    pub words: u64,
    /// By class: answers, and cycles from request to response.
    answers: [(u64, u64); 4],
    /// Work of the arrays for what was answered.
    pub array: Duration,
}

impl Tally {
    pub fn count(&self, class: Class) -> u64 {
        self.answers[class as usize].0
    }

    /// Requests of all classes.
    pub fn total(&self) -> u64 {
        self.answers.iter().map(|(count, _)| count).sum()
    }

    /// Requests that move a page.
    pub fn pages(&self) -> u64 {
        self.total() - self.count(Class::Erase)
    }

    /// Mean cycles from request to response, or none if nothing was answered.
    pub fn mean_response(&self, class: Class) -> Option<f64> {
        let (count, cycles) = self.answers[class as usize];
        (count > 0).then(|| cycles as f64 / count as f64)
    }

    fn count_answer(&mut self, class: Class, cycles: u64) {
        let (count, sum) = &mut self.answers[class as usize];
        (*count, *sum) = (*count + 1, *sum + cycles);
    }
}

/// A channel, and the requests that it has not answered yet.
pub struct Rig {
    channel: Channel,
    page_bytes: usize,
    outputs: Outputs,
    /// By stream, each with the cycle in which it was sent.
    unanswered: [VecDeque<(Order, u64)>; 8],
    reads: u16,
}

struct Outputs {
    ready: Output,
    words: [Output; 2],
}

impl Rig {
    /// A channel after reset. Programs write one random pattern of `page_bytes` bytes.
    pub fn new(setup: Setup, page_bytes: usize) -> Self {
        let mut channel = Channel::new(setup);
        channel.buffer.entry_mut(PATTERN)[..page_bytes].copy_from_slice(&pattern(page_bytes));
        let bench = channel.bench();
        let outputs = Outputs {
            ready: bench.output("ready_o"),
            words: [bench.output("word_in_o"), bench.output("word_out_o")],
        };
        Self { channel, page_bytes, outputs, unanswered: Default::default(), reads: 0 }
    }

    /// Runs until so many requests more have been answered.
    ///
    /// # Errors
    /// If a request fails, reads something else than the pattern or is not answered, or if the chips
    /// find fault with what they see.
    pub fn advance(&mut self, load: &mut dyn Load, answers: u64) -> Result<Tally, String> {
        let mut tally = Tally::default();
        let mut orders = Vec::new();
        let mut patience = PATIENCE_CYCLES;
        while tally.total() < answers {
            let ready = self.channel.bench().model().get(self.outputs.ready);
            load.ask(ready, &mut orders);
            for order in orders.drain(..) {
                self.send(order);
            }
            if let Some(answered) = self.channel.cycle() {
                let stream = usize::from(answered.response.stream);
                let (order, since) = self.unanswered[stream]
                    .pop_front()
                    .ok_or_else(|| format!("{:?} answers no request", answered.response))?;
                if answered.response.outcome != Outcome::Success {
                    return Err(format!("{:?} to {:?}", answered.response, order.request));
                }
                self.check_data(&order)?;
                self.check_chips()?;
                tally.count_answer(order.class, answered.cycle - since);
                tally.array += order.array;
                load.answered(order.class);
                patience = PATIENCE_CYCLES;
            }
            tally.cycles += 1;
            let model = self.channel.bench().model();
            tally.words += self.outputs.words.iter().map(|port| model.get(*port)).sum::<u64>();
            patience -= 1;
            if patience == 0 {
                self.check_chips()?;
                return Err(format!("no answer in {PATIENCE_CYCLES} cycles"));
            }
        }
        Ok(tally)
    }

    fn send(&mut self, mut order: Order) {
        let request = &mut order.request;
        request.buffer = PATTERN;
        if is_read(request) {
            request.buffer = 1 + self.reads % READ_ENTRIES;
            self.reads = (self.reads + 1) % READ_ENTRIES;
            self.channel.buffer.entry_mut(request.buffer).fill(0);
        }
        self.channel.submit(*request);
        if request.answer == Answer::Response {
            let now = self.channel.bench().cycles();
            self.unanswered[usize::from(request.stream)].push_back((order, now));
        }
    }

    fn check_chips(&self) -> Result<(), String> {
        self.channel.chips.violations().into_iter().next().map_or(Ok(()), Err)
    }

    fn check_data(&self, order: &Order) -> Result<(), String> {
        let length = usize::from(order.request.length);
        let buffer = &self.channel.buffer;
        let read = is_read(&order.request);
        let same =
            || buffer.entry(order.request.buffer)[..length] == buffer.entry(PATTERN)[..length];
        if read && (length != self.page_bytes || !same()) {
            return Err(format!("{:?} read something else than was programmed", order.request));
        }
        Ok(())
    }
}

fn is_read(request: &Request) -> bool {
    matches!(request.operation, Operation::Read | Operation::ReadTransfer)
}

/// What all pages hold.
pub fn pattern(bytes: usize) -> Vec<u8> {
    Random::new(1).bytes(bytes)
}

/// Reads are counted apart by priority.
pub fn read_class(priority: Priority) -> Class {
    match priority {
        Priority::Low => Class::Read,
        Priority::High => Class::UrgentRead,
    }
}
