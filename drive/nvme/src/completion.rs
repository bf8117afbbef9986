//! Completion queue entries (NVMe 1.4 section 4.6).

use crate::status::Status;

/// Bytes of a completion queue entry (CQES 4).
pub const ENTRY_BYTES: usize = 16;

/// Phase tag of a completion queue entry; it flips with every turn through the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// As in a queue that the host has just cleared.
    Zero,
    /// As in the first turn through a queue.
    One,
}

impl Phase {
    /// The phase of the next turn.
    pub const fn flipped(self) -> Self {
        match self {
            Phase::Zero => Phase::One,
            Phase::One => Phase::Zero,
        }
    }
}

/// A completion queue entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletionEntry {
    /// Dword 0, whose meaning depends on the command.
    pub result: u32,
    /// Dword 1, which commands of NVMe leave at zero; those of open-channel drives have an outcome of each address in both.
    pub result_high: u32,
    /// Head of the submission queue when the entry was made.
    pub submission_head: u16,
    /// Submission queue that the command came from.
    pub submission_queue: u16,
    /// Command identifier.
    pub cid: u16,
    /// Phase tag.
    pub phase: Phase,
    /// How the command ended: bits 31:17 of dword 3.
    pub status: Status,
}

impl CompletionEntry {
    /// The 16 bytes of the entry.
    #[inline]
    pub const fn emit(&self) -> [u8; ENTRY_BYTES] {
        let phase = match self.phase {
            Phase::Zero => 0,
            Phase::One => 1,
        };
        let status = self.status.bits() << 1 | phase;
        let submission = (self.submission_queue as u32) << 16 | self.submission_head as u32;
        let ended = (status as u32) << 16 | self.cid as u32;
        let first = (self.result_high as u64) << 32 | self.result as u64;
        let second = (ended as u64) << 32 | submission as u64;
        ((second as u128) << 64 | first as u128).to_le_bytes()
    }

    /// Reads an entry.
    #[inline]
    pub fn parse(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        CompletionEntry {
            result: u32::from(word(2)) << 16 | u32::from(word(0)),
            result_high: u32::from(word(6)) << 16 | u32::from(word(4)),
            submission_head: word(8),
            submission_queue: word(10),
            cid: word(12),
            phase: if word(14) & 1 == 0 { Phase::Zero } else { Phase::One },
            status: Status::from_bits(word(14) >> 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_sixteen_bytes_with_status_above_the_phase() {
        let entry = CompletionEntry {
            result: 0x0403_0201,
            result_high: 0x0807_0605,
            submission_head: 0x1211,
            submission_queue: 0x2221,
            cid: 0x3231,
            phase: Phase::One,
            status: Status::LBA_OUT_OF_RANGE.do_not_retry(),
        };
        let bytes = entry.emit();
        let expected = [1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32, 0x01, 0x81];
        assert_eq!(bytes, expected);
        assert_eq!(CompletionEntry::parse(&bytes), entry);
        assert_eq!(CompletionEntry::parse(&[0; 16]).phase, entry.phase.flipped());
    }
}
