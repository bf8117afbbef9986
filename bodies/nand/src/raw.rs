//! Pages that carry bytes, as the chips keep them.

use std::ops::Range;
use std::sync::Arc;

use board::{Fold, InPlane, OnWordLine, Scrambler as Choice};
use borsh::io::{Read, Result, Write};
use contract::{Lpn, Metadata};
use drive_image::Image;
use ecc::{PageCodec, PagePayload, PagePayloadMut, Scrambler, ScramblerParams, Scratch};

use crate::aside::Aside;
use crate::blocks::{Blocks, Content, NewContent, Place};
use crate::cells::{Cells, Line};
use crate::passage::{Incoming, Outgoing};
use crate::spare::metadata_of;
use crate::wrong_bits::{WrongBit, WrongBits};
use crate::{Prior, Stamp, Transferred};

/// What every bit of an erased page reads as.
const ERASED_BYTE: u8 = 0xff;

/// Pages as the chips keep them: the code words of the data and of the metadata,
/// scrambled by the row. Pages that hold fresh blocks are made when they are read.
#[derive(Clone)]
pub(crate) struct RawPages {
    /// Large, and never changed: copies of a drive share it.
    codec: Arc<PageCodec>,
    scratch: Scratch,
    scrambler: Option<Scrambler>,
    expansion: Expansion,
    /// Mapping units of a page, a logical page each.
    units: u32,
    aside: Aside<Box<[u8]>>,
    /// A raw page on its way to or from a chip.
    page: Box<[u8]>,
    /// Metadata of the raw page, before they are encoded or after they are decoded.
    metadata: Box<[u8]>,
    /// The data of a page that is being made.
    made: Box<[u8]>,
}

/// How stamps become bytes.
#[derive(Clone, Copy)]
pub(crate) struct Expansion {
    pub block_bytes: usize,
    pub seed: u64,
}

impl Expansion {
    /// Fills a mapping unit with version 1 of the blocks of a logical page.
    fn fill(&self, lpn: Lpn, unit: &mut [u8]) {
        let first = u64::from(lpn.0) * (unit.len() / self.block_bytes) as u64;
        for (lba, block) in (first..).zip(unit.chunks_mut(self.block_bytes)) {
            Stamp::new(lba, 1).fill(self.seed, block);
        }
    }
}

impl RawPages {
    pub fn new(
        (codec, units): (PageCodec, u32),
        (scrambler, expansion): (Choice, Expansion),
        image: Option<&Arc<Image>>,
    ) -> Self {
        let scrambler = match scrambler {
            Choice::On => Some(
                Scrambler::new(ScramblerParams::default()).expect("its polynomial is primitive"),
            ),
            Choice::Off => None,
        };
        Self {
            scratch: codec.scratch(),
            scrambler,
            expansion,
            units,
            aside: Aside::new(image),
            page: vec![0; codec.raw_bytes()].into(),
            metadata: vec![0; codec.layout().metadata_bytes].into(),
            made: vec![0; codec.layout().data_bytes].into(),
            codec: Arc::new(codec),
        }
    }

    /// Writes what is kept aside, which is all that pages hold.
    pub fn put_state(&self, to: &mut impl Write) -> Result<()> {
        self.aside.put_state(to)
    }

    /// Reads it.
    pub fn take_state(&mut self, from: &mut impl Read) -> Result<()> {
        self.aside.take_state(from)
    }

    /// Encodes, scrambles and keeps a page.
    pub fn program<P: Prior>(&mut self, blocks: &mut Blocks<P>, page: Incoming<'_, u8>) {
        let Incoming { at, metadata, data } = page;
        blocks.program(at, NewContent::Aside);
        self.encode(at.row, metadata, data);
        self.aside.keep((at, blocks.cycles(at.block)), self.page.clone());
    }

    /// Keeps version 1 of each block of the logical pages of a page.
    pub fn hold<P: Prior>(&mut self, blocks: &mut Blocks<P>, (at, metadata): (Place, Metadata)) {
        let mut data = core::mem::take(&mut self.made);
        data.fill(0);
        let unit_bytes = data.len() / self.units as usize;
        for (unit, (lpn, _)) in data.chunks_mut(unit_bytes).zip(metadata.lpns.iter()) {
            self.expansion.fill(lpn, unit);
        }
        self.program(blocks, Incoming { at, metadata: &metadata, data: &data });
        self.made = data;
    }

