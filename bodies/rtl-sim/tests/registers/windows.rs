//! The windows for requests and responses, and the interrupts.

use crate::registers::setup::Setup;
use ::registers::flash as registers;
use contract::packet::{Answer, Interrupt, Operation, Outcome, Priority, Request, Response};
use rtl_sim::{seed, Pace, Random};

fn response(tag: u8) -> Response {
    Response {
        tag,
        way: tag % 16,
        stream: tag % 8,
        outcome: Outcome::ALL[usize::from(tag) % 5],
        interrupt_pending: tag % 2 == 0,
        erased: tag % 3 == 0,
        corrected_bits: 0x900 + u16::from(tag),
        most_bits: tag % 16,
        lost_chunks: !tag,
        value: 0x8000_0000 | u32::from(tag),
    }
}

fn beat(response: &Response) -> Vec<u64> {
    response.emit().map(u64::from).to_vec()
}

fn request(random: &mut Random) -> Request {
    Request {
        tag: random.next() as u8,
        stream: random.below(8) as u8,
        priority: if random.percent(50) { Priority::High } else { Priority::Low },
        interrupt: if random.percent(50) { Interrupt::OnError } else { Interrupt::Always },
        answer: if random.percent(50) { Answer::Silent } else { Answer::Response },
        column: random.next() as u16,
        length: random.next() as u16,
        buffer: random.next() as u16,
        ..Request::new(
            Operation::ALL[random.below(Operation::ALL.len() as u64) as usize],
            random.below(16) as u8,
            random.next() as u32,
        )
    }
}

#[test]
fn requests_leave_as_they_were_written_at_every_pace() {
    seed::each(10, |random| {
        let mut setup = Setup::at_any_pace(random);
        setup.requests.set_pace(Pace::any(random));
        let sent: Vec<Request> = (0..20).map(|_| request(random)).collect();
        for request in &sent {
            while setup.field(registers::status::REGISTER, registers::status::FREE) == 0 {}
            setup.send(request);
        }
        setup.run(500);
        assert_eq!(setup.received(), sent);
        assert_eq!(setup.interrupts(), 0);
    });
}

#[test]
fn a_request_that_finds_the_window_full_is_dropped_and_told() {
    let mut random = Random::new(7);
    let dropped = registers::interrupt_status::DROPPED.mask();
    let mut setup = Setup::willing();
    setup.requests.set_pace(Pace::Never);
    let [first, second, third] = [0; 3].map(|_| request(&mut random));
    setup.send(&first);
    setup.send(&second);
    assert_eq!(setup.interrupts(), dropped);
    setup.write(registers::interrupt_status::REGISTER.offset, dropped);
    // One that is begun before the window is free would be half of two requests.
    let words = registers::request::WORD.into_iter().zip(second.emit());
    for (index, (address, word)) in words.enumerate() {
        if index == 2 {
            setup.requests.set_pace(Pace::Always);
            setup.run(2);
        }
        setup.write(address, word);
    }
    assert_eq!(setup.interrupts(), dropped);
    setup.send(&third);
    setup.run(5);
    assert_eq!(setup.received(), [first, third]);
}

#[test]
fn responses_are_read_once_and_none_is_lost() {
    seed::each(10, |random| {
        let mut setup = Setup::at_any_pace(random);
        assert_eq!(setup.response(), None);
        let sent: Vec<Response> = (0..20).map(|_| response(random.next() as u8)).collect();
        let mut received = Vec::new();
        let mut waiting = sent.iter();
        while received.len() < sent.len() {
            // They come while the window is read, too.
            if random.percent(60) {
                if let Some(response) = waiting.next() {
                    setup.responses.push(beat(response));
                }
            }
            received.extend(setup.response());
            assert!(setup.bench.cycles() < 100_000, "stuck");
        }
        assert_eq!(received, sent);
        assert_eq!(setup.field(registers::status::REGISTER, registers::status::RESPONSE), 0);
    });
}

#[test]
fn a_response_that_comes_while_an_empty_window_is_read_stays() {
    let mut setup = Setup::willing();
    let [first, second, third] = registers::response::WORD;
    assert_eq!(setup.read(first), 0);
    setup.responses.push(beat(&response(9)));
    setup.run(3);
    assert_eq!(setup.field(registers::status::REGISTER, registers::status::RESPONSE), 1);
    setup.read(second);
    setup.read(third);
    assert_eq!(setup.response(), Some(response(9)));
    assert_eq!(setup.response(), None);
}

#[test]
fn interrupts_stay_until_they_are_cleared() {
    let status = registers::interrupt_status::REGISTER.offset;
    let enable = registers::interrupt_enable::REGISTER.offset;
    let response = registers::interrupt_status::RESPONSE.mask();
    let mut setup = Setup::willing();
    setup.set("irq_i", 1);
    setup.cycle();
    setup.set("irq_i", 0);
    assert_eq!(setup.interrupts(), response);
    assert_eq!(setup.irq.last(), 0, "it is not enabled");
    setup.write(enable, response);
    setup.run(2);
    assert_eq!(setup.irq.last(), 1);
    setup.write(status, !response);
    assert_eq!(setup.interrupts(), response);
    setup.write(status, response);
    assert_eq!((setup.interrupts(), setup.irq.last()), (0, 0));
    // The write clears at the end of its second cycle. What comes then is not lost.
    for (cycles, expected) in [(0, 0), (1, response), (2, response)] {
        setup.master.write(status, response);
        setup.run(cycles);
        setup.set("irq_i", 1);
        setup.cycle();
        setup.set("irq_i", 0);
        setup.run(5);
        assert_eq!(setup.interrupts(), expected, "{cycles} cycles after the write begins");
    }
}
