//! What the firmware and a body share, and nothing else.
//!
//! The firmware is written against [`Hardware`], and [`PhaseChannels`] or [`OperationChannels`]; a body (the event-driven simulator, the Verilated
//! controller, an FPGA) implements it. A body runs whatever is [`Firmware`]. Everything that crosses is plain data defined here: units,
//! addresses, the host command queue, DMA requests, flash requests and their responses. [`packet`] is
//! what a channel in hardware sees of them.
#![no_std]

#[cfg(feature = "state")]
extern crate alloc;

mod address;
mod automation;
pub mod bits;
mod cause;
mod channels;
mod configuration;
mod cores;
mod firmware;
mod flash;
mod hardware;
mod host;
mod metadata;
mod operation;
pub mod packet;
mod policies;
mod reserve;
#[cfg(feature = "state")]
pub mod state;
mod units;
mod work;

pub use address::{BufferId, Geometry, Location, Lpn, Span};
pub use automation::{AutomatedNamespace, AutomatedTraffic, Automation, Medium};
pub use cause::{Cause, Part, Split};
pub use channels::{Grain, HandOver, OperationChannels, OperationGrain, PhaseChannels, WayOrder};
pub use configuration::{
    BadBlocks, CachePolicy, CommandSet, Configuration, DoorbellBuffers, FlashTimes, Programming,
    Recovery, Refresh, Zoning, MOST_HANDLES, MOST_NAMESPACES,
};
pub use cores::{Cores, Message, MOST_CORES};
pub use firmware::{Firmware, Start};
pub use flash::{ChannelStatus, FlashOperation, FlashOutcome, FlashRequest};
pub use hardware::{Coalescing, Hardware, Pass};
pub use host::{
    AddressesOf, CommandTag, Completer, Completion, CompletionQueue, DmaDirection, DmaMemory,
    DmaProgress, DmaRequest, HostCommand, HostEvent, InterruptCoalescing, ListOf, QueueWeights,
    SubmissionQueue,
};
pub use metadata::{crc32, Lpns, Metadata, PageKind, UnitState};
pub use operation::{Needs, OperationId, OperationStep};
pub use policies::{
    Chosen, PlacementPolicy, Policies, PolicyKey, PriorityPolicy, ReplacementPolicy, Settings,
    StreamPolicy, VictimPolicy, WearPolicy, MOST_SETTINGS,
};
pub use reserve::{picojoules, Reserve, SavingCosts, SAVED_JOURNAL_PAGES};
pub use units::{Duration, Instant};
pub use work::{Module, Work};
