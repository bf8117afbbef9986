//! Commands under way, by tag.

use alloc::vec;
use alloc::vec::Vec;
use contract::{CommandTag, Completer};
use nvme::admin::GetLogPage;
use nvme::status::Fault;
use nvme::zones::{Report, SetInquiry};

use super::backend::IoKind;
use super::identify::Inquiry;

/// What a command is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) enum Job {
    /// The slot is free.
    Free,
    /// Being decoded.
    Decode,
    /// In the storage layers; who completes it if nothing fails.
    Storage(IoKind, Completer),
    /// Zone Append in the storage layers.
    Append,
    /// Zone Management Send, likewise.
    Zone,
    /// Dataset Management: ranges in the list, and the next one to submit.
    Dataset { ranges: u16, next: u16 },
    /// A data structure on its way to the host.
    Page(Page),
    /// I/O Management Send: placement identifiers in the list, whose data are to go to other reclaim units.
    Renew { count: u16 },
    /// Set Features: events in the list that a placement handle tells, or does not.
    TellEvents { handle: u8, count: u8, enabled: bool },
    /// Asynchronous Event Request, without an event so far.
    Event,
    /// Delete I/O Submission Queue, until the queue's commands are done.
    DeleteQueue,
    /// Format NVM.
    Format,
}

/// A data structure that an admin command returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) enum Page {
    /// A structure that Identify names by its CNS.
    Identify(Inquiry),
    /// Of Get Log Page.
    Log(GetLogPage),
    /// What Identify tells of command sets.
    OfSet(SetInquiry, u32),
    /// A report of zones.
    Zones(Report),
    /// What an open-channel drive tells of its sizes and times.
    Geometry,
    /// The status of placement handles, of which so many bytes are wanted.
    Handles { bytes: u32 },
    /// The events that a placement handle can tell.
    ToldEvents(ToldEvents),
}

/// Which events of a placement handle the host asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct ToldEvents {
    pub handle: u8,
    /// How many at most.
    pub most: u8,
    /// Whether they were told at first, in place of now.
    pub is_default: bool,
}

/// A command that was fetched and not yet completed.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Command {
    /// Submission queue it came from.
    pub queue: u16,
    /// Command identifier.
    pub cid: u16,
    /// Namespace.
    pub nsid: u32,
    /// First logical block, for I/O.
    pub start: u64,
    /// Logical blocks, for I/O.
    pub blocks: u32,
    /// What it is doing.
    pub job: Job,
}

/// The command table. The host interface hands out the tags.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Commands {
    slots: Vec<Command>,
}

impl Commands {
    /// A table for `slots` tags.
    pub fn new(slots: u32) -> Self {
        let free = Command { queue: 0, cid: 0, nsid: 0, start: 0, blocks: 0, job: Job::Free };
        Commands { slots: vec![free; slots as usize] }
    }

    /// Takes a command in.
    #[inline]
    pub fn enter(&mut self, tag: CommandTag, command: Command) {
        let slot = &mut self.slots[usize::from(tag.0)];
        assert!(slot.job == Job::Free, "the host interface used a tag twice");
        *slot = command;
    }

    /// The command with an identifier that came from a submission queue.
    pub fn find(&self, queue: u16, cid: u16) -> Option<CommandTag> {
        let is_it = |command: &Command| {
            command.job != Job::Free && (command.queue, command.cid) == (queue, cid)
        };
        self.slots.iter().position(is_it).map(|slot| CommandTag(slot as u16))
    }

    /// The command of a tag.
    pub fn get(&self, tag: CommandTag) -> &Command {
        &self.slots[usize::from(tag.0)]
    }

    /// The command of a tag.
    pub fn get_mut(&mut self, tag: CommandTag) -> &mut Command {
        &mut self.slots[usize::from(tag.0)]
    }

    /// Frees a tag.
    #[inline]
    pub fn leave(&mut self, tag: CommandTag) -> Command {
        let slot = self.get_mut(tag);
        let command = *slot;
        assert!(command.job != Job::Free, "a command completed twice");
        slot.job = Job::Free;
        command
    }
}

/// What becomes of a command once it is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// It is done, with this dword 0.
    Now(u32),
    /// It completes later.
    Later,
}

/// [`Reply`], or why the command is refused.
pub(super) type Answer = Result<Reply, Fault>;
