//! Turns of the main loop of a firmware in this body.

use firmware::cores::CoreSchedulers;
use firmware::{Firmware, FlashLayers};
use machine::{AnyHost, Observer, Stopped};

use crate::body::Body;

/// Turns after which a condition on the host is looked at though the host was told nothing: whoever runs the drive may
/// have other reasons to stop.
pub const TURNS_APART: u32 = 1 << 12;

/// Until when the main loop turns.
pub enum Until<'u> {
    /// Until a condition on the host holds. It is looked at after turns in which the host was told something, and after so many others.
    Host(&'u mut dyn FnMut(&dyn AnyHost) -> bool, u32),
    /// For so many turns.
    Turns(u32),
}

/// What is counted while the main loop turns.
struct Turns<'u> {
    until: Until<'u>,
    /// Turns until the condition is looked at, or until the end.
    left: u32,
}

impl<'u> Turns<'u> {
    fn new(until: Until<'u>) -> Self {
        let left = match until {
            Until::Host(_, apart) => apart,
            Until::Turns(turns) => turns,
        };
        Turns { until, left }
    }

    /// Whether the turn that has just ended was the last, as far as the host goes.
    #[inline]
    fn are_over<O>(&mut self, body: &mut Body<O>) -> bool {
        self.left = self.left.saturating_sub(1);
        match &mut self.until {
            Until::Turns(_) => self.left == 0,
            Until::Host(..) if !body.told && self.left > 0 => false,
            Until::Host(condition, apart) => {
                (self.left, body.told) = (*apart, false);
                condition(&*body.host)
            }
        }
    }
}

/// Turns the main loop until the time for it is over, nothing can happen any more, or the body is due.
pub fn turn<O: Observer, F: contract::Firmware<Body<O>>>(
    firmware: &mut F,
    body: &mut Body<O>,
    until: Until<'_>,
) -> Stopped {
    let mut turns = Turns::new(until);
    loop {
        firmware.pass(body);
        if body.array.is_lost() {
            return Stopped::Lost;
        }
        if turns.are_over(body) {
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
pub fn turn_cores<O: Observer>(
    firmware: &mut Firmware<FlashLayers<CoreSchedulers>>,
    body: &mut Body<O>,
    until: Until<'_>,
) -> Stopped {
    let mut turns = Turns::new(until);
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
        if turns.are_over(body) {
            break Stopped::Host;
        }
        if body.now() >= body.due {
            break Stopped::Due;
        }
    };
    body.end_cores();
    stopped
}

/// The power goes away. A board with a capacitor saves what it can by turns of the main loop, until that is used up. What chips
/// were doing then is cut off.
pub fn lose_power<O: Observer>(body: &mut Body<O>, mut turn: impl FnMut(&mut Body<O>)) {
    let mut dark = None;
    if body.lose_power() {
        dark = body.went_dark();
        while dark.is_none() && !body.quiet {
            turn(body);
            dark = body.went_dark();
        }
    }
    let now = dark.unwrap_or(body.now());
    body.run_channels(now);
    body.array.cut(now);
}
