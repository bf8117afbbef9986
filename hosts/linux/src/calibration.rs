//! What the processor of this machine takes for what [`Charges`](crate::Charges) count, as far as programs can measure it.
//!
//! A switch of tasks and a wake-up show in programs: each is the difference of two loops that are the same but for it, on one
//! processor. The quickest of many rounds counts, as others' work only makes a round longer. A request issued and a request
//! completed pass in the kernel: they show in its block tracepoints, if the machine lets them be read ([`crate::DriverTimes`]).

use std::io::{self, pipe, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::yield_now;
use std::time::Instant;

use rustix::process::{set_parent_process_death_signal, Signal};

use crate::pinned::Pinned;

/// Passes of a loop in a round: so few that some rounds are not interrupted.
const PASSES: u32 = 400;

/// What a second process on the same processor does, over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// It lets others run.
    Yields,
    /// It sends back each byte.
    Echoes,
}

impl Partner {
    /// Is the second process, until the first has gone.
    ///
    /// # Errors
    /// Those of standard input and output.
    pub fn act(self) -> io::Result<()> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
        // The first process waits for this byte, so that it measures nothing of the start.
        to.write_all(&[0])?;
        to.flush()?;
        if self == Partner::Yields {
            loop {
                yield_now();
            }
        }
        let mut byte = [0];
        while from.read(&mut byte)? > 0 {
            to.write_all(&byte)?;
            to.flush()?;
        }
        Ok(())
    }
}

/// The second process, which ends with this.
struct Other {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
}

impl Other {
    fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let (to, mut from) = ends.ok_or_else(|| io::Error::other("a process without pipes"))?;
        from.read_exact(&mut [0])?;
        Ok(Other { child, to, from })
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Nanoseconds of the processor of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// From one task to another, of two processes.
    pub switch_ns: u64,
    /// A task that is woken.
    pub wake_ns: u64,
}

impl Calibration {
    /// Measures both in so many rounds of each loop. `partner` makes the command of a process that is one.
    ///
    /// # Errors
    /// When no second process can be started.
    pub fn measured(rounds: u32, partner: impl Fn(Partner) -> Command) -> io::Result<Self> {
        let _pinned = Pinned::here();
        let alone = quickest(rounds, || {
            yield_now();
            Ok(())
        })?;
        let other = Other::start(partner(Partner::Yields))?;
        let shared = quickest(rounds, || {
            yield_now();
            Ok(())
        })?;
        drop(other);
        let own = own_pipes(rounds)?;
        let mut other = Other::start(partner(Partner::Echoes))?;
        let echoed = quickest(rounds, || {
            other.to.write_all(&[1])?;
            other.from.read_exact(&mut [0])
        })?;
        Ok(Calibration::of([alone, shared], [own, echoed]))
    }

    /// From nanoseconds of a pass of each loop. Of two passes of [`yield_now`] in turn, each has its own call and a switch. A byte
    /// that another process sends back has two switches and two wake-ups more than one that the process itself sends
    /// back. A loop that only noise makes the quicker one counts as nothing.
    fn of([alone, shared]: [f64; 2], [own, echoed]: [f64; 2]) -> Self {
        let switch = (shared - 2.0 * alone).max(0.0) / 2.0;
        let wake = ((echoed - own) / 2.0 - switch).max(0.0);
        Calibration { switch_ns: switch.round() as u64, wake_ns: wake.round() as u64 }
    }
}

/// A byte through two pipes, by the same calls that two processes make together.
fn own_pipes(rounds: u32) -> io::Result<f64> {
    let ((mut at_other, mut there), (mut here, mut back)) = (pipe()?, pipe()?);
    let mut byte = [1];
    quickest(rounds, || {
        there.write_all(&byte)?;
        at_other.read_exact(&mut byte)?;
        back.write_all(&byte)?;
        here.read_exact(&mut byte)
    })
}

/// Nanoseconds of a pass in the quickest round.
fn quickest(rounds: u32, mut pass: impl FnMut() -> io::Result<()>) -> io::Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let since = Instant::now();
        for _ in 0..PASSES {
            pass()?;
        }
        best = best.min(since.elapsed().as_nanos() as f64 / f64::from(PASSES));
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_and_a_wake_up_are_what_the_longer_loops_have_more() {
        let found = Calibration::of([100.0, 1200.0], [900.0, 3300.0]);
        assert_eq!(found, Calibration { switch_ns: 500, wake_ns: 700 });
        let noise = Calibration::of([100.0, 150.0], [900.0, 800.0]);
        assert_eq!(noise, Calibration { switch_ns: 0, wake_ns: 0 });
    }

    #[test]
    fn without_a_second_process_nothing_is_measured() {
        assert!(Calibration::measured(1, |_| Command::new("/no/such/program")).is_err());
        assert!(Calibration::measured(1, |_| Command::new("false")).is_err());
    }
}
