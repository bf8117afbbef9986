//! What a host did that a chip does not allow.

use std::fmt;

use contract::{Duration, Instant};

use super::{Parameter, Timing};

/// Something that the chip does not allow. Its `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// When it was seen.
    pub at: Instant,
    /// What it is.
    pub fault: Fault,
}

/// Kinds of violations. Bytes of commands are those of ONFI; a `row` is as it goes over the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are named by what they hold.
pub enum Fault {
    /// Shorter than the parameter demands.
    Timing { parameter: Parameter, found: Duration, expected: Duration },
    /// Two drive DQ or DQS.
    Contention,
    /// Nobody drives DQ at the edge that latches it.
    Floating,
    /// CLE and ALE are both high when WE# rises.
    BothLatches,
    /// A pulse of WE# with neither CLE nor ALE, in DDR.
    EmptyPulse,
    /// No command has this byte, or not this chip.
    UnknownCommand { command: u8 },
    /// A command that needs another before it.
    OutOfPlace { command: u8 },
    /// Too few or too many address cycles behind a command.
    AddressCycles { command: u8, found: usize, expected: usize },
    /// An address cycle that belongs to no command.
    StrayAddress { byte: u8 },
    /// No page has this row.
    NoSuchRow { row: u32 },
    /// The chip has no such LUN.
    NoSuchLun { lun: usize },
    /// A byte beyond the end of the page or of the registers.
    BeyondEnd { column: usize, bytes: usize },
    /// An odd column, in DDR.
    OddColumn { column: usize },
    /// An odd number of bytes between preamble and postamble, in DDR.
    OddBurst { bytes: u64 },
    /// The two copies of a register byte differ, in DDR.
    UnlikeCopies { first: u8, second: u8 },
    /// Data that no command asked for.
    UnexpectedData,
    /// RE# falls while there is nothing to read.
    NothingToRead,
    /// A command for a LUN that is busy.
    Busy { command: u8 },
    /// RE# falls for data of a LUN that is busy.
    ReadWhileBusy,
    /// An enhanced change of column names a row that is not in the register.
    NotInRegister { row: u32 },
    /// Two rows of a multi-plane operation do not go together.
    Planes { first: u32, second: u32 },
    /// A page is no part of the word line that a one-shot program is about, or not the next one.
    WordLine { row: u32 },
    /// A page is programmed that is not erased.
    ProgrammedTwice { row: u32 },
    /// A page is programmed after a higher one of its block.
    OutOfOrder { row: u32, next: u32 },
    /// Program or erase while WP# is low.
    WriteProtected,
    /// A copyback program without a copyback read of that plane.
    NothingToCopy { row: u32 },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} ns: {}", Ns(self.at.as_ps()), self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timing { parameter, found, expected } => {
                let (found, expected) = (Ns(found.as_ps()), Ns(expected.as_ps()));
                let name = parameter.name();
                write!(f, "{name}: found {found} ns, expected at least {expected} ns")
            }
            Self::Contention => f.write_str("found two drivers on DQ or DQS, expected one"),
            Self::Floating => f.write_str("found DQ floating at its edge, expected a driver"),
            Self::BothLatches => f.write_str("found CLE and ALE high, expected one of them"),
            Self::EmptyPulse => f.write_str("found neither CLE nor ALE high, expected one of them"),
            Self::UnknownCommand { command } => write!(f, "{command:02X}h: found no such command"),
            Self::OutOfPlace { command } => {
                write!(f, "{command:02X}h: found without the command that must come before it")
            }
            Self::AddressCycles { command, found, expected } => {
                write!(f, "{command:02X}h: found {found} address cycles, expected {expected}")
            }
            Self::StrayAddress { byte } => {
                write!(f, "found address cycle {byte:02X}h, expected a command before it")
            }
            Self::NoSuchRow { row } => write!(f, "row {row:#x}: found no such page"),
            Self::NoSuchLun { lun } => write!(f, "LUN {lun}: found no such LUN"),
            Self::BeyondEnd { column, bytes } => {
                write!(f, "found byte {column}, expected one below {bytes}")
            }
            Self::OddColumn { column } => write!(f, "found column {column}, expected an even one"),
            Self::OddBurst { bytes } => {
                write!(f, "found a burst of {bytes} bytes, expected an even number")
            }
            Self::UnlikeCopies { first, second } => {
                write!(f, "register byte: found {second:02X}h, expected {first:02X}h again")
            }
            Self::UnexpectedData => f.write_str("found data, expected a command that takes them"),
            Self::NothingToRead => f.write_str("RE#: found nothing to read"),
            Self::Busy { command } => write!(f, "{command:02X}h: found busy, expected ready"),
            Self::ReadWhileBusy => f.write_str("RE#: found busy, expected ready"),
            Self::NotInRegister { row } => {
                write!(f, "row {row:#x}: found another row in the register of its plane")
            }
            Self::Planes { first, second } => write!(
                f,
                "rows {first:#x}, {second:#x}: expected one LUN, one page and different planes"
            ),
            Self::WordLine { row } => {
                write!(f, "row {row:#x}: expected the next page of the word line")
            }
            Self::ProgrammedTwice { row } => {
                write!(f, "row {row:#x}: found programmed, expected erased")
            }
            Self::OutOfOrder { row, next } => {
                write!(f, "row {row:#x}: found page programmed late, expected {next:#x} or higher")
            }
            Self::WriteProtected => f.write_str("found WP# low, expected it high"),
            Self::NothingToCopy { row } => {
                write!(f, "row {row:#x}: found no copyback read of its plane before")
            }
        }
    }
}

/// Picoseconds, shown as nanoseconds.
struct Ns(u64);

impl fmt::Display for Ns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}

/// Holds what happens to the timing, and keeps the violations.
pub(crate) struct Checker {
    timing: Timing,
    kept: Vec<Violation>,
}

impl Checker {
    /// A host that has gone astray makes no end of violations; the first ones tell why.
    const MOST: usize = 1_000;

    pub fn new(timing: Timing) -> Self {
        Self { timing, kept: vec![] }
    }

    /// `now` may not come earlier after `since` than the parameter says.
    pub fn gap(&mut self, parameter: Parameter, since: Option<Instant>, now: Instant) {
        let Some(since) = since else { return };
        let expected = self.timing[parameter];
        if now < since + expected {
            // A time in the future is a wait that has not even begun.
            let found = if since < now { now.since(since) } else { Duration::ZERO };
            self.fault(now, Fault::Timing { parameter, found, expected });
        }
    }

    pub fn fault(&mut self, at: Instant, fault: Fault) {
        if self.kept.len() < Self::MOST {
            self.kept.push(Violation { at, fault });
        }
    }

    pub fn violations(&self) -> &[Violation] {
        &self.kept
    }

    pub fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.kept)
    }
}
