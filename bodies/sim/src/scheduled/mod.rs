//! Channels that schedule whole operations, in the body's time.
//!
//! A [`channel::Channel`] works cycle by cycle and leaves out those in which nothing happens. It is let to
//! work when the firmware looks, up to that moment; what it does of an operation is told to the accounts
//! of commands and to the observer. While turns of the main loop are skipped, channels work on up to their
//! next response.

mod chips;
mod steps;

use std::collections::VecDeque;

use board::Board;
use borsh::{BorshDeserialize, BorshSerialize};
use channel::{Channel, Policy, ReorderBuffer, Setup};
use contract::packet::{Outcome, PhaseFormat, Response, STREAMS};
use contract::state::{expect, Sound};
use contract::{
    CommandTag, HandOver, Instant, Module, OperationChannels, OperationGrain, OperationId, WayOrder,
};
use machine::{ChannelUsage, FirmwareStep, Observer, NEVER};

use crate::body::Body;
use crate::controller;
use crate::processor::Access;

/// All channels of a drive.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(crate) struct Scheduled {
    units: Vec<Unit>,
    /// Operations under way, by die and tag.
    slots: Vec<Slot>,
    dies: Vec<Die>,
    way_requests: u32,
    ways: u32,
    format: PhaseFormat,
}

/// One channel.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
struct Unit {
    channel: Channel,
    order: ReorderBuffer,
    /// When it does something next, if nothing comes.
    next: u64,
    /// Responses for the firmware, and from when on it sees them.
    answers: VecDeque<(u64, Response)>,
    /// When the last step leaves the bus.
    bus_until: u64,
    /// Pages transferred from chips, and to them.
    pages: [u64; 2],
}

/// An operation that a channel has.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Slot {
    /// The firmware's number of it, if it is done for a command, and that.
    id: Option<OperationId>,
    command: Option<CommandTag>,
    /// When it was first on the bus.
    from: Option<u64>,
    /// When its chip is ready.
    ready: u64,
    /// The solver's time on its page.
    solving: u64,
    /// When the page is in the buffer, and when it is decoded too; 0 where none is read.
    arrived: u64,
    decoded: u64,
    /// The die's time on the drive's own operations when it was handed over.
    mark: u64,
    /// What its page held.
    read: channel::PageRead,
}

/// What is known of a die.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Die {
    /// Until when the operations that have begun keep it.
    until: u64,
    /// Its array's last work.
    array: (u64, u64),
    /// Time of its array at work.
    busy: u64,
    /// Its time on the drive's own operations, and up to when that is counted.
    internal: u64,
    counted: u64,
}

impl Sound for Scheduled {
    fn sound(&self, new: &Self) -> borsh::io::Result<()> {
        let sizes = |s: &Self| (s.units.len(), s.slots.len(), s.dies.len(), s.way_requests, s.ways);
        expect(sizes(self) == sizes(new), "channels of another board")
    }
}

impl Scheduled {
    pub fn new(board: &Board, grain: OperationGrain) -> Self {
        let geometry = board.firmware.geometry;
        let requests = geometry.ways * grain.way_requests;
        let unit = |nth| {
            let setup = controller::setup(board, nth);
            let policy = Policy { halt_on_failure: true, ..setup.policy };
            Unit {
                channel: Channel::new(Setup { policy, ..setup }),
                order: ReorderBuffer::new(STREAMS, requests as u16),
                next: NEVER,
                answers: VecDeque::with_capacity(requests as usize),
                bus_until: 0,
                pages: [0; 2],
            }
        };
        Scheduled {
            units: (0..geometry.channels as u8).map(unit).collect(),
            slots: vec![Slot::default(); (geometry.dies() * grain.way_requests) as usize],
            dies: vec![Die::default(); geometry.dies() as usize],
            way_requests: grain.way_requests,
            ways: geometry.ways,
            format: grain.format,
        }
    }

    /// The channel that does something next, and when, if one does.
    fn next(&self) -> Option<(usize, u64)> {
        let next = self.units.iter().map(|unit| unit.next).zip(0..).min();
        next.filter(|(at, _)| *at != NEVER).map(|(at, nth)| (nth, at))
    }

    /// The die of a channel's way.
    fn die(&self, channel: usize, way: u8) -> usize {
        usize::from(way) * self.units.len() + channel
    }

    /// The place of an operation.
    fn slot(&self, channel: usize, (way, tag): (u8, u8)) -> usize {
        self.die(channel, way) * self.way_requests as usize + usize::from(tag)
    }

    /// Time that the buses were in use, in sum, in picoseconds.
    pub fn bus_use(&self) -> u64 {
        self.units.iter().map(|unit| unit.channel.bus_busy_ps()).sum()
    }

