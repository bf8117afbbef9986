//! The cores of a processor that has several: a local clock each, and messages between them.
//!
//! A turn of a core runs as a whole. The next is the core's whose turn begins first, the lower number at equal times. So all
//! others have come at least as far when a turn begins, and all messages are known that can be seen by then: it sees those
//! and no later ones. Only one core serves the host, and each channel is one core's, so each finds its hardware as if
//! all ran in step.
//!
//! A core whose turn found nothing rests: its next turns would find nothing either until its hardware changes, a message can
//! be seen, or another core changed something in the memory that they have in common. The turn that may see it is the one
//! that would have been next then, had all been run.

use std::collections::VecDeque;

use board::Board;
use borsh::{BorshDeserialize, BorshSerialize};
use contract::{Cores as Division, Message};
use machine::{CoreTime, NEVER};

use crate::processor::{Processor, Rest};

/// One of several cores.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
struct Core {
    /// Its clock and where its time went; of the core that runs, the body has it.
    processor: Processor,
    /// When its next turn begins.
    next: u64,
    /// When its last turn began.
    began: u64,
    /// When it finds something else than in its last turn, as far as that turn knew; not later than its end if it has to look
    /// again in any case.
    change: u64,
    /// Its last turn found nothing.
    rest: Option<Rest>,
    /// Messages to it, in the order in which they can be seen.
    inbox: VecDeque<Mail>,
}

#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Mail {
    /// From when on it can be seen.
    seen: u64,
    from: u8,
    message: Message,
}

/// All cores of a processor.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(crate) struct Cores {
    cores: Vec<Core>,
    running: usize,
    host: usize,
    /// The core that had the last turn.
    last: usize,
    latency: u64,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// Something changed.
    Busy,
    /// It found nothing.
    Idle {
        /// When the hardware that it looked at changes, in picoseconds.
        change: u64,
        /// The turns that end before this are like it.
        skip: u64,
    },
}

impl Cores {
    /// The cores of a board, or none where there is only one. The body has the processor of the one that serves the host.
    pub fn of(board: &Board, processor: &Processor) -> Option<Box<Self>> {
        let Division { count, host, .. } = board.cores;
        if count == 1 {
            return None;
        }
        let core = |_| Core {
            processor: processor.clone(),
            next: 0,
            began: 0,
            change: 0,
            rest: None,
            inbox: VecDeque::new(),
        };
        let host = usize::from(host);
        let latency = board.processor.message_latency.as_ps();
        let cores = (0..count).map(core).collect();
        Some(Box::new(Cores { cores, running: host, host, last: host, latency }))
    }

    /// Whether the core serves the host that runs now.
    pub fn serves_host(&self) -> bool {
        self.running == self.host
    }

    /// Whoever runs the drive may have changed what the host side finds.
    pub fn look_again(&mut self, now: u64) {
        let core = &mut self.cores[self.host];
        (core.next, core.change) = (now, 0);
    }

    /// When a core finds something else than in its last turn.
    pub fn change(&self) -> u64 {
        self.cores.iter().map(|core| core.change.max(core.next)).min().expect("there are cores")
    }

    /// Begins the next turn: the number of its core, whose processor `own` is from then on. None if no core will ever find
    /// anything again; `own` is that of the host's core then, which has polled for as long as the others had turns.
    pub fn begin_turn(&mut self, own: &mut Processor) -> Option<u8> {
        if self.cores.iter().all(|core| core.change == NEVER) {
            self.switch(self.host, own);
            let next = self.turn_behind_last(self.host);
            let core = &mut self.cores[self.host];
            if let Some(rest) = core.rest.take() {
                own.end_rest(&rest, next);
            }
            return None;
        }
        let (next, nth) = self.cores.iter().zip(0..).map(|(core, nth)| (core.next, nth)).min()?;
        self.switch(usize::from(nth), own);
        let core = &mut self.cores[self.running];
        if let Some(rest) = core.rest.take() {
            own.end_rest(&rest, next);
        }
        core.began = next;
        self.last = self.running;
        Some(nth)
    }

    /// The processor of the core that serves the host is `own` from now on.
    pub fn switch_to_host(&mut self, own: &mut Processor) {
        self.switch(self.host, own);
    }

    fn switch(&mut self, to: usize, own: &mut Processor) {
        if to != self.running {
            std::mem::swap(own, &mut self.cores[self.running].processor);
            std::mem::swap(own, &mut self.cores[to].processor);
            self.running = to;
        }
    }

    /// When the first turn of a core that rests begins behind the last turn of all.
    fn turn_behind_last(&self, nth: usize) -> u64 {
        let core = &self.cores[nth];
        let began = self.cores[self.last].began;
        core.rest.as_ref().map_or(core.next, |rest| rest.behind(began, nth.cmp(&self.last)))
    }

