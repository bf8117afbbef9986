//! A channel as software sees it: registers, packets in their windows, interrupt, monitors. Chips are
//! on the pins.

use ::registers::flash as registers;
use channel::BusSettings;
use contract::packet::{
    CodeWords, Coding, Interrupt, Model, Operation, Outcome, PhaseFormat, Request, RequestWords,
    Response, ResponseWords, RowFormat,
};
use contract::{
    BufferId, Duration, FlashOperation, FlashOutcome, FlashRequest, Location, Lpn, Lpns, Metadata,
    PageKind, Span,
};
use nand::onfi::{Chip, Config, Interface, Timing};
use rtl_sim::{
    tops, Access, AxiLite, Bench, ChipBus, ChipSettings, DataBuffer, Output, Paces, Wiring,
};

const PERIOD: Duration = Duration::from_ns(10);
const WAYS: u8 = 2;
const PAGE_BYTES: u16 = 1024;
const METADATA_BYTES: u16 = Metadata::bytes(1) as u16;
/// Of a page and its metadata.
const ENTRY_BYTES: usize = (PAGE_BYTES + METADATA_BYTES) as usize;

struct Software {
    bench: Bench,
    axi: AxiLite,
    buffer: DataBuffer,
    chips: ChipBus,
    irq: Output,
}

impl Software {
    /// A channel after reset, configured.
    fn new(model: Model) -> Self {
        let bench = Bench::new(&tops::FLASH_CHANNEL_PINS);
        let config = Config::small(Interface::Ddr, Timing::nv_ddr2_mode_4());
        let chips = (0..WAYS).map(|_| Chip::new(config.clone())).collect();
        let mut software = Self {
            axi: AxiLite::new(bench.model()),
            buffer: DataBuffer::new(bench.model(), 8, ENTRY_BYTES, Paces::ALWAYS),
            chips: ChipBus::new(bench.model(), chips, Wiring::new(PERIOD)),
            irq: bench.output("irq_o"),
            bench,
        };
        software.configure(model, &BusSettings::of(&config, PERIOD));
        software
    }

    fn configure(&mut self, model: Model, bus: &BusSettings) {
        let scheduler = [
            (registers::scheduler::MODEL, model as u32),
            (registers::scheduler::PLANE_BITS, 1),
            (registers::scheduler::PLANE_SHIFT, 5),
            (registers::scheduler::LUN_SHIFT, 9),
            (registers::scheduler::LOW_WAYS, WAYS.into()),
        ];
        let timeouts =
            [(registers::timeouts::BUSY_TIMEOUT, 1000), (registers::timeouts::DATA_TIMEOUT, 1000)];
        for (register, value) in bus.words(&scheduler, &timeouts).registers() {
            self.write(register.offset, value);
            assert_eq!(self.read(register.offset), value, "{}", register.name);
        }
        self.write(registers::interrupt_enable::REGISTER.offset, 0x3);
    }

    fn cycle(&mut self) {
        self.bench.cycle(&mut [&mut self.axi, &mut self.buffer, &mut self.chips]);
        assert!(self.bench.cycles() < 200_000, "stuck");
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.axi.write(offset, value);
        let written = loop {
            self.cycle();
            if let Some(access) = self.axi.take_written().pop() {
                break access;
            }
        };
        assert_eq!(written, Access::Okay);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.axi.read(offset);
        let (value, access) = loop {
            self.cycle();
            if let Some(read) = self.axi.take_read().pop() {
                break read;
            }
        };
        assert_eq!(access, Access::Okay);
        value
    }

    /// Puts a request into its window, once the one before it has left.
    fn send(&mut self, words: &RequestWords) {
        while registers::status::FREE.get(&[self.status()]) == 0 {}
        for (offset, &word) in registers::request::WORD.into_iter().zip(words) {
            self.write(offset, word);
        }
    }

    fn receive(&mut self) -> ResponseWords {
        while registers::status::RESPONSE.get(&[self.status()]) == 0 {}
        registers::response::WORD.map(|offset| self.read(offset))
    }

