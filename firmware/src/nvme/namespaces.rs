//! Namespaces: which blocks of the drive each of them has.
//!
//! Storage knows blocks of the drive alone. A namespace is a range of them, and the manager says all commands to storage in blocks of the
//! drive. Every namespace has as many mapping units, the last one the rest, too; so none shares a unit with another.

use contract::{Configuration, MOST_NAMESPACES};
use nvme::io::BlockRange;
use nvme::status::{Fault, Status};
use nvme::ALL_NAMESPACES;

use super::backend::Storage;

/// A namespace's blocks, in blocks of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The first of them.
    pub first: u64,
    /// How many there are.
    pub blocks: u64,
}

/// The namespaces of a drive: they are numbered from 1 on, and stay as they are.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Namespaces {
    count: u32,
    /// Bytes of each but the last.
    bytes: u64,
}

impl Namespaces {
    /// Those of a drive with this configuration.
    pub fn new(config: &Configuration) -> Self {
        let (count, units) = (config.namespaces, config.logical_units());
        assert!((1..=MOST_NAMESPACES.min(units)).contains(&count), "{count} namespaces");
        let bytes = u64::from(units / count) * u64::from(config.unit_bytes);
        Namespaces { count, bytes }
    }

    /// How many there are, which is the highest identifier.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// All identifiers, in order.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        1..=self.count
    }

    /// Whether this is the identifier of one of them.
    #[inline]
    pub fn has(&self, nsid: u32) -> bool {
        nsid.wrapping_sub(1) < self.count
    }

    /// Checks an identifier that has to be one of them.
    ///
    /// # Errors
    /// Invalid Namespace or Format.
    #[inline]
    pub fn check(&self, nsid: u32) -> Result<(), Fault> {
        match self.has(nsid) {
            true => Ok(()),
            false => Err(Fault::at(Status::INVALID_NAMESPACE, 1, 0)),
        }
    }

    /// Checks an identifier that may stand for all of them, too.
    ///
    /// # Errors
    /// Invalid Namespace or Format.
    pub fn check_or_all(&self, nsid: u32) -> Result<(), Fault> {
        if nsid == ALL_NAMESPACES {
            return Ok(());
        }
        self.check(nsid)
    }

    /// Which blocks a namespace has in the drive's present format. Its identifier was checked.
    #[inline]
    pub fn place(&self, nsid: u32, storage: &impl Storage) -> Place {
        let all = storage.blocks();
        if self.count == 1 {
            return Place { first: 0, blocks: all };
        }
        let blocks = self.bytes / u64::from(storage.block_bytes());
        let first = blocks * u64::from(nsid - 1);
        let is_last = nsid == self.count;
        Place { first, blocks: if is_last { all - first } else { blocks } }
    }

    /// The first block of the drive of a range of a namespace's own blocks. Its identifier was checked.
    ///
    /// # Errors
    /// LBA Out of Range.
    #[inline]
    pub fn locate(
        &self,
        storage: &impl Storage,
        nsid: u32,
        range: BlockRange,
    ) -> Result<u64, Fault> {
        let place = self.place(nsid, storage);
        match range.start.checked_add(u64::from(range.blocks)) {
            Some(end) if end <= place.blocks => Ok(place.first + range.start),
            _ => Err(Fault::at(Status::LBA_OUT_OF_RANGE, 10, 0)),
        }
    }
}
