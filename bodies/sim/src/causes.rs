//! Where each command's time goes: the causes along the chain of operations that it waited for.
//!
//! The firmware tells what becomes of its operations, and the body knows what the hardware does with
//! them. Each operation carries an account of its command's time, from the fetch on, as if the
//! command waited for this operation. It begins as a copy of the command's account when the operation
//! is planned. An operation that is released by another one of the same command goes on with that
//! one's account, and the command goes on with the account of each operation of its that ends. So
//! what counts in the end is what the last one went through: the critical path. Every account is
//! charged without gaps, so its causes add up to the command's time by construction.

mod account;
mod way;

use borsh::{BorshDeserialize, BorshSerialize};
use contract::state::{expect, Sound};
use contract::{Cause, CommandTag, Needs, OperationId, Part, Split};
use machine::{Accounts, ChannelWaits, EntryWaits, LatencySteps, NEVER};

use self::account::Account;
use self::way::Way;

#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Command {
    account: Account,
    /// When the firmware took it, which tells it from others with the same tag.
    taken: u64,
}

/// Where an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Place {
    /// Others on its buffer entry come before it; whether it is its die's first.
    Chained { first: bool },
    /// It waits to become its die's first.
    Queued,
    /// It waits to be handed over.
    Offered,
    /// The hardware has it.
    Handed,
}

#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Operation {
    account: Account,
    command: Option<CommandTag>,
    /// That of the command.
    taken: u64,
    needs: Needs,
    part: Part,
    place: Place,
    /// In a queue, the die's time on internal work; when offered, the congestion of what it needs.
    mark: u64,
    /// How it came to its die: of use to those that wait for it, and not part of a drive's state.
    #[borsh(skip)]
    way: Way,
}

impl Operation {
    fn unplanned() -> Self {
        Operation {
            account: Account::default(),
            command: None,
            taken: 0,
            needs: Needs::Processor,
            part: Part::Firmware,
            place: Place::Offered,
            mark: 0,
            way: Way::default(),
        }
    }
}

/// A die's time on the drive's own operations.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct DieUse {
    internal: u64,
    /// Since when the first operation of its queue is one of them.
    since: u64,
    /// Its time on erases; not part of a drive's state.
    #[borsh(skip)]
    erases: u64,
    /// How long operations of commands took on it; not part of a drive's state.
    #[borsh(skip)]
    waits: ChannelWaits,
}

impl DieUse {
    fn new() -> Self {
        DieUse { internal: 0, since: NEVER, erases: 0, waits: ChannelWaits::default() }
    }

    fn until(&self, now: u64) -> u64 {
        self.internal + now.saturating_sub(self.since)
    }
}

/// What the processor works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum AtHand {
    None,
    Command(CommandTag),
    Operation(OperationId),
}

/// The accounts of commands, by tag, and of operations.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(crate) struct Causes {
    /// None where nobody asks.
    commands: Vec<Command>,
    /// Up to the last that was ever planned.
    operations: Vec<Operation>,
    dies: Vec<DieUse>,
    at_hand: AtHand,
    /// What operations of commands waited for on their buffer entries; not part of a drive's state.
    #[borsh(skip)]
    entry_waits: EntryWaits,
    /// How long operations of commands took, by channel; not part of a drive's state, and none where nobody asks.
    #[borsh(skip)]
    channel_latencies: Vec<LatencySteps>,
}

/// Operations that hardly a drive plans more of at a time. More of them, of those that its pool has room for, take memory once
/// they are planned.
const OPERATIONS: u32 = 1024;

impl Causes {
    /// Accounts for so many tags, operations and dies.
    pub fn new(tags: u32, operations: u32, dies: u32) -> Self {
        Causes {
            commands: vec![Command::default(); tags as usize],
            operations: Vec::with_capacity(operations.min(OPERATIONS) as usize),
            dies: vec![DieUse::new(); dies as usize],
            at_hand: AtHand::None,
            entry_waits: EntryWaits::default(),
            channel_latencies: Vec::new(),
        }
    }

    /// Nobody asks any more: no operation is done for a command.
    pub fn forget(&mut self) {
        self.operations.iter_mut().for_each(|operation| operation.command = None);
        self.commands.fill(Command::default());
        self.at_hand = AtHand::None;
    }

    /// States whether anybody asks for accounts of commands that are yet to come, of which there are `tags` at most, on a drive
    /// of so many channels.
    pub fn set_asked(&mut self, accounts: Accounts, tags: usize, channels: usize) {
        self.forget();
        match accounts {
            Accounts::Kept => {
                self.commands.resize(tags, Command::default());
                self.channel_latencies.resize(channels, LatencySteps::default());
            }
            Accounts::None => self.commands = Vec::new(),
        }
    }

