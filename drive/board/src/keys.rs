//! The table of all keys: what a board file may hold, and what each leaf must look like.
//!
//! Reading, `--set`, printing, "did you mean" and the demand for sources all work from this table. What a key means
//! stands in `meanings.rs`. Keys that name a policy of the firmware, and
//! those that such a policy has of its own, come from the firmware's list of policies.

use std::sync::LazyLock;

use contract::{Metadata, Work};
use firmware::policies::{Kind as PolicyKind, KINDS};

/// Longest time that a leaf may state, in picoseconds: a second.
const LONGEST_PS: f64 = 1e12;
/// Largest bandwidth that a leaf may state, in MB/s.
pub(crate) const LARGEST_MB_S: f64 = 1e6;

/// A key of a board file.
pub(crate) struct Key {
    /// Sections and name, joined by dots.
    pub path: String,
    /// What its leaf must look like.
    pub kind: Kind,
    /// Whether a shipped board must say where the value comes from.
    pub nature: Nature,
    /// If only some policies of the firmware have it, which.
    pub owner: Option<Owner>,
}

/// The policies that a key belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Owner {
    /// Their kind.
    pub kind: &'static PolicyKind,
    /// The name of the key among theirs.
    pub name: &'static str,
    /// The value where a board states none.
    pub default: u64,
}

impl Owner {
    /// Whether the policy with this number is one of them.
    pub fn has(&self, policy: u64) -> bool {
        self.kind.keys[policy as usize].iter().any(|key| key.name == self.name)
    }

    /// Their names, as boards choose them.
    pub fn policies(&self) -> impl Iterator<Item = &'static str> + '_ {
        let names = self.kind.words.iter().enumerate();
        names.filter(|&(policy, _)| self.has(policy as u64)).map(|(_, &name)| name)
    }
}

/// Whether a leaf describes hardware or a decision.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// A number that describes hardware: shipped boards state source and role.
    Hardware,
    /// A policy, free to choose.
    Policy,
}

/// What a leaf must look like.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// A power of two from the first to the second.
    Power(u64, u64),
    /// A time, zero included, of at most a second.
    Time(Unit),
    /// A time above zero, of at most a second.
    Latency(Unit),
    /// A bandwidth in MB/s (10^6 bytes a second).
    Bandwidth,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One to four different numbers out of these.
    Sizes(&'static [u32]),
    /// Some lists of words: texts in a file, each with commas between the words; behind `--set` with semicolons between
    /// the lists.
    Lists,
}

/// The unit of a time, which stands at the end of its key.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Us,
    Ns,
}

impl Unit {
    pub(crate) const fn ps(self) -> f64 {
        match self {
            Unit::Us => 1e6,
            Unit::Ns => 1e3,
        }
    }

    pub(crate) fn most(self) -> f64 {
        LONGEST_PS / self.ps()
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Unit::Us => "us",
            Unit::Ns => "ns",
        }
    }
}

impl Kind {
    /// What would be right, for an error.
    pub(crate) fn expected(self) -> String {
        match self {
            Kind::Count(least, most) => format!("a whole number from {least} to {most}"),
            Kind::Power(least, most) => format!("a power of two from {least} to {most}"),
            Kind::Time(unit) => format!("a number of {} from 0 to {}", unit.name(), unit.most()),
            Kind::Latency(unit) => {
                format!("a number of {} above 0, at most {}", unit.name(), unit.most())
            }
            Kind::Bandwidth => format!("a number of MB/s from 1 to {LARGEST_MB_S}"),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Sizes(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
                format!("a list of different sizes out of {}", sizes.join(", "))
            }
            Kind::Lists => "a list of texts, each with the jobs of a core".to_owned(),
        }
    }
}

/// Every key, in the order in which boards are printed.
pub(crate) fn all() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
        let work = Work::ALL.iter().map(|&work| Key {
            path: work_path(work),
            kind: Kind::Count(0, 1_000_000_000),
            nature: Nature::Hardware,
            owner: None,
        });
        let table = |&(path, kind, nature): &(&str, Kind, Nature)| Key {
            path: path.to_owned(),
            kind,
            nature,
            owner: None,
        };
        let (before, behind) = TABLE.split_at(of_policies());
        let before = before.iter().map(table);
        let behind = behind.iter().map(table);
        before.chain(KINDS.iter().flat_map(keys_of_kind)).chain(behind).chain(work).collect()
    });
    &KEYS
}

