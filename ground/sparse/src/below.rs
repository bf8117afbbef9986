//! The entries that copies of a table have in common, and which parts of them a copy has for itself.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

/// What a copy reads where it has written nothing.
#[derive(Clone, Debug)]
pub(crate) struct Below<T> {
    all: Arc<Vec<T>>,
    /// By part, its place among the copy's own parts and one more; 0 for a part in common.
    places: Vec<u32>,
}

impl<T: Copy> Below<T> {
    /// All entries, in parts of so many.
    pub fn new(all: Vec<T>, each: usize) -> Self {
        let places = alloc::vec![0; all.len().div_ceil(each)];
        Below { all: Arc::new(all), places }
    }

    /// Parts, those that were added among them.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Entries in common.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether no other table has these entries too.
    pub fn is_alone(&self) -> bool {
        Arc::strong_count(&self.all) == 1
    }

    /// Bytes that each copy has for itself.
    pub fn own_bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>()
    }

    /// Entries of a part.
    #[inline(never)]
    pub fn part<'a>(
        &'a self,
        (own, each): (&'a [T], usize),
        (nth, of): (usize, Range<usize>),
    ) -> &'a [T] {
        match self.places[nth] {
            0 => &self.all[nth * each..][of],
            place => &own[(place as usize - 1) * each..][of],
        }
    }

    /// Entries of a part, which becomes the copy's own if it is not.
    #[inline(never)]
    pub fn part_mut<'a>(
        &mut self,
        (own, each): (&'a mut Vec<T>, usize),
        (nth, of): (usize, Range<usize>),
    ) -> &'a mut [T] {
        if self.places[nth] == 0 {
            self.take(own, each, nth);
        }
        &mut own[(self.places[nth] as usize - 1) * each..][of]
    }

    /// A part is copied, to be written to. The last one may be shorter: what fills it up is never read.
    #[cold]
    fn take(&mut self, own: &mut Vec<T>, each: usize, nth: usize) {
        let end = self.all.len().min((nth + 1) * each);
        let start = own.len();
        own.extend_from_slice(&self.all[nth * each..end]);
        own.resize(start + each, self.all[end - 1]);
        self.places[nth] = place(start, each);
    }

    /// Adds a part behind the last one, full of one entry.
    pub fn push(&mut self, own: &mut Vec<T>, each: usize, entry: T) {
        self.places.push(place(own.len(), each));
        own.resize(own.len() + each, entry);
    }

    /// The table as one that shares nothing. Copies the common entries if others have them too.
    pub fn whole(self, own: &[T], each: usize) -> Vec<T> {
        let Below { all, places } = self;
        let mut all = Arc::unwrap_or_clone(all);
        for (nth, &place) in places.iter().enumerate().filter(|&(_, &place)| place != 0) {
            let part = &own[(place as usize - 1) * each..][..each];
            let start = nth * each;
            if start < all.len() {
                let end = all.len().min(start + each);
                all[start..end].copy_from_slice(&part[..end - start]);
            } else {
                all.extend_from_slice(part);
            }
        }
        all
    }
}

/// A part that begins here among the copy's own.
fn place(start: usize, each: usize) -> u32 {
    u32::try_from(start / each + 1).expect("less than 2^32 parts")
}
