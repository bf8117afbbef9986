//! The registers with a master, and both windows' other sides.

use ::registers::flash as registers;
use ::registers::{Field, Register};
use contract::packet::{Request, Response};
use rtl_sim::{tops, Access, AxiLite, Bench, Pace, Probe, Random, Sink, Source, StreamPorts};

/// Ways of the top.
pub const WAYS: u32 = 8;

/// The registers, a master, and both windows' other sides.
pub struct Setup {
    pub bench: Bench,
    pub master: AxiLite,
    pub requests: Sink,
    pub responses: Source,
    pub irq: Probe,
}

impl Setup {
    pub fn new(master: impl FnOnce(&Bench) -> AxiLite) -> Self {
        let bench = Bench::new(&tops::CHANNEL_REGISTERS);
        let ports = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        let words = &["word0", "word1", "word2", "word3"];
        Self {
            master: master(&bench),
            requests: Sink::new(bench.model(), ports("request", words), Pace::Always),
            responses: Source::new(bench.model(), ports("response", &words[..3]), Pace::Always),
            irq: Probe::new(bench.output("irq_o")),
            bench,
        }
    }

    pub fn willing() -> Self {
        Self::new(|bench| AxiLite::new(bench.model()))
    }

    pub fn at_any_pace(random: &mut Random) -> Self {
        Self::new(|bench| AxiLite::at_any_pace(bench.model(), random))
    }

    pub fn cycle(&mut self) {
        let Self { bench, master, requests, responses, irq } = self;
        bench.cycle(&mut [master, requests, responses, irq]);
    }

    pub fn run(&mut self, cycles: u32) {
        (0..cycles).for_each(|_| self.cycle());
    }

    pub fn until<T>(&mut self, mut ended: impl FnMut(&mut AxiLite) -> Option<T>) -> T {
        for _ in 0..2_000 {
            self.cycle();
            if let Some(result) = ended(&mut self.master) {
                return result;
            }
        }
        panic!("no response in 2,000 cycles");
    }

    pub fn write_bytes(&mut self, address: u32, data: u32, strobes: u8) -> Access {
        self.master.write_bytes(address, data, strobes);
        self.until(|master| master.take_written().pop())
    }

    pub fn write(&mut self, address: u32, data: u32) {
        assert_eq!(self.write_bytes(address, data, 0xf), Access::Okay, "write of {address:#05x}");
    }

    pub fn access(&mut self, address: u32) -> (u32, Access) {
        self.master.read(address);
        self.until(|master| master.take_read().pop())
    }

    pub fn read(&mut self, address: u32) -> u32 {
        let (data, access) = self.access(address);
        assert_eq!(access, Access::Okay, "read of {address:#05x}");
        data
    }

    pub fn field(&mut self, register: Register, field: Field) -> u32 {
        field.get(&[self.read(register.offset)])
    }

    pub fn set(&mut self, port: &str, value: u64) {
        let port = self.bench.input(port);
        self.bench.set(port, value);
    }

    pub fn send(&mut self, request: &Request) {
        for (address, word) in registers::request::WORD.into_iter().zip(request.emit()) {
            self.write(address, word);
        }
    }

    pub fn received(&mut self) -> Vec<Request> {
        let words = self.requests.take();
        let parse = |words: Vec<u64>| {
            let words: Vec<u32> = words.iter().map(|word| *word as u32).collect();
            Request::parse(words[..].try_into().expect("five words")).expect("a packet")
        };
        words.into_iter().map(parse).collect()
    }

    pub fn response(&mut self) -> Option<Response> {
        let words = registers::response::WORD.map(|address| self.read(address));
        Response::parse(&words).expect("a packet")
    }

    pub fn interrupts(&mut self) -> u32 {
        self.read(registers::interrupt_status::REGISTER.offset)
    }
}
