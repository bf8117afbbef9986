//! The options of one job, read and typed but not yet fitted to a drive.

use nvme::io::UnitAccess;
use report::{Percentiles, SteadyCriterion, SteadyLimit, Unified};

use super::blocksize::LengthSettings;
use super::direction::{Direction, PerDirection};
use super::error::{JobError, Place};
use super::faults::{Faults, Proof};
use super::handles::HandleSettings;
use super::history::BackSettings;
use super::iolog::IologSettings;
use super::logging::Logging;
use super::overlap::Overlap;
use super::pacing::{PausesInRates, Rate, RateProcess, Think, ThinkCount};
use super::parts::FileSettings;
use super::spec::{
    Access, Distribution, EndFlush, Flushing, Grouping, Mix, OnEnd, Passes, Report, RunRest, Verify,
};
use super::steering::SteeringSettings;
use super::units::{Amount, KbBase};
use super::zoned_settings::ZonedSettings;

/// What the user asked for. An absent value stands for a default that depends on the drive or on
/// other options.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) pattern: Pattern,
    pub(super) lengths: LengthSettings,
    pub(super) extent: Extent,
    pub(super) end: EndSettings,
    pub(super) pace: PaceSettings,
    pub(super) steering: SteeringSettings,
    pub(super) jobs: JobSettings,
    pub(super) faults: Faults,
    pub(super) report: Report,
    pub(super) logging: Logging,
    pub(super) back: BackSettings,
    pub(super) files: FileSettings,
    pub(super) iolog: IologSettings,
    pub(super) overlap: Overlap,
    pub(super) handles: HandleSettings,
    pub(super) zoned: ZonedSettings,
    /// Options of its own section as they were written.
    pub(super) written: Vec<(String, String)>,
    places: Vec<(String, Place, String)>,
    place: Place,
    pub(super) kb_base: KbBase,
}

/// Directions and offsets.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) kind: PatternKind,
    pub(super) read_percent: u8,
    pub(super) distribution: DistributionSetting,
    pub(super) rest: RunRest,
    pub(super) random_percent: PerDirection<Option<u8>>,
    pub(super) random_map: RandomMap,
    pub(super) salt: u64,
    pub(super) passes: Passes,
    pub(super) flush: Flushing,
    /// From `fsync_on_close`, which means the same as `end_fsync` where there is one file.
    pub(super) close_flush: EndFlush,
    pub(super) sync: UnitAccess,
    pub(super) readfua: UnitAccess,
    pub(super) writefua: UnitAccess,
    pub(super) verify: Verify,
    pub(super) do_verify: Verify,
}

impl Pattern {
    /// Directions of the job.
    pub(super) fn mix(&self) -> Mix {
        match self.kind.directions {
            Directions::Only(direction) => Mix::Only(direction),
            Directions::ReadWrite => Mix::ReadWrite { read_percent: self.read_percent },
            Directions::TrimThenWrite => Mix::TrimThenWrite,
        }
    }

    /// Whether a pass is read back.
    pub(super) fn verify(&self) -> Verify {
        match (self.mix().writes(), self.verify, self.do_verify) {
            (true, Verify::ReadBack, Verify::ReadBack) => Verify::ReadBack,
            _ => Verify::Off,
        }
    }

    /// Whether reads must find data that somebody has written. As in fio, `do_verify` has no say in
    /// that, and reads beside writes are not verified.
    pub(super) fn proof(&self) -> Proof {
        match (self.mix(), self.verify) {
            (Mix::Only(Direction::Read), Verify::ReadBack) => Proof::Written,
            _ => Proof::None,
        }
    }

    /// How offsets are chosen where they are drawn from `distribution`; `one_length` if all requests
    /// have one length and alignment, without which a random order cannot cover each block just once.
    pub(super) fn access(&self, one_length: OneLength, distribution: Distribution) -> Access {
        let uniform = distribution == Distribution::Uniform;
        match (self.kind.order, self.random_map, one_length) {
            (Order::Sequential { .. }, _, _) => Access::Sequential,
            (Order::Random { .. }, RandomMap::Kept, OneLength::Yes) if uniform => Access::Covering,
            (Order::Random { .. }, _, _) => Access::Drawn(distribution),
        }
    }

