//! What took place in a run, to be marked in each plot over time: stages that begin, and what the drive does on its own behalf.

use crate::drive::Counted;
use crate::over_time::Look;
use crate::result::RunResult;
use chart::canvas::{fill, Area, DrawError};
use chart::palette::{AXIS, SERIES};
use chart::{Band, Mark, Plot};
use std::collections::BTreeMap;

const PS_PER_NS: f64 = 1e3;
/// Height of a strip in a drawn map, and of the gap below it.
const STRIP: i32 = 4;
const GAP: i32 = 1;

/// What is marked as a strip: its name, and how often it took place until a look.
type Kind = (&'static str, fn(&Look) -> u64);

const KINDS: [Kind; 4] = [
    ("collection", |look| look.collections),
    ("wear levelling", |look| look.wear_levellings),
    ("refresh", |look| look.refreshes),
    ("read retries", |look| look.read_retries),
];

/// What took place in a run.
pub(crate) struct Happenings {
    /// Where jobs start, by name.
    stages: Vec<Mark>,
    /// Between which looks the drive did what.
    bands: Vec<Band>,
}

impl Happenings {
    /// What took place in `run`. Strips have colours from the end of the palette, so that few lines have the same.
    pub(crate) fn of(run: &RunResult) -> Self {
        let kinds = KINDS.iter().enumerate().filter(|_| run.drive.counted == Counted::ByFirmware);
        let band = |(nth, (name, counter)): (usize, &Kind)| Band {
            name: (*name).to_string(),
            color: SERIES.len() - 1 - nth,
            spans: spans(run, *counter),
        };
        let bands = kinds.map(band).filter(|band| !band.spans.is_empty()).collect();
        Happenings { stages: stages(run), bands }
    }

    /// A plot over time with all of it in it.
    pub(crate) fn mark(&self, plot: Plot) -> Plot {
        Plot { marks: self.stages.clone(), bands: self.bands.clone(), ..plot }
    }

    /// Draws it into a map over time, which goes from `left` to `right` and ends with `end_ps`.
    ///
    /// # Errors
    /// The errors of the drawing library.
    pub(crate) fn draw(&self, area: &Area, map: Map) -> Result<(), DrawError> {
        let Map { left, right, top, bottom, end_ps } = map;
        let width = f64::from(right - left);
        let end_ns = (end_ps as f64 / PS_PER_NS).max(1.0);
        let pixel = |ns: f64| left + (width * (ns / end_ns).min(1.0)).round() as i32;
        for stage in self.stages.iter().filter(|stage| stage.at > 0.0) {
            let at = pixel(stage.at);
            fill(area, [(at, top), (at + 1, bottom)], AXIS)?;
        }
        for (row, band) in self.bands.iter().enumerate() {
            let bottom = bottom - (STRIP + GAP) * row as i32;
            for [from, to] in &band.spans {
                let (left, right) = (pixel(*from), pixel(*to));
                let corners = [(left, bottom - STRIP), (right.max(left + 2), bottom)];
                fill(area, corners, SERIES[band.color])?;
            }
        }
        Ok(())
    }
}

/// Where a drawn map over time is, and the time at its right edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Map {
    pub(crate) left: i32,
    pub(crate) right: i32,
    pub(crate) top: i32,
    pub(crate) bottom: i32,
    pub(crate) end_ps: u64,
}

/// From and until when a counter grew, in nanoseconds; times that touch are one.
fn spans(run: &RunResult, counter: fn(&Look) -> u64) -> Vec<[f64; 2]> {
    let mut all: Vec<[f64; 2]> = Vec::new();
    for span in run.over_time.spans().filter(|span| span.grown(counter) > 0) {
        let [from, to] = [span.from_ps(), span.to_ps()].map(|ps| ps as f64 / PS_PER_NS);
        match all.last_mut() {
            Some([_, end]) if *end == from => *end = to,
            _ => all.push([from, to]),
        }
    }
    all
}

/// Names of the jobs where they start, of each name once a time.
fn stages(run: &RunResult) -> Vec<Mark> {
    let end_ps = run.series.end_ps();
    let mut starts: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for job in run.jobs.iter().filter(|job| job.start_ps < end_ps) {
        let starting = starts.entry(job.start_ps).or_default();
        if !starting.contains(&job.name.as_str()) {
            starting.push(&job.name);
        }
    }
    let mark = |(start_ps, names): (u64, Vec<&str>)| Mark {
        at: start_ps as f64 / PS_PER_NS,
        name: names.join(", "),
    };
    starts.into_iter().map(mark).collect()
}
