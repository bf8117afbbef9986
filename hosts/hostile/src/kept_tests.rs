//! A copied house behaves as one that was built, whatever is done to it.

use board::Board;
use proptest::prelude::*;

use crate::house::{board, House};
use crate::kept::Copied;
use crate::{commands, doorbells, prps, registers};

/// How a house is built, how it is copied, and what is done in it.
struct Way {
    build: fn() -> House,
    copy: fn() -> Copied,
    act: fn(&mut House, &[u8]),
}

fn with_bytes() -> House {
    let board: &Board = board();
    House::built_with_bytes(board)
}

const WAYS: [Way; 4] = [
    Way { build: House::built, copy: Copied::at_power_on, act: registers::act },
    Way { build: House::built_running, copy: Copied::running, act: doorbells::act },
    Way { build: House::built_running, copy: Copied::running, act: commands::act },
    Way { build: with_bytes, copy: Copied::with_bytes, act: prps::act },
];

/// Registers of the controller, as 32-bit words.
const REGISTERS: u64 = 0x40;

fn assert_same(built: &mut House, copied: &mut House) {
    for at in (0..REGISTERS).step_by(4) {
        assert_eq!(built.register(at), copied.register(at), "register {at:#x}");
    }
    assert_eq!(built.drive.now(), copied.drive.now(), "virtual time");
    assert_eq!(built.drive.usage(), copied.drive.usage());
    let (built, copied) = (&built.drive.host().memory, &copied.drive.host().memory);
    assert!(built.whole() == copied.whole(), "memory, and what was read of it");
    assert_eq!(built.written, copied.written);
    assert_eq!(
        (built.read_again, built.gate, built.master),
        (copied.read_again, copied.gate, copied.master)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn a_copied_house_behaves_as_one_that_was_built(
        before in prop::collection::vec(any::<u8>(), 0..500),
        bytes in prop::collection::vec(any::<u8>(), 0..500),
    ) {
        for Way { build, copy, act } in &WAYS {
            // What the house before has left behind is nothing to the next.
            act(&mut copy(), &before);
            let (mut built, mut copied) = (build(), copy());
            act(&mut built, &bytes);
            act(&mut copied, &bytes);
            assert_same(&mut built, &mut copied);
            built.assert_recovers();
            copied.assert_recovers();
            assert_same(&mut built, &mut copied);
        }
    }
}
