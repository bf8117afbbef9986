//! Long histories of random commands, with an oracle.

use crate::open_channel::small;
use torture::chunk_user::{Faults, User};

/// The drives of these tests: the firmware schedules, or the channels do; few entries of the data buffer; parts of pages.
const DRIVES: [&[(&str, &str)]; 5] = [
    &[],
    &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")],
    &[
        ("channel.scheduler", "controller"),
        ("channel.execution", "out-of-order"),
        ("channel.merging", "planes-and-cache"),
    ],
    &[("ftl.buffer_kib", "256"), ("host.completer", "firmware")],
    &[("channel.read_unit_bytes", "4096"), ("geometry.channels", "3"), ("geometry.ways", "1")],
];

#[test]
fn chunks_hold_what_was_written_whatever_else_is_under_way() {
    for (nth, changes) in (0..).zip(DRIVES) {
        let board = small(changes);
        for seed in 0..4 {
            let mut user = User::new(&board, Faults::None, 100 * nth + seed);
            for depth in [1, 4, 16] {
                user.use_drive(250, depth);
                user.check_all();
            }
            assert!(user.refused > 10);
        }
    }
}

#[test]
fn flash_that_fails_closes_chunks_and_takes_them_offline() {
    let failing = [
        ("errors.program_failures_per_billion", "20000000"),
        ("errors.erase_failures_per_billion", "100000000"),
        ("errors.factory_bad_blocks_per_million", "30000"),
        ("ftl.spare_blocks_per_way", "8"),
    ];
    let hanging = [("errors.hangs_per_billion", "2000000"), ("channel.busy_timeout_us", "20000")];
    let (mut closed, mut offline) = (0, 0);
    for (nth, changes) in (0..).zip(DRIVES) {
        for (kind, hangs) in [&[][..], &hanging].into_iter().enumerate() {
            let board = small(&[changes, &failing, hangs].concat());
            for seed in 0..3 {
                let seed = 1000 + 100 * nth + 10 * kind as u64 + seed;
                let mut user = User::new(&board, Faults::Flash, seed);
                for depth in [1, 8, 16] {
                    user.use_drive(200, depth);
                    user.check_all();
                }
                (closed, offline) = (closed + user.closed, offline + user.offline);
            }
        }
    }
    assert!(closed > 50 && offline > 20, "{closed} chunks closed early, {offline} went offline");
}

#[test]
fn after_a_power_loss_chunks_are_found_as_they_were_written() {
    for (nth, changes) in (0..).zip(DRIVES) {
        let board = small(changes);
        for seed in 0..3 {
            let seed = 2000 + 100 * nth + seed;
            let mut user = User::new(&board, Faults::None, seed);
            for cut in 0..8_u64 {
                user.use_drive(120, [1, 3, 16][cut as usize % 3]);
                user = user.cut_power(&board, 1_000_000 * (1 + 337 * cut));
                user.check_all();
            }
        }
    }
}
