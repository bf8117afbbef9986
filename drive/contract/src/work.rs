//! Names for the firmware's work. A body may charge time for them; hardware ignores them.

/// A step of the firmware whose cost does not depend on registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Work {
    /// One turn of the main loop.
    Loop,
    /// Decode and check a command.
    Decode,
    /// An admin command.
    Admin,
    /// Post a completion.
    Complete,
    /// Cut one slice off a command.
    Slice,
    /// Look a slice up in the data buffer.
    Lookup,
    /// Take an entry of the data buffer, recycling the least recently used.
    Allocate,
    /// Translate a logical page.
    Translate,
    /// Give new data a location and update the map.
    Place,
    /// Check and update the dependencies of an operation.
    Depend,
    /// Move one valid page in garbage collection: plan and map update.
    Collect,
    /// Pick a victim block.
    Victim,
    /// Look at one host DMA queue's progress.
    PollDma,
    /// Hand a request to the DMA engine.
    IssueDma,
    /// Look at one channel's status.
    PollChannel,
    /// Look at one way that is not idle: its state, and what waits for it.
    Scan,
    /// Take in one way's change of state.
    Advance,
    /// Choose the next operation of a channel.
    Select,
    /// Hand a request to a channel controller.
    Issue,
    /// Fill, compare or read 4 KiB of buffer memory.
    Touch,
}

impl Work {
    /// Every name, in the order of their discriminants.
    pub const ALL: [Work; 20] = [
        Work::Loop,
        Work::Decode,
        Work::Admin,
        Work::Complete,
        Work::Slice,
        Work::Lookup,
        Work::Allocate,
        Work::Translate,
        Work::Place,
        Work::Depend,
        Work::Collect,
        Work::Victim,
        Work::PollDma,
        Work::IssueDma,
        Work::PollChannel,
        Work::Scan,
        Work::Advance,
        Work::Select,
        Work::Issue,
        Work::Touch,
    ];

    /// The key of this work in a board file.
    pub const fn name(self) -> &'static str {
        match self {
            Work::Loop => "loop",
            Work::Decode => "decode",
            Work::Admin => "admin",
            Work::Complete => "complete",
            Work::Slice => "slice",
            Work::Lookup => "lookup",
            Work::Allocate => "allocate",
            Work::Translate => "translate",
            Work::Place => "place",
            Work::Depend => "depend",
            Work::Collect => "collect",
            Work::Victim => "victim",
            Work::PollDma => "poll_dma",
            Work::IssueDma => "issue_dma",
            Work::PollChannel => "poll_channel",
            Work::Scan => "scan",
            Work::Advance => "advance",
            Work::Select => "select",
            Work::Issue => "issue",
            Work::Touch => "touch",
        }
    }

    /// The module of the firmware that does it.
    pub const fn module(self) -> Module {
        match self {
            Work::Loop | Work::Decode | Work::Admin | Work::Complete => Module::NvmeManager,
            Work::Slice => Module::CommandManager,
            Work::Lookup | Work::Allocate | Work::Touch => Module::BufferManager,
            Work::Translate | Work::Place => Module::AddressTranslator,
            // DMA is handed over outside the scheduler, as its operation's turn comes.
            Work::Depend | Work::IssueDma => Module::DependencyChecker,
            Work::Collect | Work::Victim => Module::GarbageCollector,
            Work::PollDma | Work::PollChannel => Module::StatusChecker,
            Work::Scan | Work::Advance => Module::StateManager,
            Work::Select => Module::PriorityManager,
            Work::Issue => Module::Issuer,
        }
    }
}

/// Parts of the firmware (Cosmos+ figures 7, 8 and 11), to which its time is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Module {
    /// NVMe manager and main loop.
    NvmeManager,
    /// NVM command manager: slices.
    CommandManager,
    /// Data buffer manager.
    BufferManager,
    /// Finds where logical pages are, and where new data go.
    AddressTranslator,
    /// Keeps operations on the same buffer entry in order, and hands DMA over.
    DependencyChecker,
    /// Picks victim blocks, and moves their valid pages.
    GarbageCollector,
    /// Polls the channels and the DMA engine.
    StatusChecker,
    /// Looks at the ways that are not idle, and takes in how their state changes.
    StateManager,
    /// Chooses the next operation of a channel.
    PriorityManager,
    /// Hands requests to the channel controllers.
    Issuer,
}

impl Module {
    /// Every module, in the order of their discriminants.
    pub const ALL: [Module; 10] = [
        Module::NvmeManager,
        Module::CommandManager,
        Module::BufferManager,
        Module::AddressTranslator,
        Module::DependencyChecker,
        Module::GarbageCollector,
        Module::StatusChecker,
        Module::StateManager,
        Module::PriorityManager,
        Module::Issuer,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Module::NvmeManager => "NVMe manager",
            Module::CommandManager => "command manager",
            Module::BufferManager => "buffer manager",
            Module::AddressTranslator => "address translator",
            Module::DependencyChecker => "dependency checker",
            Module::GarbageCollector => "garbage collector",
            Module::StatusChecker => "status checker",
            Module::StateManager => "state manager",
            Module::PriorityManager => "priority manager",
            Module::Issuer => "issuer",
        }
    }
}
