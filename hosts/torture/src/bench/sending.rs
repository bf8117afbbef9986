//! Commands that a plain host sends at times that are known beforehand.

use std::collections::VecDeque;

use machine::{Registers, NEVER};
use nvme::command::Entry;

/// Commands that a host sends by itself.
#[derive(Clone, Default)]
pub struct Sending {
    /// When, to which queue and what, the earliest first.
    pub commands: VecDeque<(u64, usize, Entry)>,
    /// Picoseconds from one time at which it wakes to the next, whether there is something to do or not, while commands are left.
    pub ticks: u64,
    /// It goes on by itself to the next command, where the drive is quiet until then.
    pub goes_on: bool,
}

impl Sending {
    /// Sends what is due. Returns when the host has to be woken for the rest.
    pub(crate) fn follow(
        &mut self,
        now: u64,
        registers: &mut Registers<'_>,
        mut send: impl FnMut(usize, Entry, &mut Registers<'_>),
    ) -> u64 {
        let mut at = now;
        while let Some(&(due, queue, command)) = self.commands.front() {
            if due > at {
                if !self.goes_on || due > registers.quiet_until() {
                    return due.min(now + self.ticks.max(1));
                }
                registers.go_on(due);
                at = due;
            }
            send(queue, command, registers);
            self.commands.pop_front();
        }
        NEVER
    }
}
