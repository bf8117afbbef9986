//! Choices of a block by zones of the range, each with a share of the requests.

use super::random::Prng;
use super::spec::Zone;

/// A source of places, uniform within zones.
#[derive(Clone, Debug)]
pub(super) struct Zones {
    zones: Box<[Places]>,
    /// The zone of each hundredth of the requests.
    of_percent: Box<[u16]>,
}

/// Places of a zone.
#[derive(Clone, Copy, Debug)]
struct Places {
    first: u64,
    count: u64,
}

impl Zones {
    /// Zones whose shares add up to 100 percent, as places at multiples of `align_bytes`.
    pub(super) fn new(zones: &[Zone], align_bytes: u64) -> Self {
        let places = |zone: &Zone| {
            let first = zone.start / align_bytes;
            Places { first, count: ((zone.start + zone.len) / align_bytes - first).max(1) }
        };
        let shares = (0_u16..).zip(zones);
        let of_percent = shares.flat_map(|(nth, zone)| vec![nth; usize::from(zone.percent)]);
        Self { zones: zones.iter().map(places).collect(), of_percent: of_percent.collect() }
    }

    /// The next place.
    pub(super) fn draw(&self, random: &mut Prng) -> u64 {
        let percent = random.below(self.of_percent.len() as u64);
        let zone = self.zones[usize::from(self.of_percent[percent as usize])];
        zone.first + random.below(zone.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_zone_gets_its_share_evenly_within() {
        const DRAWS: u32 = 100_000;
        let zone = |percent, start, len| Zone { percent, start, len };
        // 60 % to the first 10 %, nothing to the next 20 %, 40 % to the rest, in blocks of 4 KiB.
        let list =
            [zone(60, 0, 409_600), zone(0, 409_600, 819_200), zone(40, 1_228_800, 2_867_200)];
        let zones = Zones::new(&list, 4096);
        let mut random = Prng::new(4, 0);
        let mut counts = vec![0_u32; 1000];
        for _ in 0..DRAWS {
            counts[zones.draw(&mut random) as usize] += 1;
        }
        let share = |from: usize, to: usize| {
            f64::from(counts[from..to].iter().sum::<u32>()) / f64::from(DRAWS)
        };
        for (from, to, expected) in
            [(0, 100, 0.6), (0, 50, 0.3), (100, 300, 0.0), (300, 1000, 0.4), (300, 650, 0.2)]
        {
            let found = share(from, to);
            assert!((found - expected).abs() < 0.01, "{from}..{to}: {found}, not {expected}");
        }
        assert!(counts[..100].iter().all(|&count| count > 450), "no place is left out");
    }
}
