//! The controller as it stands on an FPGA board, through its pads: a computer at its serial line, an SDRAM, flash chips.

use board::Board;
use host::uart::{Line, UartDevice};
use host::{queues_memory_bytes, Driver, QueuePair, QueueRequest, NAMESPACE, PAGE_BYTES};
use machine::Device;
use nvme::admin::Priority;
use nvme::command::{DataPointer, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use rtl_sim::drive::fpga::FpgaDrive;
use rtl_sim::sdram::Sdram;
use rtl_sim::serial::SerialPort;
use rtl_sim::{Agent, Bench, ChipBus, Top, Wiring};
use std::{env, fs, io};

/// Of the top.
const BIT_CYCLES: u64 = 4;
const POWER_UP_CYCLES: u64 = 200;
const ENTRIES: u32 = 8;
/// All of a test takes about half of that.
const PATIENCE: u64 = 8_000_000;
const LIMIT_PS: u64 = 10_000_000_000_000;

/// The board on a bench.
struct Fpga {
    bench: Bench,
    port: SerialPort,
    sdram: Sdram,
    chips: Vec<ChipBus>,
    period_ps: u64,
    /// Bytes until one is lost, if any is.
    loses_in: Option<u64>,
}

impl Fpga {
    fn new(top: &'static Top, drive: &FpgaDrive) -> Self {
        let bench = Bench::new(top);
        let (model, period) = (bench.model(), drive.period());
        let chips = drive.chips(1);
        let lanes = chips.len() as u32;
        let bus =
            |(lane, chips)| ChipBus::of_channel(model, (lane, lanes), chips, Wiring::new(period));
        Self {
            port: SerialPort::new(model, BIT_CYCLES),
            sdram: Sdram::new(model, period.as_ps() / 1000, POWER_UP_CYCLES),
            chips: (0..).zip(chips).map(bus).collect(),
            period_ps: period.as_ps(),
            bench,
            loses_in: None,
        }
    }

    fn cycle(&mut self) {
        let own: [&mut dyn Agent; 2] = [&mut self.port, &mut self.sdram];
        let chips = self.chips.iter_mut().map(|chips| chips as &mut dyn Agent);
        let mut agents: Vec<_> = own.into_iter().chain(chips).collect();
        self.bench.cycle(&mut agents);
    }
}

impl Line for Fpga {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            self.loses_in = self.loses_in.map(|left| left.wrapping_sub(1));
            if self.loses_in != Some(0) {
                self.port.send(&[*byte]);
            }
        }
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>, limit_ps: u64) -> io::Result<()> {
        let mut end = self.now_ps() + limit_ps;
        assert!(self.bench.cycles() < PATIENCE, "the drive does not get on");
        while self.now_ps() < end {
            self.cycle();
            if self.port.is_busy() {
                end = self.now_ps() + limit_ps;
            }
            if let Some(byte) = self.port.take() {
                into.push(byte);
                return Ok(());
            }
        }
        Ok(())
    }

    fn now_ps(&self) -> u64 {
        self.bench.cycles() * self.period_ps
    }

    fn silence_ps(&self) -> u64 {
        5000 * self.period_ps
    }
}

/// A driver with a queue and a page of data.
struct Host {
    device: UartDevice<Fpga>,
    driver: Driver,
    queue: QueuePair,
    page: u64,
    next: u16,
}

impl Host {
    fn start(mut device: UartDevice<Fpga>) -> Self {
        let mut driver = Driver::start(&mut device).unwrap_or_else(|error| {
            panic!("{error}; {:?}", device.fault());
        });
        let identity = driver.identify(&mut device).expect("identify");
        assert_eq!(identity.block_bytes, 4096);
        driver.set_queue_count(&mut device, 1).expect("queues");
        device.memory().reserve(queues_memory_bytes(1, ENTRIES) + PAGE_BYTES);
        let request =
            QueueRequest { id: 1, entries: ENTRIES, vector: 1, priority: Priority::Medium };
        let queue = driver.create_queue(&mut device, request).expect("a queue");
        let page = device.memory().allocate(PAGE_BYTES);
        Self { device, driver, queue, page, next: 0 }
    }

