//! What came out of a run.

use std::sync::Arc;

use arrow_array::types::{UInt16Type, UInt8Type};
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeListArray, Float64Array, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{DataType, Field};
use host::{RequestColumns, RequestLog, Watchers};
use monitor::Interval;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use recipe::{Failure, Keep, Recipe};
use report::{Cause, Direction, JobSource, JsonForm, RunResult};
use timeline::{Around, FirstErase, Recorder, Request, Span, Window};

use crate::failure::{raised, unexpected};
use crate::table::Table;

/// Who looks on while jobs run, as far as somebody asked for it.
pub struct Watched {
    recorder: Option<Recorder>,
    first: Option<First>,
    requests: Option<RequestLog>,
    is_asked_for_requests: bool,
}

/// What is learned of a run that is done again with a recorder.
struct First {
    around: Around,
    erase: FirstErase,
}

impl Watched {
    /// Watches a run of the recipe, whose timeline is of a window, or of what is only known once the run is over.
    ///
    /// # Errors
    /// When the text is none, or the drive's time cannot be drawn.
    pub fn new(
        recipe: &Recipe,
        timeline: Option<&str>,
        requests: Requests,
    ) -> Result<Self, Failure> {
        let (mut recorder, mut first) = (None, None);
        if let Some(text) = timeline {
            recipe::check_drawn(&recipe.board)?;
            match (text.parse::<Window>(), text.parse::<Around>()) {
                (Ok(window), _) => recorder = Some(recorder_of(recipe, window)),
                (_, Ok(around)) => first = Some(First::of(recipe, around)?),
                (Err(window), Err(around)) => {
                    let expected = format!("{window}, or {around}");
                    return Err(Failure::unexpected("timeline", format!("{text:?}"), &expected));
                }
            }
        }
        let is_asked_for_requests = requests == Requests::Kept;
        let requests = (is_asked_for_requests || first.is_some()).then(RequestLog::default);
        Ok(Watched { recorder, first, requests, is_asked_for_requests })
    }

    /// The observer of the drive.
    pub fn observer(&mut self) -> Option<&mut dyn machine::Observer> {
        if let Some(First { around: Around::Collection, erase }) = &mut self.first {
            return Some(erase);
        }
        self.recorder.as_mut().map(|recorder| recorder as &mut dyn machine::Observer)
    }

    /// The log of requests.
    pub fn requests(&self) -> Option<RequestLog> {
        self.requests.clone()
    }

    /// Does the run again and records it, if its timeline is of what is only known by now. A run that was cut cannot be done again.
    ///
    /// # Errors
    /// When the run had nothing of what the timeline is to show.
    pub fn again(
        &mut self,
        recipe: &Recipe,
        result: &RunResult,
        stop: host::Stop,
    ) -> Result<(), Failure> {
        let Some(First { around, erase }) = self.first.take() else { return Ok(()) };
        if result.cut.is_some() {
            return Ok(());
        }
        let log = self.requests.as_ref().expect("a run that is done again logs its requests");
        let Some(sight) = around.sight(&log.seen(timed), erase.found()) else {
            let expected = match around {
                Around::Collection => {
                    "slowest, as this run erased nothing on the drive's own behalf"
                }
                _ => "a window, as this run measured no request",
            };
            return Err(Failure::unexpected("timeline", around, expected));
        };
        let mut recorder = recorder_of(recipe, sight.window);
        let control = host::Control { stop, preparing: None };
        let observer: Option<&mut dyn machine::Observer> = Some(&mut recorder);
        let watchers = Watchers { observer, control, ..Watchers::default() };
        recipe.run((recipe.request(), Keep::Nothing), watchers, &mut |_| ())?;
        recorder.mark(&sight);
        self.recorder = Some(recorder);
        Ok(())
    }

    /// The outcome of a run that they watched.
    pub fn outcome(self, result: RunResult, snapshot: Option<Vec<u8>>) -> Outcome {
        let Watched { recorder, requests, is_asked_for_requests, .. } = self;
        let requests = requests.filter(|_| is_asked_for_requests);
        let requests = requests.map(|log| of_requests(log.take()));
        let timeline = recorder.map(|recorder| of_spans(recorder.spans()));
        Outcome { result, snapshot, requests, timeline }
    }
}

impl First {
    /// Learns what a timeline around something needs.
    ///
    /// # Errors
    /// When the run cannot be done twice.
    fn of(recipe: &Recipe, around: Around) -> Result<Self, Failure> {
        if let JobSource::Program { .. } = recipe.provenance.jobs {
            let expected = "a window, as a program's generator runs once and the run is done twice";
            return Err(Failure::unexpected("timeline", around, expected));
        }
        Ok(First { around, erase: FirstErase::default() })
    }
}

fn recorder_of(recipe: &Recipe, window: Window) -> Recorder {
    let geometry = &recipe.board.firmware.geometry;
    Recorder::new(window, geometry.channels, geometry.ways)
}

