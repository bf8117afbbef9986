//! The step that was chosen, on its way to the bus and back, as `rtl/flash/step_former.sv`.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::plan::Plan;
use crate::queues::Queued;

/// Where it is, and since or until which cycle.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub enum Former {
    /// There is none.
    Empty,
    /// The bus may take it from this cycle on.
    Offer(Chosen, u64),
    /// The bus has it until this cycle, in which the next one may be chosen.
    Bus(Chosen, Ending, u64),
    /// The bus asks a unit for its status until this cycle.
    Poll(u8, u64),
    /// The bus takes the way of a step out of its status until this cycle.
    Mode(Chosen, u64),
    /// It does not need the bus, only its request completes, from this cycle on.
    Close(Chosen, u64),
}

/// A step that was chosen.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct Chosen {
    pub way: u8,
    pub plan: Plan,
    pub entry: Queued,
}

/// How a step ended on the bus.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Ending {
    /// Status byte, or four bytes of a feature.
    pub value: u32,
    pub timed_out: bool,
    /// The next step waits for a cycle, in which its way may halt.
    pub halts: bool,
}

impl Former {
    /// The cycle in which something happens next.
    pub fn at(&self) -> u64 {
        match self {
            Former::Empty => u64::MAX,
            Former::Offer(_, at)
            | Former::Bus(_, _, at)
            | Former::Close(_, at)
            | Former::Mode(_, at)
            | Former::Poll(_, at) => *at,
        }
    }

    /// Whether a step may be chosen in a cycle.
    pub fn accepts(&self, now: u64) -> bool {
        match self {
            Former::Empty => true,
            Former::Bus(_, ending, over) => *over == now && !ending.timed_out && !ending.halts,
            _ => false,
        }
    }

    /// Whether a refusal may complete: no step does then.
    pub fn lets_refusals_pass(&self, now: u64) -> bool {
        match self {
            Former::Empty | Former::Poll(..) => true,
            Former::Offer(_, at) | Former::Close(_, at) => *at == now + 1,
            Former::Bus(..) | Former::Mode(..) => false,
        }
    }

    /// The cycle in which a step may be chosen at the earliest, if that is known.
    pub fn free_at(&self, now: u64) -> Option<u64> {
        match self {
            Former::Empty => Some(now),
            Former::Bus(_, ending, over) => {
                Some(over + u64::from(ending.timed_out || ending.halts))
            }
            Former::Poll(_, over) => Some(over + 1),
            _ => None,
        }
    }
}
