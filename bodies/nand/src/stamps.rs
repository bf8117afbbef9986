//! Pages that carry stamps.

use std::sync::Arc;

use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use contract::{Lpn, Metadata};
use drive_image::Image;

use crate::aside::{Aside, Stored};
use crate::blocks::{Blocks, Content, NewContent, Place, REGULAR_END};
use crate::passage::{Incoming, Outgoing};
use crate::spare::{first_of, metadata_of};
use crate::wrong_bits::WrongBits;
use crate::{Prior, Stamp, Transferred};

/// Pages that carry a stamp for each logical block.
///
/// A page that holds blocks of the logical pages in its spare area, each at its place or zero, is
/// no more than versions in its block's table, if the logical pages follow each other. Any other page is kept aside.
#[derive(Clone)]
pub(crate) struct StampPages {
    blocks_per_page: usize,
    /// Mapping units of a page, a logical page each.
    units: u32,
    logical_pages: u32,
    aside: Aside<Irregular>,
}

#[derive(Clone, BorshSerialize, BorshDeserialize)]
struct Irregular {
    metadata: Metadata,
    held: Held,
}

#[derive(Clone, BorshSerialize, BorshDeserialize)]
enum Held {
    Stamps(Box<[Stamp]>),
    /// A page of the drive's log.
    Log(Box<[u8]>),
}

/// Metadata, kind, and a byte or a stamp after the other.
impl Stored for Irregular {
    fn emit(&self, put: impl FnOnce(&[u8])) {
        let mut bytes = vec![0; metadata_bytes(self.metadata.lpns.count())];
        self.metadata.emit(&mut bytes);
        match &self.held {
            Held::Stamps(stamps) => {
                bytes.extend_from_slice(&OF_STAMPS.to_le_bytes());
                stamps.iter().for_each(|s| bytes.extend_from_slice(&s.to_bits().to_le_bytes()));
            }
            Held::Log(page) => {
                bytes.extend_from_slice(&OF_LOG.to_le_bytes());
                bytes.extend_from_slice(page);
            }
        }
        put(&bytes);
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (metadata, rest) = bytes.split_at_checked(metadata_bytes((*bytes.get(1)?).into()))?;
        let (kind, data) = rest.split_first_chunk()?;
        let held = match u32::from_le_bytes(*kind) {
            OF_STAMPS => {
                let stamps = data.as_chunks().0.iter();
                Held::Stamps(stamps.map(|&s| Stamp::from_bits(u64::from_le_bytes(s))).collect())
            }
            OF_LOG => Held::Log(data.into()),
            _ => return None,
        };
        Some(Irregular { metadata: Metadata::parse(metadata)?, held })
    }
}

const OF_STAMPS: u32 = 1;
const OF_LOG: u32 = 2;
/// Bytes of an irregular page in an image beyond its data.
pub(crate) fn irregular_bytes(units: u32) -> u32 {
    metadata_bytes(units as usize) as u32 + 4
}

/// Bytes of metadata that tell of so many logical pages, the second of which is this number.
fn metadata_bytes(count: usize) -> usize {
    Metadata::bytes(count.max(1))
}

impl StampPages {
    pub fn new(
        (blocks_per_page, units): (usize, u32),
        logical_pages: u32,
        image: Option<&Arc<Image>>,
    ) -> Self {
        let logical_pages = logical_pages.min(REGULAR_END);
        Self { blocks_per_page, units, logical_pages, aside: Aside::new(image) }
    }

    /// Writes what is kept aside.
    pub fn put_state(&self, to: &mut impl Write) -> Result<()> {
        self.aside.put_state(to)
    }

    /// Reads it.
    pub fn take_state(&mut self, from: &mut impl Read) -> Result<()> {
        self.aside.take_state(from)
    }

    /// Keeps a page.
    #[inline]
    pub fn program<P: Prior>(&mut self, blocks: &mut Blocks<P>, page: Incoming<'_, Stamp>) {
        let Incoming { at, metadata, data: stamps } = page;
        assert_eq!(stamps.len(), self.blocks_per_page, "stamps of a page");
        let first = first_of(metadata, self.units);
        if let Some(lpn) = first.filter(|&lpn| self.is_regular(lpn, stamps)) {
            let versions = blocks.program(at, NewContent::Regular(lpn));
            for (version, stamp) in versions.iter_mut().zip(stamps) {
                *version = stamp.version();
            }
        } else {
            blocks.program(at, NewContent::Aside);
            let page = Irregular { metadata: *metadata, held: Held::Stamps(stamps.into()) };
            self.aside.keep((at, blocks.cycles(at.block)), page);
        }
    }

