//! Records with the statistics of a trace.
//!
//! What is kept: shares of reads, writes, trims and flushes; lengths of each kind; times between arrivals; response times; how
//! often a request begins where the one before in its volume ends; how popular each region of each volume is; and how
//! much of it is touched. Draws are independent but for sequences, so what is not kept is everything else: bursts longer
//! than the time between two arrivals, which request follows on which, and what is read after it was written.

use std::fmt;

use crate::random::{Random, Urn, Weights};
use crate::record::{Kind, Record, MAX_SPAN_NS, UNKNOWN};
use crate::regions::{Region, Regions};
use crate::statistics::Statistics;
use crate::summary::Gaps;

/// Bytes that offsets are multiples of where nothing else is known.
const SECTOR: u64 = 512;
/// With so many sequences owed, in parts of 2^32, each that can be had is made up.
const MOST_OWED: u64 = 4 << 32;
/// Granules of a region.
const GRANULES: u32 = 128;

/// Makes records.
#[derive(Debug)]
pub struct Generator {
    random: Random,
    kinds: Weights,
    gaps: Times,
    responses: Times,
    /// Reads, and writes.
    data: [Data; 2],
    regions: Regions,
    /// Ends of the last request of each volume.
    ends: Vec<Option<u64>>,
    /// The volume of the last request.
    volume: u32,
    trim_bytes: u64,
    time_ns: u64,
    is_first: bool,
}

/// What is drawn for reads, or for writes.
#[derive(Debug)]
struct Data {
    lengths: Vec<u64>,
    weights: Weights,
    /// Of 2^32 requests so many follow on the one before in their volume.
    follows: u64,
    /// Those that should have and could not, in parts of 2^32.
    owed: u64,
    /// Regions by their requests: each comes as often as in the trace before any comes again.
    popular: Urn,
    /// By region: the granules that the trace touched, and those of them that were drawn so far.
    maps: Vec<[u128; 2]>,
    /// By region: of 2^32 requests so many go where none was drawn before.
    fresh: Vec<u64>,
}

impl Data {
    fn new(kind: Kind, statistics: &Statistics) -> Self {
        let sums = statistics.of(kind);
        let (lengths, counts): (Vec<u64>, Vec<u64>) = sums.lengths.list().unzip();
        let regions = &statistics.regions;
        // Granules of a request, in the mean: one that goes to a fresh place covers so many fresh ones.
        let granules = (sums.bytes / sums.requests.max(1)).div_ceil(regions.granule_bytes()).max(1);
        let list = regions.list();
        let requests = |region: &Region| region.requests[kind as usize];
        let fresh = |region: &Region| {
            let touched = u64::from(of_kind(region, kind).count_ones());
            (touched << 32) / (requests(region) * granules).max(1)
        };
        Data {
            lengths,
            weights: Weights::new(counts),
            follows: (sums.sequential << 32) / sums.requests.max(1),
            owed: 0,
            popular: Urn::new(list.iter().map(requests).collect()),
            maps: list.iter().map(|region| [of_kind(region, kind), 0]).collect(),
            fresh: list.iter().map(fresh).collect(),
        }
    }

    /// A granule of a region, for a request of so many: where none was drawn before, as often as it takes to touch all
    /// that the trace touched.
    fn granule(&self, place: usize, (many, random): (u32, &mut Random)) -> u32 {
        let [map, drawn] = self.maps[place];
        let is_fresh = random.below(1 << 32) < self.fresh[place];
        let free = if is_fresh { map & !drawn } else { map & drawn };
        let roomy = with_room(free, many);
        let from = [roomy, free, map].into_iter().find(|&from| from != 0).unwrap_or(1);
        let found = nth_bit(from, random.below(u64::from(from.count_ones())) as u32);
        if !is_fresh || roomy == 0 {
            return found;
        }
        // Requests lie side by side from where the free stretch begins, so that no gaps are left.
        let before = (!free << (GRANULES - 1 - found)).leading_zeros() - 1;
        found - before.min(found) % many
    }
}

/// The granules behind which so many are set, or to the end of the region.
fn with_room(map: u128, many: u32) -> u128 {
    let many = many.min(GRANULES);
    (1..many).fold(map, |room, nth| room & (map >> nth | !(u128::MAX >> nth)))
}

/// Why there is nothing to make records from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorError {
    /// The trace has no reads or writes.
    NoData,
}

impl fmt::Display for GeneratorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("found a trace without reads and writes, expected at least one")
    }
}

impl std::error::Error for GeneratorError {}

/// Times to draw from: a bucket in proportion, and any time within it.
#[derive(Debug)]
struct Times {
    buckets: Vec<(u64, u64)>,
    weights: Weights,
}

impl Times {
    fn new(gaps: &Gaps) -> Self {
        let start = |(middle, width, _): (u64, u64, u64)| (middle - width / 2, width);
        let buckets = gaps.list().map(start).collect();
        Times { buckets, weights: Weights::new(gaps.list().map(|(_, _, count)| count)) }
    }

