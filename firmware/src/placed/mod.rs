//! What drives have in common that keep no page map, since the place of a block follows from its address: chunks of an open-channel drive
//! ([`crate::chunks`]), and zones ([`crate::zones`]).
//!
//! Commands by tag ([`commands`]), the free entries of the data buffer, reads from flash to the host ([`reads`]), and how far a flash block
//! is written after a power loss ([`look`]). What is the same of both below the NVMe manager is [`layers`].

pub mod commands;
pub mod layers;
pub mod look;
mod page;
mod reads;

use alloc::vec::Vec;
use contract::{BufferId, CommandTag, Completer, Configuration, Hardware, Lpn, OperationStep};

pub use self::page::{Block, Each, Gathered};

use self::commands::{Commands, Kind};
use crate::ftl::Counters;
use crate::nvme::backend::IoOutcome;
use crate::operations::{
    Action, ControlTransfer, Data, Dma, Ended, OpId, Operation, Owner, Page, Station, Task,
};

/// The number of no block.
pub const NOTHING: Lpn = Lpn(u32::MAX);

/// The body, and the operations.
pub struct Ports<'a, H> {
    pub hw: &'a mut H,
    pub station: &'a mut Station,
}

/// Commands that are under way, and what of the data buffer is free for them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Placed {
    pub commands: Commands,
    /// Entries of the data buffer that nothing is in.
    pub free: Vec<BufferId>,
    /// How the transfer of the control page ended that was begun last.
    pub control: Option<IoOutcome>,
    pub counters: Counters,
    pub block_bytes: u32,
    completer: Completer,
}

impl Placed {
    /// Nothing is under way, and all of the buffer is free.
    pub fn new(config: &Configuration) -> Self {
        Placed {
            // One tag more for the NVMe manager's own flush.
            commands: Commands::new(config.command_slots + 1),
            free: (0..config.buffer_entries).rev().map(BufferId).collect(),
            control: None,
            counters: Counters::default(),
            block_bytes: config.unit_bytes,
            completer: config.completer,
        }
    }

    /// Who completes a command if nothing fails.
    pub fn completer_of(&self, kind: Kind) -> Completer {
        match kind {
            Kind::Read => self.completer,
            Kind::Write | Kind::Copy | Kind::Reset | Kind::Finish | Kind::Flush => {
                Completer::Firmware
            }
        }
    }

    /// Begins a transfer of the control page.
    pub fn start_control(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        transfer: ControlTransfer,
    ) {
        let action = Action::Dma(Dma::Control(transfer));
        let op = Operation { owner: Owner::Step(tag), action };
        let id = ports.station.reserve(ports.hw, op);
        self.begin(ports, id);
        self.control = None;
    }

    /// That transfer has ended.
    pub fn end_control(&mut self, ended: Ended) {
        self.control = Some(match ended {
            Ended::Well => IoOutcome::Success,
            Ended::Failed(outcome) => outcome,
        });
    }

    /// Nothing is left that a new operation waits for.
    pub fn begin(&self, ports: &mut Ports<'_, impl Hardware>, id: OpId) {
        id.step(ports.hw, OperationStep::Released { by: None });
        ports.station.release(id);
    }

    /// Begins to read a page for its metadata. There is a free entry.
    pub fn probe(&mut self, ports: &mut Ports<'_, impl Hardware>, page: Page) {
        let entry = self.free.pop().expect("an entry is free");
        let task = Task::Probe { entry, retries: 0 };
        let op = Operation::flash(Owner::Drive, page, task);
        let id = ports.station.reserve(ports.hw, op);
        self.begin(ports, id);
    }

    /// A transfer of a block between its entry and the host, which is yet to begin.
    pub fn dma(
        &self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        block: &Block,
        way: impl Fn(Data) -> Dma,
    ) -> OpId {
        let (command_bytes, completer) = self.commands.data(tag, self.block_bytes);
        let dma = way(Data {
            entry: block.entry,
            span: ports.station.unit(),
            host_offset: block.nth * self.block_bytes,
            command_bytes,
            completer,
        });
        let owner = match dma {
            Dma::ToHost(_) => Owner::Counts(tag),
            Dma::FromHost { .. } | Dma::Control(_) => Owner::Step(tag),
        };
        ports.station.reserve(ports.hw, Operation { owner, action: Action::Dma(dma) })
    }

    /// Something went wrong for the block whose data these are.
    #[cold]
    pub fn fail_at(&mut self, tag: CommandTag, data: Data, outcome: IoOutcome) {
        let own = self.commands.target(tag, data.host_offset / self.block_bytes);
        self.commands.fail_blocks(tag, outcome, |lpn| lpn == own);
    }
}
