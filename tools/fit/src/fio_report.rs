//! Takes fio's JSON reports in.
//!
//! What is read are fio's own keys, as fio 3 writes them: `global options`, and of each job its name, group, options and
//! results. Reports of `firmament run` have the same keys.

use std::io::ErrorKind;
use std::path::Path;

use foreign::input;
use serde_json::{Deserializer, Map, Value};

use crate::error::FitError;
use crate::measurement::{Going, Measurement, Observed};

/// What a file should be.
const EXPECTED: &str = "a report of fio --output-format=json";
/// The engine of a job that names none: fio's own on Linux.
const DEFAULT_ENGINE: &str = "psync";

/// Where a report tells the queue depth of a job.
const DEPTH: &str = "latency_depth";

/// The jobs of a report in a file.
///
/// # Errors
/// When the file cannot be read, is no report of fio 3, or has a job that cannot be used.
pub fn read(path: &Path) -> Result<Vec<Measurement>, FitError> {
    let name = path.display().to_string();
    let unreadable = |reason: String| FitError::unexpected(&name, reason, EXPECTED);
    let text = input::text(path, input::OF_PROGRAM);
    let text = text.map_err(|error| match error.kind() {
        ErrorKind::InvalidData => unreadable("no UTF-8 text".to_owned()),
        _ => unreadable(error.to_string()),
    })?;
    parse(&name, &text)
}

/// The jobs of a report in a text. Lines before the report, which fio writes on occasion, and text behind it are passed over.
///
/// # Errors
/// As those of [`read`].
pub fn parse(file: &str, text: &str) -> Result<Vec<Measurement>, FitError> {
    let report = Report { file, root: object(file, text)? };
    report.check_version()?;
    let mut measurements: Vec<(Measurement, u64)> = Vec::new();
    for (nth, job) in report.jobs()?.iter().enumerate() {
        let entry = Entry { report: &report, place: format!("jobs[{nth}]"), job };
        let (measurement, group) = (entry.measurement()?, entry.group()?);
        match measurements.last_mut() {
            Some((last, known)) if *known == group && last.name == measurement.name => {
                entry.of_one_depth(last)?;
                last.add(&measurement);
            }
            _ => measurements.push((measurement, group)),
        }
    }
    alone(&measurements)?;
    Ok(measurements.into_iter().map(|(measurement, _)| measurement).collect())
}

/// The object that the report is, from the first line that begins with a brace on.
fn object(file: &str, text: &str) -> Result<Value, FitError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let starts = text.match_indices('{').map(|(at, _)| at);
    let mut starts =
        starts.filter(|at| text[..*at].rsplit('\n').next().unwrap_or("").trim().is_empty());
    let Some(start) = starts.next() else {
        return Err(FitError::unexpected(file, "no JSON", EXPECTED));
    };
    let before = text[..start].matches('\n').count();
    match Deserializer::from_str(&text[start..]).into_iter::<Value>().next() {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => {
            let line = before + error.line();
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            let place = format!("{file}: line {line}, column {}", error.column());
            Err(FitError::unexpected(place, format!("no JSON ({reason})"), EXPECTED))
        }
        None => Err(FitError::unexpected(file, "no JSON", EXPECTED)),
    }
}

/// Refuses jobs that ran at once: how they shared the drive is not told.
fn alone(measurements: &[(Measurement, u64)]) -> Result<(), FitError> {
    let expected = "jobs that ran one after the other (stonewall), or a file for each";
    for (nth, (measurement, group)) in measurements.iter().enumerate() {
        let before = &measurements[..nth];
        let place = || measurement.whole_name();
        if let Some((other, _)) = before.iter().find(|(_, known)| known == group) {
            let found = format!("a job that ran at the same time as {}", other.name);
            return Err(FitError::unexpected(place(), found, expected));
        }
        let has = |names: &[&str]| measurement.option(names).is_some_and(|value| value != "0");
        if nth > 0 && has(&["new_group"]) && !has(&["stonewall", "wait_for_previous"]) {
            let found = "new_group without stonewall";
            return Err(FitError::unexpected(place(), found, expected));
        }
    }
    Ok(())
}

impl Measurement {
    /// Adds a clone of the same job. Percentiles of several clones cannot be put together.
    fn add(&mut self, clone: &Measurement) {
        for (own, more) in self.observed.iter_mut().zip(&clone.observed) {
            match (own, more) {
                (Some(own), Some(more)) => own.add(more),
                (own @ None, more) => *own = *more,
                (Some(_), None) => {}
            }
        }
    }
}

impl Observed {
    fn add(&mut self, more: &Observed) {
        let (own, other) = (self.requests as f64, more.requests as f64);
        let mean = |a: f64, b: f64| (a * own + b * other) / (own + other);
        self.mean_ns = self.mean_ns.zip(more.mean_ns).map(|(a, b)| mean(a, b));
        (self.p50_ns, self.p99_ns) = (None, None);
        self.requests += more.requests;
        self.bytes_s += more.bytes_s;
        self.iops += more.iops;
    }
}

