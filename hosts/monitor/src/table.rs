//! The statistics table: what every part of the drive has counted so far.

use contract::Cause;
use serde::{Deserialize, Serialize};

/// The table as it was read at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The drive's time.
    pub now_ps: u64,
    /// Counters since power-on, and levels at this moment.
    pub counts: Counts,
}

/// Counters and levels. Counters only grow; a level is what there is at one moment. In a [`Table`]
/// counters run from power-on, in an [`Interval`](crate::Interval) from its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Reads that the host saw completed.
    pub read: Moved,
    /// Writes that the host saw completed.
    pub write: Moved,
    /// Deallocations that the host saw completed.
    pub trim: Moved,
    /// All requests that the host saw completed, flushes and failed ones included.
    pub requests: u64,
    /// Level: commands that are not complete.
    pub outstanding: Outstanding,
    /// Channels, in order.
    pub channels: Vec<ChannelUse>,
    /// Processor time by firmware module, without idle polls.
    pub modules_ps: Vec<u64>,
    /// Processor time of idle polls: turns of the main loop that found nothing.
    pub idle_ps: u64,
    /// The data buffer.
    pub buffer: Buffer,
    /// The flash below the firmware.
    pub flash: Flash,
    /// MSI-X messages sent.
    pub interrupts: u64,
}

/// Requests of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Number of requests that the host saw completed.
    pub requests: u64,
    /// Bytes that these requests moved.
    pub bytes: u64,
    /// Sum of their completion latencies.
    pub latency_ps: u64,
    /// Of that sum, the host interface's part.
    pub host_interface_ps: u64,
    /// Of that sum, the firmware's part.
    pub firmware_ps: u64,
    /// Of that sum, the part of channels and chips.
    pub storage_ps: u64,
    /// The same sum by cause, in the order of [`contract::Cause::ALL`].
    pub causes_ps: [u64; Cause::COUNT],
}

/// Commands that are not complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outstanding {
    /// Handed to a submission queue, and their completion not taken yet.
    pub host: u64,
    /// Of those, fetched by the drive, and their completion not posted yet.
    pub drive: u64,
}

/// One channel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelUse {
    /// Time its bus was in use.
    pub busy_ps: u64,
    /// Bytes of user data in the pages that were transferred from chips.
    pub read_bytes: u64,
    /// Bytes of user data in the pages that were transferred to chips.
    pub programmed_bytes: u64,
    /// Time that each way's chip was busy.
    pub ways_busy_ps: Vec<u64>,
}

/// The data buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// Level: entries that are newer than flash.
    pub dirty: u64,
    /// Slices that found their page in it.
    pub hits: u64,
    /// Slices that did not.
    pub misses: u64,
}

/// What the firmware did to flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flash {
    /// Pages read, for the host and for collection.
    pub reads: u64,
    /// Pages programmed for host data.
    pub programs: u64,
    /// Pages programmed by collection.
    pub moves: u64,
    /// Blocks that collection emptied.
    pub collections: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Reads repeated.
    pub retries: u64,
    /// Bits that ECC corrected.
    pub corrected_bits: u64,
    /// Pages that stayed uncorrectable.
    pub uncorrectable: u64,
    /// Blocks gone bad.
    pub bad_blocks: u64,
}

/// What becomes of two values of a counter.
type Merge = fn(u64, u64) -> u64;

impl Counts {
    /// What was counted since `earlier`; levels are those of `self`.
    pub(crate) fn since(&self, earlier: &Counts) -> Counts {
        // What is spread over time as it is read can lose a picosecond; no counter may wrap.
        self.merged(earlier, u64::saturating_sub)
    }

    /// What was counted in both; levels are those of `self`, the later.
    pub(crate) fn plus(&self, earlier: &Counts) -> Counts {
        self.merged(earlier, u64::saturating_add)
    }

    fn merged(&self, other: &Counts, merge: Merge) -> Counts {
        let each = |a: &[u64], b: &[u64]| -> Vec<u64> {
            a.iter().enumerate().map(|(i, &a)| merge(a, b.get(i).copied().unwrap_or(0))).collect()
        };
        let none = ChannelUse::default();
        let channels = self.channels.iter().enumerate().map(|(nth, a)| {
            let b = other.channels.get(nth).unwrap_or(&none);
            ChannelUse {
                busy_ps: merge(a.busy_ps, b.busy_ps),
                read_bytes: merge(a.read_bytes, b.read_bytes),
                programmed_bytes: merge(a.programmed_bytes, b.programmed_bytes),
                ways_busy_ps: each(&a.ways_busy_ps, &b.ways_busy_ps),
            }
        });
        Counts {
            read: self.read.merged(&other.read, merge),
            write: self.write.merged(&other.write, merge),
            trim: self.trim.merged(&other.trim, merge),
            requests: merge(self.requests, other.requests),
            outstanding: self.outstanding,
            channels: channels.collect(),
            modules_ps: each(&self.modules_ps, &other.modules_ps),
            idle_ps: merge(self.idle_ps, other.idle_ps),
            buffer: Buffer {
                dirty: self.buffer.dirty,
                hits: merge(self.buffer.hits, other.buffer.hits),
                misses: merge(self.buffer.misses, other.buffer.misses),
            },
            flash: self.flash.merged(&other.flash, merge),
            interrupts: merge(self.interrupts, other.interrupts),
        }
    }
}

impl Moved {
    fn merged(&self, other: &Moved, merge: Merge) -> Moved {
        Moved {
            requests: merge(self.requests, other.requests),
            bytes: merge(self.bytes, other.bytes),
            latency_ps: merge(self.latency_ps, other.latency_ps),
            host_interface_ps: merge(self.host_interface_ps, other.host_interface_ps),
            firmware_ps: merge(self.firmware_ps, other.firmware_ps),
            storage_ps: merge(self.storage_ps, other.storage_ps),
            causes_ps: std::array::from_fn(|nth| merge(self.causes_ps[nth], other.causes_ps[nth])),
        }
    }
}

impl Flash {
    fn merged(&self, other: &Flash, merge: Merge) -> Flash {
        Flash {
            reads: merge(self.reads, other.reads),
            programs: merge(self.programs, other.programs),
            moves: merge(self.moves, other.moves),
            collections: merge(self.collections, other.collections),
            erases: merge(self.erases, other.erases),
            retries: merge(self.retries, other.retries),
            corrected_bits: merge(self.corrected_bits, other.corrected_bits),
            uncorrectable: merge(self.uncorrectable, other.uncorrectable),
            bad_blocks: merge(self.bad_blocks, other.bad_blocks),
        }
    }
}
