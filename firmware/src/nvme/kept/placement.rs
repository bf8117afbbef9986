//! Placement by the host: which events its handles tell, and what they told last.

use alloc::collections::VecDeque;
use contract::{Configuration, MOST_HANDLES};
use nvme::placement::{Event, EventKind, Events};

/// Most events of a log: what the control page holds behind its head.
const MOST_EVENTS: usize = (4096 - Events::BYTES) / Event::BYTES;

/// The placement handles of a drive whose host places its data.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct Placement {
    /// How many there are; 0 where the host does not place its data.
    pub(in crate::nvme) handles: u8,
    /// The events that each tells: a bit for each of [`EventKind::ALL`].
    told: [u8; MOST_HANDLES as usize],
    of_controller: VecDeque<Event>,
    of_host: VecDeque<Event>,
}

impl Placement {
    /// Of a drive of this configuration. No event is told until the host asks for it.
    pub fn new(config: &Configuration) -> Self {
        let handles = config.placement_handles();
        let most = if handles > 0 { MOST_EVENTS } else { 0 };
        let (of_controller, of_host) =
            (VecDeque::with_capacity(most), VecDeque::with_capacity(most));
        Placement { handles, told: [0; MOST_HANDLES as usize], of_controller, of_host }
    }

    /// Whether the host places its data.
    #[inline]
    pub fn is_offered(&self) -> bool {
        self.handles > 0
    }

    /// Features are at their defaults again.
    pub fn reset(&mut self) {
        self.told.fill(0);
    }

    /// Whether a handle tells an event.
    pub fn is_told(&self, handle: u8, kind: EventKind) -> bool {
        self.told[usize::from(handle)] & bit(kind) != 0
    }

    /// A handle is to tell an event, or not to.
    pub fn set_told(&mut self, handle: u8, kind: EventKind, is_told: bool) {
        let told = &mut self.told[usize::from(handle)];
        *told = if is_told { *told | bit(kind) } else { *told & !bit(kind) };
    }

    /// An event has come, if its handle tells it; the oldest gives way to it.
    pub fn record(&mut self, kind: EventKind, event: Event) {
        if !self.is_told(event.handle, kind) {
            return;
        }
        let log = if kind.is_of_host() { &mut self.of_host } else { &mut self.of_controller };
        if log.len() == MOST_EVENTS {
            log.pop_front();
        }
        log.push_back(event);
    }

    /// Events that the host has brought about, or the others; the oldest first.
    pub fn events(&self, of_host: bool) -> impl ExactSizeIterator<Item = &Event> {
        if of_host { &self.of_host } else { &self.of_controller }.iter()
    }
}

const fn bit(kind: EventKind) -> u8 {
    match kind {
        EventKind::NotFull => 1 << 0,
        EventKind::InvalidIdentifier => 1 << 1,
        EventKind::ImplicitChange => 1 << 2,
    }
}
