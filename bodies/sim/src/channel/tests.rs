use super::*;

#[test]
fn a_controller_has_room_for_what_it_does_not_hold() {
    for depth in [1, 2, 5] {
        let (mut channel, mut now, mut rooms) = (Channel::new(4, depth, 0), 0, 0);
        for step in 0..500_u64 {
            now += step * 7 % 11;
            let free = channel.held.iter().filter(|&&end| end <= now).count() as u32;
            assert_eq!(channel.free(now), free, "depth {depth} step {step}");
            rooms |= 1 << free;
            if free > 0 && step % 3 > 0 {
                channel.take_bus(now, 3 + step * 5 % 29);
            }
        }
        assert_eq!(rooms, (1 << (depth + 1)) - 1, "from none to all at depth {depth}");
    }
}

#[test]
fn a_way_is_ready_at_its_time_and_not_before() {
    let mut c = Channel::new(4, 1, 0);
    let (start, end) = c.take_bus(10, 5);
    assert_eq!((start, end), (10, 15));
    c.work(2, (start, 115), false);
    assert_eq!(c.look(14, true), None);
    assert_eq!(c.look(15, false), None);
    let room = c.look(15, true).expect("room is news for the eager");
    assert!(room.room == 1 && room.ready == 0b1011);
    assert_eq!(c.look(114, false), None);
    assert_eq!(c.look(114, true), Some(room));
    assert_eq!(c.change(), 115);
    assert_eq!(c.look(115, false).map(|status| status.ready), Some(0b1111));
    assert_eq!(c.change(), NEVER);
}

#[test]
fn what_is_booked_for_later_is_not_used_yet() {
    let mut c = Channel::new(2, 2, 0);
    let (start, end) = c.take_bus(10, 5);
    c.work(1, (start, end + 100), false);
    let (start, end) = c.take_bus(12, 6);
    c.work(0, (start, end + 100), false);
    for (now, bus, ways) in [
        (10, 0, [0, 0]),
        (12, 2, [0, 2]),
        (15, 5, [0, 5]),
        (18, 8, [3, 8]),
        (21, 11, [6, 11]),
        (200, 11, [106, 105]),
    ] {
        assert_eq!((c.bus_used(now), c.way_used(now)), (bus, ways.to_vec()), "at {now}");
    }
    assert!(c.look(200, false).is_some());
    let (_, end) = c.take_bus(200, 1);
    c.check(0, end);
    assert_eq!(c.way_used(200), [106, 105]);
}

/// Turns that wait for one another leave gaps, and a chip that has to be asked is seen to be ready later than it is so.
#[test]
fn what_is_booked_for_later_has_gaps() {
    let mut c = Channel::new(1, 2, 0).with_times((4, 10));
    let (start, end) = c.take_bus(100, 6);
    assert_eq!((start, end), (104, 110));
    c.work(0, (start, 150), false);
    c.is_seen(0, 600);
    let (start, end) = c.take_bus_behind(101, (100, 7), 5);
    assert_eq!((start, end), (127, 132));
    for (now, bus, way) in [
        (100, 0, 0),
        (104, 0, 0),
        (107, 3, 3),
        (110, 6, 6),
        (126, 6, 22),
        (130, 9, 26),
        (140, 11, 36),
        (160, 11, 46),
        (700, 11, 46),
    ] {
        assert_eq!((c.bus_used(now), c.way_used(now)), (bus, vec![way]), "at {now}");
    }
}

#[test]
fn a_turn_begins_some_time_behind_its_request_and_behind_the_turn_before() {
    let mut c = Channel::new(1, 8, 0).with_times((2, 3));
    assert_eq!(c.take_bus(100, 10), (102, 112));
    assert_eq!(c.take_bus(105, 10), (115, 125));
    // A turn of 7 goes before it, which has the bus at 128; then one that has it before its own request comes.
    assert_eq!(c.take_bus_behind(126, (120, 7), 10), (135, 145));
    assert_eq!(c.take_bus_behind(200, (190, 7), 10), (202, 212));
}

#[test]
fn what_answers_while_a_response_is_taken_is_taken_in_the_same_look() {
    for (second, responses, end) in [(10, 0b11, 18), (12, 0b11, 18), (13, 0b01, 12)] {
        let mut c = Channel::new(2, 4, 0);
        c.check(0, 5);
        c.check(1, second);
        let mut now = 6;
        let status = c.look(now, false).expect("a response");
        let status = c.empty_window(status, [6, 0], &mut now);
        assert_eq!((status.responses, now), (responses, end), "second at {second}");
    }
    let mut c = Channel::new(1, 4, 0);
    c.respond(0, 5, SUCCESS);
    c.brought = 1;
    let mut now = 6;
    let status = c.look(now, false).expect("a response");
    c.empty_window(status, [6, 2], &mut now);
    assert_eq!(now, 14, "that memory took the page is asked for, too");
}

#[test]
fn a_failed_program_is_told_by_the_status_check() {
    let mut c = Channel::new(1, 2, 0);
    let (start, end) = c.take_bus(0, 10);
    c.work(0, (start, end + 100), true);
    assert_eq!(c.look(110, false).map(|status| status.ready), Some(1));
    let (_, end) = c.take_bus(110, 1);
    c.check(0, end);
    assert_eq!(c.look(110, true).map(|status| status.responses), Some(0));
    assert_eq!(c.look(111, false).map(|status| status.responses), Some(1));
    assert_eq!(c.take_response(0), FlashOutcome::Failed);
    assert_eq!(c.look(112, true).map(|status| status.responses), Some(0));
}

#[test]
fn a_program_that_is_suspended_fails_when_it_goes_on() {
    for failed in [false, true] {
        let mut c = Channel::new(1, 2, 0);
        let (start, end) = c.take_bus(0, 10);
        c.work(0, (start, end + 100), failed);
        c.of_array = 1;
        let command = c.take_bus(50, 1);
        assert!(c.suspend(0, command, 5));
        let (_, end) = c.take_bus(60, 1);
        c.check(0, end);
        assert!(c.look(end, true).is_some());
        assert_eq!(c.take_response(0), FlashOutcome::Suspended);
        // 59 of it were left when the command had come.
        let command = c.take_bus(70, 1);
        assert_eq!(c.resume(0, command, 3), 71 + 3 + 59);
        let (_, end) = c.take_bus(140, 1);
        assert!(c.look(140, true).is_some());
        c.check(0, end);
        assert!(c.look(end, true).is_some());
        let told = if failed { FlashOutcome::Failed } else { SUCCESS };
        assert_eq!(c.take_response(0), told);
    }
}

#[test]
fn a_deeper_controller_takes_requests_while_the_bus_is_busy() {
    let mut c = Channel::new(1, 2, 0);
    assert_eq!(c.take_bus(0, 100), (0, 100));
    assert!(c.look(1, true).is_some_and(|status| status.room == 1));
    assert_eq!(c.take_bus(1, 100), (100, 200));
    assert_eq!(c.look(99, true), None);
    assert!(c.look(100, true).is_some_and(|status| status.room == 1));
}
