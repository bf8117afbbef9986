//! Values as 32-bit words, one after the other.

use alloc::vec::Vec;
use contract::Duration;

/// A value that has a form of words.
pub trait Words: Sized {
    /// Adds its words.
    fn put(&self, words: &mut Vec<u32>);
    /// Takes it off the front of words; `None` if they are of no such value.
    fn take(words: &mut &[u32]) -> Option<Self>;
}

impl Words for u32 {
    fn put(&self, words: &mut Vec<u32>) {
        words.push(*self);
    }

    fn take(words: &mut &[u32]) -> Option<Self> {
        let (first, rest) = words.split_first()?;
        *words = rest;
        Some(*first)
    }
}

impl Words for u64 {
    fn put(&self, words: &mut Vec<u32>) {
        words.extend([*self as u32, (*self >> 32) as u32]);
    }

    fn take(words: &mut &[u32]) -> Option<Self> {
        let (low, high) = (u32::take(words)?, u32::take(words)?);
        Some(u64::from(high) << 32 | u64::from(low))
    }
}

macro_rules! narrow {
    ($($type:ty),*) => {
        $(impl Words for $type {
            fn put(&self, words: &mut Vec<u32>) {
                words.push((*self).into());
            }

            fn take(words: &mut &[u32]) -> Option<Self> {
                u32::take(words)?.try_into().ok()
            }
        })*
    };
}

narrow!(u8, u16);

impl Words for Duration {
    fn put(&self, words: &mut Vec<u32>) {
        self.as_ps().put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Self> {
        u64::take(words).map(Duration::from_ps)
    }
}

impl<T: Words> Words for Option<T> {
    fn put(&self, words: &mut Vec<u32>) {
        words.push(self.is_some().into());
        self.iter().for_each(|value| value.put(words));
    }

    fn take(words: &mut &[u32]) -> Option<Self> {
        match u32::take(words)? {
            0 => Some(None),
            1 => T::take(words).map(Some),
            _ => None,
        }
    }
}

impl<T: Words, U: Words> Words for (T, U) {
    fn put(&self, words: &mut Vec<u32>) {
        self.0.put(words);
        self.1.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Self> {
        Some((T::take(words)?, U::take(words)?))
    }
}

impl<T: Words + Copy + Default, const N: usize> Words for [T; N] {
    fn put(&self, words: &mut Vec<u32>) {
        self.iter().for_each(|value| value.put(words));
    }

    fn take(words: &mut &[u32]) -> Option<Self> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::take(words)?;
        }
        Some(values)
    }
}
