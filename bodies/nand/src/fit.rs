//! Whether a payload and an error correction fit the pages of a board, and how large its image is.

use board::Board;
use drive_image::Shape;
use ecc::{Bch, BchParams, PageCodec, PageLayout};

use crate::spare::metadata_words;
use crate::stamps::irregular_bytes;
use crate::{Payload, Stamp, Unsuitable};

/// What an image of the board's chips is to have room for; `fill_words` tell what untouched blocks hold.
///
/// # Errors
/// As [`Array::new`](crate::Array::new).
pub fn image_shape(board: &Board, payload: Payload, fill_words: u32) -> Result<Shape, Unsuitable> {
    let geometry = board.firmware.geometry;
    let blocks_per_page = blocks_per_page(board, payload)?;
    let units = board.firmware.units_per_page();
    let (versions, page_bytes) = match payload {
        Payload::Stamps { .. } => {
            let stamps = (blocks_per_page * size_of::<Stamp>()) as u32;
            (blocks_per_page, irregular_bytes(units) + geometry.page_bytes.max(stamps))
        }
        Payload::Bytes { .. } => (0, codec(board)?.raw_bytes() as u32),
    };
    Ok(Shape {
        blocks: geometry.dies() * geometry.blocks_per_way,
        pages_per_block: geometry.pages_per_block,
        page_words: (1 + versions + metadata_words(units)) as u32,
        page_bytes,
        fill_words,
    })
}

/// Logical blocks of a page, if the payload's fit the board.
pub(crate) fn blocks_per_page(board: &Board, payload: Payload) -> Result<usize, Unsuitable> {
    let page_bytes = board.firmware.geometry.page_bytes;
    let block_bytes = payload.block_bytes();
    let board_name = || board.name.clone();
    if block_bytes < Stamp::LEAST_BLOCK_BYTES || !page_bytes.is_multiple_of(block_bytes) {
        return Err(Unsuitable::Block { board: board_name(), block_bytes, page_bytes });
    }
    let blocks = page_bytes / block_bytes;
    let found = u64::from(board.firmware.logical_pages) * u64::from(blocks);
    if found > Stamp::LBA_END {
        return Err(Unsuitable::Lbas { board: board_name(), found });
    }
    Ok(blocks as usize)
}

/// The board's error correction over its pages.
pub(crate) fn codec(board: &Board) -> Result<PageCodec, Unsuitable> {
    let params =
        BchParams { chunk_bytes: board.ecc.chunk_bytes as usize, t: board.ecc.correctable_bits };
    let code = Bch::new(params)
        .map_err(|reason| Unsuitable::Code { board: board.name.clone(), reason })?;
    let layout = PageLayout {
        data_bytes: board.firmware.geometry.page_bytes as usize,
        spare_bytes: (board.flash.spare_bytes * board.flash.programming.flash_pages) as usize,
        metadata_bytes: board.ecc.metadata_bytes as usize,
    };
    PageCodec::new(code, layout)
        .map_err(|reason| Unsuitable::Page { board: board.name.clone(), reason })
}
