//! What the processor orders: completions, DMA requests, queues, settings.

use crate::host_processor::setup::Setup;
use ::registers::host::*;
use rtl_sim::{seed, Pace, Random};

/// Beats that wait behind a register, and the one at its output.
const ROOM: u32 = 64;

/// Posts a completion; the beat that it should be.
fn complete(setup: &mut Setup, random: &mut Random) -> Vec<u64> {
    let [tag, code] = [1 << 8, 1 << 15].map(|bound| random.below(bound));
    let result = random.next();
    setup.write(completion_result::REGISTER, result as u32);
    setup.write(completion_result_high::REGISTER, (result >> 32) as u32);
    let fields = [(completion::TAG, tag as u32), (completion::STATUS, code as u32)];
    setup.write_fields(completion::REGISTER, &fields);
    vec![tag, code, result]
}

/// Issues a DMA request; the beat that it should be.
fn issue(setup: &mut Setup, random: &mut Random) -> Vec<u64> {
    let [offset, length, all] = [0; 3].map(|_| random.below(1 << 24));
    let [memory, tag, to_host, pointer] = [1 << 40, 1 << 8, 2, 3].map(|bound| random.below(bound));
    setup.write(dma_host_offset::REGISTER, offset as u32);
    setup.write(dma_length::REGISTER, length as u32);
    setup.write(dma_command_length::REGISTER, all as u32);
    setup.write(dma_memory_low::REGISTER, memory as u32);
    setup.write(dma_memory_high::REGISTER, (memory >> 32) as u32);
    let fields =
        [(dma::TAG, tag as u32), (dma::TO_HOST, to_host as u32), (dma::POINTER, pointer as u32)];
    setup.write_fields(dma::REGISTER, &fields);
    vec![tag, to_host, pointer, offset, length, all, memory]
}

#[test]
fn completions_and_requests_leave_as_they_were_written() {
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        setup.completions.set_pace(Pace::any(random));
        setup.requests.set_pace(Pace::any(random));
        let (mut completions, mut requests) = (Vec::new(), Vec::new());
        for _ in 0..50 {
            if random.percent(50) {
                completions.push(complete(&mut setup, random));
            } else {
                requests.push(issue(&mut setup, random));
            }
        }
        setup.completions.set_pace(Pace::Always);
        setup.requests.set_pace(Pace::Always);
        setup.run(200);
        assert_eq!(setup.completions.take(), completions);
        assert_eq!(setup.requests.take(), requests);
        assert_eq!(setup.interrupts(), 0);
    });
}

#[test]
fn what_finds_no_room_is_dropped_and_told() {
    type Order = fn(&mut Setup, &mut Random) -> Vec<u64>;
    let orders: [(Order, _, _); 2] = [
        (complete, status::COMPLETION_ROOM, interrupt_status::COMPLETION_DROPPED),
        (issue, status::DMA_ROOM, interrupt_status::DMA_DROPPED),
    ];
    for (order, room, dropped) in orders {
        let mut random = Random::new(7);
        let mut setup = Setup::willing();
        setup.completions.set_pace(Pace::Never);
        setup.requests.set_pace(Pace::Never);
        setup.write(interrupt_enable::REGISTER, dropped.mask());
        let mut expected = Vec::new();
        for left in (0..=ROOM).rev() {
            assert_eq!(setup.field(status::REGISTER, room), left);
            assert_eq!((setup.interrupts(), setup.irq.last()), (0, 0), "{left} left");
            let beat = order(&mut setup, &mut random);
            if left > 0 {
                expected.push(beat);
            }
        }
        assert_eq!((setup.interrupts(), setup.irq.last()), (dropped.mask(), 1));
        setup.completions.set_pace(Pace::Always);
        setup.requests.set_pace(Pace::Always);
        setup.run(2 * ROOM);
        let found = [setup.completions.take(), setup.requests.take()].concat();
        assert_eq!(found, expected);
        assert_eq!(setup.field(status::REGISTER, room), ROOM);
        // The bit stays until it is cleared.
        setup.write(interrupt_status::REGISTER, !dropped.mask());
        assert_eq!(setup.interrupts(), dropped.mask());
        setup.write(interrupt_status::REGISTER, dropped.mask());
        setup.run(2);
        assert_eq!((setup.interrupts(), setup.irq.last()), (0, 0));
        let beat = order(&mut setup, &mut random);
        setup.run(5);
        let found = [setup.completions.take(), setup.requests.take()].concat();
        assert_eq!(found, [beat]);
    }
}

