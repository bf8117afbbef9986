//! Reading the list of a paper's figures and tables.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::file::ExhibitsFile;
use super::Source;
use crate::error::{one_of, Fault, StudyError};
use crate::experiment::Experiment;
use crate::files::Wanted;
use crate::outcome::{Exhibit, Treatment};

/// No list is longer than this.
const LARGEST_FILE: u64 = 1 << 20;

/// What the file is expected to be.
const EXPECTED: &str = "CSV with the columns kind, number, shows, done, by, files and note";

/// A row of the file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    kind: String,
    number: String,
    shows: String,
    done: String,
    by: String,
    files: String,
    note: String,
}

/// Reads the list: each number of each kind, from 1 to the last, has one row.
pub(super) fn read(
    source: &Source<'_>,
    experiments: &[Experiment],
    written: &ExhibitsFile,
) -> Result<Vec<Exhibit>, StudyError> {
    if written.last.is_empty() {
        let fault = Fault::new("exhibits.last", "nothing", "the last number of each kind");
        return Err(source.fault(fault));
    }
    let path = source.files.path(&written.file);
    let wanted = Wanted {
        name: &written.file,
        most: LARGEST_FILE,
        expected: "a list of figures and tables",
    };
    let text = source.files.read(&wanted)?;
    let syntax = |error| StudyError::csv(&path, &error, EXPECTED);
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let headers = reader.headers().map_err(syntax)?.clone();
    let mut list = Vec::new();
    let mut listed = BTreeSet::new();
    for record in reader.records() {
        let record = record.map_err(syntax)?;
        let nth = record.position().map_or(0, csv::Position::line);
        let place = |fault: Fault| fault.below(format!("line {nth}")).in_file(&path);
        let exhibit = exhibit(&record.deserialize(Some(&headers)).map_err(syntax)?, &written.last);
        let exhibit = exhibit.map_err(place)?;
        check(&exhibit, experiments).map_err(place)?;
        if !listed.insert((exhibit.kind.clone(), exhibit.number)) {
            let found = format!("{} {} twice", exhibit.kind, exhibit.number);
            return Err(place(Fault::new("number", found, "it once")));
        }
        list.push(exhibit);
    }
    for (kind, last) in &written.last {
        if let Some(number) = (1..=*last).find(|nth| !listed.contains(&(kind.clone(), *nth))) {
            let expected = format!("a row for each {kind} from 1 to {last}");
            let fault = Fault::new("kind, number", format!("no {kind} {number}"), expected);
            return Err(fault.in_file(&path));
        }
    }
    Ok(list)
}

/// What a row says.
fn exhibit(line: &Line, last: &BTreeMap<String, u32>) -> Result<Exhibit, Fault> {
    let quoted = |text: &str| format!("{text:?}");
    let most = last.get(&line.kind).ok_or_else(|| {
        Fault::new("kind", quoted(&line.kind), one_of(last.keys().map(String::as_str)))
    })?;
    let number = line.number.parse().ok().filter(|number| (1..=*most).contains(number));
    let number = number.ok_or_else(|| {
        Fault::new("number", quoted(&line.number), format!("a whole number from 1 to {most}"))
    })?;
    let treatment = Treatment::ALL.into_iter().find(|treatment| treatment.name() == line.done);
    let treatment = treatment.ok_or_else(|| {
        Fault::new("done", quoted(&line.done), one_of(Treatment::ALL.map(Treatment::name)))
    })?;
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    Ok(Exhibit {
        kind: line.kind.clone(),
        number,
        shows: line.shows.clone(),
        treatment,
        by: words(&line.by),
        files: words(&line.files),
        note: line.note.clone(),
    })
}

/// Whether a row tells what its treatment needs, and names only what the study has.
fn check(exhibit: &Exhibit, experiments: &[Experiment]) -> Result<(), Fault> {
    let treatment = exhibit.treatment;
    let needed = |key: &str, is_empty: bool, expected: &str| match is_empty {
        true => Err(Fault::new(key, "nothing", format!("{expected}: it is {}", treatment.name()))),
        false => Ok(()),
    };
    needed("shows", exhibit.shows.is_empty(), "what it shows")?;
    match treatment {
        Treatment::Compared | Treatment::ComparedInPart => {
            needed("by", exhibit.by.is_empty(), "what of the study compares it")?;
        }
        _ if !exhibit.by.is_empty() => {
            let expected = format!("nothing: it is {}", treatment.name());
            return Err(Fault::new("by", format!("{:?}", exhibit.by.join(" ")), expected));
        }
        Treatment::NotDone => {}
        _ => needed("files", exhibit.files.is_empty(), "a file of the repository")?,
    }
    if matches!(treatment, Treatment::ComparedInPart | Treatment::NotDone) {
        needed("note", exhibit.note.is_empty(), "what is missing, or why")?;
    }
    for name in &exhibit.by {
        if !has_rows(experiments, name) && !is_picture(experiments, name) {
            let expected = "an experiment, a column as EXPERIMENT/COLUMN, a claim, a summary, a \
                            figure or a timeline of the study";
            return Err(Fault::new("by", format!("{name:?}"), expected));
        }
    }
    let compares = |name: &String| has_rows(experiments, name);
    match exhibit.by.is_empty() || exhibit.by.iter().any(compares) {
        true => Ok(()),
        false => {
            let found = format!("pictures alone ({})", exhibit.by.join(", "));
            Err(Fault::new("by", found, "a value, claim or summary too"))
        }
    }
}

/// Whether `name` is an experiment that has values, claims or summaries, or is one of these: all of
/// it, or its name up to a `/`.
fn has_rows(experiments: &[Experiment], name: &str) -> bool {
    let begins = |id: &String| {
        id.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    experiments.iter().any(|experiment| {
        let values = experiment.values.iter().map(|value| &value.id);
        let claims = experiment.claims.iter().map(|claim| &claim.id);
        let summaries = experiment.summaries.iter().map(|summary| &summary.id);
        let mut rows = values.chain(claims).chain(summaries);
        rows.any(|id| experiment.id == name || begins(id))
    })
}

/// Whether `name` is a figure or a timeline that the study draws.
fn is_picture(experiments: &[Experiment], name: &str) -> bool {
    experiments.iter().any(|experiment| {
        experiment.figures.iter().any(|figure| figure.id == name)
            || experiment.timelines.iter().any(|timeline| timeline.id == name)
    })
}
