//! Set and Get Features.

use super::*;
use contract::{CachePolicy, Coalescing, InterruptCoalescing, QueueWeights};

const SET: u8 = 0x09;
const GET: u8 = 0x0a;

fn feature(opcode: u8, dword10: u32, dword11: u32) -> Entry {
    Entry::new(opcode, header(0)).with(10, dword10).with(11, dword11)
}

impl Bench {
    fn set(&mut self, id: u32, value: u32) -> u32 {
        let (status, result) = self.finish(0, feature(SET, id, value));
        assert!(status.is_success(), "feature {id:#x} value {value:#x}: {status:?}");
        result
    }

    /// Gets a feature by identifier and SEL.
    fn get(&mut self, id: u32, argument: u32) -> u32 {
        let nsid = u32::from(id & 0xff == 5);
        let (status, result) = self.finish(0, feature(GET, id, argument).with(1, nsid));
        assert!(status.is_success(), "feature {id:#x}: {status:?}");
        result
    }
}

#[test]
fn a_value_that_is_set_is_current_until_a_reset() {
    for (id, argument, default, value, read_back) in [
        (0x01, 0, 0, 0x0302_0104, 0x0302_0104),
        (0x02, 0, 0, 0x20, 0x20),
        (0x04, 0x0000_0000, 343, 0x0000_0150, 0x0000_0150),
        (0x04, 0x0010_0000, 0x0010_0000, 0x0010_0100, 0x0010_0100),
        (0x06, 0, 1, 0, 0),
        (0x08, 0, 0, 0x0504, 0x0504),
        (0x09, 3, 3, 0x0001_0003, 0x0001_0003),
        (0x0a, 0, 0, 1, 1),
        (0x0b, 0, 0, 0x1f, 0x1f),
        (0x0b, 0, 0, 0x100, 0x100),
    ] {
        let mut bench = Bench::new();
        assert_eq!(bench.get(id, argument), default, "feature {id:#x}");
        bench.set(id, value);
        assert_eq!(bench.get(id, argument), read_back, "feature {id:#x}");
        assert_eq!(bench.get(id | 1 << 8, argument), default, "default of {id:#x}");
        assert_eq!(bench.get(id | 2 << 8, argument), default, "saved {id:#x}");
        assert_eq!(bench.get(id | 3 << 8, argument), 0b100, "capabilities of {id:#x}");
        bench.event(HostEvent::Disable);
        bench.settle();
        bench.event(HostEvent::Enable);
        assert_eq!(bench.get(id, argument), default, "feature {id:#x} after a reset");
    }
}

#[test]
fn error_recovery_belongs_to_the_namespace() {
    let mut bench = Bench::new();
    assert_eq!(bench.get(0x305, 0), 0b110);
    for nsid in [1, 0xffff_ffff] {
        let (status, _) = bench.finish(0, feature(SET, 5, 7 + nsid % 2).with(1, nsid));
        assert!(status.is_success());
        assert_eq!(bench.get(5, 0), 8);
    }
    let namespace = Status::INVALID_NAMESPACE;
    for nsid in [0, 2] {
        bench.refuse(0, feature(SET, 5, 7).with(1, nsid), namespace, (4, 0));
    }
    for nsid in [0, 2, 0xffff_ffff] {
        bench.refuse(0, feature(GET, 5, 0).with(1, nsid), namespace, (4, 0));
    }
}

