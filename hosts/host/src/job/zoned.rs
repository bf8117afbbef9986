//! Jobs on drives with zones (`zonemode=zbd` of fio): writes go to write pointers, and reads to what was written.

use board::Board;
use contract::Zoning;

/// Zones of a namespace, as far as jobs have to know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneLayout {
    /// Bytes from the start of a zone to that of the next.
    pub zone_bytes: u64,
    /// Bytes of a zone that can be written.
    pub capacity_bytes: u64,
    /// Zones of the namespace.
    pub zones: u32,
    /// Most zones that the drive lets be open, and active.
    pub most_open: u32,
}

impl ZoneLayout {
    /// The zones of a board's drive, if it has some.
    pub fn of(board: &Board) -> Option<Self> {
        let config = &board.firmware;
        let Zoning { channels, ways, most_open, zones_per_set, .. } = config.zoning?;
        let (g, slots) = (config.geometry, channels * ways);
        let capacity_bytes = u64::from(slots * g.pages_per_block) * u64::from(g.page_bytes);
        let block_bytes = u64::from(config.unit_bytes);
        let zone_bytes = (capacity_bytes / block_bytes).next_power_of_two() * block_bytes;
        let zones = g.dies() / slots * zones_per_set;
        Some(ZoneLayout { zone_bytes, capacity_bytes, zones, most_open })
    }

    /// Bytes of all zones that can be written: offsets of jobs count these alone.
    pub const fn usable_bytes(&self) -> u64 {
        self.zones as u64 * self.capacity_bytes
    }
}

/// How a job uses zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zoned {
    /// Most zones that are written at a time, by all jobs together; as the drive says if none is named (`max_open_zones`).
    pub most_open: Option<u32>,
    /// Most of them that this job has opened (`job_max_open_zones`).
    pub most_own: Option<u32>,
    /// Writes are appends (`zone_append`).
    pub appends: bool,
}
