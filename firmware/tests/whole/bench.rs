//! The whole firmware in a body, and a host that sends it commands.

use contract::{
    Automation, BadBlocks, CachePolicy, CommandTag, Completer, Configuration, DoorbellBuffers,
    Geometry, Grain, Hardware, HostCommand, HostEvent, Lpn, Medium, Policies,
};
use firmware::sched::{PhaseScheduler, Scheduling};
use firmware::{Firmware, FlashLayers};
use nvme::admin::{
    AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, Priority, Retention, SetFeatures,
};
use nvme::command::{DataPointer, Entry, Header};
use nvme::dataset::Range;
use nvme::feature::{Setting, Switch};
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::status::Status;

use crate::body::{Body, BLOCK_BYTES};

/// Logical blocks a mapping unit.
pub const BLOCKS_A_PAGE: u64 = 4;
/// Turns of the main loop after which a command counts as forgotten.
const PATIENCE: u32 = 200_000;

/// A drive of 2 channels by 2 ways with a buffer of 8 pages.
pub fn configuration() -> Configuration {
    Configuration {
        serial: 1,
        medium: Medium::Flash,
        command_set: contract::CommandSet::Block,
        zoning: None,
        flash_times: contract::FlashTimes::UNKNOWN,
        automation: Automation::None,
        geometry: Geometry {
            channels: 2,
            ways: 2,
            blocks_per_way: 12,
            pages_per_block: 8,
            page_bytes: 4 * BLOCK_BYTES,
        },
        grain: Grain::Phases,
        joined_planes: 1,
        programming: contract::Programming::SINGLE,
        suspends: 0,
        read_unit_bytes: 4 * BLOCK_BYTES,
        unit_bytes: 4 * BLOCK_BYTES,
        logical_pages: 200,
        namespaces: 1,
        block_formats: [BLOCK_BYTES, 0, 0, 0],
        block_format: 0,
        buffer_entries: 8,
        cache: CachePolicy::WriteBack,
        policies: Policies::PUBLISHED,
        command_slots: 32,
        io_queues: 1,
        vectors: 2,
        queue_entries: 1024,
        completer: Completer::Firmware,
        doorbell_buffers: DoorbellBuffers::Absent,
        max_transfer_bytes: 128 * 1024,
        dma_requests: 4,
        clean_entries_kept: 0,
        free_pages_kept: 0,
        refresh: contract::Refresh::NONE,
        read_retries: 1,
        read_levels: 0,
        spare_blocks_per_way: 3,
        bad_blocks: BadBlocks::Table,
        rated_cycles: 3000,
        recovery: None,
        reserve: None,
    }
}

/// Firmware and body.
pub struct Bench<S = PhaseScheduler> {
    pub firmware: Firmware<FlashLayers<S>>,
    pub body: Body,
    free: Vec<CommandTag>,
}

impl Bench {
    /// An enabled controller with I/O queue pair 1, whose firmware schedules by itself.
    pub fn new(config: &Configuration) -> Self {
        Bench::scheduling(config)
    }
}

impl<S: Scheduling<Body>> Bench<S> {
    /// An enabled controller with I/O queue pair 1.
    pub fn scheduling(config: &Configuration) -> Self {
        let mut body = Body::new(config);
        let firmware = Firmware::scheduling(config, &mut body);
        let free = (0..config.command_slots as u16).map(CommandTag).collect();
        let mut bench = Bench { firmware, body, free };
        bench.body.events.push_back(HostEvent::Enable);
        bench.run(|body| body.ready);
        let queue = CreateCompletionQueue { id: 1, entries: 64, vector: Some(1) };
        bench.admin(AdminCommand::CreateCompletionQueue(queue), 0);
        let (completion_queue, priority) = (1, Priority::Urgent);
        let queue = CreateSubmissionQueue { id: 1, entries: 64, completion_queue, priority };
        bench.admin(AdminCommand::CreateSubmissionQueue(queue), 0);
        bench
    }

    /// Turns the main loop until the body is as wanted.
    pub fn run(&mut self, mut until: impl FnMut(&Body) -> bool) {
        for _ in 0..PATIENCE {
            if until(&self.body) {
                return;
            }
            self.firmware.pass(&mut self.body);
        }
        panic!("the firmware forgot somebody");
    }

    fn send(&mut self, queue: u16, entry: Entry) -> CommandTag {
        let tag = self.free.pop().expect("a free tag");
        self.body.events.push_back(HostEvent::Command(HostCommand { tag, queue, entry: entry.0 }));
        tag
    }

    /// Hands an I/O command over, with the host's memory for its data.
    pub fn submit(&mut self, command: IoCommand, data: Vec<u64>) -> CommandTag {
        let data_pointer = DataPointer { prp1: 0x10_0000, prp2: 0x20_0000 };
        let tag = self.send(1, command.emit(Header { cid: 0, nsid: 1, data: data_pointer }));
        self.body.data.insert(tag, data);
        tag
    }

