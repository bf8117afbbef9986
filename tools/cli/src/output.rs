//! Where reports go: standard output, or files that appear whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use foreign::{input, Shown};
use tempfile::NamedTempFile;

use recipe::Failure;

/// What stands for standard output in place of a file.
const STANDARD_OUTPUT: &str = "-";

/// What is expected in place of a file that is read.
const ANOTHER_FILE: &str = "another one to write to";

/// Whatever takes a report.
pub type Out<'a> = BufWriter<Box<dyn Write + 'a>>;

/// Writes text to standard output, as a terminal may have it: strings of files that others made are in it. A reader that has
/// seen enough and went away is no failure.
pub fn print(write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> Result<(), Failure> {
    print_as(Content::Text, write)
}

fn print_as(
    content: Content,
    write: impl FnOnce(&mut Out<'_>) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = content.to(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::unexpected("standard output", error, "room for the report"))
        }
        _ => Ok(()),
    }
}

/// What is written to where a terminal may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Text, in which nothing reaches the terminal but what it is to show.
    Text,
    /// Bytes that are no text.
    Bytes,
}

impl Content {
    fn to<'a>(self, stream: impl Write + 'a) -> Out<'a> {
        match self {
            Content::Text => BufWriter::new(Box::new(Shown::new(stream))),
            Content::Bytes => BufWriter::new(Box::new(stream)),
        }
    }
}

/// A file that is to be written at the end of a run, and was found writable before it.
#[derive(Debug)]
pub struct Destination {
    /// As the user gave it.
    path: PathBuf,
    kind: Kind,
    /// A file that is read and may be replaced all the same.
    goes_on: Option<PathBuf>,
}

/// A file that is written bit by bit, and is opened when there is something to write.
#[derive(Debug)]
pub struct Begun {
    path: PathBuf,
    is_file: bool,
    file: Option<File>,
}

impl Write for Begun {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let mut options = OpenOptions::new();
                options.write(true).create(self.is_file).truncate(self.is_file);
                none.insert(options.open(&self.path)?)
            }
        };
        file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

/// How a destination is written.
#[derive(Debug)]
enum Kind {
    /// Whole or not at all: beside the file, then in its place. The path is absolute, without
    /// links.
    Replaced { file: PathBuf, permissions: Option<Permissions> },
    /// As it is: a device or a pipe cannot be replaced.
    Stream,
    /// To standard output.
    Standard,
}

impl Destination {
    /// Checks that `path` can be written; `-` is standard output.
    ///
    /// # Errors
    /// When it cannot.
    pub fn new(path: &Path) -> Result<Destination, Failure> {
        Destination::that_goes_on(path, None)
    }

