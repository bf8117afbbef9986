//! The command `rerun`: does a reported run again and compares.

use std::io;

use host::Watchers;
use monitor::{Period, Sampler};
use recipe::{Failure, Keep, Recipe};
use report::{first_difference, read_provenance, Difference, JsonForm, RunResult};
use serde_json::Value;

use crate::arguments::RerunArguments;
use crate::output::print;
use crate::program::{COMMIT, PROGRAM, VERSION};
use crate::progress::ProgressLine;
use crate::tell;
use crate::{body, inputs, report_file};

/// Runs again what a report tells of.
///
/// # Errors
/// When the file is no report that can be run again, or the run gave another.
pub fn rerun(arguments: &RerunArguments) -> Result<(), Failure> {
    let path = arguments.report.display().to_string();
    let report = report_file::read(&arguments.report)?;
    let unfit = |fault: String| Failure::Input(format!("{path}: {fault}"));
    let provenance = read_provenance(&report).map_err(|error| unfit(error.to_string()))?;
    if !matches!(report["firmament"]["cut"], Value::Null | Value::Bool(false)) {
        return Err(unfit(
            "found a run that was cut, expected one that came to its end".to_owned(),
        ));
    }
    let recipe = inputs::jobs(&provenance.jobs)
        .and_then(|jobs| Recipe::reported(&provenance, jobs, PROGRAM))
        .map_err(|failure| unfit(failure.to_string()))?;
    let (version, commit) = (&provenance.version, &provenance.commit);
    if (version.as_str(), commit.as_str()) != (VERSION, COMMIT) {
        tell(&format!(
            "firmament: {path} was written by version {version}, commit {commit}; \
             this is version {VERSION}, commit {COMMIT}"
        ));
    }
    let again = to_json(&repeated(&recipe)?, JsonForm::of(&report))
        .map_err(|error| unfit(error.to_string()))?;
    match first_difference(&report, &again) {
        None => {
            print(|out| io::Write::write_all(out, format!("{path}: the same again\n").as_bytes()))
        }
        Some(Difference { path: place, first, second }) => {
            let shown = |text: Option<String>| text.unwrap_or_else(|| "nothing".to_owned());
            Err(Failure::Different(format!(
                "{path}: {place}: found {} in this run, expected {}",
                shown(second),
                shown(first)
            )))
        }
    }
}

/// Does the run as it was done, watched by a monitor if it was.
fn repeated(recipe: &Recipe) -> Result<RunResult, Failure> {
    let period = recipe.provenance.monitor_interval_ps.and_then(Period::from_ps);
    let mut sampler = period.map(|period| Sampler::new(Box::new(io::sink()), period));
    let watchers = Watchers { monitor: sampler.as_mut(), ..Watchers::default() };
    let mut line = ProgressLine::on_terminal();
    let mut show = |progress| line.show(&progress);
    let (mut result, _) =
        body::run(recipe, (recipe.request(), Keep::Nothing), (watchers, &mut show))?;
    let stop = host::Stop::default();
    result.over_seeds = body::over_seeds(recipe, &result, &stop)?;
    result.provenance = Some(recipe.provenance.clone());
    Ok(result)
}

/// The report as it would be read from a file.
fn to_json(result: &RunResult, form: JsonForm) -> io::Result<Value> {
    let mut text = Vec::new();
    report::write_json(result, form, &mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
