//! What the columns of the table of keys may say.

/// Longest time that a leaf may state, in picoseconds: a second.
const LONGEST_PS: f64 = 1e12;
/// Largest bandwidth that a leaf may state, in MB/s.
pub(crate) const LARGEST_MB_S: f64 = 1e6;

/// Whether a leaf describes hardware or a decision.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// A number that describes hardware: shipped boards state source and role.
    Hardware,
    /// A policy, free to choose.
    Policy,
}

/// What a leaf must look like.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// A power of two from the first to the second.
    Power(u64, u64),
    /// A time, zero included, of at most a second.
    Time(Unit),
    /// A time above zero, of at most a second.
    Latency(Unit),
    /// A bandwidth in MB/s (10^6 bytes a second).
    Bandwidth,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One to four different numbers out of these.
    Sizes(&'static [u32]),
    /// Some lists of words: texts in a file, each with commas between the words; behind `--set` with semicolons between
    /// the lists.
    Lists,
}

/// The unit of a time, which stands at the end of its key.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Us,
    Ns,
}

impl Unit {
    pub(crate) const fn ps(self) -> f64 {
        match self {
            Unit::Us => 1e6,
            Unit::Ns => 1e3,
        }
    }

    pub(crate) fn most(self) -> f64 {
        LONGEST_PS / self.ps()
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Unit::Us => "us",
            Unit::Ns => "ns",
        }
    }
}

impl Kind {
    /// What would be right, for an error.
    pub(crate) fn expected(self) -> String {
        match self {
            Kind::Count(least, most) => format!("a whole number from {least} to {most}"),
            Kind::Power(least, most) => format!("a power of two from {least} to {most}"),
            Kind::Time(unit) => format!("a number of {} from 0 to {}", unit.name(), unit.most()),
            Kind::Latency(unit) => {
                format!("a number of {} above 0, at most {}", unit.name(), unit.most())
            }
            Kind::Bandwidth => format!("a number of MB/s from 1 to {LARGEST_MB_S}"),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Sizes(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
                format!("a list of different sizes out of {}", sizes.join(", "))
            }
            Kind::Lists => "a list of texts, each with the jobs of a core".to_owned(),
        }
    }
}

/// What has to hold for a key to count in a simulated drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// The firmware schedules the channels, phase by phase.
    ByFirmware,
    /// The channels schedule.
    ByController,
    /// The channels schedule, or planes are joined.
    PlanesTogether,
    /// The channels schedule, or several flash pages are programmed together.
    PagesTogether,
    /// The medium is flash.
    InFlash,
    /// The medium is memory.
    InMemory,
    /// Nothing: the body in virtual time has no clock of the channel controller, whose steps are times of their own.
    NotSimulated,
}
