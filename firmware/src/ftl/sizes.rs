//! How much room the FTL's work takes at most, which is known from the board.

use contract::Configuration;

use super::paged::Cache;
use super::{streams, wear};

/// Slices whose operations work ahead of need leave room for: more than a slice of either lane leaves.
pub(super) const SLICES_KEPT_AHEAD: u32 = 3;

/// Operations that the station has to have room for.
pub fn operations_needed(config: &Configuration) -> u32 {
    // Three operations for every slice of a full command table are more than are ever under
    // way with a buffer of this size; three slices' collections come on top.
    let slices = config.max_transfer_bytes / config.unit_bytes + 1;
    let commands = (config.command_slots * slices * 3).min(config.buffer_entries * 16);
    let of_log = config.recovery.map_or(0, |r| r.log_entries + config.geometry.dies());
    commands.max(4096) + SLICES_KEPT_AHEAD * slice_operations(config) + of_log
}

/// A slice places a page for the entry that it takes, and at most one for each mapping unit of those that its command
/// wants in flash at once. Each may start one collection a way: every valid mapping unit
/// of a victim is read and programmed, and its blocks are erased. Where ways are collected before they
/// are in need, a victim that was begun may have to be finished before.
pub(super) fn slice_operations(config: &Configuration) -> u32 {
    let units = config.units_per_page();
    let collection = (2 * config.geometry.pages_per_block * units + 1) * config.joined_planes;
    let refill = if config.recovery.is_some() { 1 } else { 0 };
    // One that levels wear, or that refreshes, may gain nothing, and another follows it.
    let level =
        u32::from(wear::Chosen::empties_in(config)) + u32::from(config.refresh.corrected_bits > 0);
    let goes_on = config.free_pages_kept > 0 || streams::Chosen::is_apart_in(config);
    let collections = refill + level + if goes_on { 2 } else { 1 };
    (1 + units) * collections * collection + 8 * units
}

/// How much of the map is to be in memory, if not all of it is: parts, and entries beside them for dirty buffer entries,
/// for what a few slices and their collections change, and for the blocks of a way each that fail at once.
pub(super) fn map_cache(config: &Configuration) -> Option<Cache> {
    let parts = config.recovery?.map_cache_parts?;
    let geometry = &config.geometry;
    let units = geometry.pages_per_block * config.units_per_page();
    let failing = geometry.dies() * units * config.joined_planes;
    let changes = 2 * config.buffer_entries + 8 * slice_operations(config) + failing;
    Some(Cache { parts, changes })
}