    fn run(&mut self, command: IoCommand) {
        let header = Header {
            cid: self.next,
            nsid: NAMESPACE,
            data: DataPointer { prp1: self.page, prp2: 0 },
        };
        self.next += 1;
        self.queue.push(self.device.memory(), &command.emit(header));
        let ring = self.queue.ring_tail();
        self.device.write32(ring.offset, ring.value);
        self.device.settle(LIMIT_PS);
        let completion = self.queue.pop(self.device.memory());
        let completion =
            completion.unwrap_or_else(|| panic!("no completion; {:?}", self.device.fault()));
        assert!(completion.status.is_success() && completion.cid == header.cid, "{completion:?}");
        let ring = self.queue.ring_head();
        self.device.write32(ring.offset, ring.value);
    }

    fn write(&mut self, block: u64, bytes: &[u8]) {
        self.device.memory().at_mut(self.page, bytes.len()).copy_from_slice(bytes);
        self.run(IoCommand::Write(BlockRange { start: block, blocks: 1 }, UnitAccess::Normal));
    }

    fn read(&mut self, block: u64) -> Vec<u8> {
        self.device.memory().at_mut(self.page, 4096).fill(0xee);
        self.run(IoCommand::Read(BlockRange { start: block, blocks: 1 }, UnitAccess::Normal));
        self.device.memory().at(self.page, 4096).to_vec()
    }
}

fn pattern(seed: u32) -> Vec<u8> {
    (0..4096_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761).wrapping_add(seed * 97) >> 13) as u8)
        .collect()
}

/// A board in reset, whose folder has its program; none where nothing can build the program.
fn board() -> Option<Fpga> {
    let top = Top::named("ssd_fpga_small").or_else(|| {
        eprintln!("skipped: found no model of ssd_fpga_small");
        None
    })?;
    let board = Board::resolve("firmament-ulx3s", &[]).expect("a board");
    let drive = FpgaDrive::new(&board).expect("a drive for an FPGA");
    let program = match drive.program() {
        Ok(program) => program,
        Err(line) => {
            eprintln!("skipped: {line}");
            return None;
        }
    };
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("program.hex"), program).expect("a file");
    env::set_current_dir(folder.path()).expect("a folder");
    let board = Fpga::new(top, &drive);
    env::set_current_dir("/").expect("a folder");
    Some(board)
}

/// What `make test-all` does beside `make test`, which makes no model of the drive of an FPGA.
mod long {
    use super::*;

    #[test]
    fn a_drive_on_a_board_comes_up_and_keeps_data_over_its_serial_line() {
        let Some(mut board) = board() else { return };
        // One byte of what the computer sends is lost, and has to be sent again.
        board.loses_in = Some(700);
        let mut device = UartDevice::open(board, 5).expect("a controller at the line");
        let mut last = 0;
        let mut told = |device: &mut UartDevice<Fpga>, what: &str| {
            let cycles = device.line().bench.cycles();
            println!("{what}: {} cycles", cycles - last);
            last = cycles;
        };
        told(&mut device, "open");
        let mut host = Host::start(device);
        told(&mut host.device, "start");
        host.write(3, &pattern(1));
        host.write(77, &pattern(2));
        assert_eq!(host.read(3), pattern(1));
        told(&mut host.device, "write and read");
        host.run(IoCommand::Flush);
        told(&mut host.device, "flush");
        assert_eq!(host.read(77), pattern(2));
        host.driver.shut_down(&mut host.device).expect("a shutdown");
        told(&mut host.device, "shutdown");
        assert!(host.device.fault().is_none());
        // Another driver, which knows nothing of the first, finds the drive as it was left.
        let mut device =
            UartDevice::open(host.device.into_line(), 5).expect("the controller again");
        device.reset_function();
        let mut host = Host::start(device);
        told(&mut host.device, "start again");
        assert_eq!(host.read(3), pattern(1));
        host.write(3, &pattern(3));
        assert_eq!(host.read(3), pattern(3));
        assert_eq!(host.read(77), pattern(2));
        told(&mut host.device, "read and write");
        assert!(host.device.fault().is_none());
        let board = host.device.line();
        board.chips.iter().for_each(ChipBus::assert_clean);
        assert!(board.chips.iter().any(|chips| chips
            .activity(0)
            .1
            .iter()
            .any(|busy| busy.as_ps() > 0)));
        assert!(board.sdram.refreshes() > 100);
    }
}
