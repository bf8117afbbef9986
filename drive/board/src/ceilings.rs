//! What a board allows at most, worked out of its values alone: capacity, and throughput that no part
//! can exceed. Nothing waits here and no firmware runs, so a drive stays below.

use contract::{Duration, Grain, Medium, Programming};

use crate::{Bandwidth, Board};

/// Bytes of a random read that ceilings are told for.
const SMALL_READ_BYTES: f64 = 4096.0;

/// How much of the medium the host sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// User bytes of all usable pages, or of the memory that stands for flash.
    pub flash_bytes: u64,
    /// Bytes of the namespace.
    pub host_bytes: u64,
}

impl Capacity {
    /// Flash beyond what the host sees, in percent of what it sees: spare and reserved blocks too.
    pub fn overprovisioning_percent(&self) -> f64 {
        100.0 * (self.flash_bytes - self.host_bytes) as f64 / self.host_bytes as f64
    }
}

/// What one part of a drive can do at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Name of the part, such as `channel buses`.
    pub part: &'static str,
    /// How much it can do, in the unit of its ceiling.
    pub amount: f64,
    /// How that was worked out.
    pub arithmetic: String,
}

/// A ceiling: the limits of all parts that have a share in something.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// Name of the rate that is limited.
    pub what: &'static str,
    /// Unit of the amounts.
    pub unit: &'static str,
    /// At least one limit.
    pub limits: Vec<Limit>,
}

impl Ceiling {
    /// The part that limits most.
    pub fn lowest(&self) -> &Limit {
        let least = self.limits.iter().min_by(|a, b| a.amount.total_cmp(&b.amount));
        least.expect("a ceiling has limits")
    }
}

impl Board {
    /// How much flash there is, and how much of it the host sees.
    pub fn capacity(&self) -> Capacity {
        let geometry = self.firmware.geometry;
        let blocks = u64::from(geometry.dies()) * u64::from(geometry.blocks_per_way);
        let pages = blocks * u64::from(geometry.pages_per_block);
        let page_bytes = u64::from(geometry.page_bytes);
        if self.firmware.medium == Medium::Memory {
            let bytes = self.memory.medium.capacity_bytes;
            return Capacity { flash_bytes: bytes, host_bytes: bytes };
        }
        Capacity {
            flash_bytes: pages * page_bytes,
            host_bytes: u64::from(self.firmware.logical_pages) * page_bytes,
        }
    }

    /// Ceilings of sequential reads, of sequential writes that have to reach flash, and of random
    /// reads of 4 KiB that find nothing in the buffer and move the units that they touch.
    pub fn ceilings(&self) -> [Ceiling; 3] {
        if self.firmware.medium == Medium::Memory {
            return self.memory_ceilings();
        }
        let reads = self.page_limits((self.flash.read_times(), "tR"), Programming::SINGLE);
        let small = self.small_read_limits();
        let programs = self.fastest_programs();
        let writes = self.page_limits((&programs, "tPROG"), self.flash.programming);
        [
            Ceiling { what: "sequential read", unit: "MB/s", limits: reads },
            Ceiling { what: "sequential write", unit: "MB/s", limits: writes },
            Ceiling { what: "random 4 KiB read", unit: "requests/s", limits: small },
        ]
    }

    /// Times of programs, by page type: where channels use cache mode, of those that another follows in it.
    fn fastest_programs(&self) -> Vec<Duration> {
        let is_cached = self.channel.scheduling.merging.cache;
        let permille = if is_cached { self.flash.cached_program_permille.into() } else { 1000 };
        let times = self.flash.program_times().iter();
        times.map(|time| Duration::from_ps(time.as_ps() / 1000 * permille)).collect()
    }

