//! Pages that do not fit in a block's table: in memory, or in the image.

use std::collections::BTreeMap;
use std::sync::Arc;

use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use drive_image::Image;

use crate::blocks::{Blocks, Place};
use crate::Prior;

/// What each page whose content is `Aside` holds, as a `T`.
#[derive(Clone)]
pub(crate) enum Aside<T> {
    /// Pages are never changed: clones have them in common.
    Memory(BTreeMap<(usize, u32), Arc<T>>),
    Image(Arc<Image>),
}

/// The number of a page over the whole image.
pub(crate) fn number(image: &Image, at: Place) -> u64 {
    at.block as u64 * u64::from(image.shape().pages_per_block) + u64::from(at.page)
}

/// What can be kept in an image.
pub(crate) trait Stored: Sized {
    /// Lets `put` have the bytes.
    fn emit(&self, put: impl FnOnce(&[u8]));
    /// From such bytes; `None` if they are not.
    fn parse(bytes: &[u8]) -> Option<Self>;
}

impl Stored for Box<[u8]> {
    fn emit(&self, put: impl FnOnce(&[u8])) {
        put(self);
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        Some(bytes.into())
    }
}

impl<T: BorshSerialize> Aside<T> {
    /// Writes all pages.
    ///
    /// # Panics
    /// If they are in an image.
    pub fn put_state(&self, to: &mut impl Write) -> Result<()> {
        match self {
            Self::Memory(pages) => pages.serialize(to),
            Self::Image(_) => panic!("pages in an image are no snapshot's"),
        }
    }
}

impl<T: BorshDeserialize> Aside<T> {
    /// Reads all pages into memory.
    pub fn take_state(&mut self, from: &mut impl Read) -> Result<()> {
        let pages = BTreeMap::<_, T>::deserialize_reader(from)?.into_iter();
        *self = Self::Memory(pages.map(|(at, page)| (at, Arc::new(page))).collect());
        Ok(())
    }
}

impl<T: Stored> Aside<T> {
    pub fn new(image: Option<&Arc<Image>>) -> Self {
        match image {
            None => Self::Memory(BTreeMap::new()),
            Some(image) => Self::Image(image.clone()),
        }
    }

    /// Keeps what a page is to hold whose block went through so many erases.
    pub fn keep(&mut self, (at, erases): (Place, u32), page: T) {
        match self {
            Self::Memory(pages) => {
                pages.insert((at.block, at.page), Arc::new(page));
            }
            Self::Image(image) => {
                page.emit(|bytes| image.put_data((number(image, at), erases), bytes))
            }
        }
    }

    /// Lets `take` have what a page holds; `None` if the image's data of it are damaged.
    pub fn with<R>(&self, (at, erases): (Place, u32), take: impl FnOnce(Option<&T>) -> R) -> R {
        match self {
            Self::Memory(pages) => take(Some(&pages[&(at.block, at.page)])),
            Self::Image(image) => {
                let page = image.with_data((number(image, at), erases), |bytes| T::parse(bytes?));
                take(page.as_ref())
            }
        }
    }

    /// Forgets the pages of a block, before it is erased. An image does so when it is told of that.
    pub fn forget<P: Prior>(&mut self, blocks: &Blocks<P>, block: usize) {
        let Self::Memory(pages) = self else { return };
        if !pages.is_empty() {
            for page in blocks.aside(block) {
                pages.remove(&(block, page));
            }
        }
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        match self {
            Self::Memory(pages) => pages.len(),
            Self::Image(_) => 0,
        }
    }
}
