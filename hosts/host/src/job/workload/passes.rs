//! Where a pass over the range begins and ends, and how it is read back.

use super::super::direction::Direction;
use super::super::extent::Extent;
use super::super::request::{Next, RequestKind};
use super::super::spec::{EndFlush, Enough, Passes, Verify};
use super::{Issued, Pairing, Phase, Workload};

impl Workload {
    /// Whether the pass has requests left.
    pub(super) fn may_issue(&mut self) -> bool {
        let is_held = self.overlaps.as_ref().is_some_and(|overlaps| overlaps.holds());
        is_held || !self.pass_is_over() && !self.sweep_is_over()
    }

    /// A pass ends with its bytes or the job's. A time-based job has but one, whose walk starts again by
    /// itself, unless it trims what it wrote.
    fn pass_is_over(&self) -> bool {
        let trims = self.history.as_ref().is_some_and(|history| history.trims());
        let endless = self.stop.total_bytes.is_none() && !trims;
        let pass_done = !endless && self.issued.pass_bytes >= self.stop.pass_bytes;
        self.follow_up.is_none() && (pass_done || self.is_complete())
    }

    /// Whether a walk that makes but one sweep a pass has come to the end of the range.
    fn sweep_is_over(&mut self) -> bool {
        if self.stop.sweeps.is_none() || self.follow_up.is_some() {
            return false;
        }
        let Self { plan, cursor, pairing, .. } = self;
        let is_over = match pairing {
            Some(pairing) => plan.is_through(cursor, pairing.direction()),
            None => {
                let direction = *self.drawn.get_or_insert_with(|| plan.draw_direction(cursor));
                plan.is_through(cursor, direction)
            }
        };
        self.issued.sweeps += u64::from(is_over);
        is_over
    }

    /// Whether the job is to flush before the pass or the job ends.
    pub(super) fn owes_flush(&self) -> bool {
        self.flush.at_end == EndFlush::Yes && self.issued.unflushed > 0
    }

    fn is_complete(&self) -> bool {
        self.stop.sweeps.is_some_and(|sweeps| self.issued.sweeps >= sweeps)
            || self.stop.total_bytes.is_some_and(|total| self.issued.bytes >= total)
            || self.stop.requests.is_some_and(|most| self.issued.requests >= most)
    }

    pub(super) fn end_pass(&mut self) {
        if self.verify == Verify::ReadBack {
            self.replay = self.pass_start;
            let left = match &mut self.history {
                None => self.issued.pass_writes,
                Some(history) => {
                    history.end_pass();
                    history.len()
                }
            };
            self.phase = Phase::ReadBack { left };
        } else {
            self.begin_pass();
        }
    }

    /// Whether so much was moved in whole passes that none follows. As in fio, what was read back counts.
    fn has_enough(&self) -> bool {
        let Issued { bytes, back_bytes, requests, back_requests, passes, .. } = self.issued;
        self.stop.enough.is_some_and(|enough: Enough| {
            let most = self.stop.requests.unwrap_or(u64::MAX);
            let is_moved = bytes + back_bytes >= enough.bytes || requests + back_requests >= most;
            passes >= enough.passes && is_moved
        })
    }

    /// Starts another pass, or ends the job.
    pub(super) fn begin_pass(&mut self) {
        self.issued.passes += 1;
        if self.is_complete() || self.has_enough() {
            self.phase = Phase::Over;
            return;
        }
        match self.passes {
            Passes::Alike => self.cursor = self.first_pass,
            Passes::Different => self.plan.restart(&mut self.cursor),
        }
        self.pass_start = self.cursor;
        if let Some(files) = &mut self.files {
            files.restart(self.passes);
        }
        self.pairing = self.pairing.map(|_| Pairing::default());
        self.issued.pass_bytes = 0;
        self.issued.pass_writes = 0;
        self.flush_due = false;
        self.drawn = None;
        self.phase = Phase::Issue;
    }

    /// Reads the next write of the pass again; `left` is at least 1.
    pub(super) fn read_back(&mut self, left: u64) -> Next {
        self.phase = Phase::ReadBack { left: left - 1 };
        if let Some(extent) = self.history.as_mut().and_then(|history| history.oldest()) {
            return self.send_back(extent);
        }
        loop {
            let direction = self.plan.draw_direction(&mut self.replay);
            let extent = self.plan.draw_extent(&mut self.replay, direction);
            if direction == Direction::Write {
                return self.send_back(extent);
            }
        }
    }

    fn send_back(&mut self, extent: Extent) -> Next {
        self.in_flight += 1;
        self.issued.back_bytes += extent.length_bytes;
        self.issued.back_requests += 1;
        Next::Io(extent.request(RequestKind::Read))
    }
}
