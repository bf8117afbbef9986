//! The command `trace`.

use std::path::PathBuf;

use ::trace::{Compressor, Generator, Opened, Statistics, Trace, Volumes, Writer};

use crate::arguments::{TraceAction, TraceGenerateArguments, TraceInfoArguments, TraceReading};
use crate::output::{print, Destination};
use crate::run::warn;
use recipe::Failure;

/// Volumes that are named where one is not there.
const LISTED: usize = 10;

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
    let opened = open(&::trace::expanded(files), reading)?;
    opened.notes.iter().for_each(|note| warn(note));
    let statistics = |trace: Trace| {
        let mut reader = trace.reader().map_err(refuse)?;
        let statistics = Statistics::gather(&mut reader, reading.strictness(), |_| true)
            .map_err(|fault| Failure::Input(format!("{}: {fault}", trace.path.display())))?;
        Ok((trace, statistics))
    };
    let all = opened.traces.into_iter().map(statistics).collect::<Result<Vec<_>, Failure>>()?;
    let kept = chosen(
        all.iter().map(|(_, statistics)| (&statistics.names, statistics.requests())),
        reading,
    )?;
    Ok(all.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(one, _)| one).collect())
}

/// Opens files as traces. With `--strict` an archive that ends early is refused.
///
/// # Errors
/// When a file cannot be read, or what is asked for cannot be had.
pub fn open(files: &[PathBuf], reading: &TraceReading) -> Result<Opened, Failure> {
    let opened = reading.opening().open(files);
    let mut opened = opened.map_err(|error| Failure::Input(error.to_string()))?;
    match opened.lost.first() {
        Some(lost) if reading.strict => Err(Failure::Input(lost.clone())),
        _ => {
            let lost = std::mem::take(&mut opened.lost);
            opened.notes.extend(lost.iter().map(|line| format!("{line}: it is read up to there")));
            Ok(opened)
        }
    }
}

/// Which traces have requests of the volumes that are asked for. All are kept where none are.
///
/// # Errors
/// When no trace has one of the volumes.
pub fn chosen<'a>(
    traces: impl Iterator<Item = (&'a Volumes, u64)>,
    reading: &TraceReading,
) -> Result<Vec<bool>, Failure> {
    let traces: Vec<_> = traces.collect();
    for name in &reading.volume {
        if !traces.iter().any(|(volumes, _)| volumes.has(name)) {
            let numbered = |(volumes, _): &(&'a Volumes, u64)| {
                (0..volumes.len()).map(|nth| volumes.name(nth as u32)).collect::<Vec<_>>()
            };
            let names: Vec<String> = traces.iter().flat_map(numbered).collect();
            let mut there = names[..names.len().min(LISTED)].join(", ");
            if names.len() > LISTED {
                there += &format!(" and {} more", names.len() - LISTED);
            }
            let found = format!("\"{name}\"");
            return Err(Failure::unexpected("--volume", found, &format!("one of {there}")));
        }
    }
    Ok(traces.iter().map(|(_, requests)| reading.volume.is_empty() || *requests > 0).collect())
}