    /// Whether anybody asks.
    #[inline]
    fn are_asked(&self) -> bool {
        !self.commands.is_empty()
    }

    /// What operations of commands waited for on their buffer entries so far.
    pub fn entry_waits(&self) -> EntryWaits {
        self.entry_waits
    }

    /// How long operations of commands took so far, by channel, of so many.
    pub fn channel_waits(&self, channels: usize) -> Vec<ChannelWaits> {
        let of_channel = |nth| {
            let mut sum = ChannelWaits::default();
            for die in self.dies.iter().skip(nth).step_by(channels) {
                sum.add(&die.waits);
            }
            sum
        };
        (0..channels).map(of_channel).collect()
    }

    /// How these times are spread; none where nobody has asked.
    pub fn channel_latencies(&self) -> Vec<LatencySteps> {
        self.channel_latencies.clone()
    }

    /// A die erases for so long.
    pub fn erases(&mut self, die: u32, time_ps: u64) {
        self.dies[die as usize].erases += time_ps;
    }

    /// What an operation that is done for a command needs.
    #[inline]
    pub fn needs(&self, id: OperationId) -> Option<Needs> {
        let op = self.operations.get(id.0 as usize)?;
        op.command.map(|_| op.needs)
    }

    /// Whether an operation's phase on the hardware is over without an answer that was taken.
    pub fn is_handed(&self, id: OperationId) -> bool {
        self.operations[id.0 as usize].place == Place::Handed
    }

    /// The firmware reads a command, fetched at `fetched`, that it could have read at `ready`.
    pub fn take(&mut self, tag: CommandTag, (fetched, ready): (u64, u64), now: u64) {
        self.leave(now);
        if !self.are_asked() {
            return;
        }
        let command = &mut self.commands[usize::from(tag.0)];
        command.taken = now;
        let account = &mut command.account;
        (account.last, account.split) = (fetched, Split::NONE);
        account.charge(Part::HostInterface, Cause::HostLink, ready.clamp(fetched, now));
        account.charge(Part::HostInterface, Cause::Processor, now);
        self.at_hand = AtHand::Command(tag);
    }

    /// The processor turns to a command, or to none.
    pub fn attend(&mut self, tag: Option<CommandTag>, now: u64) {
        self.leave(now);
        if let Some(tag) = tag.filter(|_| self.are_asked()) {
            self.waited(tag, Cause::Processor, now);
            self.at_hand = AtHand::Command(tag);
        }
    }

    /// The processor turns to nothing in particular.
    #[inline(always)]
    pub fn leave(&mut self, now: u64) {
        if self.at_hand != AtHand::None {
            self.leave_work(now);
        }
    }

    #[inline(always)]
    fn leave_work(&mut self, now: u64) {
        match self.at_hand {
            AtHand::None => {}
            AtHand::Command(tag) => {
                let account = &mut self.commands[usize::from(tag.0)].account;
                account.charge(Part::Firmware, Cause::Processing, now);
            }
            AtHand::Operation(id) => self.worked(id, now),
        }
        self.at_hand = AtHand::None;
    }

    /// A command waited until now, unless the processor was at it.
    pub fn waited(&mut self, tag: CommandTag, cause: Cause, now: u64) {
        let at_hand = self.at_hand == AtHand::Command(tag);
        let cause = if at_hand { Cause::Processing } else { cause };
        if let Some(command) = self.commands.get_mut(usize::from(tag.0)) {
            command.account.charge(Part::Firmware, cause, now);
        }
    }

    /// A command's completion is handed over. Tells where its time went until now, unless nobody asks.
    pub fn complete(&mut self, tag: CommandTag, now: u64, told: &mut Split) {
        self.waited(tag, Cause::Processor, now);
        self.at_hand = AtHand::None;
        if let Some(command) = self.commands.get(usize::from(tag.0)) {
            *told = command.account.split;
        }
    }

