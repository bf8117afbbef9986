//! Which way data goes, and values for each way.

/// Where data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the drive.
    Read,
    /// To the drive.
    Write,
    /// Nowhere: blocks are deallocated.
    Trim,
}

/// A value for each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerDirection<T> {
    /// For reads.
    pub read: T,
    /// For writes.
    pub write: T,
    /// For trims.
    pub trim: T,
}

impl<T: Copy> PerDirection<Option<T>> {
    /// The values, with `other` in the place of those that are absent.
    pub(super) fn or(&self, other: T) -> PerDirection<T> {
        PerDirection {
            read: self.read.unwrap_or(other),
            write: self.write.unwrap_or(other),
            trim: self.trim.unwrap_or(other),
        }
    }
}

impl<T> PerDirection<T> {
    /// The value for `direction`.
    pub fn of(&self, direction: Direction) -> &T {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
            Direction::Trim => &self.trim,
        }
    }

    /// The value for `direction`, to be changed.
    pub fn of_mut(&mut self, direction: Direction) -> &mut T {
        match direction {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
            Direction::Trim => &mut self.trim,
        }
    }
}
