//! Turns the requests of all ways into steps: one sequencer that visits ways when something happened
//! to them, as `rtl/flash/way_scheduler.sv`.
//!
//! What a way does next depends only on where it stands and on its queue. So a visit may come at any
//! time, and a step that was not yet taken is planned anew when a request comes. A visit takes 11
//! cycles, and 4 more for each request that is compared; only the cycles in which it looks at
//! something that may change are events here.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::Operation;

use crate::board::{Board, Stored};
use crate::plan::{plan, Found, Phase, WayState};
use crate::policy::Policy;
use crate::queues::{Queue, Queues};

/// A time that never comes.
const NEVER: u64 = u64::MAX;
/// Cycles from a look at a request to the verdict on it.
const COMPARE: u64 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Stage {
    /// The next way.
    Pick,
    /// Where it stands.
    Load,
    /// The request that it is done with leaves its queue.
    Take,
    /// Which queue to look at.
    Enter,
    /// A request is being read.
    Peek,
    /// What it means.
    Judge,
    /// May others follow in cache mode?
    Extend,
    /// The step is told.
    Commit,
}

/// What a request is compared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Compare {
    /// Nothing, the step is about it.
    Base,
    /// Another plane of the group.
    Plane,
    /// The first one of a group that follows in cache mode.
    First,
    /// Another plane of that.
    Follow,
    /// The second or third page of a word line.
    Partner,
}

/// What of a request is compared.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Looked {
    operation: Operation,
    row: u32,
    at_column_0: bool,
}

/// The visit that goes on.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Visit {
    policy: Policy,
    /// LUNs of a chip overlap.
    apart: bool,
    /// The cycle in which something happens next.
    pub at: u64,
    stage: Stage,
    compare: Compare,
    way: u8,
    state: WayState,
    closes: bool,
    fail: bool,
    saw_fail: bool,
    expired: bool,
    returns: bool,
    outdated: bool,
    refuse: bool,
    stuck: bool,
    empty: bool,
    /// The step was taken meanwhile, so the visit is for nothing.
    spoiled: bool,
    offset: u8,
    follow: u8,
    reference: u32,
    looked: Looked,
    base: Looked,
}

/// What a visit sees in a cycle.
#[derive(Debug)]
pub struct Around<'a> {
    pub board: &'a mut Board,
    pub queues: &'a mut Queues,
    /// Ways that have been waiting for too long.
    pub expired: u64,
    /// The way whose low request goes before its urgent ones, by the order of requests.
    pub low_turn: u64,
    /// Ways that begin no operation, and those of them that give back what has not begun.
    pub halted: u64,
    pub giving: u64,
    /// The queues are read for a step that was chosen.
    pub fetching: bool,
}

impl Visit {
    pub fn new(policy: Policy, apart: bool) -> Self {
        let looked = Looked { operation: Operation::ReadStatus, row: 0, at_column_0: true };
        Self {
            policy,
            apart,
            at: NEVER,
            stage: Stage::Pick,
            compare: Compare::Base,
            way: 0,
            state: WayState::default(),
            closes: false,
            fail: false,
            saw_fail: false,
            expired: false,
            returns: false,
            outdated: false,
            refuse: false,
            stuck: false,
            empty: false,
            spoiled: false,
            offset: 0,
            follow: 0,
            reference: 0,
            looked,
            base: looked,
        }
    }

    /// The way whose step is told in this cycle, a bit.
    pub fn storing(&self, now: u64) -> u64 {
        if self.stage == Stage::Commit && self.at == now {
            1 << self.way
        } else {
            0
        }
    }

    /// Whether the queues are read for the visit in this cycle.
    pub fn peeks(&self, now: u64) -> bool {
        self.stage == Stage::Peek && self.at == now
    }

    /// Ways are due from this cycle on.
    pub fn wake(&mut self, now: u64) {
        if self.stage == Stage::Pick {
            self.at = self.at.min(now);
        }
    }

    /// A step was chosen in a cycle.
    pub fn chosen(&mut self, way: u8) {
        self.spoiled |= self.stage != Stage::Pick && self.way == way;
    }

