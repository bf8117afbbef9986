//! Weighted round robin from end to end: the processor's weights decide the order of commands.

use crate::host_control::commands::entry;
use crate::host_control::system::{System, QUEUES};
use rtl_sim::Random;

#[test]
fn weights_decide_the_order_of_commands() {
    let mut random = Random::new(9);
    let mut system = System::new(&mut random);
    let mut admin = system.bring_up(8, 1);
    let mut pairs = Vec::new();
    for id in 1..QUEUES as u16 {
        pairs.push(system.create_pair(id, 16, u64::from(id) - 1));
    }
    // Nothing is fetched while all tails are rung.
    let weights = [
        ("weights_burst_i", 1),
        ("weights_high_i", 3),
        ("weights_medium_i", 1),
        ("weights_low_i", 0),
    ];
    system.pulse("weights_valid_i", &weights);
    system.set_ready(0);
    system.cycles(20);
    for pair in pairs.iter_mut().chain([&mut admin]) {
        for cid in 0..7 {
            let entry = entry(cid, &mut random);
            system.push(pair, &entry);
        }
        system.ring_tail(pair);
    }
    // The last doorbell takes a few cycles.
    system.cycles(20);
    system.set_ready(1);
    let order: Vec<u64> = (0..32).map(|_| system.command().1).collect();
    // Admin, urgent, then rounds of four of high, two of medium, one of low.
    let expected = [
        0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 2, 2, 2, 3, 3, 4, 3, 3, 4,
        3, 4,
    ];
    assert_eq!(order, expected);
}
