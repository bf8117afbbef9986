//! Plans as text for people.

use std::fmt;

use crate::plan::{Act, Command, Data, Malformation, Plan, Pointer, Start, Step, Stray};

/// Microseconds of a time in picoseconds.
fn us(ps: u64) -> f64 {
    ps as f64 / 1e6
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "board {}", self.board)?;
        for (key, value) in &self.values {
            write!(f, " {key}={value}")?;
        }
        let data = if self.data == Data::Bytes { ", data as bytes" } else { "" };
        let start = if self.start == Start::Full { "full" } else { "empty" };
        writeln!(f, "; {start} at first{data}")?;
        for (nth, step) in (1..).zip(&self.steps) {
            writeln!(f, "{nth:5}  {step}")?;
        }
        let nth = self.steps.len() + 1;
        writeln!(f, "{nth:5}  wait for all commands, flush, read everything")
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Submit { queue, commands } => {
                write!(f, "queue {queue}: ")?;
                for (nth, command) in commands.iter().enumerate() {
                    write!(f, "{}{command}", if nth == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
            Step::Abort { queue, cid } => write!(f, "abort command {cid} of queue {queue}"),
            Step::RingWrongly { doorbell, value } => {
                write!(f, "write {value} to doorbell {doorbell}")
            }
            Step::Reset => f.write_str("reset the controller"),
            Step::DeleteQueue { queue } => write!(f, "delete queue pair {queue}, create it again"),
            Step::Format => f.write_str("format the namespace"),
            Step::SaveAndRestore => {
                f.write_str("wait until the drive is quiet; go on with a copy from its snapshot")
            }
            Step::Shelve { hours } => write!(f, "cut the power; power on after {hours} hours"),
            Step::SendAstray { die, to } => {
                write!(f, "the next such program of die {die} goes {to}")
            }
            Step::UseChunks { seed, commands, depth } => {
                write!(f, "send {commands} vector commands of seed {seed}, {depth} at once")
            }
            Step::SwitchCache => f.write_str("switch the write cache off, or on again"),
            Step::Run { ps } => write!(f, "let {:.3} us pass", us(*ps)),
            Step::RunUntilQuiet => f.write_str("wait until the drive is quiet"),
            Step::CutPower { again_after_ps } => {
                f.write_str("cut the power; power on")?;
                again_after_ps.iter().try_for_each(|&ps| {
                    write!(f, "; after {:.3} us cut it again; power on", us(ps))
                })
            }
        }
    }
}

impl fmt::Display for Stray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stray::Nowhere => f.write_str("nowhere"),
            Stray::Page(further) => write!(f, "{further} pages further"),
            Stray::Block(further) => write!(f, "{further} blocks further"),
            Stray::Log => f.write_str("nowhere, as one of the log"),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Command { act, lba, blocks, fua, pointer } = self;
        let verb = match act {
            Act::Read => "read",
            Act::Write => "write",
            Act::WriteZeroes => "write zeroes to",
            Act::Deallocate => "deallocate",
            Act::Flush => return f.write_str("flush"),
            Act::Compare(_) => "compare",
            Act::Verify => "verify",
            Act::Malformed(how) => return write!(f, "read with {how}"),
        };
        write!(f, "{verb} {lba}..{}", lba + blocks)?;
        if let Act::Compare(Some(nth)) = act {
            write!(f, " with other data in {}", lba + nth)?;
        }
        f.write_str(if fua { " FUA" } else { "" })?;
        f.write_str(match pointer {
            Pointer::Sound => "",
            Pointer::Outside => ", data outside of host memory",
            Pointer::ListOutside => ", PRP list outside of host memory",
            Pointer::EntryOutside => ", a page outside of host memory",
            Pointer::Misaligned => ", data at an odd address",
        })
    }
}

impl fmt::Display for Malformation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Malformation::Opcode => "an unknown opcode",
            Malformation::Namespace => "a namespace that there is not",
            Malformation::Range => "blocks behind the last",
            Malformation::Overflow => "blocks behind 2^64",
            Malformation::Fused => "a fused operation",
            Malformation::Sgl => "a scatter gather list",
            Malformation::TooLong => "more data than the largest transfer",
        })
    }
}
