//! What is known of each way: where it stands, its next step, and whether it has to be visited, as
//! `rtl/flash/way_board.sv`.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::arbiter::Ranks;
use crate::plan::{Plan, Rank, WayState};

/// What a visit leaves behind.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    pub here: WayState,
    pub after: WayState,
    pub plan: Plan,
    pub rank: Rank,
    /// The way has a next step.
    pub planned: bool,
    /// It waits for requests that are to come.
    pub stuck: bool,
    /// Its operation is given up.
    pub fail: bool,
    /// It was to be given up when the visit began.
    pub saw_fail: bool,
    /// What the way may begin has changed during the visit.
    pub outdated: bool,
}

/// All ways. Masks have a bit a way.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Board {
    here: Vec<WayState>,
    behind: Vec<WayState>,
    plans: Vec<Plan>,
    pub ranks: Ranks,
    pub due: u64,
    pub valid: u64,
    pub stuck: u64,
    taken: u64,
    /// The operation is to be given up: nothing is planned for that yet, or it is.
    abandoned: u64,
    failing: u64,
    /// Steps that were planned before a change of what the way may begin.
    stale: u64,
    /// Ways behind the one that was visited last.
    turn: u64,
    /// How many urgent operations of a way began while a low one waited.
    pub passed: Vec<u8>,
}

impl Board {
    pub fn new(ways: u8) -> Self {
        let ways = usize::from(ways);
        Self {
            here: vec![WayState::default(); ways],
            behind: vec![WayState::default(); ways],
            plans: vec![Plan::NOTHING; ways],
            ranks: Ranks::default(),
            due: 0,
            valid: 0,
            stuck: 0,
            taken: 0,
            abandoned: 0,
            failing: 0,
            stale: 0,
            turn: u64::MAX,
            passed: vec![0; ways],
        }
    }

    /// The next step of a way.
    pub fn plan(&self, way: u8) -> Plan {
        self.plans[usize::from(way)]
    }

    /// The way to visit. One whose step was taken goes first: the bus may be free soon.
    pub fn pick(&mut self) -> Option<u8> {
        let first = self.due & self.taken;
        let among = if first != 0 { first } else { self.due };
        if among == 0 {
            return None;
        }
        let preferred = among & self.turn;
        let from = if preferred != 0 { preferred } else { among };
        let way = from.trailing_zeros() as u8;
        let bit = 1 << way;
        self.turn = !(bit | (bit - 1));
        self.due &= !bit;
        Some(way)
    }

    pub fn is_taken(&self, way: u8) -> bool {
        self.taken >> way & 1 == 1
    }

    /// Where a way stands, its last step done, and whether a request left its queue with that.
    pub fn stands(&self, way: u8) -> (WayState, bool) {
        let at = usize::from(way);
        if self.is_taken(way) {
            (self.behind[at], self.plans[at].closes)
        } else {
            (self.here[at], false)
        }
    }

    /// Whether the operation of a way is to be given up.
    pub fn fails(&self, way: u8, expired: u64) -> bool {
        self.expires(way, expired) || self.abandoned >> way & 1 == 1
    }

    /// Whether that is because it has waited for too long.
    pub fn expires(&self, way: u8, expired: u64) -> bool {
        (expired | self.failing) & !self.taken & 1 << way != 0
    }

    /// Whether another way should be visited before this one.
    pub fn yields(&self, way: u8) -> bool {
        !self.is_taken(way) && self.due & self.taken != 0
    }

    /// Ways whose step is about to change, whatever is visited.
    pub fn held(&self) -> u64 {
        self.abandoned | self.stale
    }

    pub fn store(&mut self, way: u8, stored: Stored) {
        let (at, bit) = (usize::from(way), 1 << way);
        self.here[at] = stored.here;
        self.behind[at] = stored.after;
        self.plans[at] = stored.plan;
        self.ranks.set(way, stored.rank);
        let put = |mask: &mut u64, set: bool| *mask = *mask & !bit | u64::from(set) << way;
        self.taken &= !bit;
        put(&mut self.valid, stored.planned);
        put(&mut self.stuck, stored.stuck);
        put(&mut self.failing, stored.fail);
        put(&mut self.stale, stored.outdated);
        if stored.saw_fail {
            self.abandoned &= !bit;
        }
    }

    /// The step of a way was chosen.
    pub fn take(&mut self, way: u8) {
        let bit = 1 << way;
        self.taken |= bit;
        self.valid &= !bit;
        self.failing &= !bit;
        self.due |= bit;
    }

    /// What these ways may begin has changed.
    pub fn change(&mut self, ways: u64) {
        self.stale |= ways;
        self.due |= ways;
    }

    /// The step that was taken last could not be done, and neither can its operation.
    pub fn abandon(&mut self, way: u8) {
        self.abandoned |= 1 << way;
        self.due |= 1 << way;
    }
}