    /// What these ways may begin has changed in a cycle.
    pub fn changed(&mut self, ways: u64) {
        self.outdated |= self.stage != Stage::Pick && ways >> self.way & 1 == 1;
    }

    /// Goes on, in the cycle that it waits for. Returns whether a request left its queue.
    pub fn advance(&mut self, now: u64, around: &mut Around) -> bool {
        let (stage, wait) = match self.stage {
            Stage::Pick => match around.board.pick() {
                Some(way) => {
                    self.way = way;
                    (self.spoiled, self.outdated) = (false, false);
                    (Stage::Load, 1)
                }
                None => {
                    self.at = NEVER;
                    return false;
                }
            },
            Stage::Load => {
                (self.state, self.closes) = around.board.stands(self.way);
                self.fail = around.board.fails(self.way, around.expired);
                self.saw_fail = self.fail;
                self.expired = around.board.expires(self.way, around.expired);
                (Stage::Take, 1)
            }
            Stage::Take => {
                if self.closes {
                    around.queues.pop(self.queue());
                }
                (self.stage, self.at) = (Stage::Enter, now + 1);
                return self.closes;
            }
            Stage::Enter => self.enter(around),
            Stage::Peek => self.peek(around),
            Stage::Judge => self.judge(),
            Stage::Extend => self.extend(around),
            Stage::Commit => {
                if !self.spoiled {
                    around.board.store(self.way, self.stored());
                }
                (Stage::Pick, 1)
            }
        };
        (self.stage, self.at) = (stage, now + wait);
        false
    }

    fn queue(&self) -> Queue {
        Queue { way: self.way, urgent: self.state.urgent }
    }

    fn is_filled(&self, around: &Around, urgent: bool) -> bool {
        around.queues.filled(urgent) >> self.way & 1 == 1
    }

    fn enter(&mut self, around: &Around) -> (Stage, u64) {
        self.compare = Compare::Base;
        self.follow = 0;
        (self.refuse, self.stuck, self.empty) = (false, false, false);
        self.returns = false;
        self.reference = 0;
        self.offset = match self.state.phase {
            Phase::Trigger if !self.fail => self.state.older + self.state.issued,
            _ => 0,
        };
        if self.state.phase != Phase::Idle {
            return (Stage::Peek, 1);
        }
        let [low, urgent] = [false, true].map(|urgent| self.is_filled(around, urgent));
        self.state = WayState {
            urgent: urgent && !(low && self.is_aged(around)),
            current: 1,
            ..WayState::default()
        };
        let [halted, giving] = [around.halted, around.giving].map(|ways| ways >> self.way & 1 == 1);
        self.returns = halted && giving;
        self.empty = (!urgent && !low) || (halted && !giving);
        // What was to be given up is over. A request that begins is given up if it has waited for too long, and not if the way
        // halts, when nothing begins.
        self.fail = self.expired && !halted;
        if self.empty {
            // The step is planned in between, of nothing.
            (Stage::Commit, 2)
        } else {
            (Stage::Peek, 1)
        }
    }

    /// Whether so many urgent operations went before a low one that it is its turn.
    fn is_aged(&self, around: &Around) -> bool {
        if self.policy.execution.keeps_order() {
            return around.low_turn >> self.way & 1 == 1;
        }
        let passed = around.board.passed[usize::from(self.way)];
        self.policy.is_old(passed)
    }

    fn peek(&mut self, around: &mut Around) -> (Stage, u64) {
        if around.board.yields(self.way) {
            around.board.due |= 1 << self.way;
            return (Stage::Pick, 1);
        }
        let Some(entry) = around.queues.peek(self.queue(), self.offset) else {
            assert!(self.compare != Compare::Base, "the request of a step is in its queue");
            self.stuck = self.compare == Compare::Partner;
            return if self.compare == Compare::Plane { (Stage::Extend, 1) } else { PLAN };
        };
        if around.fetching {
            return (Stage::Peek, 1);
        }
        let request = &entry.request;
        self.looked = Looked {
            operation: request.operation,
            row: request.row,
            at_column_0: request.column == 0,
        };
        (Stage::Judge, COMPARE)
    }

