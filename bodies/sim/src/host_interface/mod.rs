//! Host interface controller (Cosmos+ section 3.1): registers, doorbells, command fetch, host DMA,
//! completions, interrupts.

mod arbitration;
mod automation;
mod dma;
mod fetch;
mod pages;
mod post;
mod queues;
mod registers;
mod shadow;

use std::collections::VecDeque;

use board::Board;
use borsh::{BorshDeserialize, BorshSerialize};
use contract::{Automation, CommandSet, CommandTag, HostEvent};
use machine::{BusMaster, CommandTimes};
use nvme::command::DataPointer;
use nvme::register::CommandSets;

use self::arbitration::Arbiter;
use self::automation::{Automated, Runner};
use self::dma::Engine;
use self::pages::Pages;
use self::post::{Post, Vector};
use self::queues::Queues;
use self::registers::RegisterFile;
use self::shadow::Shadow;
use crate::congestion::Congestion;
use crate::timers::{Actor, Timers};

pub(crate) use self::automation::Task;
pub(crate) use self::dma::{DmaContext, DmaTimes, UNIT_BYTES};
pub(crate) use self::fetch::Fetched;

/// Fixed times, in picoseconds.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
struct Latencies {
    doorbell: u64,
    fetch: u64,
    fetch_interval: u64,
    /// Of a list of pages.
    list: u64,
    completion: u64,
    /// Until a completion has its turn.
    completion_interval: u64,
    /// Of a unit of data between which completions go, and its bytes.
    completion_behind: u64,
    completion_unit: u64,
    interrupt: u64,
}

/// A fetched command that is not complete.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Slot {
    queue: u16,
    completion_queue: u16,
    id: u16,
    data: DataPointer,
    /// When it was fetched, and when the firmware can read it.
    times: (u64, u64),
    runner: Runner,
    /// Its data pointer was bad.
    fault: bool,
    /// The controller was disabled since: DMA and completion come to nothing.
    stale: bool,
    /// Bytes of it that the DMA engine has taken without a fault.
    moved: u32,
    /// What keeps a tag that the interface completes by itself from being given out again.
    kept: Kept,
}

/// Why the tag of a command that the interface completes by itself is not free yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Kept {
    /// The firmware completes the command.
    No,
    /// Its completion is to be posted, and the firmware is to read that its data have moved.
    UntilPostedAndSeen,
    /// Its completion is to be posted.
    UntilPosted,
    /// The firmware is to read that its data have moved.
    UntilSeen,
}

impl Slot {
    /// The completion is posted, or came to nothing.
    fn is_posted(&mut self, free: &mut Vec<CommandTag>, tag: CommandTag) {
        match self.kept {
            Kept::UntilPostedAndSeen => self.kept = Kept::UntilSeen,
            Kept::UntilSeen => unreachable!("a command is completed once"),
            Kept::No | Kept::UntilPosted => {
                self.kept = Kept::No;
                free.push(tag);
            }
        }
    }

    /// The firmware has read that the command's data have moved.
    fn is_seen(&mut self, free: &mut Vec<CommandTag>, tag: CommandTag) {
        match self.kept {
            Kept::UntilPostedAndSeen => self.kept = Kept::UntilPosted,
            Kept::UntilSeen => {
                self.kept = Kept::No;
                free.push(tag);
            }
            Kept::No | Kept::UntilPosted => unreachable!("data end to move once"),
        }
    }
}

/// The host interface controller.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct HostInterface {
    pub(crate) timers: Timers,
    latencies: Latencies,
    registers: RegisterFile,
    /// Whether memory may be accessed.
    master: BusMaster,
    queues: Queues,
    arbiter: Arbiter,
    doorbells: VecDeque<(u64, u64, u32)>,
    shadow: Option<Shadow>,
    /// Commands that run without firmware, where the interface can.
    automated: Option<Box<Automated>>,
    slots: Vec<Slot>,
    /// By tag, where the data of a command are.
    pages: Vec<Pages>,
    /// By tag, the times of a command whose completion is on its way.
    times: Vec<CommandTimes>,
    free_slots: Vec<CommandTag>,
    /// The host command queue: when each event can be read, and the event.
    commands: VecDeque<(u64, HostEvent)>,
    command_depth: usize,
    /// Earliest time of the next fetch.
    fetch_free: u64,
    from_host: Engine,
    to_host: Engine,
    /// Of both directions of the DMA engine.
    congestion: Congestion,
    faults: u32,
    posts: VecDeque<Post>,
    /// When the next of them may ask for a turn between data.
    post_free: u64,
    /// Completions whose queue is full, or that came when memory must not be accessed.
    blocked: VecDeque<Post>,
    vectors: Vec<Vector>,
    coalescing: contract::InterruptCoalescing,
    interrupts: VecDeque<(u64, u16)>,
    interrupts_sent: u64,
}

