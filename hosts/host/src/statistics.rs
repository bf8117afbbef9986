//! What the drive did between two moments.

use board::Board;
use contract::Module;
use firmware::ftl::blocks::{BlockState, Role};
use firmware::ftl::handles::OfHandle;
use firmware::ftl::log::LogCounters;
use firmware::ftl::translate::Collected;
use firmware::ftl::Counters;
use machine::{ChannelWaits, Inspected, Usage};
use report::{
    BlockKind, BlockMap, BlockSeen, ChannelResult, CoreResult, Counted, DriveResult, EraseCounts,
    HandleResult, MapUse, ModuleTime,
};

use crate::engine::Totals;
use crate::request::Course;

const MODULES: usize = Module::ALL.len();

/// All counters of a drive at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    usage: Usage,
    counted: Counted,
    counters: Counters,
    log: LogCounters,
    collected: Collected,
    /// Of each placement handle, and of what was moved before.
    handles: Vec<OfHandle>,
    unit_bytes: u64,
    dirty_pages: u64,
    block_erases: EraseCounts,
    blocks: Option<Box<BlockMap>>,
}

impl Snapshot {
    /// The counters now, and what is in blocks if it is asked for: of a drive whose run is over, or is told of.
    pub fn at_end(drive: &impl Inspected, course: Course) -> Self {
        let firmware = drive.inspect();
        let block_erases = EraseCounts::of(firmware.erase_counts());
        let blocks = match (course, firmware.blocks_per_die()) {
            (Course::Left, _) | (_, 0) => None,
            // What stands in blocks of zones and of chunks nobody tells.
            _ if firmware.block_states().next().is_none() => None,
            (Course::Told, per_die) => {
                let dies = firmware.blocks() / per_die;
                let states = firmware.block_states().map(seen);
                BlockMap::of(states, dies, per_die, &block_erases).map(Box::new)
            }
        };
        Snapshot { block_erases, blocks, ..Snapshot::of(drive) }
    }

    /// The counters now, to compare later ones with.
    pub fn of(drive: &impl Inspected) -> Self {
        let firmware = drive.inspect();
        Snapshot {
            usage: drive.usage(),
            counted: match firmware.is_complete() {
                true => Counted::ByFirmware,
                false => Counted::ByHardware,
            },
            counters: firmware.counters(),
            log: firmware.log(),
            collected: firmware.collected(),
            handles: firmware.handles(),
            unit_bytes: firmware.unit_bytes(),
            dirty_pages: u64::from(firmware.pages_to_program()),
            block_erases: EraseCounts::default(),
            blocks: None,
        }
    }

    /// What is in the blocks.
    pub fn blocks(&self) -> Option<Box<BlockMap>> {
        self.blocks.clone()
    }

    /// What the drive did from `earlier` until this moment, in which the host moved `totals`.
    pub fn since(&self, earlier: &Snapshot, board: &Board, totals: Totals) -> DriveResult {
        let (now, then) = (&self.counters, &earlier.counters);
        let (usage, before) = (&self.usage, &earlier.usage);
        let elapsed_ps = usage.now_ps - before.now_ps;
        let share = |busy_ps, before_ps| share_of(elapsed_ps, busy_ps - before_ps);
        let shares = |busy: &[u64], before: &[u64]| -> Vec<f64> {
            busy.iter().zip(before).map(|(&busy, &before)| share(busy, before)).collect()
        };
        let channels = usage.channels.iter().zip(&before.channels);
        let of_log = |log: &LogCounters| log.journal_pages + log.snapshots;
        let log_pages = of_log(&self.log) - of_log(&earlier.log);
        let programmed = now.programs + now.moves - then.programs - then.moves + log_pages;
        let page_bytes = u64::from(board.firmware.geometry.page_bytes);
        let flash_pages = u64::from(board.firmware.programming.flash_pages);
        let [host_bytes_read, host_bytes_written, _] = totals.bytes;
        DriveResult {
            counted: self.counted,
            channel_busy: shares(&usage.booked_buses_ps(), &before.booked_buses_ps()),
            way_busy: channels
                .map(|(channel, before)| shares(&channel.booked_ways_ps, &before.booked_ways_ps))
                .collect(),
            processor_busy: 1.0 - share(usage.mean_idle_ps(), before.mean_idle_ps()),
            idle_polling_ps: usage.idle_ps - before.idle_ps,
            modules: module_times(
                (&usage.module_ps, &before.module_ps),
                (&usage.idle_module_ps, &before.idle_module_ps),
            ),
            cores: self.cores_since(earlier, board),
            host_bytes_read,
            host_bytes_written,
            pages_read: now.reads - then.reads,
            pages_programmed: programmed * flash_pages,
            log_pages: log_pages * flash_pages,
            bytes_programmed: programmed * page_bytes,
            dirty_bytes: [earlier.dirty_pages, self.dirty_pages].map(|pages| pages * page_bytes),
            garbage_collections: self.collected.blocks - earlier.collected.blocks,
            gc_pages_moved: (now.moves - then.moves) * flash_pages,
            erases: now.erases - then.erases + self.log.erases - earlier.log.erases,
            block_erases: self.block_erases,
            read_retries: now.read_retries - then.read_retries,
            corrected_bits: now.corrected_bits - then.corrected_bits,
            uncorrectable_reads: now.unreadable_pages - then.unreadable_pages,
            bad_blocks: now.bad_blocks,
            chip_resets: now.chip_resets - then.chip_resets,
            refreshes: now.refreshes - then.refreshes,
            patrol_reads: now.patrol_reads - then.patrol_reads,
            buffer_hits: now.buffer_hits - then.buffer_hits,
            buffer_misses: now.buffer_misses - then.buffer_misses,
            interrupts: usage.interrupts - before.interrupts,
            ready_ps: usage.ready_ps.unwrap_or(0),
            marks_read: now.marks_read,
            recovery_reads: self.log.recovery_reads,
            channels: channels_since(usage, before),
            handles: self.handles_since(earlier, board),
            entry_waits: usage.entry_waits.since(&before.entry_waits),
            map: board.firmware.recovery.and_then(|recovery| recovery.map_cache_parts).map(|_| {
                MapUse {
                    hits: now.map_hits - then.map_hits,
                    misses: now.map_misses - then.map_misses,
                    parts_read: self.log.parts_read - earlier.log.parts_read,
                    parts_written: self.log.parts_evicted - earlier.log.parts_evicted,
                }
            }),
        }
    }

