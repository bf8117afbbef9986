//! Where it differs from the order of Table 2, and where not.

use contract::PriorityPolicy;

use super::Class::{self, *};
use crate::sched::priority::tests::order_of;

#[test]
fn data_of_reads_come_before_programs_and_erases() {
    let order = [Reset, StatusCheck, Suspend, ReadTrigger, ReadTransfer, Erase, Program, Resume];
    assert_eq!(order_of(PriorityPolicy::ReadsFirst, &Class::ALL), order);
    for other in [Erase, Program] {
        let order = [ReadTransfer, other];
        assert_eq!(order_of(PriorityPolicy::ReadsFirst, &[other, ReadTransfer]), order);
    }
}

#[test]
fn what_is_no_read_keeps_its_order() {
    let others = [Erase, Program, Resume];
    assert_eq!(order_of(PriorityPolicy::ReadsFirst, &others), others);
}
