//! Pages that do not fit in a block's table.

use std::collections::BTreeMap;

use crate::blocks::{Blocks, Place};
use crate::Prior;

/// What each page whose content is `Aside` holds, as a `T`.
pub(crate) struct Aside<T>(BTreeMap<(usize, u32), T>);

impl<T> Aside<T> {
    pub fn new() -> Self {
        Self(BTreeMap::new())
    }

    pub fn keep(&mut self, at: Place, page: T) {
        self.0.insert((at.block, at.page), page);
    }

    pub fn page(&self, at: Place) -> &T {
        &self.0[&(at.block, at.page)]
    }

    /// Forgets the pages of a block, before it is erased.
    pub fn forget<P: Prior>(&mut self, blocks: &Blocks<P>, block: usize) {
        if !self.0.is_empty() {
            for page in blocks.aside(block) {
                self.0.remove(&(block, page));
            }
        }
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
