//! What the corpus reaches of the drive, as far as a host sees it once an input is over. Each command of `prps` has its
//! status looked at by the target.

use std::collections::BTreeSet;
use std::path::Path;

use nvme::register::{offset, ControllerConfiguration};

use crate::house::{House, PAIRS};
use crate::kept::Copied;
use crate::{commands, doorbells, registers};

/// A target's house, and what is done in it.
type Way = (&'static str, fn() -> Copied, fn(&mut House, &[u8]));

const WAYS: [Way; 3] = [
    ("registers", Copied::at_power_on, registers::act),
    ("doorbells", Copied::running, doorbells::act),
    ("commands", Copied::running, commands::act),
];

/// Statuses of completions that a host finds once an input is over, and CSTS, as words.
fn reached((name, copy, act): Way) -> BTreeSet<String> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile/corpus").join(name);
    let mut found = BTreeSet::new();
    for input in std::fs::read_dir(folder).expect("the corpus") {
        let bytes = std::fs::read(input.expect("an input").path()).expect("an input");
        let mut house = copy();
        act(&mut house, &bytes);
        house.settle();
        found.insert(format!("CSTS {:#x}", house.register(offset::CSTS)));
        if ControllerConfiguration(house.register(offset::CC)).enabled() {
            for queue in 0..PAIRS {
                let statuses = house.reap(queue).into_iter().map(|done| done.status.to_string());
                found.extend(statuses);
            }
        }
    }
    found
}

/// Of registers: CSTS with RDY, CFS, SHST; there is nobody who would send a sound command.
const BY_REGISTERS: &[&str] = &[
    "CSTS 0x0",
    "CSTS 0x1",
    "CSTS 0x2",
    "CSTS 0x3",
    "CSTS 0x4",
    "CSTS 0x5",
    "CSTS 0x8",
    "CSTS 0x9",
    "CSTS 0xa",
    "CSTS 0xb",
    "Commands Aborted due to Power Loss Notification",
    "Invalid Command Opcode",
    "Invalid Queue Identifier",
];

const BY_DOORBELLS: &[&str] = &[
    "CSTS 0x0",
    "CSTS 0x1",
    "Command Aborted due to SQ Deletion",
    "Data Transfer Error",
    "Invalid Command Opcode",
    "Invalid Field in Command",
    "Invalid Log Page",
    "Invalid Namespace or Format",
    "Invalid Queue Deletion",
    "Invalid Queue Identifier",
    "Invalid Queue Size",
    "Successful Completion",
];

const BY_COMMANDS: &[&str] = &[
    "Asynchronous Event Request Limit Exceeded",
    "CSTS 0x0",
    "CSTS 0x1",
    "CSTS 0x4",
    "CSTS 0x8",
    "CSTS 0x9",
    "Command Aborted due to SQ Deletion",
    "Command Sequence Error",
    "Commands Aborted due to Power Loss Notification",
    "Compare Failure",
    "Data Transfer Error",
    "Feature Not Namespace Specific",
    "Format In Progress",
    "Invalid Command Opcode",
    "Invalid Field in Command",
    "Invalid Format",
    "Invalid Log Page",
    "Invalid Namespace or Format",
    "Invalid Queue Deletion",
    "Invalid Queue Identifier",
    "Invalid Queue Size",
    "LBA Out of Range",
    "PRP Offset Invalid",
    "Successful Completion",
];

#[test]
fn the_corpus_reaches_what_it_is_known_to_reach() {
    for (way, known) in WAYS.into_iter().zip([BY_REGISTERS, BY_DOORBELLS, BY_COMMANDS]) {
        let reached = reached(way);
        let missing: Vec<_> = known.iter().filter(|&&what| !reached.contains(what)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", way.0);
    }
}
