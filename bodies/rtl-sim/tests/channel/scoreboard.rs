//! What is to come of requests, and whether it did.

use crate::channel::world::difference;
use crate::page_path::golden::{self, Verdict};
use contract::packet::{Answer, Interrupt, Outcome, Request, Response};
use rtl_sim::DataBuffer;
use std::collections::VecDeque;

/// What a buffer entry holds that nothing was written to.
pub const UNTOUCHED: u8 = 0x5a;

/// How a request should end.
#[derive(Clone, Debug)]
pub enum Ends {
    /// With data, and this verdict unless the page is unknown.
    Page(Option<Verdict>),
    /// With the status of a program or erase.
    Checked { failed: bool },
    /// With a status byte, if it is known.
    Status(Option<u8>),
    /// With four bytes.
    Value(u32),
    /// Well.
    Done,
    /// As refused, without a value.
    Refused,
    /// Too late.
    TimedOut,
    /// In any way.
    Somehow,
}

/// A request, and what it should come to.
#[derive(Clone, Debug)]
pub struct Planned {
    pub request: Request,
    pub ends: Ends,
    /// Bytes that its buffer entry should hold then.
    pub stored: Option<Vec<u8>>,
}

/// All that was asked for and is not over.
#[derive(Default)]
pub struct Scoreboard {
    streams: [VecDeque<Planned>; 8],
    silent: Vec<Planned>,
    /// Responses that came.
    pub answered: usize,
    /// Those whose interrupt was pending.
    pub interrupts: u64,
    /// Sums over the responses.
    pub corrected: u64,
    /// The most bits that were corrected in a chunk.
    pub most: u32,
    pub lost: u64,
    pub refused: u64,
}

impl Planned {
    pub fn new(request: Request, ends: Ends) -> Self {
        Self { request, ends, stored: None }
    }

    /// A read of a page.
    pub fn read(request: Request, found: Option<(Vec<u8>, Verdict)>) -> Self {
        let (stored, verdict) = found.unzip();
        Self { request, ends: Ends::Page(verdict), stored }
    }

    fn assert_stored(&self, buffer: &DataBuffer) {
        let Some(stored) = &self.stored else { return };
        let entry = buffer.entry(self.request.buffer);
        assert_eq!(difference(entry, stored), None, "{:?}: data", self.request);
        let rest = &entry[stored.len()..];
        assert!(rest.iter().all(|byte| *byte == UNTOUCHED), "{:?}: behind the data", self.request);
    }

    fn assert_response(&self, response: &Response) {
        let request = &self.request;
        let about = || format!("{request:?}, {:?}: {response:?}", self.ends);
        let named = (response.tag, response.way, response.stream);
        assert_eq!(named, (request.tag, request.way, request.stream), "{}", about());
        let pending = match request.interrupt {
            Interrupt::Never => false,
            Interrupt::OnError => response.outcome != Outcome::Success,
            Interrupt::Always => true,
        };
        assert_eq!(response.interrupt_pending, pending, "{}", about());
        if let Ends::Page(Some(verdict)) = &self.ends {
            assert_eq!((found_verdict(response), response.value), (*verdict, 0), "{}", about());
            return;
        }
        let (outcome, value) = (response.outcome, response.value);
        let well = match self.ends {
            Ends::Page(_) => [Outcome::Success, Outcome::Uncorrectable].contains(&outcome),
            Ends::Checked { failed } => outcome == status_outcome(failed) && value & 0xc0 == 0xc0,
            Ends::Status(expected) => {
                outcome == status_outcome(value & 1 == 1)
                    && expected.map_or(value & !0x63 == 0x80, |byte| value == u32::from(byte))
            }
            Ends::Value(expected) => outcome == Outcome::Success && value == expected,
            Ends::Done => outcome == Outcome::Success,
            Ends::Refused => outcome == Outcome::Refused && value == 0,
            Ends::TimedOut => outcome == Outcome::TimedOut,
            Ends::Somehow => return,
        };
        assert!(well, "{}", about());
        if !matches!(self.ends, Ends::Page(_)) {
            let found = Verdict { outcome: golden::Outcome::Success, ..found_verdict(response) };
            assert_eq!(found, Verdict::clean(), "{}", about());
        }
    }
}

fn status_outcome(failed: bool) -> Outcome {
    if failed {
        Outcome::Failed
    } else {
        Outcome::Success
    }
}

fn found_verdict(response: &Response) -> Verdict {
    Verdict {
        outcome: match response.outcome {
            Outcome::Uncorrectable => golden::Outcome::Uncorrectable,
            Outcome::TimedOut => golden::Outcome::TimedOut,
            _ => golden::Outcome::Success,
        },
        erased: response.erased,
        corrected: response.corrected_bits.into(),
        most: response.most_bits.into(),
        lost: response.lost_chunks.into(),
    }
}

impl Scoreboard {
    /// Expects an answer, or none.
    pub fn expect(&mut self, planned: Planned) {
        match planned.request.answer {
            Answer::Silent => self.silent.push(planned),
            Answer::Response => {
                self.streams[usize::from(planned.request.stream)].push_back(planned);
            }
        }
    }

    /// Answers that are still to come.
    pub fn open(&self) -> usize {
        self.streams.iter().map(VecDeque::len).sum()
    }

    /// Checks an answer.
    pub fn answer(&mut self, response: &Response, buffer: &DataBuffer) {
        let stream = &mut self.streams[usize::from(response.stream)];
        let Some(planned) = stream.pop_front() else { panic!("{response:?}, expected none") };
        planned.assert_response(response);
        planned.assert_stored(buffer);
        self.answered += 1;
        self.interrupts += u64::from(response.interrupt_pending);
        self.corrected += u64::from(response.corrected_bits);
        self.most = self.most.max(response.most_bits.into());
        self.lost += u64::from(response.lost_chunks);
        self.refused += u64::from(response.outcome == Outcome::Refused);
    }

    /// Checks what silent requests left in the buffer.
    pub fn finish(&self, buffer: &DataBuffer) {
        assert_eq!(self.open(), 0, "answers that did not come");
        self.silent.iter().for_each(|planned| planned.assert_stored(buffer));
    }

    /// The requests that are not answered yet, the first one of each stream.
    pub fn first_open(&self) -> Vec<&Request> {
        self.streams.iter().filter_map(|stream| Some(&stream.front()?.request)).collect()
    }
}