    /// Keeps version 1 of each block of the logical pages of a page.
    pub fn hold<P: Prior>(&mut self, blocks: &mut Blocks<P>, (at, metadata): (Place, Metadata)) {
        let per_unit = self.blocks_per_page / self.units as usize;
        let stamps = |(lpn, _)| self.lbas(lpn).take(per_unit).map(|lba| Stamp::new(lba, 1));
        let mut data: Vec<Stamp> = metadata.lpns.iter().flat_map(stamps).collect();
        data.resize(self.blocks_per_page, Stamp::ZERO);
        self.program(blocks, Incoming { at, metadata: &metadata, data: &data });
    }

    /// Keeps a page of the drive's log.
    pub fn program_log<P: Prior>(&mut self, blocks: &mut Blocks<P>, page: Incoming<'_, u8>) {
        let Incoming { at, metadata, data } = page;
        blocks.program(at, NewContent::Aside);
        let page = Irregular { metadata: *metadata, held: Held::Log(data.into()) };
        self.aside.keep((at, blocks.cycles(at.block)), page);
    }

    /// Delivers a page to where pages of the drive's log go: zeroes of any other.
    pub fn transfer_log(
        &self,
        page: Outgoing<'_>,
        out: &mut [u8],
        said: &mut Option<Metadata>,
    ) -> Transferred<()> {
        let Outgoing { at, erases, content, offset, wrong } = page;
        out.fill(0);
        *said = None;
        let metadata = match content {
            Content::Erased => return Transferred::ERASED,
            Content::Undefined => None,
            Content::Fresh(lpn) | Content::Versions(lpn, _) => Some(metadata_of(lpn, self.units)),
            Content::Aside => self.aside.with((at, erases), |page| {
                let page = page?;
                if let Held::Log(bytes) = &page.held {
                    out.copy_from_slice(&bytes[offset as usize..][..out.len()]);
                }
                Some(page.metadata)
            }),
        };
        match metadata {
            Some(_) => {
                let comes = wrong.sees_metadata() && !wrong.verdict().metadata_lost;
                *said = metadata.filter(|_| comes);
                delivered(wrong)
            }
            None => Transferred::undefined(wrong.seen().len() as u32),
        }
    }

    /// Delivers so much of a page with its wrong bits. A block with wrong bits that stay is corrupt.
    #[inline]
    pub fn transfer(
        &self,
        page: Outgoing<'_>,
        out: &mut [Stamp],
        said: &mut Option<Metadata>,
    ) -> Transferred<()> {
        let Outgoing { at, erases, content, offset, wrong } = page;
        let first = (offset / self.block_bytes(wrong)) as usize;
        assert!(first + out.len() <= self.blocks_per_page, "stamps of a page");
        let in_order = match content {
            Content::Erased => {
                *said = None;
                out.fill(Stamp::ZERO);
                return Transferred::ERASED;
            }
            Content::Undefined => {
                *said = None;
                out.fill(Stamp::CORRUPT);
                return Transferred::undefined(wrong.seen().len() as u32);
            }
            Content::Fresh(lpn) => {
                for (lba, out) in self.lbas(lpn).skip(first).zip(out.iter_mut()) {
                    *out = Stamp::new(lba, 1);
                }
                Some(lpn)
            }
            Content::Versions(lpn, versions) => {
                let versions = &versions[first..];
                let lbas = self.lbas(lpn).skip(first);
                for ((lba, out), &version) in lbas.zip(out.iter_mut()).zip(versions) {
                    *out = if version == 0 { Stamp::ZERO } else { Stamp::new(lba, version) };
                }
                Some(lpn)
            }
            Content::Aside => {
                let is_known = self.aside.with((at, erases), |page| {
                    page.is_some_and(|page| {
                        match &page.held {
                            Held::Stamps(all) => {
                                out.copy_from_slice(&all[first..first + out.len()]);
                            }
                            Held::Log(_) => out.fill(Stamp::CORRUPT),
                        }
                        *said = Some(page.metadata);
                        true
                    })
                });
                if !is_known {
                    *said = None;
                    out.fill(Stamp::CORRUPT);
                    return Transferred::undefined(wrong.seen().len() as u32);
                }
                None
            }
        };
        if wrong.verdict().uncorrectable_chunks > 0 {
            self.corrupt(wrong, (first, out));
        }
        if !wrong.sees_metadata() || wrong.verdict().metadata_lost {
            *said = None;
        } else if let Some(first) = in_order {
            Metadata::put_run(said, first, self.units);
        }
        delivered(wrong)
    }

