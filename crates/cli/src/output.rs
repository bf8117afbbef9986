//! Where reports go: standard output, or files that appear whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use recipe::Failure;

/// What stands for standard output in place of a file.
const STANDARD_OUTPUT: &str = "-";

/// Whatever takes a report.
pub type Out<'a> = BufWriter<Box<dyn Write + 'a>>;

/// Writes to standard output. A reader that has seen enough and went away is no failure.
pub fn print(write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> Result<(), Failure> {
    let mut out: Out<'_> = BufWriter::new(Box::new(io::stdout().lock()));
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::unexpected("standard output", error, "room for the report"))
        }
        _ => Ok(()),
    }
}

/// A file that is to be written at the end of a run, and was found writable before it.
#[derive(Debug)]
pub struct Destination {
    /// As the user gave it.
    path: PathBuf,
    kind: Kind,
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
        if path == Path::new(STANDARD_OUTPUT) {
            return Ok(Destination { path: path.to_owned(), kind: Kind::Standard });
        }
        let refuse = |error: io::Error| Failure::file(path, &error, "a path that can be written");
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
        Ok(Destination { path: path.to_owned(), kind })
    }

    /// The file that writing replaces; none for a device or a pipe, which takes any number of
    /// reports.
    pub fn replaces(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Replaced { file, .. } => Some(file),
            Kind::Stream | Kind::Standard => None,
        }
    }

    /// Whether it is standard output, which takes one report.
    pub fn is_standard(&self) -> bool {
        matches!(self.kind, Kind::Standard)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When the operating system refuses; the file is then as it was before.
    pub fn write(&self, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> Result<(), Failure> {
        if self.is_standard() {
            return print(write);
        }
        self.try_write(write).map_err(|error| self.refused(&error))
    }

    /// Opens the file, empty, to be written bit by bit while somebody reads it.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn begin(&self) -> Result<File, Failure> {
        let mut options = OpenOptions::new();
        match self.kind {
            Kind::Replaced { .. } => options.write(true).create(true).truncate(true),
            Kind::Stream | Kind::Standard => options.write(true),
        };
        options.open(&self.path).map_err(|error| self.refused(&error))
    }

    /// The failure of a write that the operating system refused.
    pub fn refused(&self, error: &io::Error) -> Failure {
        Failure::file(&self.path, error, "a path that can be written")
    }

    fn try_write(&self, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
        let fill = |file: &mut File| {
            let mut out: Out<'_> = BufWriter::new(Box::new(file));
            write(&mut out)?;
            out.flush()
        };
        match &self.kind {
            Kind::Replaced { file, permissions } => {
                let mut written = beside(file, permissions.as_ref())?;
                fill(written.as_file_mut())?;
                written.persist(file)?;
                Ok(())
            }
            Kind::Stream | Kind::Standard => {
                match fill(&mut OpenOptions::new().write(true).open(&self.path)?) {
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                    result => result,
                }
            }
        }
    }
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
