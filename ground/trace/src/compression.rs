//! How a file is compressed, which its first bytes tell.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// The most memory that a decompressor may take, in bytes: a window of 128 MiB, as `zstd` itself has it.
const MOST_WINDOW_LOG: u32 = 27;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (RFC 1952), any number of members.
    Gzip,
    /// Zstandard (RFC 8878), any number of frames.
    Zstd,
    /// xz (The .xz File Format, version 1.2), any number of streams.
    Xz,
    /// bzip2, any number of streams.
    Bzip2,
}

impl Compression {
    /// What the first bytes of a file say.
    pub fn of(first: &[u8]) -> Self {
        match first {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if is_bzip2(rest) => Compression::Bzip2,
            _ => Compression::None,
        }
    }

    /// What users are told, such as `gzip`.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "not compressed",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
        }
    }

    /// What comes out of a file. Memory is bounded: a file that asks for a window of more than 128 MiB is refused.
    ///
    /// # Errors
    /// When a decompressor cannot be set up.
    pub fn decompressed(self, file: Box<dyn BufRead>) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Compression::None => Box::new(file),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(file)?;
                decoder.window_log_max(MOST_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Compression::Xz => {
                let most_kib = (1 << (MOST_WINDOW_LOG - 10)) + 1024;
                Box::new(lzma_rust2::XzReader::new_mem_limit(file, true, most_kib))
            }
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(file)),
        })
    }
}

/// Whether what stands behind the first four bytes begins a block of bzip2, or ends a file without any.
fn is_bzip2(rest: &[u8]) -> bool {
    const BLOCK: &[u8] = b"\x31\x41\x59\x26\x53\x59";
    const END: &[u8] = b"\x17\x72\x45\x38\x50\x90";
    rest.starts_with(BLOCK) || rest.starts_with(END)
}

/// Compresses what is written, as the name of a file asks.
pub enum Compressor<W: Write> {
    /// Not at all.
    None(W),
    /// By gzip.
    Gzip(flate2::write::GzEncoder<W>),
    /// By Zstandard.
    Zstd(zstd::stream::write::Encoder<'static, W>),
    /// By xz.
    Xz(Box<lzma_rust2::XzWriter<W>>),
    /// By bzip2.
    Bzip2(bzip2::write::BzEncoder<W>),
}

/// How hard each tries, as its own program does with `-9`; `zstd` has 19.
const LEVEL: u32 = 9;
const ZSTD_LEVEL: i32 = 19;

impl<W: Write> Compressor<W> {
    /// A compressor for a file whose name ends in `.gz`, `.zst`, `.xz` or `.bz2`; for others none.
    ///
    /// # Errors
    /// When a compressor cannot be set up.
    pub fn new(out: W, path: &Path) -> io::Result<Self> {
        Ok(match path.extension().and_then(|end| end.to_str()) {
            Some("gz") => {
                let level = flate2::Compression::new(LEVEL);
                Compressor::Gzip(flate2::write::GzEncoder::new(out, level))
            }
            Some("zst") => Compressor::Zstd(zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?),
            Some("xz") => {
                let options = lzma_rust2::XzOptions::with_preset(LEVEL);
                Compressor::Xz(Box::new(lzma_rust2::XzWriter::new(out, options)?))
            }
            Some("bz2") => {
                let level = bzip2::Compression::new(LEVEL);
                Compressor::Bzip2(bzip2::write::BzEncoder::new(out, level))
            }
            _ => Compressor::None(out),
        })
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Compressor::None(mut out) => out.flush().map(|()| out),
            Compressor::Gzip(out) => out.finish(),
            Compressor::Zstd(out) => out.finish(),
            Compressor::Xz(out) => out.finish(),
            Compressor::Bzip2(out) => out.finish(),
        }
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Compressor::None(out) => out.write(bytes),
            Compressor::Gzip(out) => out.write(bytes),
            Compressor::Zstd(out) => out.write(bytes),
            Compressor::Xz(out) => out.write(bytes),
            Compressor::Bzip2(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Compressor::None(out) => out.flush(),
            Compressor::Gzip(out) => out.flush(),
            Compressor::Zstd(out) => out.flush(),
            Compressor::Xz(out) => out.flush(),
            Compressor::Bzip2(out) => out.flush(),
        }
    }
}
