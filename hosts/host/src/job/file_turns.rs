//! The files of a job at work: which is next, and how far each has come.

use super::direction::Direction;
use super::extent::{ByteRange, Extent};
use super::parts::{FileService, Parts, ServiceOrder};
use super::random::Prng;
use super::sequence::{Cursor, Plan};
use super::spec::{JobSpec, Passes};

/// The files of a job, at work.
#[derive(Clone, Debug)]
pub(super) struct Files {
    parts: Vec<Part>,
    service: FileService,
    most_open: u32,
    open: u32,
    next: usize,
    current: Option<usize>,
    /// Requests left to the current file.
    left: u64,
    random: Prng,
    /// Whether a file that is done starts anew.
    endless: Endless,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endless {
    Yes,
    No,
}

#[derive(Clone, Debug)]
struct Part {
    plan: Plan,
    cursor: Cursor,
    start: Cursor,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Open,
    Done,
}

impl Files {
    /// The files of `spec`; `random` is for the choice of one, and gives each its seed.
    pub(super) fn new(spec: &JobSpec, parts: &Parts, mut random: Prng) -> Self {
        let part = |&range: &ByteRange| {
            let spec = JobSpec { range, ..spec.clone() };
            let (plan, cursor) = Plan::new(&spec, random.bits());
            Part { plan, cursor, start: cursor, state: State::Closed }
        };
        Files {
            parts: parts.ranges.iter().map(part).collect(),
            service: parts.service,
            most_open: parts.open.min(parts.ranges.len() as u32),
            open: 0,
            next: 0,
            current: None,
            left: 0,
            random,
            endless: match spec.stop.total_bytes {
                None => Endless::Yes,
                Some(_) => Endless::No,
            },
        }
    }

    /// The next request of `direction`; none if all files are done.
    pub(super) fn draw(&mut self, direction: Direction) -> Option<Extent> {
        loop {
            let nth = self.choose()?;
            let part = &mut self.parts[nth];
            let ends = self.endless == Endless::No && part.plan.is_through(&part.cursor, direction);
            if !ends {
                return Some(part.plan.draw_extent(&mut part.cursor, direction));
            }
            part.state = State::Done;
            self.open -= 1;
            self.current = None;
        }
    }

    fn choose(&mut self) -> Option<usize> {
        if let Some(nth) = self.current {
            if self.service.order == ServiceOrder::Sequential {
                return Some(nth);
            }
            if self.left > 0 {
                self.left -= 1;
                return Some(nth);
            }
        }
        if self.parts.iter().all(|part| part.state == State::Done) {
            return None;
        }
        loop {
            let nth = match self.service.order {
                ServiceOrder::Random => self.random.below(self.parts.len() as u64) as usize,
                ServiceOrder::RoundRobin | ServiceOrder::Sequential => {
                    let nth = self.next;
                    self.next = (nth + 1) % self.parts.len();
                    nth
                }
            };
            match self.parts[nth].state {
                State::Done => continue,
                State::Closed if self.open >= self.most_open => continue,
                State::Closed => {
                    self.parts[nth].state = State::Open;
                    self.open += 1;
                }
                State::Open => {}
            }
            self.current = Some(nth);
            self.left = self.service.requests - 1;
            return Some(nth);
        }
    }

    /// Begins another pass.
    pub(super) fn restart(&mut self, passes: Passes) {
        for part in &mut self.parts {
            part.state = State::Closed;
            match passes {
                Passes::Alike => part.cursor = part.start,
                Passes::Different => part.plan.restart(&mut part.cursor),
            }
        }
        self.open = 0;
        self.current = None;
    }
}
