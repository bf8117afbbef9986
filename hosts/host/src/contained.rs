//! Work on a drive whose state came from a file. What may be wrong with a state is checked when it is read, but not each of its
//! thousand numbers against all others: what is left is a drive that does what no drive does, and comes upon an assertion. This
//! is the file's fault and no panic of the program.

use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;

use machine::ImageError;

use crate::error::RunError;
use crate::snapshot::SnapshotError;

thread_local! {
    /// Whether this thread works on such a drive.
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
    /// What the last panic of such a drive said, and where it was.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A file that a drive came from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// The state of a drive at rest.
    Snapshot(&'a Path),
    /// What the chips of a drive hold, from a run before.
    Image(&'a Path),
}

/// Does the work. Where the drive came from a file, a panic of it is an error that names the file.
pub(crate) fn contained<T>(
    source: Option<Source<'_>>,
    work: impl FnOnce() -> Result<T, RunError>,
) -> Result<T, RunError> {
    let Some(source) = source else { return work() };
    let before = CONTAINED.replace(true);
    // The drive is gone afterwards, and so is what the work has borrowed to change it.
    let done = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(before);
    done.unwrap_or_else(|payload| {
        let said = SAID.take().unwrap_or_else(|| message(&*payload).to_owned());
        // An assertion of two values says them in lines of their own.
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = format!("a drive that no run has left ({said})");
        let expected = "the state of a drive of its board";
        Err(match source {
            Source::Snapshot(file) => SnapshotError::new(file, "state", (found, expected)).into(),
            Source::Image(file) => {
                RunError::Image(ImageError::new(file, "content", (found, expected)))
            }
        })
    })
}

/// For the panic hook of a program: whether this panic becomes the error of a snapshot or an image, so that nothing is to be said of it.
pub fn panic_is_contained(info: &PanicHookInfo<'_>) -> bool {
    let contained = CONTAINED.get();
    if contained {
        let place = info.location().map_or(String::new(), |place| format!(" at {place}"));
        SAID.set(Some(format!("{}{place}", message(info.payload()))));
    }
    contained
}

/// What a panic says.
fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "no message",
    }
}
