//! A job that plays a log back.

use std::path::Path;

use trace::{Format, OpenError, Strictness, Survey, Trace};

use super::super::error::JobError;
use super::super::iolog::{Stalls, Target};
use super::super::settings::Settings;
use super::super::spec::{DriveShape, JobSpec};
use crate::replay::{fit_log, Log, Remap, Speed, Timing};

impl Settings {
    /// The file that is played back, if there is one.
    pub(in super::super) fn log_to_play(&self) -> Option<String> {
        Some(self.origin("read_iolog").1).filter(|path| !path.is_empty())
    }

    /// The job as it is with its log, or as it was if it has none.
    ///
    /// # Errors
    /// A log that cannot be read, is none of fio's kinds or does not fit the drive.
    pub(in super::super) fn played_back(
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