    /// What the channels have done by `now`.
    pub fn usage(&self, now: u64) -> Vec<ChannelUsage> {
        let ahead = |(from, until): (u64, u64)| until.saturating_sub(now.max(from));
        let ways = self.of_ways(|die| die.busy - ahead(die.array));
        let ways = ways.into_iter().zip(self.of_ways(|die| die.busy));
        let of = |(unit, (ways_ps, booked_ways_ps)): (&Unit, (Vec<u64>, Vec<u64>))| ChannelUsage {
            bus_ps: unit.channel.bus_busy_ps() - unit.bus_until.saturating_sub(now),
            ways_ps,
            booked_bus_ps: unit.channel.bus_busy_ps(),
            booked_ways_ps,
            pages_read: unit.pages[0],
            pages_programmed: unit.pages[1],
        };
        self.units.iter().zip(ways).map(of).collect()
    }

    fn of_ways(&self, time: impl Fn(&Die) -> u64) -> Vec<Vec<u64>> {
        let ways = |channel| (0..self.ways as u8).map(move |way| (channel, way));
        let time = |(channel, way)| time(&self.dies[self.die(channel, way)]);
        (0..self.units.len()).map(|channel| ways(channel).map(time).collect()).collect()
    }
}

impl<O: Observer> Body<O> {
    /// Lets the channels that schedule work until `now`.
    #[inline]
    ///
    /// What they do happens in the order of time: they share memory and solvers. So it is the same
    /// however often this is called.
    pub(crate) fn run_channels(&mut self, now: u64) {
        while let Some((nth, next)) = self.scheduled.as_ref().and_then(Scheduled::next) {
            if next > now {
                return;
            }
            self.run_channel(nth);
        }
    }

    /// When the next response is there, as far as that is known. Channels work on until now, or up to the
    /// response. If turns are skipped `until` a later time, they work on that far.
    pub(crate) fn next_answer(&mut self, until: Option<u64>) -> u64 {
        let mut limit = until.unwrap_or(self.processor.now);
        loop {
            let Some(scheduled) = &self.scheduled else { return NEVER };
            let fronts = scheduled.units.iter().filter_map(|unit| unit.answers.front());
            let answer = fronts.map(|&(at, _)| at).min().unwrap_or(NEVER);
            limit = limit.min(answer);
            match scheduled.next() {
                Some((nth, next)) if next <= limit => self.run_channel(nth),
                Some((_, next)) => return answer.min(next),
                None => return answer,
            }
        }
    }

    fn unit(&mut self, channel: u8) -> &mut Unit {
        let scheduled = self.scheduled.as_mut().expect("the channels schedule");
        &mut scheduled.units[usize::from(channel)]
    }
}

impl<O: Observer> OperationChannels for Body<O> {
    fn next_response(&mut self, channels: &mut u64) -> Option<(u8, Response)> {
        self.looked_at |= *channels;
        self.causes.leave(self.processor.now);
        while *channels != 0 {
            let nth = channels.trailing_zeros();
            let start = self.processor.now;
            let now = start + self.processor.look_cost();
            self.processor.look(now);
            self.worked(Module::StatusChecker, start);
            self.run_channels(now);
            let answers = &mut self.unit(nth as u8).answers;
            if answers.front().is_some_and(|&(at, _)| at <= now) {
                let response = answers.pop_front().map(|(_, response)| (nth as u8, response));
                self.access(Access::Response);
                if let Some((nth, Response { way, tag, outcome, .. })) = response {
                    if outcome == Outcome::Success {
                        self.access(Access::Store);
                    }
                    let step = FirmwareStep::FlashEnded((nth, way, tag));
                    self.observer.firmware(self.processor.now, step);
                }
                return response;
            }
            *channels &= *channels - 1;
        }
        None
    }

    fn hand_over(&mut self, operation: HandOver) {
        let begun = self.access(Access::Request);
        let now = self.processor.now;
        let HandOver { channel, request, command } = operation;
        let tag = (channel, request.way, request.tag);
        self.observer.firmware(begun, FirmwareStep::FlashIssued(command, tag));
        let nth = usize::from(channel);
        self.run_channels(now);
        let id = self.causes.hand_off(now);
        let scheduled = self.scheduled.as_mut().expect("the channels schedule");
        let slot = scheduled.slot(nth, (request.way, request.tag));
        let mark = scheduled.dies[scheduled.die(nth, request.way)].internal;
        scheduled.slots[slot] = Slot { id, command, mark, ..Slot::default() };
        let unit = &mut scheduled.units[nth];
        unit.channel.submit(Instant::from_ps(now), request, slot as u32);
        unit.next = unit.channel.poll_at().as_ps();
    }

    fn order_way(&mut self, channel: u8, way: u8, order: WayOrder) {
        self.access(Access::Write(Module::Issuer));
        let now = self.processor.now;
        self.run_channels(now);
        let unit = self.unit(channel);
        let halts = unit.channel.halted() >> way & 1 == 1;
        assert!(
            order != WayOrder::GiveBack || halts,
            "way {way} of channel {channel} is told to give back, and does not halt"
        );
        unit.channel.order(Instant::from_ps(now), way, order);
        unit.next = unit.channel.poll_at().as_ps();
    }
}
