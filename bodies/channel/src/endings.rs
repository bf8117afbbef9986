//! How steps end, and requests with them.

use contract::packet::{Answer, Outcome, Request, Response};
use contract::{Instant, WayOrder};

use crate::channel::Channel;
use crate::chips::Chips;
use crate::completions::{Ended, Source};
use crate::former::{Chosen, Ending, Former};
use crate::operation::{acts, is_status, reads_page, resets};
use crate::plan::Form;
use crate::reorder::Completion;

impl Channel {
    /// Whether another step may be chosen from the next cycle on.
    pub(crate) fn advance_former<C: Chips>(&mut self, now: u64, chips: &mut C, next: bool) -> bool {
        match self.former {
            Former::Offer(chosen, at) if at <= now => {
                if self.completing > now {
                    self.former = Former::Offer(chosen, self.completing);
                    return false;
                }
                if self.needs_mode(chosen) {
                    self.set_mode(now, chosen);
                    return false;
                }
                let (ending, over) = self.run(now, chosen, chips);
                self.former = Former::Bus(chosen, ending, over);
                false
            }
            Former::Bus(chosen, ending, over) if over == now => {
                if !next {
                    self.former = Former::Empty;
                }
                self.end(now, chosen, ending);
                !next
            }
            Former::Poll(unit, over) if over == now => {
                self.former = Former::Empty;
                self.find_ready(unit, now);
                true
            }
            Former::Mode(chosen, over) if over == now => {
                self.former = Former::Offer(chosen, now + 1);
                false
            }
            Former::Close(chosen, at) if at <= now => {
                if self.completing > now {
                    self.former = Former::Close(chosen, self.completing);
                    return false;
                }
                self.former = Former::Empty;
                let outcome = match chosen.plan.form {
                    Form::Refuse => Outcome::Refused,
                    Form::Return => Outcome::GivenBack,
                    _ => Outcome::TimedOut,
                };
                if outcome == Outcome::TimedOut {
                    self.spoil(chosen);
                    self.fails(chosen.way);
                }
                self.finish(now, chosen, (outcome, 0));
                true
            }
            _ => false,
        }
    }

    /// A step has left the bus.
    fn end(&mut self, now: u64, chosen: Chosen, ending: Ending) {
        let Chosen { way, plan, .. } = chosen;
        let Form::Bus { operation, verdict, .. } = plan.form else { return };
        if ending.timed_out || (plan.closes && verdict.fails(ending.value)) {
            self.fails(way);
        }
        if !plan.closes {
            if ending.timed_out {
                self.board.abandon(way);
            }
            return;
        }
        if ending.timed_out {
            self.spoil(chosen);
        }
        let told = self.tell(chosen);
        if reads_page(operation) {
            return;
        }
        let failed = verdict.fails(ending.value);
        let outcome = match (ending.timed_out || told, failed) {
            (true, _) => Outcome::TimedOut,
            (false, true) => Outcome::Failed,
            (false, false) => Outcome::Success,
        };
        self.finish(now, chosen, (outcome, ending.value));
    }

    /// Something of a way has failed.
    fn fails(&mut self, way: u8) {
        if self.setup.policy.halt_on_failure {
            self.halts.tell(way, WayOrder::Halt);
        }
    }

    /// A silent request did not end well: its way is void.
    fn spoil(&mut self, chosen: Chosen) {
        let request = &chosen.entry.request;
        if request.answer == Answer::Silent && acts(request.operation) {
            self.void |= 1 << chosen.way;
        }
    }

    /// A step that was its request has ended: whether it has to tell that its way is void. That is over
    /// then, and with a reset.
    fn tell(&mut self, chosen: Chosen) -> bool {
        let request = &chosen.entry.request;
        let asks = is_status(request.operation) && request.answer == Answer::Response;
        let is_void = self.void >> chosen.way & 1 == 1;
        if asks || resets(request.operation) {
            self.void &= !(1 << chosen.way);
        }
        asks && is_void
    }

    /// The request of a step completes.
    pub(crate) fn finish(&mut self, now: u64, chosen: Chosen, ended: (Outcome, u32)) {
        let entry = chosen.entry;
        if let Some(slot) = entry.slot {
            let completion = self.completion(&entry.request, entry.ticket, ended);
            self.completing = now + 2;
            let source = Source::Step;
            self.completions.insert(Ended { at: now + 1, source, slot, completion });
        }
    }

    pub(crate) fn completion(
        &self,
        request: &Request,
        ticket: u32,
        ended: (Outcome, u32),
    ) -> Completion {
        Completion {
            response: Response {
                tag: request.tag,
                way: self.chip(request.way),
                stream: request.stream,
                outcome: ended.0,
                interrupt_pending: false,
                erased: false,
                corrected_bits: 0,
                most_bits: 0,
                lost_chunks: 0,
                value: ended.1,
            },
            interrupt: request.interrupt,
            at: Instant::ZERO,
            channel: self.setup.channel,
            ticket,
        }
    }
}