/// The requests of a log, in time from the start of the first job.
fn timed(columns: &RequestColumns) -> Vec<Request> {
    let ends = columns.end_ps.iter().zip(&columns.completion_ps);
    ends.map(|(&end_ps, took)| Request { start_ps: end_ps - took, end_ps }).collect()
}

/// Whether requests are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// They are.
    Kept,
    /// They are counted only.
    Counted,
}

/// What came out of a run.
#[pyclass(frozen, module = "firmament._native")]
pub struct Outcome {
    /// The result.
    pub result: RunResult,
    snapshot: Option<Vec<u8>>,
    requests: Option<Table>,
    timeline: Option<Table>,
}

impl Outcome {
    /// What came out of a run that nobody watched.
    pub fn unwatched(result: RunResult, snapshot: Option<Vec<u8>>) -> Self {
        Outcome { result, snapshot, requests: None, timeline: None }
    }
}

#[pymethods]
impl Outcome {
    /// What a JSON report tells of a run. Tables that are in no report may come along.
    #[staticmethod]
    fn of_report(
        py: Python<'_>,
        json: &str,
        requests: Option<&Table>,
        timeline: Option<&Table>,
    ) -> PyResult<Self> {
        let read = || {
            let report: serde_json::Value =
                serde_json::from_str(json).map_err(|error| unexpected("report", error, "JSON"))?;
            let unfit = |error: report::ReadError| raised(Failure::Input(error.to_string()));
            report::read_json(&report).map_err(unfit)
        };
        let result = py.detach(read)?;
        Ok(Outcome {
            result,
            snapshot: None,
            requests: requests.cloned(),
            timeline: timeline.cloned(),
        })
    }

    /// All latencies of a job in a direction: nanoseconds, and how many requests took so long, in bins that are rising.
    fn latencies(&self, job: usize, direction: &str) -> Option<(Vec<u64>, Vec<u64>)> {
        let direction = Direction::ALL.into_iter().find(|way| way.name() == direction)?;
        let result = self.result.jobs.get(job)?.active(direction)?;
        Some(result.clat.bins_ns().unzip())
    }

    /// The report as JSON, as the program writes it.
    fn json(&self) -> PyResult<String> {
        written(|out| report::write_json(&self.result, JsonForm::Plain, out))
    }

    /// The report as a page.
    fn html(&self) -> PyResult<String> {
        written(|out| report::write_html(&self.result, out))
    }

    /// What is drawn of the run, as a part of a page.
    fn figures(&self) -> PyResult<String> {
        written(|out| report::write_figures(&self.result, out))
    }

    /// The report as text.
    fn text(&self) -> PyResult<String> {
        written(|out| report::write_normal(&self.result, out))
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.result.warnings.clone()
    }

    /// The snapshot of the drive, if it was to be kept.
    fn snapshot<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.snapshot.as_ref().map(|bytes| PyBytes::new(py, bytes))
    }

    #[getter]
    fn requests(&self) -> Option<Table> {
        self.requests.clone()
    }

    #[getter]
    fn timeline(&self) -> Option<Table> {
        self.timeline.clone()
    }

    #[getter]
    fn monitor(&self) -> Option<Table> {
        let intervals = &self.result.monitored;
        let is_on = self.result.provenance.as_ref()?.monitor_interval_ps.is_some();
        is_on.then(|| of_intervals(intervals, self.result.page_bytes))
    }

    #[getter]
    fn ways(&self) -> Table {
        let ways = &self.result.drive.way_busy;
        let each = || {
            let of = |(channel, ways): (usize, &'_ Vec<f64>)| {
                let ways = ways.clone().into_iter().enumerate();
                ways.map(move |(way, busy)| (channel as u32, way as u32, busy))
            };
            ways.iter().enumerate().flat_map(of)
        };
        Table::new(vec![
            (
                "channel",
                Arc::new(UInt32Array::from_iter_values(each().map(|(channel, ..)| channel))),
            ),
            ("way", Arc::new(UInt32Array::from_iter_values(each().map(|(_, way, _)| way)))),
            ("busy", Arc::new(Float64Array::from_iter_values(each().map(|(.., busy)| busy)))),
        ])
    }
}

/// What is written as a text.
pub fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> PyResult<String> {
    let mut out = Vec::new();
    write(&mut out)?;
    String::from_utf8(out).map_err(|_| unexpected("report", "bytes", "text"))
}

