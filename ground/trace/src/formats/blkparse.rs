//! What `blkparse` prints: device, processor, sequence number, seconds, process, action, kind, then `sector + sectors` of
//! 512 bytes. Of each request the event counts that [`Event`] says. Kinds are [letters](super::letters). A flush before a write
//! is not modelled; before nothing, as an empty barrier (`WB`), it is a flush. The summary at the end is passed over.

use super::found::{fields_missing, number, sectors, stretch, Found};
use super::letters::{self, Letters};
use crate::digits::seconds_ns;
use crate::event::Event;
use crate::fault::Wrong;
use crate::fields::{trimmed, Words};
use crate::record::{Kind, Raw, UNKNOWN};

const EXPECTED: &str = "an event such as 8,0 3 1 0.000000000 697 Q W 223490 + 8 [kjournald]";

/// Which part of the output it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    #[default]
    Events,
    Summary,
}

#[inline]
pub(super) fn line<'a>(
    line: &'a [u8],
    event: Event,
    part: &mut Part,
) -> Result<Found<'a>, Wrong<'a>> {
    if *part == Part::Summary {
        return Ok(Found::Other);
    }
    let mut words = Words::new(line);
    let device = words.next();
    if device.starts_with(b"CPU") || device == b"Total" {
        *part = Part::Summary;
        return Ok(Found::Other);
    }
    if memchr::memchr(b',', device).is_none() {
        return Err(fields_missing(line, EXPECTED));
    }
    let (_processor, _sequence, time, _process) =
        (words.next(), words.next(), words.next(), words.next());
    let (action, letters) = (words.next(), words.next());
    if letters.is_empty() && action != b"m" {
        return Err(fields_missing(line, EXPECTED));
    }
    let Some(ticks) = seconds_ns(time) else {
        return Err(Wrong::new("time", time, "seconds such as 0.000000000"));
    };
    if action != [event.letter()] {
        return match action {
            [first, ..] if action.len() <= 2 && first.is_ascii_alphabetic() => Ok(Found::Other),
            found => Err(Wrong::new("action", found, "a letter such as Q, D or C")),
        };
    }
    let (place, plus, size) = (words.next(), words.next(), words.next());
    let is_empty = plus != b"+" || size == b"0";
    let kind = match letters::kind(letters, is_empty) {
        Letters::Kind(kind) => kind,
        Letters::Other => return Ok(Found::Other),
        Letters::Unknown => {
            return Err(Wrong::new("kind", letters, "letters with R, W, D or F"));
        }
    };
    if kind == Kind::Flush {
        let raw = Raw { ticks, response_ns: UNKNOWN, kind, offset: 0, length: 0 };
        return Ok(Found::Request(raw, device));
    }
    if plus != b"+" {
        return Err(Wrong::new("sector", trimmed(place), "sector + sectors"));
    }
    number("sector", place)?;
    let at = (sectors("sector", place)?, place);
    let (offset, length) = stretch(kind, at, (sectors("sectors", size)?, size))?;
    Ok(Found::Request(Raw { ticks, response_ns: UNKNOWN, kind, offset, length }, device))
}
