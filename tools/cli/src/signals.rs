//! Signals that end a run early.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use host::Stop;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use recipe::{Failure, STOPPED};

/// What SIGINT and SIGTERM ask for from now on. The first of them asks for an end, the second is the
/// end.
///
/// # Errors
/// When the operating system refuses.
pub fn stop() -> Result<Stop, Failure> {
    let (stop, asked) = (Stop::default(), Arc::new(AtomicBool::new(false)));
    for signal in [SIGINT, SIGTERM] {
        // What is registered first is done first: it looks for the signal before this one.
        flag::register_conditional_shutdown(signal, i32::from(STOPPED), asked.clone())
            .and_then(|_| flag::register(signal, asked.clone()))
            .and_then(|_| flag::register_usize(signal, stop.flag(), signal as usize))
            .map_err(|error| Failure::unexpected("signals", error, "to be told of them"))?;
    }
    Ok(stop)
}
