//! State manager: what each way is doing (Cosmos+ figure 12).

use alloc::vec::Vec;
use contract::{FlashOperation, Geometry};

use super::priority::{Class, Waiting};
use crate::operations::{Station, Task};

/// The ways of a channel, a bit each. A way is in exactly one of the sets.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ChannelState {
    /// Idle: nothing to do, or the first operation is not released, or the way halts.
    pub idle: u64,
    /// A phase waits to be issued.
    pub waiting: Waiting,
    /// Busy: a trigger, program or erase runs.
    pub busy: u64,
    /// Done or failed, as the answer to a status check will tell.
    pub checked: u64,
    /// A transfer runs.
    pub transferring: u64,
    /// Apart from the sets above: the chip is reset for the operation under way.
    pub resetting: u64,
    /// Apart from the sets above: the chip's read level is set for the read that is to be triggered.
    pub setting: u64,
    /// Apart from the sets above: the chip is told to suspend the way's first operation, or does so.
    pub suspending: u64,
    /// Ways whose chip has suspended their first operation.
    pub suspended: u64,
    /// Apart from the sets above: not even a reset brought the chip back.
    pub dead: u64,
    /// Way that round robin looks at first, by class.
    pub turn: [u8; Class::COUNT],
    /// Ways that were not idle when the channel was last noted.
    noted: u32,
}

/// The state of all ways.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct States {
    pub(crate) channels: Vec<ChannelState>,
    /// Channels with a way that is not idle, a bit each.
    active: u64,
    /// Channels with a phase that waits to be issued, a bit each.
    eager: u64,
    /// Ways that are not idle.
    busy_ways: u32,
    all_ways: u64,
    channel_count: u32,
}

impl States {
    /// All idle.
    pub fn new(geometry: Geometry) -> Self {
        let all_ways = u64::MAX >> (64 - geometry.ways);
        let idle = ChannelState {
            idle: all_ways,
            waiting: Waiting::default(),
            busy: 0,
            checked: 0,
            transferring: 0,
            resetting: 0,
            setting: 0,
            suspending: 0,
            suspended: 0,
            dead: 0,
            turn: [0; Class::COUNT],
            noted: 0,
        };
        States {
            channels: alloc::vec![idle; geometry.channels as usize],
            active: 0,
            eager: 0,
            busy_ways: 0,
            all_ways,
            channel_count: geometry.channels,
        }
    }

    /// Channels with a way that is not idle, a bit each.
    pub fn active(&self) -> u64 {
        self.active
    }

    /// Channels with a phase that waits to be issued, a bit each.
    pub fn eager(&self) -> u64 {
        self.eager
    }

    /// Number of ways that are not idle.
    pub fn busy_ways(&self) -> u32 {
        self.busy_ways
    }

    /// Brings both sets and the number up to date after a change of a channel.
    pub fn note(&mut self, nth: u32) {
        let channel = &mut self.channels[nth as usize];
        let noted = (self.all_ways & !channel.idle).count_ones();
        self.busy_ways = self.busy_ways + noted - channel.noted;
        channel.noted = noted;
        let waiting = !channel.waiting.is_empty();
        self.active = self.active & !(1 << nth) | u64::from(channel.idle != self.all_ways) << nth;
        self.eager = self.eager & !(1 << nth) | u64::from(waiting) << nth;
    }

    /// Lets idle ways of these channels begin whose first operation is new or was released.
    #[inline]
    pub fn refresh(&mut self, station: &mut Station, own: u64) {
        let mut channels = station.changed_channels & own;
        station.changed_channels &= !own;
        while channels != 0 {
            let nth = channels.trailing_zeros();
            channels &= channels - 1;
            let mut changed = core::mem::take(&mut station.changed[nth as usize]);
            let channel = &mut self.channels[nth as usize];
            if station.suspends() {
                channel
                    .suspend(changed, |way| station.is_to_suspend(way * self.channel_count + nth));
            }
            changed &= channel.idle & !station.halted(nth);
            while changed != 0 {
                let way = changed.trailing_zeros();
                changed &= changed - 1;
                let Some(id) = station.first(way * self.channel_count + nth) else { continue };
                if station.pool.is_released(id) {
                    let flash = station.pool[id].on_flash().expect("it is for the flash");
                    let phase = first_phase(&flash.task);
                    channel.idle &= !(1 << way);
                    channel.waiting.add(Class::of(phase), 1 << way);
                }
            }
            self.note(nth);
        }
    }
}

