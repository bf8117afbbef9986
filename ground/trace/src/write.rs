//! Writes records in a format.

use std::io::{self, Write};

use crate::format::Format;
use crate::record::{Kind, Record, UNKNOWN};

/// What traces count from, each in its own unit: 2007-02-22 for MSR, 2016-02-22 for SYSTOR, 2018-10-01 for Tencent, and
/// 2020-01-01 for Alibaba, as in the published ones.
const MSR_TICKS: u64 = 128_166_372_000_000_000;
const SYSTOR_SECONDS: u64 = 1_456_135_200;
const TENCENT_SECONDS: u64 = 1_538_323_200;
const ALIBABA_MICROSECONDS: u64 = 1_577_808_000_000_000;

/// Writes a trace. What a format cannot say is left out: only logs of fio's and Linux's block traces have trims and
/// flushes, only MSR Cambridge, SYSTOR and layouts with such a column response times.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    format: Format,
    sequence: u64,
}

impl<W: Write> Writer<W> {
    /// Writes what stands before the first record.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn new(mut out: W, format: Format) -> io::Result<Self> {
        match format {
            Format::Iolog => writeln!(out, "fio version 3 iolog")?,
            Format::Systor => writeln!(out, "Timestamp,Response,IOType,LUN,Offset,Size")?,
            Format::Layout(layout, _) => {
                if let Some(heading) = layout.heading() {
                    writeln!(out, "{heading}")?;
                }
            }
            _ => {}
        }
        Ok(Writer { out, format, sequence: 0 })
    }

    /// Writes a record. False if the format has no such requests.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(&mut self, record: &Record) -> io::Result<bool> {
        let Writer { out, format, sequence } = self;
        if let Format::Layout(layout, event) = *format {
            return layout.write(event, record, out);
        }
        let &Record { time_ns, response_ns, volume, kind, offset, length } = record;
        let is_data = matches!(kind, Kind::Read | Kind::Write);
        if !is_data && !matches!(format, Format::Iolog | Format::Blkparse(_) | Format::Blktrace(_))
        {
            return Ok(false);
        }
        let is_read = kind == Kind::Read;
        let (sector, sectors) = (offset / 512, length.div_ceil(512));
        *sequence += 1;
        match format {
            Format::Iolog => write_iolog(record, out)?,
            Format::Blkparse(event) => {
                let (letter, kind) = (char::from(event.letter()), letters(kind));
                let (s, ns) = (time_ns / 1_000_000_000, time_ns % 1_000_000_000);
                write!(
                    out,
                    "  8,{:<4} 0 {sequence:8} {s:5}.{ns:09}     1  {letter} {kind:>3} ",
                    16 * volume
                )?;
                match record.kind {
                    Kind::Flush => writeln!(out, "[firmament]")?,
                    _ => writeln!(out, "{sector} + {sectors} [firmament]")?,
                }
            }
            Format::Blktrace(event) => {
                let action = match event {
                    crate::Event::Queue => 1,
                    crate::Event::Issue => 7,
                };
                write_blktrace(record, (*sequence as u32, action), out)?;
            }
            Format::Msr => {
                let ticks = MSR_TICKS + time_ns / 100;
                let kind = if is_read { "Read" } else { "Write" };
                let response = if response_ns == UNKNOWN { 0 } else { response_ns / 100 };
                writeln!(out, "{ticks},made,{volume},{kind},{offset},{length},{response}")?;
            }
            Format::Systor => {
                let (s, ns) = (time_ns / 1_000_000_000, time_ns % 1_000_000_000);
                write!(out, "{}.{ns:09},", SYSTOR_SECONDS + s)?;
                if response_ns != UNKNOWN {
                    let (s, ns) = (response_ns / 1_000_000_000, response_ns % 1_000_000_000);
                    write!(out, "{s}.{ns:09}")?;
                }
                let kind = if is_read { 'R' } else { 'W' };
                writeln!(out, ",{kind},{volume},{offset},{length}")?;
            }
            Format::Alibaba => {
                let us = ALIBABA_MICROSECONDS + time_ns / 1000;
                let kind = if is_read { 'R' } else { 'W' };
                writeln!(out, "{volume},{kind},{offset},{length},{us}")?;
            }
            Format::Tencent => {
                let s = TENCENT_SECONDS + time_ns / 1_000_000_000;
                writeln!(out, "{s},{sector},{sectors},{},{volume}", u8::from(!is_read))?;
            }
            Format::Layout(..) => unreachable!("it was written above"),
            Format::Mqsim => {
                writeln!(out, "{time_ns} {volume} {sector} {sectors} {}", u8::from(is_read))?;
            }
        }
        Ok(true)
    }

    /// Gives back what was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

fn write_iolog(record: &Record, out: &mut impl Write) -> io::Result<()> {
    let Record { time_ns, volume, offset, length, .. } = record;
    let us = time_ns / 1000;
    let action = match record.kind {
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Trim => "trim",
        Kind::Flush => return writeln!(out, "{us} /dev/made{volume} sync 0 0"),
    };
    writeln!(out, "{us} /dev/made{volume} {action} {offset} {length}")
}

fn letters(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "R",
        Kind::Write => "W",
        Kind::Trim => "D",
        Kind::Flush => "FN",
    }
}

fn write_blktrace(
    record: &Record,
    (sequence, action): (u32, u32),
    out: &mut impl Write,
) -> io::Result<()> {
    let category: u32 = match record.kind {
        Kind::Read => 1 << 16,
        Kind::Write => 1 << 17,
        Kind::Trim => 1 << 29 | 1 << 17,
        Kind::Flush => 1 << 18 | 1 << 17,
    };
    let sectors = record.length.div_ceil(512).min(u64::from(u32::MAX) / 512);
    let mut bytes = [0; crate::formats::blktrace::HEADER_BYTES];
    bytes[..4].copy_from_slice(&0x6561_7407_u32.to_le_bytes());
    bytes[4..8].copy_from_slice(&sequence.to_le_bytes());
    bytes[8..16].copy_from_slice(&record.time_ns.to_le_bytes());
    bytes[16..24].copy_from_slice(&(record.offset / 512).to_le_bytes());
    bytes[24..28].copy_from_slice(&((sectors * 512) as u32).to_le_bytes());
    bytes[28..32].copy_from_slice(&(category | action).to_le_bytes());
    bytes[32..36].copy_from_slice(&1_u32.to_le_bytes());
    bytes[36..40].copy_from_slice(&((8 << 20) | (16 * record.volume)).to_le_bytes());
    out.write_all(&bytes)
}
