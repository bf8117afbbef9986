//! Hosts of whichever kind at the link of a drive in hardware: they act in its time, and read registers while they act.

use std::cell::RefCell;
use std::rc::Rc;

use board::Board;
use host::{FioHost, Memory};
use machine::{Host, Machine, Polling, Registers, Stopped, Wake, NEVER};
use nvme::register::{offset, ControllerConfiguration};
use rtl_sim::drive::compare::in_hardware;
use rtl_sim::drive::{Processor, RtlDrive};

fn board() -> Board {
    let short = [("flash.t_read_slc_us", "20"), ("flash.t_program_slc_us", "60")];
    let set: Vec<_> = short.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    Board::resolve("small", &set).expect("the board")
}

/// Fio's jobs take as long whether their host is told of the link or acts at registers, but for cycles in which a host waits for the end
/// of one.
#[test]
fn a_host_at_registers_is_served_as_one_at_the_link() {
    let (board, jobs) = (
        board(),
        "[global]\nsize=256k\nbs=16k\niodepth=4\n[write]\nrw=randwrite\nend_fsync=1\n[read]\nstonewall\nrw=randread\n",
    );
    let own = RtlDrive::new(&board, (Processor::Beside, Polling::Skip), 7).expect("a drive");
    let own = in_hardware(own, &board, jobs, 7).expect("it runs");
    let hosted = RtlDrive::of_host(&board, FioHost::default(), 7).expect("a drive");
    let hosted = in_hardware(hosted, &board, jobs, 7).expect("it runs");
    assert_eq!(hosted.drive.pages_programmed, own.drive.pages_programmed);
    assert_eq!(hosted.drive.host_bytes_read, own.drive.host_bytes_read);
    let [own, hosted] = [own, hosted].map(|result| {
        let read = result.jobs[1].active(report::Direction::Read).expect("it read");
        (read.clat.count(), read.clat.mean_ns())
    });
    assert_eq!(hosted.0, own.0);
    assert!((hosted.1 / own.1 - 1.0).abs() < 0.01, "{} and {} ns", hosted.1, own.1);
}

/// A driver that brings the controller up and shuts it down, and keeps what it read.
struct Driver {
    memory: Memory,
    read: Rc<RefCell<Vec<(u64, u32, u32)>>>,
}

/// How often it looks, in picoseconds: at no end of a cycle.
const LOOK_PS: u64 = 1_000_001;
/// Addresses of its admin queues.
const QUEUES: [u64; 2] = [0x1000, 0x2000];

impl Host for Driver {
    type Memory = Memory;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn wake(&mut self, now: u64, _wake: Wake, registers: &mut Registers<'_>) -> u64 {
        let (cc, csts) = (registers.read32(offset::CC), registers.read32(offset::CSTS));
        let mut read = self.read.borrow_mut();
        let started = ControllerConfiguration::started(0);
        if read.is_empty() {
            registers.write32(offset::AQA, 3 << 16 | 3);
            registers.write64(offset::ASQ, QUEUES[0]);
            registers.write64(offset::ACQ, QUEUES[1]);
            registers.write32(offset::CC, started.0);
            assert_eq!(registers.read32(offset::CC), started.0, "what was written is read at once");
            assert_eq!(registers.read64(offset::ACQ), QUEUES[1]);
        } else if csts == 1 && cc == started.0 {
            registers.write32(offset::CC, started.shut_down().0);
        }
        read.push((now, cc, csts));
        if csts & 0xc == 8 {
            NEVER
        } else {
            now + LOOK_PS
        }
    }
}

/// The status is that of the moment: not ready, ready, shutting down, shut down. Each look is at the picosecond for which it was asked.
#[test]
fn a_host_reads_registers_as_they_are() {
    let read: Rc<RefCell<Vec<(u64, u32, u32)>>> = Rc::default();
    let host = Driver { memory: Memory::default(), read: read.clone() };
    let mut drive = RtlDrive::of_host(&board(), host, 1).expect("a drive");
    drive.wake_host();
    let stopped = drive.run_to(NEVER, |_| false);
    assert_eq!(stopped, Stopped::Quiet);
    let mut states: Vec<u32> = read.borrow().iter().map(|&(_, _, csts)| csts).collect();
    states.dedup();
    assert!(states.first() == Some(&0) && states.contains(&1), "{states:?}");
    assert_eq!(states.last().map(|csts| csts & 0xd), Some(9), "ready, and shut down: {states:?}");
    for pair in read.borrow().windows(2) {
        assert_eq!(pair[1].0 - pair[0].0, LOOK_PS);
    }
}
