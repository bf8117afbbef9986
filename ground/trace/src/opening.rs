//! Opening files: which traces they have, and how these are read.

use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use foreign::input;

use crate::archive::kinds::refused;
use crate::archive::{tar, zip, Archive, Member};
use crate::compression::Compression;
use crate::detect::{detect, is_read_by, settle, Detected, Undetected};
use crate::event::Event;
use crate::format::Format;
use crate::open::{OpenError, Trace};
use crate::part::{decompressed, of_stream, Part};
use crate::processors;
use crate::unit::TimeUnit;

/// Bytes at the beginning from which the format is found.
const SAMPLE_BYTES: u64 = 1 << 16;
/// The most files that are merged by time; each has a buffer of its own.
const MOST_PARTS: usize = 256;
/// Members that are left out and named, and files.
const NAMED: usize = 5;

/// How files are opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The format; found from the beginning of each file if there is none.
    pub format: Option<Format>,
    /// The unit of their times; that of the format if there is none.
    pub unit: Option<TimeUnit>,
    /// Names of the volumes whose requests are read; all if there are none.
    pub volumes: Vec<String>,
    /// Names of the members of archives that are read; all if there are none.
    pub members: Vec<String>,
    /// Whose clock counts.
    pub clock: Clocks,
}

/// Whose clock counts where there are several files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clocks {
    /// Each is a trace, whose time begins with its first record. Files that `blktrace` wrote for the processors of one device
    /// are one trace all the same.
    #[default]
    OfEach,
    /// All together are one trace.
    One,
}

/// What files have.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// The traces, in the order of the files.
    pub traces: Vec<Trace>,
    /// What a user has to be told.
    pub notes: Vec<String>,
    /// What an archive has lost, which nobody can know who is strict.
    pub lost: Vec<String>,
}

/// A file or member that is a trace, or a part of one.
struct Found {
    part: Part,
    compression: Compression,
    detected: Detected,
}

/// What was found in files so far.
#[derive(Default)]
struct Collected {
    found: Vec<Found>,
    /// Members of archives, whether they are asked for or not.
    seen: Vec<Member>,
    opened: Opened,
}

/// What a file turns out to be.
enum Look {
    Stream(Compression, Vec<u8>),
    Archive(Archive),
}

impl Opening {
    /// Opens files and finds their traces.
    ///
    /// # Errors
    /// When a file cannot be read, no format or more than one reads it, or what is asked for cannot be had.
    pub fn open(&self, paths: &[PathBuf]) -> Result<Opened, OpenError> {
        if let (Some(Format::Layout(layout, _)), Some(unit)) = (self.format, self.unit) {
            if layout.is_own() {
                let found = format!("{unit} beside a layout with a unit of its own");
                return asked("--time-unit", found, "the unit in the layout, such as time=1ms");
            }
        }
        let mut all = Collected::default();
        for (input, path) in paths.iter().enumerate() {
            match look(path)? {
                Look::Archive(archive) => {
                    let members = Members { opening: self, path, input, archive };
                    members.open(&mut all)?;
                }
                Look::Stream(compression, sample) => {
                    let part = Part { path: path.clone(), input, member: None };
                    let detected = self.detected(path, &sample)?;
                    all.found.push(Found { part, compression, detected });
                }
            }
        }
        let Collected { found, seen, mut opened } = all;
        if let Some(name) = self
            .members
            .iter()
            .find(|name| !seen.iter().any(|member: &Member| member.is_called(name)))
        {
            return asked(
                "--member",
                format!("\"{name}\""),
                &match seen.is_empty() {
                    true => "an archive that has members".to_owned(),
                    false => listed(seen.iter().map(|member| &member.name[..])),
                },
            );
        }
        for group in self.groups(found) {
            opened.notes.extend(missing(&group));
            opened.traces.push(self.trace(group)?);
        }
        Ok(opened)
    }

    fn detected(&self, path: &Path, sample: &[u8]) -> Result<Detected, OpenError> {
        let detected = match self.format {
            Some(format) => Ok(settle(sample, format)),
            None => detect(sample),
        };
        let unknown = |found| OpenError::Format { path: path.to_owned(), found };
        detected.map_err(|undetected| unknown(why(&undetected)))
    }

    /// Files by trace, in their order.
    fn groups(&self, found: Vec<Found>) -> Vec<Vec<Found>> {
        let mut groups: Vec<Vec<Found>> = Vec::new();
        for found in found {
            let is_of = |group: &&mut Vec<Found>| match self.clock {
                Clocks::One => true,
                Clocks::OfEach => {
                    let device = device(&found);
                    device.is_some() && device == self::device(&group[0])
                }
            };
            match groups.iter_mut().find(is_of) {
                Some(group) => group.push(found),
                None => groups.push(vec![found]),
            }
        }
        groups
    }