    /// When writes and reads have to be in the flash before they complete.
    pub(super) fn unit_access(&self) -> PerDirection<UnitAccess> {
        let either = |a, b| if a == UnitAccess::Forced { a } else { b };
        PerDirection {
            read: self.readfua,
            write: either(self.sync, self.writefua),
            trim: UnitAccess::Normal,
        }
    }
}

/// Whether all requests of a job have the same length and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OneLength {
    Yes,
    No,
}

/// Whether visited blocks are left out (`norandommap`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RandomMap {
    Kept,
    Absent,
}

/// A value of `rw`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternKind {
    pub(super) directions: Directions,
    pub(super) order: Order,
}

/// Which way data goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Directions {
    Only(Direction),
    ReadWrite,
    TrimThenWrite,
}

/// How offsets follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    Sequential { gap_bytes: i64 },
    Random { run: u32 },
}

/// A value of `random_distribution`.
#[derive(Clone, Debug)]
pub(super) enum DistributionSetting {
    /// It says all.
    Whole(Distribution),
    /// Its zones have sizes that depend on the range.
    Zoned(PerDirection<Option<Vec<ZoneSetting>>>),
}

/// A zone of `random_distribution`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZoneSetting {
    pub(super) percent: u8,
    pub(super) size: ZoneSize,
}

/// How large a zone is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZoneSize {
    Bytes(u64),
    Percent(u8),
}

/// Where requests go and how much is moved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) size: Option<Amount>,
    pub(super) filesize: Option<u64>,
    pub(super) io_size: Option<Amount>,
    pub(super) offset: Option<Amount>,
    pub(super) offset_increment: Option<Amount>,
    pub(super) offset_align: u64,
    /// From `fill_device`: what is beyond the drive is left out.
    pub(super) fill: Fill,
}

/// What becomes of a size that is beyond the end of the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fill {
    /// It is refused.
    #[default]
    No,
    /// It is cut to the end of the drive.
    ToTheEnd,
}

/// What ends the job.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndSettings {
    pub(super) runtime_ps: Option<u64>,
    pub(super) time_based: bool,
    pub(super) loops: u64,
    pub(super) requests: Option<u64>,
    pub(super) steady: Option<(SteadyCriterion, SteadyLimit)>,
    pub(super) steady_duration_ps: u64,
    pub(super) steady_ramp_ps: u64,
}

/// What holds it back.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaceSettings {
    pub(super) delay_ps: (u64, u64),
    pub(super) ramp_ps: u64,
    pub(super) think_ps: u64,
    pub(super) think_blocks: Option<u64>,
    pub(super) think_every_ps: Option<u64>,
    pub(super) think_counts: ThinkCount,
    pub(super) pauses: PausesInRates,
    pub(super) rate: PerDirection<Option<u64>>,
    pub(super) rate_iops: PerDirection<Option<u64>>,
    pub(super) process: RateProcess,
}

impl PaceSettings {
    /// The pauses, if there are any. As in fio, a time between pauses stands in place of the one
    /// request that divides them where nothing is said.
    pub(super) fn think(&self) -> Option<Think> {
        let unsaid = if self.think_every_ps.is_some() { u64::MAX } else { 1 };
        (self.think_ps > 0).then(|| Think {
            time_ps: self.think_ps,
            blocks: self.think_blocks.unwrap_or(unsaid),
            every_ps: self.think_every_ps.unwrap_or(u64::MAX),
            counts: self.think_counts,
        })
    }

