//! The residuals of a calibration: runs of the fitted points, with values of the parameters laid
//! over their boards.

use std::collections::BTreeMap;

use runs::least_squares::{Place, Problem};

use super::boards::Boards;
use super::{Free, Goal};
use crate::error::{Fault, StudyError};
use crate::experiment::{Experiment, Value};
use crate::grid::Point;
use crate::measurement::Measurement;
use crate::metric::Look;
use crate::plan::PlannedRun;
use crate::runner::{run_all, Progress};
use crate::setup::Setup;
use crate::Study;

/// How the runs are done: on so many threads, and who is told of it.
type Running<'a> = (usize, &'a mut dyn FnMut(Progress));

/// The fitted points of an experiment.
pub(super) struct Simulated<'a> {
    study: &'a Study,
    experiment: &'a Experiment,
    goal: &'a Goal,
    /// The points that are needed, with the parameters that reach each.
    points: Vec<(Point, Setup, Vec<usize>)>,
    running: Running<'a>,
    /// What was measured so far.
    known: BTreeMap<Setup, Measurement>,
}

impl<'a> Simulated<'a> {
    /// Finds out which parameters reach which points: those that the point's board has from the
    /// parameter's file, unless the point sets the key itself.
    pub fn new(
        study: &'a Study,
        goal: &'a Goal,
        boards: &mut Boards<'_>,
        running: Running<'a>,
    ) -> Result<Self, StudyError> {
        let experiment = &study.experiments[goal.experiment];
        let mut wanted: Vec<Point> =
            goal.values.iter().map(|nth| experiment.values[*nth].point).collect();
        wanted.sort();
        wanted.dedup();
        let mut points = Vec::new();
        for point in wanted {
            let setup = experiment.setup(point).map_err(|fault| study.fault(fault))?;
            let mut reaching = Vec::new();
            for (nth, free) in goal.parameters.iter().enumerate() {
                let own = boards.file_of(&study.board_path(&free.board));
                let holder = boards.holder(&study.board_path(&setup.board), &free.key)?;
                if !setup.set.contains_key(&free.key) && holder.as_ref() == Some(&own) {
                    reaching.push(nth);
                }
            }
            points.push((point, setup, reaching));
        }
        for (nth, Free { key, board, .. }) in goal.parameters.iter().enumerate() {
            let own = boards.file_of(&study.board_path(board));
            if boards.holder(&study.board_path(board), key)?.as_ref() != Some(&own) {
                return Err(Fault::new(key, "nothing", "a value, to be calibrated").in_file(&own));
            }
            if !points.iter().any(|(_, _, reaching)| reaching.contains(&nth)) {
                let fault = Fault::new(key, "no fitted value that it reaches", "at least one");
                return Err(study.fault(fault.below("calibrate")));
            }
        }
        Ok(Simulated { study, experiment, goal, points, running, known: BTreeMap::new() })
    }

    /// What is run at a point with these values of the parameters.
    fn setup(&self, (_, base, reaching): &(Point, Setup, Vec<usize>), place: &[i64]) -> Setup {
        let mut setup = base.clone();
        for nth in reaching {
            let free = &self.goal.parameters[*nth];
            setup.set.insert(free.key.clone(), free.written(place[*nth]));
        }
        setup
    }

    /// Does the runs that were not done before.
    fn run(&mut self, places: &[Place]) -> Result<(), StudyError> {
        let mut runs: Vec<PlannedRun> = Vec::new();
        for (place, point) in places.iter().flat_map(|p| self.points.iter().map(move |q| (p, q))) {
            let setup = self.setup(point, place);
            let planned = runs.iter().any(|run| run.setup == setup);
            if !planned && !self.known.contains_key(&setup) {
                let name = self.experiment.name_of(point.0);
                runs.push(PlannedRun::new(self.study, setup, name)?);
            }
        }
        let (threads, progress) = &mut self.running;
        let measured = run_all(&runs, *threads, progress)?;
        self.known.extend(runs.into_iter().map(|run| run.setup).zip(measured));
        Ok(())
    }

    /// The relative error of a value.
    fn error(&self, value: &Value, place: &[i64]) -> Result<f64, StudyError> {
        let point = self.points.iter().find(|(point, _, _)| *point == value.point);
        let point = point.expect("every fitted value has its point");
        let run = &self.known[&self.setup(point, place)];
        let measured = value.metric.of(run, Look::default()).ok_or_else(|| {
            let found = format!("nothing to take {} of", value.metric.name());
            let name = self.experiment.name_of(value.point);
            self.study.fault(Fault::new(name, found, "a job that does some of it after its ramp"))
        })?;
        let bound = &value.bound;
        Ok(measured / bound.forms.nearest(bound.published, measured) - 1.0)
    }
}

impl Problem for Simulated<'_> {
    type Error = StudyError;

    fn residuals(&mut self, places: &[Place]) -> Result<Vec<Vec<f64>>, StudyError> {
        self.run(places)?;
        let values = || self.goal.values.iter().map(|nth| &self.experiment.values[*nth]);
        let weighed = || values().zip(&self.goal.weights);
        let at = |place: &Place| {
            weighed().map(|(value, weight)| Ok(weight * self.error(value, place)?)).collect()
        };
        places.iter().map(at).collect()
    }
}
