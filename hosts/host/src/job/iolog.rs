//! A log of requests in place of what a job would draw (`read_iolog`).

use std::path::Path;

use trace::{Format, OpenError, Strictness, Survey, Trace};

use super::apply::Applied;
use super::error::JobError;
use super::settings::Settings;
use super::spec::{DriveShape, JobSpec};
use super::units::{self, Reading};
use crate::replay::{fit_log, Log, Narrowing, Remap, Speed, Timing};

/// What is said of a log that is played back.
#[derive(Clone, Copy, Debug)]
pub(super) struct IologSettings {
    stalls: Stalls,
    /// In percent: 200 for twice as fast.
    time_scale: u64,
    narrowing: Narrowing,
    target: Target,
}

/// Whether pauses of the log are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stalls {
    Made,
    Skipped,
}

/// Where requests to several files go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// The files lie one behind another.
    Files,
    /// All on the drive (`replay_redirect`).
    Drive,
}

impl Default for IologSettings {
    fn default() -> Self {
        IologSettings {
            stalls: Stalls::Made,
            time_scale: 100,
            narrowing: Narrowing::default(),
            target: Target::Files,
        }
    }
}

impl Settings {
    /// Acts on one option if it is about a log that is played back.
    pub(super) fn apply_iolog(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let iolog = &mut self.iolog;
        match key {
            "read_iolog" if value.is_empty() => return Err("a file".to_string()),
            "read_iolog" => {}
            "replay_no_stall" => {
                iolog.stalls = if units::boolean(value)? { Stalls::Skipped } else { Stalls::Made }
            }
            "replay_time_scale" => iolog.time_scale = units::count(value, 1, 1_000_000)?,
            "replay_scale" => iolog.narrowing.divisor = units::count(value, 0, 1 << 40)?.max(1),
            "replay_align" => {
                let align = units::size(value, self.kb_base)?;
                if align != 0 && !align.is_power_of_two() {
                    return Err("0 or a power of two".to_string());
                }
                iolog.narrowing.align = align.max(1);
            }
            "replay_redirect" => {
                iolog.target = if value.is_empty() { Target::Files } else { Target::Drive }
            }
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }

    /// The file that is played back, if there is one.
    pub(super) fn log_to_play(&self) -> Option<String> {
        Some(self.origin("read_iolog").1).filter(|path| !path.is_empty())
    }

    /// The job as it is with its log, or as it was if it has none.
    ///
    /// # Errors
    /// A log that cannot be read, is none of fio's kinds or does not fit the drive.
    pub(super) fn played_back(
        &self,
        spec: JobSpec,
        drive: DriveShape,
    ) -> Result<JobSpec, JobError> {
        let Some(path) = self.log_to_play() else { return Ok(spec) };
        let refuse = |expected: String| self.error("read_iolog", None, expected);
        let open = || -> Result<(Trace, Survey), String> {
            let told = |error: OpenError| format!("a log of fio's or of blktrace: {error}");
            let trace = Trace::open(Path::new(&path), None).map_err(told)?;
            match trace.format() {
                Format::Iolog | Format::Blktrace(_) => {}
                other => {
                    let other = other.name();
                    return Err(format!("a log of fio's or of blktrace, not {other}"));
                }
            }
            let mut reader = trace.reader().map_err(told)?;
            let survey = Survey::gather(&mut reader, Strictness::Strict)
                .map_err(|fault| format!("a log that can be read: {fault}"))?;
            Ok((trace, survey))
        };
        let (trace, survey) = open().map_err(refuse)?;
        let timing = match self.iolog.stalls {
            Stalls::Made if survey.has_times => Timing::Stalls(spec.iodepth),
            Stalls::Made | Stalls::Skipped => Timing::Depth(spec.iodepth),
        };
        let log = Log {
            trace,
            survey,
            timing,
            speed: Speed::of(self.iolog.time_scale as f64 / 100.0).unwrap_or(Speed::ONE),
            narrowing: self.iolog.narrowing,
            remap: match self.iolog.target {
                Target::Files => Remap::Volume,
                Target::Drive => Remap::None,
            },
        };
        fit_log(log, spec, drive).map_err(refuse)
    }
}
