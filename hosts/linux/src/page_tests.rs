//! What a guest's module may have written, in memory that is filled by hand.

use pci::{Access, Offer};
use rustix::fs::{ftruncate, memfd_create, MemfdFlags};

use super::*;

const AT: u64 = 0x1000;
const CAPACITY: u32 = 4;
const BYTES: u64 = 1 << 20;

/// Memory with a page of four calls, whose only kinds are "fsync" and "read".
fn told() -> GuestMemory {
    let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
    ftruncate(&file, BYTES).unwrap();
    let mut memory = GuestMemory::default();
    let offer = Offer { address: 0, size: BYTES, offset: 0, access: Access::Both };
    memory.map(offer, Some(file)).unwrap();
    assert!(memory.write(AT, &CAPACITY.to_le_bytes()));
    assert!(memory.write(AT + 4, &2u32.to_le_bytes()));
    assert!(memory.write(AT + layout::NAMES, b"fsync"));
    assert!(memory.write(AT + layout::NAMES + 16, b"read"));
    memory
}

fn write_call(memory: &mut GuestMemory, nth: u64, kind: u32) {
    let began = 1000 * nth;
    let mut call = [0; layout::CALL_BYTES];
    call[..8].copy_from_slice(&began.to_le_bytes());
    call[8..16].copy_from_slice(&(began + 500).to_le_bytes());
    call[16..20].copy_from_slice(&71u32.to_le_bytes());
    call[20..24].copy_from_slice(&kind.to_le_bytes());
    call[24..31].copy_from_slice(b"sqlite3");
    call[40..42].copy_from_slice(b"db");
    let slot = nth % u64::from(CAPACITY);
    assert!(memory.write(AT + layout::CALLS + slot * layout::CALL_BYTES as u64, &call));
    assert!(memory.write(AT + layout::WRITTEN, &(nth + 1).to_le_bytes()));
}

#[test]
fn calls_are_taken_once_in_order_over_the_end_of_the_ring() {
    let mut memory = told();
    let page = Page::at(&mut memory, AT).unwrap();
    let mut seen = Vec::new();
    for nth in 0..6 {
        write_call(&mut memory, nth, (nth % 2) as u32);
        if nth % 3 == 2 {
            seen.extend(page.take_calls(&mut memory));
            assert_eq!(page.take_calls(&mut memory), [], "they are taken once");
        }
    }
    let began: Vec<_> = seen.iter().map(|call| call.began_ns / 1000).collect();
    assert_eq!(began, [0, 1, 2, 3, 4, 5]);
    let last = Call {
        began_ns: 5000,
        ended_ns: 5500,
        process: 71,
        name: "sqlite3".to_owned(),
        call: "read".to_owned(),
        file: "db".to_owned(),
    };
    assert_eq!(seen.last(), Some(&last));
}

#[test]
fn tasks_are_those_that_run_and_that_gave_a_command() {
    let mut memory = told();
    let page = Page::at(&mut memory, AT).unwrap();
    assert_eq!(page.running(&mut memory), None, "nobody has run");
    for (at, process, kernel, name) in
        [(layout::RUNNING, 9u32, 0u32, "sh\x1b"), (layout::ISSUERS + 24, 3, 1, "jbd2")]
    {
        let words = [process.to_le_bytes(), kernel.to_le_bytes()].concat();
        assert!(memory.write(AT + at, &words) && memory.write(AT + at + 8, name.as_bytes()));
    }
    let running = Task { process: 9, is_kernel: false, name: "sh?".to_owned() };
    assert_eq!(page.running(&mut memory), Some(running));
    let issuer = Task { process: 3, is_kernel: true, name: "jbd2".to_owned() };
    // The upper bits count how often the tag was used.
    assert_eq!(page.issuer(&mut memory, 0x5001), Some(issuer));
    assert_eq!(page.issuer(&mut memory, 0x0fff), None, "there is no such tag");
}

#[test]
fn a_guest_that_writes_nonsense_is_not_followed() {
    let mut memory = told();
    assert!(Page::at(&mut memory, BYTES).is_none(), "outside of memory");
    assert!(Page::at(&mut memory, u64::MAX).is_none());
    let page = Page::at(&mut memory, AT).unwrap();
    write_call(&mut memory, 0, 7);
    assert_eq!(page.take_calls(&mut memory), [], "a kind without a name");
    assert!(memory.write(AT + layout::WRITTEN, &u64::MAX.to_le_bytes()));
    assert_eq!(page.take_calls(&mut memory), [], "more than the ring holds");
    assert!(memory.write(AT, &0u32.to_le_bytes()));
    assert!(Page::at(&mut memory, AT).is_none(), "no room for calls");
}
