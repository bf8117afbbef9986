//! The commands that the host makes up: vector writes, reads, copies and resets, sound or not.

use machine::Stamp;
use nvme::open_channel::{ChunkState, VectorKind};
use nvme::status::Status;

use super::{Chunk, Sent, User};
use crate::placed_host::SLOTS;

impl User {
    /// The next pages of one or two chunks, in turns.
    fn targets(&mut self) -> (Vec<u64>, Vec<(u32, usize)>) {
        let (mut lists, mut changes) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.draw.below(2) {
            let chunk = self.any_chunk();
            let own = &self.chunks[chunk as usize];
            let takes = matches!(own.state, ChunkState::Free | ChunkState::Open);
            let is_known = changes.iter().any(|&(other, _)| other == chunk);
            if !takes || self.is_busy(chunk) || is_known {
                continue;
            }
            let first = own.data.len();
            let most = ((self.chunk_blocks() - first) / 4).min(8) as u64;
            let count = 4 * (1 + self.draw.below(most)) as usize;
            lists.push((first..first + count).map(|nth| self.address(chunk, nth)).collect());
            changes.push((chunk, first + count));
        }
        let mut list: Vec<u64> = Vec::new();
        let mut lists: Vec<std::vec::IntoIter<u64>> =
            lists.into_iter().map(|list: Vec<u64>| list.into_iter()).collect();
        while !lists.is_empty() {
            let nth = self.draw.below(lists.len() as u64) as usize;
            match lists[nth].next() {
                Some(address) => list.push(address),
                None => drop(lists.remove(nth)),
            }
        }
        (list, changes)
    }

    /// Notes what is written to some chunks.
    fn note(&mut self, addresses: &[u64], stamps: &[Stamp], changes: &[(u32, usize)]) {
        for (&address, &stamp) in addresses.iter().zip(stamps) {
            let whole = self.chunk_blocks() as u64;
            let holds = |chunk: u32| address.wrapping_sub(self.host.start(chunk)) < whole;
            let chunk = changes.iter().map(|&(chunk, _)| chunk).find(|&chunk| holds(chunk));
            let chunk = chunk.expect("a chunk that is written");
            self.chunks[chunk as usize].data.push(stamp);
        }
        for &(chunk, end) in changes {
            let whole = self.chunk_blocks();
            let own = &mut self.chunks[chunk as usize];
            assert_eq!(own.data.len(), end);
            own.state = if end == whole { ChunkState::Closed } else { ChunkState::Open };
            own.changes += 1;
        }
    }

    /// Sends a command, if there is one that can be.
    pub fn send(&mut self) {
        let Some(slot) = (0..SLOTS).find(|slot| !self.sent.contains_key(slot)) else { return };
        let sent = match self.draw.below(16) {
            0..=6 => self.send_write(slot),
            7..=10 => self.send_read(slot),
            11..=12 => self.send_copy(slot),
            13..=14 => self.send_reset(slot),
            _ => self.send_wrong(slot),
        };
        if let Some(mut sent) = sent {
            let resets = |&(chunk, _): &(u32, usize)| self.chunks[chunk as usize].resets;
            sent.resets = sent.changes.iter().map(resets).collect();
            self.sent.insert(slot, sent);
        }
    }

    fn send_write(&mut self, slot: u16) -> Option<Sent> {
        let (addresses, changes) = self.targets();
        if addresses.is_empty() {
            return None;
        }
        self.version += 1;
        let stamps: Vec<_> =
            addresses.iter().map(|&address| Stamp::new(address, self.version)).collect();
        self.note(&addresses, &stamps, &changes);
        self.host.put_data(slot, &stamps);
        let entry = self.host.command((slot, VectorKind::Write), &addresses, &[]);
        self.host.submit(&[entry]);
        let expected = (Status::SUCCESS, 0);
        Some(Sent {
            resets: Vec::new(),
            kind: VectorKind::Write,
            changes,
            addresses,
            data: Vec::new(),
            expected,
        })
    }

    /// Blocks here and there, and what they hold.
    fn sources(&mut self, count: usize) -> (Vec<u64>, Vec<Stamp>) {
        let mut all = (Vec::new(), Vec::new());
        while all.0.len() < count {
            let chunk = self.any_chunk();
            if self.is_busy(chunk) {
                return (Vec::new(), Vec::new());
            }
            let first = self.draw.below(self.chunk_blocks() as u64) as usize;
            let run = 1 + self.draw.below(6) as usize;
            for block in first..(first + run).min(self.chunk_blocks()) {
                if all.0.len() < count {
                    all.0.push(self.address(chunk, block));
                    all.1.push(self.now(chunk, block));
                }
            }
        }
        all
    }

