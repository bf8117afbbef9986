//! What the hardware has done by a moment, for reports and for the operation monitor.
//!
//! An operation is booked when it starts, up to its end. Reports count it as a whole. For the monitor only what lies
//! before the moment counts, so that the differences between two moments are what happened between them.

use crate::LatencySteps;
use contract::Module;
use serde::{Deserialize, Serialize};

/// Counters since power-on, and levels at this moment. Times are picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The processor's time; of several cores, that of the one that serves the host.
    pub now_ps: u64,
    /// Channels, in order.
    pub channels: Vec<ChannelUsage>,
    /// Time spent by each module of the firmware but for idle polls, in the order of [`Module::ALL`], on all cores.
    pub module_ps: [u64; Module::ALL.len()],
    /// Their time in idle polls.
    pub idle_module_ps: [u64; Module::ALL.len()],
    /// Time of idle polls, turns of the main loop that found nothing, of all cores.
    pub idle_ps: u64,
    /// The same of each core, by number, where there are several.
    pub cores: Vec<CoreTime>,
    /// Time DRAM was in use.
    pub dram_ps: u64,
    /// MSI-X messages sent.
    pub interrupts: u64,
    /// Commands in the drive: fetched, and their completion not posted.
    pub commands: u32,
    /// When CSTS.RDY was set first.
    pub ready_ps: Option<u64>,
    /// What operations of commands waited for on their buffer entries, while somebody asked where the time goes.
    pub entry_waits: EntryWaits,
    /// How long operations of commands took, by channel, likewise; empty where nothing is known of it.
    pub channel_waits: Vec<ChannelWaits>,
    /// How these times are spread, by channel, likewise.
    pub channel_latencies: Vec<LatencySteps>,
}

/// How long operations of commands took on a channel, from when nothing on their buffer entry came before them. Times are
/// picoseconds, summed over all that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelWaits {
    /// Operations that have ended.
    pub operations: u64,
    /// Time in which others came before them on their die.
    pub queued_ps: u64,
    /// The rest: bus, die, error correction, and the processor's work between them.
    pub served_ps: u64,
}

impl ChannelWaits {
    /// Adds those of other operations.
    pub fn add(&mut self, other: &ChannelWaits) {
        self.operations += other.operations;
        self.queued_ps += other.queued_ps;
        self.served_ps += other.served_ps;
    }

    /// Those of operations that ended since an earlier moment.
    pub fn since(&self, earlier: &ChannelWaits) -> ChannelWaits {
        ChannelWaits {
            operations: self.operations - earlier.operations,
            queued_ps: self.queued_ps - earlier.queued_ps,
            served_ps: self.served_ps - earlier.served_ps,
        }
    }
}

/// What an operation was doing while operations of other commands waited for it on their buffer entry. Times are
/// picoseconds, summed over all operations that waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryWaits {
    /// It was at work on its die: a page was read or programmed.
    pub flash_ps: u64,
    /// It waited for its die behind the drive's own work: pages that collection moves, or data that are written back.
    pub internal_ps: u64,
    /// It waited for its die while that erased. Channels that schedule by themselves count this as the drive's own work.
    pub erase_ps: u64,
    /// It waited for its die behind operations of other commands.
    pub die_ps: u64,
    /// Its data crossed the link to the host, or waited for that.
    pub host_ps: u64,
    /// It was the processor's work.
    pub firmware_ps: u64,
}

impl EntryWaits {
    /// Adds those of another wait.
    #[inline]
    pub fn add(&mut self, other: &EntryWaits) {
        self.flash_ps += other.flash_ps;
        self.internal_ps += other.internal_ps;
        self.erase_ps += other.erase_ps;
        self.die_ps += other.die_ps;
        self.host_ps += other.host_ps;
        self.firmware_ps += other.firmware_ps;
    }

    /// What was waited for since an earlier moment.
    pub fn since(&self, earlier: &EntryWaits) -> EntryWaits {
        EntryWaits {
            flash_ps: self.flash_ps - earlier.flash_ps,
            internal_ps: self.internal_ps - earlier.internal_ps,
            erase_ps: self.erase_ps - earlier.erase_ps,
            die_ps: self.die_ps - earlier.die_ps,
            host_ps: self.host_ps - earlier.host_ps,
            firmware_ps: self.firmware_ps - earlier.firmware_ps,
        }
    }

    /// All of them, in the order in which they stand here.
    pub fn times_ps(&self) -> [u64; 6] {
        let Self { flash_ps, internal_ps, erase_ps, die_ps, host_ps, firmware_ps } = *self;
        [flash_ps, internal_ps, erase_ps, die_ps, host_ps, firmware_ps]
    }

    /// Whether nothing waited.
    pub fn is_nothing(&self) -> bool {
        self.times_ps() == [0; 6]
    }
}

/// What one channel has done. Times are picoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelUsage {
    /// Time that its bus was in use until this moment.
    pub bus_ps: u64,
    /// Time that each way's chip was busy until this moment.
    pub ways_ps: Vec<u64>,
    /// Time that its bus is in use, to the end of what has begun; where there is no flash, that of a channel of memory.
    pub booked_bus_ps: u64,
    /// Time that each way's chip is busy, to the end of what has begun; none where there is no flash.
    pub booked_ways_ps: Vec<u64>,
    /// Pages transferred from chips.
    pub pages_read: u64,
    /// Pages transferred to chips.
    pub pages_programmed: u64,
}

/// Where the time of a core went, in picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreTime {
    /// Time spent by each module of the firmware but for idle polls, in the order of [`Module::ALL`].
    pub module_ps: [u64; Module::ALL.len()],
    /// Their time in idle polls.
    pub idle_module_ps: [u64; Module::ALL.len()],
    /// Time of idle polls.
    pub idle_ps: u64,
}

impl Usage {
    /// Time that each channel's bus is in use, to the end of what has begun.
    pub fn booked_buses_ps(&self) -> Vec<u64> {
        self.channels.iter().map(|channel| channel.booked_bus_ps).collect()
    }

    /// Time spent by each module but for idle polls; of several cores, their mean.
    pub fn mean_module_ps(&self) -> [u64; Module::ALL.len()] {
        self.module_ps.map(|sum| sum / self.core_count())
    }

    /// Time of idle polls; of several cores, their mean.
    pub fn mean_idle_ps(&self) -> u64 {
        self.idle_ps / self.core_count()
    }

    fn core_count(&self) -> u64 {
        self.cores.len().max(1) as u64
    }
}

impl CoreTime {
    /// That of all cores, if there is one.
    pub fn sum(cores: &[CoreTime]) -> Option<CoreTime> {
        let add = |a: [u64; Module::ALL.len()], b: [u64; Module::ALL.len()]| {
            std::array::from_fn(|nth| a[nth] + b[nth])
        };
        cores.iter().cloned().reduce(|sum, core| CoreTime {
            module_ps: add(sum.module_ps, core.module_ps),
            idle_module_ps: add(sum.idle_module_ps, core.idle_module_ps),
            idle_ps: sum.idle_ps + core.idle_ps,
        })
    }
}