    /// Forgets what the pages of a block hold, before it is erased.
    pub fn forget<P: Prior>(&mut self, blocks: &Blocks<P>, block: usize) {
        self.aside.forget(blocks, block);
    }

    #[inline]
    fn lbas(&self, lpn: Lpn) -> impl Iterator<Item = u64> {
        u64::from(lpn.0) * (self.blocks_per_page as u64 / u64::from(self.units))..
    }

    #[inline]
    fn is_regular(&self, lpn: Lpn, stamps: &[Stamp]) -> bool {
        let in_place = |(lba, stamp): (u64, &Stamp)| {
            stamp.is_zero() || stamp.lba() == lba && *stamp != Stamp::CORRUPT
        };
        lpn.0 <= self.logical_pages - self.units && self.lbas(lpn).zip(stamps).all(in_place)
    }

    #[cold]
    fn corrupt(&self, wrong: &WrongBits, (first, out): (usize, &mut [Stamp])) {
        let (layout, block_bytes) = (wrong.layout(), self.block_bytes(wrong));
        for byte in wrong.uncorrectable_bits().filter_map(|bit| layout.data_byte(bit)) {
            out[(byte / block_bytes) as usize - first] = Stamp::CORRUPT;
        }
    }

    fn block_bytes(&self, wrong: &WrongBits) -> u32 {
        let layout = wrong.layout();
        layout.data_chunks * layout.chunk_bytes / self.blocks_per_page as u32
    }
}

/// A page with its wrong bits, through the decoder, and what of its metadata came through.
#[inline]
fn delivered(wrong: &WrongBits) -> Transferred<()> {
    let verdict = wrong.verdict();
    Transferred {
        metadata: (),
        corrected_bits: verdict.corrected_bits,
        most_bits: verdict.most_bits,
        chunks_with_errors: verdict.chunks_with_errors,
        uncorrectable: verdict.uncorrectable_chunks > 0,
        erased: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Geometry;

    struct Nothing;

    impl Prior for Nothing {
        fn logical(&self, _: u32, _: u32) -> Option<Lpn> {
            None
        }
    }

    #[test]
    fn only_irregular_pages_are_kept_aside_and_an_erase_forgets_them() {
        let geometry = Geometry {
            channels: 1,
            ways: 1,
            blocks_per_way: 2,
            pages_per_block: 8,
            page_bytes: 4096,
        };
        let mut blocks = Blocks::<Nothing>::new(geometry, (2, 1), crate::blocks::Kept::No);
        let mut pages = StampPages::new((2, 1), 100, None);
        let (first, second) = (Stamp::new(6, 5), Stamp::new(7, 1));
        for (row, lpn, data, is_aside) in [
            (0, 3, [first, second], false),
            (1, 3, [Stamp::ZERO, second], false),
            (2, 3, [Stamp::ZERO; 2], false),
            (3, 2, [first, second], true),
            (4, u32::MAX, [first, second], true),
            (5, 3, [second, first], true),
            (6, 3, [first, Stamp::CORRUPT], true),
            (7, 100, [Stamp::ZERO; 2], true),
            (8, 4, [first, second], true),
        ] {
            let before = pages.aside.len();
            let at = blocks.place(0, row);
            let metadata = Lpn(lpn).into();
            pages.program(&mut blocks, Incoming { at, metadata: &metadata, data: &data });
            assert_eq!(pages.aside.len() > before, is_aside, "row {row}");
        }
        pages.forget(&blocks, 0);
        assert_eq!(pages.aside.len(), 1);
        let at = (blocks.place(0, 8), 0);
        let metadata = pages.aside.with(at, |page| page.map(|page| page.metadata));
        assert_eq!(metadata, Some(Lpn(4).into()));
    }
}
