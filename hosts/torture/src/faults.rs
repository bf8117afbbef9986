//! What may go wrong in a round, by name.

use std::fmt;
use std::str::FromStr;

/// Something that may go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The power is cut at any moment, also during recovery.
    Power,
    /// Programs and erases fail, and blocks are bad from the factory.
    Blocks,
    /// Chips stay busy until they are reset, where channels schedule.
    Hangs,
    /// Reads have more wrong bits than the decoder corrects.
    Bits,
    /// The host clears CC.EN.
    Resets,
    /// The host deletes queues with commands in flight.
    Queues,
    /// The host aborts commands.
    Aborts,
    /// The host sends entries that no drive may take.
    Commands,
    /// The host points to memory that it does not have.
    Pointers,
    /// The host writes values to doorbells that their queues cannot have.
    Doorbells,
    /// The host formats the namespace, in some rounds.
    Formats,
    /// The drive is written to a snapshot and read back, in some rounds.
    Snapshots,
    /// The power is off for long, in some rounds on drives whose data age.
    Shelf,
    /// Chips program another page than they are told to, or none, and report success.
    Astray,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 14] = [
        Fault::Power,
        Fault::Blocks,
        Fault::Hangs,
        Fault::Bits,
        Fault::Resets,
        Fault::Queues,
        Fault::Aborts,
        Fault::Commands,
        Fault::Pointers,
        Fault::Doorbells,
        Fault::Formats,
        Fault::Snapshots,
        Fault::Shelf,
        Fault::Astray,
    ];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Power => "power",
            Fault::Blocks => "blocks",
            Fault::Hangs => "hangs",
            Fault::Bits => "bits",
            Fault::Resets => "resets",
            Fault::Queues => "queues",
            Fault::Aborts => "aborts",
            Fault::Commands => "commands",
            Fault::Pointers => "pointers",
            Fault::Doorbells => "doorbells",
            Fault::Formats => "formats",
            Fault::Snapshots => "snapshots",
            Fault::Shelf => "shelf",
            Fault::Astray => "astray",
        }
    }
}

/// A set of faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u16);

impl Faults {
    /// None of them.
    pub const NONE: Faults = Faults(0);

    /// All but programs that go astray, beside which less is promised.
    pub fn all() -> Faults {
        Faults::of(&Fault::ALL).without(Fault::Astray)
    }

    /// These.
    pub fn of(some: &[Fault]) -> Faults {
        Faults(some.iter().fold(0, |set, &fault| set | 1 << fault as u16))
    }

    /// The set without one.
    pub fn without(self, fault: Fault) -> Faults {
        Faults(self.0 & !(1 << fault as u16))
    }

    /// Whether one is among them.
    pub fn has(self, fault: Fault) -> bool {
        self.0 & 1 << fault as u16 != 0
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> =
            Fault::ALL.iter().filter(|&&one| self.has(one)).map(|one| one.name()).collect();
        f.write_str(if names.is_empty() { "none" } else { "" })?;
        f.write_str(&names.join(","))
    }
}

impl FromStr for Faults {
    type Err = String;

    /// `all` for [`Faults::all`], `none`, or names divided by commas. The error is what was expected.
    fn from_str(text: &str) -> Result<Faults, String> {
        match text {
            "all" => return Ok(Faults::all()),
            "none" => return Ok(Faults::NONE),
            _ => {}
        }
        let named = |name: &str| {
            Fault::ALL.into_iter().find(|fault| fault.name() == name).ok_or_else(|| {
                let names = Fault::ALL.map(Fault::name).join(", ");
                format!("all, none, or some of {names}")
            })
        };
        let some: Vec<Fault> = text.split(',').map(named).collect::<Result<_, _>>()?;
        Ok(Faults::of(&some))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let some = Faults::of(&[Fault::Power, Fault::Doorbells]);
        for faults in [Faults::NONE, Faults::all(), some] {
            assert_eq!(faults.to_string().parse(), Ok(faults));
        }
        assert_eq!("all".parse(), Ok(Faults::all()));
        let refused = "power,fire".parse::<Faults>().expect_err("there is no such fault");
        assert!(refused.starts_with("all, none, or some of power, "));
    }
}
