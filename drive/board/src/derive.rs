//! From leaves to the derived form: conversions, and all checks that concern more than one leaf.

mod cells;
mod cores;
mod firmware;
mod host;
mod namespaces;
mod open_channel;
mod policies;
mod processor;
mod programs;
mod saving;
mod zoned;

use contract::{Duration, Geometry, Medium, Programming};

use crate::board::{
    BusTiming, Channel, Ecc, Errors, Execution, Interface, Memory, MemoryMedium, Merging,
    Scheduling, Scrambler,
};
use crate::flash::{CellMode, Flash};
use crate::fold::Fold;
use crate::sheet::{Origins, Sheet};
use crate::word_lines::{Pairing, WordLines, MOST_CELL_BITS};
use crate::{Bandwidth, Board, BoardError, ErrorModel};
use programs::{latency_keys, Steps};

/// What a board is called.
pub(crate) struct Title {
    pub name: String,
    pub description: String,
}

/// Derives and checks a whole board.
pub(crate) fn board(title: Title, sheet: Sheet, origins: &Origins) -> Result<Board, BoardError> {
    let from = Derivation { sheet: &sheet, origins };
    let flash = from.flash();
    let geometry = from.geometry(&flash)?;
    from.check_deviations(&flash)?;
    from.check_hangs(&flash)?;
    let ecc = from.ecc(&flash)?;
    let firmware = from.firmware(geometry, (&flash, &ecc))?;
    Ok(Board {
        cores: from.cores(&firmware)?,
        firmware,
        flash,
        channel: from.channel(flash.page_bus_bytes()),
        ecc,
        memory: from.memory(),
        host: from.host(),
        automation: from.automation(),
        processor: from.processor()?,
        errors: from.errors(),
        cells: from.cells()?,
        capacitor_pj: from.capacitor_pj(),
        guest_cpu: from.guest_cpu(),
        name: title.name,
        description: title.description,
        sheet,
    })
}

struct Derivation<'a> {
    sheet: &'a Sheet,
    origins: &'a Origins,
}

