//! Calibration: the values of a board's parameters that bring fitted values nearest to what was
//! published.

/// What is to be calibrated, and on what.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Goal {
    /// Index of the experiment.
    pub experiment: usize,
    /// Indices of the values of it that are fitted; none is published as 0.
    pub values: Vec<usize>,
    /// Most rounds of the fit.
    pub rounds: u32,
    /// The parameters, at least one.
    pub parameters: Vec<Free>,
}

/// A parameter that is free within bounds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Free {
    /// The dotted key.
    pub key: String,
    /// The board whose file holds it.
    pub board: String,
    /// Where the fit begins.
    pub start: f64,
    /// The lowest value.
    pub low: f64,
    /// The highest value.
    pub high: f64,
    /// Values are multiples of it.
    pub step: f64,
}

impl Free {
    /// The lowest value, in steps.
    pub fn lowest(&self) -> i64 {
        (self.low / self.step - 1e-9).ceil() as i64
    }

    /// The highest value, in steps.
    pub fn highest(&self) -> i64 {
        (self.high / self.step + 1e-9).floor() as i64
    }
}