impl ChannelState {
    /// Of ways whose queue has changed, those whose chip is busy are told to suspend what it does, if that is wanted.
    fn suspend(&mut self, changed: u64, is_wanted: impl Fn(u32) -> bool) {
        let mut ways = changed & self.busy & !self.suspending & !self.resetting;
        while ways != 0 {
            let way = ways.trailing_zeros();
            ways &= ways - 1;
            if is_wanted(way) {
                self.busy &= !(1 << way);
                self.suspending |= 1 << way;
                self.waiting.add(Class::Suspend, 1 << way);
            }
        }
    }

    /// A phase was issued to a way: it is busy, or its answer is awaited.
    #[inline]
    pub fn issued(&mut self, way: u32, operation: FlashOperation) {
        let bit = 1 << way;
        self.waiting.remove(Class::of(operation), bit);
        match operation {
            FlashOperation::StatusCheck => self.checked |= bit,
            FlashOperation::ReadTransfer => self.transferring |= bit,
            FlashOperation::ReadTrigger
            | FlashOperation::SetLevel
            | FlashOperation::Program
            | FlashOperation::Erase
            | FlashOperation::Suspend
            | FlashOperation::Reset => self.busy |= bit,
            FlashOperation::Resume => {
                self.suspending &= !bit;
                self.suspended &= !bit;
                self.busy |= bit;
            }
        }
    }

    /// A phase was not issued, and its operation is over: the way is idle, unless it goes on with `next`.
    pub fn dropped(&mut self, way: u32, operation: FlashOperation, next: Option<FlashOperation>) {
        self.waiting.remove(Class::of(operation), 1 << way);
        self.answered(way, next);
    }

    /// The way's answer was taken: `next` is the phase that follows, or none when the operation is
    /// done and the way idle.
    pub fn answered(&mut self, way: u32, next: Option<FlashOperation>) {
        let bit = 1 << way;
        self.checked &= !bit;
        self.transferring &= !bit;
        match next {
            Some(operation) => self.waiting.add(Class::of(operation), bit),
            None => self.idle |= bit,
        }
    }
}

