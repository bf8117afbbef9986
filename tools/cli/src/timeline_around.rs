//! Timelines of what is only known once the run is over: it is done twice, and recorded the second time.

use ::timeline::{Around, FirstErase, Marked, Recorder, Request, Sight};
use host::{RequestColumns, RequestLog, Watchers};
use recipe::{Failure, Keep, Recipe};

use crate::reports::Reports;
use crate::{body, tell};

/// What is learned of the first run.
pub struct First {
    around: Around,
    /// All measured requests.
    pub requests: RequestLog,
    erase: FirstErase,
}

impl First {
    /// Learns what a timeline around something needs.
    pub fn new(around: Around) -> Self {
        First { around, requests: RequestLog::default(), erase: FirstErase::default() }
    }

    /// The observer of the first run, if one is needed.
    pub fn observer(&mut self) -> Option<&mut dyn machine::Observer> {
        (self.around == Around::Collection).then_some(&mut self.erase as &mut dyn machine::Observer)
    }

    /// Does the run again and writes its timeline. A run that was cut cannot be done again.
    ///
    /// # Errors
    /// When the run had nothing of what the timeline is to show, and when the timeline cannot be written.
    pub fn again(
        self,
        recipe: &Recipe,
        reports: &Reports<'_>,
        stop: host::Stop,
    ) -> Result<(), Failure> {
        let requests = self.requests.seen(of_columns);
        let Some(sight) = self.around.sight(&requests, self.erase.found()) else {
            let expected = match self.around {
                Around::Collection => {
                    "slowest, as this run erased nothing on the drive's own behalf"
                }
                _ => "a time, as this run measured no request",
            };
            return Err(Failure::unexpected("--timeline-around", self.around, expected));
        };
        let mut recorder = recorded(recipe, &sight, stop)?;
        let marked = recorder.mark(&sight);
        write_timeline(reports, Some(&recorder))?;
        tell(&told(self.around, &sight, marked));
        Ok(())
    }
}

/// The run once more, with a recorder.
fn recorded(recipe: &Recipe, sight: &Sight, stop: host::Stop) -> Result<Recorder, Failure> {
    let geometry = &recipe.board.firmware.geometry;
    let mut recorder = Recorder::new(sight.window, geometry.channels, geometry.ways);
    let control = host::Control { stop, preparing: None };
    let watchers = Watchers { observer: Some(&mut recorder), control, ..Watchers::default() };
    body::run(recipe, (recipe.request(), Keep::Nothing), (watchers, &mut |_| {}))?;
    Ok(recorder)
}

/// The requests of a log, in time from the start of the first job.
fn of_columns(columns: &RequestColumns) -> Vec<Request> {
    let ends = columns.end_ps.iter().zip(&columns.completion_ps);
    ends.map(|(&end_ps, took)| Request { start_ps: end_ps - took, end_ps }).collect()
}

/// In a line, what the timeline shows.
fn told(around: Around, sight: &Sight, marked: Option<Marked>) -> String {
    let us = |ps: u64| ps as f64 / 1e6;
    let Some(Marked { name, start_ps, end_ps, longest: (what, ps) }) = marked else {
        let (start, end) = (us(sight.window.start_ps()), us(sight.window.end_ps()));
        return format!(
            "firmament: timeline: {start:.3} us to {end:.3} us, and no request to mark"
        );
    };
    format!(
        "firmament: timeline around {around}: {name}, from {:.3} us for {:.3} us, of which {:.3} us {what}",
        us(start_ps),
        us(end_ps - start_ps),
        us(ps)
    )
}

/// Writes the timeline, and tells if it had to end early.
///
/// # Errors
/// When its file cannot be written.
pub fn write_timeline(reports: &Reports<'_>, recorder: Option<&Recorder>) -> Result<(), Failure> {
    let (Some(file), Some(recorder)) = (reports.timeline(), recorder) else { return Ok(()) };
    if let Some(end_ps) = recorder.cut_short_ps() {
        let end_us = end_ps as f64 / 1e6;
        tell(&format!(
            "firmament: warning: timeline: it is full and ends at {end_us:.3} us; see --timeline-window"
        ));
    }
    file.write(|out| recorder.write(out))
}
