//! What carries bytes.

use std::io::{ErrorKind, Read, Result, Write};
use std::time::Instant;

/// A serial line: bytes both ways, and a clock.
pub trait Line {
    /// Sends bytes.
    ///
    /// # Errors
    /// When the line is closed.
    fn send(&mut self, bytes: &[u8]) -> Result<()>;

    /// Adds what has come; waits for a byte, but for so many picoseconds at most.
    ///
    /// # Errors
    /// When the line is closed.
    fn receive(&mut self, into: &mut Vec<u8>, limit_ps: u64) -> Result<()>;

    /// Picoseconds since some moment.
    fn now_ps(&self) -> u64;

    /// How long a byte of an answer may take to come, in picoseconds. Half a second: more than any adapter holds bytes back.
    fn silence_ps(&self) -> u64 {
        500_000_000_000
    }
}

/// A line that is a file or a socket: a serial port that was set to its rate, and to give up a read after a while.
pub struct Stream<S> {
    inner: S,
    start: Instant,
}

impl<S: Read + Write> Stream<S> {
    /// That line.
    pub fn new(inner: S) -> Self {
        Self { inner, start: Instant::now() }
    }
}

impl<S: Read + Write> Line for Stream<S> {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.inner.write_all(bytes)?;
        self.inner.flush()
    }

    fn receive(&mut self, into: &mut Vec<u8>, limit_ps: u64) -> Result<()> {
        let end_ps = self.now_ps().saturating_add(limit_ps);
        let mut bytes = [0; 512];
        loop {
            match self.inner.read(&mut bytes) {
                Ok(0) => {}
                Ok(count) => {
                    into.extend_from_slice(&bytes[..count]);
                    return Ok(());
                }
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted | ErrorKind::TimedOut | ErrorKind::WouldBlock => {}
                    _ => return Err(error),
                },
            }
            if self.now_ps() >= end_ps {
                return Ok(());
            }
        }
    }

    fn now_ps(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64 * 1000
    }
}
