//! Reports that a command was asked for, and where they go.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use foreign::Shown;
use monitor::{Period, Sampler};
use report::{JsonForm, RunResult, TerseVersion};

use crate::arguments::{OutputFormat, ReportArguments};
use crate::output::{print, Destination};
use crate::requests::RequestsFile;
use recipe::Failure;

/// Files beside the reports that a run writes.
#[derive(Default)]
pub struct Others<'a> {
    /// Where the timeline is written, if it is asked for.
    pub timeline: Option<&'a Path>,
    /// Where requests are written, if they are asked for.
    pub requests: Option<&'a Path>,
    /// The snapshot of the drive.
    pub save: Option<&'a Path>,
    /// The snapshot that the drive is from.
    pub from: Option<&'a Path>,
    /// The image that the drive is in.
    pub image: Option<&'a Path>,
    /// The logs of the jobs.
    pub logs: BTreeSet<String>,
}

/// The reports that were asked for, and where they go.
pub struct Reports<'a> {
    formats: &'a [OutputFormat],
    terse: TerseVersion,
    /// Status reports that wait for the file of the last.
    statuses: RefCell<Vec<u8>>,
    output: Option<Destination>,
    json: Option<Destination>,
    html: Option<Destination>,
    timeline: Option<Destination>,
    monitor: Option<Destination>,
    requests: Option<RequestsFile>,
    save: Option<Destination>,
}

impl<'a> Reports<'a> {
    /// Checks that every file can be written.
    ///
    /// # Errors
    /// When one cannot, or two are the same.
    pub fn new(arguments: &'a ReportArguments, others: Others<'_>) -> Result<Self, Failure> {
        let files = [
            arguments.output.as_deref(),
            arguments.json.as_deref(),
            arguments.html.as_deref(),
            others.timeline,
            arguments.monitor.as_deref(),
        ];
        let open = |path: Option<&Path>| path.map(Destination::new).transpose();
        let [output, json, html, timeline, monitor] = files.map(open);
        let requests = others.requests.map(RequestsFile::new);
        let save = others.save.map(|path| Destination::that_goes_on(path, others.from));
        let reports = Reports {
            formats: if arguments.minimal {
                &[OutputFormat::Terse]
            } else {
                &arguments.output_format
            },
            terse: arguments.terse_version,
            statuses: RefCell::default(),
            output: output?,
            json: json?,
            html: html?,
            timeline: timeline?,
            monitor: monitor?,
            requests: requests.transpose()?,
            save: save.transpose()?,
        };
        if reports.save.as_ref().is_some_and(Destination::is_standard) {
            return Err(Failure::unexpected("--save", "standard output", "a file"));
        }
        let Reports { output, json, html, timeline, monitor, save, requests, .. } = &reports;
        let all = [output, json, html, timeline, monitor, save];
        let requests = requests.iter().map(RequestsFile::file);
        let open = |path: &String| Destination::new(Path::new(path));
        let logs = others.logs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let all: Vec<_> = all.into_iter().flatten().chain(requests).chain(&logs).collect();
        let standard = [&reports.output, &reports.json, &reports.html, &reports.timeline];
        if standard.into_iter().flatten().filter(|to| to.is_standard()).count() > 1 {
            let expected = "one report there and files for the others";
            return Err(Failure::unexpected("standard output", "it for two reports", expected));
        }
        Destination::apart(all.iter().copied())?;
        if let Some(image) = others.image {
            Destination::apart_from(all.iter().copied(), image)?;
        }
        Ok(reports)
    }

    /// Where the timeline goes.
    pub fn timeline(&self) -> Option<&Destination> {
        self.timeline.as_ref()
    }

    /// Where requests go.
    pub fn requests(&self) -> Option<&RequestsFile> {
        self.requests.as_ref()
    }

    /// Where the snapshot goes.
    pub fn save(&self) -> Option<&Destination> {
        self.save.as_ref()
    }

    /// The sampler of the operation monitor, if it is on.
    ///
    /// # Errors
    /// When its file cannot be written.
    pub fn sampler(&self, period: Period) -> Result<Option<Sampler>, Failure> {
        let out = self.monitor.as_ref().map(Destination::begin_late).transpose()?;
        Ok(out.map(|out| Sampler::new(Box::new(out), period)))
    }

    /// Fails if the monitor's lines could not be written.
    ///
    /// # Errors
    /// In that case.
    pub fn end_monitor(&self, ended: io::Result<()>) -> Result<(), Failure> {
        match (ended, &self.monitor) {
            (Err(error), Some(file)) => Err(file.refused(&error)),
            _ => Ok(()),
        }
    }

    /// Tells what came out so far, where the report will go; nothing where another report goes to standard
    /// output.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub fn write_status(&self, result: &RunResult) -> Result<(), Failure> {
        match &self.output {
            None if self.is_standard_taken() => Ok(()),
            None => print(|out| self.write_formats(result, out)),
            Some(file) => self
                .write_formats(result, &mut *self.statuses.borrow_mut())
                .map_err(|error| file.refused(&error)),
        }
    }

    /// Writes all reports of a run but the timeline. The text goes to standard output unless another
    /// report does.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, result: &RunResult) -> Result<(), Failure> {
        match &self.output {
            None if self.is_standard_taken() => {}
            None => print(|out| self.write_formats(result, out))?,
            Some(file) => file.write(|out| {
                out.write_all(&self.statuses.take())?;
                self.write_formats(result, out)
            })?,
        }
        if let Some(file) = &self.json {
            file.write(|out| report::write_json(result, JsonForm::Plain, out))?;
        }
        match &self.html {
            None => Ok(()),
            Some(file) => file.write(|out| report::write_html(result, out)),
        }
    }

    /// Whether a report other than the text goes to standard output.
    fn is_standard_taken(&self) -> bool {
        let others = [&self.json, &self.html, &self.timeline];
        others.into_iter().flatten().any(Destination::is_standard)
    }

    /// Writes all formats that were asked for. Even in a file they are what people look at on a terminal.
    fn write_formats(&self, result: &RunResult, out: &mut impl Write) -> io::Result<()> {
        let out = &mut Shown::new(out);
        for (nth, format) in self.formats.iter().enumerate() {
            if self.formats[..nth].contains(format) {
                continue;
            }
            match format {
                OutputFormat::Normal => report::write_normal(result, out)?,
                OutputFormat::Json => report::write_json(result, JsonForm::Plain, out)?,
                OutputFormat::JsonPlus => report::write_json(result, JsonForm::Plus, out)?,
                OutputFormat::Terse => report::write_terse(result, self.terse, out)?,
            }
        }
        Ok(())
    }
}
