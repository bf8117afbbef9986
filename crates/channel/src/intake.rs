//! Takes requests in, as `rtl/flash/request_intake.sv`: checks each, reserves its place in the reorder
//! buffer, and puts it into the queue of its way and class.

use contract::packet::{Answer, Priority, Request};

use crate::operation::is_good;
use crate::queues::{Queue, Queued, Queues};
use crate::reorder::{ReorderBuffer, Slot};

/// A time that never comes.
const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A request has come.
    Check,
    /// It is good.
    Place,
    /// It is not, and needs a place for its response.
    Refuse(Option<Slot>),
    /// It is not, and leaves without one.
    Drop,
}

/// A request before it is in a queue.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub request: Request,
    pub ticket: u32,
    /// The first cycle in which it is there.
    from: u64,
}

/// What happens to the request in front in a cycle.
#[derive(Clone, Copy, Debug)]
pub enum Taken {
    Nothing,
    /// It goes into this queue.
    Pushed(Queue, Queued),
    /// It is refused; this is its place.
    Refused(Asked, Slot),
}

/// What the intake sees in a cycle.
pub struct Around<'a> {
    pub queues: &'a Queues,
    pub order: &'a mut ReorderBuffer,
    /// The order of requests can be written down, by class.
    pub book_room: [bool; 2],
    /// A refusal is taken.
    pub refusal_ready: bool,
}

/// The requests that wait at the door. Only the first one is looked at.
#[derive(Debug)]
pub struct Intake {
    ways: u8,
    /// Urgent requests have a queue of their own.
    classes: bool,
    stage: Stage,
    /// The cycle in which the first request is looked at next.
    pub at: u64,
    window: Vec<Option<Asked>>,
    first: usize,
    level: usize,
}

impl Intake {
    pub fn new(ways: u8, classes: bool, window: usize) -> Self {
        Self {
            ways,
            classes,
            stage: Stage::Check,
            at: NEVER,
            window: vec![None; window.max(1)],
            first: 0,
            level: 0,
        }
    }

    /// Requests that may still come.
    pub fn room(&self) -> usize {
        self.window.len() - self.level
    }

    pub fn is_empty(&self) -> bool {
        self.level == 0
    }

    /// A request comes in a cycle.
    pub fn push(&mut self, request: Request, ticket: u32, now: u64) {
        assert!(self.room() > 0, "the window has room");
        let place = (self.first + self.level) % self.window.len();
        self.window[place] = Some(Asked { request, ticket, from: now });
        self.level += 1;
        if self.level == 1 {
            self.at = now.max(if self.at == NEVER { 0 } else { self.at });
        }
    }

    /// Something has changed that the first request may wait for.
    pub fn wake(&mut self, now: u64) {
        if self.level > 0 && self.stage != Stage::Check {
            self.at = self.at.min(now);
        }
    }

    /// What happens to the first request. It is looked at again when something changes.
    pub fn advance(&mut self, now: u64, around: &mut Around) -> Taken {
        let Some(asked) = self.window[self.first].filter(|asked| asked.from <= now) else {
            self.at = NEVER;
            return Taken::Nothing;
        };
        self.at = NEVER;
        let silent = asked.request.answer == Answer::Silent;
        match self.stage {
            Stage::Check => {
                self.stage = match (is_good(&asked.request, self.ways), silent) {
                    (true, _) => Stage::Place,
                    (false, true) => Stage::Drop,
                    (false, false) => Stage::Refuse(None),
                };
                self.at = now + 1;
                Taken::Nothing
            }
            Stage::Place => self.place(now, asked, around),
            Stage::Refuse(None) => {
                if let Some(slot) = around.order.reserve(asked.request.stream) {
                    self.stage = Stage::Refuse(Some(slot));
                    self.at = now + 1;
                }
                Taken::Nothing
            }
            Stage::Refuse(Some(slot)) if around.refusal_ready => {
                self.leave(now);
                Taken::Refused(asked, slot)
            }
            Stage::Refuse(Some(_)) => {
                self.at = now + 1;
                Taken::Nothing
            }
            Stage::Drop => {
                self.leave(now);
                Taken::Nothing
            }
        }
    }

    fn place(&mut self, now: u64, asked: Asked, around: &mut Around) -> Taken {
        let Asked { request, ticket, .. } = asked;
        let urgent = self.classes && request.priority == Priority::High;
        let queue = Queue { way: request.way, urgent };
        if !around.queues.has_room(queue) || !around.book_room[usize::from(urgent)] {
            return Taken::Nothing;
        }
        let slot = match request.answer {
            Answer::Silent => None,
            Answer::Response => match around.order.reserve(request.stream) {
                None => return Taken::Nothing,
                slot => slot,
            },
        };
        self.leave(now);
        Taken::Pushed(queue, Queued { request, slot, ticket })
    }

    /// The first request leaves.
    fn leave(&mut self, now: u64) {
        self.window[self.first] = None;
        self.first = (self.first + 1) % self.window.len();
        self.level -= 1;
        self.stage = Stage::Check;
        self.at = match self.window[self.first] {
            Some(next) => next.from.max(now + 1),
            None => now + 1,
        };
    }
}