/// A file of fio's.
struct Report<'a> {
    file: &'a str,
    root: Value,
}

impl Report<'_> {
    fn check_version(&self) -> Result<(), FitError> {
        let version = self.root.get("fio version");
        let number = |text: &str| {
            let digits = text.strip_prefix("fio-")?.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u32>().ok()
        };
        // A version built between two releases may be named by its commit.
        match version.and_then(Value::as_str) {
            Some(text) if number(text).is_none_or(|major| major >= 3) => Ok(()),
            _ => {
                let place = format!("{}: fio version", self.file);
                Err(FitError::unexpected(place, shown(version), "fio-3.0 or newer"))
            }
        }
    }

    fn jobs(&self) -> Result<&[Value], FitError> {
        let jobs = self.root.get("jobs");
        match jobs.and_then(Value::as_array) {
            Some(list) if !list.is_empty() => Ok(list),
            _ => {
                let place = format!("{}: jobs", self.file);
                Err(FitError::unexpected(place, shown(jobs), "a list of at least one job"))
            }
        }
    }

    /// Whether it is one of `firmament run`, where a job without an engine keeps its queue full.
    fn is_own(&self) -> bool {
        self.root.get("firmament").is_some()
    }
}

/// A job of a report.
struct Entry<'a> {
    report: &'a Report<'a>,
    place: String,
    job: &'a Value,
}

