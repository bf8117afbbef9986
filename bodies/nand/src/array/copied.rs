//! Second chips in the state of the first.

use sparse::Clones;

use super::Array;
use crate::Prior;

impl<P: Clone> Array<P> {
    /// Other chips that hold the same and draw the same from now on. None of chips in an image: what its file holds is
    /// one drive's.
    pub fn copied(&self) -> Option<Self> {
        let None = self.image else { return None };
        Some(Self {
            dies: self.dies.clone(),
            deviations: self.deviations,
            blocks: self.blocks.clone(),
            contents: self.contents.clone(),
            wear: self.wear.clone(),
            cells: self.cells.clone(),
            wrong: self.wrong.clone(),
            wrong_per_million: self.wrong_per_million.clone(),
            failures: self.failures,
            hung: self.hung.clone(),
            timeout: self.timeout,
            strays: self.strays.clone(),
            aging: self.aging.clone(),
            programming: self.programming,
            fold: self.fold,
            flash_page_bytes: self.flash_page_bytes,
            logical_pages: self.logical_pages,
            units: self.units,
            block_bytes: self.block_bytes,
            last_works: self.last_works.clone(),
            watched: self.watched.clone(),
            image: None,
        })
    }
}

impl<P: Prior> Array<P> {
    /// States what [copies](Array::copied) are as to tables that grow with the drive.
    pub fn set_clones(&mut self, are: Clones) {
        self.blocks.set_clones(are);
        self.aging.iter_mut().for_each(|aging| aging.set_clones(are));
    }
}
