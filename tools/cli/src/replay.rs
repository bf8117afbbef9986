//! The command `replay`.

use recipe::Failure;
use report::JobSource;

use crate::arguments::{divide, ReplayArguments};
use crate::inputs::Inputs;
use crate::run;

/// Replays traces and writes the reports.
///
/// # Errors
/// As those of `run`, and when a trace cannot be read.
pub fn replay(arguments: &ReplayArguments) -> Result<(), Failure> {
    let (boards, traces) = divide(&arguments.run.inputs);
    let board = crate::inputs::only(&boards, "one board, and traces that are files")?;
    if traces.is_empty() {
        return Err(Failure::unexpected("command line", "no trace", "a trace such as hm_0.csv.gz"));
    }
    let options = arguments.how.options();
    let (jobs, files) = recipe::traces(&::trace::expanded(&traces), &options)?;
    let source = JobSource::Traces { files, options };
    let inputs = Inputs { board: board.cloned(), jobs, source };
    run::go(&arguments.run, inputs.recipe(&arguments.run)?)
}
