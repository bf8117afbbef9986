//! What a way does next, and where it stands when that was done, as `rtl/flash/step_plan.sv`.
//!
//! A *group* is the requests that go together, one a plane. With cache mode there are two: the
//! older, whose data wait in the cache register or whose program goes on, and the current one.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::{ChipStatus, Operation};

use crate::operation::{is_raw, is_status, is_whole, works_when_busy};

/// Where a way is in its operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Phase {
    /// Nothing in progress.
    #[default]
    Idle,
    /// Requests of the current group go to the chip.
    Trigger,
    /// The current group is being read, and another might follow in cache mode.
    Border,
    /// Data of the older group come from the chip.
    Drain,
    /// Status of the older group is read.
    Status,
    /// What is left of the operation completes as timed out.
    Fail,
}

/// Where a way stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct WayState {
    pub phase: Phase,
    pub urgent: bool,
    /// Requests of the older group that have not completed; in `Fail` those of the operation.
    pub older: u8,
    /// Requests of the current group.
    pub current: u8,
    /// Those of them that went to the chip.
    pub issued: u8,
    /// Planes of a group, a bit each.
    pub planes: u8,
    /// A cache command was sent.
    pub cached: bool,
    /// Another program was promised to the chip.
    pub more: bool,
}

/// How the status says that the request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Verdict {
    None,
    /// FAIL, or it is not that of a chip that has ended and may be written.
    Last,
    /// FAILC, or it is not that of a chip that takes commands and may be written.
    Before,
    /// FAIL; whoever asked for the status looks at the rest.
    Asked,
}

impl Verdict {
    /// Whether a status says that the request failed.
    pub const fn fails(self, status: u32) -> bool {
        let status = ChipStatus::from_bits(status as u8);
        match self {
            Verdict::None => false,
            Verdict::Last => status.fail() || !status.has_ended(),
            Verdict::Before => status.fail_before() || !status.takes_writes(),
            Verdict::Asked => status.fail(),
        }
    }
}

/// How a step turns a request into a turn on the bus, or only into a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Form {
    /// A turn on the bus.
    Bus {
        operation: Operation,
        /// JEDEC's 81h for 80h.
        next_plane: bool,
        /// Words are neither coded nor scrambled.
        raw: bool,
        verdict: Verdict,
    },
    /// The request completes as timed out.
    Fail,
    /// The request completes as refused.
    Refuse,
    /// The request is given back.
    Return,
}

/// The next step of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Plan {
    pub form: Form,
    /// The request leaves its queue.
    pub closes: bool,
    /// Its request, counted from the first one of the queue.
    pub offset: u8,
    pub urgent: bool,
    /// The first step of its operation.
    pub starts: bool,
    /// The last one.
    pub ends: bool,
    /// An operation of three requests.
    pub triple: bool,
}

impl Plan {
    pub(crate) const NOTHING: Plan = Plan {
        form: Form::Fail,
        closes: false,
        offset: 0,
        urgent: false,
        starts: false,
        ends: false,
        triple: false,
    };
}

/// What the arbiter has to know of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    pub needs_ready: bool,
    /// Moves a page, so it takes long.
    pub data: bool,
    /// Goes before others of its kind.
    pub urgent: bool,
    /// Its request is of high priority.
    pub high: bool,
    pub starts: bool,
    /// Of the phase in which an operation completes.
    pub later: bool,
}

/// What a visit found out.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Where the way stands; in `Idle` it also has the group to begin with.
    pub state: WayState,
    /// Of the request that the step is about.
    pub operation: Operation,
    /// It is of LUN 0.
    pub first_lun: bool,
    pub at_column_0: bool,
    /// The requests behind the current group may follow it in cache mode.
    pub cache: bool,
    /// The operation is given up.
    pub fail: bool,
    /// Its requests do not fit together.
    pub refuse: bool,
    /// The request is given back.
    pub returns: bool,
    /// Other LUNs of the chip may be addressed in between.
    pub apart: bool,
    pub jedec: bool,
}

