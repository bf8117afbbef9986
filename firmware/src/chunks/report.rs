//! What the drive tells of its chunks (Open-Channel SSD 2.0 sections 2.1.1 and 2.1.2).

use contract::{Configuration, Duration, FlashTimes};
use nvme::open_channel::{capability, chunk_type, ChunkDescriptor, Geometry};

use super::address::Addresses;
use super::table::Chunk;

/// Revision of the specification.
const REVISION: (u8, u8) = (2, 0);
/// Pages of a way that a host does best to write one after the other: one for each of two planes, as pblk does with what
/// Cosmos+ says of itself (section 7.5).
const BEST_PAGES: u32 = 2;

/// What does not change while the drive has power.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Stated {
    pub rated_cycles: u32,
    times: FlashTimes,
}

fn nanoseconds(time: Duration) -> u32 {
    (time.as_ps() / 1000).min(u64::from(u32::MAX)) as u32
}

impl Stated {
    pub fn new(config: &Configuration) -> Self {
        Stated { rated_cycles: config.rated_cycles, times: config.flash_times }
    }

    pub fn geometry(&self, addresses: &Addresses) -> Geometry {
        let [group_bits, unit_bits, chunk_bits, block_bits] = addresses.bits.map(|bits| bits as u8);
        let [groups, units, chunks] = addresses.counts();
        let FlashTimes { read, program, erase } = self.times;
        let [read, program, erase] = [read, program, erase].map(|own| own.map(nanoseconds));
        Geometry {
            major: REVISION.0,
            minor: REVISION.1,
            group_bits,
            unit_bits,
            chunk_bits,
            block_bits,
            capabilities: capability::COPY,
            wear_delta: 0,
            groups: groups as u16,
            units: units as u16,
            chunks,
            chunk_blocks: addresses.chunk_blocks(),
            write_least: addresses.units(),
            write_best: addresses.units() * BEST_PAGES,
            // What is written can be read as soon as the write has ended.
            blocks_before_read: 0,
            // All chunks can be open.
            open_chunks: addresses.chunks(),
            open_chunks_per_unit: chunks,
            read_typical_ns: read[0],
            read_most_ns: read[1],
            write_typical_ns: program[0],
            write_most_ns: program[1],
            reset_typical_ns: erase[0],
            reset_most_ns: erase[1],
        }
    }

    pub fn describe(&self, addresses: &Addresses, (nth, chunk): (u32, &Chunk)) -> ChunkDescriptor {
        let wear = u64::from(chunk.erases) * 255 / u64::from(self.rated_cycles.max(1));
        ChunkDescriptor {
            state: chunk.state as u8,
            kind: chunk_type::SEQUENTIAL,
            wear: wear.min(255) as u8,
            start: addresses.start(nth),
            blocks: addresses.chunk_blocks().into(),
            written: chunk.accepted.into(),
        }
    }
}
