//! Firmware divided between cores: each has turns of its own for what it does, and they tell each other by messages what
//! is to be done next.
//!
//! There are three kinds of work: the host side with the DMA engine, the flash translation layer, and the scheduler of a
//! set of channels. Work of one core follows itself as in [`Firmware::pass`]. Between cores there is a message for each
//! step of a command: the command itself, an operation that may begin, a DMA, its end, and the end of the command. All
//! else, which is rare or only counted, the cores read in the memory that they have in common.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use contract::{
    CommandTag, Completer, Configuration, Cores, Hardware, Message, Pass, PhaseChannels, Work,
};

use crate::flash_layers::FlashLayers;
use crate::ftl::{Ftl, Ports};
use crate::layers::Border;
use crate::nvme::backend::{Durability, IoCommand, IoKind, IoOutcome};
use crate::nvme::Manager;
use crate::sched::{PhaseScheduler, Run, Scheduling};
use crate::{take_events, Firmware, Power};

/// Messages that a turn takes.
const MESSAGES_A_TURN: u32 = 64;

/// A scheduler for each core, of the channels that are its own, and what is between the host side and the FTL.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct CoreSchedulers {
    cores: Cores,
    schedulers: Vec<PhaseScheduler>,
    /// Commands that the FTL was told of, by tag.
    commands: Vec<IoCommand>,
    /// How commands ended that the host side was told of, by tag.
    outcomes: Vec<IoOutcome>,
    /// Commands that the host side has to tell the FTL of.
    submitted: VecDeque<CommandTag>,
    /// Commands done that the host side knows of.
    done: VecDeque<CommandTag>,
    /// Commands that are on their way from one to the other.
    on_the_way: u32,
}

impl CoreSchedulers {
    fn new(config: &Configuration, cores: Cores) -> Self {
        let slots = config.command_slots as usize + 1;
        let scheduler = |core: u8| {
            let channels = cores.channels_of(core, config.geometry);
            let requests = if core == cores.host { config.dma_requests } else { 0 };
            PhaseScheduler::of_channels(
                channels,
                &Configuration { dma_requests: requests, ..config.clone() },
            )
        };
        let none = IoCommand {
            tag: CommandTag(0),
            kind: IoKind::Flush,
            start: 0,
            blocks: 0,
            durability: Durability::Cached,
            handle: 0,
        };
        CoreSchedulers {
            cores,
            schedulers: (0..cores.count).map(scheduler).collect(),
            commands: alloc::vec![none; slots],
            outcomes: alloc::vec![IoOutcome::Success; slots],
            submitted: VecDeque::with_capacity(slots),
            done: VecDeque::with_capacity(slots),
            on_the_way: 0,
        }
    }
}

impl Border for CoreSchedulers {
    /// What a command that the FTL has yet to see is completed by, nobody knows: boards let the firmware do it where the
    /// host side is on another core.
    fn submit(&mut self, ftl: &mut Ftl, command: IoCommand) -> Completer {
        if self.cores.host == self.cores.ftl {
            return ftl.submit(command);
        }
        self.commands[usize::from(command.tag.0)] = command;
        self.submitted.push_back(command.tag);
        self.on_the_way += 1;
        Completer::Firmware
    }

    fn next_done(&mut self, ftl: &mut Ftl) -> Option<(CommandTag, IoOutcome)> {
        if self.cores.host == self.cores.ftl {
            return ftl.next_done();
        }
        let tag = self.done.pop_front()?;
        self.on_the_way -= 1;
        Some((tag, self.outcomes[usize::from(tag.0)]))
    }

    /// Of two cores, the host's forgets what it has not handed over.
    fn abort(&mut self, ftl: &mut Ftl, tag: CommandTag) -> bool {
        if self.cores.host == self.cores.ftl {
            return ftl.abort(tag);
        }
        let Some(nth) = self.submitted.iter().position(|&other| other == tag) else { return false };
        self.submitted.remove(nth);
        self.on_the_way -= 1;
        true
    }

    fn is_clear(&self) -> bool {
        self.on_the_way == 0
    }
}

impl Firmware<FlashLayers<CoreSchedulers>> {
    /// Firmware for several cores, over a flash drive as it leaves the factory, whose channels take phases.
    ///
    /// # Panics
    /// Where a capacitor is to save the data buffer, or the host interface to complete commands of an FTL on another core.
    pub fn on_cores(config: &Configuration, cores: Cores, hw: &mut impl PhaseChannels) -> Self {
        assert_eq!(config.reserve, None, "one core saves the data buffer");
        assert!(
            cores.host == cores.ftl || config.completer == Completer::Firmware,
            "the host interface completes what the host side's own core planned"
        );
        let mut layers = FlashLayers::new(config, hw, CoreSchedulers::new(config, cores));
        layers.station.divide(cores);
        Firmware { manager: Manager::new(config), layers, power: Power::On }
    }

