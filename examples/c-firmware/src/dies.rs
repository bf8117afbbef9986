//! The dies: each does what it was asked for in order, by the phases that its channel takes.

use std::collections::VecDeque;

use contract::FlashOperation::{self, ReadTransfer, ReadTrigger, StatusCheck};
use contract::{
    BufferId, ChannelStatus, CommandTag, FlashOutcome, FlashRequest, Geometry, Hardware, Location,
    PhaseChannels, Work,
};

/// What a die is to do: a read trigger stands for a read as a whole.
#[derive(Clone, Copy)]
pub struct Asked {
    pub entry: u32,
    pub command: Option<CommandTag>,
    pub operation: FlashOperation,
    pub location: Location,
}

/// What a die has done: a read transfer stands for a read as a whole.
#[derive(Clone, Copy)]
pub struct Ended {
    pub entry: u32,
    pub operation: FlashOperation,
    pub is_well: bool,
}

/// A die is to do this next, is busy with it, or was asked how it went.
#[derive(Clone, Copy)]
enum Stage {
    Next(FlashOperation),
    Busy(FlashOperation),
    Told(FlashOperation),
}

#[derive(Default)]
struct Die {
    queue: VecDeque<Asked>,
    /// Of the first operation in the queue, once it has begun.
    stage: Option<Stage>,
}

pub struct Dies {
    geometry: Geometry,
    dies: Vec<Die>,
    ended: VecDeque<Ended>,
}

impl Dies {
    pub fn new(geometry: Geometry) -> Self {
        let dies = (0..geometry.dies()).map(|_| Die::default()).collect();
        Dies { geometry, dies, ended: VecDeque::new() }
    }

    pub fn ask(&mut self, asked: Asked) {
        let Location { channel, way, .. } = asked.location;
        let die = usize::from(channel) + usize::from(way) * self.geometry.channels as usize;
        self.dies[die].queue.push_back(asked);
    }

    pub fn take_ended(&mut self) -> Option<Ended> {
        self.ended.pop_front()
    }

    /// Looks at the channels, and has each die go on. Whether any did.
    pub fn run(&mut self, hw: &mut impl PhaseChannels) -> bool {
        let (channels, dies) = (self.geometry.channels, self.dies.len());
        let (all, mut busy) = (u64::MAX >> (64 - channels), false);
        let is_still = self.dies.iter().all(|die| die.queue.is_empty());
        let mut unseen = if is_still { 0 } else { all };
        while let Some((channel, mut status)) = hw.poll_channels(&mut unseen, all) {
            for die in (usize::from(channel)..dies).step_by(channels as usize) {
                while self.step(hw, die, &mut status) {
                    busy = true;
                }
            }
        }
        busy
    }

    /// One step of the first operation of a die, if its channel lets it.
    fn step(&mut self, hw: &mut impl PhaseChannels, nth: usize, now: &mut ChannelStatus) -> bool {
        let page = self.geometry.page();
        let die = &mut self.dies[nth];
        let Some(&Asked { entry, command, operation, location }) = die.queue.front() else {
            return false;
        };
        let way = location.way;
        let has_room = now.room > 0;
        let (is_ready, has_answer) = (now.ready >> way & 1 == 1, now.responses >> way & 1 == 1);
        let (request, next) = match die.stage.unwrap_or(Stage::Next(operation)) {
            Stage::Told(of) if has_answer => {
                now.responses &= !(1 << way);
                let outcome = hw.take_response(location.channel, way);
                self.take_in(hw, nth, of, outcome);
                return true;
            }
            Stage::Busy(of) if is_ready && has_room => (StatusCheck, Stage::Told(of)),
            // The end of a transfer is told without a question.
            Stage::Next(ReadTransfer) if has_room => (ReadTransfer, Stage::Told(ReadTransfer)),
            Stage::Next(next) if has_room => (next, Stage::Busy(next)),
            _ => return false,
        };
        die.stage = Some(next);
        (now.room, now.ready) = (now.room - 1, now.ready & !(1 << way));
        Hardware::work(hw, Work::Issue);
        let buffer = BufferId(entry);
        hw.issue_flash(FlashRequest {
            operation: request,
            location,
            part: page,
            level: 0,
            buffer,
            command,
        });
        true
    }

    /// Takes in how the first operation of a die went, or a phase of it.
    fn take_in(
        &mut self,
        hw: &mut impl Hardware,
        nth: usize,
        of: FlashOperation,
        told: FlashOutcome,
    ) {
        let die = &mut self.dies[nth];
        let is_well = matches!(told, FlashOutcome::Success { .. } | FlashOutcome::Erased);
        match of {
            // A chip that does not answer any more would have to be reset. The controller gives up.
            _ if told == FlashOutcome::TimedOut => hw.set_fatal(),
            ReadTrigger if is_well => die.stage = Some(Stage::Next(ReadTransfer)),
            of => {
                let asked = die.queue.pop_front().expect("the operation that was asked about");
                die.stage = None;
                let operation = if of == ReadTrigger { ReadTransfer } else { of };
                self.ended.push_back(Ended { entry: asked.entry, operation, is_well });
            }
        }
    }
}
