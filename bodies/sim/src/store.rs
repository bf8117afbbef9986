//! Memory by entries: all of it there from the start, or made in parts when they are first touched.

use borsh::{BorshDeserialize, BorshSerialize};

/// Entries of a part.
const PART: usize = 8;

/// Elements of `T`, so many an entry.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Store<T: Copy> {
    per_entry: usize,
    place: Place<T>,
}

#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
enum Place<T: Copy> {
    Whole(Vec<T>),
    Parts(Vec<Option<Box<[T]>>>),
}

impl<T: Copy> Store<T> {
    /// Memory that is there, full of `value`.
    pub fn whole((entries, per_entry): (usize, usize), value: T) -> Self {
        Store { per_entry, place: Place::Whole(vec![value; entries * per_entry]) }
    }

    /// Memory of which nothing is there yet.
    pub fn parts((entries, per_entry): (usize, usize)) -> Self {
        let parts = (0..entries.div_ceil(PART)).map(|_| None).collect();
        Store { per_entry, place: Place::Parts(parts) }
    }

    /// Whether it has as many elements, in the same places, as other memory of which parts may not be there yet.
    pub fn is_like(&self, other: &Self) -> bool {
        let places = match (&self.place, &other.place) {
            (Place::Whole(own), Place::Whole(other)) => own.len() == other.len(),
            (Place::Parts(own), Place::Parts(other)) => {
                let elements = PART * self.per_entry;
                let whole = own.iter().flatten().all(|part| part.len() == elements);
                whole && own.len() == other.len()
            }
            _ => false,
        };
        places && self.per_entry == other.per_entry
    }

    /// An entry that is there.
    ///
    /// # Panics
    /// When it was never touched.
    #[inline]
    pub fn entry(&self, nth: usize) -> &[T] {
        match &self.place {
            Place::Whole(all) => &all[nth * self.per_entry..][..self.per_entry],
            Place::Parts(parts) => {
                let part = parts[nth / PART].as_deref().expect("an entry that was touched");
                &part[nth % PART * self.per_entry..][..self.per_entry]
            }
        }
    }

    /// An entry. Where its part is not there yet, `make` gives what it holds: so many elements, from the
    /// first one's number on.
    #[inline]
    pub fn touch(&mut self, nth: usize, make: impl FnOnce(usize, usize) -> Box<[T]>) -> &mut [T] {
        let per_entry = self.per_entry;
        match &mut self.place {
            Place::Whole(all) => &mut all[nth * per_entry..][..per_entry],
            Place::Parts(parts) => {
                let first = nth / PART * PART * per_entry;
                let part = &mut parts[nth / PART];
                let part = part.get_or_insert_with(|| make(first, PART * per_entry));
                &mut part[nth % PART * per_entry..][..per_entry]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_made_once_and_hold_what_was_written() {
        let mut store = Store::parts((20, 2));
        let numbered = |first, count| (first..first + count).collect::<Box<[usize]>>();
        assert_eq!(store.touch(9, numbered), [18, 19]);
        store.touch(9, numbered)[1] = 7;
        assert_eq!(store.touch(9, |_, _| unreachable!("it is there")), [18, 7]);
        assert_eq!(store.entry(10), [20, 21], "of the same part");
        assert_eq!(store.touch(19, numbered), [38, 39]);
    }
}
