//! What a study would come to if all came out as it was published: all that is told of it without a run.

use crate::error::StudyError;
use crate::evaluate::{claim_row, summary_row, value_row, Measured};
use crate::experiment::Experiment;
use crate::outcome::{ExperimentOutcome, Row, StudyOutcome};
use crate::parameters::parameters;
use crate::Study;

impl Study {
    /// An outcome without runs and pictures, in which each measured value is the published one.
    ///
    /// # Errors
    /// When a board of the study cannot be used.
    pub fn as_published(&self) -> Result<StudyOutcome, StudyError> {
        Ok(StudyOutcome {
            name: self.name.clone(),
            title: self.title.clone(),
            paper: self.paper.clone(),
            exhibits: self.exhibits.clone(),
            parameters: parameters(self)?,
            experiments: self.experiments.iter().map(experiment).collect(),
        })
    }
}

fn experiment(experiment: &Experiment) -> ExperimentOutcome {
    let of = |published: f64| Measured { experiment, value: published, interval: None };
    let mut rows: Vec<Row> =
        experiment.values.iter().map(|own| value_row(own, of(own.bound.published))).collect();
    let summaries: Vec<Row> =
        experiment.summaries.iter().map(|own| summary_row(own, &rows)).collect();
    rows.extend(experiment.claims.iter().map(|own| claim_row(own, of(own.bound.published))));
    rows.extend(summaries);
    ExperimentOutcome {
        id: experiment.id.clone(),
        title: experiment.title.clone(),
        place: experiment.place.clone(),
        rows,
        figures: Vec::new(),
        timelines: Vec::new(),
    }
}