    /// Reads so much of a page with its wrong bits through descrambler and decoder.
    pub fn transfer(
        &mut self,
        page: Outgoing<'_>,
        out: &mut [u8],
        said: &mut Option<Metadata>,
    ) -> Transferred<()> {
        let Outgoing { at, erases, content, offset, wrong } = page;
        let data_bytes = self.codec.layout().data_bytes;
        assert!(offset as usize + out.len() <= data_bytes, "bytes of a page");
        if let (Content::Fresh(first), []) = (content, wrong.bits()) {
            match wrong.sees_metadata() {
                true => Metadata::put_run(said, first, self.units),
                false => *said = None,
            }
            self.give_fresh(first, offset as usize, out);
            return Transferred::CLEAN;
        }
        *said = None;
        if !self.fetch((at, erases), content) {
            out.fill(ERASED_BYTE);
            return Transferred::undefined(wrong.seen().len() as u32);
        }
        for &bit in wrong.bits() {
            self.flip(bit);
        }
        let seen = wrong.seen().start as usize..wrong.seen().end as usize;
        if self.codec.erased_part(&self.page, seen).is_some() {
            out.fill(0);
            return Transferred::ERASED;
        }
        let read = self.decode(at.row, wrong, out);
        *said = read.metadata;
        read.with(())
    }

    /// Puts what the chip keeps around a flash page where its cells are read: its word line and the one programmed after it.
    pub fn put_lines<P: Prior>(
        &mut self,
        blocks: &Blocks<P>,
        (at, of): (Place, InPlane),
        cells: &mut Cells,
    ) {
        let (word_lines, (fold, stride)) = (cells.word_lines(), cells.together());
        let Some(lines) = cells.lines() else { return };
        if fold.pages() > 1 {
            let layout = (fold, of.plane, stride);
            self.put_line(blocks, (at, layout), &mut lines.own);
            let next = Place { page: at.page + 1, row: at.row + 1, ..at };
            match at.page + 1 < word_lines.count() {
                true => self.put_line(blocks, (next, layout), &mut lines.next),
                false => lines.next.clear(),
            }
            return;
        }
        let own = word_lines.of(at.page).word_line;
        for (line, word_line) in [(&mut lines.own, own), (&mut lines.next, own + 1)] {
            for page_type in 0..word_lines.bits() {
                let nth = page_type as usize;
                let is_there = word_line < word_lines.count() && {
                    let page = word_lines.page(OnWordLine { word_line, page_type });
                    let at = Place { page, row: at.row - at.page + page, ..at };
                    self.is_there(blocks, at)
                };
                line.programmed[nth] = is_there;
                line.pages[nth].fill(ERASED_BYTE);
                if is_there {
                    self.put_flash_page(
                        &mut line.pages[nth],
                        (fold, fold.nth(of.plane, 0), stride),
                    );
                }
            }
        }
    }

    /// A word line of a plane, whose flash pages are programmed together.
    fn put_line<P: Prior>(
        &mut self,
        blocks: &Blocks<P>,
        (at, (fold, plane, stride)): (Place, (Fold, u32, usize)),
        line: &mut Line,
    ) {
        line.clear();
        if !self.is_there(blocks, at) {
            return;
        }
        line.programmed.fill(true);
        for (page, nth) in line.pages.iter_mut().zip(0..) {
            self.put_flash_page(page, (fold, fold.nth(plane, nth), stride));
        }
    }

    /// A flash page of the page: each has `stride` bytes of it, and the last of them what is behind those.
    fn put_flash_page(&self, page: &mut [u8], (fold, nth, stride): (Fold, u32, usize)) {
        let is_last = nth + 1 == fold.planes() * fold.pages();
        let length = if is_last { page.len() } else { stride };
        page[..length].copy_from_slice(&self.page[nth as usize * stride..][..length]);
    }

    /// Whether a page holds what is known; if so, that is in `page`.
    fn is_there<P: Prior>(&mut self, blocks: &Blocks<P>, at: Place) -> bool {
        let content = blocks.content(at);
        content != Content::Erased && self.fetch((at, blocks.cycles(at.block)), content)
    }

    /// Brings what the chip keeps of a page into `page`; false if nobody knows it.
    fn fetch(&mut self, (at, erases): (Place, u32), content: Content<'_>) -> bool {
        match content {
            Content::Undefined => return false,
            Content::Erased => self.page.fill(ERASED_BYTE),
            Content::Fresh(lpn) => self.make_fresh(at.row, lpn),
            Content::Aside => {
                let Self { aside, page, .. } = self;
                let raw_bytes = page.len();
                return aside.with((at, erases), |raw: Option<&Box<[u8]>>| {
                    let raw = raw.filter(|raw| raw.len() == raw_bytes);
                    raw.inspect(|raw| page.copy_from_slice(raw)).is_some()
                });
            }
            Content::Versions(..) => unreachable!("tables of pages with bytes keep no versions"),
        }
        true
    }

    /// Forgets what the pages of a block hold, before it is erased.
    pub fn forget<P: Prior>(&mut self, blocks: &Blocks<P>, block: usize) {
        self.aside.forget(blocks, block);
    }

