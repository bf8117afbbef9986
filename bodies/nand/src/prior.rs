//! What the chips held before the run.

use contract::Lpn;

/// What the chips held before the run, as a formula, so that a full drive needs no memory.
///
/// A page that holds logical pages, one for each of its mapping units, holds version 1 of each of their blocks, and
/// their numbers in the spare area. Programs of a block go on above the highest page that holds something.
pub trait Prior {
    /// The first of the logical pages, which follow each other, that `row` of `die` holds; `None` if the page is erased.
    fn logical(&self, die: u32, row: u32) -> Option<Lpn>;
}

/// Nothing is a formula too: all pages are erased.
impl<P: Prior> Prior for Option<P> {
    fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        self.as_ref().and_then(|prior| prior.logical(die, row))
    }
}
