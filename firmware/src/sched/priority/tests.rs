//! Which phase goes next, and for which way.

use super::*;
use crate::nvme::tests::mock::configuration;
use crate::sched::state::States;
use contract::{Geometry, PriorityPolicy};

fn of(policy: PriorityPolicy) -> Chosen {
    let mut config = configuration();
    config.policies.priority = policy.with([]);
    Chosen::new(&config)
}

fn table() -> Chosen {
    of(PriorityPolicy::ByClass)
}

fn channel() -> ChannelState {
    let geometry =
        Geometry { channels: 1, ways: 8, blocks_per_way: 4, pages_per_block: 4, page_bytes: 4096 };
    States::new(geometry).channels[0]
}

/// The order in which a policy has phases of these classes issued, one of each.
pub(in crate::sched::priority) fn order_of(
    policy: PriorityPolicy,
    classes: &[Class],
) -> alloc::vec::Vec<Class> {
    let mut c = channel();
    classes.iter().for_each(|&class| c.waiting.add(class, 0b1));
    let mut chosen = of(policy);
    let mut order = alloc::vec::Vec::new();
    while let Some((way, operation)) = chosen.select(&mut c, &mut Classes::all()) {
        c.waiting.remove(Class::of(operation), 1 << way);
        order.push(Class::of(operation));
    }
    assert!(c.waiting.is_empty());
    order
}

#[test]
fn classes_go_in_the_order_of_table_2() {
    assert_eq!(order_of(PriorityPolicy::ByClass, &Class::ALL), Class::ALL);
}

/// Whatever the policy, all of them go in the end, and what hung and what is done before anything else.
#[test]
fn every_policy_issues_what_waits() {
    for &policy in PriorityPolicy::ALL {
        let order = order_of(policy, &Class::ALL);
        assert_eq!(order.len(), Class::COUNT, "{policy:?}");
        assert!(Class::ALL.iter().all(|class| order.contains(class)), "{policy:?}: {order:?}");
    }
}

#[test]
fn a_look_issues_one_of_each_class_at_most() {
    let mut c = channel();
    c.waiting.add(Class::ReadTrigger, 0b110);
    c.waiting.add(Class::ReadTransfer, 0b1001);
    let mut left = Classes::all();
    assert_eq!(table().select(&mut c, &mut left), Some((1, FlashOperation::ReadTrigger)));
    assert_eq!(table().select(&mut c, &mut left), Some((0, FlashOperation::ReadTransfer)));
    assert_eq!(table().select(&mut c, &mut left), None, "ways wait, and have had their turn");
    assert_eq!(table().select(&mut c, &mut Classes::all()), Some((2, FlashOperation::ReadTrigger)));
}

#[test]
fn equals_of_every_class_take_turns() {
    for class in Class::ALL {
        let mut c = channel();
        c.waiting.add(class, 0b1000_0101);
        let ways: [u32; 5] = core::array::from_fn(|_| {
            table().select(&mut c, &mut Classes::all()).expect("ways wait").0
        });
        assert_eq!(ways, [0, 2, 7, 0, 2], "{class:?}");
    }
}

#[test]
fn the_turn_goes_from_the_last_of_64_ways_to_the_first() {
    let mut c = channel();
    c.waiting.add(Class::ReadTransfer, 1 << 63 | 1);
    let ways: [u32; 4] =
        core::array::from_fn(|_| table().select(&mut c, &mut Classes::all()).expect("ways wait").0);
    assert_eq!(ways, [0, 63, 0, 63]);
}