    /// Descrambles and decodes the page.
    fn decode(&mut self, row: u32, wrong: &WrongBits, out: &mut [u8]) -> Transferred {
        self.scramble(row);
        let Self { codec, scratch, page, metadata, .. } = self;
        metadata.fill(ERASED_BYTE);
        let comes = if wrong.sees_metadata() { &mut metadata[..] } else { &mut [] };
        let into = PagePayloadMut { data: out, metadata: comes };
        let report = codec.decode_part(page, (wrong.seen().start as usize, into), scratch);
        let verdict = wrong.verdict();
        if verdict.uncorrectable_chunks == 0 {
            let expected = (verdict.corrected_bits, verdict.chunks_with_errors, false);
            let found =
                (report.corrected_bits, report.chunks_with_errors, report.is_uncorrectable());
            assert_eq!(found, expected, "row {row}: the decoder corrects what it can");
        }
        Transferred {
            metadata: Metadata::parse(metadata).filter(|_| !verdict.metadata_lost),
            corrected_bits: report.corrected_bits,
            most_bits: verdict.most_bits,
            chunks_with_errors: report.chunks_with_errors,
            uncorrectable: report.is_uncorrectable(),
            erased: false,
        }
    }

    /// Reads so much of a page of version 1 of each block, of which no bit is wrong: the decoder would give back what the encoder got.
    fn give_fresh(&mut self, first: Lpn, offset: usize, out: &mut [u8]) {
        let unit_bytes = self.made.len() / self.units as usize;
        let end = offset + out.len();
        self.make(first, offset / unit_bytes..end.div_ceil(unit_bytes));
        out.copy_from_slice(&self.made[offset..end]);
    }

    /// Makes the page what the chip would hold had version 1 of each block been programmed.
    fn make_fresh(&mut self, row: u32, first: Lpn) {
        self.make(first, 0..self.units as usize);
        let made = core::mem::take(&mut self.made);
        self.encode(row, &metadata_of(first, self.units), &made);
        self.made = made;
    }

    /// Makes version 1 of the blocks of these mapping units of a page.
    fn make(&mut self, first: Lpn, units: Range<usize>) {
        let unit_bytes = self.made.len() / self.units as usize;
        let part = &mut self.made[units.start * unit_bytes..units.end * unit_bytes];
        for (unit, nth) in part.chunks_mut(unit_bytes).zip(units) {
            self.expansion.fill(Lpn(first.0 + nth as u32), unit);
        }
    }

    /// Encodes and scrambles a page.
    fn encode(&mut self, row: u32, of: &Metadata, data: &[u8]) {
        let Self { codec, page, metadata, .. } = self;
        page.fill(0);
        of.emit(metadata);
        codec.encode(PagePayload { data, metadata }, page);
        self.scramble(row);
    }

    fn scramble(&mut self, row: u32) {
        if let Some(scrambler) = &self.scrambler {
            scrambler.apply(row, 0, &mut self.page);
        }
    }

    fn flip(&mut self, WrongBit { chunk, bit }: WrongBit) {
        let word = self.codec.code_word(chunk as usize);
        self.page[word][bit as usize / 8] ^= 0x80 >> (bit % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::codec;
    use crate::random::{Purpose, Random};
    use crate::wrong_bits::ChunkLayout;
    use board::Board;

    /// The short way of pages that nobody programmed gives what encoder, scrambler and decoder give, in whole and in part.
    #[test]
    fn fresh_pages_without_wrong_bits_are_what_the_decoder_makes_of_them() {
        for name in ["small", "tlc-2024", "cosmos-plus-mlc"] {
            let board = Board::resolve(name, &[]).expect("a board");
            let units = board.firmware.units_per_page();
            let codec = codec(&board).expect("a code");
            let layout = ChunkLayout::new(&codec, board.flash.programming.flash_pages);
            let (data, chunk) = (codec.layout().data_bytes, layout.chunk_bytes as usize);
            let expansion = Expansion { block_bytes: 4096, seed: 3 };
            let mut pages = RawPages::new((codec, units), (board.ecc.scrambler, expansion), None);
            let at = Place { die: 1, block: 2, page: 3, row: 515 };
            let first = Lpn(4 * units);
            let parts = [(0, data), (0, chunk), (data / 4, data / 2), (data - chunk, chunk)];
            for (offset, length) in parts {
                let mut wrong = WrongBits::new(layout);
                let seen = layout.chunks_of(offset as u32, length as u32);
                wrong.draw(0, Random::stream(1, Purpose::Faults, 0), seen);
                let page = Outgoing {
                    at,
                    erases: 0,
                    content: Content::Fresh(first),
                    offset: offset as u32,
                    wrong: &wrong,
                };
                let (mut short, mut whole) = (vec![1; length], vec![2; length]);
                let mut said = None;
                let told = pages.transfer(page, &mut short, &mut said).with(said);
                assert!(pages.fetch((at, 0), Content::Fresh(first)));
                let expected = pages.decode(at.row, &wrong, &mut whole);
                assert_eq!(told, expected, "{name}, {length} bytes at {offset}");
                assert!(short == whole, "{name}, {length} bytes at {offset}");
            }
        }
    }
}
