//! Ways that halt because a program or an erase failed, and ways whose chip is dead: what scheduler and FTL tell each other of them.

use super::Station;

impl Station {
    /// The first operation of a way, a program or an erase, failed. Nothing of the way is begun until
    /// [`Station::resume`]. What was handed to the hardware behind it comes back first: all that is not
    /// done stands in the way's queue, in order.
    pub fn halt(&mut self, die: u32) {
        self.halted[(die % self.geometry.channels) as usize] |= 1 << (die / self.geometry.channels);
        if !self.tells_of_halt(die) {
            self.note_halted(die);
        }
    }

    /// The FTL knows that a way halts.
    pub(super) fn note_halted(&mut self, die: u32) {
        self.to_mend[(die % self.geometry.channels) as usize] |=
            1 << (die / self.geometry.channels);
        self.has_halted = true;
    }

    /// A way that halts, if the FTL knows of one.
    #[inline]
    pub fn next_halted(&mut self) -> Option<u32> {
        let channels = self.geometry.channels;
        let first = self.to_mend.iter().zip(0..).find(|(&ways, _)| ways != 0);
        self.has_halted = first.is_some();
        first.map(|(ways, channel)| ways.trailing_zeros() * channels + channel)
    }

    /// A way that halts goes on, with whatever is first in its queue now.
    pub fn resume(&mut self, die: u32) {
        let bit = 1 << (die / self.geometry.channels);
        self.to_mend[(die % self.geometry.channels) as usize] &= !bit;
        if !self.tells_of_resumed(die) {
            self.goes_on(die);
        }
    }

    /// The scheduler knows that a way goes on.
    pub(super) fn goes_on(&mut self, die: u32) {
        let bit = 1 << (die / self.geometry.channels);
        self.halted[(die % self.geometry.channels) as usize] &= !bit;
        self.mark(die);
    }

    /// Ways of a channel that halt.
    #[inline]
    pub fn halted(&self, channel: u32) -> u64 {
        self.halted[channel as usize]
    }

    /// Whether a way halts.
    pub fn is_halted(&self, die: u32) -> bool {
        let way = die / self.geometry.channels;
        self.halted(die % self.geometry.channels) >> way & 1 == 1
    }

    /// No reset brings back the chip of a way.
    pub fn lose_chip(&mut self, die: u32) {
        if !core::mem::replace(&mut self.dead[die as usize], true) {
            self.new_dead.push(die);
        }
    }

    /// Whether no reset brings back the chip of a way.
    pub fn is_dead(&self, die: u32) -> bool {
        self.dead[die as usize]
    }

    /// A way whose chip is dead, that was not asked for before.
    #[inline]
    pub fn next_dead(&mut self) -> Option<u32> {
        self.new_dead.pop()
    }
}
