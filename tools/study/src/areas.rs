//! Look-up tables that error correction takes of an FPGA, as `make ecc-area` measured them.
//!
//! No run works them out: a synthesis does, which takes minutes a code. It writes a table into the study's folder, and an
//! experiment with `area` reads a row of it.

use std::collections::BTreeMap;

use crate::error::{one_of, Fault};
use crate::published::Published;

/// Channels that share a key equation solver in the table's column of shared ones.
const SHARING: u32 = 4;

/// Names of the options, and of whose solver it is.
const OPTIONS: [&str; 4] = ["file", "chunk_bytes", "solver", "channels"];
const SOLVERS: [&str; 2] = ["own", "shared"];

/// Columns of the table: look-up tables of a decoder, of a solver for one channel, and of one for several.
const DECODER: &str = "decoder_lut";
const OWN: &str = "solver_lut";
const SHARED: &str = "shared_solver_lut";

/// Which decoders an experiment asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The table.
    pub file: String,
    chunk_bytes: String,
    is_shared: bool,
    channels: u32,
}

impl Asked {
    /// Reads the options of an experiment.
    pub fn read(options: &BTreeMap<String, String>) -> Result<Asked, Fault> {
        if let Some(unknown) = options.keys().find(|option| !OPTIONS.contains(&option.as_str())) {
            return Err(Fault::new(format!("area.{unknown}"), "it", one_of(OPTIONS)));
        }
        let needed = |option: &str, expected: &str| {
            let found = options.get(option).cloned();
            found.ok_or_else(|| Fault::new(format!("area.{option}"), "nothing", expected))
        };
        let solver = needed("solver", &one_of(SOLVERS))?;
        if !SOLVERS.contains(&solver.as_str()) {
            return Err(Fault::new("area.solver", format!("{solver:?}"), one_of(SOLVERS)));
        }
        let is_shared = solver == "shared";
        let channels = needed("channels", "how many channels have a decoder")?;
        let fits =
            |channels: &u32| (1..=64).contains(channels) && (!is_shared || channels % SHARING == 0);
        let expected = match is_shared {
            true => format!("a multiple of {SHARING} up to 64, as so many channels share a solver"),
            false => "1 to 64".to_owned(),
        };
        let channels = channels.parse().ok().filter(fits);
        Ok(Asked {
            file: needed("file", "a CSV file of the study's folder, as make ecc-area writes it")?,
            chunk_bytes: needed("chunk_bytes", "bytes of a chunk")?,
            is_shared,
            channels: channels.ok_or_else(|| {
                Fault::new("area.channels", format!("{:?}", options["channels"]), expected)
            })?,
        })
    }

    /// Look-up tables of the decoders of all channels, and of the solvers that they need.
    pub fn luts(&self, table: &Published) -> Result<f64, Fault> {
        let at = ("chunk_bytes", self.chunk_bytes.as_str());
        let channels = f64::from(self.channels);
        let decoders = channels * table.number(at, DECODER)?;
        Ok(match self.is_shared {
            true => decoders + channels / f64::from(SHARING) * table.number(at, SHARED)?,
            false => decoders + channels * table.number(at, OWN)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const TABLE: &str = "chunk_bytes,correctable_bits,decoder_lut,solver_lut,shared_solver_lut
256,13,100,30,20
512,24,200,70,
";

    fn luts(options: &[(&str, &str)]) -> Result<f64, String> {
        let options =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let line = |fault: Fault| {
            format!("{}: found {}, expected {}", fault.key, fault.found, fault.expected)
        };
        let asked = Asked::read(&options).map_err(line)?;
        let table = Published::parse(PathBuf::from("t.csv"), TABLE).unwrap();
        asked.luts(&table).map_err(line)
    }

    fn options<'a>(chunk: &'a str, solver: &'a str, channels: &'a str) -> [(&'a str, &'a str); 4] {
        [("file", "t.csv"), ("chunk_bytes", chunk), ("solver", solver), ("channels", channels)]
    }

    #[test]
    fn decoders_and_solvers_are_added_up() {
        assert_eq!(luts(&options("256", "own", "8")), Ok(8.0 * 130.0));
        assert_eq!(luts(&options("256", "shared", "8")), Ok(8.0 * 100.0 + 2.0 * 20.0));
        assert_eq!(luts(&options("512", "own", "1")), Ok(270.0));
    }

    #[test]
    fn faults_are_named() {
        for (options, expected) in [
            (
                options("256", "none", "8"),
                "area.solver: found \"none\", expected one of own, shared",
            ),
            (options("256", "shared", "6"), "area.channels: found \"6\", expected a multiple of 4"),
            (options("256", "own", "0"), "area.channels: found \"0\", expected 1 to 64"),
            (options("300", "own", "8"), "chunk_bytes: found 300, expected one of 256, 512"),
            (
                options("512", "shared", "8"),
                "shared_solver_lut of chunk_bytes 512: found \"\", expected a number",
            ),
        ] {
            let line = luts(&options).unwrap_err();
            assert!(line.starts_with(expected), "{line}");
        }
        assert!(luts(&[("chunk", "1")])
            .unwrap_err()
            .starts_with("area.chunk: found it, expected one of file"));
        assert!(luts(&[("solver", "own")])
            .unwrap_err()
            .starts_with("area.channels: found nothing"));
    }
}
