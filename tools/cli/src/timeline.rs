//! The command `timeline`.

use std::io::BufReader;

use ::timeline::{Gantt, Trace};
use foreign::input;

use crate::arguments::TimelineArguments;
use crate::output::Destination;
use crate::tell;
use recipe::Failure;

/// Draws a trace.
///
/// # Errors
/// When the trace cannot be read, holds nothing to draw, or the picture cannot be written.
pub fn draw(arguments: &TimelineArguments) -> Result<(), Failure> {
    let picture = Destination::new(&arguments.svg)?;
    let path = &arguments.trace;
    let file = input::open(path)
        .map_err(|error| Failure::file(path, &error, "a trace that run --timeline wrote"))?;
    let input = |line: String| Failure::Input(format!("{}: {line}", path.display()));
    let trace = Trace::read(BufReader::new(file)).map_err(|error| input(error.to_string()))?;
    let gantt = Gantt::new(&trace, arguments.window).map_err(|error| input(error.to_string()))?;
    if let Some((start_ps, end_ps)) = gantt.cut_ps() {
        let (start_us, end_us) = (start_ps / 1e6, end_ps / 1e6);
        tell(&format!(
            "firmament: warning: {}: found too many operations for one picture, drew {start_us:.3} us \
             to {end_us:.3} us; --window START..END chooses another part",
            path.display()
        ));
    }
    picture.write(|out| gantt.write(out))
}