    /// The trace of some files.
    fn trace(&self, group: Vec<Found>) -> Result<Trace, OpenError> {
        let first = &group[0];
        let plain = |found: &Found| found.detected.format.by(Event::Queue);
        if let Some(other) = group.iter().find(|found| plain(found) != plain(first)) {
            let names = [first, other].map(|found| found.detected.format.name());
            let found = format!("{} and {}", names[0], names[1]);
            return asked("--one-clock", found, "files of one format");
        }
        if group.len() > MOST_PARTS {
            let found = format!("{} files for one clock", group.len());
            return asked(&first.part.name(), found, "at most 256");
        }
        // One processor need not have queued what the others did.
        let formats = || group.iter().map(|found| found.detected.format);
        let queued = formats().find(|format| format.event() == Some(Event::Queue));
        let format = queued.unwrap_or(first.detected.format);
        let sum = |of: fn(&Detected) -> u32| group.iter().map(|found| of(&found.detected)).sum();
        let read = first.detected.read.map(|_| sum(|detected| detected.read.unwrap_or(0)));
        Ok(Trace {
            path: PathBuf::from(first.part.name()),
            compression: first.compression,
            detected: Detected { format, read, of: sum(|detected| detected.of) },
            unit: self.unit,
            volumes: self.volumes.clone(),
            parts: group.into_iter().map(|found| found.part).collect(),
        })
    }
}

/// An archive whose members are opened.
struct Members<'a> {
    opening: &'a Opening,
    path: &'a Path,
    input: usize,
    archive: Archive,
}

impl Members<'_> {
    fn open(&self, all: &mut Collected) -> Result<(), OpenError> {
        let Members { path, archive, .. } = *self;
        let before = all.found.len();
        let (mut left_out, mut passed) = (Vec::new(), Vec::new());
        let mut pass =
            |name: String, why: &'static str| passed.push(format!("{name}: found {why}"));
        let refuse = |error| OpenError::File { path: path.to_owned(), error };
        let walked = match archive {
            Archive::Tar => {
                let (_, mut input) = decompressed(path).map_err(refuse)?;
                let mut look = |member: Member, first: &[u8]| {
                    let stream = of_stream(BufReader::new(Cursor::new(first.to_vec())));
                    let sample = stream.and_then(|(how, input)| sampled(how, input));
                    left_out.extend(self.consider(member, sample, all));
                };
                tar::walk(&mut *input, &mut look, &mut pass)
            }
            Archive::Zip => {
                let mut file = input::open(path).map_err(refuse)?;
                let mut look = |member: Member| {
                    let stream = self.part(member.clone()).open();
                    let sample = stream.and_then(|(how, input)| sampled(how, input));
                    left_out.extend(self.consider(member, sample, all));
                };
                zip::list(&mut file, &mut look, &mut pass)
            }
        };
        left_out.extend(passed);
        let error = walked.err().map(|error| error.to_string());
        if let Some(error) = &error {
            let line = format!("{}: found {error}, expected a whole archive", path.display());
            all.opened.lost.push(line);
        }
        let has_none = all.found.len() == before;
        if has_none && (self.opening.members.is_empty() || error.is_some()) {
            let why = error.or(left_out.into_iter().next());
            let why = why.unwrap_or_else(|| "it has no files".to_owned());
            let found = format!("a {} archive without a trace ({why})", archive.name());
            return Err(OpenError::Format { path: path.to_owned(), found });
        }
        let notes = &mut all.opened.notes;
        let named = left_out.iter().take(NAMED);
        notes.extend(named.map(|line| format!("{}: {line}: left out", path.display())));
        if left_out.len() > NAMED {
            let more = left_out.len() - NAMED;
            notes.push(format!("{}: {more} more members are left out", path.display()));
        }
        Ok(())
    }

    fn part(&self, member: Member) -> Part {
        Part { path: self.path.to_owned(), input: self.input, member: Some(member) }
    }

    /// Takes a member as a trace if it is asked for; says why it is left out otherwise.
    fn consider(
        &self,
        member: Member,
        sample: io::Result<(Compression, Vec<u8>)>,
        all: &mut Collected,
    ) -> Option<String> {
        let wanted = &self.opening.members;
        all.seen.push(member.clone());
        if !wanted.is_empty() && !wanted.iter().any(|name| member.is_called(name)) {
            return None;
        }
        let detected =
            sample.map_err(|error| error.to_string()).and_then(|(compression, sample)| {
                Ok((compression, member_detected(self.opening, &sample)?))
            });
        match detected {
            Ok((compression, detected)) => {
                all.found.push(Found { part: self.part(member), compression, detected });
                None
            }
            Err(why) => Some(format!("{}: found {why}", member.name)),
        }
    }
}

