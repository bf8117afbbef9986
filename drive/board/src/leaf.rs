//! One leaf: a checked value, and where it comes from.

use toml::Value as Toml;

use crate::keys::{Kind, LARGEST_MB_S};
use crate::Bandwidth;

/// A value that fits its key, with its provenance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The value as TOML.
    pub written: String,
    /// The value in the derived form's units.
    pub amount: Amount,
    /// Where it comes from, if it says.
    pub provenance: Option<Provenance>,
}

/// A checked value: times in picoseconds, bandwidths in picoseconds a KiB, choices by their index, words with one space
/// between two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    Number(u64),
    Sizes(Vec<u32>),
    Lists(Vec<Vec<String>>),
    /// The board has none.
    Unstated,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Provenance {
    pub source: String,
    pub role: Role,
}

/// How a value was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its source states it.
    Given,
    /// It was measured on hardware of our own, as its source tells.
    Measured,
    /// It was fitted to what its source measured.
    Calibrated,
    /// It is plausible.
    Assumed,
}

impl Role {
    pub(crate) const ALL: [Role; 4] =
        [Role::Given, Role::Measured, Role::Calibrated, Role::Assumed];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Role::Given => "given",
            Role::Measured => "measured",
            Role::Calibrated => "calibrated",
            Role::Assumed => "assumed",
        }
    }
}

/// A fault of a leaf, not yet placed in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub found: String,
    pub expected: String,
}

impl Leaf {
    /// Checks what stands at a key in a file: a scalar, or a table of value, source and role.
    pub(crate) fn from_toml(kind: Kind, toml: &Toml) -> Result<Leaf, Fault> {
        let Toml::Table(table) = toml else { return Leaf::checked(kind, toml, None) };
        let fault = |found: String| Fault {
            found,
            expected: "{ value, source, role }, or the value alone".to_owned(),
        };
        let strange = |key: &&String| !matches!(key.as_str(), "value" | "source" | "role");
        if let Some(key) = table.keys().find(strange) {
            return Err(fault(format!("a table with {key:?}")));
        }
        let part =
            |key: &str| table.get(key).ok_or_else(|| fault(format!("a table without {key:?}")));
        let (value, source, role) = (part("value")?, part("source")?, part("role")?);
        let source =
            source.as_str().filter(|text| !text.trim().is_empty()).ok_or_else(|| Fault {
                found: format!("source {}", found(source)),
                expected: "a source in words".to_owned(),
            })?;
        let known = |role: &Toml| Role::ALL.into_iter().find(|r| role.as_str() == Some(r.name()));
        let role = known(role).ok_or_else(|| Fault {
            found: format!("role {}", found(role)),
            expected: format!("one of {}", Role::ALL.map(Role::name).join(", ")),
        })?;
        Leaf::checked(kind, value, Some(Provenance { source: source.to_owned(), role }))
    }

    /// A whole number that a key has by default.
    ///
    /// # Panics
    /// If it does not fit the key.
    pub(crate) fn of_number(kind: Kind, number: u64) -> Leaf {
        let number = i64::try_from(number).expect("defaults are below 2^63");
        Leaf::checked(kind, &Toml::Integer(number), None).expect("a default that fits")
    }

    /// The leaf of a key that a board leaves out with its whole section.
    pub(crate) fn unstated() -> Leaf {
        Leaf { written: "none".to_owned(), amount: Amount::Unstated, provenance: None }
    }

    /// Whether the board states it.
    pub(crate) fn is_stated(&self) -> bool {
        self.amount != Amount::Unstated
    }

    /// Checks a value from the command line.
    pub(crate) fn from_argument(kind: Kind, text: &str) -> Result<Leaf, Fault> {
        let number = |text: &str| {
            let whole = text.parse::<i64>().map(Toml::Integer);
            let decimal = || text.parse::<f64>().map(Toml::Float);
            whole.or_else(|_| decimal()).unwrap_or_else(|_| Toml::String(text.to_owned()))
        };
        let value = match kind {
            Kind::Choice(_) => Toml::String(text.to_owned()),
            Kind::Sizes(_) => {
                Toml::Array(text.split(',').map(|part| number(part.trim())).collect())
            }
            Kind::Lists => {
                let list = |list: &str| Toml::String(list.trim().to_owned());
                Toml::Array(text.split(';').map(list).collect())
            }
            _ => number(text),
        };
        let source = "command line".to_owned();
        Leaf::checked(kind, &value, Some(Provenance { source, role: Role::Assumed }))
    }

    fn checked(kind: Kind, toml: &Toml, provenance: Option<Provenance>) -> Result<Leaf, Fault> {
        match amount(kind, toml) {
            Some(amount) => Ok(Leaf { written: toml.to_string(), amount, provenance }),
            None => Err(Fault { found: found(toml), expected: kind.expected() }),
        }
    }
}

/// The value in the derived form's units, if it fits the kind.
fn amount(kind: Kind, toml: &Toml) -> Option<Amount> {
    let whole = || toml.as_integer().and_then(|number| u64::try_from(number).ok());
    let number = || toml.as_float().or_else(|| toml.as_integer().map(|number| number as f64));
    let amount = match kind {
        Kind::Count(least, most) => whole().filter(|n| (least..=most).contains(n))?,
        Kind::Power(least, most) => {
            whole().filter(|n| n.is_power_of_two() && (least..=most).contains(n))?
        }
        Kind::Time(unit) => {
            let number = number().filter(|n| (0.0..=unit.most()).contains(n))?;
            (number * unit.ps()).round() as u64
        }
        Kind::Latency(unit) => match amount(Kind::Time(unit), toml)? {
            Amount::Number(0) => return None,
            latency => return Some(latency),
        },
        Kind::Bandwidth => {
            Bandwidth::ps_per_kib_at(number().filter(|n| (1.0..=LARGEST_MB_S).contains(n))?)
        }
        Kind::Choice(words) => words.iter().position(|word| toml.as_str() == Some(word))? as u64,
        Kind::Sizes(allowed) => return sizes(allowed, toml.as_array()?).map(Amount::Sizes),
        Kind::Lists => {
            let lists: Option<Vec<_>> = toml.as_array()?.iter().map(words).collect();
            return lists.filter(|lists| !lists.is_empty()).map(Amount::Lists);
        }
    };
    Some(Amount::Number(amount))
}

/// One to four different sizes, each of them allowed.
fn sizes(allowed: &[u32], list: &[Toml]) -> Option<Vec<u32>> {
    let mut sizes = Vec::new();
    for entry in list {
        let size = u32::try_from(entry.as_integer()?).ok()?;
        if !allowed.contains(&size) || sizes.contains(&size) {
            return None;
        }
        sizes.push(size);
    }
    (1..=4).contains(&sizes.len()).then_some(sizes)
}

/// Words between commas.
fn words(list: &Toml) -> Option<Vec<String>> {
    let word = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    list.as_str().map(|list| list.split(',').map(word).collect())
}

/// What stands in the file, in one line.
pub(crate) fn found(toml: &Toml) -> String {
    match toml {
        Toml::String(text) => format!("{text:?}"),
        Toml::Table(_) => "a table".to_owned(),
        Toml::Array(list) => {
            format!("[{}]", list.iter().map(found).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}
