//! Several job files, and options beside them, as one text that says all that runs.
//!
//! Lines keep the places that they came from: a comment, [`mark`], says where the lines behind it stood.

use std::sync::Arc;

use super::error::{JobError, Place};

/// Begins the comment that says where the lines behind it stood.
const MARK: &str = "; firmament: from ";
/// What such a comment says of options.
const COMMAND_LINE: &str = "command line";

/// What a command line has of jobs.
#[derive(Clone, Copy, Debug)]
pub struct Composition<'a> {
    /// Options: name and value.
    pub options: &'a [(String, String)],
    /// Name and text of each job file.
    pub files: &'a [(String, String)],
    /// The sections that are wanted; all if there are none.
    pub sections: &'a [String],
}

/// The lines of a job file with their places, without the comments that tell these.
pub fn lines<'a>(file: &str, text: &'a str) -> impl Iterator<Item = (Place, &'a str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut next = Place::Line { file: file.into(), line: 1 };
    text.lines().filter_map(move |line| match line.strip_prefix(MARK) {
        Some(from) => {
            let place = match from.rsplit_once(':') {
                Some((file, line)) => {
                    line.parse().ok().map(|line| Place::Line { file: file.into(), line })
                }
                None => (from == COMMAND_LINE).then_some(Place::CommandLine),
            };
            next = place.unwrap_or_else(|| after(&next));
            None
        }
        None => {
            let behind = after(&next);
            Some((std::mem::replace(&mut next, behind), line))
        }
    })
}

/// The comment that says that the lines behind it begin at `place`.
pub fn mark(place: &Place) -> String {
    match place {
        Place::Line { file, line } => format!("{MARK}{file}:{line}"),
        Place::CommandLine => format!("{MARK}{COMMAND_LINE}"),
    }
}

/// One text of all. As in fio, options before the first `name` hold for the jobs of files too, and the
/// jobs of a further file wait for those of the files before.
///
/// # Errors
/// An option whose value cannot stand in a file, or a section that no file has.
pub fn compose(all: Composition<'_>) -> Result<String, JobError> {
    if let ([], [(_, text)], []) = (all.options, all.files, all.sections) {
        return Ok(text.clone());
    }
    let mut sheet = Sheet::new(all.sections);
    for (key, value) in all.options {
        let (key, value) = (key.trim(), value.trim());
        if value.contains(['\n', '\r', ';', '#']) {
            let expected = "a value of one line without ; or #, as it stands beside a job file";
            let (place, key) = (Place::CommandLine, key.to_string());
            return Err(JobError::Value {
                place,
                key,
                found: value.to_string(),
                expected: expected.to_string(),
            });
        }
        match (key, value) {
            ("name", name) => sheet.section(Place::CommandLine, name),
            _ if sheet.is_empty() => sheet.section(Place::CommandLine, "global"),
            _ => {}
        }
        match value {
            _ if key == "name" => {}
            "" => sheet.push(Place::CommandLine, key),
            value => sheet.push(Place::CommandLine, &format!("{key}={value}")),
        }
    }
    for (nth, (name, text)) in all.files.iter().enumerate() {
        sheet.waits = nth > 0;
        for (place, line) in lines(name, text) {
            let heading = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']'));
            match heading {
                Some((section, _)) => sheet.heading(place, line, section),
                None => sheet.push(place, line),
            }
        }
    }
    sheet.end()
}

/// A text that grows.
struct Sheet<'a> {
    text: String,
    wanted: &'a [String],
    seen: Vec<String>,
    /// Where the next line would stand without a mark.
    next: Option<Place>,
    /// Whether lines belong to a section that is wanted.
    taken: bool,
    /// Whether the next job waits for those before.
    waits: bool,
}

impl<'a> Sheet<'a> {
    fn new(wanted: &'a [String]) -> Self {
        let (text, seen) = (String::new(), Vec::new());
        Sheet { text, wanted, seen, next: None, taken: true, waits: false }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.seen.is_empty()
    }

    fn section(&mut self, place: Place, name: &str) {
        self.heading(place, &format!("[{name}]"), name);
    }

