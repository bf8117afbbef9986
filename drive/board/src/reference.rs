//! The table of keys as a reader meets it: what a value may be, and what it means.

use contract::Work;

use crate::keys::{self, Key, Kind, Nature, LARGEST_MB_S};
use crate::Board;

/// A key of a board file, described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyReference {
    /// Section and name, with a dot between them.
    pub path: &'static str,
    /// What a value may be, as Markdown.
    pub range: String,
    /// Whether a board that is shipped has to name a source for the value.
    pub needs_source: bool,
    /// What the value means, as Markdown; links are relative to docs/spec.
    pub meaning: String,
}

impl KeyReference {
    /// The section that the key stands in.
    pub fn section(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(section, _)| section)
    }

    /// The key within its section.
    pub fn name(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, name)| name)
    }
}

impl Board {
    /// The value at a key, as it would stand in a board file.
    ///
    /// # Panics
    /// When boards have no such key.
    pub fn written(&self, key: &str) -> &str {
        &self.sheet.leaf(key).written
    }
}

/// Every key, in the order in which boards are printed.
///
/// # Panics
/// When a key has no text, which a test rules out.
pub fn key_references() -> Vec<KeyReference> {
    let table = keys::all().iter().map(|key| KeyReference {
        path: &key.path,
        range: key.kind.range(),
        needs_source: key.nature == Nature::Hardware,
        meaning: text(key).unwrap_or_else(|| panic!("{} has no text", key.path)),
    });
    table.collect()
}

fn text(key: &Key) -> Option<String> {
    if let Some(owner) = &key.owner {
        let mut all = owner.kind.keys.iter().flat_map(|keys| keys.iter());
        let what = all.find(|own| own.name == owner.name)?.what;
        let policies = owner.policies().map(|name| format!("`{name}`"));
        let policies = policies.collect::<Vec<_>>().join(" and ");
        return Some(format!("{what} Own key of {policies}; {} if not stated.", owner.default));
    }
    let path = &*key.path;
    let work = Work::ALL.into_iter().find(|&work| keys::work_path(work) == path);
    match work {
        Some(work) => {
            let (spent_on, module) = (work_meaning(work), work.module().name());
            Some(format!("Instructions of {spent_on}; charged to the {module}."))
        }
        None => key.meaning.map(str::to_owned),
    }
}

/// What the instructions of a kind of work are spent on.
fn work_meaning(work: Work) -> &'static str {
    match work {
        Work::Loop => "a turn of the main loop",
        Work::Decode => "a fetched command",
        Work::Admin => "an admin command",
        Work::Complete => "a completion",
        Work::Slice => "a slice",
        Work::Lookup => "a search of the data buffer",
        Work::Allocate => "an entry recycled",
        Work::Touch => "4 KiB filled or compared",
        Work::Translate => "a page looked up to be loaded",
        Work::Place => "a page given a place",
        Work::Depend => "an operation added, and an operation ended",
        Work::Collect => "a page moved, and the erase after them",
        Work::Victim => "a victim chosen, and a bad block replaced",
        Work::PollDma => "a look at the DMA engine",
        Work::PollChannel => "a look at a channel",
        Work::Scan => "a way that is not idle, each time the scheduler runs",
        Work::Advance => "a way's change of state, or a response",
        Work::Select => "a phase chosen, or an operation to hand over",
        Work::IssueDma => "4 KiB of a DMA request",
        Work::Issue => "a flash request, of either grain",
    }
}

impl Kind {
    /// What a value may be, in a table.
    fn range(self) -> String {
        match self {
            Kind::Count(least, most) => format!("{} to {}", shown(least), shown(most)),
            Kind::Power(least, most) => {
                format!("power of two, {} to {}", shown(least), shown(most))
            }
            Kind::Time(unit) => format!("0 to {} {}", shown(unit.most() as u64), unit.name()),
            Kind::Latency(unit) => {
                format!("above 0, to {} {}", shown(unit.most() as u64), unit.name())
            }
            Kind::Bandwidth => format!("1 to {} MB/s", shown(LARGEST_MB_S as u64)),
            Kind::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                words.join(", ")
            }
            Kind::Sizes(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
                format!("list of {}", sizes.join(", "))
            }
            Kind::Lists => "list of texts".to_owned(),
        }
    }
}

/// A number with commas between thousands; a large power of two or of ten as one.
fn shown(number: u64) -> String {
    if number == i64::MAX as u64 {
        return "2^63 - 1".to_owned();
    }
    if number >= 1 << 17 && number.is_power_of_two() {
        return format!("2^{}", number.trailing_zeros());
    }
    let tens = number.max(1).ilog10();
    if number >= 1_000_000 && number == 10_u64.pow(tens) {
        return format!("10^{tens}");
    }
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len() - index;
        if number >= 10_000 && index > 0 && left % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{POLICIES, TABLE};

    #[test]
    fn every_key_has_one_text_and_every_text_a_key() {
        for key in keys::all() {
            let text = text(key).unwrap_or_else(|| panic!("{} has no text", key.path));
            assert!(text.ends_with('.') && !text.contains('|'), "{}: {text}", key.path);
        }
        let mut seen = Vec::new();
        let described = TABLE.iter().map(|row| row.0).chain(POLICIES.iter().map(|row| row.0));
        for path in described {
            assert!(keys::index_of(path).is_some(), "{path} is no key and has a text");
            assert!(!seen.contains(&path), "{path} has two texts");
            seen.push(path);
        }
    }

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (number, text) in [
            (0, "0"),
            (4096, "4096"),
            (65_536, "65,536"),
            (1 << 24, "2^24"),
            (1_000_000_000, "10^9"),
            (100_000, "100,000"),
            (i64::MAX as u64, "2^63 - 1"),
        ] {
            assert_eq!(shown(number), text);
        }
    }
}
