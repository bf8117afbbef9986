//! What becomes of fio's options, from the tables by which jobs are read.

use super::names::{engines_of, ALIASES, SETTINGS};
use super::options::{IGNORED, REFUSED};

/// Options that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionGroup {
    /// Their subject, or why they are ignored.
    pub about: &'static str,
    /// Their names, aliases left out.
    pub names: &'static [&'static str],
}

/// An option that ends a run, but for some values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedOption {
    /// Its name.
    pub name: &'static str,
    /// The values that change nothing and are taken.
    pub taken: &'static [&'static str],
}

/// Options that a run acts on.
pub fn honoured() -> impl Iterator<Item = OptionGroup> {
    SETTINGS.iter().map(|&(about, names)| OptionGroup { about, names })
}

/// Options that are read and change nothing, because a raw virtual drive has nothing that they could change.
pub fn ignored() -> impl Iterator<Item = OptionGroup> {
    IGNORED.iter().map(|&(about, names)| OptionGroup { about, names })
}

/// Options that would change the result, and are not modelled.
pub fn refused() -> impl Iterator<Item = RefusedOption> {
    REFUSED.iter().map(|&(name, taken)| RefusedOption { name, taken })
}

/// Other names of an option.
pub fn aliases_of(name: &str) -> impl Iterator<Item = &'static str> + '_ {
    ALIASES.iter().filter(move |(_, known)| *known == name).map(|(alias, _)| *alias)
}

/// The I/O engines that have an option, if not all have it.
pub fn only_engines(name: &str) -> Option<&'static [&'static str]> {
    engines_of(name)
}