    fn heading(&mut self, place: Place, line: &str, name: &str) {
        let is_global = name == "global";
        let is_wanted = |wanted: &String| wanted == name;
        self.taken = is_global || self.wanted.is_empty() || self.wanted.iter().any(is_wanted);
        if !is_global {
            self.seen.push(name.to_string());
        }
        self.push(place, line);
        if self.taken && !is_global && std::mem::take(&mut self.waits) {
            self.text.push_str("stonewall\n");
            self.next = None;
        }
    }

    fn push(&mut self, place: Place, line: &str) {
        if !self.taken {
            return;
        }
        if self.next.as_ref() != Some(&place) {
            self.text.push_str(&mark(&place));
            self.text.push('\n');
        }
        self.next = Some(after(&place));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn end(self) -> Result<String, JobError> {
        match self.wanted.iter().find(|wanted| !self.seen.contains(wanted)) {
            None => Ok(self.text),
            Some(missing) => {
                let expected = match &self.seen[..] {
                    [] => "a job with sections".to_string(),
                    seen => format!("a section of the jobs, which are {}", seen.join(", ")),
                };
                let (place, key) = (Place::CommandLine, "section".to_string());
                Err(JobError::Value { place, key, found: missing.clone(), expected })
            }
        }
    }
}

/// The place behind another.
fn after(place: &Place) -> Place {
    match place {
        Place::Line { file, line } => {
            Place::Line { file: Arc::clone(file), line: line.saturating_add(1) }
        }
        Place::CommandLine => Place::CommandLine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::parse_file;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let pair = |option: &str| {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            (key.to_string(), value.to_string())
        };
        text.split_whitespace().map(pair).collect()
    }

    fn composed(options: &str, files: &[(&str, &str)], sections: &str) -> Result<String, JobError> {
        let owned = |(name, text): &(&str, &str)| (name.to_string(), text.to_string());
        compose(Composition {
            options: &pairs(options),
            files: &files.iter().map(owned).collect::<Vec<_>>(),
            sections: &sections.split_whitespace().map(str::to_string).collect::<Vec<_>>(),
        })
    }

    const J: &str = "; two\n[global]\nbs=4k\n[j1]\nrw=read\n[j2]\nrw=write\n";

    #[test]
    fn a_file_alone_is_left_as_it_is() {
        assert_eq!(composed("", &[("j.fio", J)], "").unwrap(), J);
    }

    #[test]
    fn options_hold_for_the_jobs_of_files_and_lines_keep_their_places() {
        let text = composed("runtime=1 time_based", &[("j.fio", J)], "j2").unwrap();
        let expected = "; firmament: from command line\n[global]\nruntime=1\ntime_based\n\
                        ; firmament: from j.fio:1\n; two\n[global]\nbs=4k\n\
                        ; firmament: from j.fio:6\n[j2]\nrw=write\n";
        assert_eq!(text, expected);
        let file = parse_file("j.fio", &text).unwrap();
        let option = |key: &str, value: &str| (key.to_string(), value.to_string());
        let global = [option("runtime", "1"), option("time_based", ""), option("bs", "4k")];
        assert_eq!(file.global_options, global);
        let wrong = text.replace("rw=write", "rw=wriet");
        let error = parse_file("j.fio", &wrong).unwrap_err().to_string();
        assert!(error.starts_with("j.fio:7: rw: found \"wriet\""), "{error}");
        let wrong = text.replace("runtime=1", "runtime=x");
        let error = parse_file("j.fio", &wrong).unwrap_err().to_string();
        assert!(error.starts_with("command line: runtime: found \"x\""), "{error}");
    }

    #[test]
    fn a_further_file_waits_and_keeps_what_was_global() {
        let text = composed("", &[("j.fio", J), ("k.fio", "[k1]\nrw=read\n")], "").unwrap();
        assert!(
            text.ends_with(
                "; firmament: from k.fio:1\n[k1]\nstonewall\n; firmament: from k.fio:2\nrw=read\n"
            ),
            "{text}"
        );
        assert_eq!(text.matches("stonewall").count(), 1);
    }

    #[test]
    fn what_cannot_be_composed_is_told() {
        let error = composed("", &[("j.fio", J)], "j3").unwrap_err().to_string();
        let told =
            "command line: section: found \"j3\", expected a section of the jobs, which are j1, j2";
        assert_eq!(error, told);
        let error = composed("description=a;b", &[("j.fio", J)], "").unwrap_err().to_string();
        assert!(error.starts_with("command line: description: found \"a;b\""), "{error}");
    }
}