    /// An operation is planned.
    #[inline]
    pub fn plan(&mut self, id: OperationId, plan: (Option<CommandTag>, Needs), now: u64) {
        if !self.are_asked() {
            return;
        }
        let (command, needs) = plan;
        if id.0 as usize >= self.operations.len() {
            self.operations.resize(id.0 as usize + 1, Operation::unplanned());
        }
        let op = &mut self.operations[id.0 as usize];
        (op.command, op.needs) = (command, needs);
        if let Needs::Die(die) = needs {
            let uses = &self.dies[die as usize];
            op.way = Way::planned(uses.until(now), uses.erases);
        }
        let Some(tag) = command else { return };
        (op.part, op.place) = (Part::Firmware, Place::Chained { first: false });
        self.waited(tag, Cause::Processor, now);
        // Borrowed, not taken out: an account has 200 bytes, and the hot path copies it once.
        let command = &self.commands[usize::from(tag.0)];
        let op = &mut self.operations[id.0 as usize];
        op.account = command.account;
        op.taken = command.taken;
    }

    /// Nothing on its buffer entry comes before an operation any more; `full` is the congestion of
    /// what it needs. Returns whether it waited for another command, or for the drive itself.
    pub fn release(
        &mut self,
        id: OperationId,
        by: Option<OperationId>,
        (now, full): (u64, u64),
    ) -> bool {
        let mut cause = Cause::Processing;
        if let Some(by) = by {
            let both = [id.0 as usize, by.0 as usize];
            let [op, other] = self.operations.get_disjoint_mut(both).expect("two operations");
            if (other.command, other.taken) == (op.command, op.taken) {
                op.account = other.account;
            } else {
                cause = Cause::Entry;
                let told = other.way.told(other.needs, op.account.last, now);
                self.entry_waits.add(&told);
            }
        }
        let op = &mut self.operations[id.0 as usize];
        let (place, mark) = match (op.needs, op.place) {
            (Needs::Die(die), Place::Chained { first: false }) => {
                (Place::Queued, self.dies[die as usize].until(now))
            }
            _ => (Place::Offered, full),
        };
        (op.place, op.mark) = (place, mark);
        op.way.is_free(now);
        op.account.charge(Part::Firmware, cause, now);
        cause == Cause::Entry
    }

    /// The command of an operation, and what the operation needed that it waited for.
    pub fn waited_behind(&self, id: OperationId, by: OperationId) -> Option<(CommandTag, Needs)> {
        let [op, other] = [id, by].map(|id| &self.operations[id.0 as usize]);
        op.command.map(|tag| (tag, other.needs))
    }

    /// An operation becomes the first of its die's queue.
    #[inline(always)]
    pub fn head(&mut self, id: OperationId, die: u32, (now, full): (u64, u64)) {
        let Some(op) = self.operations.get_mut(id.0 as usize) else { return };
        let uses = &mut self.dies[die as usize];
        let internal = uses.until(now);
        (uses.internal, uses.since) = (internal, if op.command.is_none() { now } else { NEVER });
        op.way.comes_first(now, internal, uses.erases);
        match op.place {
            _ if op.command.is_none() => {}
            Place::Queued => {
                // Where cores have clocks of their own, it may have been planned a little later than now.
                let (most, now) = (internal.saturating_sub(op.mark), now.max(op.account.last));
                op.account.charge_most(Part::Firmware, Cause::Internal, (most, now));
                op.account.charge(Part::Firmware, Cause::Die, now);
                (op.place, op.mark) = (Place::Offered, full);
            }
            Place::Chained { .. } => op.place = Place::Chained { first: true },
            // It was first before, and gave way to another.
            Place::Offered => {
                op.account.charge(Part::Firmware, Cause::Die, now.max(op.account.last));
                op.mark = full;
            }
            Place::Handed => unreachable!("an operation that began stays first"),
        }
    }

    /// The processor turns to an operation to hand it over; `mark` and `full` are the congestion of
    /// what it needs when its last phase ended, if it had one, and now.
    pub fn pick(&mut self, id: OperationId, mark: Option<u64>, (now, full): (u64, u64)) {
        self.leave(now);
        let op = &mut self.operations[id.0 as usize];
        if op.place == Place::Handed && op.account.last > now {
            // Its chip is told to suspend it.
            op.account.take_back(op.part, now);
        }
        let most = full.saturating_sub(mark.unwrap_or(op.mark));
        match op.needs {
            Needs::Die(_) => op.account.charge_most(op.part, Cause::Bus, (most, now)),
            Needs::DmaEngine => op.account.charge_most(op.part, Cause::DmaEngine, (most, now)),
            Needs::Processor => {}
        }
        op.account.charge(op.part, Cause::Processor, now);
        self.at_hand = AtHand::Operation(id);
    }