    fn status(&mut self) -> u32 {
        self.read(registers::status::REGISTER.offset)
    }

    fn irq(&mut self) -> bool {
        self.bench.get(self.irq) == 1
    }

    fn counter(&mut self, offset: u32) -> u64 {
        u64::from(self.read(offset)) | u64::from(self.read(offset + 4)) << 32
    }
}

/// A page with its metadata, as they are in a buffer entry.
fn pattern(way: u8) -> Vec<u8> {
    let byte = |index| (index * 7 + usize::from(way) * 31) as u8;
    let mut entry: Vec<u8> = (0..ENTRY_BYTES).map(byte).collect();
    metadata(way).emit(&mut entry[usize::from(PAGE_BYTES)..]);
    entry
}

fn metadata(way: u8) -> Metadata {
    let lpns = Lpns::one(Lpn(0x1234_5600 + u32::from(way)));
    Metadata { kind: PageKind::Data, epoch: 3, sequence: 0x1_0000_0000 + u64::from(way), lpns }
}

/// A phase of the contract, as firmware issues it to a way that is ready.
fn phase(operation: FlashOperation, way: u8, buffer: u32) -> FlashRequest {
    FlashRequest {
        level: 0,
        operation,
        location: Location { channel: 0, way, row: 24 + 3 },
        part: Span { offset: 0, length: PAGE_BYTES.into() },
        buffer: BufferId(buffer),
        command: None,
    }
}

#[test]
fn firmware_schedules_the_phases_of_the_contract() {
    let mut software = Software::new(Model::InOrder);
    let rows = RowFormat { pages_per_block: 24, page_stride: 1, block_shift: 5 };
    let code = CodeWords { chunk_bytes: 256, parity_bytes: 20, metadata_bytes: METADATA_BYTES };
    let format = PhaseFormat { page_bytes: PAGE_BYTES, flash_pages: 1, rows, code };
    let ready = |software: &mut Software, way: u8| {
        while registers::status::IDLE.get(&[software.status()]) >> way & 1 == 0 {}
    };
    let ask = |software: &mut Software, request: &FlashRequest| -> FlashOutcome {
        ready(software, request.location.way);
        software.send(&format.emit(request));
        let words = software.receive();
        format.parse(&words).expect("an answer to a phase").expect("a response")
    };
    for way in 0..WAYS {
        software.buffer.entry_mut(way.into()).copy_from_slice(&pattern(way));
        for operation in [FlashOperation::Erase, FlashOperation::Program] {
            if operation == FlashOperation::Program {
                // Pages are programmed in order.
                for page in 0..3 {
                    let mut first = phase(operation, way, way.into());
                    first.location.row = 24 + page;
                    ready(&mut software, way);
                    software.send(&format.emit(&first));
                }
            }
            ready(&mut software, way);
            software.send(&format.emit(&phase(operation, way, way.into())));
            let answer = ask(&mut software, &phase(FlashOperation::StatusCheck, way, 0));
            assert_eq!(
                answer,
                FlashOutcome::Success { corrected_bits: 0, most_bits: 0 },
                "{operation:?}"
            );
        }
    }
    for way in 0..WAYS {
        let entry = u32::from(4 + way);
        ready(&mut software, way);
        software.send(&format.emit(&phase(FlashOperation::ReadTrigger, way, entry)));
        ask(&mut software, &phase(FlashOperation::StatusCheck, way, entry));
        software.send(&format.read_mode(way).emit());
        let answer = ask(&mut software, &phase(FlashOperation::ReadTransfer, way, entry));
        assert_eq!(answer, FlashOutcome::Success { corrected_bits: 0, most_bits: 0 });
        let found = software.buffer.entry(4 + u16::from(way));
        assert_eq!(found, pattern(way));
        assert_eq!(Metadata::parse(&found[usize::from(PAGE_BYTES)..]), Some(metadata(way)));
        // The second and the third chunk alone, without metadata.
        let part = Span { offset: 256, length: 512 };
        let of_part = |operation| FlashRequest { part, ..phase(operation, way, entry) };
        ready(&mut software, way);
        software.send(&format.emit(&of_part(FlashOperation::ReadTrigger)));
        ask(&mut software, &of_part(FlashOperation::StatusCheck));
        software.send(&format.read_mode(way).emit());
        let answer = ask(&mut software, &of_part(FlashOperation::ReadTransfer));
        assert_eq!(answer, FlashOutcome::Success { corrected_bits: 0, most_bits: 0 });
        assert_eq!(software.buffer.entry(4 + u16::from(way))[..512], pattern(way)[256..768]);
    }
    assert!(!software.irq());
    software.chips.assert_clean();
}

