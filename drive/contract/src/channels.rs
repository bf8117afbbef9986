//! The flash channels of a body, at one of two grains.
//!
//! Where the firmware schedules, it gives each channel phases ([`PhaseChannels`]). Where the channels
//! schedule by themselves, it hands whole operations over and is told how each has ended
//! ([`OperationChannels`]). A body has one of them; [`crate::Configuration::grain`] says which.

use crate::packet::{PhaseFormat, Request, Response};
use crate::{ChannelStatus, CommandTag, FlashOutcome, FlashRequest, Hardware};

/// Who schedules what happens on the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Grain {
    /// The firmware: channels take phases.
    Phases,
    /// The channels: they take whole operations.
    Operations(OperationGrain),
}

/// What firmware has to know of channels that schedule by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct OperationGrain {
    /// Operations of a way that a channel takes before the first of them has ended, 1 to 64.
    pub way_requests: u32,
    /// The form of their requests.
    pub format: PhaseFormat,
}

/// Channels that take phases: the firmware schedules.
pub trait PhaseChannels: Hardware {
    /// Reads the status of the channels in the set, lowest first, until one is worth a look: a way
    /// turned ready or responded since the last read, or it has room and is in `eager`.
    /// Returns this channel; it and the channels before it leave the set. For each channel read, this names
    /// [`crate::Work::PollChannel`] and takes a register access.
    fn poll_channels(&mut self, channels: &mut u64, eager: u64) -> Option<(u8, ChannelStatus)>;
    /// Hands a request to a channel whose status said that it has room, for a way that is
    /// ready. Several register accesses.
    fn issue_flash(&mut self, request: FlashRequest);
    /// Takes a way's response, which the status said is there. A register access.
    fn take_response(&mut self, channel: u8, way: u8) -> FlashOutcome;
}

/// Channels that take whole operations and schedule them by themselves.
///
/// Channels keep operations that depend on each other in order: operations of one priority begin, on each way, in the
/// order in which they were handed over, and an urgent operation stays behind operations of low priority that it
/// depends on. When a program or an erase has failed, its way halts.
pub trait OperationChannels: Hardware {
    /// Takes the next response of the channels in the set, the lowest channel first; one that has none
    /// leaves the set. For each channel looked at, this names [`crate::Work::PollChannel`] and takes a
    /// register access; a response takes as many more as it has words.
    fn next_response(&mut self, channels: &mut u64) -> Option<(u8, Response)>;
    /// Hands an operation to its channel, which has fewer than [`OperationGrain::way_requests`] of its
    /// way. A register access, and one for each word of the request.
    fn hand_over(&mut self, operation: HandOver);
    /// Tells a way something. A register access.
    fn order_way(&mut self, channel: u8, way: u8, order: WayOrder);
}

/// A whole operation on its way to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandOver {
    /// Number of the channel, from 0.
    pub channel: u8,
    /// What it is asked for.
    pub request: Request,
    /// Command on whose behalf it is, if any, for who observes a body; controllers ignore it.
    pub command: Option<CommandTag>,
}

/// What a way of a channel is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum WayOrder {
    /// Begin no operation. What is under way goes on.
    Halt,
    /// Go on.
    Resume,
    /// While it halts: give back what has not begun, and what comes, until it resumes.
    GiveBack,
    /// Halt, and give the operation up that is under way: its requests time out.
    Abort,
}