    /// The same of a drive whose medium is memory. Hardware that takes one command after the other limits
    /// small requests.
    fn memory_ceilings(&self) -> [Ceiling; 3] {
        let (link, path) = (mb_s(self.host.link), mb_s(self.automation.path));
        let medium = self.memory.medium;
        let (channels, bytes) = (medium.channels, medium.chunk_bytes);
        let chunk_us = us(medium.chunk_latency);
        let limit = |part, amount, arithmetic| Limit { part, amount, arithmetic };
        let reads = vec![
            limit(HOST_LINK, link, "host.link_bandwidth_mb_s".to_owned()),
            limit("path to memory", path, "automation.beat_bytes each cycle".to_owned()),
            limit(
                "memory channels",
                f64::from(channels) * f64::from(bytes) / chunk_us,
                format!("{channels} x {bytes} B / {chunk_us:.2} us"),
            ),
        ];
        let from_host_us = us(self.host.link.time_of(bytes.into())) + us(self.automation.chunk);
        let mut writes = reads.clone();
        writes[0].amount = f64::from(bytes) / from_host_us;
        writes[0].arithmetic = format!("{bytes} B / {from_host_us:.4} us");
        let task_us = us(self.automation.task);
        let mut small: Vec<Limit> = reads
            .iter()
            .map(|one| {
                limit(
                    one.part,
                    one.amount * 1e6 / SMALL_READ_BYTES,
                    format!("{:.1} MB/s / {SMALL_READ_BYTES} B", one.amount),
                )
            })
            .collect();
        let shares = (SMALL_READ_BYTES / f64::from(bytes) / f64::from(channels)).max(1.0).ceil();
        small.push(limit(
            "stage of data",
            1e6 / (task_us + shares * chunk_us),
            format!("1 / ({task_us:.3} us + {shares} x {chunk_us:.3} us)"),
        ));
        [
            Ceiling { what: "sequential read", unit: "MB/s", limits: reads },
            Ceiling { what: "sequential write", unit: "MB/s", limits: writes },
            Ceiling { what: "random 4 KiB read", unit: "requests/s", limits: small },
        ]
    }

    /// MB/s of whole flash pages between flash and host; a chip works for the mean of some times on each, or on those that it
    /// programs together, of all planes that act together, for all of them.
    fn page_limits(&self, (times, name): (&[Duration], &str), together: Programming) -> Vec<Limit> {
        let geometry = self.firmware.geometry;
        let (channels, flash_page) = (geometry.channels, self.firmware.flash_page_bytes());
        let (page, passes) = (f64::from(flash_page), f64::from(together.passes));
        let bus_us = passes * us(self.channel.bus.time_of(self.bus_bytes(flash_page)));
        let passed = passes * f64::from(self.buffer_bytes(flash_page));
        let (link, bus) = (mb_s(self.host.link), mb_s(self.host.bus));
        let (data_bus, dram) = (mb_s(self.memory.data_bus), self.dram_mb_s());
        let in_pass = if together.flash_pages == 1 { 1 } else { self.flash.fold.pages() };
        let dies = self.die_time(bus_us, (times, name), (together.flash_pages, in_pass));
        let limit = |part, amount, arithmetic| Limit { part, amount, arithmetic };
        vec![
            limit(HOST_LINK, link, "host.link_bandwidth_mb_s".to_owned()),
            limit("host interface's bus", bus, "host.bus_bandwidth_mb_s".to_owned()),
            limit(
                "DRAM",
                dram * page / (passed + page),
                format!("{dram:.1} MB/s x {page} B / ({passed} B + {page} B)"),
            ),
            limit(
                "data bus",
                data_bus * page / passed,
                format!("{data_bus:.1} MB/s x {page} B / {passed} B"),
            ),
            limit(
                "channel buses",
                f64::from(channels) * page / bus_us,
                format!("{channels} x {page} B / {bus_us:.2} us"),
            ),
            limit(
                DIES,
                f64::from(geometry.dies()) * dies.pages * page / dies.us,
                format!("{} x {} B / ({})", geometry.dies(), dies.pages * page, dies.arithmetic),
            ),
        ]
    }

