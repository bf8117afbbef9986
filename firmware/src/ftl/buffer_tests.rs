//! The order of entries, and which are ready to be given away.

use super::*;
use crate::nvme::tests::mock::configuration;

fn small() -> Buffer {
    Buffer::new(&Configuration { buffer_entries: 4, ..configuration() })
}

#[test]
fn the_least_recently_used_entry_is_recycled_first() {
    let mut buffer = small();
    for lpn in 0..4 {
        let id = buffer.next_out();
        buffer.recycle(id, Lpn(lpn * 4));
    }
    let second = buffer.find(Lpn(4)).expect("cached");
    buffer.touch(buffer.find(Lpn(0)).expect("cached"));
    assert_eq!(buffer.next_out(), second);
    buffer.recycle(second, Lpn(64));
    assert_eq!(buffer.find(Lpn(4)), None);
    assert_eq!(buffer.find(Lpn(64)), Some(second));
    assert_eq!(buffer.find(Lpn(8)).and_then(|id| buffer.lpn(id)), Some(Lpn(8)));
}

#[test]
fn ready_entries_are_the_oldest_until_they_are_used() {
    let mut buffer = small();
    let ids: [BufferId; 4] = core::array::from_fn(|nth| BufferId(nth as u32));
    buffer.count_ready();
    buffer.count_ready();
    assert_eq!((buffer.ready(), buffer.frontier()), (2, Some(ids[2])));
    buffer.touch(ids[2]);
    assert_eq!((buffer.ready(), buffer.frontier()), (2, Some(ids[3])));
    let oldest = buffer.next_out();
    buffer.recycle(oldest, Lpn(7));
    assert_eq!((buffer.ready(), buffer.frontier()), (1, Some(ids[3])));
    for _ in 0..3 {
        buffer.count_ready();
    }
    assert_eq!((buffer.ready(), buffer.frontier()), (4, None));
    buffer.touch(ids[1]);
    assert_eq!((buffer.ready(), buffer.frontier()), (3, Some(ids[1])));
}

#[test]
fn the_newest_entry_is_not_ready_any_more_when_it_is_changed() {
    let mut buffer = small();
    let oldest = buffer.next_out();
    buffer.recycle(oldest, Lpn(7));
    for _ in 0..4 {
        buffer.count_ready();
    }
    let id = buffer.find(Lpn(7)).expect("cached");
    buffer.touch(id);
    buffer.set_freshness(id, Freshness::Dirty);
    assert_eq!((buffer.ready(), buffer.frontier()), (3, Some(id)));
}

#[test]
fn dirty_entries_are_counted_once() {
    let mut buffer = small();
    let id = buffer.next_out();
    buffer.set_freshness(id, Freshness::Dirty);
    buffer.set_freshness(id, Freshness::Dirty);
    assert_eq!(buffer.dirty(), 1);
    buffer.set_freshness(id, Freshness::Clean);
    assert_eq!(buffer.dirty(), 0);
}
