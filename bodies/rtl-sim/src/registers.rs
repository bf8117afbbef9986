//! What the registers of a model hold: whether any changes, and those that count cycles and nothing else.

use crate::model::Model;
use std::ops::Range;

/// A register that counts cycles, whatever happens.
#[derive(Clone, Debug)]
pub struct Clock {
    place: Range<usize>,
    bits: u32,
}

/// A register to be looked at.
#[derive(Clone, Debug)]
pub struct Peek {
    place: Range<usize>,
}

/// A memory to be looked at, word by word.
#[derive(Clone, Debug)]
pub struct PeekTable {
    place: Range<usize>,
    word_bytes: usize,
}

/// A look at registers now and then.
#[derive(Debug)]
pub struct Watch {
    /// Where they are, those side by side in one.
    places: Vec<Range<usize>>,
    /// What they held at the last look.
    held: Vec<u8>,
}

/// Where the registers are whose paths have one of these parts.
///
/// # Panics
/// If no register's path has one of them: the hardware has changed.
fn with_part<'a>(
    model: &'a Model,
    parts: &'a [&str],
) -> impl Iterator<Item = (Range<usize>, &'static (&'static str, u32))> + 'a {
    let registers = model.registers();
    for part in parts {
        assert!(model.has_register(part), "found no register with {part} in its path");
    }
    let is_one = |path: &str| parts.iter().any(|part| path.contains(part));
    model.places().into_iter().zip(registers).filter(move |(_, (path, _))| is_one(path))
}

impl Clock {
    /// The registers whose paths have one of these parts.
    ///
    /// # Panics
    /// As [`Watch::new`].
    pub fn all(model: &Model, parts: &[&str]) -> Vec<Self> {
        with_part(model, parts).map(|(place, &(_, bits))| Self { place, bits }).collect()
    }

    /// Lets it count so many cycles that were not run.
    pub fn pass(&self, model: &mut Model, cycles: u64) {
        let kept = model.kept_mut(self.place.clone());
        let mut bytes = [0; 8];
        bytes[..kept.len()].copy_from_slice(kept);
        let counted = u64::from_le_bytes(bytes).wrapping_add(cycles);
        let bytes = (counted & u64::MAX >> (u64::BITS - self.bits)).to_le_bytes();
        kept.copy_from_slice(&bytes[..kept.len()]);
    }
}

impl Peek {
    /// The register whose path ends so.
    ///
    /// # Panics
    /// If no register's path does, or it has more than 64 bits: the hardware has changed.
    pub fn named(model: &Model, end: &str) -> Self {
        let mut registers = model.places().into_iter().zip(model.registers());
        let found = registers.find(|(_, (path, _))| path.ends_with(end));
        let (place, (path, bits)) =
            found.unwrap_or_else(|| panic!("found no register whose path ends with {end}"));
        assert!(*bits <= u64::BITS, "{path} has {bits} bits");
        Self { place }
    }

    /// What it holds.
    pub fn value(&self, model: &Model) -> u64 {
        let kept = model.kept(self.place.clone());
        let mut bytes = [0; 8];
        bytes[..kept.len()].copy_from_slice(kept);
        u64::from_le_bytes(bytes)
    }
}

impl PeekTable {
    /// The memory whose path ends so, of words of so many bytes.
    ///
    /// # Panics
    /// If no memory's path does: the hardware has changed.
    pub fn named(model: &Model, end: &str, word_bytes: usize) -> Self {
        let mut registers = model.places().into_iter().zip(model.registers());
        let found = registers.find(|(_, (path, _))| path.ends_with(end));
        let (place, _) =
            found.unwrap_or_else(|| panic!("found no memory whose path ends with {end}"));
        Self { place, word_bytes }
    }

    /// A word, as bytes, the lowest first.
    pub fn entry<'a>(&self, model: &'a Model, index: usize) -> &'a [u8] {
        let start = self.place.start + index * self.word_bytes;
        model.kept(start..start + self.word_bytes)
    }
}

impl Watch {
    /// Watches all registers but those whose paths have one of these parts.
    ///
    /// # Panics
    /// If no register's path has one of them: the hardware has changed.
    pub fn new(model: &Model, but: &[&str]) -> Self {
        let but: Vec<Range<usize>> = with_part(model, but).map(|(place, _)| place).collect();
        let mut all = model.places();
        all.retain(|place| !but.contains(place));
        all.sort_by_key(|place| place.start);
        let mut places: Vec<Range<usize>> = Vec::new();
        for place in all {
            match places.last_mut() {
                Some(last) if last.end == place.start => last.end = place.end,
                _ => places.push(place),
            }
        }
        let held = vec![0; places.iter().map(Range::len).sum()];
        Self { places, held }
    }

    /// Whether any holds something else than at the last look.
    pub fn has_changed(&mut self, model: &Model) -> bool {
        let (mut held, mut changed) = (&mut self.held[..], false);
        for place in &self.places {
            let (before, rest) = std::mem::take(&mut held).split_at_mut(place.len());
            let now = model.kept(place.clone());
            if before != now {
                before.copy_from_slice(now);
                changed = true;
            }
            held = rest;
        }
        changed
    }
}
