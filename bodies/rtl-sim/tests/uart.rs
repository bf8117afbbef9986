//! A computer at the serial line, and a line that does what lines do.

use host::uart::{Fault, Request};
use rtl_sim::serial::SerialPort;
use rtl_sim::{seed, tops, Bench, Random};

const BIT_CYCLES: u64 = 4;
/// Of the top, and a byte more.
const SILENCE: u64 = 500 + 40;
/// A word of BAR 0 that counts writes.
const COUNT: u32 = 0x3c;
const WINDOW: u32 = 0x1000_0000;
const CONTROLS: u32 = 0x2000_0000;

struct Computer {
    bench: Bench,
    port: SerialPort,
    number: u8,
    resets: u32,
}

impl Computer {
    fn new() -> Self {
        let bench = Bench::new(&tops::UART_SMALL);
        let port = SerialPort::new(bench.model(), BIT_CYCLES);
        let mut computer = Self { bench, port, number: 0, resets: 0 };
        // Its memory becomes zeros.
        computer.pass(200);
        computer
    }

    fn pass(&mut self, cycles: u64) {
        let reset = self.bench.output("reset_o");
        for _ in 0..cycles {
            self.bench.cycle(&mut [&mut self.port]);
            self.resets += self.bench.get(reset) as u32;
        }
    }

    fn receive(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut quiet = 0;
        while quiet < 2 * SILENCE {
            self.pass(1);
            quiet = if self.port.is_busy() { 0 } else { quiet + 1 };
            bytes.extend(self.port.take());
        }
        bytes
    }

    fn answer(&mut self, request: Request<'_>) -> Option<Result<Vec<u32>, Fault>> {
        let bytes = self.receive();
        request.parse(self.number, &bytes)
    }

    fn ask(&mut self, request: Request<'_>) -> Result<Vec<u32>, Fault> {
        self.number = self.number.wrapping_add(1);
        self.port.send(&request.emit(self.number));
        self.answer(request).expect("an answer")
    }

    fn writes(&mut self) -> u32 {
        self.ask(Request::Read(COUNT, 1)).expect("the count")[0]
    }

    /// Whatever came before, the next frame is answered.
    fn is_well(&mut self) {
        assert_eq!(self.ask(Request::Read(CONTROLS, 1)), Ok(vec![0x3155_4d46]));
    }
}

#[test]
fn words_go_both_ways() {
    seed::each(3, |random: &mut Random| {
        let mut computer = Computer::new();
        let mut expected = vec![0; 1024];
        for _ in 0..20 {
            let count = 1 + random.below(64) as usize;
            let place = random.below(1024 - count as u64) as usize;
            let address = WINDOW + 4 * place as u32;
            if random.below(2) == 0 {
                let words: Vec<u32> = (0..count).map(|_| random.below(1 << 32) as u32).collect();
                expected[place..place + count].copy_from_slice(&words);
                assert_eq!(computer.ask(Request::Write(address, &words)), Ok(vec![]));
            }
            let found = computer.ask(Request::Read(address, count));
            assert_eq!(found.as_deref(), Ok(&expected[place..place + count]));
        }
        assert_eq!(computer.ask(Request::Write(8, &[5, 6, 7])), Ok(vec![]));
        assert_eq!(computer.ask(Request::Read(4, 4)), Ok(vec![0, 5, 6, 7]));
        assert_eq!(computer.writes(), 3);
        // All of it becomes zeros.
        assert_eq!(computer.ask(Request::Write(CONTROLS + 16, &[2])), Ok(vec![]));
        assert_eq!(computer.ask(Request::Read(WINDOW + 4032, 16)), Ok(vec![0; 16]));
        assert_eq!(computer.resets, 0);
        assert_eq!(computer.ask(Request::Write(CONTROLS + 16, &[1])), Ok(vec![]));
        assert_eq!(computer.resets, 1);
    });
}

#[test]
fn a_write_comes_again_with_its_number_and_is_not_done_twice() {
    let mut computer = Computer::new();
    computer.is_well();
    let request = Request::Write(0, &[1]);
    assert_eq!(computer.ask(request), Ok(vec![]));
    for _ in 0..2 {
        let frame = request.emit(computer.number);
        computer.port.send(&frame);
        assert_eq!(computer.answer(request), Some(Ok(vec![])));
    }
    assert_eq!(computer.writes(), 1);
    // Another number is another write; after a read, so is the same number.
    assert_eq!(computer.ask(request), Ok(vec![]));
    assert_eq!(computer.writes(), 2);
    computer.number -= 2;
    assert_eq!(computer.ask(request), Ok(vec![]));
    assert_eq!(computer.writes(), 3);
}

#[test]
fn what_is_not_there_is_refused() {
    let mut computer = Computer::new();
    for address in
        [0x4000, WINDOW + 4096, WINDOW - 4, CONTROLS + 20, CONTROLS + 0x20, 2, 0xffff_fffc]
    {
        assert_eq!(computer.ask(Request::Read(address, 1)), Err(Fault::Refused), "{address:#x}");
        assert_eq!(
            computer.ask(Request::Write(address, &[9])),
            Err(Fault::Refused),
            "{address:#x}"
        );
        computer.is_well();
    }
    assert_eq!(computer.ask(Request::Read(0x3ffc, 2)), Err(Fault::Refused));
    assert_eq!(computer.writes(), 0);
    // An operation, and numbers of words, that there are not.
    for (operation, count) in
        [(0, 1), (3, 1), (0x81, 1), (1, 0), (2, 0), (1, 65), (2, 65), (2, 255)]
    {
        computer.port.send(&[0xa5, operation, 1, count, 0, 0, 0, 0]);
        computer.port.send(&[0xa5; 100]);
        let answer = computer.receive();
        assert_eq!(
            (answer.len(), &answer[..1], answer[3]),
            (7, &[0x5a][..], 1),
            "{operation} {count}"
        );
        computer.is_well();
    }
}

#[test]
fn frames_that_are_spoilt_are_told_and_not_done() {
    let mut computer = Computer::new();
    let request = Request::Write(0, &[1, 2]);
    let frame = request.emit(1);
    computer.number = 1;
    // Any byte but the mark is another one, or missing; or the line breaks.
    for at in 1..frame.len() {
        let mut spoilt = frame.clone();
        spoilt[at] ^= 1 << (at % 8);
        computer.port.send(&spoilt);
        let answer = computer.answer(request);
        assert!(matches!(answer, Some(Err(Fault::Resend | Fault::Refused))), "{at}: {answer:?}");
        let mut cut = frame.clone();
        cut.truncate(at);
        computer.port.send(&cut);
        assert_eq!(computer.answer(request), Some(Err(Fault::Resend)), "cut at {at}");
        computer.port.send(&frame[..at]);
        computer.port.send_break(60);
        computer.port.send(&frame[at..]);
        assert_eq!(computer.answer(request), Some(Err(Fault::Resend)), "a break at {at}");
        assert_eq!(computer.writes(), 0, "{at}");
        computer.number = 1;
    }
    // Noise before a frame is nothing.
    computer.port.send(&[0, 0xff, 0x5a, 0x13]);
    computer.port.send_break(100);
    assert!(computer.receive().is_empty());
    computer.is_well();
    computer.number = 0;
    assert_eq!(computer.ask(request), Ok(vec![]));
    assert_eq!(computer.writes(), 2);
}