    /// What came of the data of each placement handle.
    fn handles_since(&self, earlier: &Snapshot, board: &Board) -> Vec<HandleResult> {
        let planes = u64::from(board.firmware.joined_planes);
        let last = self.handles.len().saturating_sub(1);
        let both = self.handles.iter().zip(&earlier.handles).enumerate();
        let since = |(nth, (now, then)): (usize, (&OfHandle, &OfHandle))| HandleResult {
            handle: (nth < last).then_some(nth as u8),
            bytes_written: (now.placed - then.placed) * self.unit_bytes,
            bytes_moved: (now.moved - then.moved) * self.unit_bytes,
            blocks_collected: (now.emptied - then.emptied) * planes,
        };
        both.map(since).collect()
    }

    fn cores_since(&self, earlier: &Snapshot, board: &Board) -> Vec<CoreResult> {
        let (usage, before) = (&self.usage, &earlier.usage);
        let elapsed_ps = usage.now_ps - before.now_ps;
        let cores = usage.cores.iter().zip(&before.cores).zip(board.core_jobs());
        let cores = cores.map(|((usage, before), does)| CoreResult {
            does,
            busy: 1.0 - share_of(elapsed_ps, usage.idle_ps - before.idle_ps),
            idle_polling_ps: usage.idle_ps - before.idle_ps,
            modules: module_times(
                (&usage.module_ps, &before.module_ps),
                (&usage.idle_module_ps, &before.idle_module_ps),
            ),
        });
        cores.collect()
    }
}

/// A block as reports have it.
fn seen(block: BlockState) -> BlockSeen {
    let BlockState { role, erases, valid_permille, age } = block;
    let kind = match role {
        Role::Free => BlockKind::Free,
        Role::Open => BlockKind::Open,
        Role::Closed => BlockKind::Closed,
        Role::Victim => BlockKind::Collected,
        Role::Failed => BlockKind::Failed,
        Role::Spare => BlockKind::Spare,
        Role::Bad => BlockKind::Apart,
    };
    BlockSeen { kind, valid_permille, erases, age }
}

/// What operations of commands did on each channel since another moment; nothing where nobody has asked for accounts.
fn channels_since(now: &Usage, then: &Usage) -> Vec<ChannelResult> {
    let none = ChannelWaits::default();
    let waits = |usage: &Usage, nth| usage.channel_waits.get(nth).copied().unwrap_or(none);
    let latencies =
        |usage: &Usage, nth| usage.channel_latencies.get(nth).cloned().unwrap_or_default();
    let channels = now.channels.iter().zip(&then.channels).enumerate();
    let all: Vec<_> = channels
        .map(|(nth, (now_used, then_used))| {
            let ChannelWaits { operations, queued_ps, served_ps } =
                waits(now, nth).since(&waits(then, nth));
            ChannelResult {
                pages_read: now_used.pages_read - then_used.pages_read,
                pages_programmed: now_used.pages_programmed - then_used.pages_programmed,
                operations,
                queued_ps,
                served_ps,
                latencies: latencies(now, nth).since(&latencies(then, nth)),
            }
        })
        .collect();
    let is_asked = all.iter().any(|channel| channel.operations > 0);
    if is_asked {
        all
    } else {
        Vec::new()
    }
}

/// The share of a time, 1 at most: an operation is booked when it starts, and may end after the last job has.
fn share_of(elapsed_ps: u64, busy_ps: u64) -> f64 {
    match elapsed_ps {
        0 => 0.0,
        _ => (busy_ps as f64 / elapsed_ps as f64).min(1.0),
    }
}

/// Time by module, and of idle polls, since another moment.
fn module_times(
    (now, before): (&[u64; MODULES], &[u64; MODULES]),
    (idle, idle_before): (&[u64; MODULES], &[u64; MODULES]),
) -> Vec<ModuleTime> {
    let time = |(nth, module): (usize, &Module)| ModuleTime {
        name: module.name().to_string(),
        time_ps: now[nth] - before[nth],
        idle_polling_ps: idle[nth] - idle_before[nth],
    };
    Module::ALL.iter().enumerate().map(time).collect()
}