    /// Waits for a command; returns its status and the host's memory.
    pub fn finish(&mut self, tag: CommandTag) -> (Status, Vec<u64>) {
        self.run(|body| body.completions.iter().any(|done| done.tag == tag));
        let at = self.body.completions.iter().position(|done| done.tag == tag);
        let completion = self.body.completions.remove(at.expect("it is there"));
        self.free.push(tag);
        self.body.bad_pointers.remove(&tag);
        let data = self.body.data.remove(&tag).unwrap_or_default();
        (Status::from_bits(completion.status), data)
    }

    /// Runs an admin command to its end, which must be success.
    pub fn admin(&mut self, command: AdminCommand, nsid: u32) {
        let tag = self.send(0, command.emit(Header { cid: 0, nsid, ..Header::default() }));
        let (status, _) = self.finish(tag);
        assert!(status.is_success(), "{command:?}: {status}");
    }

    /// Has the I/O command aborted that is under way; dword 0 of what Abort says, which is 0 if it was.
    pub fn abort(&mut self) -> u64 {
        let abort = AdminCommand::Abort { queue: 1, cid: 0 };
        let tag = self.send(0, abort.emit(Header::default()));
        self.run(|body| body.completions.iter().any(|done| done.tag == tag));
        let done = self.body.completions.iter().find(|done| done.tag == tag);
        let result = done.expect("it is there").result;
        assert!(self.finish(tag).0.is_success());
        result
    }

    /// Runs an I/O command without data to its end, which must be success.
    pub fn done(&mut self, command: IoCommand) {
        let tag = self.submit(command, Vec::new());
        let (status, _) = self.finish(tag);
        assert!(status.is_success(), "{command:?}: {status}");
    }

    /// Writes blocks, which must succeed.
    pub fn write(&mut self, lba: u64, data: &[u64], access: UnitAccess) {
        let tag = self.submit(IoCommand::Write(range(lba, data.len()), access), data.to_vec());
        let (status, _) = self.finish(tag);
        assert!(status.is_success(), "write of {lba}: {status}");
    }

    /// Reads blocks, or says why they cannot be read.
    pub fn read(&mut self, lba: u64, count: usize, access: UnitAccess) -> Result<Vec<u64>, Status> {
        let tag = self.submit(IoCommand::Read(range(lba, count), access), vec![u64::MAX; count]);
        let (status, data) = self.finish(tag);
        status.is_success().then_some(data).ok_or(status)
    }

    /// Compares blocks.
    pub fn compare(&mut self, lba: u64, data: &[u64], access: UnitAccess) -> Status {
        let tag = self.submit(IoCommand::Compare(range(lba, data.len()), access), data.to_vec());
        self.finish(tag).0
    }

    /// Deallocates blocks.
    pub fn trim(&mut self, lba: u64, count: usize) {
        let tag = self.begin_trim(lba, count);
        let (status, _) = self.finish(tag);
        assert!(status.is_success(), "deallocation from {lba}: {status}");
    }

    /// Hands a command over that deallocates blocks. Its list is read within a few turns.
    pub fn begin_trim(&mut self, lba: u64, count: usize) -> CommandTag {
        let blocks = count as u32;
        Range { attributes: 0, blocks, start: lba }
            .emit(self.body.control_page().first_chunk_mut().expect("a page holds a range"));
        let purpose = DatasetUse::Deallocate;
        self.submit(IoCommand::DatasetManagement { ranges: 1, purpose }, Vec::new())
    }

    /// Whether a command is complete.
    pub fn is_done(&self, tag: CommandTag) -> bool {
        self.body.completions.iter().any(|done| done.tag == tag)
    }

    /// Switches the volatile write cache.
    pub fn set_write_cache(&mut self, switch: Switch) {
        let setting = Setting::VolatileWriteCache(switch);
        let set = SetFeatures { setting, retention: Retention::UntilReset };
        self.admin(AdminCommand::SetFeatures(set), 0);
    }

    /// What flash holds of a block where the map says that it is; none where the map knows no place.
    pub fn in_flash(&self, lba: u64) -> Option<u64> {
        let lpn = Lpn((lba / BLOCKS_A_PAGE) as u32);
        let page = self.body.flash(self.firmware.inspect().translator().lookup(lpn)?.page)?;
        assert!(page.metadata.is_of(lpn));
        Some(page.blocks[(lba % BLOCKS_A_PAGE) as usize])
    }
}

/// `count` blocks from `lba` on.
pub fn range(lba: u64, count: usize) -> BlockRange {
    BlockRange { start: lba, blocks: count as u32 }
}

/// Numbers that tell blocks and versions apart.
pub fn numbers(lba: u64, count: u64, version: u64) -> Vec<u64> {
    (lba..lba + count).map(|lba| version * 1_000_000 + lba + 1).collect()
}
