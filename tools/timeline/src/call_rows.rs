//! Rows of system calls above what was recorded, and arrows to the commands that the calls waited for.

use std::collections::BTreeMap;

use crate::calls::{ProgramCall, RowedCall};
use crate::recorder::{Command, Recorder, Step};

/// An arrow from a call to a command that it waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallArrow {
    /// From 1, as no two calls have one.
    pub id: u64,
    /// The call's row, and when the command was submitted, or the call began.
    pub row: u32,
    pub from: u64,
    /// The first step of the command.
    pub to: Step,
}

impl Recorder {
    /// Puts system calls above what was recorded: those that are within the window, even if with a part of them.
    pub fn set_calls(&mut self, calls: Vec<ProgramCall>) {
        let mut calls: Vec<_> = calls.into_iter().filter(|call| self.shows(call.span)).collect();
        calls.sort_by_key(|call| call.span.start);
        // Threads of a process may be in calls at a time. Each row has one after the other.
        let mut rows: Vec<(u32, u64)> = Vec::new();
        let row_of = |call: ProgramCall| {
            let is_free =
                |&(process, end): &(u32, u64)| process == call.process && end <= call.span.start;
            let nth = rows.iter().position(is_free).unwrap_or(rows.len());
            if nth == rows.len() {
                rows.push((call.process, 0));
            }
            rows[nth].1 = call.span.end;
            RowedCall { row: nth as u32 + 1, call }
        };
        self.calls = calls.into_iter().map(row_of).collect();
    }

    /// Rows of calls, and what they are called.
    pub(crate) fn call_rows(&self) -> BTreeMap<u32, String> {
        let mut rows = BTreeMap::new();
        for RowedCall { row, call } in &self.calls {
            rows.entry(*row).or_insert_with(|| format!("{} {}", call.program, call.process));
        }
        rows
    }

    /// Arrows from calls to the commands that they waited for, of those that were recorded.
    pub(crate) fn call_arrows(&self) -> Vec<CallArrow> {
        let posted: BTreeMap<u64, &Command> =
            self.commands.iter().map(|command| (command.span.end, command)).collect();
        let mut first: BTreeMap<u32, Step> = BTreeMap::new();
        for step in &self.steps {
            let own = first.entry(step.command).or_insert(*step);
            if step.at < own.at {
                *own = *step;
            }
        }
        let mut arrows = Vec::new();
        for RowedCall { row, call } in &self.calls {
            for command in call.posted_ps.iter().filter_map(|at| posted.get(at)) {
                let Some(&to) = first.get(&command.number) else { continue };
                let from = command.span.start.max(call.span.start);
                let id = arrows.len() as u64 + 1;
                if from <= to.at {
                    arrows.push(CallArrow { id, row: *row, from, to });
                }
            }
        }
        arrows
    }
}
