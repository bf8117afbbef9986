//! A table in parts of one length, which copies can have in common until one of them writes to a part.

use alloc::vec::Vec;
use core::ops::Range;

#[cfg(target_pointer_width = "64")]
use crate::below::Below;
use crate::Clones;

/// A table in parts of so many entries each, side by side. The last part may be shorter.
///
/// Once it is [shared](Parts::share), a clone takes memory for an index of 4 bytes a part, and for those parts that it, or the
/// table that it was cloned from, has written to since. Until then it is a vector, and a clone copies it.
#[derive(Clone, Debug)]
pub struct Parts<T> {
    each: usize,
    /// All entries, or the parts that this table has for itself.
    pub(crate) own: Vec<T>,
    /// The entries that it shares, where it does.
    #[cfg(target_pointer_width = "64")]
    pub(crate) below: Option<Below<T>>,
}

impl<T: Copy> Default for Parts<T> {
    /// No entries.
    fn default() -> Self {
        Parts::new(1, Vec::new())
    }
}

impl<T: Copy> Parts<T> {
    /// These entries, in parts of so many.
    ///
    /// # Panics
    /// If that is 0.
    pub fn new(each: usize, entries: Vec<T>) -> Self {
        assert!(each > 0, "parts have entries");
        Parts {
            each,
            own: entries,
            #[cfg(target_pointer_width = "64")]
            below: None,
        }
    }

    /// Entries of a part.
    pub fn each(&self) -> usize {
        self.each
    }

    /// Parts.
    pub fn count(&self) -> usize {
        #[cfg(target_pointer_width = "64")]
        if let Some(below) = &self.below {
            return below.count();
        }
        self.own.len().div_ceil(self.each)
    }

    /// Entries.
    pub fn len(&self) -> usize {
        #[cfg(target_pointer_width = "64")]
        if let Some(below) = &self.below {
            let added = below.count() - below.len().div_ceil(self.each);
            return below.len() + added * self.each;
        }
        self.own.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entries of a part.
    ///
    /// # Panics
    /// If it has no such entries.
    #[inline(always)]
    pub fn part(&self, nth: usize, of: Range<usize>) -> &[T] {
        #[cfg(target_pointer_width = "64")]
        if let Some(below) = &self.below {
            return below.part((&self.own, self.each), (nth, of));
        }
        let start = nth * self.each;
        &self.own[start + of.start..start + of.end]
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// As [`Parts::part`].
    #[inline(always)]
    pub fn part_mut(&mut self, nth: usize, of: Range<usize>) -> &mut [T] {
        #[cfg(target_pointer_width = "64")]
        if let Some(below) = &mut self.below {
            return below.part_mut((&mut self.own, self.each), (nth, of));
        }
        let start = nth * self.each;
        &mut self.own[start + of.start..start + of.end]
    }

    /// Adds a part, full of one entry. All parts before are whole ones.
    pub fn push(&mut self, entry: T) {
        #[cfg(target_pointer_width = "64")]
        if let Some(below) = &mut self.below {
            below.push(&mut self.own, self.each, entry);
            return;
        }
        self.own.resize(self.own.len() + self.each, entry);
    }

    /// All parts as they follow each other.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        let (len, each) = (self.len(), self.each);
        (0..self.count()).map(move |nth| self.part(nth, 0..each.min(len - nth * each)))
    }

    /// Clones have all entries in common from now on, each until it writes to them. Where memory is for one drive alone, nothing.
    pub fn share(&mut self) {
        #[cfg(target_pointer_width = "64")]
        {
            let all = self.take_whole();
            self.below = Some(Below::new(all, self.each));
        }
    }

    /// Shares nothing any more, if no clone is left that it could share with: a table that is used alone is faster so.
    pub fn unshare(&mut self) {
        #[cfg(target_pointer_width = "64")]
        if self.below.as_ref().is_some_and(Below::is_alone) {
            self.own = self.take_whole();
        }
    }

    #[cfg(target_pointer_width = "64")]
    fn take_whole(&mut self) -> Vec<T> {
        let own = core::mem::take(&mut self.own);
        match self.below.take() {
            None => own,
            Some(below) => below.whole(&own, self.each),
        }
    }

    /// States what clones are.
    pub fn set_clones(&mut self, are: Clones) {
        match are {
            Clones::Sharing => self.share(),
            Clones::Whole => self.unshare(),
        }
    }

    /// Bytes of memory that this table has for itself.
    pub fn own_bytes(&self) -> usize {
        let own = self.own.capacity() * size_of::<T>();
        #[cfg(target_pointer_width = "64")]
        if let Some(below) = &self.below {
            return own + below.own_bytes();
        }
        own
    }
}
