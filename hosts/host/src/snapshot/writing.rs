//! Writes a snapshot.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use crate::snapshot::about::About;
use crate::snapshot::{MAGIC, VERSION};

/// How hard the state is compressed: most of its tables are short numbers and zeroes, which the first levels find.
const LEVEL: i32 = 3;

/// Writes a snapshot of a drive; `state` writes what is to be given back when it is read.
///
/// # Errors
/// The errors of the writers.
pub fn write(
    about: &About,
    out: &mut dyn Write,
    state: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut summed = Summed { out, sum: Sha256::new() };
    let head = about.to_text();
    summed.write_all(&MAGIC)?;
    summed.write_all(&VERSION.to_le_bytes())?;
    summed.write_all(&(head.len() as u32).to_le_bytes())?;
    summed.write_all(head.as_bytes())?;
    let mut compressed = zstd::Encoder::new(&mut summed, LEVEL)?;
    {
        let mut buffered = io::BufWriter::with_capacity(1 << 16, &mut compressed);
        state(&mut buffered)?;
        buffered.flush()?;
    }
    compressed.finish()?;
    let Summed { out, sum } = summed;
    out.write_all(&sum.finalize())?;
    out.flush()
}

/// Sums up what it writes.
struct Summed<'a> {
    out: &'a mut dyn Write,
    sum: Sha256,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
