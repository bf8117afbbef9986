//! What the guest's system calls waited for: how long each took as its program saw it, and the commands below it.
//!
//! A call is walked back from its end: the command that completed last before it, then the command that completed last before that
//! command's doorbell rang, and so on to the call's beginning. Commands are those of the call's own process and of the kernel's
//! threads, which work for all. What no command covers is Linux: its processor, other programs, and the interrupt on its way.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use pci::Finished;
use report::{CallWaits, Cause, Latency, Waited, Waits};

use crate::page::{Call, Task};

/// Picoseconds of a nanosecond.
const NS: u64 = 1000;
/// Commands that are remembered: what a call waited for behind more of them counts as Linux.
const MOST_COMMANDS: usize = 1 << 18;
/// Rows of the report; calls of further programs and files count together.
const MOST_ROWS: usize = 10_000;
/// What stands in place of the names of further programs.
const OTHERS: &str = "(others)";
/// Slowest calls of a row that are remembered one by one.
const MOST_SLOWEST: usize = 1_000;
/// Calls that are kept one by one.
const MOST_WALKED: usize = 1 << 20;
/// The process of commands that the kernel gave, which may be anybody's.
const KERNEL: u32 = 0;

/// A command that is done.
#[derive(Debug)]
struct Command {
    process: u32,
    began_ps: u64,
    ended_ps: u64,
    causes_ps: [u64; Cause::COUNT],
}

/// A call, in the order of how long it took; of two as long, the earlier is the slower.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slow {
    total_ps: u64,
    earlier: Reverse<u64>,
    commands: u64,
    causes_ps: [u64; Cause::COUNT],
}

/// Calls of a program of one kind about one file.
#[derive(Debug, Default)]
struct Row {
    latency: Latency,
    all: Waited,
    /// The slowest, of which the fastest is at the top.
    slowest: BinaryHeap<Reverse<Slow>>,
}

/// A system call that has ended, and the commands that it waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedCall {
    /// The call, in nanoseconds of the drive's time.
    pub call: Call,
    /// When the completions of these commands were posted, in picoseconds, the last one first.
    pub posted_ps: Vec<u64>,
}

/// The accounts of a guest.
#[derive(Debug, Default)]
pub struct Accounts {
    commands: VecDeque<Command>,
    /// Who gave the command whose completion is posted next.
    issuer: Option<Task>,
    rows: BTreeMap<(String, String, String), Row>,
    calls: u64,
    /// Each call with the commands that it waited for, where somebody asked for them.
    walked: Option<Vec<WalkedCall>>,
    /// Calls that nobody took in time.
    pub lost: u64,
}

impl Accounts {
    /// Keeps each call from now on, as far as there is room for them.
    pub fn keep_calls(&mut self) {
        self.walked.get_or_insert_default();
    }

    /// The calls that were kept.
    pub fn take_calls(&mut self) -> Vec<WalkedCall> {
        self.walked.take().unwrap_or_default()
    }

    /// Takes down who gave the command whose completion is posted next, where it is known.
    pub fn note_issuer(&mut self, issuer: Option<Task>) {
        self.issuer = issuer;
    }

    /// A command is done.
    pub fn completed(&mut self, finished: &Finished) {
        let process = match self.issuer.take() {
            Some(task) if !task.is_kernel => task.process,
            _ => KERNEL,
        };
        if self.commands.len() == MOST_COMMANDS {
            self.commands.pop_front();
        }
        self.commands.push_back(Command {
            process,
            began_ps: finished.rung_ps,
            ended_ps: finished.posted_ps,
            causes_ps: finished.split.by_cause(),
        });
    }

    /// A system call has ended.
    pub fn called(&mut self, call: Call) {
        let span =
            [call.began_ns, call.ended_ns.max(call.began_ns)].map(|ns| ns.saturating_mul(NS));
        let keeps = self.walked.as_ref().is_some_and(|walked| walked.len() < MOST_WALKED);
        let mut posted_ps = Vec::new();
        let meet = |command: &Command| posted_ps.extend(keeps.then_some(command.ended_ps));
        let waited = self.walk(call.process, span, meet);
        if let Some(walked) = self.walked.as_mut().filter(|_| keeps) {
            walked.push(WalkedCall { call: call.clone(), posted_ps });
        }
        let Call { name, call, file, .. } = call;
        let mut key = (name, call, file);
        if self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&key) {
            key = (OTHERS.to_owned(), key.1, String::new());
        }
        let row = self.rows.entry(key).or_default();
        row.latency.record(waited.total_ps);
        row.all.merge(&waited);
        let Waited { total_ps, commands, causes_ps, .. } = waited;
        let slow = Slow { total_ps, earlier: Reverse(self.calls), commands, causes_ps };
        row.slowest.push(Reverse(slow));
        if row.slowest.len() > MOST_SLOWEST {
            row.slowest.pop();
        }
        self.calls += 1;
    }

    /// What a call of a process waited for.
    fn walk(
        &self,
        process: u32,
        [began_ps, ended_ps]: [u64; 2],
        mut meet: impl FnMut(&Command),
    ) -> Waited {
        let total_ps = ended_ps - began_ps;
        let mut waited = Waited { calls: 1, total_ps, ..Waited::default() };
        let mut at_ps = ended_ps;
        for command in self.commands.iter().rev() {
            if command.ended_ps <= began_ps {
                break;
            }
            let is_its = command.process == process || command.process == KERNEL;
            if !is_its || command.ended_ps > at_ps {
                continue;
            }
            meet(command);
            at_ps = command.began_ps.max(began_ps);
            waited.commands += 1;
            let own_ps = command.ended_ps - command.began_ps;
            let inside_ps = command.ended_ps - at_ps;
            for (sum, cause_ps) in waited.causes_ps.iter_mut().zip(command.causes_ps) {
                // Of a command that was under way before the call, each cause counts in proportion.
                let part = u128::from(cause_ps) * u128::from(inside_ps);
                *sum += (part / u128::from(own_ps.max(1))) as u64;
            }
        }
        waited
    }

    /// The report's part; none where the guest told of nothing.
    pub fn report(&self) -> Option<Box<Waits>> {
        let mut calls: Vec<_> = self
            .rows
            .iter()
            .map(|((process, call, file), row)| CallWaits {
                process: process.clone(),
                call: call.clone(),
                file: file.clone(),
                latency: row.latency.clone(),
                all: row.all,
                slowest: row.slowest(),
            })
            .collect();
        calls.sort_by_key(|row| Reverse(row.all.total_ps));
        (!calls.is_empty() || self.lost > 0).then(|| Box::new(Waits { calls, lost: self.lost }))
    }
}

