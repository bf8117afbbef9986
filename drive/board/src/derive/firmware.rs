//! From leaves to what the firmware is configured with.

use contract::packet::{PhaseFormat, RowFormat};
use contract::{
    BadBlocks, CachePolicy, CommandSet, Completer, Configuration, DoorbellBuffers, Geometry, Grain,
    Medium, Metadata, OperationGrain, Programming, Recovery, Refresh, Reserve,
};

use super::open_channel::flash_times;
use super::saving::slowest;
use super::Derivation;
use crate::board::{Channel, Ecc, Execution, Scheduling, CHANNEL_WINDOW};
use crate::flash::Flash;
use crate::BoardError;

/// Superblocks a way that never count as capacity: the one being filled, and the one that garbage
/// collection keeps free. Where the power may cut a collection off it keeps two.
const RESERVED_SUPERBLOCKS_PER_WAY: u64 = 2;
/// Fewest entries for pages of the log: two for journal pages, and two for snapshots.
const FEWEST_LOG_ENTRIES: u32 = 4;
/// Bytes of an entry of the map, and of the block table, in a snapshot (`firmware/src/ftl/log/page.rs`).
const MAP_ENTRY_BYTES: u64 = 4;
const BLOCK_ENTRY_BYTES: u64 = 16;
/// Bytes before the entries of a page of the log.
const LOG_HEADER_BYTES: u32 = 32;

/// Bytes of a page of the log that hold entries.
const fn log_entry_bytes(geometry: &Geometry) -> u32 {
    geometry.page_bytes - LOG_HEADER_BYTES
}

/// Bytes of the smallest mapping unit.
const LEAST_MAPPING_UNIT: u32 = 4096;
/// Fewest pages of a data buffer.
const FEWEST_BUFFER_ENTRIES: u64 = 16;

/// Most ways of a channel that schedules, bytes of its pages and entries of a buffer that it uses: what its
/// packets have bits for (`rtl/flash/flash_channel.rdl`).
const MOST_WAYS: u32 = 16;
const MOST_PAGE_BYTES: u32 = 32_768;
const MOST_ENTRIES: u32 = 65_536;

/// How long hosts wait for a drive that is enabled (CAP.TO), in milliseconds.
const MOST_SCAN_MS: u64 = 30_000;

/// Parts of the map that have to fit into memory beside those that are read and written at once.
const PARTS_BESIDE_LOG_ENTRIES: u64 = 2;

/// Most units of a page that the firmware tells apart.
const MOST_UNITS: u32 = 64;

