//! What may hold a job back, or end it, beside rates. A job without any of it has none of this.

use std::sync::Arc;

use report::JobError;

use super::depth_search::{DepthSearch, Late, Trial};
use super::direction::Direction;
use super::flow::{Flow, FlowMember, Grant};
use super::least::RateWatch;
use super::pace::{Pause, Thinking};
use super::request::{Request, RequestKind};
use super::spec::JobSpec;
use crate::error_number::EIO;

/// Times that count for what holds a job back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Start of the job.
    pub(super) start_ps: u64,
    /// End of its ramp.
    pub(super) measure_ps: u64,
    /// The moment itself.
    pub(super) now_ps: u64,
}

/// What holds a request back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nothing.
    None,
    /// Requests in flight.
    Drain,
    /// A pause that begins now and ends then.
    Begin(u64),
    /// Nothing may go before this time.
    Until(u64),
    /// Other jobs of its flow.
    Held,
    /// What was measured until now is forgotten first.
    Remeasure,
    /// The job is to end.
    Over,
}

/// What may hold a job back, or end it.
#[derive(Clone, Debug)]
pub(super) struct Holds {
    thinking: Option<Thinking>,
    flow: Option<FlowMember>,
    search: Option<DepthSearch>,
    watch: Option<RateWatch>,
    failure: Option<JobError>,
}

impl Holds {
    /// What the job says of it, if it says something.
    pub(super) fn of(spec: &JobSpec) -> Option<Box<Self>> {
        let steering = &spec.steering;
        let holds = Holds {
            thinking: spec.pacing.think.map(Thinking::new),
            flow: steering.flow.map(FlowMember::new),
            search: steering.target.map(|target| DepthSearch::new(target, spec.iodepth)),
            watch: steering.least.map(RateWatch::new),
            failure: None,
        };
        let Holds { thinking, flow, search, watch, .. } = &holds;
        let any = thinking.is_some() || flow.is_some() || search.is_some() || watch.is_some();
        any.then(|| Box::new(holds))
    }

    /// Asks whether the next request may go.
    pub(super) fn ask(&mut self, moment: Moment, in_flight: u32) -> Hold {
        let Moment { start_ps, measure_ps, now_ps } = moment;
        if let Some(search) = &mut self.search {
            match search.ask(measure_ps, now_ps, in_flight) {
                Trial::Go => {}
                Trial::Drain => return Hold::Drain,
                Trial::Remeasure => return Hold::Remeasure,
                Trial::Over => return Hold::Over,
            }
        }
        if let Some(thinking) = &mut self.thinking {
            match thinking.pause(start_ps, now_ps, in_flight) {
                Pause::None => {}
                Pause::Drain => return Hold::Drain,
                Pause::Begin(until_ps) => return Hold::Begin(until_ps),
                Pause::Until(until_ps) => return Hold::Until(until_ps),
            }
        }
        match self.flow.as_mut().map(|flow| flow.ask(now_ps, in_flight)) {
            None | Some(Grant::Go) => Hold::None,
            Some(Grant::Held) => Hold::Held,
            Some(Grant::Drain) => Hold::Drain,
            Some(Grant::Until(until_ps)) => Hold::Until(until_ps),
        }
    }

    /// Counts an issued request.
    pub(super) fn issued(&mut self) {
        if let Some(thinking) = &mut self.thinking {
            thinking.issued();
        }
        if let Some(flow) = &mut self.flow {
            flow.issued();
        }
    }

    /// Counts a completed request that is no flush. The job may have failed behind it.
    pub(super) fn completed(&mut self, request: &Request, moment: Moment) {
        let Moment { start_ps, measure_ps, now_ps } = moment;
        if let Some(thinking) = &mut self.thinking {
            thinking.completed(now_ps);
        }
        if let Some(search) = &mut self.search {
            search.completed();
        }
        let Some(watch) = &mut self.watch else { return };
        match request.kind {
            RequestKind::Read => watch.completed(Direction::Read, request.length_bytes),
            RequestKind::Write => watch.completed(Direction::Write, request.length_bytes),
            RequestKind::Trim => watch.completed(Direction::Trim, request.length_bytes),
            RequestKind::Flush | RequestKind::ZoneReset => {}
        }
        if now_ps >= measure_ps && self.failure.is_none() {
            let told = watch.check(start_ps, now_ps);
            self.failure = told.map(|message| JobError { number: EIO, message });
        }
    }

    /// Counts a request that took longer than the latency to keep to.
    pub(super) fn late(&mut self) -> Late {
        self.search.as_mut().map_or(Late::Noted, DepthSearch::late)
    }

    /// The depth that a search for one has come to.
    pub(super) fn depth(&self) -> Option<u32> {
        self.search.as_ref().map(DepthSearch::depth)
    }

    /// What the job failed with.
    pub(super) fn failure(&self) -> Option<&JobError> {
        self.failure.as_ref()
    }

    /// Joins others of its flow, before the job begins.
    pub(super) fn share_flow(&mut self, flow: Arc<Flow>) {
        if let Some(member) = &mut self.flow {
            member.share_with(flow);
        }
    }

    /// Leaves its flow: the job is over.
    pub(super) fn leave_flow(&mut self) {
        if let Some(member) = &mut self.flow {
            member.leave();
        }
    }
}
