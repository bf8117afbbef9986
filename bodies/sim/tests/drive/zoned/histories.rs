//! Long histories of random commands, with an oracle.

use crate::zoned::small;
use torture::zone_user::User;

/// The drives of these tests: the firmware schedules, or the channels do; few entries of the data buffer; parts of pages; zones of one way
/// and of all.
const DRIVES: [&[(&str, &str)]; 6] = [
    &[],
    &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")],
    &[
        ("channel.scheduler", "controller"),
        ("channel.execution", "out-of-order"),
        ("zones.ways", "2"),
    ],
    &[("ftl.buffer_kib", "256"), ("host.completer", "firmware"), ("zones.ways", "2")],
    &[
        ("channel.read_unit_bytes", "4096"),
        ("geometry.channels", "3"),
        ("geometry.ways", "1"),
        ("zones.channels", "3"),
    ],
    &[("zones.channels", "1"), ("zones.open", "2"), ("zones.active", "2")],
];

#[test]
fn zones_hold_what_was_written_whatever_else_is_under_way() {
    for (nth, changes) in (0..).zip(DRIVES) {
        let board = small(changes);
        for seed in 0..4 {
            let mut user = User::new(&board, 100 * nth + seed);
            for depth in [1, 4, 16] {
                user.use_drive(250, depth);
                user.check_all();
            }
            assert!(user.refused > 10);
        }
    }
}

#[test]
fn after_a_power_loss_write_pointers_are_found_and_nothing_durable_is_lost() {
    for (nth, changes) in (0..).zip(DRIVES) {
        let board = small(changes);
        for seed in 0..3 {
            let mut user = User::new(&board, 2000 + 100 * nth + seed);
            for cut in 0..8_u64 {
                user.use_drive(120, [1, 3, 16][cut as usize % 3]);
                user = user.cut_power(&board, 1_000_000 * (1 + 337 * cut));
                user.check_all();
            }
        }
    }
}

/// Flash that fails, with spare blocks enough: hosts are told of nothing, with power losses or without.
#[test]
fn blocks_that_fail_cost_spare_blocks_and_no_data() {
    let failing = [
        ("geometry.blocks_per_way", "128"),
        ("ftl.spare_blocks_per_way", "64"),
        ("errors.program_failures_per_billion", "2000000"),
        ("errors.erase_failures_per_billion", "20000000"),
        ("errors.factory_bad_blocks_per_million", "30000"),
    ];
    let mut bad = 0;
    for (nth, changes) in (0..).zip(DRIVES) {
        let board = small(&[changes, &failing].concat());
        for seed in 0..2 {
            let mut user = User::new(&board, 3000 + 100 * nth + seed);
            for cut in 0..4_u64 {
                for depth in [1, 8, 16] {
                    user.use_drive(150, depth);
                    user.check_all();
                }
                bad += user.bad_blocks();
                if seed == 1 {
                    user.use_drive(50, 16);
                    user = user.cut_power(&board, 1_000_000 * (1 + 337 * cut));
                    user.check_all();
                }
            }
        }
    }
    assert!(bad > 50, "{bad} blocks went bad");
}
