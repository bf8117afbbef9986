//! One file of a trace, or one member of an archive.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use foreign::input;

use crate::archive::{zip, Member, Place, Whole};
use crate::compression::Compression;

const BUFFER_BYTES: usize = 1 << 17;
/// Bytes that tell how a stream is compressed.
const FIRST_BYTES: u64 = 16;

/// Where a trace, or a part of one, is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The file.
    pub(crate) path: PathBuf,
    /// Which of the files that were given it is.
    pub(crate) input: usize,
    /// The member, if the file is an archive.
    pub(crate) member: Option<Member>,
}

impl Part {
    /// Its name for people.
    pub(crate) fn name(&self) -> String {
        match &self.member {
            None => self.path.display().to_string(),
            Some(member) => format!("{}: {}", self.path.display(), member.name),
        }
    }

    /// Its name without folders.
    pub(crate) fn base(&self) -> String {
        let file = || self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        self.member.as_ref().map_or_else(|| file().into_owned(), |member| member.base().to_owned())
    }

    /// What is in it, and how it is compressed.
    ///
    /// # Errors
    /// When the operating system refuses the file, or it is not what it was.
    pub(crate) fn open(&self) -> io::Result<(Compression, Box<dyn Read>)> {
        let Some(Member { place, .. }) = &self.member else { return decompressed(&self.path) };
        let inner: Box<dyn Read> = match *place {
            Place::Zip(packed) => zip::open(input::open(&self.path)?, packed)?,
            Place::Tar { offset, bytes } => {
                Box::new(Whole::new(from(&self.path, offset)?, bytes, None))
            }
        };
        of_stream(BufReader::with_capacity(BUFFER_BYTES, inner))
    }
}

/// How a file is compressed, and what is in it.
pub(crate) fn decompressed(path: &Path) -> io::Result<(Compression, Box<dyn Read>)> {
    of_stream(BufReader::with_capacity(BUFFER_BYTES, input::open(path)?))
}

/// How a stream is compressed, and what is in it.
pub(crate) fn of_stream<R: Read + 'static>(
    mut stream: BufReader<R>,
) -> io::Result<(Compression, Box<dyn Read>)> {
    // What comes out of an archive may come in pieces of any size.
    let mut first = Vec::new();
    stream.by_ref().take(FIRST_BYTES).read_to_end(&mut first)?;
    let compression = Compression::of(&first);
    let all = Cursor::new(first).chain(stream);
    Ok((compression, compression.decompressed(Box::new(all))?))
}

/// What is in a file from a byte on.
fn from(path: &Path, offset: u64) -> io::Result<Box<dyn Read>> {
    let (compression, mut input) = decompressed(path)?;
    if compression == Compression::None {
        let mut file = input::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        return Ok(Box::new(file));
    }
    io::copy(&mut input.by_ref().take(offset), &mut io::sink())?;
    Ok(input)
}
