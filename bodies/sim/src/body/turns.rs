//! Turns of several cores: each finds the body with its own clock.

use contract::Pass;
use machine::{CoreTime, Observer, Polling, NEVER};

use super::Body;
use crate::cores::Turn;

impl<O: Observer> Body<O> {
    /// Whoever runs the drive may have acted on the host.
    pub(crate) fn begin_cores(&mut self) {
        if let Some(cores) = &mut self.cores {
            cores.look_again(self.processor.now);
        }
    }

    /// Begins the next turn: the number of its core, or none if nothing can happen any more.
    pub(crate) fn begin_turn(&mut self) -> Option<u8> {
        let turn = self.cores.as_mut()?.begin_turn(&mut self.processor);
        self.quiet = turn.is_none();
        turn
    }

    /// Whoever runs the drive finds the core that serves the host.
    pub(crate) fn end_cores(&mut self) {
        if let Some(cores) = &mut self.cores {
            cores.switch_to_host(&mut self.processor);
            self.change = if self.quiet { NEVER } else { cores.change() };
        }
    }

    /// Whether the core that runs serves the host.
    pub(crate) fn serves_host(&self) -> bool {
        self.cores.as_ref().is_none_or(|cores| cores.serves_host())
    }

    /// Ends the turn of one of several cores. Only that of the host side sees what the host does.
    pub(super) fn end_turn(&mut self, pass: Pass) {
        let serves_host = self.serves_host();
        let turn = match pass {
            Pass::Busy => Turn::Busy,
            Pass::Idle => {
                if serves_host {
                    self.catch_up();
                }
                let seen = self.poller.change(self.looked_at);
                let change = match serves_host {
                    true if self.woken => 0,
                    true => seen.min(self.interface.change()),
                    false => seen,
                };
                let skip = match self.polling {
                    Polling::Exact if !self.processor.pass_was_instant() => 0,
                    _ if serves_host => change.min(self.due),
                    _ => change,
                };
                Turn::Idle { change, skip }
            }
        };
        let cores = self.cores.as_mut().expect("one of several cores runs");
        cores.end_turn(&mut self.processor, turn);
        self.looked_at = 0;
        if serves_host {
            self.woken = false;
        }
    }

    /// Where the time of each core went, where there are several.
    pub(super) fn core_times(&self) -> Vec<CoreTime> {
        self.cores.as_ref().map_or(Vec::new(), |cores| cores.times(&self.processor))
    }
}