    fn send_read(&mut self, slot: u16) -> Option<Sent> {
        let count = 1 + self.draw.below(64) as usize;
        let (addresses, data) = self.sources(count);
        if addresses.is_empty() {
            return None;
        }
        self.host.put_data(slot, &vec![Stamp::CORRUPT; count]);
        let entry = self.host.command((slot, VectorKind::Read), &addresses, &[]);
        self.host.submit(&[entry]);
        let expected = (Status::SUCCESS, 0);
        Some(Sent {
            resets: Vec::new(),
            kind: VectorKind::Read,
            changes: Vec::new(),
            addresses,
            data,
            expected,
        })
    }

    fn send_copy(&mut self, slot: u16) -> Option<Sent> {
        let (addresses, changes) = self.targets();
        let (from, data) = self.sources(addresses.len());
        if addresses.is_empty() || from.is_empty() {
            return None;
        }
        self.note(&addresses, &data, &changes);
        let entry = self.host.command((slot, VectorKind::Copy), &from, &addresses);
        self.host.submit(&[entry]);
        let expected = (Status::SUCCESS, 0);
        Some(Sent {
            resets: Vec::new(),
            kind: VectorKind::Copy,
            changes,
            addresses,
            data: Vec::new(),
            expected,
        })
    }

    fn send_reset(&mut self, slot: u16) -> Option<Sent> {
        let closed = |own: &(u32, &Chunk)| own.1.state == ChunkState::Closed;
        let all: Vec<u32> = (0..).zip(&self.chunks).filter(closed).map(|(nth, _)| nth).collect();
        let all: Vec<u32> = all.into_iter().filter(|&chunk| !self.is_busy(chunk)).take(3).collect();
        if all.is_empty() {
            return None;
        }
        for &chunk in &all {
            let own = &mut self.chunks[chunk as usize];
            let data = std::mem::take(&mut own.data);
            // What it held when the drive last said so.
            own.former.get_or_insert((data, own.known));
            (own.state, own.known) = (ChunkState::Free, 0);
            own.changes += 1;
            own.resets += 1;
        }
        let addresses: Vec<u64> = all.iter().map(|&chunk| self.address(chunk, 0)).collect();
        let entry = self.host.command((slot, VectorKind::Reset), &addresses, &[]);
        self.host.submit(&[entry]);
        let changes = all.into_iter().map(|chunk| (chunk, 0)).collect();
        let expected = (Status::SUCCESS, 0);
        Some(Sent {
            resets: Vec::new(),
            kind: VectorKind::Reset,
            changes,
            addresses,
            data: Vec::new(),
            expected,
        })
    }

    /// A write that is not the next, or a reset of a chunk that is not closed.
    fn send_wrong(&mut self, slot: u16) -> Option<Sent> {
        let chunk = self.any_chunk();
        if self.is_busy(chunk) {
            return None;
        }
        let own = &self.chunks[chunk as usize];
        let next = own.data.len();
        let is_reset = self.draw.below(2) == 0;
        let (kind, addresses, expected) = if is_reset && own.state != ChunkState::Closed {
            let status = match own.state {
                ChunkState::Offline => Status::OFFLINE_CHUNK,
                _ => Status::INVALID_RESET,
            };
            (VectorKind::Reset, vec![self.address(chunk, 0)], (status, 1))
        } else {
            let takes = matches!(own.state, ChunkState::Free | ChunkState::Open);
            let block = if takes { (next + 4) % self.chunk_blocks() } else { 0 };
            let addresses = (block..block + 4).map(|nth| self.address(chunk, nth)).collect();
            (VectorKind::Write, addresses, (Status::OUT_OF_ORDER_WRITE, 0b1111))
        };
        let entry = self.host.command((slot, kind), &addresses, &[]);
        self.host.submit(&[entry]);
        self.refused += 1;
        Some(Sent {
            resets: Vec::new(),
            kind,
            changes: Vec::new(),
            addresses,
            data: Vec::new(),
            expected,
        })
    }
}
