//! System calls of a host's programs, above the commands that they waited for.

use machine::TimeSpan;

/// A system call of a program that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCall {
    /// Number of the process that made it.
    pub process: u32,
    /// Name of the program.
    pub program: String,
    /// Name of the call.
    pub call: String,
    /// The file that it was about, if it names one.
    pub file: String,
    /// From when until when, in picoseconds of the drive's time.
    pub span: TimeSpan,
    /// When the completions were posted of the commands that it waited for, the last one first.
    pub posted_ps: Vec<u64>,
}

/// A call on its row.
#[derive(Debug)]
pub(crate) struct RowedCall {
    /// From 1.
    pub row: u32,
    pub call: ProgramCall,
}
