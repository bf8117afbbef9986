//! What leaves the buffer next, under each policy.

use alloc::vec::Vec;
use contract::{Lpn, Policies, ReplacementPolicy};

use super::*;
use crate::ftl::buffer::Buffer;
use crate::nvme::tests::mock::configuration;

/// A use of the buffer: a page is read, or written.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl::replacement) enum Use {
    Read(u32),
    Write(u32),
}

/// The pages that a buffer of four entries gives up, in their order. What is dirty is programmed when it is given up.
pub(in crate::ftl::replacement) fn given_up(
    replacement: contract::Chosen<ReplacementPolicy>,
    uses: &[Use],
) -> Vec<u32> {
    let policies = Policies { replacement, ..Policies::PUBLISHED };
    let mut buffer = Buffer::new(&Configuration { buffer_entries: 4, policies, ..configuration() });
    let mut given_up = Vec::new();
    for &one in uses {
        let (Use::Read(lpn) | Use::Write(lpn)) = one;
        let held = buffer.find(Lpn(lpn));
        let entry = held.unwrap_or_else(|| {
            let entry = buffer.next_out();
            given_up.extend(buffer.lpn(entry).map(|lpn| lpn.0));
            buffer.set_freshness(entry, Freshness::Clean);
            buffer.recycle(entry, Lpn(lpn));
            entry
        });
        match one {
            Use::Read(_) if held.is_some() => buffer.note_read(entry),
            Use::Read(_) => {}
            Use::Write(_) => {
                buffer.touch(entry);
                buffer.set_freshness(entry, Freshness::Dirty);
            }
        }
    }
    given_up
}

use Use::{Read, Write};

/// Four pages come in, the first one is read, and two more come in.
const READ_ONCE: [Use; 7] = [Read(0), Read(1), Read(2), Read(3), Read(0), Read(4), Read(5)];

#[test]
fn reads_renew_a_page_under_lru_and_let_it_off_once_under_second_chance() {
    assert_eq!(given_up(ReplacementPolicy::Lru.with([]), &READ_ONCE), [1, 2]);
    assert_eq!(given_up(ReplacementPolicy::Fifo.with([]), &READ_ONCE), [0, 1]);
    assert_eq!(given_up(ReplacementPolicy::SecondChance.with([]), &READ_ONCE), [1, 2]);
    // All were read: the oldest goes after all were let off, however often they were read.
    let all: Vec<Use> = (0..12).map(|nth| Read(nth % 4)).chain([Read(4), Read(5)]).collect();
    assert_eq!(given_up(ReplacementPolicy::SecondChance.with([]), &all), [0, 1]);
}

#[test]
fn a_page_that_is_written_is_new_under_every_policy() {
    for &policy in ReplacementPolicy::ALL {
        let uses = [Write(0), Write(1), Write(2), Write(3), Write(0), Write(4)];
        assert_eq!(given_up(policy.with([]), &uses), [1], "{policy:?}");
    }
}