    /// One turn of a core: its share of [`Firmware::pass`].
    pub fn pass_on<H: PhaseChannels>(&mut self, core: u8, hw: &mut H) {
        let Firmware { manager, layers, power } = self;
        let cores = layers.scheduler.cores;
        hw.work(Work::Loop);
        let mut busy = layers.take_messages(hw);
        if core == cores.host {
            busy |=
                layers.scheduler.schedulers[usize::from(core)].check_dma(hw, &mut layers.station);
            layers.tell_ended(core, hw);
        }
        if core == cores.ftl {
            busy |= layers.station.has_news();
            layers.settle(hw);
        }
        if core == cores.host {
            busy |= manager.advance(hw, layers);
            busy |= take_events(manager, layers, hw, power);
            layers.tell_submitted(hw);
        }
        if core == cores.ftl {
            busy |= layers.ftl.advance(&mut Ports { hw, station: &mut layers.station });
            if !manager.wants_rest() {
                busy |= layers.ftl.work_ahead(&mut Ports { hw, station: &mut layers.station });
            }
            layers.tell_planned(core, hw);
        }
        busy |= layers.schedule_on(core, hw);
        layers.tell_planned(core, hw);
        hw.end_pass(if busy { Pass::Busy } else { Pass::Idle });
    }
}

impl FlashLayers<CoreSchedulers> {
    /// Takes messages to the core whose turn it is. True when there was one.
    fn take_messages(&mut self, hw: &mut impl Hardware) -> bool {
        for taken in 0..MESSAGES_A_TURN {
            let Some(message) = hw.receive() else { return taken > 0 };
            match message {
                Message::Command(tag) => {
                    self.scheduler.on_the_way -= 1;
                    self.ftl.submit(self.scheduler.commands[usize::from(tag.0)]);
                }
                Message::Done(tag) => self.scheduler.done.push_back(tag),
                Message::Move(id) => self.station.take_move(id.into()),
                Message::Begin(id) => self.station.take_begin(id.into()),
                Message::Ended(id) => self.station.take_ended(id.into()),
                Message::Halted(_) | Message::Resumed(_) => self.station.take_way(message),
            }
        }
        true
    }

    /// The FTL takes what has ended, and those that may begin by that are told.
    fn settle(&mut self, hw: &mut impl Hardware) {
        self.ftl.settle(&mut Ports { hw, station: &mut self.station });
        let core = self.scheduler.cores.ftl;
        self.tell_planned(core, hw);
    }

    /// Lets the scheduler of a core look at the hardware once.
    fn schedule_on(&mut self, core: u8, hw: &mut impl PhaseChannels) -> bool {
        if self.station.is_empty() {
            return false;
        }
        loop {
            let scheduler = &mut self.scheduler.schedulers[usize::from(core)];
            match scheduler.run(hw, &mut self.station) {
                Run::News if core == self.scheduler.cores.ftl => self.settle(hw),
                Run::News => self.tell_ended(core, hw),
                Run::Over(busy) => return busy,
            }
        }
    }

    /// Tells the FTL, if it is on another core, what has ended. The host side sees to its own transfers of the control page.
    fn tell_ended(&mut self, core: u8, hw: &mut impl Hardware) {
        let ftl = self.scheduler.cores.ftl;
        if core == ftl {
            return;
        }
        while let Some(id) = self.station.next_to_tell_of() {
            if self.station.pool[id].is_of_control() {
                self.ftl.end_control(&mut Ports { hw, station: &mut self.station }, id);
            } else {
                hw.send(ftl, Message::Ended(id.into()));
            }
        }
    }

    /// Tells the FTL of commands that came.
    fn tell_submitted(&mut self, hw: &mut impl Hardware) {
        while let Some(tag) = self.scheduler.submitted.pop_front() {
            hw.send(self.scheduler.cores.ftl, Message::Command(tag));
        }
    }

    /// Tells the others what may begin, and what is done.
    fn tell_planned(&mut self, core: u8, hw: &mut impl Hardware) {
        self.station.tell(core, hw);
        let Cores { host, ftl, .. } = self.scheduler.cores;
        if core != ftl || host == ftl {
            return;
        }
        while let Some((tag, outcome)) = self.ftl.next_done() {
            self.scheduler.outcomes[usize::from(tag.0)] = outcome;
            self.scheduler.on_the_way += 1;
            hw.send(host, Message::Done(tag));
        }
    }
}

#[cfg(test)]
#[path = "cores_tests.rs"]
mod tests;