    /// An operation is handed to the hardware for the first time.
    pub fn begin(&mut self, id: OperationId, now: u64) {
        self.worked(id, now);
        let op = &mut self.operations[id.0 as usize];
        op.part = match op.needs {
            Needs::Die(_) => Part::Storage,
            Needs::DmaEngine => Part::HostInterface,
            Needs::Processor => Part::Firmware,
        };
    }

    /// The hardware takes over the operation at hand at `now`; the phases that follow are what it
    /// spends until when. Returns where its command's time went up to the end of them, unless it is the drive's own.
    #[inline]
    pub fn hand_over<const N: usize>(
        &mut self,
        now: u64,
        phases: [(Cause, u64); N],
    ) -> Option<&Split> {
        let AtHand::Operation(id) = self.at_hand else { return None };
        self.leave(now);
        let op = &mut self.operations[id.0 as usize];
        op.place = Place::Handed;
        for (cause, until) in phases {
            op.account.charge(op.part, cause, until);
        }
        Some(&op.account.split)
    }

    /// A channel that schedules by itself takes over the operation at hand at `now`. Which one that is, if
    /// it is done for a command: [`Causes::spend`] tells what the channel does with it.
    pub fn hand_off(&mut self, now: u64) -> Option<OperationId> {
        let AtHand::Operation(id) = self.at_hand else { return None };
        self.leave(now);
        self.operations[id.0 as usize].place = Place::Handed;
        Some(id)
    }

    /// A channel has spent on an operation what is not told of the time until then.
    pub fn spend(&mut self, id: OperationId, cause: Cause, until: u64) {
        let op = &mut self.operations[id.0 as usize];
        op.account.charge(op.part, cause, until.max(op.account.last));
    }

    /// The same, but at most `most` of it.
    pub fn spend_most(&mut self, id: OperationId, cause: Cause, (most, until): (u64, u64)) {
        let op = &mut self.operations[id.0 as usize];
        op.account.charge_most(op.part, cause, (most, until.max(op.account.last)));
    }

    /// The processor turns to an operation's answer.
    pub fn answer(&mut self, id: OperationId, now: u64) {
        self.leave(now);
        let op = &mut self.operations[id.0 as usize];
        op.account.charge(op.part, Cause::Processor, now);
        self.at_hand = AtHand::Operation(id);
    }

    /// The answer of the operation at hand is taken; `full` is the congestion of what it needs.
    pub fn answered(&mut self, (now, full): (u64, u64)) {
        let AtHand::Operation(id) = self.at_hand else { return };
        self.worked(id, now);
        let op = &mut self.operations[id.0 as usize];
        (op.place, op.mark) = (Place::Offered, full);
    }

    /// An operation has ended, and its command goes on from there.
    pub fn end(&mut self, id: OperationId, now: u64) {
        if self.at_hand == AtHand::Operation(id) {
            self.leave(now);
        } else {
            self.leave(now);
            let op = &mut self.operations[id.0 as usize];
            op.account.charge(op.part, Cause::Processor, now);
        }
        let op = &self.operations[id.0 as usize];
        let Some(tag) = op.command else { return };
        if let Needs::Die(die) = op.needs {
            let took = op.way.ends(now, &mut self.dies[die as usize].waits);
            if let Some(channel) = (die as usize).checked_rem(self.channel_latencies.len()) {
                self.channel_latencies[channel].count(took);
            }
        }
        let command = &mut self.commands[usize::from(tag.0)];
        // A page written on behalf of a command may outlive it, and its tag's next use.
        if command.taken == op.taken {
            command.account = op.account;
            self.at_hand = AtHand::Command(tag);
        }
    }

    /// The processor has worked for an operation until now.
    #[inline]
    fn worked(&mut self, id: OperationId, now: u64) {
        let op = &mut self.operations[id.0 as usize];
        op.account.charge(op.part, Cause::Processing, now);
    }
}

impl Sound for Causes {
    fn sound(&self, new: &Self) -> borsh::io::Result<()> {
        let of_board = (self.commands.is_empty() || self.commands.len() == new.commands.len())
            && self.dies.len() == new.dies.len();
        expect(of_board, "accounts of another board")?;
        let known = |tag: CommandTag| usize::from(tag.0) < self.commands.len();
        let is_there = match self.at_hand {
            AtHand::None => true,
            AtHand::Command(tag) => known(tag),
            AtHand::Operation(id) => (id.0 as usize) < self.operations.len(),
        };
        let of_commands = self.operations.iter().filter_map(|op| op.command).all(known);
        expect(is_there && of_commands, "accounts of commands that are not there")
    }
}

#[cfg(test)]
mod tests;
