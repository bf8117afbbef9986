//! Which ways halt: begin no operation, until they are told to go on, as `rtl/flash/way_halts.sv`.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::WayOrder;

/// All ways, a bit each.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Halts {
    pub halted: u64,
    pub giving: u64,
    /// What changed with the cycle that goes on, and which operations are given up with it.
    pub changed: u64,
    pub aborted: u64,
    /// What ways are told in the cycle that goes on.
    halt: u64,
    resume: u64,
    give_back: u64,
    abort: u64,
}

impl Halts {
    /// A way is told something, or something of it has failed, in the cycle that goes on.
    pub fn tell(&mut self, way: u8, order: WayOrder) {
        let told = match order {
            WayOrder::Halt => &mut self.halt,
            WayOrder::Resume => &mut self.resume,
            WayOrder::GiveBack => &mut self.give_back,
            WayOrder::Abort => &mut self.abort,
        };
        *told |= 1 << way;
    }

    /// The end of a cycle. Whether something changes with the next one.
    pub fn advance(&mut self) -> bool {
        let halted = self.halted & !self.resume | self.halt | self.abort;
        let giving = (self.giving & !self.resume | self.give_back) & halted;
        let changed = (halted ^ self.halted) | (giving ^ self.giving);
        let aborted = self.abort;
        *self = Halts { halted, giving, changed, aborted, ..Halts::default() };
        changed | aborted != 0
    }
}
