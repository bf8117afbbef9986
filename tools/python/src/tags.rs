//! What a generator calls its requests, by number.

use pyo3::prelude::*;

/// Objects of Python that are out under a number until they are taken back.
#[derive(Default)]
pub struct Tags {
    kept: Vec<Option<Py<PyAny>>>,
    free: Vec<u64>,
}

impl Tags {
    /// Keeps an object; its number is not used again until it is taken.
    pub fn keep(&mut self, tag: Py<PyAny>) -> u64 {
        match self.free.pop() {
            Some(number) => {
                self.kept[number as usize] = Some(tag);
                number
            }
            None => {
                self.kept.push(Some(tag));
                self.kept.len() as u64 - 1
            }
        }
    }

    /// The object of a number.
    ///
    /// # Panics
    /// If there is none.
    pub fn take(&mut self, number: u64) -> Py<PyAny> {
        self.free.push(number);
        self.kept[number as usize].take().expect("a tag comes back once")
    }
}
