//! Pages that carry bytes, as the chips keep them.

use board::Scrambler as Choice;
use contract::Lpn;
use ecc::{PageCodec, Scrambler, ScramblerParams, Scratch};

use crate::aside::Aside;
use crate::blocks::{Blocks, Content, NewContent};
use crate::passage::{Incoming, Outgoing};
use crate::wrong_bits::{WrongBit, WrongBits, METADATA_BYTES};
use crate::{Prior, Stamp, Transferred};

/// What every bit of an erased page reads as.
const ERASED_BYTE: u8 = 0xff;

/// Pages as the chips keep them: data, then the spare area with the logical page number and the
/// parity, all scrambled by the row. Pages that hold fresh blocks are made when they are read.
pub(crate) struct RawPages {
    codec: PageCodec,
    scratch: Scratch,
    scrambler: Option<Scrambler>,
    expansion: Expansion,
    aside: Aside<Box<[u8]>>,
    /// A page on its way to or from a chip.
    page: Box<[u8]>,
}

/// How stamps become bytes.
#[derive(Clone, Copy)]
pub(crate) struct Expansion {
    pub block_bytes: usize,
    pub seed: u64,
}

impl RawPages {
    pub fn new(codec: PageCodec, scrambler: Choice, expansion: Expansion) -> Self {
        let layout = codec.layout();
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
            aside: Aside::new(),
            page: vec![0; layout.data_bytes + layout.spare_bytes].into(),
            codec,
        }
    }

    /// Encodes, scrambles and keeps a page.
    pub fn program<P: Prior>(&mut self, blocks: &mut Blocks<P>, page: Incoming<'_, u8>) {
        let Incoming { at, spare, data } = page;
        let data_bytes = self.codec.layout().data_bytes;
        assert_eq!(data.len(), data_bytes, "bytes of a page");
        blocks.program(at, NewContent::Aside);
        self.page[..data_bytes].copy_from_slice(data);
        self.encode(at.row, spare);
        self.aside.keep(at, self.page.clone());
    }

    /// Reads a page with its wrong bits through descrambler and decoder.
    pub fn transfer(&mut self, page: Outgoing<'_>, out: &mut [u8]) -> Transferred {
        let Outgoing { at, content, wrong } = page;
        let data_bytes = self.codec.layout().data_bytes;
        assert_eq!(out.len(), data_bytes, "bytes of a page");
        match content {
            Content::Undefined => {
                out.fill(ERASED_BYTE);
                return Transferred::undefined(wrong.layout());
            }
            Content::Erased => self.page.fill(ERASED_BYTE),
            Content::Fresh(lpn) => self.make_fresh(at.row, lpn),
            Content::Aside => self.page.copy_from_slice(self.aside.page(at)),
            Content::Versions(..) => unreachable!("tables of pages with bytes keep no versions"),
        }
        for &bit in wrong.bits() {
            self.flip(bit);
        }
        let (data, spare) = self.page.split_at(data_bytes);
        if self.codec.erased(data, spare).is_some() {
            out.fill(0);
            return Transferred::ERASED;
        }
        let transferred = self.decode(at.row, wrong);
        out.copy_from_slice(&self.page[..data_bytes]);
        transferred
    }

    /// Forgets what the pages of a block hold, before it is erased.
    pub fn forget<P: Prior>(&mut self, blocks: &Blocks<P>, block: usize) {
        self.aside.forget(blocks, block);
    }

    /// Descrambles and decodes the page in place.
    fn decode(&mut self, row: u32, wrong: &WrongBits) -> Transferred {
        self.scramble(row);
        let (data, spare) = self.page.split_at_mut(self.codec.layout().data_bytes);
        let report = self.codec.decode(data, spare, &mut self.scratch);
        let verdict = wrong.verdict();
        if verdict.uncorrectable_chunks == 0 {
            let expected = (verdict.corrected_bits, verdict.chunks_with_errors, false);
            let found =
                (report.corrected_bits, report.chunks_with_errors, report.is_uncorrectable());
            assert_eq!(found, expected, "row {row}: the decoder corrects what it can");
        }
        let mut number = [0; METADATA_BYTES];
        number.copy_from_slice(&spare[..METADATA_BYTES]);
        let spare = Lpn(u32::from_le_bytes(number));
        Transferred {
            spare: if verdict.metadata_lost { Transferred::NO_SPARE } else { spare },
            corrected_bits: report.corrected_bits,
            chunks_with_errors: report.chunks_with_errors,
            uncorrectable: report.is_uncorrectable(),
        }
    }

    /// Makes the page what the chip would hold had version 1 of each block been programmed.
    fn make_fresh(&mut self, row: u32, lpn: Lpn) {
        let Expansion { block_bytes, seed } = self.expansion;
        let data_bytes = self.codec.layout().data_bytes;
        let first = u64::from(lpn.0) * (data_bytes / block_bytes) as u64;
        for (lba, block) in (first..).zip(self.page[..data_bytes].chunks_mut(block_bytes)) {
            Stamp::new(lba, 1).fill(seed, block);
        }
        self.encode(row, lpn);
    }

    /// Adds spare area and parity to the data in the page, and scrambles it.
    fn encode(&mut self, row: u32, number: Lpn) {
        let (data, spare) = self.page.split_at_mut(self.codec.layout().data_bytes);
        spare.fill(0);
        spare[..METADATA_BYTES].copy_from_slice(&number.0.to_le_bytes());
        self.codec.encode(data, spare);
        self.scramble(row);
    }

    fn scramble(&mut self, row: u32) {
        if let Some(scrambler) = &self.scrambler {
            scrambler.apply(row, 0, &mut self.page);
        }
    }

    fn flip(&mut self, WrongBit { chunk, bit }: WrongBit) {
        let data_bytes = self.codec.layout().data_bytes;
        let chunk_bytes = self.codec.code().params().chunk_bytes;
        let start = chunk as usize * chunk_bytes;
        let held = chunk_bytes.min(data_bytes + METADATA_BYTES - start);
        let byte = bit as usize / 8;
        let at = if byte < held {
            start + byte
        } else {
            let parity = data_bytes + self.codec.parity_range().start;
            parity + chunk as usize * self.codec.code().parity_bytes() + byte - held
        };
        self.page[at] ^= 0x80 >> (bit % 8);
    }
}
