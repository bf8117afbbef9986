//! Turns the times of a format into nanoseconds from the first record.

use crate::format::Format;
use crate::record::MAX_SPAN_NS;
use crate::unit::TimeUnit;

/// The clock of a trace.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    tick_ns: u64,
    /// Where the trace has another unit than its format: that unit, and the usual one.
    scale: Option<Scale>,
    first_ticks: Option<u64>,
    latest_ns: u64,
    /// A second time that was too late for the first one. If the third is near to it, the first one was wrong.
    other_first: Option<u64>,
    /// Whether a second time was right.
    is_settled: bool,
    /// How often a time was earlier than one before, and by how much at most.
    back: u64,
    back_ns: u64,
}

impl Clock {
    /// The clock of a format, whose times have the usual unit unless another is given.
    pub(crate) fn new(format: Format, unit: Option<TimeUnit>) -> Self {
        let usual = format.time_unit();
        let scale = unit.filter(|unit| *unit != usual).map(|unit| Scale { unit, usual });
        Clock { tick_ns: format.tick_ns(), scale, ..Clock::default() }
    }

    /// How many times were earlier than one before them, and by how much at most.
    pub(crate) fn back(&self) -> (u64, u64) {
        (self.back, self.back_ns)
    }

    /// Nanoseconds from the first record, never less than before; none if it is too long.
    #[inline]
    pub(crate) fn read(&mut self, ticks: u64) -> Option<u64> {
        let Some(first) = self.first_ticks else {
            self.first_ticks = Some(ticks);
            return Some(0);
        };
        let since_ns = self.ns(ticks.saturating_sub(first));
        if since_ns > MAX_SPAN_NS {
            return self.begin_anew(ticks);
        }
        self.is_settled = true;
        if since_ns < self.latest_ns || ticks < first {
            let missing = self.ns(first.saturating_sub(ticks));
            self.back += 1;
            self.back_ns = self.back_ns.max((self.latest_ns - since_ns).saturating_add(missing));
            return Some(self.latest_ns);
        }
        self.latest_ns = since_ns;
        Some(since_ns)
    }

    /// A response time in the unit that the trace has.
    #[inline]
    pub(crate) fn response_ns(&self, ns: u64) -> u64 {
        match self.scale {
            None => ns,
            Some(scale) => scale.ns(ns).min(u64::MAX - 1),
        }
    }

    #[inline]
    fn ns(&self, ticks: u64) -> u64 {
        let ns = ticks.saturating_mul(self.tick_ns);
        match self.scale {
            None => ns,
            Some(scale) => scale.ns(ns),
        }
    }

    /// A time that is too late for the first one: with a first time that is decades too early, all others would be.
    #[cold]
    fn begin_anew(&mut self, ticks: u64) -> Option<u64> {
        let other = self.other_first.replace(ticks).filter(|_| !self.is_settled)?;
        let since_ns = self.ns(ticks.checked_sub(other)?);
        if since_ns > MAX_SPAN_NS {
            return None;
        }
        (self.first_ticks, self.is_settled) = (Some(other), true);
        self.latest_ns = since_ns;
        Some(since_ns)
    }
}

/// The unit that a trace has in place of the usual one.
#[derive(Clone, Copy, Debug)]
struct Scale {
    unit: TimeUnit,
    usual: TimeUnit,
}

impl Scale {
    /// What was read as so many nanoseconds by the usual unit.
    fn ns(self, ns: u64) -> u64 {
        let scaled = u128::from(ns) * u128::from(self.unit.ps()) / u128::from(self.usual.ps());
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}
