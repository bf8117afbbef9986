//! Bandwidth as integer time, so that nothing that orders events is a float.

use contract::Duration;

/// Picoseconds in which 1 MB/s moves 1 KiB.
const PS_PER_KIB_AT_ONE_MB_S: f64 = 1024.0 * 1e6;

/// How fast a bus moves data: the picoseconds that 1,024 bytes take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    ps_per_kib: u64,
}

impl Bandwidth {
    /// From the picoseconds that 1,024 bytes take, at least 1.
    pub(crate) const fn from_ps_per_kib(ps_per_kib: u64) -> Self {
        Bandwidth { ps_per_kib }
    }

    /// Picoseconds a KiB at `mb_s` million bytes a second, to the nearest.
    pub(crate) fn ps_per_kib_at(mb_s: f64) -> u64 {
        (PS_PER_KIB_AT_ONE_MB_S / mb_s).round() as u64
    }

    /// The picoseconds that 1,024 bytes take.
    pub const fn ps_per_kib(self) -> u64 {
        self.ps_per_kib
    }

    /// The time that `bytes` take, rounded up to a picosecond.
    #[inline]
    pub const fn time_of(self, bytes: u64) -> Duration {
        Duration::from_ps((bytes * self.ps_per_kib).div_ceil(1024))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_its_spare_takes_90_us_of_the_channel() {
        let bus = Bandwidth::from_ps_per_kib(Bandwidth::ps_per_kib_at(200.0));
        assert_eq!(bus.time_of(18_048), Duration::from_ns(90_240));
    }

    #[test]
    fn rounding_never_makes_a_bus_faster_than_its_bandwidth() {
        let bus = Bandwidth::from_ps_per_kib(Bandwidth::ps_per_kib_at(5_700.0));
        assert_eq!(bus.ps_per_kib(), 179_649);
        assert_eq!(bus.time_of(1), Duration::from_ps(176));
        assert_eq!(bus.time_of(0), Duration::ZERO);
    }
}