    fn judge(&mut self) -> (Stage, u64) {
        let planes = self.policy.planes;
        let looked = self.looked;
        let differ = looked.row ^ self.reference;
        let bit = 1 << planes.plane(looked.row);
        let same_operation = looked.operation == self.base.operation;
        let same_page = differ & !planes.mask() == 0;
        let same_lun = planes.lun(differ) == 0;
        let again = (Stage::Peek, 1);
        let next = match self.compare {
            Compare::Base => self.judge_base(bit),
            Compare::Plane if same_operation && same_page && self.state.planes & bit == 0 => {
                self.state.planes |= bit;
                self.state.current += 1;
                again
            }
            Compare::Plane => (Stage::Extend, 1),
            Compare::First => {
                let joins = same_operation && same_lun;
                self.follow = if joins { bit } else { 0 };
                self.reference = looked.row;
                self.compare = Compare::Follow;
                if joins && self.merges_planes() {
                    again
                } else {
                    PLAN
                }
            }
            Compare::Follow if same_operation && same_page && self.follow & bit == 0 => {
                self.follow |= bit;
                again
            }
            Compare::Follow => PLAN,
            Compare::Partner => {
                self.refuse = !same_operation;
                if self.refuse || self.offset == 2 {
                    PLAN
                } else {
                    again
                }
            }
        };
        self.offset += 1;
        next
    }

    /// The request that the step is about.
    fn judge_base(&mut self, plane: u8) -> (Stage, u64) {
        use Operation::*;
        self.base = self.looked;
        self.reference = self.looked.row;
        if self.state.phase != Phase::Idle || self.fail || self.returns {
            return (Stage::Extend, 1);
        }
        self.state.planes = plane;
        match self.looked.operation {
            ProgramOneShot => {
                self.state.current = 3;
                self.compare = Compare::Partner;
                (Stage::Peek, 1)
            }
            Read | Program | Erase if self.merges_planes() => {
                self.compare = Compare::Plane;
                (Stage::Peek, 1)
            }
            _ => (Stage::Extend, 1),
        }
    }

    fn merges(&self) -> bool {
        !self.policy.execution.keeps_order()
    }

    fn merges_planes(&self) -> bool {
        self.merges() && self.policy.merge_planes && self.policy.planes.bits != 0
    }

    /// Another group may follow if the step is the one before it, and nobody else waits who goes first.
    fn extend(&mut self, around: &Around) -> (Stage, u64) {
        let WayState { phase, issued, current, older, urgent, .. } = self.state;
        let others = if urgent {
            self.policy.age != 0 && self.is_filled(around, false)
        } else {
            self.is_filled(around, true)
        };
        let fits = match (phase, self.base.operation) {
            (Phase::Border, Operation::Read) => self.policy.merge_cache_read,
            (Phase::Idle | Phase::Trigger, Operation::Program) => {
                self.policy.merge_cache_program && issued + 1 == current
            }
            _ => false,
        };
        if !self.merges() || others || !fits || self.fail || self.returns {
            return PLAN;
        }
        self.compare = Compare::First;
        self.offset = older + current;
        (Stage::Peek, 1)
    }

    fn stored(&self) -> Stored {
        let planned = plan(Found {
            state: self.state,
            operation: self.base.operation,
            first_lun: self.policy.planes.lun(self.base.row) == 0,
            at_column_0: self.base.at_column_0,
            cache: self.follow == self.state.planes,
            fail: self.fail,
            refuse: self.refuse,
            returns: self.returns,
            apart: self.apart,
            jedec: self.policy.jedec,
        });
        Stored {
            here: self.state,
            after: planned.after,
            plan: planned.plan,
            rank: planned.rank,
            planned: !self.empty && (!self.stuck || self.fail),
            stuck: self.stuck && !self.fail,
            fail: self.fail,
            saw_fail: self.saw_fail,
            outdated: self.outdated,
        }
    }
}

/// A cycle for the plan lies before it is told.
const PLAN: (Stage, u64) = (Stage::Commit, 2);
