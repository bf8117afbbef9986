//! Streams: responses in the order of requests, across channels.

use channel::{Channel, ReorderBuffer, Setup};
use contract::packet::{Operation::*, Outcome, Request};
use contract::{Duration, Instant};
use proptest::prelude::*;

use crate::rig::{page, policy, setup, Rig, Scripted};

#[test]
fn a_stream_comes_in_order_whatever_the_chips_do() {
    let mut rig = Rig::new(policy());
    let slow = rig.ask(Request { stream: 5, ..page(Erase, 0, 0) });
    let quick = rig.ask(Request { stream: 5, ..page(Read, 1, 0) });
    let other = rig.ask(Request { stream: 6, ..page(Read, 2, 0) });
    rig.finish();
    assert_eq!(rig.answered(), [other, slow, quick]);
}

#[test]
fn what_cannot_be_run_is_refused_in_its_turn() {
    let mut rig = Rig::new(policy());
    let good = rig.ask(Request { stream: 1, ..page(Read, 0, 0) });
    let odd = rig.ask(Request { length: 3, stream: 1, ..page(Read, 1, 0) });
    let nowhere = rig.ask(Request { stream: 2, ..page(Read, 9, 0) });
    let long = rig.ask(Request { length: 65_512, stream: 3, ..page(Read, 1, 0) });
    rig.finish();
    assert_eq!(rig.answered(), [nowhere, long, good, odd]);
    let outcomes = rig.answers.iter().map(|(_, completion)| completion.response.outcome);
    let expected = [Outcome::Refused, Outcome::Refused, Outcome::Success, Outcome::Refused];
    assert_eq!(outcomes.collect::<Vec<Outcome>>(), expected);
}

/// Channels that share a reorder buffer.
fn drive(requests: &[(u8, Request)], channels: u8, depth: u16) -> Vec<(u8, u32)> {
    let mut order = ReorderBuffer::new(8, depth);
    let mut chips = Scripted::new();
    let mut lanes: Vec<Channel> =
        (0..channels).map(|channel| Channel::new(Setup { channel, ..setup(policy()) })).collect();
    let mut answered = vec![];
    let mut next = 0;
    let mut now = Instant::ZERO;
    loop {
        // A request goes to its channel once its stream has room, in the order of the drive.
        while let Some((channel, request)) = requests.get(next) {
            let lane = &mut lanes[usize::from(*channel)];
            let waits = order.has_room(request.stream) && lane.is_idle();
            if !waits && next > 0 && !lane.has_room(request.way, request.row, request.priority) {
                break;
            }
            lane.submit(now, *request, next as u32);
            next += 1;
            // The place is reserved when the channel takes the request.
            let end = now + Duration::from_ns(100);
            while lane.poll_at() <= end {
                lane.poll(lane.poll_at(), &mut chips, &mut order, |_| {});
                while let Some(completion) = order.pop() {
                    answered.push((completion.channel, completion.ticket));
                    lane.wake(now);
                }
            }
            now = end;
        }
        let at = lanes.iter().map(Channel::poll_at).min().unwrap_or(Instant::NEVER);
        if at == Instant::NEVER {
            return answered;
        }
        now = now.max(at);
        for lane in &mut lanes {
            lane.poll(now, &mut chips, &mut order, |_| {});
        }
        while let Some(completion) = order.pop() {
            answered.push((completion.channel, completion.ticket));
            lanes.iter_mut().for_each(|lane| lane.wake(now));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_stream_spans_all_channels(
        asked in proptest::collection::vec((0_u8..4, 0_u8..8, 0_u8..3, 0_u8..3), 1..60),
    ) {
        let requests: Vec<(u8, Request)> = asked
            .iter()
            .map(|(channel, way, operation, stream)| {
                let operation = [Read, Program, Erase][usize::from(*operation)];
                (*channel, Request { stream: *stream, ..page(operation, *way, 0x20) })
            })
            .collect();
        let answered = drive(&requests, 4, 64);
        prop_assert_eq!(answered.len(), requests.len());
        for stream in 0..3 {
            let of_stream = |ticket: &u32| requests[*ticket as usize].1.stream == stream;
            let tickets: Vec<u32> =
                answered.iter().map(|(_, ticket)| *ticket).filter(of_stream).collect();
            prop_assert!(tickets.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", tickets);
        }
        for (channel, ticket) in answered {
            prop_assert_eq!(channel, requests[ticket as usize].0);
        }
    }
}