/// The phase that a flash operation begins with.
pub fn first_phase(task: &Task) -> FlashOperation {
    match task {
        Task::Read { .. } | Task::Probe { .. } | Task::Mark { .. } => FlashOperation::ReadTrigger,
        Task::Program { .. } | Task::Log { .. } => FlashOperation::Program,
        Task::Erase | Task::Wipe => FlashOperation::Erase,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvme::backend::IoOutcome;
    use crate::nvme::tests::mock::{configuration, MockHardware};
    use crate::operations::{Ended, OpId, Operation, Owner, Page, Place};
    use crate::sched::priority::{Chosen, Classes};

    use contract::{BufferId, Lpn};

    const GEOMETRY: Geometry =
        Geometry { channels: 2, ways: 4, blocks_per_way: 4, pages_per_block: 4, page_bytes: 4096 };

    fn chosen() -> Chosen {
        Chosen::new(&configuration())
    }

    /// What [`States::note`] keeps up to date, counted anew.
    fn counted(states: &States) -> (u32, u64, u64) {
        let (mut busy, mut active, mut eager) = (0, 0, 0);
        for (nth, channel) in states.channels.iter().enumerate() {
            let ways = states.all_ways & !channel.idle;
            busy += ways.count_ones();
            active |= u64::from(ways != 0) << nth;
            eager |=
                u64::from(Class::ALL.iter().any(|&class| channel.waiting.of(class) != 0)) << nth;
        }
        (busy, active, eager)
    }

    #[test]
    fn the_number_of_busy_ways_follows_what_is_issued_dropped_and_answered() {
        let mut hw = MockHardware::new(&configuration());
        let mut station = Station::new(GEOMETRY, 16);
        let mut states = States::new(GEOMETRY);
        for die in 0..8 {
            let read = (BufferId(die), Lpn(die), GEOMETRY.page());
            let op =
                Operation::read(Owner::Drive, Place { page: Page { die, row: 0 }, unit: 0 }, read);
            let id = station.reserve(&mut hw, op);
            station.release(id);
        }
        states.refresh(&mut station, u64::MAX);
        assert_eq!(states.busy_ways(), 8);
        let mut nth = 0;
        let mut check = |states: &mut States, channel: u32, busy: u32| {
            states.note(channel);
            nth += 1;
            let kept = (states.busy_ways(), states.active(), states.eager());
            assert_eq!(kept, counted(states), "step {nth}");
            assert_eq!(kept.0, busy, "step {nth}");
        };
        // Channel 1: each operation is given up before its phase is issued.
        for dropped in 1..=4 {
            let (way, phase) =
                chosen().select(&mut states.channels[1], &mut Classes::all()).expect("a way waits");
            states.channels[1].dropped(way, phase, None);
            station.retire(&mut hw, way * 2 + 1);
            check(&mut states, 1, 8 - dropped);
        }
        // Channel 0: triggered, asked, transferred, then done.
        for left in (0..4).rev() {
            let (way, phase) =
                chosen().select(&mut states.channels[0], &mut Classes::all()).expect("a way waits");
            states.channels[0].issued(way, phase);
            check(&mut states, 0, left + 1);
            states.channels[0].busy = 0;
            states.channels[0].checked |= 1 << way;
            states.channels[0].answered(way, Some(FlashOperation::ReadTransfer));
            check(&mut states, 0, left + 1);
            states.channels[0].issued(way, FlashOperation::ReadTransfer);
            states.channels[0].answered(way, None);
            station.retire(&mut hw, way * 2);
            check(&mut states, 0, left);
        }
        states.refresh(&mut station, u64::MAX);
        assert_eq!(counted(&states), (0, 0, 0), "nothing is left to begin");
        assert_eq!(states.busy_ways(), 0);
    }

    #[test]
    fn a_way_that_halts_begins_nothing_until_it_is_told_and_then_what_is_first() {
        let mut hw = MockHardware::new(&configuration());
        let mut station = Station::new(GEOMETRY, 16);
        let mut states = States::new(GEOMETRY);
        let mut add = |station: &mut Station, die: u32, row: u32, task: Task| {
            let id =
                station.reserve(&mut hw, Operation::flash(Owner::Drive, Page { die, row }, task));
            station.release(id);
            id
        };
        let read = Task::Read {
            entry: BufferId(0),
            part: GEOMETRY.page(),
            lpn: Lpn(0),
            retries: 0,
            unit: 0,
            lost: false,
        };
        let failed = add(&mut station, 0, 3, Task::Erase);
        let behind = add(&mut station, 0, 4, read);
        states.refresh(&mut station, u64::MAX);
        let (way, phase) =
            chosen().select(&mut states.channels[0], &mut Classes::all()).expect("a way waits");
        states.channels[0].issued(way, phase);
        states.channels[0].busy = 0;
        states.channels[0].answered(way, None);
        station.halt(0);
        assert!(station.has_news());
        assert_eq!((station.next_halted(), station.first(0)), (Some(0), Some(failed)));
        // What becomes ready in the queue changes nothing, and other ways go on.
        station.mark(0);
        add(&mut station, 2, 9, read);
        states.refresh(&mut station, u64::MAX);
        let other = chosen().select(&mut states.channels[0], &mut Classes::all());
        assert_eq!(other, Some((1, FlashOperation::ReadTrigger)));
        states.channels[0].issued(1, FlashOperation::ReadTrigger);
        assert_eq!(chosen().select(&mut states.channels[0], &mut Classes::all()), None);
        // The failed one is given up: the way goes on with the next.
        let hw = &mut MockHardware::new(&configuration());
        station.retire(hw, 0);
        states.refresh(&mut station, u64::MAX);
        assert_eq!(chosen().select(&mut states.channels[0], &mut Classes::all()), None);
        station.resume(0);
        assert_eq!(station.next_halted(), None);
        assert!(!station.has_news());
        states.refresh(&mut station, u64::MAX);
        assert_eq!(
            chosen().select(&mut states.channels[0], &mut Classes::all()),
            Some((0, FlashOperation::ReadTrigger))
        );
        assert_eq!(station.first(0), Some(behind));
    }

    #[test]
    fn what_has_ended_is_taken_once_and_in_order() {
        let mut hw = MockHardware::new(&configuration());
        let mut station = Station::new(GEOMETRY, 16);
        let ids: [OpId; 3] = core::array::from_fn(|die| {
            let page = Page { die: die as u32, row: 0 };
            station.reserve(&mut hw, Operation::flash(Owner::Drive, page, Task::Erase))
        });
        let ends = [Ended::Well, Ended::Failed(IoOutcome::WriteFault), Ended::Well];
        for die in [2, 0, 1] {
            station.retire(&mut hw, die as u32);
            station.end(ids[die], ends[die]);
        }
        let taken: [_; 4] = core::array::from_fn(|_| station.next_ended());
        let [a, b, c] = [0, 1, 2].map(|die| Some((ids[die], ends[die])));
        assert_eq!(taken, [c, a, b, None]);
        assert!(!station.has_news());
    }
}