impl Entry<'_> {
    fn measurement(&self) -> Result<Measurement, FitError> {
        let name = self.job.get("jobname");
        let Some(text) = name.and_then(Value::as_str) else {
            return Err(self.wrong("jobname", name, "the name of a job"));
        };
        match self.job.get("error") {
            None => {}
            Some(error) if error.as_u64() == Some(0) => {}
            error => return Err(self.wrong("error", error, "0, a job without errors")),
        }
        let mut options = self.options(&self.report.root, "global options")?;
        options.extend(self.options(self.job, "job options")?);
        options.extend(self.found_depth(&options)?);
        let [read, write, mixed] = Going::ALL.map(|going| self.observed(going));
        let (read, write, mixed) = (read?, write?, mixed?);
        // Beside its parts a sum says nothing new.
        let observed = [read, write, mixed.filter(|_| read.or(write).is_none())];
        if observed.iter().all(Option::is_none) {
            let expected = "a job that read or wrote";
            return Err(self.wrong(
                "read.total_ios, write.total_ios and mixed.total_ios",
                Some(&0.into()),
                expected,
            ));
        }
        let mut measurement = Measurement {
            file: self.report.file.to_owned(),
            place: self.place.clone(),
            name: text.to_owned(),
            options,
            observed,
            warnings: Vec::new(),
        };
        if !self.report.is_own() {
            as_fio(&mut measurement);
        }
        Ok(measurement)
    }

    /// The option that stands for a search for a queue depth (`latency_target`): the depth that was found, at which all was
    /// measured that fio reports. Where the job went on after that, the report tells of several depths together.
    fn found_depth(
        &self,
        options: &[(String, String)],
    ) -> Result<Option<(String, String)>, FitError> {
        let last = |name: &str| options.iter().rev().find(|(key, _)| key == name).map(|(_, v)| v);
        if !last("latency_target").is_some_and(|time| is_target(time)) {
            return Ok(None);
        }
        if let Some(found) = last("latency_run").filter(|value| is_on(value)) {
            let expected = "0, a job that ends when it has found its depth";
            return Err(self.wrong("latency_run", Some(&found.as_str().into()), expected));
        }
        let told = self.job.get(DEPTH);
        match told.and_then(Value::as_u64).filter(|depth| *depth > 0) {
            Some(depth) => Ok(Some(("iodepth".to_owned(), depth.to_string()))),
            None => Err(self.wrong(DEPTH, told, "the depth that latency_target led to")),
        }
    }

    /// Refuses a clone that found another depth than those before it: their figures are told together.
    fn of_one_depth(&self, before: &Measurement) -> Result<(), FitError> {
        if !before.option(&["latency_target"]).is_some_and(is_target) {
            return Ok(());
        }
        let depth = self.job.get(DEPTH).map(Value::to_string);
        match before.option(&["iodepth"]) {
            Some(known) if depth.as_deref() != Some(known) => {
                let expected = format!("{known}, as a clone of the same job found");
                Err(self.wrong(DEPTH, self.job.get(DEPTH), &expected))
            }
            _ => Ok(()),
        }
    }

    fn group(&self) -> Result<u64, FitError> {
        let group = self.job.get("groupid");
        match group {
            None => Ok(0),
            Some(number) => number
                .as_u64()
                .ok_or_else(|| self.wrong("groupid", group, "the number of a group of jobs")),
        }
    }

    fn options(&self, holder: &Value, key: &str) -> Result<Vec<(String, String)>, FitError> {
        let Some(options) = holder.get(key) else { return Ok(Vec::new()) };
        let Some(options) = options.as_object() else {
            return Err(self.wrong(key, Some(options), "an object of fio's options"));
        };
        let text = |(name, value): (&String, &Value)| match value.as_str() {
            Some(text) => Ok((name.clone(), text.to_owned())),
            None => Err(self.wrong(&format!("{key}.{name}"), Some(value), "a text")),
        };
        options.iter().map(text).collect()
    }

    /// What was measured in a direction; none if nothing was done in it.
    fn observed(&self, going: Going) -> Result<Option<Observed>, FitError> {
        let key = going.name();
        let Some(direction) = self.job.get(key) else { return Ok(None) };
        let Some(direction) = direction.as_object() else {
            return Err(self.wrong(key, Some(direction), "an object of results"));
        };
        let path = |name: &str| format!("{key}.{name}");
        let total = direction.get("total_ios");
        let Some(requests) = total.and_then(Value::as_u64) else {
            return Err(self.wrong(&path("total_ios"), total, "a whole number"));
        };
        if requests == 0 {
            return Ok(None);
        }
        let above_zero = |name: &str| {
            let value = direction.get(name);
            let number = value.and_then(Value::as_f64).filter(|number| *number > 0.0);
            number.ok_or_else(|| self.wrong(&path(name), value, "a number above 0"))
        };
        let (iops, bytes_s) = (above_zero("iops")?, above_zero("bw_bytes")?);
        if let Some(old) = direction.get("clat").filter(|_| !direction.contains_key("clat_ns")) {
            return Err(self.wrong(
                &path("clat"),
                Some(old),
                "clat_ns, as fio writes it since version 3",
            ));
        }
        let mean = ["lat_ns", "clat_ns"].into_iter().find_map(|name| {
            let mean = direction.get(name)?.get("mean").map(|mean| (path(name), mean));
            mean.filter(|(_, mean)| mean.as_f64() != Some(0.0))
        });
        let mean_ns = match mean {
            None => None,
            Some((place, mean)) => Some(self.time(&format!("{place}.mean"), mean)?),
        };
        let percentiles = direction.get("clat_ns").and_then(|clat| clat.get("percentile"));
        let percentile = |name: &str| {
            let value =
                percentiles.and_then(|all| all.get(name)).filter(|v| v.as_f64() != Some(0.0));
            let place = path(&format!("clat_ns.percentile.{name}"));
            value.map(|value| self.time(&place, value)).transpose()
        };
        let (p50_ns, p99_ns) = (percentile("50.000000")?, percentile("99.000000")?);
        Ok(Some(Observed { requests, bytes_s, iops, mean_ns, p50_ns, p99_ns }))
    }

    fn time(&self, key: &str, value: &Value) -> Result<f64, FitError> {
        let number = value.as_f64().filter(|number| *number > 0.0);
        number.ok_or_else(|| self.wrong(key, Some(value), "nanoseconds above 0"))
    }

    fn wrong(&self, key: &str, found: Option<&Value>, expected: &str) -> FitError {
        let place = format!("{}: {}.{key}", self.report.file, self.place);
        FitError::unexpected(place, shown(found), expected)
    }
}

/// A job of fio's own that names no engine has one request in flight, and one without `direct` is served from the host's memory.
fn as_fio(measurement: &mut Measurement) {
    if measurement.option(&["ioengine"]).is_none() {
        measurement.options.push(("ioengine".to_owned(), DEFAULT_ENGINE.to_owned()));
    }
    let direct = measurement.option(&["direct"]).is_some_and(is_on)
        || measurement.option(&["buffered"]).is_some_and(|value| !is_on(value))
        || measurement.option(&["ioengine"]).is_some_and(|engine| engine == "io_uring_cmd");
    if !direct {
        let place = measurement.whole_name();
        measurement.warnings.push(format!(
            "{place}: direct: found no direct=1: what fio measured is the host's page cache as well as the drive"
        ));
    }
}

/// Whether a job has a latency to keep to: a time of nothing is none.
fn is_target(time: &str) -> bool {
    time.contains(|c| matches!(c, '1'..='9'))
}

/// Whether an option that is on or off is on.
fn is_on(value: &str) -> bool {
    !matches!(value, "0" | "false")
}

/// A value in a line.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::Object(fields)) => short(fields),
        Some(Value::Array(list)) => format!("a list of {}", list.len()),
        Some(scalar) => scalar.to_string(),
    }
}

fn short(fields: &Map<String, Value>) -> String {
    match fields.keys().next() {
        None => "an empty object".to_owned(),
        Some(first) => format!("an object with {first:?}"),
    }
}
