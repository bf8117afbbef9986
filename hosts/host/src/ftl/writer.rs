//! Which writes to the drive are under way, and which line is next ([`super::write`]).

use std::collections::VecDeque;

use machine::NEVER;

use super::shape::{LineId, Shape, Unit};

/// What the writer is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing is to be written.
    Idle,
    /// The host works for a write, until then.
    Preparing(u64),
    /// A write is sent as soon as it can be.
    Ready,
}

/// The line that is written next.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextLine {
    pub(super) line: LineId,
    /// The first parallel unit whose chunk was not reset.
    pub(super) unit: Unit,
    /// Resets that are under way.
    pub(super) pending: u32,
}

/// Which writes are under way, what has to be written again, and the line behind the open one.
#[derive(Debug)]
pub struct Writer {
    pub(super) stage: Stage,
    /// Parallel units to which a write is under way.
    pub(super) busy: Vec<bool>,
    /// Units of the ring that could not be written where they should have been.
    pub(super) again: VecDeque<u32>,
    pub(super) next_line: Option<NextLine>,
}

impl Writer {
    /// One that has nothing to do.
    pub fn new(shape: &Shape) -> Self {
        Writer {
            stage: Stage::Idle,
            busy: vec![false; shape.units() as usize],
            again: VecDeque::with_capacity(shape.units() as usize),
            next_line: None,
        }
    }

    /// When it is to go on without an interrupt.
    pub fn due_ps(&self) -> u64 {
        match self.stage {
            Stage::Preparing(until_ps) => until_ps,
            Stage::Idle | Stage::Ready => NEVER,
        }
    }

    /// The host has worked for a write.
    pub fn prepared(&mut self) {
        self.stage = Stage::Ready;
    }

    /// Lines that were taken to be written next: one or none.
    pub fn has_next_line(&self) -> u32 {
        self.next_line.is_some().into()
    }
}
