//! What the drive did during a run, and what simulating it cost.

use crate::latency::Latency;
use crate::moments::Moments;
use crate::quantity::total;
use machine::{EntryWaits, LatencySteps};
use serde::{Deserialize, Serialize};

/// Who has counted what a drive did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counted {
    /// The firmware and the hardware.
    #[default]
    ByFirmware,
    /// The hardware alone, as the firmware tells nothing: pages read and programmed are known, and what the firmware
    /// made of them is not.
    ByHardware,
}

impl Counted {
    /// Whether it is as mostly.
    fn is_by_firmware(&self) -> bool {
        *self == Counted::ByFirmware
    }
}

/// Counters of the drive over the measured time. Shares are 0 to 1 of that time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveResult {
    /// Who has counted. By hardware alone only what the host moved, times, pages read and programmed and interrupts
    /// are known; the other counters are 0.
    #[serde(default, skip_serializing_if = "Counted::is_by_firmware")]
    pub counted: Counted,
    /// Share of time each channel's bus was busy.
    pub channel_busy: Vec<f64>,
    /// Share of time each chip was busy, by channel, then way.
    pub way_busy: Vec<Vec<f64>>,
    /// Share of time the processor worked: all but idle polls. Of several cores, the mean.
    pub processor_busy: f64,
    /// Processor time of idle polls: turns of the main loop that found nothing.
    pub idle_polling_ps: u64,
    /// Processor time by firmware module, in the order of the firmware.
    pub modules: Vec<ModuleTime>,
    /// The same of each core of the processor, where it has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<CoreResult>,
    /// Bytes of the reads that the host saw completed.
    pub host_bytes_read: u64,
    /// Bytes the host wrote.
    pub host_bytes_written: u64,
    /// Flash pages read, for the host and for garbage collection.
    pub pages_read: u64,
    /// Flash pages programmed, for the host, for garbage collection and for the log.
    pub pages_programmed: u64,
    /// Flash pages programmed for the log, in which the drive finds its map after a power loss.
    pub log_pages: u64,
    /// Bytes in the data areas of the programmed pages.
    pub bytes_programmed: u64,
    /// Bytes of user data that waited in the buffer to be programmed, before the run and after it.
    pub dirty_bytes: [u64; 2],
    /// Blocks that garbage collection has freed.
    pub garbage_collections: u64,
    /// Pages that garbage collection has moved.
    pub gc_pages_moved: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Erases of the blocks that take data, over the life of the drive, at the end.
    pub block_erases: EraseCounts,
    /// Reads repeated because ECC failed.
    pub read_retries: u64,
    /// Bits that ECC corrected.
    pub corrected_bits: u64,
    /// Reads that ECC could not correct.
    pub uncorrectable_reads: u64,
    /// Chips reset that did not turn ready in time.
    pub chip_resets: u64,
    /// Superblocks collected because their bits went wrong.
    pub refreshes: u64,
    /// Pages read to see whether their bits go wrong.
    pub patrol_reads: u64,
    /// Bad blocks at the end of the run.
    pub bad_blocks: u64,
    /// Slices that found their data in the buffer.
    pub buffer_hits: u64,
    /// Slices that did not.
    pub buffer_misses: u64,
    /// MSI-X interrupts raised.
    pub interrupts: u64,
    /// From power-on until CSTS.RDY was set.
    pub ready_ps: u64,
    /// Blocks in which the drive looked for the factory's bad block mark before that.
    pub marks_read: u64,
    /// Pages that it read to find its map before that.
    pub recovery_reads: u64,
    /// Use of the map, where not all of it is in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapUse>,
    /// What operations of commands waited for on their buffer entries; nothing where nobody asked, or none waited.
    #[serde(default, skip_serializing_if = "EntryWaits::is_nothing")]
    pub entry_waits: EntryWaits,
    /// What operations of commands did on each channel; nothing where nobody asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<ChannelResult>,
    /// What came of the data of each placement handle, and last of what collection had moved before; nothing where the host does not
    /// place its data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handles: Vec<HandleResult>,
}

/// What came of the new data of a placement handle, or of what collection has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandleResult {
    /// The handle; none of what collection had moved before.
    pub handle: Option<u8>,
    /// Bytes of new data that were placed in flash.
    pub bytes_written: u64,
    /// Bytes that collection moved out of its superblocks.
    pub bytes_moved: u64,
    /// Blocks of its superblocks that collection emptied.
    pub blocks_collected: u64,
}

impl HandleResult {
    /// What reports call it.
    pub fn name(&self) -> String {
        self.handle.map_or("moved before".to_owned(), |handle| format!("handle {handle}"))
    }

    /// Bytes moved out of its superblocks for each that was written there; none where nothing was.
    pub fn moved_share(&self) -> Option<f64> {
        (self.bytes_written > 0).then(|| self.bytes_moved as f64 / self.bytes_written as f64)
    }
}