    /// The bound of a direction, of which the shortest request has `min_bytes`.
    pub(super) fn rate_of(&self, direction: Direction, min_bytes: u64) -> Rate {
        let positive = |rate: &Option<u64>| rate.filter(|&r| r > 0);
        match (positive(self.rate.of(direction)), positive(self.rate_iops.of(direction))) {
            (Some(bytes), _) => Rate::Bytes(bytes),
            // As in fio, of several lengths the shortest one is the measure.
            (None, Some(iops)) => Rate::Bytes(iops.saturating_mul(min_bytes)),
            (None, None) => Rate::Unlimited,
        }
    }
}

/// Clones, order and depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobSettings {
    pub(super) iodepth: u32,
    pub(super) batch: BatchSettings,
    pub(super) numjobs: u32,
    pub(super) stonewall: bool,
    pub(super) new_group: bool,
    pub(super) on_end: OnEnd,
}

/// What is said of batches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BatchSettings {
    pub(super) submit: Option<u32>,
    pub(super) complete_min: Option<u32>,
    pub(super) complete_max: Option<u32>,
    pub(super) low: Option<u32>,
}

impl Settings {
    /// A job of which nothing is said.
    pub(super) fn new(name: String, place: Place) -> Self {
        Self {
            name,
            description: String::new(),
            pattern: Pattern {
                kind: PatternKind {
                    directions: Directions::Only(Direction::Read),
                    order: Order::Sequential { gap_bytes: 0 },
                },
                read_percent: 50,
                distribution: DistributionSetting::Whole(Distribution::Uniform),
                rest: RunRest::Sequential,
                random_percent: PerDirection::default(),
                random_map: RandomMap::Kept,
                salt: 0,
                passes: Passes::Alike,
                flush: Flushing::default(),
                close_flush: EndFlush::No,
                sync: UnitAccess::Normal,
                readfua: UnitAccess::Normal,
                writefua: UnitAccess::Normal,
                verify: Verify::Off,
                do_verify: Verify::ReadBack,
            },
            lengths: LengthSettings::default(),
            extent: Extent::default(),
            end: EndSettings {
                runtime_ps: None,
                time_based: false,
                loops: 1,
                requests: None,
                steady: None,
                steady_duration_ps: 0,
                steady_ramp_ps: 0,
            },
            pace: PaceSettings {
                delay_ps: (0, 0),
                ramp_ps: 0,
                think_ps: 0,
                think_blocks: None,
                think_every_ps: None,
                think_counts: ThinkCount::Completed,
                pauses: PausesInRates::Counted,
                rate: PerDirection::default(),
                rate_iops: PerDirection::default(),
                process: RateProcess::Linear,
            },
            steering: SteeringSettings::default(),
            jobs: JobSettings {
                iodepth: 1,
                batch: BatchSettings::default(),
                numjobs: 1,
                stonewall: false,
                new_group: false,
                on_end: OnEnd::Continue,
            },
            faults: Faults::default(),
            report: Report {
                grouping: Grouping::Each,
                percentiles: Percentiles::default(),
                unified: Unified::None,
            },
            logging: Logging::default(),
            back: BackSettings::default(),
            files: FileSettings::default(),
            iolog: IologSettings::default(),
            overlap: Overlap::default(),
            handles: HandleSettings::default(),
            zoned: ZonedSettings::default(),
            written: Vec::new(),
            places: Vec::new(),
            place,
            kb_base: KbBase::Traditional,
        }
    }

    /// Takes note of where an option was written, and what it said.
    pub(super) fn says(&mut self, key: &str, (place, value): (Place, String)) {
        self.places.push((key.to_string(), place, value));
    }

    /// Where an option was written last and what it said; the head of the job if it is absent.
    pub(super) fn origin(&self, key: &str) -> (Place, String) {
        match self.places.iter().rev().find(|(k, _, _)| k == key) {
            Some((_, place, text)) => (place.clone(), text.clone()),
            None => (self.place.clone(), String::new()),
        }
    }

    /// An error about an option of this job; `found` replaces the text that was written.
    pub(super) fn error(&self, key: &str, found: Option<String>, expected: String) -> JobError {
        let (place, text) = self.origin(key);
        JobError::Value { place, key: key.to_string(), found: found.unwrap_or(text), expected }
    }
}
