//! A firmware whose flash translation layer (FTL) is written in C or C++: `include/firmware.h` is the border, `ftl/page_map.c` an
//! example, docs/tutorials/an-ftl-in-c.md says how to begin.
//!
//! The NVMe manager is that of the boards' firmware. What is here turns calls of the FTL into requests to the hardware, and what becomes
//! of them into calls of the FTL. A call that asks for what cannot be is told in a line, and the controller reports a fatal status.

mod border;
mod desk;
mod dies;

use border::{Drive, Ftl};
use contract::{
    CommandTag, Completer, Configuration, Firmware, Hardware, Pass, PhaseChannels, Start, Work,
};
use desk::Desk;
use firmware::nvme::backend::{IoCommand, IoOutcome, NoChunks, NoZones, OptionalCommands, Storage};
use firmware::{nvme::Manager, operations::ControlTransfer};

/// The firmware of a drive whose FTL is linked in.
pub struct CFirmware {
    manager: Manager,
    below: Below,
}

/// What lies below the NVMe manager.
struct Below {
    ftl: Ftl,
    desk: Desk,
}

impl<H: PhaseChannels> Firmware<H> for CFirmware {
    fn power_on(config: &Configuration, start: Start, hw: &mut H) -> Self {
        let mut desk = Desk::new(config);
        let shape = desk.shape(start);
        let ftl = Ftl::power_on(&mut Drive { desk: &mut desk, bench: hw }, &shape);
        CFirmware { manager: Manager::new(config), below: Below { ftl, desk } }
    }

    fn pass(&mut self, hw: &mut H) {
        let CFirmware { manager, below } = self;
        hw.work(Work::Loop);
        let mut busy = below.tell_moved(hw);
        busy |= below.desk.dies.run(hw);
        busy |= below.tell_ended(hw);
        busy |= manager.advance(hw, below);
        let event = hw.host_event();
        busy |= event != contract::HostEvent::None;
        manager.handle(event, hw, below);
        hw.end_pass(if busy { Pass::Busy } else { Pass::Idle });
    }

    fn block_bytes(&self) -> u32 {
        self.below.desk.block_bytes
    }
}

impl Below {
    /// Tells the FTL whose data have moved.
    fn tell_moved(&mut self, hw: &mut impl Hardware) -> bool {
        let is_any = self.desk.take_moved(hw);
        while let Some((entry, outcome)) = self.desk.moved.pop_front() {
            self.ftl.moved(&mut Drive { desk: &mut self.desk, bench: hw }, entry, outcome);
        }
        is_any
    }

    /// Tells the FTL which operations have ended.
    fn tell_ended(&mut self, hw: &mut impl Hardware) -> bool {
        let mut is_any = false;
        while let Some(ended) = self.desk.dies.take_ended() {
            is_any = true;
            let page = self.desk.free(hw, ended.entry, ended.operation);
            self.ftl.flash_done(&mut Drive { desk: &mut self.desk, bench: hw }, ended, page);
        }
        is_any
    }
}

impl Storage for Below {
    type Chunks = NoChunks;
    type Zones = NoZones;

    fn blocks(&self) -> u64 {
        u64::from(self.desk.logical_pages) * u64::from(self.unit_bytes() / self.desk.block_bytes)
    }

    fn block_bytes(&self) -> u32 {
        self.desk.block_bytes
    }

    fn unit_bytes(&self) -> u32 {
        self.desk.geometry.page_bytes
    }

    fn submit(&mut self, hw: &mut impl Hardware, command: IoCommand) -> Completer {
        self.desk.begin(command);
        self.ftl.command(&mut Drive { desk: &mut self.desk, bench: hw }, command);
        Completer::Firmware
    }

    fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        self.desk.done.pop_front()
    }

    fn is_quiet(&self) -> bool {
        self.desk.is_quiet()
    }

    fn format(&mut self, block_bytes: u32) {
        self.desk.block_bytes = block_bytes;
        self.ftl.format(block_bytes);
    }

    fn optional_commands(&self) -> OptionalCommands {
        OptionalCommands::Absent
    }

    fn start_control(&mut self, hw: &mut impl Hardware, tag: CommandTag, own: ControlTransfer) {
        self.desk.start_control(hw, tag, own);
    }

    fn control_done(&mut self) -> Option<IoOutcome> {
        self.desk.answered.take()
    }
}