#[test]
fn each_illegal_field_has_its_status() {
    let field = Status::INVALID_FIELD;
    for (entry, status, at) in [
        (feature(SET, 0x00, 0), field, (40, 0)),
        (feature(SET, 0x03, 0), field, (40, 0)),
        (feature(SET, 0x0c, 0), field, (40, 0)),
        (feature(SET, 0xff, 0), field, (40, 0)),
        (feature(SET, 0x8000_0006, 0), Status::FEATURE_NOT_SAVEABLE, (43, 7)),
        (feature(SET, 0x02, 1), field, (44, 0)),
        (feature(SET, 0x04, 0x0001_0000), field, (46, 0)),
        (feature(SET, 0x04, 0x0009_0000), field, (46, 0)),
        (feature(SET, 0x04, 0x0020_0000), field, (46, 4)),
        (feature(SET, 0x05, 0x0001_0000).with(1, 1), field, (46, 0)),
        (feature(SET, 0x07, 0xffff), field, (44, 0)),
        (feature(SET, 0x07, 0xffff_0000), field, (46, 0)),
        (feature(SET, 0x07, 0), Status::COMMAND_SEQUENCE_ERROR, (40, 0)),
        (feature(SET, 0x09, 5), field, (44, 0)),
        (feature(SET, 0x0b, 0x200), field, (45, 0)),
        (feature(SET, 0x06, 0).with(1, 1), Status::FEATURE_NOT_NAMESPACE_SPECIFIC, (4, 0)),
        (feature(SET, 0x06, 0).with(1, 2), Status::INVALID_NAMESPACE, (4, 0)),
        (feature(GET, 0x03, 0), field, (40, 0)),
        (feature(GET, 0x406, 0), field, (41, 0)),
        (feature(GET, 0x04, 0x000f_0000), field, (46, 0)),
        (feature(GET, 0x04, 0x0030_0000), field, (46, 4)),
        (feature(GET, 0x09, 5), field, (44, 0)),
    ] {
        let mut bench = Bench::new();
        bench.refuse(0, entry, status, at);
        assert!(bench.hw.calls.is_empty());
    }
    // Of features that other drives have, each; docs/nvme.md names them.
    let is_there = |id: &u32| matches!(id, 0x01 | 0x02 | 0x04..=0x0b);
    for id in (0..=0xff).filter(|id| !is_there(id)) {
        for opcode in [SET, GET] {
            Bench::new().refuse(0, feature(opcode, id, 0), field, (40, 0));
        }
    }
}

#[test]
fn features_reach_those_who_act_on_them() {
    let mut bench = Bench::new();
    bench.set(0x01, 0x0302_0104);
    bench.set(0x08, 0x0a02);
    bench.set(0x09, 0x0001_0002);
    bench.set(0x06, 0);
    let weights = QueueWeights { burst: 4, low: 1, medium: 2, high: 3 };
    let coalescing = InterruptCoalescing { threshold: 2, time: 10 };
    let expected = [
        Call::Weights(weights),
        Call::Coalescing(coalescing),
        Call::VectorCoalescing(2, Coalescing::Forbidden),
    ];
    assert_eq!(bench.hw.calls, expected);
    assert_eq!(bench.storage.cache, Some(CachePolicy::WriteThrough));

    bench.hw.calls.clear();
    bench.event(HostEvent::Disable);
    bench.settle();
    bench.event(HostEvent::Enable);
    let expected = [
        Call::Ready(false),
        Call::Weights(QueueWeights::default()),
        Call::Coalescing(InterruptCoalescing::default()),
        Call::VectorCoalescing(2, Coalescing::Allowed),
        Call::Ready(true),
    ];
    assert_eq!(bench.hw.calls, expected);
    assert_eq!(bench.storage.cache, Some(CachePolicy::WriteBack));
}

#[test]
fn queues_are_granted_up_to_the_limit_and_before_any_exists() {
    let mut bench = Bench::disabled(1);
    bench.event(HostEvent::Enable);
    assert_eq!(bench.get(0x07, 0), 0x0003_0003);
    assert_eq!(bench.set(0x07, 0x00ff_00ff), 0x0003_0003);
    assert_eq!(bench.set(0x07, 0x0000_0001), 0x0000_0001);
    assert_eq!(bench.get(0x07, 0), 0x0000_0001);
    let create = |id: u32| Entry::new(0x05, header(0)).with(10, 63 << 16 | id).with(11, 1);
    bench.refuse(0, create(2), Status::INVALID_QUEUE_IDENTIFIER, (40, 0));
    assert!(bench.finish(0, create(1)).0.is_success());
    let entry = feature(SET, 0x07, 0x0003_0003);
    bench.refuse(0, entry, Status::COMMAND_SEQUENCE_ERROR, (40, 0));
}
