//! The volumes of a trace, numbered as they come.

use std::collections::HashMap;

use crate::fault::Wrong;
use crate::format::Format;

/// The most volumes that a trace may have.
const MAX_VOLUMES: usize = 1 << 16;
/// The longest name.
const MAX_NAME_BYTES: usize = 256;
/// What is told where a trace has too many volumes.
const EXPECTED: &str = "at most 65536 volumes, with names of at most 256 bytes";

/// Names of volumes by number: what the trace calls them.
#[derive(Clone, Debug, Default)]
pub struct Volumes {
    names: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, u32>,
    last: u32,
    choice: Option<Choice>,
}

/// Volumes that are asked for.
#[derive(Clone, Debug)]
struct Choice {
    format: Format,
    wanted: Vec<String>,
    /// Of each volume, whether it is among them.
    is_chosen: Vec<bool>,
    /// Of each that is asked for, whether the trace has it.
    is_there: Vec<bool>,
}

impl Volumes {
    /// Only those that are asked for; all if none are.
    pub(crate) fn choosing(format: Format, wanted: &[String]) -> Self {
        let choice = (!wanted.is_empty()).then(|| Choice {
            format,
            wanted: wanted.to_vec(),
            is_chosen: Vec::new(),
            is_there: vec![false; wanted.len()],
        });
        Volumes { choice, ..Volumes::default() }
    }

    /// The number of a volume, a new one if need be; none if it is not asked for.
    ///
    /// # Errors
    /// When there are too many volumes, or its name is too long.
    #[inline]
    pub(crate) fn chosen<'a>(&mut self, name: &'a [u8]) -> Result<Option<u32>, Wrong<'a>> {
        let Some(number) = self.number(name) else {
            return Err(Wrong::new("volume", name, EXPECTED));
        };
        match &self.choice {
            None => Ok(Some(number)),
            Some(choice) => Ok(choice.is_chosen[number as usize].then_some(number)),
        }
    }

    #[inline]
    fn number(&mut self, name: &[u8]) -> Option<u32> {
        match self.names.get(self.last as usize) {
            Some(last) if **last == *name => Some(self.last),
            _ => self.look_up(name),
        }
    }

    fn look_up(&mut self, name: &[u8]) -> Option<u32> {
        if let Some(&number) = self.numbers.get(name) {
            self.last = number;
            return Some(number);
        }
        if self.names.len() == MAX_VOLUMES || name.len() > MAX_NAME_BYTES {
            return None;
        }
        let number = self.names.len() as u32;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        self.last = number;
        if let Some(choice) = &mut self.choice {
            choice.consider(name);
        }
        Some(number)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// What the trace calls a volume.
    pub fn name(&self, number: u32) -> String {
        match self.names.get(number as usize) {
            Some(name) => name.escape_ascii().to_string(),
            None => number.to_string(),
        }
    }

    /// Whether the trace has a volume that is asked for by this name.
    pub fn has(&self, wanted: &str) -> bool {
        let Some(choice) = &self.choice else { return false };
        let mut all = choice.wanted.iter().zip(&choice.is_there);
        all.any(|(name, is_there)| *is_there && name == wanted)
    }
}

impl Choice {
    /// Says whether the next volume is asked for.
    fn consider(&mut self, name: &[u8]) {
        let mut is_chosen = false;
        for (wanted, is_there) in self.wanted.iter().zip(&mut self.is_there) {
            if is_called(name, wanted.as_bytes(), self.format) {
                (is_chosen, *is_there) = (true, true);
            }
        }
        self.is_chosen.push(is_chosen);
    }
}

/// Whether a volume may be called so: by its name as it is told, with commas for blanks between its parts, or in MSR
/// Cambridge by its disk alone.
fn is_called(name: &[u8], wanted: &[u8], format: Format) -> bool {
    let parts = |text: &[u8]| -> Vec<u8> {
        let blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
        let words = text.split(blank).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(&b',')
    };
    let told = name.escape_ascii().to_string();
    let disk = name.rsplit(|byte| *byte == b',').next().filter(|_| format == Format::Msr);
    told.as_bytes() == wanted || parts(name) == parts(wanted) || disk == Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;

    #[test]
    fn a_volume_is_called_by_its_name_or_its_disk() {
        let blkparse = Format::Blkparse(Event::Queue);
        for (name, wanted, format, is_so) in [
            ("hm,0", "0", Format::Msr, true),
            ("hm,0", "hm,0", Format::Msr, true),
            ("hm,10", "0", Format::Msr, false),
            ("253,0", "253,0", blkparse, true),
            ("253,0", "0", blkparse, false),
            ("6 0", "6,0", blkparse, true),
            ("/dev/\u{e9}", "/dev/\\xc3\\xa9", blkparse, true),
        ] {
            let found = is_called(name.as_bytes(), wanted.as_bytes(), format);
            assert_eq!(found, is_so, "{name} {wanted}");
        }
    }
}
