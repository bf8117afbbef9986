//! What was recorded, as plain rows.

use contract::DmaDirection;

use crate::recorder::{Detail, Recorder, Slice};
use crate::track::Track;

/// A span of time on a track. Times are picoseconds since the first job began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// Kind of the track: bus, way, firmware, or DMA by its direction.
    pub track: &'a str,
    /// The channel of a bus or a way.
    pub channel: Option<u32>,
    /// The way, or the one that the bus works for.
    pub way: Option<u32>,
    /// What is done.
    pub what: &'a str,
    /// The moment at which what is done begins.
    pub begin_ps: u64,
    /// The moment at which it is over.
    pub end_ps: u64,
    /// Number of the command that it is for, from 1.
    pub command: Option<u32>,
    /// Row of a flash page.
    pub row: Option<u32>,
    /// Bytes of a DMA.
    pub length_bytes: Option<u32>,
}

impl Recorder {
    /// All spans in the order of their begins. They are those that [`Recorder::write`] writes.
    pub fn spans(&self) -> impl Iterator<Item = Span<'_>> {
        let mut slices: Vec<&Slice> = self.recorded().collect();
        slices.sort_by_key(|slice| slice.span.start);
        slices.into_iter().map(|slice| self.span(slice))
    }

    fn span(&self, slice: &Slice) -> Span<'_> {
        let (track, channel, way) = match slice.track {
            Track::Bus { channel } => ("bus", Some(channel), None),
            Track::Way { channel, way } => ("way", Some(channel), Some(way)),
            Track::Firmware(_) => ("firmware", None, None),
            Track::Dma(DmaDirection::FromHost) => ("from host", None, None),
            Track::Dma(DmaDirection::ToHost) => ("to host", None, None),
        };
        let (of_flash, length_bytes) = match slice.detail {
            Detail::None => (None, None),
            Detail::Flash { way, row } => (Some((way, row)), None),
            Detail::Bytes(bytes) => (None, Some(bytes)),
        };
        Span {
            track,
            channel: channel.map(u32::from),
            way: way.or(of_flash.map(|(way, _)| way)).map(u32::from),
            what: slice.name,
            begin_ps: slice.span.start - self.origin,
            end_ps: slice.span.end - self.origin,
            command: slice.command,
            row: of_flash.map(|(_, row)| row),
            length_bytes,
        }
    }
}