impl Derivation<'_> {
    fn u64(&self, path: &str) -> u64 {
        self.sheet.number(path)
    }

    /// A count whose bound in the table of keys lies below 2^32.
    fn u32(&self, path: &str) -> u32 {
        u32::try_from(self.u64(path)).expect("the table of keys bounds it")
    }

    fn time(&self, path: &str) -> Duration {
        Duration::from_ps(self.u64(path))
    }

    fn bandwidth(&self, path: &str) -> Bandwidth {
        Bandwidth::from_ps_per_kib(self.u64(path))
    }

    /// The value that stands at the chosen word's place in the table of keys.
    fn choice<T: Copy, const N: usize>(&self, path: &str, values: [T; N]) -> T {
        values[self.u64(path) as usize]
    }

    fn contradiction(&self, path: &str, expected: String) -> BoardError {
        self.origins.contradiction(self.sheet, path, expected)
    }

    fn flash(&self) -> Flash {
        let modes = [CellMode::Slc, CellMode::Mlc, CellMode::Tlc, CellMode::Qlc];
        let cell_mode = self.choice("flash.cell_mode", modes);
        let steps = self.choice("flash.program", [Steps::Page, Steps::OneShot, Steps::TwoPass]);
        let [read, program] = latency_keys(cell_mode, steps).map(|keys| self.times_by_type(keys));
        let of_plane = match self.medium() {
            Medium::Flash => steps.of(cell_mode),
            Medium::Memory => Programming::SINGLE,
        };
        let fold = Fold::new(self.folded_planes(), of_plane.flash_pages);
        let flash_pages = fold.planes() * fold.pages();
        Flash {
            cell_mode,
            cell_bits: self.u32("flash.cell_bits"),
            pairing: self.choice("flash.pairing", [Pairing::Adjacent, Pairing::Shifted]),
            programming: Programming { flash_pages, ..of_plane },
            fold,
            page_bytes: self.u32("geometry.page_bytes"),
            pages_per_physical_block: self.u32("flash.pages_per_physical_block"),
            spare_bytes: self.u32("flash.spare_bytes"),
            t_read: read,
            t_program: program,
            t_erase: self.time("flash.t_erase_us"),
            read_deviation: self.time("flash.read_deviation_us"),
            program_deviation: self.time("flash.program_deviation_us"),
            erase_deviation: self.time("flash.erase_deviation_us"),
            die_deviation: self.time("flash.die_deviation_us"),
            planes: self.u32("flash.planes"),
            read_levels: self.u32("flash.read_levels") as u8,
            t_feature: self.time("flash.t_feature_us"),
            suspends: self.u32("flash.suspends") as u8,
            t_suspend: self.time("flash.t_suspend_us"),
            t_resume: self.time("flash.t_resume_us"),
            t_cache_busy: self.time("flash.t_cache_busy_us"),
            cached_program_permille: self.u32("flash.cached_program_permille"),
            t_plane_busy: self.time("flash.t_plane_busy_us"),
        }
    }

    /// Times that stand under these keys, by page type.
    fn times_by_type(&self, keys: &[&str]) -> [Duration; MOST_CELL_BITS] {
        let mut times = [Duration::ZERO; MOST_CELL_BITS];
        for (time, path) in times.iter_mut().zip(keys) {
            *time = self.time(path);
        }
        times
    }

    /// No operation may end before it began, however far it and its die deviate.
    fn check_deviations(&self, flash: &Flash) -> Result<(), BoardError> {
        let steps = self.choice("flash.program", [Steps::Page, Steps::OneShot, Steps::TwoPass]);
        let [read, program] = latency_keys(flash.cell_mode, steps);
        let reads = read.iter().map(|&latency| (latency, "flash.read_deviation_us"));
        let programs = program.iter().map(|&latency| (latency, "flash.program_deviation_us"));
        let erase = [("flash.t_erase_us", "flash.erase_deviation_us")];
        for (latency, deviation) in reads.chain(programs).chain(erase) {
            if self.time(deviation) + flash.die_deviation >= self.time(latency) {
                let expected = format!("with flash.die_deviation_us less than {latency}");
                return Err(self.contradiction(deviation, expected));
            }
        }
        Ok(())
    }

    /// Usable pages of a block as the firmware counts them: as many for each word line as the cell mode has bits, or one where
    /// word lines are programmed as a whole.
    fn pages_per_block(&self, flash: &Flash) -> Result<u32, BoardError> {
        let (mode, bits) = (flash.cell_mode, flash.cell_bits);
        if mode.bits() > bits {
            let expected = format!("cells of at most {bits} bits, which is flash.cell_bits");
            return Err(self.contradiction("flash.cell_mode", expected));
        }
        let path = "flash.pages_per_physical_block";
        let all = flash.pages_per_physical_block;
        if all % bits != 0 {
            let expected = format!(
                "a multiple of flash.cell_bits, which is {bits}, as a word line has as many pages"
            );
            return Err(self.contradiction(path, expected));
        }
        let pages = all / bits * mode.bits();
        let fewest = WordLines::fewest(mode) / mode.bits() * bits;
        if flash.pairing == Pairing::Shifted && all < fewest {
            let expected = format!("at least {fewest}, as flash.pairing is shifted");
            return Err(self.contradiction(path, expected));
        }
        if flash.fold.pages() > 1 && flash.pairing == Pairing::Shifted {
            let expected = "adjacent, as flash.program is about whole word lines".to_owned();
            return Err(self.contradiction("flash.pairing", expected));
        }
        Ok(pages / flash.fold.pages())
    }

    fn geometry(&self, flash: &Flash) -> Result<Geometry, BoardError> {
        let pages_per_block = self.pages_per_block(flash)?;
        if self.medium() == Medium::Memory {
            // Channels without blocks: a firmware without flash asks for none.
            let page_bytes = self.u32("geometry.page_bytes");
            let channels = self.u32("memory.channels");
            return Ok(Geometry {
                channels,
                ways: 1,
                blocks_per_way: 1,
                pages_per_block: 1,
                page_bytes,
            });
        }
        let blocks = self.u32("geometry.blocks_per_way");
        let geometry = Geometry {
            channels: self.u32("geometry.channels"),
            ways: self.u32("geometry.ways"),
            blocks_per_way: blocks / flash.fold.planes(),
            pages_per_block,
            page_bytes: flash.page_bytes * flash.programming.flash_pages,
        };
        if blocks % flash.planes != 0 {
            let expected = format!("a multiple of flash.planes, which is {}", flash.planes);
            return Err(self.contradiction("geometry.blocks_per_way", expected));
        }
        // The map keeps three codes for itself.
        let most = (u32::MAX - 3) / (geometry.dies() * pages_per_block);
        if geometry.blocks_per_way > most {
            let most = u64::from(most) * u64::from(flash.fold.planes());
            let expected = format!("at most {most}, so that all pages count in 32 bits");
            return Err(self.contradiction("geometry.blocks_per_way", expected));
        }
        Ok(geometry)
    }

    fn channel(&self, page_bus_bytes: u32) -> Channel {
        Channel {
            clock: Duration::from_ps(1_000_000 / self.u64("channel.clock_mhz")),
            bus: self.bandwidth("channel.bus_bandwidth_mb_s"),
            page_bus_bytes,
            trigger_overhead: self.time("channel.trigger_overhead_us"),
            program_overhead: self.time("channel.program_overhead_us"),
            transfer_overhead: self.time("channel.transfer_overhead_us"),
            erase_overhead: self.time("channel.erase_overhead_us"),
            status_check: self.time("channel.status_check_us"),
            status_latency: self.time("channel.status_latency_us"),
            request_latency: self.time("channel.request_latency_us"),
            turn_gap: self.time("channel.turn_gap_us"),
            mode_turn: self.time("channel.mode_turn_us"),
            request_depth: self.u32("channel.request_depth"),
            status_poll: self.time("channel.status_poll_us"),
            scheduling: self.scheduling(),
            timing: BusTiming {
                interface: self.choice("channel.interface", [Interface::Sdr, Interface::Ddr]),
                t_adl: self.time("channel.t_adl_ns"),
                t_ccs: self.time("channel.t_ccs_ns"),
                t_whr: self.time("channel.t_whr_ns"),
                t_rhw: self.time("channel.t_rhw_ns"),
                t_wb: self.time("channel.t_wb_ns"),
                t_rr: self.time("channel.t_rr_ns"),
            },
        }
    }

    /// A chip that is at work is not taken for one that hangs, and one that hangs is not waited for.
    fn check_hangs(&self, flash: &Flash) -> Result<(), BoardError> {
        let timeout = "channel.busy_timeout_us";
        let given = self.time(timeout);
        let longest = flash.t_erase + flash.erase_deviation + flash.die_deviation;
        if given > Duration::ZERO && given <= longest {
            let expected = "0, or more than an erase takes".to_owned();
            return Err(self.contradiction(timeout, expected));
        }
        if self.u64("errors.hangs_per_billion") > 0 && given == Duration::ZERO {
            let expected = "0, unless channel.busy_timeout_us is above 0";
            return Err(self.contradiction("errors.hangs_per_billion", expected.to_owned()));
        }
        Ok(())
    }

    fn scheduling(&self) -> Scheduling {
        let merging = |planes, cache| Merging { planes, cache };
        let mergings = [(false, false), (true, false), (false, true), (true, true)];
        let models = [
            Execution::Sequential,
            Execution::Decoupled,
            Execution::InOrder,
            Execution::OutOfOrder,
        ];
        Scheduling {
            execution: self.choice("channel.execution", models),
            merging: self
                .choice("channel.merging", mergings.map(|(planes, cache)| merging(planes, cache))),
            way_queue_depth: self.u32("channel.way_queue_depth"),
            low_priority_ways: self.u32("channel.low_priority_ways"),
            priority_age: self.u32("channel.priority_age"),
            busy_timeout: self.time("channel.busy_timeout_us"),
        }
    }

    fn ecc(&self, flash: &Flash) -> Result<Ecc, BoardError> {
        let ecc = Ecc {
            chunk_bytes: self.u32("ecc.chunk_bytes"),
            correctable_bits: self.u32("ecc.correctable_bits"),
            channels_per_solver: self.u32("ecc.channels_per_solver"),
            decode_latency: self.time("ecc.decode_latency_us"),
            solve_per_chunk: self.time("ecc.solve_per_chunk_us"),
            scrambler: self.choice("ecc.scrambler", [Scrambler::On, Scrambler::Off]),
            metadata_bytes: self.u32("flash.metadata_bytes"),
        };
        let chunks = flash.page_bytes / ecc.chunk_bytes;
        let parity = chunks * ecc.parity_bytes();
        if parity > flash.spare_bytes {
            let expected = format!("at least {parity}, the parity of {chunks} chunks");
            return Err(self.contradiction("flash.spare_bytes", expected));
        }
        let left = (flash.spare_bytes - parity).saturating_sub(ecc.parity_bytes());
        let most = left.min(ecc.chunk_bytes).min(254) & !1;
        if ecc.metadata_bytes > most || ecc.metadata_bytes % 2 != 0 {
            let expected = format!(
                "an even number up to {most}, no more than a chunk and what {} code words leave of {} spare bytes",
                chunks + 1,
                flash.spare_bytes
            );
            return Err(self.contradiction("flash.metadata_bytes", expected));
        }
        Ok(ecc)
    }

    fn memory(&self) -> Memory {
        Memory {
            dram: self.bandwidth("memory.dram_bandwidth_mb_s"),
            interconnect: self.bandwidth("memory.interconnect_bandwidth_mb_s"),
            data_bus: self.bandwidth("memory.data_bus_bandwidth_mb_s"),
            channel_bus: self.bandwidth("memory.channel_bus_bandwidth_mb_s"),
            engine_access: self.time("memory.engine_access_ns"),
            medium: MemoryMedium {
                capacity_bytes: self.u64("memory.capacity_mib") << 20,
                channels: self.u32("memory.channels"),
                chunk_bytes: self.u32("memory.chunk_bytes"),
                chunk_latency: self.time("memory.chunk_latency_ns"),
            },
        }
    }

    fn medium(&self) -> Medium {
        self.choice("storage.medium", [Medium::Flash, Medium::Memory])
    }

    fn errors(&self) -> Errors {
        Errors {
            model: self.choice("errors.model", [ErrorModel::Rates, ErrorModel::Cells]),
            raw_bits_per_terabit: self.u64("errors.raw_bits_per_terabit"),
            raw_bits_per_terabit_per_kilocycle: self
                .u64("errors.raw_bits_per_terabit_per_kilocycle"),
            unscrambled_growth_percent: self.u64("errors.unscrambled_growth_percent"),
            disturb_bits_per_terabit_per_kiloread: self
                .u64("errors.disturb_bits_per_terabit_per_kiloread"),
            retention_bits_per_terabit_per_hour: self
                .u64("errors.retention_bits_per_terabit_per_hour"),
            shelf_hours: self.u64("errors.shelf_hours"),
            retry_percent: self.u64("errors.retry_percent"),
            program_failures_per_billion: self.u64("errors.program_failures_per_billion"),
            erase_failures_per_billion: self.u64("errors.erase_failures_per_billion"),
            hangs_per_billion: self.u64("errors.hangs_per_billion"),
            factory_bad_blocks_per_million: self.u64("errors.factory_bad_blocks_per_million"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{self, Kind};

    /// Values near what stands in `leaf`, some of which the board allows.
    fn neighbours(kind: Kind, written: &str) -> Vec<String> {
        let number = || written.parse::<f64>().unwrap();
        match kind {
            // Some sizes are 0 for none, or those of pages.
            Kind::Count(..) => [-1.0, 1.0, 2.0, 16.0, 4096.0, 1e6]
                .map(|step| (number() + step).to_string())
                .to_vec(),
            Kind::Power(..) => {
                [0.125, 0.5, 2.0].map(|factor| (number() * factor).to_string()).to_vec()
            }
            Kind::Time(_) | Kind::Latency(_) => vec![(number() + 0.001).to_string()],
            Kind::Bandwidth => vec![(number() + 1.0).to_string()],
            Kind::Choice(words) => words.iter().map(|word| word.to_string()).collect(),
            Kind::Sizes(_) => vec!["4096".to_owned()],
            Kind::Lists => vec!["host, ftl; channels".to_owned()],
        }
    }

    #[test]
    fn every_key_reaches_the_derived_form() {
        let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let modes = [
            ("slc", "2", "page"),
            ("mlc", "2", "page"),
            ("tlc", "3", "page"),
            ("qlc", "4", "page"),
            ("tlc", "3", "one-shot"),
            ("qlc", "4", "two-pass"),
        ]
        .map(|(mode, bits, program)| {
            let pages = set("flash.pages_per_physical_block", "240");
            let metadata = set("flash.metadata_bytes", "36");
            let bits = set("flash.cell_bits", bits);
            let cells = vec![
                set("flash.cell_mode", mode),
                bits,
                set("flash.program", program),
                pages,
                metadata,
            ];
            [cells, vec![set("ftl.placement", "random")]].concat()
        })
        // What it was: a page of another size is refused unless its spare bytes are stated.
        .map(|mode| [mode, vec![set("flash.spare_bytes", "1664")]].concat());
        let without_flash = vec![set("storage.medium", "memory")];
        let with_log = vec![set("recovery.log_entries", "8")];
        let with_timeout =
            vec![set("channel.scheduler", "controller"), set("channel.busy_timeout_us", "50000")];
        let capacitor = set("power_loss.capacitor_millijoules", "150");
        let with_capacitor = [with_log.clone(), vec![capacitor]].concat();
        let with_metadata = vec![set("flash.metadata_bytes", "36")];
        let guest = ["issue_ns", "complete_ns", "switch_ns", "wake_ns"];
        let with_guest = guest.map(|key| set(&format!("guest_cpu.{key}"), "500")).to_vec();
        let zones = [("channels", "1"), ("ways", "1"), ("open", "2"), ("active", "4")];
        let zones = zones.map(|(key, value)| set(&format!("zones.{key}"), value)).to_vec();
        let zoned = vec![set("nvme.command_set", "zoned")];
        let with_zones = [zoned, with_metadata.clone(), zones].concat();
        let others =
            [without_flash, with_log, with_timeout, with_capacitor, with_metadata, with_guest];
        let modes: Vec<_> = modes.into_iter().chain(others).chain([with_zones]).collect();
        for key in keys::all() {
            let owners = key.owner.map(|owner| {
                let policy = (0..).find(|&policy| owner.has(policy)).expect("a policy has it");
                set(owner.kind.key, owner.kind.words[policy as usize])
            });
            let changes = modes.iter().any(|mode| {
                let mode: Vec<_> = mode.iter().cloned().chain(owners.clone()).collect();
                let base = Board::resolve("cosmos-plus", &mode).unwrap();
                base.value(&key.path).is_some()
                    && neighbours(key.kind, &base.sheet.leaf(&key.path).written).iter().any(
                        |value| {
                            let overrides = [mode.clone(), vec![set(&key.path, value)]].concat();
                            let derived = Board::resolve("cosmos-plus", &overrides);
                            derived.is_ok_and(|board| {
                                Board { sheet: base.sheet.clone(), ..board } != base
                            })
                        },
                    )
            });
            assert!(changes, "{} changes nothing", key.path);
        }
    }

    #[test]
    fn parity_of_the_cosmos_plus_code_is_20_bytes() {
        let board = Board::resolve("cosmos-plus", &[]).unwrap();
        assert_eq!(board.ecc.parity_bytes(), 20, "13 bits in GF(2^12)");
        let wide = Ecc { chunk_bytes: 512, correctable_bits: 8, ..board.ecc };
        assert_eq!(wide.parity_bytes(), 13, "8 bits in GF(2^13)");
    }
}