    /// Random reads of 4 KiB a second. Of a page, the units that such a read touches go over the bus and
    /// into DRAM; what the host gets are the 4 KiB.
    fn small_read_limits(&self) -> Vec<Limit> {
        let geometry = self.firmware.geometry;
        let moved = self.firmware.read_unit_bytes.max(SMALL_READ_BYTES as u32);
        let passed = f64::from(self.buffer_bytes(moved));
        let bus_us = us(self.channel.bus.time_of(self.bus_bytes(moved)));
        let dies = self.die_time(bus_us, (self.flash.read_times(), "tR"), (1, 1));
        let rate = |part, mb_s: f64, bytes: f64| Limit {
            part,
            amount: mb_s * 1e6 / bytes,
            arithmetic: format!("{mb_s:.1} MB/s / {bytes} B"),
        };
        vec![
            rate(HOST_LINK, mb_s(self.host.link), SMALL_READ_BYTES),
            rate("host interface's bus", mb_s(self.host.bus), SMALL_READ_BYTES),
            rate("DRAM", self.dram_mb_s(), passed + SMALL_READ_BYTES),
            rate("data bus", mb_s(self.memory.data_bus), passed),
            Limit {
                part: "channel buses",
                amount: f64::from(geometry.channels) * 1e6 / bus_us,
                arithmetic: format!("{} / {bus_us:.2} us", geometry.channels),
            },
            Limit {
                part: DIES,
                amount: f64::from(geometry.dies()) * dies.pages * 1e6 / dies.us,
                arithmetic: format!("{} x {} / ({})", geometry.dies(), dies.pages, dies.arithmetic),
            },
        ]
    }

    /// MB/s of DRAM and its interconnect, the slower of the two.
    fn dram_mb_s(&self) -> f64 {
        mb_s(self.memory.dram).min(mb_s(self.memory.interconnect))
    }

    /// The least time of a die on pages, each so long on the bus: bus and array work one after the other,
    /// unless cache mode lets them work at once. With commands of several planes, an array works on a page
    /// of each; where the pages of a word line are programmed together, on all of them for the sum of the times. `together` are
    /// the flash pages that the array works on at once, and those of them that are of one plane.
    fn die_time(
        &self,
        bus_us: f64,
        (times, name): (&[Duration], &str),
        (together, of_plane): (u32, u32),
    ) -> DieTime {
        let sum_us = times.iter().copied().map(us).sum::<f64>();
        let busy_us = if of_plane == 1 { sum_us / times.len() as f64 } else { sum_us };
        let schedules = matches!(self.firmware.grain, Grain::Operations(_));
        let pages = f64::from(self.firmware.joined_planes * together);
        let on_bus = pages * bus_us;
        let (us, how) = match schedules && self.channel.scheduling.merging.cache {
            true => (on_bus.max(busy_us), "or"),
            false => (on_bus + busy_us, "+"),
        };
        let arithmetic = format!("{on_bus:.2} us on the bus {how} {busy_us:.2} us {name}");
        DieTime { pages, us, arithmetic }
    }

    /// Bytes of a logical block in the format in use.
    pub fn block_bytes(&self) -> u32 {
        self.firmware.block_formats[usize::from(self.firmware.block_format)]
    }
}

/// How long a die works on as many pages as it can at once.
struct DieTime {
    pages: f64,
    us: f64,
    arithmetic: String,
}

const HOST_LINK: &str = "host link";
const DIES: &str = "dies";

/// 10^6 bytes a second.
fn mb_s(bandwidth: Bandwidth) -> f64 {
    1024.0 * 1e6 / bandwidth.ps_per_kib() as f64
}

