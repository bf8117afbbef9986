//! What a critical path is made of.

use machine::TimeSpan;

use crate::names;
use crate::track::Track;

/// What a request did or waited for in a stretch of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leg {
    pub span: TimeSpan,
    pub what: &'static str,
    /// Where that is; none where no track tells.
    pub track: Option<Track>,
    /// Whether the request waits meanwhile.
    pub waits: bool,
    /// The command that what it waits for is done for; none if it is the drive's own work.
    pub behind: Option<u32>,
    /// Place of the slice, if it is one.
    pub slice: Option<usize>,
}

/// The critical path of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    /// Number of the command.
    pub command: u32,
    /// Its name and number.
    pub name: String,
    /// Without gaps, from its submission to its completion.
    pub legs: Vec<Leg>,
}

impl Path {
    /// Time that the request waited for operations of its chips that the drive does on its own behalf.
    pub fn behind_own_work(&self) -> u64 {
        let own = |leg: &&Leg| {
            leg.waits && leg.behind.is_none() && matches!(leg.track, Some(Track::Way { .. }))
        };
        self.legs.iter().filter(own).map(|leg| length(leg.span)).sum()
    }
}

impl Leg {
    /// What it is, in words: operations of others stand behind a word for that.
    pub fn name(&self) -> String {
        let before = if self.slice.is_some() && self.waits { names::BEHIND } else { "" };
        let before = if self.what == names::READY { "" } else { before };
        format!("{before}{}", self.what)
    }

    /// The same with its place.
    pub fn told(&self) -> String {
        let place = match self.track {
            Some(Track::Bus { channel }) => format!(" on the bus of channel {channel}"),
            Some(Track::Way { channel, way }) => format!(" on channel {channel}, way {way}"),
            _ => String::new(),
        };
        let whose = match (self.waits && self.slice.is_some(), self.behind) {
            (true, Some(command)) => format!(" of command {command}"),
            (true, None) if self.track.is_some_and(is_way) => " of the drive's own".to_owned(),
            _ => String::new(),
        };
        format!("{}{whose}{place}", self.name())
    }
}

pub(crate) fn is_way(track: Track) -> bool {
    matches!(track, Track::Way { .. })
}

pub(crate) fn length(span: TimeSpan) -> u64 {
    span.end - span.start
}

impl Leg {
    /// A stretch of time that nothing is known of.
    pub fn nowhere(start: u64, end: u64) -> Self {
        let span = TimeSpan { start, end };
        Leg { span, what: names::WAITING, track: None, waits: false, behind: None, slice: None }
    }
}