/// Orders a submission or completion queue; the beat that it should be.
fn queue(setup: &mut Setup, random: &mut Random, completions: bool) -> Vec<u64> {
    let [page, size, partner] = [1 << 52, 1 << 16, 1 << 16].map(|bound| random.below(bound));
    let [create, id, rest] = [2, 1 << 16, 4].map(|bound| random.below(bound));
    let low = (page << 12) as u32 | random.below(1 << 12) as u32;
    setup.write(queue_base_low::REGISTER, low);
    setup.write(queue_base_high::REGISTER, (page >> 20) as u32);
    let shape = [(queue_shape::SIZE, size as u32), (queue_shape::PARTNER, partner as u32)];
    setup.write_fields(queue_shape::REGISTER, &shape);
    if completions {
        let fields = [
            (completion_queue::ID, id as u32),
            (completion_queue::INTERRUPTS, rest as u32 & 1),
            (completion_queue::CREATE, create as u32),
        ];
        setup.write_fields(completion_queue::REGISTER, &fields);
        vec![create, id, size, page, rest & 1, partner & 0x7ff]
    } else {
        let fields = [
            (submission_queue::ID, id as u32),
            (submission_queue::PRIORITY_CLASS, rest as u32),
            (submission_queue::CREATE, create as u32),
        ];
        setup.write_fields(submission_queue::REGISTER, &fields);
        vec![create, id, size, page, partner, rest]
    }
}

#[test]
fn queues_leave_as_they_were_written() {
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        setup.submission_queues.set_pace(Pace::any(random));
        setup.completion_queues.set_pace(Pace::any(random));
        let mut expected = [Vec::new(), Vec::new()];
        for _ in 0..40 {
            while setup.field(status::REGISTER, status::QUEUE_BUSY) == 1 {}
            let completions = random.percent(50);
            expected[usize::from(completions)].push(queue(&mut setup, random, completions));
        }
        setup.run(500);
        let found = [setup.submission_queues.take(), setup.completion_queues.take()];
        assert_eq!(found, expected);
        assert_eq!(setup.interrupts(), 0);
    });
}

#[test]
fn a_queue_that_comes_while_one_is_busy_is_dropped_and_told() {
    let mut random = Random::new(3);
    for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut setup = Setup::willing();
        setup.submission_queues.set_pace(Pace::Never);
        setup.completion_queues.set_pace(Pace::Never);
        let expected = queue(&mut setup, &mut random, first);
        assert_eq!(setup.field(status::REGISTER, status::QUEUE_BUSY), 1);
        assert_eq!(setup.interrupts(), 0);
        // What the registers say by now does not change the one under way.
        queue(&mut setup, &mut random, second);
        assert_eq!(setup.interrupts(), interrupt_status::QUEUE_DROPPED.mask());
        setup.submission_queues.set_pace(Pace::Always);
        setup.completion_queues.set_pace(Pace::Always);
        setup.run(10);
        let found = [setup.submission_queues.take(), setup.completion_queues.take()].concat();
        assert_eq!(found, [expected]);
        assert_eq!(setup.field(status::REGISTER, status::QUEUE_BUSY), 0);
    }
}

#[test]
fn settings_are_told_once_for_each_write() {
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        let mut expected = [const { Vec::new() }; 6];
        for _ in 0..30 {
            let which = random.below(6) as usize;
            let [a, b, c, d] = [0; 4].map(|_| random.below(256) as u32);
            let told = match which {
                0 => {
                    setup.write_fields(ready::REGISTER, &[(ready::READY, a & 1)]);
                    vec![a & 1]
                }
                1 => {
                    setup.write(controller::REGISTER, controller::SHUTDOWN_DONE.mask());
                    vec![]
                }
                2 => {
                    setup.write(controller::REGISTER, controller::FATAL.mask());
                    vec![]
                }
                3 => {
                    let fields = [
                        (weights::BURST, a & 7),
                        (weights::LOW_WEIGHT, b),
                        (weights::MEDIUM_WEIGHT, c),
                        (weights::HIGH_WEIGHT, d),
                    ];
                    setup.write_fields(weights::REGISTER, &fields);
                    vec![(a & 7) << 24 | b << 16 | c << 8 | d]
                }
                4 => {
                    let fields = [(coalescing::THRESHOLD, a), (coalescing::TIME_100US, b)];
                    setup.write_fields(coalescing::REGISTER, &fields);
                    vec![a << 8 | b]
                }
                _ => {
                    let vector = (a << 8 | b) & 0x7ff;
                    let fields =
                        [(vector_coalescing::VECTOR, vector), (vector_coalescing::FORBID, c & 1)];
                    setup.write_fields(vector_coalescing::REGISTER, &fields);
                    vec![vector, c & 1]
                }
            };
            expected[which].push(told.into_iter().map(u64::from).collect::<Vec<_>>());
        }
        setup.run(10);
        let found = [
            setup.ready.take(),
            setup.shutdown_done.take(),
            setup.fatal.take(),
            setup.weights.take(),
            setup.coalescing.take(),
            setup.forbid.take(),
        ];
        assert_eq!(found, expected);
    });
}
