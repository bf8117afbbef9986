//! The command `run`.

use std::io::{self, Write};
use std::path::Path;

use ::timeline::Recorder;
use host::{PayloadForm, Preconditioning, RunError, RunRequest};
use monitor::{Period, Sampler};
use report::{JsonForm, RunResult};
use sim::Polling;

use crate::arguments::{OutputFormat, PayloadKind, PollingKind, PreconditionKind, RunArguments};
use crate::boards;
use crate::failure::{one_line, Failure};
use crate::inputs::Inputs;
use crate::output::{print, Destination};
use crate::progress::ProgressLine;
use crate::tell;

/// Runs the jobs and writes the reports. `options` are fio's, which stand in for a job file.
///
/// # Errors
/// When the input cannot be used, found before anything runs, and when the drive failed. Jobs that
/// ended with errors are reported before they fail the command.
pub fn run(arguments: &RunArguments, options: &[(String, String)]) -> Result<(), Failure> {
    let inputs = Inputs::read(&arguments.inputs, options)?;
    let board = boards::resolve(&inputs.board, &arguments.overrides)?;
    let reports = Reports::new(arguments)?;
    inputs.jobs.warnings.iter().for_each(|line| warn(line));
    let request = RunRequest {
        board: &board,
        jobs: &inputs.jobs,
        job_file: &inputs.job_file,
        seed: arguments.seed,
        payload: payload(arguments.payload),
        precondition: precondition(arguments.precondition),
        polling: polling(arguments.polling),
    };
    let mut sampler = reports.sampler(arguments.monitor_interval)?;
    let mut line = ProgressLine::new();
    let mut show = |progress| line.show(&progress);
    let monitor = sampler.as_mut();
    let result = match &reports.timeline {
        None => {
            let watchers = host::Watchers { observer: sim::Unobserved, monitor };
            host::run_watched(request, watchers, &mut show).map(|(result, _)| (result, None))
        }
        Some(_) => {
            let geometry = &board.firmware.geometry;
            let window = arguments.timeline_window;
            let observer = Recorder::new(window, geometry.channels, geometry.ways);
            let watchers = host::Watchers { observer, monitor };
            host::run_watched(request, watchers, &mut show)
                .map(|(result, recorder)| (result, Some(recorder)))
        }
    };
    drop(line);
    let (result, recorder) = result.map_err(failure)?;
    reports.end(sampler)?;
    // Those of the jobs come first.
    result.warnings.iter().skip(inputs.jobs.warnings.len()).for_each(|line| warn(line));
    reports.write(&result)?;
    reports.write_timeline(recorder.as_ref())?;
    job_errors(&result)
}

fn warn(warning: &str) {
    tell(&format!("firmament: warning: {}", one_line(warning)));
}

fn failure(error: RunError) -> Failure {
    let line = error.to_string();
    match error {
        RunError::Board(_) | RunError::Job(_) | RunError::Memory { .. } => Failure::Input(line),
        RunError::Driver(_)
        | RunError::Data(_)
        | RunError::Stray { .. }
        | RunError::Stalled { .. } => Failure::Drive(line),
    }
}

/// Fails when a job ended with an error.
fn job_errors(result: &RunResult) -> Result<(), Failure> {
    let mut failed = result.jobs.iter().filter_map(|job| Some((job, job.error.as_ref()?)));
    match failed.next() {
        None => Ok(()),
        Some((job, error)) => Err(Failure::Drive(format!(
            "job {}: {} (error {})",
            job.name, error.message, error.number
        ))),
    }
}

/// The reports that were asked for, and where they go.
struct Reports<'a> {
    formats: &'a [OutputFormat],
    output: Option<Destination>,
    json: Option<Destination>,
    html: Option<Destination>,
    timeline: Option<Destination>,
    monitor: Option<Destination>,
}

