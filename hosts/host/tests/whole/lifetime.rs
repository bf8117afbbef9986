//! The SMART log over power cycles, of a drive that keeps a log: after shutdowns, and after power losses.

use board::Board;
use host::{queues_memory_bytes, Driver, Nobody, QueuePair, QueueRequest, NAMESPACE, PAGE_BYTES};
use machine::{Device, Payload, Polling, Unobserved};
use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, LogPage, Priority};
use nvme::command::{DataPointer, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::log::Health;
use sim::{Drive, Media, Options};

const OPTIONS: Options =
    Options { payload: Payload::Stamps { block_bytes: 4096 }, seed: 1, polling: Polling::Skip };
const LIMIT_PS: u64 = 1_000_000_000_000;

/// A drive that has power and is up.
struct Powered {
    drive: Drive<Nobody, Unobserved>,
    driver: Driver,
    queue: QueuePair,
    page: u64,
}

impl Powered {
    fn on(board: &Board, media: Media) -> Self {
        let ends = (Nobody::default(), Unobserved);
        let mut drive = Drive::powered(board, (OPTIONS, media), ends).unwrap();
        let mut driver = Driver::start(&mut drive).unwrap();
        driver.set_queue_count(&mut drive, 1).unwrap();
        let memory = Device::memory(&mut drive);
        memory.reserve(queues_memory_bytes(1, 4) + PAGE_BYTES);
        let page = memory.allocate(PAGE_BYTES);
        let request = QueueRequest { id: 1, entries: 4, vector: 0, priority: Priority::Medium };
        let queue = driver.create_queue(&mut drive, request).unwrap();
        Powered { drive, driver, queue, page }
    }

    fn io(&mut self, command: IoCommand) {
        let data = DataPointer { prp1: self.page, prp2: 0 };
        let entry = command.emit(Header { cid: 1, nsid: NAMESPACE, data });
        self.queue.push(Device::memory(&mut self.drive), &entry);
        let ring = self.queue.ring_tail();
        self.drive.write32(ring.offset, ring.value);
        self.drive.settle(LIMIT_PS);
        let done = self.queue.pop(Device::memory(&mut self.drive)).expect("a completion");
        assert!(done.status.is_success(), "{}", done.status);
        let ring = self.queue.ring_head();
        self.drive.write32(ring.offset, ring.value);
    }

    /// So many writes of a block each.
    fn write(&mut self, count: u64) {
        for start in 0..count {
            let range = BlockRange { start, blocks: 1 };
            self.io(IoCommand::Write(range, UnitAccess::Normal));
        }
    }

    /// Power cycles, unsafe shutdowns, and host writes.
    fn health(&mut self) -> (u128, u128, u128) {
        let event = EventAfterRead::Retained;
        let log = GetLogPage { page: LogPage::Health, event, offset: 0, length: 512 };
        let data = DataPointer { prp1: self.page, prp2: 0 };
        let header = Header { data, nsid: u32::MAX, ..Header::default() };
        self.driver
            .execute(&mut self.drive, (AdminCommand::GetLogPage(log), header), "Get Log Page")
            .unwrap();
        let health = Health::parse(Device::memory(&mut self.drive).array(self.page));
        (health.power_cycles, health.unsafe_shutdowns, health.host_writes)
    }

    fn shut_down(&mut self) {
        self.driver.shut_down(&mut self.drive).unwrap();
    }

    fn cut(self) -> Media {
        self.drive.cut_power().0
    }
}

fn board(scheduler: &str) -> Board {
    let overrides = [
        ("recovery.log_entries", "6"),
        ("geometry.blocks_per_way", "48"),
        ("channel.scheduler", scheduler),
    ];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Board::resolve("small", &overrides).expect("the board")
}

#[test]
fn power_cycles_and_what_was_done_outlast_power() {
    for scheduler in ["firmware", "controller"] {
        let board = board(scheduler);
        let mut first = Powered::on(&board, Media::new(&board, OPTIONS).unwrap());
        first.write(10);
        assert_eq!(first.health(), (1, 0, 10));
        first.shut_down();

        let mut after_shutdown = Powered::on(&board, first.cut());
        assert_eq!(after_shutdown.health(), (2, 0, 10), "{scheduler}: after a shutdown");
        after_shutdown.write(7);
        let media = after_shutdown.cut();

        // What was done since the last page of the journal is not known.
        let mut after_cut = Powered::on(&board, media);
        let (cycles, unsafe_shutdowns, writes) = after_cut.health();
        assert_eq!((cycles, unsafe_shutdowns), (3, 1), "{scheduler}: after a power loss");
        assert!((10..=17).contains(&writes), "{scheduler}: {writes} writes");
        after_cut.shut_down();
        // A drive that was shut down, and goes on without having lost power.
        let mut driver = Driver::start(&mut after_cut.drive).unwrap();
        after_cut.drive.settle(LIMIT_PS);
        driver.shut_down(&mut after_cut.drive).unwrap();
        let mut driver = Driver::start(&mut after_cut.drive).unwrap();
        after_cut.drive.settle(LIMIT_PS);
        driver.identify(&mut after_cut.drive).unwrap();

        let mut last = Powered::on(&board, after_cut.cut());
        let (cycles, unsafe_shutdowns, _) = last.health();
        assert_eq!((cycles, unsafe_shutdowns), (4, 2), "{scheduler}: in use again");
    }
}

/// The log goes round: what it told first is overwritten.
#[test]
fn what_was_kept_stays_while_the_log_goes_round() {
    let board = board("firmware");
    let mut drive = Powered::on(&board, Media::new(&board, OPTIONS).unwrap());
    let (mut written, mut erases) = (0, 0);
    for _ in 0..6 {
        for _ in 0..8 {
            drive.write(400);
            drive.io(IoCommand::Flush);
            written += 400;
        }
        let (_, _, before) = drive.health();
        erases += drive.drive.firmware().log().erases;
        drive.shut_down();
        drive = Powered::on(&board, drive.cut());
        assert_eq!(drive.health().2, before);
    }
    assert_eq!(drive.health(), (7, 0, written));
    assert!(erases > 8, "{erases} blocks of the log were erased");
}

#[test]
fn a_drive_without_a_log_is_as_new_each_time() {
    let board = Board::resolve("small", &[]).unwrap();
    let mut drive = Powered::on(&board, Media::new(&board, OPTIONS).unwrap());
    drive.write(3);
    assert_eq!(drive.health(), (1, 0, 3));
    drive.shut_down();
}
