//! The command `replay`.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use ::trace::{Format, Survey, Trace};
use foreign::input;
use host::job::JobFile;
use host::replay::Tenant;
use report::{JobSource, TraceOrigin};
use sha2::{Digest, Sha256};

use crate::arguments::{divide, ReplayArguments, ReplayHow};
use crate::inputs::Inputs;
use crate::{run, trace};
use recipe::Failure;

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
    let (jobs, files) = open(&::trace::expanded(&traces), &arguments.how)?;
    let source = JobSource::Traces { files, options: arguments.how.options() };
    let inputs = Inputs { board: board.cloned(), jobs, source };
    run::go(&arguments.run, inputs.recipe(&arguments.run)?)
}

/// The traces that a report tells of.
///
/// # Errors
/// When one is not there any more, or another.
pub fn again(files: &[TraceOrigin], options: &[(String, String)]) -> Result<JobFile, Failure> {
    let how = ReplayHow::of_options(options).map_err(|error| crate::usage::failure(&error))?;
    let paths: Vec<PathBuf> = files.iter().map(|file| PathBuf::from(&file.name)).collect();
    let (jobs, found) = open(&paths, &how)?;
    for (found, file) in found.iter().zip(files) {
        if found.sha256 != file.sha256 {
            let expected = format!("{}, as the report says", file.sha256);
            let what = format!("{}: sha256", file.name);
            return Err(Failure::unexpected(what, &found.sha256, &expected));
        }
    }
    Ok(jobs)
}

/// Opens traces and looks through them, before anything runs.
fn open(paths: &[PathBuf], how: &ReplayHow) -> Result<(JobFile, Vec<TraceOrigin>), Failure> {
    let opened = trace::open(paths, &how.reading)?;
    let all: Vec<_> =
        opened.traces.into_iter().map(|trace| surveyed(trace, how)).collect::<Result<_, _>>()?;
    let kept =
        trace::chosen(all.iter().map(|(_, survey)| (&survey.names, survey.all())), &how.reading)?;
    let all: Vec<_> =
        all.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(one, _)| one).collect();
    check_weights(how, all.len())?;
    let origins =
        (0..paths.len()).map(|nth| origin(nth, &paths[nth], &all)).collect::<Result<_, _>>()?;
    let mut warnings = opened.notes;
    warnings.extend(all.iter().flat_map(|(trace, survey)| told(trace, survey, how)));
    let tenant = |(nth, (trace, survey)): (usize, (Trace, Survey))| Tenant {
        name: trace.name(),
        trace,
        survey,
        weight: how.weights.get(nth).copied(),
    };
    let tenants = all.into_iter().enumerate().map(tenant).collect();
    Ok((JobFile::of_traces(how.replay(), tenants, warnings), origins))
}

/// A trace with what has to be known of it.
fn surveyed(trace: Trace, how: &ReplayHow) -> Result<(Trace, Survey), Failure> {
    let refuse = |error: ::trace::OpenError| Failure::Input(error.to_string());
    let mut reader = trace.reader().map_err(refuse)?;
    let survey = Survey::gather(&mut reader, how.reading.strictness())
        .map_err(|fault| Failure::Input(format!("{}: {fault}", trace.path.display())))?;
    Ok((trace, survey))
}

fn check_weights(how: &ReplayHow, traces: usize) -> Result<(), Failure> {
    if !how.weights.is_empty() && how.weights.len() != traces {
        let found = format!("{} for {traces} traces", how.weights.len());
        return Err(Failure::unexpected("--weights", found, "one for each trace"));
    }
    if !how.weights.is_empty() && host::replay::Classes::of(&how.weights).is_none() {
        let found = format!("{:?}", how.weights);
        let expected =
            "at most three different ones, and at most 256 for all traces of one weight together";
        return Err(Failure::unexpected("--weights", found, expected));
    }
    Ok(())
}

/// What a report tells of a file: of an archive all members together.
fn origin(nth: usize, path: &Path, all: &[(Trace, Survey)]) -> Result<TraceOrigin, Failure> {
    let parts = || {
        all.iter().flat_map(|(trace, survey)| {
            trace
                .inputs()
                .zip(&survey.parts)
                .filter(|(input, _)| *input == nth)
                .map(|(_, sums)| sums)
        })
    };
    let mut of_it = all.iter().filter(|(trace, _)| trace.inputs().any(|input| input == nth));
    let format = match (of_it.next(), of_it.count()) {
        (None, _) => "no requests that are asked for".to_owned(),
        (Some((trace, _)), 0) => trace.told(),
        (Some((trace, _)), others) => {
            format!("{}: {}, and {others} more", trace.name(), trace.told())
        }
    };
    Ok(TraceOrigin {
        name: path.display().to_string(),
        sha256: sha256(path).map_err(|error| Failure::file(path, &error, "a trace"))?,
        format,
        requests: parts().map(|(records, _)| records).sum(),
        unreadable: parts().map(|(_, unreadable)| unreadable).sum(),
    })
}

/// What a user has to be told of a trace.
fn told(trace: &Trace, survey: &Survey, how: &ReplayHow) -> Vec<String> {
    let file = trace.path.display();
    let mut lines = vec![];
    let faults = &survey.faults;
    for fault in &faults.first {
        lines.push(format!("{file}: {fault}: left out"));
    }
    let more = faults.count - faults.first.len() as u64;
    if more > 0 {
        lines.push(format!(
            "{file}: {more} more lines or records could not be read and are left out"
        ));
    }
    if let Some(broken) = &faults.broken {
        lines.push(format!("{file}: {broken}: it is replayed up to there"));
    }
    if survey.back.0 > 0 {
        let (count, by_ns) = survey.back;
        lines.push(format!(
            "{file}: {count} times are earlier than one before them, by at most {by_ns} ns: they count as that one"
        ));
    }
    if let (Some(rate), None) = (survey.doubtful_rate(), how.depth) {
        lines.push(format!(
            "{file}: {rate:.0} arrivals a second, with times in {}: --time-unit gives another unit",
            trace.time_unit()
        ));
    }
    if trace.format() == Format::Tencent {
        lines.push(format!(
            "{file}: times are whole seconds: all requests of a second come at once"
        ));
    }
    lines
}

/// The checksum of a file.
fn sha256(path: &Path) -> io::Result<String> {
    let mut file = BufReader::with_capacity(1 << 16, input::open(path)?);
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => digest.update(&buffer[..count]),
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