/// The place of keys of policies in [`TABLE`]: the beginning of the section that all of them stand in.
fn of_policies() -> usize {
    TABLE.iter().position(|(path, ..)| path.starts_with("ftl.")).expect("there is an FTL")
}

/// The key that names a policy, and those of the policies.
fn keys_of_kind(kind: &'static PolicyKind) -> Vec<Key> {
    let names = Key {
        path: kind.key.to_owned(),
        kind: Kind::Choice(kind.words),
        nature: Nature::Policy,
        owner: None,
    };
    let mut keys = vec![names];
    for key in kind.keys.iter().copied().flatten() {
        let path = format!("{}{}", kind.prefix, key.name);
        if keys.iter().all(|known| known.path != path) {
            let owner = Owner { kind, name: key.name, default: key.default };
            let kind = Kind::Count(key.least, key.most);
            keys.push(Key { path, kind, nature: Nature::Policy, owner: Some(owner) });
        }
    }
    keys
}

/// Key of the instructions of one kind of work.
pub(crate) fn work_path(work: Work) -> String {
    format!("work_instructions.{}", work.name())
}

/// Place of a key in [`all`].
pub(crate) fn index_of(path: &str) -> Option<usize> {
    all().iter().position(|key| key.path == path)
}

use Kind::{Bandwidth, Choice, Count, Latency, Lists, Power, Sizes, Time};
use Nature::{Hardware, Policy};
use Unit::{Ns, Us};

