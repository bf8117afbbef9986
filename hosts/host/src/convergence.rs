//! Ends a stage of jobs once enough is known.

use machine::Machine;
use report::{Direction, PreciseFigure, Precision, Unit};
use runs::confidence::{Asked, Collector, Figure, Known, Verdict, Written};

use crate::fio_host::FioHost;

/// What is known of the stages of a run, if anybody asks.
#[derive(Debug, Default)]
pub struct Convergence {
    asked: Option<Asked>,
    page_bytes: f64,
    /// The stage that is collected.
    stage: Option<u32>,
    /// What was written when the batch began.
    before: Written,
    /// Stages that are over.
    known: Vec<Precision>,
}

impl Convergence {
    /// Of a drive with pages of so many bytes.
    pub fn new(asked: Option<&Asked>, page_bytes: u32) -> Self {
        Convergence {
            asked: asked.cloned(),
            page_bytes: f64::from(page_bytes),
            ..Convergence::default()
        }
    }

    /// Looks at a drive whose jobs were stopped: a batch may be full, or a stage over. Ends the jobs of a stage that is known.
    pub fn look(&mut self, drive: &mut impl Machine<FioHost>) {
        let Some(asked) = &self.asked else { return };
        let engine = drive.host().engine();
        let (stage, is_over) = (engine.stage().0, engine.is_over());
        let is_full = engine.is_batch_full();
        if self.stage != Some(stage) || is_over {
            let collector = (!is_over).then(|| Box::new(Collector::new(asked.clone())));
            let last = drive.host_mut().engine_mut().set_collector(collector);
            if let (Some(last), Some(stage)) = (last, self.stage) {
                self.known.push(told(stage, &last, &last.verdict()));
            }
            self.stage = (!is_over).then_some(stage);
            self.before = self.written(drive);
        } else if is_full {
            self.close(stage, drive);
        }
    }

    /// Closes a batch, and ends the stage if it is known.
    fn close(&mut self, stage: u32, drive: &mut impl Machine<FioHost>) {
        let now = self.written(drive);
        let Written { host, flash } = std::mem::replace(&mut self.before, now);
        let written = Written { host: now.host - host, flash: now.flash - flash };
        let now_ps = drive.now_ps();
        let engine = drive.host_mut().engine_mut();
        let verdict = engine.collector().and_then(|collector| collector.close(written));
        let Some(verdict) = verdict.filter(Verdict::is_converged) else { return };
        if let Some(collector) = engine.set_collector(None) {
            self.known.push(told(stage, &collector, &verdict));
        }
        engine.end_stage(now_ps);
        drive.wake_host();
    }

    /// Bytes written since power-on, those that wait in the buffer with them.
    fn written(&self, drive: &impl Machine<FioHost>) -> Written {
        let firmware = drive.inspect();
        let (counters, log) = (firmware.counters(), firmware.log());
        let pages = counters.programs + counters.moves + log.journal_pages + log.snapshots;
        let pages = pages + u64::from(firmware.pages_to_program());
        let host = drive.host().engine().totals().bytes[Direction::Write as usize];
        Written { host: host as f64, flash: pages as f64 * self.page_bytes }
    }

    /// What is known, by stage.
    pub fn into_known(self) -> Vec<Precision> {
        self.known
    }
}

/// A verdict for the report.
fn told(stage: u32, collector: &Collector, verdict: &Verdict) -> Precision {
    let asked = collector.asked();
    Precision {
        stage,
        error: asked.error,
        level: asked.level.share(),
        converged: verdict.is_converged(),
        requests: verdict.requests,
        warm_up_requests: verdict.warm_up,
        sections: verdict.sections as u32,
        figures: verdict.figures.iter().map(figure).collect(),
    }
}

fn figure(known: &Known) -> PreciseFigure {
    // Latencies are collected in picoseconds.
    let (unit, scale) = match known.figure {
        Figure::Mean | Figure::Quantile(_) => (Unit::Ns, 1e-3),
        Figure::WriteAmplification => (Unit::Ratio, 1.0),
    };
    PreciseFigure {
        job: None,
        direction: known.kind.map(|kind| Direction::ALL[kind].name().to_owned()),
        figure: known.figure.to_string(),
        unit,
        value: known.interval.mean * scale,
        half_width: known.interval.half_width.map(|width| width * scale),
        values: Vec::new(),
        is_good: Some(known.is_good),
    }
}
