//! What is done with the blocks, from text.

use std::fmt;

use crate::cell_load::pattern::Pattern;

/// Names of the options of a load.
pub const OPTIONS: [&str; 6] = ["pattern", "cycles", "blocks", "read_level", "reads", "hours"];

/// What is done with the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// What is written.
    pub pattern: Pattern,
    /// Erases of each block before that.
    pub cycles: u32,
    /// Blocks, of die 0.
    pub blocks: u32,
    /// The level that pages are read at.
    pub read_level: u8,
    /// Reads of a block before the ones that count.
    pub reads: u32,
    /// Hours from the programs to the reads.
    pub hours: u32,
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

impl Load {
    /// A load of these options. A pattern has to be among them; there are no cycles, reads or hours, one block, and read
    /// level 0 unless they say so.
    ///
    /// # Errors
    /// The first option that is unknown or out of range, or that there is no pattern.
    pub fn read<'a>(
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Load, LoadError> {
        let (mut cycles, mut blocks, mut read_level, mut reads, mut hours) = (0, 1, 0, 0, 0);
        let mut pattern = None;
        for (option, text) in options {
            let fault = |found: &str, expected: String| LoadError {
                option: option.to_owned(),
                found: found.to_owned(),
                expected,
            };
            let number = |low: u32, high: u32| match text.parse() {
                Ok(number) if (low..=high).contains(&number) => Ok(number),
                _ => Err(fault(text, format!("a whole number from {low} to {high}"))),
            };
            match option {
                "pattern" => {
                    let read = Pattern::read(text);
                    pattern = Some(read.ok_or_else(|| fault(text, Pattern::EXPECTED.to_owned()))?);
                }
                "cycles" => cycles = number(0, 1_000_000)?,
                "blocks" => blocks = number(1, 1024)?,
                "read_level" => read_level = number(0, 15)? as u8,
                "reads" => reads = number(0, 10_000_000)?,
                "hours" => hours = number(0, 2000)?,
                _ => return Err(fault(option, format!("one of {}", OPTIONS.join(", ")))),
            }
        }
        let pattern = pattern.ok_or_else(|| LoadError {
            option: "pattern".to_owned(),
            found: String::new(),
            expected: Pattern::EXPECTED.to_owned(),
        })?;
        Ok(Load { pattern, cycles, blocks, read_level, reads, hours })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_a_load_and_faults_are_named() {
        let load = Load::read([("pattern", "11-00"), ("cycles", "5000"), ("blocks", "2")]);
        let load = load.expect("a load");
        assert_eq!((load.cycles, load.blocks, load.read_level), (5000, 2, 0));
        assert_eq!(load.pattern.to_string(), "11-00");
        for (option, text, expected) in [
            ("pattern", "11", "such as 11-00"),
            ("cycles", "-1", "from 0 to 1000000"),
            ("blocks", "0", "from 1 to 1024"),
            ("hours", "2001", "from 0 to 2000"),
            ("colour", "red", "one of pattern, cycles"),
            ("cycles", "1", "such as 11-00"),
        ] {
            let error = Load::read([(option, text)]).expect_err("no load");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
