//! What is known of one LBA, in 32 bits.

/// Bits of the number of a version, in the word of an LBA.
const VERSION_BITS: u32 = 28;
/// The last version; the next is 1 again.
pub(super) const LAST_VERSION: u32 = (1 << VERSION_BITS) - 1;

/// What an LBA may hold when nothing is in flight, in terms of the last version that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The last version.
    Version = 0,
    /// Zeroes: nothing was written yet, or zeroes were written last.
    Zeroes = 1,
    /// The last version or zeroes: it was deallocated, and not read since.
    Either = 2,
    /// Anything: it is as it was before the run, of which nobody knows.
    Unknown = 3,
}

/// A change in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flight {
    /// No change is in flight.
    None = 0,
    /// A write of the version after the last.
    Write = 1,
    /// A write of zeroes.
    Zeroes = 2,
    /// A deallocation.
    Deallocate = 3,
}

/// A simple state: at most one change in flight, and no doubt left by earlier ones but that of a
/// deallocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) base: Base,
    pub(super) flight: Flight,
    /// The version that was last written to the end; 0 if none was.
    pub(super) last: u32,
}

/// A word of the table: a tag of 4 bits above a version. Zero stands for an LBA that is as the
/// preconditioning left it, so that a fresh table needs no memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Word(u32);

/// What a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// This.
    Simple(Simple),
    /// The state is in the side table. In a snapshot: the last version given out by then.
    Contended(u32),
}

const TAG_CONTENDED: u32 = 1;
const TAG_SIMPLE: u32 = 2;

impl Word {
    /// The word of an LBA whose state is in the side table.
    pub(super) const fn contended(last: u32) -> Self {
        Word(TAG_CONTENDED << VERSION_BITS | last)
    }

    pub(super) const fn from_bits(bits: u32) -> Self {
        Word(bits)
    }

    pub(super) const fn bits(self) -> u32 {
        self.0
    }

    pub(super) const fn is_contended(self) -> bool {
        self.0 >> VERSION_BITS == TAG_CONTENDED
    }

    /// What the word says; `initial` is what the LBA held before the run.
    #[inline]
    pub(super) fn known(self, initial: Base) -> Known {
        let last = self.0 & LAST_VERSION;
        let tag = self.0 >> VERSION_BITS;
        let (base, flight) = match tag {
            0 => return Known::Simple(Simple::initial(initial)),
            TAG_CONTENDED => return Known::Contended(last),
            _ => {
                let base = match (tag - TAG_SIMPLE) / 4 {
                    0 => Base::Version,
                    1 => Base::Zeroes,
                    _ => Base::Either,
                };
                let flight = match (tag - TAG_SIMPLE) % 4 {
                    0 => Flight::None,
                    1 => Flight::Write,
                    2 => Flight::Zeroes,
                    _ => Flight::Deallocate,
                };
                (base, flight)
            }
        };
        Known::Simple(Simple { base, flight, last })
    }
}

impl Simple {
    /// As it was before the run; where it was filled, that is version 1.
    pub(super) const fn initial(base: Base) -> Self {
        let last = if let Base::Version = base { 1 } else { 0 };
        Simple { base, flight: Flight::None, last }
    }

    /// Of [`Base::Unknown`] there is none but that of an untouched LBA.
    pub(super) const fn word(self) -> Word {
        if let Base::Unknown = self.base {
            return Word(0);
        }
        let tag = TAG_SIMPLE + self.base as u32 * 4 + self.flight as u32;
        Word(tag << VERSION_BITS | self.last)
    }

    /// The last version given out, in flight or not.
    pub(super) const fn given(self) -> u32 {
        match self.flight {
            Flight::Write => after(self.last),
            _ => self.last,
        }
    }

    /// Whether a read at this moment may find `version`, 0 being zeroes.
    pub(super) fn permits(self, version: u32) -> bool {
        match version {
            0 => {
                self.base != Base::Version
                    || matches!(self.flight, Flight::Zeroes | Flight::Deallocate)
            }
            _ => {
                self.base != Base::Zeroes && version == self.last
                    || self.flight == Flight::Write && version == after(self.last)
            }
        }
    }
}

/// The version that follows `version`.
pub(super) const fn after(version: u32) -> u32 {
    if version == LAST_VERSION {
        1
    } else {
        version + 1
    }
}

/// Whether `version` was given out after `from`, up to and including `to`.
pub(super) const fn given_between(version: u32, (from, to): (u32, u32)) -> bool {
    let span = if to >= from { to - from } else { LAST_VERSION - from + to };
    let ahead = if version >= from { version - from } else { LAST_VERSION - from + version };
    version != 0 && ahead >= 1 && ahead <= span
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_survives_its_word() {
        for base in [Base::Version, Base::Zeroes, Base::Either] {
            for flight in [Flight::None, Flight::Write, Flight::Zeroes, Flight::Deallocate] {
                for last in [1, 77, LAST_VERSION] {
                    let state = Simple { base, flight, last };
                    assert_eq!(state.word().known(Base::Version), Known::Simple(state));
                    assert!(!state.word().is_contended());
                    assert_ne!(state.word(), Word::default());
                }
            }
        }
        assert_eq!(Word::contended(9).known(Base::Zeroes), Known::Contended(9));
    }

    #[test]
    fn an_untouched_word_is_what_preconditioning_left() {
        let known = Word::default().known(Base::Version);
        assert_eq!(
            known,
            Known::Simple(Simple { base: Base::Version, flight: Flight::None, last: 1 })
        );
        let Known::Simple(new) = Word::default().known(Base::Zeroes) else { panic!("contended") };
        assert_eq!((new.permits(0), new.permits(1)), (true, false));
    }

    #[test]
    fn versions_run_round_without_zero() {
        assert_eq!((after(0), after(5), after(LAST_VERSION)), (1, 6, 1));
        assert!(given_between(1, (LAST_VERSION - 1, 2)));
        assert!(given_between(LAST_VERSION, (LAST_VERSION - 1, 2)));
        assert!(!given_between(LAST_VERSION - 1, (LAST_VERSION - 1, 2)));
        assert!(!given_between(3, (LAST_VERSION - 1, 2)));
        assert!(!given_between(0, (0, 7)));
        assert!(!given_between(4, (4, 4)));
    }
}
