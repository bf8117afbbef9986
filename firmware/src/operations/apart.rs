//! The station between cores: what the FTL lets begin on another core waits until that knows, and what ends there until
//! the FTL does.

use alloc::vec::Vec;
use contract::{Cores, Hardware, Message};

use super::{Action, Flash, OpId, Page, Station};

/// What other cores than the FTL's do.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct OtherCores {
    cores: Cores,
    /// Channels that are scheduled by another core than the FTL's, a bit each.
    channels: u64,
    /// Operations that may begin, which their cores have to be told.
    untold: Vec<OpId>,
    /// Ways that halt or go on, of which the other side has to be told.
    untold_ways: Vec<Message>,
}

impl OtherCores {
    /// One core does all.
    pub const NONE: OtherCores =
        OtherCores { cores: Cores::ONE, channels: 0, untold: Vec::new(), untold_ways: Vec::new() };
}

impl Station {
    /// Divides the work between cores. Nothing is under way yet.
    pub(crate) fn divide(&mut self, cores: Cores) {
        let all = u64::MAX >> (64 - self.geometry.channels);
        let channels = all & !cores.channels_of(cores.ftl, self.geometry);
        let untold = Vec::with_capacity(self.pool.slots() as usize);
        let untold_ways = Vec::with_capacity(2 * self.dies() as usize);
        self.apart = OtherCores { cores, channels, untold, untold_ways };
    }

    /// Whether another core than the FTL's schedules the channel of a way.
    fn is_apart(&self, die: u32) -> bool {
        self.apart.channels >> (die % self.geometry.channels) & 1 != 0
    }

    /// A way halts. Whether the FTL is to be told by a message.
    pub(super) fn tells_of_halt(&mut self, die: u32) -> bool {
        let apart = self.is_apart(die);
        if apart {
            self.apart.untold_ways.push(Message::Halted(die));
        }
        apart
    }

    /// A way goes on. Whether its scheduler is to be told by a message.
    pub(super) fn tells_of_resumed(&mut self, die: u32) -> bool {
        let apart = self.is_apart(die);
        if apart {
            self.apart.untold_ways.push(Message::Resumed(die));
        }
        apart
    }

    /// A released operation may begin on its way, as soon as the core of its channel knows.
    #[inline]
    pub(super) fn may_begin(&mut self, id: OpId, die: u32) {
        if !self.is_apart(die) {
            return self.mark(die);
        }
        self.pool.hold_for_news(id);
        self.apart.untold.push(id);
    }

    /// A released operation goes to the DMA engine, as soon as the core of the host side knows.
    #[inline]
    pub(super) fn may_move(&mut self, id: OpId) {
        let Cores { host, ftl, .. } = self.apart.cores;
        if host == ftl {
            self.pool.push(&mut self.dma, id);
        } else {
            self.apart.untold.push(id);
        }
    }

    /// Whether there is something to tell other cores.
    #[inline]
    pub(crate) fn has_untold(&self) -> bool {
        !self.apart.untold.is_empty() || !self.apart.untold_ways.is_empty()
    }

    /// The FTL's core tells others what may begin, while it goes on to plan.
    pub(crate) fn tell_on_the_way(&mut self, hw: &mut impl Hardware) {
        self.tell(self.apart.cores.ftl, hw);
    }

    /// The core whose turn it is tells others what may begin.
    pub(crate) fn tell(&mut self, core: u8, hw: &mut impl Hardware) {
        let mut untold = core::mem::take(&mut self.apart.untold);
        for id in untold.drain(..) {
            let Cores { host, channels, .. } = self.apart.cores;
            match self.pool[id].action {
                Action::Flash(Flash { page: Page { die, .. }, .. }) => {
                    let to = channels[(die % self.geometry.channels) as usize];
                    hw.send(to, Message::Begin(id.into()));
                }
                // The host side plans transfers of the control page itself.
                _ if core == host => self.take_move(id),
                _ => hw.send(host, Message::Move(id.into())),
            }
        }
        self.apart.untold = untold;
        let mut ways = core::mem::take(&mut self.apart.untold_ways);
        for message in ways.drain(..) {
            let Cores { ftl, channels, .. } = self.apart.cores;
            let to = match message {
                Message::Resumed(die) => channels[(die % self.geometry.channels) as usize],
                _ => ftl,
            };
            hw.send(to, message);
        }
        self.apart.untold_ways = ways;
    }

    /// A core is told that a way halts, or goes on.
    pub(crate) fn take_way(&mut self, message: Message) {
        match message {
            Message::Halted(die) => self.note_halted(die),
            Message::Resumed(die) => self.goes_on(die),
            _ => unreachable!("{message:?} is not of a way"),
        }
    }

    /// The core of a channel is told that an operation may begin.
    pub(crate) fn take_begin(&mut self, id: OpId) {
        if !self.pool.take_news(id) {
            return;
        }
        if let Some(&Flash { page: Page { die, .. }, .. }) = self.pool[id].on_flash() {
            self.mark(die);
        }
    }

    /// The core of the host side is told that a DMA may begin.
    pub(crate) fn take_move(&mut self, id: OpId) {
        self.pool.push(&mut self.dma, id);
    }

    /// The next operation that has ended, of which the FTL is to be told.
    pub(crate) fn next_to_tell_of(&mut self) -> Option<OpId> {
        self.pool.pop(&mut self.ended)
    }

    /// The FTL is told that an operation has ended.
    pub(crate) fn take_ended(&mut self, id: OpId) {
        self.pool.push(&mut self.ended, id);
    }
}
