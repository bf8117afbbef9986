//! Takes requests in, as `rtl/flash/request_intake.sv`: checks each, reserves its place in the reorder
//! buffer, and puts it into the queue of its way and class.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::{Answer, Priority, Request};

use crate::operation::{depends, is_good, may_depend};
use crate::policy::{FullQueue, Planes, Policy};
use crate::queues::{Queue, Queued, Queues};
use crate::reorder::{ReorderBuffer, Slot};

/// A time that never comes.
const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Stage {
    /// A request has come.
    Check,
    /// Does it depend on the request that is so many places in front of the last one?
    Look(u8),
    /// Rows are compared.
    Match(u8),
    /// It is known.
    Judge(u8),
    /// It is good. An urgent one may have to stay behind those of low priority.
    Place { behind: bool },
    /// It is not, or there is no room, and needs a place for its response.
    Refuse(Refusal, Option<Slot>),
    /// It is not, and leaves without one.
    Drop,
}

/// Why a request does not go into its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Refusal {
    /// It cannot be run.
    Bad,
    /// Its queue is full.
    Full,
}

/// A request before it is in a queue.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
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
    Refused(Asked, Slot, Refusal),
}

/// What the intake sees in a cycle.
pub struct Around<'a> {
    pub queues: &'a Queues,
    pub order: &'a mut ReorderBuffer,
    /// The order of requests can be written down, by class.
    pub book_room: [bool; 2],
    /// The queues are read for somebody else.
    pub reading: bool,
    /// A refusal is taken.
    pub refusal_ready: bool,
}

/// The requests that wait at the door. Only the first one is looked at.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Intake {
    ways: u8,
    metadata_bytes: u16,
    /// Urgent requests have a queue of their own.
    classes: bool,
    full_queue: FullQueue,
    planes: Planes,
    stage: Stage,
    /// The cycle in which the first request is looked at next.
    pub at: u64,
    /// What was looked at has to stay before the request.
    behind: bool,
    window: Vec<Option<Asked>>,
    first: usize,
    level: usize,
}

impl Intake {
    pub fn new(
        (ways, metadata_bytes): (u8, u16),
        classes: bool,
        policy: &Policy,
        window: usize,
    ) -> Self {
        Self {
            ways,
            metadata_bytes,
            classes,
            full_queue: policy.full_queue,
            planes: policy.planes,
            stage: Stage::Check,
            at: NEVER,
            behind: false,
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
                let request = &asked.request;
                self.stage = match (is_good(request, (self.ways, self.metadata_bytes)), silent) {
                    (true, _) if self.looks(request, around) => Stage::Look(0),
                    (true, _) => Stage::Place { behind: false },
                    (false, true) => Stage::Drop,
                    (false, false) => Stage::Refuse(Refusal::Bad, None),
                };
                self.at = now + 1;
                Taken::Nothing
            }
            Stage::Look(_) | Stage::Match(_) | Stage::Judge(_) => {
                self.look(&asked.request, around);
                self.at = now + 1;
                Taken::Nothing
            }
            Stage::Place { behind } => self.place(now, asked, behind, around),
            Stage::Refuse(why, None) => {
                if let Some(slot) = around.order.reserve(asked.request.stream) {
                    self.stage = Stage::Refuse(why, Some(slot));
                    self.at = now + 1;
                }
                Taken::Nothing
            }
            Stage::Refuse(why, Some(slot)) if around.refusal_ready => {
                self.leave(now);
                Taken::Refused(asked, slot, why)
            }
            Stage::Refuse(_, Some(_)) => {
                self.at = now + 1;
                Taken::Nothing
            }
            Stage::Drop => {
                self.leave(now);
                Taken::Nothing
            }
        }
    }

    /// Whether a request may depend on one of low priority, and go behind that.
    fn looks(&self, request: &Request, around: &Around) -> bool {
        self.is_urgent(request)
            && may_depend(request)
            && around.queues.filled(false) >> request.way & 1 == 1
    }

    fn is_urgent(&self, request: &Request) -> bool {
        self.classes && request.priority == Priority::High
    }

    /// Looks at requests of low priority, the last one first.
    fn look(&mut self, request: &Request, around: &Around) {
        let low = Queue { way: request.way, urgent: false };
        self.stage = match self.stage {
            Stage::Look(offset) => match around.queues.look_back(low, offset) {
                None => Stage::Place { behind: false },
                Some(_) if around.reading => Stage::Look(offset),
                Some(before) => {
                    self.behind = depends(request, &before.request, self.planes);
                    Stage::Match(offset)
                }
            },
            Stage::Match(offset) => Stage::Judge(offset),
            Stage::Judge(_) if self.behind => Stage::Place { behind: true },
            Stage::Judge(offset) if usize::from(offset) + 1 == around.queues.depth() => {
                Stage::Place { behind: false }
            }
            Stage::Judge(offset) => Stage::Look(offset + 1),
            stage => stage,
        };
    }

    fn place(&mut self, now: u64, asked: Asked, behind: bool, around: &mut Around) -> Taken {
        let Asked { request, ticket, .. } = asked;
        let urgent = self.is_urgent(&request) && !behind;
        let queue = Queue { way: request.way, urgent };
        if !around.queues.has_room(queue) || !around.book_room[usize::from(urgent)] {
            if self.full_queue == FullQueue::GivesBack {
                self.stage = Stage::Refuse(Refusal::Full, None);
                self.at = now + 1;
            }
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
