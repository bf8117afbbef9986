//! Who looks at a drive while a guest uses it: the looks of the report, and the operation monitor.

use std::fmt;
use std::io;

use host::monitoring::{header, table, Subject};
use host::Looks;
use machine::Inspected;
use monitor::{Interval, Sampler};
use report::OverTime;

use crate::meter::Meter;

/// The looks of the report, whose time begins with the guest's first doorbell of an I/O queue as all times of its report do,
/// and the operation monitor, if there is one.
#[derive(Default)]
pub struct Onlookers {
    sampler: Option<Sampler>,
    looks: Looks,
    is_begun: bool,
}

impl fmt::Debug for Onlookers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Onlookers").field("looks", &self.looks).finish_non_exhaustive()
    }
}

impl Onlookers {
    /// Nobody has looked yet; `sampler` samples for the monitor.
    pub fn new(sampler: Option<Sampler>) -> Self {
        Onlookers { sampler, ..Self::default() }
    }

    /// Those of another function with a drive in the same state, which nobody monitors.
    pub fn copied(&self) -> Self {
        Onlookers { sampler: None, looks: self.looks.clone(), is_begun: self.is_begun }
    }

    /// The guest comes.
    pub fn start(&mut self, subject: Subject<'_>, drive: &impl Inspected, meter: &Meter) {
        self.looks.wait(drive, meter.load());
        if let Some(sampler) = &mut self.sampler {
            let header = header(subject, sampler.period(), drive.usage().now_ps);
            sampler.start(&header, table(drive, meter.load()));
        }
    }

    /// The drive's time in picoseconds at which somebody wants to look.
    #[inline]
    pub fn due_ps(&self) -> u64 {
        let sampler = self.sampler.as_ref();
        sampler.map_or(self.looks.due_ps(), |sampler| sampler.due_ps().min(self.looks.due_ps()))
    }

    /// Lets look who is due at `now_ps`.
    pub fn look(&mut self, drive: &impl Inspected, now_ps: u64, meter: &Meter) {
        if let Some(sampler) = self.sampler.as_mut().filter(|sampler| sampler.due_ps() <= now_ps) {
            sampler.sample(&table(drive, meter.load()));
        }
        if self.looks.due_ps() > now_ps {
            return;
        }
        match meter.origin_ps() {
            None => self.looks.postpone(now_ps),
            Some(origin_ps) => {
                if !self.is_begun {
                    self.looks.begin(origin_ps);
                    self.is_begun = true;
                }
                self.looks.look(now_ps, drive, meter.load());
            }
        }
    }

    /// The drive over time until now.
    pub fn over_time(&self, drive: &impl Inspected, meter: &Meter) -> OverTime {
        let Some(origin_ps) = meter.origin_ps() else { return OverTime::new() };
        let mut looks = self.looks.clone();
        if !self.is_begun {
            looks.begin(origin_ps);
        }
        looks.end(drive, meter.load());
        looks.over_time()
    }

    /// What the monitor has sampled.
    pub fn intervals(&self) -> Vec<Interval> {
        self.sampler.as_ref().map_or_else(Vec::new, |own| own.history().intervals().to_vec())
    }

    /// Ends the monitor, which writes what is left of its last interval.
    ///
    /// # Errors
    /// The first one of writing its lines.
    pub fn end(&mut self, drive: &impl Inspected, meter: &Meter) -> io::Result<()> {
        let Some(mut sampler) = self.sampler.take() else { return Ok(()) };
        sampler.end(&table(drive, meter.load()));
        sampler.finish().map(|_| ())
    }
}