/// What a file is: its first bytes tell.
fn look(path: &Path) -> Result<Look, OpenError> {
    let refuse = |error| OpenError::File { path: path.to_owned(), error };
    let kind = |found: &str| OpenError::Kind { path: path.to_owned(), found: found.to_owned() };
    let mut first = Vec::new();
    let mut file = input::open(path).map_err(refuse)?;
    file.by_ref().take(512).read_to_end(&mut first).map_err(refuse)?;
    if zip::is_zip(&first) {
        return Ok(Look::Archive(Archive::Zip));
    }
    if let Some(found) = refused(&first) {
        return Err(kind(found));
    }
    let (compression, input) = decompressed(path).map_err(refuse)?;
    let (compression, sample) = sampled(compression, input).map_err(refuse)?;
    if tar::is_header(&sample) {
        return Ok(Look::Archive(Archive::Tar));
    }
    match refused(&sample) {
        Some(found) => Err(kind(found)),
        None => Ok(Look::Stream(compression, sample)),
    }
}

/// The beginning of a stream.
fn sampled(compression: Compression, input: Box<dyn Read>) -> io::Result<(Compression, Vec<u8>)> {
    let mut sample = Vec::new();
    // What is damaged behind its beginning can be read up to there.
    match input.take(SAMPLE_BYTES).read_to_end(&mut sample) {
        Err(error) if sample.is_empty() => Err(error),
        _ => Ok((compression, sample)),
    }
}

/// The format of a member, or why it is left out.
fn member_detected(opening: &Opening, sample: &[u8]) -> Result<Detected, String> {
    if tar::is_header(sample) || zip::is_zip(sample) {
        return Err("an archive within the archive".to_owned());
    }
    if let Some(kind) = refused(sample) {
        return Err(kind.to_owned());
    }
    match opening.format {
        Some(format) if is_read_by(sample, format) => Ok(settle(sample, format)),
        Some(format) => Err(format!("no lines of {}", format.name())),
        None => detect(sample).map_err(|undetected| why(&undetected)),
    }
}

fn why(undetected: &Undetected) -> String {
    match undetected {
        Undetected::Empty => "nothing".to_owned(),
        Undetected::None => "no format that reads at least half of its first lines".to_owned(),
        Undetected::Several(one, other) => {
            format!("lines of {} that are also lines of {}", one.name(), other.name())
        }
    }
}

/// The device whose trace a file is a part of, with where it lies.
fn device(found: &Found) -> Option<(PathBuf, String)> {
    if !matches!(found.detected.format, Format::Blktrace(_)) {
        return None;
    }
    let Part { path, member, .. } = &found.part;
    let (device, _) = processors::device(&found.part.base())?;
    let place = match member {
        Some(member) => path.join(member.name.strip_suffix(member.base()).unwrap_or_default()),
        None => path.parent().unwrap_or(Path::new("")).to_owned(),
    };
    Some((place, device))
}

/// What is told where files of a device are there that were not given.
fn missing(group: &[Found]) -> Option<String> {
    let first = &group[0];
    if device(first).is_none() || first.part.member.is_some() {
        return None;
    }
    let is_given = |path: &PathBuf| group.iter().any(|found| found.part.path == *path);
    let missing: Vec<_> =
        processors::files(&first.part.path).into_iter().filter(|path| !is_given(path)).collect();
    let (name, _) = processors::device(&first.part.base())?;
    (!missing.is_empty()).then(|| {
        let others = listed(missing.iter().filter_map(|path| path.to_str()));
        format!(
            "{}: {others} of the same device is not read: name all files, or {name}, for all processors",
            first.part.path.display()
        )
    })
}

/// Names, the first of them.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    match names.len().saturating_sub(2 * NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..2 * NAMED].join(", ")),
    }
}

fn asked<T>(what: &str, found: impl Into<String>, expected: &str) -> Result<T, OpenError> {
    let (what, expected) = (what.to_owned(), expected.to_owned());
    Err(OpenError::Asked { what, found: found.into(), expected })
}