impl Derivation<'_> {
    pub(super) fn firmware(
        &self,
        geometry: Geometry,
        (flash, ecc): (&Flash, &Ecc),
    ) -> Result<Configuration, BoardError> {
        let medium = self.medium();
        let command_set = self.command_set(medium)?;
        let (block_formats, block_format) = self.formats_of(command_set)?;
        let unit_bytes = match command_set {
            CommandSet::Block => {
                self.mapping_unit((flash, medium), &geometry, (ecc, &block_formats))?
            }
            CommandSet::OpenChannel | CommandSet::Zoned => {
                self.block_unit(&geometry, (ecc, block_formats[0]))?
            }
        };
        let units = geometry.page_bytes / unit_bytes;
        let buffer_entries = self.buffer_entries(&geometry)? * units;
        let joined_planes = self.joined_planes(medium);
        let automations = [contract::Automation::None, contract::Automation::ReadsAndWrites];
        let automation = self.choice("automation.commands", automations);
        if medium == Medium::Flash && automation != contract::Automation::None {
            let expected = "none, unless storage.medium is memory".to_owned();
            return Err(self.contradiction("automation.commands", expected));
        }
        let recovery = self.recovery(medium, (&geometry, units))?;
        let reserve =
            self.reserve((flash, &geometry), (buffer_entries / units, joined_planes), recovery)?;
        if reserve.is_some() {
            self.check_reserve(units, ecc, recovery)?;
        }
        let grain = match medium {
            Medium::Flash => {
                let of_log = recovery.map_or(0, |recovery| recovery.log_entries);
                let staging = reserve.map_or(0, |_| Reserve::STAGING_ENTRIES);
                let entries = buffer_entries + of_log + staging;
                self.grain((flash, &geometry, ecc), (entries, joined_planes * units))?
            }
            Medium::Memory => Grain::Phases,
        };
        let reserved = RESERVED_SUPERBLOCKS_PER_WAY + u64::from(recovery.is_some());
        let of_log = recovery.map_or(0, |recovery| recovery.log_blocks_per_way);
        let saved = reserve.map_or(0, |reserve| reserve.blocks_per_way);
        let planes = (joined_planes, flash.fold.planes());
        let zoning = self.zoning(command_set, flash, &geometry)?;
        let logical_pages = match (medium, command_set) {
            (Medium::Flash, CommandSet::Zoned) => {
                self.zoned_pages(&geometry, zoning.expect("a drive with zones"))
            }
            // The host has all of the flash.
            (Medium::Flash, CommandSet::OpenChannel) => geometry.pages() as u32,
            (Medium::Flash, CommandSet::Block) => {
                self.logical_pages(&geometry, planes, (reserved, of_log + saved))?
            }
            (Medium::Memory, _) => self.memory_pages(&geometry)?,
        };
        let config = Configuration {
            serial: 1,
            medium,
            command_set,
            zoning,
            automation,
            geometry,
            flash_times: flash_times(flash),
            grain,
            joined_planes,
            programming: flash.programming,
            suspends: flash.suspends,
            read_unit_bytes: self.read_unit(flash.page_bytes, ecc)?,
            unit_bytes,
            logical_pages,
            namespaces: self.namespaces(medium, command_set, logical_pages)?,
            block_formats,
            block_format,
            buffer_entries,
            cache: self.choice("ftl.cache", [CachePolicy::WriteBack, CachePolicy::WriteThrough]),
            policies: self.policies(),
            command_slots: self.u32("nvme.command_slots"),
            io_queues: self.u32("nvme.io_queues"),
            vectors: self.u32("nvme.vectors"),
            queue_entries: self.u32("nvme.queue_entries"),
            completer: self.choice("host.completer", [Completer::Firmware, Completer::Interface]),
            doorbell_buffers: DoorbellBuffers::Absent,
            max_transfer_bytes: self.u32("nvme.max_transfer_kib") * 1024,
            dma_requests: self.u32("nvme.dma_requests"),
            clean_entries_kept: (buffer_entries * self.u32("ftl.background_flush_percent"))
                .div_ceil(100),
            free_pages_kept: self.u32("ftl.background_collection_pages"),
            refresh: self.refresh(ecc)?,
            read_retries: self.u32("ftl.read_retries"),
            read_levels: self.read_levels(&grain),
            spare_blocks_per_way: self.spare_blocks(flash.fold.planes()),
            bad_blocks: self.bad_blocks(flash, &geometry)?,
            rated_cycles: self.u32("flash.rated_cycles"),
            recovery,
            reserve,
        };
        self.check_zones(&config)?;
        Ok(config)
    }

    /// What a drive that saves its buffer when the power goes away has to be able to tell of each page: the mapping
    /// units in it, and when each of them was planned. All of its map is in memory.
    fn check_reserve(
        &self,
        units: u32,
        ecc: &Ecc,
        recovery: Option<Recovery>,
    ) -> Result<(), BoardError> {
        if units as usize > Metadata::MOST_AGED {
            let expected = format!(
                "0, as {units} mapping units are programmed together, and metadata tell when each was planned of at most {}",
                Metadata::MOST_AGED
            );
            return Err(self.contradiction("power_loss.capacitor_millijoules", expected));
        }
        let of_saved = Metadata::bytes_saved(units as usize) as u32;
        if ecc.metadata_bytes < of_saved {
            let expected = format!("at least {of_saved}, for the {units} mapping units of a page and when each was planned, as power_loss.capacitor_millijoules is above 0");
            return Err(self.contradiction("flash.metadata_bytes", expected));
        }
        let is_paged = recovery.is_some_and(|recovery| recovery.map_cache_parts.is_some());
        if is_paged {
            let expected = "0, as ftl.map_cache_bytes is less than the map".to_owned();
            return Err(self.contradiction("power_loss.capacitor_millijoules", expected));
        }
        Ok(())
    }

    /// How bad blocks are known. Looking at all of them is not to take longer than hosts wait: the ways of a channel
    /// share its bus at best, and work one after the other at worst.
    fn bad_blocks(&self, flash: &Flash, geometry: &Geometry) -> Result<BadBlocks, BoardError> {
        let key = "ftl.bad_blocks";
        let chosen = self.choice(key, [BadBlocks::Table, BadBlocks::Scan]);
        if chosen == BadBlocks::Table || self.medium() == Medium::Memory {
            return Ok(BadBlocks::Table);
        }
        if flash.fold.planes() > 1 {
            let expected =
                "table, as channel.merging has planes act together: each has marks of its own";
            return Err(self.contradiction(key, expected.to_owned()));
        }
        let Channel { bus, transfer_overhead, status_check, page_bus_bytes, .. } =
            self.channel(flash.page_bus_bytes());
        let transfer = u64::from(page_bus_bytes) * bus.ps_per_kib() / 1024;
        let slowest = slowest(flash.read_times()) + flash.read_deviation + flash.die_deviation;
        let look = slowest.as_ps() + transfer + (transfer_overhead + status_check).as_ps();
        let blocks = u64::from(geometry.ways) * u64::from(geometry.blocks_per_way);
        let milliseconds = look.saturating_mul(blocks) / 1_000_000_000;
        if milliseconds > MOST_SCAN_MS {
            let expected = format!(
                "table, as {blocks} blocks a channel may take {milliseconds} ms, and hosts wait for {MOST_SCAN_MS} ms"
            );
            return Err(self.contradiction(key, expected));
        }
        Ok(chosen)
    }

    /// Data are refreshed before they are lost.
    fn refresh(&self, ecc: &Ecc) -> Result<Refresh, BoardError> {
        let key = "ftl.refresh_bits";
        let corrected_bits = self.u32(key);
        if corrected_bits > ecc.correctable_bits {
            let expected = format!("at most ecc.correctable_bits, {}", ecc.correctable_bits);
            return Err(self.contradiction(key, expected));
        }
        Ok(Refresh { corrected_bits, patrol_interval: self.time("ftl.patrol_interval_us") })
    }

    /// Planes on which channels join whole operations. Those that keep the order of all operations join
    /// none.
    fn joined_planes(&self, medium: Medium) -> u32 {
        let Scheduling { execution, merging, .. } = self.scheduling();
        let joins = merging.planes && execution == Execution::OutOfOrder && !self.schedules();
        match medium {
            Medium::Flash if joins => self.u32("flash.planes"),
            Medium::Flash | Medium::Memory => 1,
        }
    }

    /// Whether the firmware schedules.
    pub(super) fn schedules(&self) -> bool {
        self.choice("channel.scheduler", [true, false])
    }

    /// Whether chips can be told to suspend: what a reset breaks off, and what a capacitor has to end, is one operation a chip.
    fn suspension_fits(&self, flash: &Flash) -> Result<(), BoardError> {
        let others = ["errors.hangs_per_billion", "power_loss.capacitor_millijoules"];
        match others.into_iter().find(|&path| self.u64(path) > 0) {
            Some(path) if flash.suspends > 0 => {
                Err(self.contradiction(path, "0, as flash.suspends is not".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Who schedules, and if the channels do, what their packets hold.
    fn grain(
        &self,
        (flash, geometry, ecc): (&Flash, &Geometry, &Ecc),
        (buffer_entries, moved): (u32, u32),
    ) -> Result<Grain, BoardError> {
        if self.schedules() {
            self.suspension_fits(flash)?;
            return Ok(Grain::Phases);
        }
        if flash.suspends > 0 {
            let expected = "0, as channel.scheduler is controller".to_owned();
            return Err(self.contradiction("flash.suspends", expected));
        }
        if flash.programming != Programming::SINGLE {
            let expected = "page, as channel.scheduler is controller".to_owned();
            return Err(self.contradiction("flash.program", expected));
        }
        let limits = [
            ("geometry.ways", geometry.ways, MOST_WAYS),
            ("geometry.page_bytes", geometry.page_bytes, MOST_PAGE_BYTES),
            ("ftl.buffer_kib", buffer_entries + geometry.dies() * moved + 1, MOST_ENTRIES),
        ];
        for (path, found, most) in limits {
            if found > most {
                let what = if path == "ftl.buffer_kib" { " buffer entries" } else { "" };
                let expected = format!("at most {most}{what}, as channel.scheduler is controller");
                return Err(self.contradiction(path, expected));
            }
        }
        Ok(Grain::Operations(OperationGrain {
            way_requests: self.way_requests(geometry),
            format: PhaseFormat {
                page_bytes: geometry.page_bytes as u16,
                flash_pages: 1,
                rows: RowFormat::dense(geometry.pages_per_block),
                code: ecc.code_words(),
            },
        }))
    }

    /// Operations of a way that its channel takes. All of them wait in front of the queues at worst.
    pub(super) fn way_requests(&self, geometry: &Geometry) -> u32 {
        self.u32("channel.way_queue_depth").min(CHANNEL_WINDOW / geometry.ways)
    }

    /// Read levels that the firmware uses. It sets one with a request in front of the read: a channel that takes one request
    /// a way takes none.
    fn read_levels(&self, grain: &Grain) -> u8 {
        match grain {
            Grain::Operations(grain) if grain.way_requests < 2 => 0,
            _ => self.u32("flash.read_levels") as u8,
        }
    }

    /// The smallest part of a page that a read can move, as the firmware is told.
    fn read_unit(&self, page_bytes: u32, ecc: &Ecc) -> Result<u32, BoardError> {
        let path = "channel.read_unit_bytes";
        let unit = self.u32(path);
        let least = ecc.chunk_bytes.max(page_bytes / MOST_UNITS);
        if self.medium() == Medium::Memory || unit == 0 {
            return Ok(page_bytes);
        }
        if !unit.is_power_of_two() || !(least..=page_bytes).contains(&unit) {
            let expected = format!(
                "0 for whole pages, or a power of two from {least} to geometry.page_bytes, which is {page_bytes}: whole chunks of ecc.chunk_bytes, at most {MOST_UNITS} units a page"
            );
            return Err(self.contradiction(path, expected));
        }
        Ok(unit)
    }

    /// Bytes of a mapping unit.
    fn mapping_unit(
        &self,
        (flash, medium): (&Flash, Medium),
        geometry: &Geometry,
        (ecc, block_formats): (&Ecc, &[u32; 4]),
    ) -> Result<u32, BoardError> {
        let path = "ftl.mapping_unit_bytes";
        let (stated, page, all) = (self.u32(path), flash.page_bytes, geometry.page_bytes);
        let unit = if stated == 0 || medium == Medium::Memory { page } else { stated };
        if unit == all {
            return Ok(unit);
        }
        let block = block_formats.iter().copied().max().unwrap_or(0);
        let least = LEAST_MAPPING_UNIT.max(all / Metadata::MOST_UNITS as u32).max(block);
        // Some numbers have a meaning of their own in the map.
        let most_units = u64::from(u32::MAX - 3);
        let fits = geometry.pages() * u64::from(all / unit) <= most_units;
        if !unit.is_power_of_two() || !(least..=page).contains(&unit) || !fits {
            let fewest = (geometry.pages() * u64::from(all)).div_ceil(most_units);
            let least = u64::from(least).max(fewest).next_power_of_two();
            let expected = format!(
                "0 for the page, or a power of two from {least} to geometry.page_bytes, which is {page}"
            );
            return Err(self.contradiction(path, expected));
        }
        let needed = Metadata::bytes((all / unit) as usize) as u32;
        if ecc.metadata_bytes < needed {
            let expected = format!(
                "at least {needed}, for the {} mapping units that are programmed together",
                all / unit
            );
            return Err(self.contradiction("flash.metadata_bytes", expected));
        }
        Ok(unit)
    }

    /// The log that a drive finds its map in after a power loss, if it has one: room for two snapshots of
    /// all of the map and of the block table, the journal pages between them, and two blocks a way more,
    /// one that is being written and one that is being erased.
    fn recovery(
        &self,
        medium: Medium,
        (geometry, units): (&Geometry, u32),
    ) -> Result<Option<Recovery>, BoardError> {
        let path = "recovery.log_entries";
        let log_entries = self.u32(path);
        if log_entries == 0 || medium == Medium::Memory {
            if medium == Medium::Flash && self.u64("ftl.map_cache_bytes") > 0 {
                let expected = format!(
                    "at least {FEWEST_LOG_ENTRIES}, as ftl.map_cache_bytes is above 0: parts of the map are pages of the log"
                );
                return Err(self.contradiction(path, expected));
            }
            return Ok(None);
        }
        if log_entries < FEWEST_LOG_ENTRIES {
            let expected = format!("0 for no log, or at least {FEWEST_LOG_ENTRIES}");
            return Err(self.contradiction(path, expected));
        }
        let snapshots_per_journal_page = self.u32("recovery.snapshots_per_journal_page");
        let per_page = u64::from(log_entry_bytes(geometry));
        let blocks = u64::from(geometry.dies()) * u64::from(geometry.blocks_per_way);
        let parts = (geometry.pages() * u64::from(units) * MAP_ENTRY_BYTES).div_ceil(per_page)
            + (blocks * BLOCK_ENTRY_BYTES).div_ceil(per_page);
        let round = parts + parts.div_ceil(u64::from(snapshots_per_journal_page));
        let row = u64::from(geometry.dies()) * u64::from(geometry.pages_per_block);
        let blocks = (2 * round).div_ceil(row) + 2;
        Ok(Some(Recovery {
            log_blocks_per_way: u32::try_from(blocks).expect("a small part of the blocks of a way"),
            snapshots_per_journal_page,
            log_entries,
            map_cache_parts: self.map_cache_parts((geometry, units), log_entries)?,
        }))
    }

    /// Parts of the map that are kept in memory, where not all of it is.
    fn map_cache_parts(
        &self,
        (geometry, units): (&Geometry, u32),
        log_entries: u32,
    ) -> Result<Option<u32>, BoardError> {
        let path = "ftl.map_cache_bytes";
        let bytes = self.u64(path);
        if bytes == 0 {
            return Ok(None);
        }
        let part = u64::from(log_entry_bytes(geometry));
        let least = (u64::from(log_entries) + PARTS_BESIDE_LOG_ENTRIES) * part;
        if bytes < least {
            let expected = format!(
                "0 for the whole map, or at least {least}, for {} parts of it",
                least / part
            );
            return Err(self.contradiction(path, expected));
        }
        let all = (geometry.pages() * u64::from(units) * MAP_ENTRY_BYTES).div_ceil(part);
        Ok((bytes / part < all).then(|| (bytes / part) as u32))
    }

    /// Spare blocks as the firmware counts them: a block of each plane that acts with others. One bad block makes all of
    /// them bad.
    fn spare_blocks(&self, folded: u32) -> u32 {
        self.u32("ftl.spare_blocks_per_way").div_ceil(folded)
    }

    /// What is left of the array after spare blocks, reserved blocks and overprovisioning.
    /// All are of whole superblocks: blocks that channels join over planes.
    fn logical_pages(
        &self,
        geometry: &Geometry,
        (planes, folded): (u32, u32),
        (reserved, kept_apart): (u64, u32),
    ) -> Result<u32, BoardError> {
        let (blocks, planes) = (u64::from(geometry.blocks_per_way), u64::from(planes));
        let (spare, folded) = (u64::from(self.spare_blocks(folded)), u64::from(folded));
        let apart = u64::from(kept_apart).next_multiple_of(planes);
        let taken = spare.next_multiple_of(planes) + reserved * planes + apart;
        let least = taken + planes;
        if blocks < least {
            let expected = format!("at least {}, for spares, reserve and data", least * folded);
            return Err(self.contradiction("geometry.blocks_per_way", expected));
        }
        let data_blocks = blocks - taken;
        let factory_bad = "errors.factory_bad_blocks_per_million";
        if 2 * blocks * folded * self.u64(factory_bad) > spare * 1_000_000 {
            let most = spare * 500_000 / (blocks * folded);
            let expected = format!("at most {most}, half the share of ftl.spare_blocks_per_way");
            return Err(self.contradiction(factory_bad, expected));
        }
        let pages = data_blocks * u64::from(geometry.dies()) * u64::from(geometry.pages_per_block);
        let logical = pages * 100 / (100 + self.u64("ftl.overprovision_percent"));
        self.check_handles(
            data_blocks / planes,
            logical.div_ceil(u64::from(geometry.dies() * geometry.pages_per_block) * planes),
        )?;
        if logical == 0 {
            let expected = format!("less, so that {pages} pages leave some to the host");
            return Err(self.contradiction("ftl.overprovision_percent", expected));
        }
        Ok(u32::try_from(logical).expect("all pages of the array count in 32 bits"))
    }

    /// All of the memory, and no more than bytes of a namespace have 32-bit numbers of pages.
    fn memory_pages(&self, geometry: &Geometry) -> Result<u32, BoardError> {
        let pages = (self.u64("memory.capacity_mib") << 20) / u64::from(geometry.page_bytes);
        // The last number is the compare entry's.
        u32::try_from(pages).ok().filter(|&pages| pages < u32::MAX).ok_or_else(|| {
            let most = (u64::from(u32::MAX) * u64::from(geometry.page_bytes)) >> 20;
            let expected = format!("at most {most}, so that all pages count in 32 bits");
            self.contradiction("memory.capacity_mib", expected)
        })
    }

    fn buffer_entries(&self, geometry: &Geometry) -> Result<u32, BoardError> {
        let entries = self.u64("ftl.buffer_kib") * 1024 / u64::from(geometry.page_bytes);
        if entries < FEWEST_BUFFER_ENTRIES {
            let least = FEWEST_BUFFER_ENTRIES * u64::from(geometry.page_bytes) / 1024;
            let expected = format!("at least {least}, for {FEWEST_BUFFER_ENTRIES} pages");
            return Err(self.contradiction("ftl.buffer_kib", expected));
        }
        Ok(u32::try_from(entries).expect("the table of keys bounds the buffer"))
    }
}
