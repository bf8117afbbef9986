//! Whole pages: their layout, and the time they take.

use crate::page_path::golden::Step;
use crate::page_path::rig::{Manners, Path, Rig, METADATA_BYTES};
use ecc::{Bch, BchParams, PageCodec, PageLayout, PagePayload};
use rtl_sim::Random;

/// A page of Cosmos+ Table 5 with metadata.
const LAYOUT: PageLayout =
    PageLayout { data_bytes: 16384, spare_bytes: 1664, metadata_bytes: METADATA_BYTES[1] };
const PAGE_WORDS: u64 = (64 * 276 + METADATA_BYTES[1] as u64 + 20) / 2;

fn page_step(operation: u8, index: u16) -> Step {
    Step {
        operation,
        way: index as u8,
        row: 0x1234 + u32::from(index),
        column: 0,
        length: LAYOUT.data_bytes,
        buffer: index,
        plain: false,
        bypass: false,
        metadata: true,
        respond: true,
        slot: index as u8,
        tag: 0,
        irq: false,
        irq_on_error: false,
    }
}

/// The start of the raw page of a step, as far as it goes over the bus.
fn raw_page(rig: &Rig, step: &Step, payload: &[u8]) -> Vec<u8> {
    let code = Bch::new(BchParams::default()).unwrap();
    let codec = PageCodec::new(code, LAYOUT).unwrap();
    let mut raw = vec![0; codec.raw_bytes()];
    let (data, metadata) = payload.split_at(LAYOUT.data_bytes);
    codec.encode(PagePayload { data, metadata }, &mut raw);
    rig.golden.scrambler.apply(step.row, 0, &mut raw);
    raw.truncate(codec.code_word(codec.chunks() - 1).end);
    raw
}

#[test]
fn pages_are_those_of_the_page_codec_and_take_a_cycle_a_word() {
    let random = &mut Random::new(1);
    let mut rig = Rig::new(Path::CODED, Manners::eager());
    let mut raws = Vec::new();
    for index in 0..6 {
        let operation = if index % 3 == 0 { 0x60 } else { 0x40 };
        let step = page_step(operation, index);
        let payload = random.bytes(LAYOUT.data_bytes + LAYOUT.metadata_bytes);
        let mut raw = raw_page(&rig, &step, &payload);
        let turn = rig.turn(step.clone(), Vec::new());
        if step.is_read() {
            // The worst that can be corrected, in every chunk.
            for word in raw.chunks_mut(276) {
                for bit in random.choose(13, word.len() * 8 - 4) {
                    word[usize::from(bit / 8)] ^= 0x80 >> (bit % 8);
                }
            }
            rig.push(crate::page_path::bus::Turn { raw: raw.clone(), ..turn });
        } else {
            rig.buffer.entry_mut(index)[..payload.len()].copy_from_slice(&payload);
            rig.push(turn);
        }
        raws.push((step, raw, payload));
    }
    rig.finish(4);
    let mut completions = rig.completions.take().into_iter();
    for ((step, raw, payload), ended) in raws.iter().zip(&rig.bus.ended) {
        assert_eq!(ended.cycles, PAGE_WORDS);
        // The bus announces it in the cycle after the last word of the one before.
        assert!(ended.refused <= 2, "taken {} cycles late", ended.refused);
        if step.is_read() {
            let verdict = rig.check_stored(step, raw);
            assert!(rig.buffer.entry(step.buffer)[..payload.len()] == payload[..]);
            assert_eq!((verdict.corrected, verdict.most), (65 * 13, 13));
            assert_eq!(completions.next(), Some(step.completion(&verdict)));
        } else {
            assert!(ended.written == *raw);
        }
    }
}