/// Every key but those of the processor's work.
#[rustfmt::skip]
const TABLE: &[(&str, Kind, Nature)] = &[
    ("storage.medium", Choice(&["flash", "memory"]), Policy),
    ("geometry.channels", Count(1, 64), Hardware),
    ("geometry.ways", Count(1, 64), Hardware),
    ("geometry.blocks_per_way", Count(1, 1 << 24), Hardware),
    ("geometry.page_bytes", Power(4096, 65536), Hardware),
    ("flash.cell_mode", Choice(&["slc", "mlc", "tlc", "qlc"]), Policy),
    ("flash.cell_bits", Count(1, 4), Hardware),
    ("flash.pairing", Choice(&["adjacent", "shifted"]), Hardware),
    ("flash.program", Choice(&["page", "one-shot", "two-pass"]), Hardware),
    ("flash.pages_per_physical_block", Count(2, 65_534), Hardware),
    ("flash.spare_bytes", Count(0, 65_536), Hardware),
    ("flash.metadata_bytes", Count(Metadata::bytes(1) as u64, 254), Hardware),
    ("flash.t_read_slc_us", Latency(Us), Hardware),
    ("flash.t_read_lsb_us", Latency(Us), Hardware),
    ("flash.t_read_csb_us", Latency(Us), Hardware),
    ("flash.t_read_msb_us", Latency(Us), Hardware),
    ("flash.t_read_tsb_us", Latency(Us), Hardware),
    ("flash.t_program_slc_us", Latency(Us), Hardware),
    ("flash.t_program_lsb_us", Latency(Us), Hardware),
    ("flash.t_program_csb_us", Latency(Us), Hardware),
    ("flash.t_program_msb_us", Latency(Us), Hardware),
    ("flash.t_program_tsb_us", Latency(Us), Hardware),
    ("flash.t_program_one_shot_us", Latency(Us), Hardware),
    ("flash.t_program_coarse_us", Latency(Us), Hardware),
    ("flash.t_program_fine_us", Latency(Us), Hardware),
    ("flash.t_erase_us", Latency(Us), Hardware),
    ("flash.read_deviation_us", Time(Us), Hardware),
    ("flash.program_deviation_us", Time(Us), Hardware),
    ("flash.erase_deviation_us", Time(Us), Hardware),
    ("flash.die_deviation_us", Time(Us), Hardware),
    ("flash.rated_cycles", Count(1, 1_000_000_000), Hardware),
    ("flash.read_levels", Count(0, 15), Hardware),
    ("flash.t_feature_us", Time(Us), Hardware),
    ("flash.suspends", Count(0, 255), Policy),
    ("flash.t_suspend_us", Time(Us), Hardware),
    ("flash.t_resume_us", Time(Us), Hardware),
    ("flash.planes", Power(1, 4), Hardware),
    ("flash.t_cache_busy_us", Time(Us), Hardware),
    ("flash.cached_program_permille", Count(1, 1000), Hardware),
    ("flash.t_plane_busy_us", Time(Us), Hardware),
    ("channel.clock_mhz", Count(1, 10_000), Hardware),
    ("channel.bus_bandwidth_mb_s", Bandwidth, Hardware),
    ("channel.trigger_overhead_us", Time(Us), Hardware),
    ("channel.program_overhead_us", Time(Us), Hardware),
    ("channel.transfer_overhead_us", Time(Us), Hardware),
    ("channel.erase_overhead_us", Time(Us), Hardware),
    ("channel.status_check_us", Time(Us), Hardware),
    ("channel.request_latency_us", Time(Us), Hardware),
    ("channel.turn_gap_us", Time(Us), Hardware),
    ("channel.mode_turn_us", Time(Us), Hardware),
    ("channel.request_depth", Count(1, 256), Hardware),
    ("channel.read_unit_bytes", Count(0, 65_536), Hardware),
    ("channel.scheduler", Choice(&["firmware", "controller"]), Policy),
    ("channel.execution", Choice(&["sequential", "decoupled", "in-order", "out-of-order"]), Policy),
    ("channel.merging", Choice(&["none", "planes", "cache", "planes-and-cache"]), Policy),
    ("channel.way_queue_depth", Count(1, 4096), Hardware),
    ("channel.low_priority_ways", Count(1, 64), Policy),
    ("channel.priority_age", Count(0, 255), Policy),
    ("channel.busy_timeout_us", Time(Us), Hardware),
    ("channel.interface", Choice(&["sdr", "ddr"]), Policy),
    ("channel.t_adl_ns", Time(Ns), Hardware),
    ("channel.t_ccs_ns", Time(Ns), Hardware),
    ("channel.t_whr_ns", Time(Ns), Hardware),
    ("channel.t_rhw_ns", Time(Ns), Hardware),
    ("channel.t_wb_ns", Time(Ns), Hardware),
    ("channel.t_rr_ns", Time(Ns), Hardware),
    ("ecc.chunk_bytes", Power(64, 4096), Hardware),
    ("ecc.correctable_bits", Count(1, 1024), Hardware),
    ("ecc.channels_per_solver", Count(1, 64), Hardware),
    ("ecc.decode_latency_us", Time(Us), Hardware),
    ("ecc.solve_per_chunk_us", Time(Us), Hardware),
    ("ecc.scrambler", Choice(&["on", "off"]), Policy),
    ("memory.dram_bandwidth_mb_s", Bandwidth, Hardware),
    ("memory.interconnect_bandwidth_mb_s", Bandwidth, Hardware),
    ("memory.data_bus_bandwidth_mb_s", Bandwidth, Hardware),
    ("memory.channel_bus_bandwidth_mb_s", Bandwidth, Hardware),
    ("memory.engine_access_ns", Time(Ns), Hardware),
    ("memory.capacity_mib", Count(1, 1 << 22), Hardware),
    ("memory.channels", Count(1, 64), Hardware),
    ("memory.chunk_bytes", Power(64, 4096), Hardware),
    ("memory.chunk_latency_ns", Latency(Ns), Hardware),
    ("host.link_bandwidth_mb_s", Bandwidth, Hardware),
    ("host.bus_bandwidth_mb_s", Bandwidth, Hardware),
    ("host.doorbell_latency_us", Time(Us), Hardware),
    ("host.fetch_latency_us", Time(Us), Hardware),
    ("host.fetch_interval_us", Time(Us), Hardware),
    ("host.dma_latency_from_host_us", Time(Us), Hardware),
    ("host.dma_latency_to_host_us", Time(Us), Hardware),
    ("host.dma_unit_overhead_us", Time(Us), Hardware),
    ("host.dma_unit_overhead_from_host_us", Time(Us), Hardware),
    ("host.list_latency_us", Time(Us), Hardware),
    ("host.address_list_us", Time(Us), Hardware),
    ("host.fetch_behind_bytes", Count(0, 1 << 20), Hardware),
    ("host.completion_behind_bytes", Count(0, 1 << 20), Hardware),
    ("host.completion_interval_us", Time(Us), Hardware),
    ("host.completion_latency_us", Time(Us), Hardware),
    ("host.interrupt_latency_us", Time(Us), Hardware),
    ("host.completer", Choice(&["firmware", "interface"]), Hardware),
    ("host.arbitration", Choice(&["round-robin", "weighted"]), Policy),
    ("host.command_queue_depth", Count(1, 4096), Hardware),
    ("host.submit_latency_us", Time(Us), Hardware),
    ("host.reap_latency_us", Time(Us), Hardware),
    ("host.ftl_request_us", Time(Us), Hardware),
    ("host.ftl_block_us", Time(Us), Hardware),
    ("host.ftl_spare_percent", Count(1, 90), Policy),
    ("automation.commands", Choice(&["none", "reads-and-writes"]), Policy),
    ("automation.clock_mhz", Count(1, 10_000), Hardware),
    ("automation.fetch_cycles", Count(0, 100_000), Hardware),
    ("automation.task_cycles", Count(0, 100_000), Hardware),
    ("automation.task_us", Time(Us), Hardware),
    ("automation.completion_cycles", Count(0, 100_000), Hardware),
    ("automation.beat_bytes", Power(1, 4096), Hardware),
    ("automation.chunk_cycles", Count(0, 100_000), Hardware),
    ("automation.movers", Choice(&["one", "each-way"]), Hardware),
    ("nvme.command_set", Choice(&["block", "open-channel"]), Policy),
    ("nvme.command_slots", Count(8, 4096), Hardware),
    ("nvme.io_queues", Count(1, 65_535), Hardware),
    ("nvme.vectors", Count(1, 2048), Hardware),
    ("nvme.queue_entries", Count(2, 65_536), Hardware),
    ("nvme.max_transfer_kib", Power(8, 1 << 20), Hardware),
    ("nvme.dma_requests", Count(1, 65_536), Hardware),
    ("namespace.block_formats_bytes", Sizes(&[512, 4096]), Policy),
    ("namespace.block_bytes", Power(512, 4096), Policy),
    ("ftl.cache", Choice(&["write-back", "write-through"]), Policy),
    ("ftl.buffer_kib", Count(1, 1 << 22), Policy),
    ("ftl.overprovision_percent", Count(1, 1000), Policy),
    ("ftl.spare_blocks_per_way", Count(0, 1 << 24), Policy),
    ("ftl.background_flush_percent", Count(0, 50), Policy),
    ("ftl.background_collection_pages", Count(0, 65_534), Policy),
    ("ftl.mapping_unit_bytes", Count(0, 65_536), Policy),
    ("ftl.map_cache_bytes", Count(0, 1 << 40), Policy),
    ("ftl.refresh_bits", Count(0, 1024), Policy),
    ("ftl.patrol_interval_us", Time(Us), Policy),
    ("ftl.read_retries", Count(0, 100), Policy),
    ("ftl.bad_blocks", Choice(&["table", "scan"]), Policy),
    ("recovery.log_entries", Count(0, 256), Policy),
    ("recovery.snapshots_per_journal_page", Count(1, 64), Policy),
    ("power_loss.capacitor_millijoules", Count(0, 1_000_000), Hardware),
    ("power_loss.kept_back_percent", Count(0, 90), Policy),
    ("power_loss.controller_milliwatts", Count(0, 1_000_000), Hardware),
    ("power_loss.die_milliwatts", Count(0, 100_000), Hardware),
    ("power_loss.transfer_picojoules_per_byte", Count(0, 1_000_000), Hardware),
    ("errors.model", Choice(&["rates", "cells"]), Policy),
    ("errors.raw_bits_per_terabit", Count(0, 100_000_000_000), Hardware),
    ("errors.raw_bits_per_terabit_per_kilocycle", Count(0, 100_000_000_000), Hardware),
    ("errors.unscrambled_growth_percent", Count(100, 1000), Hardware),
    ("errors.disturb_bits_per_terabit_per_kiloread", Count(0, 100_000_000_000), Hardware),
    ("errors.retention_bits_per_terabit_per_hour", Count(0, 100_000_000_000), Hardware),
    ("errors.shelf_hours", Count(0, 2000), Hardware),
    ("errors.retry_percent", Count(0, 100), Hardware),
    ("errors.program_failures_per_billion", Count(0, 1_000_000_000), Hardware),
    ("errors.erase_failures_per_billion", Count(0, 1_000_000_000), Hardware),
    ("errors.hangs_per_billion", Count(0, 1_000_000_000), Hardware),
    ("errors.factory_bad_blocks_per_million", Count(0, 1_000_000), Hardware),
    ("cells.erased_gap_mv", Count(1, 20_000), Hardware),
    ("cells.level_gap_mv", Count(1, 20_000), Hardware),
    ("cells.lower_page_mv", Count(1, 20_000), Hardware),
    ("cells.single_mv", Count(1, 20_000), Hardware),
    ("cells.erased_sigma_mv", Count(1, 20_000), Hardware),
    ("cells.level_sigma_mv", Count(1, 20_000), Hardware),
    ("cells.erased_reference_mv", Count(1, 20_000), Hardware),
    ("cells.level_reference_mv", Count(1, 20_000), Hardware),
    ("cells.lower_page_reference_mv", Count(1, 20_000), Hardware),
    ("cells.single_reference_mv", Count(1, 20_000), Hardware),
    ("cells.widening_permille_per_kilocycle", Count(0, 10_000), Hardware),
    ("cells.bit_line_coupling_per_million", Count(0, 200_000), Hardware),
    ("cells.word_line_coupling_per_million", Count(0, 200_000), Hardware),
    ("cells.retention_per_million", Count(0, 100_000), Hardware),
    ("cells.disturb_mv_per_million_reads", Count(0, 20_000), Hardware),
    ("cells.read_step_mv", Count(0, 1000), Hardware),
    ("processor.clock_mhz", Count(1, 10_000), Hardware),
    ("processor.cycles_per_100_instructions", Count(1, 100_000), Hardware),
    ("processor.register_read_ns", Time(Ns), Hardware),
    ("processor.register_write_ns", Time(Ns), Hardware),
    ("processor.register_cycles", Count(0, 10_000), Hardware),
    ("processor.command_registers", Count(1, 64), Hardware),
    ("processor.command_register_ns", Time(Ns), Hardware),
    ("processor.trigger_registers", Count(1, 64), Hardware),
    ("processor.transfer_registers", Count(1, 64), Hardware),
    ("processor.program_registers", Count(1, 64), Hardware),
    ("processor.erase_registers", Count(1, 64), Hardware),
    ("processor.check_registers", Count(1, 64), Hardware),
    ("processor.response_registers", Count(1, 64), Hardware),
    ("processor.dma_registers", Count(0, 64), Hardware),
    ("processor.dma_request_registers", Count(0, 64), Hardware),
    ("processor.dma_poll_registers", Count(0, 64), Hardware),
    ("processor.list_registers", Count(0, 64), Hardware),
    ("processor.awaited_registers", Count(0, 64), Hardware),
    ("processor.completion_registers", Count(1, 64), Hardware),
    ("processor.store_registers", Count(0, 64), Hardware),
    ("processor.time_registers", Count(0, 64), Hardware),
    ("processor.cores", Lists, Hardware),
    ("processor.message_latency_ns", Time(Ns), Hardware),
    ("processor.send_instructions", Count(0, 1_000_000), Hardware),
    ("processor.receive_instructions", Count(0, 1_000_000), Hardware),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_stands_once_and_its_unit_stands_at_its_end() {
        for (index, key) in all().iter().enumerate() {
            assert_eq!(index_of(&key.path), Some(index), "{} stands twice", key.path);
            let unit = match key.kind {
                Time(unit) | Latency(unit) => format!("_{}", unit.name()),
                Bandwidth => "_mb_s".to_owned(),
                Sizes(_) => "_bytes".to_owned(),
                Lists => "cores".to_owned(),
                Count(..) | Power(..) | Choice(_) => continue,
            };
            assert!(key.path.ends_with(&unit), "{} must end in {unit}", key.path);
        }
    }
}