fn us(time: Duration) -> f64 {
    time.as_ps() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ceiling(board: &str, overrides: &[(&str, &str)], nth: usize) -> (&'static str, f64) {
        let set = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
        let overrides: Vec<_> = overrides.iter().map(set).collect();
        let ceilings = Board::resolve(board, &overrides).unwrap().ceilings();
        let lowest = ceilings[nth].lowest();
        (lowest.part, (lowest.amount * 10.0).round() / 10.0)
    }

    /// Each number is worked out by hand beside it.
    #[test]
    fn ceilings_are_those_worked_out_by_hand() {
        // 8 x 16,384 B / 90.24 us.
        assert_eq!(ceiling("cosmos-plus", &[], 0), ("channel buses", 1452.5));
        assert_eq!(ceiling("cosmos-plus", &[], 1), ("channel buses", 1452.5));
        // 8 / 90.24 us.
        assert_eq!(ceiling("cosmos-plus", &[], 2), ("channel buses", 88652.5));
        // 64 x 16,384 B / (90.24 us + (481 us + 2,295 us) / 2).
        assert_eq!(ceiling("cosmos-plus-mlc", &[], 1), ("dies", 709.3));
        // 8 x 16,384 B / (90.24 us + 99 us).
        assert_eq!(ceiling("cosmos-plus", &[("geometry.ways", "1")], 0), ("dies", 692.6));
        // 3,000 MB/s x 16,384 B / (16,408 B from the chips + 16,384 B to the host).
        let fast = [("channel.bus_bandwidth_mb_s", "2000"), ("memory.dram_bandwidth_mb_s", "3000")];
        assert_eq!(ceiling("cosmos-plus", &fast, 0), ("DRAM", 1498.9));
        // 4,096 B, nine code words' parity of 10 B and 24 B of metadata at 32 MB/s, then 59 us.
        assert_eq!(ceiling("ozone", &[("geometry.ways", "1")], 0), ("dies", 21.5));
        // 4 x 16,384 B / (16,384 + 24 + 65 x 20 B at 333 MB/s): cache mode hides tR behind them.
        assert_eq!(ceiling("ocowfc", &[], 0), ("channel buses", 1232.4));
        // 16 x 2 planes x 16,384 B / (1,945 us x 0.688): cache mode.
        assert_eq!(ceiling("ocowfc", &[], 1), ("dies", 391.8));
        // 100 MB/s / 4,096 B.
        let slow = [("host.link_bandwidth_mb_s", "100")];
        assert_eq!(ceiling("cosmos-plus", &slow, 2), ("host link", 24414.1));
    }

    /// A read of 4 KiB that moves its chunks only. Each number is worked out by hand beside it.
    #[test]
    fn ceilings_of_reads_of_parts_are_those_worked_out_by_hand() {
        // A unit of 4,096 B is 16 chunks of 256 B with 20 B of parity each: 4,416 B at 200 MB/s take
        // 22.08 us of a bus, and there are 8 buses. A page would take four times as long. Its spare area
        // and metadata stay in the chip.
        let parts = ("channel.read_unit_bytes", "4096");
        let controller = ("channel.scheduler", "controller");
        for set in [&[parts][..], &[parts, controller], &[("channel.read_unit_bytes", "256")]] {
            assert_eq!(ceiling("cosmos-plus", set, 2), ("channel buses", 362_318.8), "{set:?}");
        }
        // What moves two units takes twice as long: 8 / 44.16 us.
        let wide = [("channel.read_unit_bytes", "8192")];
        assert_eq!(ceiling("cosmos-plus", &wide, 2), ("channel buses", 181_159.4));
        // 8 ways do it in 99 us and 22.08 us: 8 / 121.08 us.
        let one = [parts, ("geometry.ways", "1")];
        assert_eq!(ceiling("cosmos-plus", &one, 2), ("dies", 66_072.0));
        // 1,000 MB/s into DRAM and out of it again: / 8,192 B. Of whole pages / (16,408 B + 4,096 B).
        let slow = [parts, ("memory.dram_bandwidth_mb_s", "1000")];
        assert_eq!(ceiling("cosmos-plus", &slow, 2), ("DRAM", 122_070.3));
        assert_eq!(ceiling("cosmos-plus", &slow[1..], 2), ("DRAM", 48_771.0));
        // Whole pages, and so sequential reads, are as before.
        for nth in [0, 1] {
            assert_eq!(ceiling("cosmos-plus", &[parts], nth), ("channel buses", 1452.5));
        }
    }

    #[test]
    fn capacity_is_what_is_left_to_the_host() {
        let capacity = Board::resolve("cosmos-plus", &[]).unwrap().capacity();
        // 64 dies of 8,192 blocks of 128 pages in SLC mode.
        assert_eq!(capacity.flash_bytes, 64 * 8192 * 128 * 16_384);
        // Of 8,192 blocks a way 64 are spares and 2 reserved; 7 % over what is left to the host.
        assert_eq!(capacity.host_bytes, 64 * 8126 * 128 * 100 / 107 * 16_384);
        assert_eq!((capacity.overprovisioning_percent() * 100.0).round(), 787.0);
    }
}
