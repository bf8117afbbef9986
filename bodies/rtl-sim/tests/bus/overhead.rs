//! What a turn costs beside its data, at 166 MHz with the timing of NV-DDR2 at 333 MT/s.

use crate::bus::host::{Host, Paces, Step, NV_DDR2_333};
use crate::bus::operation::Operation::*;

/// Cycles from the end of one step to that of the next, which waits behind it.
fn cycles_behind(host: &mut Host, first: Step, second: Step) -> u64 {
    host.ask(first);
    host.ask(second);
    let done = host.finish(2);
    assert!(done.iter().all(|done| !done.timed_out));
    done[1].cycle - done[0].cycle
}

fn ready_to_read() -> Host {
    let mut host = Host::new(NV_DDR2_333, Paces::always());
    for way in 0..2 {
        let row = host.row(0, 0, 0);
        host.run_busy(Step::new(ReadTrigger, way).row(row));
    }
    host
}

#[test]
fn a_trigger_takes_45_cycles() {
    let mut host = ready_to_read();
    let row = host.row(0, 2, 0);
    let triggers = [2, 3].map(|way| Step::new(ReadTrigger, way).row(row));
    let cycles = cycles_behind(&mut host, triggers[0], triggers[1]);
    println!("READ PAGE trigger: {cycles} cycles");
    assert!(cycles <= 45, "found {cycles} cycles");
    host.chips.assert_clean();
}

#[test]
fn a_transfer_takes_25_cycles_beside_its_words() {
    let mut host = ready_to_read();
    let words = 1000;
    let transfers = [0, 1].map(|way| Step::new(ReadTransfer, way).length(2 * words));
    let cycles = cycles_behind(&mut host, transfers[0], transfers[1]) - words as u64;
    println!("transfer: its words + {cycles} cycles");
    assert!(cycles <= 25, "found {cycles} cycles");
    host.chips.assert_clean();
}

#[test]
fn a_program_is_its_words_and_the_waits_of_the_chip() {
    let mut host = ready_to_read();
    let words = 1000;
    let row = host.row(0, 4, 0);
    let programs = [2, 3].map(|way| Step::new(ProgramPage, way).row(row).length(2 * words));
    host.give(&vec![0x5a; 4 * words]);
    let cycles = cycles_behind(&mut host, programs[0], programs[1]) - words as u64;
    // Command, five addresses and confirmation of 5 cycles each; tADL; pre- and postamble.
    let needed = 7 * 5 + 25 + 5;
    println!("PROGRAM PAGE with its data: its words + {cycles} cycles");
    assert!(cycles <= needed + 10, "found {cycles} cycles, {needed} of them for the chip");
    host.chips.assert_clean();
}

#[test]
fn a_step_that_waits_begins_at_once() {
    let mut host = ready_to_read();
    host.ask(Step::new(ReadStatus, 2));
    host.ask(Step::new(ReadStatus, 3));
    let chip_enable = host.bench.output("ce_no");
    let mut idle = vec![];
    while idle.len() < 400 {
        host.idle(1);
        idle.push(host.bench.model().get(chip_enable) == 0b1111);
    }
    // Between the two turns nobody is selected, and for no longer than it takes to tell them apart.
    let first = idle.iter().position(|idle| !idle).expect("a turn");
    let gap = idle[first..].iter().skip_while(|idle| !**idle).take_while(|idle| **idle).count();
    let held = usize::from(host.settings.read_preamble) + 1;
    assert!(gap <= held + 4, "found {gap} cycles, {held} of them for RE#");
    host.chips.assert_clean();
}
