//! Rounds that break a promise: what a round panics with is caught, and nothing is printed.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::plan::Plan;
use crate::storm::{Outcome, Storm};

/// What went wrong in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What was found, and where in the program.
    pub what: String,
    /// The step in which it was found, from 0 on; the number of steps if it was found at the end.
    pub step: usize,
}

thread_local! {
    /// Whether this thread runs a round.
    static IN_ROUND: Cell<bool> = const { Cell::new(false) };
    static TOLD: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs a plan, and catches what it panics with.
///
/// # Errors
/// What went wrong.
pub fn attempt(plan: &Plan) -> Result<Outcome, Violation> {
    keep_quiet();
    let step = Cell::new(0);
    IN_ROUND.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| Storm::run(plan, |nth| step.set(nth))));
    IN_ROUND.set(false);
    outcome.map_err(|_| Violation { what: TOLD.take(), step: step.get() })
}

/// From now on a panic in a round is kept, and not printed.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IN_ROUND.get() {
                return usual(info);
            }
            let place = info.location().map_or(String::new(), |place| format!(" ({place})"));
            TOLD.set(format!("{}{place}", text(info.payload())));
        }));
    });
}

fn text(payload: &dyn Any) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "no message",
    }
}
