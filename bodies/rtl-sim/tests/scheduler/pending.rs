//! Which ways have a request: software that gets no response looks at nothing else.

use crate::scheduler::channel::{
    Channel, Policy, Request, DECOUPLED, IN_ORDER, OUT_OF_ORDER, SEQUENTIAL,
};
use crate::scheduler::operation::*;

const WAYS: u32 = 4;

/// Steps of a way that have left the bus.
fn steps_over(channel: &Channel, way: u32) -> usize {
    let log = channel.log();
    let on_bus = usize::from(!channel.bus.is_idle());
    let last = log.len() - on_bus.min(log.len());
    log[..last].iter().filter(|step| step.1 == way).count()
}

#[test]
fn a_way_has_a_request_from_its_taking_until_its_step_has_left_the_bus() {
    for model in [OUT_OF_ORDER, DECOUPLED, SEQUENTIAL, IN_ORDER] {
        let mut channel = Channel::new(Policy::plain(model));
        // Long steps and short ones, none of which is answered.
        for index in 0..40 {
            let operation = [PROGRAM_PAGE, SYNCHRONOUS_RESET, ERASE_BLOCK][index as usize % 3];
            let request = Request::new(operation, index % WAYS, index);
            channel.send(Request { silent: true, ..request });
        }
        let mut taken = [channel.accepted() as usize; 3];
        let (mut up, mut down) = (0, 0);
        while channel.log().len() < 40 || !channel.bus.is_idle() {
            channel.cycle();
            taken = [channel.accepted() as usize, taken[0], taken[1]];
            let pending = channel.pending();
            for way in 0..WAYS {
                let requests = &channel.requests()[..taken[2]];
                let owed = requests.iter().filter(|request| request.way == way).count();
                let is_over = owed <= steps_over(&channel, way);
                let is_pending = pending >> way & 1 == 1;
                assert!(is_over || is_pending, "way {way}, model {model}");
                up += u32::from(is_pending);
                down += u32::from(!is_pending);
            }
            assert!(channel.cycles() < 400_000, "stuck");
        }
        assert!(up > 0 && down > 0, "it changes");
        (0..10).for_each(|_| channel.cycle());
        assert_eq!(channel.pending(), 0, "model {model}");
    }
}
