//! The firmware schedules: it looks at every channel, and hands over a phase of an operation at a time.

use contract::{Configuration, Grain, Hardware, PhaseChannels, Work};

use super::dma::DmaQueue;
use super::levels::Levels;
use super::priority::{self, Classes};
use super::state::States;
use super::{Run, Scheduling};
use crate::operations::Station;

/// The scheduler that hands over phase by phase.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct PhaseScheduler {
    pub(super) states: States,
    pub(super) dma: DmaQueue,
    pub(super) read_retries: u32,
    pub(super) levels: Levels,
    pub(super) priority: priority::Chosen,
    /// Channels that it schedules, a bit each.
    own: u64,
    turn: Option<Turn>,
}

/// How far a turn of the main loop has come with the channels.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Turn {
    /// Channels that are still to be looked at, a bit each.
    channels: u64,
    /// Anything changed so far.
    busy: bool,
    look: Look,
}

/// How far the look at a channel has come.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Look {
    /// No channel is looked at.
    None,
    /// These ways' answers are taken, a bit a way; then there is so much room for phases.
    Answers { channel: u32, ways: u64, room: u32 },
    /// Phases are issued while there is room, of classes that are left.
    Issue { channel: u32, room: u32, left: Classes },
}

impl<H: PhaseChannels> Scheduling<H> for PhaseScheduler {
    fn new(config: &Configuration) -> Self {
        PhaseScheduler::of_channels(u64::MAX, config)
    }

    fn check_dma(&mut self, hw: &mut H, station: &mut Station) -> bool {
        self.dma.check(hw, station)
    }

    /// A way that is not idle may have chosen its first operation already.
    fn abandon(&mut self, _hw: &mut H, station: &mut Station) {
        for die in 0..station.dies() {
            station.keep_first(die);
        }
    }

    fn run(&mut self, hw: &mut H, station: &mut Station) -> Run {
        let Turn { mut channels, mut busy, mut look } = match self.turn.take() {
            Some(turn) => turn,
            None => self.begin(hw, station),
        };
        loop {
            if let Look::None = look {
                let eager = self.states.eager();
                let Some((channel, status)) = hw.poll_channels(&mut channels, eager) else {
                    return Run::Over(busy);
                };
                let channel = u32::from(channel);
                let (ways, changed) = self.take_in(hw, (channel, status));
                busy |= changed;
                look = Look::Answers { channel, ways, room: status.room };
                if station.has_news() {
                    return self.pause(Turn { channels, busy, look });
                }
            }
            let (channel, mut room, mut left) = match look {
                Look::Answers { channel, mut ways, room } => {
                    while ways != 0 {
                        self.take_answer(hw, station, (channel, ways.trailing_zeros()));
                        ways &= ways - 1;
                        if station.has_news() {
                            let look = Look::Answers { channel, ways, room };
                            return self.pause(Turn { channels, busy, look });
                        }
                    }
                    busy |= self.dma.issue(hw, station);
                    // A way that came free may have an operation that goes before what waits already.
                    self.states.refresh(station, self.own);
                    let left = Classes::all();
                    if station.has_news() {
                        let look = Look::Issue { channel, room, left };
                        return self.pause(Turn { channels, busy, look });
                    }
                    (channel, room, left)
                }
                Look::Issue { channel, room, left } => (channel, room, left),
                Look::None => unreachable!("a channel is looked at"),
            };
            while room > 0 && self.issue_one(hw, station, (channel, &mut left)) {
                (busy, room) = (true, room - 1);
                if station.has_news() {
                    let look = Look::Issue { channel, room, left };
                    return self.pause(Turn { channels, busy, look });
                }
            }
            self.states.note(channel);
            look = Look::None;
            if station.has_news() {
                return self.pause(Turn { channels, busy, look });
            }
        }
    }
}

impl PhaseScheduler {
    /// One of these channels, a bit each, for a drive that has nothing to do.
    ///
    /// # Panics
    /// If the channels schedule by themselves.
    pub fn of_channels(own: u64, config: &Configuration) -> Self {
        assert_eq!(config.grain, Grain::Phases, "the channels take phases");
        PhaseScheduler {
            states: States::new(config.geometry),
            dma: DmaQueue::new(config.dma_requests),
            read_retries: config.read_retries,
            levels: Levels::new(config),
            priority: priority::Chosen::new(config),
            own,
            turn: None,
        }
    }

    /// The FTL has news to take before the turn goes on.
    fn pause(&mut self, turn: Turn) -> Run {
        self.turn = Some(turn);
        Run::News
    }

    fn begin(&mut self, hw: &mut impl Hardware, station: &mut Station) -> Turn {
        let busy = self.dma.issue(hw, station);
        hw.attend(None);
        self.states.refresh(station, self.own);
        hw.work_times(Work::Scan, self.states.busy_ways());
        Turn { channels: self.states.active(), busy, look: Look::None }
    }
}