impl HostInterface {
    /// A controller at power-on, as the board describes it.
    pub fn new(board: &Board) -> Self {
        let (config, host) = (&board.firmware, &board.host);
        let slots = config.command_slots;
        let idle = Slot {
            queue: 0,
            completion_queue: 0,
            id: 0,
            data: DataPointer { prp1: 0, prp2: 0 },
            times: (0, 0),
            runner: Runner::Firmware,
            fault: false,
            stale: false,
            moved: 0,
            kept: Kept::No,
        };
        let to_host = Engine::new(
            host,
            (host.dma_latency_to_host, host.dma_unit_overhead),
            (config.dma_requests, 0),
        );
        HostInterface {
            timers: Timers::new(),
            latencies: Latencies {
                doorbell: host.doorbell_latency.as_ps(),
                fetch: host.fetch_latency.as_ps(),
                fetch_interval: host.fetch_interval.as_ps(),
                list: host.list_latency.as_ps(),
                completion: host.completion_latency.as_ps(),
                completion_interval: host.completion_interval.as_ps(),
                completion_behind: host.link.time_of(host.completion_behind_bytes).as_ps(),
                completion_unit: host.completion_behind_bytes,
                interrupt: host.interrupt_latency.as_ps(),
            },
            registers: RegisterFile::new(
                config.queue_entries,
                host.arbitration,
                command_sets(config),
            ),
            master: BusMaster::Enabled,
            queues: Queues::new(config.io_queues),
            arbiter: Arbiter::new(config.io_queues),
            doorbells: VecDeque::with_capacity(slots as usize),
            shadow: None,
            automated: match config.automation {
                Automation::None => None,
                Automation::ReadsAndWrites => Some(Box::new(Automated::new(board))),
            },
            slots: vec![idle; slots as usize],
            pages: (0..slots).map(|_| Pages::default()).collect(),
            times: vec![CommandTimes::default(); slots as usize],
            free_slots: (0..slots as u16).rev().map(CommandTag).collect(),
            commands: VecDeque::with_capacity(slots as usize + 16),
            command_depth: host.command_queue_depth as usize,
            fetch_free: 0,
            from_host: Engine::new(
                host,
                (host.dma_latency_from_host, host.dma_unit_overhead),
                (config.dma_requests, host.fetch_behind_bytes),
            )
            .passing_on(host),
            to_host: match host.completion_behind_bytes {
                0 => to_host,
                _ => to_host.dividing(),
            },
            congestion: Congestion::default(),
            faults: 0,
            posts: VecDeque::with_capacity(slots as usize),
            post_free: 0,
            blocked: VecDeque::with_capacity(slots as usize),
            vectors: vec![Vector::default(); config.vectors as usize],
            coalescing: contract::InterruptCoalescing::default(),
            interrupts: VecDeque::with_capacity(config.vectors as usize),
            interrupts_sent: 0,
        }
    }

    /// The next event for the firmware at `now`.
    #[inline]
    pub(crate) fn event(&mut self, now: u64) -> HostEvent {
        match self.commands.front() {
            Some(&(at, event)) if at <= now => {
                self.commands.pop_front();
                self.resume_fetch(now);
                event
            }
            _ => HostEvent::None,
        }
    }

    /// The earliest time at which the firmware reads something else here than it did.
    pub(crate) fn change(&self) -> u64 {
        self.others_change().min(self.timers.next())
    }

    /// The same if the host does nothing by itself.
    pub(crate) fn change_of_drive(&self) -> u64 {
        self.others_change().min(self.timers.next_of_drive())
    }

    /// The same of what is no timer's.
    #[inline]
    fn others_change(&self) -> u64 {
        let command = self.commands.front().map_or(u64::MAX, |&(at, _)| at);
        command.min(self.from_host.change()).min(self.to_host.change())
    }

