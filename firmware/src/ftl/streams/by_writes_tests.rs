//! Which data count as often written.

use super::*;
use crate::nvme::tests::mock::configuration;

/// One of a drive of so many logical pages, of which data are hot from 4 writes on.
fn of_pages(logical_pages: u32) -> ByWrites {
    let config = Configuration { logical_pages, ..configuration() };
    ByWrites::new(&config, &Settings::of([4]))
}

#[test]
fn data_are_hot_from_the_fourth_write_on_until_their_count_was_halved() {
    let mut policy = of_pages(100);
    let writes = |policy: &mut ByWrites, count: u32| -> alloc::vec::Vec<Stream> {
        (0..count).map(|_| policy.of_new(Lpn(70), 0)).collect()
    };
    let cold = [Stream::Moved; 3];
    let found = writes(&mut policy, 6);
    assert_eq!(found[..3], cold);
    assert_eq!(found[3..], [Stream::Host; 3]);
    // A round over all counts: 6 is 3, and the next write makes it 4 again.
    (0..100).for_each(|nth| _ = policy.of_new(Lpn(nth % 50), 0));
    assert_eq!(writes(&mut policy, 1), [Stream::Host]);
    // Two rounds: 4 is 1.
    (0..200).for_each(|nth| _ = policy.of_new(Lpn(nth % 50), 0));
    assert_eq!(writes(&mut policy, 3), [Stream::Moved, Stream::Moved, Stream::Host]);
}

#[test]
fn logical_pages_of_a_large_drive_share_counters() {
    let mut policy = of_pages(3 * MOST_COUNTERS);
    assert!(policy.counts.len() as u32 <= MOST_COUNTERS);
    let found = [0, 1, 2, 0, 3, 1].map(|lpn| policy.of_new(Lpn(lpn), 0));
    assert_eq!(found[3..], [Stream::Host, Stream::Moved, Stream::Host]);
    policy.of_new(Lpn(3 * MOST_COUNTERS - 1), 0);
}