    /// Ends the turn of the core that runs, whose processor `own` is.
    pub fn end_turn(&mut self, own: &mut Processor, turn: Turn) {
        match turn {
            Turn::Busy => {
                own.end_busy();
                let core = &mut self.cores[self.running];
                (core.next, core.change) = (own.now, 0);
                for nth in (0..self.cores.len()).filter(|&nth| nth != self.running) {
                    let next = self.turn_behind_last(nth);
                    self.cores[nth].wake(next);
                }
            }
            Turn::Idle { change, skip } => {
                let rest = own.rest();
                let core = &mut self.cores[self.running];
                (core.next, core.change) = (rest.before(skip), change);
                let seen = core.inbox.front().map(|mail| rest.from(mail.seen));
                core.rest = Some(rest);
                if let Some(next) = seen {
                    core.wake(next);
                }
            }
        }
    }

    /// Sends a message at `now`.
    pub fn send(&mut self, now: u64, to: u8, message: Message) {
        let (seen, from) = (now + self.latency, self.running as u8);
        let core = &mut self.cores[usize::from(to)];
        let before = core.inbox.iter().rposition(|mail| (mail.seen, mail.from) <= (seen, from));
        core.inbox.insert(before.map_or(0, |nth| nth + 1), Mail { seen, from, message });
        let next = core.rest.as_ref().map_or(core.next, |rest| rest.from(seen));
        core.wake(next);
    }

    /// Takes a message that the core could see when its turn began.
    pub fn receive(&mut self) -> Option<Message> {
        let core = &mut self.cores[self.running];
        let is_seen = core.inbox.front()?.seen <= core.began;
        if is_seen {
            core.inbox.pop_front().map(|mail| mail.message)
        } else {
            None
        }
    }

    /// Where the time of each core went, by number; `own` is the processor of the one that runs. Of a core that rests, turns
    /// before the last of all count.
    pub fn times(&self, own: &Processor) -> Vec<CoreTime> {
        let time = |(nth, core): (usize, &Core)| {
            let mut time = time_of(if nth == self.running { own } else { &core.processor });
            if let Some(rest) = &core.rest {
                rest.add(self.turn_behind_last(nth), (&mut time.idle_ps, &mut time.idle_module_ps));
            }
            time
        };
        self.cores.iter().enumerate().map(time).collect()
    }
}

impl Core {
    /// It has to look again. Its next turn begins at `next`, unless one was to come before.
    fn wake(&mut self, next: u64) {
        (self.next, self.change) = (self.next.min(next), 0);
    }
}

/// Where the time of a core went that has this processor.
pub(crate) fn time_of(processor: &Processor) -> CoreTime {
    CoreTime {
        module_ps: processor.spent(),
        idle_module_ps: processor.idle_spent(),
        idle_ps: processor.idle(),
    }
}

#[cfg(test)]
mod tests {
    use contract::{CommandTag, Duration};

    use super::*;

    /// Three cores, and what of their messages core 0 takes in a turn that begins at a time.
    struct Drive {
        cores: Box<Cores>,
        latency: u64,
    }

    impl Drive {
        fn new() -> Self {
            let set =
                [("processor.cores".to_owned(), "host, ftl; channels 0; channels 1".to_owned())];
            let board = Board::resolve("small", &set).expect("the board");
            let processor = Processor::new(&board.processor, Duration::ZERO);
            let cores = Cores::of(&board, &processor).expect("several cores");
            let latency = cores.latency;
            assert_eq!((cores.cores.len(), cores.host), (3, 0));
            Drive { cores, latency }
        }

        fn send(&mut self, from: usize, now: u64, tag: u16) {
            self.cores.running = from;
            self.cores.send(now, 0, Message::Done(CommandTag(tag)));
        }

        fn take(&mut self, sent_until: u64) -> Vec<u16> {
            self.cores.running = 0;
            self.cores.cores[0].began = sent_until + self.latency;
            let taken = std::iter::from_fn(|| self.cores.receive());
            let tag = |message| match message {
                Message::Done(CommandTag(tag)) => tag,
                _ => unreachable!("{message:?} was not sent"),
            };
            taken.map(tag).collect()
        }
    }

    /// Of messages that can be seen at one time those of the lower core come first; those of one core never overtake each
    /// other, whatever others send between them.
    #[test]
    fn messages_of_a_core_are_taken_in_the_order_in_which_it_sent_them() {
        let mut drive = Drive::new();
        for (now, tag) in [(100, 1), (100, 2), (130, 3), (130, 4), (130, 5)] {
            drive.send(2, now, tag);
        }
        // A core that runs later may be behind in time.
        for (now, tag) in [(90, 11), (100, 12), (100, 13), (120, 14), (130, 15), (140, 16)] {
            drive.send(1, now, tag);
        }
        drive.send(2, 140, 6);
        assert_eq!(drive.take(89), []);
        assert_eq!(drive.take(100), [11, 12, 13, 1, 2]);
        assert_eq!(drive.take(139), [14, 15, 3, 4, 5]);
        assert_eq!(drive.take(140), [16, 6]);
    }
}
