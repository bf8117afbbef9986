//! Turns of the main loop of a firmware in this body.

use firmware::cores::CoreSchedulers;
use firmware::{Firmware, FlashLayers};
use machine::{Host, Observer, Stopped};

use crate::body::Body;

/// Turns the main loop until the condition holds, nothing can happen any more, or the body is due.
pub fn turn<H: Host, O: Observer, F: contract::Firmware<Body<H, O>>>(
    firmware: &mut F,
    body: &mut Body<H, O>,
    mut until: impl FnMut(&H) -> bool,
) -> Stopped {
    loop {
        firmware.pass(body);
        if body.array.is_lost() {
            return Stopped::Lost;
        }
        if until(&body.host) {
            return Stopped::Host;
        }
        if body.quiet {
            return Stopped::Quiet;
        }
        if body.now() >= body.due {
            return Stopped::Due;
        }
    }
}

/// The same where several cores turn their loops. What the host does, it does in turns of the core that serves it, and whoever
/// looks at the drive finds that core.
pub fn turn_cores<H: Host, O: Observer>(
    firmware: &mut Firmware<FlashLayers<CoreSchedulers>>,
    body: &mut Body<H, O>,
    mut until: impl FnMut(&H) -> bool,
) -> Stopped {
    body.begin_cores();
    let stopped = loop {
        let Some(core) = body.begin_turn() else { break Stopped::Quiet };
        firmware.pass_on(core, body);
        if body.array.is_lost() {
            break Stopped::Lost;
        }
        if !body.serves_host() {
            continue;
        }
        if until(&body.host) {
            break Stopped::Host;
        }
        if body.now() >= body.due {
            break Stopped::Due;
        }
    };
    body.end_cores();
    stopped
}