/// A step, what the arbiter has to know of it, and where the way stands behind it.
#[derive(Clone, Copy, Debug)]
pub struct Planned {
    pub plan: Plan,
    pub rank: Rank,
    pub after: WayState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Fail,
    /// A request that is one step.
    Single,
    /// The next request of the current group.
    Trigger,
    /// Data of the last group go to the cache register.
    EndCache,
    /// Data of a request of the older group.
    Drain,
    /// Status of a request of the older group.
    Status,
}

/// What is derived of a visit before the step is formed.
struct Derived {
    found: Found,
    action: Action,
    older: u8,
    current: u8,
    issued: u8,
    /// Requests that are to fail.
    left: u8,
    /// The request is the last of its group.
    last: bool,
    /// The older group has one request left, and no other is behind it.
    latest: bool,
    /// The group has several planes.
    many: bool,
    three: bool,
}

/// The next step of a way.
pub fn plan(found: Found) -> Planned {
    let derived = Derived::new(found);
    let plan = derived.plan();
    Planned { plan, rank: derived.rank(plan), after: derived.after() }
}

impl Derived {
    fn new(found: Found) -> Self {
        let Found { state, operation, cache, .. } = found;
        let idle = state.phase == Phase::Idle;
        let three = operation == Operation::ProgramOneShot;
        let mut action = match state.phase {
            Phase::Idle if !is_whole(operation) => Action::Single,
            Phase::Idle | Phase::Trigger => Action::Trigger,
            Phase::Border if cache => Action::Trigger,
            Phase::Border if state.cached => Action::EndCache,
            Phase::Border | Phase::Drain => Action::Drain,
            Phase::Status => Action::Status,
            Phase::Fail => Action::Fail,
        };
        if found.fail || found.refuse || found.returns {
            action = Action::Fail;
        }
        // At the border the current group becomes the older one.
        let (older, current, issued) = match state.phase {
            Phase::Border => (state.current, if cache { state.current } else { 0 }, 0),
            _ => (state.older, state.current, state.issued),
        };
        let begun = if three { state.current } else { state.issued };
        Derived {
            found,
            action,
            older,
            current,
            issued,
            left: if idle { 1 } else { state.older + begun },
            last: issued + 1 == current,
            latest: older == 1 && current == 0,
            many: state.planes & state.planes.wrapping_sub(1) != 0 || found.apart,
            three,
        }
    }

    fn plan(&self) -> Plan {
        let Found { state, operation, first_lun, .. } = self.found;
        let bus = |operation, verdict| Form::Bus {
            operation,
            next_plane: false,
            raw: is_raw(self.found.operation),
            verdict,
        };
        let plan =
            Plan { urgent: state.urgent, starts: state.phase == Phase::Idle, ..Plan::NOTHING };
        match self.action {
            Action::Single => {
                let verdict = if is_status(operation) { Verdict::Asked } else { Verdict::None };
                Plan { form: bus(operation, verdict), closes: true, ends: true, ..plan }
            }
            Action::Trigger => {
                let form = Form::Bus {
                    operation: self.trigger_command(),
                    next_plane: operation == Operation::Program
                        && self.found.jedec
                        && self.issued != 0,
                    raw: is_raw(operation),
                    verdict: Verdict::None,
                };
                Plan { form, offset: self.older + self.issued, triple: self.three, ..plan }
            }
            Action::EndCache => Plan { form: bus(Operation::ReadCacheLast, Verdict::None), ..plan },
            Action::Drain => {
                let form = bus(self.drain_command(), Verdict::None);
                Plan { form, closes: true, ends: self.latest, ..plan }
            }
            Action::Status => {
                let enhanced = self.many || !first_lun;
                let command =
                    if enhanced { Operation::ReadStatusEnhanced } else { Operation::ReadStatus };
                let verdict = if self.current != 0 { Verdict::Before } else { Verdict::Last };
                Plan { form: bus(command, verdict), closes: true, ends: self.latest, ..plan }
            }
            Action::Fail => {
                let form = match self.found {
                    Found { returns: true, .. } => Form::Return,
                    Found { refuse: true, fail: false, .. } => Form::Refuse,
                    _ => Form::Fail,
                };
                Plan { form, closes: true, ends: self.left == 1, ..plan }
            }
        }
    }