#[test]
fn the_channel_schedules_whole_operations_and_tells_by_interrupt() {
    let mut software = Software::new(Model::OutOfOrder);
    for way in 0..WAYS {
        software.buffer.entry_mut(way.into()).copy_from_slice(&pattern(way));
        let base = |operation, tag| Request {
            stream: way,
            tag,
            length: PAGE_BYTES,
            coding: Coding { ecc: true, scrambler: true, metadata: true },
            buffer: way.into(),
            ..Request::new(operation, way, 0)
        };
        software.send(&base(Operation::Erase, 1).emit());
        software.send(&base(Operation::Program, 2).emit());
        let read = Request {
            buffer: 4 + u16::from(way),
            interrupt: if way == 0 { Interrupt::Always } else { Interrupt::OnError },
            ..base(Operation::Read, 3)
        };
        software.send(&read.emit());
    }
    let mut tags = [Vec::new(), Vec::new()];
    for _ in 0..3 * WAYS {
        let response = Response::parse(&software.receive()).unwrap().unwrap();
        assert_eq!(response.outcome, Outcome::Success, "{response:?}");
        assert_eq!(response.interrupt_pending, response.way == 0 && response.tag == 3);
        if response.tag == 3 {
            assert_eq!(response.value, 0);
            assert_eq!(software.buffer.entry(4 + u16::from(response.way)), pattern(response.way));
        }
        tags[usize::from(response.stream)].push(response.tag);
    }
    assert_eq!(tags, [[1, 2, 3], [1, 2, 3]]);
    assert!(software.irq());
    software.write(registers::interrupt_status::REGISTER.offset, 0x1);
    assert!(!software.irq());

    software.write(registers::monitor::REGISTER.offset, 1);
    while registers::monitor::BUSY.get(&[software.read(registers::monitor::REGISTER.offset)]) == 1 {
    }
    // 4 chunks and the metadata, with their parity.
    let page = 4 * (256 + 20) + u64::from(METADATA_BYTES) + 20;
    assert_eq!(software.counter(registers::monitors::BYTES_OUT), u64::from(WAYS) * page);
    assert_eq!(software.counter(registers::monitors::BYTES_IN), u64::from(WAYS) * page);
    // Status of an erase and of a program; erase and trigger; transfer; program.
    let steps = registers::monitors::STEPS.map(|offset| software.counter(offset));
    assert_eq!(steps, [4, 4, 2, 2]);
    let cycles = software.counter(registers::monitors::CYCLES);
    let busy = software.counter(registers::monitors::BUS_BUSY);
    assert!(busy > 2 * u64::from(WAYS) * page / 2 && busy < cycles, "{busy} of {cycles}");
    software.chips.assert_clean();
}

#[test]
fn a_request_that_nobody_knows_is_refused() {
    let mut software = Software::new(Model::OutOfOrder);
    let mut words = Request { tag: 9, ..Request::new(Operation::Read, 5, 0) }.emit();
    software.send(&words);
    let response = Response::parse(&software.receive()).unwrap().unwrap();
    assert_eq!((response.tag, response.outcome), (9, Outcome::Refused), "no such way");
    words = Request { tag: 10, ..Request::new(Operation::Read, 0, 0) }.emit();
    words[0] |= 0x7f;
    software.send(&words);
    let response = Response::parse(&software.receive()).unwrap().unwrap();
    assert_eq!((response.tag, response.outcome), (10, Outcome::Refused), "no such operation");
    software.chips.assert_clean();
}
