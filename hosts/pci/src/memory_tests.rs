use super::*;
use rustix::fs::{fcntl_add_seals, ftruncate, memfd_create, MemfdFlags};
use std::os::unix::net::UnixStream;
use std::time::Duration;

const PAGE: u64 = PAGE_BYTES;

fn sealed(pages: u64) -> OwnedFd {
    let file = memfd_create("sealed", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
    ftruncate(&file, pages * PAGE).unwrap();
    fcntl_add_seals(&file, SealFlags::SHRINK).unwrap();
    file
}

fn unsealed(pages: u64) -> OwnedFd {
    let file = memfd_create("unsealed", MemfdFlags::CLOEXEC).unwrap();
    ftruncate(&file, pages * PAGE).unwrap();
    file
}

fn offer(first: u64, pages: u64, offset: u64, access: Access) -> Offer {
    Offer { address: first * PAGE, size: pages * PAGE, offset: offset * PAGE, access }
}

#[test]
fn an_access_may_cross_regions_of_different_kinds() {
    let mut memory = GuestMemory::default();
    memory.map(offer(16, 2, 1, Access::Both), Some(sealed(3))).unwrap();
    memory.map(offer(18, 1, 0, Access::Both), Some(unsealed(1))).unwrap();
    let written: Vec<u8> = (0..PAGE + 100).map(|n| n as u8).collect();
    let start = 17 * PAGE - 50;
    assert!(memory.write(start, &written));
    let mut read = vec![0; written.len()];
    assert!(memory.read(start, &mut read));
    assert_eq!(read, written);
}

#[test]
fn what_was_not_offered_is_not_touched() {
    let mut memory = GuestMemory::default();
    let (file, other) = (sealed(4), unsealed(1));
    let seen = file.try_clone().unwrap();
    memory.map(offer(1, 1, 0, Access::Both), Some(file.try_clone().unwrap())).unwrap();
    memory.map(offer(2, 1, 1, Access::Read), Some(file)).unwrap();
    memory.map(offer(5, 1, 0, Access::Write), Some(other)).unwrap();
    let mut bytes = [7; 16];
    for address in [0, PAGE - 8, 3 * PAGE - 8, 3 * PAGE, 6 * PAGE - 8, u64::MAX - 15, u64::MAX] {
        assert!(!memory.read(address, &mut bytes), "{address:#x}");
        assert!(!memory.write(address, &bytes), "{address:#x}");
    }
    assert!(!memory.write(2 * PAGE - 8, &bytes), "the second half is read-only");
    assert!(!memory.read(5 * PAGE, &mut bytes), "write-only");
    assert_eq!(bytes, [7; 16]);
    let mut all = [1; 4 * PAGE as usize];
    assert_eq!(pread(&seen, &mut all, 0).unwrap(), all.len());
    assert!(all.iter().all(|&byte| byte == 0));
    assert!(memory.write(PAGE, &bytes) && memory.read(2 * PAGE, &mut bytes));
    memory.unmap(PAGE, PAGE).unwrap();
    assert!(!memory.write(PAGE, &bytes) && memory.read(2 * PAGE, &mut bytes));
}

#[test]
fn offers_that_cannot_be_are_refused() {
    let mut memory = GuestMemory::default();
    memory.map(offer(10, 10, 0, Access::Both), None).unwrap();
    let both = |address, size, offset| Offer { address, size, offset, access: Access::Both };
    let cases = [
        (both(0, 0, 0), None, Errno::INVAL),
        (both(1, PAGE, 0), None, Errno::INVAL),
        (both(0, PAGE + 1, 0), None, Errno::INVAL),
        (both(u64::MAX - PAGE + 1, 2 * PAGE, 0), None, Errno::INVAL),
        (both(9 * PAGE, 2 * PAGE, 0), None, Errno::EXIST),
        (both(19 * PAGE, PAGE, 0), None, Errno::EXIST),
        (both(12 * PAGE, PAGE, 0), None, Errno::EXIST),
        (both(0, 4 * PAGE, 0), Some(sealed(3)), Errno::INVAL),
        (both(0, 2 * PAGE, 2 * PAGE), Some(unsealed(3)), Errno::INVAL),
        (both(0, PAGE, u64::MAX - 100), Some(sealed(3)), Errno::INVAL),
        (both(0, PAGE, 512), Some(sealed(3)), Errno::INVAL),
    ];
    for (offer, file, expected) in cases {
        assert_eq!(memory.map(offer, file), Err(expected), "{offer:?}");
    }
    let (pipe, _other) = UnixStream::pair().unwrap();
    assert_eq!(memory.map(both(0, PAGE, 0), Some(pipe.into())), Err(Errno::INVAL));
    for (address, size) in [(10 * PAGE, PAGE), (11 * PAGE, 9 * PAGE), (0, PAGE)] {
        assert_eq!(memory.unmap(address, size), Err(Errno::NOENT), "{address:#x}");
    }
    assert_eq!(memory.unmap(10 * PAGE, 10 * PAGE), Ok(()));
}

#[test]
fn a_file_cut_short_fails_the_access_and_nothing_else() {
    let mut memory = GuestMemory::default();
    let file = unsealed(4);
    let owner = file.try_clone().unwrap();
    memory.map(offer(0, 4, 0, Access::Both), Some(file)).unwrap();
    assert!(memory.read(3 * PAGE, &mut [0; 8]));
    ftruncate(&owner, PAGE).unwrap();
    assert!(!memory.read(3 * PAGE, &mut [0; 8]));
    assert!(memory.read(0, &mut [0; 8]));
}

#[test]
fn a_client_that_does_not_answer_is_lost() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let channel = Channel::new(ours, Duration::from_millis(20)).unwrap();
    let mut memory = GuestMemory::new(Rc::new(RefCell::new(channel)), 64);
    memory.map(offer(0, 1, 0, Access::Both), None).unwrap();
    assert!(!memory.read(0, &mut [0; 8]));
    assert_eq!(memory.lost(), Some(Lost::Silent));
    drop(theirs);
}