    fn draw(&self, random: &mut Random) -> Option<u64> {
        if self.weights.is_empty() {
            return None;
        }
        let (start, width) = self.buckets[self.weights.draw(random)];
        Some(start + random.below(width))
    }
}

impl Generator {
    /// Fits a generator to a trace.
    ///
    /// # Errors
    /// When the trace has no reads or writes.
    pub fn new(statistics: &Statistics, seed: u64) -> Result<Self, GeneratorError> {
        if statistics.data_requests() == 0 {
            return Err(GeneratorError::NoData);
        }
        let trim = statistics.of(Kind::Trim);
        Ok(Generator {
            random: Random::new(seed),
            kinds: Weights::new(statistics.kinds.iter().map(|kind| kind.requests)),
            gaps: Times::new(&statistics.gaps),
            responses: Times::new(&statistics.responses),
            data: [Kind::Read, Kind::Write].map(|kind| Data::new(kind, statistics)),
            regions: statistics.regions.clone(),
            ends: vec![None; statistics.volumes.len()],
            volume: 0,
            trim_bytes: (trim.bytes / trim.requests.max(1)).div_ceil(SECTOR).max(1) * SECTOR,
            time_ns: 0,
            is_first: true,
        })
    }

    /// The next record.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Record {
        if !std::mem::take(&mut self.is_first) {
            let gap_ns = self.gaps.draw(&mut self.random).unwrap_or(0);
            self.time_ns = (self.time_ns + gap_ns).min(MAX_SPAN_NS);
        }
        let kind = Kind::ALL[self.kinds.draw(&mut self.random)];
        let response_ns = self.responses.draw(&mut self.random).unwrap_or(UNKNOWN);
        let (volume, offset, length) = match kind {
            Kind::Flush => (self.volume, 0, 0),
            Kind::Trim => {
                let list = self.regions.list();
                let region = &list[self.random.below(list.len() as u64) as usize];
                (region.volume, region.index * self.regions.region_bytes(), self.trim_bytes)
            }
            Kind::Read | Kind::Write => self.data(kind),
        };
        self.volume = volume;
        if kind != Kind::Flush {
            self.ends[volume as usize] = Some(offset + length);
        }
        Record { time_ns: self.time_ns, response_ns, volume, kind, offset, length }
    }

    /// Volume, offset and length of a read or a write.
    fn data(&mut self, kind: Kind) -> (u32, u64, u64) {
        let data = &self.data[kind as usize];
        let length = data.lengths[data.weights.draw(&mut self.random)];
        let mut place = data.popular.look(&mut self.random);
        let Region { volume, index, .. } = self.regions.list()[place];
        let (size, region_bytes) = (self.regions.granule_bytes(), self.regions.region_bytes());
        let behind =
            self.ends[volume as usize].and_then(|end| Some((end, self.behind(volume, end, kind)?)));
        let mut follows = false;
        let offset = match behind {
            Some((end, there))
                if self.random.below(1 << 32) < data.follows || data.owed > MOST_OWED =>
            {
                follows = true;
                place = there;
                end
            }
            _ => {
                let many = length.div_ceil(size).min(u64::from(GRANULES)) as u32;
                let granule = u64::from(data.granule(place, (many, &mut self.random)));
                index * region_bytes + granule * size
            }
        };
        let data = &mut self.data[kind as usize];
        data.popular.take(place);
        data.owed = (data.owed + data.follows).saturating_sub(u64::from(follows) << 32);
        self.mark(volume, (offset, length), kind);
        (volume, offset, length)
    }

    /// The region of an address, if the trace touched its granule in this way and requests are left there.
    fn behind(&self, volume: u32, offset: u64, kind: Kind) -> Option<usize> {
        let place = self.regions.place(volume, offset)?;
        let data = &self.data[kind as usize];
        let is_touched = data.maps[place][0] >> self.granule_of(offset) & 1 == 1;
        (is_touched && data.popular.left(place) > 0).then_some(place)
    }

    /// Takes note of what was drawn.
    fn mark(&mut self, volume: u32, (offset, length): (u64, u64), kind: Kind) {
        let size = self.regions.granule_bytes();
        for granule in offset / size..=(offset + length - 1) / size {
            if let Some(place) = self.regions.place(volume, granule * size) {
                let bit = self.granule_of(granule * size);
                self.data[kind as usize].maps[place][1] |= 1 << bit;
            }
        }
    }

    /// The granule of an address within its region.
    fn granule_of(&self, offset: u64) -> u64 {
        offset % self.regions.region_bytes() / self.regions.granule_bytes()
    }
}

/// Granules of a region that were touched in this way.
fn of_kind(region: &Region, kind: Kind) -> u128 {
    match kind {
        Kind::Read => region.read,
        _ => region.written,
    }
}

/// The place of a bit that is set, counted from the lowest.
fn nth_bit(map: u128, nth: u32) -> u32 {
    let mut left = nth;
    for bit in 0..GRANULES {
        if map >> bit & 1 == 1 {
            if left == 0 {
                return bit;
            }
            left -= 1;
        }
    }
    unreachable!("there are more bits than that")
}
