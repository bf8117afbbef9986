//! The volumes of a trace, numbered as they come.

use std::collections::HashMap;

/// The most volumes that a trace may have.
const MAX_VOLUMES: usize = 1 << 16;
/// The longest name.
const MAX_NAME_BYTES: usize = 256;

/// Names of volumes by number: what the trace calls them.
#[derive(Clone, Debug, Default)]
pub struct Volumes {
    names: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, u32>,
    last: u32,
}

impl Volumes {
    /// The number of a volume, a new one if need be; none if it cannot be had.
    #[inline]
    pub(crate) fn number(&mut self, name: &[u8]) -> Option<u32> {
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
}
