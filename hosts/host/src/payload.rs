//! Blocks in host memory: what a write puts there, and what a read found.

use machine::{Payload, Stamp, STAMP_BYTES};

/// What a block of host memory holds before a read, so that data that never comes is noticed: as
/// a stamp, version 0 of some LBA.
const POISON: u64 = 0x5a5a_a5a5_4000_0000;

/// Puts `stamp` into the block at the start of `memory`.
#[inline]
pub fn put(payload: Payload, stamp: Stamp, memory: &mut [u8]) {
    match payload {
        Payload::Stamps { .. } => {
            memory[..STAMP_BYTES].copy_from_slice(&stamp.to_bits().to_le_bytes());
        }
        Payload::Bytes { block_bytes, seed } => {
            stamp.fill(seed, &mut memory[..block_bytes as usize]);
        }
    }
}

/// The stamp of the block at the start of `memory`; `None` if its bytes are no stamp's.
#[inline]
pub fn get(payload: Payload, memory: &[u8]) -> Option<Stamp> {
    match payload {
        Payload::Stamps { .. } => {
            let bytes = memory.first_chunk().expect("a block holds a stamp");
            let bits = u64::from_le_bytes(*bytes);
            (bits != POISON).then_some(Stamp::from_bits(bits))
        }
        Payload::Bytes { block_bytes, seed } => {
            Stamp::of_bytes(seed, &memory[..block_bytes as usize])
        }
    }
}

/// Makes the blocks of `memory` hold what no drive returns.
#[inline]
pub fn poison(payload: Payload, memory: &mut [u8]) {
    for block in memory.chunks_exact_mut(payload.block_bytes() as usize) {
        block[..STAMP_BYTES].copy_from_slice(&POISON.to_le_bytes());
    }
}

/// Bytes of a block that stand for it in host memory.
pub fn copied_bytes(payload: Payload) -> usize {
    match payload {
        Payload::Stamps { .. } => STAMP_BYTES,
        Payload::Bytes { block_bytes, .. } => block_bytes as usize,
    }
}

/// The first byte of a block that differs from what `expected` would have there; 0 where the
/// payload is stamps, which have no bytes to tell apart.
pub fn first_difference(payload: Payload, memory: &[u8], expected: Stamp) -> u32 {
    let Payload::Bytes { block_bytes, seed } = payload else { return 0 };
    let mut right = vec![0; block_bytes as usize];
    expected.fill(seed, &mut right);
    right.iter().zip(memory).position(|(a, b)| a != b).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_payloads_read_back_and_poison_shows() {
        for payload in
            [Payload::Stamps { block_bytes: 512 }, Payload::Bytes { block_bytes: 512, seed: 3 }]
        {
            let mut memory = [0; 1024];
            let stamp = Stamp::new(77, 5);
            put(payload, stamp, &mut memory[512..]);
            assert_eq!(get(payload, &memory[512..]), Some(stamp));
            assert_eq!(get(payload, &memory), Some(Stamp::ZERO));
            poison(payload, &mut memory);
            for block in memory.chunks(512) {
                assert_eq!(get(payload, block), None);
            }
        }
    }

    #[test]
    fn the_first_wrong_byte_is_found() {
        let payload = Payload::Bytes { block_bytes: 512, seed: 3 };
        let mut memory = [0; 512];
        put(payload, Stamp::new(77, 5), &mut memory);
        memory[300] ^= 1;
        assert_eq!(get(payload, &memory), None);
        assert_eq!(first_difference(payload, &memory, Stamp::new(77, 5)), 300);
    }
}