/// Flash pages that crossed a channel, and how long operations of commands took on it. Times are picoseconds, summed over all
/// operations that ended, from when nothing on their buffer entry came before them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelResult {
    /// Pages transferred from chips, for whatever.
    pub pages_read: u64,
    /// Pages transferred to chips, for whatever.
    pub pages_programmed: u64,
    /// Operations of commands that have ended.
    pub operations: u64,
    /// Time in which others came before them on their die.
    pub queued_ps: u64,
    /// The rest of their time: bus, die, error correction, and the processor's work between them.
    pub served_ps: u64,
    /// How their times are spread.
    #[serde(default, skip_serializing_if = "LatencySteps::is_nothing")]
    pub latencies: LatencySteps,
}

impl ChannelResult {
    /// Mean time of an operation in nanoseconds, in the queue of its die and after it; `None` without operations.
    pub fn mean_ns(&self) -> Option<[f64; 2]> {
        let mean = |ps: u64| ps as f64 / self.operations as f64 / 1e3;
        (self.operations > 0).then(|| [self.queued_ps, self.served_ps].map(mean))
    }
}

/// Use of a map of which only some parts are in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapUse {
    /// Slices that found their entry in memory.
    pub hits: u64,
    /// Slices that waited for it.
    pub misses: u64,
    /// Parts of the map that were read from flash.
    pub parts_read: u64,
    /// Parts written so that they can leave memory. They are pages of the log too.
    pub parts_written: u64,
}

impl MapUse {
    /// Share of slices that found their entry in memory; `None` without slices.
    pub fn hit_rate(&self) -> Option<f64> {
        let slices = self.hits.saturating_add(self.misses);
        (slices > 0).then(|| self.hits as f64 / slices as f64)
    }
}

impl DriveResult {
    /// Bytes programmed for each byte the host wrote; `None` when it wrote nothing. What the run left to
    /// be programmed counts, and what it found does not.
    pub fn write_amplification(&self) -> Option<f64> {
        let [before, after] = self.dirty_bytes;
        let bytes = self.bytes_programmed.saturating_add(after).saturating_sub(before);
        (self.host_bytes_written > 0).then(|| bytes as f64 / self.host_bytes_written as f64)
    }

    /// Share of slices that found their data in the buffer; `None` without slices.
    pub fn buffer_hit_rate(&self) -> Option<f64> {
        let slices = self.buffer_hits.saturating_add(self.buffer_misses);
        (slices > 0).then(|| self.buffer_hits as f64 / slices as f64)
    }

    /// Each module with its share of the firmware's time, idle polls not counted, 0 to 1.
    pub(crate) fn module_shares(&self) -> impl Iterator<Item = (&ModuleTime, f64)> {
        module_shares(&self.modules)
    }
}

/// Each module with its share of the time of all of them, 0 to 1.
pub(crate) fn module_shares(modules: &[ModuleTime]) -> impl Iterator<Item = (&ModuleTime, f64)> {
    let total = total(modules.iter().map(|module| module.time_ps));
    modules.iter().map(move |module| match total {
        0 => (module, 0.0),
        _ => (module, module.time_ps as f64 / total as f64),
    })
}

/// A core of a processor that has several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreResult {
    /// Its jobs, as the board names them.
    pub does: String,
    /// Share of time it worked: all but idle polls.
    pub busy: f64,
    /// Its time of idle polls.
    pub idle_polling_ps: u64,
    /// Its time by firmware module, in the order of the firmware.
    pub modules: Vec<ModuleTime>,
}

/// How evenly blocks are worn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EraseCounts {
    /// Fewest erases of a block.
    pub min: u64,
    /// Most erases of a block.
    pub max: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, as of a sample.
    pub stddev: f64,
}

impl EraseCounts {
    /// Of these blocks.
    pub fn of(erases: impl Iterator<Item = u32>) -> Self {
        let mut moments = Moments::new();
        erases.for_each(|erases| moments.record(u64::from(erases)));
        EraseCounts {
            min: moments.min(),
            max: moments.max(),
            mean: moments.mean(),
            stddev: moments.standard_deviation(),
        }
    }
}

/// Processor time of one firmware module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleTime {
    /// Name of the module.
    pub name: String,
    /// Its processor time without idle polls, in picoseconds.
    pub time_ps: u64,
    /// Its part of idle polls.
    pub idle_polling_ps: u64,
}

/// How well a drive that was driven from outside kept to the wall clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pacing {
    /// How much later than in virtual time each interrupt was raised.
    pub late: Latency,
}

/// What the simulation cost. Only these figures differ between two runs of the same input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speed {
    /// Virtual time in seconds.
    pub simulated_s: f64,
    /// Real time in seconds.
    #[serde(skip)]
    pub wall_s: f64,
    /// CPU time in seconds.
    #[serde(skip)]
    pub cpu_s: f64,
    /// Requests simulated.
    pub requests: u64,
}

impl Speed {
    /// Requests simulated in a second of CPU time, 0 when no time was measured.
    pub fn requests_per_cpu_second(&self) -> f64 {
        if self.cpu_s > 0.0 {
            self.requests as f64 / self.cpu_s
        } else {
            0.0
        }
    }
}

/// Mean, least and greatest of `shares`; zeros when there are none.
pub(crate) fn spread(shares: &[f64]) -> (f64, f64, f64) {
    if shares.is_empty() {
        return (0.0, 0.0, 0.0);
    }
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (shares.iter().sum::<f64>() / shares.len() as f64, least, greatest)
}
