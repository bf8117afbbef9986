//! What has to be known of a trace before it can be replayed, found in one quick pass.

use crate::fault::{Fault, Faults};
use crate::reader::Reader;
use crate::record::{Kind, UNKNOWN};
use crate::statistics::Strictness;
use crate::volumes::Volumes;

/// Alignments that are told apart, as powers of two: 2^0 to 2^16.
const ALIGNMENTS: usize = 17;

/// What a replay has to know.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Requests by [`Kind`], in the order of [`Kind::ALL`].
    pub requests: [u64; 4],
    /// Their bytes.
    pub bytes: [u64; 4],
    /// The fewest bytes of a read or a write, and the most.
    pub data_bytes: (u64, u64),
    /// The byte behind the last that each volume needs, by number.
    pub ends: Vec<u64>,
    /// Names of the volumes.
    pub names: Volumes,
    /// From the first to the last arrival.
    pub span_ns: u64,
    /// Requests whose response time is told.
    pub responses: u64,
    /// What could not be read.
    pub faults: Faults,
    /// Times that were earlier than one before them, and by how many nanoseconds at most.
    pub back: (u64, u64),
    /// Whether the trace says when requests came.
    pub has_times: bool,
    /// Records of each file or member, and how many of its lines could not be read.
    pub parts: Vec<(u64, u64)>,
    /// Requests by the largest power of two that both ends are multiples of.
    alignments: [u64; ALIGNMENTS],
}

impl Survey {
    /// Reads a trace to its end.
    ///
    /// # Errors
    /// When it is strict: the first line that cannot be read.
    pub fn gather(reader: &mut Reader, strictness: Strictness) -> Result<Self, Fault> {
        let mut survey = Survey { data_bytes: (u64::MAX, 0), ..Survey::default() };
        while let Some(record) = reader.next() {
            let kind = record.kind as usize;
            survey.requests[kind] += 1;
            survey.bytes[kind] = survey.bytes[kind].saturating_add(record.length);
            survey.span_ns = record.time_ns;
            survey.responses += u64::from(record.response_ns != UNKNOWN);
            if record.kind != Kind::Flush {
                let volume = record.volume as usize;
                if survey.ends.len() <= volume {
                    survey.ends.resize(volume + 1, 0);
                }
                let end = &mut survey.ends[volume];
                *end = record.end().max(*end);
                let alignment = (record.offset | record.length).trailing_zeros() as usize;
                survey.alignments[alignment.min(ALIGNMENTS - 1)] += 1;
                if record.kind != Kind::Trim {
                    let (least, most) = &mut survey.data_bytes;
                    (*least, *most) = (record.length.min(*least), record.length.max(*most));
                }
            }
            if strictness == Strictness::Strict && !reader.is_good() {
                break;
            }
        }
        if let (Strictness::Strict, Some(fault)) = (strictness, reader.faults().fatal()) {
            return Err(fault.clone());
        }
        survey.names = reader.volumes().clone();
        survey.faults = reader.faults();
        survey.parts = reader.parts();
        survey.back = reader.back();
        survey.has_times = reader.has_times();
        Ok(survey)
    }

    /// All requests.
    pub fn all(&self) -> u64 {
        self.requests.iter().sum()
    }

    /// Requests a second, if there are more than any disk gets: the times have another unit than they are read with.
    pub fn doubtful_rate(&self) -> Option<f64> {
        doubtful_rate(self.all(), self.span_ns).filter(|_| self.has_times)
    }

    /// Requests that do not begin and end at multiples of so many bytes, a power of two.
    pub fn unaligned(&self, bytes: u64) -> u64 {
        let wanted = (bytes.ilog2() as usize).min(ALIGNMENTS - 1);
        self.alignments[..wanted].iter().sum()
    }

    /// Volumes with requests that have an address.
    pub fn volumes(&self) -> usize {
        self.ends.iter().filter(|&&end| end > 0).count()
    }
}

/// Arrivals a second that are told to be doubtful.
const DOUBTFUL_RATE: f64 = 10e6;
/// Fewer requests can come in one moment.
const FEWEST: u64 = 100;

/// Requests a second, if there are more than any disk gets. All at one time are not: then the unit does not matter.
pub(crate) fn doubtful_rate(requests: u64, span_ns: u64) -> Option<f64> {
    let rate = requests.saturating_sub(1) as f64 * 1e9 / span_ns as f64;
    (requests >= FEWEST && span_ns > 0 && rate > DOUBTFUL_RATE).then_some(rate)
}
