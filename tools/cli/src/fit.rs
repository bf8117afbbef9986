//! The command `board fit`.

use std::io::Write;
use std::path::Path;

use ::fit::{Asked, FitError, Measurement};

use crate::arguments::FitArguments;
use crate::output::{print, Destination};
use crate::progress::CountLine;
use crate::signals;
use crate::study::threads;
use crate::tell;
use recipe::Failure;

/// Fits a board to measurements, prints what is known of it, and writes its file.
///
/// # Errors
/// When a file, a key or the board cannot be used, or a place cannot be written, all found before the fit; when a simulated
/// drive fails; and when a signal ended it.
pub fn fit(arguments: &FitArguments) -> Result<(), Failure> {
    let measurements = measurements(arguments)?;
    // It is read once more with the first run.
    foreign::input::note(Path::new(&arguments.base));
    let output = arguments.output.as_deref().map(board_file).transpose()?;
    let json = arguments.json.as_deref().map(Destination::new).transpose()?;
    Destination::apart([&output, &json].into_iter().flatten())?;
    for warning in measurements.iter().flat_map(|own| &own.warnings) {
        tell(&format!("firmament: warning: {warning}"));
    }
    let stop = signals::stop()?;
    let asked = Asked {
        base: &arguments.base,
        overrides: &arguments.overrides,
        wanted: &arguments.wanted,
        precondition: arguments.precondition.into(),
        seed: arguments.seed,
        requests: arguments.requests,
        runs: arguments.runs,
        error: arguments.error,
        threads: threads(arguments.jobs),
        stop: &stop,
    };
    let mut line = CountLine::new("runs at most", arguments.runs);
    let outcome = ::fit::fit(asked, &measurements, &mut |runs| line.show(runs));
    drop(line);
    let outcome = outcome.map_err(failure)?;
    let board = match &arguments.output {
        None => None,
        Some(path) => Some(outcome.board_file(path).map_err(failure)?),
    };
    // What was found is not lost where standard output takes the board.
    print(|out| write!(out, "{outcome}"))?;
    if let (Some(place), Some(text)) = (&output, &board) {
        place.write(|out| out.write_all(text.as_bytes()))?;
    }
    if let Some(place) = &json {
        place.write(|out| {
            serde_json::to_writer_pretty(&mut *out, &outcome.to_json())?;
            writeln!(out)
        })?;
    }
    Ok(())
}

/// The jobs of all files.
fn measurements(arguments: &FitArguments) -> Result<Vec<Measurement>, Failure> {
    let mut all = Vec::new();
    for file in &arguments.files {
        all.extend(::fit::read(file).map_err(failure)?);
    }
    Ok(all)
}

/// Where a board is written to.
fn board_file(path: &Path) -> Result<Destination, Failure> {
    match path.extension().is_some_and(|end| end == "toml") {
        true => Destination::new(path),
        false => {
            Err(Failure::unexpected("--output", format!("{path:?}"), "a file that ends in .toml"))
        }
    }
}

fn failure(error: FitError) -> Failure {
    match error {
        FitError::Input(line) => Failure::Input(line),
        FitError::Drive(line) => Failure::Drive(line),
        FitError::Stopped(line) => Failure::Stopped(line),
    }
}