impl Row {
    /// The slowest hundredth, at least one, as far as calls are remembered.
    fn slowest(&self) -> Waited {
        let mut calls: Vec<_> = self.slowest.iter().map(|Reverse(call)| call).collect();
        calls.sort_by(|one, other| other.cmp(one));
        let mut waited = Waited::default();
        for call in calls.iter().take(self.all.calls.div_ceil(100) as usize) {
            let Slow { total_ps, commands, causes_ps, .. } = **call;
            waited.merge(&Waited { calls: 1, total_ps, commands, causes_ps });
        }
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{Part, Split};

    const US: u64 = 1_000_000;

    /// A command of so many microseconds of the flash's time, given by a process, or by the kernel.
    fn command(accounts: &mut Accounts, process: u32, began_us: u64, ended_us: u64) {
        let mut split = Split::default();
        split.add(Part::Storage, Cause::Flash, (ended_us - began_us) * US);
        let is_kernel = process == KERNEL;
        accounts.note_issuer(Some(Task { process, is_kernel, name: "writer".to_owned() }));
        let (rung_ps, posted_ps) = (began_us * US, ended_us * US);
        accounts.completed(&Finished { rung_ps, posted_ps, split });
    }

    fn call(process: u32, began_us: u64, ended_us: u64) -> Call {
        let (began_ns, ended_ns) = (1000 * began_us, 1000 * ended_us);
        let [name, call, file] = ["db", "fsync", "log"].map(str::to_owned);
        Call { began_ns, ended_ns, process, name, call, file }
    }

    fn only_row(accounts: &Accounts) -> CallWaits {
        let [row] = &accounts.report().unwrap().calls[..] else { panic!("one row") };
        row.clone()
    }

    #[test]
    fn a_call_is_walked_back_over_the_commands_that_completed_last() {
        let mut accounts = Accounts::default();
        // Two at once, the kernel's behind them; another process is somebody else's business.
        command(&mut accounts, 7, 10, 30);
        command(&mut accounts, 7, 12, 50);
        command(&mut accounts, KERNEL, 55, 95);
        command(&mut accounts, 8, 60, 98);
        accounts.called(call(7, 10, 100));
        let all = only_row(&accounts).all;
        assert_eq!((all.calls, all.commands, all.total_ps), (1, 2, 90 * US));
        assert_eq!(all.causes_ps[Cause::Flash as usize], (38 + 40) * US);
        assert_eq!(all.linux_ps(), (2 + 5 + 5) * US);
        assert_eq!(accounts.take_calls(), [], "nobody asked for them");
        accounts.keep_calls();
        accounts.called(call(7, 10, 100));
        let posted_ps = vec![95 * US, 50 * US];
        assert_eq!(accounts.take_calls(), [WalkedCall { call: call(7, 10, 100), posted_ps }]);
    }

    #[test]
    fn of_a_command_that_was_under_way_before_the_call_its_end_counts() {
        let mut accounts = Accounts::default();
        command(&mut accounts, KERNEL, 0, 40);
        accounts.called(call(7, 30, 41));
        let all = only_row(&accounts).all;
        assert_eq!(all.causes_ps[Cause::Flash as usize], 10 * US);
        assert_eq!(all.linux_ps(), US);
    }

    #[test]
    fn a_call_that_no_command_meets_is_linux() {
        let mut accounts = Accounts::default();
        command(&mut accounts, 7, 0, 10);
        command(&mut accounts, 7, 11, 90);
        accounts.called(call(7, 10, 20));
        let all = only_row(&accounts).all;
        assert_eq!((all.commands, all.linux_ps()), (0, 10 * US));
    }

    #[test]
    fn the_slowest_hundredth_stands_beside_all() {
        let mut accounts = Accounts::default();
        for nth in 0..200 {
            let began_us = 1000 * nth;
            let took_us = if nth % 100 == 50 { 700 } else { 10 };
            command(&mut accounts, 7, began_us, began_us + took_us);
            accounts.called(call(7, began_us, began_us + took_us));
        }
        let row = only_row(&accounts);
        assert_eq!((row.all.calls, row.latency.count()), (200, 200));
        assert_eq!((row.slowest.calls, row.slowest.total_ps), (2, 1400 * US));
    }

    #[test]
    fn further_programs_count_together() {
        let mut accounts = Accounts::default();
        for nth in 0..MOST_ROWS as u64 + 5 {
            accounts.called(Call { file: nth.to_string(), ..call(7, nth, nth + 1) });
        }
        let calls = accounts.report().unwrap().calls;
        assert_eq!(calls.len(), MOST_ROWS + 1);
        let others: Vec<_> = calls.iter().filter(|row| row.process == OTHERS).collect();
        assert_eq!(others.iter().map(|row| row.all.calls).collect::<Vec<_>>(), [5]);
    }
}