    /// The power goes away, and the host with it: nothing comes from it any more, and nothing gets there.
    pub(crate) fn lose_power(&mut self, now: u64) {
        self.reset_queues(now);
        self.from_host.stop();
        self.to_host.stop();
        self.timers.set(Actor::Host, machine::NEVER);
        self.tell(now, HostEvent::PowerLoss);
    }

    /// When a command was fetched, and when the firmware could read it.
    pub(crate) fn fetch_times(&self, tag: CommandTag) -> (u64, u64) {
        self.slots[usize::from(tag.0)].times
    }

    /// Commands that it holds at most.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Time until `now` at which the DMA engine took no more requests.
    pub(crate) fn dma_congestion(&self, now: u64) -> u64 {
        self.congestion.until(now)
    }

    /// Commands that were fetched and whose completion is not posted.
    pub(crate) fn commands_held(&self) -> u32 {
        (self.slots.len() - self.free_slots.len()) as u32
    }

    /// MSI-X messages sent.
    pub(crate) fn interrupts_sent(&self) -> u64 {
        self.interrupts_sent
    }

    /// Queues an event for the firmware behind those before it; returns when it can be read.
    fn tell(&mut self, at: u64, event: HostEvent) -> u64 {
        let at = self.commands.back().map_or(at, |&(last, _)| last.max(at));
        self.commands.push_back((at, event));
        at
    }

    /// The same, unless it stands there already: what a host can do any number of times must not
    /// fill the queue.
    fn tell_once(&mut self, at: u64, event: HostEvent) {
        if !self.commands.iter().any(|&(_, waiting)| waiting == event) {
            self.tell(at, event);
        }
    }

    /// Drops what the host had under way. Commands in the firmware's hands stay there, stale.
    fn reset_queues(&mut self, now: u64) {
        for (_, event) in self.commands.drain(..) {
            if let HostEvent::Command(command) = event {
                self.free_slots.push(command.tag);
            }
        }
        self.doorbells.clear();
        self.shadow = None;
        if let Some(automated) = &mut self.automated {
            automated.reset(now);
        }
        for slot in &mut self.slots {
            slot.stale = true;
        }
        for post in self.posts.drain(..).chain(self.blocked.drain(..)) {
            let slot = &mut self.slots[usize::from(post.tag.0)];
            slot.is_posted(&mut self.free_slots, post.tag);
        }
        self.queues.clear();
        self.arbiter.clear();
        self.vectors.fill(Vector::default());
        self.interrupts.clear();
        self.coalescing = contract::InterruptCoalescing::default();
        for actor in [Actor::Doorbell, Actor::Fetch, Actor::Post, Actor::Coalesce, Actor::Interrupt]
        {
            self.timers.set(actor, machine::NEVER);
        }
    }
}

/// Command sets that a host may choose: with zones there are two.
const fn command_sets(config: &contract::Configuration) -> CommandSets {
    match config.command_set {
        CommandSet::Block | CommandSet::OpenChannel => CommandSets::Nvm,
        CommandSet::Zoned => CommandSets::Several,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nvme::register::{offset, ControllerConfiguration, Doorbell};

    #[test]
    fn a_host_that_repeats_itself_is_told_of_once() {
        let board = Board::resolve("small", &[]).expect("the board");
        let mut interface = HostInterface::new(&board);
        interface.write(0, offset::AQA, 0x1f_001f);
        let on = ControllerConfiguration::started(0);
        interface.write(0, offset::CC, on.0);
        for now in 0..100 {
            interface.write(now, Doorbell::SubmissionTail(9).offset(0), 1);
            interface.write(now, Doorbell::SubmissionTail(0).offset(0), 99);
            interface.on_doorbell(now);
            interface.on_doorbell(now);
            interface.write(now, offset::CC, on.shut_down().0);
            interface.write(now, offset::CC, on.0);
        }
        let told: Vec<_> = std::iter::from_fn(|| match interface.event(u64::MAX) {
            HostEvent::None => None,
            event => Some(event),
        })
        .collect();
        let expected = [
            HostEvent::Enable,
            HostEvent::DoorbellError(0),
            HostEvent::DoorbellError(1),
            HostEvent::Shutdown,
        ];
        assert_eq!(told, expected);
        interface.write(200, Doorbell::SubmissionTail(9).offset(0), 1);
        interface.on_doorbell(200);
        assert_eq!(interface.event(u64::MAX), HostEvent::DoorbellError(0), "told again once taken");
    }
}
