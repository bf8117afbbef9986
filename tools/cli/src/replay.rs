//! The command `replay`.

use recipe::Failure;
use report::JobSource;

use crate::arguments::{divide, FioArguments, ReplayArguments};
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
    check(&arguments.run.fio)?;
    let options = arguments.how.options();
    let (jobs, files) = recipe::traces(&::trace::expanded(&traces), &options)?;
    let source = JobSource::Traces { files, options };
    let inputs = Inputs { board: board.cloned(), jobs, source };
    if arguments.run.fio.parse_only {
        run::tell_warnings(&inputs);
        return Ok(());
    }
    run::go(&arguments.run, inputs.recipe(&arguments.run)?)
}

/// Traces have neither sections nor options of jobs, and their requests are what they are.
fn check(fio: &FioArguments) -> Result<(), Failure> {
    let FioArguments { sections, readonly, parse_only: _, showcmd, cmdhelp, enghelp } = fio;
    let said = [
        ("--readonly", *readonly),
        ("--section", !sections.is_empty()),
        ("--showcmd", *showcmd),
        ("--cmdhelp", cmdhelp.is_some()),
        ("--enghelp", enghelp.is_some()),
    ];
    match said.into_iter().find(|(_, is_said)| *is_said) {
        None => Ok(()),
        Some((name, _)) => {
            let expected = "firmament run with it: traces are no jobs";
            Err(Failure::unexpected(name, "it beside traces", expected))
        }
    }
}
