//! What a processor in the controller tells whoever watches its pins: words that it writes to places of the trace
//! window. An event is a few of them, the one that ends it last.

use contract::packet::Operation;
use contract::{CommandTag, DmaDirection, DmaProgress, HostCommand, Pass, Work};

use crate::Note;

/// Places of the trace window, a word each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Place {
    /// What the event that follows has beside its last word.
    Detail,
    /// Ends [`Event::Work`]: which in bits 31:24, how often. Detail: instructions.
    Work,
    /// Ends [`Event::Pass`]: 1 where something changed. Detail: instructions.
    Pass,
    /// Ends [`Note::Taken`]: queue in bits 31:16, tag. Detail: the command's identifier.
    Taken,
    /// Ends [`Note::DmaIssued`]: direction in bit 16, tag.
    DmaIssued,
    /// Ends [`Note::DmaEnded`]: requests to the host that have ended. Detail: those from the host.
    DmaEnded,
    /// Ends [`Note::FlashIssued`]: operation, channel, way, tag, 8 bits each. Detail: the command, as 1 and the tag in
    /// bits 31:16, or 0.
    FlashIssued,
    /// Ends [`Note::FlashEnded`]: channel, way, tag, 8 bits each.
    FlashEnded,
    /// Ends [`Note::Completed`]: tag.
    Completed,
    /// Ends [`Note::Ready`].
    Ready,
    /// Ends [`Event::Text`]: a byte.
    Text,
    /// Ends [`Event::Stopped`]: why, a code of the program's.
    Stopped,
    /// Ends [`Event::Count`]: which in bits 31:24, and by how much it is more, modulo 2^24.
    Count,
    /// Ends [`Event::Erases`]: the block. Detail: its erases, or all ones for none.
    Erases,
}

impl Place {
    const ALL: [Place; 14] = [
        Place::Detail,
        Place::Work,
        Place::Pass,
        Place::Taken,
        Place::DmaIssued,
        Place::DmaEnded,
        Place::FlashIssued,
        Place::FlashEnded,
        Place::Completed,
        Place::Ready,
        Place::Text,
        Place::Stopped,
        Place::Count,
        Place::Erases,
    ];

    /// The place of that number.
    pub fn from_number(number: u32) -> Option<Place> {
        Place::ALL.get(number as usize).copied()
    }
}

/// An event that a processor in the controller tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Work begins, so many times.
    Work {
        /// Which.
        work: Work,
        /// How often.
        times: u32,
        /// Instructions before it, modulo 2^32.
        instructions: u32,
    },
    /// A turn of the firmware's main loop has ended.
    Pass {
        /// What it found.
        pass: Pass,
        /// Instructions before its end, modulo 2^32.
        instructions: u32,
    },
    /// A command goes on. Of one that was taken, the first word of the entry has its identifier, and the others are 0;
    /// bytes and rows are not told, and are 0.
    Note(Note),
    /// A byte of what the program says before it stops.
    Text(u8),
    /// The program has stopped, for good.
    Stopped(u32),
    /// A counter of the program's has changed: its number, and by how much, modulo 2^24.
    Count(u8, u32),
    /// A block of the drive, its dies one after the other, was erased so often; or it takes no data.
    Erases(u32, Option<u32>),
}

/// Erases of a block that takes no data.
const NO_ERASES: u32 = u32::MAX;

/// Tells an event, word by word, to `tell`.
#[inline]
pub fn tell(event: Event, mut tell: impl FnMut(Place, u32)) {
    match event {
        Event::Work { work, times, instructions } => {
            tell(Place::Detail, instructions);
            tell(Place::Work, (work as u32) << 24 | times);
        }
        Event::Pass { pass, instructions } => {
            tell(Place::Detail, instructions);
            tell(Place::Pass, (pass == Pass::Busy).into());
        }
        Event::Note(note) => tell_note(note, tell),
        Event::Text(byte) => tell(Place::Text, byte.into()),
        Event::Stopped(code) => tell(Place::Stopped, code),
        Event::Count(which, more) => tell(Place::Count, u32::from(which) << 24 | more & 0xff_ffff),
        Event::Erases(block, erases) => {
            tell(Place::Detail, erases.unwrap_or(NO_ERASES));
            tell(Place::Erases, block);
        }
    }
}

#[inline]
fn tell_note(note: Note, mut tell: impl FnMut(Place, u32)) {
    let bytes = |bytes: [u8; 4]| u32::from_be_bytes(bytes);
    match note {
        Note::Taken(HostCommand { tag, queue, entry }) => {
            tell(Place::Detail, entry[0]);
            tell(Place::Taken, u32::from(queue) << 16 | u32::from(tag.0));
        }
        Note::DmaIssued(tag, direction, _) => {
            tell(Place::DmaIssued, (direction as u32) << 16 | u32::from(tag.0));
        }
        Note::DmaEnded(DmaProgress { from_host, to_host, .. }) => {
            tell(Place::Detail, from_host);
            tell(Place::DmaEnded, to_host);
        }
        Note::FlashIssued { command, channel, way, tag, operation, row: _ } => {
            tell(Place::Detail, command.map_or(0, |command| u32::from(command.0) << 16 | 1));
            tell(Place::FlashIssued, bytes([operation as u8, channel, way, tag]));
        }
        Note::FlashEnded { channel, way, tag } => {
            tell(Place::FlashEnded, bytes([0, channel, way, tag]));
        }
        Note::Completed(tag) => tell(Place::Completed, tag.0.into()),
        Note::Ready => tell(Place::Ready, 0),
    }
}

