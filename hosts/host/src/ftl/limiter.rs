//! How the write buffer is divided between jobs and the collector.
//!
//! With enough free lines jobs have all of it, and nothing is collected. From `high` free lines down their share falls in
//! proportion, until with `low` of them only the collector writes.

/// The limits of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limiter {
    ring: u32,
    least: u32,
    low: u32,
    high: u32,
}

/// Lines that are left for the collector alone.
const LOW: u32 = 2;
/// Fewest lines that are kept spare: those for the collector, the open one, and a few to collect from.
const LEAST_SPARE: u32 = 8;

impl Limiter {
    /// Lines' worth of chunks that have to be left beside what the drive holds, so that each line that is collected brings
    /// more room than it takes: those for the collector alone, the open one, and one of what is not valid.
    pub const LEAST_LEFT: u32 = LOW + 2;

    /// Lines that are kept spare of so many.
    pub fn spare_lines(lines: u32, percent: u32) -> u32 {
        let share = (u64::from(lines) * u64::from(percent)).div_ceil(100) as u32;
        share.max(LEAST_SPARE)
    }

    /// Limits for a buffer of `ring` blocks, of which `least` are written at a time.
    pub fn new((ring, least): (u32, u32), spare_lines: u32) -> Self {
        // A drive that is full of valid data has this many lines free, so collecting begins when something is not valid.
        let high = (spare_lines / 2).max(LOW + 1);
        Limiter { ring, least, low: LOW, high }
    }

    /// Blocks of jobs that the buffer may hold before they are stored.
    pub fn user_blocks(&self, free_lines: u32) -> u32 {
        if free_lines >= self.high {
            return self.ring;
        }
        let above = free_lines.saturating_sub(self.low);
        if above == 0 {
            return 0;
        }
        let share = u64::from(self.ring) * u64::from(above) / u64::from(self.high - self.low);
        (share as u32).max(self.least)
    }

    /// The same for the collector.
    pub fn collector_blocks(&self, free_lines: u32) -> u32 {
        (self.ring - self.user_blocks(free_lines)).max(self.least)
    }

    /// Whether jobs cannot write.
    pub fn is_exhausted(&self, free_lines: u32) -> bool {
        free_lines <= self.low
    }

    /// Whether lines are to be collected.
    pub fn collects(&self, free_lines: u32) -> bool {
        free_lines < self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_jobs_falls_with_the_free_lines() {
        assert_eq!(Limiter::spare_lines(8192, 11), 902);
        let limiter = Limiter::new((512, 8), 20);
        let shares: Vec<_> = (0..12).map(|free| limiter.user_blocks(free)).collect();
        assert_eq!(shares, [0, 0, 0, 64, 128, 192, 256, 320, 384, 448, 512, 512]);
        let others: Vec<_> = (0..12).map(|free| limiter.collector_blocks(free)).collect();
        assert_eq!(others, [512, 512, 512, 448, 384, 320, 256, 192, 128, 64, 8, 8]);
        assert!(limiter.collects(9) && !limiter.collects(10));
    }

    #[test]
    fn the_smallest_drive_keeps_room_to_collect() {
        assert_eq!(Limiter::spare_lines(16, 11), 8);
        let limiter = Limiter::new((32, 8), 8);
        assert_eq!([2, 3, 4].map(|free| limiter.user_blocks(free)), [0, 16, 32]);
        let narrow = Limiter::new((8, 8), 40);
        assert_eq!(narrow.user_blocks(3), 8, "never less than a write, but nothing");
    }
}
