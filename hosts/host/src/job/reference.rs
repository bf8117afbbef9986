//! What becomes of fio's options, from the tables by which jobs are read.

use super::engines::{self, Engine};
use super::names::{engines_of, ALIASES, ENGINE_OPTIONS, SETTINGS};
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
    /// fio's name of the option.
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

/// An I/O engine of fio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownEngine {
    /// What `ioengine` calls the engine.
    pub name: &'static str,
    /// What becomes of it.
    pub becomes: String,
    /// Options that only some engines have, this one among them.
    pub options: Vec<&'static str>,
}

/// All I/O engines of fio, in the order of their names.
pub fn engines() -> Vec<KnownEngine> {
    let told = |(name, engine): (&'static str, Engine)| {
        let becomes = match engine {
            Engine::Queued => "block I/O with iodepth requests in flight".to_owned(),
            Engine::Synchronous => "block I/O with one request in flight".to_owned(),
            Engine::Other(does) => format!("refused: it {does}"),
            Engine::Unknown => "refused".to_owned(),
        };
        let rows = ENGINE_OPTIONS.iter().filter(|(_, owners)| owners.contains(&name));
        KnownEngine { name, becomes, options: rows.map(|(option, _)| *option).collect() }
    };
    let mut engines: Vec<_> = engines::all().map(told).collect();
    engines.sort_by_key(|engine| engine.name);
    engines
}