/// The measured requests, in the order in which they completed. Its columns are those of the log.
fn of_requests(columns: RequestColumns) -> Table {
    let RequestColumns { jobs, job, direction, end_ps, causes_ps, .. } = columns;
    let words = |names: Vec<String>| Arc::new(StringArray::from(names));
    let directions = Direction::ALL.map(|way| way.name().to_owned()).to_vec();
    let job = DictionaryArray::<UInt16Type>::new(job.into(), words(jobs));
    let direction = DictionaryArray::<UInt8Type>::new(direction.into(), words(directions));
    let whole = |column: Vec<u64>| -> ArrayRef { Arc::new(UInt64Array::from(column)) };
    let mut table: Vec<(&str, ArrayRef)> = vec![
        ("job", Arc::new(job)),
        ("direction", Arc::new(direction)),
        ("end_ps", whole(end_ps)),
        ("offset_bytes", whole(columns.offset_bytes)),
        ("length_bytes", whole(columns.length_bytes)),
        ("slat_ps", whole(columns.submission_ps)),
        ("clat_ps", whole(columns.completion_ps)),
    ];
    let named = Cause::ALL.map(|cause| format!("{}_ps", cause.key()));
    let causes = named.iter().zip(causes_ps).filter(|(_, times)| !times.is_empty());
    table.extend(causes.map(|(name, times)| (name.as_str(), whole(times))));
    Table::new(table)
}

/// What buses, chips, firmware and DMA did when.
fn of_spans<'a>(spans: impl Iterator<Item = Span<'a>>) -> Table {
    let spans: Vec<Span<'_>> = spans.collect();
    let whole = |of: fn(&Span<'_>) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(spans.iter().map(of)))
    };
    let number = |of: fn(&Span<'_>) -> Option<u32>| -> ArrayRef {
        Arc::new(UInt32Array::from_iter(spans.iter().map(of)))
    };
    let word = |of: for<'s> fn(&Span<'s>) -> &'s str| -> ArrayRef {
        Arc::new(spans.iter().map(of).collect::<DictionaryArray<UInt8Type>>())
    };
    Table::new(vec![
        ("begin_ps", whole(|span| span.begin_ps)),
        ("end_ps", whole(|span| span.end_ps)),
        ("track", word(|span| span.track)),
        ("channel", number(|span| span.channel)),
        ("way", number(|span| span.way)),
        ("what", word(|span| span.what)),
        ("command", number(|span| span.command)),
        ("row", number(|span| span.row)),
        ("length_bytes", number(|span| span.length_bytes)),
    ])
}

/// What the operation monitor read.
fn of_intervals(intervals: &[Interval], page_bytes: u32) -> Table {
    let rates: Vec<_> = intervals.iter().map(|interval| interval.rates(page_bytes)).collect();
    let whole = |of: fn(&Interval) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(intervals.iter().map(of)))
    };
    let rate = |of: fn(&monitor::Rates) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(rates.iter().map(of)))
    };
    let latency = |of: fn(&monitor::Rates) -> Option<monitor::MeanLatency>| -> ArrayRef {
        let means = rates.iter().map(of).map(|latency| latency.map(|latency| latency.mean_ps));
        Arc::new(UInt64Array::from_iter(means))
    };
    let share = |of: fn(&monitor::Rates) -> Option<f64>| -> ArrayRef {
        Arc::new(Float64Array::from_iter(rates.iter().map(of)))
    };
    Table::new(vec![
        ("begin_ps", whole(|interval| interval.from_ps)),
        ("end_ps", whole(|interval| interval.to_ps)),
        ("read_iops", rate(|rates| rates.read_iops)),
        ("write_iops", rate(|rates| rates.write_iops)),
        ("read_bytes_per_s", rate(|rates| rates.read_bytes_per_s)),
        ("write_bytes_per_s", rate(|rates| rates.write_bytes_per_s)),
        ("read_mean_ps", latency(|rates| rates.read_latency)),
        ("write_mean_ps", latency(|rates| rates.write_latency)),
        ("write_amplification", share(|rates| rates.write_amplification)),
        ("processor_busy", share(|rates| Some(rates.processor_utilization))),
        ("outstanding_host", whole(|interval| interval.counts.outstanding.host)),
        ("outstanding_drive", whole(|interval| interval.counts.outstanding.drive)),
        ("dirty_entries", whole(|interval| interval.counts.buffer.dirty)),
        ("flash_reads", whole(|interval| interval.counts.flash.reads)),
        ("flash_programs", whole(|interval| interval.counts.flash.programs)),
        ("flash_moves", whole(|interval| interval.counts.flash.moves)),
        ("flash_erases", whole(|interval| interval.counts.flash.erases)),
        ("channel_busy", lists(rates.iter().map(|rates| rates.channel_utilization.clone()))),
        ("way_busy", lists(rates.iter().map(|rates| rates.way_utilization.concat()))),
    ])
}

/// A column of lists that are all as long as the first.
fn lists(rows: impl Iterator<Item = Vec<f64>>) -> ArrayRef {
    let rows: Vec<Vec<f64>> = rows.collect();
    let length = rows.first().map_or(0, Vec::len) as i32;
    let item = Arc::new(Field::new("item", DataType::Float64, false));
    let values = Arc::new(Float64Array::from(rows.concat()));
    Arc::new(FixedSizeListArray::new(item, length, values, None))
}