impl<'a> Reports<'a> {
    /// Checks that every file can be written.
    fn new(arguments: &'a RunArguments) -> Result<Self, Failure> {
        let files = [
            &arguments.output,
            &arguments.json,
            &arguments.html,
            &arguments.timeline,
            &arguments.monitor,
        ];
        let open = |path: &Option<_>| path.as_deref().map(Destination::new).transpose();
        let [output, json, html, timeline, monitor] = files.map(open);
        let reports = Reports {
            formats: &arguments.output_format,
            output: output?,
            json: json?,
            html: html?,
            timeline: timeline?,
            monitor: monitor?,
        };
        let all =
            [&reports.output, &reports.json, &reports.html, &reports.timeline, &reports.monitor];
        let mut replaced: Vec<&Path> =
            all.iter().filter_map(|to| to.as_ref()?.replaces()).collect();
        replaced.sort_unstable();
        if let Some(twice) = replaced.windows(2).find(|pair| pair[0] == pair[1]) {
            let expected = "a file for each report";
            return Err(Failure::unexpected(twice[0].display(), "it for two reports", expected));
        }
        Ok(reports)
    }

    /// The sampler of the operation monitor, if it is on.
    fn sampler(&self, period: Period) -> Result<Option<Sampler>, Failure> {
        let out = self.monitor.as_ref().map(Destination::begin).transpose()?;
        Ok(out.map(|out| Sampler::new(Box::new(out), period)))
    }

    /// Fails if the monitor's lines could not be written.
    fn end(&self, sampler: Option<Sampler>) -> Result<(), Failure> {
        match (sampler.map(Sampler::finish), &self.monitor) {
            (Some(Err(error)), Some(file)) => Err(file.refused(&error)),
            _ => Ok(()),
        }
    }

    fn write(&self, result: &RunResult) -> Result<(), Failure> {
        match &self.output {
            None => print(|out| write_formats(self.formats, result, out))?,
            Some(file) => file.write(|out| write_formats(self.formats, result, out))?,
        }
        if let Some(file) = &self.json {
            file.write(|out| report::write_json(result, JsonForm::Plain, out))?;
        }
        match &self.html {
            None => Ok(()),
            Some(file) => file.write(|out| report::write_html(result, out)),
        }
    }

    /// Writes the timeline, and tells if it had to end early.
    fn write_timeline(&self, recorder: Option<&Recorder>) -> Result<(), Failure> {
        let (Some(file), Some(recorder)) = (&self.timeline, recorder) else { return Ok(()) };
        if let Some(end_ps) = recorder.cut_short_ps() {
            let end_us = end_ps as f64 / 1e6;
            warn(&format!(
                "timeline: it is full and ends at {end_us:.3} us; see --timeline-window"
            ));
        }
        file.write(|out| recorder.write(out))
    }
}

fn write_formats(
    formats: &[OutputFormat],
    result: &RunResult,
    out: &mut impl Write,
) -> io::Result<()> {
    for (nth, format) in formats.iter().enumerate() {
        if formats[..nth].contains(format) {
            continue;
        }
        match format {
            OutputFormat::Normal => report::write_normal(result, out)?,
            OutputFormat::Json => report::write_json(result, JsonForm::Plain, out)?,
            OutputFormat::JsonPlus => report::write_json(result, JsonForm::Plus, out)?,
        }
    }
    Ok(())
}

fn payload(kind: PayloadKind) -> PayloadForm {
    match kind {
        PayloadKind::Stamp => PayloadForm::Stamps,
        PayloadKind::Full => PayloadForm::Bytes,
    }
}

fn precondition(kind: PreconditionKind) -> Preconditioning {
    match kind {
        PreconditionKind::None => Preconditioning::None,
        PreconditionKind::Sequential => Preconditioning::Sequential,
        PreconditionKind::Random => Preconditioning::Random,
        PreconditionKind::Steady => Preconditioning::Steady,
    }
}

fn polling(kind: PollingKind) -> Polling {
    match kind {
        PollingKind::Skip => Polling::Skip,
        PollingKind::Exact => Polling::Exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::oracle::Mismatch;
    use host::DataError;

    #[test]
    fn wrong_data_fails_the_command_and_names_lba_time_and_seed() {
        let mismatch = Mismatch { lba: 1234, index: 0, found: None, permitted: Vec::new() };
        let error = DataError {
            job: "job1".to_owned(),
            mismatch,
            byte: 1234 * 4096,
            time_ps: 5_000_001,
            seed: 42,
        };
        let Failure::Drive(line) = failure(RunError::Data(Box::new(error))) else {
            panic!("wrong data is the drive's failure");
        };
        for part in ["LBA 1234", "5.000001 us", "seed 42"] {
            assert!(line.contains(part), "{line} does not hold {part:?}");
        }
    }
}
