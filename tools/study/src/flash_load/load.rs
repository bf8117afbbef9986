//! What is asked of the channels, from text.

use std::fmt;

use crate::flash_load::sequence::Sequence;

/// Names of the options of a load.
pub const OPTIONS: [&str; 9] = [
    "mix",
    "pages",
    "random_percent",
    "requests",
    "streams",
    "outstanding",
    "urgent_outstanding",
    "urgent_interval_us",
    "sequence",
];

/// Most bytes of a page that a request can name.
pub const MOST_PAGE_BYTES: u32 = 32_768;
/// Most requests of a stream that may be outstanding.
const MOST_OUTSTANDING: u32 = 4096;
/// Most streams, one left for urgent reads.
const MOST_STREAMS: u32 = 7;

/// In which proportion operations come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Weights of erase, program and read.
    pub weights: [u32; 3],
}

/// What is asked of the channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Operations of the streams of low priority.
    pub mix: Mix,
    /// Pages of the same kind that follow each other on a die before the next die is chosen.
    pub pages: u32,
    /// Share of the dies out of which the next is drawn, in percent; 0 takes all of them in turn
    /// (Ozone section 5.3).
    pub random_percent: u32,
    /// Requests that are answered and measured, after a quarter as many that are not.
    pub requests: u64,
    /// Streams of low priority. Answers of a stream come in the order of its requests.
    pub streams: u32,
    /// Requests of all those streams that are outstanding.
    pub outstanding: u32,
    /// Reads of a further stream, of high priority, that may be outstanding.
    pub urgent_outstanding: u32,
    /// Least time between two of those, in microseconds.
    pub urgent_interval_us: u32,
    /// Requests that are forwarded at once, in place of all above, and measured from the first on.
    pub sequence: Option<Sequence>,
}

/// What is wrong with an option of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// Name of the option.
    pub option: String,
    /// What it says.
    pub found: String,
    /// What it could say.
    pub expected: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {:?}, expected {}", self.option, self.found, self.expected)
    }
}

impl std::error::Error for LoadError {}

impl Default for Load {
    fn default() -> Self {
        Load {
            mix: Mix { weights: [0, 0, 1] },
            pages: 1,
            random_percent: 100,
            requests: 10_000,
            streams: 1,
            outstanding: 64,
            urgent_outstanding: 0,
            urgent_interval_us: 0,
            sequence: None,
        }
    }
}

impl Load {
    /// A load of these options; what is not said is as in [`Load::default`].
    ///
    /// # Errors
    /// The first option that is unknown or out of range.
    pub fn read<'a>(
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Load, LoadError> {
        let mut load = Load::default();
        for (option, text) in options {
            let fault = |expected: String| LoadError {
                option: option.to_owned(),
                found: text.to_owned(),
                expected,
            };
            let number = |low: u64, high: u64| match text.parse() {
                Ok(number) if (low..=high).contains(&number) => Ok(number),
                _ => Err(fault(format!("a whole number from {low} to {high}"))),
            };
            let small = |low: u32, high: u32| {
                number(u64::from(low), u64::from(high)).map(|number| number as u32)
            };
            match option {
                "mix" => {
                    let mix = Mix::read(text);
                    load.mix = mix.ok_or_else(|| fault(Mix::EXPECTED.to_owned()))?;
                }
                "pages" => load.pages = small(1, 1024)?,
                "random_percent" => load.random_percent = small(0, 100)?,
                "requests" => load.requests = number(1, 1_000_000_000)?,
                "streams" => load.streams = small(1, MOST_STREAMS)?,
                "outstanding" => load.outstanding = small(1, MOST_OUTSTANDING)?,
                "urgent_interval_us" => load.urgent_interval_us = small(0, 1_000_000)?,
                "urgent_outstanding" => load.urgent_outstanding = small(0, MOST_OUTSTANDING)?,
                "sequence" => {
                    let sequence = Sequence::read(text);
                    let expected = || fault(Sequence::EXPECTED.to_owned());
                    load.sequence = Some(sequence.ok_or_else(expected)?);
                }
                _ => {
                    let names = OPTIONS.join(", ");
                    return Err(LoadError {
                        found: option.to_owned(),
                        ..fault(format!("one of {names}"))
                    });
                }
            }
        }
        if let Some(sequence) = &load.sequence {
            let count = sequence.requests().len() as u32;
            let alone = Load { sequence: None, ..load.clone() } == Load::default();
            if !alone {
                return Err(LoadError {
                    option: "sequence".to_owned(),
                    found: "it and other options".to_owned(),
                    expected: "it alone".to_owned(),
                });
            }
            return Ok(Load { outstanding: count, requests: count.into(), ..load });
        }
        if load.streams > load.outstanding {
            return Err(LoadError {
                option: "outstanding".to_owned(),
                found: load.outstanding.to_string(),
                expected: format!("at least {}, one for each stream", load.streams),
            });
        }
        Ok(load)
    }
}

impl Mix {
    const EXPECTED: &'static str =
        "three whole numbers such as 1:128:128, of erases, programs and reads, not all 0";

    fn read(text: &str) -> Option<Mix> {
        let mut parts = text.split(':').map(|part| part.parse::<u32>().ok());
        let weights = [parts.next()??, parts.next()??, parts.next()??];
        let sum = weights.iter().try_fold(0u32, |sum, weight| sum.checked_add(*weight))?;
        (parts.next().is_none() && sum > 0).then_some(Mix { weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash_load::outcome::Kind;

    #[test]
    fn options_become_a_load_and_faults_are_named() {
        let load = Load::read([("mix", "1:128:512"), ("outstanding", "8"), ("streams", "3")]);
        let load = load.unwrap();
        assert_eq!(load.mix.weights, [1, 128, 512]);
        assert_eq!((load.outstanding, load.streams, load.pages), (8, 3, 1));
        for (option, text, expected) in [
            ("mix", "1:2", "three whole numbers"),
            ("mix", "0:0:0", "not all 0"),
            ("mix", "4294967295:1:0", "three whole numbers"),
            ("random_percent", "101", "from 0 to 100"),
            ("outstanding", "0", "from 1 to 4096"),
            ("colour", "red", "one of mix, pages"),
            ("sequence", "", "1 to 64 requests"),
            ("sequence", "P0 X1", "such as P2 R0 E1"),
            ("sequence", "P", "such as P2 R0 E1"),
        ] {
            let error = Load::read([(option, text)]).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert!(error.to_string().starts_with(option), "{error}");
        }
        let error = Load::read([("streams", "3"), ("outstanding", "2")]).unwrap_err();
        assert_eq!(error.expected, "at least 3, one for each stream");
        let error = Load::read([("sequence", "P0"), ("streams", "3")]).unwrap_err();
        assert_eq!(error.expected, "it alone");
        let load = Load::read([("sequence", "P0 R2 E11")]).unwrap();
        assert_eq!((load.outstanding, load.requests), (3, 3));
        let sequence = load.sequence.unwrap();
        assert_eq!((sequence.requests()[2], sequence.last_die()), ((Kind::Erase, 11), 11));
    }
}
