//! The command `trace`.

use std::path::Path;

use ::trace::{Compressor, Generator, Statistics, Trace, Writer};

use crate::arguments::{TraceAction, TraceGenerateArguments, TraceInfoArguments, TraceReading};
use crate::output::{print, Destination};
use recipe::Failure;

/// Does what is asked of a trace.
///
/// # Errors
/// When it cannot be read, or a file cannot be written.
pub fn trace(action: &TraceAction) -> Result<(), Failure> {
    match action {
        TraceAction::Info(arguments) => info(arguments),
        TraceAction::Generate(arguments) => generate(arguments),
    }
}

/// Prints what is in a trace.
fn info(arguments: &TraceInfoArguments) -> Result<(), Failure> {
    let page = arguments.html.as_deref().map(Destination::new).transpose()?;
    let (trace, statistics) = survey(&arguments.trace, arguments.reading)?;
    if !page.as_ref().is_some_and(Destination::is_standard) {
        print(|out| ::trace::write_text(&trace, &statistics, out))?;
    }
    match page {
        Some(page) => page.write(|out| ::trace::write_page(&trace, &statistics, out)),
        None => Ok(()),
    }
}

/// Writes a trace that is like another.
fn generate(arguments: &TraceGenerateArguments) -> Result<(), Failure> {
    let TraceGenerateArguments { like, reading, output, written, records, seed } = arguments;
    let file = Destination::new(output)?;
    let (trace, statistics) = survey(like, *reading)?;
    let mut generator = Generator::new(&statistics, *seed)
        .map_err(|error| Failure::Input(format!("{}: {error}", like.display())))?;
    let format = written.unwrap_or(trace.format());
    let count = records.unwrap_or(statistics.requests());
    file.write_bytes(|out| {
        let mut writer = Writer::new(Compressor::new(out, output)?, format)?;
        for _ in 0..count {
            writer.write(&generator.next())?;
        }
        writer.into_inner().finish()?;
        Ok(())
    })
}

/// Opens a trace and reads all of it.
///
/// # Errors
/// When it cannot be read; with `--strict` also when a line cannot.
pub fn survey(path: &Path, reading: TraceReading) -> Result<(Trace, Statistics), Failure> {
    let refuse = |error: ::trace::OpenError| Failure::Input(error.to_string());
    let trace = Trace::open(path, reading.format).map_err(refuse)?;
    let mut reader = trace.reader().map_err(refuse)?;
    let statistics = Statistics::gather(&mut reader, reading.strictness(), |_| true)
        .map_err(|fault| Failure::Input(format!("{}: {fault}", path.display())))?;
    Ok((trace, statistics))
}
