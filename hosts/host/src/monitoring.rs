//! The side band between drive and operation monitor: fills the statistics table from every part.
//! Nothing here changes the drive or takes virtual time.

use board::Board;
use contract::{Cause, Module};
use machine::{ChannelUsage, Inspected, Machine};
use monitor::{
    Buffer, ChannelUse, Counts, Flash, Header, Moved, Outstanding, Period, Table, KIND, VERSION,
};
use report::Direction;

use crate::engine::Totals;
use crate::fio_host::FioHost;

/// What is monitored.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The drive.
    pub board: &'a Board,
    /// Name of the job file, or what stands in for one.
    pub job_file: &'a str,
    /// Seed of every random stream.
    pub seed: u64,
}

/// What the host has done by a moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// Sums over all requests.
    pub totals: Totals,
    /// Commands that were handed out and whose completions were not taken.
    pub outstanding: u64,
}

/// What the first line tells of a run; the sampler has the start of the first job.
pub fn header(subject: Subject<'_>, period: Period, origin_ps: u64) -> Header {
    let config = &subject.board.firmware;
    let geometry = config.geometry;
    Header {
        kind: KIND.to_string(),
        version: VERSION,
        board: subject.board.name.clone(),
        job_file: subject.job_file.to_string(),
        seed: subject.seed,
        interval_ps: period.as_ps(),
        origin_ps,
        channels: geometry.channels,
        ways: geometry.ways,
        blocks_per_way: geometry.blocks_per_way,
        pages_per_block: geometry.pages_per_block,
        page_bytes: geometry.page_bytes,
        buffer_entries: config.buffer_entries,
        command_slots: config.command_slots,
        modules: Module::ALL.map(|module| module.name().to_string()).to_vec(),
        causes: Cause::ALL.map(|cause| cause.name().to_string()).to_vec(),
    }
}

/// The statistics table now, of a drive that runs jobs.
pub fn run_table(drive: &impl Machine<FioHost>) -> Table {
    table(drive, load_of(drive))
}

/// What the host of a drive that runs jobs has done by now.
pub(crate) fn load_of(drive: &impl Machine<FioHost>) -> Load {
    let engine = drive.host().engine();
    Load { totals: engine.totals(), outstanding: engine.outstanding() }
}

/// The statistics table now, of a drive whose host has done `load`.
pub fn table(drive: &impl Inspected, load: Load) -> Table {
    let Load { totals, outstanding } = load;
    let (usage, firmware) = (drive.usage(), drive.inspect());
    let counters = firmware.counters();
    let page_bytes = firmware.page_bytes();
    let channel = |usage: &ChannelUsage| ChannelUse {
        busy_ps: usage.bus_ps,
        read_bytes: usage.pages_read * page_bytes,
        programmed_bytes: usage.pages_programmed * page_bytes,
        ways_busy_ps: usage.ways_ps.clone(),
    };
    Table {
        now_ps: usage.now_ps,
        counts: Counts {
            read: moved(&totals, Direction::Read),
            write: moved(&totals, Direction::Write),
            trim: moved(&totals, Direction::Trim),
            requests: totals.requests,
            outstanding: Outstanding { host: outstanding, drive: u64::from(usage.commands) },
            channels: usage.channels.iter().map(channel).collect(),
            modules_ps: usage.mean_module_ps().to_vec(),
            idle_ps: usage.mean_idle_ps(),
            buffer: Buffer {
                dirty: u64::from(firmware.dirty_entries()),
                hits: counters.buffer_hits,
                misses: counters.buffer_misses,
            },
            flash: Flash {
                reads: counters.reads,
                programs: counters.programs,
                moves: counters.moves,
                collections: firmware.collected().blocks,
                erases: counters.erases,
                retries: counters.read_retries,
                corrected_bits: counters.corrected_bits,
                uncorrectable: counters.unreadable_pages,
                bad_blocks: counters.bad_blocks,
            },
            interrupts: usage.interrupts,
        },
    }
}

fn moved(totals: &Totals, direction: Direction) -> Moved {
    let nth = direction as usize;
    let split = &totals.splits[nth];
    let [host_interface_ps, firmware_ps, storage_ps] = split.by_part();
    Moved {
        requests: totals.ios[nth],
        bytes: totals.bytes[nth],
        latency_ps: totals.latency_ps[nth],
        host_interface_ps,
        firmware_ps,
        storage_ps,
        causes_ps: split.by_cause(),
    }
}
