//! The command `trace`.

use std::path::PathBuf;

use ::trace::{Compressor, Generator, Statistics, Trace, Writer};

use crate::arguments::{TraceAction, TraceGenerateArguments, TraceInfoArguments, TraceReading};
use crate::output::{print, Destination};
use crate::run::warn;
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

/// Prints what is in traces.
fn info(arguments: &TraceInfoArguments) -> Result<(), Failure> {
    let page = arguments.html.as_deref().map(Destination::new).transpose()?;
    let all = survey(&arguments.traces, &arguments.reading)?;
    let page = match (page, &all[..]) {
        (Some(page), [(trace, statistics)]) => Some((page, trace, statistics)),
        (None, _) => None,
        (Some(_), several) => {
            let found = format!("{} traces for one page", several.len());
            let expected =
                "one trace: --member chooses one of an archive, --one-clock makes them one";
            return Err(Failure::unexpected("--html", found, expected));
        }
    };
    if !page.as_ref().is_some_and(|(page, ..)| page.is_standard()) {
        print(|out| {
            let mut all = all.iter();
            all.try_for_each(|(trace, statistics)| ::trace::write_text(trace, statistics, out))
        })?;
    }
    match page {
        Some((page, trace, statistics)) => {
            page.write(|out| ::trace::write_page(trace, statistics, out))
        }
        None => Ok(()),
    }
}

/// Writes a trace that is like another.
fn generate(arguments: &TraceGenerateArguments) -> Result<(), Failure> {
    let TraceGenerateArguments { like, reading, output, written, records, seed } = arguments;
    let file = Destination::new(output)?;
    let mut all = survey(std::slice::from_ref(like), reading)?;
    let (Some((trace, statistics)), true) = (all.pop(), all.is_empty()) else {
        let expected = "one trace: --member chooses one of an archive, --one-clock makes them one";
        return Err(Failure::unexpected(like.display(), "several traces", expected));
    };
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

/// Opens traces and reads all of them. What a user has to be told of the files is printed.
///
/// # Errors
/// When one cannot be read; with `--strict` also when a line cannot.
fn survey(files: &[PathBuf], reading: &TraceReading) -> Result<Vec<(Trace, Statistics)>, Failure> {
    let refuse = |error: ::trace::OpenError| Failure::Input(error.to_string());
    let files = ::trace::expanded(files);
    let opened = recipe::open_traces(&files, &reading.opening(), reading.strictness())?;
    opened.notes.iter().for_each(|note| warn(note));
    let statistics = |trace: Trace| {
        let mut reader = trace.reader().map_err(refuse)?;
        let statistics = Statistics::gather(&mut reader, reading.strictness(), |_| true)
            .map_err(|fault| Failure::Input(format!("{}: {fault}", trace.path.display())))?;
        Ok((trace, statistics))
    };
    let all = opened.traces.into_iter().map(statistics).collect::<Result<Vec<_>, Failure>>()?;
    let kept = recipe::chosen_traces(
        all.iter().map(|(_, statistics)| (&statistics.names, statistics.requests())),
        &reading.volume,
    )?;
    Ok(all.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(one, _)| one).collect())
}