/// Puts events together from words.
#[derive(Clone, Debug, Default)]
pub struct Listener {
    detail: u32,
}

impl Listener {
    /// Takes a word; tells the event that it ends. Words of no event end none.
    pub fn take(&mut self, place: Place, word: u32) -> Option<Event> {
        let detail = self.detail;
        let [first, channel, way, tag] = word.to_be_bytes();
        let low = CommandTag(word as u16);
        Some(match place {
            Place::Detail => {
                self.detail = word;
                return None;
            }
            Place::Work => {
                let work = *Work::ALL.get(usize::from(first))?;
                Event::Work { work, times: word & 0xff_ffff, instructions: detail }
            }
            Place::Pass => {
                let pass = if word == 1 { Pass::Busy } else { Pass::Idle };
                Event::Pass { pass, instructions: detail }
            }
            Place::Taken => {
                let mut entry = [0; 16];
                entry[0] = detail;
                let queue = (word >> 16) as u16;
                Event::Note(Note::Taken(HostCommand { tag: low, queue, entry }))
            }
            Place::DmaIssued => {
                let directions = [DmaDirection::FromHost, DmaDirection::ToHost];
                Event::Note(Note::DmaIssued(low, directions[(word >> 16 & 1) as usize], 0))
            }
            Place::DmaEnded => {
                let (from_host, to_host) = (detail, word);
                Event::Note(Note::DmaEnded(DmaProgress { from_host, to_host, fault: false }))
            }
            Place::FlashIssued => {
                let command = (detail & 1 == 1).then_some(CommandTag((detail >> 16) as u16));
                let operation = Operation::from_bits(first.into())?;
                Event::Note(Note::FlashIssued { command, channel, way, tag, operation, row: 0 })
            }
            Place::FlashEnded => Event::Note(Note::FlashEnded { channel, way, tag }),
            Place::Completed => Event::Note(Note::Completed(low)),
            Place::Ready => Event::Note(Note::Ready),
            Place::Text => Event::Text(tag),
            Place::Stopped => Event::Stopped(word),
            Place::Count => Event::Count(first, word & 0xff_ffff),
            Place::Erases => Event::Erases(word, (detail != NO_ERASES).then_some(detail)),
        })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// What comes of an event on the other side.
    fn heard(event: Event) -> Event {
        let (mut listener, mut last) = (Listener::default(), None);
        tell(event, |place, word| {
            assert_eq!(last, None, "an event ends with its last word");
            assert_eq!(Place::from_number(place as u32), Some(place));
            last = listener.take(place, word);
        });
        last.expect("an event ends")
    }

    #[test]
    fn what_is_told_is_heard() {
        let mut entry = [0; 16];
        entry[0] = 0x1234_0002;
        let tag = CommandTag(0x8001);
        let issued = |command| Note::FlashIssued {
            command,
            channel: 7,
            way: 3,
            tag: 250,
            operation: Operation::ProgramPage,
            row: 0,
        };
        let notes = [
            Note::Taken(HostCommand { tag, queue: 0xfffe, entry }),
            Note::DmaIssued(tag, DmaDirection::FromHost, 0),
            Note::DmaIssued(tag, DmaDirection::ToHost, 0),
            Note::DmaEnded(DmaProgress { from_host: u32::MAX, to_host: 9, fault: false }),
            issued(None),
            issued(Some(tag)),
            Note::FlashEnded { channel: 63, way: 15, tag: 255 },
            Note::Completed(tag),
            Note::Ready,
        ];
        let mut events: Vec<_> = notes.map(Event::Note).into();
        events.extend(Work::ALL.map(|work| Event::Work {
            work,
            times: 0xff_ffff,
            instructions: 5,
        }));
        events.extend(
            [Pass::Busy, Pass::Idle].map(|pass| Event::Pass { pass, instructions: u32::MAX }),
        );
        events.extend([Event::Text(b'~'), Event::Stopped(2), Event::Count(255, 0xff_fffe)]);
        events.extend([Event::Erases(u32::MAX, Some(7)), Event::Erases(0, None)]);
        for event in events {
            assert_eq!(heard(event), event);
        }
    }

    #[test]
    fn words_of_no_event_end_none() {
        let mut listener = Listener::default();
        assert_eq!(Place::from_number(Place::ALL.len() as u32), None);
        assert_eq!(listener.take(Place::Work, 0xff00_0001), None);
        assert_eq!(listener.take(Place::FlashIssued, 0xff00_0000), None);
    }
}
