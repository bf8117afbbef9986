//! All checksums of an image.

use crate::error::ImageError;
use crate::image::Image;

/// What an image holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Blocks that were erased at least once.
    pub erased_blocks: u64,
    /// Pages that are programmed.
    pub pages: u64,
    /// Those of them that have data of their own.
    pub pages_with_data: u64,
}

/// Looks at every record and at the data of every page. `has_data` tells by its words whether a page has
/// any.
///
/// # Errors
/// The first part that is damaged, or the system's reason.
pub fn check(image: &Image, has_data: impl Fn(&[u32]) -> bool) -> Result<Checked, ImageError> {
    image.fill()?;
    let blocks = image.blocks()?;
    let per_block = u64::from(image.shape().pages_per_block);
    let mut checked = Checked {
        erased_blocks: blocks.iter().filter(|block| block.erases > 0).count() as u64,
        ..Checked::default()
    };
    let mut damaged = None;
    image.each_page(|record| {
        let block = blocks[(record.page / per_block) as usize];
        if record.erases != block.erases || block.torn {
            return;
        }
        checked.pages += 1;
        if has_data(record.words) {
            checked.pages_with_data += 1;
            let at = (record.page, record.erases);
            if damaged.is_none() && image.with_data(at, |data| data.is_none()) {
                damaged = Some(record.page);
            }
        }
    })?;
    match damaged {
        Some(page) => Err(ImageError::damaged(image.path(), &format!("data of page {page}"))),
        None => Ok(checked),
    }
}
