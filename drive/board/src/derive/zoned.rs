//! What boards of drives with zones have to be like.

use contract::{CommandSet, Configuration, Geometry, Zoning};

use super::Derivation;
use crate::flash::Flash;
use crate::BoardError;

/// Flash blocks of each way that the log of pages written in part needs (`firmware/src/zones/log.rs`).
const LOG_BLOCKS_PER_WAY: u32 = 3;
/// Pages of a log block beside a page of each active zone: marks.
const LOG_MARKS: u32 = 2;
/// Logical blocks are counted in 32 bits, and some numbers have a meaning of their own.
const MOST_BLOCKS: u64 = u32::MAX as u64 - 3;

impl Derivation<'_> {
    /// How zones lie in the flash; none of a drive without zones.
    pub(super) fn zoning(
        &self,
        command_set: CommandSet,
        flash: &Flash,
        geometry: &Geometry,
    ) -> Result<Option<Zoning>, BoardError> {
        if command_set != CommandSet::Zoned {
            return Ok(None);
        }
        if !geometry.page_bytes.is_power_of_two() || flash.fold.planes() > 1 {
            let expected =
                "block, as programs write word lines or several planes at once".to_owned();
            return Err(self.contradiction("nvme.command_set", expected));
        }
        let (channels, ways) = (self.u32("zones.channels"), self.u32("zones.ways"));
        for (key, found, of, all) in [
            ("zones.channels", channels, "geometry.channels", geometry.channels),
            ("zones.ways", ways, "geometry.ways", geometry.ways),
        ] {
            if all % found != 0 {
                return Err(self.contradiction(key, format!("a divisor of {of}, {all}")));
            }
        }
        let spare = self.u32("ftl.spare_blocks_per_way");
        let least = spare + LOG_BLOCKS_PER_WAY + 1;
        if geometry.blocks_per_way < least {
            let expected = format!("at least {least}, for spares, the log and a zone");
            return Err(self.contradiction("geometry.blocks_per_way", expected));
        }
        let zones_per_set = geometry.blocks_per_way - spare - LOG_BLOCKS_PER_WAY;
        let (most_open, most_active) = (self.u32("zones.open"), self.u32("zones.active"));
        Ok(Some(Zoning { channels, ways, most_open, most_active, zones_per_set }))
    }

    /// Pages that hosts can write, in all zones.
    pub(super) fn zoned_pages(&self, geometry: &Geometry, zoning: Zoning) -> u32 {
        geometry.dies() * zoning.zones_per_set * geometry.pages_per_block
    }

    /// What zones need of the rest of a drive.
    pub(super) fn check_zones(&self, config: &Configuration) -> Result<(), BoardError> {
        let Some(zoning) = config.zoning else { return Ok(()) };
        let (g, units) = (config.geometry, config.units_per_page());
        let Zoning { channels, ways, most_open, most_active, zones_per_set } = zoning;
        let zones = g.dies() / (channels * ways) * zones_per_set;
        if most_open > most_active {
            let expected = format!("at most zones.active, {most_active}");
            return Err(self.contradiction("zones.open", expected));
        }
        // A page of each active zone stays in the buffer until it is full; as much again is for what is under way.
        let room = (config.buffer_entries / units / 2).min(zones);
        if most_active > room {
            let expected =
                format!("at most {room}: a page of each in half of ftl.buffer_kib, and no more than there are zones");
            return Err(self.contradiction("zones.active", expected));
        }
        if most_active + LOG_MARKS > g.pages_per_block {
            let expected = format!(
                "at most {}, so that a log block holds a page of each",
                g.pages_per_block - LOG_MARKS.min(g.pages_per_block)
            );
            return Err(self.contradiction("zones.active", expected));
        }
        let capacity = u64::from(channels * ways * g.pages_per_block * units);
        let most = MOST_BLOCKS / capacity.next_power_of_two();
        if u64::from(zones) > most {
            let expected = format!("more, so that there are at most {most} zones, not {zones}");
            return Err(self.contradiction("zones.ways", expected));
        }
        Ok(())
    }
}