    /// The command that sends a request of a group to the chip.
    fn trigger_command(&self) -> Operation {
        use Operation::*;
        let Found { operation, cache, jedec, .. } = self.found;
        match operation {
            Read if !self.last => ReadMultiPlane,
            Read if self.older != 0 => ReadCacheRandom,
            Read => ReadTrigger,
            Program if !self.last => ProgramMultiPlane,
            Program if cache => ProgramCache,
            Program => ProgramPage,
            ProgramOneShot if self.last => ProgramPage,
            ProgramOneShot => ProgramPart,
            Erase if self.last => EraseBlock,
            Erase if jedec => EraseMultiPlaneJedec,
            Erase => EraseMultiPlaneOnfi,
            ReadParameterPage => ParameterPageTrigger,
            ReadUniqueId => UniqueIdTrigger,
            GetFeatures => FeaturesTrigger,
            _ => FeaturesLunTrigger,
        }
    }

    /// The command that brings the data of a request. In cache mode, data begin at column 0.
    fn drain_command(&self) -> Operation {
        use Operation::*;
        let Found { operation, state, at_column_0, jedec, .. } = self.found;
        match operation {
            GetFeatures | GetFeaturesLun => FeaturesTransfer,
            _ if self.many && jedec => ChangeReadColumnJedec,
            _ if self.many => ChangeReadColumnOnfi,
            _ if state.cached && !at_column_0 => ChangeReadColumn,
            _ => ReadTransfer,
        }
    }

    fn rank(&self, plan: Plan) -> Rank {
        let idle = self.found.state.phase == Phase::Idle;
        let fails = self.action == Action::Fail;
        let moves = match plan.form {
            Form::Bus { operation, .. } => operation as u8 & 0x40 != 0,
            Form::Fail | Form::Refuse | Form::Return => false,
        };
        Rank {
            needs_ready: match self.action {
                Action::Single => !works_when_busy(self.found.operation),
                _ => !fails,
            },
            data: moves,
            // A completion alone takes neither the bus nor the way.
            urgent: self.found.state.urgent || fails,
            high: self.found.state.urgent,
            starts: idle,
            later: !idle && self.action != Action::Trigger,
        }
    }

    fn after(&self) -> WayState {
        let Found { state, .. } = self.found;
        let after =
            WayState { older: self.older, current: self.current, issued: self.issued, ..state };
        match self.action {
            Action::Trigger => self.triggered(after),
            Action::EndCache => WayState { phase: Phase::Drain, ..after },
            Action::Drain => {
                let phase = match (self.older, self.current) {
                    (1, 0) => Phase::Idle,
                    (1, _) => Phase::Border,
                    _ => Phase::Drain,
                };
                WayState { older: self.older - 1, phase, ..after }
            }
            Action::Status if self.older == 1 => WayState {
                older: self.current,
                current: if state.more { self.current } else { 0 },
                issued: 0,
                phase: match (state.more, self.current) {
                    (true, _) => Phase::Trigger,
                    (false, 0) => Phase::Idle,
                    (false, _) => Phase::Status,
                },
                ..after
            },
            Action::Status => WayState { older: self.older - 1, ..after },
            Action::Fail => WayState {
                older: self.left - 1,
                current: 0,
                issued: 0,
                phase: if self.left == 1 { Phase::Idle } else { Phase::Fail },
                ..after
            },
            Action::Single => WayState { phase: Phase::Idle, ..after },
        }
    }

    /// Behind a request that went to the chip.
    fn triggered(&self, after: WayState) -> WayState {
        use Operation::*;
        let Found { operation, cache, state, .. } = self.found;
        let mut after = WayState {
            issued: self.issued + 1,
            phase: Phase::Trigger,
            cached: state.cached || self.older != 0,
            ..after
        };
        if !self.last {
            return after;
        }
        match operation {
            Read => {
                after.phase = if self.older != 0 { Phase::Drain } else { Phase::Border };
            }
            Program | Erase | ProgramOneShot => {
                after.more = operation == Program && cache;
                after.phase = Phase::Status;
                if self.older == 0 {
                    after.older = self.current;
                    after.current = if after.more { self.current } else { 0 };
                    after.issued = 0;
                    if after.more {
                        after.phase = Phase::Trigger;
                    }
                }
            }
            _ => {
                after.phase = Phase::Drain;
                (after.older, after.current, after.issued) = (self.current, 0, 0);
            }
        }
        after
    }
}