    /// As [`Destination::new`]; the file may be the one that is read here, as it is written whole in the end: the snapshot that
    /// a run goes on with.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn that_goes_on(path: &Path, from: Option<&Path>) -> Result<Destination, Failure> {
        let goes_on = from.map(Path::to_owned);
        if path == Path::new(STANDARD_OUTPUT) {
            return Ok(Destination { path: path.to_owned(), kind: Kind::Standard, goes_on });
        }
        let refuse = |error: io::Error| Failure::file(path, &error, "a path that can be written");
        not_an_input(path, from)?;
        let kind = match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(Failure::unexpected(path.display(), "a directory", "a file"));
            }
            Ok(found) if found.is_file() => {
                OpenOptions::new().append(true).open(path).map_err(refuse)?;
                let file = fs::canonicalize(path).map_err(refuse)?;
                Kind::Replaced { file, permissions: Some(found.permissions()) }
            }
            Ok(_) => Kind::Stream,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Kind::Replaced { file: new_file(path).map_err(refuse)?, permissions: None }
            }
            Err(error) => return Err(refuse(error)),
        };
        if let Kind::Replaced { file, .. } = &kind {
            beside(file, None).map_err(refuse)?;
        }
        Ok(Destination { path: path.to_owned(), kind, goes_on })
    }

    /// Looks whether each of these is written to a file of its own. A device or a pipe takes any number of reports.
    ///
    /// # Errors
    /// When two are one file, by whatever names.
    pub fn apart<'a>(all: impl IntoIterator<Item = &'a Destination>) -> Result<(), Failure> {
        let replaced = all.into_iter().filter_map(Destination::replaces);
        Destination::paths_apart(&replaced.collect::<Vec<_>>())
    }

    fn paths_apart(paths: &[&Path]) -> Result<(), Failure> {
        for (nth, path) in paths.iter().enumerate() {
            if paths[..nth].iter().any(|other| other == path || input::are_one(other, path)) {
                let expected = "a file for each report";
                return Err(Failure::unexpected(path.display(), "it for two reports", expected));
            }
        }
        Ok(())
    }

    /// Looks whether none of these is written to a file that the command works in.
    ///
    /// # Errors
    /// When one is.
    pub fn apart_from<'a>(
        all: impl IntoIterator<Item = &'a Destination>,
        own: &Path,
    ) -> Result<(), Failure> {
        let Ok(new) = fs::canonicalize(own).or_else(|_| new_file(own)) else { return Ok(()) };
        let mut replaced = all.into_iter().filter_map(Destination::replaces);
        match replaced.find(|path| **path == new || input::are_one(path, &new)) {
            Some(path) => {
                Err(Failure::unexpected(path.display(), input::A_FILE_READ, ANOTHER_FILE))
            }
            None => Ok(()),
        }
    }

    /// The file that writing replaces; none for a device or a pipe.
    fn replaces(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Replaced { file, .. } => Some(file),
            Kind::Stream | Kind::Standard => None,
        }
    }

    /// Whether it is standard output, which takes one report.
    pub fn is_standard(&self) -> bool {
        matches!(self.kind, Kind::Standard)
    }

    /// Writes the file, which is text.
    ///
    /// # Errors
    /// When the operating system refuses; the file is then as it was before.
    pub fn write(&self, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> Result<(), Failure> {
        self.write_as(Content::Text, write)
    }

    /// Writes the file, which need not be text.
    ///
    /// # Errors
    /// As those of [`Destination::write`].
    pub fn write_bytes(
        &self,
        write: impl FnOnce(&mut Out<'_>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.write_as(Content::Bytes, write)
    }

    fn write_as(
        &self,
        content: Content,
        write: impl FnOnce(&mut Out<'_>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.is_standard() {
            return print_as(content, write);
        }
        not_an_input(&self.path, self.goes_on.as_deref())?;
        self.try_write(content, write).map_err(|error| self.refused(&error))
    }

    /// Opens the file, empty, to be written bit by bit while somebody reads it.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn begin(&self) -> Result<File, Failure> {
        not_an_input(&self.path, self.goes_on.as_deref())?;
        let mut options = OpenOptions::new();
        match self.kind {
            Kind::Replaced { .. } => options.write(true).create(true).truncate(true),
            Kind::Stream | Kind::Standard => options.write(true),
        };
        options.open(&self.path).map_err(|error| self.refused(&error))
    }

    /// The same of a file that is opened when there is something to write: until then it keeps what it holds.
    ///
    /// # Errors
    /// When it is one that is read.
    pub fn begin_late(&self) -> Result<Begun, Failure> {
        not_an_input(&self.path, self.goes_on.as_deref())?;
        let is_file = matches!(self.kind, Kind::Replaced { .. });
        Ok(Begun { path: self.path.clone(), is_file, file: None })
    }

    /// The failure of a write that the operating system refused.
    pub fn refused(&self, error: &io::Error) -> Failure {
        Failure::file(&self.path, error, "a path that can be written")
    }

    fn try_write(
        &self,
        content: Content,
        write: impl FnOnce(&mut Out<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let fill = |mut out: Out<'_>| {
            write(&mut out)?;
            out.flush()
        };
        match &self.kind {
            Kind::Replaced { file, permissions } => {
                let mut written = beside(file, permissions.as_ref())?;
                fill(Content::Bytes.to(written.as_file_mut()))?;
                written.persist(file)?;
                Ok(())
            }
            Kind::Stream | Kind::Standard => {
                let stream = OpenOptions::new().write(true).open(&self.path)?;
                match fill(content.to(stream)) {
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                    result => result,
                }
            }
        }
    }
}

/// Looks whether a path leads to a file that this command has read, but for one that it may.
///
/// # Errors
/// If it does: nothing is written over what was read.
fn not_an_input(path: &Path, but: Option<&Path>) -> Result<(), Failure> {
    if but.is_some_and(|but| input::are_one(path, but)) {
        return Ok(());
    }
    input::must_not_be(path).map_err(|error| Failure::file(path, &error, ANOTHER_FILE))
}

/// The absolute path of a file that does not exist yet, in a directory that does.
fn new_file(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::NotFound)?;
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    Ok(fs::canonicalize(directory)?.join(name))
}

/// A temporary file in the directory of `file`, with `permissions`, or those that a program gives a new
/// file; removed when dropped.
fn beside(file: &Path, permissions: Option<&Permissions>) -> io::Result<NamedTempFile> {
    let directory = file.parent().ok_or(ErrorKind::NotFound)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".firmament-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let new = builder.tempfile_in(directory)?;
    if let Some(permissions) = permissions {
        new.as_file().set_permissions(permissions.clone())?;
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_fails_half_way_stays_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report");
        fs::write(&path, "before").unwrap();
        let destination = Destination::new(&path).unwrap();
        let failed = destination.write(|out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(matches!(failed, Err(Failure::Input(line)) if line.contains("no more")));
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        destination.write(|out| out.write_all(b"after")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{symlink, PermissionsExt};
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "before").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        Destination::new(&link).unwrap().write(|out| out.write_all(b"after")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let device = Path::new("/dev/null");
        Destination::new(device).unwrap().write(|out| out.write_all(b"gone")).unwrap();
        assert!(fs::metadata(device).unwrap().file_type().is_char_device());
    }
}
